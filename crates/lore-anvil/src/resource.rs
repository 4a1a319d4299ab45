//! What a row of the table says.

use std::time::Duration;

use crate::field::{Field, Form};
use crate::table::Kind;

/// A kind of resource.
#[derive(Debug)]
pub struct Resource {
    /// One of them, in words.
    pub one: &'static str,
    /// Several of them, in words.
    pub many: &'static str,
    /// What they are, continuing a sentence; empty when the name says it.
    pub about: &'static str,
    /// Where one is read and written.
    pub path: &'static str,
    /// Another spelling of the path that some servers answer to.
    pub other_path: Option<&'static str>,
    /// The `entityClass` of objects.
    pub class: &'static str,
    /// How ids look.
    pub id: IdForm,
    /// The granularities that the service allows, ascending.
    pub granularities: &'static [i8],
    /// The least granularity that tells what callers who ask for 1 shall have: of some kinds the
    /// service tells that at 2 only.
    pub standard: i8,
    /// What each granularity adds to a reference.
    pub fields: &'static [Field],
    /// How they are listed, the usual way first.
    pub lists: &'static [List],
    /// How long answers may be kept.
    pub cache: Cache,
    /// Who may know.
    pub sensitivity: Sensitivity,
    /// The tool that reads one.
    pub get_tool: Option<&'static str>,
    /// The tool that lists them.
    pub list_tool: Option<&'static str>,
    /// The argument that names one.
    pub id_argument: &'static str,
    /// Which tools write them.
    pub writes: Writes,
}

impl Resource {
    /// What rows leave to the default.
    pub(crate) const PLAIN: Self = Self {
        one: "",
        many: "",
        about: "",
        path: "",
        other_path: None,
        class: "",
        id: IdForm::Uuid,
        granularities: &[-1, 0, 2],
        standard: 1,
        fields: &[],
        lists: &[],
        cache: Cache::Map,
        sensitivity: Sensitivity::Open,
        get_tool: None,
        list_tool: None,
        id_argument: "id",
        writes: Writes::None,
    };

    /// The granularity to ask the service for when a caller asks for 0, 1 or 2: the
    /// least allowed one that tells as much, else the fullest.
    pub fn granularity(&self, asked: u8) -> i8 {
        let asked = match i8::try_from(asked) {
            Ok(1) => self.standard,
            asked => asked.unwrap_or(i8::MAX),
        };
        // 3 only adds the ancestry of an article, which nobody asks for by number 2.
        let allowed = self.granularities.iter().copied().filter(|level| *level <= 2);
        let enough = allowed.clone().find(|level| *level >= asked);
        enough.or_else(|| allowed.max()).unwrap_or(-1)
    }

    /// The fields that objects have at a granularity.
    pub fn fields_at(&self, granularity: i8) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(move |field| field.from <= granularity)
    }

    /// A field by its name in the API.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// What one of these is a part of, apart from worlds and users: the field that says so, the
    /// kind of the whole and the edge to it. Who may not see the whole may not see its parts.
    pub fn holders(&self) -> impl Iterator<Item = (&'static str, Kind, &'static str)> {
        let wholes = self.lists.iter().enumerate().filter_map(|(at, list)| {
            let is_new = !self.lists.iter().take(at).any(|other| other.parent == list.parent);
            list.parent.filter(|_| is_new)
        });
        // The first such field; others lead elsewhere, as markers do to other maps.
        wholes.filter_map(|whole| {
            self.fields.iter().find_map(|field| match field.form {
                Form::One(kind, edge) if kind == whole => Some((field.name, whole, edge)),
                _ => None,
            })
        })
    }

    /// Whether the service can be relied on to list this kind somewhere.
    pub fn is_surely_listed(&self) -> bool {
        self.lists.iter().any(|list| list.presence == Presence::Sure)
    }

    /// The list of this kind below `parent`.
    pub fn list_under(&self, parent: Option<Kind>) -> Option<&'static List> {
        self.lists.iter().find(|list| list.parent == parent)
    }
}

/// One way to list resources.
#[derive(Debug)]
pub struct List {
    /// What they are listed below; `None` are those of everybody.
    pub parent: Option<Kind>,
    /// Where.
    pub path: &'static str,
    /// Whether the service has it.
    pub presence: Presence,
}

/// Whether the service can be relied on to have a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is documented, and answers: where it is missing, something is wrong.
    Sure,
    /// Only some have seen it: where it is missing, the service does not list that.
    Doubtful,
}

/// How ids look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// A UUID.
    Uuid,
    /// An integer.
    Number,
}

/// Who may know of a kind of resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// Whoever may see the thing itself.
    Open,
    /// The game master's side, always. Never kept in a cache.
    Secret,
}

/// Which of the three writing tools there are.
#[derive(Debug, Clone, Copy)]
pub enum Writes {
    /// None.
    None,
    /// All three.
    Tools {
        /// Their names: create, update, delete.
        names: [&'static str; 3],
        /// What they take besides the id.
        offered: &'static [Offered],
    },
}

/// An argument of writing tools.
#[derive(Debug)]
pub struct Offered {
    /// Its name.
    pub argument: &'static str,
    /// The field of the API that it becomes.
    pub field: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// What it means; empty where the name says it.
    pub gist: &'static str,
    /// When it is given.
    pub need: Need,
}

/// When an argument of writing tools is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Whenever it is wanted.
    Free,
    /// To change something, when wanted; to make something, always.
    New,
    /// To make something only, when wanted.
    OnlyNew,
}

/// What an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A whole number, from 1.
    Count,
    /// A list of texts.
    Texts,
    /// Texts by name.
    Named,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// How long answers of the live service may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cache {
    /// Articles and campaigns.
    Article,
    /// Worlds.
    World,
    /// Categories.
    Category,
    /// Maps, timelines and everything like them.
    Map,
    /// Users and images, which hardly change.
    User,
    /// What a search found.
    Search,
    /// Lists of anything.
    List,
    /// Not at all.
    Never,
}

impl Cache {
    /// How long.
    pub const fn ttl(self) -> Duration {
        Duration::from_secs(match self {
            Self::Article | Self::World => 3_600,
            Self::Category | Self::Map => 1_800,
            Self::User => 86_400,
            Self::Search => 300,
            Self::List => 900,
            Self::Never => 0,
        })
    }

    /// How many answers at most.
    pub const fn entries_max(self) -> usize {
        match self {
            Self::Article | Self::List => 1_000,
            Self::World => 100,
            Self::Category | Self::Search => 500,
            Self::Map => 200,
            Self::User => 50,
            Self::Never => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_as_the_contract_says() {
        for (class, seconds, entries) in [
            (Cache::Article, 3_600, 1_000),
            (Cache::World, 3_600, 100),
            (Cache::Category, 1_800, 500),
            (Cache::Map, 1_800, 200),
            (Cache::User, 86_400, 50),
            (Cache::Search, 300, 500),
            (Cache::List, 900, 1_000),
            (Cache::Never, 0, 0),
        ] {
            let (ttl, bound) = (class.ttl(), class.entries_max());
            assert_eq!((ttl.as_secs(), bound), (seconds, entries), "{class:?}");
        }
    }
}

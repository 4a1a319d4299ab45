//! The structure of a row of the table.

use std::time::Duration;

use crate::field::{Field, Form};
use crate::table::Kind;

/// A kind of resource.
#[derive(Debug)]
pub struct Resource {
    /// The singular, in words.
    pub one: &'static str,
    /// The plural, in words.
    pub many: &'static str,
    /// What they are, continuing a sentence; empty if the name is enough.
    pub about: &'static str,
    /// The route where one is read and written.
    pub path: &'static str,
    /// Another spelling of the path that some servers answer to.
    pub other_path: Option<&'static str>,
    /// The `entityClass` of its objects.
    pub class: &'static str,
    /// The form of its ids.
    pub id: IdForm,
    /// The granularities that the service allows, ascending.
    pub granularities: &'static [i8],
    /// The granularity to use when a caller asks for 1. It is higher than 1 for kinds whose
    /// essential fields the service includes only at 2.
    pub standard: i8,
    /// The fields that each granularity adds to those of a reference.
    pub fields: &'static [Field],
    /// The ways to list them, the usual one first.
    pub lists: &'static [List],
    /// How long answers may be cached.
    pub cache: Cache,
    /// Who may see it.
    pub sensitivity: Sensitivity,
    /// The tool that reads one.
    pub get_tool: Option<&'static str>,
    /// The tool that lists them.
    pub list_tool: Option<&'static str>,
    /// The argument of tools that holds the id of one.
    pub id_argument: &'static str,
    /// The tools that write them.
    pub writes: Writes,
}

impl Resource {
    /// The defaults of a row.
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

    /// The granularity to ask the service for when a caller asks for 0, 1 or 2: the lowest allowed
    /// one that includes as much, otherwise the highest.
    pub fn granularity(&self, asked: u8) -> i8 {
        let asked = match i8::try_from(asked) {
            Ok(1) => self.standard,
            asked => asked.unwrap_or(i8::MAX),
        };
        // 3 only adds the ancestry of an article, which callers who ask for 2 do not expect.
        let allowed = self.granularities.iter().copied().filter(|level| *level <= 2);
        let enough = allowed.clone().find(|level| *level >= asked);
        enough.or_else(|| allowed.max()).unwrap_or(-1)
    }

    /// The fields that objects have at a granularity, besides those of every object.
    pub fn fields_at(&self, granularity: i8) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(move |field| field.from <= granularity)
    }

    /// Returns a field by its name in the API.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The kinds of which this one is a part, apart from worlds and users: the field that refers to
    /// the whole, the kind of the whole and the edge to it. Whoever may not see the whole may not
    /// see its parts.
    pub fn holders(&self) -> impl Iterator<Item = (&'static str, Kind, &'static str)> {
        let wholes = self.lists.iter().enumerate().filter_map(|(at, list)| {
            let is_new = !self.lists.iter().take(at).any(|other| other.parent == list.parent);
            list.parent.filter(|_| is_new)
        });
        // Only the first such field. Others refer elsewhere, such as the map that a marker links
        // to.
        wholes.filter_map(|whole| {
            self.fields.iter().find_map(|field| match field.form {
                Form::One(kind, edge) if kind == whole => Some((field.name, whole, edge)),
                _ => None,
            })
        })
    }

    /// Whether the service reliably lists this kind somewhere.
    pub fn is_surely_listed(&self) -> bool {
        self.lists.iter().any(|list| list.presence == Presence::Sure)
    }
}

/// One way to list resources.
#[derive(Debug)]
pub struct List {
    /// The kind they are listed below; `None` for lists that are the same for everybody.
    pub parent: Option<Kind>,
    /// The route.
    pub path: &'static str,
    /// Whether the service reliably has it.
    pub presence: Presence,
}

/// Whether the service reliably has a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is documented and works, so its absence is an error.
    Sure,
    /// It is not available everywhere, so its absence means that the service does not list this
    /// kind.
    Doubtful,
}

/// The form of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// A UUID.
    Uuid,
    /// An integer.
    Number,
}

/// Who may see a kind of resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// Whoever may see the object itself.
    Open,
    /// Only the game master's side. Never cached.
    Secret,
}

/// Which writing tools exist for a kind.
#[derive(Debug, Clone, Copy)]
pub enum Writes {
    /// None.
    None,
    /// All three.
    Tools {
        /// Their names: create, update, delete.
        names: [&'static str; 3],
        /// Their arguments besides the id.
        offered: &'static [Offered],
    },
}

/// An argument of writing tools.
#[derive(Debug)]
pub struct Offered {
    /// Its name.
    pub argument: &'static str,
    /// The field of the API that it is written to.
    pub field: &'static str,
    /// The type of its value.
    pub takes: Takes,
    /// Its description; empty if the name is enough.
    pub gist: &'static str,
    /// When it is required or allowed.
    pub need: Need,
}

/// When an argument of writing tools is required or allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Always optional.
    Free,
    /// Required when creating, optional when updating.
    New,
    /// Optional when creating, not allowed when updating.
    OnlyNew,
}

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A string.
    Text,
    /// A number.
    Number,
    /// An integer, at least 1.
    Count,
    /// A list of strings.
    Texts,
    /// An object of strings.
    Named,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The cache class of an answer of the live service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cache {
    /// Articles and campaigns.
    Article,
    /// Worlds.
    World,
    /// Categories.
    Category,
    /// Maps, timelines and all other kinds.
    Map,
    /// Users and images, which rarely change.
    User,
    /// Search results.
    Search,
    /// Lists of any kind.
    List,
    /// Not cached.
    Never,
}

impl Cache {
    /// How long an answer may be cached.
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

    /// The maximum number of cached answers of this class.
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

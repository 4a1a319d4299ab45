//! The kinds of pages, and the words under which the store knows them.

use lore_core::names::Word;
use lore_core::{Kind, Result};

use crate::play::word;

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// A person.
    Character,
    /// A kind of beast or monster.
    Creature,
    /// A place.
    Location,
    /// A group.
    Organization,
    /// A people or species.
    Race,
    /// Usually only for the game master's side.
    Note,
    /// An account of what happened.
    Journal,
    /// Something to be done.
    Quest,
    /// A tag on other pages. It is a page of its own only for callers with
    /// [`super::TagsAre::Pages`].
    Tag,
}

impl PageKind {
    /// Every kind except tags, in the order of lists.
    pub const ALL: [Self; 8] = [
        Self::Character,
        Self::Creature,
        Self::Location,
        Self::Organization,
        Self::Race,
        Self::Note,
        Self::Journal,
        Self::Quest,
    ];

    /// The name of the kind, which is also the kind of its nodes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Character => "character",
            Self::Creature => "creature",
            Self::Location => "location",
            Self::Organization => "organization",
            Self::Race => "race",
            Self::Note => "note",
            Self::Journal => "journal",
            Self::Quest => "quest",
            Self::Tag => TAG,
        }
    }

    /// The page kind of a node, if it is a page or a tag.
    pub fn of(kind: &Kind) -> Option<Self> {
        let every = Self::ALL.into_iter().chain([Self::Tag]);
        every.into_iter().find(|known| known.as_str() == kind.as_str())
    }

    /// The kind-specific fields that are stored unchanged.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Character => &["title", "age", "sex", "pronouns"],
            Self::Location => &["title"],
            Self::Journal | Self::Quest => &["date"],
            Self::Tag => &["colour", "icon"],
            Self::Creature | Self::Organization | Self::Race | Self::Note => &[],
        }
    }

    pub(super) fn word(self) -> Result<Word> {
        word(self.as_str())
    }
}

/// Node kind of a tag.
pub(super) const TAG: &str = "tag";
/// Edge from a page to a tag.
pub(super) const TAGGED: &str = "tagged";
/// Edge from a page to everything that its texts mention.
pub(super) const MENTIONS: &str = "mentions";
/// Edge from a page to its parent page.
pub(crate) const PARENT: &str = "parent";
/// The property with the number of the parent page.
pub(super) const PARENT_ID: &str = "parent_id";
/// Text kind of a page's main text.
pub(crate) const ENTRY: &str = "entry";
/// Text kind of a post on a page.
pub(crate) const POST: &str = "post";

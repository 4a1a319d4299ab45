//! What kinds of pages there are, and the words the store knows them by.

use lore_core::names::Word;
use lore_core::{Kind, Result};

use crate::play::word;

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// Somebody.
    Character,
    /// A kind of beast or monster.
    Creature,
    /// A place.
    Location,
    /// A group.
    Organization,
    /// A people.
    Race,
    /// What only the GM's side reads, usually.
    Note,
    /// What happened.
    Journal,
    /// What is to be done.
    Quest,
    /// What marks other pages. A page of its own only where [`super::TagsAre`] says so.
    Tag,
}

impl PageKind {
    /// Every kind but tags, in the order of listings.
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

    /// Its name, which is also the kind of its nodes.
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

    /// The kind of a node, if it is a page or a tag.
    pub fn of(kind: &Kind) -> Option<Self> {
        let every = Self::ALL.into_iter().chain([Self::Tag]);
        every.into_iter().find(|known| known.as_str() == kind.as_str())
    }

    /// The fields of its own that are kept as they come.
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
/// Edge from a page to what its texts mention.
pub(super) const MENTIONS: &str = "mentions";
/// Edge from a page to the page it is part of.
pub(crate) const PARENT: &str = "parent";
/// The property that holds the number of the page it is part of.
pub(super) const PARENT_ID: &str = "parent_id";
/// Text kind of a page's own text.
pub(crate) const ENTRY: &str = "entry";
/// Text kind of what is attached to a page.
pub(crate) const POST: &str = "post";

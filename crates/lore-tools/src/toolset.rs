//! Toolsets: the groups of tools that are switched on and off together.

use std::fmt;
use std::str::FromStr;

/// A group of tools that serves one public contract, or its writing part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toolset {
    /// Dice, campaigns and sessions of the table.
    Play,
    /// What an agent has learned.
    Memory,
    /// Worldbuilding pages and posts.
    Pages,
    /// Entities, documents, web pages and code.
    Knowledge,
    /// Articles, maps and timelines, for reading.
    Atlas,
    /// The tools that write what `atlas` shows.
    AtlasWrite,
}

impl Toolset {
    /// Every toolset, in listing order.
    pub const ALL: [Self; 6] =
        [Self::Play, Self::Memory, Self::Pages, Self::Knowledge, Self::Atlas, Self::AtlasWrite];

    /// The toolsets that are on by default.
    pub const DEFAULT: [Self; 4] = [Self::Play, Self::Memory, Self::Pages, Self::Knowledge];

    /// The name used in flags, headers and paths.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Memory => "memory",
            Self::Pages => "pages",
            Self::Knowledge => "knowledge",
            Self::Atlas => "atlas",
            Self::AtlasWrite => "atlas-write",
        }
    }

    /// The purpose of the toolset, in one line.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Play => "Run a Daggerheart Duality table: dice, odds, campaigns, sessions",
            Self::Memory => "Remember what an agent learned: graph, projects, experiences, recall",
            Self::Pages => "Build a world: characters, places, notes, journals and their posts",
            Self::Knowledge => "Resolve entities, search documents, read web pages, vault and code",
            Self::Atlas => "World Anvil worlds: articles, categories, maps, timelines, secrets",
            Self::AtlasWrite => "Write what atlas shows; everything is private unless published",
        }
    }
}

impl fmt::Display for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Toolset {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        Self::ALL.into_iter().find(|set| set.as_str().eq_ignore_ascii_case(text)).ok_or(())
    }
}

//! Running the table: campaigns, participants, characters, sessions and what
//! happens in them.
//!
//! Campaigns, participants, characters and sessions are nodes; who takes part
//! where and who controls whom are edges. What changes all the time (a sheet, the
//! state of a table) is a document beside the node, and what happened is an event
//! in the session's log, committed together with the state it changed.

pub mod campaign;
mod casting;
pub mod character;
pub mod context;
pub mod desk;
pub mod dice;
mod dossier;
pub mod effect;
pub mod fork;
mod history;
pub mod ids;
pub mod log;
pub mod outcome;
pub mod participant;
pub mod recap;
pub mod rights;
pub mod roll;
pub mod session;
pub mod sheet;
pub mod state;
pub mod table;
mod tally;
mod telling;
mod tie;

use lore_core::names::Word;
use lore_core::{Error, Result};

/// The kinds of nodes and edges the table uses. They are literals, so a failure
/// here is a slip of ours that the first test meets.
pub(crate) fn word(text: &'static str) -> Result<Word> {
    Word::new("kind", text).map_err(|_| Error::Bug { what: format!("the word {text:?}") })
}

/// Most members, sessions or controlled characters that are listed at once.
pub(crate) const MANY: usize = 10_000;

/// Node kind of a campaign.
pub(crate) const CAMPAIGN: &str = "campaign";
/// Node kind of a participant.
pub(crate) const PARTICIPANT: &str = "participant";
/// Node kind of a character, at the table as in the world.
pub(crate) const CHARACTER: &str = "character";
/// Node kind of a session.
pub(crate) const SESSION: &str = "session";
/// Edge from a participant, character or session to its campaign.
pub(crate) const PART_OF: &str = "part_of";
/// Edge from a participant to a character.
pub(crate) const CONTROLS: &str = "controls";

/// Whether a node is part of a table's order, which only the tools of the table change.
pub(crate) fn is_table(node: &lore_core::Node) -> bool {
    [CAMPAIGN, PARTICIPANT, SESSION].contains(&node.kind.as_str())
}

/// Whether an edge says who belongs to a table or may move what.
pub(crate) fn is_table_link(kind: &str, ends: [&lore_core::Node; 2]) -> bool {
    [PART_OF, CONTROLS].contains(&kind) && ends.into_iter().any(is_table)
}

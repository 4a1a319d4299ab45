//! The play toolset, called *the table*: campaigns, participants, characters, sessions and what
//! happens in them.
//!
//! Campaigns, participants, characters and sessions are nodes; membership and control are edges.
//! What changes all the time (a sheet, the state of a table) is a state document of the node. What
//! happened is an event in the session's log, or in the campaign's log between sessions, and is
//! committed together with the change it describes.

pub mod call;
pub mod campaign;
mod change_collector;
pub mod character;
mod character_details;
pub mod context;
mod creation;
pub mod dice;
pub mod effect;
mod event_text;
pub mod fork;
mod former;
mod history;
pub mod ids;
pub mod log;
pub mod outcome;
pub mod participant;
mod played;
mod played_page;
pub mod recap;
pub mod rights;
pub mod roll;
pub mod session;
pub mod sheet;
pub mod state;
pub mod table;
mod wanted;

pub(crate) use crate::word::word;

/// The maximum number of members, sessions or controlled characters in a list.
pub(crate) const MANY: usize = 10_000;

/// Node kind of a campaign.
pub(crate) const CAMPAIGN: &str = "campaign";
/// Node kind of a participant.
pub(crate) const PARTICIPANT: &str = "participant";
/// Node kind of a character, whether it is played or only a page.
pub(crate) const CHARACTER: &str = "character";
/// Node kind of a session.
pub(crate) const SESSION: &str = "session";
/// Edge from a participant, character or session to its campaign.
pub(crate) const PART_OF: &str = "part_of";
/// Edge from a participant to a character they control.
pub(crate) const CONTROLS: &str = "controls";

/// Whether a node belongs to the organisation of a table and may be changed only by the tools of
/// the table.
pub(crate) fn is_table(node: &lore_core::Node) -> bool {
    [CAMPAIGN, PARTICIPANT, SESSION].contains(&node.kind.as_str())
}

/// Returns the character that a fork copied this one from. A copy is played like any other, and is
/// known to all other toolsets under its own id only: names lead to the original.
pub(crate) fn original(node: &lore_core::Node) -> Option<lore_core::Uid> {
    played::original(node)
}

/// Whether an edge of a table states membership or control.
pub(crate) fn is_table_link(kind: &str, ends: [&lore_core::Node; 2]) -> bool {
    [PART_OF, CONTROLS].contains(&kind) && ends.into_iter().any(is_table)
}

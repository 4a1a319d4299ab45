//! A live Kanka campaign: mirrored into a world of its own, with writes going through to Kanka.
//!
//! Reads and searches are served from the mirror. Kanka is asked only for named entities that the
//! first copy has not reached, and when a client looks for changes (`fate.rs`). Writes go to Kanka
//! first, and the mirror follows its answer. Entities changed on both sides are reported, and
//! neither side is overwritten.
//!
//! Three things must never happen here: a write that only the mirror knows of, a read of mirrored
//! data that waits for a request, and a mirror that forgets what only this program knows of a page.

mod campaign;
mod claim;
mod fate;
mod guard;
mod heads;
mod missing;
mod post;
mod print;
mod progress;
mod put;
mod remote;
mod sync;
mod tags;
mod write;

pub use campaign::{Campaign, Config, Standing, keep_mirrored};
pub(super) use fate::{Fate, bring, fates};
pub(super) use guard::require_no_mirror;
pub(crate) use guard::{admit, keeps};
pub(super) use put::RECORD;
pub use remote::{
    Listed, Pace, PostDraft, Remote, RemoteHead, RemotePage, RemotePatch, RemotePost,
};
pub use sync::{Report, Side};
pub(super) use write::{create, create_post, delete, delete_post, update, update_post};

use lore_core::Node;

/// Numbers of local things start here. Kanka's numbers are far below.
const OWN_NUMBERS: i64 = 1 << 40;

/// Whether a node came from Kanka.
fn is_mirrored(node: &Node) -> bool {
    node.number < OWN_NUMBERS
}

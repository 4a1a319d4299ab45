//! A Kanka campaign, live: mirrored into a world of its own, and written through to.
//!
//! Reading and searching are served by the mirror; Kanka is asked only for named entities
//! that the first copying did not get to, and by who looks for changes (`fate.rs`). Writing
//! asks Kanka first and the mirror follows what it answers. What was changed there and here
//! is reported, and neither side is overwritten.
//!
//! What must never happen here: a write that only the mirror knows of, a request that
//! reading of what is in the mirror waits for, a mirror that forgets what only this program
//! knows of a page.

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

/// Numbers from here on are of what was made here; Kanka's are far below.
const OWN_NUMBERS: i64 = 1 << 40;

/// Whether a page came from Kanka.
fn is_mirrored(node: &Node) -> bool {
    node.number < OWN_NUMBERS
}

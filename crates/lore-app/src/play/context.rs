//! The context of a conversation: the default campaign, session and participant for tools.
//!
//! Contexts are kept in memory only and end with the process. Each belongs to the principal who set
//! it; for anybody else its handle is unknown.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use lore_core::{Error, Node, PrincipalId, Result, Uid, WorldId};
use parking_lot::Mutex;

use super::call::PlayCall;
use super::ids::Thing;
use super::rights;

/// The defaults of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The campaign.
    pub campaign: Uid,
    /// The session, if one is set.
    pub session: Option<Uid>,
    /// The participant the caller acts as, if one is set.
    pub participant: Option<Uid>,
}

/// All contexts of the process, by handle.
#[derive(Default)]
pub struct Contexts {
    entries: Mutex<HashMap<String, Entry>>,
    /// Counts the contexts that were set, to tell old ones from new ones.
    clock: AtomicU64,
}

struct Entry {
    owner: (PrincipalId, WorldId),
    context: Context,
    set_at: u64,
}

/// The maximum number of contexts. When it is reached, the older half is dropped.
const CONTEXTS_MAX: usize = 10_000;

impl Contexts {
    /// Stores a context under a handle.
    pub fn put(&self, handle: &str, owner: (PrincipalId, WorldId), context: Context) {
        let set_at = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut entries = self.entries.lock();
        if entries.len() >= CONTEXTS_MAX {
            let half = set_at.saturating_sub(CONTEXTS_MAX as u64 / 2);
            entries.retain(|_, entry| entry.set_at >= half);
        }
        entries.insert(handle.to_owned(), Entry { owner, context, set_at });
    }

    /// Returns the context of a handle if it belongs to the caller.
    pub fn get(&self, handle: &str, owner: (PrincipalId, WorldId)) -> Option<Context> {
        let entries = self.entries.lock();
        entries.get(handle).filter(|entry| entry.owner == owner).map(|entry| entry.context)
    }
}

/// Fails unless everything in a context exists, belongs to the campaign and may be used by the
/// caller. A player claims the participant with it.
pub async fn check(call: &PlayCall, wanted: Context) -> Result<()> {
    let campaign = call.find(Thing::Campaign, wanted.campaign).await?;
    if let Some(uid) = wanted.session {
        let session = call.find(Thing::Session, uid).await?;
        belongs(&session, &campaign, Thing::Session, "session_id")?;
    }
    if let Some(uid) = wanted.participant {
        let participant = call.find(Thing::Participant, uid).await?;
        belongs(&participant, &campaign, Thing::Participant, "participant_id")?;
        rights::claim(call, &campaign, &participant).await?;
    }
    Ok(())
}

/// Fails unless `node` is part of `campaign`.
pub(crate) fn belongs(node: &Node, campaign: &Node, thing: Thing, field: &str) -> Result<()> {
    if super::campaign::of(node) == Some(campaign.uid) {
        return Ok(());
    }
    Err(Error::invalid(
        field,
        format!("belongs to another campaign than {}", Thing::Campaign.show(campaign.uid)),
        format!("give a {} of that campaign", thing.name()),
    ))
}

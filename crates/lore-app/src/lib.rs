//! Use cases: what Lorewell does, independent of any protocol.
//!
//! A use case reads from the store, decides in pure code, and commits one
//! batch. Nothing here knows MCP, HTTP, JSON schemas or SQL.

pub mod access;
mod all_nodes;
pub mod atlas;
pub mod attempts;
mod damage;
mod doors;
pub mod federation;
mod id_forms;
pub mod knowledge;
pub mod memory;
mod mentions;
pub mod pages;
pub mod play;
mod preview;
mod property_text;
pub mod search;
pub mod sessions;
pub mod views;
mod word;
pub mod worlds;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use lore_core::{Effects, Viewer};
use lore_store::{Batch, Committed, Store, StoreResult, WORLD_URI};

/// Everything a use case needs: the store, the clock, caches and the configured outside services.
#[derive(Clone)]
pub struct App {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The clock and randomness.
    pub effects: Effects,
    /// The campaign, session and participant that each conversation falls back to.
    pub contexts: Arc<play::context::Contexts>,
    /// Cached names of known entities, per viewer.
    pub catalogues: Arc<knowledge::Catalogues>,
    /// The state of code scanning and the code graphs.
    pub code: Arc<knowledge::code::Code>,
    /// Cached names of pages, per viewer.
    pub rolls: Arc<pages::Rolls>,
    /// Cached dates of the events that pages describe, per viewer.
    pub days: Arc<pages::Days>,
    /// The rounds in which watched web pages are checked.
    pub rounds: Arc<knowledge::Rounds>,
    /// The notes folder.
    pub notes: Arc<knowledge::Notes>,
    /// The web client, if reading the web is allowed.
    pub web: Option<Arc<dyn knowledge::Web>>,
    /// The language model that extracts knowledge from pages, if one is configured.
    pub model: Option<Arc<dyn knowledge::Model>>,
    /// Another KOI API that answers the knowledge tools instead of this world, if one is
    /// configured.
    pub elsewhere: Option<Arc<dyn knowledge::Elsewhere>>,
    /// World Anvil itself, which answers the atlas tools instead of this world, if it is
    /// configured.
    pub anvil: Option<Arc<dyn atlas::Anvil>>,
    /// The outside embedding model that search uses, if one is configured.
    pub embedder: Option<Arc<dyn search::Embedder>>,
    /// The cached vectors of recent queries, and whether the embedding model is responding.
    pub questions: Arc<search::Questions>,
    /// The Kanka campaign that a world mirrors, if one is configured.
    pub kanka: Arc<OnceLock<Arc<pages::live::Campaign>>>,
    /// The KOI-net node, once it is running.
    pub federation: Arc<OnceLock<Arc<federation::Federation>>>,
    /// The queue for changes that repeatedly lost against concurrent ones.
    pub line: Arc<attempts::Line>,
    /// The mark given to the most recent call, in microseconds; see [`App::arrival`].
    last_arrival: Arc<AtomicI64>,
    /// Accesses to memory that are counted but not written yet.
    pub accesses: Arc<memory::access::Ledger>,
    /// On whose behalf this handle writes.
    hand: Hand,
}

/// On whose behalf an [`App`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hand {
    /// The mirror of a Kanka campaign, which writes what Kanka reports.
    Mirror,
    /// Everybody else, who must not change data that Kanka owns.
    Others,
}

impl App {
    /// Creates an application without any outside services; set the public fields to add them.
    pub fn new(store: Arc<dyn Store>, effects: Effects) -> Self {
        Self {
            store,
            effects,
            contexts: Arc::default(),
            catalogues: Arc::default(),
            code: Arc::default(),
            rolls: Arc::default(),
            days: Arc::default(),
            rounds: Arc::default(),
            notes: Arc::default(),
            web: None,
            model: None,
            elsewhere: None,
            anvil: None,
            embedder: None,
            questions: Arc::default(),
            kanka: Arc::default(),
            federation: Arc::default(),
            line: Arc::default(),
            last_arrival: Arc::default(),
            accesses: Arc::default(),
            hand: Hand::Others,
        }
    }

    /// Commits a batch and notifies viewers who see what it changes. A batch without changes
    /// notifies nobody. Except for the mirror itself, a batch that would change data owned by a
    /// Kanka campaign is refused: such changes go through Kanka.
    pub(crate) async fn commit(&self, viewer: &Viewer, mut batch: Batch) -> StoreResult<Committed> {
        if batch.changes.is_empty() {
            batch.touches.clear();
        }
        if self.hand == Hand::Others {
            pages::live::admit(self, viewer, &batch).await?;
        }
        self.store.commit(viewer, batch.echo(WORLD_URI)).await
    }

    /// Returns a handle that writes as the mirror of a Kanka campaign.
    pub(crate) fn as_mirror(&self) -> Arc<Self> {
        Arc::new(Self { hand: Hand::Mirror, ..self.clone() })
    }

    /// Returns a mark for a call that arrives now: the time in microseconds, but always greater
    /// than the previous mark, so that calls within the same microsecond still have an order.
    pub fn arrival(&self) -> i64 {
        let now = self.effects.now().as_microsecond();
        let next = |last: i64| Some(now.max(last.saturating_add(1)));
        let last = self.last_arrival.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
        last.map_or(now, |last| now.max(last.saturating_add(1)))
    }
}

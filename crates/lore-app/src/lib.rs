//! Use cases: what Lorewell does, independent of any protocol.
//!
//! A use case reads from the store, decides in pure code, and commits one
//! batch. Nothing here knows MCP, HTTP, JSON schemas or SQL.

pub mod access;
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
pub mod search;
pub mod sessions;
pub mod views;
pub mod worlds;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use lore_core::{Effects, Viewer};
use lore_store::{Batch, Committed, Store, StoreResult, WORLD_URI};

/// Everything a use case needs from outside.
#[derive(Clone)]
pub struct App {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The clock and randomness.
    pub effects: Effects,
    /// What conversations at the table are about.
    pub contexts: Arc<play::context::Contexts>,
    /// What is known by name.
    pub catalogues: Arc<knowledge::Catalogues>,
    /// Code that is scanned and asked.
    pub code: Arc<knowledge::code::Code>,
    /// What pages are called.
    pub rolls: Arc<pages::Rolls>,
    /// When what pages tell of happened.
    pub days: Arc<pages::Days>,
    /// The rounds of looking at watched pages.
    pub rounds: Arc<knowledge::Rounds>,
    /// The notes folder.
    pub notes: Arc<knowledge::Notes>,
    /// The web, if it may be read.
    pub web: Option<Arc<dyn knowledge::Web>>,
    /// The language model that reads pages, if one is configured.
    pub model: Option<Arc<dyn knowledge::Model>>,
    /// Another KOI API that answers knowledge tools in place of this world.
    pub elsewhere: Option<Arc<dyn knowledge::Elsewhere>>,
    /// World Anvil itself, which the atlas shows in place of this world.
    pub anvil: Option<Arc<dyn atlas::Anvil>>,
    /// The outside model that search uses, if one is configured.
    pub embedder: Option<Arc<dyn search::Embedder>>,
    /// What it was asked, and whether it answers.
    pub questions: Arc<search::Questions>,
    /// The campaign on Kanka that a world mirrors, if one is configured.
    pub kanka: Arc<OnceLock<Arc<pages::live::Campaign>>>,
    /// The KOI-net node, once it runs.
    pub federation: Arc<OnceLock<Arc<federation::Federation>>>,
    /// Where changes wait that others were faster than.
    pub line: Arc<attempts::Line>,
    /// When the last call came, in microseconds.
    last_arrival: Arc<AtomicI64>,
    /// What was asked for in memory, and is not written yet.
    pub accesses: Arc<memory::access::Ledger>,
    /// Who writes through it.
    hand: Hand,
}

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hand {
    /// The mirror of a campaign on Kanka, which writes what Kanka tells.
    Mirror,
    /// Anybody else, who does not change what Kanka keeps.
    Others,
}

impl App {
    /// Puts an application together.
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

    /// Commits a batch, and lets those hear of it who see what it changes; where nothing changes,
    /// nobody. What a campaign on Kanka keeps is only changed by way of Kanka.
    pub(crate) async fn commit(&self, viewer: &Viewer, mut batch: Batch) -> StoreResult<Committed> {
        if batch.changes.is_empty() {
            batch.touches.clear();
        }
        if self.hand == Hand::Others {
            pages::live::admit(self, viewer, &batch).await?;
        }
        self.store.commit(viewer, batch.echo(WORLD_URI)).await
    }

    /// The application, as it is in the hands of the mirror.
    pub(crate) fn as_mirror(&self) -> Arc<Self> {
        Arc::new(Self { hand: Hand::Mirror, ..self.clone() })
    }

    /// A mark for what comes in now: the time in microseconds, and always more than the mark
    /// before, so that calls that are answered at once still have an order.
    pub fn arrival(&self) -> i64 {
        let now = self.effects.now().as_microsecond();
        let next = |last: i64| Some(now.max(last.saturating_add(1)));
        let last = self.last_arrival.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
        last.map_or(now, |last| now.max(last.saturating_add(1)))
    }
}

//! The index of one world.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lore_core::Viewer;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;

use crate::document::{DocKey, Entry};
use crate::lexicon::Lexicon;
use crate::query::{Query, Ranked};
use crate::rank::{self, Scratch};
use crate::sight::{Audience, Secrets, Sight};
use crate::view::View;

/// Everything that can be found in one world, in memory.
///
/// There is one view for each kind of viewer that has searched, with exactly the documents they
/// see. Viewers who see the same documents share a view; a world without secrets has a single one.
#[derive(Debug, Default)]
pub struct Index {
    documents: FxHashMap<DocKey, Arc<Entry>>,
    secrets: Secrets,
    lexicon: Lexicon,
    views: RwLock<FxHashMap<Sight, Shown>>,
    /// Counts searches, to find the view that was not used for the longest time.
    searches: AtomicU64,
    scratch: Mutex<Vec<Scratch>>,
}

/// A view and when it was last used.
#[derive(Debug)]
struct Shown {
    view: View,
    last_used: AtomicU64,
}

/// How large an index is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of documents, including heads of nodes.
    pub documents: usize,
    /// The number of distinct stems.
    pub stems: usize,
    /// The number of cached views.
    pub views: usize,
    /// The approximate memory it takes, in bytes.
    pub bytes: usize,
}

impl Index {
    /// How many views are cached.
    const MOST_VIEWS: usize = 8;
    /// Views with up to this many documents are brought up to date before each search.
    pub(crate) const SETTLED: usize = 500;

    /// Creates an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, or replaces the one with the same key.
    pub fn put(&mut self, entry: Entry) {
        self.remove(entry.key);
        let audience = Audience::of(&entry.meta);
        let entry = Arc::new(entry);
        entry.analysis.for_each_term(|stem, _| self.lexicon.add(stem));
        self.secrets.add(audience);
        for (sight, shown) in self.views.get_mut() {
            if sight.admits(audience) {
                shown.view.put(&entry, &self.lexicon);
            }
        }
        self.documents.insert(entry.key, entry);
    }

    /// Removes a document; does nothing if there is none.
    pub fn remove(&mut self, key: DocKey) {
        let Some(entry) = self.documents.remove(&key) else { return };
        self.secrets.remove(Audience::of(&entry.meta));
        for shown in self.views.get_mut().values_mut() {
            shown.view.remove(key, &self.lexicon);
        }
    }

    /// The number of documents, including heads of nodes.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Brings all values up to date that otherwise follow the statistics of the store gradually.
    ///
    /// Never needed for correct answers. Afterwards, answers do not depend on the order in which
    /// documents were added.
    pub fn settle(&mut self) {
        for shown in self.views.get_mut().values_mut() {
            shown.view.settle(&self.lexicon);
        }
    }

    /// The size of the index.
    pub fn statistics(&self) -> Statistics {
        let views = self.views.read();
        let documents = self.documents.values().map(|entry| size_of::<Entry>() + entry.bytes());
        let viewed: usize = views.values().map(|shown| shown.view.bytes()).sum();
        Statistics {
            documents: self.len(),
            stems: self.lexicon.len(),
            views: views.len(),
            bytes: documents.sum::<usize>() + viewed + self.lexicon.bytes(),
        }
    }

    /// Answers a query from what the viewer may see.
    pub fn search(&self, viewer: &Viewer, query: &Query) -> Ranked {
        // Parsing a question loads the whole word table, so skip it when there is nothing to find.
        if self.documents.is_empty() {
            return Ranked::default();
        }
        let sight = self.secrets.sight_of(viewer);
        self.make_ready(sight);
        let views = self.views.read();
        // Another search may have evicted the view between the two locks.
        let Some(shown) = views.get(&sight) else {
            drop(views);
            return self.search(viewer, query);
        };
        shown.last_used.store(self.searches.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut scratch = self.scratch.lock().pop().unwrap_or_default();
        let ranked = rank::search(&shown.view, &self.lexicon, &mut scratch, query);
        self.scratch.lock().push(scratch);
        ranked
    }
}

impl Index {
    /// Makes sure that there is an up-to-date view for this kind of viewer.
    fn make_ready(&self, sight: Sight) {
        if self.views.read().get(&sight).is_some_and(|shown| !needs_settling(&shown.view)) {
            return;
        }
        let mut views = self.views.write();
        if !views.contains_key(&sight) {
            let view = self.look(sight, &views);
            forget_one(&mut views, Self::MOST_VIEWS);
            let now = self.searches.load(Ordering::Relaxed);
            views.insert(sight, Shown { view, last_used: AtomicU64::new(now) });
        }
        if let Some(shown) = views.get_mut(&sight).filter(|shown| needs_settling(&shown.view)) {
            shown.view.settle(&self.lexicon);
        }
    }

    /// Builds a view, starting from the largest existing one that shows nothing it must not show.
    fn look(&self, sight: Sight, views: &FxHashMap<Sight, Shown>) -> View {
        let bases = views.iter().filter(|(other, _)| sight.covers(**other));
        let base = bases.max_by_key(|(_, shown)| shown.view.len());
        let mut view = base.map(|(_, shown)| shown.view.clone()).unwrap_or_default();
        let seen = self.documents.values().filter(|entry| sight.admits(Audience::of(&entry.meta)));
        let mut missing: Vec<_> = seen.filter(|entry| !view.holds(entry.key)).collect();
        // Texts of a log are mostly numbered in its order; added in it, none moves the others.
        missing.sort_unstable_by_key(|entry| entry.key);
        if missing.len() > view.len() / 4 {
            view.fill(missing, &self.lexicon);
        } else {
            missing.into_iter().for_each(|entry| view.put(entry, &self.lexicon));
        }
        view
    }
}

fn needs_settling(view: &View) -> bool {
    view.is_stale() && view.len() <= Index::SETTLED
}

/// Evicts the least recently used view if the cache is full.
fn forget_one(views: &mut FxHashMap<Sight, Shown>, most: usize) {
    if views.len() < most {
        return;
    }
    let age = |shown: &Shown| shown.last_used.load(Ordering::Relaxed);
    let oldest = views.iter().min_by_key(|(_, shown)| age(shown)).map(|(sight, _)| *sight);
    if let Some(sight) = oldest {
        views.remove(&sight);
    }
}

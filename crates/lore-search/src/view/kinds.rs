//! The kinds of nodes and texts in a view, as numbers that can be compared without reading the
//! documents.

use lore_core::names::Word;
use rustc_hash::FxHashMap;

/// A kind's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KindId(u32);

/// All kinds that the view ever contained; there are few.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds(FxHashMap<Word, KindId>);

impl Kinds {
    pub(crate) fn add(&mut self, kind: &Word) -> KindId {
        if let Some(id) = self.0.get(kind) {
            return *id;
        }
        let id = KindId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.insert(kind.clone(), id);
        id
    }

    /// The ids of those of the `kinds` that the view knows.
    pub(crate) fn ids(&self, kinds: &[Word]) -> Vec<KindId> {
        kinds.iter().filter_map(|kind| self.0.get(kind).copied()).collect()
    }
}

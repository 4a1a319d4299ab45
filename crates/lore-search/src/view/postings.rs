//! Posting lists: the documents that contain a stem.

use crate::column::Slot;

/// The documents of one stem, ordered by slot, with the number of its occurrences.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    slots: Vec<u32>,
    counts: Vec<u8>,
}

impl Postings {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn put(&mut self, slot: Slot, count: u16) {
        // Higher counts make no difference.
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        // Almost always at the end, because slots are assigned in ascending order.
        let at = self.slots.partition_point(|other| *other < slot.0);
        self.slots.insert(at, slot.0);
        self.counts.insert(at, count);
    }

    pub(crate) fn remove(&mut self, slot: Slot) {
        if let Ok(at) = self.slots.binary_search(&slot.0) {
            self.slots.remove(at);
            self.counts.remove(at);
        }
    }

    /// How often the stem occurs in a document.
    pub(crate) fn count(&self, slot: Slot) -> u8 {
        let at = self.slots.binary_search(&slot.0).ok();
        at.and_then(|at| self.counts.get(at)).copied().unwrap_or(0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, u8)> {
        self.slots.iter().map(|slot| Slot(*slot)).zip(self.counts.iter().copied())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 4 + self.counts.capacity() + size_of::<Self>()
    }
}

//! Columns: one value per document, addressed by its slot.

/// The position of a document in a view. Slots of removed documents are reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// One value per slot; the default where nothing was set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Column<T>(Vec<T>);

impl<T: Clone + Default> Column<T> {
    pub(crate) fn set(&mut self, slot: Slot, value: T) {
        if slot.at() >= self.0.len() {
            self.0.resize_with(slot.at() + 1, T::default);
        }
        if let Some(place) = self.0.get_mut(slot.at()) {
            *place = value;
        }
    }

    /// Makes room for all slots below `count`.
    pub(crate) fn reach(&mut self, count: usize) {
        if self.0.len() < count {
            self.0.resize_with(count, T::default);
        }
    }

    pub(crate) fn place(&mut self, slot: Slot) -> Option<&mut T> {
        self.0.get_mut(slot.at())
    }

    pub(crate) fn value(&self, slot: Slot) -> Option<&T> {
        self.0.get(slot.at())
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.0
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<T>()
    }
}

impl<T: Copy + Default> Column<T> {
    pub(crate) fn get(&self, slot: Slot) -> T {
        self.0.get(slot.at()).copied().unwrap_or_default()
    }
}

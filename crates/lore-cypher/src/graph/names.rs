//! Interned names: each has a number.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Names in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, u32>,
}

impl Names {
    /// Returns the number of a name, adding it if it is new.
    pub(super) fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let (name, id): (Arc<str>, u32) = (name.into(), self.names.len() as u32);
        self.names.push(Arc::clone(&name));
        self.ids.insert(name, id);
        id
    }

    /// Returns the number of a known name.
    pub(super) fn id(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// Returns the name with a number.
    pub(super) fn name(&self, id: u32) -> Option<&Arc<str>> {
        self.names.get(id as usize)
    }

    /// All names.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.iter()
    }
}

//! The variables in scope while a query is lowered.

use std::sync::Arc;

use crate::plan::Slot;
use crate::types::Type;

/// A variable.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: Arc<str>,
    pub(crate) slot: Slot,
    pub(crate) kind: Type,
}

/// The variables that are in scope; later ones shadow earlier ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    variables: Vec<Variable>,
}

impl Scope {
    /// Looks up a variable by name.
    pub(crate) fn get(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().rev().find(|variable| &*variable.name == name)
    }

    /// Adds a variable.
    pub(crate) fn add(&mut self, name: &str, slot: Slot, kind: Type) {
        self.variables.push(Variable { name: name.into(), slot, kind });
    }

    /// All variables that are not shadowed, sorted by name.
    pub(crate) fn visible(&self) -> Vec<&Variable> {
        let mut all: Vec<_> = self
            .variables
            .iter()
            .filter(|variable| {
                self.get(&variable.name).is_some_and(|seen| seen.slot == variable.slot)
            })
            .collect();
        all.sort_by(|left, right| left.name.cmp(&right.name));
        all.dedup_by(|left, right| left.name == right.name);
        all
    }

    /// The number of variables, to remove later ones with [`Self::forget`].
    pub(crate) fn mark(&self) -> usize {
        self.variables.len()
    }

    /// Removes the variables that were added since.
    pub(crate) fn forget(&mut self, mark: usize) {
        self.variables.truncate(mark);
    }

    /// Whether a slot belongs to a variable of this scope.
    pub(crate) fn has_slot(&self, slot: Slot) -> bool {
        self.variables.iter().any(|variable| variable.slot == slot)
    }

    /// A known name that differs only in case, or that starts with the same two letters, for hints.
    pub(crate) fn similar(&self, name: &str) -> Option<&str> {
        let known = || self.variables.iter().rev().map(|variable| &*variable.name);
        let lower = name.to_lowercase();
        known().find(|known| known.to_lowercase() == lower).or_else(|| {
            let first = lower.get(..2)?;
            known().find(|known| known.to_lowercase().starts_with(first))
        })
    }
}

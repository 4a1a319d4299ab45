//! Who sees what a batch changes, and so hears of it.

use std::collections::BTreeSet;

use lore_core::{PrincipalId, Visibility};
use lore_store::{Batch, Touch};

/// Everybody who sees a change of a batch.
#[derive(Debug, Default)]
pub(super) struct Heard(BTreeSet<Listener>);

/// Those who see one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Listener {
    Members,
    Gm,
    One(i64),
}

impl Heard {
    /// Takes in who sees a thing: who sees it and all that it hangs on.
    pub(super) fn add(&mut self, visibilities: impl IntoIterator<Item = Visibility>) {
        let mut narrowest = Listener::Members;
        for listener in visibilities.into_iter().map(Listener::of) {
            narrowest = match (narrowest, listener) {
                // Two who each keep a part of it to themselves: nobody sees the whole.
                (Listener::One(one), Listener::One(other)) if one != other => return,
                (narrow, other) => narrow.max(other),
            };
        }
        self.0.insert(narrowest);
    }

    /// What enters the change log with a batch.
    pub(super) fn touches(&self, batch: &Batch) -> Vec<Touch> {
        let echoes = batch.echoes.iter().flat_map(|uri| {
            self.0.iter().map(|to| Touch { uri: uri.clone(), visibility: to.visibility() })
        });
        batch.touches.iter().cloned().chain(echoes).collect()
    }
}

impl Listener {
    fn of(visibility: Visibility) -> Self {
        match visibility {
            Visibility::Members => Self::Members,
            Visibility::Gm => Self::Gm,
            Visibility::Private(principal) => Self::One(principal.0),
        }
    }

    fn visibility(self) -> Visibility {
        match self {
            Self::Members => Visibility::Members,
            Self::Gm => Visibility::Gm,
            Self::One(principal) => Visibility::Private(PrincipalId(principal)),
        }
    }
}

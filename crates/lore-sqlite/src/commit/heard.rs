//! Who can see what a batch changes and so must find it in the change log.

use std::collections::BTreeSet;

use lore_core::{PrincipalId, Visibility};
use lore_store::{Batch, Touch};

/// The audiences that see at least one change of a batch.
#[derive(Debug, Default)]
pub(super) struct Heard(BTreeSet<Listener>);

/// The audience of one item, ordered from widest to narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Listener {
    Members,
    Gm,
    One(i64),
}

impl Heard {
    /// Adds the audience of one change. `visibilities` are those of the changed item and of
    /// everything it belongs to; the narrowest of them counts.
    pub(super) fn add(&mut self, visibilities: impl IntoIterator<Item = Visibility>) {
        let mut narrowest = Listener::Members;
        for listener in visibilities.into_iter().map(Listener::of) {
            narrowest = match (narrowest, listener) {
                // Parts of it are private to two different principals, so nobody sees the whole.
                (Listener::One(one), Listener::One(other)) if one != other => return,
                (narrow, other) => narrow.max(other),
            };
        }
        self.0.insert(narrowest);
    }

    /// The change log entries of a batch: its own touches, and its echoes once for each audience.
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

//! Which viewers see the same documents.
//!
//! Documents that a viewer cannot see must have no influence on what they find. So each kind of
//! viewer has a separate view with exactly the documents they see, and this module decides which
//! viewers are of the same kind.

use lore_core::{PrincipalId, Viewer, Visibility};
use rustc_hash::FxHashMap;

use crate::document::Meta;

/// Who may see a document: everybody who is admitted by both its node and its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Audience {
    node: Visibility,
    text: Visibility,
}

impl Audience {
    pub(crate) fn of(meta: &Meta) -> Self {
        Self { node: meta.node_visibility, text: meta.text_visibility }
    }

    fn each(self) -> [Visibility; 2] {
        [self.node, self.text]
    }
}

/// What a kind of viewer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Sight {
    gm_side: bool,
    /// The principal whose private documents are included, if any.
    principal: Option<PrincipalId>,
}

impl Sight {
    pub(crate) fn admits(self, audience: Audience) -> bool {
        audience.each().into_iter().all(|visibility| match visibility {
            Visibility::Members => true,
            Visibility::Gm => self.gm_side,
            Visibility::Private(principal) => self.principal == Some(principal),
        })
    }

    /// Whether it includes everything that `other` sees.
    pub(crate) fn covers(self, other: Self) -> bool {
        self.gm_side >= other.gm_side
            && (other.principal.is_none() || other.principal == self.principal)
    }
}

/// Counts hidden documents, so that viewers for whom they make no difference share a view.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    gm: usize,
    private: FxHashMap<PrincipalId, usize>,
}

impl Secrets {
    pub(crate) fn add(&mut self, audience: Audience) {
        for visibility in audience.each() {
            match visibility {
                Visibility::Members => {}
                Visibility::Gm => self.gm += 1,
                Visibility::Private(principal) => *self.private.entry(principal).or_default() += 1,
            }
        }
    }

    pub(crate) fn remove(&mut self, audience: Audience) {
        for visibility in audience.each() {
            match visibility {
                Visibility::Members => {}
                Visibility::Gm => self.gm = self.gm.saturating_sub(1),
                Visibility::Private(principal) => {
                    if let Some(count) = self.private.get_mut(&principal) {
                        *count = count.saturating_sub(1);
                    }
                }
            }
        }
    }

    pub(crate) fn sight_of(&self, viewer: &Viewer) -> Sight {
        let owns = self.private.get(&viewer.principal).is_some_and(|count| *count > 0);
        Sight {
            gm_side: self.gm > 0 && viewer.sees_gm_side(),
            principal: owns.then_some(viewer.principal),
        }
    }
}

#[cfg(test)]
mod tests {
    use lore_core::{Role, WorldId};

    use super::*;

    #[test]
    fn sights_admit_what_visibilities_admit() {
        let visibilities = [
            Visibility::Members,
            Visibility::Gm,
            Visibility::Private(PrincipalId(1)),
            Visibility::Private(PrincipalId(2)),
        ];
        let mut secrets = Secrets::default();
        for node in visibilities {
            secrets.add(Audience { node, text: node });
        }
        for role in Role::ALL {
            let viewer = Viewer { principal: PrincipalId(2), world: WorldId(1), role };
            let sight = secrets.sight_of(&viewer);
            for node in visibilities {
                for text in visibilities {
                    assert_eq!(
                        sight.admits(Audience { node, text }),
                        node.admits(&viewer) && text.admits(&viewer)
                    );
                }
            }
        }
    }
}

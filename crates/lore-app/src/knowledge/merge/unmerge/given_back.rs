//! Unmerging: what an item of the departing entity, which lay in the bin, gets from the item that
//! stood for it at the survivor (terms: see `unmerge`).
//!
//! Whatever somebody changed of the latter was said about the former. In particular it must not be
//! seen by more people than what stood for it.

use lore_core::Visibility;

use crate::knowledge::entities::history::stricter;

/// For whom an item of the survivor stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stood {
    /// For the departing entity alone.
    ForOne,
    /// For the survivor too. A change may have been meant for either.
    ForBoth,
}

/// Returns the visibility that an item gets, or `None` if it keeps its own. What stood for it could
/// be seen by `was` when it was made (`None` if nobody knows) and by `now` in the end.
pub(super) fn visibility(
    was: Option<Visibility>,
    now: Visibility,
    stood: Stood,
) -> Option<Visibility> {
    match (was, stood) {
        (Some(was), _) if was == now => None,
        (Some(_), Stood::ForOne) => Some(now),
        (Some(was), Stood::ForBoth) => Some(stricter(was, now)).filter(|seen| *seen != was),
        (None, _) => Some(now).filter(|seen| *seen != Visibility::Members),
    }
}

#[cfg(test)]
mod tests {
    use lore_core::PrincipalId;

    use super::*;

    const ALL: [Visibility; 3] =
        [Visibility::Members, Visibility::Gm, Visibility::Private(PrincipalId(2))];

    #[test]
    fn what_nobody_changed_keeps_its_own() {
        for was in ALL {
            for stood in [Stood::ForOne, Stood::ForBoth] {
                assert_eq!(visibility(Some(was), was, stood), None);
            }
        }
    }

    #[test]
    fn what_was_hidden_is_hidden_and_only_ones_own_is_opened() {
        let (open, hidden) = (Visibility::Members, Visibility::Gm);
        for stood in [Stood::ForOne, Stood::ForBoth] {
            assert_eq!(visibility(Some(open), hidden, stood), Some(hidden));
            assert_eq!(visibility(None, hidden, stood), Some(hidden));
            assert_eq!(visibility(None, open, stood), None);
        }
        assert_eq!(visibility(Some(hidden), open, Stood::ForOne), Some(open));
        assert_eq!(visibility(Some(hidden), open, Stood::ForBoth), None);
    }
}

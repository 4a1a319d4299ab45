//! Sets of faces, and which faces of a die are left when conditions exclude some.
//!
//! Dice may have a million sides, so a set of faces is stored as ranges. This module must never
//! enumerate faces.

use super::ast::{Compare, Condition, Dice, Faces, Repeat};

impl Faces {
    /// The lowest face.
    pub const fn lowest(self) -> i64 {
        match self {
            Self::Numbered(_) | Self::Percent => 1,
            Self::Fudge => -1,
        }
    }

    /// The highest face.
    pub fn highest(self) -> i64 {
        match self {
            Self::Numbered(sides) => i64::from(sides.value()),
            Self::Percent => 100,
            Self::Fudge => 1,
        }
    }
}

impl Dice {
    /// The faces that a die can end on: all except those that are rerolled until they change.
    pub(super) fn final_faces(&self) -> FaceSet {
        let all = FaceSet::all(self.faces);
        match self.reroll {
            Some(reroll) if reroll.repeat == Repeat::Always => all.without(reroll.condition),
            _ => all,
        }
    }

    /// Whether every face would be rerolled, again and again.
    pub(super) fn rerolls_forever(&self) -> bool {
        self.final_faces().is_empty()
    }

    /// Whether every face that a die can end on would explode, again and again.
    pub(super) fn explodes_forever(&self) -> bool {
        self.explode.is_some_and(|explode| {
            explode.repeat == Repeat::Always
                && self.final_faces().without(explode.condition).is_empty()
        })
    }
}

/// A set of faces, as inclusive ranges in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FaceSet {
    runs: Vec<(i64, i64)>,
}

impl FaceSet {
    /// Returns the set of all faces of a die.
    pub(super) fn all(faces: Faces) -> Self {
        Self { runs: vec![(faces.lowest(), faces.highest())] }
    }

    /// Returns the faces that do not satisfy the condition.
    pub(super) fn without(&self, condition: Condition) -> Self {
        let left = kept_bounds(condition);
        let cut = |&(low, high): &(i64, i64)| {
            left.into_iter().flatten().map(move |(from, to)| (low.max(from), high.min(to)))
        };
        Self { runs: self.runs.iter().flat_map(cut).filter(|(low, high)| low <= high).collect() }
    }

    /// Whether the set is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The number of faces in the set.
    pub(super) fn len(&self) -> i64 {
        self.runs.iter().map(|(low, high)| high - low + 1).sum()
    }

    /// Returns the face at this zero-based position, counted from the lowest.
    pub(super) fn nth(&self, mut place: i64) -> Option<i64> {
        for (low, high) in &self.runs {
            if place <= high - low {
                return Some(low + place);
            }
            place -= high - low + 1;
        }
        None
    }
}

/// Returns the one or two ranges of numbers that do not satisfy the condition, the lower one first.
fn kept_bounds(Condition { compare, value }: Condition) -> [Option<(i64, i64)>; 2] {
    let (up_to, from) = match compare {
        Compare::Equal => (Some(value - 1), Some(value + 1)),
        Compare::Above => (Some(value), None),
        Compare::AtLeast => (Some(value - 1), None),
        Compare::Below => (None, Some(value)),
        Compare::AtMost => (None, Some(value + 1)),
    };
    [up_to.map(|high| (i64::MIN, high)), from.map(|low| (low, i64::MAX))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Sides;

    const COMPARISONS: [Compare; 5] =
        [Compare::Equal, Compare::Above, Compare::AtLeast, Compare::Below, Compare::AtMost];

    fn listed(set: &FaceSet) -> Vec<i64> {
        (0..set.len()).map(|place| set.nth(place).unwrap()).collect()
    }

    #[test]
    fn sets_agree_with_a_list_of_faces() {
        let faces = Faces::Numbered(Sides::new(6).unwrap());
        for (first, second) in COMPARISONS.iter().flat_map(|a| COMPARISONS.map(|b| (*a, b))) {
            for (one, two) in (-1..9).flat_map(|one| (-1..9).map(move |two| (one, two))) {
                let conditions = [(first, one), (second, two)];
                let [a, b] = conditions.map(|(compare, value)| Condition { compare, value });
                let set = FaceSet::all(faces).without(a).without(b);
                let expected: Vec<i64> =
                    (1..=6).filter(|face| !a.holds(*face) && !b.holds(*face)).collect();
                assert_eq!(listed(&set), expected, "{a:?} {b:?}");
                assert_eq!((set.nth(set.len()), set.is_empty()), (None, expected.is_empty()));
            }
        }
    }

    #[test]
    fn fudge_dice_show_less_than_zero() {
        assert_eq!(listed(&FaceSet::all(Faces::Fudge)), [-1, 0, 1]);
        let below_zero = Condition { compare: Compare::Below, value: 0 };
        assert_eq!(listed(&FaceSet::all(Faces::Fudge).without(below_zero)), [0, 1]);
    }
}

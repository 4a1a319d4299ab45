//! The parts of an expression, as the parser understands them.
//!
//! Only the parser makes an [`Ast`], so that one that exists keeps every limit. These types must
//! never hold how something was written: two ways to write the same thing give the same tree.

use std::ops::Range;

use crate::dice::{Count, Sides};

/// A parsed expression with its comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ast {
    pub(super) root: Expression,
    pub(super) comment: Option<String>,
}

impl Ast {
    /// The expression.
    pub fn root(&self) -> &Expression {
        &self.root
    }

    /// What was written after `#`, if anything.
    pub fn comment(&self) -> Option<&str> {
        self.comment.as_deref()
    }
}

/// One node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expression {
    /// A number, never negative.
    Number(Number),
    /// Some dice.
    Dice(Box<Dice>),
    /// Something with a minus sign in front.
    Negate(Box<Expression>),
    /// Two expressions and what is done with them.
    Binary(Box<Binary>),
}

/// A number that was written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The number, from zero to [`MAX_NUMBER`](super::MAX_NUMBER).
    pub value: i64,
    /// What it stands for.
    pub label: Option<String>,
}

/// Two expressions and what is done with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// What is done.
    pub operator: Operator,
    /// The expression before the sign, which is rolled first.
    pub left: Expression,
    /// The expression after the sign.
    pub right: Expression,
}

/// What is done with two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient, rounded toward zero.
    Divide,
}

impl Operator {
    /// How strongly the sign binds; the stronger one is worked out first.
    pub(super) const fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide => 2,
        }
    }

    /// The result, or nothing where there is none that fits: a division by zero or an overflow.
    pub(super) const fn apply(self, left: i64, right: i64) -> Option<i64> {
        match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide => left.checked_div(right),
        }
    }
}

/// Some dice of one kind and what happens to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dice {
    /// The number of dice.
    pub count: Count,
    /// What each die can show.
    pub faces: Faces,
    /// Which dice are rolled again.
    pub reroll: Option<Reroll>,
    /// Which dice bring a further one.
    pub explode: Option<Explode>,
    /// What a lower die counts as.
    pub minimum: Option<i64>,
    /// What a higher die counts as. It is applied after the minimum.
    pub maximum: Option<i64>,
    /// Which dice are kept, one rule after the other.
    pub selectors: Vec<Selector>,
    /// What a kept die has to meet to be counted; without it the kept dice are added up.
    pub success: Option<Condition>,
    /// What the dice stand for.
    pub label: Option<String>,
}

impl Dice {
    /// What a die that shows this face counts as.
    pub(super) fn value_of(&self, face: i64) -> i64 {
        let raised = self.minimum.map_or(face, |minimum| face.max(minimum));
        self.maximum.map_or(raised, |maximum| raised.min(maximum))
    }

    /// What a kept die of this value adds to the subtotal.
    pub(super) fn score_of(&self, value: i64) -> i64 {
        self.success.map_or(value, |success| i64::from(success.holds(value)))
    }

    /// Which dice are kept when all are ordered from the lowest to the highest.
    pub(super) fn kept_ranks(&self, total: usize) -> Range<usize> {
        self.selectors.iter().fold(0..total, |kept, selector| selector.narrow(kept))
    }
}

/// What a die can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Faces {
    /// One to the number of sides.
    Numbered(Sides),
    /// One to a hundred, written `%`.
    Percent,
    /// Minus one, zero or one, written `F`.
    Fudge,
}

/// Whether something happens again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// As often as its condition holds.
    Always,
    /// At most once for each die.
    Once,
}

/// Which dice are rolled again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reroll {
    /// How often.
    pub repeat: Repeat,
    /// The faces that are not left lying.
    pub condition: Condition,
}

/// Which dice bring a further one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Explode {
    /// Whether the further die can bring one, too.
    pub repeat: Repeat,
    /// The faces that do it.
    pub condition: Condition,
}

/// A comparison with a fixed number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Condition {
    /// How to compare.
    pub compare: Compare,
    /// The number to compare with.
    pub value: i64,
}

impl Condition {
    /// Whether a number meets the condition.
    pub const fn holds(self, number: i64) -> bool {
        match self.compare {
            Compare::Equal => number == self.value,
            Compare::Above => number > self.value,
            Compare::AtLeast => number >= self.value,
            Compare::Below => number < self.value,
            Compare::AtMost => number <= self.value,
        }
    }
}

/// How to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `=`
    Equal,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
}

/// A rule that keeps some dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Selector {
    /// Which end it looks at, and what it does there.
    pub selection: Selection,
    /// How many dice it takes.
    pub count: Count,
}

impl Selector {
    /// Applies the rule to a row of dice from the lowest to the highest.
    fn narrow(self, Range { start, end }: Range<usize>) -> Range<usize> {
        let taken = (self.count.value() as usize).min(end.saturating_sub(start));
        match self.selection {
            Selection::KeepHighest => end - taken..end,
            Selection::KeepLowest => start..start + taken,
            Selection::DropHighest => start..end - taken,
            Selection::DropLowest => start + taken..end,
        }
    }
}

/// Which end a selector looks at, and what it does there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Selection {
    /// Keeps the highest dice.
    KeepHighest,
    /// Keeps the lowest dice.
    KeepLowest,
    /// Drops the highest dice.
    DropHighest,
    /// Drops the lowest dice.
    DropLowest,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(selection: Selection, count: i64) -> Selector {
        Selector { selection, count: Count::new(count).unwrap() }
    }

    #[test]
    fn selectors_narrow_the_row_of_dice() {
        use Selection::{DropHighest, DropLowest, KeepHighest, KeepLowest};
        for (selection, count, expected) in [
            (KeepHighest, 3, 2..5),
            (KeepLowest, 3, 0..3),
            (DropHighest, 1, 0..4),
            (DropLowest, 1, 1..5),
            (KeepHighest, 9, 0..5),
            (DropLowest, 9, 5..5),
        ] {
            assert_eq!(selector(selection, count).narrow(0..5), expected, "{selection:?} {count}");
        }
    }

    #[test]
    fn conditions_compare_as_they_are_written() {
        use Compare::{Above, AtLeast, AtMost, Below, Equal};
        let met = |compare| [2, 3, 4].map(|number| Condition { compare, value: 3 }.holds(number));
        assert_eq!(met(Equal), [false, true, false]);
        assert_eq!(met(Above), [false, false, true]);
        assert_eq!(met(AtLeast), [false, true, true]);
        assert_eq!(met(Below), [true, false, false]);
        assert_eq!(met(AtMost), [true, true, false]);
    }

    #[test]
    fn division_rounds_toward_zero() {
        assert_eq!(Operator::Divide.apply(7, 2), Some(3));
        assert_eq!(Operator::Divide.apply(-7, 2), Some(-3));
        assert_eq!(Operator::Divide.apply(7, 0), None);
        assert_eq!(Operator::Divide.apply(i64::MIN, -1), None);
    }
}

//! The syntax tree of an expression.
//!
//! Only the parser creates an [`Ast`], so every existing one respects all limits. The tree must not
//! record how something was written: equivalent spellings give the same tree.

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

    /// The comment written after `#`, if any.
    pub fn comment(&self) -> Option<&str> {
        self.comment.as_deref()
    }
}

/// One node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expression {
    /// A non-negative number.
    Number(Number),
    /// A dice term.
    Dice(Box<Dice>),
    /// A negated expression.
    Negate(Box<Expression>),
    /// Two expressions joined by an operator.
    Binary(Box<Binary>),
}

/// A literal number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The value, from zero to [`MAX_NUMBER`](super::MAX_NUMBER).
    pub value: i64,
    /// The label that says what the number stands for.
    pub label: Option<String>,
}

/// Two expressions joined by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// The operator.
    pub operator: Operator,
    /// The left operand, which is rolled first.
    pub left: Expression,
    /// The right operand.
    pub right: Expression,
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Addition.
    Add,
    /// Subtraction.
    Subtract,
    /// Multiplication.
    Multiply,
    /// Division, rounded toward zero.
    Divide,
}

impl Operator {
    /// The precedence; operators with a higher one bind more tightly.
    pub(super) const fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide => 2,
        }
    }

    /// Computes the result; `None` for a division by zero or an overflow.
    pub(super) const fn apply(self, left: i64, right: i64) -> Option<i64> {
        match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide => left.checked_div(right),
        }
    }
}

/// A dice term: dice of one kind and the rules that apply to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dice {
    /// The number of dice.
    pub count: Count,
    /// The faces of each die.
    pub faces: Faces,
    /// Which dice are rerolled.
    pub reroll: Option<Reroll>,
    /// Which dice explode.
    pub explode: Option<Explode>,
    /// The value that lower faces count as.
    pub minimum: Option<i64>,
    /// The value that higher faces count as, applied after the minimum.
    pub maximum: Option<i64>,
    /// The rules that keep or drop dice, applied one after the other.
    pub selectors: Vec<Selector>,
    /// The condition for a success. If set, kept dice that meet it are counted; otherwise kept dice
    /// are added up.
    pub success: Option<Condition>,
    /// The label that says what the dice stand for.
    pub label: Option<String>,
}

impl Dice {
    /// Returns the value of a face after minimum and maximum.
    pub(super) fn value_of(&self, face: i64) -> i64 {
        let raised = self.minimum.map_or(face, |minimum| face.max(minimum));
        self.maximum.map_or(raised, |maximum| raised.min(maximum))
    }

    /// Returns what a kept die of this value adds to the subtotal.
    pub(super) fn score_of(&self, value: i64) -> i64 {
        self.success.map_or(value, |success| i64::from(success.holds(value)))
    }

    /// Returns which dice are kept, as a range of ranks from the lowest to the highest die.
    pub(super) fn kept_ranks(&self, total: usize) -> Range<usize> {
        self.selectors.iter().fold(0..total, |kept, selector| selector.narrow(kept))
    }
}

/// The faces of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Faces {
    /// From one to the number of sides.
    Numbered(Sides),
    /// From one to a hundred, written `%`.
    Percent,
    /// Minus one, zero or one, written `F`.
    Fudge,
}

/// How often a rule can apply to the same die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// As long as its condition holds.
    Always,
    /// At most once per die.
    Once,
}

/// A rule that rerolls dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reroll {
    /// How often.
    pub repeat: Repeat,
    /// The faces that are rerolled.
    pub condition: Condition,
}

/// A rule that adds a further die for some faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Explode {
    /// Whether the further die can explode as well.
    pub repeat: Repeat,
    /// The faces that explode.
    pub condition: Condition,
}

/// A comparison with a fixed number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The comparison operator.
    pub compare: Compare,
    /// The number to compare with.
    pub value: i64,
}

impl Condition {
    /// Whether a number satisfies the condition.
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

/// A comparison operator.
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

/// A rule that keeps or drops some dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Selector {
    /// Whether it keeps or drops, and from which end.
    pub selection: Selection,
    /// How many dice it keeps or drops.
    pub count: Count,
}

impl Selector {
    /// Applies the rule to a range of ranks, ordered from the lowest to the highest die.
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

/// Whether a selector keeps or drops dice, and from which end.
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

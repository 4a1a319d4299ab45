//! What can be wrong with an expression, and what to write instead.
//!
//! Messages say what broke in the sender's own terms. They must never repeat the text that was
//! sent beyond a single character of it.

use thiserror::Error;

/// Why an expression could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem} (at byte {position})")]
pub struct ParseError {
    /// Where it broke, in bytes from the start.
    pub position: usize,
    /// What broke.
    pub problem: Problem,
}

impl ParseError {
    /// What would have been right at that place.
    pub const fn expected(&self) -> &'static str {
        self.problem.expected()
    }

    /// What to try next, as a sentence.
    pub const fn hint(&self) -> &'static str {
        self.problem.hint()
    }
}

/// What is wrong with the text of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Something else belongs here.
    #[error("{found:?} found where {} was expected", expected.text())]
    Unexpected {
        /// What stands there.
        found: char,
        /// What belongs there.
        expected: Expected,
    },
    /// The text stops too early.
    #[error("the expression ends where {} was expected", .0.text())]
    Ended(Expected),
    /// A number is too small or too large for its place.
    #[error("a number from {min} to {max} was expected")]
    OutOfRange {
        /// The smallest number that fits.
        min: i64,
        /// The largest number that fits.
        max: i64,
    },
    /// The text is too long.
    #[error("an expression has at most {max} characters, not {given}")]
    TooLong {
        /// The characters there are.
        given: usize,
        /// The most characters.
        max: usize,
    },
    /// There are too many dice terms and numbers.
    #[error("an expression has at most {max} terms")]
    TooManyTerms {
        /// The most terms.
        max: usize,
    },
    /// All terms together have too many dice.
    #[error("an expression has at most {max} dice over all its terms")]
    TooManyDice {
        /// The most dice.
        max: u64,
    },
    /// There are too many signs or parentheses around one another.
    #[error("signs and parentheses nest at most {max} deep")]
    TooDeep {
        /// The deepest nesting.
        max: usize,
    },
    /// The same rule is given twice for the same dice.
    #[error("this rule is given twice for the same dice")]
    Repeated,
    /// Every face would be rolled again.
    #[error("these dice would be rerolled forever")]
    EndlessReroll,
    /// Every face would bring a further die.
    #[error("these dice would explode forever")]
    EndlessExplosion,
}

impl Problem {
    const fn expected(&self) -> &'static str {
        match self {
            Self::Unexpected { expected, .. } | Self::Ended(expected) => expected.text(),
            Self::OutOfRange { .. } => "a number in range",
            Self::TooLong { .. } => "a shorter expression",
            Self::TooManyTerms { .. } => "fewer terms",
            Self::TooManyDice { .. } => "fewer dice",
            Self::TooDeep { .. } => "less nesting",
            Self::Repeated => "each rule once",
            Self::EndlessReroll => "a condition that leaves some faces",
            Self::EndlessExplosion => "a condition that some faces do not meet",
        }
    }

    const fn hint(&self) -> &'static str {
        match self {
            Self::Unexpected { expected, .. } | Self::Ended(expected) => expected.hint(),
            Self::OutOfRange { .. } => "Choose a number in the range named above.",
            Self::TooLong { .. } | Self::TooManyTerms { .. } => {
                "Join terms, such as 2d6 for d6+d6, or roll in several requests."
            }
            Self::TooManyDice { .. } => "Roll in several requests.",
            Self::TooDeep { .. } => "Leave out parentheses and signs that change nothing.",
            Self::Repeated => "Write it once; one condition can cover several faces, as in r<=2.",
            Self::EndlessReroll => "Reroll once with ro, or leave at least one face out.",
            Self::EndlessExplosion => "Explode once with xo, or leave at least one face out.",
        }
    }
}

/// What can belong at a place of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expected {
    /// Dice, a number or a parenthesis.
    Operand,
    /// An arithmetic sign, a rule for dice or the end.
    Operator,
    /// The sides of a die.
    Sides,
    /// A whole number.
    Number,
    /// A comparison for a reroll.
    Condition,
    /// The end of a parenthesis.
    ClosingParenthesis,
    /// The text of a label.
    LabelText,
    /// The end of a label.
    ClosingBracket,
}

impl Expected {
    const fn text(self) -> &'static str {
        match self {
            Self::Operand => "dice, a number or \"(\"",
            Self::Operator => "a sign, a rule for the dice or the end",
            Self::Sides => "a number of sides",
            Self::Number => "a whole number",
            Self::Condition => "a condition",
            Self::ClosingParenthesis => "\")\"",
            Self::LabelText => "the text of a label",
            Self::ClosingBracket => "\"]\"",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Operand => "Write dice such as 2d6, a whole number, or something in parentheses.",
            Self::Operator => {
                "Join terms with + - * or /; after dice write r, ro, !, xo, min, max, kh, kl, dh, \
                 dl, a comparison such as >=5, or a [label]."
            }
            Self::Sides => "Write a number of sides as in d20, d% for a hundred, or dF.",
            Self::Number => "Write a whole number in digits.",
            Self::Condition => "Say which faces to reroll, as in r1, ro<3 or r=-1.",
            Self::ClosingParenthesis => "Close every parenthesis that is opened.",
            Self::LabelText => "Write a word between the brackets, or leave the brackets out.",
            Self::ClosingBracket => "Close the label with ].",
        }
    }
}

/// Why a readable expression could not be rolled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum RollError {
    /// Explosions and rerolls drew too many dice: roll fewer.
    #[error("the roll drew more than {max} dice, counting explosions and rerolls")]
    TooManyDice {
        /// The most dice.
        max: u64,
    },
    /// The divisor came to zero.
    #[error("\"{divisor}\" came to zero, and nothing can be divided by zero")]
    DivisionByZero {
        /// The divisor as it is printed.
        divisor: String,
    },
    /// A result does not fit into 64 bits.
    #[error("the result is too large")]
    Overflow,
}

impl RollError {
    /// What to try next, as a sentence.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::TooManyDice { .. } => {
                "Roll fewer dice, or make them explode or reroll less often."
            }
            Self::DivisionByZero { .. } => "Divide by something that is never zero.",
            Self::Overflow => "Multiply by smaller numbers.",
        }
    }
}

/// Why the odds of a readable expression could not be counted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OddsError {
    /// There are too many different results to list.
    #[error("there are more than {max} possible results")]
    TooManyOutcomes {
        /// The most results.
        max: usize,
    },
    /// Counting would take too long.
    #[error("counting these dice would take too long")]
    TooMuchWork,
    /// A divisor can come to zero.
    #[error("\"{divisor}\" can come to zero, and nothing can be divided by zero")]
    DivisionByZero {
        /// The divisor as it is printed.
        divisor: String,
    },
    /// A result does not fit into 64 bits.
    #[error("a result is too large")]
    Overflow,
}

impl OddsError {
    /// What to try next, as a sentence.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::TooManyOutcomes { .. } => "Use fewer dice, or dice with fewer sides.",
            Self::TooMuchWork => {
                "Use fewer dice, dice with fewer sides, or leave out explosions and selections."
            }
            Self::DivisionByZero { .. } => "Divide by something that is never zero.",
            Self::Overflow => "Multiply by smaller numbers.",
        }
    }
}

//! Errors of parsing, rolling and computing odds, with hints for correcting the expression.
//!
//! Messages use the vocabulary of the notation. They must not repeat more of the input than a
//! single character, except for a divisor in its printed form.

use thiserror::Error;

/// Why an expression could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem} (at byte {position})")]
pub struct ParseError {
    /// The byte offset of the error.
    pub position: usize,
    /// What is wrong there.
    pub problem: Problem,
}

impl ParseError {
    /// What was expected at that position.
    pub const fn expected(&self) -> &'static str {
        self.problem.expected()
    }

    /// Advice on what to try next, as a sentence.
    pub const fn hint(&self) -> &'static str {
        self.problem.hint()
    }
}

/// What is wrong in the text of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A character that does not fit here.
    #[error("{found:?} found where {} was expected", expected.text())]
    Unexpected {
        /// The character found.
        found: char,
        /// What was expected.
        expected: Expected,
    },
    /// The text ends too early.
    #[error("the expression ends where {} was expected", .0.text())]
    Ended(Expected),
    /// A number is out of range.
    #[error("a number from {min} to {max} was expected")]
    OutOfRange {
        /// The smallest valid number.
        min: i64,
        /// The largest valid number.
        max: i64,
    },
    /// The text is too long.
    #[error("an expression has at most {max} characters, not {given}")]
    TooLong {
        /// The number of characters given.
        given: usize,
        /// The maximum number of characters.
        max: usize,
    },
    /// There are too many dice terms and numbers.
    #[error("an expression has at most {max} terms")]
    TooManyTerms {
        /// The maximum number of terms.
        max: usize,
    },
    /// All terms together have too many dice.
    #[error("an expression has at most {max} dice over all its terms")]
    TooManyDice {
        /// The maximum number of dice.
        max: u64,
    },
    /// Signs or parentheses are nested too deeply.
    #[error("signs and parentheses nest at most {max} deep")]
    TooDeep {
        /// The maximum depth.
        max: usize,
    },
    /// The same rule occurs twice in one dice term.
    #[error("this rule is given twice for the same dice")]
    Repeated,
    /// Every face would be rerolled.
    #[error("these dice would be rerolled forever")]
    EndlessReroll,
    /// Every face would explode.
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

/// What a position in an expression requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expected {
    /// Dice, a number or a parenthesis.
    Operand,
    /// An arithmetic operator, a rule for dice, or the end.
    Operator,
    /// The sides of a die.
    Sides,
    /// A whole number.
    Number,
    /// A condition for a reroll.
    Condition,
    /// A closing parenthesis.
    ClosingParenthesis,
    /// The text of a label.
    LabelText,
    /// The closing bracket of a label.
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

/// Why a parsed expression could not be rolled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum RollError {
    /// Explosions and rerolls drew too many dice.
    #[error("the roll drew more than {max} dice, counting explosions and rerolls")]
    TooManyDice {
        /// The maximum number of dice.
        max: u64,
    },
    /// A divisor was zero.
    #[error("\"{divisor}\" was zero in this roll, and nothing can be divided by zero")]
    DivisionByZero {
        /// The divisor in its printed form.
        divisor: String,
    },
    /// A result does not fit into 64 bits.
    #[error("the result is too large")]
    Overflow,
}

impl RollError {
    /// Advice on what to try next, as a sentence.
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

/// Why the odds of a parsed expression could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OddsError {
    /// There are too many different results.
    #[error("there are more than {max} possible results")]
    TooManyOutcomes {
        /// The maximum number of results.
        max: usize,
    },
    /// The computation would take too long.
    #[error("counting these dice would take too long")]
    TooMuchWork,
    /// A divisor can be zero.
    #[error("\"{divisor}\" can be zero, and nothing can be divided by zero")]
    DivisionByZero {
        /// The divisor in its printed form.
        divisor: String,
    },
    /// A result does not fit into 64 bits.
    #[error("a result is too large")]
    Overflow,
}

impl OddsError {
    /// Advice on what to try next, as a sentence.
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

//! Dice notation such as `4d6kh3+2`: parsing, printing, rolling and exact odds.
//!
//! [`parse`] returns an [`Ast`], [`roll()`] rolls it with a stream of dice, and [`distribution`]
//! computes the odds of its results. The input is untrusted: this module must never panic, never
//! draw randomness from any source but the given stream, and never work longer than its limits
//! allow.
//!
//! # The notation
//!
//! | form | meaning |
//! |---|---|
//! | `3d6`, `d20`, `d%`, `4dF` | dice; `%` is 100, `F` shows -1, 0 or 1 |
//! | `r1`, `rr<3`, `ro=1` | reroll while the condition holds; `ro` once |
//! | `!`, `x>=9`, `xo` | one more die when the condition holds, the highest face if none is given; `xo` once |
//! | `min2`, `max5` | count a lower die as 2, a higher one as 5 (also `mi`, `ma`) |
//! | `kh3`, `kl1`, `dh1`, `dl1`, `k3` | keep or drop the highest or lowest; `k` is `kh`, no number is 1 |
//! | `>4`, `>=4`, `<3`, `<=3`, `=6` | count the dice that meet this instead of adding them |
//! | `[fire]` | a label for dice or a number |
//! | `+ - * /`, `−`, `×`, `÷`, `( )` | whole numbers; division rounds toward zero |
//! | `# words` | a comment to the end |
//!
//! Letters may be upper or lower case, and spaces are allowed between any two parts. The rules
//! after the sides may come in any order. They take effect in the order of the table, and apply to
//! dice from an explosion as well. Several selections work one after the other on the dice still
//! kept, so `5d6dl1dh1` drops the lowest and the highest. A condition right after `x` or `!`
//! belongs to it: to count the eights and better of exploding dice, write `5d10>=8!`.

mod ast;
mod cursor;
mod distribution;
mod error;
mod faces;
mod odds;
mod parser;
mod polynomial;
mod pool;
mod print;
mod ranked;
mod ratio;
mod roll;
mod series;

pub use ast::{
    Ast, Binary, Compare, Condition, Dice, Explode, Expression, Faces, Number, Operator, Repeat,
    Reroll, Selection, Selector,
};
pub use distribution::Distribution;
pub use error::{Expected, OddsError, ParseError, Problem, RollError};
pub use odds::distribution;
pub use parser::parse;
pub use ratio::Ratio;
pub use roll::{DieRoll, Rolled, TermRoll, roll};

/// The maximum length of an expression in characters, both as written and as printed.
pub const MAX_CHARACTERS: usize = 500;

/// The maximum number of dice terms and numbers in an expression.
pub const MAX_TERMS: usize = 100;

/// The maximum nesting depth of signs and parentheses.
pub const MAX_NESTING: usize = 50;

/// The maximum number of dice that one request may draw, including explosions and rerolls.
pub const MAX_DICE: u64 = crate::dice::MAX_DICE;

/// The maximum number of further dice that one die can add by exploding.
pub const MAX_EXPLOSIONS: u32 = 100;

/// The maximum number of rerolls of one die.
pub const MAX_REROLLS: u32 = 100;

/// The largest number that an expression may contain.
pub const MAX_NUMBER: i64 = 1_000_000_000;

//! Dice notation such as `4d6kh3+2`: read, printed, rolled and counted.
//!
//! [`parse`] makes an [`Ast`], [`roll()`] rolls it from a row of dice, [`distribution`] counts what it
//! can come to. Text from anybody may come in: this module must never panic, never draw from any
//! other source than the row it is given, and never work longer than its limits allow.
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
//! Letters may be upper or lower case, and spaces may stand between any two parts. What follows
//! the sides may come in any order; it takes effect in the order of the table, on the dice of an
//! explosion as on all others. Two selections work one after the other on what is still kept, so
//! `5d6dl1dh1` drops the lowest and the highest. A condition right after `x` or `!` belongs to it:
//! to count the eights and better of exploding dice, write `5d10>=8!`.

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

/// The most characters of an expression, as it is written and as it is printed.
pub const MAX_CHARACTERS: usize = 500;

/// The most dice terms and numbers of an expression.
pub const MAX_TERMS: usize = 100;

/// The most signs and parentheses around one another.
pub const MAX_NESTING: usize = 50;

/// The most dice one request may draw, with those of explosions and rerolls.
pub const MAX_DICE: u64 = crate::dice::MAX_DICE;

/// The most further dice that one die can bring by exploding.
pub const MAX_EXPLOSIONS: u32 = 100;

/// The most rerolls of one die.
pub const MAX_REROLLS: u32 = 100;

/// The largest number that can be written.
pub const MAX_NUMBER: i64 = 1_000_000_000;

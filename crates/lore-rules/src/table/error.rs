//! Errors of the rules of the table.
//!
//! An error names the number or rule that prevents a change. What the rules simply cut off, such as
//! Hope beyond its maximum, is not an error but a note.

use thiserror::Error;

use super::state::Life;

/// Why a change was rejected; the state stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// A number is out of range.
    #[error("{field} is {min} to {max}, not {value}")]
    OutOfRange {
        /// The name of the number.
        field: &'static str,
        /// The rejected number.
        value: i64,
        /// The smallest number.
        min: i64,
        /// The largest number.
        max: i64,
    },
    /// The character no longer takes part in play.
    #[error("the character is {}", .0.as_str())]
    NotInPlay(Life),
    /// There is less Hope than the cost.
    #[error("this costs {need} Hope, and there is only {have}")]
    NotEnoughHope {
        /// The Hope available.
        have: i64,
        /// The cost in Hope.
        need: i64,
    },
    /// There is less Fear than the cost.
    #[error("this costs {need} Fear, and there is only {have}")]
    NotEnoughFear {
        /// The Fear available.
        have: i64,
        /// The cost in Fear.
        need: i64,
    },
    /// Too few Stress slots are free for a move that the character chose.
    #[error("this costs {need} Stress, and only {free} can be marked")]
    NotEnoughStress {
        /// The number of free slots.
        free: i64,
        /// The cost in Stress.
        need: i64,
    },
    /// All Armor Slots are marked, or the character has none.
    #[error("no Armor Slot is free")]
    NoArmorSlot,
    /// Armor cannot reduce direct damage.
    #[error("armor does not help against direct damage")]
    DirectDamage,
    /// The name of a condition is empty or too long.
    #[error("a condition has a name of 1 to {max} characters")]
    BadConditionName {
        /// The maximum length in characters.
        max: usize,
    },
    /// The character has too many conditions.
    #[error("a character has at most {max} conditions")]
    TooManyConditions {
        /// The maximum number of conditions.
        max: usize,
    },
    /// No death move is due, because the last Hit Point is not marked.
    #[error("no death move is due: the last Hit Point is not marked")]
    NoDeathMoveDue,
    /// The death move has already been made, and the character is unconscious.
    #[error("the death move is made already, and the character is unconscious")]
    DeathMoveMade,
    /// A recorded change starts from a value that the state does not have.
    #[error("the recorded change of {field} does not start from this state")]
    NotFromHere {
        /// The field of the change.
        field: &'static str,
    },
}

/// Validates that a number is in range.
pub(super) fn within(
    field: &'static str,
    value: i64,
    min: i64,
    max: i64,
) -> Result<i64, TableError> {
    if (min..=max).contains(&value) {
        return Ok(value);
    }
    Err(TableError::OutOfRange { field, value, min, max })
}

/// The maximum amount that can be marked, cleared, gained or spent at once.
pub(super) const MAX_AMOUNT: i64 = 1_000;

/// Validates an amount that is marked, cleared, gained or spent at once.
pub(super) fn amount(value: i64) -> Result<i64, TableError> {
    within("amount", value, 0, MAX_AMOUNT)
}

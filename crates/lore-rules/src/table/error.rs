//! Why the rules of the table refuse something.
//!
//! A refusal names the number or rule that stands in the way. It must never be used for what the
//! rules simply cut off, such as Hope above its maximum: that is a note.

use thiserror::Error;

use super::state::Life;

/// Why a change was refused; the state stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// A number is too small or too large: send one in range.
    #[error("{field} is {min} to {max}, not {value}")]
    OutOfRange {
        /// What the number is for.
        field: &'static str,
        /// The refused number.
        value: i64,
        /// The smallest number.
        min: i64,
        /// The largest number.
        max: i64,
    },
    /// The character takes no part in play any more.
    #[error("the character is {}", .0.as_str())]
    NotInPlay(Life),
    /// There is less Hope than the use costs.
    #[error("this costs {need} Hope, and there is only {have}")]
    NotEnoughHope {
        /// The Hope there is.
        have: i64,
        /// The Hope it costs.
        need: i64,
    },
    /// There is less Fear than the use costs.
    #[error("this costs {need} Fear, and there is only {have}")]
    NotEnoughFear {
        /// The Fear there is.
        have: i64,
        /// The Fear it costs.
        need: i64,
    },
    /// Too few Stress slots are free for a move that somebody chooses.
    #[error("this costs {need} Stress, and only {free} can be marked")]
    NotEnoughStress {
        /// The free slots.
        free: i64,
        /// The Stress it costs.
        need: i64,
    },
    /// All Armor Slots are marked, or there are none.
    #[error("no Armor Slot is free")]
    NoArmorSlot,
    /// Armor does not help against direct damage.
    #[error("armor does not help against direct damage")]
    DirectDamage,
    /// The name of a condition is blank or too long.
    #[error("a condition has a name of 1 to {max} characters")]
    BadConditionName {
        /// The most characters.
        max: usize,
    },
    /// The character has too many conditions: remove one first.
    #[error("a character has at most {max} conditions")]
    TooManyConditions {
        /// The most conditions.
        max: usize,
    },
    /// Only a character that has just marked the last Hit Point makes a death move.
    #[error("no death move is due: the last Hit Point is not marked")]
    NoDeathMoveDue,
    /// The death move is made, and the character lies unconscious.
    #[error("the death move is made already, and the character is unconscious")]
    DeathMoveMade,
    /// A recorded change starts from another value than the state has.
    #[error("the recorded change of {field} does not start from this state")]
    NotFromHere {
        /// The field of the change.
        field: &'static str,
    },
}

/// Accepts a number in range.
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

/// The most of anything that can be marked, cleared, gained or spent at once.
pub(super) const MAX_AMOUNT: i64 = 1_000;

/// Accepts how much of something happens at once.
pub(super) fn amount(value: i64) -> Result<i64, TableError> {
    within("amount", value, 0, MAX_AMOUNT)
}

//! Errors of planning a rest.
//!
//! Positions of members are zero-based, so that a caller can name the entry it read. A message must
//! not blame a member who did nothing wrong.

use thiserror::Error;

use crate::table::error::TableError;
use crate::table::state::Life;

/// Why a rest was rejected; nobody rested.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RestError {
    /// The party is empty.
    #[error("nobody rests")]
    NobodyRests,
    /// The party has taken too many short rests in a row and needs a long one.
    #[error("after {max} short rests the next one is long")]
    TooManyShortRests {
        /// The maximum number of short rests in a row.
        max: i64,
    },
    /// A member makes too many moves.
    #[error("a character makes at most {max} moves in a rest, not {given}")]
    TooManyMoves {
        /// The position of the member.
        member: usize,
        /// The number of moves chosen.
        given: usize,
        /// The maximum number of moves.
        max: usize,
    },
    /// A move targets a position that does not exist.
    #[error("there is no member {whom} in the party")]
    UnknownMember {
        /// The position of the member who makes the move.
        member: usize,
        /// The position that does not exist.
        whom: usize,
    },
    /// A member no longer takes part in play.
    #[error("member {member} is {}", life.as_str())]
    NotInPlay {
        /// The position of the member.
        member: usize,
        /// The state that prevents it.
        life: Life,
    },
    /// A member is still unconscious when a move of theirs is due.
    #[error("member {member} is unconscious and makes no moves")]
    Unconscious {
        /// The position of the member.
        member: usize,
    },
    /// Work on a project needs a long rest.
    #[error("work on a project needs a long rest")]
    ProjectNeedsLongRest {
        /// The position of the member.
        member: usize,
    },
    /// A member prepares together, but nobody else does.
    #[error("preparing together takes at least two characters")]
    PreparesAlone {
        /// The position of the member.
        member: usize,
    },
    /// A rule of the table prevents it.
    #[error(transparent)]
    Table(#[from] TableError),
}

//! Why a rest cannot be taken as it is planned.
//!
//! Positions of members count from zero, so that a caller can name the entry it read. A message
//! must never blame a member who did nothing wrong.

use thiserror::Error;

use crate::table::error::TableError;
use crate::table::state::Life;

/// Why a rest was refused; nobody rested.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RestError {
    /// The party is empty.
    #[error("nobody rests")]
    NobodyRests,
    /// The party has to take a long rest.
    #[error("after {max} short rests the next one is long")]
    TooManyShortRests {
        /// The most short rests in a row.
        max: i64,
    },
    /// A member makes too many moves.
    #[error("a character makes at most {max} moves in a rest, not {given}")]
    TooManyMoves {
        /// The position of the member.
        member: usize,
        /// The moves that were chosen.
        given: usize,
        /// The most moves.
        max: usize,
    },
    /// A move is for somebody who is not there.
    #[error("there is no member {whom} in the party")]
    UnknownMember {
        /// The position of the member who makes the move.
        member: usize,
        /// The position that does not exist.
        whom: usize,
    },
    /// A member takes no part in play any more.
    #[error("member {member} is {}", life.as_str())]
    NotInPlay {
        /// The position of the member.
        member: usize,
        /// Why not.
        life: Life,
    },
    /// A member is unconscious when it comes to a move.
    #[error("member {member} is unconscious and makes no moves")]
    Unconscious {
        /// The position of the member.
        member: usize,
    },
    /// Projects need time.
    #[error("work on a project needs a long rest")]
    ProjectNeedsLongRest {
        /// The position of the member.
        member: usize,
    },
    /// Nobody else prepares together with a member.
    #[error("preparing together takes at least two characters")]
    PreparesAlone {
        /// The position of the member.
        member: usize,
    },
    /// A rule of the table stands in the way.
    #[error(transparent)]
    Table(#[from] TableError),
}

//! The plan of a party for a rest, and its validation.
//!
//! Plans are validated without dice. This module must never change a state.

use crate::table::profile::{CharacterKind, Profile};
use crate::table::state::{Life, State};

use super::{RestError, RestLog};

/// The maximum number of moves of one character in one rest.
const MAX_MOVES: usize = 2;

/// The length of a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestKind {
    /// A breather.
    Short,
    /// A night.
    Long,
}

impl RestKind {
    /// Returns what the rest counts as in the end; `None` if it has no effect.
    pub const fn after(self, course: RestCourse) -> Option<Self> {
        match (self, course) {
            (kind, RestCourse::Finished) => Some(kind),
            (Self::Long, RestCourse::Interrupted) => Some(Self::Short),
            (Self::Short, RestCourse::Interrupted) => None,
        }
    }
}

/// How a rest ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestCourse {
    /// It is finished.
    Finished,
    /// It is interrupted.
    Interrupted,
}

/// A downtime move of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestMove {
    /// Clears Hit Points of a member.
    TendWounds {
        /// The target, as a position in the party.
        whom: usize,
    },
    /// Clears the character's own Stress.
    ClearStress,
    /// Clears Armor Slots of a member.
    RepairArmor {
        /// The target, as a position in the party.
        whom: usize,
    },
    /// Gains Hope, alone or together with others.
    Prepare(Company),
    /// Works on a project, which needs a long rest.
    WorkOnProject,
}

/// Whether a character prepares alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Company {
    /// Alone.
    Alone,
    /// Together with all others who prepare together.
    Together,
}

impl Company {
    /// The Hope gained by preparing.
    pub const fn hope(self) -> i64 {
        match self {
            Self::Alone => 1,
            Self::Together => 2,
        }
    }
}

/// A character who rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rester<'a> {
    /// The kind of character: only player characters count for the Game Master's Fear.
    pub kind: CharacterKind,
    /// The character's profile.
    pub profile: &'a Profile,
    /// The character's state.
    pub state: &'a State,
    /// Up to two moves. The same move may be made twice.
    pub moves: &'a [RestMove],
    /// Who sees the dice of the character's moves.
    pub place: Place,
}

/// Where a character rests, which decides who sees the dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the open; everybody sees the dice.
    AtTheTable,
    /// Behind the screen; only the game master's side sees the dice.
    BehindTheScreen,
}

/// Validates a plan.
pub(super) fn check(kind: RestKind, party: &[Rester<'_>], log: RestLog) -> Result<(), RestError> {
    if party.is_empty() {
        return Err(RestError::NobodyRests);
    }
    if kind == RestKind::Short && log.short_in_a_row() >= RestLog::MAX_SHORT {
        return Err(RestError::TooManyShortRests { max: RestLog::MAX_SHORT });
    }
    for (member, rester) in party.iter().enumerate() {
        check_member(member, rester)?;
        for chosen in rester.moves {
            check_move(kind, party, member, *chosen)?;
        }
    }
    Ok(())
}

fn check_member(member: usize, rester: &Rester<'_>) -> Result<(), RestError> {
    let given = rester.moves.len();
    if given > MAX_MOVES {
        return Err(RestError::TooManyMoves { member, given, max: MAX_MOVES });
    }
    match rester.state.life {
        Life::Active | Life::Unconscious => Ok(()),
        life @ (Life::Dead | Life::Departed) => Err(RestError::NotInPlay { member, life }),
    }
}

fn check_move(
    kind: RestKind,
    party: &[Rester<'_>],
    member: usize,
    chosen: RestMove,
) -> Result<(), RestError> {
    match chosen {
        RestMove::TendWounds { whom } | RestMove::RepairArmor { whom } if whom >= party.len() => {
            Err(RestError::UnknownMember { member, whom })
        }
        RestMove::WorkOnProject if kind == RestKind::Short => {
            Err(RestError::ProjectNeedsLongRest { member })
        }
        RestMove::Prepare(Company::Together) if company(party) < 2 => {
            Err(RestError::PreparesAlone { member })
        }
        _ => Ok(()),
    }
}

/// The number of characters who prepare together.
fn company(party: &[Rester<'_>]) -> usize {
    let together = RestMove::Prepare(Company::Together);
    party.iter().filter(|rester| rester.moves.contains(&together)).count()
}

//! What a party plans for a rest, and whether it can be done.
//!
//! Plans are checked without any dice. This module must never change a state.

use crate::table::profile::{CharacterKind, Profile};
use crate::table::state::{Life, State};

use super::{RestError, RestLog};

/// The most moves of one character in one rest.
const MAX_MOVES: usize = 2;

/// How long a rest is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestKind {
    /// A breather.
    Short,
    /// A night.
    Long,
}

impl RestKind {
    /// What the rest counts as in the end.
    pub const fn after(self, course: RestCourse) -> Option<Self> {
        match (self, course) {
            (kind, RestCourse::Finished) => Some(kind),
            (Self::Long, RestCourse::Interrupted) => Some(Self::Short),
            (Self::Short, RestCourse::Interrupted) => None,
        }
    }
}

/// How a rest goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestCourse {
    /// To its end.
    Finished,
    /// Something comes in between.
    Interrupted,
}

/// What a character does in a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestMove {
    /// Clears Hit Points of somebody.
    TendWounds {
        /// Whose, as a position in the party.
        whom: usize,
    },
    /// Clears the character's own Stress.
    ClearStress,
    /// Clears Armor Slots of somebody.
    RepairArmor {
        /// Whose, as a position in the party.
        whom: usize,
    },
    /// Gains Hope.
    Prepare(Company),
    /// Works on a project, which takes a long rest.
    WorkOnProject,
}

/// With whom a character prepares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Company {
    /// With nobody.
    Alone,
    /// With all others who prepare together.
    Together,
}

impl Company {
    /// The Hope that preparing brings.
    pub const fn hope(self) -> i64 {
        match self {
            Self::Alone => 1,
            Self::Together => 2,
        }
    }
}

/// A character who rests, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rester<'a> {
    /// Whose it is: for the Game Master's Fear, only player characters count.
    pub kind: CharacterKind,
    /// What the character is.
    pub profile: &'a Profile,
    /// How the character fares.
    pub state: &'a State,
    /// Up to two moves. The same move may be made twice.
    pub moves: &'a [RestMove],
    /// Who sees the dice of its moves.
    pub place: Place,
}

/// Where somebody rests, as the players see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Where everybody sees it.
    AtTheTable,
    /// Where only the Game Master does.
    BehindTheScreen,
}

/// Refuses a plan that cannot be carried out.
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

/// How many characters prepare together.
fn company(party: &[Rester<'_>]) -> usize {
    let together = RestMove::Prepare(Company::Together);
    party.iter().filter(|rester| rester.moves.contains(&together)).count()
}

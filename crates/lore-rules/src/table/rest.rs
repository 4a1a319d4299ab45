//! Short and long rests of a whole party.
//!
//! Everything that can be checked is checked before the first die is drawn. Dice are drawn in the
//! order of the members and their moves, and the Game Master's last; this order must never change,
//! or recorded rests could no longer be reproduced. Members behind the screen have a dice stream of
//! their own, so that the other dice can be shown and reproduced without theirs.

mod error;
mod plan;

pub use error::RestError;
pub use plan::{Company, Place, RestCourse, RestKind, RestMove, Rester};

use crate::dice::{DiceStream, Sides};

use super::error::{MAX_AMOUNT, TableError};
use super::fear::{FearStep, GmFear};
use super::hope::gain_hope;
use super::note::Note;
use super::profile::{CharacterKind, Profile};
use super::recovery::{clear_stress, heal, repair_armor};
use super::state::{Life, State, clamp_to};
use super::step::Step;

/// Carries out a rest of a party.
///
/// An interrupted short rest has no effect, not even on Fear, and does not count. An interrupted
/// long rest counts as a short one.
pub fn rest(
    kind: RestKind,
    course: RestCourse,
    party: &[Rester<'_>],
    log: RestLog,
    fear: GmFear,
    dice: RestDice,
) -> Result<RestStep, RestError> {
    plan::check(kind, party, log)?;
    let Some(counts_as) = kind.after(course) else { return lost(party, log, fear) };
    let mut resting = Resting::new(counts_as, party, dice);
    resting.make_moves()?;
    resting.wake_up();
    let fear_die = resting.dice.open.die(Sides::D4);
    Ok(RestStep {
        counts_as: Some(counts_as),
        members: resting.steps(),
        rolls: resting.rolls,
        fear_die: Some(fear_die),
        fear: fear.gain(fear_gained(counts_as, fear_die, player_characters(party)))?,
        log: log.after(counts_as),
        notes: party_notes(kind, counts_as),
    })
}

/// The dice streams of a rest.
pub struct RestDice {
    /// The dice that everybody sees, including the Game Master's.
    pub open: DiceStream,
    /// The dice of members behind the screen.
    pub hidden: DiceStream,
}

/// The result of a rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestStep {
    /// What the rest counts as; `None` if it had no effect.
    pub counts_as: Option<RestKind>,
    /// The step of each member, in the order of the party.
    pub members: Vec<Step>,
    /// The dice of the members' moves, in the order in which they were rolled.
    pub rolls: Vec<RestRoll>,
    /// The die for the Game Master's Fear, if the rest counts.
    pub fear_die: Option<u32>,
    /// The effect on the Game Master's Fear.
    pub fear: FearStep,
    /// The log, including this rest.
    pub log: RestLog,
    /// Notes to the people at the table about the rest as a whole.
    pub notes: Vec<Note>,
}

/// The roll for one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestRoll {
    /// The member who made the move, as a position in the party.
    pub member: usize,
    /// The move.
    pub chosen: RestMove,
    /// The face of the four-sided die.
    pub die: u32,
    /// The sum of the die and the tier.
    pub amount: i64,
}

/// The number of short rests since the last long one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RestLog(i64);

impl RestLog {
    /// The maximum number of short rests in a row.
    pub const MAX_SHORT: i64 = 3;

    /// Validates a number of short rests in a row.
    pub fn new(short_in_a_row: i64) -> Result<Self, TableError> {
        super::error::within("short_rests", short_in_a_row, 0, Self::MAX_SHORT).map(Self)
    }

    /// The number of short rests in a row.
    pub const fn short_in_a_row(self) -> i64 {
        self.0
    }

    /// Returns the log with one more rest. An interrupted long rest may follow three short ones;
    /// then the number stays at three.
    fn after(self, rest: RestKind) -> Self {
        match rest {
            RestKind::Short => Self((self.0 + 1).min(Self::MAX_SHORT)),
            RestKind::Long => Self(0),
        }
    }
}

/// A rest in progress.
struct Resting<'a> {
    counts_as: RestKind,
    party: &'a [Rester<'a>],
    members: Vec<Member<'a>>,
    rolls: Vec<RestRoll>,
    dice: RestDice,
}

struct Member<'a> {
    profile: &'a Profile,
    before: &'a State,
    state: State,
    notes: Vec<Note>,
}

impl<'a> Resting<'a> {
    fn new(counts_as: RestKind, party: &'a [Rester<'a>], dice: RestDice) -> Self {
        let members = party.iter().map(Member::new).collect();
        Self { counts_as, party, members, rolls: Vec::new(), dice }
    }

    fn make_moves(&mut self) -> Result<(), RestError> {
        let party = self.party;
        for (member, rester) in party.iter().enumerate() {
            for chosen in rester.moves {
                self.make_move(member, *chosen)?;
            }
        }
        Ok(())
    }

    fn make_move(&mut self, member: usize, chosen: RestMove) -> Result<(), RestError> {
        if self.members.get(member).is_some_and(|it| it.state.life == Life::Unconscious) {
            return Err(RestError::Unconscious { member });
        }
        let (whom, rule): (usize, Rule) = match chosen {
            RestMove::TendWounds { whom } => (whom, heal),
            RestMove::RepairArmor { whom } => (whom, repair_armor),
            RestMove::ClearStress => (member, clear_stress),
            RestMove::Prepare(company) => return self.apply(member, gain_hope, company.hope()),
            RestMove::WorkOnProject => return self.work(member),
        };
        let amount = self.amount(member, chosen);
        self.apply(whom, rule, amount)
    }

    /// Returns how much a move clears: everything in a long rest, the sum of a die and the tier in
    /// a short one.
    fn amount(&mut self, member: usize, chosen: RestMove) -> i64 {
        if self.counts_as == RestKind::Long {
            return MAX_AMOUNT;
        }
        let tier = self.members.get(member).map_or(0, |it| it.profile.level().tier());
        let stream = match self.party.get(member).map(|rester| rester.place) {
            Some(Place::BehindTheScreen) => &mut self.dice.hidden,
            Some(Place::AtTheTable) | None => &mut self.dice.open,
        };
        let die = stream.die(Sides::D4);
        let amount = i64::from(die) + tier;
        self.rolls.push(RestRoll { member, chosen, die, amount });
        amount
    }

    fn apply(&mut self, whom: usize, rule: Rule, amount: i64) -> Result<(), RestError> {
        if let Some(member) = self.members.get_mut(whom) {
            let step = rule(member.profile, &member.state, amount)?;
            member.state = step.state;
            member.hear(&step.notes);
        }
        Ok(())
    }

    /// Work on a project is tracked by the people at the table; here it only uses up a move.
    fn work(&mut self, member: usize) -> Result<(), RestError> {
        let member = self.members.get_mut(member);
        if let Some(member) = member.filter(|_| self.counts_as == RestKind::Short) {
            member.hear(&[Note::ProjectLost]);
        }
        Ok(())
    }

    /// Wakes unconscious members after a long rest.
    fn wake_up(&mut self) {
        if self.counts_as == RestKind::Short {
            return;
        }
        for member in self.members.iter_mut().filter(|it| it.state.life == Life::Unconscious) {
            let awake = State { life: Life::Active, ..member.state.clone() };
            let step = Step::settled(member.profile, &member.state, awake, vec![Note::WokeUp]);
            member.state = step.state;
            member.hear(&step.notes);
        }
    }

    fn steps(&self) -> Vec<Step> {
        self.members.iter().map(Member::step).collect()
    }
}

/// A rule that clears or adds an amount of something.
type Rule = fn(&Profile, &State, i64) -> Result<Step, TableError>;

impl<'a> Member<'a> {
    fn new(rester: &Rester<'a>) -> Self {
        let Step { state, notes, .. } = clamp_to(rester.profile, rester.state);
        Self { profile: rester.profile, before: rester.state, state, notes }
    }

    fn hear(&mut self, notes: &[Note]) {
        for note in notes {
            if !self.notes.contains(note) {
                self.notes.push(*note);
            }
        }
    }

    fn step(&self) -> Step {
        Step::between(self.before, self.state.clone(), self.notes.clone())
    }
}

/// Returns the result of a rest without effect.
fn lost(party: &[Rester<'_>], log: RestLog, fear: GmFear) -> Result<RestStep, RestError> {
    Ok(RestStep {
        counts_as: None,
        members: party.iter().map(|rester| Member::new(rester).step()).collect(),
        rolls: Vec::new(),
        fear_die: None,
        fear: fear.gain(0)?,
        log,
        notes: vec![Note::RestLost],
    })
}

fn player_characters(party: &[Rester<'_>]) -> usize {
    party.iter().filter(|rester| rester.kind == CharacterKind::Pc).count()
}

/// The Fear gained: the die, and for a long rest one more per player character.
fn fear_gained(counts_as: RestKind, die: u32, characters: usize) -> i64 {
    match counts_as {
        RestKind::Short => i64::from(die),
        RestKind::Long => i64::from(die) + GmFear::starting(characters).value(),
    }
}

fn party_notes(planned: RestKind, counts_as: RestKind) -> Vec<Note> {
    match (planned, counts_as) {
        (RestKind::Long, RestKind::Short) => vec![Note::RestShortened],
        (_, RestKind::Long) => vec![Note::CountdownMayAdvance],
        (RestKind::Short, RestKind::Short) => Vec::new(),
    }
}

#[cfg(test)]
mod tests;

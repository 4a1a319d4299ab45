//! Rests: an effect on several characters at once.

use lore_core::{Error, Result, Uid, Visibility};
use lore_rules::dice::{ALGORITHM, DiceStream, Seed};
use lore_rules::table::{
    self as rules, GmFear, Note, Place, RestCourse, RestDice, RestError, RestKind, RestLog,
    RestMove, RestRoll, RestStep, Rester,
};
use serde_json::{Value, json};

use super::Work;
use crate::play::character::Kind;
use crate::play::dice::{Randomness, choose_seed};
use crate::play::ids::Thing;
use crate::play::sheet::{self, Sheet, table_error};
use crate::play::table;

/// The input of a rest.
#[derive(Debug, Clone)]
pub struct RestPlan {
    /// Short or long.
    pub kind: RestKind,
    /// How the rest goes.
    pub course: RestCourse,
    /// The moves of the targets. A target that is missing here makes none.
    pub members: Vec<RestingMember>,
}

/// The moves of one character during a rest.
#[derive(Debug, Clone)]
pub struct RestingMember {
    /// The character.
    pub character: Uid,
    /// Up to two moves. Whom they help is given as an index into the targets.
    pub moves: Vec<RestMove>,
}

impl RestPlan {
    /// Its name in summaries.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            RestKind::Short => "short",
            RestKind::Long => "long",
        }
    }

    fn moves_of(&self, character: Uid) -> &[RestMove] {
        let member = self.members.iter().find(|member| member.character == character);
        member.map_or(&[], |member| &member.moves)
    }
}

impl Work<'_> {
    pub(super) async fn rest(&mut self, plan: &RestPlan) -> Result<()> {
        self.check_members(plan)?;
        let mut loaded = Vec::with_capacity(self.nodes.len());
        for node in self.nodes {
            loaded.push(sheet::load_with_visibility(self.call, node).await?);
        }
        let is_known = |(.., shown): &(Sheet, i64, Visibility)| *shown == Visibility::Members;
        let any_known = loaded.iter().any(is_known);
        let party: Vec<_> = loaded
            .iter()
            .zip(self.nodes)
            .map(|(loaded, node)| Rester {
                kind: Kind::of(node).into(),
                profile: &loaded.0.profile,
                state: &loaded.0.state,
                moves: plan.moves_of(node.uid),
                // If all targets are hidden, the whole event is visible to the GM only.
                place: match any_known && !is_known(loaded) {
                    true => Place::BehindTheScreen,
                    false => Place::AtTheTable,
                },
            })
            .collect();
        let (table, _) = table::load(self.call, self.home).await?;
        let log = RestLog::new(i64::from(table.short_rests)).map_err(table_error)?;
        let fear = GmFear::new(table.gm_fear).map_err(table_error)?;
        let seed = || choose_seed(&self.call.app.effects, Randomness::Live).seed;
        let seeds = Seeds { open: seed(), hidden: seed() };
        let rested = rules::rest(plan.kind, plan.course, &party, log, fear, seeds.dice());
        let rested = rested.map_err(|error| self.rest_error(plan, error))?;
        self.outcome.detail = open_detail(&rested, &party, seeds);
        self.outcome.hidden_detail = hidden_detail(&rested, &party, seeds);
        for ((node, (sheet, version, visibility)), step) in
            self.nodes.iter().zip(&loaded).zip(rested.members)
        {
            self.collector.stepped(node, *version, *visibility, sheet.stepped(step))?;
        }
        let notes: Vec<Note> = rested.notes.into_iter().chain(rested.fear.notes).collect();
        let after = (rested.fear.fear.value(), rested.log.short_in_a_row());
        let table = self
            .collector
            .table(self.home, move |table| {
                table.gm_fear = after.0;
                table.short_rests = u8::try_from(after.1).unwrap_or(u8::MAX);
                Ok(notes)
            })
            .await?;
        self.outcome.gm_fear = Some(table.gm_fear);
        Ok(())
    }

    /// Converts an error of the rules, naming the character it is about.
    fn rest_error(&self, plan: &RestPlan, error: RestError) -> Error {
        let who = |member: usize| self.nodes.get(member);
        let name = |member: usize| who(member).map_or("somebody", |node| node.name.as_str());
        let (message, hint) = match error {
            RestError::TooManyMoves { member, given, max } => {
                let is_of =
                    |entry: &RestingMember| who(member).map(|n| n.uid) == Some(entry.character);
                let entry = plan.members.iter().position(is_of).unwrap_or(member);
                let field = format!("rest.members[{entry}].moves");
                return Error::invalid(
                    field,
                    format!("are {given}"),
                    format!("choose at most {max}"),
                );
            }
            RestError::NotInPlay { member, life } => {
                (format!("{} is {}", name(member), life.as_str()), sheet::REVIVE)
            }
            RestError::Unconscious { member } => (
                format!("{} is unconscious and makes no moves", name(member)),
                "leave those moves out; another may tend the wounds with TEND_WOUNDS",
            ),
            RestError::ProjectNeedsLongRest { member } => (
                format!("{} works on a project, which needs a long rest", name(member)),
                "choose another move, or rest LONG",
            ),
            RestError::PreparesAlone { member } => (
                format!("{} prepares together with nobody", name(member)),
                "choose PREPARE, or PREPARE_TOGETHER for another one, too",
            ),
            other => (other.to_string(), "change the plan of the rest"),
        };
        Error::Precondition { message, hint: hint.into() }
    }

    fn check_members(&self, plan: &RestPlan) -> Result<()> {
        let stranger = plan
            .members
            .iter()
            .enumerate()
            .find(|(_, member)| !self.nodes.iter().any(|node| node.uid == member.character));
        match stranger {
            None => Ok(()),
            Some((index, member)) => Err(Error::invalid(
                format!("rest.members[{index}].character_id"),
                format!("{} does not rest", Thing::Character.show(member.character)),
                "name everybody who rests in character_ids",
            )),
        }
    }
}

/// The seeds of the dice. Hidden characters have their own, so that the open rolls can be verified
/// without them.
#[derive(Clone, Copy)]
struct Seeds {
    open: Seed,
    hidden: Seed,
}

impl Seeds {
    fn dice(self) -> RestDice {
        RestDice { open: DiceStream::new(self.open), hidden: DiceStream::new(self.hidden) }
    }
}

fn open_detail(rested: &RestStep, party: &[Rester<'_>], seeds: Seeds) -> Value {
    json!({
        "counts_as": rested.counts_as.map(|kind| format!("{kind:?}").to_uppercase()),
        "rolls": rolls_of(rested, party, Place::AtTheTable),
        "fear_die": rested.fear_die,
        "seed_used": seeds.open.value(),
        "rng_algo": ALGORITHM,
    })
}

/// The dice of hidden characters, or null if there are none.
fn hidden_detail(rested: &RestStep, party: &[Rester<'_>], seeds: Seeds) -> Value {
    let rolls = rolls_of(rested, party, Place::BehindTheScreen);
    match rolls.is_empty() {
        true => Value::Null,
        false => json!({ "hidden_rolls": rolls, "hidden_seed_used": seeds.hidden.value() }),
    }
}

fn rolls_of(rested: &RestStep, party: &[Rester<'_>], place: Place) -> Vec<Value> {
    let of_place = |roll: &&RestRoll| party.get(roll.member).is_some_and(|it| it.place == place);
    let shown = |roll: &RestRoll| json!({ "die": roll.die, "amount": roll.amount });
    rested.rolls.iter().filter(of_place).map(shown).collect()
}

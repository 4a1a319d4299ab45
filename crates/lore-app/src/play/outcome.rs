//! Applies the consequences of an action roll: Hope, stress, Fear and countdowns. Each roll is
//! applied at most once.

use lore_core::{Error, Event, Node, Result, Uid, Visibility};
use lore_rules::duality::Outcome;
use lore_rules::table::{GmFear, apply_outcome, apply_outcome_to_fear, outcome_effects};
use lore_store::EventQuery;
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::change_collector::{ChangeCollector, Part, Share, told};
use super::character::find_all;
use super::effect::{Ticked, tick};
use super::ids::Thing;
use super::rights::{self, Rights};
use super::session::{self, Session, shown_of, touching_log};
use super::sheet::{self, Changed, Sheet, table_error};

/// The result of applying a roll.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The sequence number of the roll.
    pub roll_seq: i64,
    /// Whether the GM should make a move.
    pub requires_complication: bool,
    /// The sheets of all targets afterwards.
    pub states: Vec<(Uid, Sheet)>,
    /// The GM's Fear, if it changed.
    pub gm_fear: Option<i64>,
    /// The countdowns that the roll advanced.
    pub countdowns: Vec<Ticked>,
    /// Whether it had been applied before.
    pub already_applied: bool,
}

/// The plan for applying a roll.
pub enum ApplyPlan {
    /// It was applied before. There is nothing to do.
    Before(Applied),
    /// The plan that applies it.
    Now(Plan<Applied>),
}

/// Plans to apply the roll `roll_seq`. `targets` defaults to the character who rolled.
pub async fn apply(
    call: &PlayCall,
    session: Uid,
    roll_seq: i64,
    targets: &[Uid],
) -> Result<ApplyPlan> {
    let (session, home) = session::find(call, session).await?;
    let (session, home) = (&session, &home);
    let roll = find_roll(call, session, roll_seq).await?;
    // Even callers who may not see how the roll was applied must learn that it was.
    let settled = call.app.store.settled(&call.all_seeing(), session.node.id, roll_seq).await?;
    if let Some(done) = settled {
        let mut applied = read_applied(&done)?;
        applied.states = visible(call, applied.states).await?;
        return Ok(ApplyPlan::Before(applied));
    }
    session.require_running()?;
    let targets = wanted_targets(&roll, targets)?;
    let nodes = find_all(call, home, &targets, "targets").await?;
    let rights = rights::in_campaign(call, home).await?;
    nodes.iter().try_for_each(|node| rights.require(node))?;
    if !rights.is_gm() {
        // Applying uses the roll up, so the caller must be allowed to act for the character who
        // rolled.
        let roller = find_all(call, home, &roller(&roll)?, "roll_seq").await?;
        roller.iter().try_for_each(|node| rights.require(node))?;
    }
    let outcome = outcome_of(&roll)?;
    let mut collector = ChangeCollector::new(call);
    for node in &nodes {
        collector.sheet(node, |sheet: &Sheet| judged(sheet, outcome)).await?;
    }
    let (gm_fear, countdowns) = turn_table(&mut collector, home, outcome).await?;
    let answer = Applied {
        roll_seq,
        requires_complication: outcome_effects(outcome).requires_complication,
        states: collector.states.clone(),
        gm_fear,
        countdowns,
        already_applied: false,
    };
    Ok(ApplyPlan::Now(finish(call, &rights, collector, session, home, answer).await?))
}

/// Applies an outcome to a sheet. Characters out of play are not changed, but this does not prevent
/// Fear from rising.
fn judged(sheet: &Sheet, outcome: Outcome) -> Result<Changed> {
    if !sheet.state.life.is_in_play() {
        return Ok(Changed { sheet: sheet.clone(), changes: Vec::new(), notes: Vec::new() });
    }
    let step = apply_outcome(&sheet.profile, &sheet.state, outcome).map_err(table_error)?;
    Ok(sheet.stepped(step))
}

/// Raises Fear if the outcome says so, and advances the countdowns. Fear that is at its maximum
/// already stays there without an error.
async fn turn_table(
    collector: &mut ChangeCollector<'_>,
    home: &Node,
    outcome: Outcome,
) -> Result<(Option<i64>, Vec<Ticked>)> {
    let (mut before, mut countdowns) = (0, Vec::new());
    let table = collector
        .table(home, |table| {
            before = table.gm_fear;
            countdowns = tick(table, outcome)?;
            let fear =
                GmFear::new(table.gm_fear).and_then(|fear| apply_outcome_to_fear(fear, outcome));
            let step = fear.map_err(table_error)?;
            table.gm_fear = step.fear.value();
            Ok(step.notes)
        })
        .await?;
    Ok(((table.gm_fear != before).then_some(table.gm_fear), countdowns))
}

async fn finish(
    call: &PlayCall,
    rights: &Rights,
    mut collector: ChangeCollector<'_>,
    session: &Session,
    home: &Node,
    answer: Applied,
) -> Result<Plan<Applied>> {
    let mut batch = collector.touching(call.batch().require(session.unchanged()), home);
    let ticks = collector.take_countdowns();
    let roll_seq = answer.roll_seq;
    let asked = collector.event(
        rights,
        "OUTCOME_APPLY_REQUESTED",
        |part, _| json!({ "roll_seq": roll_seq, "targets": part.target_ids() }),
    );
    let mut applied = collector
        .event(rights, "OUTCOME_APPLIED", |part, share| applied_payload(&answer, part, share));
    applied.settles = Some(roll_seq);
    let mut events = vec![asked, applied];
    if !ticks.is_empty() {
        // Countdowns are visible to everybody, even if the roll is not.
        let seen = events.iter().all(|event| event.visibility == Visibility::Members);
        let roll = seen.then_some(roll_seq);
        events.push(call.event(rights, "COUNTDOWN_CHANGED", &ticked_payload(&answer, roll, ticks)));
    }
    batch = touching_log(batch, session.node.uid, shown_of(&events));
    batch = batch.change(call.append(&session.node, events).await?);
    batch.changes.extend(collector.changes);
    Ok(Plan::new(batch, answer))
}

fn applied_payload(answer: &Applied, part: &Part, share: Share) -> Value {
    let of_part = |state: &&(Uid, Sheet)| part.targets.contains(&state.0);
    let states: Vec<_> = answer.states.iter().filter(of_part).map(state_value).collect();
    let mut payload = json!({
        "targets": part.target_ids(), "applied_changes": part.applied, "states": states,
    });
    // The part that everybody reads contains what concerns the table. It is not repeated in the
    // hidden one.
    if share != Share::Hidden
        && let Some(fields) = payload.as_object_mut()
    {
        fields.insert("roll_seq".into(), json!(answer.roll_seq));
        fields.insert("requires_complication".into(), json!(answer.requires_complication));
        fields.insert("gm_fear".into(), json!(answer.gm_fear));
        let countdowns = answer.countdowns.iter().map(Ticked::to_value);
        fields.insert("countdowns".into(), countdowns.collect());
    }
    payload
}

fn ticked_payload(answer: &Applied, roll: Option<i64>, changes: Vec<Value>) -> Value {
    let says = |ticked: &Ticked| {
        let Ticked { name, before, after, triggered } = ticked;
        let triggers = if *triggered { ", triggered" } else { "" };
        format!("{name} {before} → {after}{triggers}")
    };
    let said: Vec<_> = answer.countdowns.iter().map(says).collect();
    json!({
        "summary": format!("countdowns: {}", said.join("; ")),
        "roll_seq": roll,
        "applied_changes": changes,
        "detail": {
            "countdowns": answer.countdowns.iter().map(Ticked::to_value).collect::<Vec<_>>(),
        },
    })
}

/// Reads the outcome from the event of a roll.
fn outcome_of(roll: &Event) -> Result<Outcome> {
    let payload: Value = serde_json::from_str(&roll.payload).map_err(|_| damaged())?;
    if payload.get("reaction") == Some(&json!(true)) {
        return Err(Error::Precondition {
            message: format!("roll {} is a reaction, from which nothing follows", roll.sequence),
            hint: "go by its success; Hope, Fear and countdowns come of action rolls only".into(),
        });
    }
    let name = payload.get("outcome").and_then(Value::as_str).ok_or_else(damaged)?;
    Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == name).ok_or_else(damaged)
}

async fn find_roll(call: &PlayCall, session: &Session, roll_seq: i64) -> Result<Event> {
    let missing = || {
        Error::not_found(
            format!("roll {roll_seq} of this session"),
            "use the roll_seq that session_action_roll returned",
        )
    };
    if roll_seq < 1 {
        return Err(Error::invalid("roll_seq", format!("is {roll_seq}"), "use a number from 1 on"));
    }
    let query = EventQuery {
        after: Some(roll_seq - 1),
        before: Some(roll_seq.saturating_add(1)),
        ..EventQuery::default()
    };
    let found = call.app.store.events(&call.viewer, session.node.id, query).await?;
    let event = found.into_iter().next().ok_or_else(missing)?;
    if event.kind != "ACTION_ROLL_RESOLVED" {
        return Err(Error::Precondition {
            message: format!("event {roll_seq} is not a roll but {}", event.kind),
            hint: "use the roll_seq that session_action_roll returned".into(),
        });
    }
    Ok(event)
}

/// Returns the character who rolled.
fn roller(roll: &Event) -> Result<Vec<Uid>> {
    roll.character.map(|uid| vec![uid]).ok_or_else(damaged)
}

fn wanted_targets(roll: &Event, given: &[Uid]) -> Result<Vec<Uid>> {
    if given.is_empty() {
        return roller(roll);
    }
    let mut targets = Vec::with_capacity(given.len());
    for uid in given {
        if !targets.contains(uid) {
            targets.push(*uid);
        }
    }
    Ok(targets)
}

/// Keeps the states whose sheets the caller may see.
async fn visible(call: &PlayCall, states: Vec<(Uid, Sheet)>) -> Result<Vec<(Uid, Sheet)>> {
    if call.viewer.sees_gm_side() {
        return Ok(states);
    }
    let uids: Vec<_> = states.iter().map(|(uid, _)| *uid).collect();
    let nodes = call.app.store.nodes_by_uid(&call.viewer, &uids).await?;
    let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
    let sheets = call.app.store.states(&call.viewer, &ids, &sheet::name()?).await?;
    let seen = |uid: Uid| {
        let node = nodes.iter().find(|node| node.uid == uid);
        node.is_some_and(|node| sheets.iter().any(|sheet| sheet.node == node.id))
    };
    Ok(states.into_iter().filter(|(uid, _)| seen(*uid)).collect())
}

fn state_value((uid, sheet): &(Uid, Sheet)) -> Value {
    json!({ "character_id": Thing::Character.show(*uid), "sheet": sheet.to_value() })
}

/// Reads the result of an earlier application from its event.
fn read_applied(event: &Event) -> Result<Applied> {
    let payload = told(event);
    let mut states = Vec::new();
    for entry in payload.get("states").and_then(Value::as_array).into_iter().flatten() {
        let id = entry.get("character_id").and_then(Value::as_str).ok_or_else(damaged)?;
        let sheet = entry.get("sheet").cloned().ok_or_else(damaged)?;
        states.push((Thing::Character.read("character_id", id)?, Sheet::from_value(sheet)?));
    }
    let countdowns = payload.get("countdowns").and_then(Value::as_array);
    Ok(Applied {
        countdowns: countdowns.into_iter().flatten().filter_map(Ticked::from_value).collect(),
        roll_seq: event.settles.ok_or_else(damaged)?,
        requires_complication: payload.get("requires_complication") == Some(&json!(true)),
        states,
        gm_fear: payload.get("gm_fear").and_then(Value::as_i64),
        already_applied: true,
    })
}

fn damaged() -> Error {
    Error::Corrupt { what: "an event of a session cannot be read".into() }
}

//! Applying what follows from a roll: once, however often it is asked for.

use lore_core::{Error, Event, Node, Result, Uid, Visibility};
use lore_store::{Change, EventQuery, NodeRef};
use serde_json::{Value, json};

use super::character::{changes_value, find_all, list_uri, put_sheet};
use super::desk::{Desk, Plan};
use super::ids::Thing;
use super::session::{self, Session, events_uri};
use super::sheet::{self, Sheet};
use super::{campaign, log, rights, table};

/// The most Fear a GM holds.
pub const FEAR_MAX: u8 = 12;

/// What came of applying a roll.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The roll.
    pub roll_seq: i64,
    /// Whether the GM has a move to make.
    pub requires_complication: bool,
    /// Every target, as it fares now.
    pub states: Vec<(Uid, Sheet)>,
    /// The GM's Fear, if it changed.
    pub gm_fear: Option<u8>,
    /// Whether this had been applied before.
    pub already_applied: bool,
}

/// What applying a roll comes to.
pub enum ApplyPlan {
    /// It was applied before; nothing is left to do.
    Before(Applied),
    /// It is applied now.
    Now(Plan<Applied>),
}

/// Plans to apply the roll `roll_seq`; `targets` default to who rolled.
pub async fn apply(desk: &Desk, session: Uid, roll_seq: i64, targets: &[Uid]) -> Result<ApplyPlan> {
    let (session, home) = session::find(desk, session).await?;
    match plan(desk, &session, &home, roll_seq, targets).await {
        Ok(plan) => Ok(plan),
        Err(error) => {
            log::reject(desk, &session, "session_roll_outcome_apply", &error).await;
            Err(error)
        }
    }
}

async fn plan(
    desk: &Desk,
    session: &Session,
    home: &Node,
    roll_seq: i64,
    targets: &[Uid],
) -> Result<ApplyPlan> {
    let roll = find_roll(desk, session, roll_seq).await?;
    if let Some(done) = desk.app.store.settled(&desk.viewer, session.node.id, roll_seq).await? {
        return Ok(ApplyPlan::Before(read_applied(&done)?));
    }
    session.require_running()?;
    let targets = wanted_targets(&roll, targets)?;
    let nodes = find_all(desk, home, &targets, "targets").await?;
    let rights = rights::in_campaign(desk, home).await?;
    nodes.iter().try_for_each(|node| rights.require(node))?;
    let effect = Effect::of(&roll)?;
    let mut work = Work::new(desk);
    for node in &nodes {
        work.move_character(node, effect).await?;
    }
    let gm_fear = work.raise_fear(home, effect).await?;
    let answer = Applied {
        roll_seq,
        requires_complication: effect == Effect::Fear,
        states: work.states.clone(),
        gm_fear,
        already_applied: false,
    };
    Ok(ApplyPlan::Now(work.finish(session, home, &targets, answer).await?))
}

/// What a roll does to the table, whether it succeeded or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Crit,
    Hope,
    Fear,
}

impl Effect {
    fn of(roll: &Event) -> Result<Self> {
        let payload: Value = serde_json::from_str(&roll.payload).map_err(|_| damaged())?;
        match (payload.get("crit"), payload.get("flavor").and_then(Value::as_str)) {
            (Some(Value::Bool(true)), _) => Ok(Self::Crit),
            (_, Some("HOPE")) => Ok(Self::Hope),
            (_, Some("FEAR")) => Ok(Self::Fear),
            _ => Err(damaged()),
        }
    }

    fn apply(self, sheet: &Sheet) -> Sheet {
        match self {
            Self::Crit => sheet.moved(1, -1),
            Self::Hope => sheet.moved(1, 0),
            Self::Fear => sheet.clone(),
        }
    }
}

/// The changes of one application, as they come together.
struct Work<'a> {
    desk: &'a Desk,
    changes: Vec<Change>,
    notes: Vec<Value>,
    states: Vec<(Uid, Sheet)>,
    /// Who may read of it: what touches a hidden sheet is hidden itself.
    visibility: Visibility,
}

impl<'a> Work<'a> {
    fn new(desk: &'a Desk) -> Self {
        let visibility = Visibility::Members;
        Self { desk, changes: Vec::new(), notes: Vec::new(), states: Vec::new(), visibility }
    }

    async fn move_character(&mut self, node: &Node, effect: Effect) -> Result<()> {
        let (before, version, visibility) = sheet::load_with_visibility(self.desk, node).await?;
        let after = effect.apply(&before);
        let changed = before.state_changes(&after);
        if !changed.is_empty() {
            self.notes.extend(changes_value(node.uid, &changed));
            self.changes.push(put_sheet(NodeRef::Id(node.id), &after, version, visibility)?);
        }
        self.states.push((node.uid, after));
        if visibility != Visibility::Members {
            self.visibility = Visibility::Gm;
        }
        Ok(())
    }

    /// Fear stays at its maximum; that is no error.
    async fn raise_fear(&mut self, home: &Node, effect: Effect) -> Result<Option<u8>> {
        if effect != Effect::Fear {
            return Ok(None);
        }
        let (mut table, version) = table::load(self.desk, home).await?;
        let before = table.gm_fear;
        table.gm_fear = (before + 1).min(FEAR_MAX);
        if table.gm_fear == before {
            return Ok(None);
        }
        self.notes.push(json!({ "field": "gm_fear", "before": before, "after": table.gm_fear }));
        self.changes.push(table::put(home, &table, version)?);
        Ok(Some(table.gm_fear))
    }

    async fn finish(
        self,
        session: &Session,
        home: &Node,
        targets: &[Uid],
        answer: Applied,
    ) -> Result<Plan<Applied>> {
        let ids: Vec<_> = targets.iter().map(|uid| Thing::Character.show(*uid)).collect();
        let roll_seq = answer.roll_seq;
        let asked = self
            .desk
            .event("OUTCOME_APPLY_REQUESTED", &json!({ "roll_seq": roll_seq, "targets": ids }));
        let mut applied = self.desk.event(
            "OUTCOME_APPLIED",
            &json!({
                "roll_seq": roll_seq,
                "targets": ids,
                "requires_complication": answer.requires_complication,
                "applied_changes": self.notes,
                "gm_fear": answer.gm_fear,
                "states": answer.states.iter().map(state_value).collect::<Vec<_>>(),
            }),
        );
        applied.settles = Some(roll_seq);
        applied.visibility = self.visibility;
        let log = self.desk.append(&session.node, vec![asked, applied]).await?;
        let mut batch = self.desk.batch().change(log);
        batch.changes.extend(self.changes);
        let batch = batch
            .touch(events_uri(session.node.uid))
            .touch(list_uri(home.uid))
            .touch(campaign::uri(home.uid))
            .touch("campaigns://list");
        Ok(Plan::new(batch, answer))
    }
}

async fn find_roll(desk: &Desk, session: &Session, roll_seq: i64) -> Result<Event> {
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
    let found = desk.app.store.events(&desk.viewer, session.node.id, query).await?;
    let event = found.into_iter().next().ok_or_else(missing)?;
    if event.kind != "ACTION_ROLL_RESOLVED" {
        return Err(Error::Precondition {
            message: format!("event {roll_seq} is no roll but {}", event.kind),
            hint: "use the roll_seq that session_action_roll returned".into(),
        });
    }
    Ok(event)
}

fn wanted_targets(roll: &Event, given: &[Uid]) -> Result<Vec<Uid>> {
    if given.is_empty() {
        return roll.character.map(|uid| vec![uid]).ok_or_else(damaged);
    }
    let mut targets = Vec::with_capacity(given.len());
    for uid in given {
        if !targets.contains(uid) {
            targets.push(*uid);
        }
    }
    Ok(targets)
}

fn state_value((uid, sheet): &(Uid, Sheet)) -> Value {
    json!({ "character_id": Thing::Character.show(*uid), "sheet": sheet })
}

/// The answer of an application, from its event.
fn read_applied(event: &Event) -> Result<Applied> {
    let payload: Value = serde_json::from_str(&event.payload).map_err(|_| damaged())?;
    let mut states = Vec::new();
    for entry in payload.get("states").and_then(Value::as_array).into_iter().flatten() {
        let id = entry.get("character_id").and_then(Value::as_str).ok_or_else(damaged)?;
        let sheet = entry.get("sheet").cloned().ok_or_else(damaged)?;
        let sheet = serde_json::from_value(sheet).map_err(|_| damaged())?;
        states.push((Thing::Character.read("character_id", id)?, sheet));
    }
    let fear = payload.get("gm_fear").and_then(Value::as_u64);
    Ok(Applied {
        roll_seq: event.settles.ok_or_else(damaged)?,
        requires_complication: payload.get("requires_complication") == Some(&json!(true)),
        states,
        gm_fear: fear.and_then(|fear| u8::try_from(fear).ok()),
        already_applied: true,
    })
}

fn damaged() -> Error {
    Error::Corrupt { what: "an event of a session cannot be read".into() }
}

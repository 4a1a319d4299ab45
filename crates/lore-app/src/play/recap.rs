//! "Previously on": what happened in a session, in few words.

use std::collections::BTreeMap;

use lore_core::{Event, Result, Uid};
use lore_store::{EventOrder, EventQuery};
use serde_json::Value;

use super::desk::Desk;
use super::session::{self, Session};
use super::tally::told;

/// Events read at once.
const PAGE: usize = 1_000;
/// Most events a recap looks at; a longer session is told from its end.
const EVENTS_MAX: usize = 20_000;
/// Most events a search returns.
const MATCHES_MAX: usize = 50;
/// Most notes and other happenings a recap tells.
const HAPPENINGS_MAX: usize = 200;

/// What happened in a session.
#[derive(Debug, Clone)]
pub struct Recap {
    /// The session.
    pub session: Session,
    /// How many events were looked at.
    pub events: usize,
    /// How the dice fell, by the name of who rolled.
    pub rolls: BTreeMap<String, Rolls>,
    /// What changed from beginning to end, by whose it is (a character's or participant's id,
    /// or `table`) and field.
    pub changes: BTreeMap<(String, String), (Value, Value)>,
    /// Notes and other happenings, in order.
    pub happenings: Vec<Happening>,
    /// Events that hold the words looked for, newest first.
    pub matches: Vec<Event>,
}

/// How dice fell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rolls {
    /// All rolls.
    pub total: u32,
    /// Those that succeeded.
    pub successes: u32,
    /// Those with equal dice.
    pub criticals: u32,
    /// Those that Hope led.
    pub with_hope: u32,
    /// Those that Fear led.
    pub with_fear: u32,
}

/// Something worth telling.
#[derive(Debug, Clone)]
pub struct Happening {
    /// Its place in the log.
    pub sequence: i64,
    /// What kind of event it is.
    pub kind: String,
    /// The note, or what the event says of itself.
    pub text: String,
}

/// Tells what happened; with words to look for, also where they occur.
pub async fn tell(desk: &Desk, session: Uid, words: &[String]) -> Result<Recap> {
    let (session, _) = session::find(desk, session).await?;
    let mut recap = Recap {
        session,
        events: 0,
        rolls: BTreeMap::new(),
        changes: BTreeMap::new(),
        happenings: Vec::new(),
        matches: Vec::new(),
    };
    for event in read_all(desk, &recap.session).await? {
        recap.take(&event);
    }
    if !words.is_empty() {
        let query = EventQuery {
            words: words.to_vec(),
            order: EventOrder::Descending,
            limit: MATCHES_MAX,
            ..EventQuery::default()
        };
        let node = recap.session.node.id;
        recap.matches = desk.app.store.events(&desk.viewer, node, query).await?;
    }
    let surplus = recap.happenings.len().saturating_sub(HAPPENINGS_MAX);
    recap.happenings.drain(..surplus);
    recap.changes.retain(|_, (before, after)| before != after);
    Ok(recap)
}

/// The events of a session in order, the last ones when there are too many.
async fn read_all(desk: &Desk, session: &Session) -> Result<Vec<Event>> {
    let mut events: Vec<Event> = Vec::new();
    let mut before = None;
    while events.len() < EVENTS_MAX {
        let query = EventQuery {
            before,
            order: EventOrder::Descending,
            limit: PAGE,
            ..EventQuery::default()
        };
        let page = desk.app.store.events(&desk.viewer, session.node.id, query).await?;
        let Some(oldest) = page.last() else { break };
        before = Some(oldest.sequence);
        events.extend(page);
    }
    events.reverse();
    Ok(events)
}

impl Recap {
    fn take(&mut self, event: &Event) {
        self.events += 1;
        let payload = told(event);
        match event.kind.as_str() {
            "ACTION_ROLL_RESOLVED" => self.take_roll(&payload),
            "ACTION_ROLL_REQUESTED" | "OUTCOME_APPLY_REQUESTED" => {}
            "NOTE_ADDED" => self.tell(event, text(&payload, "text")),
            "OUTCOME_APPLIED" | "CHARACTER_STATE_PATCHED" | "CHARACTER_PROFILE_PATCHED" => {}
            "REQUEST_REJECTED" => self.tell(event, text(&payload, "message")),
            kind => self.tell(event, text(&payload, "summary").if_empty(kind)),
        }
        for change in payload.get("applied_changes").and_then(Value::as_array).into_iter().flatten()
        {
            self.take_change(change);
        }
    }

    fn take_roll(&mut self, payload: &Value) {
        let is = |key: &str| payload.get(key) == Some(&Value::Bool(true));
        let rolls = self.rolls.entry(text(payload, "character")).or_default();
        rolls.total += 1;
        rolls.successes += u32::from(is("success"));
        rolls.criticals += u32::from(is("crit"));
        if is("reaction") {
            return;
        }
        let with_fear = text(payload, "flavor") == "FEAR";
        rolls.with_fear += u32::from(with_fear);
        rolls.with_hope += u32::from(!with_fear);
    }

    /// The first value before and the last value after frame what happened between.
    fn take_change(&mut self, change: &Value) {
        let participant = text(change, "participant_id").if_empty("table");
        let who = text(change, "character_id").if_empty(&participant);
        let key = (who, text(change, "field"));
        let value = |name: &str| change.get(name).cloned().unwrap_or_default();
        let frame = self.changes.entry(key).or_insert_with(|| (value("before"), value("after")));
        frame.1 = value("after");
    }

    fn tell(&mut self, event: &Event, text: String) {
        let kind = event.kind.clone();
        self.happenings.push(Happening { sequence: event.sequence, kind, text });
    }
}

trait IfEmpty {
    fn if_empty(self, other: &str) -> String;
}

impl IfEmpty for String {
    fn if_empty(self, other: &str) -> String {
        if self.is_empty() { other.to_owned() } else { self }
    }
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

//! "Previously on": what happened in a session, in few words.

use std::collections::BTreeMap;

use lore_core::{Event, Result, Uid};
use lore_store::{EventOrder, EventQuery};
use serde_json::Value;

use super::desk::Desk;
use super::session::{self, Session};
use super::tally::told;
use super::telling::{Names, Wanted, in_words};

/// Events read at once.
const PAGE: usize = 1_000;
/// Most events a recap looks at; a longer session is told from its end.
const EVENTS_MAX: usize = 20_000;
/// Most events of a search that are told at once.
const MATCHES_MAX: usize = 50;
/// Most notes and other happenings that are told at once.
const HAPPENINGS_MAX: usize = 200;

/// What to tell.
#[derive(Debug, Clone)]
pub struct RecapRequest {
    /// Of which session.
    pub session: Uid,
    /// Words to look for; none when blank.
    pub query: String,
    /// Only what happened before this event.
    pub before: Option<i64>,
}

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
    /// Notes and other happenings, in order; the last ones when there are too many, and with
    /// words to look for only those of the same stretch as the matches.
    pub happenings: Told<Happening>,
    /// Events that hold the words looked for, newest first.
    pub matches: Told<Match>,
    /// Where to read on when earlier ones were left out: before this event.
    pub next_before: Option<i64>,
}

/// A list that may be cut.
#[derive(Debug, Clone)]
pub struct Told<T> {
    /// What is told.
    pub items: Vec<T>,
    /// How many there were.
    pub total: usize,
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

/// An event that holds the words looked for.
#[derive(Debug, Clone)]
pub struct Match {
    /// The event.
    pub event: Event,
    /// What it says.
    pub text: String,
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
pub async fn tell(desk: &Desk, ask: &RecapRequest) -> Result<Recap> {
    let (session, home) = session::find(desk, ask.session).await?;
    let names = Names::load(desk, &home).await?;
    let wanted = Wanted::of(&ask.query);
    let looked_at = read_all(desk, &session, ask.before).await?;
    let mut recap = Recap {
        session,
        events: looked_at.events.len(),
        rolls: BTreeMap::new(),
        changes: BTreeMap::new(),
        happenings: Told::none(),
        matches: Told::none(),
        next_before: looked_at.earlier,
    };
    for event in looked_at.events {
        recap.take(event, &names, &wanted);
    }
    let told = recap.happenings.keep_last(HAPPENINGS_MAX, |happening| happening.sequence);
    let found = recap.matches.keep_last(MATCHES_MAX, |found| found.event.sequence);
    recap.matches.items.reverse();
    // Who looks for words reads on from match to match, everybody else from happening to
    // happening.
    let cut = if wanted.is_anything() { found } else { told };
    recap.next_before = cut.max(recap.next_before);
    // What the next page tells is not told twice.
    let next = recap.next_before.unwrap_or(0);
    recap.happenings.items.retain(|happening| happening.sequence >= next);
    recap.changes.retain(|_, (before, after)| before != after);
    Ok(recap)
}

/// Events in order.
struct LookedAt {
    events: Vec<Event>,
    /// The first of them, when there are earlier ones.
    earlier: Option<i64>,
}

/// The events of a session, the last ones when there are too many.
async fn read_all(desk: &Desk, session: &Session, mut before: Option<i64>) -> Result<LookedAt> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let full = events.len() >= EVENTS_MAX;
        let query = EventQuery {
            before,
            order: EventOrder::Descending,
            limit: if full { 1 } else { PAGE },
            ..EventQuery::default()
        };
        let page = desk.app.store.events(&desk.viewer, session.node.id, query).await?;
        let Some(oldest) = page.last() else { break };
        if full {
            events.reverse();
            return Ok(LookedAt { events, earlier: before });
        }
        before = Some(oldest.sequence);
        events.extend(page);
    }
    events.reverse();
    Ok(LookedAt { events, earlier: None })
}

impl<T> Told<T> {
    fn none() -> Self {
        Self { items: Vec::new(), total: 0 }
    }

    fn push(&mut self, item: T) {
        self.items.push(item);
        self.total += 1;
    }

    /// Leaves out the first ones. Returns where the rest begins, if any were left out.
    fn keep_last(&mut self, most: usize, place: impl Fn(&T) -> i64) -> Option<i64> {
        let surplus = self.items.len().checked_sub(most).filter(|surplus| *surplus > 0)?;
        self.items.drain(..surplus);
        self.items.first().map(place)
    }
}

impl Recap {
    fn take(&mut self, event: Event, names: &Names, wanted: &Wanted) {
        let payload = told(&event);
        for change in payload.get("applied_changes").and_then(Value::as_array).into_iter().flatten()
        {
            self.take_change(change);
        }
        let Some(said) = in_words(&event, &payload, names) else { return };
        match event.kind.as_str() {
            "ACTION_ROLL_RESOLVED" => self.take_roll(&payload),
            "OUTCOME_APPLIED" | "CHARACTER_STATE_PATCHED" | "CHARACTER_PROFILE_PATCHED" => {}
            _ => self.happenings.push(Happening {
                sequence: event.sequence,
                kind: event.kind.clone(),
                text: said.clone(),
            }),
        }
        if wanted.is_anything() && wanted.is_in(&said, &event, &payload, names) {
            self.matches.push(Match { event, text: said });
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

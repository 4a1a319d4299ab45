//! Recaps: a summary of what happened in a session, and a search in its log.

use std::collections::BTreeMap;

use lore_core::{Event, Result, Uid};
use lore_store::{EventOrder, EventQuery, NodeKey};
use serde_json::Value;

use super::call::PlayCall;
use super::campaign;
use super::change_collector::told;
use super::event_text::{Names, in_words, searched};
use super::ids::Thing;
use super::session::{self, Session};
use super::wanted::{Closeness, Wanted};

/// The number of events read at once.
const PAGE: usize = 1_000;
/// The maximum number of events in a recap. For a longer session, the last ones count.
const EVENTS_MAX: usize = 20_000;
/// The maximum number of matches in one answer.
const MATCHES_MAX: usize = 50;
/// The maximum number of happenings in one answer.
const HAPPENINGS_MAX: usize = 200;

/// The input of a recap.
#[derive(Debug, Clone)]
pub struct RecapRequest {
    /// The session.
    pub session: Uid,
    /// Words to search for; blank for none.
    pub query: String,
    /// Only events before this one count.
    pub before: Option<i64>,
}

/// A summary of a session.
#[derive(Debug, Clone)]
pub struct Recap {
    /// The session.
    pub session: Session,
    /// The number of events it covers.
    pub events: usize,
    /// Statistics of rolls, by the name of the character.
    pub rolls: BTreeMap<String, Rolls>,
    /// The first and last values of changed fields, by owner (the id of a character or participant,
    /// or `table`) and field.
    pub changes: BTreeMap<(String, String), (Value, Value)>,
    /// Notes and other happenings, in order, the last ones if there are too many. With words to
    /// search for, only those since the oldest match of this page.
    pub happenings: Told<Happening>,
    /// The events that have most of the words, newest first.
    pub matches: Told<Match>,
    /// Whether no event has all of the words.
    pub partial: bool,
    /// If earlier ones were left out, the event before which the next page continues.
    pub next_before: Option<i64>,
}

/// A list that may have been cut.
#[derive(Debug, Clone)]
pub struct Told<T> {
    /// The items that are left.
    pub items: Vec<T>,
    /// The number of items before it was cut.
    pub total: usize,
}

/// Statistics of dice rolls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rolls {
    /// The number of all rolls.
    pub total: u32,
    /// The number of successes.
    pub successes: u32,
    /// The number of rolls with equal dice.
    pub criticals: u32,
    /// The number of rolls with Hope, without reactions.
    pub with_hope: u32,
    /// The number of rolls with Fear, without reactions.
    pub with_fear: u32,
}

/// An event that has words of the query.
#[derive(Debug, Clone)]
pub struct Match {
    /// The event.
    pub event: Event,
    /// Its text.
    pub text: String,
}

/// A note or other event worth reporting.
#[derive(Debug, Clone)]
pub struct Happening {
    /// Its sequence number.
    pub sequence: i64,
    /// The kind of event.
    pub kind: String,
    /// The note, or the event's summary.
    pub text: String,
}

/// Finds a session and the names of those at its table, also if the campaign is archived.
async fn session_and_names(call: &PlayCall, uid: Uid) -> Result<(Session, Names)> {
    let node = call.find(Thing::Session, uid).await?;
    let unknown = || Thing::Session.unknown(&Thing::Session.show(uid));
    let campaign = campaign::of(&node).ok_or_else(unknown)?;
    let home = call.app.store.node(&call.viewer, NodeKey::Uid(campaign)).await?;
    let names = match &home {
        Some(home) => Names::load(call, home).await?,
        None => Names::of_archived(call, campaign).await?,
    };
    Ok((session::shape(node, campaign), names))
}

/// Summarises a session, and searches its events if there are words to search for.
pub async fn tell(call: &PlayCall, ask: &RecapRequest) -> Result<Recap> {
    let (session, names) = session_and_names(call, ask.session).await?;
    let wanted = Wanted::of(&ask.query);
    let looked_at = read_all(call, &session, ask.before).await?;
    let mut recap = Recap {
        session,
        events: looked_at.events.len(),
        rolls: BTreeMap::new(),
        changes: BTreeMap::new(),
        happenings: Told::none(),
        matches: Told::none(),
        partial: false,
        next_before: looked_at.earlier,
    };
    let mut close = Vec::new();
    for event in looked_at.events {
        close.extend(recap.take(event, &names, &wanted));
    }
    recap.keep_closest(close, &wanted);
    let told = recap.happenings.keep_last(HAPPENINGS_MAX, |happening| happening.sequence);
    let found = recap.matches.keep_last(MATCHES_MAX, |found| found.event.sequence);
    recap.matches.items.reverse();
    // A search is continued from match to match, a plain recap from happening to happening.
    let cut = if wanted.is_anything() { found } else { told };
    recap.next_before = cut.max(recap.next_before);
    // What is on the next page is left out here.
    let next = recap.next_before.unwrap_or(0);
    recap.happenings.items.retain(|happening| happening.sequence >= next);
    recap.changes.retain(|_, (before, after)| before != after);
    Ok(recap)
}

/// Events that were read, in order.
struct LookedAt {
    events: Vec<Event>,
    /// The sequence number of the first of them, if there are earlier ones.
    earlier: Option<i64>,
}

/// Reads the events of a session, the last ones if there are too many.
async fn read_all(call: &PlayCall, session: &Session, mut before: Option<i64>) -> Result<LookedAt> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let full = events.len() >= EVENTS_MAX;
        let query = EventQuery {
            before,
            order: EventOrder::Descending,
            limit: if full { 1 } else { PAGE },
            ..EventQuery::default()
        };
        let page = call.app.store.events(&call.viewer, session.node.id, query).await?;
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

    /// Keeps only the last `most` items. Returns where they start, if any were removed.
    fn keep_last(&mut self, most: usize, place: impl Fn(&T) -> i64) -> Option<i64> {
        let surplus = self.items.len().checked_sub(most).filter(|surplus| *surplus > 0)?;
        self.items.drain(..surplus);
        self.items.first().map(place)
    }
}

/// An event that has some of the words.
struct Close {
    closeness: Closeness,
    found: Match,
}

impl Recap {
    /// Adds an event to the summary. Returns it if it has any of the words.
    fn take(&mut self, event: Event, names: &Names, wanted: &Wanted) -> Option<Close> {
        let payload = told(&event);
        for change in payload.get("applied_changes").and_then(Value::as_array).into_iter().flatten()
        {
            self.take_change(change);
        }
        let said = in_words(&event, &payload, names)?;
        match event.kind.as_str() {
            "ACTION_ROLL_RESOLVED" => self.take_roll(&payload),
            "OUTCOME_APPLIED" | "CHARACTER_STATE_PATCHED" | "CHARACTER_PROFILE_PATCHED" => {}
            _ => self.happenings.push(Happening {
                sequence: event.sequence,
                kind: event.kind.clone(),
                text: said.clone(),
            }),
        }
        if !wanted.is_anything() {
            return None;
        }
        let closeness = wanted.closeness(&searched(&said, &event, &payload, names));
        let found = Match { event, text: said };
        closeness.is_anything().then_some(Close { closeness, found })
    }

    /// Keeps the events that have most of the words.
    fn keep_closest(&mut self, mut close: Vec<Close>, wanted: &Wanted) {
        let Some(best) = close.iter().map(|one| one.closeness).max() else { return };
        close.retain(|one| one.closeness.is_as_good_as(best));
        self.partial = !wanted.is_whole(best);
        close.into_iter().for_each(|one| self.matches.push(one.found));
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

    /// Keeps the first value before and the last value after of each field.
    fn take_change(&mut self, change: &Value) {
        let key = (owner(change), text(change, "field"));
        let value = |name: &str| change.get(name).cloned().unwrap_or_default();
        let frame = self.changes.entry(key).or_insert_with(|| (value("before"), value("after")));
        frame.1 = value("after");
    }
}

/// Returns whose field a change is about: the id of a character or participant, or `table`.
fn owner(change: &Value) -> String {
    let ids = ["character_id", "participant_id"].map(|key| text(change, key));
    ids.into_iter().find(|id| !id.is_empty()).unwrap_or_else(|| "table".to_owned())
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

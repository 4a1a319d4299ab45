//! The log of a session: reading it, adding notes, recording refusals and verifying it.

use lore_core::error::Code;
use lore_core::{Error, Event, Result, Uid, Visibility};
use lore_rules::dice::{ALGORITHM, DiceStream, Seed, Sides};
use lore_rules::duality::{self, Difficulty, Modifier};
use lore_store::{ChainReport, Change, EventOrder, EventQuery, NewEvents, NewText, NodeRef};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::change_collector::told;
use super::character::find_all;
use super::dice::Odds;
use super::ids::Thing;
use super::rights;
use super::roll::flavor;
use super::session::{self, Session, Status, touching_log};
use super::{played, word};

/// The default number of events per page.
const PAGE: usize = 100;
/// The maximum number of events per page.
const PAGE_MAX: usize = 1_000;
/// The maximum length of a note, in characters.
const NOTE_MAX: usize = 20_000;

/// The part of a log to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page {
    /// Only events after this one.
    pub after: Option<i64>,
    /// Only events before this one.
    pub before: Option<i64>,
    /// The maximum number of events.
    pub limit: Option<i64>,
}

/// A page of a log.
#[derive(Debug, Clone)]
pub struct LogPage {
    /// Its events, newest first.
    pub events: Vec<Event>,
    /// Whether there are more events in the direction of reading.
    pub has_more: bool,
    /// Where the next page starts.
    pub next: Next,
}

/// Where the next page of a log starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Later events: those after this one.
    After(i64),
    /// Earlier events: those before this one.
    Before(i64),
    /// There are no earlier events.
    Nowhere,
}

/// Returns a page of a session's events, newest first. With only `after`, it reads forward: the
/// page contains the oldest events after that one, so that a reader who goes on from page to page
/// misses none. Otherwise it reads backward from the newest.
pub async fn read(call: &PlayCall, session: Uid, page: Page) -> Result<LogPage> {
    let node = call.find(Thing::Session, session).await?;
    let limit = page_size(page.limit)?;
    let forward = page.after.filter(|_| page.before.is_none());
    let query = EventQuery {
        after: page.after,
        before: page.before,
        order: if forward.is_some() { EventOrder::Ascending } else { EventOrder::Descending },
        // One more, to find out whether there are more.
        limit: limit + 1,
        ..EventQuery::default()
    };
    let mut events = call.app.store.events(&call.viewer, node.id, query).await?;
    let has_more = events.len() > limit;
    events.truncate(limit);
    let last = events.last().map(|event| event.sequence);
    let next = match (forward, last) {
        (Some(after), last) => Next::After(last.unwrap_or(after)),
        (None, Some(last)) if has_more => Next::Before(last),
        (None, _) => Next::Nowhere,
    };
    if forward.is_some() {
        events.reverse();
    }
    Ok(LogPage { events, has_more, next })
}

fn page_size(limit: Option<i64>) -> Result<usize> {
    let Some(limit) = limit else { return Ok(PAGE) };
    match usize::try_from(limit) {
        Ok(limit @ 1..=PAGE_MAX) => Ok(limit),
        _ => {
            let hint = format!("use a number from 1 to {PAGE_MAX}");
            Err(Error::invalid("limit", format!("is {limit}"), hint))
        }
    }
}

/// The input for adding a note.
#[derive(Debug, Clone)]
pub struct NewNote {
    /// The session.
    pub session: Uid,
    /// The text.
    pub text: String,
    /// The character it is about, if any.
    pub character: Option<Uid>,
    /// Whether only the GM's side may read it.
    pub gm_only: bool,
}

/// Plans a note. The answer is the sequence number of its event.
pub async fn add_note(call: &PlayCall, note: &NewNote) -> Result<Plan<i64>> {
    let (session, home) = session::find(call, note.session).await?;
    let rights = rights::in_campaign(call, &home).await?;
    if note.gm_only {
        rights.require_gm()?;
    }
    let text = note.text.trim();
    if text.is_empty() {
        return Err(Error::invalid("text", "is empty", "say what shall be remembered"));
    }
    if text.chars().count() > NOTE_MAX {
        let limit = format!("{NOTE_MAX} characters");
        return Err(Error::TooLarge { what: "text".into(), limit });
    }
    let payload = match session.status {
        Status::Active => json!({ "text": text }),
        // A note written after the end, such as a recap, is marked as such.
        Status::Ended => json!({ "text": text, "after_end": true }),
    };
    let mut event = call.event(&rights, "NOTE_ADDED", &payload);
    if let Some(uid) = note.character {
        let found = find_all(call, &home, &[uid], "character_id").await?;
        if !note.gm_only && found.iter().any(|node| played::shown(node) != Visibility::Members) {
            return Err(Error::invalid(
                "character_id",
                "is hidden from the players, who would read this note",
                "use gm_only, or reveal the character first",
            ));
        }
        event.character = Some(uid);
    }
    if note.gm_only {
        event.visibility = Visibility::Gm;
    }
    let shown = event.visibility;
    let remembered = remembered(call, &session, text, shown)?;
    let log = call.append(&session.node, vec![event]).await?;
    let batch = call.batch().change(log).change(remembered);
    let batch = touching_log(batch, session.node.uid, shown);
    Ok(Plan { batch, answer: Box::new(|first| first) })
}

/// Plans a text of the session with the note, so that search finds it.
pub(crate) fn remembered(
    call: &PlayCall,
    session: &Session,
    text: &str,
    visibility: Visibility,
) -> Result<Change> {
    let node = NodeRef::Id(session.node.id);
    let mut note = NewText::new(call.app.effects.uid(), node, word(NOTE)?, text);
    note.visibility = visibility;
    note.provenance.session = Some(Thing::Session.show(session.node.uid));
    note.provenance.occurred_at = Some(call.app.effects.now());
    Ok(Change::CreateText(note))
}

/// Text kind of a session's notes.
pub(crate) const NOTE: &str = "session_note";

/// Records that a request about a session was refused, if the session exists. Failures to do so are
/// only logged, so that they do not hide the refusal.
pub async fn reject(call: &PlayCall, session: Uid, error: &Error) {
    if matches!(error.code(), Code::Conflict | Code::Unavailable | Code::Bug | Code::Cancelled) {
        return;
    }
    let Ok((session, home)) = session::find(call, session).await else { return };
    let payload = json!({
        "rpc": call.tool, "reason_code": error.code().meaning().name, "message": error.to_string(),
    });
    // The caller may have no participant here. The refusal is recorded anyway.
    let rights = rights::in_campaign(call, &home).await;
    let by = rights.ok().and_then(|rights| rights.participant());
    // Only the GM's side may read it, because the message may name hidden things.
    let mut event = call.event_by(by, "REQUEST_REJECTED", &payload);
    event.visibility = Visibility::Gm;
    let node = NodeRef::Id(session.node.id);
    let log = Change::AppendEvents(NewEvents { node, after: None, events: vec![event] });
    let batch = touching_log(call.batch().change(log), session.node.uid, Visibility::Gm);
    if let Err(error) = call.app.store.commit(&call.viewer, batch).await {
        tracing::debug!(
            code = Error::from(error).code().meaning().name,
            "a rejected request could not be noted"
        );
    }
}

/// The result of verifying a log.
#[derive(Debug, Clone)]
pub struct Verified {
    /// The state of the hash chain.
    pub chain: ChainReport,
    /// The number of events the viewer sees.
    pub seen: usize,
    /// The number of rolls that were repeated from their seeds.
    pub rolls: usize,
    /// The sequence numbers of rolls that do not follow from their seed.
    pub wrong_rolls: Vec<i64>,
}

/// Verifies the hash chain of a log and repeats all dice rolls that the viewer sees from their
/// seeds.
pub async fn verify(call: &PlayCall, session: Uid) -> Result<Verified> {
    let node = call.find(Thing::Session, session).await?;
    let chain = call.app.store.verify_events(&call.viewer, node.id).await?;
    let mut found = Verified { chain, seen: 0, rolls: 0, wrong_rolls: Vec::new() };
    let mut after = 0;
    loop {
        let query = EventQuery { after: Some(after), limit: PAGE_MAX, ..EventQuery::default() };
        let events = call.app.store.events(&call.viewer, node.id, query).await?;
        let Some(last) = events.last() else { return Ok(found) };
        after = last.sequence;
        found.seen += events.len();
        let rolled: Vec<&Event> =
            events.iter().filter(|event| WITH_DICE.contains(&event.kind.as_str())).collect();
        found.rolls += rolled.len();
        let wrong = rolled.into_iter().filter(|event| !dice_follow_from_seed(event));
        found.wrong_rolls.extend(wrong.map(|event| event.sequence));
    }
}

/// The kinds of events that contain dice.
const WITH_DICE: [&str; 3] = ["ACTION_ROLL_RESOLVED", "DEATH_MOVE_MADE", "RESTED"];

/// Whether the dice of an event follow from its seed.
fn dice_follow_from_seed(event: &Event) -> bool {
    let payload = told(event);
    match event.kind.as_str() {
        "ACTION_ROLL_RESOLVED" => action_follows(&payload),
        kind => effect_follows(kind, payload.get("detail").unwrap_or(&Value::Null)),
    }
}

fn effect_follows(kind: &str, detail: &Value) -> bool {
    let number = |key: &str| detail.get(key).and_then(Value::as_u64);
    // A blaze of glory has no dice.
    let Some(mut stream) = number("seed_used").and_then(stream_of) else { return detail.is_null() };
    let mut next = |sides| Some(u64::from(stream.die(sides)));
    if kind == "DEATH_MOVE_MADE" {
        return number("hope_die") == next(Sides::D12) && number("fear_die") == next(Sides::D12);
    }
    // Hidden characters have their own dice.
    let hidden = || match number("hidden_seed_used").and_then(stream_of) {
        Some(mut stream) => {
            faces(detail, "hidden_rolls").all(|die| die == Some(u64::from(stream.die(Sides::D4))))
        }
        None => detail.get("hidden_rolls").is_none(),
    };
    faces(detail, "rolls").all(|die| die == next(Sides::D4))
        && detail.get("fear_die").is_none_or(|die| die.is_null() || die.as_u64() == next(Sides::D4))
        && hidden()
}

fn stream_of(seed: u64) -> Option<DiceStream> {
    Seed::new(seed).ok().map(DiceStream::new)
}

/// The values of the dice in a list of rolls.
fn faces(detail: &Value, rolls: &str) -> impl Iterator<Item = Option<u64>> {
    let rolls = detail.get(rolls).and_then(Value::as_array).into_iter().flatten();
    rolls.map(|roll| roll.get("die").and_then(Value::as_u64))
}

/// Repeats a roll and how it was judged. If the viewer may not see the difficulty, only the dice
/// are checked.
fn action_follows(payload: &Value) -> bool {
    let number = |path: &str| payload.pointer(path).and_then(Value::as_i64);
    let difficulty = number("/difficulty");
    let repeat = || {
        let seed = Seed::new(u64::try_from(number("/seed_used")?).ok()?).ok()?;
        let modifier = Modifier::new(number("/modifier")?).ok()?;
        let difficulty = Difficulty::new(difficulty.unwrap_or(0)).ok()?;
        let extra = Odds::from_value(payload.get("edge")?).extra_dice().ok()?;
        Some(duality::roll_with_extra_dice(seed, modifier, Some(difficulty), extra))
    };
    let Some(again) = repeat() else { return false };
    let roll = &again.evaluation;
    let says = |key: &str, value: Value| payload.get(key) == Some(&value);
    let judged = says("outcome", roll.outcome.as_str().into())
        && says("success", roll.meets_difficulty.into());
    says("rng_algo", ALGORITHM.into())
        && number("/dice/hope_die") == Some(i64::from(roll.dice.hope.value()))
        && number("/dice/fear_die") == Some(i64::from(roll.dice.fear.value()))
        && number("/total") == Some(roll.total)
        && says("crit", roll.is_crit.into())
        && says("flavor", flavor(&again).into())
        && (difficulty.is_none() || judged)
}

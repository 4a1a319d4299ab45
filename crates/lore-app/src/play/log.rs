//! The log of a session: reading it, adding notes, checking it.

use lore_core::{Error, Event, Result, Uid, Visibility};
use lore_store::{EventOrder, EventQuery};
use serde_json::json;

use super::desk::{Desk, Plan};
use super::ids::Thing;
use super::rights;
use super::session::{self, events_uri};

/// How many events a page has when nothing is said.
const PAGE: usize = 100;
/// How many events a page has at most.
const PAGE_MAX: usize = 1_000;
/// Longest note, in characters.
const NOTE_MAX: usize = 20_000;

/// Which part of a log to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page {
    /// Only events after this one.
    pub after: Option<i64>,
    /// Only events before this one.
    pub before: Option<i64>,
    /// At most this many.
    pub limit: Option<i64>,
}

/// A page of a session's events, newest first.
pub async fn read(desk: &Desk, session: Uid, page: Page) -> Result<Vec<Event>> {
    let node = desk.find(Thing::Session, session).await?;
    let limit = page.limit.and_then(|limit| usize::try_from(limit).ok());
    let query = EventQuery {
        after: page.after,
        before: page.before,
        order: EventOrder::Descending,
        limit: limit.filter(|limit| *limit > 0).unwrap_or(PAGE).min(PAGE_MAX),
        ..EventQuery::default()
    };
    Ok(desk.app.store.events(&desk.viewer, node.id, query).await?)
}

/// A note to add to a log.
#[derive(Debug, Clone)]
pub struct NewNote {
    /// The session.
    pub session: Uid,
    /// What to note.
    pub text: String,
    /// The character it is about, if it is about one.
    pub character: Option<Uid>,
    /// Whether only the GM's side may read it.
    pub gm_only: bool,
}

/// Adds a note; the answer is its place in the log.
pub async fn add_note(desk: &Desk, note: &NewNote) -> Result<Plan<i64>> {
    let (session, home) = session::find(desk, note.session).await?;
    let rights = rights::in_campaign(desk, &home).await?;
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
    let mut event = desk.event("NOTE_ADDED", &json!({ "text": text }));
    if let Some(uid) = note.character {
        event.character = Some(desk.find(Thing::Character, uid).await?.uid);
    }
    if note.gm_only {
        event.visibility = Visibility::Gm;
    }
    let log = desk.append(&session.node, vec![event]).await?;
    let batch = desk.batch().change(log).touch(events_uri(session.node.uid));
    Ok(Plan { batch, answer: Box::new(|first| first) })
}

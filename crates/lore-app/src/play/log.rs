//! Reading what happened in a session.

use lore_core::{Event, Result, Uid};
use lore_store::{EventOrder, EventQuery};

use super::desk::Desk;
use super::ids::Thing;

/// How many events a page has when nothing is said.
const PAGE: usize = 100;
/// How many events a page has at most.
const PAGE_MAX: usize = 1_000;

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

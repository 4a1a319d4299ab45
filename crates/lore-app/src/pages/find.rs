//! Finding pages: by what they say, by name, type, tags, date, and what changed.
//!
//! Who says what is looked for, by words or by name, finds what came in by other doors, too; a
//! list without either is one of pages.
//!
//! Every filter is applied before the page of results is cut, and the order is always
//! the same: by rank where something is ranked, else as the pages were made.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Result, Timestamp, Viewer};
use lore_search::{Filter, Query, Unit};
use lore_store::{NameMatch, NodeOrder, NodeQuery};

use super::dates::DateRange;
use super::kinds::PageKind;
use super::page::{Detail, Page, with_texts};
use super::scribe::{Breadth, Scribe};
use crate::App;

/// From here on two names are alike enough.
const ALIKE: f64 = 0.7;

/// What pages to find.
#[derive(Debug, Clone, Default)]
pub struct PageQuery {
    /// Words in its name, text, posts or tags.
    pub words: Option<String>,
    /// Of one of these kinds; all when empty.
    pub kinds: Vec<PageKind>,
    /// With this name.
    pub name: Option<NameFilter>,
    /// With this type, ignoring case.
    pub subtype: Option<String>,
    /// With all of these tags, ignoring case.
    pub tags: Vec<String>,
    /// With a date in this span.
    pub dates: Option<DateRange>,
    /// Changed after this moment.
    pub since: Option<Timestamp>,
    /// Leave out this many first.
    pub offset: usize,
    /// At most this many; all when absent.
    pub limit: Option<usize>,
    /// How much to read of them.
    pub detail: Detail,
}

/// How a name must match. Aliases count as names.
#[derive(Debug, Clone)]
pub enum NameFilter {
    /// The text is part of it, ignoring case.
    Contains(String),
    /// The text is all of it, ignoring case.
    Exact(String),
    /// It sounds much like the text.
    Alike(String),
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The pages, cut to the limit.
    pub pages: Vec<Scored>,
    /// How many there are without the limit.
    pub total: usize,
}

/// A page, with how well its name matches when that was asked for.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The page.
    pub page: Page,
    /// From 0 to 1; only of names that need not match exactly.
    pub score: Option<f64>,
}

/// Finds pages.
pub async fn find(scribe: &Scribe, query: &PageQuery) -> Result<Listing> {
    let words = query.words.as_deref().map(str::trim).filter(|words| !words.is_empty());
    if let Some(NameFilter::Alike(heard)) = &query.name {
        return sounding(scribe, query, heard, words).await;
    }
    match (words, query.dates, query.limit) {
        (Some(words), _, _) => worded(scribe, query, words).await,
        // What the store cuts by itself need not be looked at in whole.
        (None, None, Some(limit)) => listed(scribe, query, limit).await,
        (None, _, _) => {
            let found = fitting(scribe, query, listing_breadth(scribe, query), None).await?;
            cut(scribe, query, unranked(found)).await
        }
    }
}

/// Reads what names are heard by and what dates pages have, so that the first to ask does not
/// wait for it.
pub async fn make_ready(app: &App, viewer: &Viewer) {
    let store = app.store.as_ref();
    let rolls = app.rolls.open(store, viewer).await.map(drop);
    let days = app.days.open(store, viewer).await.map(drop);
    // The first to ask waits then, and is told if it fails again.
    if let Err(error) = rolls.and(days) {
        tracing::info!(%error, "finding pages could not be made ready");
    }
}

/// A page that was found, not read yet.
struct Found {
    id: NodeId,
    score: Option<f64>,
}

fn unranked(ids: Vec<NodeId>) -> Vec<Found> {
    ids.into_iter().map(|id| Found { id, score: None }).collect()
}

/// The pages whose names sound like what was heard, best first.
async fn sounding(
    scribe: &Scribe,
    query: &PageQuery,
    heard: &str,
    words: Option<&str>,
) -> Result<Listing> {
    let (store, viewer) = (scribe.app.store.as_ref(), &scribe.viewer);
    let kinds = scribe.kinds(&query.kinds);
    let wanted = (kinds.as_slice(), scribe.breadth());
    let found = scribe.app.rolls.open(store, viewer).await?.alike(heard, wanted, ALIKE);
    let shown = |score: f64| (score * 100.0).round() / 100.0;
    let found = found.into_iter().map(|(id, score)| Found { id, score: Some(shown(score)) });
    let mut found: Vec<Found> = found.collect();
    if let Some(words) = words {
        let among = found.iter().map(|one| one.id).collect();
        let hits = ranked(scribe, query, words, Some(among), (0, usize::MAX)).await?;
        let worded: HashSet<NodeId> = hits.ids.into_iter().collect();
        found.retain(|one| worded.contains(&one.id));
    }
    if is_narrowed(query) || query.dates.is_some() {
        let among = found.iter().map(|one| one.id).collect();
        let fits = fitting(scribe, query, scribe.breadth(), Some(among)).await?;
        let fits: HashSet<NodeId> = fits.into_iter().collect();
        found.retain(|one| fits.contains(&one.id));
    }
    cut(scribe, query, found).await
}

/// The pages that the one search finds, best first. What it cannot tell is looked for first,
/// so that only what is asked for is ranked.
async fn worded(scribe: &Scribe, query: &PageQuery, words: &str) -> Result<Listing> {
    let among = match (query.dates, is_for_the_store(query)) {
        (None, false) => None,
        (Some(range), false) => Some(dated(scribe, range, None).await?),
        (_, true) => Some(fitting(scribe, query, scribe.breadth(), None).await?),
    };
    let page = (query.offset, query.limit.unwrap_or(usize::MAX));
    let hits = ranked(scribe, query, words, among, page).await?;
    let pages = read(scribe, unranked(hits.ids), query.detail).await?;
    Ok(Listing { pages, total: hits.total })
}

/// A page of what the store finds by itself.
async fn listed(scribe: &Scribe, query: &PageQuery, limit: usize) -> Result<Listing> {
    let wanted = store_query(scribe, query, listing_breadth(scribe, query))?;
    let wanted = NodeQuery { offset: query.offset, limit, ..wanted };
    let page = scribe.app.store.find_nodes(&scribe.viewer, wanted).await?;
    let total = usize::try_from(page.total).unwrap_or(usize::MAX);
    let pages = with_texts(scribe, page.items, query.detail).await?;
    let pages = pages.into_iter().map(|page| Scored { page, score: None }).collect();
    Ok(Listing { pages, total })
}

/// The page that is asked for of all that was found.
async fn cut(scribe: &Scribe, query: &PageQuery, found: Vec<Found>) -> Result<Listing> {
    let total = found.len();
    let shown = found.into_iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX));
    Ok(Listing { pages: read(scribe, shown.collect(), query.detail).await?, total })
}

/// Whether something is asked for that only the store can tell where words are looked for,
/// too. To the one search accents of tags do not count, and it knows those alone that whoever
/// sees the page may.
fn is_for_the_store(query: &PageQuery) -> bool {
    let named = matches!(query.name, Some(NameFilter::Contains(_) | NameFilter::Exact(_)));
    named || !query.tags.is_empty() || query.since.is_some()
}

/// Whether something is asked for that names do not tell.
fn is_narrowed(query: &PageQuery) -> bool {
    is_for_the_store(query) || query.subtype.is_some()
}

/// Those of some pages, or of all, that are what is asked for, words and sounds aside; as they
/// were made.
async fn fitting(
    scribe: &Scribe,
    query: &PageQuery,
    breadth: Breadth,
    among: Option<Vec<NodeId>>,
) -> Result<Vec<NodeId>> {
    /// From so many on, looking at each of them takes longer than looking at all.
    const MANY: usize = 500;
    let among = match query.dates {
        Some(range) => Some(dated(scribe, range, among).await?),
        None => among,
    };
    let (few, many) = match among {
        Some(ids) if ids.len() < MANY => (Some(ids), None),
        many => (None, many),
    };
    let wanted = NodeQuery { among: few, ..store_query(scribe, query, breadth)? };
    let mut ids = scribe.app.store.find_ids(&scribe.viewer, wanted).await?;
    if let Some(many) = many {
        let many: HashSet<NodeId> = many.into_iter().collect();
        ids.retain(|id| many.contains(id));
    }
    Ok(ids)
}

/// Those of some pages, or of all, that have a date in a span, in no order.
async fn dated(
    scribe: &Scribe,
    range: DateRange,
    among: Option<Vec<NodeId>>,
) -> Result<Vec<NodeId>> {
    let days = scribe.app.days.open(scribe.app.store.as_ref(), &scribe.viewer).await?;
    let Some(mut ids) = among else { return Ok(days.within(range)) };
    ids.retain(|id| days.of(*id).is_some_and(|date| range.holds(date)));
    Ok(ids)
}

/// How far a listing reaches: who names nothing is not shown what is no page.
fn listing_breadth(scribe: &Scribe, query: &PageQuery) -> Breadth {
    if query.name.is_some() { scribe.breadth() } else { Breadth::Pages }
}

/// The part of the question that the store answers.
fn store_query(scribe: &Scribe, query: &PageQuery, breadth: Breadth) -> Result<NodeQuery> {
    let name = match &query.name {
        Some(NameFilter::Contains(text)) => Some(NameMatch::Contains(text.clone())),
        Some(NameFilter::Exact(text)) => Some(NameMatch::Exact(text.clone())),
        Some(NameFilter::Alike(_)) | None => None,
    };
    let reach = scribe.reach(&query.kinds, breadth)?;
    Ok(NodeQuery {
        kinds: reach.kinds,
        except_kinds: reach.except,
        name,
        subtype: query.subtype.clone(),
        tags: query.tags.clone(),
        since: query.since,
        order: NodeOrder::Number,
        ..NodeQuery::default()
    })
}

/// Every node that a query finds, page by page.
pub(super) async fn every(scribe: &Scribe, query: &NodeQuery) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut after: Option<NodeId> = None;
    loop {
        let wanted = NodeQuery { after, limit: 0, ..query.clone() };
        let page = scribe.app.store.find_nodes(&scribe.viewer, wanted).await?;
        nodes.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(nodes);
        }
    }
}

/// What the one search finds.
#[derive(Default)]
struct Hits {
    ids: Vec<NodeId>,
    /// How many there are without the cut.
    total: usize,
}

/// What the one search finds by words and names, best first: of some pages, or of all, so many
/// after so many. What is only like in meaning is left out: a page that does not have the words
/// is not what this asks for.
async fn ranked(
    scribe: &Scribe,
    query: &PageQuery,
    words: &str,
    among: Option<Vec<NodeId>>,
    (offset, limit): (usize, usize),
) -> Result<Hits> {
    if among.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Hits::default());
    }
    let reach = scribe.reach(&query.kinds, scribe.breadth())?;
    let filter = Filter {
        kinds: reach.kinds,
        except_kinds: reach.except,
        subtype: query.subtype.clone(),
        nodes: among.unwrap_or_default(),
        ..Filter::default()
    };
    let search =
        Query { filter, unit: Unit::Node, exhaustive: true, offset, ..Query::new(words, limit) };
    let found = scribe.app.rank(&scribe.viewer, search).await?;
    let ids = found.hits.into_iter().map(|hit| hit.key.node).collect();
    Ok(Hits { ids, total: found.total })
}

/// Reads pages, in the order they have.
async fn read(scribe: &Scribe, found: Vec<Found>, detail: Detail) -> Result<Vec<Scored>> {
    let ids: Vec<NodeId> = found.iter().map(|one| one.id).collect();
    let nodes = scribe.app.store.nodes(&scribe.viewer, &ids).await?;
    let pages = with_texts(scribe, nodes, detail).await?;
    let mut pages: HashMap<NodeId, Page> =
        pages.into_iter().map(|page| (page.node.id, page)).collect();
    let shown = found
        .into_iter()
        .filter_map(|one| Some(Scored { page: pages.remove(&one.id)?, score: one.score }));
    Ok(shown.collect())
}

//! Finds pages by words, name, type, tags, date and time of change.
//!
//! A query with words or a name also finds nodes of other doors (toolsets); a plain list contains
//! only pages.
//!
//! All filters are applied before the page of results is cut. The order is stable: by rank if the
//! query ranks, otherwise by creation.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Result, Timestamp, Viewer};
use lore_search::{Filter, Query, Unit};
use lore_store::{NameMatch, NodeOrder, NodeQuery};

use super::dates::DateRange;
use super::kinds::PageKind;
use super::page::{Detail, Page, with_texts};
use super::scribe::{Breadth, Scribe};
use crate::App;

/// The minimum similarity of names that sound alike.
const ALIKE: f64 = 0.7;

/// A query for pages.
#[derive(Debug, Clone, Default)]
pub struct PageQuery {
    /// Words in the name, text, posts or tags.
    pub words: Option<String>,
    /// The kinds to find; all if empty.
    pub kinds: Vec<PageKind>,
    /// A condition on the name.
    pub name: Option<NameFilter>,
    /// The type, ignoring case.
    pub subtype: Option<String>,
    /// Tags that it must all have, ignoring case.
    pub tags: Vec<String>,
    /// A range that the date must be in.
    pub dates: Option<DateRange>,
    /// Only pages changed after this moment.
    pub since: Option<Timestamp>,
    /// The number of results to skip.
    pub offset: usize,
    /// The maximum number of results; all if absent.
    pub limit: Option<usize>,
    /// How much to read of each page.
    pub detail: Detail,
}

/// How a name must match. Aliases count as names.
#[derive(Debug, Clone)]
pub enum NameFilter {
    /// Contains the text, ignoring case.
    Contains(String),
    /// Equals the text, ignoring case.
    Exact(String),
    /// Sounds like the text.
    Alike(String),
}

/// The result of a query.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The pages, cut to the limit.
    pub pages: Vec<Scored>,
    /// The total number without the limit.
    pub total: usize,
}

/// A page, with the similarity of its name if the query asked for it.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The page.
    pub page: Page,
    /// From 0 to 1; only for [`NameFilter::Alike`].
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
        // The store can cut the page itself, so not all results have to be read.
        (None, None, Some(limit)) => listed(scribe, query, limit).await,
        (None, _, _) => {
            let found = fitting(scribe, query, listing_breadth(scribe, query), None).await?;
            cut(scribe, query, unranked(found)).await
        }
    }
}

/// Loads the views of names and dates, so that the first query does not have to wait for them.
pub async fn make_ready(app: &App, viewer: &Viewer) {
    let store = app.store.as_ref();
    let rolls = app.rolls.open(store, viewer).await.map(drop);
    let days = app.days.open(store, viewer).await.map(drop);
    // Not fatal: the first query loads them then, and reports the error if it fails again.
    if let Err(error) = rolls.and(days) {
        tracing::info!(code = error.code().meaning().name, "finding pages could not be made ready");
    }
}

/// A page that was found but not read yet.
struct Found {
    id: NodeId,
    score: Option<f64>,
}

fn unranked(ids: Vec<NodeId>) -> Vec<Found> {
    ids.into_iter().map(|id| Found { id, score: None }).collect()
}

/// Pages whose names sound like what was heard, best first.
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

/// Pages that full-text search finds, best first. Filters that it cannot apply are evaluated first,
/// so that only matching pages are ranked.
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

/// One page of results that the store can produce by itself.
async fn listed(scribe: &Scribe, query: &PageQuery, limit: usize) -> Result<Listing> {
    let wanted = store_query(scribe, query, listing_breadth(scribe, query))?;
    let wanted = NodeQuery { offset: query.offset, limit, ..wanted };
    let page = scribe.app.store.find_nodes(&scribe.viewer, wanted).await?;
    let total = usize::try_from(page.total).unwrap_or(usize::MAX);
    let pages = with_texts(scribe, page.items, query.detail).await?;
    let pages = pages.into_iter().map(|page| Scored { page, score: None }).collect();
    Ok(Listing { pages, total })
}

/// Cuts the requested page out of all results and reads it.
async fn cut(scribe: &Scribe, query: &PageQuery, found: Vec<Found>) -> Result<Listing> {
    let total = found.len();
    let shown = found.into_iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX));
    Ok(Listing { pages: read(scribe, shown.collect(), query.detail).await?, total })
}

/// Whether a filter needs the store in addition to full-text search. Search ignores accents in
/// tags, and knows only those tags that everybody who sees the page may know.
fn is_for_the_store(query: &PageQuery) -> bool {
    let named = matches!(query.name, Some(NameFilter::Contains(_) | NameFilter::Exact(_)));
    named || !query.tags.is_empty() || query.since.is_some()
}

/// Whether there is a filter that the view of names cannot apply.
fn is_narrowed(query: &PageQuery) -> bool {
    is_for_the_store(query) || query.subtype.is_some()
}

/// The pages, among some or all, that match all filters except words and similar names, in order of
/// creation.
async fn fitting(
    scribe: &Scribe,
    query: &PageQuery,
    breadth: Breadth,
    among: Option<Vec<NodeId>>,
) -> Result<Vec<NodeId>> {
    /// From this many candidates on, filtering all pages is faster than looking each of them up.
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

/// The pages, among some or all, dated within a range, in no particular order.
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

/// The breadth of a list: without a name filter, only pages are listed.
fn listing_breadth(scribe: &Scribe, query: &PageQuery) -> Breadth {
    if query.name.is_some() { scribe.breadth() } else { Breadth::Pages }
}

/// The part of the query that the store evaluates.
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

/// All nodes that match a query, read page by page.
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

/// Hits of the full-text search.
#[derive(Default)]
struct Hits {
    ids: Vec<NodeId>,
    /// The total number without the limit.
    total: usize,
}

/// Searches by words and names, among some pages or all, best first. Matches by meaning only are
/// left out: a page must contain the words.
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

/// Reads pages, keeping their order.
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

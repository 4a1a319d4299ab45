//! Finding pages: by what they say, by name, type, tags, date, and what changed.
//!
//! Who says what is looked for, by words or by name, finds what came in by other doors, too; a
//! list without either is one of pages.
//!
//! Every filter is applied before the page of results is cut, and the order is always
//! the same: by rank where something is ranked, else as the pages were made.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Result, Timestamp};
use lore_search::{Filter, Query, Unit};
use lore_store::{NameMatch, NodeQuery};

use super::dates::DateRange;
use super::kinds::PageKind;
use super::page::{Detail, Page, with_texts};
use super::scribe::{Breadth, Scribe};

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
    let heard = match &query.name {
        Some(NameFilter::Alike(name)) => Some(name.as_str()),
        _ => None,
    };
    // What one of the two indexes cuts by itself need not be looked at in whole.
    if let (None, Some(limit)) = (query.dates, query.limit) {
        match (words, heard) {
            (None, None) => return listed(scribe, query, limit).await,
            (Some(words), None) if !is_narrowed(query) => {
                return hits(scribe, query, words, limit).await;
            }
            _ => {}
        }
    }
    let mut found = match (words, heard) {
        (None, None) => {
            let wanted = store_query(scribe, query, listing_breadth(scribe, query))?;
            unranked(scribe.app.store.find_ids(&scribe.viewer, wanted).await?)
        }
        (Some(words), None) => {
            let (ids, _) = ranked(scribe, query, words, usize::MAX).await?;
            narrowed(scribe, query, unranked(ids)).await?
        }
        (words, Some(heard)) => {
            let mut found = sounding(scribe, query, heard).await?;
            if let Some(words) = words {
                let (ids, _) = ranked(scribe, query, words, usize::MAX).await?;
                let worded: HashSet<NodeId> = ids.into_iter().collect();
                found.retain(|one| worded.contains(&one.id));
            }
            narrowed(scribe, query, found).await?
        }
    };
    if let Some(range) = query.dates {
        let days = scribe.app.days.open(scribe.app.store.as_ref(), &scribe.viewer).await?;
        found.retain(|one| days.of(one.id).is_some_and(|date| range.holds(date)));
    }
    let total = found.len();
    let shown = found.into_iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX));
    Ok(Listing { pages: read(scribe, shown.collect(), query.detail).await?, total })
}

/// A page that was found, not read yet.
struct Found {
    id: NodeId,
    score: Option<f64>,
}

fn unranked(ids: Vec<NodeId>) -> Vec<Found> {
    ids.into_iter().map(|id| Found { id, score: None }).collect()
}

/// The pages whose names sound like what was heard.
async fn sounding(scribe: &Scribe, query: &PageQuery, heard: &str) -> Result<Vec<Found>> {
    let (store, viewer) = (scribe.app.store.as_ref(), &scribe.viewer);
    let kinds = scribe.kinds(&query.kinds);
    let wanted = (kinds.as_slice(), scribe.breadth());
    let found = scribe.app.rolls.open(store, viewer).await?.alike(heard, wanted, ALIKE);
    let shown = |score: f64| (score * 100.0).round() / 100.0;
    Ok(found.into_iter().map(|(id, score)| Found { id, score: Some(shown(score)) }).collect())
}

/// Whether only the store can tell which pages are asked for. Tags are the one search's,
/// too, but to that accents do not count.
fn is_narrowed(query: &PageQuery) -> bool {
    let named = matches!(query.name, Some(NameFilter::Contains(_) | NameFilter::Exact(_)));
    named || query.subtype.is_some() || !query.tags.is_empty() || query.since.is_some()
}

/// Those of the pages that the store finds, too, in the order they have.
async fn narrowed(scribe: &Scribe, query: &PageQuery, found: Vec<Found>) -> Result<Vec<Found>> {
    if !is_narrowed(query) {
        return Ok(found);
    }
    /// From so many on, looking at each of them takes longer than looking at all.
    const MANY: usize = 500;
    let among = (found.len() < MANY).then(|| found.iter().map(|one| one.id).collect());
    let wanted = NodeQuery { among, ..store_query(scribe, query, scribe.breadth())? };
    let fitting = scribe.app.store.find_ids(&scribe.viewer, wanted).await?;
    let fitting: HashSet<NodeId> = fitting.into_iter().collect();
    Ok(found.into_iter().filter(|one| fitting.contains(&one.id)).collect())
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

/// A page of what the one search finds by itself.
async fn hits(scribe: &Scribe, query: &PageQuery, words: &str, limit: usize) -> Result<Listing> {
    let wanted = query.offset.saturating_add(limit);
    let (ids, total) = ranked(scribe, query, words, wanted).await?;
    let shown = ids.into_iter().skip(query.offset).collect();
    Ok(Listing { pages: read(scribe, unranked(shown), query.detail).await?, total })
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

/// The best of what the one search finds by words and names, and how many it finds. What
/// is only like in meaning is left out: a page that does not have the words is not what
/// this asks for.
async fn ranked(
    scribe: &Scribe,
    query: &PageQuery,
    words: &str,
    limit: usize,
) -> Result<(Vec<NodeId>, usize)> {
    let reach = scribe.reach(&query.kinds, scribe.breadth())?;
    let filter = Filter {
        kinds: reach.kinds,
        except_kinds: reach.except,
        tags: query.tags.clone(),
        ..Filter::default()
    };
    let search = Query { filter, unit: Unit::Node, exhaustive: true, ..Query::new(words, limit) };
    let found = scribe.app.rank(&scribe.viewer, search).await?;
    Ok((found.hits.into_iter().map(|hit| hit.key.node).collect(), found.total))
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

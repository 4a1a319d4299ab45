//! Finding pages: by what they say, by name, type, tags, date, and what changed.
//!
//! Every filter is applied before the page of results is cut, and the order is always
//! the same: by rank where something is ranked, else as the pages were made.

use std::collections::HashMap;

use lore_core::names::name_key;
use lore_core::{Node, NodeId, Result, Timestamp};
use lore_search::{Filter, MatchKind, Query, Unit};
use lore_store::{NameMatch, NodeQuery};

use super::dates::{self, DateRange};
use super::kinds::PageKind;
use super::likeness::{Heard, Name};
use super::page::{Detail, Page, with_texts};
use super::scribe::Scribe;

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
    let mut rows = match (words, &query.name) {
        (Some(words), name) => {
            let ids = ranked(scribe, query, words).await?;
            if is_plain(query) && name.is_none() && query.subtype.is_none() && query.since.is_none()
            {
                return hits(scribe, query, &ids).await;
            }
            by_name(in_order(scribe, query, &ids).await?, name.as_ref())
        }
        (None, Some(NameFilter::Alike(heard))) => sounding(scribe, query, heard).await?,
        (None, _) if is_plain(query) => return listed(scribe, query).await,
        (None, _) => {
            let nodes = every(scribe, &store_query(scribe, query)?).await?;
            nodes.into_iter().map(|node| (node, None)).collect()
        }
    };
    rows.retain(|(node, _)| query.since.is_none_or(|since| node.updated.at > since));
    if query.dates.is_some() {
        rows = by_date(scribe, rows, query.dates).await?;
    }
    let total = rows.len();
    let cut = rows.into_iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX));
    Ok(Listing { pages: read(scribe, cut.collect(), query.detail).await?, total })
}

/// Whether the store can answer by itself, page cut included.
fn is_plain(query: &PageQuery) -> bool {
    query.dates.is_none() && query.limit.is_some()
}

/// The pages whose names sound like what was heard.
async fn sounding(scribe: &Scribe, query: &PageQuery, heard: &str) -> Result<Vec<Row>> {
    let (store, viewer) = (scribe.app.store.as_ref(), &scribe.viewer);
    let kinds = scribe.kinds(&query.kinds);
    let found = scribe.app.rolls.open(store, viewer).await?.alike(heard, &kinds, ALIKE);
    let ids: Vec<NodeId> = found.iter().map(|(id, _)| *id).collect();
    let scores: HashMap<NodeId, f64> = found.into_iter().collect();
    let nodes = in_order(scribe, query, &ids).await?;
    let score = |node: &Node| scores.get(&node.id).copied().map(shown);
    Ok(nodes
        .into_iter()
        .map(|node| (score(&node), node))
        .map(|(score, node)| (node, score))
        .collect())
}

/// Whether a page has the type and the tags that are asked for.
fn fits(query: &PageQuery, node: &Node) -> bool {
    let subtype = query.subtype.as_deref().map(name_key);
    let own: Vec<String> = node.tags.iter().map(|tag| name_key(tag)).collect();
    (subtype.is_none() || node.subtype.as_deref().map(name_key) == subtype)
        && query.tags.iter().all(|tag| own.contains(&name_key(tag)))
}

fn shown(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

async fn listed(scribe: &Scribe, query: &PageQuery) -> Result<Listing> {
    let limit = query.limit.unwrap_or(0);
    let wanted =
        NodeQuery { limit: query.offset.saturating_add(limit), ..store_query(scribe, query)? };
    let page = scribe.app.store.find_nodes(&scribe.viewer, wanted).await?;
    let total = usize::try_from(page.total).unwrap_or(usize::MAX);
    let cut = page.items.into_iter().skip(query.offset).map(|node| (node, None)).collect();
    Ok(Listing { pages: read(scribe, cut, query.detail).await?, total })
}

/// The part of the question that the store answers.
fn store_query(scribe: &Scribe, query: &PageQuery) -> Result<NodeQuery> {
    let name = match &query.name {
        Some(NameFilter::Contains(text)) => Some(NameMatch::Contains(text.clone())),
        Some(NameFilter::Exact(text)) => Some(NameMatch::Exact(text.clone())),
        Some(NameFilter::Alike(_)) | None => None,
    };
    Ok(NodeQuery {
        kinds: scribe.words(&query.kinds)?,
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

/// What the one search finds by words and names. What is only like in meaning is left
/// out: a page that does not have the words is not what this asks for.
async fn ranked(scribe: &Scribe, query: &PageQuery, words: &str) -> Result<Vec<NodeId>> {
    let filter = Filter {
        kinds: scribe.words(&query.kinds)?,
        tags: query.tags.clone(),
        ..Filter::default()
    };
    // Filters come after, and whoever asks for all wants all.
    let search =
        Query { filter, unit: Unit::Node, exhaustive: true, ..Query::new(words, usize::MAX) };
    let found = scribe.app.rank(&scribe.viewer, search).await?;
    let worded = found.hits.into_iter().filter(|hit| hit.match_kind <= MatchKind::Words);
    Ok(worded.map(|hit| hit.key.node).collect())
}

/// A page of hits, of which only those that are shown are read.
async fn hits(scribe: &Scribe, query: &PageQuery, ids: &[NodeId]) -> Result<Listing> {
    let shown = ids.iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX));
    let shown: Vec<NodeId> = shown.copied().collect();
    let nodes = in_order(scribe, query, &shown).await?;
    let rows = nodes.into_iter().map(|node| (node, None)).collect();
    Ok(Listing { pages: read(scribe, rows, query.detail).await?, total: ids.len() })
}

/// Pages by their ids, in that order, as far as they have the type and tags asked for.
async fn in_order(scribe: &Scribe, query: &PageQuery, ids: &[NodeId]) -> Result<Vec<Node>> {
    let nodes = scribe.app.store.nodes(&scribe.viewer, ids).await?;
    let mut nodes: HashMap<NodeId, Node> =
        nodes.into_iter().filter(|node| fits(query, node)).map(|node| (node.id, node)).collect();
    Ok(ids.iter().filter_map(|id| nodes.remove(id)).collect())
}

type Row = (Node, Option<f64>);

/// Keeps the nodes whose name matches. Those that sound alike are put in order.
fn by_name(nodes: Vec<Node>, name: Option<&NameFilter>) -> Vec<Row> {
    let any = |node: &Node, fits: &dyn Fn(&str) -> bool| {
        fits(&node.name) || node.aliases.iter().any(|alias| fits(alias))
    };
    match name {
        None => nodes.into_iter().map(|node| (node, None)).collect(),
        Some(NameFilter::Contains(text)) => {
            let key = name_key(text);
            let fits = |name: &str| name_key(name).contains(&key);
            nodes.into_iter().filter(|node| any(node, &fits)).map(|node| (node, None)).collect()
        }
        Some(NameFilter::Exact(text)) => {
            let key = name_key(text);
            let fits = |name: &str| name_key(name) == key;
            nodes.into_iter().filter(|node| any(node, &fits)).map(|node| (node, None)).collect()
        }
        Some(NameFilter::Alike(text)) => alike(nodes, text),
    }
}

fn alike(nodes: Vec<Node>, text: &str) -> Vec<Row> {
    let mut heard = Heard::new(text);
    let scored = nodes.into_iter().map(|node| {
        let names = std::iter::once(&node.name).chain(&node.aliases);
        let best = names.map(|name| heard.likeness(&Name::new(name), ALIKE)).fold(0.0, f64::max);
        (node, best)
    });
    let mut rows: Vec<(Node, f64)> = scored.filter(|(_, score)| *score >= ALIKE).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.id.cmp(&b.0.id)));
    rows.into_iter().map(|(node, score)| (node, Some(shown(score)))).collect()
}

async fn by_date(scribe: &Scribe, rows: Vec<Row>, range: Option<DateRange>) -> Result<Vec<Row>> {
    let pages = read(scribe, rows, Detail::Entry).await?;
    let kept = pages.into_iter().filter(|found| {
        let date = dates::date_of(&found.page);
        range.is_none_or(|range| date.is_some_and(|date| range.holds(date)))
    });
    Ok(kept.map(|found| (found.page.node, found.score)).collect())
}

async fn read(scribe: &Scribe, rows: Vec<Row>, detail: Detail) -> Result<Vec<Scored>> {
    let (nodes, scores): (Vec<Node>, Vec<Option<f64>>) = rows.into_iter().unzip();
    let pages = with_texts(scribe, nodes, detail).await?;
    Ok(pages.into_iter().zip(scores).map(|(page, score)| Scored { page, score }).collect())
}

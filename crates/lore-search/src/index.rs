//! The index of one world.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use lore_core::Viewer;
use lore_core::names::name_key;
use lore_text::analysis::{name_words, stem_list};

use crate::document::{DocKey, Entry};
use crate::query::{Filter, Hit, MatchKind, Parts, Query, Ranked, Unit};

/// Everything that can be found in one world, in memory.
#[derive(Debug, Default)]
pub struct Index {
    entries: BTreeMap<DocKey, Entry>,
}

/// How large an index is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Documents, heads of nodes included.
    pub documents: usize,
    /// About how many bytes of memory it takes.
    pub bytes: usize,
}

impl Index {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, or replaces the one with the same key.
    pub fn put(&mut self, entry: Entry) {
        self.entries.insert(entry.key, entry);
    }

    /// Takes a document out; does nothing when there is none.
    pub fn remove(&mut self, key: DocKey) {
        self.entries.remove(&key);
    }

    /// How many documents there are, heads of nodes included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Brings everything that follows the store's statistics only by and by up to date.
    pub fn settle(&mut self) {}

    /// How large it is.
    pub fn statistics(&self) -> Statistics {
        Statistics { documents: self.len(), bytes: 0 }
    }

    /// Answers a query with what the viewer may see.
    pub fn search(&self, viewer: &Viewer, query: &Query) -> Ranked {
        let seen: Vec<&Entry> = self.entries.values().filter(|entry| sees(viewer, entry)).collect();
        let stems = stem_list(&query.text);
        let name = name_words(&query.text);
        let mut best: BTreeMap<DocKey, Hit> = BTreeMap::new();
        for entry in seen.iter().filter(|entry| admits(&query.filter, entry)) {
            let Some(hit) = judge(entry, &seen, &stems, &name) else { continue };
            let key = match query.unit {
                Unit::Text if entry.key.text.is_none() => continue,
                Unit::Text => entry.key,
                Unit::Node => DocKey::head(entry.key.node),
            };
            let better = best.get(&key).is_none_or(|old| order(&hit, old) == Ordering::Less);
            if better {
                best.insert(key, hit);
            }
        }
        let mut hits: Vec<Hit> = best.into_values().collect();
        hits.retain(|hit| query.min_score.is_none_or(|least| hit.score >= least));
        hits.sort_by(order);
        let total = hits.len();
        Ranked { hits: hits.into_iter().skip(query.offset).take(query.limit).collect(), total }
    }
}

fn sees(viewer: &Viewer, entry: &Entry) -> bool {
    entry.meta.node_visibility.admits(viewer) && entry.meta.text_visibility.admits(viewer)
}

fn admits(filter: &Filter, entry: &Entry) -> bool {
    let meta = &entry.meta;
    let at = meta.occurred_at.unwrap_or(meta.created_at);
    let one_of = |list: &[String], value: &str| list.is_empty() || list.iter().any(|v| v == value);
    (filter.kinds.is_empty() || filter.kinds.contains(&meta.kind))
        && (filter.text_kinds.is_empty()
            || meta.text_kind.as_ref().is_some_and(|kind| filter.text_kinds.contains(kind)))
        && one_of(&filter.namespaces, &meta.namespace)
        && one_of(&filter.sources, meta.source.as_deref().unwrap_or_default())
        && (filter.session.is_none() || filter.session == meta.session)
        && filter.since.is_none_or(|since| at >= since)
        && filter.until.is_none_or(|until| at <= until)
        && (filter.nodes.is_empty() || filter.nodes.contains(&entry.key.node))
        && filter.tags.iter().all(|tag| meta.tags.iter().any(|has| name_key(has) == name_key(tag)))
}

fn judge(entry: &Entry, seen: &[&Entry], stems: &[String], name: &str) -> Option<Hit> {
    let hit = |score, match_kind| Hit {
        key: entry.key,
        score,
        parts: Parts { lexical: score, ..Parts::default() },
        match_kind,
    };
    if name.is_empty() {
        let at = entry.meta.occurred_at.unwrap_or(entry.meta.created_at);
        return Some(hit(at.as_second() as f32, MatchKind::Listed));
    }
    let count = seen.len() as f32;
    let score: f32 = stems.iter().map(|stem| weight(entry, seen, count, stem)).sum();
    let exact = entry.analysis.names.iter().any(|other| &**other == name);
    match (exact, score > 0.0) {
        (true, _) => Some(hit(score, MatchKind::ExactName)),
        (false, true) => Some(hit(score, MatchKind::Words)),
        (false, false) => None,
    }
}

fn weight(entry: &Entry, seen: &[&Entry], count: f32, stem: &str) -> f32 {
    let tf = frequency(entry, stem);
    if tf == 0.0 {
        return 0.0;
    }
    let df = seen.iter().filter(|other| frequency(other, stem) > 0.0).count() as f32;
    (1.0 + (count - df + 0.5) / (df + 0.5)).ln() * 2.2 * tf
        / (tf + 1.2 * (0.25 + 0.75 * entry.analysis.length as f32 / 20.0))
}

fn frequency(entry: &Entry, stem: &str) -> f32 {
    let terms = &entry.analysis.terms;
    let found = terms.binary_search_by(|(other, _)| (**other).cmp(stem)).ok();
    found.and_then(|at| terms.get(at)).map_or(0.0, |(_, count)| f32::from(*count))
}

/// Exact names first, then by score, then by key, so that ties have an order.
fn order(a: &Hit, b: &Hit) -> Ordering {
    let exact = |hit: &Hit| hit.match_kind == MatchKind::ExactName;
    exact(b).cmp(&exact(a)).then(b.score.total_cmp(&a.score)).then(a.key.cmp(&b.key))
}

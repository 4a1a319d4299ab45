//! Documents that mention an entity: those joined to it in any way, and those that say its name.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_core::{Node, NodeId, Result, Text, Timestamp, Uid};
use lore_search::{Query, Unit};
use lore_store::Direction;
use serde_json::Value;

use super::entities::{self, Entity};
use super::librarian::Librarian;
use super::ontology::EntityType;
use super::relations::{EDGES_MAX, MENTIONS, around};
use super::uri;
use crate::damage::sound_texts;
use crate::memory::kinds::fact;
use crate::play::word;

/// Most documents that are listed at once.
const DOCUMENTS_MAX: usize = 5_000;
/// Most names of an entity that are looked for in texts.
const NAMES_MAX: usize = 10;
/// Most texts that are looked at for each name.
const TEXTS_MAX: usize = 500;

/// A document that mentions an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What it is called outside.
    pub rid: String,
    /// Its path in a vault, or what stands for one.
    pub path: String,
    /// How often it mentions the entity.
    pub mentions: usize,
    /// The date its name begins with, `2026-02-18`.
    pub date: Option<String>,
    /// Since when it is known to mention it.
    pub first_seen: Timestamp,
    /// Where on the web it was read.
    pub url: Option<String>,
}

/// The documents that mention an entity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mentioned {
    /// The documents, those that mention it most first.
    pub documents: Vec<Document>,
    /// How many there are without the limit.
    pub total: usize,
}

/// The documents that mention the entity with this URI; none when it is unknown.
pub async fn mentioned_in(librarian: &Librarian, uri: &str, limit: usize) -> Result<Mentioned> {
    let Some(entity) = entities::by_id(librarian, uri).await? else {
        return Ok(Mentioned::default());
    };
    let mut since = mentioning(librarian, &entity).await?;
    for (node, at) in linked(librarian, &entity).await? {
        since.entry(node).or_insert(at);
    }
    for text in said(librarian, &entity).await? {
        let first = since.entry(text.node).or_insert(text.created.at);
        *first = (*first).min(text.created.at);
    }
    since.remove(&entity.node.id);
    let ids: Vec<NodeId> = since.keys().copied().collect();
    let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
    let store = librarian.app.store.as_ref();
    let texts = sound_texts(store, &librarian.viewer, &ids).await?.texts;
    let mentions = mentions(librarian, &entity, &texts).await?;
    for (text, count) in texts.iter().zip(mentions) {
        *counts.entry(text.node).or_default() += count;
    }
    let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
    let known: HashSet<Uid> = nodes.iter().map(|node| node.uid).collect();
    // What an experience says stands in the node that keeps it, too: once is enough.
    let is_repeated = |node: &Node| fact(node) != node.uid && known.contains(&fact(node));
    let mut documents: Vec<Document> = nodes
        .iter()
        .filter(|node| !is_repeated(node))
        .filter_map(|node| {
            // What is joined to it mentions it at least once, by whatever name.
            let mentions = counts.get(&node.id).copied().unwrap_or_default().max(1);
            Some(document(node, mentions, *since.get(&node.id)?))
        })
        .collect();
    documents.sort_by(|a, b| {
        b.mentions.cmp(&a.mentions).then(b.first_seen.cmp(&a.first_seen)).then(a.rid.cmp(&b.rid))
    });
    let total = documents.len();
    documents.truncate(limit.clamp(1, DOCUMENTS_MAX));
    Ok(Mentioned { documents, total })
}

/// Nodes joined to the entity because they mention it, with since when.
async fn mentioning(librarian: &Librarian, entity: &Entity) -> Result<BTreeMap<NodeId, Timestamp>> {
    let kinds = [word(MENTIONS)?];
    let edges = librarian
        .app
        .store
        .neighbours(&librarian.viewer, &[entity.node.id], Direction::In, &kinds, EDGES_MAX)
        .await?;
    Ok(edges.into_iter().map(|edge| (edge.source, edge.created.at)).collect())
}

/// Documents that are joined to the entity otherwise, with since when. Entities that are so are its
/// relations.
async fn linked(librarian: &Librarian, entity: &Entity) -> Result<BTreeMap<NodeId, Timestamp>> {
    let own = entity.node.id;
    let mut since = BTreeMap::new();
    for edge in around(librarian, &[own], &[]).await? {
        let other = if edge.source == own { edge.target } else { edge.source };
        since.entry(other).or_insert(edge.created.at);
    }
    let ids: Vec<NodeId> = since.keys().copied().collect();
    let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
    let documents = nodes.iter().filter(|node| EntityType::of(node).is_none());
    Ok(documents.filter_map(|node| since.remove_entry(&node.id)).collect())
}

/// Texts that say one of the entity's names.
async fn said(librarian: &Librarian, entity: &Entity) -> Result<Vec<Text>> {
    let mut texts = Vec::new();
    let names = std::iter::once(&entity.node.name).chain(&entity.node.aliases);
    for name in names.take(NAMES_MAX) {
        let query = Query { unit: Unit::Text, ..Query::new(name.as_str(), TEXTS_MAX) };
        let found = librarian.app.search(&librarian.viewer, query).await?;
        texts.extend(found.answers.into_iter().filter_map(|answer| answer.text));
    }
    let mentions = mentions(librarian, entity, &texts).await?;
    let saying = texts.into_iter().zip(mentions).filter(|(_, count)| *count > 0);
    Ok(saying.map(|(text, _)| text).collect())
}

/// Whom the nodes of texts are joined to because they mention them.
async fn mentioned_by(
    librarian: &Librarian,
    texts: &[Text],
) -> Result<HashMap<NodeId, Vec<NodeId>>> {
    let mut nodes: Vec<NodeId> = texts.iter().map(|text| text.node).collect();
    nodes.sort();
    nodes.dedup();
    let (store, kinds) = (&librarian.app.store, [word(MENTIONS)?]);
    let (viewer, out) = (&librarian.viewer, Direction::Out);
    let mut joined: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for edge in store.neighbours(viewer, &nodes, out, &kinds, EDGES_MAX).await? {
        joined.entry(edge.source).or_default().push(edge.target);
    }
    Ok(joined)
}

/// How often each text mentions the entity. The longest name is meant: who writes of River
/// Song does not write of the River. Of namesakes the one is meant whom it is joined to.
async fn mentions(librarian: &Librarian, entity: &Entity, texts: &[Text]) -> Result<Vec<usize>> {
    let joined = mentioned_by(librarian, texts).await?;
    let mut catalogue = librarian.catalogue().await?;
    let count = |text: &Text| {
        let meant = joined.get(&text.node).map_or(&[][..], Vec::as_slice);
        let spotted = catalogue.spot_beside(&text.body, meant);
        let own = spotted.into_iter().find(|(node, _)| *node == entity.node.id);
        own.map_or(0, |(_, spotted)| spotted.count)
    };
    Ok(texts.iter().map(count).collect())
}

fn document(node: &Node, mentions: usize, first_seen: Timestamp) -> Document {
    let rid = uri::of_document(node);
    let path = match node.properties.get(uri::RID) {
        Some(_) => path_in(&rid).to_owned(),
        None => format!("{}/{}", node.kind, node.name),
    };
    let name = path.rsplit('/').next().unwrap_or(&path);
    Document {
        date: date_of(name),
        url: node.properties.get(URL).and_then(Value::as_str).map(str::to_owned),
        rid,
        path,
        mentions,
        first_seen,
    }
}

/// The property that holds where on the web a document was read.
pub(super) const URL: &str = "url";

/// A document's path in the vault.
fn path_in(rid: &str) -> &str {
    let prefixes = ["orn:obsidian.entity:Notes/", "vault:notes/", "vault:"];
    let path = prefixes.iter().find_map(|prefix| rid.strip_prefix(prefix)).unwrap_or(rid);
    path.strip_suffix(".md").unwrap_or(path)
}

fn date_of(name: &str) -> Option<String> {
    let date = name.get(..10)?;
    date.parse::<jiff::civil::Date>().ok().map(|date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_without_what_names_the_vault() {
        assert_eq!(path_in("vault:notes/2026-02-18 Call.md"), "2026-02-18 Call");
        assert_eq!(path_in("vault:People/Bill Baue.md"), "People/Bill Baue");
        assert_eq!(path_in("orn:web.page:example_org/0123"), "orn:web.page:example_org/0123");
    }

    #[test]
    fn a_name_may_begin_with_its_date() {
        assert_eq!(date_of("2026-02-18 Call").as_deref(), Some("2026-02-18"));
        assert_eq!(date_of("2026-02-31 Call"), None);
        assert_eq!(date_of("Ünïcödé names"), None);
    }
}

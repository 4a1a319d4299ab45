//! Documents that mention an entity: those linked to it by an edge, and those that contain its
//! name.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_core::{Node, NodeId, Result, Text, Timestamp, Uid};
use lore_search::{Query, Unit};
use lore_store::Direction;
use serde_json::Value;

use super::URL;
use crate::damage::sound_texts;
use crate::knowledge::entities::{self, Entity, EntityType, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::relations::{EDGES_MAX, MENTIONS, around};
use crate::memory::kinds::fact;
use crate::play::word;

/// Most documents listed at once.
const DOCUMENTS_MAX: usize = 5_000;
/// Most names of an entity that are searched for.
const NAMES_MAX: usize = 10;
/// Most texts examined for each name.
const TEXTS_MAX: usize = 500;

/// A document that mentions an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The RID, the name it has outside.
    pub rid: String,
    /// Its path in the vault; for other documents the RID, or kind and name if it has no RID.
    pub path: String,
    /// How often it mentions the entity, at least 1.
    pub mentions: usize,
    /// The date at the start of its name, such as `2026-02-18`.
    pub date: Option<String>,
    /// Since when it is known to mention the entity.
    pub first_seen: Timestamp,
    /// The web address it was read from.
    pub url: Option<String>,
}

/// The documents that mention an entity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mentioned {
    /// The documents, those with most mentions first.
    pub documents: Vec<Document>,
    /// How many there are regardless of the limit.
    pub total: usize,
}

/// Returns the documents that mention the entity with this URI; none if it is unknown.
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
    // The node of an experience and the one it was promoted to hold the same text: list only one.
    let is_repeated = |node: &Node| fact(node) != node.uid && known.contains(&fact(node));
    let mut documents: Vec<Document> = nodes
        .iter()
        .filter(|node| !is_repeated(node))
        .filter_map(|node| {
            // A linked document counts as one mention even if it uses another name.
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

/// Returns the nodes with a mention edge to the entity, and since when.
async fn mentioning(librarian: &Librarian, entity: &Entity) -> Result<BTreeMap<NodeId, Timestamp>> {
    let kinds = [word(MENTIONS)?];
    let edges = librarian
        .app
        .store
        .neighbours(&librarian.viewer, &[entity.node.id], Direction::In, &kinds, EDGES_MAX)
        .await?;
    Ok(edges.into_iter().map(|edge| (edge.source, edge.created.at)).collect())
}

/// Returns the documents linked to the entity by other edges, and since when. Entities linked to it
/// are its relations instead.
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

/// Returns the texts that contain one of the entity's names.
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

/// Returns the targets of the mention edges of the nodes that hold these texts.
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

/// Counts how often each text mentions the entity. The longest matching name wins: "River Song" is
/// no mention of the River. A name shared by several entities counts for the one the text's node is
/// linked to.
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

/// Returns the path of a document without the prefix that stands for the vault.
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

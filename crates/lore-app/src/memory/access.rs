//! What is asked for again and again stays.
//!
//! What an answer contained is counted; an experience that was asked for five times gets a
//! node that keeps it, with its text and its neighbours, in the transaction that counts it.
//! The experience keeps its id and its place in its conversation, so recalling goes on
//! finding the one it knows; work on the graph finds the node. Readers count nothing.

use std::collections::HashSet;

use futures::FutureExt;
use lore_core::{Node, NodeId, Properties, Provenance, Text};
use lore_store::{Batch, Change, Expect, NewNode, NewText, NodePatch, NodeRef};
use serde_json::json;

use super::experience::Fading;
use super::graph::{auto_links, similar_nodes};
use super::holding::lapsed;
use super::ids::shown;
use super::keeper::Keeper;
use super::kinds::{
    CONTENT, DESCRIPTION, EXPERIENCE, KNOWLEDGE, PROMOTED, PROMOTED_TO, kept_by, word,
};
use super::learn::kept_as;
use super::pen::{capitalised, name_from};
use super::recall::Memory;
use super::refusal::Reply;
use super::{MEMORIES_URI, STATUS_URI};

/// From so many accesses on an experience stays.
pub const PROMOTED_AT: i64 = 5;
/// How much of the content stands in the name.
const NAME_LETTERS: usize = 50;

/// Counts that these answered, each node once; what only filled a list answered nothing.
/// Never hides the answer: when counting fails, the log of the program says so.
pub(super) async fn note(keeper: &Keeper, memories: impl Iterator<Item = &Memory>) {
    let mut seen = HashSet::new();
    let answering = memories.filter(|memory| memory.answers).map(|memory| &memory.node);
    let nodes: Vec<Node> = answering.filter(|node| seen.insert(node.id)).cloned().collect();
    if nodes.is_empty() || !keeper.may_write() {
        return;
    }
    if let Err(refusal) = keeper.carry_out(|| plan(keeper, &nodes).boxed()).await {
        tracing::debug!(%refusal, "accesses could not be counted");
    }
}

async fn plan(keeper: &Keeper, nodes: &[Node]) -> Reply<(Batch, ())> {
    let ids = nodes.iter().map(|node| node.id).collect();
    let mut batch = keeper.batch().change(Change::CountAccess(ids));
    for (experience, count) in due(keeper, nodes).await? {
        batch.changes.extend(promotion(keeper, &experience, count, &batch).await?);
        batch = batch.touch(STATUS_URI).touch(MEMORIES_URI);
    }
    Ok((batch, ()))
}

/// The experiences among the nodes that this access makes permanent, as they are now.
async fn due(keeper: &Keeper, nodes: &[Node]) -> Reply<Vec<(Node, i64)>> {
    let may = |node: &&Node| node.kind.as_str() == EXPERIENCE && kept_by(node).is_none();
    let ids: Vec<NodeId> = nodes.iter().filter(may).map(|node| node.id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let store = &keeper.app.store;
    let mut accesses = store.accesses(&keeper.viewer, &ids).await?;
    accesses.retain(|access| access.count + 1 >= PROMOTED_AT);
    if accesses.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<_> = accesses.iter().map(|access| access.node).collect();
    let fresh = store.nodes(&keeper.viewer, &ids).await?;
    let lapsed = lapsed(keeper, &fresh.iter().collect::<Vec<_>>()).await?;
    let counted = |node: Node| {
        let count = accesses.iter().find(|access| access.node == node.id)?.count + 1;
        let stays = kept_by(&node).is_none() && !lapsed.contains_key(&node.uid);
        stays.then_some((node, count))
    };
    Ok(fresh.into_iter().filter_map(counted).collect())
}

async fn promotion(
    keeper: &Keeper,
    experience: &Node,
    count: i64,
    batch: &Batch,
) -> Reply<Vec<Change>> {
    let texts = keeper.app.store.texts_of_nodes(&keeper.viewer, &[experience.id]).await?;
    let content = texts.iter().find(|text| text.kind.as_str() == CONTENT).or(texts.first());
    let Some(content) = content else { return Ok(Vec::new()) };
    let new = permanent(keeper, experience, content, count)?;
    let node = keeper.preview(&new, batch.at);
    let neighbours = similar_nodes(keeper, &content.body).await?;
    let mut changes = vec![Change::CreateNode(new)];
    for text in &texts {
        changes.push(Change::CreateText(copied(keeper, &node, text)?));
    }
    let mut properties = experience.properties.clone();
    properties.insert(PROMOTED_TO.into(), json!(node.uid.to_string()));
    let patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
    let expect = Expect::Version(experience.version);
    changes.push(Change::UpdateNode(NodeRef::Id(experience.id), expect, patch));
    changes.push(kept_as(experience, &node)?);
    changes.extend(auto_links(&node, &neighbours)?);
    Ok(changes)
}

fn permanent(keeper: &Keeper, experience: &Node, content: &Text, count: i64) -> Reply<NewNode> {
    let mut properties = Properties::new();
    properties.insert("source_type".into(), json!("promotion"));
    properties.insert("experience".into(), json!(experience.uid.to_string()));
    properties.insert("source_experience_id".into(), json!(shown(experience)));
    properties.insert("access_count".into(), json!(count));
    let fading = Fading::of(experience);
    if let Some(fading) = fading {
        fading.note_in(&mut properties);
    }
    let lesson = fading.map_or("experience", |fading| fading.lesson.as_str());
    let name = name_from(&format!("{}: ", capitalised(lesson)), &content.body, NAME_LETTERS);
    Ok(NewNode {
        namespace: KNOWLEDGE.into(),
        derived_name: true,
        tags: experience.tags.clone(),
        visibility: experience.visibility,
        properties,
        ..NewNode::new(keeper.app.effects.uid(), word(PROMOTED)?, name)
    })
}

/// A text of an experience as a text of the node that keeps it. It is no part of the
/// conversation: there its original stands.
fn copied(keeper: &Keeper, node: &Node, text: &Text) -> Reply<NewText> {
    let kind = if text.kind.as_str() == CONTENT { word(DESCRIPTION)? } else { text.kind.clone() };
    let uid = keeper.app.effects.uid();
    Ok(NewText {
        position: text.position,
        provenance: Provenance { session: None, ..text.provenance.clone() },
        ..NewText::new(uid, NodeRef::Uid(node.uid), kind, text.body.clone())
    })
}

//! Access counts, and promotion of what is recalled often.
//!
//! Whatever answers a question is counted. An experience with five accesses gets a lasting node,
//! with copies of its texts and links to similar nodes. The experience keeps its id and its place
//! in its conversation, so recall keeps finding it, while the tools of the graph find the lasting
//! node. Readers count nothing.
//!
//! Counts are collected in memory and written together a little later, so nobody waits for them; an
//! abrupt end of the program loses the latest. Whether to promote is decided by the written and
//! unwritten counts together.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use lore_core::{Error, Node, NodeId, Properties, Provenance, Text, Uid, Viewer};
use lore_store::{Batch, Change, Expect, NewNode, NewText, NodeKey, NodePatch, NodeRef, Origin};
use serde_json::json;
use tokio::sync::{Notify, RwLock};

use super::call::MemoryCall;
use super::cleaning::{capitalised, name_from};
use super::experience::Fading;
use super::graph::{auto_links, similar_nodes};
use super::ids::shown;
use super::kinds::{
    CONTENT, DESCRIPTION, EXPERIENCE, ITS_EXPERIENCE, KNOWLEDGE, PROMOTED, PROMOTED_TO, kept_by,
    word,
};
use super::recall::Memory;
use super::refusal::Reply;
use super::supersession::replacements;
use crate::App;
use crate::preview::preview;

/// The number of accesses at which an experience is promoted.
const PROMOTED_AT: i64 = 5;
/// The number of characters of the content used in the name.
const NAME_LETTERS: usize = 50;
/// The tool name under which counts are committed.
const COUNTED_BY: &str = "kn_intel";

/// Access counts that are not written yet.
#[derive(Debug, Default)]
pub struct Ledger {
    counts: Mutex<HashMap<Viewer, HashMap<NodeId, i64>>>,
    /// Held for writing while counts are moved to the store, so that readers see each count exactly
    /// once.
    writing: RwLock<()>,
    stirred: Notify,
}

impl Ledger {
    fn add(&self, viewer: Viewer, nodes: &[NodeId], times: i64) {
        let mut counts = self.counts();
        let counts = counts.entry(viewer).or_default();
        for node in nodes {
            *counts.entry(*node).or_default() += times;
        }
        self.stirred.notify_one();
    }

    /// Returns the unwritten accesses to a node, by all viewers.
    fn count(&self, node: NodeId) -> i64 {
        self.counts().values().filter_map(|counts| counts.get(&node)).sum()
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Viewer, HashMap<NodeId, i64>>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long counts are collected before they are written.
const PAUSE: Duration = Duration::from_secs(1);

/// Writes counts as they come in. Runs as long as the program.
pub async fn keep_counted(app: Arc<App>) {
    loop {
        app.accesses.stirred.notified().await;
        tokio::time::sleep(PAUSE).await;
        write_counts(&app).await;
    }
}

/// Writes all collected counts. Also called when the program stops.
pub async fn write_counts(app: &App) {
    let _alone = app.accesses.writing.write().await;
    let counts = std::mem::take(&mut *app.accesses.counts());
    for (viewer, counts) in counts {
        let origin = Origin::new(COUNTED_BY, app.effects.uid().to_string());
        let mut batch = Batch::new(origin, app.effects.now());
        let most = counts.values().copied().max().unwrap_or_default();
        for times in 1..=most {
            let often = counts.iter().filter(|(_, count)| **count >= times);
            batch = batch.change(Change::CountAccess(often.map(|(node, _)| *node).collect()));
        }
        if let Err(error) = app.store.commit(&viewer, batch).await {
            tracing::debug!(
                code = Error::from(error).code().meaning().name,
                "accesses could not be counted"
            );
        }
    }
}

/// An answer counts only if its score is at least this share of the best score.
const SCORES_FROM: f64 = 0.8;
/// An answer counts only if the share of the question's words it contains is at least this share of
/// the best answer's. In conversations this leaves out the neighbours of what answers.
const SAYS_FROM: f64 = 0.5;
/// An experience has no name that could match the question. If a node matches by name, experiences
/// are compared with the best experience instead, and must contain at least this share of the words
/// that the best answer contains.
const SAYS_BESIDE_A_NAME: f64 = 0.75;

/// Returns those of the memories shown together that answer the question, without those that only
/// fill up the list.
pub(super) fn answering<'a>(memories: impl Iterator<Item = &'a Memory>) -> Vec<&'a Memory> {
    let mut answering: Vec<&Memory> = memories.filter(|memory| memory.answers).collect();
    let Some(best) = best(answering.iter().copied()) else { return answering };
    let experience = self::best(answering.iter().copied().filter(|memory| is_experience(memory)));
    answering.retain(|memory| {
        let told_beside = experience.filter(|_| is_experience(memory));
        comes_near(memory, best) && says(memory, best, SAYS_FROM)
            || told_beside.is_some_and(|experience| comes_near(memory, experience))
                && says(memory, best, SAYS_BESIDE_A_NAME)
    });
    answering
}

fn best<'a>(memories: impl Iterator<Item = &'a Memory>) -> Option<&'a Memory> {
    memories.max_by(|a, b| score(a).total_cmp(&score(b)))
}

fn score(memory: &Memory) -> f64 {
    memory.score.unwrap_or_default()
}

fn comes_near(memory: &Memory, best: &Memory) -> bool {
    score(memory) >= score(best) - score(best).abs() * (1.0 - SCORES_FROM)
}

fn says(memory: &Memory, best: &Memory, share: f64) -> bool {
    f64::from(memory.own_words) >= f64::from(best.own_words) * share
}

fn is_experience(memory: &Memory) -> bool {
    memory.node.kind.as_str() == EXPERIENCE
}

/// Counts the accesses to a node that another program counted, as far as they matter here.
pub(super) async fn take_over(call: &MemoryCall, uid: Uid, count: u64) -> Reply<()> {
    let count = i64::try_from(count).unwrap_or(PROMOTED_AT).min(PROMOTED_AT);
    if count == 0 {
        return Ok(());
    }
    if let Some(node) = call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await? {
        call.app.accesses.add(call.viewer, &[node.id], count);
    }
    Ok(())
}

/// Counts one access for each node of these. Errors are only logged, so that the answer is not
/// lost.
pub(super) async fn note(call: &MemoryCall, answering: impl Iterator<Item = &Memory>) {
    let mut seen = HashSet::new();
    let nodes = answering.map(|memory| &memory.node);
    let nodes: Vec<&Node> = nodes.filter(|node| seen.insert(node.id)).collect();
    if nodes.is_empty() || !call.may_write() {
        return;
    }
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    call.app.accesses.add(call.viewer, &ids, 1);
    if promote(call, &nodes).await.is_err() {
        tracing::debug!("what is asked for often could not be kept");
    }
}

/// Promotes those of the experiences that were accessed often enough.
async fn promote(call: &MemoryCall, nodes: &[&Node]) -> Reply<()> {
    let may = |node: &&&Node| node.kind.as_str() == EXPERIENCE && kept_by(node).is_none();
    let ids: Vec<NodeId> = nodes.iter().filter(may).map(|node| node.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    // One after another, so that similar ones are linked to each other as well.
    for (experience, _) in due(call, &ids).await? {
        call.carry_out(|| plan(call, experience.id).boxed()).await?;
    }
    Ok(())
}

async fn plan(call: &MemoryCall, id: NodeId) -> Reply<(Batch, ())> {
    let mut batch = call.batch();
    for (experience, count) in due(call, &[id]).await? {
        batch.changes.extend(promotion(call, &experience, count, &batch).await?);
    }
    Ok((batch, ()))
}

/// Returns the current nodes of the experiences that are due for promotion, with their counts.
async fn due(call: &MemoryCall, ids: &[NodeId]) -> Reply<Vec<(Node, i64)>> {
    let (store, ledger) = (&call.app.store, &call.app.accesses);
    let counts: HashMap<NodeId, i64> = {
        let _unwritten = ledger.writing.read().await;
        let written = store.accesses(&call.viewer, ids).await?;
        let written: HashMap<_, _> = written.iter().map(|one| (one.node, one.count)).collect();
        let count = |id: &NodeId| written.get(id).copied().unwrap_or_default() + ledger.count(*id);
        let counts = ids.iter().map(|id| (*id, count(id)));
        counts.filter(|(_, count)| *count >= PROMOTED_AT).collect()
    };
    if counts.is_empty() {
        return Ok(Vec::new());
    }
    let often: Vec<NodeId> = counts.keys().copied().collect();
    let fresh = store.nodes(&call.viewer, &often).await?;
    let replacements = replacements(call, &fresh.iter().collect::<Vec<_>>()).await?;
    let counted = |node: Node| {
        let stays = kept_by(&node).is_none() && !replacements.contains_key(&node.uid);
        stays.then(|| counts.get(&node.id).map(|count| (node, *count))).flatten()
    };
    Ok(fresh.into_iter().filter_map(counted).collect())
}

async fn promotion(
    call: &MemoryCall,
    experience: &Node,
    count: i64,
    batch: &Batch,
) -> Reply<Vec<Change>> {
    let texts = call.app.store.texts_of_nodes(&call.viewer, &[experience.id]).await?;
    let content = texts.iter().find(|text| text.kind.as_str() == CONTENT).or(texts.first());
    let Some(content) = content else { return Ok(Vec::new()) };
    let new = permanent(call, experience, content, count)?;
    let node = preview(&call.viewer, &new, batch.at);
    let neighbours = similar_nodes(call, &content.body).await?;
    let mut changes = vec![Change::CreateNode(new)];
    for text in &texts {
        changes.push(Change::CreateText(copied(call, &node, text)?));
    }
    let mut properties = experience.properties.clone();
    properties.insert(PROMOTED_TO.into(), json!(node.uid.to_string()));
    let patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
    let expect = Expect::Version(experience.version);
    changes.push(Change::UpdateNode(NodeRef::Id(experience.id), expect, patch));
    changes.extend(auto_links(&node, &neighbours)?);
    Ok(changes)
}

fn permanent(call: &MemoryCall, experience: &Node, content: &Text, count: i64) -> Reply<NewNode> {
    let mut properties = Properties::new();
    properties.insert("source_type".into(), json!("promotion"));
    properties.insert(ITS_EXPERIENCE.into(), json!(experience.uid.to_string()));
    properties.insert("source_experience_id".into(), json!(shown(experience)));
    properties.insert("access_count".into(), json!(count));
    let fading = Fading::of(experience);
    if let Some(fading) = fading {
        fading.note_in(&mut properties);
    }
    let experience_type = fading.map_or("experience", |fading| fading.experience_type.as_str());
    let name =
        name_from(&format!("{}: ", capitalised(experience_type)), &content.body, NAME_LETTERS);
    Ok(NewNode {
        namespace: KNOWLEDGE.into(),
        derived_name: true,
        tags: experience.tags.clone(),
        visibility: experience.visibility,
        properties,
        ..NewNode::new(call.app.effects.uid(), word(PROMOTED)?, name)
    })
}

/// Copies a text of an experience to its lasting node. The copy has no session, because the
/// original is the part of the conversation.
fn copied(call: &MemoryCall, node: &Node, text: &Text) -> Reply<NewText> {
    let kind = if text.kind.as_str() == CONTENT { word(DESCRIPTION)? } else { text.kind.clone() };
    let uid = call.app.effects.uid();
    Ok(NewText {
        position: text.position,
        provenance: Provenance { session: None, ..text.provenance.clone() },
        ..NewText::new(uid, NodeRef::Uid(node.uid), kind, text.body.clone())
    })
}

//! Learning: stores what came up in a conversation.
//!
//! What is learned with high confidence becomes a lasting node and an experience; anything less
//! certain only an experience. Similar knowledge is reported, never merged.

use std::collections::HashMap;

use futures::FutureExt;
use lore_core::error::short;
use lore_core::{Node, NodeId, Properties, Provenance, Result, TextId, Timestamp, Uid, Visibility};
use lore_rules::memory::decay::Confidence;
use lore_rules::memory::likeness::{Relation, Statement};
use lore_search::{Query, Unit};
use lore_store::{Answered, Batch, Change, NewEdge, NewNode, NewText, NodeKey, NodeRef};
use lore_text::time::{Plain, chat_prefix};
use serde_json::json;

use super::call::MemoryCall;
use super::cleaning::Cleaner;
use super::experience::{Fading, Lore, NewExperience};
use super::graph::{Written, auto_links, similar_nodes};
use super::kinds::{
    CONTENT, DESCRIPTION, IDEA, ITS_EXPERIENCE, KNOWLEDGE, LASTING_NODE, PROJECT, SUPERSEDES,
    VALID_TO, half_of, learned, word,
};
use super::parts::{is_main, whole};
use super::recall::recallable;
use super::refusal::{Refusal, Reply};
use super::supersession::{Replacement, replacements};
use crate::access::may_change;
use crate::damage::sound_texts;
use crate::preview::preview;

/// Who said something, when, and in which conversation.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The conversation or log it is part of.
    pub session: Option<String>,
    /// Who said it.
    pub author: Option<String>,
    /// When it was said or happened, in any common form of a date.
    pub occurred_at: Option<String>,
}

impl Origin {
    /// Returns the provenance of a text. What the caller does not give is taken from a chat prefix
    /// such as `[8 May 2023] Caroline: …`, if the text starts with one.
    pub(super) fn provenance(&self, content: &str, cleaner: &mut Cleaner) -> Reply<Provenance> {
        let session = cleaner.label("session", self.session.as_deref())?;
        let plain = if session.is_some() { Plain::IsAuthor } else { Plain::IsText };
        let prefix = chat_prefix(content, plain);
        let author = cleaner.label("author", self.author.as_deref())?;
        let given = self.occurred_at.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let given = given.map(|text| moment(text).ok_or_else(|| not_a_moment(text)));
        Ok(Provenance {
            source: None,
            session,
            author: author.or_else(|| prefix.author.map(str::to_owned)),
            occurred_at: given.transpose()?.or(prefix.occurred_at),
        })
    }
}

/// Parses a date and time in any common form. A time without a zone is in UTC.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    chat_prefix(&format!("[{text}]"), Plain::IsText).occurred_at
}

fn not_a_moment(text: &str) -> Refusal {
    Refusal::refused(
        format!("Invalid occurred_at: {text}"),
        "use a date such as 2023-05-08, 2023-05-08T14:05Z or 8 May 2023, from the year 1 on",
    )
}

/// The result of learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The lasting node; `None` unless the confidence is high.
    pub node: Option<Node>,
    /// The experience.
    pub experience: Node,
    /// How the experience fades.
    pub fading: Fading,
    /// Similar things that were known before.
    pub candidates: Vec<Candidate>,
}

/// Something similar that was known before.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its node.
    pub node: Node,
    /// The part of its text that matches best.
    pub snippet: String,
    /// How similar it is, from 0 to 1.
    pub similarity: f64,
    /// Whether it is a duplicate, a contradiction or just similar.
    pub relation: Relation,
    /// What superseded it, if anything did.
    pub replacement: Option<Replacement>,
}

/// Stores what was learned.
pub async fn learn(call: &MemoryCall, given: &NewExperience) -> Reply<Written<Learned>> {
    let mut cleaner = Cleaner::default();
    let lore = Lore::check(given, "learn", &mut cleaner)?;
    let superseded = given.supersedes.as_deref();
    let kept = call.carry_out(|| plan(call, &lore, superseded).boxed()).await?;
    Ok(Written { kept, masked: cleaner.masked() })
}

async fn plan(call: &MemoryCall, lore: &Lore, superseded: Option<&str>) -> Reply<(Batch, Learned)> {
    let old = Superseded::find(call, superseded).await?;
    let mut candidates = candidates(call, &lore.content).await?;
    candidates.retain(|candidate| !old.iter().any(|old| old.is(&candidate.node)));
    let mut batch = call.batch();
    let mut experience = lore.node(call)?;
    let node = if lore.fading.confidence == Confidence::High {
        let (node, changes) = for_good(call, lore, &mut experience, batch.at).await?;
        batch.changes.extend(changes);
        Some(node)
    } else {
        None
    };
    let shown = preview(&call.viewer, &experience, batch.at);
    let texts = lore.texts(call, experience.uid, CONTENT)?;
    batch = batch.change(Change::CreateNode(experience));
    // Only the node's texts are searchable, so that each fact is found once.
    let searchable = node.is_none();
    batch
        .changes
        .extend(texts.into_iter().map(|text| Change::CreateText(NewText { searchable, ..text })));
    if let Some(old) = old {
        let new = node.as_ref().unwrap_or(&shown);
        batch.changes.extend(old.changes(call, new, &lore.provenance, batch.at)?);
    }
    let learned = Learned { node, experience: shown, fading: lore.fading, candidates };
    Ok((batch, learned))
}

/// Plans the lasting node of an experience, with its texts and links, and ties the experience to
/// it.
async fn for_good(
    call: &MemoryCall,
    lore: &Lore,
    experience: &mut NewNode,
    at: Timestamp,
) -> Reply<(Node, Vec<Change>)> {
    let new = keeper_node(call, lore, experience.uid)?;
    let node = preview(&call.viewer, &new, at);
    experience.properties.insert(LASTING_NODE.into(), json!(node.uid.to_string()));
    // Search also indexes tags, so the experience keeps its tags in a property instead.
    experience.properties.insert("tags".into(), json!(experience.tags));
    experience.tags.clear();
    let neighbours = similar_nodes(call, &lore.content).await?;
    let mut changes = vec![Change::CreateNode(new)];
    let texts = lore.texts(call, node.uid, DESCRIPTION)?;
    changes.extend(texts.into_iter().map(Change::CreateText));
    changes.extend(auto_links(&node, &neighbours)?);
    Ok((node, changes))
}

fn keeper_node(call: &MemoryCall, lore: &Lore, experience: Uid) -> Result<NewNode> {
    let mut properties = Properties::new();
    properties.insert("source_type".into(), json!("learn"));
    properties.insert(ITS_EXPERIENCE.into(), json!(experience.to_string()));
    lore.fading.note_in(&mut properties);
    Ok(NewNode {
        namespace: KNOWLEDGE.into(),
        derived_name: true,
        tags: lore.tags.clone(),
        visibility: lore.sharing.visibility(&call.viewer),
        properties,
        ..NewNode::new(call.app.effects.uid(), learned(lore.fading.experience_type)?, lore.name())
    })
}

/// The number of search results that are compared with what is learned.
const COMPARED: usize = 10;
/// The maximum number of candidates reported.
const CANDIDATES: usize = 5;

/// Finds what already says nearly the same or the opposite.
async fn candidates(call: &MemoryCall, content: &str) -> Reply<Vec<Candidate>> {
    let filter = recallable()?;
    let query = Query { filter, unit: Unit::Node, ..Query::new(content, COMPARED) };
    let found = call.app.search(&call.viewer, query).await?.answers;
    let wholes = wholes(call, &found).await?;
    let told = Statement::of(unstamped(content));
    let mut candidates: Vec<_> = found
        .into_iter()
        .filter_map(|answer| {
            let body = answer.text.as_ref().map_or(answer.node.name.as_str(), |text| {
                wholes.get(&text.id).unwrap_or(&text.body)
            });
            let (relation, similarity) = told.compare(&Statement::of(unstamped(body)))?;
            let snippet = answer.snippet(content).text;
            let snippet = if snippet.is_empty() { answer.node.name.clone() } else { snippet };
            Some(Candidate { node: answer.node, snippet, similarity, relation, replacement: None })
        })
        .collect();
    let nodes: Vec<&Node> = candidates.iter().map(|candidate| &candidate.node).collect();
    let mut replacements = replacements(call, &nodes).await?;
    for candidate in &mut candidates {
        candidate.replacement = replacements.remove(&candidate.node.uid);
    }
    // What still holds comes first, even if something superseded is more similar.
    candidates.sort_by(|a, b| {
        let order = a.replacement.is_some().cmp(&b.replacement.is_some());
        order.then_with(|| b.similarity.total_cmp(&a.similarity))
    });
    candidates.truncate(CANDIDATES);
    Ok(candidates)
}

/// Returns the whole texts of which the found ones are parts, by the found ones.
async fn wholes(call: &MemoryCall, found: &[Answered]) -> Reply<HashMap<TextId, String>> {
    let parts = || found.iter().filter_map(|one| one.text.as_ref()).filter(|text| is_main(text));
    let nodes: Vec<NodeId> = parts().map(|text| text.node).collect();
    let texts = sound_texts(call.app.store.as_ref(), &call.viewer, &nodes).await?.texts;
    Ok(parts().map(|part| (part.id, whole(&texts, part))).collect())
}

/// Removes the chat prefix from a text. The same statement on another day is not a contradiction.
fn unstamped(text: &str) -> &str {
    chat_prefix(text, Plain::IsText).rest
}

/// Something that is to be superseded. It stays, and a dated edge from its replacement points to
/// it.
pub(super) struct Superseded {
    halves: Vec<Node>,
}

impl Superseded {
    /// Finds the node with this id, and its other half if it has one. Projects and ideas have a
    /// status instead; as superseded they would disappear from their lists.
    pub(super) async fn find(call: &MemoryCall, id: Option<&str>) -> Reply<Option<Self>> {
        let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(None) };
        let named = call.lookup("Node", id).await?;
        if [PROJECT, IDEA].contains(&named.kind.as_str()) {
            let message = format!("{} is not a fact, so no fact supersedes it", short(&named.name));
            let hint =
                "change it with kn_project update or kn_idea update, or leave supersedes out";
            return Err(Refusal::refused(message, hint));
        }
        let other = match half_of(&named) {
            Some(uid) => call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await?,
            None => None,
        };
        Ok(Some(Self { halves: std::iter::once(named).chain(other).collect() }))
    }

    fn is(&self, node: &Node) -> bool {
        self.halves.iter().any(|half| half.uid == node.uid)
    }

    /// Plans the edges from the new node to the old one. If the viewer may not change the old node,
    /// the edge is private, so they supersede it only for themselves.
    pub(super) fn changes(
        &self,
        call: &MemoryCall,
        new: &Node,
        provenance: &Provenance,
        at: Timestamp,
    ) -> Reply<Vec<Change>> {
        let valid_to = provenance.occurred_at.unwrap_or(at).to_string();
        let viewer = &call.viewer;
        let edge = |half: &Node| -> Reply<Change> {
            let may = may_change(viewer, half.created.by, &half.name).is_ok();
            Ok(Change::PutEdge(NewEdge {
                source: NodeRef::Uid(new.uid),
                target: NodeRef::Id(half.id),
                kind: word(SUPERSEDES)?,
                weight: 1.0,
                visibility: if may {
                    new.visibility
                } else {
                    Visibility::Private(viewer.principal)
                },
                properties: Properties::from_iter([(VALID_TO.to_owned(), json!(valid_to))]),
            }))
        };
        self.halves.iter().map(edge).collect()
    }
}

//! Learning: keeping what came up in a conversation where it belongs.
//!
//! What is sure becomes a node that stays, with an experience beside it; what is less sure
//! only an experience. What is alike already is pointed out, never merged.

use futures::FutureExt;
use lore_core::{Node, Properties, Provenance, Result, Timestamp, Uid, Visibility};
use lore_rules::memory::decay::Confidence;
use lore_rules::memory::likeness::{self, Relation};
use lore_search::{Query, Unit};
use lore_store::{Batch, Change, NewEdge, NewNode, NewText, NodeKey, NodeRef};
use lore_text::time::{Plain, chat_prefix};
use serde_json::json;

use super::experience::{Fading, Lore, NewExperience};
use super::graph::{Written, auto_links, similar_nodes};
use super::holding::{Lapsed, lapsed};
use super::keeper::Keeper;
use super::kinds::{CONTENT, DESCRIPTION, KNOWLEDGE, SUPERSEDES, VALID_TO, half_of, learned, word};
use super::pen::Pen;
use super::recall::recallable;
use super::refusal::{Refusal, Reply};
use crate::access::may_change;

/// Who said something, when, and in which conversation.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The conversation or log it is a part of.
    pub session: Option<String>,
    /// Who said it.
    pub author: Option<String>,
    /// When it was said or happened; any usual form of a date.
    pub occurred_at: Option<String>,
}

impl Origin {
    /// What is known of a text: what was said of it, else what stands before its words as
    /// chat logs have it.
    pub(super) fn provenance(&self, content: &str, pen: &mut Pen) -> Reply<Provenance> {
        let session = pen.label("session", self.session.as_deref())?;
        let plain = if session.is_some() { Plain::IsAuthor } else { Plain::IsText };
        let prefix = chat_prefix(content, plain);
        let author = pen.label("author", self.author.as_deref())?;
        let given = self.occurred_at.as_deref().map(str::trim).filter(|text| !text.is_empty());
        Ok(Provenance {
            source: None,
            session,
            author: author.or_else(|| prefix.author.map(str::to_owned)),
            occurred_at: given.map(moment).transpose()?.or(prefix.occurred_at),
        })
    }
}

/// A moment as people and programs write it.
fn moment(text: &str) -> Reply<Timestamp> {
    let bracketed = format!("[{text}]");
    chat_prefix(&bracketed, Plain::IsText).occurred_at.ok_or_else(|| {
        let message = format!("Invalid occurred_at: {text}");
        Refusal::refused(
            message,
            "use a date such as 2023-05-08, 2023-05-08T14:05Z or 8 May 2023, from the year 1 on",
        )
    })
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The node that stays; none for what is not sure.
    pub node: Option<Node>,
    /// The experience.
    pub experience: Node,
    /// How it fades.
    pub fading: Fading,
    /// What is alike already.
    pub candidates: Vec<Candidate>,
}

/// Something that is alike already.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its node.
    pub node: Node,
    /// The part of it that is alike.
    pub snippet: String,
    /// How much is alike, 0 to 1.
    pub similarity: f64,
    /// How the two are to each other.
    pub relation: Relation,
    /// Why it no longer holds, if it does not.
    pub lapsed: Option<Lapsed>,
}

/// Keeps what was learned.
pub async fn learn(keeper: &Keeper, given: &NewExperience) -> Reply<Written<Learned>> {
    let mut pen = Pen::default();
    let lore = Lore::check(given, "learn", &mut pen)?;
    let superseded = given.supersedes.as_deref();
    let kept = keeper.carry_out(|| plan(keeper, &lore, superseded).boxed()).await?;
    Ok(Written { kept, masked: pen.masked() })
}

async fn plan(keeper: &Keeper, lore: &Lore, superseded: Option<&str>) -> Reply<(Batch, Learned)> {
    let old = Superseded::find(keeper, superseded).await?;
    let mut candidates = candidates(keeper, &lore.content).await?;
    candidates.retain(|candidate| !old.iter().any(|old| old.is(&candidate.node)));
    let mut batch = keeper.batch();
    let mut experience = lore.node(keeper)?;
    let node = if lore.fading.confidence == Confidence::High {
        let (node, changes) = for_good(keeper, lore, &mut experience, batch.at).await?;
        batch.changes.extend(changes);
        Some(node)
    } else {
        None
    };
    let shown = keeper.preview(&experience, batch.at);
    let texts = lore.texts(keeper, experience.uid, CONTENT)?;
    batch = batch.change(Change::CreateNode(experience));
    // Only one of the two halves is searched, so that a fact comes back once.
    let searchable = node.is_none();
    batch
        .changes
        .extend(texts.into_iter().map(|text| Change::CreateText(NewText { searchable, ..text })));
    if let Some(old) = old {
        let new = node.as_ref().unwrap_or(&shown);
        batch.changes.extend(old.changes(keeper, new, &lore.provenance, batch.at)?);
    }
    let learned = Learned { node, experience: shown, fading: lore.fading, candidates };
    Ok((batch, learned))
}

/// The node that keeps a sure experience for good, with everything that belongs to it.
async fn for_good(
    keeper: &Keeper,
    lore: &Lore,
    experience: &mut NewNode,
    at: Timestamp,
) -> Reply<(Node, Vec<Change>)> {
    let new = keeper_node(keeper, lore, experience.uid)?;
    let node = keeper.preview(&new, at);
    experience.properties.insert("node".into(), json!(node.uid.to_string()));
    // Tags are searched, too.
    experience.properties.insert("tags".into(), json!(experience.tags));
    experience.tags.clear();
    let neighbours = similar_nodes(keeper, &lore.content).await?;
    let mut changes = vec![Change::CreateNode(new)];
    let texts = lore.texts(keeper, node.uid, DESCRIPTION)?;
    changes.extend(texts.into_iter().map(Change::CreateText));
    changes.extend(auto_links(&node, &neighbours)?);
    Ok((node, changes))
}

fn keeper_node(keeper: &Keeper, lore: &Lore, experience: Uid) -> Result<NewNode> {
    let mut properties = Properties::new();
    properties.insert("source_type".into(), json!("learn"));
    properties.insert("experience".into(), json!(experience.to_string()));
    lore.fading.note_in(&mut properties);
    Ok(NewNode {
        namespace: KNOWLEDGE.into(),
        derived_name: true,
        tags: lore.tags.clone(),
        visibility: lore.sharing.visibility(&keeper.viewer),
        properties,
        ..NewNode::new(keeper.app.effects.uid(), learned(lore.fading.lesson)?, lore.name())
    })
}

/// How many answers are compared with what is learned.
const COMPARED: usize = 10;
/// Most candidates that are pointed out.
const CANDIDATES: usize = 5;

/// What says nearly the same already, or the opposite.
async fn candidates(keeper: &Keeper, content: &str) -> Reply<Vec<Candidate>> {
    let filter = recallable()?;
    let query = Query { filter, unit: Unit::Node, ..Query::new(content, COMPARED) };
    let found = keeper.app.search(&keeper.viewer, query).await?;
    let mut candidates: Vec<_> = found
        .answers
        .into_iter()
        .filter_map(|answer| {
            let body = answer.text.as_ref().map_or(answer.node.name.as_str(), |text| &text.body);
            let (relation, similarity) = likeness::compare(unstamped(content), unstamped(body))?;
            let snippet = answer.snippet(content).text;
            let snippet = if snippet.is_empty() { answer.node.name.clone() } else { snippet };
            Some(Candidate { node: answer.node, snippet, similarity, relation, lapsed: None })
        })
        .collect();
    let nodes: Vec<&Node> = candidates.iter().map(|candidate| &candidate.node).collect();
    let mut lapsed = lapsed(keeper, &nodes).await?;
    for candidate in &mut candidates {
        candidate.lapsed = lapsed.remove(&candidate.node.uid);
    }
    // What holds comes first, however alike what it replaced is.
    candidates.sort_by(|a, b| {
        let order = a.lapsed.is_some().cmp(&b.lapsed.is_some());
        order.then_with(|| b.similarity.total_cmp(&a.similarity))
    });
    candidates.truncate(CANDIDATES);
    Ok(candidates)
}

/// What is said, without when and by whom: the same said on another day is no contradiction.
fn unstamped(text: &str) -> &str {
    chat_prefix(text, Plain::IsText).rest
}

/// Something that no longer holds: it stays, and a dated edge says what took its place.
pub(super) struct Superseded {
    halves: Vec<Node>,
}

impl Superseded {
    /// What an id leads to, with its other half if it has one.
    pub(super) async fn find(keeper: &Keeper, id: Option<&str>) -> Reply<Option<Self>> {
        let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(None) };
        let named = keeper.lookup("Node", id).await?;
        let other = match half_of(&named) {
            Some(uid) => keeper.app.store.node(&keeper.viewer, NodeKey::Uid(uid)).await?,
            None => None,
        };
        Ok(Some(Self { halves: std::iter::once(named).chain(other).collect() }))
    }

    fn is(&self, node: &Node) -> bool {
        self.halves.iter().any(|half| half.uid == node.uid)
    }

    /// Joins the old one to the new one. Who may not change the old one replaces it only for
    /// themselves.
    pub(super) fn changes(
        &self,
        keeper: &Keeper,
        new: &Node,
        provenance: &Provenance,
        at: Timestamp,
    ) -> Reply<Vec<Change>> {
        let valid_to = provenance.occurred_at.unwrap_or(at).to_string();
        let viewer = &keeper.viewer;
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

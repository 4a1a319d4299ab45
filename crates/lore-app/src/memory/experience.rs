//! Experiences: lessons that fade.
//!
//! An experience is a node whose content is a text. Experiences that fade at the same rate share a
//! namespace, so the most relevant ones, and those with little relevance left, can be found by age
//! within each namespace. A search by words ranks by the words; relevance only nudges the order.

use std::collections::HashMap;

use futures::FutureExt;
use lore_core::{Kind, Node, NodeId, Properties, Provenance, Timestamp, Uid};
use lore_rules::memory::decay::{Confidence, ExperienceType, nudge, rate, relevance, shown};
use lore_search::{Filter, Hit, Query, Unit};
use lore_store::{Batch, Change, NewNode, NewText, NewestNodes, NodeRef};
use serde_json::{Value, json};

use super::call::{MemoryCall, days_between};
use super::cleaning::{Cleaner, capitalised, name_from};
use super::graph::{Written, main_texts};
use super::kinds::{
    CONTENT, CONTEXT, EXPERIENCE, ITS_EXPERIENCE, KNOWLEDGE, Sharing, fading, learned, property,
    word,
};
use super::learn::{Origin, Superseded};
use super::parts::parts;
use super::refusal::{Refusal, Reply, required};
use super::supersession::{Replacement, replacements};
use crate::preview::preview;

/// The number of characters of the content used in the name.
const NAME_LETTERS: usize = 60;

/// How an experience fades.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fading {
    /// The type of lesson.
    pub experience_type: ExperienceType,
    /// The confidence of its writer.
    pub confidence: Confidence,
    /// The decay rate per day. Imported experiences may have their own.
    pub rate: f64,
}

impl Fading {
    /// The standard fading of lessons of this type and confidence.
    pub(super) fn new(experience_type: ExperienceType, confidence: Confidence) -> Self {
        Self { experience_type, confidence, rate: rate(experience_type, confidence) }
    }

    /// Reads the fading from the properties of an experience or of its lasting node.
    pub fn of(node: &Node) -> Option<Self> {
        let experience_type = ExperienceType::named(property(node, "experience_type")?)?;
        let confidence = property(node, "confidence").and_then(Confidence::named);
        let usual = Self::new(experience_type, confidence.unwrap_or(Confidence::High));
        let own = node.properties.get("decay_rate").and_then(Value::as_f64);
        Some(usual.with_rate(own))
    }

    /// Replaces the decay rate by `own`, if that is a valid one.
    pub(super) fn with_rate(self, own: Option<f64>) -> Self {
        let own = own.filter(|own| own.is_finite() && *own >= 0.0);
        Self { rate: own.unwrap_or(self.rate), ..self }
    }

    /// Returns the relevance left at `now` of what was made at `made`.
    pub fn left(self, made: Timestamp, now: Timestamp) -> f64 {
        relevance(self.rate, days_between(made, now))
    }

    pub(super) fn note_in(self, properties: &mut Properties) {
        properties.insert("experience_type".into(), json!(self.experience_type.as_str()));
        properties.insert("confidence".into(), json!(self.confidence.as_str()));
        properties.insert("decay_rate".into(), json!(self.rate));
    }
}

/// Parses the name of a lesson type.
fn type_named(name: &str) -> Reply<ExperienceType> {
    ExperienceType::named(name).ok_or_else(|| {
        let mut all = ExperienceType::ALL.map(ExperienceType::as_str);
        all.sort_unstable();
        let all = all.join(", ");
        let message = format!("Invalid type: {}. Must be one of: {all}", name.trim());
        Refusal::refused(message, "choose the type that fits best")
    })
}

/// Parses the name of a confidence level; high if none is given.
fn confidence_named(name: Option<&str>) -> Reply<Confidence> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return Ok(Confidence::High);
    };
    Confidence::named(name).ok_or_else(|| {
        let message = format!("Invalid confidence: {name}. Must be one of: high, low, medium");
        Refusal::refused(message, "the less sure, the faster it fades")
    })
}

/// The input for storing an experience.
#[derive(Debug, Clone, Default)]
pub struct NewExperience {
    /// What was learned.
    pub content: Option<String>,
    /// The type of lesson.
    pub experience_type: Option<String>,
    /// The situation in which it was learned.
    pub context: Option<String>,
    /// The confidence of the writer.
    pub confidence: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Who said it, when, and in which conversation.
    pub origin: Origin,
    /// The id of something it supersedes.
    pub supersedes: Option<String>,
    /// Who may see it.
    pub sharing: Sharing,
}

/// The checked input of a new experience.
#[derive(Debug, Clone)]
pub(super) struct Lore {
    pub(super) content: String,
    pub(super) context: Option<String>,
    pub(super) fading: Fading,
    pub(super) tags: Vec<String>,
    pub(super) provenance: Provenance,
    pub(super) sharing: Sharing,
}

impl Lore {
    pub(super) fn check(
        given: &NewExperience,
        action: &'static str,
        cleaner: &mut Cleaner,
    ) -> Reply<Self> {
        let content = required("content", action, given.content.as_deref())?;
        let experience_type =
            type_named(required("type", action, given.experience_type.as_deref())?)?;
        let confidence = confidence_named(given.confidence.as_deref())?;
        let provenance = given.origin.provenance(content, cleaner)?;
        Ok(Self {
            content: cleaner.text("content", content)?,
            context: cleaner.optional("context", given.context.as_deref())?,
            fading: Fading::new(experience_type, confidence),
            tags: cleaner.list("tags", &given.tags)?,
            provenance,
            sharing: given.sharing,
        })
    }

    pub(super) fn name(&self) -> String {
        let prefix = format!("{}: ", capitalised(self.fading.experience_type.as_str()));
        name_from(&prefix, &self.content, NAME_LETTERS)
    }

    /// The node of the experience.
    pub(super) fn node(&self, call: &MemoryCall) -> Reply<NewNode> {
        let mut properties = Properties::new();
        self.fading.note_in(&mut properties);
        Ok(NewNode {
            namespace: fading(self.fading.experience_type, self.fading.confidence),
            derived_name: true,
            tags: self.tags.clone(),
            visibility: self.sharing.visibility(&call.viewer),
            properties,
            ..NewNode::new(call.app.effects.uid(), word(EXPERIENCE)?, self.name())
        })
    }

    /// Its texts: the content, of the given text kind, and the situation. Long ones are split into
    /// parts.
    pub(super) fn texts(&self, call: &MemoryCall, node: Uid, kind: &str) -> Reply<Vec<NewText>> {
        // In a session, texts are ordered by arrival, and the parts of one stay together.
        let position = if self.provenance.session.is_some() { call.arrived } else { 0 };
        let text = |kind: &str, body: &str| -> Reply<NewText> {
            let uid = call.app.effects.uid();
            let text = NewText::new(uid, NodeRef::Uid(node), word(kind)?, body);
            Ok(NewText { provenance: self.provenance.clone(), position, ..text })
        };
        let content = parts(&self.content).into_iter().map(|part| text(kind, part));
        let context = self.context.as_deref().into_iter().flat_map(parts);
        let context =
            context.map(|part| Ok(NewText { position: position + 1, ..text(CONTEXT, part)? }));
        content.chain(context).collect()
    }
}

/// An experience that was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// Its node.
    pub node: Node,
    /// How it fades.
    pub fading: Fading,
}

/// Stores an experience.
pub async fn save(call: &MemoryCall, given: &NewExperience) -> Reply<Written<Saved>> {
    let mut cleaner = Cleaner::default();
    let lore = Lore::check(given, "save", &mut cleaner)?;
    let superseded = given.supersedes.as_deref();
    let kept = call.carry_out(|| plan_save(call, &lore, superseded).boxed()).await?;
    Ok(Written { kept, masked: cleaner.masked() })
}

async fn plan_save(
    call: &MemoryCall,
    lore: &Lore,
    superseded: Option<&str>,
) -> Reply<(Batch, Saved)> {
    let new = lore.node(call)?;
    let mut batch = call.batch();
    let node = preview(&call.viewer, &new, batch.at);
    batch = batch.change(Change::CreateNode(new));
    let texts = lore.texts(call, node.uid, CONTENT)?;
    batch.changes.extend(texts.into_iter().map(Change::CreateText));
    if let Some(old) = Superseded::find(call, superseded).await? {
        batch.changes.extend(old.changes(call, &node, &lore.provenance, batch.at)?);
    }
    Ok((batch, Saved { node, fading: lore.fading }))
}

/// Which experiences to search for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Words to search for.
    pub text: Option<String>,
    /// Only this type of lesson.
    pub experience_type: Option<String>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// The minimum relevance left, from 0 to 1.
    pub min_relevance: f64,
    /// The maximum number of experiences.
    pub limit: usize,
    /// Skip this many experiences.
    pub offset: usize,
}

/// An experience that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Experience {
    /// Its node.
    pub node: Node,
    /// How it fades.
    pub fading: Fading,
    /// Its content.
    pub content: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Who said it, when, and in which conversation.
    pub provenance: Provenance,
    /// The relevance left, from 0 to 1.
    pub relevance: f64,
    /// What superseded it, if anything did.
    pub replacement: Option<Replacement>,
}

/// Searches experiences: by words or tags if given, else by relevance. What is superseded comes
/// after what still holds, within blocks of `BLOCK` results.
pub async fn search(call: &MemoryCall, wanted: &Wanted) -> Reply<Vec<Experience>> {
    let experience_type =
        wanted.experience_type.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let experience_type = experience_type.map(type_named).transpose()?;
    let text = wanted.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let end = wanted.offset.saturating_add(wanted.limit);
    let mut looked_at = end.div_ceil(BLOCK).saturating_mul(BLOCK);
    loop {
        let (mut found, more) = if text.is_none() && wanted.tags.is_empty() {
            // These are sorted by relevance, so what falls below the minimum is at the end.
            (by_relevance(call, experience_type, looked_at).await?, false)
        } else {
            let tagged = Filter { tags: wanted.tags.clone(), ..keeping(experience_type)? };
            let query = Query { filter: tagged, ..Query::new(text.unwrap_or_default(), looked_at) };
            by_words(call, query, experience_type).await?
        };
        found.retain(|one| shown(one.relevance) >= wanted.min_relevance);
        if found.len() >= end || !more {
            return Ok(found.into_iter().skip(wanted.offset).take(wanted.limit).collect());
        }
        looked_at = looked_at.saturating_mul(2);
    }
}

/// Results are reordered by relevance and validity only within consecutive blocks of this many. The
/// blocks do not depend on the page, so that consecutive pages fit together.
const BLOCK: usize = 30;

/// Returns the first experiences that match the query, and whether there are more.
async fn by_words(
    call: &MemoryCall,
    query: Query,
    experience_type: Option<ExperienceType>,
) -> Reply<(Vec<Experience>, bool)> {
    let is_question = !query.text.is_empty();
    let query = Query { unit: Unit::Node, ..query };
    let leaf = call.app.leaf(&call.viewer, &query).await?;
    let place = |(place, (node, hit)): (usize, &(Node, Hit))| {
        // Without words there are no scores, so only relevance counts.
        let score = if is_question { f64::from(hit.score) } else { 1.0 };
        (node.id, (place / BLOCK, score))
    };
    let places: HashMap<NodeId, (usize, f64)> = leaf.nodes.iter().enumerate().map(place).collect();
    let nodes = leaf.nodes.into_iter().map(|(node, _)| node).collect();
    let mut found: Vec<_> = experiences_of(call, nodes).await?;
    found.retain(|(_, one)| {
        experience_type.is_none_or(|experience_type| one.fading.experience_type == experience_type)
    });
    let place = |(keeping, one): &(NodeId, Experience)| {
        let (block, score) = places.get(keeping).copied().unwrap_or_default();
        ((block, one.replacement.is_some()), score * nudge(one.relevance))
    };
    found.sort_by(|a, b| {
        let ((a_block, a_rank), (b_block, b_rank)) = (place(a), place(b));
        let order = a_block.cmp(&b_block).then_with(|| b_rank.total_cmp(&a_rank));
        order.then_with(|| a.0.cmp(&b.0))
    });
    Ok((found.into_iter().map(|(_, one)| one).collect(), leaf.more))
}

/// The filter for nodes by which experiences are found: their own, and the lasting nodes of what
/// was learned.
fn keeping(experience_type: Option<ExperienceType>) -> Reply<Filter> {
    let types = experience_type
        .map_or(ExperienceType::ALL.to_vec(), |experience_type| vec![experience_type]);
    let mut kinds = vec![word(EXPERIENCE)?];
    for experience_type in &types {
        kinds.push(learned(*experience_type)?);
    }
    let classes = types.iter().flat_map(|experience_type| {
        Confidence::ALL.into_iter().map(|confidence| fading(*experience_type, confidence))
    });
    let namespaces = classes.chain([KNOWLEDGE.to_owned()]).collect();
    Ok(Filter { kinds, namespaces, ..Filter::default() })
}

/// Returns the experiences that nodes stand for, each with the node by which it was found.
async fn experiences_of(call: &MemoryCall, nodes: Vec<Node>) -> Reply<Vec<(NodeId, Experience)>> {
    let halves: HashMap<Uid, NodeId> = nodes
        .iter()
        .filter_map(|node| Some((property(node, ITS_EXPERIENCE)?.parse().ok()?, node.id)))
        .collect();
    let uids: Vec<_> = halves.keys().copied().collect();
    let behind = call.app.store.nodes_by_uid(&call.viewer, &uids).await?;
    let own = nodes.into_iter().filter(|node| node.kind.as_str() == EXPERIENCE);
    let own = own.map(|node| (node.id, node));
    let behind = behind.into_iter().filter_map(|node| Some((*halves.get(&node.uid)?, node)));
    let (found_by, nodes): (Vec<_>, Vec<_>) = own.chain(behind).unzip();
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    // Damaged nodes are missing here.
    let mut read = read(call, nodes).await?.into_iter().peekable();
    let of = |(found_by, id)| {
        let experience = read.next_if(|experience| experience.node.id == id)?;
        Some((found_by, experience))
    };
    Ok(found_by.into_iter().zip(ids).filter_map(of).collect())
}

/// Reads the contents of experience nodes. Missing fields default to a solution of high confidence.
async fn read(call: &MemoryCall, mut nodes: Vec<Node>) -> Reply<Vec<Experience>> {
    let now = call.now();
    let mut texts = main_texts(call, &mut nodes).await?;
    let mut replacements = replacements(call, &nodes.iter().collect::<Vec<_>>()).await?;
    let experience = |node: Node| {
        let plain = Fading::new(ExperienceType::Solution, Confidence::High);
        let fading = Fading::of(&node).unwrap_or(plain);
        let text = texts.remove(&node.id);
        let kept_tags = node.properties.get("tags").and_then(Value::as_array);
        let kept_tags = kept_tags.into_iter().flatten().filter_map(Value::as_str);
        Experience {
            fading,
            relevance: fading.left(node.created.at, now),
            content: text.as_ref().map_or_else(|| node.name.clone(), |text| text.body.clone()),
            tags: node
                .tags
                .iter()
                .map(String::as_str)
                .chain(kept_tags)
                .map(str::to_owned)
                .collect(),
            provenance: text.map(|text| text.provenance).unwrap_or_default(),
            replacement: replacements.remove(&node.uid),
            node,
        }
    };
    Ok(nodes.into_iter().map(experience).collect())
}

/// Returns the most relevant experiences. Within one class these are the newest.
async fn by_relevance(
    call: &MemoryCall,
    experience_type: Option<ExperienceType>,
    limit: usize,
) -> Reply<Vec<Experience>> {
    let mut nodes = Vec::new();
    for (kind, namespace, _) in classes(experience_type)? {
        let query = NewestNodes { kind, namespace, before: None, offset: 0, limit };
        nodes.extend(call.app.store.newest_nodes(&call.viewer, query).await?);
    }
    let now = call.now();
    let left =
        |node: &Node| Fading::of(node).map_or(0.0, |fading| fading.left(node.created.at, now));
    nodes.sort_by(|a, b| left(b).total_cmp(&left(a)).then_with(|| b.id.cmp(&a.id)));
    nodes.truncate(limit);
    let mut found = read(call, nodes).await?;
    for block in found.chunks_mut(BLOCK) {
        block.sort_by_key(|one| one.replacement.is_some());
    }
    Ok(found)
}

/// The classes of experiences that fade at the same rate: kind, namespace and rate.
pub(super) fn classes(experience_type: Option<ExperienceType>) -> Reply<Vec<(Kind, String, f64)>> {
    let types = experience_type
        .map_or(ExperienceType::ALL.to_vec(), |experience_type| vec![experience_type]);
    let mut classes = Vec::new();
    for experience_type in types {
        for confidence in Confidence::ALL {
            let namespace = fading(experience_type, confidence);
            classes.push((word(EXPERIENCE)?, namespace, rate(experience_type, confidence)));
        }
    }
    Ok(classes)
}

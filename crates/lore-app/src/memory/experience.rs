//! Experiences: lessons that fade.
//!
//! An experience is a node whose content is a text. Experiences that fade at the same rate share a
//! namespace, so the most relevant ones, and those with little relevance left, can be found by age
//! within each namespace. A search by words ranks by the words; relevance only nudges the order.

use std::collections::HashMap;

use futures::FutureExt;
use lore_core::{Kind, Node, NodeId, Properties, Provenance, Timestamp, Uid};
use lore_rules::memory::decay::{
    Confidence, Lesson, days_until_below, nudge, rate, relevance, shown,
};
use lore_search::{Filter, Hit, Query, Unit};
use lore_store::{Batch, Change, Expect, NewNode, NewText, NewestNodes, NodeRef};
use serde_json::{Value, json};

use super::graph::{Written, main_texts};
use super::holding::{Lapsed, lapsed};
use super::keeper::{Keeper, days_between};
use super::kinds::{
    CONTENT, CONTEXT, EXPERIENCE, ITS_EXPERIENCE, KNOWLEDGE, Sharing, fading, kept_by, learned,
    property, word,
};
use super::learn::{Origin, Superseded};
use super::parts::parts;
use super::pen::{Pen, capitalised, name_from};
use super::refusal::{Refusal, Reply, required};
use crate::access::may_change;
use crate::preview::preview;

/// The number of characters of the content used in the name.
const NAME_LETTERS: usize = 60;

/// How an experience fades.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fading {
    /// The type of lesson.
    pub lesson: Lesson,
    /// The confidence of its writer.
    pub confidence: Confidence,
    /// The decay rate per day. Imported experiences may have their own.
    pub rate: f64,
}

impl Fading {
    /// The standard fading of lessons of this type and confidence.
    pub(super) fn new(lesson: Lesson, confidence: Confidence) -> Self {
        Self { lesson, confidence, rate: rate(lesson, confidence) }
    }

    /// Reads the fading from the properties of an experience or of its lasting node.
    pub fn of(node: &Node) -> Option<Self> {
        let lesson = Lesson::named(property(node, "experience_type")?)?;
        let confidence = property(node, "confidence").and_then(Confidence::named);
        let usual = Self::new(lesson, confidence.unwrap_or(Confidence::High));
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
        properties.insert("experience_type".into(), json!(self.lesson.as_str()));
        properties.insert("confidence".into(), json!(self.confidence.as_str()));
        properties.insert("decay_rate".into(), json!(self.rate));
    }
}

/// Parses the name of a lesson type.
fn lesson_named(name: &str) -> Reply<Lesson> {
    Lesson::named(name).ok_or_else(|| {
        let mut all = Lesson::ALL.map(Lesson::as_str);
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
    pub lesson: Option<String>,
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
    pub(super) fn check(given: &NewExperience, action: &'static str, pen: &mut Pen) -> Reply<Self> {
        let content = required("content", action, given.content.as_deref())?;
        let lesson = lesson_named(required("type", action, given.lesson.as_deref())?)?;
        let confidence = confidence_named(given.confidence.as_deref())?;
        let provenance = given.origin.provenance(content, pen)?;
        Ok(Self {
            content: pen.text("content", content)?,
            context: pen.optional("context", given.context.as_deref())?,
            fading: Fading::new(lesson, confidence),
            tags: pen.list("tags", &given.tags)?,
            provenance,
            sharing: given.sharing,
        })
    }

    pub(super) fn name(&self) -> String {
        let prefix = format!("{}: ", capitalised(self.fading.lesson.as_str()));
        name_from(&prefix, &self.content, NAME_LETTERS)
    }

    /// The node of the experience.
    pub(super) fn node(&self, keeper: &Keeper) -> Reply<NewNode> {
        let mut properties = Properties::new();
        self.fading.note_in(&mut properties);
        Ok(NewNode {
            namespace: fading(self.fading.lesson, self.fading.confidence),
            derived_name: true,
            tags: self.tags.clone(),
            visibility: self.sharing.visibility(&keeper.viewer),
            properties,
            ..NewNode::new(keeper.app.effects.uid(), word(EXPERIENCE)?, self.name())
        })
    }

    /// Its texts: the content, of the given text kind, and the situation. Long ones are split into
    /// parts.
    pub(super) fn texts(&self, keeper: &Keeper, node: Uid, kind: &str) -> Reply<Vec<NewText>> {
        // In a session, texts are ordered by arrival, and the parts of one stay together.
        let position = if self.provenance.session.is_some() { keeper.arrived } else { 0 };
        let text = |kind: &str, body: &str| -> Reply<NewText> {
            let uid = keeper.app.effects.uid();
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
pub async fn save(keeper: &Keeper, given: &NewExperience) -> Reply<Written<Saved>> {
    let mut pen = Pen::default();
    let lore = Lore::check(given, "save", &mut pen)?;
    let superseded = given.supersedes.as_deref();
    let kept = keeper.carry_out(|| plan_save(keeper, &lore, superseded).boxed()).await?;
    Ok(Written { kept, masked: pen.masked() })
}

async fn plan_save(
    keeper: &Keeper,
    lore: &Lore,
    superseded: Option<&str>,
) -> Reply<(Batch, Saved)> {
    let new = lore.node(keeper)?;
    let mut batch = keeper.batch();
    let node = preview(&keeper.viewer, &new, batch.at);
    batch = batch.change(Change::CreateNode(new));
    let texts = lore.texts(keeper, node.uid, CONTENT)?;
    batch.changes.extend(texts.into_iter().map(Change::CreateText));
    if let Some(old) = Superseded::find(keeper, superseded).await? {
        batch.changes.extend(old.changes(keeper, &node, &lore.provenance, batch.at)?);
    }
    Ok((batch, Saved { node, fading: lore.fading }))
}

/// Which experiences to search for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Words to search for.
    pub text: Option<String>,
    /// Only this type of lesson.
    pub lesson: Option<String>,
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
    pub lapsed: Option<Lapsed>,
}

/// Searches experiences: by words or tags if given, else by relevance. What is superseded comes
/// after what still holds, within blocks of `BLOCK` results.
pub async fn search(keeper: &Keeper, wanted: &Wanted) -> Reply<Vec<Experience>> {
    let lesson = wanted.lesson.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let lesson = lesson.map(lesson_named).transpose()?;
    let text = wanted.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let end = wanted.offset.saturating_add(wanted.limit);
    let mut looked_at = end.div_ceil(BLOCK).saturating_mul(BLOCK);
    loop {
        let (mut found, more) = if text.is_none() && wanted.tags.is_empty() {
            // These are sorted by relevance, so what falls below the minimum is at the end.
            (by_relevance(keeper, lesson, looked_at).await?, false)
        } else {
            let tagged = Filter { tags: wanted.tags.clone(), ..keeping(lesson)? };
            let query = Query { filter: tagged, ..Query::new(text.unwrap_or_default(), looked_at) };
            by_words(keeper, query, lesson).await?
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
    keeper: &Keeper,
    query: Query,
    lesson: Option<Lesson>,
) -> Reply<(Vec<Experience>, bool)> {
    let is_question = !query.text.is_empty();
    let query = Query { unit: Unit::Node, ..query };
    let leaf = keeper.app.leaf(&keeper.viewer, &query).await?;
    let place = |(place, (node, hit)): (usize, &(Node, Hit))| {
        // Without words there are no scores, so only relevance counts.
        let score = if is_question { f64::from(hit.score) } else { 1.0 };
        (node.id, (place / BLOCK, score))
    };
    let places: HashMap<NodeId, (usize, f64)> = leaf.nodes.iter().enumerate().map(place).collect();
    let nodes = leaf.nodes.into_iter().map(|(node, _)| node).collect();
    let mut found: Vec<_> = experiences_of(keeper, nodes).await?;
    found.retain(|(_, one)| lesson.is_none_or(|lesson| one.fading.lesson == lesson));
    let place = |(keeping, one): &(NodeId, Experience)| {
        let (block, score) = places.get(keeping).copied().unwrap_or_default();
        ((block, one.lapsed.is_some()), score * nudge(one.relevance))
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
fn keeping(lesson: Option<Lesson>) -> Reply<Filter> {
    let lessons = lesson.map_or(Lesson::ALL.to_vec(), |lesson| vec![lesson]);
    let mut kinds = vec![word(EXPERIENCE)?];
    for lesson in &lessons {
        kinds.push(learned(*lesson)?);
    }
    let classes = lessons.iter().flat_map(|lesson| {
        Confidence::ALL.into_iter().map(|confidence| fading(*lesson, confidence))
    });
    let namespaces = classes.chain([KNOWLEDGE.to_owned()]).collect();
    Ok(Filter { kinds, namespaces, ..Filter::default() })
}

/// Returns the experiences that nodes stand for, each with the node by which it was found.
async fn experiences_of(keeper: &Keeper, nodes: Vec<Node>) -> Reply<Vec<(NodeId, Experience)>> {
    let halves: HashMap<Uid, NodeId> = nodes
        .iter()
        .filter_map(|node| Some((property(node, ITS_EXPERIENCE)?.parse().ok()?, node.id)))
        .collect();
    let uids: Vec<_> = halves.keys().copied().collect();
    let behind = keeper.app.store.nodes_by_uid(&keeper.viewer, &uids).await?;
    let own = nodes.into_iter().filter(|node| node.kind.as_str() == EXPERIENCE);
    let own = own.map(|node| (node.id, node));
    let behind = behind.into_iter().filter_map(|node| Some((*halves.get(&node.uid)?, node)));
    let (found_by, nodes): (Vec<_>, Vec<_>) = own.chain(behind).unzip();
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    // Damaged nodes are missing here.
    let mut read = read(keeper, nodes).await?.into_iter().peekable();
    let of = |(found_by, id)| {
        let experience = read.next_if(|experience| experience.node.id == id)?;
        Some((found_by, experience))
    };
    Ok(found_by.into_iter().zip(ids).filter_map(of).collect())
}

/// Reads the contents of experience nodes. Missing fields default to a solution of high confidence.
async fn read(keeper: &Keeper, mut nodes: Vec<Node>) -> Reply<Vec<Experience>> {
    let now = keeper.now();
    let mut texts = main_texts(keeper, &mut nodes).await?;
    let mut lapsed = lapsed(keeper, &nodes.iter().collect::<Vec<_>>()).await?;
    let experience = |node: Node| {
        let plain = Fading::new(Lesson::Solution, Confidence::High);
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
            lapsed: lapsed.remove(&node.uid),
            node,
        }
    };
    Ok(nodes.into_iter().map(experience).collect())
}

/// Returns the most relevant experiences. Within one class these are the newest.
async fn by_relevance(
    keeper: &Keeper,
    lesson: Option<Lesson>,
    limit: usize,
) -> Reply<Vec<Experience>> {
    let mut nodes = Vec::new();
    for (kind, namespace, _) in classes(lesson)? {
        let query = NewestNodes { kind, namespace, before: None, offset: 0, limit };
        nodes.extend(keeper.app.store.newest_nodes(&keeper.viewer, query).await?);
    }
    let now = keeper.now();
    let left =
        |node: &Node| Fading::of(node).map_or(0.0, |fading| fading.left(node.created.at, now));
    nodes.sort_by(|a, b| left(b).total_cmp(&left(a)).then_with(|| b.id.cmp(&a.id)));
    nodes.truncate(limit);
    let mut found = read(keeper, nodes).await?;
    for block in found.chunks_mut(BLOCK) {
        block.sort_by_key(|one| one.lapsed.is_some());
    }
    Ok(found)
}

/// The classes of experiences that fade at the same rate: kind, namespace and rate.
fn classes(lesson: Option<Lesson>) -> Reply<Vec<(Kind, String, f64)>> {
    let lessons = lesson.map_or(Lesson::ALL.to_vec(), |lesson| vec![lesson]);
    let mut classes = Vec::new();
    for lesson in lessons {
        for confidence in Confidence::ALL {
            let namespace = fading(lesson, confidence);
            classes.push((word(EXPERIENCE)?, namespace, rate(lesson, confidence)));
        }
    }
    Ok(classes)
}

/// The number of experiences read at once, and deleted per transaction.
const PRUNE_BATCH: usize = 500;
/// How many times faster than its class an imported experience may fade and still be found here.
const FASTEST: f64 = 4.0;

/// Moves everything with less relevance than `threshold` to the bin and returns the uids. An
/// experience with a lasting node does not fade.
pub async fn prune(keeper: &Keeper, threshold: f64) -> Reply<Vec<Uid>> {
    let mut pruned = Vec::new();
    let now = keeper.now();
    for mut query in below(now, threshold)? {
        while let Some(faded) = next_faded(keeper, &mut query, now, threshold).await? {
            let mut batch = keeper.batch();
            let bin = |node: &Node| Change::DeleteNode(NodeRef::Id(node.id), Expect::Any);
            batch.changes.extend(faded.iter().map(bin));
            keeper.app.commit(&keeper.viewer, batch).await?;
            pruned.extend(faded.into_iter().map(|node| node.uid));
        }
    }
    Ok(pruned)
}

/// Counts what [`prune`] would move to the bin.
pub(super) async fn faded(keeper: &Keeper, threshold: f64) -> Reply<usize> {
    let mut count = 0;
    let now = keeper.now();
    for mut query in below(now, threshold)? {
        while let Some(faded) = next_faded(keeper, &mut query, now, threshold).await? {
            // They stay where they are, so the next page begins after them.
            query.offset += faded.len();
            count += faded.len();
        }
    }
    Ok(count)
}

/// Returns the faded experiences on the next page of a query, and `None` after the last page. Skips
/// the others for the page after it.
async fn next_faded(
    keeper: &Keeper,
    query: &mut NewestNodes,
    now: Timestamp,
    threshold: f64,
) -> Reply<Option<Vec<Node>>> {
    let found = keeper.app.store.newest_nodes(&keeper.viewer, query.clone()).await?;
    if found.is_empty() {
        return Ok(None);
    }
    let is_faded = |node: &Node| {
        let left = Fading::of(node).map_or(0.0, |fading| fading.left(node.created.at, now));
        kept_by(node).is_none() && shown(left) < threshold && may_prune(keeper, node)
    };
    let (faded, staying): (Vec<_>, Vec<_>) = found.into_iter().partition(is_faded);
    query.offset += staying.len();
    Ok(Some(faded))
}

fn may_prune(keeper: &Keeper, node: &Node) -> bool {
    may_change(&keeper.viewer, node.created.by, &node.name).is_ok()
}

/// Returns one query per class for the experiences that are old enough to be below `threshold` if
/// they fade [`FASTEST`] times as fast as the class.
fn below(now: Timestamp, threshold: f64) -> Reply<Vec<NewestNodes>> {
    const MICROS_A_DAY: f64 = 86_400.0 * 1e6;
    let now = now.as_microsecond();
    let older = |(kind, namespace, rate): (Kind, String, f64)| {
        let days = days_until_below(rate * FASTEST, threshold)?;
        // Before the earliest representable time. Nothing can be older.
        let before = Timestamp::from_microsecond(now - (days * MICROS_A_DAY) as i64).ok()?;
        Some(NewestNodes { kind, namespace, before: Some(before), offset: 0, limit: PRUNE_BATCH })
    };
    Ok(classes(None)?.into_iter().filter_map(older).collect())
}

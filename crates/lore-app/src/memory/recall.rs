//! Recalling: what of everything that is known answers.
//!
//! Looks at the whole world: knowledge, experiences, projects, and what came in through
//! other doors. Words and meaning rank; what is left of an experience only nudges. What was
//! superseded comes after what took its place.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Provenance, Text, Uid};
use lore_rules::memory::budget;
use lore_rules::memory::decay::nudge;
use lore_search::{Filter, MatchKind, Query, Unit};
use lore_store::Answered;

use super::access;
use super::experience::Fading;
use super::graph::first_texts;
use super::keeper::Keeper;
use super::kinds::{CONTEXT, EXPERIENCE, PROMOTED, PROMOTED_TO, property, word};
use super::refusal::Reply;

/// Longest part of a text that is shown, in characters.
const SHOWN_MAX: usize = 2_000;
/// Tokens that a row costs besides its texts.
const ROW_TOKENS: usize = 40;
/// How many answers are looked at besides those that are wanted, and half as many again as
/// those: what is fresher or took another's place may come in from behind.
const MORE: usize = 10;
/// How many more times as many where some have faded too far to be shown.
const SPARE: usize = 3;
/// What no longer holds counts half.
const SUPERSEDED: f64 = 0.5;

/// What to recall.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// What it is about, any text; without, the newest come first.
    pub topic: Option<String>,
    /// At most this many.
    pub limit: usize,
    /// Of experiences at least this much must be left, 0 to 1.
    pub min_relevance: f64,
    /// About how many tokens the answer may cost.
    pub max_tokens: Option<usize>,
}

/// One thing that was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The node, of knowledge or of an experience.
    pub node: Node,
    /// How it fades, if it is an experience.
    pub fading: Option<Fading>,
    /// What it says; cut when it is long.
    pub body: Option<String>,
    /// Who said it, when, in which conversation.
    pub provenance: Provenance,
    /// What is left of it: 1 for what does not fade, or is kept for good.
    pub relevance: f64,
    /// How well it answers; none when nothing was asked.
    pub score: Option<f64>,
    rank: f64,
    exact: bool,
}

impl Memory {
    /// The node that keeps an experience for good, if one does.
    pub fn kept_as(&self) -> Option<Uid> {
        property(&self.node, PROMOTED_TO)?.parse().ok()
    }

    /// What took its place, if it no longer holds.
    pub fn superseded_by(&self) -> Option<Uid> {
        property(&self.node, "superseded_by")?.parse().ok()
    }

    /// Until when it held, if it no longer does.
    pub fn valid_to(&self) -> Option<&str> {
        property(&self.node, "valid_to")
    }

    fn cost(&self) -> usize {
        let body = self.body.as_deref().map_or(0, budget::tokens);
        ROW_TOKENS + budget::tokens(&self.node.name) + body
    }
}

/// What was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The best answers, best first.
    pub memories: Vec<Memory>,
    /// How many more there were within the limit that the budget had no room for.
    pub left_out: usize,
}

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Only what is related.
    Related,
    /// As many as are asked for, if anything is related: the reader judges better than any
    /// score whether the last of them help.
    Full,
}

/// Recalls what answers, and counts that it was asked for.
pub async fn recall(keeper: &Keeper, ask: &Ask) -> Reply<Recalled> {
    let found = find(keeper, ask, recallable()?, Breadth::Full).await?;
    let recalled = within(found, ask.max_tokens);
    let nodes: Vec<_> = recalled.memories.iter().map(|memory| memory.node.clone()).collect();
    access::note(keeper, &nodes).await;
    Ok(recalled)
}

/// Everything, each thing once: an experience stands for the node that was made of it.
pub(super) fn recallable() -> Reply<Filter> {
    Ok(Filter { except_kinds: vec![word(PROMOTED)?], ..Filter::default() })
}

/// Keeps as many as fit into the budget.
pub(super) fn within(mut memories: Vec<Memory>, max_tokens: Option<usize>) -> Recalled {
    let all = memories.len();
    if let Some(max) = max_tokens {
        memories.truncate(budget::that_fit(memories.iter().map(Memory::cost), max));
    }
    Recalled { left_out: all - memories.len(), memories }
}

/// The best answers among what the filter admits; counts nothing.
pub(super) async fn find(
    keeper: &Keeper,
    ask: &Ask,
    filter: Filter,
    breadth: Breadth,
) -> Reply<Vec<Memory>> {
    let text = ask.topic.as_deref().unwrap_or_default().trim().to_owned();
    let faded = if ask.min_relevance > 0.0 { ask.limit * SPARE } else { 0 };
    let limit = ask.limit + ask.limit / 2 + MORE + faded;
    let fill = breadth == Breadth::Full;
    let min_score = (!fill && !text.is_empty()).then_some(0.0);
    let query = Query { filter, unit: Unit::Node, fill, min_score, ..Query::new(text, limit) };
    let found = keeper.app.search(&keeper.viewer, query).await?;
    let mut memories = judge(keeper, found.answers).await?;
    prefer_what_holds(keeper, &mut memories).await?;
    memories.retain(|memory| memory.relevance >= ask.min_relevance);
    memories.sort_by(|a, b| b.exact.cmp(&a.exact).then_with(|| b.rank.total_cmp(&a.rank)));
    memories.truncate(ask.limit);
    Ok(memories)
}

async fn judge(keeper: &Keeper, answers: Vec<Answered>) -> Reply<Vec<Memory>> {
    let (mut nodes, mut hits) = (Vec::new(), Vec::new());
    let total = answers.len();
    for (place, answer) in answers.into_iter().enumerate() {
        // Of the two halves of a fact only the node is shown.
        if answer.node.kind.as_str() == EXPERIENCE && property(&answer.node, "node").is_some() {
            continue;
        }
        let listed = answer.hit.match_kind == MatchKind::Listed;
        let score = (!listed).then_some(f64::from(answer.hit.score));
        let exact = answer.hit.match_kind == MatchKind::ExactName;
        // A list has no scores; its order is its rank.
        let rank = score.unwrap_or((total - place) as f64);
        hits.push((score, rank, exact, answer.text));
        nodes.push(answer.node);
    }
    let mut firsts = first_texts(keeper, &needing_texts(&nodes, &hits)).await?;
    let memory = |(node, (score, rank, exact, text)): (Node, Hit)| {
        let first = firsts.remove(&node.id);
        let text = text.filter(|_| first.is_none()).or(first);
        remembered(keeper, node, text, score, rank, exact)
    };
    Ok(nodes.into_iter().zip(hits).map(memory).collect())
}

type Hit = (Option<f64>, f64, bool, Option<Text>);

/// The nodes that were not found by the text that says what they are.
fn needing_texts(nodes: &[Node], hits: &[Hit]) -> Vec<Node> {
    let pairs = nodes.iter().zip(hits);
    let needing = pairs
        .filter(|(_, (.., text))| text.as_ref().is_none_or(|text| text.kind.as_str() == CONTEXT));
    needing.map(|(node, _)| node.clone()).collect()
}

fn remembered(
    keeper: &Keeper,
    node: Node,
    text: Option<Text>,
    score: Option<f64>,
    rank: f64,
    exact: bool,
) -> Memory {
    let fading = Fading::of(&node).filter(|_| node.kind.as_str() == EXPERIENCE);
    let kept = property(&node, PROMOTED_TO).is_some();
    let fades = fading.filter(|_| !kept);
    let relevance = fades.map_or(1.0, |fading| fading.left(node.created.at, keeper.now()));
    let rank = if score.is_some() { rank + rank.abs() * (nudge(relevance) - 1.0) } else { rank };
    let (body, provenance) = match text {
        Some(text) => (Some(cut(text.body)), text.provenance),
        None => (None, Provenance::default()),
    };
    Memory { node, fading, body, provenance, relevance, score, rank, exact }
}

/// Brings what took another's place in before it, even when only the old one was found.
async fn prefer_what_holds(keeper: &Keeper, memories: &mut Vec<Memory>) -> Reply<()> {
    let known: HashSet<Uid> = memories.iter().map(|memory| memory.node.uid).collect();
    let replaced: Vec<(Uid, Option<f64>, f64)> = memories
        .iter()
        .filter_map(|memory| Some((memory.superseded_by()?, memory.score, memory.rank)))
        .collect();
    if replaced.is_empty() {
        return Ok(());
    }
    let absent: Vec<Uid> =
        replaced.iter().map(|(uid, ..)| *uid).filter(|uid| !known.contains(uid)).collect();
    let nodes = keeper.app.store.nodes_by_uid(&keeper.viewer, &absent).await?;
    let mut texts: HashMap<NodeId, Text> = first_texts(keeper, &nodes).await?;
    for node in nodes {
        let place = replaced.iter().find(|(uid, ..)| *uid == node.uid);
        let Some((_, score, rank)) = place.copied() else { continue };
        let text = texts.remove(&node.id);
        memories.push(remembered(keeper, node, text, score, rank, false));
    }
    step_back(memories);
    Ok(())
}

/// Puts what no longer holds behind what took its place, and that in its place.
fn step_back(memories: &mut [Memory]) {
    let mut old: Vec<usize> = (0..memories.len()).collect();
    old.retain(|at| memories.get(*at).is_some_and(|memory| memory.superseded_by().is_some()));
    // The oldest first, so that a chain of replacements lifts its last link.
    old.sort_by_key(|at| memories.get(*at).map(|memory| memory.node.created.at));
    for at in old {
        let Some(memory) = memories.get_mut(at) else { continue };
        let (by, rank, exact) = (memory.superseded_by(), memory.rank, memory.exact);
        memory.exact = false;
        memory.rank = if rank > 0.0 { rank * SUPERSEDED } else { rank / SUPERSEDED };
        let new = memories.iter_mut().find(|memory| Some(memory.node.uid) == by);
        if let Some(new) = new {
            new.exact |= exact;
            new.rank = new.rank.max(rank);
        }
    }
}

/// The beginning of a text that is too long to be shown whole.
fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => text.get(..end).map(|start| format!("{start}…")).unwrap_or(text),
        None => text,
    }
}

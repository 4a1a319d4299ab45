//! Finds the part of the graph that some keywords are about.

use std::collections::{HashMap, HashSet};

use lore_core::NodeId;
use lore_search::Filter;

use super::access;
use super::answer_budget::Piece;
use super::call::MemoryCall;
use super::kinds::{CONTEXT, EXPERIENCE, word};
use super::link::Link;
use super::recall::{Ask, Breadth, Each, Memory, find};
use super::refusal::{Reply, required};
use crate::damage::sound_texts;
use crate::pages::leave_out_hidden;

/// The maximum number of edges read between the nodes of an answer.
const EDGES: usize = 100_000;

/// A part of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Subgraph {
    /// The nodes that match, best first.
    pub nodes: Vec<Memory>,
    /// The experiences that match, best first.
    pub experiences: Vec<Memory>,
    /// The edges between these nodes, strongest first.
    pub edges: Vec<Link>,
    /// The situations in which the experiences were made, if known, by node.
    pub situations: HashMap<NodeId, String>,
    /// How many more matches did not fit into the budget.
    pub left_out: usize,
    /// How many more edges did not fit into the budget.
    pub edges_left_out: usize,
}

/// Finds nodes and experiences that match keywords, and the edges between the nodes.
pub async fn context(call: &MemoryCall, keywords: Option<&str>, ask: &Ask) -> Reply<Subgraph> {
    let keywords = required("keywords", "context", keywords)?;
    let ask = Ask { topic: Some(keywords.to_owned()), ..ask.clone() };
    let experience = vec![word(EXPERIENCE)?];
    let lasting = Filter { except_kinds: experience.clone(), ..Filter::default() };
    let fading = Filter { kinds: experience, ..Filter::default() };
    let mut nodes = find(call, &ask, lasting, Breadth::Related, Each::Node).await?;
    let mut experiences = find(call, &ask, fading, Breadth::Related, Each::Node).await?;
    once_each(&mut nodes, &mut experiences);
    let mut best = best_of(nodes, experiences, ask.limit);
    let situations = situations(call, &best).await?;
    let found = best.len();
    let mut answer_budget = ask.answer_budget;
    if let Some(answer_budget) = &mut answer_budget {
        if let Some(first) = best.first_mut() {
            let situation = situations.get(&first.node.id);
            answer_budget.shorten(first, situation.map(String::as_str), keywords);
        }
        best.truncate(answer_budget.that_fit(pieces(&best, &situations)));
        answer_budget.take(pieces(&best, &situations));
    }
    let left_out = found - best.len();
    access::note(call, access::answering(best.iter()).into_iter()).await;
    let (mut nodes, experiences): (Vec<_>, Vec<_>) = best.into_iter().partition(is_lasting);
    let shown = nodes.iter_mut().map(|memory| &mut memory.node);
    leave_out_hidden(&call.app, &call.viewer, shown).await?;
    let mut edges = edges_between(call, &nodes).await?;
    let joined = edges.len();
    if let Some(answer_budget) = &mut answer_budget {
        edges.truncate(answer_budget.besides(edges.iter().map(Piece::Link)));
    }
    let edges_left_out = joined - edges.len();
    Ok(Subgraph { edges, nodes, experiences, situations, left_out, edges_left_out })
}

/// Removes duplicates: a replacement that both searches brought in, and an experience beside the
/// lasting node made of it.
fn once_each(nodes: &mut Vec<Memory>, experiences: &mut Vec<Memory>) {
    let mut seen = HashSet::new();
    for memories in [nodes, experiences] {
        memories.retain(|memory| seen.insert(memory.kept_as().unwrap_or(memory.node.uid)));
    }
}

/// Merges two lists, best first, and keeps `limit` of the result.
fn best_of(nodes: Vec<Memory>, experiences: Vec<Memory>, limit: usize) -> Vec<Memory> {
    let score = |memory: &Memory| memory.score.unwrap_or_default();
    let mut lasting = nodes.into_iter().peekable();
    let mut fading = experiences.into_iter().peekable();
    let next = || match (lasting.peek(), fading.peek()) {
        (Some(node), Some(experience)) if score(experience) > score(node) => fading.next(),
        (Some(_), _) => lasting.next(),
        (None, _) => fading.next(),
    };
    std::iter::from_fn(next).take(limit).collect()
}

/// The pieces of the answer, one for each memory.
fn pieces<'a>(
    memories: &'a [Memory],
    situations: &'a HashMap<NodeId, String>,
) -> impl Iterator<Item = Piece<'a>> {
    let beside = |memory: &Memory| situations.get(&memory.node.id).map(String::as_str);
    memories.iter().map(move |memory| Piece::Memory(memory, beside(memory)))
}

fn is_lasting(memory: &Memory) -> bool {
    memory.node.kind.as_str() != EXPERIENCE
}

async fn situations(call: &MemoryCall, memories: &[Memory]) -> Reply<HashMap<NodeId, String>> {
    let experiences = memories.iter().filter(|memory| !is_lasting(memory));
    let ids: Vec<_> = experiences.map(|memory| memory.node.id).collect();
    let texts = sound_texts(call.app.store.as_ref(), &call.viewer, &ids).await?.texts;
    let mut situations: HashMap<NodeId, String> = HashMap::new();
    for text in texts.into_iter().filter(|text| text.kind.as_str() == CONTEXT) {
        situations.entry(text.node).or_default().push_str(&text.body);
    }
    Ok(situations)
}

async fn edges_between(call: &MemoryCall, nodes: &[Memory]) -> Reply<Vec<Link>> {
    let ids: Vec<NodeId> = nodes.iter().map(|memory| memory.node.id).collect();
    let by_id: HashMap<NodeId, &Memory> =
        nodes.iter().map(|memory| (memory.node.id, memory)).collect();
    let store = &call.app.store;
    let edges = store.edges_among(&call.viewer, &ids, EDGES).await?;
    let link = |edge: lore_core::Edge| {
        let (source, target) = (by_id.get(&edge.source)?, by_id.get(&edge.target)?);
        Some(Link { source: source.node.clone(), target: target.node.clone(), edge })
    };
    Ok(edges.into_iter().filter_map(link).collect())
}

//! The part of the graph that some keywords are about.

use std::collections::{HashMap, HashSet};

use lore_core::NodeId;
use lore_search::Filter;

use super::access;
use super::graph::Link;
use super::keeper::Keeper;
use super::kinds::{CONTEXT, EXPERIENCE, word};
use super::recall::{Ask, Breadth, Memory, find, within};
use super::refusal::{Reply, required};

/// Most edges between the nodes of an answer that are looked at.
const EDGES: usize = 100_000;

/// What an edge costs in an answer: two ids, a type and a weight.
const EDGE_TOKENS: usize = 40;

/// A part of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Subgraph {
    /// Nodes that answer, best first.
    pub nodes: Vec<Memory>,
    /// Experiences that answer, best first.
    pub experiences: Vec<Memory>,
    /// The edges between these nodes, strongest first.
    pub edges: Vec<Link>,
    /// In which situations the experiences were made, where that is known.
    pub situations: HashMap<NodeId, String>,
    /// How many more answers there were that the budget had no room for.
    pub left_out: usize,
    /// How many more edges there were that the budget had no room for.
    pub edges_left_out: usize,
}

/// Finds what keywords are about: nodes, the edges between them, and experiences.
pub async fn context(keeper: &Keeper, keywords: Option<&str>, ask: &Ask) -> Reply<Subgraph> {
    let keywords = required("keywords", "context", keywords)?;
    let ask = Ask { topic: Some(keywords.to_owned()), ..ask.clone() };
    let experience = vec![word(EXPERIENCE)?];
    let lasting = Filter { except_kinds: experience.clone(), ..Filter::default() };
    let fading = Filter { kinds: experience, ..Filter::default() };
    let mut nodes = find(keeper, &ask, lasting, Breadth::Related).await?;
    // A node of the graph is there once, however much was said in it.
    let mut seen = HashSet::new();
    nodes.retain(|memory| seen.insert(memory.node.id));
    let mut experiences = find(keeper, &ask, fading, Breadth::Related).await?;
    // What is kept for good is among the nodes already.
    experiences.retain(|memory| memory.kept_as().is_none());
    keep_best(&mut nodes, &mut experiences, ask.limit);
    // Experiences share the budget: what lasts goes first.
    let lasting = nodes.len();
    let all = within(nodes.into_iter().chain(experiences).collect(), ask.max_tokens);
    let mut nodes = all.memories;
    let experiences = nodes.split_off(lasting.min(nodes.len()));
    access::note(keeper, nodes.iter().chain(&experiences)).await;
    let mut edges = edges_between(keeper, &nodes).await?;
    let joined = edges.len();
    if let Some(max) = ask.max_tokens {
        let spent = nodes.iter().chain(&experiences).map(Memory::cost).sum();
        edges.truncate(max.saturating_sub(spent) / EDGE_TOKENS);
    }
    let edges_left_out = joined - edges.len();
    let situations = situations(keeper, &experiences).await?;
    let left_out = all.left_out;
    Ok(Subgraph { edges, nodes, experiences, situations, left_out, edges_left_out })
}

/// Keeps the best of both, so many in all.
fn keep_best(nodes: &mut Vec<Memory>, experiences: &mut Vec<Memory>, limit: usize) {
    let score = |memory: Option<&Memory>| memory.map(|memory| memory.score.unwrap_or_default());
    let (mut lasting, mut fading) = (0, 0);
    while lasting + fading < limit {
        match (score(nodes.get(lasting)), score(experiences.get(fading))) {
            (None, None) => break,
            (None, Some(_)) => fading += 1,
            (Some(node), Some(experience)) if experience > node => fading += 1,
            (Some(_), _) => lasting += 1,
        }
    }
    nodes.truncate(lasting);
    experiences.truncate(fading);
}

async fn situations(keeper: &Keeper, experiences: &[Memory]) -> Reply<HashMap<NodeId, String>> {
    let ids: Vec<_> = experiences.iter().map(|memory| memory.node.id).collect();
    let texts = keeper.app.store.texts_of_nodes(&keeper.viewer, &ids).await?;
    let mut situations: HashMap<NodeId, String> = HashMap::new();
    for text in texts.into_iter().filter(|text| text.kind.as_str() == CONTEXT) {
        situations.entry(text.node).or_default().push_str(&text.body);
    }
    Ok(situations)
}

async fn edges_between(keeper: &Keeper, nodes: &[Memory]) -> Reply<Vec<Link>> {
    let ids: Vec<NodeId> = nodes.iter().map(|memory| memory.node.id).collect();
    let by_id: HashMap<NodeId, &Memory> =
        nodes.iter().map(|memory| (memory.node.id, memory)).collect();
    let store = &keeper.app.store;
    let edges = store.edges_among(&keeper.viewer, &ids, EDGES).await?;
    let link = |edge: lore_core::Edge| {
        let (source, target) = (by_id.get(&edge.source)?, by_id.get(&edge.target)?);
        Some(Link { source: source.node.clone(), target: target.node.clone(), edge })
    };
    Ok(edges.into_iter().filter_map(link).collect())
}

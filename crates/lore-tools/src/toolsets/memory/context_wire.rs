//! Wire types for a subgraph, the answer of the context action.

use lore_app::memory::answer_budget::{AnswerBudget, Piece};
use lore_app::memory::context::Subgraph;
use lore_app::memory::ids::shown;
use lore_app::memory::kinds::type_of;
use lore_app::memory::recall::Memory;
use lore_core::error::echoed;
use lore_rules::memory::budget;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::envelope::{Nullable, is_zero, rounded, written};
use super::recall_wire::ReplacementOut;
use super::wire::{EdgeOut, further};

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextOut {
    /// The keywords; only the beginning of a long list.
    query: String,
    /// summary or full.
    detail: &'static str,
    /// Number of nodes and experiences in this answer.
    count: usize,
    /// Nodes, best first.
    nodes: Vec<ContextNode>,
    /// The edges between these nodes.
    edges: Vec<EdgeOut>,
    /// Experiences, best first.
    experiences: Vec<ContextExperience>,
    /// Number of further results that did not fit the token budget.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// Number of further edges that did not fit the token budget.
    #[serde(skip_serializing_if = "is_zero")]
    edges_left_out: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextNode {
    /// Id of the node.
    id: String,
    /// Name of the node.
    name: String,
    /// Type of the node.
    r#type: String,
    /// How well it matches, 0 to 1.
    confidence: f64,
    #[serde(flatten)]
    replacement: ReplacementOut,
    #[serde(flatten)]
    full: Option<ContextFull>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextFull {
    /// The description, or null.
    description: Nullable<String>,
    /// True if the description is cut; kn_graph query with detail full returns all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Its tags.
    tags: Vec<String>,
    /// Further fields.
    properties: Map<String, Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextExperience {
    /// Id of the experience.
    id: String,
    /// Type of lesson.
    r#type: String,
    /// What was learned; cut in a summary.
    content: String,
    /// Remaining relevance, 0 to 1.
    relevance: f64,
    #[serde(flatten)]
    replacement: ReplacementOut,
    #[serde(flatten)]
    full: Option<ExperienceFull>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExperienceFull {
    /// Confidence of the author.
    confidence: &'static str,
    /// Its tags.
    tags: Vec<String>,
    /// The situation it was learned in, or null.
    context: Nullable<String>,
    /// True if the content is cut; kn_experience search returns all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// Cuts the query to a small part of the token budget, for repetition in the answer.
pub(super) fn repeated(question: &str, tokens: Option<usize>) -> String {
    /// The query takes at most one `PART`th of the budget, but is never cut below `LEAST`
    /// characters.
    const PART: usize = 5;
    const LEAST: usize = 20;
    let mut question = echoed(question.trim().to_owned());
    let most = tokens.map_or(usize::MAX, |tokens| tokens / PART);
    let mut letters = question.chars().count();
    while letters > LEAST && budget::tokens(&question) > most {
        letters = LEAST.max(letters * 3 / 4);
        question = question.chars().take(letters - 1).chain(['…']).collect();
    }
    question
}

/// Returns the token budget for a subgraph, in full or as a summary.
pub(super) fn answer_budget(tokens: usize, query: &str, full: bool) -> AnswerBudget {
    let frame = json!({
        "_v": "1.0", "query": query, "detail": "summary", "count": 50, "nodes": [], "edges": [],
        "experiences": [], "left_out": 50, "edges_left_out": 100,
    });
    let written = if full { in_full } else { in_short };
    AnswerBudget::new(tokens, &frame.to_string(), written)
}

fn in_full(piece: &Piece<'_>) -> String {
    piece_of(piece, true)
}

fn in_short(piece: &Piece<'_>) -> String {
    piece_of(piece, false)
}

fn piece_of(piece: &Piece<'_>, full: bool) -> String {
    match piece {
        Piece::Memory(memory, situation) if memory.fading.is_some() => {
            let situation = full.then(|| situation.map(str::to_owned));
            written(&ContextExperience::of(memory, situation))
        }
        Piece::Memory(memory, _) => written(&ContextNode::of((*memory).clone(), full)),
        Piece::Link(link) => written(&EdgeOut::of(link)),
        Piece::Near(_) | Piece::World(_) => String::new(),
    }
}

impl ContextOut {
    pub(super) fn of(found: Subgraph, query: String, full: bool) -> Self {
        let situation = |memory: &Memory| found.situations.get(&memory.node.id).cloned();
        let experiences = found.experiences.iter();
        let experiences: Vec<_> = experiences
            .map(|memory| ContextExperience::of(memory, full.then(|| situation(memory))))
            .collect();
        let nodes: Vec<_> =
            found.nodes.into_iter().map(|memory| ContextNode::of(memory, full)).collect();
        Self {
            query,
            detail: if full { "full" } else { "summary" },
            count: nodes.len() + experiences.len(),
            nodes,
            edges: found.edges.iter().map(EdgeOut::of).collect(),
            experiences,
            left_out: found.left_out,
            edges_left_out: found.edges_left_out,
        }
    }
}

impl ContextNode {
    fn of(memory: Memory, full: bool) -> Self {
        let replacement = ReplacementOut::of(&memory.node, memory.replacement.as_ref());
        let truncated = memory.is_cut();
        let node = memory.node;
        Self {
            id: shown(&node),
            name: node.name.clone(),
            r#type: type_of(&node).to_owned(),
            confidence: rounded(memory.score.unwrap_or_default().clamp(0.0, 1.0), 4),
            replacement,
            full: full.then(|| ContextFull {
                description: Nullable(memory.body.map(|body| body.text)),
                truncated,
                tags: node.tags,
                properties: further(node.properties),
            }),
        }
    }
}

/// The maximum length of an experience in a summary, in characters.
const SUMMARY_LETTERS: usize = 200;

impl ContextExperience {
    fn of(memory: &Memory, full: Option<Option<String>>) -> Self {
        let content = memory.words();
        let experience_type =
            memory.fading.map_or("experience", |fading| fading.experience_type.as_str());
        Self {
            id: shown(&memory.node),
            r#type: experience_type.to_owned(),
            content: match full {
                Some(_) => content.to_owned(),
                None => content.chars().take(SUMMARY_LETTERS).collect(),
            },
            relevance: rounded(memory.relevance, 4),
            replacement: ReplacementOut::of(&memory.node, memory.replacement.as_ref()),
            full: full.map(|situation| ExperienceFull {
                truncated: memory.is_cut(),
                confidence: memory.fading.map_or("high", |fading| fading.confidence.as_str()),
                tags: memory.node.tags.clone(),
                context: Nullable(situation),
            }),
        }
    }
}

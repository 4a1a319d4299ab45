//! Tool `kn_intel`: learning and recalling, the usual way in.

use lore_app::memory::context::{self, Subgraph};
use lore_app::memory::crossref;
use lore_app::memory::experience::NewExperience;
use lore_app::memory::ids::shown;
use lore_app::memory::kinds::{Sharing, edge_type, namespace_of, type_of};
use lore_app::memory::learn::{self, Candidate, Origin};
use lore_app::memory::recall::{self, Ask, Memory};
use lore_app::memory::related::{self, Near, Walk};
use lore_app::memory::{Keeper, Refusal, Reply};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::envelope::{
    Envelope, Nullable, envelope, is_full, keeper, limit, rounded, share, unknown_action, whole,
};
use super::recall_wire::{LapsedOut, Row};
use super::wire::{Brief, EdgeOut, further};
use super::words::{Confidences, Details, Lessons, Spelled, Words, given};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct KnIntel;

pub(super) struct Actions;

impl Words for Actions {
    const WORDS: &'static [&'static str] = &["learn", "recall", "crossref", "context", "related"];
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Spelled<Actions>,
    /// learn: one fact, in a sentence or two
    content: Option<String>,
    r#type: Option<Spelled<Lessons>>,
    /// learn: the situation
    context: Option<String>,
    /// learn: high stays, others fade
    #[schemars(extend("default" = "high"))]
    confidence: Option<Spelled<Confidences>>,
    /// learn
    tags: Option<Vec<String>>,
    /// recall: any words or question; without, the newest
    topic: Option<String>,
    /// crossref
    problem: Option<String>,
    /// context
    keywords: Option<String>,
    #[schemars(extend("default" = "summary"))]
    detail: Option<Spelled<Details>>,
    node_id: Option<String>,
    /// related
    #[schemars(range(min = 1, max = 5), extend("default" = 1))]
    depth: Option<i64>,
    /// related
    edge_type: Option<String>,
    /// all but learn
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    limit: Option<i64>,
    /// recall: least share left of experiences
    #[schemars(range(min = 0, max = 1), extend("default" = 0.0))]
    min_relevance: Option<f64>,
    /// learn: conversation it is part of, in order
    session: Option<String>,
    /// learn: who said it
    author: Option<String>,
    /// learn: event time
    occurred_at: Option<String>,
    /// learn: id of what no longer holds
    supersedes: Option<String>,
    /// Budget of the answer, about.
    #[schemars(range(min = 1, max = 1_000_000))]
    max_tokens: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Output {
    /// Something was learned.
    Learned(Learned),
    /// What was recalled.
    Recalled(Recalled),
    /// A part of the graph.
    Context(ContextOut),
    /// What is near a node.
    Related(RelatedOut),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Learned {
    /// What it became: node or experience.
    stored_as: &'static str,
    /// The node that stays, or null.
    node_id: Nullable<String>,
    /// The experience.
    experience_id: String,
    /// What sort of lesson it is.
    r#type: &'static str,
    /// How sure its writer was.
    confidence: &'static str,
    /// Where the node is.
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    /// What says nearly the same already, or the opposite. Nothing was merged: learn again with
    /// supersedes when one no longer holds.
    candidates: Vec<CandidateOut>,
    /// Kinds of secrets that were masked before it was kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CandidateOut {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Its type.
    r#type: String,
    /// What it says.
    snippet: String,
    /// Share of words in common.
    similarity: f64,
    /// duplicate, contradiction or similar.
    relation: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Recalled {
    /// How many results follow.
    count: usize,
    /// What is known, best first.
    results: Vec<Row>,
    /// How many more the token budget left out.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// The worlds that were searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextOut {
    /// The keywords.
    query: String,
    /// summary or full.
    detail: &'static str,
    /// How many nodes and experiences follow.
    count: usize,
    /// Nodes, best first.
    nodes: Vec<ContextNode>,
    /// The edges between them.
    edges: Vec<EdgeOut>,
    /// Experiences, best first.
    experiences: Vec<ContextExperience>,
    /// How many more the token budget left out.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// How many more edges it left out.
    #[serde(skip_serializing_if = "is_zero")]
    edges_left_out: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextNode {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Its type.
    r#type: String,
    /// How well it answers, 0 to 1.
    confidence: f64,
    #[serde(flatten)]
    lapsed: LapsedOut,
    #[serde(flatten)]
    full: Option<ContextFull>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextFull {
    /// What it says, or null.
    description: Nullable<String>,
    /// The description goes on; kn_graph query with detail full has all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Its tags.
    tags: Vec<String>,
    /// Further fields.
    properties: Map<String, Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextExperience {
    /// Its id.
    id: String,
    /// What sort of lesson it is.
    r#type: String,
    /// What it says; cut in a summary.
    content: String,
    /// What is left of it, 0 to 1.
    relevance: f64,
    #[serde(flatten)]
    lapsed: LapsedOut,
    #[serde(flatten)]
    full: Option<ExperienceFull>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExperienceFull {
    /// How sure its writer was.
    confidence: &'static str,
    /// Its tags.
    tags: Vec<String>,
    /// The situation, or null.
    context: Nullable<String>,
    /// The content goes on; kn_experience search has all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RelatedOut {
    /// How many results follow.
    count: usize,
    /// Nodes, nearest and most strongly joined first.
    results: Vec<NearOut>,
    /// Whether there is more within the depth.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
    /// How many more the token budget left out.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// What is wrong with the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NearOut {
    /// The node.
    node: Brief,
    /// How many hops away it is.
    depth: usize,
    /// The hops from the start to it.
    path: Vec<HopOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HopOut {
    /// The node this hop leads to.
    id: String,
    /// The edge's type.
    r#type: String,
    /// out along the edge, in against it.
    direction: &'static str,
    /// The edge's weight.
    weight: f64,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl ToolSpec for KnIntel {
    const NAME: &'static str = "kn_intel";
    const TOOLSET: Toolset = Toolset::Memory;
    const TITLE: &'static str = "Learn and recall";
    const DESCRIPTION: &'static str = "Memory across sessions, and the default for storing and \
        finding knowledge. Use recall before answering from memory and learn whenever something \
        worth keeping comes up; take kn_graph, kn_experience or kn_idea only to control how it \
        is stored.\n\
        - learn: content, type [context, confidence, tags, session, author, occurred_at, \
        supersedes]; high confidence (default) stays as a node with an experience, the rest is \
        an experience that fades\n\
        - recall: [topic, limit, min_relevance] over everything in this world\n\
        - crossref: problem [limit] in your other worlds\n\
        - context: keywords [detail, limit]: nodes, edges between them, experiences\n\
        - related: node_id [depth, edge_type, limit]: neighbours with paths\n\
        Returns ids and candidates for learn, else results best first, or error.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: false, open_world: false };
    const ROLE: Role = Role::Player;
    const ALIASES: &'static [&'static str] =
        &["kn_learn", "kn_recall", "kn_crossref", "kn_context", "kn_related"];
    const READING: &'static [&'static str] = &["recall", "crossref", "context", "related"];

    type Input = Input;
    type Output = Envelope<Output>;

    fn example() -> Value {
        json!({
            "action": "learn", "type": "decision", "tags": ["ferry"],
            "content": "We sail to the northern isle with the morning tide.",
        })
    }

    fn modernise(name: &str, arguments: &mut Map<String, Value>) {
        if let Some(action) = name.strip_prefix("kn_").filter(|_| Self::ALIASES.contains(&name)) {
            arguments.insert("action".into(), action.into());
        }
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let keeper = keeper(&call, Self::NAME);
        let ask = Ask {
            topic: input.topic.clone(),
            limit: limit(input.limit)?,
            min_relevance: share("min_relevance", input.min_relevance, 0.0)?,
            max_tokens: input
                .max_tokens
                .map(|_| whole("max_tokens", input.max_tokens, 0, [1, 1_000_000]))
                .transpose()?,
        };
        let depth = whole("depth", input.depth, 1, [1, 5])?;
        envelope(match input.action.word() {
            "learn" => learn(&keeper, input).await,
            "recall" => recall(&keeper, &ask).await,
            "crossref" => crossref(&keeper, input.problem.as_deref(), &ask).await,
            "context" => context(&keeper, input, &ask).await,
            "related" => related(&keeper, input, depth, &ask).await,
            _ => Err(unknown_action(&input.action)),
        })
    }
}

async fn learn(keeper: &Keeper, input: Input) -> Reply<Output> {
    let new = NewExperience {
        content: input.content,
        lesson: given(input.r#type),
        context: input.context,
        confidence: given(input.confidence),
        tags: input.tags.unwrap_or_default(),
        origin: Origin {
            session: input.session,
            author: input.author,
            occurred_at: input.occurred_at,
        },
        supersedes: input.supersedes,
        sharing: Sharing::Workspace,
    };
    let written = learn::learn(keeper, &new).await?;
    let learned = written.kept;
    Ok(Output::Learned(Learned {
        stored_as: if learned.node.is_some() { "node" } else { "experience" },
        node_id: Nullable(learned.node.as_ref().map(shown)),
        experience_id: shown(&learned.experience),
        r#type: learned.fading.lesson.as_str(),
        confidence: learned.fading.confidence.as_str(),
        namespace: learned.node.as_ref().map(|node| namespace_of(node).to_owned()),
        candidates: learned.candidates.into_iter().map(CandidateOut::of).collect(),
        masked: written.masked,
    }))
}

impl CandidateOut {
    fn of(candidate: Candidate) -> Self {
        Self {
            id: shown(&candidate.node),
            name: candidate.node.name.clone(),
            r#type: type_of(&candidate.node).to_owned(),
            snippet: candidate.snippet.chars().take(160).collect(),
            similarity: rounded(candidate.similarity, 4),
            relation: candidate.relation.as_str(),
        }
    }
}

async fn recall(keeper: &Keeper, ask: &Ask) -> Reply<Output> {
    let recalled = recall::recall(keeper, ask).await?;
    let results: Vec<_> = recalled.memories.into_iter().map(|one| Row::of(one, None)).collect();
    let left_out = recalled.left_out;
    Ok(Output::Recalled(Recalled { count: results.len(), results, left_out, searched: Vec::new() }))
}

async fn crossref(keeper: &Keeper, problem: Option<&str>, ask: &Ask) -> Reply<Output> {
    let found = crossref::crossref(keeper, problem, ask).await?;
    let rows = found.rows.into_iter().map(|row| Row::of(row.memory, Some(row.workspace)));
    let results: Vec<_> = rows.collect();
    let (left_out, searched) = (found.left_out, found.searched);
    Ok(Output::Recalled(Recalled { count: results.len(), results, left_out, searched }))
}

async fn context(keeper: &Keeper, input: Input, ask: &Ask) -> Reply<Output> {
    let full = is_full(input.detail.as_ref())?;
    let found = context::context(keeper, input.keywords.as_deref(), ask).await?;
    let query = input.keywords.unwrap_or_default().trim().to_owned();
    Ok(Output::Context(ContextOut::of(found, query, full)))
}

impl ContextOut {
    fn of(found: Subgraph, query: String, full: bool) -> Self {
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
        let lapsed = LapsedOut::of_memory(&memory);
        let truncated = memory.is_cut();
        let node = memory.node;
        Self {
            id: shown(&node),
            name: node.name.clone(),
            r#type: type_of(&node).to_owned(),
            confidence: rounded(memory.score.unwrap_or_default().clamp(0.0, 1.0), 4),
            lapsed,
            full: full.then(|| ContextFull {
                description: Nullable(memory.body.map(|body| body.text)),
                truncated,
                tags: node.tags,
                properties: further(node.properties),
            }),
        }
    }
}

/// How much of an experience a summary shows, in characters.
const SUMMARY_LETTERS: usize = 200;

impl ContextExperience {
    fn of(memory: &Memory, full: Option<Option<String>>) -> Self {
        let content = memory.words();
        let lesson = memory.fading.map_or("experience", |fading| fading.lesson.as_str());
        Self {
            id: shown(&memory.node),
            r#type: lesson.to_owned(),
            content: match full {
                Some(_) => content.to_owned(),
                None => content.chars().take(SUMMARY_LETTERS).collect(),
            },
            relevance: rounded(memory.relevance, 4),
            lapsed: LapsedOut::of_memory(memory),
            full: full.map(|situation| ExperienceFull {
                truncated: memory.is_cut(),
                confidence: memory.fading.map_or("high", |fading| fading.confidence.as_str()),
                tags: memory.node.tags.clone(),
                context: Nullable(situation),
            }),
        }
    }
}

async fn related(keeper: &Keeper, input: Input, depth: usize, ask: &Ask) -> Reply<Output> {
    let walk = Walk {
        node: input.node_id,
        depth,
        edge_type: input.edge_type,
        limit: ask.limit,
        max_tokens: ask.max_tokens,
    };
    let (found, error) = match related::related(keeper, &walk).await {
        Ok(found) => (found, None),
        // Nothing is near what does not exist; the answer says why it is empty.
        Err(missing @ Refusal::NotFound { .. }) => {
            (related::Surroundings::default(), Some(missing.to_string()))
        }
        Err(other) => return Err(other),
    };
    let (more, left_out) = (found.more, found.left_out);
    let results: Vec<_> = found.near.into_iter().map(NearOut::of).collect();
    Ok(Output::Related(RelatedOut { count: results.len(), results, more, left_out, error }))
}

impl NearOut {
    fn of(near: Near) -> Self {
        let hops = near.path.iter().map(|hop| HopOut {
            id: shown(&hop.to),
            r#type: edge_type(&hop.edge).to_owned(),
            direction: if hop.is_forward { "out" } else { "in" },
            weight: hop.edge.weight,
        });
        Self { node: Brief::of(&near.node), depth: near.depth, path: hops.collect() }
    }
}

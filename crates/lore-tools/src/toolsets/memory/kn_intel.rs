//! Tool `kn_intel`: learning and recalling, the default for storing and finding knowledge.

use lore_app::memory::context;
use lore_app::memory::crossref;
use lore_app::memory::experience::NewExperience;
use lore_app::memory::ids::shown;
use lore_app::memory::kinds::{Sharing, namespace_of, type_of};
use lore_app::memory::learn::{self, Candidate, Origin};
use lore_app::memory::recall::{self, Ask};
use lore_app::memory::related::{self, Walk};
use lore_app::memory::{MemoryCall, Refusal, Reply};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arguments;
use super::context_wire::{self, ContextOut};
use super::envelope::{
    Envelope, Nullable, envelope, is_full, limit, memory_call, rounded, share, unknown_action,
    whole,
};
use super::recall_wire::{self, Recalled, ReplacementOut};
use super::related_wire::{self, RelatedOut};
use super::words::{Confidences, Details, ExperienceTypes, Spelled, Words, given};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct KnIntel;

pub(super) struct Actions;

impl Words for Actions {
    const WORDS: &'static [&'static str] = &["learn", "recall", "crossref", "context", "related"];
}

/// Which actions take which arguments.
const TAKES: [(&str, &[&str]); 13] = [
    ("content", &["learn"]),
    ("type", &["learn"]),
    ("context", &["learn"]),
    ("tags", &["learn"]),
    ("topic", &["recall"]),
    ("problem", &["crossref"]),
    ("keywords", &["context"]),
    ("node_id", &["related"]),
    ("edge_type", &["related"]),
    ("session", &["learn"]),
    ("author", &["learn"]),
    ("occurred_at", &["learn"]),
    ("supersedes", &["learn"]),
];

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Spelled<Actions>,
    /// learn: one fact, in a sentence or two
    content: Option<String>,
    r#type: Option<Spelled<ExperienceTypes>>,
    /// learn: situation it was learned in
    context: Option<String>,
    /// learn: high stays, others fade
    #[schemars(extend("default" = "high"))]
    confidence: Option<Spelled<Confidences>>,
    /// learn
    tags: Option<Vec<String>>,
    /// recall: words or a question; default: the newest
    topic: Option<String>,
    /// crossref: words or a question
    problem: Option<String>,
    /// context
    keywords: Option<String>,
    #[schemars(extend("default" = "summary"))]
    detail: Option<Spelled<Details>>,
    node_id: Option<String>,
    /// related: number of hops
    #[schemars(range(min = 1, max = 5), extend("default" = 1))]
    depth: Option<i64>,
    /// related: only this type
    edge_type: Option<String>,
    /// all but learn
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    limit: Option<i64>,
    /// recall: minimum relevance of experiences
    #[schemars(range(min = 0, max = 1), extend("default" = 0.0))]
    min_relevance: Option<f64>,
    /// learn: conversation it belongs to, kept in order
    session: Option<String>,
    /// learn: who said it
    author: Option<String>,
    /// learn: when it happened
    occurred_at: Option<String>,
    /// learn: id of what no longer holds
    supersedes: Option<String>,
    /// Approximate token budget of the answer.
    #[schemars(range(min = 1, max = 1_000_000))]
    max_tokens: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Output {
    /// Something was learned.
    Learned(Learned),
    /// What was found by recall or crossref.
    Recalled(Recalled),
    /// A subgraph.
    Context(ContextOut),
    /// The surroundings of a node.
    Related(RelatedOut),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Learned {
    /// What it was stored as: node or experience.
    stored_as: &'static str,
    /// Id of the permanent node, or null.
    node_id: Nullable<String>,
    /// Id of the experience.
    experience_id: String,
    /// Type of lesson.
    r#type: &'static str,
    /// Confidence of the author.
    confidence: &'static str,
    /// Namespace of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    /// Stored knowledge that says nearly the same, or the opposite. Nothing was merged: if one no
    /// longer holds, learn again with supersedes.
    candidates: Vec<CandidateOut>,
    /// Kinds of secrets that were masked before storing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CandidateOut {
    /// Id of the node or experience.
    id: String,
    /// Name of the node or experience.
    name: String,
    /// Type of the node or experience.
    r#type: String,
    /// Excerpt of its text.
    snippet: String,
    /// Share of words in common, 0 to 1.
    similarity: f64,
    /// duplicate, contradiction or similar.
    relation: &'static str,
    #[serde(flatten)]
    replacement: ReplacementOut,
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
        supersedes]; high confidence (default) is kept as a node with an experience, the rest \
        as an experience that fades\n\
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
        if let Err(refusal) = arguments::check(&TAKES, &input.action, &input) {
            return envelope(Err(refusal));
        }
        let call = memory_call(&call, Self::NAME);
        let ask = Ask {
            topic: input.topic.clone(),
            limit: limit(input.limit)?,
            min_relevance: share("min_relevance", input.min_relevance, 0.0)?,
            answer_budget: None,
        };
        let budget = input
            .max_tokens
            .map(|_| whole("max_tokens", input.max_tokens, 0, [1, 1_000_000]))
            .transpose()?;
        let depth = whole("depth", input.depth, 1, [1, 5])?;
        envelope(match input.action.word() {
            "learn" => learn(&call, input).await,
            "recall" => recall(&call, ask, budget).await,
            "crossref" => crossref(&call, input.problem.as_deref(), ask, budget).await,
            "context" => context(&call, input, ask, budget).await,
            "related" => related(&call, input, [depth, ask.limit], budget).await,
            _ => Err(unknown_action(&input.action)),
        })
    }
}

async fn learn(call: &MemoryCall, input: Input) -> Reply<Output> {
    let new = NewExperience {
        content: input.content,
        experience_type: given(input.r#type),
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
    let written = learn::learn(call, &new).await?;
    let learned = written.kept;
    Ok(Output::Learned(Learned {
        stored_as: if learned.node.is_some() { "node" } else { "experience" },
        node_id: Nullable(learned.node.as_ref().map(shown)),
        experience_id: shown(&learned.experience),
        r#type: learned.fading.experience_type.as_str(),
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
            replacement: ReplacementOut::of(&candidate.node, candidate.replacement.as_ref()),
        }
    }
}

async fn recall(call: &MemoryCall, ask: Ask, budget: Option<usize>) -> Reply<Output> {
    let ask = Ask { answer_budget: budget.map(recall_wire::answer_budget), ..ask };
    let recalled = recall::recall(call, &ask).await?;
    Ok(Output::Recalled(Recalled::here(recalled)))
}

async fn crossref(
    call: &MemoryCall,
    problem: Option<&str>,
    ask: Ask,
    budget: Option<usize>,
) -> Reply<Output> {
    let ask = Ask { answer_budget: budget.map(recall_wire::answer_budget), ..ask };
    let found = crossref::crossref(call, problem, &ask).await?;
    Ok(Output::Recalled(Recalled::elsewhere(found)))
}

async fn context(
    call: &MemoryCall,
    input: Input,
    ask: Ask,
    budget: Option<usize>,
) -> Reply<Output> {
    let full = is_full(input.detail.as_ref())?;
    let query = context_wire::repeated(input.keywords.as_deref().unwrap_or_default(), budget);
    let answer_budget = budget.map(|tokens| context_wire::answer_budget(tokens, &query, full));
    let found =
        context::context(call, input.keywords.as_deref(), &Ask { answer_budget, ..ask }).await?;
    Ok(Output::Context(ContextOut::of(found, query, full)))
}

async fn related(
    call: &MemoryCall,
    input: Input,
    [depth, limit]: [usize; 2],
    budget: Option<usize>,
) -> Reply<Output> {
    let answer_budget = budget.map(related_wire::answer_budget);
    let walk =
        Walk { node: input.node_id, depth, edge_type: input.edge_type, limit, answer_budget };
    match related::related(call, &walk).await {
        Ok(found) => Ok(Output::Related(RelatedOut::of(found))),
        Err(missing @ Refusal::NotFound { .. }) => {
            Ok(Output::Related(RelatedOut::nowhere(missing.to_string())))
        }
        Err(other) => Err(other),
    }
}

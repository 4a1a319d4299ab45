//! Tool `kn_graph`: direct work on nodes and edges.

use lore_app::memory::graph::{self, Moved, NewKnown, NodeSearch, Target, Was};
use lore_app::memory::ids::shown;
use lore_app::memory::kinds::Sharing;
use lore_app::memory::link::{self, NewLink};
use lore_app::memory::status::{self, Finding, Status};
use lore_app::memory::{MemoryCall, Reply};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

use super::arguments;
use super::envelope::{
    Envelope, envelope, is_full, limit, memory_call, offset, share, sharing, unknown_action,
};
use super::wire::{EdgeOut, NodeOut};
use super::words::{Details, Sharings, Spelled, Words};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct KnGraph;

pub(super) struct Actions;

impl Words for Actions {
    const WORDS: &'static [&'static str] =
        &["add", "connect", "query", "remove", "restore", "status"];
}

/// Which actions take which arguments.
const TAKES: [(&str, &[&str]); 10] = [
    ("name", &["add"]),
    ("type", &["add", "query"]),
    ("description", &["add"]),
    ("tags", &["add", "query"]),
    ("source_id", &["connect", "remove", "restore"]),
    ("target_id", &["connect", "remove", "restore"]),
    ("edge_type", &["connect", "remove", "restore"]),
    ("node_id", &["query", "remove", "restore"]),
    ("text", &["query"]),
    ("node_type", &["query"]),
];

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Spelled<Actions>,
    name: Option<String>,
    /// add: such as concept, tool or person
    r#type: Option<String>,
    /// add (default knowledge); query
    namespace: Option<String>,
    /// add
    description: Option<String>,
    /// add; query: all must match
    tags: Option<Vec<String>>,
    source_id: Option<String>,
    target_id: Option<String>,
    /// connect, remove, restore
    edge_type: Option<String>,
    /// connect
    #[schemars(range(min = 0, max = 1), extend("default" = 1.0))]
    weight: Option<f64>,
    node_id: Option<String>,
    text: Option<String>,
    /// query: only this type
    node_type: Option<String>,
    #[schemars(extend("default" = "summary"))]
    detail: Option<Spelled<Details>>,
    /// query
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    limit: Option<i64>,
    /// query
    #[schemars(range(min = 0, max = 1_000_000), extend("default" = 0))]
    offset: Option<i64>,
    /// add, connect: shared lets players see it
    visibility: Option<Spelled<Sharings>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Output {
    /// A node was added.
    Added(Added),
    /// Two nodes were connected.
    Connected(Connected),
    /// The nodes that were found.
    Found(Found),
    /// A node or an edge was removed.
    Removed(Removed),
    /// A node or an edge was restored.
    Restored(Restored),
    /// Counts and health.
    Counted(StatusOut),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Added {
    #[serde(flatten)]
    node: NodeOut,
    /// Kinds of secrets that were masked before storing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Connected {
    #[serde(flatten)]
    edge: EdgeOut,
    /// Who sees it, among those who see both nodes: workspace, private or shared.
    visibility: &'static str,
    /// Further fields.
    properties: Map<String, Value>,
    /// Who connected them.
    created_by: String,
    /// When they were first connected.
    created_at: String,
    /// Kinds of secrets that were masked before storing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Found {
    /// Number of nodes in this answer.
    count: usize,
    /// The nodes, best first; without a text, newest first.
    nodes: Vec<NodeOut>,
    /// Whether there are more: ask again with a higher offset.
    more: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Removed {
    /// What was removed: node or edge.
    removed: &'static str,
    #[serde(flatten)]
    which: Which,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Restored {
    /// What was restored: node or edge; nothing if it was not in the bin.
    restored: &'static str,
    #[serde(flatten)]
    which: Which,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Which {
    /// Id of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Id of the node where the edge starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<String>,
    /// Id of the node where the edge ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StatusOut {
    /// Number of nodes, without experiences, projects and ideas.
    nodes: u64,
    /// Number of edges.
    edges: u64,
    /// Number of experiences.
    experiences: u64,
    /// Number of projects.
    projects: u64,
    /// Number of ideas.
    ideas: u64,
    /// Number of nodes per namespace.
    namespaces: BTreeMap<String, u64>,
    /// Where they are stored: the resource URI of the world.
    db_path: String,
    /// Whether all is well, and what needs to be done.
    health: HealthOut,
    /// Progress of the embedding model, if one is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<EmbeddingsOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EmbeddingsOut {
    /// Name of the model.
    model: String,
    /// Number of names and texts it has processed.
    done: u64,
    /// Number still waiting; until then, search finds them without the model.
    waiting: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HealthOut {
    /// Whether nothing needs to be done.
    ok: bool,
    /// What needs to be done.
    findings: Vec<FindingOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FindingOut {
    /// The problem.
    problem: String,
    /// How to solve it.
    remedy: String,
}

impl From<Finding> for FindingOut {
    fn from(finding: Finding) -> Self {
        Self { problem: finding.problem, remedy: finding.remedy }
    }
}

impl From<Status> for StatusOut {
    fn from(status: Status) -> Self {
        Self {
            nodes: status.nodes,
            edges: status.edges,
            experiences: status.experiences,
            projects: status.projects,
            ideas: status.ideas,
            namespaces: status.namespaces,
            db_path: format!("lorewell://world/{}", status.world),
            health: HealthOut {
                ok: status.findings.is_empty(),
                findings: status.findings.into_iter().map(FindingOut::from).collect(),
            },
            embeddings: status.embedding.map(|embedding| EmbeddingsOut {
                model: embedding.model,
                done: embedding.coverage.done,
                waiting: embedding.coverage.waiting,
            }),
        }
    }
}

impl ToolSpec for KnGraph {
    const NAME: &'static str = "kn_graph";
    const TOOLSET: Toolset = Toolset::Memory;
    const TITLE: &'static str = "Knowledge graph";
    const DESCRIPTION: &'static str = "Direct access to nodes and edges. Use for structured facts \
        that stay; what comes up in a conversation goes to kn_intel learn, questions to kn_intel \
        recall.\n\
        - add: name, type [namespace, description, tags, visibility]\n\
        - connect: source_id, target_id, edge_type [weight, visibility]; repeating it changes \
        only weight and visibility, if given\n\
        - query: node_id, or [text, node_type, tags, namespace, detail, limit, offset], all \
        filters must match\n\
        - remove, restore: node_id, or source_id + target_id + edge_type; removing is \
        reversible; restoring by name takes what was removed last\n\
        - status: counts and health\n\
        An id may be a unique name. Returns the node, edge, nodes or counts, or error.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: false };
    const ROLE: Role = Role::Player;
    const ALIASES: &'static [&'static str] =
        &["kn_add", "kn_connect", "kn_query", "kn_remove", "kn_status"];
    const READING: &'static [&'static str] = &["query", "status"];

    type Input = Input;
    type Output = Envelope<Output>;

    fn example() -> Value {
        json!({
            "action": "add", "name": "Write-ahead log", "type": "concept",
            "description": "Changes are appended to a log before the file itself.",
            "tags": ["storage"],
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
        let (limit, offset) = (limit(input.limit)?, offset(input.offset)?);
        let weight = input.weight.map(|weight| share("weight", Some(weight), 1.0)).transpose()?;
        envelope(match input.action.word() {
            "add" => add(&call, input).await,
            "connect" => connect(&call, input, weight).await,
            "query" => query(&call, input, limit, offset).await,
            "remove" => graph::remove(&call, &target(input)).await.map(removed),
            "restore" => graph::restore(&call, &target(input)).await.map(restored),
            "status" => status::status(&call).await.map(|found| Output::Counted(found.into())),
            _ => Err(unknown_action(&input.action)),
        })
    }
}

async fn add(call: &MemoryCall, input: Input) -> Reply<Output> {
    let new = NewKnown {
        name: input.name,
        type_name: input.r#type,
        namespace: input.namespace,
        description: input.description,
        tags: input.tags.unwrap_or_default(),
        sharing: sharing(input.visibility.as_ref())?,
    };
    let added = graph::add(call, &new).await?;
    Ok(Output::Added(Added { node: NodeOut::full(added.kept), masked: added.masked }))
}

async fn connect(call: &MemoryCall, input: Input, weight: Option<f64>) -> Reply<Output> {
    let new = NewLink {
        source: input.source_id,
        target: input.target_id,
        type_name: input.edge_type,
        weight,
        sharing: match &input.visibility {
            Some(_) => Some(sharing(input.visibility.as_ref())?),
            None => None,
        },
    };
    let written = link::connect(call, &new).await?;
    let edge = EdgeOut::of(&written.kept);
    let mut properties = written.kept.edge.properties;
    properties.shift_remove("type");
    Ok(Output::Connected(Connected {
        edge,
        visibility: Sharing::of(written.kept.edge.visibility).as_str(),
        properties,
        created_by: written.kept.edge.created.by.to_string(),
        created_at: written.kept.edge.created.at.to_string(),
        masked: written.masked,
    }))
}

async fn query(call: &MemoryCall, input: Input, limit: usize, offset: usize) -> Reply<Output> {
    let full = is_full(input.detail.as_ref())?;
    let wanted = NodeSearch {
        node: input.node_id,
        text: input.text,
        type_name: input.node_type.or(input.r#type),
        tags: input.tags.unwrap_or_default(),
        namespace: input.namespace,
        limit,
        offset,
    };
    let found = graph::query(call, &wanted).await?;
    let shown = |known| if full { NodeOut::full(known) } else { NodeOut::brief(&known) };
    let nodes: Vec<_> = found.nodes.into_iter().map(shown).collect();
    Ok(Output::Found(Found { count: nodes.len(), nodes, more: found.more }))
}

fn target(input: Input) -> Target {
    Target {
        node: input.node_id,
        source: input.source_id,
        target: input.target_id,
        edge_type: input.edge_type,
    }
}

fn removed(moved: Moved) -> Output {
    let (removed, which) = which(&moved);
    Output::Removed(Removed { removed, which })
}

fn restored((moved, was): (Moved, Was)) -> Output {
    let (what, which) = which(&moved);
    let restored = match was {
        Was::Binned => what,
        Was::Live => "nothing",
    };
    Output::Restored(Restored { restored, which })
}

fn which(moved: &Moved) -> (&'static str, Which) {
    match moved {
        Moved::Node(node) => ("node", Which { id: Some(shown(node)), ..Which::default() }),
        Moved::Edge(ends) => {
            let (source, target) = &**ends;
            let (source_id, target_id) = (Some(shown(source)), Some(shown(target)));
            ("edge", Which { source_id, target_id, id: None })
        }
    }
}

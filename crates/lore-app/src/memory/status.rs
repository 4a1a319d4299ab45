//! Status of the memory: counts, and findings that need attention.

use std::collections::BTreeMap;

use lore_store::Coverage;

use super::call::MemoryCall;
use super::kinds::{EXPERIENCE, IDEA, PROJECT, WORLD};
use super::project::{self, Project};
use super::pruning;
use super::refusal::Reply;

/// Below this relevance, an experience counts as faded.
const FADED: f64 = 0.01;

/// The status of the memory, as far as the caller sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The number of nodes of kinds without tools of their own.
    pub nodes: u64,
    /// The number of edges between any nodes.
    pub edges: u64,
    /// The number of experiences.
    pub experiences: u64,
    /// The number of projects.
    pub projects: u64,
    /// The number of ideas.
    pub ideas: u64,
    /// The number of nodes per namespace, counted over the same nodes as `nodes`.
    pub namespaces: BTreeMap<String, u64>,
    /// The name of the world.
    pub world: String,
    /// The active project.
    pub active_project: Option<Project>,
    /// The progress of embedding, if an external model is configured.
    pub embedding: Option<Embedding>,
    /// What needs attention.
    pub findings: Vec<Finding>,
}

/// The progress of embedding the names and texts that the caller sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding {
    /// The name of the model.
    pub model: String,
    /// How many are embedded, and how many are not yet.
    pub coverage: Coverage,
}

/// Something that needs attention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The problem.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

/// Counts what the caller sees and checks for problems.
pub async fn status(call: &MemoryCall) -> Reply<Status> {
    let store = &call.app.store;
    let projects = project::list(call).await?;
    let mut status = Status {
        nodes: 0,
        edges: store.count_edges(&call.viewer).await?,
        experiences: 0,
        projects: 0,
        ideas: 0,
        namespaces: BTreeMap::new(),
        world: world_name(call).await?,
        embedding: embedding(call).await?,
        findings: findings(call, &projects).await?,
        active_project: projects.into_iter().find(|project| project.active),
    };
    for row in store.tally(&call.viewer).await? {
        match row.kind.as_str() {
            EXPERIENCE => status.experiences += row.count,
            PROJECT => status.projects += row.count,
            IDEA => status.ideas += row.count,
            _ => {
                status.nodes += row.count;
                let namespace = if row.namespace.is_empty() { WORLD } else { &row.namespace };
                *status.namespaces.entry(namespace.to_owned()).or_default() += row.count;
            }
        }
    }
    Ok(status)
}

async fn embedding(call: &MemoryCall) -> Reply<Option<Embedding>> {
    let Some(embedder) = call.app.embedder.as_deref() else { return Ok(None) };
    let coverage = call.app.store.coverage(&call.viewer, embedder.model()).await?;
    Ok(Some(Embedding { model: embedder.model().to_owned(), coverage }))
}

async fn world_name(call: &MemoryCall) -> Reply<String> {
    let worlds = call.app.store.worlds(call.viewer.principal).await?;
    let here = worlds.into_iter().find(|world| world.id == call.viewer.world);
    Ok(here.map(|world| world.name).unwrap_or_default())
}

async fn findings(call: &MemoryCall, projects: &[Project]) -> Reply<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut find = |problem: String, remedy: &str| {
        findings.push(Finding { problem, remedy: remedy.to_owned() });
    };
    let active = projects.iter().filter(|project| project.active).count();
    if active > 1 {
        find(format!("{active} projects are active"), "choose one: kn_project list, set_active");
    }
    let faded = pruning::faded(call, FADED).await?;
    if faded.count > 0 {
        let at_least = if faded.more { "at least " } else { "" };
        find(
            format!(
                "{at_least}{} experiences have less than 1 % of their relevance left",
                faded.count
            ),
            "kn_experience prune puts them into the bin",
        );
    }
    Ok(findings)
}

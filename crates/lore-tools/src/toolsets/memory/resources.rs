//! The resources of memory: status, projects and memories.

use futures::FutureExt;
use lore_app::memory::experience::{self, Experience, Wanted};
use lore_app::memory::ids::shown;
use lore_app::memory::{MEMORIES_URI, PROJECTS_URI, Refusal, STATUS_URI, project, status};
use lore_core::{Error, Result, Role};
use serde::Serialize;
use serde_json::{Value, json};

use super::envelope::{memory_call, rounded};
use super::kn_bootup::{STEP_LETTERS, line};
use super::kn_graph::StatusOut;
use super::recall_wire::ReplacementOut;
use crate::call::Call;
use crate::resource::{News, Reader, Resource, UriPattern};
use crate::toolset::Toolset;

/// How many steps of each project are shown.
const RECENT: usize = 3;
/// How many experiences are shown at most, and their minimum relevance.
const MEMORIES: usize = 20;
const LEFT_MIN: f64 = 0.1;
/// The maximum length of an experience, in characters.
const LETTERS: usize = 200;

pub(super) fn resources() -> Vec<Resource> {
    vec![
        resource(
            STATUS_URI,
            "kn_status",
            "Memory status",
            "Counts of what is remembered, its health, and the active project.",
            |call, _| read_status(call).boxed(),
        ),
        resource(
            PROJECTS_URI,
            "kn_projects",
            "Projects",
            "Every project with its goals and the last three steps.",
            |call, _| read_projects(call).boxed(),
        ),
        resource(
            MEMORIES_URI,
            "kn_memories",
            "Memories",
            "The twenty experiences with the highest remaining relevance.",
            |call, _| read_memories(call).boxed(),
        ),
    ]
}

fn resource(
    uri: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    read: Reader,
) -> Resource {
    Resource {
        uri: UriPattern(uri),
        name,
        title,
        description,
        toolset: Some(Toolset::Memory),
        role: Role::Reader,
        read,
        complete: None,
        news: News::Compared,
    }
}

async fn read_status(call: Call) -> Result<Value> {
    let call = memory_call(&call, STATUS_URI);
    let status = status::status(&call).await.map_err(plain)?;
    let active = status.active_project.as_ref().map(|project| {
        json!({
            "id": shown(&project.node), "name": project.node.name, "phase": project.phase.as_str(),
        })
    });
    Ok(json!({ "_v": "1.0", "graph": StatusOut::from(status), "active_project": active }))
}

async fn read_projects(call: Call) -> Result<Value> {
    let call = memory_call(&call, PROJECTS_URI);
    let mut rows = Vec::new();
    for project in project::list(&call).await.map_err(plain)? {
        let steps = project::recent(&call, &project, RECENT).await.map_err(plain)?;
        let steps: Vec<_> = steps
            .iter()
            .map(|step| json!({ "action": line(&step.action, STEP_LETTERS), "type": step.outcome.as_str() }))
            .collect();
        rows.push(json!({
            "id": shown(&project.node), "name": project.node.name,
            "phase": project.phase.as_str(), "active": project.active,
            "goals": project.goals.iter().map(|goal| line(goal, STEP_LETTERS)).collect::<Vec<_>>(),
            "recent_progress": steps,
        }));
    }
    Ok(json!({ "_v": "1.0", "count": rows.len(), "projects": rows }))
}

async fn read_memories(call: Call) -> Result<Value> {
    let call = memory_call(&call, MEMORIES_URI);
    let wanted = Wanted { min_relevance: LEFT_MIN, limit: MEMORIES, ..Wanted::default() };
    let found = experience::search(&call, &wanted).await.map_err(plain)?;
    let rows: Vec<_> = found.into_iter().map(MemoryRow::of).collect();
    Ok(json!({ "_v": "1.0", "count": rows.len(), "experiences": rows }))
}

/// A short form of an experience.
#[derive(Serialize)]
struct MemoryRow {
    id: String,
    r#type: &'static str,
    content: String,
    confidence: &'static str,
    relevance: f64,
    #[serde(flatten)]
    replacement: ReplacementOut,
}

impl MemoryRow {
    fn of(one: Experience) -> Self {
        Self {
            id: shown(&one.node),
            r#type: one.fading.experience_type.as_str(),
            content: one.content.chars().take(LETTERS).collect(),
            confidence: one.fading.confidence.as_str(),
            relevance: rounded(one.relevance, 4),
            replacement: ReplacementOut::of(&one.node, one.replacement.as_ref()),
        }
    }
}

/// Converts a refusal to a plain error. Resources have no envelope for refusals, and reading them
/// is not expected to meet any.
pub(super) fn plain(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Failed(error) => error,
        other => Error::Precondition { message: other.to_string(), hint: other.hint() },
    }
}

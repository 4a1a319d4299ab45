//! Tool `kn_project`: projects and their logs.

use lore_app::memory::ids::shown;
use lore_app::memory::project::{self, Draft, Entry, NewEntry, Project};
use lore_app::memory::{MemoryCall, Reply};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arguments;
use super::envelope::{Envelope, envelope, limit, memory_call, offset, unknown_action};
use super::words::{Spelled, Words, given};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct KnProject;

pub(super) struct Actions;

impl Words for Actions {
    const WORDS: &'static [&'static str] = &["create", "update", "list", "log"];
}

pub(super) struct Phases;

impl Words for Phases {
    const WORDS: &'static [&'static str] = &["planning", "active", "paused", "done"];
}

pub(super) struct Outcomes;

impl Words for Outcomes {
    const WORDS: &'static [&'static str] = &["progress", "failure"];
}

/// Which actions take which arguments.
const TAKES: [(&str, &[&str]); 11] = [
    ("name", &["create", "update"]),
    ("project_id", &["update", "list", "log"]),
    ("phase", &["create", "update"]),
    ("goals", &["create", "update"]),
    ("stakeholders", &["create", "update"]),
    ("success_metrics", &["create", "update"]),
    ("active_only", &["list"]),
    ("set_active", &["list"]),
    ("action_text", &["log"]),
    ("result", &["log"]),
    ("next_step", &["log"]),
];

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Spelled<Actions>,
    name: Option<String>,
    project_id: Option<String>,
    phase: Option<Spelled<Phases>>,
    /// create, update
    goals: Option<Vec<String>>,
    /// create, update
    stakeholders: Option<Vec<String>>,
    /// create, update
    success_metrics: Option<Vec<String>>,
    active_only: Option<bool>,
    /// list: id of the project to make active
    set_active: Option<String>,
    /// log: what was done or tried
    action_text: Option<String>,
    /// log
    #[schemars(extend("default" = "progress"))]
    r#type: Option<Spelled<Outcomes>>,
    /// log: outcome or error
    result: Option<String>,
    /// log
    next_step: Option<String>,
    /// list
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    limit: Option<i64>,
    /// list
    #[schemars(range(min = 0, max = 1_000_000), extend("default" = 0))]
    offset: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Output {
    /// A project was created or changed.
    Kept(Kept),
    /// The projects, or one with its log.
    Listed(Listed),
    /// A log entry was added.
    Logged(Logged),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Kept {
    #[serde(flatten)]
    project: ProjectOut,
    /// Goals of the project.
    goals: Vec<String>,
    /// Stakeholders of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stakeholders: Vec<String>,
    /// How success is measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    success_metrics: Vec<String>,
    /// Kinds of secrets that were masked before storing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProjectOut {
    /// Its id.
    id: String,
    /// Name of the project.
    name: String,
    /// Phase of the project.
    phase: &'static str,
    /// Whether it is the active project.
    active: bool,
}

impl ProjectOut {
    fn of(project: &Project) -> Self {
        Self {
            id: shown(&project.node),
            name: project.node.name.clone(),
            phase: project.phase.as_str(),
            active: project.active,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// Number of projects in this answer.
    count: usize,
    /// The active project first, then by last change.
    projects: Vec<ProjectOut>,
    /// Log of the project that was asked for, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EntryOut>>,
    /// Whether there are older entries: ask again with a higher offset.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

/// An entry in the log of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntryOut {
    /// Id of the entry.
    id: String,
    /// When it was logged.
    at: String,
    /// progress or failure.
    r#type: &'static str,
    /// What was done or tried.
    #[serde(rename = "action")]
    action_text: String,
    /// Outcome or error.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<String>,
}

impl EntryOut {
    fn of(entry: Entry) -> Self {
        Self {
            id: entry.id,
            at: entry.at.to_string(),
            r#type: entry.outcome.as_str(),
            action_text: entry.action,
            result: entry.result,
            next_step: entry.next_step,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Logged {
    /// Id of the log entry.
    id: String,
    /// Id of the project.
    project_id: String,
    /// progress or failure.
    r#type: &'static str,
    /// What was done or tried.
    #[serde(rename = "action")]
    action_text: String,
    /// Kinds of secrets that were masked before storing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

impl ToolSpec for KnProject {
    const NAME: &'static str = "kn_project";
    const TOOLSET: Toolset = Toolset::Memory;
    const TITLE: &'static str = "Projects";
    const DESCRIPTION: &'static str = "Projects with goals and phases, and a log of what was \
        done. Use log whenever a step worked or failed: kn_bootup and kn_review continue from it \
        in the next session.\n\
        - create: name [goals, stakeholders, success_metrics]; starts in planning\n\
        - update: project_id, name [phase, goals, stakeholders, success_metrics]; planning goes to \
        active, active and paused to each other or done\n\
        - list: [active_only, set_active], or project_id [limit, offset] to read its log\n\
        - log: project_id, action_text [type, result, next_step]\n\
        Returns the project, projects or log entry, or error.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: false };
    const ROLE: Role = Role::Player;
    const ALIASES: &'static [&'static str] = &["kn_projects", "kn_log"];
    const READING: &'static [&'static str] = &["list"];

    type Input = Input;
    type Output = Envelope<Output>;

    fn example() -> Value {
        json!({ "action": "create", "name": "Map of the isles", "goals": ["Chart the north"] })
    }

    fn modernise(name: &str, arguments: &mut Map<String, Value>) {
        match name {
            "kn_projects" => {
                arguments.insert("action".into(), "list".into());
            }
            "kn_log" => {
                if let Some(text) = arguments.insert("action".into(), "log".into()) {
                    arguments.entry("action_text").or_insert(text);
                }
            }
            // Like the former tool of the same name, which had no actions.
            _ if !arguments.contains_key("action") => {
                let known = arguments.get("project_id").is_some_and(|id| !id.is_null());
                let action = if known { "update" } else { "create" };
                arguments.insert("action".into(), action.into());
            }
            _ => {}
        }
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        if let Err(refusal) = arguments::check(&TAKES, &input.action, &input) {
            return envelope(Err(refusal));
        }
        let call = memory_call(&call, Self::NAME);
        let (limit, offset) = (limit(input.limit)?, offset(input.offset)?);
        envelope(match input.action.word() {
            "create" => kept(project::create(&call, &draft(input)).await),
            "update" => kept(project::update(&call, &draft(input)).await),
            "list" => list(&call, input, Page { limit, offset }).await,
            "log" => log(&call, input).await,
            _ => Err(unknown_action(&input.action)),
        })
    }
}

fn draft(input: Input) -> Draft {
    Draft {
        project: input.project_id,
        name: input.name,
        phase: given(input.phase),
        goals: input.goals,
        stakeholders: input.stakeholders,
        success_metrics: input.success_metrics,
    }
}

fn kept(written: Reply<lore_app::memory::graph::Written<Project>>) -> Reply<Output> {
    let written = written?;
    let project = written.kept;
    Ok(Output::Kept(Kept {
        project: ProjectOut::of(&project),
        goals: project.goals,
        stakeholders: project.stakeholders,
        success_metrics: project.success_metrics,
        masked: written.masked,
    }))
}

/// The page of a project's log to return.
struct Page {
    limit: usize,
    offset: usize,
}

async fn list(call: &MemoryCall, input: Input, page: Page) -> Reply<Output> {
    let chosen = input.set_active.as_deref().map(str::trim).filter(|id| !id.is_empty());
    if let Some(id) = chosen {
        call.require_writing()?;
        project::activate(call, id).await?;
    }
    if let Some(id) = input.project_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        return read(call, id, page).await;
    }
    let only_active = input.active_only == Some(true);
    let projects = project::list(call).await?;
    let shown = projects.iter().filter(|project| project.active || !only_active);
    let projects: Vec<_> = shown.map(ProjectOut::of).collect();
    Ok(Output::Listed(Listed { count: projects.len(), projects, entries: None, more: false }))
}

async fn read(call: &MemoryCall, id: &str, page: Page) -> Reply<Output> {
    let project = project::find(call, id).await?;
    let steps = project::steps(call, &project, page.limit, page.offset).await?;
    let entries = Some(steps.entries.into_iter().map(EntryOut::of).collect());
    let projects = vec![ProjectOut::of(&project)];
    Ok(Output::Listed(Listed { count: 1, projects, entries, more: steps.more }))
}

async fn log(call: &MemoryCall, input: Input) -> Reply<Output> {
    let entry = NewEntry {
        project: input.project_id,
        action: input.action_text,
        outcome: given(input.r#type),
        result: input.result,
        next_step: input.next_step,
    };
    let (project, written) = project::log(call, &entry).await?;
    Ok(Output::Logged(Logged {
        id: written.kept.id,
        project_id: shown(&project.node),
        r#type: written.kept.outcome.as_str(),
        action_text: written.kept.action,
        masked: written.masked,
    }))
}

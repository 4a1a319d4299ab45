//! Projects: their goals, phases and logs of what was done or failed.
//!
//! Each log entry is stored twice: as an event with its separate parts, and as a text of the
//! project, which search finds together with its neighbours in the log.

use futures::FutureExt;
use lore_core::{Event, Node, NodeId, Properties, Provenance, Timestamp, Visibility};
use lore_rules::memory::lifecycle::Phase;
use lore_store::{
    Batch, Change, EventOrder, EventQuery, Expect, NewEvent, NewEvents, NewNode, NewText,
    NodePatch, NodeQuery, NodeRef, Require,
};
use serde_json::{Value, json};

use super::call::MemoryCall;
use super::cleaning::Cleaner;
use super::graph::Written;
use super::ids::show;
use super::kinds::{PROJECT, SAID, Sharing, property, word};
use super::refusal::{Refusal, Reply, required};
use crate::access::may_change;
use crate::all_nodes::all_nodes;
use crate::mentions::Followed;
use crate::preview::preview;
use crate::property_text;

/// A project.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Its node.
    pub node: Node,
    /// Its phase.
    pub phase: Phase,
    /// Whether it is the one being worked on. At most one project of a world is.
    pub active: bool,
    /// Its goals.
    pub goals: Vec<String>,
    /// Who has a stake in it.
    pub stakeholders: Vec<String>,
    /// How its success is measured.
    pub success_metrics: Vec<String>,
}

impl Project {
    fn of(node: Node) -> Self {
        let list = |key: &str| {
            let entries = node.properties.get(key).and_then(Value::as_array);
            let texts = entries.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        Self {
            phase: property(&node, "phase").and_then(Phase::named).unwrap_or(Phase::Planning),
            active: node.properties.get("active") == Some(&json!(true)),
            goals: list("goals"),
            stakeholders: list("stakeholders"),
            success_metrics: list("success_metrics"),
            node,
        }
    }

    fn properties(&self) -> Properties {
        let mut properties = self.node.properties.clone();
        properties.insert("phase".into(), json!(self.phase.as_str()));
        properties.insert("active".into(), json!(self.active));
        properties.insert("goals".into(), json!(self.goals));
        properties.insert("stakeholders".into(), json!(self.stakeholders));
        properties.insert("success_metrics".into(), json!(self.success_metrics));
        properties
    }

    /// Returns its lists as one text for search.
    fn prose(&self) -> String {
        let lists = [&self.goals, &self.success_metrics, &self.stakeholders];
        lists.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// The input for creating or changing a project. On update, missing fields stay as they are.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The project to change.
    pub project: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// The new phase. Refused on create.
    pub phase: Option<String>,
    /// The goals.
    pub goals: Option<Vec<String>>,
    /// The stakeholders.
    pub stakeholders: Option<Vec<String>>,
    /// The success metrics.
    pub success_metrics: Option<Vec<String>>,
}

impl Draft {
    /// Replaces the lists of a project that are given.
    fn apply_lists(&self, project: &mut Project, cleaner: &mut Cleaner) -> Reply<()> {
        let lists = [
            ("goals", &self.goals, &mut project.goals),
            ("stakeholders", &self.stakeholders, &mut project.stakeholders),
            ("success_metrics", &self.success_metrics, &mut project.success_metrics),
        ];
        for (field, given, list) in lists {
            if let Some(given) = given {
                *list = cleaner.sentences(field, given)?;
            }
        }
        Ok(())
    }
}

/// Creates a project in the planning phase.
pub async fn create(call: &MemoryCall, draft: &Draft) -> Reply<Written<Project>> {
    let name = required("name", "create", draft.name.as_deref())?;
    if draft.phase.as_deref().is_some_and(|phase| !phase.trim().is_empty()) {
        return Err(Refusal::refused(
            "phase cannot be set on create (starts at planning)",
            "leave phase out, then update the project",
        ));
    }
    let mut cleaner = Cleaner::default();
    let mut new = NewNode {
        namespace: PROJECT.into(),
        visibility: Sharing::Workspace.visibility(&call.viewer),
        ..NewNode::new(call.app.effects.uid(), word(PROJECT)?, cleaner.name("name", name)?)
    };
    let batch = call.batch();
    let mut project = Project::of(preview(&call.viewer, &new, batch.at));
    draft.apply_lists(&mut project, &mut cleaner)?;
    new.properties = project.properties();
    let mut batch = batch.change(Change::CreateNode(new));
    batch.changes.extend(property_text::create(
        &call.app,
        project.node.uid,
        SAID,
        &project.prose(),
    )?);
    let Followed { batch, eyes } = call.followed(batch).await?;
    call.app.commit(&eyes, batch).await?;
    Ok(Written { kept: project, masked: cleaner.masked() })
}

/// Changes a project. A phase can only change along the transitions of [`Phase::next`].
pub async fn update(call: &MemoryCall, draft: &Draft) -> Reply<Written<Project>> {
    let id = required("project_id", "update", draft.project.as_deref())?;
    let name = required("name", "update", draft.name.as_deref())?;
    call.carry_out(|| plan_update(call, draft, id, name).boxed()).await
}

async fn plan_update(
    call: &MemoryCall,
    draft: &Draft,
    id: &str,
    name: &str,
) -> Reply<(Batch, Written<Project>)> {
    let mut cleaner = Cleaner::default();
    let mut project = find(call, id).await?;
    may_change(&call.viewer, project.node.created.by, &project.node.name)?;
    project.node.name = cleaner.name("name", name)?;
    if let Some(phase) = draft.phase.as_deref().map(str::trim).filter(|phase| !phase.is_empty()) {
        project.phase = next_phase(project.phase, phase)?;
    }
    draft.apply_lists(&mut project, &mut cleaner)?;
    let mut batch = call.batch().change(change(&project));
    let (app, viewer) = (&call.app, &call.viewer);
    let told = property_text::update(app, viewer, &project.node, SAID, &project.prose()).await?;
    batch.changes.extend(told);
    project.node.updated.at = batch.at;
    Ok((batch, Written { kept: project, masked: cleaner.masked() }))
}

fn next_phase(from: Phase, to: &str) -> Reply<Phase> {
    let all = Phase::ALL.map(Phase::as_str).join(", ");
    let next = Phase::named(to).ok_or_else(|| {
        Refusal::refused(format!("Invalid phase: {to}"), format!("use one of {all}"))
    })?;
    if from.may_become(next) {
        return Ok(next);
    }
    let ways: Vec<_> = from.next().iter().map(|phase| phase.as_str()).collect();
    let hint = match ways.as_slice() {
        [] => "a finished project stays finished; create a new one".to_owned(),
        ways => format!("from {} a project goes to {}", from.as_str(), ways.join(" or ")),
    };
    let (from, next) = (from.as_str(), next.as_str());
    Err(Refusal::refused(format!("Invalid phase transition: {from} → {next}"), hint))
}

fn change(project: &Project) -> Change {
    let patch = NodePatch {
        name: Some(project.node.name.clone()),
        properties: Some(project.properties()),
        ..NodePatch::default()
    };
    let node = NodeRef::Id(project.node.id);
    Change::UpdateNode(node, Expect::Version(project.node.version), patch)
}

/// Lists all projects: the active one first, then the most recently changed.
pub async fn list(call: &MemoryCall) -> Reply<Vec<Project>> {
    let query = NodeQuery { kinds: vec![word(PROJECT)?], ..NodeQuery::default() };
    let nodes = all_nodes(&call.app, &call.viewer, query).await?;
    let mut projects: Vec<Project> = nodes.into_iter().map(Project::of).collect();
    projects.sort_by_key(|project| {
        (!project.active, std::cmp::Reverse((project.node.updated.at, project.node.id)))
    });
    Ok(projects)
}

/// Makes a project the only active one.
pub async fn activate(call: &MemoryCall, id: &str) -> Reply<()> {
    call.carry_out(|| plan_activate(call, id).boxed()).await
}

/// Plans the change. It requires that all other projects stay as they were read, so that two
/// concurrent calls do not activate two projects.
async fn plan_activate(call: &MemoryCall, id: &str) -> Reply<(Batch, ())> {
    let chosen = find(call, id).await?.node.uid;
    let mut batch = call.batch();
    for mut project in list(call).await? {
        let active = project.node.uid == chosen;
        let (node, version) = (NodeRef::Id(project.node.id), project.node.version);
        if project.active == active {
            batch = batch.require(Require::NodeAt { node, version });
        } else {
            project.active = active;
            batch = batch.change(change(&project));
        }
    }
    Ok((batch, ()))
}

/// Returns the patch that a restored project needs, if any: it becomes inactive if another project
/// is active by now.
pub(super) async fn resting(call: &MemoryCall, node: &Node) -> Reply<Option<NodePatch>> {
    let mut project = Project::of(node.clone());
    if node.kind.as_str() != PROJECT || !project.active {
        return Ok(None);
    }
    project.active = !list(call).await?.iter().any(|other| other.active);
    let patch = NodePatch { properties: Some(project.properties()), ..NodePatch::default() };
    Ok((!project.active).then_some(patch))
}

/// Finds a project by id or name.
pub async fn find(call: &MemoryCall, id: &str) -> Reply<Project> {
    Ok(Project::of(call.lookup_kind("Project", PROJECT, id).await?))
}

/// The outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It worked.
    Progress,
    /// It did not work.
    Failure,
}

impl Outcome {
    /// Its name in the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Progress => "progress",
            Self::Failure => "failure",
        }
    }

    fn named(name: &str) -> Reply<Self> {
        let all = [Self::Failure, Self::Progress];
        let found = all.into_iter().find(|one| one.as_str().eq_ignore_ascii_case(name.trim()));
        found.ok_or_else(|| {
            let message =
                format!("Invalid type: {}. Must be one of: failure, progress", name.trim());
            Refusal::refused(message, "use progress for what worked and failure for what did not")
        })
    }
}

/// The input for logging a step.
#[derive(Debug, Clone, Default)]
pub struct NewEntry {
    /// The project.
    pub project: Option<String>,
    /// What was done or tried.
    pub action: Option<String>,
    /// The outcome, progress by default.
    pub outcome: Option<String>,
    /// The result.
    pub result: Option<String>,
    /// The next step.
    pub next_step: Option<String>,
}

/// A logged step.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id, with the prefix `log_`.
    pub id: String,
    /// When it was logged.
    pub at: Timestamp,
    /// What was done or tried.
    pub action: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The result.
    pub result: Option<String>,
    /// The next step.
    pub next_step: Option<String>,
}

/// Logs a step of a project.
pub async fn log(call: &MemoryCall, given: &NewEntry) -> Reply<(Project, Written<Entry>)> {
    let id = required("project_id", "log", given.project.as_deref())?;
    let action = required("action_text", "log", given.action.as_deref())?;
    let outcome = given.outcome.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let outcome = outcome.map_or(Ok(Outcome::Progress), Outcome::named)?;
    let project = find(call, id).await?;
    let mut cleaner = Cleaner::default();
    let uid = call.app.effects.uid();
    let batch = call.batch();
    let entry = Entry {
        id: show("entry", uid).replacen("node_", "log_", 1),
        at: batch.at,
        action: cleaner.text("action_text", action)?,
        outcome,
        result: cleaner.optional("result", given.result.as_deref())?,
        next_step: cleaner.optional("next_step", given.next_step.as_deref())?,
    };
    let node = NodeRef::Id(project.node.id);
    let text = NewText {
        title: format!(
            "{} on {}",
            super::cleaning::capitalised(outcome.as_str()),
            project.node.name
        ),
        provenance: Provenance {
            session: Some(project.node.uid.to_string()),
            ..Provenance::default()
        },
        ..NewText::new(uid, node, word(outcome.as_str())?, entry.prose())
    };
    let events = NewEvents { node, after: None, events: vec![event(call, &entry)] };
    let batch = batch.change(Change::AppendEvents(events)).change(Change::CreateText(text));
    let Followed { batch, eyes } = call.followed(batch).await?;
    call.app.commit(&eyes, batch).await?;
    Ok((project, Written { kept: entry, masked: cleaner.masked() }))
}

impl Entry {
    /// Returns the entry as one text for search.
    pub(super) fn prose(&self) -> String {
        let parts = [("Result", &self.result), ("Next", &self.next_step)];
        let more = parts
            .iter()
            .filter_map(|(name, part)| part.as_ref().map(|part| format!("\n\n{name}: {part}")));
        std::iter::once(self.action.clone()).chain(more).collect()
    }

    fn of(event: &Event) -> Option<Self> {
        let payload: Value = serde_json::from_str(&event.payload).ok()?;
        // Older entries do not contain their time. They happened when their event was written.
        let at = payload.get("at").is_none().then_some(event.at);
        Self::read_at(&payload, at)
    }

    /// Parses what [`Entry::write`] wrote.
    pub(super) fn read(entry: &Value) -> Option<Self> {
        Self::read_at(entry, None)
    }

    fn read_at(entry: &Value, at: Option<Timestamp>) -> Option<Self> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: text("id")?,
            at: at.or_else(|| text("at")?.parse().ok())?,
            action: text("action")?,
            outcome: Outcome::named(&text("type")?).ok()?,
            result: text("result"),
            next_step: text("next_step"),
        })
    }

    /// Returns the entry as JSON, for its event and for exports.
    pub(super) fn write(&self) -> Value {
        json!({
            "id": self.id, "at": self.at.to_string(), "type": self.outcome.as_str(),
            "action": self.action, "result": self.result, "next_step": self.next_step,
        })
    }
}

/// Event kind of a project's log entries.
const STEP: &str = "PROJECT_STEP";

pub(super) fn event(call: &MemoryCall, entry: &Entry) -> NewEvent {
    NewEvent {
        kind: STEP.into(),
        request_id: call.request_id.clone(),
        invocation_id: call.request_id.clone(),
        participant: None,
        character: None,
        payload: entry.write().to_string(),
        secret: None,
        // Whoever sees the project sees its log.
        visibility: Visibility::Members,
        settles: None,
    }
}

/// Returns all steps of a project, oldest first.
pub(super) async fn steps_of(call: &MemoryCall, project: NodeId) -> Reply<Vec<Entry>> {
    let mut query = EventQuery { kinds: vec![STEP.into()], ..EventQuery::default() };
    let mut steps = Vec::new();
    loop {
        let page = call.app.store.events(&call.viewer, project, query.clone()).await?;
        let Some(last) = page.last() else { return Ok(steps) };
        query.after = Some(last.sequence);
        steps.extend(page.iter().filter_map(Entry::of));
    }
}

/// Returns the latest steps of a project, newest first.
pub async fn recent(call: &MemoryCall, project: &Project, limit: usize) -> Reply<Vec<Entry>> {
    let mut query = EventQuery {
        kinds: vec![STEP.into()],
        order: EventOrder::Descending,
        limit,
        ..EventQuery::default()
    };
    let mut steps = Vec::new();
    while query.limit > 0 {
        let page = call.app.store.events(&call.viewer, project.node.id, query.clone()).await?;
        let Some(last) = page.last() else { break };
        query.before = Some(last.sequence);
        steps.extend(page.iter().filter_map(Entry::of));
        query.limit = limit.saturating_sub(steps.len());
    }
    Ok(steps)
}

/// A page of a project's steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// The steps, newest first.
    pub entries: Vec<Entry>,
    /// Whether there are older ones.
    pub more: bool,
}

/// Returns a page of `limit` steps of a project, after skipping the `offset` newest.
pub async fn steps(
    call: &MemoryCall,
    project: &Project,
    limit: usize,
    offset: usize,
) -> Reply<Steps> {
    let wanted = offset.saturating_add(limit);
    let mut entries = recent(call, project, wanted.saturating_add(1)).await?;
    let more = entries.len() > wanted;
    entries.truncate(wanted);
    entries.drain(..offset.min(entries.len()));
    Ok(Steps { entries, more })
}

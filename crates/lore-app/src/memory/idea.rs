//! Ideas and their statuses, from draft to done or archived.

use futures::FutureExt;
use lore_core::names::plainly_spaced;
use lore_core::{Node, Properties};
use lore_rules::memory::lifecycle::Status;
use lore_store::{Batch, Change, Expect, NewEdge, NewNode, NodePatch, NodeQuery, NodeRef};
use serde_json::{Value, json};

use super::call::MemoryCall;
use super::cleaning::Cleaner;
use super::graph::Written;
use super::ids::shown;
use super::kinds::{IDEA, IDEA_RELATES_TO, SAID, Sharing, property, word};
use super::refusal::{Refusal, Reply, required};
use crate::access::may_change;
use crate::all_nodes::all_nodes;
use crate::preview::preview;
use crate::property_text;

/// An idea.
#[derive(Debug, Clone, PartialEq)]
pub struct Idea {
    /// Its node.
    pub node: Node,
    /// Its status.
    pub status: Status,
    /// A free category.
    pub category: Option<String>,
    /// A rating, by which lists are sorted.
    pub score: Option<f64>,
}

impl Idea {
    fn of(node: Node) -> Self {
        Self {
            status: property(&node, "status").and_then(Status::named).unwrap_or(Status::Draft),
            category: property(&node, "category").map(str::to_owned),
            score: node.properties.get("score").and_then(Value::as_f64),
            node,
        }
    }

    fn properties(&self) -> Properties {
        let mut properties = self.node.properties.clone();
        properties.insert("status".into(), json!(self.status.as_str()));
        properties.insert("category".into(), json!(self.category));
        properties.insert("score".into(), json!(self.score));
        properties
    }
}

/// The input for creating or changing an idea. On update, missing fields stay as they are.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The idea to change.
    pub idea: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The category.
    pub category: Option<String>,
    /// The rating.
    pub score: Option<f64>,
    /// The new status. Refused on create.
    pub status: Option<String>,
    /// A node to link the idea to.
    pub link_to: Option<String>,
}

/// The result of linking an idea to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Linked {
    /// No link was requested.
    Unasked,
    /// The idea is linked to the node with this id.
    To(String),
    /// The node was not found or is ambiguous. Holds the message of the refusal.
    Failed(String),
}

/// Creates an idea as a draft.
pub async fn create(call: &MemoryCall, draft: &Draft) -> Reply<Written<(Idea, Linked)>> {
    let title = required("title", "create", draft.title.as_deref())?;
    if draft.status.as_deref().is_some_and(|status| !status.trim().is_empty()) {
        return Err(Refusal::refused(
            "status cannot be set on create (starts at draft)",
            "leave status out, then update the idea",
        ));
    }
    call.carry_out(|| plan_create(call, draft, title).boxed()).await
}

async fn plan_create(
    call: &MemoryCall,
    draft: &Draft,
    title: &str,
) -> Reply<(Batch, Written<(Idea, Linked)>)> {
    let mut cleaner = Cleaner::default();
    let mut new = NewNode {
        namespace: IDEA.into(),
        visibility: Sharing::Workspace.visibility(&call.viewer),
        ..NewNode::new(call.app.effects.uid(), word(IDEA)?, cleaner.name("title", title)?)
    };
    let batch = call.batch();
    let mut idea = Idea::of(preview(&call.viewer, &new, batch.at));
    idea.category = cleaner.label("category", draft.category.as_deref())?;
    idea.score = draft.score;
    new.properties = idea.properties();
    let mut batch = batch.change(Change::CreateNode(new));
    batch.changes.extend(property_text::create(&call.app, idea.node.uid, SAID, &idea.node.name)?);
    let (batch, linked) = link(call, &idea, draft.link_to.as_deref(), batch).await?;
    Ok((batch, Written { kept: (idea, linked), masked: cleaner.masked() }))
}

/// Changes an idea. A status can only change along the transitions of [`Status::next`].
pub async fn update(call: &MemoryCall, draft: &Draft) -> Reply<Written<(Idea, Linked)>> {
    let id = required("idea_id", "update", draft.idea.as_deref())?;
    let title = required("title", "update", draft.title.as_deref())?;
    call.carry_out(|| plan_update(call, draft, id, title).boxed()).await
}

async fn plan_update(
    call: &MemoryCall,
    draft: &Draft,
    id: &str,
    title: &str,
) -> Reply<(Batch, Written<(Idea, Linked)>)> {
    let mut cleaner = Cleaner::default();
    let mut idea = Idea::of(call.lookup_kind("Idea", IDEA, id).await?);
    may_change(&call.viewer, idea.node.created.by, &idea.node.name)?;
    idea.node.name = cleaner.name("title", title)?;
    if let Some(status) = draft.status.as_deref().filter(|status| !status.trim().is_empty()) {
        idea.status = next_status(idea.status, status)?;
    }
    if let Some(category) = cleaner.label("category", draft.category.as_deref())? {
        idea.category = Some(category);
    }
    idea.score = draft.score.or(idea.score);
    let patch = NodePatch {
        name: Some(idea.node.name.clone()),
        properties: Some(idea.properties()),
        ..NodePatch::default()
    };
    let node = NodeRef::Id(idea.node.id);
    let change = Change::UpdateNode(node, Expect::Version(idea.node.version), patch);
    let mut batch = call.batch().change(change);
    let (app, viewer) = (&call.app, &call.viewer);
    let told = property_text::update(app, viewer, &idea.node, SAID, &idea.node.name).await?;
    batch.changes.extend(told);
    let (batch, linked) = link(call, &idea, draft.link_to.as_deref(), batch).await?;
    Ok((batch, Written { kept: (idea, linked), masked: cleaner.masked() }))
}

fn next_status(from: Status, to: &str) -> Reply<Status> {
    let next = status_named(to)?;
    if from.may_become(next) {
        return Ok(next);
    }
    let ways: Vec<_> = from.next().iter().map(|status| format!("'{}'", status.as_str())).collect();
    let message = format!(
        "Invalid status transition from '{}' to '{}'. Allowed transitions: [{}]",
        from.as_str(),
        next.as_str(),
        ways.join(", ")
    );
    let way: Vec<_> = from.way_to(next).into_iter().map(Status::as_str).collect();
    Err(Refusal::refused(message, format!("update it step by step: {}", way.join(", then "))))
}

fn status_named(name: &str) -> Reply<Status> {
    Status::named(name).ok_or_else(|| {
        let all = Status::ALL.map(Status::as_str).join(", ");
        Refusal::refused(format!("Invalid status: {}", name.trim()), format!("use one of {all}"))
    })
}

/// Adds an edge from the idea to the wanted node to the batch. A missing node is reported but does
/// not prevent the idea from being stored.
async fn link(
    call: &MemoryCall,
    idea: &Idea,
    wanted: Option<&str>,
    batch: Batch,
) -> Reply<(Batch, Linked)> {
    let Some(wanted) = wanted.map(str::trim).filter(|id| !id.is_empty()) else {
        return Ok((batch, Linked::Unasked));
    };
    let target = match call.lookup("Node", wanted).await {
        Ok(target) => target,
        Err(refusal @ Refusal::NotFound { .. }) => {
            return Ok((batch, Linked::Failed(refusal.to_string())));
        }
        // Without the ids to choose from, the caller would have to look for them.
        Err(refusal @ Refusal::Refused { .. }) => {
            return Ok((batch, Linked::Failed(format!("{refusal}: {}", refusal.hint()))));
        }
        Err(other) => return Err(other),
    };
    let edge = NewEdge {
        source: NodeRef::Uid(idea.node.uid),
        target: NodeRef::Id(target.id),
        kind: word(IDEA_RELATES_TO)?,
        weight: 1.0,
        visibility: idea.node.visibility,
        properties: Properties::new(),
    };
    Ok((batch.change(Change::PutEdge(edge)), Linked::To(shown(&target))))
}

/// Which ideas to list.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only ideas with this status.
    pub status: Option<String>,
    /// Only ideas with this category, ignoring case.
    pub category: Option<String>,
    /// The maximum number of ideas.
    pub limit: usize,
    /// Skip this many ideas.
    pub offset: usize,
}

/// Lists ideas, highest score first and those without a score last. Among equal scores, newer ones
/// come first.
pub async fn list(call: &MemoryCall, wanted: &Wanted) -> Reply<Vec<Idea>> {
    let given = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let status = given(&wanted.status).map(|name| status_named(&name)).transpose()?;
    let folded = |category: &str| plainly_spaced(category).to_lowercase();
    let category = given(&wanted.category).map(|category| folded(&category));
    let mut ideas = all(call).await?;
    ideas.retain(|idea| {
        let category_of = |idea: &Idea| idea.category.as_deref().map(folded);
        status.is_none_or(|status| idea.status == status)
            && (category.is_none() || category_of(idea) == category)
    });
    let rank = |idea: &Idea| idea.score.unwrap_or(f64::NEG_INFINITY);
    ideas.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then_with(|| b.node.id.cmp(&a.node.id)));
    Ok(ideas.into_iter().skip(wanted.offset).take(wanted.limit).collect())
}

async fn all(call: &MemoryCall) -> Reply<Vec<Idea>> {
    let query = NodeQuery { kinds: vec![word(IDEA)?], ..NodeQuery::default() };
    let nodes = all_nodes(&call.app, &call.viewer, query).await?;
    Ok(nodes.into_iter().map(Idea::of).collect())
}

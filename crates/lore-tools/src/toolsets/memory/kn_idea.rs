//! Tool `kn_idea`: ideas and their lifecycle.

use lore_app::memory::graph::Written;
use lore_app::memory::idea::{self, Draft, Idea, Linked, Wanted};
use lore_app::memory::ids::shown;
use lore_app::memory::{MemoryCall, Reply};
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arguments;
use super::envelope::{Envelope, Nullable, envelope, limit, memory_call, offset, unknown_action};
use super::words::{Spelled, Words, given};
use crate::call::Call;
use crate::choice::choice;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct KnIdea;

pub(super) struct Actions;

impl Words for Actions {
    const WORDS: &'static [&'static str] = &["create", "update", "list"];
}

pub(super) struct Statuses;

impl Words for Statuses {
    const WORDS: &'static [&'static str] = StatusOut::WORDS;
}

/// Which actions take which arguments.
const TAKES: [(&str, &[&str]); 5] = [
    ("title", &["create", "update"]),
    ("idea_id", &["update"]),
    ("score", &["create", "update"]),
    ("status", &["create", "update", "list"]),
    ("link_to", &["create", "update"]),
];

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Spelled<Actions>,
    /// create, update
    title: Option<String>,
    idea_id: Option<String>,
    /// create, update, list
    category: Option<String>,
    /// create, update: for ordering, highest first
    score: Option<f64>,
    /// update, list
    status: Option<Spelled<Statuses>>,
    /// create, update: id of the node it is about
    link_to: Option<String>,
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
    /// An idea was created or changed.
    Kept(Kept),
    /// The ideas.
    Listed(Listed),
}

choice! {
    /// The status of an idea.
    pub(super) enum StatusOut {
        Draft = "draft",
        Evaluating = "evaluating",
        Approved = "approved",
        Implementing = "implementing",
        Done = "done",
        Archived = "archived",
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct IdeaOut {
    /// Id of the idea.
    id: String,
    /// Title of the idea.
    title: String,
    /// Status in its lifecycle.
    status: StatusOut,
    /// Category, or null.
    category: Nullable<String>,
    /// Score, or null.
    score: Nullable<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Kept {
    #[serde(flatten)]
    idea: IdeaOut,
    /// Id of the node it was linked to; null if that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    linked_to: Option<Nullable<String>>,
    /// Why it was not linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    link_error: Option<String>,
    /// Kinds of secrets that were masked before storing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// Number of ideas in this answer.
    count: usize,
    /// Highest score first; ideas without a score last.
    ideas: Vec<IdeaOut>,
}

impl IdeaOut {
    fn of(idea: Idea) -> Self {
        use lore_rules::memory::lifecycle::Status;
        let status = match idea.status {
            Status::Draft => StatusOut::Draft,
            Status::Evaluating => StatusOut::Evaluating,
            Status::Approved => StatusOut::Approved,
            Status::Implementing => StatusOut::Implementing,
            Status::Done => StatusOut::Done,
            Status::Archived => StatusOut::Archived,
        };
        Self {
            id: shown(&idea.node),
            title: idea.node.name,
            status,
            category: Nullable(idea.category),
            score: Nullable(idea.score),
        }
    }
}

impl ToolSpec for KnIdea {
    const NAME: &'static str = "kn_idea";
    const TOOLSET: Toolset = Toolset::Memory;
    const TITLE: &'static str = "Ideas";
    const DESCRIPTION: &'static str = "Ideas with a status: draft, evaluating, approved, \
        implementing, done; any but a draft can be archived, and an archived one becomes a draft \
        again. Use for what might be done some day; what is known goes to kn_intel.\n\
        - create: title [category, score, link_to]\n\
        - update: idea_id, title [category, score, status, link_to]\n\
        - list: [status, category, limit, offset]\n\
        Returns the idea or ideas, or error.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: false };
    const ROLE: Role = Role::Player;
    const ALIASES: &'static [&'static str] = &["kn_ideas"];
    const READING: &'static [&'static str] = &["list"];

    type Input = Input;
    type Output = Envelope<Output>;

    fn example() -> Value {
        json!({ "action": "create", "title": "A ferry between the isles", "score": 7.5 })
    }

    fn modernise(name: &str, arguments: &mut Map<String, Value>) {
        if name == "kn_ideas" {
            arguments.insert("action".into(), "list".into());
        } else if !arguments.contains_key("action") {
            // Like the former tool of the same name, which had no actions.
            let known = arguments.get("idea_id").is_some_and(|id| !id.is_null());
            arguments.insert("action".into(), if known { "update" } else { "create" }.into());
        }
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        if let Err(refusal) = arguments::check(&TAKES, &input.action, &input) {
            return envelope(Err(refusal));
        }
        let call = memory_call(&call, Self::NAME);
        let (limit, offset) = (limit(input.limit)?, offset(input.offset)?);
        if input.score.is_some_and(|score| !score.is_finite()) {
            return Err(Error::invalid("score", "is not a number", "use a plain number"));
        }
        envelope(match input.action.word() {
            "create" => kept(idea::create(&call, &draft(input)).await),
            "update" => kept(idea::update(&call, &draft(input)).await),
            "list" => list(&call, input, limit, offset).await,
            _ => Err(unknown_action(&input.action)),
        })
    }
}

fn draft(input: Input) -> Draft {
    Draft {
        idea: input.idea_id,
        title: input.title,
        category: input.category,
        score: input.score,
        status: given(input.status),
        link_to: input.link_to,
    }
}

fn kept(written: Reply<Written<(Idea, Linked)>>) -> Reply<Output> {
    let Written { kept: (idea, linked), masked } = written?;
    let (linked_to, link_error) = match linked {
        Linked::Unasked => (None, None),
        Linked::To(id) => (Some(Nullable(Some(id))), None),
        Linked::Failed(reason) => (Some(Nullable(None)), Some(reason)),
    };
    Ok(Output::Kept(Kept { idea: IdeaOut::of(idea), linked_to, link_error, masked }))
}

async fn list(call: &MemoryCall, input: Input, limit: usize, offset: usize) -> Reply<Output> {
    let wanted = Wanted { status: given(input.status), category: input.category, limit, offset };
    let ideas: Vec<_> = idea::list(call, &wanted).await?.into_iter().map(IdeaOut::of).collect();
    Ok(Output::Listed(Listed { count: ideas.len(), ideas }))
}

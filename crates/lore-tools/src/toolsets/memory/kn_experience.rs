//! Tool `kn_experience`: experiences, which lose relevance over time.

use lore_app::memory::experience::{self, Experience, NewExperience, Wanted};
use lore_app::memory::ids::{show, shown};
use lore_app::memory::learn::Origin;
use lore_app::memory::{MemoryCall, Reply, pruning};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arguments;
use super::envelope::{
    Envelope, envelope, limit, memory_call, offset, rounded, share, sharing, unknown_action,
};
use super::recall_wire::{OriginOut, ReplacementOut};
use super::words::{Confidences, ExperienceTypes, Sharings, Spelled, Words, given};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct KnExperience;

pub(super) struct Actions;

impl Words for Actions {
    const WORDS: &'static [&'static str] = &["save", "search", "prune"];
}

/// Which actions take which arguments.
const TAKES: [(&str, &[&str]); 9] = [
    ("content", &["save"]),
    ("type", &["save", "search"]),
    ("context", &["save"]),
    ("tags", &["save", "search"]),
    ("text", &["search"]),
    ("session", &["save"]),
    ("author", &["save"]),
    ("occurred_at", &["save"]),
    ("supersedes", &["save"]),
];

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Spelled<Actions>,
    /// save: what was learned
    content: Option<String>,
    r#type: Option<Spelled<ExperienceTypes>>,
    /// save: situation it was learned in
    context: Option<String>,
    /// save
    #[schemars(extend("default" = "high"))]
    confidence: Option<Spelled<Confidences>>,
    /// save; search: all must match
    tags: Option<Vec<String>>,
    text: Option<String>,
    /// search: minimum relevance left
    #[schemars(range(min = 0, max = 1), extend("default" = 0.0))]
    min_relevance: Option<f64>,
    /// search
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    limit: Option<i64>,
    /// search
    #[schemars(range(min = 0, max = 1_000_000), extend("default" = 0))]
    offset: Option<i64>,
    /// prune
    #[schemars(range(min = 0, max = 1), extend("default" = 0.01))]
    threshold: Option<f64>,
    /// save: conversation it belongs to, kept in order
    session: Option<String>,
    /// save: who said it
    author: Option<String>,
    /// save: when it happened
    occurred_at: Option<String>,
    /// save: id of what it replaces
    supersedes: Option<String>,
    visibility: Option<Spelled<Sharings>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Output {
    /// An experience was stored.
    Saved(Saved),
    /// The experiences that were found.
    Found(Found),
    /// The experiences that were moved to the bin.
    Pruned(Pruned),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Saved {
    /// Id of the experience.
    id: String,
    /// Type of lesson.
    r#type: &'static str,
    /// Confidence of the author.
    confidence: &'static str,
    /// Decay rate per day.
    decay_rate: f64,
    /// Relevance now: always 1.
    score: f64,
    /// Kinds of secrets that were masked before storing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    masked: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Found {
    /// Number of experiences in this answer.
    count: usize,
    /// Best match first; without a text, most relevant first.
    experiences: Vec<ExperienceOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExperienceOut {
    /// Id of the experience.
    id: String,
    /// Type of lesson.
    r#type: &'static str,
    /// What was learned.
    content: String,
    /// Confidence of the author.
    confidence: &'static str,
    /// Remaining relevance, 0 to 1.
    relevance: f64,
    /// Its tags.
    tags: Vec<String>,
    #[serde(flatten)]
    origin: OriginOut,
    #[serde(flatten)]
    replacement: ReplacementOut,
}

impl ExperienceOut {
    pub(super) fn of(experience: Experience) -> Self {
        Self {
            id: shown(&experience.node),
            r#type: experience.fading.experience_type.as_str(),
            content: experience.content,
            confidence: experience.fading.confidence.as_str(),
            relevance: rounded(experience.relevance, 4),
            tags: experience.tags,
            replacement: ReplacementOut::of(&experience.node, experience.replacement.as_ref()),
            origin: OriginOut::of(experience.provenance),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Pruned {
    /// Number of experiences removed.
    pruned_count: usize,
    /// Ids of the removed experiences; kn_graph restore brings them back.
    pruned_ids: Vec<String>,
}

impl ToolSpec for KnExperience {
    const NAME: &'static str = "kn_experience";
    const TOOLSET: Toolset = Toolset::Memory;
    const TITLE: &'static str = "Experiences";
    const DESCRIPTION: &'static str = "Lessons that lose relevance over time: workarounds \
        fastest, patterns slowest, and faster with lower confidence. Use for direct control; \
        otherwise kn_intel learn decides what fades and what stays.\n\
        - save: content, type [context, confidence, tags, session, author, occurred_at, \
        supersedes, visibility]\n\
        - search: [text, tags, type, min_relevance, limit, offset], all filters must match\n\
        - prune: [threshold] removes what has faded below it; kn_graph restore brings it back\n\
        Returns the experience, those found with their remaining relevance, or the pruned ids, \
        or error.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: false };
    const ROLE: Role = Role::Player;
    const ALIASES: &'static [&'static str] = &["kn_save", "kn_memories", "kn_prune"];
    const READING: &'static [&'static str] = &["search"];

    type Input = Input;
    type Output = Envelope<Output>;

    fn example() -> Value {
        json!({
            "action": "save", "type": "gotcha", "confidence": "medium",
            "content": "The ferry does not sail when the wind is from the north.",
        })
    }

    fn modernise(name: &str, arguments: &mut Map<String, Value>) {
        let action = match name {
            "kn_save" => "save",
            "kn_memories" => "search",
            "kn_prune" => "prune",
            _ => return,
        };
        arguments.insert("action".into(), action.into());
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        if let Err(refusal) = arguments::check(&TAKES, &input.action, &input) {
            return envelope(Err(refusal));
        }
        let call = memory_call(&call, Self::NAME);
        let (limit, offset) = (limit(input.limit)?, offset(input.offset)?);
        let min_relevance = share("min_relevance", input.min_relevance, 0.0)?;
        let threshold = share("threshold", input.threshold, 0.01)?;
        envelope(match input.action.word() {
            "save" => save(&call, input).await,
            "search" => {
                let (text, experience_type) = (input.text, given(input.r#type));
                let tags = input.tags.unwrap_or_default();
                let wanted = Wanted { text, experience_type, tags, min_relevance, limit, offset };
                search(&call, &wanted).await
            }
            "prune" => prune(&call, threshold).await,
            _ => Err(unknown_action(&input.action)),
        })
    }
}

async fn save(call: &MemoryCall, input: Input) -> Reply<Output> {
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
        sharing: sharing(input.visibility.as_ref())?,
    };
    let saved = experience::save(call, &new).await?;
    Ok(Output::Saved(Saved {
        id: shown(&saved.kept.node),
        r#type: saved.kept.fading.experience_type.as_str(),
        confidence: saved.kept.fading.confidence.as_str(),
        decay_rate: rounded(saved.kept.fading.rate, 6),
        score: 1.0,
        masked: saved.masked,
    }))
}

async fn search(call: &MemoryCall, wanted: &Wanted) -> Reply<Output> {
    let found = experience::search(call, wanted).await?;
    let experiences: Vec<_> = found.into_iter().map(ExperienceOut::of).collect();
    Ok(Output::Found(Found { count: experiences.len(), experiences }))
}

async fn prune(call: &MemoryCall, threshold: f64) -> Reply<Output> {
    let pruned = pruning::prune(call, threshold).await?;
    let pruned_ids: Vec<_> = pruned.into_iter().map(|uid| show("experience", uid)).collect();
    Ok(Output::Pruned(Pruned { pruned_count: pruned_ids.len(), pruned_ids }))
}

//! Wire types that several pages tools share.

use std::sync::Arc;

use lore_app::pages::{self, Origin, Page, PageKind, Scribe, TagsAre};
use lore_core::{Error, Result, Text, Visibility};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::each::{in_words, number_in_field};
use crate::call::Call;
use crate::choice::choice;
use crate::nullable::Nullable;
use crate::toolsets::play::PlayedOut;

choice! {
    /// The kind of an entity.
    pub(super) enum EntityType {
        Character = "character",
        Creature = "creature",
        Location = "location",
        Organization = "organization",
        Race = "race",
        Note = "note",
        Journal = "journal",
        Quest = "quest",
    }
}

impl From<EntityType> for PageKind {
    fn from(kind: EntityType) -> Self {
        match kind {
            EntityType::Character => Self::Character,
            EntityType::Creature => Self::Creature,
            EntityType::Location => Self::Location,
            EntityType::Organization => Self::Organization,
            EntityType::Race => Self::Race,
            EntityType::Note => Self::Note,
            EntityType::Journal => Self::Journal,
            EntityType::Quest => Self::Quest,
        }
    }
}

impl EntityType {
    /// Returns the type of a page; `None` for tags, which are not entities in this contract.
    fn of(kind: PageKind) -> Option<Self> {
        match kind {
            PageKind::Character => Some(Self::Character),
            PageKind::Creature => Some(Self::Creature),
            PageKind::Location => Some(Self::Location),
            PageKind::Organization => Some(Self::Organization),
            PageKind::Race => Some(Self::Race),
            PageKind::Note => Some(Self::Note),
            PageKind::Journal => Some(Self::Journal),
            PageKind::Quest => Some(Self::Quest),
            PageKind::Tag => None,
        }
    }
}

/// Returns what the use cases of a call work with.
pub(super) fn scribe(call: &Call, tool: &'static str) -> Scribe {
    Scribe {
        app: Arc::clone(&call.app),
        viewer: call.viewer,
        tool,
        request_id: call.request_id().to_owned(),
        tags_are: TagsAre::Labels,
        at: None,
    }
}

/// Combines `is_private` with its other name `is_hidden`. Fails if they contradict each other.
pub(super) fn one_of(is_private: Option<bool>, is_hidden: Option<bool>) -> Result<Option<bool>> {
    match (is_private, is_hidden) {
        (Some(private), Some(hidden)) if private != hidden => Err(Error::invalid(
            "is_hidden",
            "says something else than is_private",
            "give one of them: they mean the same",
        )),
        (private, hidden) => Ok(private.or(hidden)),
    }
}

/// An entity, or for a failed item its id and the error.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct EntityOut {
    /// Number within its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<i64>,
    /// Number among all entities; what tools take and mentions contain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity_id: Option<i64>,
    /// Name of the entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Kind of entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity_type: Option<EntityType>,
    /// Subtype, such as NPC or City, or null.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) subtype: Option<Nullable<String>>,
    /// Text in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entry: Option<String>,
    /// Its tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tags: Option<Vec<String>>,
    /// Whether it is hidden from other members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_private: Option<bool>,
    /// Same as is_private.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_hidden: Option<bool>,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_at: Option<String>,
    /// When it or one of its posts last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_at: Option<String>,
    /// For entities of other tools: what it is and which tool changes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<OriginOut>,
    /// How well the name matches, 0 to 1; only with name_fuzzy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) match_score: Option<f64>,
    /// The sheet, if get_entities reads a character that is played in a campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sheet: Option<PlayedOut>,
    /// Its posts, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) posts: Option<Vec<PostOut>>,
    /// Whether this id was found; only in answers with one result per id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) success: Option<bool>,
    /// Why it failed, and what to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl From<Page> for EntityOut {
    fn from(page: Page) -> Self {
        let private = page.is_private();
        let origin = page.origin().map(OriginOut::from);
        Self {
            // Items of other tools have no number within a type.
            id: origin.is_none().then_some(page.node.kind_number),
            origin,
            entity_id: Some(page.node.number),
            name: Some(page.node.name),
            entity_type: EntityType::of(page.kind),
            subtype: Some(Nullable(page.node.subtype)),
            entry: Some(page.entry.map(|text| text.body).unwrap_or_default()),
            tags: Some(page.node.tags),
            is_private: Some(private),
            is_hidden: Some(private),
            created_at: Some(page.node.created.at.to_string()),
            updated_at: Some(page.node.updated.at.to_string()),
            ..Self::default()
        }
    }
}

/// Where something of another tool can be changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OriginOut {
    /// What it is there, such as campaign, concept or vault_note.
    what: String,
    /// The tool that changes it, or the KOI-net node that reported it.
    tool: String,
}

impl From<Origin<'_>> for OriginOut {
    fn from(origin: Origin<'_>) -> Self {
        Self { what: origin.kind.to_owned(), tool: origin.tool.into_owned() }
    }
}

/// A post of an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PostOut {
    /// Id of the post, for update_posts and delete_posts.
    id: i64,
    /// Title of the post.
    name: String,
    /// Text in Markdown.
    entry: String,
    /// Whether it is hidden from other members.
    is_private: bool,
    /// Same as is_private.
    is_hidden: bool,
}

impl From<Text> for PostOut {
    fn from(text: Text) -> Self {
        let private = text.visibility != Visibility::Members;
        Self {
            id: pages::post_number(&text),
            name: text.title,
            entry: text.body,
            is_private: private,
            is_hidden: private,
        }
    }
}

/// The result for one item.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RowOut {
    /// Id of the entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity_id: Option<i64>,
    /// Id of the post.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) post_id: Option<i64>,
    /// Whether it succeeded.
    pub(super) success: bool,
    /// Why it failed, and what to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl RowOut {
    /// Returns the row of an item about an entity and perhaps one of its posts.
    pub(super) fn of(entity_id: Option<i64>, post_id: Option<i64>, outcome: &Result<()>) -> Self {
        let error = outcome.as_ref().err().map(in_words);
        Self { entity_id, post_id, success: error.is_none(), error }
    }

    /// Returns the row of an item that could not be parsed.
    pub(super) fn unread(given: &Value, error: &Error) -> Self {
        let number = |field| number_in_field(given, field);
        Self::of(number("entity_id"), number("post_id"), &Err(error.clone()))
    }
}

/// The results for all items, in the order given.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rows {
    /// One result per item.
    pub(super) results: Vec<RowOut>,
}

/// The state of the mirror of a campaign on Kanka.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MirrorOut {
    /// The time of its state, by Kanka's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
    /// Seconds since Kanka was last asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_seconds: Option<u64>,
    /// Whether it contains the whole campaign yet.
    complete: bool,
    /// Number of entities that were changed both here and on Kanka and need a decision.
    #[serde(skip_serializing_if = "is_zero")]
    conflicts: usize,
    /// Why Kanka could not be reached the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// What to do if the campaign is not copied yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

const NOT_COPIED: &str = "the campaign is not copied completely yet, so something may be missing: \
                          run `lorewell sync kanka`, or wait while the server copies it";

impl MirrorOut {
    /// Returns the state of the mirror; `None` if the world is not one.
    pub(super) async fn of(scribe: &Scribe) -> Result<Option<Self>> {
        let Some(campaign) = scribe.live() else { return Ok(None) };
        let standing = campaign.standing(&scribe.app).await?;
        Ok(Some(Self {
            complete: standing.as_of.is_some(),
            hint: standing.as_of.is_none().then_some(NOT_COPIED),
            as_of: standing.as_of.map(|at| at.to_string()),
            age_seconds: standing.age.map(|age| age.as_secs()),
            conflicts: standing.conflicts,
            problem: standing.problem,
        }))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

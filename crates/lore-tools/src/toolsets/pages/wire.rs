//! Wire types that several tools share.

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
    /// What kind of page it is.
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
    /// The type of a page; tags are none to these tools.
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

/// Who works, for which call.
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

/// What `is_private` and its other name say together.
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

/// A page, or of a failed item what was asked for.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct EntityOut {
    /// Number within its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<i64>,
    /// Number among all entities: what tools take and mentions hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity_id: Option<i64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// What kind of entity it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity_type: Option<EntityType>,
    /// What refines the kind, such as NPC or City; null where nothing does.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) subtype: Option<Nullable<String>>,
    /// Its text, Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entry: Option<String>,
    /// Its tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tags: Option<Vec<String>>,
    /// Whether it is hidden from other members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_private: Option<bool>,
    /// The same as is_private.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_hidden: Option<bool>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_at: Option<String>,
    /// When it or one of its posts last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_at: Option<String>,
    /// What it is and which tool changes it, where these tools only show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<OriginOut>,
    /// How well the name matches, 0 to 1, with name_fuzzy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) match_score: Option<f64>,
    /// How it is played, where get_entities reads a character of a campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sheet: Option<PlayedOut>,
    /// Its posts, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) posts: Option<Vec<PostOut>>,
    /// Whether it was found, in answers item by item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) success: Option<bool>,
    /// Why it failed and what to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl From<Page> for EntityOut {
    fn from(page: Page) -> Self {
        let private = page.is_private();
        let origin = page.origin().map(OriginOut::from);
        Self {
            // Numbers within a type are the pages' own.
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

/// Where something is changed that came in by another tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OriginOut {
    /// What it is there, such as campaign, concept or vault_note.
    what: String,
    /// The tool that changes it, or the node of the network that told of it.
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
    /// What update_posts and delete_posts take as post_id.
    id: i64,
    /// Its title.
    name: String,
    /// Its text, Markdown.
    entry: String,
    /// Whether it is hidden from other members.
    is_private: bool,
    /// The same as is_private.
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

/// What became of one item.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RowOut {
    /// The entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entity_id: Option<i64>,
    /// The post.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) post_id: Option<i64>,
    /// Whether it was done.
    pub(super) success: bool,
    /// Why not, and what to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl RowOut {
    /// The row of an item about an entity and perhaps one of its posts.
    pub(super) fn of(entity_id: Option<i64>, post_id: Option<i64>, outcome: &Result<()>) -> Self {
        let error = outcome.as_ref().err().map(in_words);
        Self { entity_id, post_id, success: error.is_none(), error }
    }

    /// The row of an item that could not be read.
    pub(super) fn unread(given: &Value, error: &Error) -> Self {
        let number = |field| number_in_field(given, field);
        Self::of(number("entity_id"), number("post_id"), &Err(error.clone()))
    }
}

/// What became of each item, in the order they were given.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rows {
    /// One row for each item.
    pub(super) results: Vec<RowOut>,
}

/// How far the mirror of a campaign on Kanka is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MirrorOut {
    /// The moment it shows, by Kanka's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
    /// How long ago Kanka was last asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_seconds: Option<u64>,
    /// Whether the whole campaign is in it yet.
    complete: bool,
    /// Entities that were changed here and on Kanka, and wait for a decision.
    #[serde(skip_serializing_if = "is_zero")]
    conflicts: usize,
    /// Why Kanka could not be asked the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl MirrorOut {
    /// What answers say of the mirror, if the world is one.
    pub(super) async fn of(scribe: &Scribe) -> Result<Option<Self>> {
        let Some(campaign) = scribe.live() else { return Ok(None) };
        let standing = campaign.standing(&scribe.app).await?;
        Ok(Some(Self {
            complete: standing.as_of.is_some(),
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

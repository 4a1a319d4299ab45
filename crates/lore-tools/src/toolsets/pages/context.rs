//! `kanka://context`: explains entities, fields, posts and mentions to agents.

use futures::FutureExt;
use lore_app::pages::Scribe;
use lore_core::{Result, Role};
use serde_json::{Value, json};

use super::wire::{MirrorOut, scribe};
use crate::resource::{News, Resource, UriPattern};
use crate::toolset::Toolset;

pub(super) fn resource() -> Resource {
    Resource {
        uri: UriPattern("kanka://context"),
        name: "kanka_context",
        title: "Entities and their fields",
        description: "Explains entities, fields, posts and mentions. Read it once before \
                      working with them.",
        toolset: Some(Toolset::Pages),
        role: Role::Reader,
        read: |call, _| {
            async move {
                let mut context = context();
                if let Value::Object(fields) = &mut context {
                    fields.insert("mode".into(), mode(&scribe(&call, "kanka_context")).await?);
                }
                Ok(context)
            }
            .boxed()
        },
        complete: None,
        news: News::Named,
    }
}

/// Whether the world mirrors a campaign on Kanka, and how old the mirror is.
async fn mode(scribe: &Scribe) -> Result<Value> {
    let Some(campaign) = scribe.live() else {
        return Ok(json!({
            "kind": "local",
            "explanation": "The entities are kept by this server; nothing is sent to Kanka.",
        }));
    };
    let standing = campaign.standing(&scribe.app).await?;
    Ok(json!({
        "kind": "live",
        "campaign_id": standing.campaign,
        "host": standing.host,
        "explanation": "The entities are those of a campaign on Kanka. Reading is served by a \
            mirror here, whose age every answer tells; writing goes to Kanka at once and fails \
            when it cannot be reached.",
        "mirror": MirrorOut::of(scribe).await?,
    }))
}

fn context() -> Value {
    json!({
        "description": "The pages of a world, in the terms of Kanka: entities of eight types, \
            each with a text, tags and posts. They are one world with everything else this \
            server keeps.",
        "supported_entities": {
            "character": "People in your world (PCs, NPCs, etc)",
            "creature": "Monster types and animals (templates, not individuals)",
            "location": "Places, regions, buildings, landmarks",
            "organization": "Groups, guilds, governments, companies",
            "race": "Species and ancestries",
            "note": "Private GM notes and session digests",
            "journal": "Session summaries and campaign chronicles",
            "quest": "Missions, objectives, and story arcs",
        },
        "core_fields": {
            "name": "Required when making one. The entity's name",
            "type": "Optional. Subtype like 'NPC', 'City', 'Guild' (user-defined)",
            "entry": "Optional. Main description in Markdown, with tables, task lists and code",
            "tags": "Optional. String array for categorization; new tags are made as needed",
            "is_private": "Optional. If true, only the GM's side sees it; what a player hides, \
                only that player sees. Notes are private unless said otherwise. is_hidden is \
                another name for it",
        },
        "terminology": {
            "entity_type": "The main category (character, location, etc.) - fixed list",
            "type": "User-defined subtype within a category (e.g., 'NPC' for characters, 'City' \
                for locations)",
            "entity_id": "The number that tools take and mentions hold; id counts within a type",
        },
        "posts": "Additional texts can be attached to any entity, each visible to all or hidden",
        "mentions": {
            "description": "Cross-reference entities using [entity:ID] or [entity:ID|custom text] \
                in entry fields of entities and posts; [character:ID] and the like mean the same",
            "examples": ["[entity:1234]", "[entity:1234|the ancient dragon]"],
            "note": "Mentions are kept to the letter and become links of the world's graph",
        },
        "search": "find_entities searches names, texts, posts and tags; name_fuzzy finds names \
            that sound alike; filters combine and apply before the page is cut",
        "sync": "last_synced and check_entity_updates tell what changed; deleted entities are \
            reported, too",
        "limitations": "Attributes, relations, abilities, images and most fields of single types \
            are not available. Deleting has no undo in these tools.",
    })
}

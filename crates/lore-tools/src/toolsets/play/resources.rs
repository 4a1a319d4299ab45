//! The resources of the table: campaigns with their parts, sheets, session events and the context.

use futures::FutureExt;
use lore_app::play::ids::Thing;
use lore_app::play::log::Next;
use lore_app::play::{campaign, character, log, participant, session};
use lore_core::{Error, Node, Result, Role};
use serde_json::{Value, json};

use super::character_sheet_get::SheetOut;
use super::records::{CampaignOut, EventOut, ParticipantOut, SessionOut, moment};
use super::setting::{Setting, context_of};
use super::sheet_wire::CharacterOut;
use crate::call::Call;
use crate::resource::{Captures, Completer, News, Reader, Resource, UriPattern};
use crate::toolset::Toolset;

pub(super) fn resources() -> Vec<Resource> {
    [campaigns_of_a_world(), parts_of_a_campaign(), what_is_played()]
        .into_iter()
        .flatten()
        .collect()
}

fn campaigns_of_a_world() -> Vec<Resource> {
    vec![
        Resource {
            complete: None,
            ..resource(
                "campaigns://list",
                "campaign_list",
                "Campaigns",
                "Every campaign of this world, with its counts and the GM's Fear.",
                |call, _| campaigns(call).boxed(),
            )
        },
        Resource {
            complete: None,
            role: Role::Gm,
            ..resource(
                "campaigns://archived",
                "archived_campaign_list",
                "Archived campaigns",
                "Archived campaigns, for the GM; campaign_update restores one.",
                |call, _| archived_campaigns(call).boxed(),
            )
        },
        resource(
            "campaign://{campaign_id}",
            "campaign",
            "Campaign",
            "One campaign by its id.",
            |call, captures| one_campaign(call, captures).boxed(),
        ),
    ]
}

fn parts_of_a_campaign() -> Vec<Resource> {
    vec![
        resource(
            "campaign://{campaign_id}/participants",
            "participant_list",
            "Participants",
            "The participants of a campaign.",
            |call, captures| participants(call, captures).boxed(),
        ),
        resource(
            "campaign://{campaign_id}/characters",
            "character_list",
            "Characters",
            "The characters of a campaign that you may know of.",
            |call, captures| characters(call, captures).boxed(),
        ),
        Resource {
            role: Role::Gm,
            ..resource(
                "campaign://{campaign_id}/archived",
                "archived_member_list",
                "Archived participants and characters",
                "Archived participants and characters of a campaign, for the GM; \
                 participant_update and character_update restore them.",
                |call, captures| archived_members(call, captures).boxed(),
            )
        },
        resource(
            "campaign://{campaign_id}/sessions",
            "session_list",
            "Sessions",
            "The sessions of a campaign; a running one is ACTIVE.",
            |call, captures| sessions(call, captures).boxed(),
        ),
    ]
}

fn what_is_played() -> Vec<Resource> {
    vec![
        resource(
            "character://{character_id}/sheet",
            "character_sheet",
            "Character sheet",
            "A character with its profile and state, as far as you may see them.",
            |call, captures| sheet(call, captures).boxed(),
        ),
        resource(
            "session://{session_id}/events{?after_seq,before_seq,limit}",
            "session_events",
            "Session events",
            "What happened in a session, newest first, in pages of 100 or limit (at most 1000). \
             While has_more, read on with before_seq=next_before_seq towards the beginning. With \
             after_seq alone a page has the oldest events after it: read on with \
             after_seq=next_after_seq and miss none.",
            |call, captures| events(call, captures).boxed(),
        ),
        Resource {
            complete: None,
            ..resource(
                "context://current",
                "context_current",
                "Current context",
                "The context that set_context set in this conversation; unset parts are null.",
                |call, captures| current_context(call, captures).boxed(),
            )
        },
        Resource {
            complete: None,
            ..resource(
                "context://current{?context_id}",
                "context_by_id",
                "Context by id",
                "The context that set_context set under an id, for clients without sessions.",
                |call, captures| current_context(call, captures).boxed(),
            )
        },
    ]
}

fn resource(
    uri: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    read: Reader,
) -> Resource {
    let complete: Completer = |call, variable, typed| complete(call, variable, typed).boxed();
    Resource {
        uri: UriPattern(uri),
        name,
        title,
        description,
        toolset: Some(Toolset::Play),
        role: Role::Reader,
        read,
        complete: Some(complete),
        news: News::Named,
    }
}

async fn campaigns(call: Call) -> Result<Value> {
    let setting = Setting::of(&call, "campaigns://list", None, None)?;
    let rows = campaign::list(&setting.call).await?;
    Ok(json!({ "campaigns": rows.into_iter().map(CampaignOut::from).collect::<Vec<_>>() }))
}

async fn one_campaign(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let found = campaign::get(&setting.call, campaign_id(&setting, &captures).await?).await?;
    Ok(json!({ "campaign": CampaignOut::from(found) }))
}

async fn participants(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let rows = participant::list(&setting.call, campaign_id(&setting, &captures).await?).await?;
    Ok(json!({ "participants": rows.into_iter().map(ParticipantOut::from).collect::<Vec<_>>() }))
}

async fn characters(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let rows = character::list(&setting.call, campaign_id(&setting, &captures).await?).await?;
    Ok(json!({ "characters": rows.into_iter().map(CharacterOut::from).collect::<Vec<_>>() }))
}

async fn sessions(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let rows = session::list(&setting.call, campaign_id(&setting, &captures).await?).await?;
    Ok(json!({ "sessions": rows.into_iter().map(SessionOut::from).collect::<Vec<_>>() }))
}

async fn events(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "session://", None, None)?;
    let id = captures.get("session_id").map_or("", String::as_str);
    let uid = Thing::Session.find(&setting.call, "session_id", id).await?;
    let page = log::Page {
        after: number(&captures, "after_seq")?,
        before: number(&captures, "before_seq")?,
        limit: number(&captures, "limit")?,
    };
    let page = log::read(&setting.call, uid, page).await?;
    let rows: Vec<_> = page.events.into_iter().map(|event| EventOut::new(uid, event)).collect();
    Ok(match page.next {
        Next::After(seq) => {
            json!({ "events": rows, "has_more": page.has_more, "next_after_seq": seq })
        }
        Next::Before(seq) => {
            json!({ "events": rows, "has_more": page.has_more, "next_before_seq": seq })
        }
        Next::Nowhere => json!({ "events": rows, "has_more": page.has_more }),
    })
}

async fn sheet(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "character://", None, None)?;
    let id = captures.get("character_id").map_or("", String::as_str);
    let uid = Thing::Character.find(&setting.call, "character_id", id).await?;
    Ok(json!(SheetOut::read(&setting.call, None, uid).await?))
}

async fn archived_campaigns(call: Call) -> Result<Value> {
    let setting = Setting::of(&call, "campaigns://archived", None, None)?;
    let rows = campaign::list_archived(&setting.call).await?;
    let shown = rows.into_iter().map(|row| {
        json!({
            "id": Thing::Campaign.show(row.node.uid), "name": row.node.name,
            "gm_mode": row.gm_mode.as_str(), "theme_prompt": row.theme_prompt,
            "created_at": moment(row.node.created.at), "archived_at": archived_at(&row.node),
        })
    });
    Ok(json!({ "campaigns": shown.collect::<Vec<_>>() }))
}

async fn archived_members(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let (call, campaign) = (&setting.call, campaign_id(&setting, &captures).await?);
    let people = participant::list_archived(call, campaign).await?.into_iter().map(|row| {
        json!({
            "id": Thing::Participant.show(row.node.uid), "display_name": row.node.name,
            "role": row.seat.as_str(), "archived_at": archived_at(&row.node),
        })
    });
    let characters = character::list_archived(call, campaign).await?.into_iter().map(|row| {
        json!({
            "id": Thing::Character.show(row.node.uid), "name": row.node.name,
            "kind": row.kind.as_str(), "archived_at": archived_at(&row.node),
        })
    });
    Ok(json!({
        "participants": people.collect::<Vec<_>>(), "characters": characters.collect::<Vec<_>>(),
    }))
}

fn archived_at(node: &Node) -> Option<String> {
    node.deleted_at.map(moment)
}

async fn current_context(call: Call, captures: Captures) -> Result<Value> {
    let context = context_of(&call, captures.get("context_id").map(String::as_str))?;
    Ok(json!({ "context": {
        "campaign_id": context.map(|context| Thing::Campaign.show(context.campaign)),
        "session_id": context.and_then(|c| c.session).map(|uid| Thing::Session.show(uid)),
        "participant_id": context.and_then(|c| c.participant).map(|uid| Thing::Participant.show(uid)),
    }}))
}

/// Completes ids of campaigns, or ids of sessions or characters in any campaign.
async fn complete(call: Call, variable: String, typed: String) -> Result<Vec<String>> {
    let setting = Setting::of(&call, "completion", None, None)?;
    let campaigns = campaign::list(&setting.call).await?;
    let mut ids = Vec::new();
    match variable.as_str() {
        "campaign_id" => ids.extend(campaigns.iter().map(|c| Thing::Campaign.show(c.node.uid))),
        "session_id" => {
            for campaign in campaigns {
                let sessions = session::list(&setting.call, campaign.node.uid).await?;
                ids.extend(sessions.iter().map(|session| Thing::Session.show(session.node.uid)));
            }
        }
        "character_id" => {
            for campaign in campaigns {
                let characters = character::list(&setting.call, campaign.node.uid).await?;
                ids.extend(characters.iter().map(|found| Thing::Character.show(found.node.uid)));
            }
        }
        _ => {}
    }
    ids.retain(|id| id.starts_with(typed.trim()));
    Ok(ids)
}

async fn campaign_id(setting: &Setting, captures: &Captures) -> Result<lore_core::Uid> {
    let id = captures.get("campaign_id").map_or("", String::as_str);
    Thing::Campaign.find(&setting.call, "campaign_id", id).await
}

fn number(captures: &Captures, name: &str) -> Result<Option<i64>> {
    let Some(text) = captures.get(name) else { return Ok(None) };
    let number = text.parse().ok().filter(|number| *number >= 0);
    number.map(Some).ok_or_else(|| {
        Error::invalid(name, "is not a whole number", "use digits only, such as ?before_seq=120")
    })
}

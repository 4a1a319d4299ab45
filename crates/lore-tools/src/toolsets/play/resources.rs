//! The seven resources of the table.

use futures::FutureExt;
use lore_app::play::ids::Thing;
use lore_app::play::{campaign, character, log, participant, session};
use lore_core::{Error, Result, Role};
use serde_json::{Value, json};

use super::records::{CampaignOut, EventOut, ParticipantOut, SessionOut};
use super::setting::{Setting, context_of};
use super::sheet_wire::CharacterOut;
use crate::call::Call;
use crate::resource::{Captures, Completer, Reader, Resource, UriPattern};
use crate::toolset::Toolset;

pub(super) fn resources() -> Vec<Resource> {
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
        resource(
            "campaign://{campaign_id}",
            "campaign",
            "Campaign",
            "One campaign by its id.",
            |call, captures| one_campaign(call, captures).boxed(),
        ),
        resource(
            "campaign://{campaign_id}/participants",
            "participant_list",
            "Participants",
            "Who sits at a campaign's table.",
            |call, captures| participants(call, captures).boxed(),
        ),
        resource(
            "campaign://{campaign_id}/characters",
            "character_list",
            "Characters",
            "The characters of a campaign that you may know of.",
            |call, captures| characters(call, captures).boxed(),
        ),
        resource(
            "campaign://{campaign_id}/sessions",
            "session_list",
            "Sessions",
            "The sessions of a campaign; a running one is ACTIVE.",
            |call, captures| sessions(call, captures).boxed(),
        ),
        resource(
            "session://{session_id}/events{?after_seq,before_seq,limit}",
            "session_events",
            "Session events",
            "What happened in a session, newest first, 100 at a time. Read on with before_seq, or \
             only what is new with after_seq.",
            |call, captures| events(call, captures).boxed(),
        ),
        Resource {
            complete: None,
            ..resource(
                "context://current",
                "context_current",
                "Current context",
                "What set_context has set in this conversation; unset parts are null.",
                |call, _| current_context(call).boxed(),
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
    }
}

async fn campaigns(call: Call) -> Result<Value> {
    let setting = Setting::of(&call, "campaigns://list", None, None)?;
    let rows = campaign::list(&setting.desk).await?;
    Ok(json!({ "campaigns": rows.into_iter().map(CampaignOut::from).collect::<Vec<_>>() }))
}

async fn one_campaign(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let found = campaign::get(&setting.desk, campaign_id(&captures)?).await?;
    Ok(json!({ "campaign": CampaignOut::from(found) }))
}

async fn participants(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let rows = participant::list(&setting.desk, campaign_id(&captures)?).await?;
    Ok(json!({ "participants": rows.into_iter().map(ParticipantOut::from).collect::<Vec<_>>() }))
}

async fn characters(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let rows = character::list(&setting.desk, campaign_id(&captures)?).await?;
    Ok(json!({ "characters": rows.into_iter().map(CharacterOut::from).collect::<Vec<_>>() }))
}

async fn sessions(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "campaign://", None, None)?;
    let rows = session::list(&setting.desk, campaign_id(&captures)?).await?;
    Ok(json!({ "sessions": rows.into_iter().map(SessionOut::from).collect::<Vec<_>>() }))
}

async fn events(call: Call, captures: Captures) -> Result<Value> {
    let setting = Setting::of(&call, "session://", None, None)?;
    let id = captures.get("session_id").map_or("", String::as_str);
    let uid = Thing::Session.read("session_id", id)?;
    let page = log::Page {
        after: number(&captures, "after_seq")?,
        before: number(&captures, "before_seq")?,
        limit: number(&captures, "limit")?,
    };
    let events = log::read(&setting.desk, uid, page).await?;
    let rows: Vec<_> = events.into_iter().map(|event| EventOut::new(uid, event)).collect();
    Ok(json!({ "events": rows }))
}

async fn current_context(call: Call) -> Result<Value> {
    let context = context_of(&call, None)?;
    Ok(json!({ "context": {
        "campaign_id": context.map(|context| Thing::Campaign.show(context.campaign)),
        "session_id": context.and_then(|c| c.session).map(|uid| Thing::Session.show(uid)),
        "participant_id": context.and_then(|c| c.participant).map(|uid| Thing::Participant.show(uid)),
    }}))
}

/// Suggests ids: of campaigns, or of the sessions of all campaigns.
async fn complete(call: Call, variable: String, typed: String) -> Result<Vec<String>> {
    let setting = Setting::of(&call, "completion", None, None)?;
    let campaigns = campaign::list(&setting.desk).await?;
    let mut ids = Vec::new();
    match variable.as_str() {
        "campaign_id" => ids.extend(campaigns.iter().map(|c| Thing::Campaign.show(c.node.uid))),
        "session_id" => {
            for campaign in campaigns {
                let sessions = session::list(&setting.desk, campaign.node.uid).await?;
                ids.extend(sessions.iter().map(|session| Thing::Session.show(session.node.uid)));
            }
        }
        _ => {}
    }
    ids.retain(|id| id.starts_with(typed.trim()));
    Ok(ids)
}

fn campaign_id(captures: &Captures) -> Result<lore_core::Uid> {
    Thing::Campaign.read("campaign_id", captures.get("campaign_id").map_or("", String::as_str))
}

fn number(captures: &Captures, name: &str) -> Result<Option<i64>> {
    let Some(text) = captures.get(name) else { return Ok(None) };
    let number = text.parse().ok().filter(|number| *number >= 0);
    number.map(Some).ok_or_else(|| {
        Error::invalid(name, "is not a whole number", "use digits only, such as ?before_seq=120")
    })
}

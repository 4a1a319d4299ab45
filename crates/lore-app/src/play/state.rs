//! Manual changes to character sheets. Each is an event in the log of the running session or,
//! between sessions, of the campaign.

use lore_core::{Error, Node, Result, Uid};
use lore_rules::table::StatePatch;
use lore_store::NodeRef;
use serde_json::json;

use super::call::{Plan, PlayCall};
use super::character::{changes_value, list_uri, put_sheet, sheet_uri};
use super::history::remember;
use super::ids::Thing;
use super::sheet::{self, Changed, FieldChange, ProfilePatch, REVIVE, Sheet};
use super::{campaign, context, rights};

/// Event kind of a changed profile.
const PROFILE: &str = "CHARACTER_PROFILE_PATCHED";

/// A sheet after a manual change.
#[derive(Debug, Clone)]
pub struct Patched {
    /// The character.
    pub character: Uid,
    /// The sheet after the change.
    pub sheet: Sheet,
    /// State values that were reduced because their maximum was lowered.
    pub clamped: Vec<FieldChange>,
}

/// Changes a character's profile: what it can do.
pub async fn patch_profile(
    call: &PlayCall,
    campaign: Option<Uid>,
    character: Uid,
    patch: &ProfilePatch,
) -> Result<Plan<Patched>> {
    change(call, campaign, character, PROFILE, |sheet| sheet.patch_profile(patch)).await
}

/// Changes a character's state: how it fares.
pub async fn patch_state(
    call: &PlayCall,
    campaign: Option<Uid>,
    character: Uid,
    patch: StatePatch,
) -> Result<Plan<Patched>> {
    change(call, campaign, character, "CHARACTER_STATE_PATCHED", |sheet| sheet.patch_state(patch))
        .await
}

/// Returns a character's sheet, if the viewer may see it.
pub async fn sheet_of(
    call: &PlayCall,
    campaign: Option<Uid>,
    character: Uid,
) -> Result<(Node, Sheet)> {
    let (node, _) = find(call, campaign, character).await?;
    let (sheet, _) = sheet::load(call, &node).await?;
    Ok((node, sheet))
}

async fn change(
    call: &PlayCall,
    campaign: Option<Uid>,
    character: Uid,
    kind: &str,
    decide: impl FnOnce(&Sheet) -> Result<Changed> + Send,
) -> Result<Plan<Patched>> {
    let (node, home) = find(call, campaign, character).await?;
    let rights = rights::in_campaign(call, &home).await?;
    rights.require(&node)?;
    let (before, version, visibility) = sheet::load_with_visibility(call, &node).await?;
    if !before.state.life.is_in_play() && !rights.is_gm() {
        let action = format!("{} is {}", node.name, before.state.life.as_str());
        return Err(Error::Forbidden { action, hint: REVIVE.into() });
    }
    let changed = decide(&before)?;
    let after = changed.sheet;
    let mut event = call.event(
        &rights,
        kind,
        &json!({
            "character_id": Thing::Character.show(node.uid),
            "applied_changes": changes_value(node.uid, &changed.changes),
        }),
    );
    event.character = Some(node.uid);
    event.visibility = visibility;
    let batch = call
        .batch()
        .change(put_sheet(NodeRef::Id(node.id), &after, version, visibility)?)
        .touch_for(visibility, list_uri(home.uid))
        .touch_for(visibility, sheet_uri(node.uid));
    let batch = remember(call, &home, batch, event).await?;
    let mut clamped = if kind == PROFILE { changed.changes } else { Vec::new() };
    clamped.retain(|change| change.field != "profile");
    Ok(Plan::new(batch, Patched { character, sheet: after, clamped }))
}

/// Finds a character and its campaign. Fails if `campaign` is another one.
async fn find(call: &PlayCall, campaign: Option<Uid>, character: Uid) -> Result<(Node, Node)> {
    let node = call.find(Thing::Character, character).await?;
    let home = campaign::home_of(call, &node, Thing::Character).await?;
    if let Some(wanted) = campaign.filter(|wanted| *wanted != home.uid) {
        let wanted = call.find(Thing::Campaign, wanted).await?;
        context::belongs(&node, &wanted, Thing::Character, "character_id")?;
    }
    Ok((node, home))
}

//! Manual changes to character sheets. Each is an event in the log of the running session or,
//! between sessions, of the campaign.

use lore_core::{Error, Node, Result, Uid};
use lore_rules::table::StatePatch;
use lore_store::NodeRef;
use serde_json::json;

use super::character::{changes_value, list_uri, put_sheet, sheet_uri};
use super::desk::{Desk, Plan};
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
    desk: &Desk,
    campaign: Option<Uid>,
    character: Uid,
    patch: &ProfilePatch,
) -> Result<Plan<Patched>> {
    change(desk, campaign, character, PROFILE, |sheet| sheet.patch_profile(patch)).await
}

/// Changes a character's state: how it fares.
pub async fn patch_state(
    desk: &Desk,
    campaign: Option<Uid>,
    character: Uid,
    patch: StatePatch,
) -> Result<Plan<Patched>> {
    change(desk, campaign, character, "CHARACTER_STATE_PATCHED", |sheet| sheet.patch_state(patch))
        .await
}

/// Returns a character's sheet, if the viewer may see it.
pub async fn sheet_of(desk: &Desk, campaign: Option<Uid>, character: Uid) -> Result<(Node, Sheet)> {
    let (node, _) = find(desk, campaign, character).await?;
    let (sheet, _) = sheet::load(desk, &node).await?;
    Ok((node, sheet))
}

async fn change(
    desk: &Desk,
    campaign: Option<Uid>,
    character: Uid,
    kind: &str,
    decide: impl FnOnce(&Sheet) -> Result<Changed> + Send,
) -> Result<Plan<Patched>> {
    let (node, home) = find(desk, campaign, character).await?;
    let rights = rights::in_campaign(desk, &home).await?;
    rights.require(&node)?;
    let (before, version, visibility) = sheet::load_with_visibility(desk, &node).await?;
    if !before.state.life.is_in_play() && !rights.is_gm() {
        let action = format!("{} is {}", node.name, before.state.life.as_str());
        return Err(Error::Forbidden { action, hint: REVIVE.into() });
    }
    let changed = decide(&before)?;
    let after = changed.sheet;
    let mut event = desk.event(
        &rights,
        kind,
        &json!({
            "character_id": Thing::Character.show(node.uid),
            "applied_changes": changes_value(node.uid, &changed.changes),
        }),
    );
    event.character = Some(node.uid);
    event.visibility = visibility;
    let batch = desk
        .batch()
        .change(put_sheet(NodeRef::Id(node.id), &after, version, visibility)?)
        .touch_for(visibility, list_uri(home.uid))
        .touch_for(visibility, sheet_uri(node.uid));
    let batch = remember(desk, &home, batch, event).await?;
    let mut clamped = if kind == PROFILE { changed.changes } else { Vec::new() };
    clamped.retain(|change| change.field != "profile");
    Ok(Plan::new(batch, Patched { character, sheet: after, clamped }))
}

/// Finds a character and its campaign. Fails if `campaign` is another one.
async fn find(desk: &Desk, campaign: Option<Uid>, character: Uid) -> Result<(Node, Node)> {
    let node = desk.find(Thing::Character, character).await?;
    let home = campaign::home_of(desk, &node, Thing::Character).await?;
    if let Some(wanted) = campaign.filter(|wanted| *wanted != home.uid) {
        let wanted = desk.find(Thing::Campaign, wanted).await?;
        context::belongs(&node, &wanted, Thing::Character, "character_id")?;
    }
    Ok((node, home))
}

//! Bringing a character into play: a new one, a page that exists, or a page that was played before.

use lore_core::{Node, Result, Role, Visibility, names};
use lore_store::{Batch, Change, NewNode, NodeRef};
use serde_json::json;

use super::call::{Plan, PlayCall};
use super::campaign;
use super::character::{Character, Kind, NewCharacter, check_notes, controls, put_sheet, touching};
use super::character_details::new_notes;
use super::former::Resumed;
use super::ids::Thing;
use super::participant::joins;
use super::played_page::{self, Embodied};
use super::rights::{self, Rights};
use super::sheet::Sheet;
use super::{CHARACTER, history, played, word};
use crate::preview::preview;

/// Creates a character with a starting sheet.
pub async fn create(call: &PlayCall, new: &NewCharacter) -> Result<Plan<Character>> {
    let home = call.find(Thing::Campaign, new.campaign).await?;
    let rights = rights::in_campaign(call, &home).await?;
    if new.kind == Kind::Npc {
        rights.require_gm()?;
    }
    check_notes(&new.notes)?;
    let secrecy = new.kind.secrecy();
    let (node, mut batch) = match new.page {
        Some(number) => match played_page::embody(call, &home, new, number).await? {
            Embodied::New(node, batch) => (node, batch),
            Embodied::Again(resumed) => return again(call, &rights, &home, resumed).await,
        },
        None => fresh(call, &home, new)?,
    };
    let uid = node.uid;
    batch = batch.change(Change::PutEdge(joins(uid, home.uid, secrecy)?));
    let notes = new.notes.trim();
    if !notes.is_empty() {
        let text = new_notes(call, NodeRef::Uid(uid), notes, secrecy)?;
        batch = batch.change(Change::CreateText(text));
    }
    // A player controls the character they create.
    let mut controller = None;
    if call.viewer.role < Role::Gm
        && let Rights::Player { participant, .. } = rights
    {
        batch = batch.change(Change::PutEdge(controls(participant, uid, secrecy)?));
        controller = Some(participant);
    }
    if secrecy == Visibility::Members {
        batch = batch.change(campaign::stir(&home, Visibility::Members));
    }
    let batch = touching(batch, home.uid, uid, secrecy);
    let payload = json!({
        "summary": format!("{} comes into play as {}", node.name, new.kind.as_str()),
        "character_id": Thing::Character.show(uid), "kind": new.kind.as_str(),
    });
    let mut event = call.event(&rights, "CHARACTER_CREATED", &payload);
    event.character = Some(uid);
    event.visibility = secrecy;
    let batch = history::remember(call, &home, batch, event).await?;
    let character =
        Character { node, campaign: home.uid, kind: new.kind, notes: notes.to_owned(), controller };
    Ok(Plan::new(batch, character))
}

/// Brings back the role that a page had in this campaign.
async fn again(
    call: &PlayCall,
    rights: &Rights,
    home: &Node,
    Resumed { node, role, changes }: Resumed,
) -> Result<Plan<Character>> {
    let mut batch = call.batch();
    batch.changes.extend(changes);
    let batch = campaign::back_into(call, Thing::Character, &node, (home, rights), batch).await?;
    let character = Character {
        campaign: home.uid,
        kind: Kind::of(&node),
        notes: role.notes().to_owned(),
        controller: role.controller(),
        node: Node { deleted_at: None, ..node },
    };
    Ok(Plan::new(batch, character))
}

/// Returns the node of a new character and the batch that creates it.
fn fresh(call: &PlayCall, home: &Node, new: &NewCharacter) -> Result<(Node, Batch)> {
    let name = names::checked_name("name", &new.name)?;
    let mut node = NewNode::new(call.app.effects.uid(), word(CHARACTER)?, name);
    node.subtype = Some(new.kind.as_str().into());
    node.visibility = new.kind.secrecy();
    played::begin(&mut node.properties, home.uid, new.kind);
    let sheet = Sheet::starting(new.kind.into())?;
    let sheet = put_sheet(NodeRef::Uid(node.uid), &sheet, 0, new.kind.secrecy())?;
    let batch = call.batch().change(Change::CreateNode(node.clone())).change(sheet);
    Ok((preview(&call.viewer, &node, call.app.effects.now()), batch))
}

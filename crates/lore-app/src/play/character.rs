//! Characters: creating, changing, revealing and listing them, and who controls them.
//!
//! A character is an ordinary node with a sheet. The existence of an NPC is hidden from players
//! until its name is revealed, and its sheet and notes until those are revealed. A page that
//! existed before it was played stays as visible as it was.

use std::collections::HashMap;

use lore_core::{Error, Node, Properties, Result, Text, Uid, Viewer, Visibility, names};
use lore_rules::table::CharacterKind;
use lore_store::{
    Batch, Bin, Change, Direction, EdgeRef, Expect, NewEdge, NewState, NodeKey, NodeRef,
};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::campaign::{self, find_live, home_of};
use super::character_details::{CharacterDetails, NOTES};
use super::ids::Thing;
use super::participant::{self, Seat};
use super::rights::{self, Rights};
use super::sheet::{self, Sheet};
use super::{CHARACTER, CONTROLS, history, played, word};
use crate::damage::spared;

pub use super::creation::create;

/// The maximum length of notes, in characters.
const NOTES_MAX: usize = 50_000;

/// Whether a character belongs to a player or to the game master.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A player character.
    Pc,
    /// A non-player character.
    Npc,
}

impl Kind {
    /// Its stored and displayed name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pc => "PC",
            Self::Npc => "NPC",
        }
    }

    /// The initial visibility of the sheet.
    pub(super) fn secrecy(self) -> Visibility {
        match self {
            Self::Pc => Visibility::Members,
            Self::Npc => Visibility::Gm,
        }
    }

    /// Reads the kind of a character. The table's own property counts, because everybody may change
    /// the subtype of a page. Older characters have only the subtype.
    pub(crate) fn of(node: &Node) -> Self {
        match played::kind(node).or(node.subtype.as_deref()) {
            Some("NPC") => Self::Npc,
            _ => Self::Pc,
        }
    }
}

impl From<Kind> for CharacterKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Pc => Self::Pc,
            Kind::Npc => Self::Npc,
        }
    }
}

/// How much of a character the players know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reveal {
    /// Not even that it exists.
    Nothing,
    /// Its name.
    Name,
    /// Its name, notes and sheet.
    Sheet,
}

/// The input for creating a character.
#[derive(Debug, Clone)]
pub struct NewCharacter {
    /// The campaign.
    pub campaign: Uid,
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// The notes.
    pub notes: String,
    /// The number of an existing page that becomes the character; `None` creates a new page.
    pub page: Option<i64>,
}

/// Changes to a character; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CharacterPatch {
    /// The new name.
    pub name: Option<String>,
    /// The new notes.
    pub notes: Option<String>,
    /// How much the players are to know from now on.
    pub reveal: Option<Reveal>,
    /// Whether to archive or restore it.
    pub archived: Option<bool>,
}

/// A character.
#[derive(Debug, Clone)]
pub struct Character {
    /// Its node.
    pub node: Node,
    /// Its campaign.
    pub campaign: Uid,
    /// Its kind.
    pub kind: Kind,
    /// Its notes, if the viewer may read them.
    pub notes: String,
    /// The participant who controls it; `None` is the GM.
    pub controller: Option<Uid>,
}

/// Changes or reveals a character, and archives it if requested.
pub async fn update(call: &PlayCall, uid: Uid, patch: &CharacterPatch) -> Result<Plan<Character>> {
    let node = find_live(call, Thing::Character, uid).await?;
    let home = home_of(call, &node, Thing::Character).await?;
    let rights = rights::in_campaign(call, &home).await?;
    let old = CharacterDetails::load(call, node, home.uid).await?;
    check_update(call, &rights, &old, patch).await?;
    let mut new = old.clone();
    if let Some(name) = &patch.name {
        new.character.node.name = names::checked_name("name", name)?;
    }
    if let Some(notes) = &patch.notes {
        check_notes(notes)?;
        notes.trim().clone_into(&mut new.character.notes);
    }
    if let Some(reveal) = patch.reveal {
        new.reveal(reveal);
    }
    let mut edits = new.edits("CHARACTER_UPDATED", &old);
    let mut batch = touching(call.batch(), home.uid, uid, new.shown_change(&old));
    if !edits.is_empty() {
        batch = new.store(call, &old, batch)?;
        new.character.node.updated.at = batch.at;
    }
    if patch.archived == Some(true) {
        // What was stored above has checked the version.
        let expect = match edits.is_empty() {
            true => Expect::Version(old.character.node.version),
            false => Expect::Any,
        };
        edits.note("archived", false, true);
        edits.keep(new.kept());
        edits.visibility = Visibility::Gm;
        batch = match played::is_on_page(&new.character.node) {
            true => new.end(Some(&home), expect, batch)?,
            false => batch.change(Change::DeleteNode(NodeRef::Uid(uid), Expect::Any)),
        };
        batch = batch.touch(campaign::archive_uri(home.uid));
    }
    if !edits.is_empty() && old.is_known() {
        let seen = match patch.archived {
            Some(true) => Visibility::Members,
            _ => new.shown_change(&old),
        };
        batch = batch.change(campaign::stir(&home, seen));
    }
    let batch = history::record(call, &rights, &home, batch, edits).await?;
    Ok(Plan::new(batch, new.character))
}

async fn check_update(
    call: &PlayCall,
    rights: &Rights,
    old: &CharacterDetails,
    patch: &CharacterPatch,
) -> Result<()> {
    let node = &old.character.node;
    let of_gm = patch.notes.is_some() && old.character.kind == Kind::Npc;
    if patch.reveal.is_some() || patch.archived.is_some() || of_gm {
        rights.require_gm()?;
    }
    rights.require(node)?;
    if matches!(patch.reveal, Some(Reveal::Nothing | Reveal::Name)) {
        may_hide(&call.app, &call.viewer, node, Visibility::Gm).await?;
    }
    Ok(())
}

/// Fails if a character may not get this visibility, no matter who asks: a player must see the
/// characters they control, and the GM every character of the table.
pub(crate) async fn may_hide(
    app: &crate::App,
    viewer: &Viewer,
    node: &Node,
    shown: Visibility,
) -> Result<()> {
    if campaign::of(node).is_none() || shown == Visibility::Members {
        return Ok(());
    }
    let controls = [word(CONTROLS)?];
    let edges = app.store.neighbours(viewer, &[node.id], Direction::In, &controls, 1).await?;
    let holders: Vec<_> = edges.into_iter().map(|edge| edge.source).collect();
    let holders = app.store.nodes(viewer, &holders).await?;
    if let Some(holder) = holders.iter().find(|node| participant::seat_of(node) == Seat::Player) {
        return Err(Error::Precondition {
            message: format!("{} is played by {}, who has to see it", node.name, holder.name),
            hint: "take it back first: character_control_set with controller GM".into(),
        });
    }
    if let Visibility::Private(_) = shown {
        return Err(Error::Precondition {
            message: format!("{} belongs to a table, whose GM has to see it", node.name),
            hint: "ask the GM to hide it from the others".into(),
        });
    }
    Ok(())
}

/// Whether changing the controller revealed a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// The players know as much as before.
    Plainly,
    /// The players now know the name and the sheet, because one of them controls the character.
    Revealed,
}

/// Sets who controls a character; `None` is the GM. Players see the characters they control, so the
/// name and sheet of a hidden character are revealed to them, but not its notes.
pub async fn set_controller(
    call: &PlayCall,
    campaign: Uid,
    character: Uid,
    controller: Option<Uid>,
) -> Result<Plan<Handed>> {
    let home = call.find(Thing::Campaign, campaign).await?;
    let rights = rights::in_campaign(call, &home).await?;
    rights.require_gm()?;
    let node = call.find(Thing::Character, character).await?;
    super::context::belongs(&node, &home, Thing::Character, "character_id")?;
    let participant = match controller {
        Some(uid) => Some(call.find(Thing::Participant, uid).await?),
        None => None,
    };
    let mut batch = call.batch();
    let held = rights::controller_of(call, &node).await?;
    if let Some(held) = held.filter(|held| participant.as_ref().map(|held| held.id) != Some(*held))
    {
        let edge = EdgeRef::Between {
            source: NodeRef::Id(held),
            target: NodeRef::Id(node.id),
            kind: word(CONTROLS)?,
        };
        batch = batch.change(Change::DeleteEdge(edge, Expect::Any));
    }
    let old = CharacterDetails::load(call, node, home.uid).await?;
    let mut new = old.clone();
    new.character.controller = controller;
    let mut handed = Handed::Plainly;
    if let Some(participant) = participant {
        super::context::belongs(&participant, &home, Thing::Participant, "controller")?;
        if participant::seat_of(&participant) == Seat::Player && !old.is_known() {
            new.lend();
            batch = new.store(call, &old, batch)?;
            handed = Handed::Revealed;
        }
        let shown = played::shown(&new.character.node);
        batch = batch.change(Change::PutEdge(controls(participant.uid, character, shown)?));
    }
    batch = touching(batch, home.uid, character, new.shown_change(&old));
    let edits = new.edits("CHARACTER_CONTROL_SET", &old);
    if old.is_known() && !edits.is_empty() {
        batch = batch.change(campaign::stir(&home, new.shown_change(&old)));
    }
    let batch = history::record(call, &rights, &home, batch, edits).await?;
    Ok(Plan::new(batch, handed))
}

/// Lists the characters the viewer may know of, oldest first. Damaged ones are left out.
pub async fn list(call: &PlayCall, campaign: Uid) -> Result<Vec<Character>> {
    let home = call.find(Thing::Campaign, campaign).await?;
    let mut characters = Vec::new();
    for node in campaign::members(call, &home, CHARACTER).await? {
        characters.extend(spared(read(call, node, campaign).await)?);
    }
    Ok(characters)
}

/// Lists the archived characters of a campaign, oldest first. What belongs to one cannot be seen
/// until it is restored. Only for the GM.
pub async fn list_archived(call: &PlayCall, campaign: Uid) -> Result<Vec<Character>> {
    let home = call.find(Thing::Campaign, campaign).await?;
    let nodes = campaign::archived_members(call, &home, Thing::Character).await?;
    Ok(nodes.into_iter().map(|node| bare(node, campaign)).collect())
}

/// Returns an archived character, for the GM.
pub async fn archived(call: &PlayCall, uid: Uid) -> Result<Option<Character>> {
    let found = campaign::archived_node(call, Thing::Character, uid).await?;
    Ok(found.and_then(|node| {
        let campaign = campaign::of(&node)?;
        Some(bare(node, campaign))
    }))
}

/// Creates the character of a node without notes and controller.
fn bare(node: Node, campaign: Uid) -> Character {
    let (kind, notes) = (Kind::of(&node), String::new());
    Character { kind, node, campaign, notes, controller: None }
}

/// Returns the number of a character's page. A new character gets it only when it is committed.
pub async fn page_number(call: &PlayCall, uid: Uid) -> Result<Option<i64>> {
    let live = call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await?;
    let found = match live {
        Some(node) => Some(node),
        None => campaign::archived_node(call, Thing::Character, uid).await?,
    };
    Ok(found.map(|node| node.number))
}

/// Returns one character.
pub async fn get(call: &PlayCall, uid: Uid) -> Result<Character> {
    let node = call.find(Thing::Character, uid).await?;
    let home = home_of(call, &node, Thing::Character).await?;
    read(call, node, home.uid).await
}

/// The change that stores a sheet that was read at `version`; 0 for a new one.
pub(crate) fn put_sheet(
    node: NodeRef,
    sheet: &Sheet,
    version: i64,
    visibility: Visibility,
) -> Result<Change> {
    Ok(Change::PutState(NewState {
        node,
        name: sheet::name()?,
        expect: Expect::Version(version),
        value: sheet.to_value(),
        visibility,
    }))
}

/// The URI of the list of a campaign's characters.
pub(crate) fn list_uri(campaign: Uid) -> String {
    format!("{}/characters", campaign::uri(campaign))
}

/// The URI of a character's sheet.
pub(crate) fn sheet_uri(character: Uid) -> String {
    format!("character://{}/sheet", Thing::Character.show(character))
}

/// Marks the resources that show a character as changed, for those who may know of it.
pub(super) fn touching(batch: Batch, campaign: Uid, character: Uid, shown: Visibility) -> Batch {
    batch
        .touch_for(shown, "campaigns://list")
        .touch_for(shown, campaign::uri(campaign))
        .touch_for(shown, list_uri(campaign))
        .touch_for(shown, sheet_uri(character))
}

async fn read(call: &PlayCall, node: Node, campaign: Uid) -> Result<Character> {
    let texts = call.app.store.texts_of(&call.viewer, node.id, Bin::Live).await?;
    let notes = texts.iter().find(|text| text.kind.as_str() == NOTES);
    shape(call, node, campaign, notes).await
}

pub(crate) async fn shape(
    call: &PlayCall,
    node: Node,
    campaign: Uid,
    notes: Option<&Text>,
) -> Result<Character> {
    let controller = match rights::controller_of(call, &node).await? {
        Some(id) => call.app.store.nodes(&call.viewer, &[id]).await?.first().map(|node| node.uid),
        None => None,
    };
    let kind = Kind::of(&node);
    let notes = notes.map(|text| text.body.clone()).unwrap_or_default();
    Ok(Character { node, campaign, kind, notes, controller })
}

/// The edge from a participant to a character they control.
pub(crate) fn controls(
    participant: Uid,
    character: Uid,
    visibility: Visibility,
) -> Result<NewEdge> {
    Ok(NewEdge {
        source: NodeRef::Uid(participant),
        target: NodeRef::Uid(character),
        kind: word(CONTROLS)?,
        weight: 1.0,
        visibility,
        properties: Properties::new(),
    })
}

pub(super) fn check_notes(notes: &str) -> Result<()> {
    if notes.chars().count() > NOTES_MAX {
        let limit = format!("{NOTES_MAX} characters");
        return Err(Error::TooLarge { what: "notes".into(), limit });
    }
    Ok(())
}

/// Finds the characters with these uids, in order. Fails if one is missing or belongs to another
/// campaign.
pub(crate) async fn find_all(
    call: &PlayCall,
    home: &Node,
    uids: &[Uid],
    field: &str,
) -> Result<Vec<Node>> {
    let found = call.app.store.nodes_by_uid(&call.viewer, uids).await?;
    let mut by_uid: HashMap<Uid, Node> = found.into_iter().map(|node| (node.uid, node)).collect();
    let mut nodes = Vec::with_capacity(uids.len());
    for uid in uids {
        let node = by_uid.remove(uid).filter(|node| node.kind.as_str() == CHARACTER);
        let node = node.ok_or_else(|| Thing::Character.unknown(&Thing::Character.show(*uid)))?;
        super::context::belongs(&node, home, Thing::Character, field)?;
        nodes.push(node);
    }
    Ok(nodes)
}

/// Returns the changes of a sheet as JSON for an event.
pub(crate) fn changes_value(character: Uid, changes: &[sheet::FieldChange]) -> Vec<Value> {
    let id = Thing::Character.show(character);
    changes
        .iter()
        .map(|change| {
            json!({
                "character_id": id, "field": change.field, "before": change.before,
                "after": change.after,
            })
        })
        .collect()
}

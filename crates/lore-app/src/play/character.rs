//! Characters: making, changing, revealing and listing them, and who moves them.
//!
//! A character is an ordinary node of the world with a sheet beside it. What is
//! the GM's stays the GM's: an NPC is hidden until its name is revealed, and its
//! sheet and notes until that is revealed, too.

use std::collections::HashMap;

use lore_core::{Error, Node, Properties, Result, Role, Uid, Visibility, names};
use lore_rules::table::CharacterKind;
use lore_store::{
    Bin, Change, EdgeRef, Expect, NewEdge, NewNode, NewState, NewText, NodePatch, NodeRef,
    TextPatch, TextRef,
};
use serde_json::{Value, json};

use super::campaign::{self, find_live, home_of, preview};
use super::desk::{Desk, Plan};
use super::ids::Thing;
use super::participant::joins;
use super::rights;
use super::sheet::{self, Sheet};
use super::{CAMPAIGN, CHARACTER, CONTROLS, word};

/// Longest notes, in characters.
const NOTES_MAX: usize = 50_000;

/// Whose a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A player's.
    Pc,
    /// The game master's.
    Npc,
}

impl Kind {
    /// Its stored and shown name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pc => "PC",
            Self::Npc => "NPC",
        }
    }

    fn of(node: &Node) -> Self {
        if node.subtype.as_deref() == Some("NPC") { Self::Npc } else { Self::Pc }
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

/// A character to make.
#[derive(Debug, Clone)]
pub struct NewCharacter {
    /// The campaign.
    pub campaign: Uid,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub kind: Kind,
    /// What is noted about it.
    pub notes: String,
}

/// Changes to a character; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct CharacterPatch {
    /// New name.
    pub name: Option<String>,
    /// New notes.
    pub notes: Option<String>,
    /// How much the players know from now on.
    pub reveal: Option<Reveal>,
    /// Into the archive, or out of it.
    pub archived: Option<bool>,
}

/// A character.
#[derive(Debug, Clone)]
pub struct Character {
    /// The node.
    pub node: Node,
    /// The campaign.
    pub campaign: Uid,
    /// Whose it is.
    pub kind: Kind,
    /// What is noted about it, as far as the viewer may read it.
    pub notes: String,
    /// The participant who moves it; `None` is the GM.
    pub controller: Option<Uid>,
}

/// Makes a character with the sheet everybody starts with.
pub async fn create(desk: &Desk, new: &NewCharacter) -> Result<Plan<Character>> {
    let home = desk.find(Thing::Campaign, new.campaign).await?;
    if new.kind == Kind::Npc {
        rights::in_campaign(desk, &home).await?.require_gm()?;
    }
    check_notes(&new.notes)?;
    let uid = desk.app.effects.uid();
    let name = names::checked_name("name", &new.name)?;
    let mut node = NewNode::new(uid, word(CHARACTER)?, name);
    node.subtype = Some(new.kind.as_str().into());
    node.properties.insert(CAMPAIGN.into(), json!(home.uid.to_string()));
    let secrecy = match new.kind {
        Kind::Pc => Visibility::Members,
        Kind::Npc => Visibility::Gm,
    };
    node.visibility = secrecy;
    let mut batch = desk
        .batch()
        .change(Change::CreateNode(node.clone()))
        .change(Change::PutEdge(joins(uid, home.uid)?))
        .change(put_sheet(NodeRef::Uid(uid), &Sheet::starting(new.kind.into())?, 0, secrecy)?);
    let notes = new.notes.trim();
    if !notes.is_empty() {
        batch =
            batch.change(Change::CreateText(notes_text(desk, NodeRef::Uid(uid), notes, secrecy)?));
    }
    // A player's token makes the character it will play.
    let mut controller = None;
    if desk.viewer.role < Role::Gm
        && let rights::Rights::Player { participant, .. } = rights::in_campaign(desk, &home).await?
    {
        batch = batch.change(Change::PutEdge(controls(participant, uid)?));
        controller = Some(participant);
    }
    for uri in touched(home.uid) {
        batch = batch.touch(uri);
    }
    let character = Character {
        node: preview(desk, node),
        campaign: home.uid,
        kind: new.kind,
        notes: notes.to_owned(),
        controller,
    };
    Ok(Plan::new(batch, character))
}

/// Changes a character, reveals it, or moves it into the archive and back.
pub async fn update(desk: &Desk, uid: Uid, patch: &CharacterPatch) -> Result<Plan<Character>> {
    let node = find_live(desk, Thing::Character, uid).await?;
    let home = home_of(desk, &node, Thing::Character).await?;
    let rights = rights::in_campaign(desk, &home).await?;
    if patch.reveal.is_some() || patch.archived.is_some() {
        rights.require_gm()?;
    }
    rights.require(&node)?;
    let mut character = shape(desk, node, home.uid).await?;
    let mut batch = desk.batch();
    if let Some(name) = &patch.name {
        character.node.name = names::checked_name("name", name)?;
    }
    let (shown, secrets) = patch.reveal.map_or((character.node.visibility, None), secrecy_of);
    let fields = NodePatch {
        name: Some(character.node.name.clone()),
        visibility: Some(shown),
        ..NodePatch::default()
    };
    let expect = Expect::Version(character.node.version);
    batch = batch.change(Change::UpdateNode(NodeRef::Uid(uid), expect, fields));
    if let Some(secrecy) = secrets {
        let (sheet, version) = sheet::load(desk, &character.node).await?;
        batch = batch.change(put_sheet(NodeRef::Uid(uid), &sheet, version, secrecy)?);
    }
    batch = change_notes(desk, batch, &mut character, patch.notes.as_deref(), secrets).await?;
    if patch.archived == Some(true) {
        batch = batch.change(Change::DeleteNode(NodeRef::Uid(uid), Expect::Any));
    }
    for uri in touched(home.uid) {
        batch = batch.touch(uri);
    }
    character.node.updated.at = batch.at;
    Ok(Plan::new(batch, character))
}

/// Says who moves a character; `None` is the GM.
pub async fn set_controller(
    desk: &Desk,
    campaign: Uid,
    character: Uid,
    controller: Option<Uid>,
) -> Result<Plan<()>> {
    let home = desk.find(Thing::Campaign, campaign).await?;
    rights::in_campaign(desk, &home).await?.require_gm()?;
    let node = desk.find(Thing::Character, character).await?;
    super::context::belongs(&node, &home, Thing::Character, "character_id")?;
    let mut batch = desk.batch();
    if let Some(old) = rights::controller_of(desk, &node).await? {
        let edge = EdgeRef::Between {
            source: NodeRef::Id(old),
            target: NodeRef::Id(node.id),
            kind: word(CONTROLS)?,
        };
        batch = batch.change(Change::DeleteEdge(edge, Expect::Any));
    }
    if let Some(uid) = controller {
        let participant = desk.find(Thing::Participant, uid).await?;
        super::context::belongs(&participant, &home, Thing::Participant, "controller")?;
        batch = batch.change(Change::PutEdge(controls(uid, character)?));
    }
    Ok(Plan::new(batch.touch(list_uri(home.uid)), ()))
}

/// Every character the viewer may know of, oldest first.
pub async fn list(desk: &Desk, campaign: Uid) -> Result<Vec<Character>> {
    let home = desk.find(Thing::Campaign, campaign).await?;
    let mut characters = Vec::new();
    for node in campaign::members(desk, &home, CHARACTER).await? {
        characters.push(shape(desk, node, campaign).await?);
    }
    Ok(characters)
}

/// One character.
pub async fn get(desk: &Desk, uid: Uid) -> Result<Character> {
    let node = desk.find(Thing::Character, uid).await?;
    let home = home_of(desk, &node, Thing::Character).await?;
    shape(desk, node, home.uid).await
}

/// The change that stores a sheet read at `version`; 0 when it is new.
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

/// The resource that lists a campaign's characters.
pub(crate) fn list_uri(campaign: Uid) -> String {
    format!("{}/characters", campaign::uri(campaign))
}

fn touched(campaign: Uid) -> [String; 3] {
    ["campaigns://list".into(), campaign::uri(campaign), list_uri(campaign)]
}

async fn shape(desk: &Desk, node: Node, campaign: Uid) -> Result<Character> {
    let texts = desk.app.store.texts_of(&desk.viewer, node.id, Bin::Live).await?;
    let notes = texts.into_iter().find(|text| text.kind.as_str() == NOTES).map(|text| text.body);
    let controller = match rights::controller_of(desk, &node).await? {
        Some(id) => desk.app.store.nodes(&desk.viewer, &[id]).await?.first().map(|node| node.uid),
        None => None,
    };
    let kind = Kind::of(&node);
    Ok(Character { node, campaign, kind, notes: notes.unwrap_or_default(), controller })
}

/// The kind of text that holds a character's notes.
const NOTES: &str = "notes";

fn notes_text(desk: &Desk, node: NodeRef, body: &str, visibility: Visibility) -> Result<NewText> {
    Ok(NewText { visibility, ..NewText::new(desk.app.effects.uid(), node, word(NOTES)?, body) })
}

/// Adds to the batch what new notes or a new secrecy of them need.
async fn change_notes(
    desk: &Desk,
    batch: lore_store::Batch,
    character: &mut Character,
    notes: Option<&str>,
    secrecy: Option<Visibility>,
) -> Result<lore_store::Batch> {
    if notes.is_none() && secrecy.is_none() {
        return Ok(batch);
    }
    let texts = desk.app.store.texts_of(&desk.viewer, character.node.id, Bin::Live).await?;
    let present = texts.into_iter().find(|text| text.kind.as_str() == NOTES);
    if let Some(notes) = notes {
        check_notes(notes)?;
        notes.trim().clone_into(&mut character.notes);
    }
    Ok(match present {
        Some(text) => {
            let body = notes.map(|notes| notes.trim().to_owned());
            let patch = TextPatch { body, visibility: secrecy, ..TextPatch::default() };
            batch.change(Change::UpdateText(
                TextRef::Id(text.id),
                Expect::Version(text.version),
                patch,
            ))
        }
        None if !character.notes.is_empty() => {
            // Notes are as secret as the sheet, even when the name is known.
            let unknown = match character.kind {
                Kind::Pc => character.node.visibility,
                Kind::Npc => Visibility::Gm,
            };
            let sheet = sheet::load_with_visibility(desk, &character.node).await;
            let as_sheet = sheet.map_or(unknown, |(.., visibility)| visibility);
            let visibility = secrecy.unwrap_or(as_sheet);
            let node = NodeRef::Uid(character.node.uid);
            batch.change(Change::CreateText(notes_text(desk, node, &character.notes, visibility)?))
        }
        None => batch,
    })
}

/// What a revelation means for the node, and for its sheet and notes.
fn secrecy_of(reveal: Reveal) -> (Visibility, Option<Visibility>) {
    match reveal {
        Reveal::Nothing => (Visibility::Gm, Some(Visibility::Gm)),
        Reveal::Name => (Visibility::Members, Some(Visibility::Gm)),
        Reveal::Sheet => (Visibility::Members, Some(Visibility::Members)),
    }
}

fn controls(participant: Uid, character: Uid) -> Result<NewEdge> {
    Ok(NewEdge {
        source: NodeRef::Uid(participant),
        target: NodeRef::Uid(character),
        kind: word(CONTROLS)?,
        weight: 1.0,
        visibility: Visibility::Members,
        properties: Properties::new(),
    })
}

fn check_notes(notes: &str) -> Result<()> {
    if notes.chars().count() > NOTES_MAX {
        let limit = format!("{NOTES_MAX} characters");
        return Err(Error::TooLarge { what: "notes".into(), limit });
    }
    Ok(())
}

/// Characters by uid, for the ones a use case is about.
pub(crate) async fn find_all(
    desk: &Desk,
    home: &Node,
    uids: &[Uid],
    field: &str,
) -> Result<Vec<Node>> {
    let found = desk.app.store.nodes_by_uid(&desk.viewer, uids).await?;
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

/// A JSON list of the field changes of a sheet, as events carry them.
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

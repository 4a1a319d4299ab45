//! Ending the role of somebody who has a page, and bringing it back. The page stays a page.
//!
//! A character that was made at the table has no other use, so archiving moves it to the bin with
//! everything that belongs to it. A page belongs to everybody: archiving its character only ends the
//! role. Sheet, notes and controller of the role are kept with the page, for the game master's side,
//! and the page can be played elsewhere.

use lore_core::names::Word;
use lore_core::{Error, Node, Result, Text, Uid, Visibility};
use lore_store::{Batch, Change, EdgeRef, Expect, NewState, NodeKey, NodePatch, NodeRef, TextRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::PlayCall;
use super::character::{Kind, controls};
use super::character_details::new_notes;
use super::ids::Thing;
use super::participant::joins;
use super::sheet::{self, Sheet};
use super::{CONTROLS, campaign, played, rights, word};

/// What belongs to a role.
#[derive(Serialize, Deserialize)]
pub(super) struct Role {
    sheet: Value,
    is_sheet_shown: bool,
    notes: String,
    are_notes_shown: bool,
    /// The uid of the participant who controls the character.
    controller: Option<String>,
}

impl Role {
    pub(super) fn new(
        (sheet, sheet_shown): (Option<&Sheet>, Visibility),
        (notes, notes_shown): (&str, Visibility),
        controller: Option<Uid>,
    ) -> Self {
        Self {
            sheet: sheet.map(Sheet::to_value).unwrap_or_default(),
            is_sheet_shown: sheet_shown == Visibility::Members,
            notes: notes.to_owned(),
            are_notes_shown: notes_shown == Visibility::Members,
            controller: controller.map(|uid| uid.to_string()),
        }
    }

    /// The notes.
    pub(super) fn notes(&self) -> &str {
        &self.notes
    }

    /// The participant who controlled the character.
    pub(super) fn controller(&self) -> Option<Uid> {
        self.controller.as_deref()?.parse().ok()
    }
}

/// Adds the changes that end the role of a page. `home` is its campaign, unless that is archived.
pub(super) fn end(
    node: &Node,
    home: Option<&Node>,
    (role, notes): (&Role, Option<&Text>),
    expect: Expect,
    mut batch: Batch,
) -> Result<Batch> {
    let Some(campaign) = campaign::of(node) else { return Ok(batch) };
    let mut page = node.clone();
    played::end(&mut page, batch.at);
    let patch = NodePatch {
        properties: Some(page.properties),
        seen: Some(played::shown(node)),
        ..NodePatch::default()
    };
    let value =
        serde_json::to_value(role).map_err(|error| Error::Bug { what: error.to_string() })?;
    batch = batch.change(Change::UpdateNode(NodeRef::Id(node.id), expect, patch)).change(
        Change::PutState(NewState {
            node: NodeRef::Id(node.id),
            name: document(campaign)?,
            expect: Expect::Any,
            value,
            visibility: Visibility::Gm,
        }),
    );
    if let Some(notes) = notes {
        batch = batch.change(Change::DeleteText(TextRef::Id(notes.id), Expect::Any));
    }
    if let Some(home) = home {
        let joined = EdgeRef::Between {
            source: NodeRef::Id(node.id),
            target: NodeRef::Id(home.id),
            kind: rights::membership()?,
        };
        batch = batch.change(Change::DeleteEdge(joined, Expect::Any));
    }
    Ok(match role.controller() {
        Some(holder) => {
            let held = EdgeRef::Between {
                source: NodeRef::Uid(holder),
                target: NodeRef::Id(node.id),
                kind: word(CONTROLS)?,
            };
            batch.change(Change::DeleteEdge(held, Expect::Any))
        }
        None => batch,
    })
}

/// The page of a role that ended, as the character it becomes again, and the changes for that.
pub(super) struct Resumed {
    pub(super) node: Node,
    pub(super) role: Role,
    pub(super) changes: Vec<Change>,
}

/// Plans bringing back the role that a page had in a campaign, if it had one.
pub(super) async fn resume(call: &PlayCall, page: &Node, home: Uid) -> Result<Option<Resumed>> {
    let Some(mut node) = played::former(page, home) else { return Ok(None) };
    let found = call.app.store.states(&call.viewer, &[page.id], &document(home)?).await?;
    let lost = || Error::Corrupt { what: format!("what {} was at the table", page.name) };
    let state = found.into_iter().next().ok_or_else(lost)?;
    let mut role: Role = serde_json::from_value(state.value).map_err(|_| lost())?;
    let shown = played::shown(&node);
    let patch = NodePatch {
        properties: Some(node.properties.clone()),
        seen: Some(shown),
        ..NodePatch::default()
    };
    let sheet = match &role.sheet {
        Value::Null => Sheet::starting(Kind::of(&node).into())?.to_value(),
        kept => kept.clone(),
    };
    let mut changes = vec![
        Change::UpdateNode(NodeRef::Id(page.id), Expect::Version(page.version), patch),
        Change::PutEdge(joins(page.uid, home, shown)?),
        Change::PutState(NewState {
            node: NodeRef::Id(page.id),
            name: sheet::name()?,
            expect: Expect::Any,
            value: sheet,
            visibility: seen(role.is_sheet_shown),
        }),
    ];
    if !role.notes.is_empty() {
        let shown = seen(role.are_notes_shown);
        changes.push(Change::CreateText(new_notes(
            call,
            NodeRef::Id(page.id),
            &role.notes,
            shown,
        )?));
    }
    // Somebody who has left the table meanwhile controls nobody.
    if let Some(holder) = role.controller() {
        let there = call.find(Thing::Participant, holder).await.is_ok();
        role.controller = role.controller.filter(|_| there);
    }
    if let Some(holder) = role.controller() {
        changes.push(Change::PutEdge(controls(holder, page.uid, shown)?));
    }
    node.updated.at = call.app.effects.now();
    Ok(Some(Resumed { node, role, changes }))
}

/// Returns the page with this uid, if it is not played now and was before.
pub(super) async fn page(call: &PlayCall, uid: Uid) -> Result<Option<Node>> {
    let found = call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await?;
    Ok(found.filter(|node| played::last_role(node).is_some()))
}

fn seen(is_shown: bool) -> Visibility {
    if is_shown { Visibility::Members } else { Visibility::Gm }
}

/// The state document with what belongs to the former role in a campaign.
fn document(campaign: Uid) -> Result<Word> {
    Word::new("state", &format!("role.{campaign}"))
}

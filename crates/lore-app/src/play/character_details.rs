//! A character with its sheet, notes and visibilities, for changing it and logging what changed.

use lore_core::{Node, Result, Text, Uid, Visibility};
use lore_store::{Batch, Bin, Change, Expect, NewText, NodePatch, NodeRef, TextPatch, TextRef};
use serde_json::{Value, json};

use super::call::PlayCall;
use super::character::{self, Character, Kind, Reveal, controls, put_sheet};
use super::former::{self, Role};
use super::history::Edits;
use super::ids::Thing;
use super::participant::joins;
use super::sheet::{self, Sheet};
use super::{played, word};

/// Text kind of a character's notes.
pub(crate) const NOTES: &str = "notes";

/// A character with its sheet and notes, and the visibility of each.
#[derive(Debug, Clone)]
pub(crate) struct CharacterDetails {
    /// The character.
    pub(crate) character: Character,
    /// The sheet and its version, if the viewer may see it.
    sheet: Option<(Sheet, i64)>,
    /// The visibility of the sheet.
    pub(crate) sheet_shown: Visibility,
    /// The text with the notes, if there is one.
    text: Option<Text>,
    /// The visibility of the notes.
    notes_shown: Visibility,
    /// The number of other texts.
    other_texts: usize,
}

impl CharacterDetails {
    pub(crate) async fn load(call: &PlayCall, node: Node, campaign: Uid) -> Result<Self> {
        let texts = call.app.store.texts_of(&call.viewer, node.id, Bin::Live).await?;
        let is_notes = |text: &Text| text.kind.as_str() == NOTES;
        let other_texts = texts.iter().filter(|text| !is_notes(text)).count();
        let text = texts.into_iter().find(is_notes);
        let character = character::shape(call, node, campaign, text.as_ref()).await?;
        let sheet = sheet::load_with_visibility(call, &character.node).await.ok();
        let unseen = match character.kind {
            Kind::Pc => character.node.visibility,
            Kind::Npc => Visibility::Gm,
        };
        let sheet_shown = sheet.as_ref().map_or(unseen, |(.., visibility)| *visibility);
        // Notes are as hidden as the sheet, even if the name is known. But a player who controls an
        // NPC sees its sheet and not the GM's notes about it.
        let lent = character.kind == Kind::Npc && character.controller.is_some();
        let unwritten = if lent { Visibility::Gm } else { sheet_shown };
        let notes_shown = text.as_ref().map_or(unwritten, |text| text.visibility);
        let sheet = sheet.map(|(sheet, version, _)| (sheet, version));
        Ok(Self { character, sheet, sheet_shown, text, notes_shown, other_texts })
    }

    /// Whether the players know both the name and the sheet.
    pub(crate) fn is_known(&self) -> bool {
        self.name_shown() == Visibility::Members && self.sheet_shown == Visibility::Members
    }

    /// Returns who knows that the character is at the table.
    fn name_shown(&self) -> Visibility {
        played::shown(&self.character.node)
    }

    /// Sets how much the players know. A page that was visible before stays visible.
    pub(crate) fn reveal(&mut self, reveal: Reveal) {
        let (name, rest) = match reveal {
            Reveal::Nothing => (Visibility::Gm, Visibility::Gm),
            Reveal::Name => (Visibility::Members, Visibility::Gm),
            Reveal::Sheet => (Visibility::Members, Visibility::Members),
        };
        self.show_name(name);
        self.sheet_shown = rest;
        self.notes_shown = rest;
    }

    fn show_name(&mut self, to: Visibility) {
        let node = &mut self.character.node;
        if to == Visibility::Members || !played::was_open(node) {
            node.visibility = to;
        }
        played::show(&mut node.properties, to);
    }

    /// Reveals the name and the sheet, which a player who controls the character must see.
    pub(crate) fn lend(&mut self) {
        self.show_name(Visibility::Members);
        self.sheet_shown = Visibility::Members;
    }

    /// Returns the changes since `old`, for the log.
    pub(crate) fn edits(&self, kind: &'static str, old: &Self) -> Edits {
        let (new, was) = (&self.character, &old.character);
        let mut edits = Edits::of(kind, Thing::Character, &was.node);
        edits.note("name", was.node.name.as_str(), new.node.name.as_str());
        edits.note("notes", was.notes.as_str(), new.notes.as_str());
        edits.note("reveal", old.shown(), self.shown());
        edits.note("controller", controller(was.controller), controller(new.controller));
        if !(old.is_known() && self.is_known()) || self.has_secret_notes(old) {
            edits.visibility = Visibility::Gm;
        }
        edits
    }

    /// Returns who may notice the change: everybody, if players knew of the character before or
    /// know of it now, unless only notes changed that they may not read.
    pub(crate) fn shown_change(&self, old: &Self) -> Visibility {
        let (new, was) = (&self.character, &old.character);
        let same = (&new.node.name, new.controller, self.shown())
            == (&was.node.name, was.controller, old.shown());
        let known = [self.name_shown(), old.name_shown()].contains(&Visibility::Members);
        match known && !(same && self.has_secret_notes(old)) {
            true => Visibility::Members,
            false => Visibility::Gm,
        }
    }

    fn has_secret_notes(&self, old: &Self) -> bool {
        let secret = [self.notes_shown, old.notes_shown].contains(&Visibility::Gm);
        secret && self.character.notes != old.character.notes
    }

    /// Adds the changes that store this state of the character to a batch.
    pub(crate) fn store(&self, call: &PlayCall, old: &Self, mut batch: Batch) -> Result<Batch> {
        let node = &self.character.node;
        let recast = node.properties != old.character.node.properties;
        let fields = NodePatch {
            name: Some(node.name.clone()),
            visibility: Some(node.visibility),
            properties: recast.then(|| node.properties.clone()),
            ..NodePatch::default()
        };
        let expect = Expect::Version(old.character.node.version);
        batch = batch.change(Change::UpdateNode(NodeRef::Id(node.id), expect, fields));
        if let (Some((sheet, version)), true) = (&self.sheet, self.sheet_shown != old.sheet_shown) {
            let sheet = put_sheet(NodeRef::Id(node.id), sheet, *version, self.sheet_shown)?;
            batch = batch.change(sheet);
        }
        if recast {
            batch = self.store_edges(batch)?;
        }
        self.store_notes(call, old, batch)
    }

    /// Adds the edges of membership and control, which are as hidden as the character.
    fn store_edges(&self, batch: Batch) -> Result<Batch> {
        let (uid, shown) = (self.character.node.uid, self.name_shown());
        let batch = batch.change(Change::PutEdge(joins(uid, self.character.campaign, shown)?));
        Ok(match self.character.controller {
            Some(seat) => batch.change(Change::PutEdge(controls(seat, uid, shown)?)),
            None => batch,
        })
    }

    fn store_notes(&self, call: &PlayCall, old: &Self, batch: Batch) -> Result<Batch> {
        let notes = &self.character.notes;
        let same = *notes == old.character.notes && self.notes_shown == old.notes_shown;
        Ok(match &self.text {
            _ if same => batch,
            Some(text) => {
                let (body, visibility) = (Some(notes.clone()), Some(self.notes_shown));
                let patch = TextPatch { body, visibility, ..TextPatch::default() };
                let expect = Expect::Version(text.version);
                batch.change(Change::UpdateText(TextRef::Id(text.id), expect, patch))
            }
            None if notes.is_empty() => batch,
            None => {
                let node = NodeRef::Id(self.character.node.id);
                batch.change(Change::CreateText(new_notes(call, node, notes, self.notes_shown)?))
            }
        })
    }

    /// Returns what becomes inaccessible when the character is archived, for its event.
    pub(crate) fn kept(&self) -> Value {
        json!({
            "sheet": self.sheet.as_ref().map(|(sheet, _)| sheet.to_value()),
            "notes": self.character.notes,
            "reveal": self.shown(),
            "controller": controller(self.character.controller),
            "other_texts": self.other_texts,
        })
    }

    /// Adds the changes that end the role of a page. `home` is its campaign, unless that is archived.
    pub(crate) fn end(&self, home: Option<&Node>, expect: Expect, batch: Batch) -> Result<Batch> {
        let character = &self.character;
        let sheet = (self.sheet.as_ref().map(|(sheet, _)| sheet), self.sheet_shown);
        let notes = (character.notes.as_str(), self.notes_shown);
        let role = Role::new(sheet, notes, character.controller);
        former::end(&character.node, home, (&role, self.text.as_ref()), expect, batch)
    }

    fn shown(&self) -> Value {
        let is = |visibility: Visibility| visibility == Visibility::Members;
        json!({
            "name": is(self.name_shown()), "sheet": is(self.sheet_shown),
            "notes": is(self.notes_shown),
        })
    }
}

/// Creates a text with notes.
pub(crate) fn new_notes(
    call: &PlayCall,
    node: NodeRef,
    body: &str,
    visibility: Visibility,
) -> Result<NewText> {
    Ok(NewText { visibility, ..NewText::new(call.app.effects.uid(), node, word(NOTES)?, body) })
}

/// Returns the controller of a character as events show it.
fn controller(participant: Option<Uid>) -> String {
    participant.map_or_else(|| "GM".to_owned(), |uid| Thing::Participant.show(uid))
}

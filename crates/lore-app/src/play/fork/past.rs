//! The state of a campaign at a past event: the present with all later changes undone, newest
//! first. What the logs do not contain is not guessed but listed as not rewound.

use std::collections::{HashMap, HashSet};

use lore_core::{Error, Event, Node, Properties, Result, Text, Timestamp, Uid, Visibility};
use lore_store::{Bin, EventOrder, EventQuery};
use serde_json::{Value, json};

use crate::play::call::PlayCall;
use crate::play::change_collector::told;
use crate::play::character_details::NOTES;
use crate::play::history::NOTES_LEFT_OUT;
use crate::play::ids::Thing;
use crate::play::sheet::{self, Sheet};
use crate::play::table::{self, Table};
use crate::play::{CHARACTER, PARTICIPANT, SESSION, campaign, context, played, rights};

/// The state of a campaign at some time.
pub(super) struct Past {
    pub(super) table: Table,
    /// The name of the campaign.
    pub(super) name: String,
    /// The properties of the campaign.
    pub(super) properties: Properties,
    pub(super) people: Vec<Node>,
    pub(super) characters: Vec<PastCharacter>,
    /// Descriptions of what may not be as it was.
    pub(super) not_rewound: Vec<String>,
    /// Archived participants and characters that are not part of the campaign at the time reached
    /// so far.
    away: HashMap<Uid, Node>,
    /// Members whose restoring was undone, with the time when they had been archived. They return
    /// to the campaign once that time is passed.
    awaited: Vec<(Timestamp, Member)>,
    /// The changes of nodes that the logs contain.
    recorded: HashSet<(Uid, Timestamp)>,
}

/// A participant or character of a campaign.
enum Member {
    Person(Box<Node>),
    Character(Box<PastCharacter>),
}

/// A character at some time.
#[derive(Debug, Clone)]
pub(super) struct PastCharacter {
    pub(super) node: Node,
    pub(super) sheet: Sheet,
    pub(super) sheet_shown: Visibility,
    pub(super) notes: String,
    pub(super) notes_shown: Visibility,
    /// Its texts other than the notes.
    pub(super) texts: Vec<Text>,
    /// The participant who controls it; `None` is the GM.
    pub(super) controller: Option<Uid>,
    /// When its notes and its controller last changed.
    dated: [Option<Timestamp>; 2],
}

impl Past {
    /// Loads the present state.
    pub(super) async fn load(call: &PlayCall, home: &Node) -> Result<Self> {
        let (table, _) = table::load(call, home).await?;
        let mut characters = Vec::new();
        for node in campaign::members(call, home, CHARACTER).await? {
            characters.push(PastCharacter::load(call, node).await?);
        }
        Ok(Self {
            table,
            name: home.name.clone(),
            properties: home.properties.clone(),
            people: campaign::members(call, home, PARTICIPANT).await?,
            characters,
            not_rewound: Vec::new(),
            away: HashMap::new(),
            awaited: Vec::new(),
            recorded: HashSet::new(),
        })
    }

    /// Undoes everything after an event.
    pub(super) async fn rewind(
        &mut self,
        call: &PlayCall,
        home: &Node,
        session: Uid,
        sequence: i64,
    ) -> Result<()> {
        let node = call.find(Thing::Session, session).await?;
        context::belongs(&node, home, Thing::Session, "session_id")?;
        let moment = moment_of(call, &node, sequence).await?;
        let sessions = campaign::members(call, home, SESSION).await?;
        for thing in [Thing::Participant, Thing::Character] {
            let archived = campaign::archived_members(call, home, thing).await?;
            self.away.extend(archived.into_iter().map(|node| (node.uid, node)));
        }
        for event in later_events(call, home, &sessions, &node, sequence, moment).await? {
            self.undo(&event);
        }
        self.put_back(|archived| archived > moment);
        self.drop_later(moment);
        let begun = sessions.iter().filter(|session| session.created.at <= moment).count();
        self.table.sessions = u32::try_from(begun).unwrap_or(u32::MAX);
        self.doubt(moment);
        Ok(())
    }

    /// Puts back the awaited members who were archived at a time that is undone.
    fn put_back(&mut self, is_undone: impl Fn(Timestamp) -> bool) {
        for (_, member) in self.awaited.extract_if(.., |(archived, _)| is_undone(*archived)) {
            match member {
                Member::Person(node) => self.people.push(*node),
                Member::Character(character) => self.characters.push(*character),
            }
        }
    }

    fn undo(&mut self, event: &Event) {
        self.put_back(|archived| archived >= event.at);
        let payload = told(event);
        let changes = payload.get("applied_changes").and_then(Value::as_array);
        for change in changes.into_iter().flatten().rev() {
            let field = change.get("field").and_then(Value::as_str).unwrap_or_default();
            let before = change.get("before").cloned().unwrap_or_default();
            let of = |thing: Thing| {
                let id = change.get(format!("{}_id", thing.name()))?.as_str()?;
                thing.read("id", id).ok()
            };
            if let Some(uid) = of(Thing::Character).or_else(|| of(Thing::Participant)) {
                self.recorded.insert((uid, event.at));
            }
            if change.get("before_left_out").is_some() {
                self.not_rewound.push(format!("the {field} of before: too long for the log"));
            } else if let Some(uid) = of(Thing::Character) {
                self.undo_character(uid, field, &before, payload.get("kept"));
            } else if let Some(uid) = of(Thing::Participant) {
                self.undo_person(uid, field, &before, payload.get("kept"));
            } else if of(Thing::Campaign).is_some() {
                self.undo_campaign(field, before);
            } else {
                self.undo_table(field, &before);
            }
        }
    }

    fn undo_campaign(&mut self, field: &str, before: Value) {
        match (field, before) {
            ("name", Value::String(name)) => self.name = name,
            (_, before) => drop(self.properties.insert(field.to_owned(), before)),
        }
    }

    fn undo_table(&mut self, field: &str, before: &Value) {
        match field {
            "gm_fear" => self.table.gm_fear = before.as_i64().unwrap_or(self.table.gm_fear),
            "short_rests" => {
                let rests = before.as_u64().and_then(|rests| u8::try_from(rests).ok());
                self.table.short_rests = rests.unwrap_or(self.table.short_rests);
            }
            "countdowns" => self.table.countdowns = before.clone(),
            _ => {}
        }
    }

    fn undo_person(&mut self, uid: Uid, field: &str, before: &Value, kept: Option<&Value>) {
        if field == "archived" {
            if before == &json!(true) {
                for node in self.people.extract_if(.., |node| node.uid == uid) {
                    match archived_at(kept) {
                        Some(at) => self.awaited.push((at, Member::Person(Box::new(node)))),
                        None => drop(self.away.insert(uid, node)),
                    }
                }
            } else if let Some(node) = self.away.remove(&uid) {
                self.people.push(node);
            }
            return;
        }
        let Some(node) = self.people.iter_mut().find(|node| node.uid == uid) else { return };
        match (field, before.as_str()) {
            ("display_name", Some(name)) => name.clone_into(&mut node.name),
            _ => {
                node.properties.insert(field.to_owned(), before.clone());
            }
        }
    }

    fn undo_character(&mut self, uid: Uid, field: &str, before: &Value, kept: Option<&Value>) {
        if field != "archived" {
            let found = self.characters.iter_mut().find(|found| found.node.uid == uid);
            if let Some(character) = found {
                character.undo(field, before);
            }
        } else if before == &json!(true) {
            for found in self.characters.extract_if(.., |found| found.node.uid == uid) {
                match archived_at(kept) {
                    Some(at) => self.awaited.push((at, Member::Character(Box::new(found)))),
                    None => drop(self.away.insert(uid, found.node)),
                }
            }
        } else if let Some(node) = self.away.remove(&uid) {
            let name = node.name.clone();
            let others = kept.and_then(|kept| kept.get("other_texts")?.as_u64());
            if others != Some(0) {
                self.not_rewound.push(format!("texts of {name} besides its notes"));
            }
            if kept.is_some_and(|kept| kept.get(NOTES_LEFT_OUT).is_some()) {
                self.not_rewound.push(format!("the notes of {name}: too long for the log"));
            }
            match kept.and_then(|kept| PastCharacter::kept(node, kept)) {
                Some(character) => self.characters.push(character),
                None => self.not_rewound.push(format!("{name}, whose sheet is archived")),
            }
        }
    }

    /// Removes what was created after a time.
    fn drop_later(&mut self, moment: Timestamp) {
        self.people.retain(|node| node.created.at <= moment);
        self.characters.retain(|character| played::since(&character.node) <= moment);
        for character in &mut self.characters {
            character.texts.retain(|text| text.created.at <= moment);
        }
        self.people.sort_by_key(|node| node.id);
        self.characters.sort_by_key(|character| character.node.id);
    }

    /// Lists what changed after a time without an event that contains the previous value: through
    /// other doors, or before such changes were recorded.
    fn doubt(&mut self, moment: Timestamp) {
        let unknown = |uid: Uid, at: Timestamp| at > moment && !self.recorded.contains(&(uid, at));
        let mut doubts = Vec::new();
        for node in &self.people {
            let at = node.updated.at;
            if unknown(node.uid, at) && rights::taken_at(node) != Some(at) {
                doubts.push(format!("name and role of {}", node.name));
            }
        }
        for PastCharacter { node, texts, dated, .. } in &self.characters {
            let [notes, control] = *dated;
            let texts = texts.iter().map(|text| text.updated.at).max();
            let parts = [
                ("name and visibility", Some(node.updated.at)),
                ("notes", notes),
                ("controller", control),
                ("texts", texts),
            ];
            let changed =
                parts.into_iter().filter(|(_, at)| at.is_some_and(|at| unknown(node.uid, at)));
            doubts.extend(changed.map(|(what, _)| format!("{what} of {}", node.name)));
        }
        let gone = |node: &&Node| {
            played::since(node) <= moment && node.deleted_at.is_some_and(|at| unknown(node.uid, at))
        };
        let gone = self.away.values().filter(gone);
        doubts.extend(gone.map(|node| format!("{}, archived since", node.name)));
        doubts.sort();
        self.not_rewound.append(&mut doubts);
    }
}

impl PastCharacter {
    async fn load(call: &PlayCall, node: Node) -> Result<Self> {
        let store = &call.app.store;
        let (sheet, _, sheet_shown) = sheet::load_with_visibility(call, &node).await?;
        let mut texts = store.texts_of(&call.viewer, node.id, Bin::Live).await?;
        let notes = texts.extract_if(.., |text| text.kind.as_str() == NOTES).next();
        let control = rights::control_of(call, &node).await?;
        let controller = match &control {
            Some(edge) => store.nodes(&call.viewer, &[edge.source]).await?.first().map(|n| n.uid),
            None => None,
        };
        Ok(Self {
            node,
            sheet,
            sheet_shown,
            notes_shown: notes.as_ref().map_or(sheet_shown, |text| text.visibility),
            dated: [notes.as_ref().map(|text| text.updated.at), control.map(|e| e.created.at)],
            notes: notes.map(|text| text.body).unwrap_or_default(),
            texts,
            controller,
        })
    }

    /// Restores a character that is archived now from what its archiving event contains.
    fn kept(node: Node, kept: &Value) -> Option<Self> {
        let mut character = Self {
            node,
            sheet: Sheet::from_value(kept.get("sheet")?.clone()).ok()?,
            sheet_shown: Visibility::Gm,
            notes: String::new(),
            notes_shown: Visibility::Gm,
            texts: Vec::new(),
            controller: None,
            dated: [None, None],
        };
        for field in ["notes", "reveal", "controller"] {
            character.undo(field, kept.get(field).unwrap_or(&Value::Null));
        }
        Some(character)
    }

    fn undo(&mut self, field: &str, before: &Value) {
        match (field, before) {
            ("name", Value::String(name)) => self.node.name.clone_from(name),
            ("notes", Value::String(notes)) => self.notes.clone_from(notes),
            ("controller", Value::String(id)) => {
                self.controller = Thing::Participant.read("controller", id).ok();
            }
            ("reveal", Value::Object(shown)) => {
                let to = |what: &str| match shown.get(what) {
                    Some(Value::Bool(true)) => Visibility::Members,
                    _ => Visibility::Gm,
                };
                self.node.visibility = to("name");
                played::show(&mut self.node.properties, to("name"));
                self.sheet_shown = to("sheet");
                self.notes_shown = to("notes");
            }
            _ => self.sheet.set_back(field, before),
        }
    }
}

/// Returns the time at which a restored member had been archived, from the event of restoring them.
fn archived_at(kept: Option<&Value>) -> Option<Timestamp> {
    kept?.get("archived_at")?.as_str()?.parse().ok()
}

/// Returns all events in a campaign after an event, newest first.
async fn later_events(
    call: &PlayCall,
    home: &Node,
    sessions: &[Node],
    session: &Node,
    sequence: i64,
    moment: Timestamp,
) -> Result<Vec<Event>> {
    let mut later = events_after(call, session, sequence).await?;
    let others = sessions.iter().filter(|other| other.id != session.id);
    for log in others.chain([home]) {
        let events = events_after(call, log, 0).await?;
        later.extend(events.into_iter().filter(|event| event.at > moment));
    }
    later.sort_by_key(|event| std::cmp::Reverse((event.at, event.sequence)));
    Ok(later)
}

async fn moment_of(call: &PlayCall, session: &Node, sequence: i64) -> Result<Timestamp> {
    let query = EventQuery {
        after: Some(sequence.saturating_sub(1)),
        before: Some(sequence.saturating_add(1)),
        ..EventQuery::default()
    };
    let found = call.app.store.events(&call.viewer, session.id, query).await?;
    found.first().map(|event| event.at).ok_or_else(|| {
        Error::not_found(
            format!("event {sequence} of this session"),
            "read session://{session_id}/events for the events there are",
        )
    })
}

async fn events_after(call: &PlayCall, log: &Node, sequence: i64) -> Result<Vec<Event>> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().map_or(sequence, |event| event.sequence);
        let query = EventQuery {
            after: Some(after),
            order: EventOrder::Ascending,
            limit: 1_000,
            ..EventQuery::default()
        };
        let page = call.app.store.events(&call.viewer, log.id, query).await?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}

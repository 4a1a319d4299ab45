//! Forking a campaign: the same people and characters, as they were at an event.
//!
//! Every change of a sheet or of the table is an event with what it was before. So
//! a past state is the present one with the later changes undone, newest first.

use std::collections::HashMap;

use lore_core::{Event, Node, Result, Timestamp, Uid, Visibility, names};
use lore_store::{
    Batch, Bin, Change, EventOrder, EventQuery, NewEdge, NewNode, NewState, NewText, NodeRef,
};
use serde_json::{Value, json};

use super::campaign::{self, Campaign, GmMode, preview};
use super::character::put_sheet;
use super::desk::{Desk, Plan};
use super::ids::Thing;
use super::participant::joins;
use super::sheet::{self, Sheet};
use super::table::{self, Table};
use super::{CAMPAIGN, CHARACTER, CONTROLS, PARTICIPANT, SESSION, rights, word};

/// Where to fork.
#[derive(Debug, Clone)]
pub struct Fork {
    /// The campaign.
    pub campaign: Uid,
    /// The event after which the fork goes its own way; now, when there is none.
    pub at: Option<(Uid, i64)>,
    /// The name of the fork.
    pub name: Option<String>,
}

/// Plans a fork.
pub async fn fork(desk: &Desk, wanted: &Fork) -> Result<Plan<Campaign>> {
    let home = desk.find(Thing::Campaign, wanted.campaign).await?;
    rights::in_campaign(desk, &home).await?.require_gm()?;
    let mut past = Past::load(desk, &home).await?;
    if let Some((session, sequence)) = wanted.at {
        past.rewind(desk, &home, session, sequence).await?;
    }
    // Sessions stay with the original.
    past.table.set_active_session(None);
    let name = match &wanted.name {
        Some(name) => names::checked_name("name", name)?,
        None => format!("{} (fork)", home.name),
    };
    let mut copy = Copy { desk, batch: desk.batch(), uids: HashMap::new() };
    let node = copy.campaign(&home, name, wanted, &past)?;
    copy.people(&home).await?;
    copy.characters(&past, &home).await?;
    let answer = Campaign {
        gm_mode: GmMode::read(home.properties.get("gm_mode")),
        theme_prompt: theme(&home),
        participant_count: campaign::members(desk, &home, PARTICIPANT).await?.len(),
        character_count: past.sheets.len(),
        table: past.table,
        node: preview(desk, node),
    };
    let batch = copy.batch.touch("campaigns://list").touch(campaign::uri(answer.node.uid));
    Ok(Plan::new(batch, answer))
}

/// The state of a campaign at some moment.
struct Past {
    table: Table,
    sheets: Vec<(Node, Sheet, Visibility)>,
}

impl Past {
    /// The present.
    async fn load(desk: &Desk, home: &Node) -> Result<Self> {
        let (table, _) = table::load(desk, home).await?;
        let mut sheets = Vec::new();
        for node in campaign::members(desk, home, CHARACTER).await? {
            let (sheet, _, visibility) = sheet::load_with_visibility(desk, &node).await?;
            sheets.push((node, sheet, visibility));
        }
        Ok(Self { table, sheets })
    }

    /// Undoes everything after an event.
    async fn rewind(
        &mut self,
        desk: &Desk,
        home: &Node,
        session: Uid,
        sequence: i64,
    ) -> Result<()> {
        let node = desk.find(Thing::Session, session).await?;
        super::context::belongs(&node, home, Thing::Session, "session_id")?;
        let moment = moment_of(desk, &node, sequence).await?;
        let mut later = events_after(desk, &node, sequence).await?;
        let mut logs = campaign::members(desk, home, SESSION).await?;
        logs.retain(|other| other.id != node.id);
        logs.push(home.clone());
        for log in &logs {
            let events = events_after(desk, log, 0).await?;
            later.extend(events.into_iter().filter(|event| event.at > moment));
        }
        later.sort_by_key(|event| std::cmp::Reverse((event.at, event.sequence)));
        for event in later {
            self.undo(&event);
        }
        Ok(())
    }

    fn undo(&mut self, event: &Event) {
        let payload: Value = serde_json::from_str(&event.payload).unwrap_or_default();
        let changes = payload.get("applied_changes").and_then(Value::as_array);
        for change in changes.into_iter().flatten().rev() {
            let field = change.get("field").and_then(Value::as_str).unwrap_or_default();
            let before = change.get("before").cloned().unwrap_or_default();
            match change.get("character_id").and_then(Value::as_str) {
                Some(id) => self.undo_sheet(id, field, &before),
                None => self.undo_table(field, &before),
            }
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

    fn undo_sheet(&mut self, id: &str, field: &str, before: &Value) {
        let found = self.sheets.iter_mut().find(|(node, ..)| Thing::Character.show(node.uid) == id);
        if let Some((_, sheet, _)) = found {
            sheet.set_back(field, before);
        }
    }
}

/// Copies a campaign into a batch.
struct Copy<'a> {
    desk: &'a Desk,
    batch: Batch,
    /// From the old participants and the campaign to the new ones.
    uids: HashMap<Uid, Uid>,
}

impl Copy<'_> {
    fn campaign(
        &mut self,
        home: &Node,
        name: String,
        wanted: &Fork,
        past: &Past,
    ) -> Result<NewNode> {
        let uid = self.fresh(home.uid);
        let mut node = NewNode::new(uid, word(CAMPAIGN)?, name);
        node.properties.clone_from(&home.properties);
        let at = wanted.at.map(
            |(session, seq)| json!({ "session_id": Thing::Session.show(session), "seq": seq }),
        );
        let origin = json!({ "campaign_id": Thing::Campaign.show(home.uid), "at": at });
        node.properties.insert("forked_from".into(), origin);
        let state = NewState {
            node: NodeRef::Uid(uid),
            name: table::name()?,
            expect: lore_store::Expect::Version(0),
            value: past.table.to_value()?,
            visibility: Visibility::Members,
        };
        self.add(Change::CreateNode(node.clone()));
        self.add(Change::PutState(state));
        Ok(node)
    }

    async fn people(&mut self, home: &Node) -> Result<()> {
        for participant in campaign::members(self.desk, home, PARTICIPANT).await? {
            self.member(&participant, home)?;
        }
        Ok(())
    }

    async fn characters(&mut self, past: &Past, home: &Node) -> Result<()> {
        for (node, sheet, visibility) in &past.sheets {
            let uid = self.member(node, home)?;
            self.add(put_sheet(NodeRef::Uid(uid), sheet, 0, *visibility)?);
            for text in self.desk.app.store.texts_of(&self.desk.viewer, node.id, Bin::Live).await? {
                self.add(Change::CreateText(NewText {
                    uid: self.desk.app.effects.uid(),
                    node: NodeRef::Uid(uid),
                    kind: text.kind,
                    title: text.title,
                    body: text.body,
                    position: text.position,
                    provenance: text.provenance,
                    searchable: text.searchable,
                    visibility: text.visibility,
                }));
            }
            self.controller(node, uid).await?;
        }
        Ok(())
    }

    async fn controller(&mut self, old: &Node, new: Uid) -> Result<()> {
        let Some(id) = rights::controller_of(self.desk, old).await? else { return Ok(()) };
        let found = self.desk.app.store.nodes(&self.desk.viewer, &[id]).await?;
        let seat = found.first().and_then(|node| self.uids.get(&node.uid)).copied();
        if let Some(participant) = seat {
            self.add(Change::PutEdge(NewEdge {
                source: NodeRef::Uid(participant),
                target: NodeRef::Uid(new),
                kind: word(CONTROLS)?,
                weight: 1.0,
                visibility: Visibility::Members,
                properties: lore_core::Properties::new(),
            }));
        }
        Ok(())
    }

    fn member(&mut self, old: &Node, home: &Node) -> Result<Uid> {
        let uid = self.fresh(old.uid);
        let campaign = self.uids.get(&home.uid).copied().unwrap_or(home.uid);
        let mut node = NewNode::new(uid, old.kind.clone(), old.name.clone());
        node.subtype.clone_from(&old.subtype);
        node.aliases.clone_from(&old.aliases);
        node.tags.clone_from(&old.tags);
        node.visibility = old.visibility;
        node.properties.clone_from(&old.properties);
        node.properties.insert(CAMPAIGN.into(), json!(campaign.to_string()));
        self.add(Change::CreateNode(node));
        self.add(Change::PutEdge(joins(uid, campaign)?));
        Ok(uid)
    }

    fn fresh(&mut self, old: Uid) -> Uid {
        let uid = self.desk.app.effects.uid();
        self.uids.insert(old, uid);
        uid
    }

    fn add(&mut self, change: Change) {
        self.batch.changes.push(change);
    }
}

async fn moment_of(desk: &Desk, session: &Node, sequence: i64) -> Result<Timestamp> {
    let query = EventQuery {
        after: Some(sequence.saturating_sub(1)),
        before: Some(sequence.saturating_add(1)),
        ..EventQuery::default()
    };
    let found = desk.app.store.events(&desk.viewer, session.id, query).await?;
    found.first().map(|event| event.at).ok_or_else(|| {
        lore_core::Error::not_found(
            format!("event {sequence} of this session"),
            "read session://{session_id}/events for the events there are",
        )
    })
}

async fn events_after(desk: &Desk, log: &Node, sequence: i64) -> Result<Vec<Event>> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().map_or(sequence, |event| event.sequence);
        let query = EventQuery {
            after: Some(after),
            order: EventOrder::Ascending,
            limit: 1_000,
            ..EventQuery::default()
        };
        let page = desk.app.store.events(&desk.viewer, log.id, query).await?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}

fn theme(home: &Node) -> String {
    home.properties.get("theme_prompt").and_then(Value::as_str).unwrap_or_default().to_owned()
}

//! Forking a campaign: creates a copy with the same participants and characters, as they were at an
//! event.
//!
//! Every change at the table is an event that contains the previous value. A past state is
//! therefore the present one with the later changes undone, newest first.

mod past;

use std::collections::HashMap;

use lore_core::{Node, Result, Uid, Visibility, names};
use lore_store::{Batch, Change, NewNode, NewState, NewText, NodeRef};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::campaign::{self, Campaign, THEME};
use super::character::{controls, put_sheet};
use super::character_details::new_notes;
use super::ids::Thing;
use super::participant::joins;
use super::{CAMPAIGN, played, rights, table, word};
use crate::preview::preview;
use crate::property_text;
use past::{Past, PastCharacter};

/// The input of a fork.
#[derive(Debug, Clone)]
pub struct Fork {
    /// The campaign to copy.
    pub campaign: Uid,
    /// The session and the sequence number of the event whose state is copied; `None` copies the
    /// present.
    pub at: Option<(Uid, i64)>,
    /// The name of the copy.
    pub name: Option<String>,
}

/// The result of a fork.
#[derive(Debug, Clone)]
pub struct Forked {
    /// The new campaign.
    pub campaign: Campaign,
    /// Descriptions of what may differ from its state at the event.
    pub not_rewound: Vec<String>,
}

/// Plans a fork.
pub async fn fork(call: &PlayCall, wanted: &Fork) -> Result<Plan<Forked>> {
    let home = call.find(Thing::Campaign, wanted.campaign).await?;
    rights::in_campaign(call, &home).await?.require_gm()?;
    let mut past = Past::load(call, &home).await?;
    if let Some((session, sequence)) = wanted.at {
        past.rewind(call, &home, session, sequence).await?;
    }
    // Sessions are not copied.
    past.table.set_active_session(None);
    let name = match &wanted.name {
        Some(name) => names::checked_name("name", name)?,
        None => format!("{} (fork)", past.name),
    };
    let mut copy = Copy { call, batch: call.batch(), uids: HashMap::new() };
    let node = copy.campaign(&home, name, wanted, &past)?;
    for person in &past.people {
        copy.member(person, &home)?;
    }
    for character in &past.characters {
        copy.character(character, &home)?;
    }
    let campaign = Campaign {
        participant_count: past.people.len(),
        character_count: past.characters.len(),
        ..campaign::shape(preview(&call.viewer, &node, copy.batch.at), past.table)
    };
    let batch = copy.batch.touch("campaigns://list").touch(campaign::uri(campaign.node.uid));
    Ok(Plan::new(batch, Forked { campaign, not_rewound: past.not_rewound }))
}

/// Builds the batch that creates the copy.
struct Copy<'a> {
    call: &'a PlayCall,
    batch: Batch,
    /// The uids of the copies, by the uids of the campaign and its participants and characters.
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
        node.properties.clone_from(&past.properties);
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
        let theme = node.properties.get("theme_prompt").and_then(Value::as_str);
        let theme = property_text::create(&self.call.app, uid, THEME, theme.unwrap_or_default())?;
        self.batch.changes.extend(theme);
        Ok(node)
    }

    fn character(&mut self, old: &PastCharacter, home: &Node) -> Result<()> {
        let uid = self.member(&old.node, home)?;
        self.add(put_sheet(NodeRef::Uid(uid), &old.sheet, 0, old.sheet_shown)?);
        if !old.notes.is_empty() {
            let notes = new_notes(self.call, NodeRef::Uid(uid), &old.notes, old.notes_shown)?;
            self.add(Change::CreateText(notes));
        }
        for text in old.texts.iter().cloned() {
            self.add(Change::CreateText(NewText {
                uid: self.call.app.effects.uid(),
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
        let seat = old.controller.and_then(|controller| self.uids.get(&controller)).copied();
        if let Some(participant) = seat {
            let shown = played::shown(&old.node);
            self.add(Change::PutEdge(controls(participant, uid, shown)?));
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
        // The copy of a hidden character does not have a page that players knew before.
        node.visibility = played::shown(old);
        node.properties = played::moved(old, campaign);
        let shown = node.visibility;
        self.add(Change::CreateNode(node));
        self.add(Change::PutEdge(joins(uid, campaign, shown)?));
        Ok(uid)
    }

    fn fresh(&mut self, old: Uid) -> Uid {
        let uid = self.call.app.effects.uid();
        self.uids.insert(old, uid);
        uid
    }

    fn add(&mut self, change: Change) {
        self.batch.changes.push(change);
    }
}

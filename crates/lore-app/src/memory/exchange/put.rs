//! Putting a record into the world: making its node, or bringing it up to date.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, Properties, Provenance, Result, Text, Uid};
use lore_store::{
    Batch, Bin, Change, Expect, NewEvents, NewNode, NewText, NodeKey, NodePatch, NodeRef,
    StoreError, TextPatch, TextRef,
};
use serde_json::json;

use super::super::keeper::Keeper;
use super::super::kinds::{PROMOTED_TO, Type, namespace_in, property, word};
use super::super::pen::{Pen, name_from};
use super::super::project::{Entry, event, steps_of};
use super::super::refusal::Reply;
use super::super::{MEMORIES_URI, PROJECTS_URI, STATUS_URI};
use super::identity::{Identities, Identity, SOURCE, SOURCE_PRINT, print, uid_of};
use super::{Kept, Load, Passage, Record};

/// Longest name made from a source's, in characters.
const NAME_LETTERS: usize = 150;

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    /// It is new; so many secrets were masked.
    Made {
        /// How many.
        masked: usize,
    },
    /// It was there and is up to date now; so many secrets were masked.
    Updated {
        /// How many.
        masked: usize,
    },
    /// It was there, or had been removed, already.
    Known,
}

/// Keeps a record with everything that belongs to it.
pub(super) async fn put(
    keeper: &Keeper,
    load: &Load,
    identities: &Identities,
    record: &Record,
) -> Reply<Put> {
    let Some(Identity::Sourced(uid)) = identities.get(&record.key) else {
        return Ok(Put::Known);
    };
    let putting = Putting { keeper, load, identities, record, uid };
    match keeper.app.store.node(&keeper.viewer, NodeKey::Uid(uid)).await? {
        None => putting.make().await,
        Some(node) if property(&node, SOURCE_PRINT) == Some(&print(record)) => Ok(Put::Known),
        Some(node) => putting.update(node).await,
    }
}

struct Putting<'a> {
    keeper: &'a Keeper,
    load: &'a Load,
    identities: &'a Identities,
    record: &'a Record,
    uid: Uid,
}

impl Putting<'_> {
    async fn make(&self) -> Reply<Put> {
        let mut pen = Pen::default();
        let mut batch = self.batch();
        batch.at = self.record.made.unwrap_or(batch.at);
        batch = batch.change(Change::CreateNode(self.node(&mut pen)?));
        for (place, passage) in self.record.passages.iter().enumerate() {
            batch = batch.change(Change::CreateText(self.text(place, passage, &mut pen)?));
        }
        batch = self.with_steps(batch, self.record.steps.iter());
        match self.keeper.app.store.commit(&self.keeper.viewer, batch).await {
            Ok(_) => Ok(Put::Made { masked: pen.masked().len() }),
            Err(StoreError::Exists(_)) => Ok(Put::Known),
            Err(other) => Err(other.into()),
        }
    }

    /// What the source says of it now, and nothing of what became of it here.
    async fn update(&self, old: Node) -> Reply<Put> {
        let mut pen = Pen::default();
        let new = self.node(&mut pen)?;
        let mut properties = old.properties.clone();
        properties.extend(new.properties);
        let patch = NodePatch {
            name: Some(new.name),
            aliases: Some(new.aliases),
            tags: Some(new.tags),
            properties: Some(properties),
            ..NodePatch::default()
        };
        let expect = Expect::Version(old.version);
        let mut batch =
            self.batch().change(Change::UpdateNode(NodeRef::Uid(self.uid), expect, patch));
        batch.changes.extend(self.text_changes(&old, &mut pen).await?);
        let store = &self.keeper.app.store;
        if !self.record.steps.is_empty() {
            let known = steps_of(self.keeper, old.id).await?;
            let known: HashSet<&str> = known.iter().map(|step| step.id.as_str()).collect();
            let fresh = self.record.steps.iter().filter(|step| !known.contains(step.id.as_str()));
            batch = self.with_steps(batch, fresh);
        }
        store.commit(&self.keeper.viewer, batch).await?;
        Ok(Put::Updated { masked: pen.masked().len() })
    }

    /// What makes the texts of a node those of the source.
    async fn text_changes(&self, node: &Node, pen: &mut Pen) -> Reply<Vec<Change>> {
        let (store, viewer) = (&self.keeper.app.store, &self.keeper.viewer);
        let live = store.texts_of(viewer, node.id, Bin::Live).await?;
        let gone = store.texts_of(viewer, node.id, Bin::Deleted).await?;
        let gone: HashSet<Uid> = gone.into_iter().map(|text| text.uid).collect();
        let mut live: HashMap<Uid, Text> = live.into_iter().map(|text| (text.uid, text)).collect();
        let mut changes = Vec::new();
        for (place, passage) in self.record.passages.iter().enumerate() {
            let new = self.text(place, passage, pen)?;
            let text = TextRef::Uid(new.uid);
            match live.remove(&new.uid) {
                Some(old) if says_the_same(&old, &new) => {}
                Some(_) => changes.push(Change::UpdateText(text, Expect::Any, patch(new))),
                None if gone.contains(&new.uid) => {
                    changes.push(Change::RestoreText(text));
                    changes.push(Change::UpdateText(text, Expect::Any, patch(new)));
                }
                None => changes.push(Change::CreateText(new)),
            }
        }
        let from_here = |text: &Text| text.provenance.source.as_ref() == Some(&self.load.label);
        let left = live.into_values().filter(from_here);
        changes.extend(left.map(|text| Change::DeleteText(TextRef::Id(text.id), Expect::Any)));
        Ok(changes)
    }

    fn node(&self, pen: &mut Pen) -> Result<NewNode> {
        let record = self.record;
        let kind = Type::of(&record.type_name)?;
        let name = pen.text("name", &record.name)?;
        let name = name_from("", if name.is_empty() { &record.key } else { &name }, NAME_LETTERS);
        Ok(NewNode {
            namespace: namespace_in(&record.namespace),
            derived_name: record.derived_name,
            subtype: record.subtype.clone(),
            aliases: pen.list("aliases", &record.aliases)?,
            tags: pen.list("tags", &record.tags)?,
            visibility: record.sharing.visibility(&self.keeper.viewer),
            properties: self.properties(&kind),
            ..NewNode::new(self.uid, kind.kind, name)
        })
    }

    fn properties(&self, kind: &Type) -> Properties {
        let mut properties = self.record.properties.clone();
        self.identities.translate(&mut properties);
        kind.note_in(&mut properties);
        properties.entry("source_type").or_insert("import".into());
        properties.insert(SOURCE.into(), json!(self.load.label));
        properties.insert(SOURCE_PRINT.into(), json!(print(self.record)));
        let halves = match &self.record.kept_by {
            Some(Kept::Learned(key)) => Some(("node", key)),
            Some(Kept::Promoted(key)) => Some((PROMOTED_TO, key)),
            None => self.record.keeps.as_ref().map(|key| ("experience", key)),
        };
        let half = halves.and_then(|(name, key)| Some((name, self.identities.uid(key)?)));
        properties.extend(half.map(|(name, uid)| (name.to_owned(), json!(uid.to_string()))));
        properties
    }

    /// Whether another record is searched in the place of this one.
    fn is_hidden(&self) -> bool {
        matches!(self.record.kept_by, Some(Kept::Learned(_)))
    }

    fn text(&self, place: usize, passage: &Passage, pen: &mut Pen) -> Result<NewText> {
        let key = format!("{}\u{0}{place}", self.record.key);
        let uid = uid_of(self.keeper.viewer.world, &self.load.label, &key);
        let said = passage.provenance.clone();
        let session = said.session.map(|session| match self.identities.moved(&session) {
            Some(here) => here.to_string(),
            None => session,
        });
        let source = said.source.or_else(|| Some(self.load.label.clone()));
        let body = pen.text("text", &passage.body)?;
        Ok(NewText {
            title: pen.text("title", &passage.title)?,
            position: i64::try_from(place).unwrap_or(i64::MAX),
            provenance: Provenance { source, session, ..said },
            searchable: passage.searchable && !self.is_hidden(),
            visibility: passage.sharing.visibility(&self.keeper.viewer),
            ..NewText::new(uid, NodeRef::Uid(self.uid), word(&passage.kind)?, body)
        })
    }

    fn with_steps<'a>(&self, batch: Batch, steps: impl Iterator<Item = &'a Entry>) -> Batch {
        let events: Vec<_> = steps.map(|step| event(self.keeper, step)).collect();
        if events.is_empty() {
            return batch;
        }
        let log = NewEvents { node: NodeRef::Uid(self.uid), after: None, events };
        batch.change(Change::AppendEvents(log))
    }

    fn batch(&self) -> Batch {
        let mut batch = self.keeper.batch();
        batch.origin.source = Some(self.load.label.clone());
        batch.touch(STATUS_URI).touch(MEMORIES_URI).touch(PROJECTS_URI)
    }
}

fn says_the_same(old: &Text, new: &NewText) -> bool {
    old.body == new.body && old.title == new.title && old.provenance == new.provenance
}

fn patch(new: NewText) -> TextPatch {
    TextPatch {
        title: Some(new.title),
        body: Some(new.body),
        position: Some(new.position),
        provenance: Some(new.provenance),
        ..TextPatch::default()
    }
}

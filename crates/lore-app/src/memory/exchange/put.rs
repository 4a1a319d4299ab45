//! Imports one record: creates its node or updates it.

mod back;
mod edited;

use std::collections::{HashMap, HashSet};

use lore_core::names::{self, NAME_MAX};
use lore_core::{Node, Properties, Provenance, Result, Text, Uid};
use lore_store::{
    Batch, Bin, Change, Expect, NewEvents, NewNode, NewText, NodeKey, NodePatch, NodeRef,
    StoreError, TextPatch, TextRef,
};
use serde_json::{Value, json};

use super::super::access;
use super::super::call::MemoryCall;
use super::super::cleaning::{Cleaner, LIST_MAX, name_from};
use super::super::kinds::{
    ITS_EXPERIENCE, LASTING_NODE, PROMOTED_TO, Type, namespace_in, property, word,
};
use super::super::parts::parts;
use super::super::project::{self, Entry, event, steps_of};
use super::super::refusal::Reply;
use super::base::Bases;
use super::identity::{
    Identities, Identity, SOURCE, SOURCE_ID, SOURCE_PLACE, SOURCE_PRINT, SOURCE_STATE, own_id,
    place_print, print, uid_of,
};
use super::{Kept, Load, Passage, Record};

/// The result of importing a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Put {
    /// It was new.
    Made {
        /// The number of secrets that were masked.
        masked: usize,
    },
    /// It was there and has been updated.
    Updated {
        /// The number of secrets that were masked.
        masked: usize,
    },
    /// It was there and is up to date, or had been removed.
    Known,
    /// It was changed both here and in the source.
    Disputed {
        /// The name of the record.
        name: String,
        /// Whether the change in the source was taken over.
        is_taken: bool,
        /// The number of secrets that were masked.
        masked: usize,
    },
}

impl Put {
    fn disputed(record: &Record, is_taken: bool, masked: usize) -> Self {
        Self::Disputed { name: record.name.clone(), is_taken, masked }
    }
}

/// The context for importing records.
pub(super) struct Putter<'a> {
    pub(super) call: &'a MemoryCall,
    pub(super) load: &'a Load,
    pub(super) identities: &'a Identities,
    pub(super) bases: &'a Bases<'a>,
    /// The key of the only record that may become the active project.
    pub(super) active: Option<&'a str>,
}

/// Imports a record with everything that belongs to it.
pub(super) async fn put(putter: &Putter<'_>, record: &Record) -> Reply<Put> {
    let Some(identity) = putter.identities.get(&record.key) else { return Ok(Put::Known) };
    let Putter { call, load, identities, bases, active } = *putter;
    let putting = Putting { call, load, identities, active, record, uid: identity.uid() };
    match identity {
        Identity::Settled(_) => match bases.get(&record.key) {
            Some(base) => edited::take(&putting, base).await,
            None => Ok(Put::Known),
        },
        Identity::Returned(_) => back::take(&putting).await,
        Identity::Sourced(uid) => {
            match call.app.store.node(&call.viewer, NodeKey::Uid(uid)).await? {
                None => putting.make().await,
                Some(node) if property(&node, SOURCE_PRINT) == Some(&print(record)) => {
                    Ok(Put::Known)
                }
                Some(node) => putting.update(node).await,
            }
        }
    }
}

/// Returns the key of the record that may become the active project: the first active one, if no
/// project is active here.
pub(super) async fn may_be_active<'a>(call: &MemoryCall, load: &'a Load) -> Reply<Option<&'a str>> {
    let active = |record: &&Record| record.properties.get(ACTIVE) == Some(&json!(true));
    let Some(first) = load.records.iter().find(active) else { return Ok(None) };
    let taken = project::list(call).await?.iter().any(|project| project.active);
    Ok((!taken).then_some(first.key.as_str()))
}

struct Putting<'a> {
    call: &'a MemoryCall,
    load: &'a Load,
    identities: &'a Identities,
    /// The key of the only record that may become the active project.
    active: Option<&'a str>,
    record: &'a Record,
    uid: Uid,
}

impl Putting<'_> {
    async fn make(&self) -> Reply<Put> {
        let mut cleaner = Cleaner::default();
        let mut batch = self.batch();
        batch.at = self.record.made.unwrap_or(batch.at);
        batch = batch.change(Change::CreateNode(self.node(&mut cleaner)?));
        batch.changes.extend(self.texts(&mut cleaner)?.into_iter().map(Change::CreateText));
        batch = self.with_steps(batch, self.record.steps.iter());
        match self.call.app.commit(&self.call.viewer, batch).await {
            Ok(_) => {
                access::take_over(self.call, self.uid, self.record.accesses).await?;
                Ok(Put::Made { masked: cleaner.count() })
            }
            Err(StoreError::Exists(_)) => Ok(Put::Known),
            Err(other) => Err(other.into()),
        }
    }

    /// Updates the node with what the source says now, which replaces changes made to it here. What
    /// was added here stays, and so do phase and status unless the source changed them.
    async fn update(&self, old: Node) -> Reply<Put> {
        let mut cleaner = Cleaner::default();
        let texts = self.texts(&mut cleaner)?;
        let known = self.text_changes(&old, texts).await?;
        if self.load.only_grows && known.is_older() {
            return Ok(Put::Known);
        }
        let mut new = self.node(&mut cleaner)?;
        let mut properties = old.properties.clone();
        if property(&old, SOURCE_STATE) == Some(&state(self.record)) {
            STATES.iter().for_each(|key| drop(new.properties.shift_remove(*key)));
        }
        // Which project is active is decided here.
        new.properties.shift_remove(ACTIVE);
        properties.extend(std::mem::take(&mut new.properties));
        let patch = told(new, properties);
        let expect = Expect::Version(old.version);
        let mut batch =
            self.batch().change(Change::UpdateNode(NodeRef::Uid(self.uid), expect, patch));
        batch.changes.extend(known.changes);
        if !self.record.steps.is_empty() {
            let known = steps_of(self.call, old.id).await?;
            let known: HashSet<&str> = known.iter().map(|step| step.id.as_str()).collect();
            let fresh = self.record.steps.iter().filter(|step| !known.contains(step.id.as_str()));
            batch = self.with_steps(batch, fresh);
        }
        self.call.app.commit(&self.call.viewer, batch).await?;
        Ok(Put::Updated { masked: cleaner.count() })
    }

    /// Plans the changes that make the texts of a node those of the record.
    async fn text_changes(&self, node: &Node, texts: Vec<NewText>) -> Reply<TextChanges> {
        let (store, viewer) = (&self.call.app.store, &self.call.viewer);
        let live = store.texts_of(viewer, node.id, Bin::Live).await?;
        let gone = store.texts_of(viewer, node.id, Bin::Deleted).await?;
        let gone: HashSet<Uid> = gone.into_iter().map(|text| text.uid).collect();
        let mut live: HashMap<Uid, Text> = live.into_iter().map(|text| (text.uid, text)).collect();
        let mut changes = Vec::new();
        for new in texts {
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
        let from_here = |text: &Text| text.provenance.source.as_deref() == Some(self.label());
        let left = live.into_values().filter(from_here);
        let left = left.map(|text| Change::DeleteText(TextRef::Id(text.id), Expect::Any));
        let said = changes.len();
        changes.extend(left);
        Ok(TextChanges { changes, said })
    }

    fn node(&self, cleaner: &mut Cleaner) -> Result<NewNode> {
        let record = self.record;
        let kind = Type::of(&record.type_name)?;
        let name = cleaner.text("name", &record.name)?;
        let name = name_from("", if name.is_empty() { &record.key } else { &name }, NAME_MAX);
        Ok(NewNode {
            namespace: namespace_in(&record.namespace),
            derived_name: record.derived_name,
            subtype: record.subtype.clone(),
            aliases: cleaner.list("aliases", &bounded(&record.aliases))?,
            tags: cleaner.list("tags", &bounded(&record.tags))?,
            visibility: record.sharing.visibility(&self.call.viewer),
            properties: self.properties(&kind, cleaner),
            ..NewNode::new(self.uid, kind.kind, name)
        })
    }

    fn properties(&self, kind: &Type, cleaner: &mut Cleaner) -> Properties {
        let mut properties = self.record.properties.clone();
        // Records that Lorewell exported were masked when they were first stored.
        if own_id(&self.record.key).is_none() {
            properties.iter_mut().for_each(|(name, value)| *value = masked(cleaner, name, value));
        }
        self.identities.translate(&mut properties);
        kind.note_in(&mut properties);
        properties.entry(SOURCE_TYPE).or_insert("import".into());
        properties.insert(SOURCE.into(), json!(self.label()));
        properties.insert(SOURCE_PRINT.into(), json!(print(self.record)));
        properties.insert(SOURCE_STATE.into(), json!(state(self.record)));
        if own_id(&self.record.key).is_some() {
            properties.insert(SOURCE_ID.into(), json!(self.record.first_key()));
        }
        if let Some(place) = &self.load.place {
            properties.insert(SOURCE_PLACE.into(), json!(place_print(place)));
        }
        if let Some(active) = properties.get_mut(ACTIVE) {
            let may = self.active == Some(self.record.key.as_str());
            *active = json!(may && *active == json!(true));
        }
        let halves = match &self.record.kept_by {
            Some(Kept::Learned(key)) => Some((LASTING_NODE, key)),
            Some(Kept::Promoted(key)) => Some((PROMOTED_TO, key)),
            None => self.record.keeps.as_ref().map(|key| (ITS_EXPERIENCE, key)),
        };
        let half = halves.and_then(|(name, key)| Some((name, self.identities.uid(key)?)));
        properties.extend(half.map(|(name, uid)| (name.to_owned(), json!(uid.to_string()))));
        properties
    }

    /// Whether search finds another record instead of this one.
    fn is_hidden(&self) -> bool {
        matches!(self.record.kept_by, Some(Kept::Learned(_)))
    }

    /// The texts of the record, with long ones split into parts.
    fn texts(&self, cleaner: &mut Cleaner) -> Result<Vec<NewText>> {
        let mut texts = Vec::new();
        for passage in &self.record.passages {
            let body = cleaner.long(&passage.body);
            for part in parts(&body) {
                texts.push(self.text(texts.len(), passage, part, cleaner)?);
            }
        }
        Ok(texts)
    }

    fn text(
        &self,
        place: usize,
        passage: &Passage,
        body: &str,
        cleaner: &mut Cleaner,
    ) -> Result<NewText> {
        let key = format!("{}\u{0}{place}", self.record.first_key());
        let uid = uid_of(self.call.viewer.world, self.label(), &key);
        let said = passage.provenance.clone();
        let is_own = |session: &str| !self.record.steps.is_empty() && session == self.record.key;
        let session = said.session.map(|session| match self.identities.moved(&session) {
            Some(here) => here.to_string(),
            None if is_own(&session) => self.uid.to_string(),
            None => session,
        });
        let source = said.source.or_else(|| Some(self.label().to_owned()));
        let title: String = passage.title.chars().take(NAME_MAX).collect();
        Ok(NewText {
            title: cleaner.text("title", &title)?,
            position: passage.position.unwrap_or(i64::try_from(place).unwrap_or(i64::MAX)),
            provenance: Provenance { source, session, ..said },
            searchable: passage.searchable && !self.is_hidden(),
            visibility: passage.sharing.visibility(&self.call.viewer),
            ..NewText::new(uid, NodeRef::Uid(self.uid), word(&passage.kind)?, body)
        })
    }

    fn with_steps<'a>(&self, batch: Batch, steps: impl Iterator<Item = &'a Entry>) -> Batch {
        let events: Vec<_> = steps.map(|step| event(self.call, step)).collect();
        if events.is_empty() {
            return batch;
        }
        let log = NewEvents { node: NodeRef::Uid(self.uid), after: None, events };
        batch.change(Change::AppendEvents(log))
    }

    fn label(&self) -> &str {
        self.record.label(self.load)
    }

    fn batch(&self) -> Batch {
        let mut batch = self.call.batch();
        batch.origin.source = Some(self.label().to_owned());
        batch
    }
}

/// Changes to the texts of a node.
struct TextChanges {
    changes: Vec<Change>,
    /// The number of changes that create, update or restore a text. The others delete one.
    said: usize,
}

impl TextChanges {
    /// Whether the record says nothing new and less than before.
    fn is_older(&self) -> bool {
        self.said == 0 && !self.changes.is_empty()
    }
}

/// Properties that change over time. Unless the source changes them, the values here are kept.
const STATES: [&str; 2] = ["phase", "status"];
/// Property with the way a node was created.
const SOURCE_TYPE: &str = "source_type";
/// Property that says whether a project is the active one.
const ACTIVE: &str = "active";

/// The values of [`STATES`] in a record.
fn state(record: &Record) -> String {
    let states = STATES.iter().filter_map(|key| record.properties.get(*key)?.as_str());
    states.collect::<Vec<_>>().join(" ")
}

/// Masks the secrets in a value. The name of the field helps to recognise them.
fn masked(cleaner: &mut Cleaner, name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains(['"', '\\']) => json!(cleaner.long(text)),
        Value::String(text) => {
            let told = format!("\"{name}\": \"");
            let whole = cleaner.long(&format!("{told}{text}\""));
            json!(whole.strip_prefix(&told).and_then(|rest| rest.strip_suffix('"')).unwrap_or(text))
        }
        Value::Array(list) => list.iter().map(|value| masked(cleaner, name, value)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields.map(|(name, value)| (name.clone(), masked(cleaner, name, value))).collect()
        }
        other => other.clone(),
    }
}

/// Shortens a list and its entries to what can be stored.
fn bounded(list: &[String]) -> Vec<String> {
    let entry = |entry: &String| names::cleaned(entry).chars().take(NAME_MAX).collect();
    list.iter().take(LIST_MAX).map(entry).collect()
}

fn says_the_same(old: &Text, new: &NewText) -> bool {
    old.body == new.body && old.title == new.title && old.provenance == new.provenance
}

/// The patch that gives a node the values of a record, apart from its texts.
fn told(new: NewNode, properties: Properties) -> NodePatch {
    NodePatch {
        name: Some(new.name),
        aliases: Some(new.aliases),
        tags: Some(new.tags),
        properties: Some(properties),
        ..NodePatch::default()
    }
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

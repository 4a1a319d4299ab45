//! Copies one object of a service into the local world: creates, updates or restores it.

use lore_anvil::{Form, Kind, OPEN_FIELDS, Object, check_section};
use lore_core::{Error, Node, Result, Uid, names, texts};
use lore_store::{Batch, Change, Expect, NodeKey, NodePatch, NodeRef, StoreError, TextRef};
use serde_json::{Value, json};

use super::record::{SECTION_OF, Seen};
use crate::atlas::ids::{references, uid_of};
use crate::atlas::keys;
use crate::atlas::read::assemble::excerpt_of;
use crate::atlas::read::{head, secrets};
use crate::atlas::source::Atlas;
use crate::atlas::write::input::EXCERPT;

/// The own field with the links of a copy that are to be added once everything is copied.
pub(in crate::atlas) const PENDING: &str = "pendingLinks";
/// The own field with links that could not be added. They are tried again in the next run.
pub(in crate::atlas) const REFUSED: &str = "refusedLinks";

/// What was done with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    Made,
    Changed,
    /// It was in the bin and is restored.
    Restored,
    /// Nothing has changed.
    Same,
    /// The source is older than the copy, which stays.
    Older,
}

impl Atlas {
    /// Creates or updates a copy. Its links are stored for later.
    pub(super) async fn put(&self, kind: Kind, now: Seen, mut fields: Object) -> Result<Put> {
        clean(&mut fields);
        let uid = uid_of(kind, &now.id);
        let (node, put) = match self.node_here(uid).await? {
            Some(node) => (Some(node), Put::Changed),
            None if self.takes_out(Change::RestoreNode(NodeRef::Uid(uid))).await? => {
                (self.node_here(uid).await?, Put::Restored)
            }
            None => (None, Put::Made),
        };
        if let Some(before) = node.as_ref().and_then(Seen::of_node) {
            clear_gone(&mut fields, before.told);
        }
        let (links, mut plain): (Object, Object) =
            fields.into_iter().partition(|(name, _)| is_join(kind, name));
        // The wholes it is part of are copied already, and decide who may see it.
        let is_above = |name: &str| kind.row().holders().any(|(field, ..)| field == name);
        let above = links.clone().into_iter().filter(|(name, _)| is_above(name)).collect();
        let above = self.resolvable(kind, above).await?;
        plain.extend(above.into_iter().filter(|(_, whole)| !whole.is_null()));
        plain.insert(PENDING.into(), Value::Object(links));
        plain.insert(REFUSED.into(), Value::Null);
        plain.insert(head::COPY.into(), now.kept());
        match node {
            Some(node) if keys::is_of_kind(kind, &node) => {
                self.dated(now.changed_at()).change_node(kind, node.id, &plain).await?;
            }
            // The same object, which the service lists under both kinds.
            Some(node) if Seen::of_node(&node).is_some_and(|before| before.id == now.id) => {
                self.becomes(kind, &node, &plain).await?;
                self.dated(now.changed_at()).change_node(kind, node.id, &plain).await?;
            }
            Some(_) => return Err(taken("something else here")),
            None if self.locate(kind, &uid.to_string()).await.is_ok() => {
                return Err(taken("another world here"));
            }
            None => {
                self.dated(now.made_at()).create_node(kind, &plain, uid).await?;
            }
        }
        Ok(put)
    }

    /// Changes the kind of a node to the one that objects of `kind` have here.
    async fn becomes(&self, kind: Kind, node: &Node, fields: &Object) -> Result<()> {
        let template = fields.get("templateType").and_then(Value::as_str);
        let word = keys::node_word(kind, template)?;
        // Without the record, an interrupted run copies the object again.
        let unknown = Object::from_iter([(head::COPY.to_owned(), Value::Null)]);
        let properties = Some(head::merged(&node.properties, &unknown));
        let patch = NodePatch { kind: Some(word), properties, ..NodePatch::default() };
        self.commit(|batch| {
            batch.change(Change::UpdateNode(
                NodeRef::Id(node.id),
                Expect::Version(node.version),
                patch,
            ))
        })
        .await
    }

    /// Creates or updates a secret.
    pub(super) async fn put_secret(&self, now: &Seen, mut fields: Object) -> Result<Put> {
        clean(&mut fields);
        let uid = uid_of(Kind::Secret, &now.id);
        let fields = self.resolvable(Kind::Secret, fields).await?;
        let shown = uid.to_string();
        let put = match self.secret(&shown, 2).await {
            Ok(here) if is_same_secret(&here, &fields) => return Ok(Put::Same),
            Ok(_) => Put::Changed,
            Err(_) if self.takes_out_secret(uid).await? => Put::Restored,
            Err(_) => Put::Made,
        };
        let is_rewritten = now.made_at() != now.changed_at();
        if put == Put::Made {
            let mut first = fields.clone();
            // Its current text dates from its last change.
            first.retain(|name, _| name != "content" || !is_rewritten);
            self.dated(now.made_at()).create_secret(&first, uid).await?;
        }
        if put != Put::Made || is_rewritten {
            let dated = self.dated(now.changed_at());
            dated.update_object(Kind::Secret, &shown, &fields).await?;
        }
        Ok(put)
    }

    /// Adds the links of a copy as far as possible. Returns the fields that were refused, with the
    /// reasons.
    pub(super) async fn join(&self, kind: Kind, node: &Node) -> Result<Vec<(String, String)>> {
        let kept = |name: &str| head::own(node, name).and_then(Value::as_object).cloned();
        // Texts are written again, so that their mentions find targets that were copied later.
        let texts = match kept(PENDING) {
            Some(_) => self.texts_again(kind, node).await?,
            None => Object::new(),
        };
        let told = kept(PENDING).or_else(|| kept(REFUSED)).unwrap_or_default();
        let mut links = self.resolvable(kind, told.clone()).await?;
        let (mut refused, mut why) = (Object::new(), Vec::new());
        loop {
            if texts.is_empty() && links.is_empty() && kept(PENDING).is_none() {
                return Ok(why);
            }
            let mut fields = texts.clone();
            fields.extend(links.clone());
            fields.insert(PENDING.into(), Value::Null);
            let left = Some(refused.clone()).filter(|left| !left.is_empty());
            fields.insert(REFUSED.into(), left.map_or(Value::Null, Value::Object));
            let changed = Seen::of_node(node).and_then(|seen| seen.changed_at());
            match self.dated(changed).change_node(kind, node.id, &fields).await {
                Err(Error::Invalid { field, problem, .. }) if links.contains_key(&field) => {
                    links.shift_remove(&field);
                    refused.extend(told.get(&field).map(|link| (field.clone(), link.clone())));
                    why.push((field, problem));
                }
                done => return done.map(|()| why),
            }
        }
    }

    /// The texts of an object, as fields to be written again.
    async fn texts_again(&self, kind: Kind, node: &Node) -> Result<Object> {
        let id = node.uid.to_string();
        let object = self.read_object(kind, Some(&id), kind.row().granularity(2)).await?;
        let mut fields: Object = object
            .into_iter()
            .filter(|(name, value)| is_text(kind, name) && !value.is_null())
            .collect();
        leave_odd_sections(kind, &mut fields);
        Ok(fields)
    }

    async fn node_here(&self, uid: Uid) -> Result<Option<Node>> {
        Ok(self.app().store.node(self.viewer(), NodeKey::Uid(uid)).await?)
    }

    /// Restores a secret from the bin, together with a node that holds nothing else.
    async fn takes_out_secret(&self, uid: Uid) -> Result<bool> {
        let text = Change::RestoreText(TextRef::Uid(uid));
        if self.takes_out(text.clone()).await? {
            return Ok(true);
        }
        let holder = Change::RestoreNode(NodeRef::Uid(secrets::holder_of(uid)));
        self.taken_out(self.scribe.batch().change(holder).change(text)).await
    }

    async fn takes_out(&self, change: Change) -> Result<bool> {
        self.taken_out(self.scribe.batch().change(change)).await
    }

    /// Commits a restoring batch. Returns `false` if there was nothing to restore.
    async fn taken_out(&self, batch: Batch) -> Result<bool> {
        match self.app().commit(&self.scribe.all_seeing(), batch).await {
            Ok(_) => Ok(true),
            Err(StoreError::NotFound(_)) => Ok(false),
            Err(other) => Err(other.into()),
        }
    }

    /// The fields without references to things that do not exist here.
    async fn resolvable(&self, kind: Kind, fields: Object) -> Result<Object> {
        let mut kept = Object::new();
        for (name, value) in fields {
            let Some(Form::One(target, _) | Form::Several(target, _)) =
                kind.row().field(&name).map(|field| field.form)
            else {
                kept.insert(name, value);
                continue;
            };
            let mut found = Vec::new();
            for reference in references(&value) {
                let uid = uid_of(target, &reference);
                let node = self.node_here(uid).await?;
                if node.is_some_and(|node| keys::is_of_kind(target, &node)) {
                    found.push(json!(uid.to_string()));
                }
            }
            let value = match value {
                Value::Array(_) => Value::Array(found),
                _ => found.into_iter().next().unwrap_or_default(),
            };
            kept.insert(name, value);
        }
        Ok(kept)
    }
}

/// The fields of an object that can be written; null clears a field. The state of secrets is
/// dropped, because here they are always for the game master's side.
pub(super) fn writable(kind: Kind, row: Object, object: Object) -> Object {
    let mut fields = row;
    for (name, value) in object {
        // The parent that a row was listed below is right even if the object does not mention it.
        let is_silent = value.is_null() && (is_join(kind, &name) || !may_be_nothing(&name));
        if !(is_silent && fields.contains_key(&name)) {
            fields.insert(name, value);
        }
    }
    if kind == Kind::Secret {
        fields.shift_remove("state");
    }
    leave_derived(kind, &mut fields);
    leave_odd_sections(kind, &mut fields);
    // Sections are repeated as fields of their own.
    let sections = fields.get("sections").and_then(Value::as_object).cloned().unwrap_or_default();
    fields.retain(|name, value| match kind.row().field(name).map(|field| field.form) {
        Some(Form::Many(..) | Form::Created) => false,
        Some(Form::Derived) => {
            let written = ["templateType", "subtype", "sections", EXCERPT];
            written.contains(&name.as_str()) && !value.is_null()
        }
        Some(_) => true,
        None if matches!(name.as_str(), "world" | "isEditable" | OPEN_FIELDS) => false,
        None if sections.contains_key(name) => false,
        None => !value.is_null() || may_be_nothing(name),
    });
    fields
}

/// Removes fields that repeat others: the URL of a picture, which may be hidden, and an excerpt
/// that is just the beginning of the text.
fn leave_derived(kind: Kind, fields: &mut Object) {
    if kind == Kind::Map && fields.get("image").is_some_and(Value::is_object) {
        fields.shift_remove("imageUrl");
    }
    let beginning = |name: &str| fields.get(name).and_then(Value::as_str).map(excerpt_of);
    if kind == Kind::Article && beginning("content") == beginning(EXCERPT) {
        fields.shift_remove(EXCERPT);
    }
}

/// Adds null for fields and sections that had a value before and are no longer mentioned.
fn clear_gone(fields: &mut Object, told: Vec<String>) {
    for name in told {
        if let Some(section) = name.strip_prefix(SECTION_OF) {
            let sections = fields.entry("sections").or_insert_with(|| json!({}));
            if let Value::Object(sections) = sections {
                sections.entry(section).or_insert(Value::Null);
            }
        } else if name != "sections" && may_be_nothing(&name) {
            fields.entry(name).or_insert(Value::Null);
        }
    }
}

/// Whether a field can be cleared.
fn may_be_nothing(name: &str) -> bool {
    !["title", "state", "templateType"].contains(&name)
}

/// Removes sections that are not texts, or whose name cannot be written.
fn leave_odd_sections(kind: Kind, fields: &mut Object) {
    if let Some(Value::Object(sections)) = fields.get_mut("sections") {
        let is_text = |text: &Value| text.is_string() || text.is_null();
        sections.retain(|name, text| is_text(text) && check_section(kind, name).is_ok());
    }
}

/// Whether a secret is already up to date. It may have been copied before such records were kept.
fn is_same_secret(here: &Object, wanted: &Object) -> bool {
    let article = |of: &Object| of.get("article").map(references).unwrap_or_default();
    let same = |name: &&str| here.get(*name) == wanted.get(*name);
    ["title", "content"].iter().all(same) && article(here) == article(wanted)
}

fn is_join(kind: Kind, name: &str) -> bool {
    let form = kind.row().field(name).map(|field| field.form);
    matches!(form, Some(Form::One(..) | Form::Several(..)))
}

fn is_text(kind: Kind, name: &str) -> bool {
    name == "sections" || kind.row().field(name).is_some_and(lore_anvil::Field::is_markup)
}

fn taken(by: &str) -> Error {
    Error::Precondition {
        message: format!("its id belongs to {by} already"),
        hint: "delete that first, or copy into its world".into(),
    }
}

/// Cleans texts and names that would be refused: nobody can be asked to correct those of a service.
fn clean(fields: &mut Object) {
    fields.values_mut().for_each(texts::clean_value);
    for name in ["title", "tags", "subtype"] {
        if let Some(Value::String(text)) = fields.get_mut(name) {
            *text = names::cleaned(text);
        }
    }
    if let Some(Value::String(title)) = fields.get_mut("title") {
        *title = shortened(title);
    }
}

/// Shortens a title to the local limit; the service allows longer ones.
fn shortened(title: &str) -> String {
    match title.char_indices().nth(names::NAME_MAX) {
        Some(_) => title.chars().take(names::NAME_MAX - 1).chain(['…']).collect(),
        None => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::object;

    #[test]
    fn what_is_told_as_nothing_is_written_as_nothing() {
        let row = object(json!({ "id": "k", "title": "K", "map": { "id": "m" }, "tags": "a" }));
        let told = object(json!({
            "title": null, "tags": null, "map": null, "targetArticle": null, "description": null,
            "odd": null, "markertype": { "id": 1 },
        }));
        let wanted = json!({
            "id": "k", "title": "K", "map": { "id": "m" }, "tags": null, "targetArticle": null,
            "description": null, "odd": null, "markertype": { "id": 1 },
        });
        assert_eq!(Value::Object(writable(Kind::Marker, row, told)), wanted);
    }

    #[test]
    fn what_is_not_mentioned_any_more_is_gone() {
        let sections = json!({ "Rumours": "x", "History": "y" });
        let before =
            object(json!({ "title": "A", "odd": "x", "none": null, "sections": sections }));
        let mut now = object(json!({ "title": "A", "sections": { "History": "y" } }));
        clear_gone(&mut now, Seen::new("a", None, &before).told);
        let sections = json!({ "History": "y", "Rumours": null });
        assert_eq!(Value::Object(now), json!({ "title": "A", "sections": sections, "odd": null }));
    }
}

//! Imports an export that was edited by hand back into the node it was exported from.
//!
//! This is a three-way merge, part by part: what changed only in the file is taken over, what
//! changed only here stays. If both changed, the newer one wins and the conflict is reported.
//! Something that was changed here is never deleted just because it is missing in the file.

use std::collections::{BTreeSet, HashMap, HashSet};

use futures::FutureExt;
use lore_core::{Node, Text, Uid};
use lore_rules::memory::lifecycle::{Phase, Status};
use lore_store::{
    Batch, Bin, Change, Expect, NewText, NodeKey, NodePatch, NodeRef, TextPatch, TextRef,
};
use serde_json::Value;

use super::super::super::cleaning::{Cleaner, name_from};
use super::super::super::kinds::{CONTENT, DESCRIPTION, EXPERIENCE, SOURCE_TAKEN, half_of, word};
use super::super::super::parts::is_main;
use super::super::super::project::steps_of;
use super::super::super::refusal::Reply;
use super::super::base::{Base, Taken};
use super::super::identity::{is_reference, uid_of};
use super::super::state::{State, print, text_print};
use super::super::{Passage, Record};
use super::back::last_change;
use super::{ACTIVE, Put, Putting, SOURCE_TYPE};

/// Takes over what was edited.
pub(super) async fn take(putting: &Putting<'_>, base: &Base) -> Reply<Put> {
    if base.is_known && putting.record.steps.is_empty() {
        return Ok(Put::Known);
    }
    putting.call.carry_out(|| plan(putting, base).boxed()).await
}

async fn plan(putting: &Putting<'_>, base: &Base) -> Reply<(Batch, Put)> {
    let (call, record) = (putting.call, putting.record);
    let (store, viewer) = (&call.app.store, &call.viewer);
    let Some(node) = store.node(viewer, NodeKey::Uid(putting.uid)).await? else {
        // A node that was removed here is not restored, but the edit is reported as lost.
        let put = if base.is_known { Put::Known } else { Put::disputed(record, false, 0) };
        return Ok((putting.batch(), put));
    };
    let known = if record.steps.is_empty() { vec![] } else { steps_of(call, node.id).await? };
    let known: HashSet<&str> = known.iter().map(|step| step.id.as_str()).collect();
    let fresh = record.steps.iter().filter(|step| !known.contains(step.id.as_str()));
    let batch = putting.with_steps(putting.batch(), fresh);
    if base.is_known {
        let put = if batch.changes.is_empty() { Put::Known } else { Put::Updated { masked: 0 } };
        return Ok((batch, put));
    }
    let live = store.texts_of(viewer, node.id, Bin::Live).await?;
    let gone = store.texts_of(viewer, node.id, Bin::Deleted).await?;
    let half = other_half(putting, &node).await?;
    Merge::new(putting, base, &node, &live, &gone).plan(batch, half)
}

/// The other half of a fact and its texts.
async fn other_half(putting: &Putting<'_>, node: &Node) -> Reply<Option<(Vec<Text>, Node)>> {
    let (store, viewer) = (&putting.call.app.store, &putting.call.viewer);
    let Some(uid) = half_of(node) else { return Ok(None) };
    let Some(half) = store.node(viewer, NodeKey::Uid(uid)).await? else { return Ok(None) };
    Ok(Some((store.texts_of(viewer, half.id, Bin::Live).await?, half)))
}

struct Merge<'a> {
    putting: &'a Putting<'a>,
    base: &'a Base,
    node: &'a Node,
    live: HashMap<Uid, &'a Text>,
    gone: HashSet<Uid>,
    /// Whether the file was written after the last change here.
    is_newer: bool,
    is_disputed: bool,
    cleaner: Cleaner,
    changes: Vec<Change>,
    /// Texts whose body changes, with the new body.
    rewritten: Vec<(&'a Text, String)>,
}

impl<'a> Merge<'a> {
    fn new(
        putting: &'a Putting<'a>,
        base: &'a Base,
        node: &'a Node,
        live: &'a [Text],
        gone: &[Text],
    ) -> Self {
        let here = last_change(node, live);
        Self {
            is_newer: putting.record.written.is_some_and(|written| written > here),
            live: live.iter().map(|text| (text.uid, text)).collect(),
            gone: gone.iter().map(|text| text.uid).collect(),
            is_disputed: false,
            cleaner: Cleaner::default(),
            changes: Vec::new(),
            rewritten: Vec::new(),
            putting,
            base,
            node,
        }
    }

    fn plan(mut self, mut batch: Batch, half: Option<(Vec<Text>, Node)>) -> Reply<(Batch, Put)> {
        let texts = self.texts()?;
        let mut patch = self.patch()?;
        self.rewrite_half(half);
        let is_changed = !self.changes.is_empty()
            || !batch.changes.is_empty()
            || !is_empty(&patch)
            || self.base.state.links != self.base.now.links;
        if !self.is_disputed || self.is_newer {
            self.note(&mut patch, texts);
        }
        if !is_empty(&patch) {
            let expect = Expect::Version(self.node.version);
            let node = NodeRef::Id(self.node.id);
            self.changes.push(Change::UpdateNode(node, expect, patch));
        }
        batch.changes.extend(self.changes);
        let masked = self.cleaner.count();
        let put = match (self.is_disputed, is_changed) {
            (true, _) => Put::disputed(self.putting.record, self.is_newer, masked),
            (false, true) => Put::Updated { masked },
            (false, false) => Put::Known,
        };
        Ok((batch, put))
    }

    /// Records on the node what is taken over, so that later edits are compared with that.
    fn note(&self, patch: &mut NodePatch, texts: Vec<(String, String)>) {
        let Some(written) = &self.putting.record.state else { return };
        let taken = State { texts, ..self.base.now.clone() };
        let properties = patch.properties.get_or_insert_with(|| self.node.properties.clone());
        let (load, now) = (self.putting.load, self.putting.call.now());
        properties.insert(SOURCE_TAKEN.into(), Taken::note(load, written, &taken, now));
    }

    /// Decides whether a part is taken from the file, given fingerprints of the part as exported,
    /// in the file, and here. `None` means that it is missing.
    fn takes(&mut self, base: Option<&str>, there: Option<&str>, here: Option<&str>) -> bool {
        if there == base || there == here {
            return false;
        }
        if here == base {
            return true;
        }
        self.is_disputed = true;
        self.is_newer && there.is_some()
    }

    /// Plans the changes to the texts. Returns the ids and fingerprints of the texts in the file.
    fn texts(&mut self) -> Reply<Vec<(String, String)>> {
        let base = self.base;
        let said = matched(self.putting.record, &base.state);
        let by_id: HashMap<&str, &Passage> =
            said.iter().filter_map(|(id, passage)| Some((id.as_deref()?, *passage))).collect();
        for (id, was) in &base.state.texts {
            if let Ok(uid) = id.parse::<Uid>() {
                self.settle(uid, was, by_id.get(id.as_str()).copied());
            }
        }
        let mut texts = Vec::with_capacity(said.len());
        for (id, passage) in said {
            let id = match id {
                Some(id) => id,
                None => self.add(passage, texts.len())?.to_string(),
            };
            texts.push((id, text_print(&passage.body)));
        }
        Ok(texts)
    }

    /// Plans the change to a text that was exported, given what the file has in its place.
    fn settle(&mut self, uid: Uid, was: &str, there: Option<&Passage>) {
        let here = self.live.get(&uid).copied();
        let there_print = there.map(|passage| text_print(&passage.body));
        let here_print = here.map(|text| text_print(&text.body));
        if !self.takes(Some(was), there_print.as_deref(), here_print.as_deref()) {
            return;
        }
        match (there, here) {
            (Some(passage), Some(text)) => self.rewrite(text, passage),
            (Some(passage), None) if self.gone.contains(&uid) => {
                let body = Some(self.cleaner.long(&passage.body));
                let patch = TextPatch { body, ..TextPatch::default() };
                self.changes.push(Change::RestoreText(TextRef::Uid(uid)));
                self.changes.push(Change::UpdateText(TextRef::Uid(uid), Expect::Any, patch));
            }
            (None, Some(text)) => {
                self.changes.push(Change::DeleteText(TextRef::Id(text.id), Expect::Any));
            }
            (_, None) => {}
        }
    }

    /// Changes the body of a text. However long, it stays a single text, so that it can be edited
    /// as one again.
    fn rewrite(&mut self, text: &'a Text, passage: &Passage) {
        let body = self.cleaner.long(&passage.body);
        let patch = TextPatch { body: Some(body.clone()), ..TextPatch::default() };
        self.changes.push(Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch));
        self.rewritten.push((text, body));
    }

    /// Adds a text that was written by hand, similar to the main text of the node. Its uid follows
    /// from its content, so importing it again adds nothing.
    fn add(&mut self, passage: &Passage, place: usize) -> Reply<Uid> {
        let (world, words) = (self.putting.call.viewer.world, text_print(&passage.body));
        let key = format!("{}\u{0}{place}\u{0}{words}", self.putting.record.key);
        let uid = uid_of(world, self.putting.label(), &key);
        let is_here = |text: &&&Text| text_print(&text.body) == words;
        if let Some(text) = self.live.values().find(is_here) {
            return Ok(text.uid);
        }
        if self.live.contains_key(&uid) || self.gone.contains(&uid) {
            return Ok(uid);
        }
        let is_experience = self.node.kind.as_str() == EXPERIENCE;
        let kind = if is_experience { CONTENT } else { DESCRIPTION };
        let body = self.cleaner.long(passage.body.trim());
        let main = self.live.values().find(|text| is_main(text));
        let (searchable, visibility) =
            main.map_or((true, self.node.visibility), |text| (text.searchable, text.visibility));
        let last = self.live.values().map(|text| text.position).max().unwrap_or_default();
        let new = NewText::new(uid, NodeRef::Id(self.node.id), word(kind)?, body);
        let position = last.saturating_add(1);
        let new = NewText { position, searchable, visibility, ..new };
        self.changes.push(Change::CreateText(new));
        Ok(uid)
    }

    fn patch(&mut self) -> Reply<NodePatch> {
        let (record, node, base) = (self.putting.record, self.node, &self.base.state);
        let is_renamed = self.takes(Some(&base.name), Some(&record.name), Some(&node.name));
        let name = match is_renamed {
            true => Some(self.cleaner.name("name", &record.name)?),
            false => self.derived_name(node),
        };
        let aliases = merged(&base.aliases, &record.aliases, &node.aliases);
        let tags = merged(&base.tags, &record.tags, &node.tags);
        let aliases = aliases.map(|list| self.cleaner.list("aliases", &super::bounded(&list)));
        let tags = tags.map(|list| self.cleaner.list("tags", &super::bounded(&list)));
        Ok(NodePatch {
            name,
            aliases: aliases.transpose()?,
            tags: tags.transpose()?,
            properties: self.properties(),
            ..NodePatch::default()
        })
    }

    fn properties(&mut self) -> Option<lore_core::Properties> {
        let (record, base) = (self.putting.record, self.base);
        let mut properties = self.node.properties.clone();
        let names: BTreeSet<&String> =
            base.state.properties.keys().chain(base.now.properties.keys()).collect();
        for name in names.into_iter().filter(|name| is_ones_own(name)) {
            let there = record.properties.get(name);
            let here = self.node.properties.get(name).map(print);
            let was = base.state.properties.get(name).map(String::as_str);
            let now = base.now.properties.get(name).map(String::as_str);
            if !self.takes(was, now, here.as_deref()) {
                continue;
            }
            match there {
                Some(value) if is_state(name, value) => {
                    let value = super::masked(&mut self.cleaner, "", value);
                    properties.insert(name.clone(), value);
                }
                Some(_) => self.is_disputed = true,
                None => drop(properties.shift_remove(name)),
            }
        }
        (properties != self.node.properties).then_some(properties)
    }

    /// Returns the new name of a node that is named after its text, if the text changed.
    fn derived_name(&self, node: &Node) -> Option<String> {
        let derived = |(text, body): &(&Text, String)| renamed(&node.name, &text.body, body);
        node.derived_name.then(|| self.rewritten.iter().find_map(derived)).flatten()
    }

    /// Makes the same changes to the other half of a fact.
    fn rewrite_half(&mut self, half: Option<(Vec<Text>, Node)>) {
        let Some((texts, half)) = half else { return };
        for (old, body) in &self.rewritten {
            let Some(twin) = texts.iter().find(|text| text.body == old.body) else { continue };
            let patch = TextPatch { body: Some(body.clone()), ..TextPatch::default() };
            self.changes.push(Change::UpdateText(TextRef::Id(twin.id), Expect::Any, patch));
        }
        if let Some(name) = self.derived_name(&half) {
            let patch = NodePatch { name: Some(name), ..NodePatch::default() };
            self.changes.push(Change::UpdateNode(NodeRef::Id(half.id), Expect::Any, patch));
        }
    }
}

/// Matches the texts of a record that are not blank with the exported texts: by id, then by
/// content, then in order with texts that an earlier import of the edited file added.
fn matched<'a>(record: &'a Record, base: &State) -> Vec<(Option<String>, &'a Passage)> {
    let mut free: Vec<&(String, String)> = base.texts.iter().collect();
    let mut take = |of: &dyn Fn(&(String, String)) -> bool| {
        let at = free.iter().position(|text| of(text))?;
        Some(free.remove(at).0.clone())
    };
    let said = record.passages.iter().filter(|passage| !passage.body.trim().is_empty());
    let mut said: Vec<(Option<String>, &Passage)> = said.map(|passage| (None, passage)).collect();
    for (id, passage) in &mut said {
        *id = passage.id.as_ref().and_then(|own| take(&|(id, _)| id == own));
    }
    for (id, passage) in said.iter_mut().filter(|(id, _)| id.is_none()) {
        let words = text_print(&passage.body);
        *id = take(&|(_, print)| *print == words);
    }
    let written = record.state.iter().flat_map(|state| &state.texts);
    let written: HashSet<&String> = written.map(|(id, _)| id).collect();
    for (id, _) in said.iter_mut().filter(|(id, _)| id.is_none()) {
        *id = take(&|(id, _)| !written.contains(id));
    }
    said
}

/// Merges a list three ways. Returns `None` if nothing changes.
fn merged(base: &[String], there: &[String], here: &[String]) -> Option<Vec<String>> {
    let kept = here.iter().filter(|entry| there.contains(entry) || !base.contains(entry));
    let added = there.iter().filter(|entry| !base.contains(entry) && !here.contains(entry));
    let merged: Vec<String> = kept.chain(added).cloned().collect();
    (merged != here).then_some(merged)
}

/// Whether a property is one that people edit, rather than a reference, an origin or the mark of
/// the active project.
fn is_ones_own(name: &str) -> bool {
    !is_reference(name) && name != SOURCE_TYPE && name != ACTIVE
}

/// Whether a value is valid for its property.
fn is_state(name: &str, value: &Value) -> bool {
    match name {
        "phase" => value.as_str().is_some_and(|name| Phase::named(name).is_some()),
        "status" => value.as_str().is_some_and(|name| Status::named(name).is_some()),
        _ => true,
    }
}

fn is_empty(patch: &NodePatch) -> bool {
    let NodePatch { name, aliases, tags, properties, .. } = patch;
    name.is_none() && aliases.is_none() && tags.is_none() && properties.is_none()
}

/// Returns the new name of a node whose name is an excerpt of its text, or `None` if it is not.
fn renamed(name: &str, old: &str, new: &str) -> Option<String> {
    let (prefix, cut) = name.split_once(": ").map_or(("", name), |(_, cut)| {
        (name.get(..name.len() - cut.len()).unwrap_or_default(), cut)
    });
    let letters = cut.chars().count();
    let is_cut = name_from("", old, letters) == cut;
    let name = name_from(prefix, new, letters.max(NAME_LETTERS));
    is_cut.then_some(name)
}

/// The number of characters of a text used in a name.
const NAME_LETTERS: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_what_was_added_and_lose_what_was_taken_out() {
        let list = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let all = |base, there, here| merged(&list(base), &list(there), &list(here));
        assert_eq!(all("a b", "a c", "a b d"), Some(list("a d c")));
        assert_eq!(all("a b", "a b", "a x"), None);
        assert_eq!(all("a", "a b", "b a"), None);
    }

    #[test]
    fn a_name_that_is_cut_from_a_text_follows_it() {
        let name = renamed("Gotcha: The lynx", "The lynx bites", "The cat sleeps");
        assert_eq!(name.as_deref(), Some("Gotcha: The cat sleeps"));
        assert_eq!(renamed("Keep", "k is a castle", "k is a ruin"), None);
    }
}

//! Mentions of what a reader does not see, in everything that is read.
//!
//! A mention is as hidden as what it leads to, wherever it was written: in a text, in a name, in a
//! document or in the log. Every engine draws this veil over what it reads for a viewer, and lifts
//! it from what comes back, so that nobody breaks a mention by writing what they were shown.
//! Addresses (sources, sessions, namespaces) and ids are keys, not words, and stay as they are.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lore_core::{Edge, Event, Node, Properties, State, Text};
use lore_markup::veil::{self, UNTOLD};
use serde_json::{Map, Value};

use crate::batch::{NodePatch, TextPatch};

/// What becomes of a string; nothing when it stays.
pub type Rewrite<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// Something that says things to its readers.
pub trait Says {
    /// Lets `rewrite` see every string of it that readers are shown, and change it.
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>);
}

/// The numbers of all entities that something mentions.
pub fn mentioned(items: &mut [impl Says]) -> BTreeSet<i64> {
    let mut numbers = BTreeSet::new();
    for item in items {
        item.each_said(&mut |said| {
            numbers.extend(veil::numbers(said));
            None
        });
    }
    numbers
}

/// Takes mentions of what is not seen out of what is to be shown.
pub fn draw(items: &mut [impl Says], sees: &dyn Fn(i64) -> bool) {
    for item in items {
        item.each_said(&mut |said| drawn(said, sees));
    }
}

/// A patch of a node by who saw it under the veil, without the veil.
pub fn lifted_from_node<'a>(
    patch: &'a NodePatch,
    old: &Node,
    sees: &dyn Fn(i64) -> bool,
) -> Cow<'a, NodePatch> {
    let mut patch = Cow::Borrowed(patch);
    if let Some(sent) = &patch.name {
        let name = lifted_from(&old.name, sent, sees);
        patch.to_mut().name = Some(name);
    }
    if let (Some(Some(sent)), Some(whole)) = (&patch.subtype, &old.subtype) {
        let subtype = lifted_from(whole, sent, sees);
        patch.to_mut().subtype = Some(Some(subtype));
    }
    if let Some(sent) = &patch.aliases {
        let aliases = lifted_from_list(&old.aliases, sent, sees);
        patch.to_mut().aliases = Some(aliases);
    }
    if let Some(sent) = &patch.tags {
        let tags = lifted_from_list(&old.tags, sent, sees);
        patch.to_mut().tags = Some(tags);
    }
    if let Some(sent) = &patch.properties {
        let properties = lifted_from_properties(&old.properties, sent, sees);
        patch.to_mut().properties = Some(properties);
    }
    patch
}

/// The same for a text.
pub fn lifted_from_text<'a>(
    patch: &'a TextPatch,
    old: &Text,
    sees: &dyn Fn(i64) -> bool,
) -> Cow<'a, TextPatch> {
    let mut patch = Cow::Borrowed(patch);
    if let Some(sent) = &patch.title {
        let title = lifted_from(&old.title, sent, sees);
        patch.to_mut().title = Some(title);
    }
    if let Some(sent) = &patch.body {
        let body = lifted_from(&old.body, sent, sees);
        patch.to_mut().body = Some(body);
    }
    patch
}

/// The same for properties.
pub fn lifted_from_properties(
    whole: &Properties,
    sent: &Properties,
    sees: &dyn Fn(i64) -> bool,
) -> Properties {
    let mut sent = sent.clone();
    lift_object(whole, &mut sent, sees);
    sent
}

/// The same for a document.
pub fn lifted_from_value(whole: &Value, sent: &Value, sees: &dyn Fn(i64) -> bool) -> Value {
    let mut sent = sent.clone();
    lift(whole, &mut sent, sees);
    sent
}

impl Says for Text {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        each_of(&mut self.title, rewrite);
        each_of(&mut self.body, rewrite);
        self.provenance.author.iter_mut().for_each(|author| each_of(author, rewrite));
    }
}

impl Says for Node {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        each_of(&mut self.name, rewrite);
        self.subtype.iter_mut().for_each(|subtype| each_of(subtype, rewrite));
        each_of_list(&mut self.aliases, rewrite);
        each_of_list(&mut self.tags, rewrite);
        self.properties.each_said(rewrite);
    }
}

impl Says for Edge {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        self.properties.each_said(rewrite);
    }
}

impl Says for State {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        self.value.each_said(rewrite);
    }
}

impl Says for String {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        each_of(self, rewrite);
    }
}

impl Says for Vec<String> {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        each_of_list(self, rewrite);
    }
}

/// What may be said or not.
impl<T: Says> Says for Option<T> {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        self.iter_mut().for_each(|said| said.each_said(rewrite));
    }
}

impl Says for Value {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        each_in(self, rewrite);
    }
}

impl Says for Properties {
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        each_in_object(self, rewrite);
    }
}

impl Says for Event {
    /// An entry that says nothing hidden stays to the letter, as its hash wants it.
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>) {
        if !may_mention(&self.payload) {
            return;
        }
        let Ok(told) = serde_json::from_str::<Value>(&self.payload) else { return };
        let mut shown = told.clone();
        each_in(&mut shown, rewrite);
        if shown != told {
            self.payload = shown.to_string();
        }
    }
}

/// Whether JSON text may hold a mention. A list of it never starts with a letter of a word for
/// entities, and nothing but its strings has a colon after letters.
fn may_mention(json: &str) -> bool {
    let pairs = json.as_bytes().windows(2);
    pairs.into_iter().any(|pair| matches!(pair, [b'[', next] if next.is_ascii_alphabetic()))
}

fn each_of(said: &mut String, rewrite: &mut Rewrite<'_>) {
    if let Some(new) = rewrite(said) {
        *said = new;
    }
}

fn each_of_list(list: &mut [String], rewrite: &mut Rewrite<'_>) {
    let changed: Vec<Option<String>> = list.iter().map(|said| rewrite(said)).collect();
    for (at, new) in changed.into_iter().enumerate() {
        let Some(new) = new else { continue };
        let new = set_apart(new, |taken| list.iter().any(|said| said == taken));
        list.iter_mut().skip(at).take(1).for_each(|said| said.clone_from(&new));
    }
}

fn each_in(value: &mut Value, rewrite: &mut Rewrite<'_>) {
    match value {
        Value::String(said) => each_of(said, rewrite),
        Value::Array(items) => each_in_array(items, rewrite),
        Value::Object(map) => each_in_object(map, rewrite),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn each_in_array(items: &mut [Value], rewrite: &mut Rewrite<'_>) {
    for at in 0..items.len() {
        let new = match items.get_mut(at) {
            Some(Value::String(said)) => rewrite(said),
            Some(other) => {
                each_in(other, rewrite);
                None
            }
            None => None,
        };
        let Some(new) = new else { continue };
        let new = set_apart(new, |taken| items.iter().any(|item| item == taken));
        items.iter_mut().skip(at).take(1).for_each(|item| *item = Value::from(new.as_str()));
    }
}

fn each_in_object(map: &mut Map<String, Value>, rewrite: &mut Rewrite<'_>) {
    let keys = new_keys(map, rewrite);
    if !keys.is_empty() {
        let renamed = |key: String| match keys.iter().find(|(old, _)| *old == key) {
            Some((_, new)) => new.clone(),
            None => key,
        };
        *map = std::mem::take(map).into_iter().map(|(key, value)| (renamed(key), value)).collect();
    }
    map.values_mut().for_each(|value| each_in(value, rewrite));
}

/// The keys of an object that change, and what they become.
fn new_keys(map: &Map<String, Value>, rewrite: &mut Rewrite<'_>) -> Vec<(String, String)> {
    let mut keys: Vec<(String, String)> = Vec::new();
    for key in map.keys() {
        let Some(new) = rewrite(key) else { continue };
        let is_taken =
            |wanted: &str| map.contains_key(wanted) || keys.iter().any(|(_, new)| new == wanted);
        let new = set_apart(new, is_taken);
        keys.push((key.clone(), new));
    }
    keys
}

/// What was told apart stays so: lists and objects keep as many entries as they have.
fn set_apart(mut said: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&said) {
        said.push_str(UNTOLD);
    }
    said
}

/// A string under the veil; nothing when it stays.
fn drawn(said: &str, sees: &dyn Fn(i64) -> bool) -> Option<String> {
    let hides = veil::numbers(said).into_iter().any(|number| !sees(number));
    hides.then(|| veil::veiled(said, sees))
}

fn lifted_from(whole: &str, sent: &str, sees: &dyn Fn(i64) -> bool) -> String {
    match drawn(whole, sees) {
        Some(seen) => veil::unveiled(whole, &seen, sent),
        None => sent.to_owned(),
    }
}

fn lifted_from_list(whole: &[String], sent: &[String], sees: &dyn Fn(i64) -> bool) -> Vec<String> {
    let mut seen = whole.to_vec();
    each_of_list(&mut seen, &mut |said| drawn(said, sees));
    let is = |said: &&String| seen.iter().position(|seen| seen == *said);
    let whole_of = |said: &String| is(&said).and_then(|at| whole.get(at)).unwrap_or(said).clone();
    sent.iter().map(whole_of).collect()
}

/// What is as it was shown is what it was; what is otherwise is compared part by part.
fn lift(whole: &Value, sent: &mut Value, sees: &dyn Fn(i64) -> bool) {
    let mut seen = whole.clone();
    each_in(&mut seen, &mut |said| drawn(said, sees));
    if seen == *whole {
        return;
    }
    if *sent == seen {
        sent.clone_from(whole);
        return;
    }
    match (whole, &seen, sent) {
        (Value::String(whole), Value::String(seen), Value::String(sent)) => {
            *sent = veil::unveiled(whole, seen, sent);
        }
        (Value::Array(whole), Value::Array(seen), Value::Array(sent)) => {
            lift_items(whole, seen, sent, sees);
        }
        (Value::Object(whole), _, Value::Object(sent)) => lift_object(whole, sent, sees),
        _ => {}
    }
}

/// Entries that are as they were shown may have moved; others are compared with what was in their
/// place.
fn lift_items(whole: &[Value], seen: &[Value], sent: &mut [Value], sees: &dyn Fn(i64) -> bool) {
    let mut left: Vec<Option<(&Value, &Value)>> = whole.iter().zip(seen).map(Some).collect();
    let mut others = Vec::new();
    for (at, item) in sent.iter_mut().enumerate() {
        let same = left.iter_mut().find(|known| matches!(known, Some((_, seen)) if *seen == item));
        match same.and_then(Option::take) {
            Some((whole, _)) => item.clone_from(whole),
            None => others.push((at, item)),
        }
    }
    for (at, item) in others {
        if let Some(Some((whole, _))) = left.get(at) {
            lift(whole, item, sees);
        }
    }
}

fn lift_object(
    whole: &Map<String, Value>,
    sent: &mut Map<String, Value>,
    sees: &dyn Fn(i64) -> bool,
) {
    let keys = new_keys(whole, &mut |said| drawn(said, sees));
    let written = |key: String| match keys.iter().find(|(_, seen)| *seen == key) {
        Some((old, _)) => old.clone(),
        None => key,
    };
    if !keys.is_empty() {
        *sent =
            std::mem::take(sent).into_iter().map(|(key, value)| (written(key), value)).collect();
    }
    for (key, value) in sent {
        if let Some(whole) = whole.get(key) {
            lift(whole, value, sees);
        }
    }
}

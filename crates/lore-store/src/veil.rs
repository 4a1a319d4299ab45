//! The veil: hides mentions of nodes that a reader does not see, in everything they read.
//!
//! A mention such as `[entity:7]` is as hidden as the node it leads to, wherever it was written: in
//! a text, a name, a document or a log. Every engine draws the veil over what it reads for a
//! viewer: hidden mentions become plain words. When the viewer sends such content back, the engine
//! lifts the veil again, so that nobody breaks a mention by saving what they were shown. Addresses
//! (sources, sessions, namespaces) and ids are keys, not words, and are never rewritten.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lore_core::{Edge, Event, Node, Properties, State, Text};
use lore_markup::veil::{self, UNTOLD};
use serde_json::{Map, Value};

use crate::batch::{NodePatch, TextPatch};

/// Returns the new value of a string; `None` to keep it.
pub type Rewrite<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// Something with strings that readers are shown.
pub trait Says {
    /// Calls `rewrite` for every string that readers are shown, and replaces it as told.
    fn each_said(&mut self, rewrite: &mut Rewrite<'_>);
}

/// The numbers of all nodes that the items mention.
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

/// Replaces mentions of nodes that are not seen by plain words.
pub fn draw(items: &mut [impl Says], sees: &dyn Fn(i64) -> bool) {
    for item in items {
        item.each_said(&mut |said| drawn(said, sees));
    }
}

/// Restores the mentions in a node patch whose author read the node under the veil.
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

/// The same for a patch of a text.
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

/// Rewrites the value if there is one.
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
    /// Leaves the payload byte for byte unchanged if nothing in it is rewritten, because it is
    /// hashed.
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

/// A cheap test whether JSON text may contain a mention: a mention starts with a bracket and a
/// letter. A JSON array starts that way only before `true`, `false` or `null`.
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

/// The keys of an object that change, with their new values.
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

/// Makes a rewritten string unique, so that lists and objects keep all their entries.
fn set_apart(mut said: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&said) {
        said.push_str(UNTOLD);
    }
    said
}

/// A string under the veil; `None` if it stays the same.
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

/// Restores mentions in a JSON value: a value sent back as it was shown becomes the original again,
/// and any other is compared part by part.
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

/// Restores mentions in a list. Entries that were sent back as shown may have moved; other entries
/// are compared with the original at the same position.
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

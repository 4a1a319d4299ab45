//! YAML as strings, lists and blocks of keys.
//!
//! A library parses the text; this module builds the values. The expansion of anchors and aliases
//! (`&anchor`, `*alias`, `<<`) is limited, so that a short note cannot grow without bounds.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

/// Deepest nesting of values.
const DEEPEST: usize = 32;
/// Most that all aliases together may expand to, in bytes.
const MEANT_MAX: usize = 1 << 20;
/// The merge key, which copies the keys of another block.
const MERGE: &str = "<<";

/// A YAML value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// An unquoted scalar; empty for null.
    Plain(String),
    /// A quoted or block scalar.
    Quoted(String),
    /// A sequence.
    List(Vec<Self>),
    /// A mapping, in the order of the text.
    Block(Vec<(String, Self)>),
}

/// Why a text is not valid YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The line where it was noticed, counted from 0.
    pub(super) line: usize,
    /// What is wrong.
    pub(super) why: String,
}

/// Parses a YAML text.
pub(crate) fn read(text: &str) -> Result<Value, Problem> {
    let mut tree = Tree::default();
    for event in Parser::new_from_str(text) {
        let (event, place) = event.map_err(|error| Problem::of(&error))?;
        tree.take(event);
        if tree.open.len() > DEEPEST {
            let line = place.start.line().saturating_sub(1);
            return Err(Problem { line, why: "too many brackets in brackets".into() });
        }
    }
    Ok(tree.whole)
}

impl Problem {
    fn of(error: &ScanError) -> Self {
        Self { line: error.marker().line().saturating_sub(1), why: error.info().to_owned() }
    }
}

impl Value {
    /// Returns the value as a single string, if it is one. A block with one key counts as `key:
    /// value`.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Plain(text) | Self::Quoted(text) => Some(text.clone()),
            Self::List(_) => None,
            Self::Block(keys) => match keys.as_slice() {
                [(key, value)] => Some(format!("{key}: {}", value.text()?)),
                _ => None,
            },
        }
    }

    /// Returns the wiki link that unquoted double brackets stand for in a note. To YAML they are a
    /// list in a list.
    pub(super) fn link(&self) -> Option<String> {
        let Self::List(outer) = self else { return None };
        let [Self::List(inner)] = outer.as_slice() else { return None };
        let bare = |value: &Self| match value {
            Self::Quoted(_) => None,
            other => other.text(),
        };
        let parts: Vec<String> = inner.iter().map(bare).collect::<Option<_>>()?;
        (!parts.is_empty()).then(|| format!("[[{}]]", parts.join(", ")))
    }

    fn nothing() -> Self {
        Self::Plain(String::new())
    }

    /// Returns its size in memory, in bytes.
    fn size(&self) -> usize {
        let inside: usize = match self {
            Self::Plain(text) | Self::Quoted(text) => text.len(),
            Self::List(items) => items.iter().map(Self::size).sum(),
            Self::Block(keys) => keys.iter().map(|(key, value)| key.len() + value.size()).sum(),
        };
        inside + size_of::<Self>()
    }
}

/// The values parsed so far.
struct Tree {
    open: Vec<Open>,
    whole: Value,
    /// The values of anchors.
    named: HashMap<usize, Value>,
    meant: usize,
}

impl Default for Tree {
    fn default() -> Self {
        let whole = Value::nothing();
        Self { open: Vec::new(), whole, named: HashMap::new(), meant: 0 }
    }
}

/// A list or block that is still open.
struct Open {
    anchor: usize,
    /// The items of a list, or alternating keys and values of a block.
    parts: Vec<Value>,
}

impl Tree {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, _) => {
                let is_said = !matches!(&*text, "~" | "null" | "Null" | "NULL");
                let text = if is_said { text.into_owned() } else { String::new() };
                self.put(anchor, Value::Plain(text));
            }
            Event::Scalar(text, _, anchor, _) => self.put(anchor, Value::Quoted(text.into_owned())),
            Event::Alias(anchor) => {
                let value = self.meant_again(anchor);
                self.put(0, value);
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                self.open.push(Open { anchor, parts: Vec::new() });
            }
            Event::SequenceEnd => self.close(Value::List),
            Event::MappingEnd => self.close(block),
            _ => {}
        }
    }

    fn close(&mut self, value: impl Fn(Vec<Value>) -> Value) {
        if let Some(Open { anchor, parts }) = self.open.pop() {
            self.put(anchor, value(parts));
        }
    }

    fn put(&mut self, anchor: usize, value: Value) {
        if anchor != 0 {
            self.named.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            Some(open) => open.parts.push(value),
            None => self.whole = value,
        }
    }

    /// Returns the value of an anchor; an empty one for a list that contains itself.
    fn meant_again(&mut self, anchor: usize) -> Value {
        let Some(value) = self.named.get(&anchor) else { return Value::nothing() };
        self.meant = self.meant.saturating_add(value.size());
        if self.meant > MEANT_MAX { Value::nothing() } else { value.clone() }
    }
}

/// Builds a block from alternating keys and values. Its own keys take precedence over merged ones,
/// and earlier merged blocks over later ones.
fn block(parts: Vec<Value>) -> Value {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    let mut parts = parts.into_iter();
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        match (key.text(), value) {
            (Some(key), Value::Block(keys)) if key == MERGE => others.push(keys),
            (Some(key), Value::List(blocks)) if key == MERGE => {
                others.extend(blocks.into_iter().filter_map(|block| match block {
                    Value::Block(keys) => Some(keys),
                    _ => None,
                }));
            }
            (Some(key), value) => own.push((key, value)),
            (None, _) => {}
        }
    }
    for keys in others {
        let known: HashSet<String> = own.iter().map(|(key, _)| key.clone()).collect();
        own.extend(keys.into_iter().filter(|(key, _)| !known.contains(key)));
    }
    Value::Block(own)
}

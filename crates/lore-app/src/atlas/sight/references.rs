//! Finds what values and texts refer to: by references, by mentions, by UUIDs anywhere, and by
//! numbers in tags such as `[block:6]` and in URLs.

use std::collections::HashSet;
use std::ops::Range;

use lore_anvil::{IdForm, Kind, Object, is_reference};
use lore_core::Uid;
use lore_markup::anvil;
use serde_json::{Value, json};

use super::{is_bare, is_hidden};
use crate::atlas::mentions::NOWHERE;

/// The field that some objects use instead of `id`.
pub(super) const UUID: &str = "uuid";
/// The beginning of the URLs of things.
pub(in crate::atlas) const ADDRESS: &str = "lorewell://atlas/";

/// What a reference gives to identify a thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::atlas) enum Name {
    Uid(Uid),
    /// A number without a kind.
    Number(i64),
    /// The number of a thing of a known kind.
    Counted(Kind, i64),
}

/// Everything that some values may refer to.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Things that references declare as open.
    pub(super) told: HashSet<Name>,
    /// All others, including everything found in texts, keys and embedded data.
    pub(super) written: HashSet<Name>,
}

impl Names {
    /// Adds everything that a value may refer to.
    pub(super) fn collect(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                let is_open = is_reference(fields) && !is_hidden(fields);
                let names = if is_open { &mut self.told } else { &mut self.written };
                names.extend(name_of(fields));
                for (name, value) in fields {
                    self.collect_text(name);
                    self.collect(value);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::String(text) => self.collect_text(text),
            _ => {}
        }
    }

    /// Adds everything that a text may refer to.
    pub(super) fn collect_text(&mut self, text: &str) {
        self.written.extend(named_in(text).map(|(_, name)| name));
        self.written.extend(anvil::mentions(text).iter().filter_map(mentioned));
        if let Some(data) = data_in(text) {
            self.collect_data(&data);
        }
    }

    /// Adds everything that embedded data may refer to. Its own claims of openness do not count,
    /// because they may be outdated.
    pub(super) fn collect_data(&mut self, data: &Value) {
        let mut inside = Self::default();
        inside.collect(data);
        self.written.extend(inside.told.into_iter().chain(inside.written));
    }
}

impl Name {
    /// Parses an id of unknown kind.
    pub(super) fn of(id: &str) -> Option<Self> {
        let uid = id.trim().parse().ok().map(Self::Uid);
        uid.or_else(|| id.trim().parse().ok().map(Self::Number))
    }

    /// Parses the id of a thing of a known kind.
    pub(super) fn of_kind(kind: Kind, id: &str) -> Option<Self> {
        Some(match Self::of(id)? {
            Self::Number(number) if kind.row().id == IdForm::Number => Self::Counted(kind, number),
            other => other,
        })
    }
}

/// The words before the number of a thing of a kind, in tags, URLs and mentions.
pub(in crate::atlas) fn words_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    let short = (kind == Kind::Image).then_some("img");
    std::iter::once(kind.row().path).chain(short)
}

/// The kind that an object states in `entityClass`.
pub(super) fn kind_of(fields: &Object) -> Option<Kind> {
    let class = fields.get("entityClass")?;
    Kind::ALL.iter().copied().find(|kind| *class == json!(kind.row().class))
}

/// What an object refers to by its id. A number counts only if the other fields look like a
/// reference.
pub(super) fn name_of(fields: &Object) -> Option<Name> {
    let id = fields.get("id").or_else(|| fields.get(UUID))?;
    let is_numbered = is_reference(fields) || fields.contains_key("entityClass") || is_bare(fields);
    let id = match id {
        Value::String(text) => text.clone(),
        other => other.as_i64()?.to_string(),
    };
    let name = match kind_of(fields) {
        Some(kind) => Name::of_kind(kind, &id),
        None => Name::of(&id),
    };
    name.filter(|name| is_numbered || matches!(name, Name::Uid(_)))
}

/// What a mention refers to; `None` for the placeholder kind of mentions that lead nowhere.
pub(in crate::atlas) fn mentioned(found: &anvil::AnvilMention<'_>) -> Option<Name> {
    let name = match counted_as(found.kind) {
        Some(kind) => Name::of_kind(kind, found.id),
        None => Name::of(found.id),
    };
    name.filter(|_| found.kind != NOWHERE)
}

/// The positions of UUIDs and numbers in a text, outside mentions, in order, with what they refer
/// to.
pub(super) fn named_in(text: &str) -> impl Iterator<Item = (Range<usize>, Name)> {
    let ids =
        ids_in(text).filter_map(|at| Some((at.clone(), Name::Uid(text.get(at)?.parse().ok()?))));
    let mut all: Vec<(Range<usize>, Name)> = ids.chain(numbers_in(text)).collect();
    all.sort_by_key(|(at, _)| at.start);
    all.into_iter()
}

/// The JSON data that a text consists of, if it does.
pub(super) fn data_in(text: &str) -> Option<Value> {
    looks_like_data(text).then(|| serde_json::from_str(text).ok()).flatten()
}

pub(super) fn looks_like_data(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"'])
}

/// The positions of UUIDs in a text.
fn ids_in(text: &str) -> impl Iterator<Item = Range<usize>> {
    const LENGTH: usize = 36;
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    let bytes = text.as_bytes();
    let is_shaped = move |at: &usize| DASHES.iter().all(|dash| bytes.get(at + dash) == Some(&b'-'));
    let starts = (0..bytes.len()).filter(is_shaped);
    let is_id =
        move |at: &Range<usize>| text.get(at.clone()).is_some_and(|id| id.parse::<Uid>().is_ok());
    starts.map(|at| at..at + LENGTH).filter(is_id)
}

/// The positions of numbers of things in a text, in tags and URLs.
fn numbers_in(text: &str) -> impl Iterator<Item = (Range<usize>, Name)> {
    text.match_indices([':', '/']).filter_map(|(at, sign)| {
        let before = text.get(..at)?;
        let start = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let is_there = if sign == ":" { start.ends_with('[') } else { start.ends_with(ADDRESS) };
        let word = before.get(start.len()..).filter(|_| is_there)?;
        let kind = counted_as(word)?;
        let after = text.get(at + 1..)?;
        let length = after.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = after.split_at_checked(length)?;
        let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
        let number = number.parse().ok().filter(|_| ends)?;
        Some((at + 1..at + 1 + length, Name::Counted(kind, number)))
    })
}

/// The kind with numeric ids that a word stands for.
fn counted_as(word: &str) -> Option<Kind> {
    let counted = Kind::ALL.iter().copied().filter(|kind| kind.row().id == IdForm::Number);
    let mut counted = counted.into_iter();
    counted.find(|kind| words_of(*kind).any(|known| known.eq_ignore_ascii_case(word)))
}

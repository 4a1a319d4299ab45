//! What values and texts that others wrote name, and where: by references, by mentions, by ids
//! wherever they stand, and by numbers in tags such as `[block:6]` and in addresses.

use std::collections::HashSet;
use std::ops::Range;

use lore_anvil::{IdForm, Kind, Object, is_reference};
use lore_core::Uid;
use lore_markup::anvil;
use serde_json::{Value, json};

use super::mentions::NOWHERE;
use super::sight::{is_bare, is_hidden};

/// Where some objects say what they refer to in place of `id`.
pub(super) const UUID: &str = "uuid";
/// How addresses of things begin.
pub(super) const ADDRESS: &str = "lorewell://atlas/";

/// What says which thing is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Uid(Uid),
    /// A number, of whatever kind has it.
    Number(i64),
    /// The number of a thing of a kind.
    Counted(Kind, i64),
}

/// Everything that some values may name. What data says of itself is only written.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// What references say to be open.
    pub(super) told: HashSet<Name>,
    /// Everything else, and all that stands in texts and keys.
    pub(super) written: HashSet<Name>,
}

impl Names {
    /// Takes in everything that a value may name.
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

    /// Takes in everything that a text may name.
    pub(super) fn collect_text(&mut self, text: &str) {
        self.written.extend(named_in(text).map(|(_, name)| name));
        self.written.extend(anvil::mentions(text).iter().filter_map(mentioned));
        if let Some(data) = data_in(text) {
            self.collect_data(&data);
        }
    }

    /// Takes in everything that data may name: somebody wrote it once, and it may have changed.
    pub(super) fn collect_data(&mut self, data: &Value) {
        let mut inside = Self::default();
        inside.collect(data);
        self.written.extend(inside.told.into_iter().chain(inside.written));
    }
}

impl Name {
    /// The thing that an id means.
    pub(super) fn of(id: &str) -> Option<Self> {
        let uid = id.trim().parse().ok().map(Self::Uid);
        uid.or_else(|| id.trim().parse().ok().map(Self::Number))
    }

    /// The thing of a kind that an id means.
    pub(super) fn of_kind(kind: Kind, id: &str) -> Option<Self> {
        Some(match Self::of(id)? {
            Self::Number(number) if kind.row().id == IdForm::Number => Self::Counted(kind, number),
            other => other,
        })
    }
}

/// The words that stand before a number of a kind in tags, addresses and mentions.
pub(super) fn words_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    let short = (kind == Kind::Image).then_some("img");
    std::iter::once(kind.row().path).chain(short)
}

/// The kind that an object says it is of.
pub(super) fn kind_of(fields: &Object) -> Option<Kind> {
    let class = fields.get("entityClass")?;
    Kind::ALL.iter().copied().find(|kind| *class == json!(kind.row().class))
}

/// What an object says it means. A number means something only where the rest is a reference, too.
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

/// What a mention means; what stands for one that leads nowhere means nothing.
pub(super) fn mentioned(found: &anvil::AnvilMention<'_>) -> Option<Name> {
    let name = match counted_as(found.kind) {
        Some(kind) => Name::of_kind(kind, found.id),
        None => Name::of(found.id),
    };
    name.filter(|_| found.kind != NOWHERE)
}

/// Where ids and numbers stand in a text that are not those of mentions, in order, and what they
/// mean.
pub(super) fn named_in(text: &str) -> impl Iterator<Item = (Range<usize>, Name)> {
    let ids =
        ids_in(text).filter_map(|at| Some((at.clone(), Name::Uid(text.get(at)?.parse().ok()?))));
    let mut all: Vec<(Range<usize>, Name)> = ids.chain(numbers_in(text)).collect();
    all.sort_by_key(|(at, _)| at.start);
    all.into_iter()
}

/// What a text says that is data.
pub(super) fn data_in(text: &str) -> Option<Value> {
    looks_like_data(text).then(|| serde_json::from_str(text).ok()).flatten()
}

pub(super) fn looks_like_data(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"'])
}

/// Where UUIDs stand in a text.
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

/// Where numbers of things stand in a text, in tags and addresses.
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

/// The kind of things with numbers that a word stands for.
fn counted_as(word: &str) -> Option<Kind> {
    let counted = Kind::ALL.iter().copied().filter(|kind| kind.row().id == IdForm::Number);
    let mut counted = counted.into_iter();
    counted.find(|kind| words_of(*kind).any(|known| known.eq_ignore_ascii_case(word)))
}

//! Whether a document is one of those that are asked for.

use lore_core::names::name_key;
use lore_text::analysis::fold;

use crate::column::Slot;
use crate::document::Entry;
use crate::query::{Filter, Unit};
use crate::view::View;

/// A filter, made ready.
pub(super) struct Sieve<'a> {
    filter: &'a Filter,
    tags: Vec<String>,
    unit: Unit,
    /// Whether it holds back nothing but heads.
    is_open: bool,
    /// Whether it may hold back most documents.
    is_narrow: bool,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(filter: &'a Filter, unit: Unit) -> Self {
        let tags = filter.tags.iter().map(|tag| tag_key(tag)).collect();
        let is_open = *filter == Filter::default();
        let rest = Filter { except_kinds: Vec::new(), ..filter.clone() };
        Self { filter, tags, unit, is_open, is_narrow: rest != Filter::default() }
    }

    /// Everything that is asked for, if it is no more than `most` documents. Does not look
    /// for it where it is probably more.
    pub(super) fn few(&self, view: &View, most: usize) -> Option<Vec<Slot>> {
        if view.len() > most && !self.is_narrow {
            return None;
        }
        let all = (0..view.capacity()).filter_map(|at| u32::try_from(at).ok()).map(Slot);
        let admitted: Vec<Slot> =
            all.filter(|slot| self.admits(view, *slot)).take(most + 1).collect();
        (admitted.len() <= most).then_some(admitted)
    }

    pub(super) fn admits(&self, view: &View, slot: Slot) -> bool {
        let Some(key) = view.key(slot) else { return false };
        let wanted = self.unit == Unit::Node || key.text.is_some();
        wanted && (self.is_open || view.entry(slot).is_some_and(|entry| self.passes(entry)))
    }

    fn passes(&self, entry: &Entry) -> bool {
        let (filter, meta) = (self.filter, &entry.meta);
        let at = meta.moment();
        (filter.kinds.is_empty() || filter.kinds.contains(&meta.kind))
            && !filter.except_kinds.contains(&meta.kind)
            && (filter.text_kinds.is_empty()
                || meta.text_kind.as_ref().is_some_and(|kind| filter.text_kinds.contains(kind)))
            && is_one_of(&filter.namespaces, Some(&meta.namespace))
            && is_one_of(&filter.sources, meta.source.as_deref())
            && (filter.session.is_none() || filter.session == meta.session)
            && filter.since.is_none_or(|since| at >= since)
            && filter.until.is_none_or(|until| at <= until)
            && (filter.nodes.is_empty() || filter.nodes.contains(&entry.key.node))
            && self.tags.iter().all(|tag| meta.tags.iter().any(|has| tag_key(has) == *tag))
    }
}

/// How tags are compared: like words, without case and accents.
fn tag_key(tag: &str) -> String {
    let mut key = String::new();
    fold(&name_key(tag), &mut key);
    key
}

fn is_one_of(list: &[String], value: Option<&str>) -> bool {
    list.is_empty() || value.is_some_and(|value| list.iter().any(|one| one == value))
}

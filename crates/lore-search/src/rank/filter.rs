//! Whether a document is one of those that are asked for.

use lore_core::Timestamp;
use lore_core::names::name_key;

use crate::column::Slot;
use crate::document::{Entry, Meta};
use crate::query::{Filter, Unit};
use crate::view::View;

/// A filter, made ready.
pub(super) struct Sieve<'a> {
    filter: &'a Filter,
    tags: Vec<String>,
    unit: Unit,
    /// Whether it holds back nothing but heads.
    is_open: bool,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(filter: &'a Filter, unit: Unit) -> Self {
        let tags = filter.tags.iter().map(|tag| name_key(tag)).collect();
        Self { filter, tags, unit, is_open: *filter == Filter::default() }
    }

    pub(super) fn admits(&self, view: &View, slot: Slot) -> bool {
        let Some(key) = view.key(slot) else { return false };
        let wanted = self.unit == Unit::Node || key.text.is_some();
        wanted && (self.is_open || view.entry(slot).is_some_and(|entry| self.passes(entry)))
    }

    fn passes(&self, entry: &Entry) -> bool {
        let (filter, meta) = (self.filter, &entry.meta);
        let at = moment(meta);
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
            && self.tags.iter().all(|tag| meta.tags.iter().any(|has| name_key(has) == *tag))
    }
}

/// When it happened, or else was written.
pub(super) fn moment(meta: &Meta) -> Timestamp {
    meta.occurred_at.unwrap_or(meta.created_at)
}

fn is_one_of(list: &[String], value: Option<&str>) -> bool {
    list.is_empty() || value.is_some_and(|value| list.iter().any(|one| one == value))
}

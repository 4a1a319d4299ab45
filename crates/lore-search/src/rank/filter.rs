//! Checking whether a document passes the filter of a query.

use lore_core::NodeId;
use lore_core::names::{Word, name_key};
use rustc_hash::FxHashSet;

use crate::column::Slot;
use crate::document::tag_key;
use crate::query::{Filter, Unit};
use crate::view::View;
use crate::view::kinds::KindId;

/// A filter, prepared for many checks.
pub(super) struct Sieve<'a> {
    filter: &'a Filter,
    nodes: FxHashSet<NodeId>,
    subtype: Option<String>,
    tags: Vec<String>,
    unit: Unit,
    /// The wanted kinds of node, if only some are wanted, and the unwanted ones.
    kinds: Option<Vec<KindId>>,
    except: Vec<KindId>,
    /// The wanted kinds of text, if only some are wanted.
    text_kinds: Option<Vec<KindId>>,
    /// Whether it probably rejects most documents.
    is_narrow: bool,
    /// Whether it asks for more than kinds and nodes, so that documents have to be read.
    is_deep: bool,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(filter: &'a Filter, unit: Unit, view: &View) -> Self {
        let nodes: FxHashSet<NodeId> = filter.nodes.iter().copied().collect();
        let subtype = filter.subtype.as_deref().map(name_key);
        let tags = filter.tags.iter().map(|tag| tag_key(tag)).collect();
        let only = |kinds: &[Word]| (!kinds.is_empty()).then(|| view.kinds.ids(kinds));
        let (kinds, text_kinds) = (only(&filter.kinds), only(&filter.text_kinds));
        let except = view.kinds.ids(&filter.except_kinds);
        let is_deep = is_deep(filter);
        let is_narrow = is_deep || !nodes.is_empty() || kinds.is_some() || text_kinds.is_some();
        Self { filter, nodes, subtype, tags, unit, kinds, except, text_kinds, is_narrow, is_deep }
    }

    /// All documents that pass, if there are at most `most`. Gives up early if there are probably
    /// more.
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
        let facts = view.facts(slot);
        let is_unit = self.unit == Unit::Node || !facts.is_head;
        let among = |kinds: Option<&[KindId]>, kind: Option<KindId>| {
            kinds.is_none_or(|kinds| kind.is_some_and(|kind| kinds.contains(&kind)))
        };
        is_unit
            && facts.kind.is_some_and(|kind| !self.except.contains(&kind))
            && among(self.kinds.as_deref(), facts.kind)
            && among(self.text_kinds.as_deref(), facts.text_kind)
            && self.is_of_the_nodes(view, slot)
            && (!self.is_deep || self.passes(view, slot))
    }

    fn is_of_the_nodes(&self, view: &View, slot: Slot) -> bool {
        self.nodes.is_empty() || view.key(slot).is_some_and(|key| self.nodes.contains(&key.node))
    }

    /// Whether a document passes all conditions except kinds and nodes.
    fn passes(&self, view: &View, slot: Slot) -> bool {
        let Some(entry) = view.entry(slot) else { return false };
        let (filter, meta) = (self.filter, &entry.meta);
        let at = meta.moment();
        is_one_of(&filter.namespaces, Some(&meta.namespace))
            && is_one_of(&filter.sources, meta.source.as_deref())
            && (filter.session.is_none() || filter.session == meta.session)
            && filter.since.is_none_or(|since| at >= since)
            && filter.until.is_none_or(|until| at <= until)
            && self.subtype.as_ref().is_none_or(|wanted| view.subtype_of(slot) == Some(wanted))
            && self.tags.iter().all(|tag| meta.tag_keys.contains(tag))
    }
}

/// Whether a filter asks for more than kinds and nodes.
fn is_deep(filter: &Filter) -> bool {
    // Destructured, so that a new field does not compile until it is handled here.
    let Filter {
        kinds: _,
        except_kinds: _,
        text_kinds: _,
        nodes: _,
        namespaces,
        subtype,
        tags,
        sources,
        session,
        since,
        until,
    } = filter;
    let lists = [namespaces, tags, sources];
    lists.iter().any(|list| !list.is_empty())
        || subtype.is_some()
        || session.is_some()
        || since.is_some()
        || until.is_some()
}

fn is_one_of(list: &[String], value: Option<&str>) -> bool {
    list.is_empty() || value.is_some_and(|value| list.iter().any(|one| one == value))
}

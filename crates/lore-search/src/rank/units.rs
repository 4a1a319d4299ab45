//! From documents to what is asked for: texts, or nodes with the best of their texts.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use lore_core::NodeId;
use rustc_hash::FxHashMap;

use crate::query::{Query, Unit};
use crate::rank::{Found, order};
use crate::view::View;

/// What was found of a node: the best, and the best of its texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    best: Found,
    text: Option<Found>,
}

/// Leaves one for each unit: the best, naming the best text.
pub(super) fn merge(
    view: &View,
    found: &mut Vec<Found>,
    groups: &mut FxHashMap<NodeId, Group>,
    query: &Query,
) {
    if query.unit == Unit::Text {
        return;
    }
    let kinds = view.kinds.ids(&query.apart);
    let is_apart = |one: &Found| {
        let kind = view.facts(one.slot).text_kind;
        !kinds.is_empty() && kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let mut apart = Vec::new();
    found.retain(|one| {
        let stays = !is_apart(one);
        if !stays {
            apart.push(*one);
        }
        stays
    });
    by_node(view, found, groups);
    answered_by_parts(view, found, apart);
}

/// Leaves one for each node.
fn by_node(view: &View, found: &mut Vec<Found>, groups: &mut FxHashMap<NodeId, Group>) {
    for one in found.drain(..) {
        let Some(key) = view.key(one.slot) else { continue };
        let text = key.text.map(|_| one);
        match groups.entry(key.node) {
            Entry::Vacant(place) => drop(place.insert(Group { best: one, text })),
            Entry::Occupied(mut place) => {
                let group = place.get_mut();
                if order(view, &one, &group.best) == Ordering::Less {
                    group.best = one;
                }
                if let Some(text) = text
                    && group.text.is_none_or(|old| order(view, &text, &old) == Ordering::Less)
                {
                    group.text = Some(text);
                }
            }
        }
    }
    found.extend(groups.drain().map(|(_, Group { best, text })| {
        let named = text.map_or(best.named, |text| text.named);
        Found { named, ..best }
    }));
}

/// Adds the parts of nodes to the whole ones, but what was found by its name alone is
/// answered by the best of its parts.
fn answered_by_parts(view: &View, whole: &mut Vec<Found>, mut parts: Vec<Found>) {
    let node = |one: &Found| view.key(one.slot).map(|key| key.node);
    let mut best: FxHashMap<NodeId, usize> = FxHashMap::default();
    for (at, part) in parts.iter().enumerate() {
        let Some(node) = node(part) else { continue };
        let kept = best.entry(node).or_insert(at);
        if parts.get(*kept).is_some_and(|old| order(view, part, old) == Ordering::Less) {
            *kept = at;
        }
    }
    whole.retain(|one| {
        let part = node(one).and_then(|node| best.get(&node)).and_then(|at| parts.get_mut(*at));
        let Some(part) = part.filter(|_| view.facts(one.named).is_head) else { return true };
        if order(view, one, part) == Ordering::Less {
            *part = Found { named: part.named, ..*one };
        }
        false
    });
    whole.append(&mut parts);
}

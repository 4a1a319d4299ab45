//! From documents to what is asked for: texts, or nodes with the best of their texts.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use lore_core::{NodeId, TextKind};
use rustc_hash::FxHashMap;

use crate::query::{Query, Unit};
use crate::rank::judge::Judge;
use crate::rank::{Found, RECONSIDERED, order};
use crate::view::View;

/// What was found of a node: the best, and the best of its texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    best: Found,
    text: Option<Found>,
}

/// Leaves one for each unit: the best, naming the best text.
pub(super) fn merge(
    judge: &Judge<'_>,
    found: &mut Vec<Found>,
    groups: &mut FxHashMap<NodeId, Group>,
    query: &Query,
) {
    let view = judge.view;
    if query.unit == Unit::Text {
        return;
    }
    let is_apart = of_kinds(view, &query.apart);
    let apart: Vec<Found> = found.extract_if(.., |one| is_apart(one)).collect();
    let beside = beside(judge, found, of_kinds(view, &query.beside));
    by_node(view, found, groups);
    answered_by_parts(view, found, apart);
    found.extend(beside);
}

/// Whether something is a text of one of these kinds.
fn of_kinds(view: &View, kinds: &[TextKind]) -> impl Fn(&Found) -> bool {
    let kinds = view.kinds.ids(kinds);
    move |one| view.facts(one.slot).text_kind.is_some_and(|kind| kinds.contains(&kind))
}

/// What a text scores beside the best of its node, at least, to be an answer of its own,
const SCORES_FROM: f32 = 0.6;
/// and how much of the words that the best says itself it has to say: in a log, its neighbours
/// score for it.
const SAYS_FROM: f32 = 0.5;

/// The texts that answer about as well as the best of their node, each for what it says itself.
fn beside(judge: &Judge<'_>, found: &[Found], may_be: impl Fn(&Found) -> bool) -> Vec<Found> {
    let view = judge.view;
    let mut texts: Vec<&Found> = found.iter().filter(|one| may_be(one)).collect();
    let best = best_texts(view, found, &texts);
    if texts.len() > RECONSIDERED {
        texts.select_nth_unstable_by(RECONSIDERED, |a, b| order(view, a, b));
        texts.truncate(RECONSIDERED);
    }
    let answer = |text: &Found| {
        let best = best.get(&node(view, text)?).filter(|best| best.slot != text.slot)?;
        let (text, best) = (judge.by_itself(*text), judge.by_itself(*best));
        (text.score() >= best.score() * SCORES_FROM).then_some(())?;
        let says = judge.says(text.slot);
        (says > 0.0 && says >= judge.says(best.slot) * SAYS_FROM).then_some(text)
    };
    texts.into_iter().filter_map(answer).collect()
}

/// The best text of each node that has one of these.
fn best_texts(view: &View, found: &[Found], of: &[&Found]) -> FxHashMap<NodeId, Found> {
    let mut best: FxHashMap<NodeId, Found> =
        of.iter().filter_map(|one| Some((node(view, one)?, **one))).collect();
    for one in found.iter().filter(|one| !view.facts(one.slot).is_head) {
        let known = node(view, one).and_then(|node| best.get_mut(&node));
        if let Some(known) = known.filter(|known| order(view, one, known) == Ordering::Less) {
            *known = *one;
        }
    }
    best
}

fn node(view: &View, one: &Found) -> Option<NodeId> {
    view.key(one.slot).map(|key| key.node)
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
    let mut best: FxHashMap<NodeId, usize> = FxHashMap::default();
    for (at, part) in parts.iter().enumerate() {
        let Some(node) = node(view, part) else { continue };
        let kept = best.entry(node).or_insert(at);
        if parts.get(*kept).is_some_and(|old| order(view, part, old) == Ordering::Less) {
            *kept = at;
        }
    }
    whole.retain(|one| {
        let part =
            node(view, one).and_then(|node| best.get(&node)).and_then(|at| parts.get_mut(*at));
        let Some(part) = part.filter(|_| view.facts(one.named).is_head) else { return true };
        if order(view, one, part) == Ordering::Less {
            *part = Found { named: part.named, ..*one };
        }
        false
    });
    whole.append(&mut parts);
}

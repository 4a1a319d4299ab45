//! Turning scored documents into hits: texts, or nodes with their best text.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use lore_core::{NodeId, TextKind};
use rustc_hash::FxHashMap;

use crate::query::{Query, Unit};
use crate::rank::judge::Judge;
use crate::rank::{Found, RECONSIDERED, order};
use crate::view::View;

/// The best document of a node, and its best text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    best: Found,
    text: Option<Found>,
}

/// Keeps one document for each unit: the best, naming the best text.
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

/// Returns a test whether a document is a text of one of these kinds.
fn of_kinds(view: &View, kinds: &[TextKind]) -> impl Fn(&Found) -> bool {
    let kinds = view.kinds.ids(kinds);
    move |one| view.facts(one.slot).text_kind.is_some_and(|kind| kinds.contains(&kind))
}

/// The least score, relative to the best text of the node, of a text that is a hit of its own,
const SCORES_FROM: f32 = 0.6;
/// and the least share of the question's words it must contain, relative to that text. Needed
/// because in a log the neighbours add to a text's score.
const SAYS_FROM: f32 = 0.5;

/// Texts that answer about as well as the best text of their node, scored by their own words.
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
        (text.own_score() >= best.own_score() * SCORES_FROM).then_some(())?;
        let says = judge.says(text.slot);
        (says > 0.0 && says >= judge.says(best.slot) * SAYS_FROM).then_some(text)
    };
    texts.into_iter().filter_map(answer).collect()
}

/// The best text of each node to which one of the documents in `of` belongs.
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

/// Keeps one document for each node.
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

/// Adds separate texts to the nodes. A node that was found by its head alone is represented by the
/// best of its separate texts instead.
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

//! Ranking: from a query to hits, best first.
//!
//! Where few documents are asked for, all are judged. Else words and the signs of vectors
//! choose candidates, and only those are judged.

mod company;
mod feedback;
mod filter;
mod lexical;
mod literal;
mod meaning;
mod question;
mod weights;

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::iter::repeat;

use lore_core::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::column::Slot;
use crate::document::DocKey;
use crate::index::Index;
use crate::lexicon::Lexicon;
use crate::query::{Hit, MatchKind, Parts, Query, Ranked, Unit};
use crate::view::View;
use crate::view::names::{Called, Tally};
use feedback::Feedback;
use filter::Sieve;
use lexical::{Lexical, Reading, nth_best};
use literal::Literals;
use meaning::{Likeness, Probe, Products};
use question::Question;

/// Room for a search, used again by the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    lexical: Lexical,
    products: Products,
    tally: Tally,
    found: Vec<Found>,
    groups: FxHashMap<NodeId, Group>,
}

/// A document that was judged. Small, because of many only a few are shown.
#[derive(Debug, Clone, Copy)]
struct Found {
    slot: Slot,
    /// The document that is named in the answer.
    named: Slot,
    /// What it scores by itself,
    base: f32,
    /// and what others like it add.
    shared: f32,
    /// How like it is, above the average of the store.
    above: f32,
    match_kind: MatchKind,
}

impl Found {
    fn score(&self) -> f32 {
        self.base + self.shared
    }

    fn has_reason(&self) -> bool {
        self.match_kind != MatchKind::NextBest
    }
}

/// Which reasons count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reasons {
    /// All of them.
    All,
    /// Those that are up to date. The others follow the statistics of a large store by and by, and
    /// show how it was filled; but who asks for all turns pages, which have to go together.
    Exact,
}

/// What was found of a node: the best, and the best of its texts.
#[derive(Debug, Clone, Copy)]
struct Group {
    best: Found,
    text: Option<Found>,
}

/// Up to so many documents are all judged.
const SMALL: usize = 4_000;
/// Of more: how many candidates words choose, and how many vectors.
const BY_WORDS: usize = 400;
const BY_VECTORS: usize = 300;
/// And how many the days that a question names.
const BY_DAYS: usize = 200;
/// Of how many that words found, the other reasons are looked at.
const LOOKED_AT: usize = 2_000;
/// Of how many that have the words, when all are asked for, the meaning is compared, too.
const COMPARED: usize = 1_000;
/// How many of the nearest are shown where nothing has a reason to be.
const NEAREST: usize = 5;
/// How many of the best answers are looked at a second time.
const RECONSIDERED: usize = 200;

/// Answers a query from what a view holds.
pub(crate) fn search(
    view: &View,
    lexicon: &Lexicon,
    scratch: &mut Scratch,
    query: &Query,
) -> Ranked {
    let sieve = Sieve::new(&query.filter, query.unit, view);
    if query.text.trim().is_empty() {
        return list(view, &sieve, query);
    }
    let question = Question::read(query, view, lexicon);
    let reading = if query.exhaustive { Reading::All } else { Reading::Enough };
    // Who asks for all that have the words does not ask for others, however few there are.
    let few = (reading == Reading::Enough).then(|| sieve.few(view, SMALL)).flatten();
    scratch.lexical.score(view, lexicon, &question.stems, few.as_deref(), reading);
    let judge = Judge {
        view,
        best_session: scratch.lexical.best_session(),
        lexical: &scratch.lexical,
        called: called(view, &question, &mut scratch.tally),
        literals: Literals::find(view, lexicon, &question.stems),
        question: &question,
        reasons: match reading {
            Reading::All if view.len() > Index::SETTLED => Reasons::Exact,
            Reading::All | Reading::Enough => Reasons::All,
        },
    };
    let mut probes = meaning::probes(view, &question);
    probes.retain(|probe| judge.reasons == Reasons::All || probe.is_exact());
    let candidates = few.unwrap_or_else(|| match reading {
        Reading::All => worded(&judge, &sieve),
        Reading::Enough => candidates(&judge, &probes, &sieve),
    });
    let (compared, rest) = candidates.split_at(match reading {
        Reading::All => COMPARED.min(candidates.len()),
        Reading::Enough => candidates.len(),
    });
    let likenesses = likenesses(view, &probes, compared, &mut scratch.products);
    let judged = compared.iter().zip(likenesses);
    let judged = judged.chain(rest.iter().zip(repeat(Likeness::default())));
    let found = &mut scratch.found;
    found.extend(judged.map(|(slot, likeness)| judge.weigh(*slot, likeness)));
    let is_answered = found.iter().any(Found::has_reason);
    if !query.fill || !is_answered && probes.is_empty() {
        found.retain(Found::has_reason);
    }
    share(view, lexicon, found, judge.reasons);
    merge(view, found, &mut scratch.groups, query);
    if !is_answered {
        found.sort_unstable_by(|a, b| order(view, a, b));
        found.truncate(NEAREST);
    }
    let total = cut(view, found, query);
    let shown = found.iter().skip(query.offset).take(query.limit);
    let hits = shown.filter_map(|found| judge.hit(found)).collect();
    found.clear();
    scratch.lexical.clear();
    Ranked { hits, total }
}

/// Without a question: everything, newest first.
fn list(view: &View, sieve: &Sieve<'_>, query: &Query) -> Ranked {
    let mut newest: FxHashMap<DocKey, _> = FxHashMap::default();
    for (_, entry) in view.slots().filter(|(slot, _)| sieve.admits(view, *slot)) {
        let unit = unit_key(entry.key, query.unit);
        let found = (entry.meta.moment(), entry.key);
        let kept = newest.entry(unit).or_insert(found);
        *kept = found.max(*kept);
    }
    let mut listed: Vec<_> = newest.into_values().collect();
    let (total, wanted) = (listed.len(), query.offset.saturating_add(query.limit));
    if wanted < total && wanted > 0 {
        listed.select_nth_unstable_by(wanted - 1, |a, b| b.cmp(a));
        listed.truncate(wanted);
    }
    listed.sort_unstable_by(|a, b| b.cmp(a));
    let hit =
        |(_, key)| Hit { key, score: 0.0, parts: Parts::default(), match_kind: MatchKind::Listed };
    let hits = listed.into_iter().skip(query.offset).take(query.limit).map(hit).collect();
    Ranked { hits, total }
}

/// What each document's names have to do with the query.
fn called(view: &View, question: &Question, tally: &mut Tally) -> FxHashMap<Slot, Called> {
    let mut called = view.names.called(&question.name, tally);
    let heads: Vec<_> = called.iter().map(|(head, how)| (*head, *how)).collect();
    for (head, how) in heads {
        called.extend(view.named_by(head).map(|text| (text, how)));
    }
    called
}

/// Every document that has a word of the question or is called by it. Of very many, those
/// that promise most come first.
fn worded(judge: &Judge<'_>, sieve: &Sieve<'_>) -> Vec<Slot> {
    let reached = judge.lexical.reached().iter().copied();
    let besides = judge.called.keys().copied().chain(judge.literals.holders());
    let besides: FxHashSet<Slot> = besides.filter(|slot| judge.lexical.of(*slot) == 0.0).collect();
    let promise = |slot: Slot| {
        let name = if judge.called.contains_key(&slot) { weights::NAME } else { 0.0 };
        judge.lexical.of(slot) + judge.literals.of(slot) + name
    };
    let chosen = reached.chain(besides).filter(|slot| sieve.admits(judge.view, *slot));
    let mut chosen: Vec<_> =
        chosen.map(|slot| (promise(slot), judge.view.key(slot), slot)).collect();
    if chosen.len() > COMPARED {
        // Ties go by key, so that the order of insertion does not show.
        chosen.select_nth_unstable_by(COMPARED, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    chosen.into_iter().map(|(_, _, slot)| slot).collect()
}

/// The documents of many that are judged, in the order of their slots.
fn candidates(judge: &Judge<'_>, probes: &[Probe<'_>], sieve: &Sieve<'_>) -> Vec<Slot> {
    let view = judge.view;
    let admits = |slot: Slot| sieve.admits(view, slot);
    let reached = judge.lexical.reached().iter().map(|slot| (*slot, judge.lexical.of(*slot)));
    let looked_at = best(&reached.collect::<Vec<_>>(), LOOKED_AT, admits);
    let judged = looked_at.into_iter().map(|slot| (slot, judge.parts(slot).sum()));
    let by_words = best(&judged.collect::<Vec<_>>(), BY_WORDS, |_| true);
    let mut chosen: FxHashSet<Slot> = by_words.into_iter().collect();
    if let Some(probe) = probes.first() {
        chosen.extend(probe.most_alike(BY_VECTORS, admits));
    }
    chosen.extend(judge.of_the_days(BY_DAYS, admits));
    chosen.extend(judge.called.keys());
    chosen.extend(judge.literals.holders());
    let mut chosen: Vec<Slot> = chosen.into_iter().filter(|slot| admits(*slot)).collect();
    chosen.sort_unstable();
    chosen
}

/// The best by their scores of those that are admitted: about `count`, if there are so
/// many. Few are asked whether they are admitted, because that is dear.
fn best(scored: &[(Slot, f32)], count: usize, admits: impl Fn(Slot) -> bool) -> Vec<Slot> {
    widening(count, scored.len(), |wanted| {
        let least = nth_best(scored.iter().map(|(_, score)| *score), wanted);
        let best = scored.iter().filter(|(_, score)| *score >= least).map(|(slot, _)| *slot);
        best.filter(|slot| admits(*slot)).collect()
    })
}

/// Looks at more and more of what there is until about `count` are found.
fn widening(count: usize, all: usize, look: impl Fn(usize) -> Vec<Slot>) -> Vec<Slot> {
    let mut wanted = count;
    loop {
        let found = look(wanted);
        if found.len() * 2 >= count || wanted >= all {
            return found;
        }
        wanted = wanted.saturating_mul(4);
    }
}

/// How like each candidate is, by the first probe that has a vector of it.
fn likenesses(
    view: &View,
    probes: &[Probe<'_>],
    candidates: &[Slot],
    products: &mut Products,
) -> Vec<Likeness> {
    let mut found: Vec<Option<Likeness>> = vec![None; candidates.len()];
    products.reach(view);
    for probe in probes {
        let open = found.iter_mut().zip(candidates).filter(|(found, _)| found.is_none());
        open.for_each(|(found, slot)| *found = probe.likeness(view, *slot, products));
        products.clear();
    }
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// Lets texts that stand alone move by the words that the best of them share, and by
/// the company they are in.
///
/// Where logs answer as well, neither should gain on the other by that: the fewer of the
/// best stand alone, the less it counts, and among mostly logs not at all.
fn share(view: &View, lexicon: &Lexicon, found: &mut [Found], reasons: Reasons) {
    let texts = found.iter_mut().filter(|one| !view.facts(one.slot).is_head);
    let mut alone: Vec<&mut Found> = texts.collect();
    if alone.len() > RECONSIDERED {
        alone.select_nth_unstable_by(RECONSIDERED, |a, b| order(view, a, b));
        alone.truncate(RECONSIDERED);
    }
    let all = alone.len();
    alone.retain(|one| !view.is_log(one.slot));
    let weight = 2.0 * alone.len() as f32 / all.max(1) as f32 - 1.0;
    if weight <= 0.0 {
        return;
    }
    alone.sort_unstable_by(|a, b| order(view, a, b));
    let best: Vec<(Slot, f32)> = alone.iter().map(|one| (one.slot, one.score())).collect();
    let feedback = Feedback::of(view, lexicon, &best);
    for one in &mut alone {
        one.shared = weight * weights::SHARED * feedback.score(view, one.slot);
    }
    if reasons == Reasons::Exact {
        return;
    }
    alone.sort_unstable_by(|a, b| order(view, a, b));
    alone.truncate(company::COMPARED);
    let best: Vec<(Slot, f32)> = alone.iter().map(|one| (one.slot, one.score())).collect();
    for (one, gain) in alone.into_iter().zip(company::gains(view, &best)) {
        one.shared += weight * gain;
    }
}

/// Weighs the reasons for a document.
struct Judge<'a> {
    view: &'a View,
    lexical: &'a Lexical,
    best_session: f32,
    question: &'a Question,
    called: FxHashMap<Slot, Called>,
    literals: Literals,
    reasons: Reasons,
}

impl Judge<'_> {
    /// All reasons but meaning and names.
    fn parts(&self, slot: Slot) -> Parts {
        let (question, facts) = (self.question, self.view.facts(slot));
        let yes = |condition: bool, weight: f32| if condition { weight } else { 0.0 };
        let named = facts.author.is_some_and(|author| question.authors.contains(&author));
        let date = match facts.day {
            Some(day) if !question.days.is_empty() => question.nearness(day),
            _ => 0.0,
        };
        let mut parts = Parts {
            lexical: self.lexical.of(slot),
            literal: self.literals.of(slot),
            author: yes(named, weights::AUTHOR),
            date: date * weights::DATE,
            session: self.lexical.of_session(self.view, slot, self.best_session) * weights::SESSION,
            ..Parts::default()
        };
        if self.view.is_log(slot) {
            parts.question = yes(facts.is_question, weights::QUESTION);
            parts.when = yes(question.asks_for_time && facts.tells_time, weights::WHEN);
            if self.reasons == Reasons::All {
                parts.information = self.view.information(slot) * weights::INFORMATION;
            }
        }
        parts
    }

    /// The best documents of the days that the question names.
    fn of_the_days(&self, count: usize, admits: impl Fn(Slot) -> bool) -> Vec<Slot> {
        if self.question.days.is_empty() {
            return Vec::new();
        }
        let all = (0..self.view.capacity()).filter_map(|at| u32::try_from(at).ok()).map(Slot);
        let of_them = all.filter(|slot| self.is_of_the_days(*slot));
        let judged = of_them.map(|slot| (slot, self.parts(slot).sum()));
        best(&judged.collect::<Vec<_>>(), count, admits)
    }

    fn is_of_the_days(&self, slot: Slot) -> bool {
        self.view.facts(slot).day.is_some_and(|day| self.question.names(day))
    }

    /// Judges a document.
    fn weigh(&self, slot: Slot, likeness: Likeness) -> Found {
        let parts = self.all_parts(slot, likeness.above);
        let match_kind = match self.called.get(&slot) {
            Some(Called::Exactly) => MatchKind::ExactName,
            Some(Called::Beginning) => MatchKind::NamePrefix,
            Some(Called::Mentioned) => MatchKind::NameMentioned,
            Some(Called::Like(_)) => MatchKind::SimilarName,
            None if parts.lexical > 0.0 || parts.literal > 0.0 => MatchKind::Words,
            None if self.is_of_the_days(slot) => MatchKind::Time,
            None if likeness.suffices => MatchKind::Meaning,
            None => MatchKind::NextBest,
        };
        let (base, above) = (parts.sum(), likeness.above);
        Found { slot, named: slot, base, shared: 0.0, above, match_kind }
    }

    /// All reasons but what others like it add.
    fn all_parts(&self, slot: Slot, above: f32) -> Parts {
        let name = match self.called.get(&slot) {
            Some(Called::Exactly) => weights::NAME,
            Some(Called::Beginning) => weights::NAME_BEGINNING,
            Some(Called::Mentioned) => weights::NAME_MENTIONED,
            Some(Called::Like(likeness)) => weights::NAME_LIKE * likeness,
            None => 0.0,
        };
        Parts { name, vector: above * weights::VECTOR, ..self.parts(slot) }
    }

    /// The answer, with its reasons told again.
    fn hit(&self, found: &Found) -> Option<Hit> {
        let key = self.view.key(found.named)?;
        let parts = Parts { shared: found.shared, ..self.all_parts(found.slot, found.above) };
        Some(Hit { key, score: parts.sum(), parts, match_kind: found.match_kind })
    }
}

fn unit_key(key: DocKey, unit: Unit) -> DocKey {
    match unit {
        Unit::Text => key,
        Unit::Node => DocKey::head(key.node),
    }
}

/// Leaves one for each unit: the best, naming the best text.
fn merge(
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

/// Sorts, drops what scores too low and what is not wanted; returns how many there were.
fn cut(view: &View, found: &mut Vec<Found>, query: &Query) -> usize {
    if let Some(least) = query.min_score {
        found.retain(|one| one.score() >= least);
    }
    let total = found.len();
    let wanted = query.offset.saturating_add(query.limit);
    if wanted < total && wanted > 0 {
        found.select_nth_unstable_by(wanted - 1, |a, b| order(view, a, b));
        found.truncate(wanted);
    }
    found.sort_unstable_by(|a, b| order(view, a, b));
    total
}

/// Exact names first, then by score, then by key, so that ties have an order.
fn order(view: &View, a: &Found, b: &Found) -> Ordering {
    let exact = |one: &Found| one.match_kind == MatchKind::ExactName;
    exact(b)
        .cmp(&exact(a))
        .then_with(|| b.score().total_cmp(&a.score()))
        .then_with(|| view.key(a.named).cmp(&view.key(b.named)))
}

//! Ranking: from a query to hits, best first.
//!
//! If few documents pass the filter, all of them are scored. Otherwise candidates are chosen by
//! their words and by the sign bits of their vectors, and only those are scored.

mod candidates;
mod company;
mod feedback;
mod filter;
mod frame;
mod judge;
mod lexical;
mod literal;
mod meaning;
mod named;
mod now;
mod question;
mod roles;
mod several;
mod units;
mod unsearched;
mod weights;

use std::cmp::Ordering;
use std::iter::repeat;

use lore_core::NodeId;
use rustc_hash::FxHashMap;

use crate::column::Slot;
use crate::document::DocKey;
use crate::index::Index;
use crate::lexicon::Lexicon;
use crate::query::{Hit, MatchKind, Parts, Query, Ranked, Unit};
use crate::view::View;
use crate::view::names::{Called, Tally};
use candidates::{candidates, worded};
use feedback::Feedback;
use filter::Sieve;
use judge::{Judge, Reasons};
use lexical::{Lexical, Reading};
use literal::Literals;
use meaning::{Likeness, Probe, Products};
use question::Question;
use units::{Group, merge};

/// Buffers for a search, reused by the next one.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    lexical: Lexical,
    products: Products,
    tally: Tally,
    found: Vec<Found>,
    groups: FxHashMap<NodeId, Group>,
}

/// A scored document. Kept small, because only a few of many are shown.
#[derive(Debug, Clone, Copy)]
struct Found {
    slot: Slot,
    /// The document that the hit names; may be the best text of the same node.
    named: Slot,
    /// Its own score.
    base: f32,
    /// What other answers add to it or take from it.
    shared: f32,
    /// The part of its own score that mostly messages of a log have.
    structure: f32,
    /// What it gets beside messages of a log, because it cannot have what they owe to structure.
    levelled: f32,
    /// Its similarity of meaning, above the average of the store.
    above: f32,
    match_kind: MatchKind,
}

impl Found {
    /// The score that orders it among others.
    fn score(&self) -> f32 {
        self.own_score() + self.levelled
    }

    /// The score that does not depend on whether messages of a log are among the others.
    fn own_score(&self) -> f32 {
        self.base + self.shared
    }

    fn has_reason(&self) -> bool {
        self.match_kind != MatchKind::NextBest
    }
}

/// Up to this many documents are all scored.
const SMALL: usize = 4_000;
/// In exhaustive searches, the meaning of this many documents is compared,
const COMPARED: usize = 1_000;
/// or of this many, if their vectors must be computed for the search.
const MADE_ANEW: usize = 300;
/// How many of the nearest documents are shown if none has a reason to be found.
const NEAREST: usize = 5;
/// How many of the best answers are scored a second time.
const RECONSIDERED: usize = 200;
/// How many of the best messages of logs show what is usual for them.
const BEST_MESSAGES: usize = 10;

/// Answers a query from the documents of a view.
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
    // An exhaustive query asks for documents with the words only, however few documents there are.
    let few = (reading == Reading::Enough).then(|| sieve.few(view, SMALL)).flatten();
    scratch.lexical.score(view, lexicon, &question, few.as_deref(), reading);
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
    let made_anew = judge.reasons == Reasons::Exact && probes.is_empty();
    let most = if made_anew { MADE_ANEW } else { COMPARED };
    let candidates = few.unwrap_or_else(|| match reading {
        Reading::All => worded(&judge, &sieve, most),
        Reading::Enough => candidates(&judge, &probes, &sieve),
    });
    let (compared, rest) = candidates.split_at(match reading {
        Reading::All => most.min(candidates.len()),
        Reading::Enough => candidates.len(),
    });
    let likenesses = match made_anew {
        true => now::likenesses(view, &question.meaning, compared),
        false => likenesses(view, &probes, compared, &mut scratch.products),
    };
    let judged = compared.iter().zip(likenesses);
    let judged = judged.chain(rest.iter().zip(repeat(Likeness::default())));
    let found = &mut scratch.found;
    found.extend(judged.map(|(slot, likeness)| judge.weigh(*slot, likeness)));
    let is_answered = found.iter().any(Found::has_reason);
    if !query.fill || !is_answered && probes.is_empty() {
        found.retain(Found::has_reason);
    }
    level(view, found);
    share(view, lexicon, found, judge.reasons);
    merge(&judge, found, &mut scratch.groups, query);
    if question.several {
        several::spread(view, found);
    }
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

/// Lists everything, newest first, for a query without text.
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
    let hit = |(_, key)| Hit {
        key,
        score: 0.0,
        parts: Parts::default(),
        match_kind: MatchKind::Listed,
        own_words: 0.0,
    };
    let hits = listed.into_iter().skip(query.offset).take(query.limit).map(hit).collect();
    Ranked { hits, total }
}

/// How the names of each document's node match the query.
fn called(view: &View, question: &Question, tally: &mut Tally) -> FxHashMap<Slot, Called> {
    let mut called = view.names.called(&question.name, tally);
    let heads: Vec<_> = called.iter().map(|(head, how)| (*head, *how)).collect();
    for (head, how) in heads {
        called.extend(view.named_by(head).map(|text| (text, how)));
    }
    called
}

/// The similarity of each candidate, from the first probe that has a vector of it.
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

/// Gives answers that stand alone as much as the best messages of logs owe to who said them and how.
/// Such reasons only tell messages from each other; a text that stands alone has few of them or
/// none, and must not come later for that.
fn level(view: &View, found: &mut [Found]) {
    let mut logs: Vec<&Found> = found.iter().filter(|one| view.is_log(one.slot)).collect();
    if logs.len() > BEST_MESSAGES {
        logs.select_nth_unstable_by(BEST_MESSAGES, |a, b| order(view, a, b));
        logs.truncate(BEST_MESSAGES);
    }
    if logs.is_empty() {
        return;
    }
    // In a fixed order, so that the sum is the same whatever was inserted first.
    logs.sort_unstable_by(|a, b| order(view, a, b));
    let usual = logs.iter().map(|one| one.structure).sum::<f32>() / logs.len() as f32;
    let is_alone = |one: &&mut Found| !view.is_log(one.slot) && one.has_reason();
    for one in found.iter_mut().filter(is_alone) {
        one.levelled = (usual - one.structure).max(0.0);
    }
}

/// Adjusts the scores of texts that are not part of a log, by the words that the best of them share
/// and by how similar they are to each other.
///
/// If the best answers include log entries, neither group should gain on the other. So the
/// adjustment counts less the fewer of the best stand alone, and not at all if most are log
/// entries.
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
    let best: Vec<(Slot, f32)> = alone.iter().map(|one| (one.slot, one.own_score())).collect();
    let feedback = Feedback::of(view, lexicon, &best);
    for one in &mut alone {
        one.shared = weight * weights::SHARED * feedback.score(view, one.slot);
    }
    if reasons == Reasons::Exact {
        return;
    }
    alone.sort_unstable_by(|a, b| order(view, a, b));
    alone.truncate(company::COMPARED);
    let best: Vec<(Slot, f32)> = alone.iter().map(|one| (one.slot, one.own_score())).collect();
    for (one, gain) in alone.into_iter().zip(company::gains(view, &best)) {
        one.shared += weight * gain;
    }
}

fn unit_key(key: DocKey, unit: Unit) -> DocKey {
    match unit {
        Unit::Text => key,
        Unit::Node => DocKey::head(key.node),
    }
}

/// Sorts, drops low scores and everything beyond the limit; returns the total before the limit.
fn cut(view: &View, found: &mut Vec<Found>, query: &Query) -> usize {
    if let Some(least) = query.min_score {
        found.retain(|one| one.own_score() >= least);
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

/// Exact names first, then by score, then by key, so that ties have a fixed order.
fn order(view: &View, a: &Found, b: &Found) -> Ordering {
    let exact = |one: &Found| one.match_kind == MatchKind::ExactName;
    exact(b)
        .cmp(&exact(a))
        .then_with(|| b.score().total_cmp(&a.score()))
        .then_with(|| view.key(a.named).cmp(&view.key(b.named)))
}

//! Choosing the candidates to score in a large store.

use rustc_hash::FxHashSet;

use crate::column::Slot;
use crate::rank::filter::Sieve;
use crate::rank::judge::Judge;
use crate::rank::lexical::nth_best;
use crate::rank::meaning::Probe;
use crate::rank::weights;

/// How many candidates are chosen by words, and how many by vectors.
const BY_WORDS: usize = 400;
const BY_VECTORS: usize = 300;
/// How many candidates are chosen by the days that a question names.
const BY_DAYS: usize = 200;
/// Of how many documents found by words the other reasons are computed.
const LOOKED_AT: usize = 2_000;

/// Every document that has a word or the name of the question. If there are more than `first`, the
/// most promising `first` come first.
pub(super) fn worded(judge: &Judge<'_>, sieve: &Sieve<'_>, first: usize) -> Vec<Slot> {
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
    if chosen.len() > first {
        // Ties are ordered by key, so that the order of insertion does not matter.
        chosen.select_nth_unstable_by(first, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    chosen.into_iter().map(|(_, _, slot)| slot).collect()
}

/// The candidates to score, in the order of their slots.
pub(super) fn candidates(judge: &Judge<'_>, probes: &[Probe<'_>], sieve: &Sieve<'_>) -> Vec<Slot> {
    let view = judge.view;
    let admits = |slot: Slot| sieve.admits(view, slot);
    let reached = judge.lexical.reached().iter().map(|slot| (*slot, judge.lexical.of(*slot)));
    let looked_at = best(&reached.collect::<Vec<_>>(), LOOKED_AT, admits);
    let judged = looked_at.into_iter().map(|slot| (slot, judge.parts(slot, 0.0).sum()));
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

/// The admitted documents with the best scores: about `count`, if there are that many. Calls
/// `admits` for as few as possible, because it is expensive.
pub(super) fn best(
    scored: &[(Slot, f32)],
    count: usize,
    admits: impl Fn(Slot) -> bool,
) -> Vec<Slot> {
    widening(count, scored.len(), |wanted| {
        let least = nth_best(scored.iter().map(|(_, score)| *score), wanted);
        let best = scored.iter().filter(|(_, score)| *score >= least).map(|(slot, _)| *slot);
        best.filter(|slot| admits(*slot)).collect()
    })
}

/// Calls `look` with larger and larger numbers until it finds about `count`.
pub(super) fn widening(count: usize, all: usize, look: impl Fn(usize) -> Vec<Slot>) -> Vec<Slot> {
    let mut wanted = count;
    loop {
        let found = look(wanted);
        if found.len() * 2 >= count || wanted >= all {
            return found;
        }
        wanted = wanted.saturating_mul(4);
    }
}

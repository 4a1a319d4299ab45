//! Choosing the documents that are judged, where there are many.

use rustc_hash::FxHashSet;

use crate::column::Slot;
use crate::rank::filter::Sieve;
use crate::rank::judge::Judge;
use crate::rank::lexical::nth_best;
use crate::rank::meaning::Probe;
use crate::rank::weights;

/// How many candidates words choose, and how many vectors.
const BY_WORDS: usize = 400;
const BY_VECTORS: usize = 300;
/// And how many the days that a question names.
const BY_DAYS: usize = 200;
/// Of how many that words found, the other reasons are looked at.
const LOOKED_AT: usize = 2_000;

/// Every document that has a word of the question or is called by it. Of very many, the `first`
/// that promise most come first.
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
        // Ties go by key, so that the order of insertion does not show.
        chosen.select_nth_unstable_by(first, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    chosen.into_iter().map(|(_, _, slot)| slot).collect()
}

/// The documents of many that are judged, in the order of their slots.
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

/// The best by their scores of those that are admitted: about `count`, if there are so
/// many. Few are asked whether they are admitted, because that is dear.
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

/// Looks at more and more of what there is until about `count` are found.
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

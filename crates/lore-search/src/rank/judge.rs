//! Scoring a document by all the reasons to find it.

use rustc_hash::FxHashMap;

use crate::column::Slot;
use crate::query::{Hit, MatchKind, Parts};
use crate::rank::Found;
use crate::rank::candidates::best;
use crate::rank::lexical::Lexical;
use crate::rank::literal::Literals;
use crate::rank::meaning::{Closeness, Likeness};
use crate::rank::question::Question;
use crate::rank::weights;
use crate::view::View;
use crate::view::names::Called;

/// Scores documents for one question.
pub(super) struct Judge<'a> {
    pub(super) view: &'a View,
    pub(super) lexical: &'a Lexical,
    pub(super) best_session: f32,
    pub(super) question: &'a Question,
    pub(super) called: FxHashMap<Slot, Called>,
    pub(super) literals: Literals,
    pub(super) reasons: Reasons,
}

impl Judge<'_> {
    /// All parts of a score except meaning and name. `above` is the similarity above the average.
    pub(super) fn parts(&self, slot: Slot, above: f32) -> Parts {
        let (question, facts) = (self.question, self.view.facts(slot));
        let yes = |condition: bool, weight: f32| if condition { weight } else { 0.0 };
        let named = facts.author.is_some_and(|author| question.authors.contains(&author));
        let lexical = self.lexical.of(slot);
        // What makes one message of a log better than others is not an answer by itself: it must
        // not put messages without any word of the question before matching texts that stand alone.
        let answers = (lexical / weights::ANSWERS).min(1.0);
        let more = answers * (question.author_weight - weights::AUTHOR);
        let author = yes(named, weights::AUTHOR + more);
        let shared = self.lexical.of_topic(slot) + above.max(0.0) * weights::VECTOR + author;
        let mut parts = Parts {
            lexical,
            literal: self.literals.of(slot),
            verbatim: yes(facts.print.is_of(question.print), weights::VERBATIM),
            author,
            date: self.date(slot, shared),
            session: self.lexical.of_session(self.view, slot, self.best_session) * weights::SESSION,
            ..Parts::default()
        };
        if self.view.is_log(slot) {
            parts.session *= answers;
            // A long answer that ends with a question is hardly one itself.
            let asks = self.view.openness(slot);
            parts.question = asks * yes(facts.is_question, weights::QUESTION);
            parts.when = answers * yes(question.asks_for_time && facts.tells_time, weights::WHEN);
            if self.reasons == Reasons::All {
                let above = self.view.information(slot).min(weights::MUCH) - weights::USUAL;
                let counts = if above > 0.0 { answers } else { 1.0 };
                parts.information = counts * above * weights::INFORMATION;
            }
        }
        parts
    }

    /// The weight of a document's date. If the question asks for more than a date, it counts fully
    /// only for documents that also share something else with the question.
    fn date(&self, slot: Slot, shared: f32) -> f32 {
        let Some(day) = self.view.facts(slot).day else { return 0.0 };
        let counts = match self.lexical.shares_topic() {
            true => (shared / weights::ANSWERS).clamp(weights::DAY_ALONE, 1.0),
            false => 1.0,
        };
        counts * self.question.nearness(day) * weights::DATE
    }

    /// The best documents of the days that the question names.
    pub(super) fn of_the_days(&self, count: usize, admits: impl Fn(Slot) -> bool) -> Vec<Slot> {
        if self.question.days.is_empty() {
            return Vec::new();
        }
        let all = (0..self.view.capacity()).filter_map(|at| u32::try_from(at).ok()).map(Slot);
        let of_them = all.filter(|slot| self.is_of_the_days(*slot));
        let judged = of_them.map(|slot| (slot, self.parts(slot, 0.0).sum()));
        best(&judged.collect::<Vec<_>>(), count, admits)
    }

    fn is_of_the_days(&self, slot: Slot) -> bool {
        self.view.facts(slot).day.is_some_and(|day| self.question.names(day))
    }

    /// Scores a document.
    pub(super) fn weigh(&self, slot: Slot, likeness: Likeness) -> Found {
        let parts = self.all_parts(slot, likeness.above);
        let is_worded = self.lexical.shares() && parts.lexical > 0.0;
        let match_kind = match self.called.get(&slot) {
            Some(Called::Exactly) => MatchKind::ExactName,
            Some(Called::Beginning) => MatchKind::NamePrefix,
            Some(Called::Mentioned) => MatchKind::NameMentioned,
            Some(Called::Like(_)) => MatchKind::SimilarName,
            None if is_worded || parts.literal > 0.0 => MatchKind::Words,
            None if self.is_of_the_days(slot) => MatchKind::Time,
            None if self.is_close(likeness) => MatchKind::Meaning,
            None => MatchKind::NextBest,
        };
        let (base, above) = (parts.sum(), likeness.above);
        let structure = parts.structure();
        Found { slot, named: slot, base, shared: 0.0, structure, levelled: 0.0, above, match_kind }
    }

    fn is_close(&self, likeness: Likeness) -> bool {
        match likeness.closeness {
            Closeness::Clear => true,
            Closeness::Near => self.lexical.shares(),
            Closeness::Far => false,
        }
    }

    /// The same document, scored by its own words without the name of its node.
    pub(super) fn by_itself(&self, found: Found) -> Found {
        let base = found.base - self.name(found.slot);
        Found { base, match_kind: MatchKind::Words, ..found }
    }

    /// The share of the question's words that a text contains beyond those in its node's head.
    pub(super) fn says(&self, slot: Slot) -> f32 {
        let (entry, head) = (self.view.entry(slot), self.view.head_of(slot));
        let beyond = entry.zip(head).map(|(entry, head)| self.question.words_beyond(head, entry));
        beyond.or_else(|| Some(self.question.words_in(entry?))).unwrap_or_default()
    }

    /// The weight of its node's name.
    fn name(&self, slot: Slot) -> f32 {
        match self.called.get(&slot) {
            Some(Called::Exactly) => weights::NAME,
            Some(Called::Beginning) => weights::NAME_BEGINNING,
            Some(Called::Mentioned) => weights::NAME_MENTIONED,
            Some(Called::Like(likeness)) => weights::NAME_LIKE * likeness,
            None => 0.0,
        }
    }

    /// All parts of a score except what similar answers add.
    fn all_parts(&self, slot: Slot, above: f32) -> Parts {
        let (name, vector) = (self.name(slot), above * weights::VECTOR);
        Parts { name, vector, ..self.parts(slot, above) }
    }

    /// The hit for a scored document, with its parts computed again.
    pub(super) fn hit(&self, found: &Found) -> Option<Hit> {
        let key = self.view.key(found.named)?;
        let all = self.all_parts(found.slot, found.above);
        let is_by_name = found.match_kind < MatchKind::Words;
        let name = if is_by_name { all.name } else { 0.0 };
        let parts = Parts { shared: found.shared, levelled: found.levelled, name, ..all };
        let own_words =
            self.view.entry(found.slot).map_or(0.0, |entry| self.question.words_in(entry));
        Some(Hit { key, score: parts.sum(), parts, match_kind: found.match_kind, own_words })
    }
}

/// Which reasons count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reasons {
    /// All of them.
    All,
    /// Only those that are exact at any time. The others follow the statistics of a large store
    /// gradually and so depend on the order of insertion. Exhaustive searches are paged, and their
    /// pages must be consistent.
    Exact,
}

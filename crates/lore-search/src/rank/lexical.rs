//! Words in common: BM25 in which the words of a text's neighbours count as well, and words of
//! similar meaning count in part.

use lore_text::table;

use crate::column::{Column, Slot};
use crate::fixed::{ONE, fixed, float, times};
use crate::lexicon::{Lexicon, Near, StemId};
use crate::rank::question::{Question, Says};
use crate::rank::weights::{B, K1};
use crate::view::View;
use crate::view::postings::Postings;

/// Buffers for one search, reused by the next. Everything is zero between searches.
#[derive(Debug, Default)]
pub(crate) struct Lexical {
    /// The weighted count of the current stem in each document, in fixed point.
    counts: Column<u32>,
    counted: Vec<Slot>,
    /// The last stem (by its number in the query) that occurred in a document itself.
    marks: Column<u32>,
    marked: Vec<Slot>,
    scores: Column<f32>,
    reached: Vec<Slot>,
    /// The part of the scores that comes from words that only say when.
    times: Column<f32>,
    timed: Vec<Slot>,
    shares: bool,
    shares_topic: bool,
    /// Documents that are still scored, once only the best ones are.
    open: Column<bool>,
    opened: Vec<Slot>,
    session_counts: Column<u32>,
    session_scores: Column<f32>,
    sessions: Vec<Slot>,
}

/// How much of the postings of common words is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Enough to find the best documents.
    Enough,
    /// All postings.
    All,
}

/// One stem of the query.
struct Term {
    says: Says,
    exact: Option<StemId>,
    near: Vec<Near>,
    /// Whether one of those means about the same.
    has_clear: bool,
    /// The number of documents it occurs in.
    documents: usize,
    /// The number of posting entries that must be read for it.
    cost: usize,
}

impl Lexical {
    /// How many stems of a long query are used; the rarest say most.
    const MOST_STEMS: usize = 40;
    /// After this many postings, common stems only refine what rarer ones found.
    const ENOUGH: usize = 15_000;
    /// A stem in this many documents occurs in nearly every session, so it does not distinguish
    /// sessions.
    const EVERYWHERE: usize = 20_000;
    /// How many documents are refined.
    const REFINED: usize = 2_500;

    /// Scores all documents that contain a stem of the query or a similar one. If `few` is given,
    /// only those documents are certain to get a complete score.
    pub(super) fn score(
        &mut self,
        view: &View,
        lexicon: &Lexicon,
        question: &Question,
        few: Option<&[Slot]>,
        reading: Reading,
    ) {
        let telling = telling(view, lexicon, &question.stems);
        let term = |stem: &String| Term::new(view, lexicon, stem, question.says(stem));
        let mut terms: Vec<Term> = telling.into_iter().map(term).collect();
        // Rarest first. Equally rare ones stay in the order of the query.
        terms.sort_by_key(|term| term.cost);
        self.shares = terms.iter().any(Term::is_shared);
        self.shares_topic = terms.iter().any(|term| term.says == Says::What && term.is_shared());
        let highest: f32 = terms.iter().map(|term| view.rarity(term.documents as u64 * ONE)).sum();
        let unit = 1.0 / (1.1 * highest.max(f32::MIN_POSITIVE));
        self.reach(view);
        let (mut read, mut refining) = (0, false);
        for (number, term) in (1..).zip(&terms) {
            let enough = reading == Reading::Enough && read + term.cost > Self::ENOUGH;
            if !refining && read > 0 && enough {
                match few {
                    Some(few) => self.open_all(view, few),
                    None => self.open_all(view, &self.best()),
                }
                refining = true;
            }
            read += term.cost;
            let documents = match refining {
                true => self.refine(view, term, number),
                false => self.count(view, term, number),
            };
            self.add_up(view, view.rarity(documents) * unit, term.says);
            self.score_sessions(view, term);
        }
    }

    /// Whether a word of the query, or one with about the same meaning, occurs in any document. If
    /// not, no score is a reason to show a document.
    pub(super) fn shares(&self) -> bool {
        self.shares
    }

    /// The same for the words that say what the query is about.
    pub(super) fn shares_topic(&self) -> bool {
        self.shares_topic
    }

    /// The score of a document.
    pub(super) fn of(&self, slot: Slot) -> f32 {
        self.scores.get(slot)
    }

    /// The score of a document without the words that only say when.
    pub(super) fn of_topic(&self, slot: Slot) -> f32 {
        self.of(slot) - self.times.get(slot)
    }

    /// The score of a document's session relative to the best one, 0 to 1.
    pub(super) fn of_session(&self, view: &View, slot: Slot, best: f32) -> f32 {
        let session = view.sessions.of(slot).map(|session| Slot(session.0));
        session
            .filter(|_| best > 0.0)
            .map_or(0.0, |session| self.session_scores.get(session) / best)
    }

    pub(super) fn best_session(&self) -> f32 {
        self.sessions.iter().map(|id| self.session_scores.get(*id)).fold(0.0, f32::max)
    }

    /// All documents with a score.
    pub(super) fn reached(&self) -> &[Slot] {
        &self.reached
    }

    /// Resets everything to zero.
    pub(super) fn clear(&mut self) {
        self.reached.drain(..).for_each(|slot| self.scores.set(slot, 0.0));
        self.timed.drain(..).for_each(|slot| self.times.set(slot, 0.0));
        self.opened.drain(..).for_each(|slot| self.open.set(slot, false));
        self.marked.drain(..).for_each(|slot| self.marks.set(slot, 0));
        self.sessions.drain(..).for_each(|id| self.session_scores.set(id, 0.0));
    }

    fn reach(&mut self, view: &View) {
        self.counts.reach(view.capacity());
        self.marks.reach(view.capacity());
        self.scores.reach(view.capacity());
        self.times.reach(view.capacity());
        self.open.reach(view.capacity());
        self.session_counts.reach(view.sessions.capacity());
        self.session_scores.reach(view.sessions.capacity());
    }

    /// Counts one stem for all documents that contain it or are near one that does. Returns the
    /// number of documents that contain it, where words of similar meaning count in part.
    fn count(&mut self, view: &View, term: &Term, number: u32) -> u64 {
        let mut documents = 0;
        let exact = term.exact.and_then(|id| view.postings(id));
        for (slot, count) in exact.into_iter().flat_map(Postings::iter) {
            documents += ONE;
            self.mark(slot, number);
            self.spread(view, slot, u64::from(count) * ONE);
        }
        for near in &term.near {
            let weight = fixed(near.weight);
            for (slot, _) in view.postings(near.stem).into_iter().flat_map(Postings::iter) {
                // The most similar stems come first, so a marked document has already counted for
                // more.
                if self.marks.get(slot) != number {
                    documents += weight;
                    self.mark(slot, number);
                    self.spread(view, slot, weight);
                }
            }
        }
        documents
    }

    /// The same, but only around open documents and with an estimated number of documents.
    fn refine(&mut self, view: &View, term: &Term, number: u32) -> u64 {
        let mut documents = term.documents as u64 * ONE;
        let exact = term.exact.and_then(|id| view.postings(id));
        for (slot, count) in exact.into_iter().flat_map(Postings::iter) {
            if self.open.get(slot) {
                self.mark(slot, number);
                self.spread(view, slot, u64::from(count) * ONE);
            }
        }
        for near in &term.near {
            let weight = fixed(near.weight);
            let Some(postings) = view.postings(near.stem) else { continue };
            documents += weight * postings.len() as u64;
            for (slot, _) in postings.iter() {
                if self.open.get(slot) && self.marks.get(slot) != number {
                    self.mark(slot, number);
                    self.spread(view, slot, weight);
                }
            }
        }
        documents.min(view.len() as u64 * ONE)
    }

    fn mark(&mut self, slot: Slot, number: u32) {
        if let Some(mark) = self.marks.place(slot) {
            if *mark == 0 {
                self.marked.push(slot);
            }
            *mark = number;
        }
    }

    fn spread(&mut self, view: &View, slot: Slot, amount: u64) {
        let Self { counts, counted, .. } = self;
        view.influenced(slot, |influence, other| {
            if let Some(count) = counts.place(other) {
                if *count == 0 {
                    counted.push(other);
                }
                let more = u32::try_from(times(influence.words, amount)).unwrap_or(u32::MAX);
                *count = count.saturating_add(more);
            }
        });
    }

    /// Turns the counts of one stem into scores.
    fn add_up(&mut self, view: &View, rarity: f32, says: Says) {
        let room = Room::new(view);
        for slot in self.counted.drain(..) {
            let Some(count) = self.counts.place(slot) else { continue };
            let count = float(u64::from(std::mem::take(count)));
            let room = room.of(view.span(slot));
            if let Some(score) = self.scores.place(slot).filter(|_| count > 0.0) {
                if *score == 0.0 {
                    self.reached.push(slot);
                }
                let more = rarity * (K1 + 1.0) * count / (count + room);
                *score += more;
                if says == Says::When
                    && let Some(time) = self.times.place(slot)
                {
                    self.timed.push(slot);
                    *time += more;
                }
            }
        }
    }

    /// The best documents so far.
    fn best(&self) -> Vec<Slot> {
        let least = nth_best(self.reached.iter().map(|slot| self.of(*slot)), Self::REFINED);
        self.reached.iter().copied().filter(|slot| self.of(*slot) >= least).collect()
    }

    /// Opens documents together with their context.
    fn open_all(&mut self, view: &View, slots: &[Slot]) {
        for slot in slots {
            self.set_open(*slot);
            view.context(*slot, |_, other| self.set_open(other));
        }
    }

    fn set_open(&mut self, slot: Slot) {
        if let Some(open) = self.open.place(slot).filter(|open| !**open) {
            *open = true;
            self.opened.push(slot);
        }
    }

    /// Scores sessions by BM25, treating each as one document; uses exact stems only.
    fn score_sessions(&mut self, view: &View, term: &Term) {
        if term.documents > Self::EVERYWHERE || view.sessions.capacity() == 0 {
            return;
        }
        let postings = term.exact.and_then(|id| view.postings(id));
        let mut counted = Vec::new();
        for (slot, count) in postings.into_iter().flat_map(Postings::iter) {
            let Some(session) = view.sessions.of(slot) else { continue };
            if let Some(sum) = self.session_counts.place(Slot(session.0)) {
                if *sum == 0 {
                    counted.push(session);
                }
                *sum = sum.saturating_add(u32::from(count));
            }
        }
        let (sessions, mean) = view.sessions.count_and_mean_length();
        let found = counted.len() as f32;
        let rarity = (1.0 + (sessions as f32 - found + 0.5) / (found + 0.5)).ln();
        for session in counted {
            let id = Slot(session.0);
            let count = self.session_counts.place(id).map_or(0, std::mem::take) as f32;
            let length = view.sessions.length(session) as f32 / mean.max(1.0);
            let score = rarity * (K1 + 1.0) * count / (count + K1 * (1.0 - B + B * length));
            if let Some(sum) = self.session_scores.place(id) {
                if *sum == 0.0 {
                    self.sessions.push(id);
                }
                *sum += score;
            }
        }
    }
}

impl Term {
    /// From this weight on, two words mean about the same.
    const CLEAR: f32 = 0.2;

    fn is_shared(&self) -> bool {
        self.documents > 0 || self.has_clear
    }

    /// Whether one of the similar stems means about the same as `stem`. Where the meaning of either
    /// is only guessed from its spelling, it must be an inflected form or a part of the other.
    fn has_clear(lexicon: &Lexicon, stem: &str, near: &[Near]) -> bool {
        let is_known = table::is_word(stem);
        let clear = near.iter().take_while(|near| near.weight >= Self::CLEAR);
        clear
            .filter_map(|near| lexicon.stem(near.stem))
            .any(|near| is_known && table::is_word(near) || are_spelt_alike(stem, near))
    }

    fn new(view: &View, lexicon: &Lexicon, stem: &str, says: Says) -> Self {
        let length = |id: StemId| length(view, id);
        let exact = lexicon.id(stem);
        let near = lexicon.near(stem, |id| length(id) > 0);
        let documents = exact.map_or(0, length);
        let cost = documents + near.iter().map(|near| length(near.stem)).sum::<usize>();
        let has_clear = Self::has_clear(lexicon, stem, &near);
        Self { says, exact, near, has_clear, documents, cost }
    }
}

/// The part of the BM25 formula that depends on the length of a text, with its divisions done once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    slope: f32,
}

impl Room {
    pub(super) fn new(view: &View) -> Self {
        Self { slope: K1 * B / view.mean_span().max(1.0) }
    }

    /// The term that BM25 adds to the count of a word in a text of this length.
    pub(super) fn of(self, span: f32) -> f32 {
        K1 * (1.0 - B) + self.slope * span
    }
}

/// Whether two stems begin alike, or one is a part of the other.
fn are_spelt_alike(one: &str, other: &str) -> bool {
    /// So many letters are more than an ending.
    const LETTERS: usize = 4;
    let alike = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let is_part = |part: &str, whole: &str| whole.contains(part) && part.chars().count() >= LETTERS;
    alike >= LETTERS || is_part(one, other) || is_part(other, one)
}

/// The number of documents that contain a stem.
fn length(view: &View, stem: StemId) -> usize {
    view.postings(stem).map_or(0, Postings::len)
}

/// The stems of a query to use: for a long query, the rarest that occur at all. Finding similar
/// words is expensive, so the others are dropped before that.
fn telling<'a>(view: &View, lexicon: &Lexicon, stems: &'a [String]) -> Vec<&'a String> {
    let mut telling: Vec<&String> = stems.iter().collect();
    if stems.len() > Lexical::MOST_STEMS {
        let documents = |stem: &str| lexicon.id(stem).map_or(0, |id| length(view, id));
        telling.sort_by_cached_key(|stem| (documents(stem) == 0, documents(stem)));
        telling.truncate(Lexical::MOST_STEMS);
    }
    telling
}

/// The `count`th greatest value; negative infinity if there are not more values than that.
pub(super) fn nth_best(values: impl Iterator<Item = f32>, count: usize) -> f32 {
    let mut values: Vec<f32> = values.collect();
    if values.len() <= count || count == 0 {
        return f32::NEG_INFINITY;
    }
    let (_, nth, _) = values.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
    *nth
}

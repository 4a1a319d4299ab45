//! Words that name one particular thing: identifiers, and words that are not in the vocabulary.
//!
//! A search for `INC1089` should find the texts that contain it, not their neighbours or texts with
//! a similar spelling. Only rare words count, because a word in many texts does not distinguish
//! them.

use lore_text::analysis::is_identifier;
use lore_text::table;
use rustc_hash::FxHashMap;

use crate::column::Slot;
use crate::lexicon::{Lexicon, StemId};
use crate::rank::weights;
use crate::view::View;
use crate::view::postings::Postings;

/// Which documents contain the question's literal words, and how much that counts.
pub(super) struct Literals {
    worth: FxHashMap<Slot, f32>,
}

impl Literals {
    /// A word in more than one of this many documents is not rare,
    const ONE_IN: usize = 50;
    /// within these limits for very small and very large stores.
    const RARE: (usize, usize) = (3, 200);

    pub(super) fn find(view: &View, lexicon: &Lexicon, terms: &[String]) -> Self {
        let most = (view.len() / Self::ONE_IN).clamp(Self::RARE.0, Self::RARE.1);
        let rare = |term: &String| {
            let id = lexicon.id(term)?;
            let documents = view.postings(id).map_or(0, Postings::len);
            (1..=most).contains(&documents).then_some(id)
        };
        let (mut named, mut unknown) = (Vec::new(), Vec::new());
        for term in terms {
            if is_identifier(term) {
                named.extend(rare(term));
            } else if !table::is_word(term) {
                unknown.extend(rare(term));
            }
        }
        let mut literals = Self { worth: FxHashMap::default() };
        literals.share(view, &named, weights::IDENTIFIER);
        literals.share(view, &unknown, weights::UNKNOWN_WORD);
        literals
    }

    /// The weight of the words that a document contains; 0 if it contains none.
    pub(super) fn of(&self, slot: Slot) -> f32 {
        self.worth.get(&slot).copied().unwrap_or(0.0)
    }

    /// The documents that contain some of the words.
    pub(super) fn holders(&self) -> impl Iterator<Item = Slot> {
        self.worth.keys().copied()
    }

    /// Distributes `whole` evenly over the terms, and gives each document the part of its terms.
    fn share(&mut self, view: &View, terms: &[StemId], whole: f32) {
        let each = whole / terms.len().max(1) as f32;
        for (slot, _) in terms.iter().filter_map(|id| view.postings(*id)).flat_map(Postings::iter) {
            *self.worth.entry(slot).or_default() += each;
            for text in view.named_by(slot) {
                *self.worth.entry(text).or_default() += each;
            }
        }
    }
}

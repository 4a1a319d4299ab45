//! How much of a result fits into the token budget of an answer.
//!
//! What an answer costs depends on its wire format, which this crate does not know. The caller
//! therefore passes a function that writes each piece as it will appear in the answer.

use lore_rules::memory::budget;
use lore_search::snippet;

use super::link::Link;
use super::recall::{Memory, Shown};
use super::related::Near;

/// A part of an answer that uses up its budget.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'a> {
    /// A memory with the additional text shown next to it: the name of the world it is from, or the
    /// situation in which it was learned.
    Memory(&'a Memory, Option<&'a str>),
    /// An edge.
    Link(&'a Link),
    /// A node reached from another.
    Near(&'a Near),
    /// The name of a world that was searched.
    World(&'a str),
}

/// The token budget of one answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerBudget {
    /// About how many tokens are left.
    left: usize,
    written: fn(&Piece<'_>) -> String,
}

/// What separates two pieces in an answer.
const SEPARATOR: &str = ",";
/// The length in characters below which the best answer is not shortened.
const LETTERS_MIN: usize = 80;
/// Characters that the marks for omitted text take up.
const MARKS: usize = 8;
/// How often the shortened text is measured again, as parts of a text differ in tokens per
/// character.
const TRIES: usize = 3;

impl AnswerBudget {
    /// Creates a budget of about `tokens` for an answer that is `frame` without its pieces.
    /// `written` returns each piece as it appears in the answer.
    pub fn new(tokens: usize, frame: &str, written: fn(&Piece<'_>) -> String) -> Self {
        Self { left: tokens.saturating_sub(budget::tokens(frame)), written }
    }

    /// Returns how many of the pieces fit, in order. The first always does, because an empty answer
    /// would be useless.
    pub(super) fn that_fit<'a>(&self, pieces: impl IntoIterator<Item = Piece<'a>>) -> usize {
        budget::that_fit(pieces.into_iter().map(|piece| self.cost(&piece)), self.left)
    }

    /// Deducts pieces that are part of the answer in any case.
    pub(super) fn take<'a>(&mut self, pieces: impl IntoIterator<Item = Piece<'a>>) {
        let cost: usize = pieces.into_iter().map(|piece| self.cost(&piece)).sum();
        self.left = self.left.saturating_sub(cost);
    }

    /// Returns how many of the pieces fit into what is left, in order and possibly none, and
    /// deducts them.
    pub(super) fn besides<'a>(&mut self, pieces: impl IntoIterator<Item = Piece<'a>>) -> usize {
        let mut fitting = 0;
        for piece in pieces {
            let Some(left) = self.left.checked_sub(self.cost(&piece)) else { break };
            self.left = left;
            fitting += 1;
        }
        fitting
    }

    /// Shortens the best answer to the part that matches the question, if all of it does not fit.
    pub(super) fn shorten(&self, best: &mut Memory, beside: Option<&str>, question: &str) {
        let Some(whole) = best.body.as_ref().map(|body| body.text.clone()) else { return };
        let mut stay = whole.chars().count();
        // The cost is only roughly proportional to the number of characters, so it is measured
        // again.
        for _ in 0..TRIES {
            let over = self.cost(&Piece::Memory(best, beside)).saturating_sub(self.left);
            let cost = budget::tokens(best.words());
            if over == 0 || stay <= LETTERS_MIN || cost == 0 {
                return;
            }
            let share = stay * cost.saturating_sub(over) / cost;
            stay = share.saturating_sub(MARKS).max(LETTERS_MIN);
            let text = snippet(&whole, question, stay).text;
            best.body = Some(Shown { text, is_cut: true });
        }
    }

    fn cost(&self, piece: &Piece<'_>) -> usize {
        budget::tokens(&((self.written)(piece) + SEPARATOR))
    }
}

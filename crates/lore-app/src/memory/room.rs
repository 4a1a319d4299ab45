//! How much of what was found an answer has room for.
//!
//! What is known has no wire format here, so whoever tells it says how each piece of it is
//! written; only then is it known what an answer costs its reader.

use lore_rules::memory::budget;
use lore_search::snippet;

use super::link::Link;
use super::recall::{Memory, Shown};
use super::related::Near;

/// Something that takes room in an answer.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'a> {
    /// Something that is known, with what is told beside it: the world it is from, or the
    /// situation in which it was learned.
    Memory(&'a Memory, Option<&'a str>),
    /// An edge.
    Link(&'a Link),
    /// A node that was reached.
    Near(&'a Near),
    /// The name of a world that was searched.
    World(&'a str),
}

/// The room of one answer.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// About how many tokens are left.
    left: usize,
    written: fn(&Piece<'_>) -> String,
}

/// What separates a piece from the next.
const SEPARATOR: &str = ",";
/// Of the best answer at least so many letters stay.
const LETTERS_MIN: usize = 80;
/// Letters that the marks of what was left out take.
const MARKS: usize = 8;
/// How often what is to stay is counted anew: parts of a text cost differently.
const TRIES: usize = 3;

impl Room {
    /// Room for about `tokens` in an answer that is `frame` without its pieces, each of which
    /// is told as `written` says.
    pub fn new(tokens: usize, frame: &str, written: fn(&Piece<'_>) -> String) -> Self {
        Self { left: tokens.saturating_sub(budget::tokens(frame)), written }
    }

    /// How many of the pieces fit, in order. The first always does: an answer that leaves
    /// everything out helps nobody.
    pub(super) fn that_fit<'a>(&self, pieces: impl IntoIterator<Item = Piece<'a>>) -> usize {
        budget::that_fit(pieces.into_iter().map(|piece| self.cost(&piece)), self.left)
    }

    /// Takes the room of what is told in any case.
    pub(super) fn take<'a>(&mut self, pieces: impl IntoIterator<Item = Piece<'a>>) {
        let cost: usize = pieces.into_iter().map(|piece| self.cost(&piece)).sum();
        self.left = self.left.saturating_sub(cost);
    }

    /// How many of the pieces have room beside what was taken; perhaps none.
    pub(super) fn besides<'a>(&mut self, pieces: impl IntoIterator<Item = Piece<'a>>) -> usize {
        let mut fitting = 0;
        for piece in pieces {
            let Some(left) = self.left.checked_sub(self.cost(&piece)) else { break };
            self.left = left;
            fitting += 1;
        }
        fitting
    }

    /// Leaves of the best answer the part that answers, where all of it has no room.
    pub(super) fn shorten(&self, best: &mut Memory, beside: Option<&str>, question: &str) {
        let Some(whole) = best.body.as_ref().map(|body| body.text.clone()) else { return };
        let mut stay = whole.chars().count();
        // What stays costs about its share of the letters; only counting it anew tells exactly.
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

//! Two names side by side: which of their words have no answer, and in which order they stand.

use crate::align::{Alignment, Pair};
use crate::name::{Kind, Name, Place, Token};
use crate::words;

/// Two names and which of their words answer to each other.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'a> {
    pub(crate) asked: &'a Name,
    pub(crate) known: &'a Name,
    pub(crate) alignment: &'a Alignment,
}

/// Names with at most so many words in common are decided by every single word.
const SHORT: usize = 3;

impl Compared<'_> {
    /// Whether so few telling words agree that every single one decides.
    pub(crate) fn is_short(&self) -> bool {
        let telling = |pair: &&Pair| {
            let first = pair.asked.first().and_then(|place| self.asked.tokens.get(*place));
            first.is_some_and(|token| token.kind != Kind::Light)
        };
        self.alignment.pairs.iter().filter(telling).count() <= SHORT
    }

    /// Whether nothing but small words differs, and they do different things.
    pub(crate) fn has_other_bonds(&self) -> bool {
        let bonds = |name: &'_ Name, places: &[usize]| -> Vec<String> {
            let tokens = places.iter().filter_map(|place| name.tokens.get(*place));
            tokens.filter_map(|token| words::bond(&token.text).map(str::to_owned)).collect()
        };
        let asked = bonds(self.asked, &self.alignment.asked_alone);
        let known = bonds(self.known, &self.alignment.known_alone);
        let both = !asked.is_empty() && !known.is_empty();
        both && !self.leaves_words() && !asked.iter().any(|bond| known.contains(bond))
    }

    /// The University of Washington is not Washington University: the words are
    /// the same, their order is not, and only one of the names has a link.
    pub(crate) fn is_turned_around(&self) -> bool {
        let linked = |name: &Name| name.tokens.iter().any(|token| words::is_link(&token.text));
        self.is_turned() && linked(self.asked) != linked(self.known)
    }

    /// Whether the words that answer to each other stand in another order.
    pub(crate) fn is_turned(&self) -> bool {
        !self.known_places(&|_| true).is_sorted()
    }

    /// The third of February is not the second of March. Where more than the order differs,
    /// numbers are part of a description, which begins where it likes.
    pub(crate) fn has_turned_numbers(&self) -> bool {
        let digits = |pair: &Pair| {
            let token = pair.asked.first().and_then(|place| self.asked.tokens.get(*place));
            token.is_some_and(|token| token.text.bytes().all(|byte| byte.is_ascii_digit()))
        };
        !self.leaves_words() && !self.known_places(&digits).is_sorted()
    }

    /// Where the words of these pairs stand in the known name, in the order of the asked one.
    fn known_places(&self, wanted: &dyn Fn(&Pair) -> bool) -> Vec<Option<usize>> {
        let mut pairs: Vec<_> = self.alignment.pairs.iter().filter(|pair| wanted(pair)).collect();
        pairs.sort_by_key(|pair| pair.asked.first().copied());
        pairs.into_iter().map(|pair| pair.known.first().copied()).collect()
    }

    /// Whether a word is left alone that two things may differ in: one that lowers is not one
    /// that raises, however long the rest of the names is. A sort of place is left out at will.
    pub(crate) fn leaves_telling_words(&self) -> bool {
        let (asked, known) = self.left();
        asked.telling || known.telling || asked.venue && known.venue
    }

    /// Whether a telling word of either name has no answer.
    pub(crate) fn leaves_words(&self) -> bool {
        let telling = |name: &Name, places: &[usize]| {
            let mut tokens = places.iter().filter_map(|place| name.tokens.get(*place));
            tokens.any(|token| token.kind != Kind::Light)
        };
        telling(self.asked, &self.alignment.asked_alone)
            || telling(self.known, &self.alignment.known_alone)
    }

    /// Whether nothing but titles tells two persons apart of whom only one name is known.
    pub(crate) fn has_other_titles(&self) -> bool {
        let bare = |name: &Name| name.significant().count() == 1;
        let (asked, known) = (self.asked.titles(), self.known.titles());
        bare(self.asked) && bare(self.known) && asked != known
    }

    /// Whether the family names have other words in front: van der Berg, van den Berg.
    pub(crate) fn has_other_particles(&self) -> bool {
        self.asked.particles().ne(self.known.particles())
    }

    /// What the words left alone in either name are.
    pub(crate) fn left(&self) -> (Left, Left) {
        let asked = Left::of(self.asked, &self.alignment.asked_alone);
        (asked, Left::of(self.known, &self.alignment.known_alone))
    }
}

/// What the words left alone in a name are.
pub(crate) struct Left {
    pub(crate) number: bool,
    pub(crate) telling: bool,
    pub(crate) telling_core: bool,
    pub(crate) venue: bool,
    pub(crate) negation: bool,
}

impl Left {
    fn of(name: &Name, alone: &[usize]) -> Self {
        let tokens = || alone.iter().filter_map(|place| name.tokens.get(*place));
        let telling = |token: &&Token| token.kind != Kind::Light && !words::is_venue(&token.text);
        Self {
            number: tokens().any(|token| token.kind == Kind::Number),
            telling: tokens().any(|token| telling(&token)),
            telling_core: tokens().any(|token| telling(&token) && token.place == Place::Core),
            venue: tokens().any(|token| words::is_venue(&token.text)),
            negation: tokens().any(|token| words::is_negation(&token.text)),
        }
    }
}

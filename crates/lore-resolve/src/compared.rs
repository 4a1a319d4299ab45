//! Comparing two names: words without a counterpart, and the order of words.

use crate::align::{Alignment, Pair};
use crate::name::{Kind, Name, Place, Token};
use crate::words;

/// Two names with their alignment.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'a> {
    pub(crate) asked: &'a Name,
    pub(crate) known: &'a Name,
    pub(crate) alignment: &'a Alignment,
}

/// If at most this many words match, every single word decides.
const SHORT: usize = 3;

impl Compared<'_> {
    /// Whether so few significant words match that every single one decides.
    pub(crate) fn is_short(&self) -> bool {
        let telling = |pair: &&Pair| {
            let first = pair.asked.first().and_then(|place| self.asked.tokens.get(*place));
            first.is_some_and(|token| token.kind != Kind::Light)
        };
        self.alignment.pairs.iter().filter(telling).count() <= SHORT
    }

    /// Whether only small words differ, and they have different meanings ("to", "from").
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

    /// Whether the small words at the front differ in more than an English article: El Salvador is
    /// not the city of Salvador, and In Flames are not Flames.
    pub(crate) fn begins_otherwise(&self) -> bool {
        let front = |name: &'_ Name| -> Vec<String> {
            let small = name.tokens.iter().take_while(|token| token.kind == Kind::Light);
            let small = small.filter(|token| !words::is_article(&token.text));
            small.map(|token| token.text.clone()).collect()
        };
        front(self.asked) != front(self.known)
    }

    /// Whether the order of the words differs and only one name has a linking word: the University
    /// of Washington is not Washington University.
    pub(crate) fn is_turned_around(&self) -> bool {
        let linked = |name: &Name| name.tokens.iter().any(|token| words::is_link(&token.text));
        self.is_turned() && linked(self.asked) != linked(self.known)
    }

    /// Whether the matching words are in a different order.
    pub(crate) fn is_turned(&self) -> bool {
        !self.known_places(&|_| true).is_sorted()
    }

    /// Whether numbers are in a different order, as in the third of February and the second of
    /// March. Not checked if other words differ as well, because then the numbers are part of a
    /// description.
    pub(crate) fn has_turned_numbers(&self) -> bool {
        let digits = |pair: &Pair| {
            let token = pair.asked.first().and_then(|place| self.asked.tokens.get(*place));
            token.is_some_and(|token| token.text.bytes().all(|byte| byte.is_ascii_digit()))
        };
        !self.leaves_words() && !self.known_places(&digits).is_sorted()
    }

    /// The positions of these pairs in the known name, in the order of the asked name.
    fn known_places(&self, wanted: &dyn Fn(&Pair) -> bool) -> Vec<Option<usize>> {
        let mut pairs: Vec<_> = self.alignment.pairs.iter().filter(|pair| wanted(pair)).collect();
        pairs.sort_by_key(|pair| pair.asked.first().copied());
        pairs.into_iter().map(|pair| pair.known.first().copied()).collect()
    }

    /// Whether a word without a counterpart may distinguish two things, however much else of the
    /// names matches. A kind of venue is often left out, but the Green Dragon may as well be an
    /// island and the Green Dragon Inn a house on it.
    pub(crate) fn leaves_telling_words(&self) -> bool {
        let (asked, known) = self.left();
        [asked, known].iter().any(|left| left.telling || left.venue)
    }

    /// Whether a significant word of either name has no counterpart.
    pub(crate) fn leaves_words(&self) -> bool {
        let telling = |name: &Name, places: &[usize]| {
            let mut tokens = places.iter().filter_map(|place| name.tokens.get(*place));
            tokens.any(|token| token.kind != Kind::Light)
        };
        telling(self.asked, &self.alignment.asked_alone)
            || telling(self.known, &self.alignment.known_alone)
    }

    /// Whether only titles distinguish two persons of whom only one name is given.
    pub(crate) fn has_other_titles(&self) -> bool {
        let bare = |name: &Name| name.significant().count() == 1;
        let (asked, known) = (self.asked.titles(), self.known.titles());
        bare(self.asked) && bare(self.known) && asked != known
    }

    /// Whether the family names have different particles: van der Berg, van den Berg.
    pub(crate) fn has_other_particles(&self) -> bool {
        self.asked.particles().ne(self.known.particles())
    }

    /// The words without a counterpart in each name, classified.
    pub(crate) fn left(&self) -> (Left, Left) {
        let asked = Left::of(self.asked, &self.alignment.asked_alone);
        (asked, Left::of(self.known, &self.alignment.known_alone))
    }
}

/// What kinds of words in a name have no counterpart.
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

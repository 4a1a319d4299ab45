//! What speaks for two names meaning the same thing, in nats, and what forbids to
//! decide it by the names alone.

use std::fmt;

use crate::align::{Alignment, Pair, align};
use crate::name::{Kind, Name, Place, Token};
use crate::profile::{Family, Profile};
use crate::spelling::{How, is_slip};
use crate::words;

/// Everything that two names say about each other.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    pub(crate) nats: f64,
    pub(crate) sameness: Sameness,
    pub(crate) objection: Option<Objection>,
    /// Whether the difference may as well be that of two things: without surroundings that
    /// agree, the match stays a guess.
    pub(crate) guess: bool,
    pub(crate) alignment: Alignment,
    pub(crate) code: Option<String>,
}

/// How equal the names are as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// Equal but for case, accents, punctuation and abbreviations.
    Full,
    /// Equal without light words and spaces.
    Loose,
    /// Not equal.
    Different,
}

/// Why a likely match must not be made without somebody looking at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Objection {
    /// The names hold different numbers.
    OtherNumbers,
    /// Each name has a telling word that the other lacks.
    OtherWords,
    /// One name is the other with more words.
    MoreWords,
    /// The same words in an order that means something else.
    OtherOrder,
    /// Too little of the names agrees.
    TooUnlike,
    /// A part of the persons' names differs.
    OtherName,
    /// A single name may be anybody who has it.
    PartOfName,
    /// One of them is marked as junior or senior.
    OtherGeneration,
    /// They are bodies of different legal forms.
    OtherForm,
    /// Their titles are those of a man and of a woman.
    OtherTitle,
}

impl fmt::Display for Objection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OtherNumbers => "the numbers differ",
            Self::OtherWords => "each has a telling word the other lacks",
            Self::MoreWords => "one has more words, so it may be something else",
            Self::OtherOrder => "the order of the words may mean something else",
            Self::TooUnlike => "too little of the names agrees",
            Self::OtherName => "part of the name differs",
            Self::PartOfName => "only a part of the name is given",
            Self::OtherGeneration => "one is marked as junior, senior or a successor",
            Self::OtherForm => "the legal forms differ",
            Self::OtherTitle => "the titles are those of a man and of a woman",
        })
    }
}

/// How much an omission counts, relative to its evidence.
const OMISSION: f64 = 0.2;
/// The same where a code in common makes other words mere description.
const CONFLICT_BESIDE_CODE: f64 = 0.3;
const OMISSION_BESIDE_CODE: f64 = 0.05;
/// What an initial tells: one of about a dozen common letters.
const INITIAL_NATS: f64 = 3.0;
/// Names with at most so many words in common are decided by every single word.
const SHORT: usize = 3;

/// How much a word tells, in nats, by itself or after a word that is known already.
pub(crate) type Weight<'a> = dyn Fn(&Token, Option<&Token>) -> f64 + 'a;

/// Compares two names.
pub(crate) fn judge(
    asked: &Name,
    known: &Name,
    profile: &Profile,
    weight: &Weight<'_>,
) -> Evidence {
    let alignment = align(asked, known, profile);
    let scales = Scales { asked, known, alignment: &alignment, weight };
    let code = shared_code(asked, known);
    let (matched, blurred) = scales.pairs();
    let (asked_rest, known_rest) = scales.rests();
    let conflict = asked_rest.min(known_rest);
    let omission = (asked_rest - known_rest).abs();
    let (conflict_rate, omission_rate) = match code {
        Some(_) => (profile.conflict.min(CONFLICT_BESIDE_CODE), OMISSION_BESIDE_CODE),
        None => (profile.conflict, OMISSION),
    };
    let for_code = code.as_ref().map_or(0.0, |code| weight(&code_token(code), None));
    let nats = matched - blurred - conflict_rate * conflict - omission_rate * omission + for_code;
    let likeness = matched / (matched + blurred + conflict + omission / 2.0).max(f64::MIN_POSITIVE);
    let sameness = sameness(asked, known);
    let objection = match sameness {
        Sameness::Different => scales.objection(profile, code.is_some()).or_else(|| {
            let unlike = code.is_none() && likeness < profile.least_likeness;
            unlike.then_some(Objection::TooUnlike)
        }),
        Sameness::Loose => scales.small_word_objection(profile.family),
        Sameness::Full => None,
    };
    let other_form = profile.family == Family::Organization && have_other_forms(asked, known);
    let objection = objection.or(other_form.then_some(Objection::OtherForm));
    let other_title =
        profile.family == Family::Person && have_titles(asked, known, words::are_other_titles);
    let objection = objection.or(other_title.then_some(Objection::OtherTitle));
    let guess = sameness != Sameness::Full && scales.is_guess(profile.family, code.as_deref());
    Evidence { nats, sameness, objection, guess, alignment, code }
}

/// Whether both names tell a legal form, and none in common.
fn have_other_forms(asked: &Name, known: &Name) -> bool {
    let forms = |name: &Name| -> Vec<String> {
        let light = name.tokens.iter().filter(|token| token.kind == Kind::Light);
        light.filter_map(|token| words::legal_form(&token.text).map(str::to_owned)).collect()
    };
    let (asked, known) = (forms(asked), forms(known));
    let shared = |form: &String| known.iter().any(|other| words::is_one_form(form, other));
    !asked.is_empty() && !known.is_empty() && !asked.iter().any(shared)
}

/// Whether the titles of two persons differ in this way.
fn have_titles(asked: &Name, known: &Name, differ: fn(&str, &str) -> bool) -> bool {
    let titles = |name: &'_ Name| -> Vec<String> {
        let light = name.tokens.iter().filter(|token| token.kind == Kind::Light);
        light.filter(|token| words::is_title(&token.text)).map(|token| token.text.clone()).collect()
    };
    let (asked, known) = (titles(asked), titles(known));
    asked.iter().any(|one| known.iter().any(|other| differ(one, other)))
}

struct Scales<'a> {
    asked: &'a Name,
    known: &'a Name,
    alignment: &'a Alignment,
    weight: &'a Weight<'a>,
}

impl Scales<'_> {
    /// What matches, and what is lost where words are only alike.
    fn pairs(&self) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for pair in &self.alignment.pairs {
            let weight = self.pair_weight(pair);
            sums.0 += pair.likeness.degree * weight;
            sums.1 += (1.0 - pair.likeness.degree) * weight;
        }
        sums
    }

    fn pair_weight(&self, pair: &Pair) -> f64 {
        let sum = |name: &Name, places: &[usize]| -> f64 {
            let tokens = places.iter().filter_map(|place| name.tokens.get(*place));
            tokens.map(|token| (self.weight)(token, None)).sum()
        };
        let (asked, known) = (sum(self.asked, &pair.asked), sum(self.known, &pair.known));
        match pair.likeness.how {
            How::Initial => INITIAL_NATS,
            How::Initials => asked.min(known).min(self.most_of_initials(pair)),
            How::Equal => self.after_the_word_before(pair).unwrap_or(asked),
            _ => f64::midpoint(asked, known),
        }
    }

    /// People share initials more often than bodies share acronyms.
    fn most_of_initials(&self, pair: &Pair) -> f64 {
        let first = pair.asked.first().and_then(|place| self.asked.tokens.get(*place));
        let person = first.is_some_and(|token| token.sound.is_some());
        let letters = pair.asked.len().max(pair.known.len());
        if person { INITIAL_NATS * letters as f64 } else { f64::INFINITY }
    }

    /// What an equal word tells when the word before it is equal, too: in a store
    /// full of steak houses, "house" tells nothing after "steak".
    fn after_the_word_before(&self, pair: &Pair) -> Option<f64> {
        let place = |places: &[usize]| places.first()?.checked_sub(1);
        let asked_before = self.asked.tokens.get(place(&pair.asked)?)?;
        let known_before = self.known.tokens.get(place(&pair.known)?)?;
        let token = self.asked.tokens.get(*pair.asked.first()?)?;
        let together = asked_before.text == known_before.text;
        together.then(|| (self.weight)(token, Some(asked_before)))
    }

    /// The evidence of the words left alone. A remark counts half, and so does the
    /// sort of place, which is left out at will.
    fn rests(&self) -> (f64, f64) {
        let rest = |name: &Name, places: &[usize]| -> f64 {
            let tokens = places.iter().filter_map(|place| name.tokens.get(*place));
            tokens
                .map(|token| {
                    let minor = token.place == Place::Aside || words::is_venue(&token.text);
                    (self.weight)(token, None) / if minor { 2.0 } else { 1.0 }
                })
                .sum()
        };
        (
            rest(self.asked, &self.alignment.asked_alone),
            rest(self.known, &self.alignment.known_alone),
        )
    }

    fn objection(&self, profile: &Profile, has_code: bool) -> Option<Objection> {
        match profile.family {
            Family::Person => self.person_objection(),
            _ => self.thing_objection(profile.family, has_code),
        }
    }

    fn person_objection(&self) -> Option<Objection> {
        let alone = |name: &Name, places: &[usize], test: &dyn Fn(&Token) -> bool| {
            places.iter().filter_map(|place| name.tokens.get(*place)).any(test)
        };
        let asked =
            |test: &dyn Fn(&Token) -> bool| alone(self.asked, &self.alignment.asked_alone, test);
        let known =
            |test: &dyn Fn(&Token) -> bool| alone(self.known, &self.alignment.known_alone, test);
        let generation = |token: &Token| words::is_generation(&token.text);
        let telling = |token: &Token| token.kind != Kind::Light;
        let count = |name: &Name| name.significant().count();
        let (few, many) =
            (count(self.asked).min(count(self.known)), count(self.asked).max(count(self.known)));
        if asked(&generation) || known(&generation) {
            Some(Objection::OtherGeneration)
        } else if few <= 1 && many > 1 && !self.is_joined_throughout() {
            Some(Objection::PartOfName)
        } else if asked(&telling) && known(&telling) || self.has_other_middle_names() {
            Some(Objection::OtherName)
        } else if self.is_turned() && self.are_first_names() {
            Some(Objection::OtherOrder)
        } else {
            None
        }
    }

    /// George W. Bush is not George H. W. Bush. Who has no middle name may just not give it.
    fn has_other_middle_names(&self) -> bool {
        let middle = |name: &Name| name.significant().count() > 2;
        middle(self.asked) && middle(self.known) && self.leaves_words()
    }

    /// Henry James is not James Henry, while Jane Austen may be Austen Jane.
    fn are_first_names(&self) -> bool {
        self.asked.significant().all(|token| words::is_first_name(&token.text))
    }

    /// "Maren Tull" is "marentull", though one has two words and one has one.
    fn is_joined_throughout(&self) -> bool {
        let nothing_left =
            self.alignment.asked_alone.is_empty() && self.alignment.known_alone.is_empty();
        nothing_left && self.alignment.pairs.iter().any(|pair| pair.likeness.how == How::Joined)
    }

    fn thing_objection(&self, family: Family, has_code: bool) -> Option<Objection> {
        let asked = Left::of(self.asked, &self.alignment.asked_alone);
        let known = Left::of(self.known, &self.alignment.known_alone);
        let short = !has_code && self.is_short();
        if !has_code && asked.number && known.number || short && (asked.number || known.number) {
            Some(Objection::OtherNumbers)
        } else if !has_code && self.has_turned_numbers() {
            Some(Objection::OtherOrder)
        } else if !has_code && asked.negation != known.negation
            || short && asked.telling && known.telling
        {
            Some(Objection::OtherWords)
        } else if short
            && (asked.telling_core || known.telling_core)
            && asked.telling != known.telling
        {
            Some(Objection::MoreWords)
        } else if family == Family::Organization && self.is_turned_around() {
            Some(Objection::OtherOrder)
        } else {
            self.small_word_objection(family)
        }
    }

    /// Whether so few telling words agree that every single one decides.
    fn is_short(&self) -> bool {
        let telling = |pair: &&Pair| {
            let first = pair.asked.first().and_then(|place| self.asked.tokens.get(*place));
            first.is_some_and(|token| token.kind != Kind::Light)
        };
        self.alignment.pairs.iter().filter(telling).count() <= SHORT
    }

    /// The flight to Arn is not the flight from Arn.
    fn small_word_objection(&self, family: Family) -> Option<Objection> {
        let differ = family != Family::Person && self.is_short() && self.has_other_bonds();
        differ.then_some(Objection::OtherWords)
    }

    /// Whether nothing but small words differs, and they do different things.
    fn has_other_bonds(&self) -> bool {
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
    fn is_turned_around(&self) -> bool {
        let linked = |name: &Name| name.tokens.iter().any(|token| words::is_link(&token.text));
        self.is_turned() && linked(self.asked) != linked(self.known)
    }

    /// Whether the words that answer to each other stand in another order.
    fn is_turned(&self) -> bool {
        !self.known_places(&|_| true).is_sorted()
    }

    /// The third of February is not the second of March. Where more than the order differs,
    /// numbers are part of a description, which begins where it likes.
    fn has_turned_numbers(&self) -> bool {
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

    /// Whether the names differ in a way that two things could differ in as well.
    fn is_guess(&self, family: Family, code: Option<&str>) -> bool {
        let pairs = &self.alignment.pairs;
        let longer_code = code.is_some_and(|code| !self.known.codes.iter().any(|own| own == code));
        longer_code
            || self.is_turned()
            || pairs.iter().any(|pair| self.is_guessed(pair, family))
            || match family {
                Family::Person => {
                    self.leaves_words()
                        || have_titles(self.asked, self.known, words::are_other_ranks)
                }
                _ => self.has_other_bonds() || self.leaves_telling_words(),
            }
    }

    /// Whether a word is left alone that two things may differ in: one that lowers is not one
    /// that raises, however long the rest of the names is. A sort of place is left out at will.
    fn leaves_telling_words(&self) -> bool {
        let asked = Left::of(self.asked, &self.alignment.asked_alone);
        let known = Left::of(self.known, &self.alignment.known_alone);
        asked.telling || known.telling || asked.venue && known.venue
    }

    /// Whether a telling word of either name has no answer.
    fn leaves_words(&self) -> bool {
        let telling = |name: &Name, places: &[usize]| {
            let mut tokens = places.iter().filter_map(|place| name.tokens.get(*place));
            tokens.any(|token| token.kind != Kind::Light)
        };
        telling(self.asked, &self.alignment.asked_alone)
            || telling(self.known, &self.alignment.known_alone)
    }

    /// Real names may be one letter apart or sound alike, many people share initials and
    /// short names, a letter behind a code makes another model, and some words are no other
    /// words written apart: nowhere, now here.
    fn is_guessed(&self, pair: &Pair, family: Family) -> bool {
        let token = |name: &'_ Name, places: &[usize]| {
            places.first().and_then(|place| name.tokens.get(*place)).cloned()
        };
        let ends = token(self.asked, &pair.asked).zip(token(self.known, &pair.known));
        let Some((asked, known)) = ends else { return false };
        match pair.likeness.how {
            How::Equal => asked.character.is_some() != known.character.is_some(),
            How::Initials => true,
            How::Joined => {
                let word = if pair.asked.len() == 1 { &asked } else { &known };
                words::is_real(&word.text)
            }
            // Names are one letter apart as easily as words are mistyped.
            How::Typo => family == Family::Person || !is_slip(&asked.text, &known.text),
            How::Initial | How::Sound | How::Nickname => family == Family::Person,
            How::Longer => family == Family::Person || asked.kind == Kind::Number,
            How::Variant | How::SpelledOut => false,
        }
    }
}

/// What the words left alone in a name are.
struct Left {
    number: bool,
    telling: bool,
    telling_core: bool,
    venue: bool,
    negation: bool,
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

fn sameness(asked: &Name, known: &Name) -> Sameness {
    if asked.full_key == known.full_key {
        Sameness::Full
    } else if !asked.loose_key.is_empty() && asked.loose_key == known.loose_key
        || are_spelled_alike(asked, known)
    {
        Sameness::Loose
    } else {
        Sameness::Different
    }
}

/// Whether the names differ in nothing but umlauts that one of them writes out.
fn are_spelled_alike(asked: &Name, known: &Name) -> bool {
    let written = |token: &Token, other: &Token| token.spelled_out.as_ref() == Some(&other.text);
    let alike = |(one, other): (&Token, &Token)| {
        one.is(other)
            || written(one, other)
            || written(other, one)
            || one.spelled_out.is_some() && one.spelled_out == other.spelled_out
    };
    !asked.tokens.is_empty()
        && asked.tokens.len() == known.tokens.len()
        && asked.tokens.iter().zip(&known.tokens).all(alike)
}

/// A code that both names hold, or that one holds with a suffix of letters.
fn shared_code(asked: &Name, known: &Name) -> Option<String> {
    let fits = |one: &str, other: &str| {
        let suffix = other.strip_prefix(one);
        let letters = suffix.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
        one == other || (one.len() >= 4 && letters)
    };
    let shared =
        |code: &&String| known.codes.iter().any(|other| fits(code, other) || fits(other, code));
    asked.codes.iter().find(shared).cloned()
}

fn code_token(code: &str) -> Token {
    Token {
        text: code.to_owned(),
        character: None,
        spelled_out: None,
        sound: None,
        rank: None,
        kind: Kind::Number,
        place: Place::Core,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objection(one: &str, other: &str, family: Family) -> Option<Objection> {
        let profile = Profile::of_family(family);
        let (one, other) = (Name::parse(one, family), Name::parse(other, family));
        judge(&one, &other, &profile, &|_, _| 7.0).objection
    }

    #[test]
    fn guards_hold_back_what_spelling_cannot_decide() {
        use Family::{Organization, Person, Thing, Title};
        let cases = [
            ("Phase 1", "Phase 2", Thing, Objection::OtherNumbers),
            ("GPT-3", "GPT-4", Thing, Objection::OtherNumbers),
            (
                "And Then There Were Eight",
                "And Then There Were Nine",
                Title,
                Objection::OtherNumbers,
            ),
            ("Portland Oregon", "Portland Maine", Organization, Objection::OtherWords),
            ("Regen Network", "Regen Network Development", Organization, Objection::MoreWords),
            (
                "University of Washington",
                "Washington University",
                Organization,
                Objection::OtherOrder,
            ),
            ("Jane Doe", "Jane Roe", Person, Objection::OtherName),
            ("Jane", "Jane Roe", Person, Objection::PartOfName),
            ("John Smith", "John Smith Jr", Person, Objection::OtherGeneration),
            ("Henry VII", "Henry VIII", Person, Objection::OtherGeneration),
            ("Henry James", "James Henry", Person, Objection::OtherOrder),
            ("George W. Bush", "George H. W. Bush", Person, Objection::OtherName),
            ("张伟", "章伟", Person, Objection::OtherName),
            ("Lord Vex Marrow", "Lady Vex Marrow", Person, Objection::OtherTitle),
            ("Mr John Vane", "Mrs. John Vane", Person, Objection::OtherTitle),
            ("Meeting 2024-01-02", "Meeting 2024-02-01", Title, Objection::OtherOrder),
            ("Release 1.2", "Release 2.1", Thing, Objection::OtherOrder),
            ("C", "C++", Thing, Objection::OtherWords),
            ("C#", "C++", Thing, Objection::OtherWords),
            ("Server web1", "Server web10", Thing, Objection::OtherNumbers),
        ];
        for (one, other, family, expected) in cases {
            assert_eq!(objection(one, other, family), Some(expected), "{one} / {other}");
            assert_eq!(objection(other, one, family), Some(expected), "{other} / {one}");
        }
    }

    #[test]
    fn a_title_is_one_only_in_front_and_ranks_make_a_guess() {
        let guess = |one: &str, other: &str| {
            let family = Family::Person;
            let (one, other) = (Name::parse(one, family), Name::parse(other, family));
            judge(&one, &other, &Profile::of_family(family), &|_, _| 7.0).guess
        };
        for (one, other) in [
            ("Martin Luther", "Martin Luther King"),
            ("Ruth Ann", "Ruth Ann Prince"),
            ("King Aldric Stone", "Prince Aldric Stone"),
        ] {
            assert!(guess(one, other) && guess(other, one), "{one} / {other}");
        }
        assert!(!guess("King Aldric Stone", "Aldric Stone"));
        assert!(!guess("Ilse Marrow, PhD", "Dr Ilse Marrow"));
    }

    #[test]
    fn harmless_differences_raise_no_objection() {
        use Family::{Organization, Person, Thing};
        for (one, other, family) in [
            ("Acme Corp", "ACME Incorporated", Organization),
            ("Bone's Restaurant", "Bones", Organization),
            ("St. John", "Saint John", Organization),
            ("Herring Monitring", "Monitoring Herring", Thing),
            ("Sony PSLX350H", "Sony PS-LX350H belt drive turntable", Thing),
            ("J. R. Smith", "John Smith", Person),
            ("Smith, John", "John Smith", Person),
            ("Dr. Ilse Marrow", "Prof. Ilse Marrow", Person),
            ("Captain Vane", "Vane (Captain)", Person),
        ] {
            let found = objection(one, other, family);
            assert!(
                matches!(found, None | Some(Objection::TooUnlike)),
                "{one} / {other}: {found:?}"
            );
        }
    }
}

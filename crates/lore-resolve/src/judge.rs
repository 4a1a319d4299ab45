//! Weighing the evidence that two names mean the same thing, in nats.

use crate::align::{Alignment, Pair, align};
use crate::codes::shared_code;
use crate::compared::Compared;
use crate::name::{Kind, Name, Place, Token};
use crate::objection::Objection;
use crate::profile::Profile;
use crate::sameness::{Sameness, sameness};
use crate::spelling::How;

/// The result of comparing two names.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    pub(crate) nats: f64,
    pub(crate) sameness: Sameness,
    pub(crate) objection: Option<Objection>,
    /// Whether the difference may as well mean two different things. Without matching context, such
    /// a match remains a guess.
    pub(crate) guess: bool,
    pub(crate) alignment: Alignment,
    pub(crate) code: Option<String>,
}

/// How much words missing on one side count, relative to their evidence.
const OMISSION: f64 = 0.2;
/// The same rates if a shared code makes the other words mere description.
const CONFLICT_BESIDE_CODE: f64 = 0.3;
const OMISSION_BESIDE_CODE: f64 = 0.05;
/// The evidence of a matching initial: one of about a dozen common letters.
const INITIAL_NATS: f64 = 3.0;

/// Returns the evidence of a word in nats, alone or after a matching word.
pub(crate) type Weight<'a> = dyn Fn(&Token, Option<&Token>) -> f64 + 'a;

/// Compares two names.
pub(crate) fn judge(
    asked: &Name,
    known: &Name,
    profile: &Profile,
    weight: &Weight<'_>,
) -> Evidence {
    let alignment = align(asked, known, profile);
    let compared = Compared { asked, known, alignment: &alignment };
    let code = shared_code(&asked.codes, &known.codes);
    let balance =
        Scales { asked, known, alignment: &alignment, weight }.balance(profile, code.as_deref());
    let sameness = sameness(asked, known, profile.family);
    let unlike = sameness == Sameness::Different
        && code.is_none()
        && balance.likeness < profile.least_likeness;
    let objection = compared
        .objection(profile.family, sameness, code.as_deref())
        .or(unlike.then_some(Objection::TooUnlike))
        .or_else(|| compared.objection_beside(profile.family));
    let guess = sameness != Sameness::Full && compared.is_guess(profile.family, code.as_deref());
    Evidence { nats: balance.nats, sameness, objection, guess, alignment, code }
}

/// The sum of all evidence for and against a match.
struct Balance {
    nats: f64,
    /// The share of the evidence that matches.
    likeness: f64,
}

struct Scales<'a> {
    asked: &'a Name,
    known: &'a Name,
    alignment: &'a Alignment,
    weight: &'a Weight<'a>,
}

impl Scales<'_> {
    fn balance(&self, profile: &Profile, code: Option<&str>) -> Balance {
        let (matched, blurred) = self.pairs();
        let (asked_rest, known_rest) = self.rests();
        let conflict = asked_rest.min(known_rest);
        let omission = (asked_rest - known_rest).abs();
        let (conflict_rate, omission_rate) = match code {
            Some(_) => (profile.conflict.min(CONFLICT_BESIDE_CODE), OMISSION_BESIDE_CODE),
            None => (profile.conflict, OMISSION),
        };
        let for_code = code.map_or(0.0, |code| (self.weight)(&code_token(code), None));
        let against = blurred + conflict_rate * conflict + omission_rate * omission;
        let all = matched + blurred + conflict + omission / 2.0;
        Balance {
            nats: matched - against + for_code,
            likeness: matched / all.max(f64::MIN_POSITIVE),
        }
    }

    /// The evidence that matches, and the evidence lost where words are only similar.
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
            // Parts of a split word are rare, but are no more evidence than the whole word.
            How::Torn => asked.min(known),
            _ => f64::midpoint(asked, known),
        }
    }

    /// An upper limit for initials: people share them more often than organisations share acronyms.
    fn most_of_initials(&self, pair: &Pair) -> f64 {
        let first = pair.asked.first().and_then(|place| self.asked.tokens.get(*place));
        let person = first.is_some_and(|token| token.sound.is_some());
        let letters = pair.asked.len().max(pair.known.len());
        if person { INITIAL_NATS * letters as f64 } else { f64::INFINITY }
    }

    /// The evidence of an equal word if the words before it are equal as well: among many steak
    /// houses, "house" says nothing after "steak".
    fn after_the_word_before(&self, pair: &Pair) -> Option<f64> {
        let place = |places: &[usize]| places.first()?.checked_sub(1);
        let asked_before = self.asked.tokens.get(place(&pair.asked)?)?;
        let known_before = self.known.tokens.get(place(&pair.known)?)?;
        let token = self.asked.tokens.get(*pair.asked.first()?)?;
        let together = asked_before.text == known_before.text;
        together.then(|| (self.weight)(token, Some(asked_before)))
    }

    /// The evidence of the words without a counterpart. Remarks and kinds of venue count half,
    /// because they are often left out.
    fn rests(&self) -> (f64, f64) {
        let rest = |name: &Name, places: &[usize]| -> f64 {
            let tokens = places.iter().filter_map(|place| name.tokens.get(*place));
            tokens
                .map(|token| (self.weight)(token, None) / if token.is_minor() { 2.0 } else { 1.0 })
                .sum()
        };
        (
            rest(self.asked, &self.alignment.asked_alone),
            rest(self.known, &self.alignment.known_alone),
        )
    }
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
        hyphened: false,
    }
}

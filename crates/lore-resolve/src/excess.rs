//! How much the evidence for a match exceeds what chance would produce.

use crate::judge::Evidence;
use crate::name::{Kind, Name};
use crate::near::near_names;
use crate::objection::Objection;
use crate::sameness::Sameness;
use crate::spelling::{How, is_long_slip};

/// What equality of the whole names is worth beyond their words, in nats.
const SAME: f64 = 6.0;
const NEARLY_SAME: f64 = 3.5;
/// What it is worth, in nats, that a name equals the other without its optional words. Low, because
/// several things may have the same short name.
const BARE: f64 = 1.0;
/// What one typing error in a long one-word name is worth, in nats: however many names there are,
/// two of them are hardly ever this similar.
const LONG_SLIP: f64 = 1.0;

/// What it is worth, in nats, that two real names differ by one letter, with and without another
/// matching word. Negative: only one in several such pairs is a typing error.
const NEAR_NAMES: f64 = -1.5;
const NEAR_NAMES_ALONE: f64 = -3.0;

/// The evidence beyond what is needed to single out one thing among all possible ones.
pub(crate) fn excess(evidence: &Evidence, asked: &Name, known: &Name, needed: f64) -> f64 {
    let by_words = evidence.nats - needed;
    match evidence.sameness {
        Sameness::Full => by_words.max(SAME),
        Sameness::Loose => by_words.max(NEARLY_SAME),
        Sameness::Bare => by_words.max(BARE),
        Sameness::Different => by_words
            .max(by_initials(evidence, asked, known))
            .max(by_long_slip(evidence, asked, known))
            .max(by_near_names(evidence, asked, known)),
    }
}

/// The evidence of one typing error in a long one-word name. Not for people, whose names differ by
/// less.
fn by_long_slip(evidence: &Evidence, asked: &Name, known: &Name) -> f64 {
    let typo = match evidence.alignment.pairs.as_slice() {
        [pair] => pair.likeness.how == How::Typo && evidence.objection.is_none(),
        _ => false,
    };
    let words = asked.only_word().zip(known.only_word());
    let words = words.filter(|(asked, _)| typo && asked.sound.is_none());
    match words {
        Some((asked, known)) if is_long_slip(&asked.text, &known.text) => LONG_SLIP,
        _ => f64::NEG_INFINITY,
    }
}

/// The evidence of two names that differ by one letter.
fn by_near_names(evidence: &Evidence, asked: &Name, known: &Name) -> f64 {
    match near_names(asked, known, &evidence.alignment) {
        Some(_) if evidence.alignment.pairs.is_empty() => NEAR_NAMES_ALONE,
        Some(_) => NEAR_NAMES,
        None => f64::NEG_INFINITY,
    }
}

/// The cost in nats if a name continues after the words that the acronym stands for.
const GOES_ON: f64 = 1.0;

/// The evidence of an acronym. It grows with the number of letters: two fit many names, five few.
fn by_initials(evidence: &Evidence, asked: &Name, known: &Name) -> f64 {
    let [pair] = evidence.alignment.pairs.as_slice() else { return f64::NEG_INFINITY };
    let cost = match evidence.objection {
        _ if pair.likeness.how != How::Initials => None,
        None => Some(0.0),
        Some(Objection::MoreWords) => {
            let is_head = begins(asked, &pair.asked) || begins(known, &pair.known);
            is_head.then_some(GOES_ON)
        }
        Some(_) => None,
    };
    let word = asked.only_word().or_else(|| known.only_word()).zip(cost);
    word.map_or(f64::NEG_INFINITY, |(word, cost)| {
        (word.text.chars().count() as f64 - 2.5) * 1.2 - cost
    })
}

/// Whether these words are the beginning of a name that continues with a small word: the Centers
/// for Disease Control and Prevention.
fn begins(name: &Name, places: &[usize]) -> bool {
    let next = places.last().and_then(|last| name.tokens.get(last + 1));
    places.first() == Some(&0) && next.is_some_and(|next| next.kind == Kind::Light)
}

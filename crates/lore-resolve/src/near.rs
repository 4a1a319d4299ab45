//! Names that are told apart by one letter of a word: Theo and Thea, World Heath Organization.
//!
//! Both are words, so they are two more often than one that was mistyped, and nothing is ever
//! decided by it. But whoever did mistype a name must be shown what they may have meant.

use crate::align::{Alignment, Pair};
use crate::given_names;
use crate::name::{Kind, Name, Token};
use crate::spelling::How;

/// The words that two names differ in, where they are nearly one and nothing else differs. A person
/// may have only that name; of anything else, other words must agree.
pub(crate) fn near_names<'a>(
    asked: &'a Name,
    known: &'a Name,
    alignment: &Alignment,
) -> Option<(&'a Token, &'a Token)> {
    let one = only(asked, &alignment.asked_alone)?;
    let other = only(known, &alignment.known_alone)?;
    let persons = one.sound.is_some() && other.sound.is_some();
    let equal = |pair: &Pair| pair.likeness.how == How::Equal;
    let agree = alignment.pairs.iter().any(|pair| is_telling(asked, pair))
        && alignment.pairs.iter().all(equal);
    ((persons || agree) && are_near(&one.text, &other.text)).then_some((one, other))
}

fn is_telling(name: &Name, pair: &Pair) -> bool {
    let mut tokens = pair.asked.iter().filter_map(|place| name.tokens.get(*place));
    tokens.any(|token| token.kind != Kind::Light)
}

/// The word that is left alone, if one is.
fn only<'a>(name: &'a Name, alone: &[usize]) -> Option<&'a Token> {
    let tokens = alone.iter().filter_map(|place| name.tokens.get(*place));
    let mut telling = tokens.filter(|token| token.kind != Kind::Light);
    let first = telling.next();
    first.filter(|_| telling.next().is_none())
}

/// Whether two words that people write on purpose begin alike and differ in one letter. Among
/// syllables of Mandarin nearly all do.
fn are_near(one: &str, other: &str) -> bool {
    given_names::is_real_or_theirs(one)
        && given_names::is_real_or_theirs(other)
        && !(given_names::is_pinyin(one) && given_names::is_pinyin(other))
        && one.chars().next() == other.chars().next()
        && strsim::osa_distance(one, other) == 1
}

#[cfg(test)]
mod tests {
    use super::are_near;

    #[test]
    fn names_that_differ_in_one_letter_are_near() {
        for (one, other) in
            [("theo", "thea"), ("leon", "leona"), ("bruno", "bruna"), ("christian", "christina")]
        {
            assert!(are_near(one, other) && are_near(other, one), "{one} {other}");
        }
        for (one, other) in
            [("jane", "john"), ("robert", "rupert"), ("hansen", "jansen"), ("wei", "wen")]
        {
            assert!(!are_near(one, other), "{one} {other}");
        }
    }
}

//! Names that differ by one letter of a word: Theo and Thea, World Heath Organization.
//!
//! If both are real words, they more often are two names than a typing error, so nothing is ever
//! decided by that. But after a typing error the user must be shown what they may have meant.

use crate::align::{Alignment, Pair};
use crate::given_names;
use crate::name::{Kind, Name, Token};
use crate::spelling::How;

/// The words in which two names differ, if these are similar and nothing else differs. For persons
/// no other word is needed; for everything else, other words must match.
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

/// The only significant word without a counterpart, if there is exactly one.
fn only<'a>(name: &'a Name, alone: &[usize]) -> Option<&'a Token> {
    let tokens = alone.iter().filter_map(|place| name.tokens.get(*place));
    let mut telling = tokens.filter(|token| token.kind != Kind::Light);
    let first = telling.next();
    first.filter(|_| telling.next().is_none())
}

/// Whether two real words begin with the same letter and differ by one edit. Not for syllables of
/// Mandarin, which nearly all do.
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

//! Twin names: similar names that belong to different people, such as Samir and Samira, Marion and
//! Marian, Finch and Finchley.
//!
//! No list contains all names of all cultures. But nearly everywhere an additional or different
//! final vowel turns a man's name into a woman's, so they are different people. Family names are
//! often another name with an additional syllable.

use crate::align::Pair;
use crate::compared::Compared;
use crate::given_names;
use crate::name::{Kind, Name, Token};
use crate::sound;
use crate::spelling::{How, is_swapped};

/// Shorter stems do not become another name by one more letter.
const LEAST_STEM: usize = 3;
/// A single additional consonant may be a typing error; more letters make a syllable.
const SYLLABLE: usize = 2;
/// Nobody mistypes a name in so many places.
const DISTANT: usize = 3;
/// Up to this length, one edit fewer is as much.
const SHORT: usize = 6;

impl Compared<'_> {
    /// Whether the persons have different, although similar, given names.
    pub(crate) fn have_twin_names(&self) -> bool {
        self.have_alike(&|asked, known, how| {
            let given = is_given(self.asked, asked) || is_given(self.known, known);
            match given {
                true if how == How::Sound && are_spoken_otherwise(&asked.text, &known.text) => true,
                true => are_twins(&asked.text, &known.text),
                false => are_known(asked, known) && end_otherwise(&asked.text, &known.text),
            }
        })
    }

    /// Whether one family name is the other with an additional syllable: Wood, Woodley.
    pub(crate) fn have_longer_family_name(&self) -> bool {
        self.have_alike(&|asked, known, _| {
            is_last(self.asked, asked)
                && is_last(self.known, known)
                && is_longer(&asked.text, &known.text)
        })
    }

    /// Whether two names have too little in common to be spellings of one: Vermeer, Vermeulen.
    pub(crate) fn have_distant_names(&self) -> bool {
        self.have_alike(&|asked, known, how| {
            how == How::Typo && are_distant(&asked.text, &known.text)
        })
    }

    /// Whether any two similar, but not equal, words are in the given relation.
    fn have_alike(&self, are: &dyn Fn(&Token, &Token, How) -> bool) -> bool {
        let alike = |pair: &&Pair| {
            matches!(pair.likeness.how, How::Typo | How::Longer | How::Sound | How::Variant)
        };
        self.alignment.pairs.iter().filter(alike).any(|pair| {
            let words = only(self.asked, &pair.asked).zip(only(self.known, &pair.known));
            words.is_some_and(|(asked, known)| are(asked, known, pair.likeness.how))
        })
    }
}

/// A vowel after a consonant is a syllable by itself: Barros, Barroso. An "e" is often silent.
fn is_longer(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let makes_syllable = |more: &str| {
        let is_sounded = matches!(more, "a" | "i" | "o" | "u") && !short.ends_with(is_vowel);
        is_sounded || more.chars().count() >= SYLLABLE
    };
    long.strip_prefix(short).is_some_and(makes_syllable) && !given_names::are_nicknames(one, other)
}

/// A known name is mistyped more often than another one is as similar to it: Ashgorve.
fn are_distant(one: &str, other: &str) -> bool {
    let longest = one.chars().count().max(other.chars().count());
    let is_misspelt = given_names::is_real(one) != given_names::is_real(other);
    let most = if longest <= SHORT && !is_misspelt { DISTANT - 1 } else { DISTANT };
    strsim::osa_distance(one, other) >= most
}

fn only<'a>(name: &'a Name, places: &[usize]) -> Option<&'a Token> {
    match places {
        [place] => name.tokens.get(*place),
        _ => None,
    }
}

/// Whether a word is in the position of a given name: not the last of several words. Family names
/// can be similar as well (Ferrara, Ferraro), but there a difference is usually a typing error.
fn is_given(name: &Name, word: &Token) -> bool {
    let words = name.tokens.iter().filter(|token| token.kind == Kind::Word);
    !is_last(name, word) || words.count() == 1
}

fn is_last(name: &Name, word: &Token) -> bool {
    let mut words = name.tokens.iter().filter(|token| token.kind == Kind::Word);
    words.next_back().is_some_and(|last| std::ptr::eq(last, word))
}

/// Whether either word is a known given name, because some cultures put given names last.
fn are_known(one: &Token, other: &Token) -> bool {
    [one, other].iter().any(|token| given_names::is_given_name(&token.text))
}

/// Whether given names with the same rough phonetic code are different: Tina and Dina, Darren and
/// Doreen. If one letter differs and the result is not a name, it is a typing error: Ingred.
fn are_spoken_otherwise(one: &str, other: &str) -> bool {
    let known = given_names::is_real(one) && given_names::is_real(other);
    let begin_alike = one.chars().next() == other.chars().next();
    let mistyped =
        !known && (begin_alike && strsim::osa_distance(one, other) == 1 || is_swapped(one, other));
    !mistyped
        && !given_names::are_nicknames(one, other)
        && sound::spoken(one) != sound::spoken(other)
}

/// Whether two words are different given names.
fn are_twins(one: &str, other: &str) -> bool {
    let known = || given_names::is_real(one) && given_names::is_real(other);
    let inside = || known() && another_vowel(one, other).is_some();
    end_otherwise(one, other) || !given_names::are_nicknames(one, other) && inside()
}

/// Whether a vowel at the end makes them different names.
fn end_otherwise(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if given_names::are_nicknames(short, long) {
        return false;
    }
    match long.strip_prefix(short) {
        Some(more) => short.chars().count() >= LEAST_STEM && makes_another(short, more, long),
        None => another_vowel(short, long) == Some(Where::Last),
    }
}

/// Whether the additional ending makes a different name. An "a" always does (Samir, Samira); other
/// vowels only if the shorter word is a name, because it may have lost a letter (Penelop). No name
/// continues with a vowel after a vowel, and few with i, o or y: hollyo, madisono, ryany.
fn makes_another(short: &str, more: &str, long: &str) -> bool {
    let is_real = given_names::is_real;
    let ends = || short.ends_with(is_vowel);
    match more {
        "a" => !ends() && !is_stump(short, long),
        "e" => !ends() && is_real(short),
        "i" | "o" => !ends() && is_real(short) && is_real(long),
        "y" => is_real(short) && is_real(long),
        _ => false,
    }
}

/// Whether a word is a name without its last letter: too short for an unknown name, or with an
/// unusual ending, as for Zara, Rebecca and Matilda.
fn is_stump(word: &str, whole: &str) -> bool {
    let last: Vec<char> = word.chars().rev().take(2).collect();
    let doubled = matches!(last.as_slice(), ['c' | 'k' | 'p' | 'b' | 'd' | 'g', before] if last.first() == Some(before));
    let heaped = given_names::is_real(whole) && !last.iter().copied().any(is_vowel);
    !given_names::is_real(word) && (doubled || heaped || word.chars().count() <= LEAST_STEM)
}

/// Where a vowel differs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Inside,
    Last,
}

/// Where two words differ in one vowel, if nothing else differs.
fn another_vowel(one: &str, other: &str) -> Option<Where> {
    let length = one.chars().count();
    if length != other.chars().count() || length <= LEAST_STEM {
        return None;
    }
    let mut differing = one.chars().zip(other.chars()).enumerate().filter(|(_, (a, b))| a != b);
    let (place, (here, there)) = differing.next()?;
    // Toni and Tony are often the same, and y for another vowel makes a name only if both are real.
    let known = || given_names::is_real(one) && given_names::is_real(other);
    let written = match (here, there) {
        ('i', 'y') | ('y', 'i') => true,
        ('y', _) | (_, 'y') => !known(),
        _ => false,
    };
    let only = differing.next().is_none() && is_vowel(here) && is_vowel(there) && !written;
    only.then_some(if place + 1 == length { Where::Last } else { Where::Inside })
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::are_twins;

    #[test]
    fn a_vowel_makes_another_name() {
        for (one, other) in [
            ("samir", "samira"),
            ("haruki", "haruka"),
            ("pascal", "pascale"),
            ("marion", "marian"),
            ("vladimir", "vladimira"),
        ] {
            assert!(are_twins(one, other) && are_twins(other, one), "{one} {other}");
        }
        for (one, other) in [
            ("penelop", "penelope"),
            ("toni", "tony"),
            ("jonh", "john"),
            ("ahmed", "ahmad"),
            ("sara", "sarah"),
            ("benedict", "benedickt"),
            ("zar", "zara"),
            ("rebecc", "rebecca"),
            ("matild", "matilda"),
            ("madison", "madisono"),
            ("holly", "hollyo"),
            ("chloe", "chloy"),
        ] {
            assert!(!are_twins(one, other) && !are_twins(other, one), "{one} {other}");
        }
    }
}

//! How similar two words are, and in what way.

use crate::given_names;
use crate::name::{Kind, Token};
use crate::profile::{Family, Profile};
use crate::sound;
use crate::words;

/// The similarity of two words, from 0 to 1, and its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Likeness {
    pub(crate) degree: f64,
    pub(crate) how: How,
}

/// In what way two words, or sequences of words, are similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Equal,
    /// Written as several words on one side.
    Joined,
    /// Written as several words, with a typing error.
    Torn,
    /// The first letters of several words.
    Initials,
    /// The first letter of one word.
    Initial,
    /// A few letters differ.
    Typo,
    /// One continues where the other ends.
    Longer,
    /// A plural, or another spelling of the same word.
    Variant,
    Nickname,
    Sound,
    /// With umlauts written out.
    SpelledOut,
}

/// Below this similarity, two words do not match.
const LEAST: f64 = 0.5;

/// The best similarity of two words that are not equal; `None` if they do not match.
pub(crate) fn likeness(one: &Token, other: &Token, profile: &Profile) -> Option<Likeness> {
    let (short, long) =
        if one.text.len() <= other.text.len() { (one, other) } else { (other, one) };
    let person = profile.family == Family::Person;
    if person && are_syllables(&short.text, &long.text) || are_apart(short, long, person) {
        return None;
    }
    let by_spelling = spelled(short, long, profile.family);
    let by_person = person.then(|| called(short, long, profile));
    let all = [by_spelling, by_person.flatten()];
    let best = all.into_iter().flatten().max_by(|a, b| a.degree.total_cmp(&b.degree));
    best.filter(|likeness| likeness.degree >= LEAST)
}

fn spelled(short: &Token, long: &Token, family: Family) -> Option<Likeness> {
    if short.kind == Kind::Number || long.kind == Kind::Number {
        return numbers(short, long);
    }
    if let Some(found) = spelled_out(short, long, family) {
        return Some(found);
    }
    let (short, long) = (short.text.as_str(), long.text.as_str());
    if is_variant(short, long, family) {
        return Some(Likeness { degree: 0.93, how: How::Variant });
    }
    let real = |word| match family {
        Family::Person => given_names::is_real(word),
        _ => given_names::is_real_or_theirs(word),
    };
    // A word with two letters swapped is rarely another name: "altas" is "atlas".
    let theirs = !(given_names::is_real(short) && given_names::is_real(long));
    let two_words = real(short) && real(long) && !(theirs && is_swapped(short, long));
    if two_words || is_opposite(short, long) {
        return None;
    }
    typo(short, long)
}

/// Whether two adjacent letters are swapped, and nothing else differs.
pub(crate) fn is_swapped(one: &str, other: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    letters(one) == letters(other) && strsim::osa_distance(one, other) == 1
}

/// Words that are never typing errors of each other, however similar they look: different Chinese
/// characters, different signs, different regnal numbers.
fn are_apart(short: &Token, long: &Token, person: bool) -> bool {
    let signs = |token: &Token| -> String {
        token.text.chars().filter(|letter| !letter.is_alphanumeric()).collect()
    };
    let numerals = person && [short, long].iter().any(|token| words::is_numeral(&token.text));
    let characters = short.character.is_some() && long.character.is_some();
    characters || numerals || signs(short) != signs(long)
}

/// Numbers are either equal or different, but a code may have a suffix of letters: FS105, FS105NA.
/// More digits make another number: web1, web10.
fn numbers(short: &Token, long: &Token) -> Option<Likeness> {
    let both = short.kind == Kind::Number && long.kind == Kind::Number;
    let suffix = long.text.strip_prefix(short.text.as_str())?;
    let code = short.text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let letters = suffix.bytes().all(|byte| byte.is_ascii_alphabetic());
    let fits = both && code && letters && short.text.len() >= 4 && suffix.len() <= 3;
    fits.then_some(Likeness { degree: 0.9, how: How::Longer })
}

/// Compares spellings with umlauts written out: Müller is Mueller. Without an umlaut on either
/// side, "poet" is not "pot", except in names of people, where the written-out form is more likely
/// than another name.
fn spelled_out(one: &Token, other: &Token, family: Family) -> Option<Likeness> {
    let written = |token: &Token| token.spelled_out.clone();
    let seen = written(one).as_ref() == Some(&other.text)
        || written(other).as_ref() == Some(&one.text)
        || (written(one).is_some() && written(one) == written(other));
    let guessed = || {
        family == Family::Person
            && one.text.len() >= 4
            && one.text.len() != other.text.len()
            && without_digraphs(&one.text) == without_digraphs(&other.text)
    };
    if seen {
        Some(Likeness { degree: 0.98, how: How::SpelledOut })
    } else {
        guessed().then_some(Likeness { degree: 0.9, how: How::SpelledOut })
    }
}

fn without_digraphs(word: &str) -> String {
    word.replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

fn is_variant(short: &str, long: &str, family: Family) -> bool {
    let plural = || {
        let ending = long.strip_prefix(short);
        let ies =
            long.strip_suffix("ies").is_some_and(|stem| short.strip_suffix('y') == Some(stem));
        short.len() >= 3 && (matches!(ending, Some("s" | "es")) || ies)
    };
    let swapped = || short.len() >= 5 && short.replace('z', "s") == long.replace('z', "s");
    (matches!(family, Family::Thing | Family::Title) && plural()) || swapped()
}

/// Whether two words differ only in prefixes that change the meaning: symmetric and asymmetric,
/// prenatal and postnatal, underfishing and overfishing.
fn is_opposite(short: &str, long: &str) -> bool {
    const STEM: usize = 4;
    let stems = |word: &'_ str| -> Vec<String> {
        let prefixes = PREFIXES.iter().filter_map(|prefix| word.strip_prefix(prefix));
        let stems = prefixes.chain([word]).filter(|stem| stem.len() >= STEM);
        stems.map(str::to_owned).collect()
    };
    let others = stems(long);
    stems(short).iter().any(|stem| others.contains(stem))
}

const PREFIXES: [&str; 61] = [
    "a", "anti", "auto", "bi", "co", "contra", "counter", "de", "dis", "down", "en", "endo", "ex",
    "exo", "extra", "hetero", "homo", "hyper", "hypo", "il", "im", "in", "infra", "inter", "intra",
    "intro", "ir", "iso", "macro", "mega", "meso", "micro", "mini", "mis", "mono", "multi", "nano",
    "neo", "non", "off", "on", "out", "over", "poly", "post", "pre", "pro", "pseudo", "re",
    "retro", "semi", "sub", "super", "supra", "tele", "trans", "tri", "ultra", "un", "under", "up",
];

/// The rank up to which a word is common. Common words are mistyped far more often than somebody
/// chooses a name one letter away from them; for rarer words that is not certain: Merlin, Marlin.
const COMMON: u32 = 8_000;
/// Shorter words are one letter away from too many others.
const LEAST_SLIPPED: usize = 6;
/// The letters at both ends that must match, because names are derived from words by other endings
/// and distinguished by their beginnings.
const KEPT_ENDS: usize = 2;

/// Whether one word can only be a typing error of the other: a letter left out, added or swapped
/// inside a common word that is not a name, and the result is not a word. Rosa and Rossa may be two
/// names, and another letter makes another word too easily: carbon, carton.
pub(crate) fn is_slip(one: &str, other: &str) -> bool {
    let common = |word: &str| lore_text::wordpiece::rank(word).is_some_and(|rank| rank <= COMMON);
    let ends = |word: &str| -> Option<(String, String)> {
        let start = word.get(..KEPT_ENDS)?.to_owned();
        Some((start, word.get(word.len().checked_sub(KEPT_ENDS)?..)?.to_owned()))
    };
    let named = |word: &str| given_names::is_given_name(word);
    let length = |word: &str| word.chars().count();
    let is_typed = length(one) != length(other) || is_swapped(one, other);
    common(one) != common(other)
        && length(one).max(length(other)) >= LEAST_SLIPPED
        && is_typed
        && ![one, other].into_iter().any(named)
        && !(is_word(one) && is_word(other))
        && strsim::osa_distance(one, other) == 1
        && ends(one).is_some()
        && ends(one) == ends(other)
}

/// Whether it is a known word, or one made of it by a usual ending: treading, chanter.
fn is_word(word: &str) -> bool {
    let mut stems = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
    given_names::is_real(word) || stems.any(is_stem)
}

/// Whether a word is the beginning of a known one that an ending was added to: "hos" of hose, "sitt"
/// of sit.
fn is_stem(stem: &str) -> bool {
    let doubled = || {
        let last = stem.chars().next_back()?;
        stem.strip_suffix(last)?.strip_suffix(last).map(|rest| format!("{rest}{last}"))
    };
    given_names::is_real(stem)
        || given_names::is_real(&format!("{stem}e"))
        || doubled().is_some_and(|stem| given_names::is_real(&stem))
}

const ENDINGS: [&str; 24] = [
    "s", "es", "ed", "d", "ing", "er", "r", "or", "est", "ion", "ation", "age", "al", "en", "ly",
    "y", "ish", "ist", "ism", "ness", "ment", "able", "less", "ful",
];

/// Words of this length are rarely one edit away from another by chance.
const LONG: usize = 7;

/// Whether a long unknown word is one edit away from another.
pub(crate) fn is_long_slip(asked: &str, known: &str) -> bool {
    asked.chars().count().min(known.chars().count()) >= LONG
        && !given_names::is_real(asked)
        && strsim::osa_distance(asked, known) == 1
}

/// Whether both are Mandarin syllables: Zhang and Zhong differ by one letter and sound alike by
/// English rules, but are different names.
fn are_syllables(short: &str, long: &str) -> bool {
    short.len() >= 2 && given_names::is_pinyin(short) && given_names::is_pinyin(long)
}

fn typo(short: &str, long: &str) -> Option<Likeness> {
    let length = long.chars().count();
    let allowed = match length {
        // Short names differ by one letter, but a word with swapped letters such as "sma" is no
        // name.
        0..=3 => usize::from(is_swapped(short, long)),
        4..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let mut best = longer(short, long);
    let mut offer = |degree: f64| {
        if best.is_none_or(|best| best.degree < degree) {
            best = Some(Likeness { degree, how: How::Typo });
        }
    };
    if long.len() - short.len() <= allowed {
        let distance = strsim::osa_distance(short, long);
        if distance <= allowed {
            // Names are distinguished by their first letters, unless those are only swapped.
            let begin_alike = short.chars().next() == long.chars().next();
            let first = if begin_alike || is_swapped(short, long) { 1.0 } else { 0.95 };
            offer((1.0 - distance as f64 / length as f64) * first);
        }
    }
    if short.len() >= 4 && long.len() - short.len() <= 4 {
        let jaro_winkler = strsim::jaro_winkler(short, long);
        if jaro_winkler >= 0.92 {
            offer(jaro_winkler - 0.1);
        }
    }
    best
}

fn longer(short: &str, long: &str) -> Option<Likeness> {
    let rest = long.strip_prefix(short)?;
    let degree = match rest.len() {
        0..=3 => 0.7,
        4..=5 => 0.6,
        _ => return None,
    };
    (short.len() >= 4).then_some(Likeness { degree, how: How::Longer })
}

fn called(short: &Token, long: &Token, profile: &Profile) -> Option<Likeness> {
    let initial = short.text.chars().count() == 1 && long.text.starts_with(&short.text);
    if initial {
        return Some(Likeness { degree: 0.75, how: How::Initial });
    }
    if given_names::are_nicknames(&short.text, &long.text) {
        return Some(Likeness { degree: 0.9, how: How::Nickname });
    }
    (profile.hears(&short.text) && profile.hears(&long.text) && sound_alike(short, long))
        .then_some(Likeness { degree: 0.85, how: How::Sound })
}

fn sound_alike(one: &Token, other: &Token) -> bool {
    let (Some(first), Some(second)) = (&one.sound, &other.sound) else { return false };
    let long_enough = one.text.len() >= 4 && other.text.len() >= 4 && first.len() >= 2;
    long_enough
        && first == second
        && sound::end_alike(&one.text, &other.text)
        && !are_two_names(&one.text, &other.text)
}

/// Whether two real names are different: short ones are distinguished by their vowels alone, as
/// John and Joan.
fn are_two_names(one: &str, other: &str) -> bool {
    const SHORT: usize = 5;
    let chosen = given_names::is_real(one) && given_names::is_real(other);
    // Hassan and Hussein each have many spellings, but none in common.
    let families = (given_names::nickname_groups(one), given_names::nickname_groups(other));
    if chosen && !families.0.is_empty() && !families.1.is_empty() {
        return true;
    }
    chosen && one.len().min(other.len()) <= SHORT && sound::vowels(one) != sound::vowels(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;

    fn degree(one: &str, other: &str, family: Family) -> f64 {
        let profile = Profile::of_family(family);
        let token = |text| Name::parse(text, family).tokens.remove(0);
        likeness(&token(one), &token(other), &profile).map_or(0.0, |likeness| likeness.degree)
    }

    #[test]
    fn typing_errors_are_alike_and_other_words_are_not() {
        assert!(degree("monitring", "monitoring", Family::Thing) > 0.85);
        assert!(degree("michigan", "michgian", Family::Organization) > 0.85);
        for (one, other) in
            [("health", "wealth"), ("maria", "mario"), ("symmetric", "asymmetric"), ("doe", "roe")]
        {
            assert!(degree(one, other, Family::Title) == 0.0, "{one} {other}");
        }
    }

    #[test]
    fn numbers_are_equal_or_different() {
        assert!(degree("2024", "2025", Family::Title) == 0.0);
        assert!(degree("FS105", "FS108", Family::Thing) == 0.0);
        assert!(degree("FS105", "FS105NA", Family::Thing) > 0.8);
        assert!(degree("2007", "20071", Family::Thing) == 0.0);
        assert!(degree("web1", "web10", Family::Thing) == 0.0);
    }

    #[test]
    fn prefixes_make_other_words() {
        for (one, other) in [
            ("underfishing", "overfishing"),
            ("prenatal", "postnatal"),
            ("hyperlinked", "hypolinked"),
            ("organic", "inorganic"),
            ("exogenous", "endogenous"),
            ("interstate", "intrastate"),
        ] {
            assert!(degree(one, other, Family::Thing) == 0.0, "{one} {other}");
        }
    }

    #[test]
    fn umlauts_may_be_written_out() {
        assert!(degree("Müller", "Mueller", Family::Organization) > 0.9);
        assert!(degree("Muller", "Mueller", Family::Person) > 0.85);
        assert!(degree("poet", "pot", Family::Title) == 0.0);
    }

    #[test]
    fn people_are_called_in_many_ways() {
        for (one, other) in [
            ("J", "Jane"),
            ("Bill", "William"),
            ("Siobhan", "Shivon"),
            ("Sean", "Shawn"),
            ("Sara", "Sarah"),
        ] {
            assert!(degree(one, other, Family::Person) >= 0.75, "{one} {other}");
        }
        for (one, other) in [
            ("Zhang", "Zhong"),
            ("Eric", "Erica"),
            ("Hansen", "Jansen"),
            ("Maria", "Mario"),
            ("Joan", "John"),
            ("Berg", "Borg"),
            ("Alan", "Ellen"),
        ] {
            assert!(degree(one, other, Family::Person) == 0.0, "{one} {other}");
        }
    }
}

//! What is known about words in names: which are light, and what small ones do.
//!
//! Short lists of general knowledge, not a gazetteer; the rank of a word in the
//! vocabulary of `lore-text` does the rest.

use crate::given_names;
use crate::profile::Family;

/// Whether a word tells next to nothing in names of that family.
pub(crate) fn is_light(word: &str, family: Family) -> bool {
    match family {
        Family::Person => TITLES.contains(&word) || PARTICLES.contains(&word),
        _ => FUNCTION_WORDS.contains(&word) || LEGAL_FORMS.contains(&word),
    }
}

/// A word that is put in front of persons' names. What stands behind them, as PhD, is none.
pub(crate) fn is_title(word: &str) -> bool {
    TITLES.contains(&word) && !matches!(word, "phd" | "md")
}

/// One spelling for each title.
pub(crate) fn title(word: &str) -> Option<&str> {
    match word {
        "doctor" => Some("dr"),
        "professor" => Some("prof"),
        "capt" => Some("captain"),
        other => is_title(other).then_some(other),
    }
}

/// Whether a word in front of a family name makes another family of it: van, von. What joins any
/// two words makes none.
pub(crate) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&word) && !matches!(word, "of" | "the")
}

/// Whether two titles are never those of one person.
pub(crate) fn are_other_titles(one: &str, other: &str) -> bool {
    let (men, women) = (|word| MEN.contains(&word), |word| WOMEN.contains(&word));
    men(one) && women(other) || women(one) && men(other)
}

/// Whether two titles are ranks that one person has only one after the other.
pub(crate) fn are_other_ranks(one: &str, other: &str) -> bool {
    one != other && RANKS.contains(&one) && RANKS.contains(&other)
}

/// Which of the legal forms a word means, if it is one that tells two bodies apart: a
/// corporation is incorporated, but no LLC.
pub(crate) fn legal_form(word: &str) -> Option<&str> {
    match word {
        "incorporated" => Some("corporation"),
        "pty" | "pvt" => Some("limited"),
        other => LEGAL_FORMS.contains(&other).then_some(other),
    }
}

/// Shorter words are one letter away from too many others.
const LEAST_MISTYPED: usize = 6;

/// The legal form that a word is which is none, with a letter mistyped.
pub(crate) fn mistyped_form(word: &str) -> Option<&'static str> {
    let long = LEGAL_FORMS.into_iter().filter(|form| form.len() >= LEAST_MISTYPED);
    let near =
        |form: &&str| form.len().abs_diff(word.len()) <= 1 && strsim::osa_distance(form, word) == 1;
    long.into_iter().find(near).filter(|_| !given_names::is_real(word))
}

/// Whether one body can have both legal forms: those of English law are all companies.
pub(crate) fn is_one_form(one: &str, other: &str) -> bool {
    let english = |form| matches!(form, "corporation" | "limited" | "llc" | "plc");
    one == other || one == "company" && english(other) || other == "company" && english(one)
}

/// What a small word does to the words beside it. Where two names differ in nothing else,
/// "to" and "from" make two of them; an article never does.
pub(crate) fn bond(word: &str) -> Option<&str> {
    match word {
        "de" | "du" | "des" | "del" | "di" | "da" => Some("of"),
        "y" | "et" => Some("and"),
        "of" | "and" | "or" | "for" | "in" | "on" | "at" | "to" | "by" | "with" | "from" => {
            Some(word)
        }
        _ => None,
    }
}

/// Words that turn what is said into its opposite.
pub(crate) fn is_negation(word: &str) -> bool {
    let told = ["not", "no", "non", "never", "without", "cannot", "isnt", "doesnt", "didnt"];
    told.contains(&word)
}

/// Whether a word is an article, which means nothing wherever it stands.
pub(crate) fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an")
}

/// The name of a Greek letter. One that stands alone is a word, and no letter of ours.
pub(crate) fn greek_letter(letter: char) -> Option<&'static str> {
    const NAMES: [&str; 25] = [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
        "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon",
        "phi", "chi", "psi", "omega",
    ];
    let lower = match letter {
        // The sign for a millionth.
        'µ' => 'μ',
        other => other.to_lowercase().next().unwrap_or(other),
    };
    let at = u32::from(lower).checked_sub(u32::from('α'))?;
    NAMES.get(usize::try_from(at).ok()?).copied()
}

/// Words that name a sort of place and are left out at will: "Bone's Restaurant".
pub(crate) fn is_venue(word: &str) -> bool {
    VENUES.contains(&word)
}

/// Links that turn words around: "University of Washington".
pub(crate) fn is_link(word: &str) -> bool {
    matches!(word, "of" | "de" | "di" | "du" | "for" | "del")
}

/// Words that tell a father from a son, and a king from the next.
pub(crate) fn is_generation(word: &str) -> bool {
    let told = ["jr", "sr", "jnr", "snr", "junior", "senior", "pere", "fils", "elder", "younger"];
    // Vi and Xi are names, too.
    told.contains(&word) || (is_numeral(word) && !matches!(word, "vi" | "xi"))
}

/// A Roman number of several letters, as it stands behind names.
pub(crate) fn is_numeral(word: &str) -> bool {
    word.len() >= 2 && word.bytes().all(|byte| b"ivx".contains(&byte))
}

/// How a letter with an umlaut or ring is written where keyboards lack it.
pub(crate) fn spelled_out(character: char) -> Option<&'static str> {
    Some(match character {
        'ä' | 'Ä' => "ae",
        'ö' | 'Ö' | 'ø' | 'Ø' => "oe",
        'ü' | 'Ü' => "ue",
        'å' | 'Å' => "aa",
        _ => return None,
    })
}

/// "1st", "22nd" and the like: numbers, not codes.
pub(crate) fn is_ordinal(run: &str) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|ending| run.ends_with(ending))
}

const FUNCTION_WORDS: [&str; 33] = [
    "the", "a", "an", "of", "and", "or", "for", "in", "on", "at", "to", "by", "with", "from", "de",
    "la", "le", "el", "los", "las", "les", "der", "die", "das", "du", "des", "del", "di", "da",
    "y", "et", "und", "its",
];
/// Legal forms of several words, and those that are common words elsewhere, with the one word they
/// are compared by.
pub(crate) const LEGAL_ENDINGS: [(&[&str], &str); 10] = [
    (&["gmbh", "and", "co", "kg"], "kg"),
    (&["gmbh", "co", "kg"], "kg"),
    (&["ag", "and", "co", "kg"], "kg"),
    (&["sp", "z", "oo"], "spzoo"),
    (&["sp", "z", "o", "o"], "spzoo"),
    (&["spolka", "z", "oo"], "spzoo"),
    (&["s", "r", "o"], "sro"),
    (&["a", "s"], "aktieselskab"),
    (&["as"], "aktieselskab"),
    (&["kabushiki", "kaisha"], "kk"),
];
const LEGAL_FORMS: [&str; 35] = [
    "corporation",
    "incorporated",
    "limited",
    "company",
    "llc",
    "gmbh",
    "ag",
    "sa",
    "plc",
    "bv",
    "nv",
    "oy",
    "ab",
    "kg",
    "spa",
    "srl",
    "pty",
    "llp",
    "lp",
    "sarl",
    "se",
    "pvt",
    "aktieselskab",
    "aps",
    "asa",
    "doo",
    "eood",
    "kft",
    "kk",
    "ohg",
    "ood",
    "oyj",
    "spzoo",
    "sro",
    "ug",
];
const TITLES: [&str; 28] = [
    "dr",
    "mr",
    "mrs",
    "ms",
    "miss",
    "mx",
    "prof",
    "professor",
    "doctor",
    "sir",
    "dame",
    "lady",
    "lord",
    "rev",
    "hon",
    "captain",
    "capt",
    "king",
    "queen",
    "prince",
    "princess",
    "sister",
    "brother",
    "master",
    "father",
    "saint",
    "phd",
    "md",
];
const MEN: [&str; 8] = ["mr", "sir", "lord", "king", "prince", "brother", "master", "father"];
const WOMEN: [&str; 8] = ["mrs", "ms", "miss", "dame", "lady", "queen", "princess", "sister"];
const RANKS: [&str; 8] = ["sir", "dame", "lord", "lady", "king", "queen", "prince", "princess"];
const PARTICLES: [&str; 17] = [
    "von", "van", "der", "den", "de", "da", "di", "du", "del", "la", "le", "el", "al", "bin",
    "ibn", "of", "the",
];
const VENUES: [&str; 24] = [
    "restaurant",
    "ristorante",
    "trattoria",
    "osteria",
    "cafe",
    "coffee",
    "bistro",
    "brasserie",
    "bar",
    "grill",
    "grille",
    "pub",
    "tavern",
    "diner",
    "eatery",
    "kitchen",
    "deli",
    "pizzeria",
    "hotel",
    "inn",
    "shop",
    "store",
    "website",
    "online",
];

//! Lists of words in names: which words are light, and what small words mean.
//!
//! Short lists of general knowledge, not a gazetteer; the frequency rank of a word in the
//! vocabulary of `lore-text` does the rest.

use crate::given_names;
use crate::profile::Family;

/// Whether a word says almost nothing in names of that family.
pub(crate) fn is_light(word: &str, family: Family) -> bool {
    match family {
        Family::Person => TITLES.contains(&word) || PARTICLES.contains(&word),
        _ => FUNCTION_WORDS.contains(&word),
    }
}

/// Whether a word is a legal form if it ends a name: Acme SE, but not SE Asia.
pub(crate) fn is_legal_form(word: &str) -> bool {
    LEGAL_FORMS.contains(&word)
}

/// Whether a word is a title before a person's name. Titles after it, such as PhD, do not count.
pub(crate) fn is_title(word: &str) -> bool {
    TITLES.contains(&word) && !matches!(word, "phd" | "md")
}

/// The normalised spelling of a title.
pub(crate) fn title(word: &str) -> Option<&str> {
    match word {
        "doctor" => Some("dr"),
        "professor" => Some("prof"),
        "capt" => Some("captain"),
        other => is_title(other).then_some(other),
    }
}

/// Whether a word before a family name makes it a different family: van, von. General linking words
/// do not.
pub(crate) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&word) && !matches!(word, "of" | "the")
}

/// Whether two titles can never belong to one person.
pub(crate) fn are_other_titles(one: &str, other: &str) -> bool {
    let (men, women) = (|word| MEN.contains(&word), |word| WOMEN.contains(&word));
    men(one) && women(other) || women(one) && men(other)
}

/// Whether two titles are ranks that a person can only have at different times.
pub(crate) fn are_other_ranks(one: &str, other: &str) -> bool {
    one != other && RANKS.contains(&one) && RANKS.contains(&other)
}

/// The normalised legal form that a word stands for, if it distinguishes organisations:
/// "incorporated" equals "corporation", but "LLC" does not.
pub(crate) fn legal_form(word: &str) -> Option<&str> {
    match word {
        "incorporated" => Some("corporation"),
        "pty" | "pvt" => Some("limited"),
        other => LEGAL_FORMS.contains(&other).then_some(other),
    }
}

/// Shorter words are one letter away from too many others.
const LEAST_MISTYPED: usize = 6;

/// The legal form that an unknown word is with one typing error.
pub(crate) fn mistyped_form(word: &str) -> Option<&'static str> {
    let long = LEGAL_FORMS.into_iter().filter(|form| form.len() >= LEAST_MISTYPED);
    let near =
        |form: &&str| form.len().abs_diff(word.len()) <= 1 && strsim::osa_distance(form, word) == 1;
    long.into_iter().find(near).filter(|_| !given_names::is_real(word))
}

/// Whether one organisation can have both legal forms: those of English law are all companies.
pub(crate) fn is_one_form(one: &str, other: &str) -> bool {
    let english = |form| matches!(form, "corporation" | "limited" | "llc" | "plc");
    one == other || one == "company" && english(other) || other == "company" && english(one)
}

/// The meaning of a small word that connects others. If two names differ in nothing else, "to" and
/// "from" make them different; an article never does.
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

/// Words that negate a statement.
pub(crate) fn is_negation(word: &str) -> bool {
    let told = ["not", "no", "non", "never", "without", "cannot", "isnt", "doesnt", "didnt"];
    told.contains(&word)
}

/// Whether a word is an article, which means nothing at any position.
pub(crate) fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an")
}

/// The name of a Greek letter. A single Greek letter is treated as a word, not as a Latin letter.
pub(crate) fn greek_letter(letter: char) -> Option<&'static str> {
    const NAMES: [&str; 25] = [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
        "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon",
        "phi", "chi", "psi", "omega",
    ];
    let lower = match letter {
        // The micro sign.
        'µ' => 'μ',
        other => other.to_lowercase().next().unwrap_or(other),
    };
    let at = u32::from(lower).checked_sub(u32::from('α'))?;
    NAMES.get(usize::try_from(at).ok()?).copied()
}

/// Words for a kind of venue, which are often left out: "Bone's Restaurant".
pub(crate) fn is_venue(word: &str) -> bool {
    VENUES.contains(&word)
}

/// Linking words that reverse the order of words: "University of Washington".
pub(crate) fn is_link(word: &str) -> bool {
    matches!(word, "of" | "de" | "di" | "du" | "for" | "del")
}

/// Words that distinguish father and son, or kings of the same name.
pub(crate) fn is_generation(word: &str) -> bool {
    let told = ["jr", "sr", "jnr", "snr", "junior", "senior", "pere", "fils", "elder", "younger"];
    // Vi and Xi are also names.
    told.contains(&word) || (is_numeral(word) && !matches!(word, "vi" | "xi"))
}

/// A Roman numeral of several letters, as used after names.
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

/// Whether it is an ordinal such as "1st" or "22nd": a number, not a code.
pub(crate) fn is_ordinal(run: &str) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|ending| run.ends_with(ending))
}

const FUNCTION_WORDS: [&str; 33] = [
    "the", "a", "an", "of", "and", "or", "for", "in", "on", "at", "to", "by", "with", "from", "de",
    "la", "le", "el", "los", "las", "les", "der", "die", "das", "du", "des", "del", "di", "da",
    "y", "et", "und", "its",
];
/// Legal forms of several words, and those that are common words elsewhere, each with the word it
/// is replaced by.
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

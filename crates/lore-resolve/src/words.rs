//! What is known about words in names: short forms, light words, nicknames.
//!
//! Short lists of general knowledge, not a gazetteer; the rank of a word in the
//! vocabulary of `lore-text` does the rest.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::profile::Family;

/// The long form of an abbreviation or the digits of a number word, else the word.
pub(crate) fn expanded(word: &str) -> &str {
    EXPANSIONS.get(word).copied().unwrap_or(word)
}

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

/// Whether a word may be the first letters of two or three given names: JL Picard.
pub(crate) fn may_be_initials(word: &str) -> bool {
    matches!(word.len(), 2 | 3)
        && !is_given_name(word)
        && !is_pinyin(word)
        && !is_generation(word)
        && !TITLES.contains(&word)
        && !PARTICLES.contains(&word)
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

/// A given name, of which some are family names as well: Henry James.
pub(crate) fn is_first_name(word: &str) -> bool {
    NICKNAMES.contains_key(word) || FIRST_AND_LAST.contains(&word)
}

/// Whether a word is one that people write on purpose, so that another word one
/// letter away is another word and no typing error.
pub(crate) fn is_real(word: &str) -> bool {
    word.len() >= 3 && (lore_text::wordpiece::rank(word).is_some() || NAMES.contains(word))
}

/// Whether somebody is called so.
pub(crate) fn is_given_name(word: &str) -> bool {
    NAMES.contains(word) || NICKNAMES.contains_key(word)
}

/// Whether one given name is a short form of the other, or both of a third.
pub(crate) fn are_nicknames(one: &str, other: &str) -> bool {
    match (NICKNAMES.get(one), NICKNAMES.get(other)) {
        (Some(one), Some(other)) => one.iter().any(|group| other.contains(group)),
        _ => false,
    }
}

/// Whether one given name is a short form of the other.
pub(crate) fn is_short_for(short: &str, long: &str) -> bool {
    let is_first =
        |group: &usize| NICKNAME_GROUPS.get(*group).and_then(|line| line.split(' ').next());
    let of = nickname_groups(short).iter().filter(|group| nickname_groups(long).contains(group));
    short.len() < long.len() && of.filter_map(is_first).any(|first| first == long)
}

/// A number for each family of given names the word belongs to.
pub(crate) fn nickname_groups(word: &str) -> &'static [usize] {
    NICKNAMES.get(word).map_or(&[], Vec::as_slice)
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

/// Syllables of Mandarin as they are written in names: a closed set, in which one
/// letter makes another name.
pub(crate) fn is_pinyin(word: &str) -> bool {
    let initial = INITIALS.iter().filter(|initial| word.starts_with(**initial)).map(|i| i.len());
    let rest = word.get(initial.max().unwrap_or(0)..).unwrap_or_default();
    FINALS.contains(&rest)
}

const INITIALS: [&str; 23] = [
    "b", "p", "m", "f", "d", "t", "n", "l", "g", "k", "h", "j", "q", "x", "zh", "ch", "sh", "r",
    "z", "c", "s", "y", "w",
];
const FINALS: [&str; 34] = [
    "a", "o", "e", "ai", "ei", "ao", "ou", "an", "en", "ang", "eng", "ong", "i", "ia", "ie", "iao",
    "iu", "ian", "in", "iang", "ing", "iong", "u", "ua", "uo", "uai", "ui", "uan", "un", "uang",
    "ue", "ueng", "er", "v",
];

/// Given names that are family names as well and have no short forms below.
const FIRST_AND_LAST: [&str; 48] = [
    "george", "lee", "harvey", "martin", "scott", "lewis", "paul", "simon", "oliver", "arthur",
    "howard", "owen", "ross", "dean", "craig", "stuart", "gordon", "douglas", "stanley", "norman",
    "leslie", "marshall", "spencer", "russell", "bruce", "keith", "neil", "ryan", "jordan", "adam",
    "alan", "allen", "brian", "carter", "clark", "graham", "grant", "hugh", "louis", "luke",
    "mason", "morgan", "parker", "ralph", "roger", "roy", "taylor", "wayne",
];

const FUNCTION_WORDS: [&str; 33] = [
    "the", "a", "an", "of", "and", "or", "for", "in", "on", "at", "to", "by", "with", "from", "de",
    "la", "le", "el", "los", "las", "les", "der", "die", "das", "du", "des", "del", "di", "da",
    "y", "et", "und", "its",
];
const LEGAL_FORMS: [&str; 22] = [
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

static EXPANSIONS: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
    let pairs = EXPANDED.iter().flat_map(|line| {
        let (long, short) = line.split_once(": ").unwrap_or((line, ""));
        short.split(' ').map(move |short| (short, long))
    });
    pairs.collect()
});

/// Long form: short forms. Number words become digits, so that guards see them.
const EXPANDED: [&str; 78] = [
    "corporation: corp",
    "incorporated: inc",
    "limited: ltd",
    "company: co",
    "international: intl",
    "university: univ uni universitaet universitat",
    "institute: inst institut",
    "department: dept",
    "association: assn assoc",
    "saint: st ste",
    "mount: mt",
    "fort: ft",
    "brothers: bros",
    "national: natl",
    "technology: tech",
    "development: dev devel",
    "organization: org organisation",
    "center: ctr cntr centre",
    "laboratories: labs",
    "laboratory: lab",
    "government: govt gov",
    "management: mgmt",
    "manufacturing: mfg",
    "service: svc",
    "services: svcs svs",
    "conference: conf",
    "proceedings: proc",
    "journal: jnl",
    "transactions: trans",
    "society: soc",
    "academy: acad",
    "foundation: fdn",
    "federation: fed",
    "hospital: hosp",
    "avenue: ave",
    "boulevard: blvd",
    "street: str",
    "road: rd",
    "versus: vs",
    "volume: vol",
    "edition: ed edn",
    "number: no nr",
    "and: n und",
    "with: w",
    "black: blk",
    "white: wht",
    "stainless: ss",
    "inch: in",
    "theater: theatre",
    "color: colour",
    "program: programme",
    "0: zero",
    "1: one",
    "2: two ii",
    "3: three iii",
    "4: four iv",
    "5: five",
    "6: six vi",
    "7: seven vii",
    "8: eight viii",
    "9: nine ix",
    "10: ten",
    "11: eleven xi",
    "12: twelve xii",
    "13: thirteen xiii",
    "14: fourteen xiv",
    "15: fifteen xv",
    "20: twenty xx",
    "1st: first",
    "2nd: second",
    "3rd: third",
    "4th: fourth",
    "5th: fifth",
    "6th: sixth",
    "7th: seventh",
    "8th: eighth",
    "9th: ninth",
    "10th: tenth",
];

static NICKNAMES: LazyLock<FxHashMap<&str, Vec<usize>>> = LazyLock::new(|| {
    let mut all: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (group, line) in NICKNAME_GROUPS.iter().enumerate() {
        for name in line.split(' ') {
            all.entry(name).or_default().push(group);
        }
    }
    all
});

/// Given names that are called alike or written otherwise elsewhere, one family a
/// line.
const NICKNAME_GROUPS: &[&str] = &[
    "william bill will billy willy liam",
    "robert bob rob bobby robbie",
    "richard rick dick rich ricky",
    "john jack johnny jon",
    "james jim jimmy jamie",
    "charles charlie chuck chas",
    "edward ed eddie ted ned",
    "thomas tom tommy",
    "michael mike mick micky",
    "joseph joe joey",
    "daniel dan danny",
    "david dave davy",
    "stephen steven steve",
    "andrew andy drew",
    "anthony antony tony",
    "christopher chris kit",
    "matthew matt",
    "nicholas nick nicolas nicky",
    "patrick pat paddy",
    "peter pete",
    "samuel sam sammy",
    "benjamin ben benny",
    "alexander alex alec sandy xander sasha",
    "alexandra alex sandra lexi sasha",
    "frederick fred freddy freddie",
    "gregory greg",
    "jeffrey geoffrey jeff geoff",
    "kenneth ken kenny",
    "lawrence laurence larry",
    "leonard len lenny leo",
    "ronald ron ronnie",
    "donald don donnie",
    "timothy tim timmy",
    "walter walt wally",
    "henry harry hank hal",
    "harold harry hal",
    "francis frank frankie",
    "philip phillip phil",
    "raymond ray",
    "theodore ted teddy theo",
    "vincent vince vinny",
    "zachary zach zack",
    "nathaniel nathan nate",
    "jonathan jon jonny nathan",
    "joshua josh",
    "jacob jake",
    "maxwell maximilian max",
    "eugene gene",
    "albert al bert",
    "alfred alf fred",
    "elizabeth liz beth betty lizzie eliza elisabeth betsy libby",
    "margaret maggie meg peggy peg marge greta",
    "katherine catherine kate kathy cathy katie kathryn kitty cate",
    "susan sue susie suzanne",
    "patricia pat patty trish tricia",
    "jennifer jen jenny",
    "jessica jess jessie",
    "rebecca becky becca",
    "deborah deb debbie debra",
    "barbara barb babs",
    "dorothy dot dottie dolly",
    "victoria vicky tori vicki",
    "samantha sam sammy",
    "christina christine chris tina",
    "amanda mandy",
    "abigail abby gail",
    "ann anne anna annie nancy",
    "pamela pam",
    "judith judy",
    "cynthia cindy",
    "sandra sandy",
    "theresa teresa terry tess",
    "virginia ginny",
    "frances fran franny",
    "josephine jo josie",
    "joanna joanne jo",
    "isabella isabel bella izzy",
    "gabriel gabe",
    "gabrielle gabby",
    "valerie val",
    "kimberly kim",
    "melanie mel",
    "melissa mel missy",
    "natalie nat",
    "thomas tomas",
    "eric erik",
    "marc mark",
    "carl karl",
    "sofia sophia",
    "lucas lukas",
    "mohammed muhammad mohamed mohammad",
    "sergei sergey",
    "alexei alexey aleksei",
    "dmitri dmitry dimitri",
    "yuri yury",
    "johann johan",
    "mathias matthias",
    "stefan stephan",
    "frederic frederick frederik",
    "katarina catarina katharina",
    "michel michael michal",
    "ahmed ahmad",
    "hussein hussain husain",
    "hassan hasan",
    "teresa theresa",
    "vera wera",
    "victor viktor",
    "oscar oskar",
    "jakob jacob jakub",
    "isaac isak",
    "yusuf youssef yousef",
];

static NAMES: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| include_str!("names.txt").split_whitespace().collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_belong_together() {
        assert!(are_nicknames("bill", "william"));
        assert!(are_nicknames("bob", "rob"));
        assert!(!are_nicknames("bill", "bob"));
        assert!(!are_nicknames("xyz", "xyz"));
    }

    #[test]
    fn syllables_are_told_from_other_words() {
        for syllable in ["zhang", "zhong", "wei", "li", "xu", "qian", "wang", "huang", "yuan"] {
            assert!(is_pinyin(syllable), "{syllable}");
        }
        for other in ["smith", "hansen", "string", "bright", ""] {
            assert!(!is_pinyin(other), "{other}");
        }
    }

    #[test]
    fn real_names_are_real_words() {
        for name in ["jansen", "hansen", "oluwasegun", "health", "maria", "mario"] {
            assert!(is_real(name), "{name}");
        }
        assert!(!is_real("monitring"));
    }
}

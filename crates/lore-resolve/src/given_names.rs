//! Given names and their short forms, and syllables of Mandarin.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::profile::Family;
use crate::words;

/// Whether a word is a real word or name. If so, a similar word is a different word rather than a
/// typing error.
pub(crate) fn is_real(word: &str) -> bool {
    word.len() >= 3 && (lore_text::wordpiece::rank(word).is_some() || NAMES.contains(word))
}

/// The same, also for possessive forms such as "Mark's".
pub(crate) fn is_real_or_theirs(word: &str) -> bool {
    is_real(word) || word.strip_suffix('s').is_some_and(is_real)
}

/// Whether a word is a known given name.
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

/// The numbers of the nickname families that the word belongs to.
pub(crate) fn nickname_groups(word: &str) -> &'static [usize] {
    NICKNAMES.get(word).map_or(&[], Vec::as_slice)
}

/// Whether a word is a given name that may be a family name as well: Henry James.
pub(crate) fn is_first_name(word: &str) -> bool {
    NICKNAMES.contains_key(word) || FIRST_AND_LAST.contains(&word)
}

/// Whether a word may consist of the initials of two or three given names: JL Picard.
pub(crate) fn may_be_initials(word: &str) -> bool {
    matches!(word.len(), 2 | 3)
        && !is_given_name(word)
        && !is_pinyin(word)
        && !words::is_generation(word)
        && !words::is_light(word, Family::Person)
}

/// Whether a word is a Mandarin syllable in Pinyin. They are a closed set in which one letter makes
/// a different name.
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

/// Given names that are also family names and have no short forms below.
const FIRST_AND_LAST: [&str; 48] = [
    "george", "lee", "harvey", "martin", "scott", "lewis", "paul", "simon", "oliver", "arthur",
    "howard", "owen", "ross", "dean", "craig", "stuart", "gordon", "douglas", "stanley", "norman",
    "leslie", "marshall", "spencer", "russell", "bruce", "keith", "neil", "ryan", "jordan", "adam",
    "alan", "allen", "brian", "carter", "clark", "graham", "grant", "hugh", "louis", "luke",
    "mason", "morgan", "parker", "ralph", "roger", "roy", "taylor", "wayne",
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

/// Given names that are short forms or foreign spellings of each other, one family per line. The
/// first is the long form.
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

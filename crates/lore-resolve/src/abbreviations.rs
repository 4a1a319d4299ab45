//! Abbreviations of words in names, and number words.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The long form of an abbreviation, or the digits of a number word; otherwise the word itself.
pub(crate) fn expanded(word: &str) -> &str {
    EXPANSIONS.get(word).copied().unwrap_or(word)
}

static EXPANSIONS: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
    let pairs = EXPANDED.iter().flat_map(|line| {
        let (long, short) = line.split_once(": ").unwrap_or((line, ""));
        short.split(' ').map(move |short| (short, long))
    });
    pairs.collect()
});

/// Each line has a long form and its short forms. Number words become digits, so that the checks
/// for numbers apply to them.
const EXPANDED: [&str; 79] = [
    "corporation: corp",
    "incorporated: inc",
    "limited: ltd",
    "ag: aktiengesellschaft",
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

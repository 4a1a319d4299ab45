//! Word lists that reveal what kind of thing a name stands for.

/// An unordered word list.
#[derive(Clone, Copy)]
pub(super) struct Words(&'static str);

impl Words {
    /// Whether the list contains a word.
    pub(super) fn has(self, word: &str) -> bool {
        self.0.split_whitespace().any(|one| one == word)
    }
}

/// Whether a word in a name shows that it is not the name of a person.
pub(super) fn is_kind_of_thing(word: &str) -> bool {
    [ORGANISATIONS, LEGAL_FORMS, HEADS, PLACES, PROJECTS, COMMON].iter().any(|list| list.has(word))
}

/// Whether a name of several words is that of an organisation.
pub(super) fn is_body(words: &[&str]) -> bool {
    let Some((first, last)) = words.first().zip(words.last()) else { return false };
    let last = last.trim_end_matches('.');
    let is_headed = HEADS.has(first)
        && words.get(1).is_some_and(|second| ["of", "for", "the"].contains(second));
    words.len() > 1
        && (ORGANISATIONS.has(last) || LEGAL_FORMS.has(last) || is_headed || *first == "University")
}

/// Whether a word can open a sentence in front of a name.
pub(super) fn is_opener(word: &str) -> bool {
    ASKING.has(word) || OPENING.has(word)
}

/// Roles that people have in an organisation.
pub(super) const ROLES: [&str; 10] = [
    "CEO",
    "CTO",
    "CFO",
    "president",
    "director",
    "chair",
    "head",
    "founder",
    "co-founder",
    "leader",
];
/// Titles before the names of people.
pub(super) const TITLES: Words = Words(
    "Mr Mrs Ms Mx Miss Dr Prof Professor Doctor Sir Dame Rev Reverend Hon Fr Mme Mlle Herr Frau \
     Gen Col Colonel Capt Captain Cmdr Commander Lt Lieutenant Maj Sgt Sergeant Insp Inspector \
     Supt Gov Governor Sen Senator Rep Representative Pres President Chancellor Minister Mayor \
     Judge Councillor Ambassador Secretary Director Chairman Chairwoman Chair Chief Executive \
     Officer Bishop Archbishop CEO CTO CFO Spokesman Spokeswoman",
);
/// Titles used before a family name alone; never names themselves.
pub(super) const POLITE: Words = Words("Mr Mrs Ms Mx Miss Dr Prof Mme Mlle Messrs");
/// Words that form a compound title with the title after them.
pub(super) const BEFORE_TITLES: Words = Words("Prime Vice Deputy Former Foreign Acting");
/// Further abbreviations whose full stop does not end a sentence.
pub(super) const SHORT: Words =
    Words("St Mt Ft vs No Nos Vol Messrs Dept approx ca cf e.g i.e Jan Feb Aug Sept Oct Nov Dec");
/// Abbreviations before the names of places and saints.
pub(super) const SAINTS: Words = Words("St Mt Ft");
/// Suffixes after the names of people.
pub(super) const GENERATIONS: Words = Words("Jr Sr Esq Ph.D M.D");
/// Legal forms of organisations.
pub(super) const LEGAL_FORMS: Words = Words("Inc Ltd LLC GmbH Corp Co Bros Plc AG");
/// Last words in the names of organisations.
pub(super) const ORGANISATIONS: Words = Words(
    "Corporation Company University Institute Foundation Network Alliance Association Council \
     Agency Ministry Bank Cooperative Coalition Society Guild Commission Trust Labs Organization \
     Organisation Authority Committee Federation Partnership Hospital Museum College Academy \
     Union Group Laboratory Department Parliament Party",
);
/// First words in the names of organisations, before "of" or "for".
const HEADS: Words = Words(
    "University Institute Ministry Department Bank College Academy Museum Church Society \
     Association Council Office Bureau Board School Faculty Centre Center Federation Alliance \
     Chamber Foundation Agency Union",
);
/// Last words in the names of places.
pub(super) const PLACES: Words =
    Words("River Lake Mountain Valley Island Bay City County Street Forest Park Coast");
/// Last words in the names of projects.
pub(super) const PROJECTS: Words = Words("Project Initiative Programme Program");
/// Words in the names of organisations, laws and places, and hardly ever of people.
const COMMON: Words = Words(
    "Affairs African Agriculture American Animal Art Arts Asian British Canadian Central Children \
     Climate Club Commerce Community Conservation Crafts Culture Data Defence Defense Design \
     Development East Eastern Economic Education Energy Engineering Environment Environmental \
     European Federal Finance Fisheries Food Forestry Global Harbor Harbour Health Housing Human \
     Indian International Justice Land Law Management Marine Medicine National Natural Nature \
     North Northern Ocean Oceans Press Protection Public Regional Research Royal Science Sciences \
     Sea Social South Southern Students Student Technology Trade Transport United Water West \
     Western Wildlife World Youth",
);
/// Days and months that are not also names of people.
pub(super) const DATES: Words = Words(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February July September \
     October November December",
);
const ASKING: Words = Words("Was Is Were Are Did Does Do Has Have Had Could Would Can");
const OPENING: Words = Words(
    "A After All Although An And As At Because Before Both But By Despite During Either Even For \
     From He Her Here His How However I If In Instead It Its Last Later Like Many Meanwhile Most \
     Neither Nor Now On Once One Or Our She Since So Some Still That The Their Then There These \
     They This Though To Today Together Under Unless Until We What When Where Whether While Who \
     Why With Yesterday",
);

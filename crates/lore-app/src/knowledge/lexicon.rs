//! Words that tell what the names around them are.

/// A list of words, in any order.
#[derive(Clone, Copy)]
pub(super) struct Words(&'static str);

impl Words {
    /// Whether a word is on it.
    pub(super) fn has(self, word: &str) -> bool {
        self.0.split_whitespace().any(|one| one == word)
    }
}

/// Whether a word tells that the name it stands in is that of a thing, not of somebody.
pub(super) fn is_kind_of_thing(word: &str) -> bool {
    [ORGANISATIONS, LEGAL_FORMS, HEADS, PLACES, PROJECTS, COMMON].iter().any(|list| list.has(word))
}

/// Whether a name of several words is that of a body.
pub(super) fn is_body(words: &[&str]) -> bool {
    let Some((first, last)) = words.first().zip(words.last()) else { return false };
    let last = last.trim_end_matches('.');
    let is_headed = HEADS.has(first)
        && words.get(1).is_some_and(|second| ["of", "for", "the"].contains(second));
    words.len() > 1
        && (ORGANISATIONS.has(last) || LEGAL_FORMS.has(last) || is_headed || *first == "University")
}

/// Whether a word begins a sentence that goes on with a name.
pub(super) fn is_opener(word: &str) -> bool {
    ASKING.has(word) || OPENING.has(word)
}

/// What people are of something.
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
/// What people are called before their names.
pub(super) const TITLES: Words = Words(
    "Mr Mrs Ms Mx Miss Dr Prof Professor Doctor Sir Dame Rev Reverend Hon Fr Mme Mlle Herr Frau \
     Gen Col Colonel Capt Captain Cmdr Commander Lt Lieutenant Maj Sgt Sergeant Insp Inspector \
     Supt Gov Governor Sen Senator Rep Representative Pres President Chancellor Minister Mayor \
     Judge Councillor Ambassador Secretary Director Chairman Chairwoman Chair Chief Executive \
     Officer Bishop Archbishop CEO CTO CFO Spokesman Spokeswoman",
);
/// Titles that are written before a family name alone, and are never a name themselves.
pub(super) const POLITE: Words = Words("Mr Mrs Ms Mx Miss Dr Prof Mme Mlle Messrs");
/// Words that make another title of one.
pub(super) const BEFORE_TITLES: Words = Words("Prime Vice Deputy Former Foreign Acting");
/// Further words that end with a full stop and end no sentence.
pub(super) const SHORT: Words =
    Words("St Mt Ft vs No Nos Vol Messrs Dept approx ca cf e.g i.e Jan Feb Aug Sept Oct Nov Dec");
/// What stands before names of places and saints, with a full stop.
pub(super) const SAINTS: Words = Words("St Mt Ft");
/// What is written behind the names of people.
pub(super) const GENERATIONS: Words = Words("Jr Sr Esq Ph.D M.D");
/// Legal forms of bodies.
pub(super) const LEGAL_FORMS: Words = Words("Inc Ltd LLC GmbH Corp Co Bros Plc AG");
/// What names of bodies end with.
pub(super) const ORGANISATIONS: Words = Words(
    "Corporation Company University Institute Foundation Network Alliance Association Council \
     Agency Ministry Bank Cooperative Coalition Society Guild Commission Trust Labs Organization \
     Organisation Authority Committee Federation Partnership Hospital Museum College Academy \
     Union Group Laboratory Department Parliament Party",
);
/// What names of bodies begin with, before "of" or "for".
const HEADS: Words = Words(
    "University Institute Ministry Department Bank College Academy Museum Church Society \
     Association Council Office Bureau Board School Faculty Centre Center Federation Alliance \
     Chamber Foundation Agency Union",
);
/// What names of places end with.
pub(super) const PLACES: Words =
    Words("River Lake Mountain Valley Island Bay City County Street Forest Park Coast");
/// What names of undertakings end with.
pub(super) const PROJECTS: Words = Words("Project Initiative Programme Program");
/// Words in names of bodies, laws and places, and hardly ever in those of people.
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
/// Days and months that are nobody's names.
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

//! Parsing a name: words without accents and case, which of them are light, what is in brackets,
//! and the codes it contains.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lore_text::wordpiece;

use crate::abbreviations;
use crate::codes::codes;
use crate::pieces::{Piece, RawWord, key, pieces};
use crate::profile::Family;
use crate::sound;
use crate::words;

/// A name prepared for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    pub(crate) tokens: Vec<Token>,
    pub(crate) full_key: String,
    pub(crate) loose_key: String,
    pub(crate) codes: Vec<String>,
    /// The key of the name as written, if expanding abbreviations changes it.
    written: Option<String>,
}

/// One word of a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// The Chinese character that the word transcribes. Many characters share a sound, and each
    /// makes a different name.
    pub(crate) character: Option<String>,
    /// The same word with its umlauts written out, if that differs.
    pub(crate) spelled_out: Option<String>,
    pub(crate) sound: Option<String>,
    /// Frequency rank of the word in English, starting at 1 for "the".
    pub(crate) rank: Option<u32>,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
    /// Whether a hyphen joins it to the word before, so that the two may form one word.
    pub(crate) hyphened: bool,
}

/// How much a word says about the identity of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An ordinary word.
    Word,
    /// Contains a digit, or is a number word.
    Number,
    /// Articles, prepositions, legal forms, titles of persons.
    Light,
}

/// The position of a word in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the name itself.
    Core,
    /// In brackets, or after "at": a remark about the name.
    Aside,
}

impl Token {
    /// What identifies the word: its Chinese character, if it has one, otherwise its letters.
    pub(crate) fn key(&self) -> &str {
        self.character.as_deref().unwrap_or(&self.text)
    }

    /// Whether the word is often left out: a remark, or a kind of venue.
    pub(crate) fn is_minor(&self) -> bool {
        self.place == Place::Aside || words::is_venue(&self.text)
    }

    /// Whether two words are the same: equal letters and, if both have one, equal characters.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let characters = self.character.as_ref().zip(other.character.as_ref());
        self.text == other.text && characters.is_none_or(|(one, two)| one == two)
    }
}

/// Longer names are compared by this many words only.
const MOST_TOKENS: usize = 40;
/// With at most this many light words, each may be included in an acronym or not.
const FEW: usize = 3;
/// The least number of letters for an acronym of only the beginning of a name.
const LEAST_HEAD: usize = 3;
/// The assumed frequency rank of a Chinese character in a name.
const CHARACTER_RANK: u32 = 1_000;

impl Name {
    /// Parses `text` as a name of `family`. Never fails; some texts have no words.
    pub fn parse(text: &str, family: Family) -> Self {
        let text = &*given_name_first(text, family);
        let words = placed_words(text, family);
        let mut tokens: Vec<Token> = (0..words.len())
            .filter_map(|at| {
                let (word, place) = words.get(at)?;
                token(word, family, *place, Stand::of(&words, at))
            })
            .collect();
        match family {
            Family::Person => weigh_titles(&mut tokens),
            _ => {
                weigh_legal_forms(&mut tokens);
                weigh_remarks(&mut tokens);
            }
        }
        set_venues_aside(&mut tokens, family);
        if tokens.iter().all(|token| token.place == Place::Aside) {
            tokens.iter_mut().for_each(|token| token.place = Place::Core);
        }
        if tokens.is_empty() {
            tokens.extend(sign(text));
        }
        let full_key = joined(tokens.iter(), Separator::Always);
        let loose_key =
            joined(tokens.iter().filter(|token| token.kind != Kind::Light), Separator::Digits);
        let codes = codes(text);
        let written = Some(key(text)).filter(|written| *written != full_key);
        Self { tokens, full_key, loose_key, codes, written }
    }

    /// Whether both are written the same way, except for case, accents and punctuation.
    pub(crate) fn is_written_as(&self, other: &Self) -> bool {
        self.written() == other.written()
    }

    fn written(&self) -> &str {
        self.written.as_deref().unwrap_or(&self.full_key)
    }

    /// The words that are not light.
    pub(crate) fn significant(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| token.kind != Kind::Light)
    }

    /// The key of the words that are never left out.
    pub(crate) fn bare_key(&self) -> String {
        joined(self.significant().filter(|token| !token.is_minor()), Separator::Digits)
    }

    /// The titles of a person, normalised.
    pub(crate) fn titles(&self) -> BTreeSet<&str> {
        let light = self.tokens.iter().filter(|token| token.kind == Kind::Light);
        light.filter_map(|token| words::title(&token.text)).collect()
    }

    /// The particles before a person's family name.
    pub(crate) fn particles(&self) -> impl Iterator<Item = &str> {
        let light = self.tokens.iter().filter(|token| token.kind == Kind::Light);
        light.map(|token| token.text.as_str()).filter(|word| words::is_particle(word))
    }

    /// The possible acronyms of the name. Light words and parts joined by hyphens may or may not
    /// contribute a letter, if there are few of them (OECD has one for "Co-operation"). Everything
    /// after a small word may be left out (FAO of the United Nations).
    pub(crate) fn initials(&self) -> Vec<String> {
        let core = || self.tokens.iter().filter(|token| token.place == Place::Core);
        let light = |token: &Token| token.kind == Kind::Light;
        let few = |of: &dyn Fn(&Token) -> bool| core().filter(|token| of(token)).count() <= FEW;
        let (few_light, few_hyphened) = (few(&light), few(&|token: &Token| token.hyphened));
        let is_head = |initials: &&String| initials.chars().count() >= LEAST_HEAD;
        let (mut heads, mut found) = (Vec::new(), vec![String::new()]);
        for (token, first) in core().filter_map(|token| Some((token, token.text.chars().next()?))) {
            let without = found.clone();
            found.iter_mut().for_each(|initials| initials.push(first));
            if light(token) {
                heads.extend(without.iter().filter(is_head).cloned());
                match few_light {
                    true => found.extend(without),
                    false => found = without,
                }
            } else if token.hyphened && few_hyphened {
                found.extend(without);
            }
        }
        found.extend(heads);
        found
    }

    /// The word of a one-word name.
    pub(crate) fn only_word(&self) -> Option<&Token> {
        match self.tokens.as_slice() {
            [token] => Some(token),
            _ => None,
        }
    }
}

/// A name without letters or digits, as one word, because some things are called so.
fn sign(text: &str) -> Option<Token> {
    let text: String = text.split_whitespace().collect();
    let told = !text.is_empty();
    told.then_some(Token {
        text,
        character: None,
        spelled_out: None,
        sound: None,
        rank: None,
        kind: Kind::Word,
        place: Place::Core,
        hyphened: false,
    })
}

/// The words of a name, with their positions.
fn placed_words(text: &str, family: Family) -> Vec<(RawWord, Place)> {
    let mut words: Vec<(RawWord, Place)> = Vec::new();
    let mut depth = 0_u32;
    for piece in pieces(text) {
        match piece {
            Piece::Open => depth = depth.saturating_add(1),
            Piece::Close => depth = depth.saturating_sub(1),
            Piece::Word(word) => {
                let place = if depth > 0 { Place::Aside } else { Place::Core };
                let before = words.last_mut().filter(|(before, at)| {
                    family != Family::Person && *at == place && before.takes(&word)
                });
                if let Some((before, _)) = before {
                    before.join(&word);
                } else if words.len() < MOST_TOKENS {
                    words.push((word, place));
                }
            }
        }
    }
    if family == Family::Organization {
        join_legal_form(&mut words);
    }
    words
}

/// Replaces a legal form at the end of a name by one word, if it has several words or is a common
/// word elsewhere: Acme A/S.
fn join_legal_form(words: &mut Vec<(RawWord, Place)>) {
    let ends_with = |form: &[&str]| {
        let rest = words.len().checked_sub(form.len()).filter(|rest| *rest > 0);
        let end = rest.and_then(|rest| words.get(rest..)).unwrap_or_default();
        !end.is_empty() && end.iter().zip(form).all(|((word, _), part)| word.text == *part)
    };
    let found = words::LEGAL_ENDINGS.iter().find(|(form, _)| ends_with(form));
    if let Some((form, one)) = found {
        words.truncate(words.len() - form.len());
        words.push((RawWord::of(one), Place::Core));
    }
}

/// The surroundings of a word, which decide what a short word means.
#[derive(Clone, Copy)]
struct Stand {
    first: bool,
    last: bool,
    after_number: bool,
    before_number: bool,
    before_hyphen: bool,
}

impl Stand {
    fn of(words: &[(RawWord, Place)], at: usize) -> Self {
        let place = words.get(at).map(|(_, place)| *place);
        let beside = |at: Option<usize>| {
            let found = at.and_then(|at| words.get(at));
            found.filter(|(_, beside)| Some(*beside) == place).map(|(word, _)| word)
        };
        let digit = |word: Option<&RawWord>| {
            word.is_some_and(|word| word.text.bytes().any(|byte| byte.is_ascii_digit()))
        };
        let (before, after) = (beside(at.checked_sub(1)), beside(at.checked_add(1)));
        Self {
            first: before.is_none(),
            last: after.is_none(),
            after_number: digit(before),
            before_number: digit(after),
            before_hyphen: after.is_some_and(|word| word.hyphened),
        }
    }

    /// Whether a short word is an abbreviation here: "5 in", "no 5", "salt n pepper", but not
    /// "co-op".
    fn lets_expand(self, word: &str) -> bool {
        match word {
            "in" => self.after_number,
            "no" => self.before_number,
            "n" | "w" => !self.first && !self.last,
            "co" => !self.before_hyphen,
            _ => true,
        }
    }

    /// The long form of an abbreviation that means something else at the end of a name: Wall St is
    /// a street, St John a saint.
    fn expanded_at_end(self, word: &str) -> Option<&'static str> {
        match word {
            "st" if self.last && !self.first => Some("street"),
            "dr" if self.last && !self.first => Some("drive"),
            _ => None,
        }
    }

    /// Whether a word is a letter that distinguishes things: "Project A", "Y hall". An article
    /// stands before the word it belongs to, and "y" stands between the words it joins.
    fn makes_letter(self, word: &str) -> bool {
        word.len() == 1 && (self.last || self.first && word != "a")
    }
}

/// Puts the given name first: "Austen, Jane" is Jane Austen, but "Smith, Jr." stays as it is.
fn given_name_first(text: &str, family: Family) -> Cow<'_, str> {
    let parts = text.split_once(',').filter(|_| family == Family::Person);
    let telling = |part: &str| {
        let words = key(part);
        let mut words = words.split(' ').filter(|word| !word.is_empty());
        words.any(|word| !words::is_light(word, family) && !words::is_generation(word))
    };
    match parts.filter(|(last, first)| telling(last) && telling(first)) {
        Some((last, first)) => Cow::Owned(format!("{first} {last}")),
        None => Cow::Borrowed(text),
    }
}

fn token(word: &RawWord, family: Family, place: Place, stand: Stand) -> Option<Token> {
    let text = match family {
        Family::Person => word.text.clone(),
        _ if word.character.is_some() || !stand.lets_expand(&word.text) => word.text.clone(),
        _ => {
            let at_end = stand.expanded_at_end(&word.text);
            at_end.unwrap_or_else(|| abbreviations::expanded(&word.text)).to_owned()
        }
    };
    let text = match words::mistyped_form(&text) {
        Some(form) if family == Family::Organization && stand.last && !stand.first => form.into(),
        _ => text,
    };
    let light = word.character.is_none()
        && words::is_light(&text, family)
        && !stand.makes_letter(&word.text);
    let kind = if text.bytes().any(|byte| byte.is_ascii_digit()) {
        Kind::Number
    } else if light {
        Kind::Light
    } else {
        Kind::Word
    };
    let spelled_out = (word.spelled_out != word.text).then(|| word.spelled_out.clone());
    let sound = (family == Family::Person).then(|| sound::code(&text));
    let character = word.character.clone();
    let rank = match character {
        Some(_) => Some(CHARACTER_RANK),
        None => wordpiece::rank(&text),
    };
    let hyphened = word.hyphened;
    let told = !text.is_empty();
    told.then_some(Token { text, character, spelled_out, sound, rank, kind, place, hyphened })
}

/// Legal forms count as such only at the end: Bath Spa University is not Bath University.
fn weigh_legal_forms(tokens: &mut [Token]) {
    for place in [Place::Core, Place::Aside] {
        let parts = tokens.iter_mut().filter(|token| token.place == place);
        let at_end = parts.rev().take_while(|token| words::is_legal_form(&token.text));
        at_end.for_each(|token| token.kind = Kind::Light);
    }
}

/// If the remarks contain only small words, those count as normal words: the branch (LA) is not the
/// branch (AT).
fn weigh_remarks(tokens: &mut [Token]) {
    let remarks = || tokens.iter().filter(|token| token.place == Place::Aside);
    if remarks().any(|token| token.kind != Kind::Light) {
        return;
    }
    let small = |token: &&mut Token| {
        let form = words::legal_form(&token.text).is_some();
        token.place == Place::Aside && !form && !words::is_article(&token.text)
    };
    tokens.iter_mut().filter(small).for_each(|token| token.kind = Kind::Word);
}

/// Titles count as such only at the front; elsewhere the same word is a name: Martin Luther King.
fn weigh_titles(tokens: &mut [Token]) {
    let core = tokens.iter_mut().filter(|token| token.place == Place::Core);
    let behind = core.skip_while(|token| token.kind == Kind::Light);
    for token in behind.filter(|token| words::is_title(&token.text)) {
        token.kind = Kind::Word;
    }
}

/// Treats everything from "at" on as a remark: "Fenix at the Argyle".
fn set_venues_aside(tokens: &mut [Token], family: Family) {
    if family != Family::Organization {
        return;
    }
    let at = tokens.iter().position(|token| token.text == "at").filter(|place| *place > 0);
    for token in tokens.iter_mut().skip(at.unwrap_or(usize::MAX)) {
        token.place = Place::Aside;
    }
}

#[derive(PartialEq, Eq)]
enum Separator {
    Always,
    /// Only between numbers, because "1 6" is not "16".
    Digits,
}

fn joined<'a>(tokens: impl Iterator<Item = &'a Token>, separator: Separator) -> String {
    let mut key = String::new();
    let mut after_number = false;
    for token in tokens {
        let numbers = after_number && token.kind == Kind::Number;
        if !key.is_empty() && (separator == Separator::Always || numbers) {
            key.push(' ');
        }
        key.push_str(token.key());
        after_number = token.kind == Kind::Number;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str, family: Family) -> Vec<String> {
        Name::parse(text, family).tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn abbreviations_and_numbers_are_written_alike() {
        assert_eq!(
            words_of("St. John Univ.", Family::Organization),
            ["saint", "john", "university"]
        );
        assert_eq!(words_of("Rocky II", Family::Title), ["rocky", "2"]);
        assert_eq!(words_of("Chapter Two", Family::Title), ["chapter", "2"]);
        assert_eq!(words_of("John Smith II", Family::Person), ["john", "smith", "ii"]);
    }

    #[test]
    fn loose_keys_leave_out_what_is_light() {
        let loose = |text| Name::parse(text, Family::Organization).loose_key;
        assert_eq!(loose("The Acme Corp."), loose("ACME Inc"));
        assert_eq!(loose("Block Science"), loose("BlockScience"));
        assert_ne!(loose("Room 1 6"), loose("Room 16"));
    }

    #[test]
    fn signs_that_make_another_name_stay() {
        let full = |text| Name::parse(text, Family::Thing).full_key;
        for (one, other) in [("C", "C++"), ("C", "C#"), ("A*", "A"), (".NET", "net"), ("50%", "50")]
        {
            assert_ne!(full(one), full(other), "{one} {other}");
        }
        for (one, other) in [("Yahoo!", "yahoo"), ("M*A*S*H", "m a s h"), ("Room #5", "room 5")] {
            assert_eq!(full(one), full(other), "{one} {other}");
        }
    }

    #[test]
    fn characters_that_sound_alike_are_not_the_same() {
        let full = |text| Name::parse(text, Family::Person).full_key;
        assert_ne!(full("张伟"), full("章伟"));
        assert_eq!(words_of("张伟", Family::Person), words_of("章伟", Family::Person));
    }

    #[test]
    fn a_comma_turns_a_persons_name_around() {
        let full = |text| Name::parse(text, Family::Person).full_key;
        assert_eq!(full("Austen, Jane"), "jane austen");
        assert_eq!(full("John Smith, Jr."), "john smith jr");
        assert_eq!(Name::parse("Portland, Maine", Family::Organization).full_key, "portland maine");
    }

    #[test]
    fn remarks_stand_aside() {
        let name = Name::parse("Fenix at the Argyle", Family::Organization);
        let places: Vec<_> = name.tokens.iter().map(|token| token.place).collect();
        assert_eq!(places, [Place::Core, Place::Aside, Place::Aside, Place::Aside]);
        let only = Name::parse("(Untitled)", Family::Title);
        assert_eq!(only.tokens[0].place, Place::Core);
    }
}

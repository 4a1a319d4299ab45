//! Splitting a name into words, without case, accents and punctuation, but with signs that make a
//! different name.

use crate::words;

/// The key that is equal for equal names: without case, accents and punctuation.
pub fn key(text: &str) -> String {
    let words: Vec<_> = pieces(text)
        .filter_map(|piece| match piece {
            Piece::Word(word) => Some(word.text),
            Piece::Open | Piece::Close => None,
        })
        .collect();
    words.join(" ")
}

/// A word with its written-out form, or a bracket.
pub(crate) enum Piece {
    Word(RawWord),
    Open,
    Close,
}

/// A word as it was cut from a text, without case and accents.
#[derive(Default)]
pub(crate) struct RawWord {
    pub(crate) text: String,
    pub(crate) spelled_out: String,
    pub(crate) character: Option<String>,
    /// The original first character.
    first: Option<char>,
    /// Whether it consists of letters followed by dots: N.O.A.A.
    dotted: bool,
    /// Whether a hyphen joins it to the word before: "operation" in "co-operation".
    pub(crate) hyphened: bool,
}

/// Splits a text at everything that is neither a letter, nor a digit, nor a significant sign.
/// Apostrophes join.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = Piece> {
    let mut found = Vec::new();
    let mut word = RawWord::default();
    let mut before = None;
    let mut characters = text.trim().chars().peekable();
    while let Some(character) = characters.next() {
        if word.text.is_empty() {
            word.hyphened = matches!(before, Some('-' | '‐' | '‑')) && !found.is_empty();
        }
        match character {
            '.' if word.text.len() == 1 && word.character.is_none() => {
                word.dotted = true;
                end_word(&mut word, &mut found);
            }
            sign if is_telling_sign(sign, before, characters.peek().copied(), &word.text) => {
                word.push_folded(sign.encode_utf8(&mut [0; 4]));
            }
            '\'' | '’' | '‘' | '`' | 'ʼ' | '\u{ad}' => {}
            '&' | '№' => {
                end_word(&mut word, &mut found);
                word.push_folded(if character == '&' { "and" } else { "no" });
                end_word(&mut word, &mut found);
            }
            '(' | '[' | '{' => {
                end_word(&mut word, &mut found);
                found.push(Piece::Open);
            }
            ')' | ']' | '}' => {
                end_word(&mut word, &mut found);
                found.push(Piece::Close);
            }
            character => push_character(character, &mut word, &mut found),
        }
        before = Some(character);
    }
    end_word(&mut word, &mut found);
    found.into_iter()
}

/// Signs that make a different name: C++, C#, A*, .NET, 50%, -5.
fn is_telling_sign(sign: char, before: Option<char>, next: Option<char>, word: &str) -> bool {
    let ends = !next.is_some_and(char::is_alphanumeric);
    match sign {
        '+' | '#' => ends && !word.is_empty(),
        '*' => ends && word.len() == 1,
        '%' => before.is_some_and(|before| before.is_ascii_digit()),
        '-' | '−' => before.is_none() && next.is_some_and(|next| next.is_ascii_digit()),
        '.' => {
            before.is_none_or(char::is_whitespace) && next.is_some_and(|next| next.is_alphabetic())
        }
        _ => false,
    }
}

fn push_character(character: char, word: &mut RawWord, found: &mut Vec<Piece>) {
    if is_mark(character) {
        return;
    }
    if !character.is_alphanumeric() {
        return end_word(word, found);
    }
    if word.text.is_empty() {
        word.first = Some(character);
    }
    if is_han(character) {
        end_word(word, found);
        let sound = folded(character).replace(' ', "");
        word.push_folded(if sound.is_empty() { "?" } else { &sound });
        word.character = Some(character.to_string());
        return end_word(word, found);
    }
    if let Some(spelled) = words::spelled_out(character) {
        word.spelled_out.push_str(spelled);
        word.text.push_str(&folded(character));
        return;
    }
    // Ten squared is not 102.
    if is_raised(character) && word.text.ends_with(|c: char| c.is_ascii_digit()) {
        word.push_folded("^");
    }
    // The transliteration of a character may be several words.
    let latin = folded(character);
    for (count, part) in latin.split(' ').enumerate() {
        if count > 0 {
            end_word(word, found);
        }
        word.push_folded(part);
    }
}

/// Passes a letter to `put` in lower case and without its accent, as names are compared. Letters of
/// non-Latin scripts keep their form.
pub fn plain_letter(letter: char, put: &mut dyn FnMut(char)) {
    let latin = matches!(u32::from(letter), 0xc0..=0x24f | 0x1e00..=0x1eff);
    if latin && letter.is_alphabetic() {
        folded(letter).chars().for_each(put);
    } else {
        letter.to_lowercase().for_each(put);
    }
}

/// Whether a character is a combining mark, such as an accent that is encoded separately.
pub fn is_mark(character: char) -> bool {
    matches!(u32::from(character), 0x300..=0x36f | 0x1ab0..=0x1aff | 0x20d0..=0x20ff)
}

fn is_raised(character: char) -> bool {
    matches!(character, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹')
}

fn is_han(character: char) -> bool {
    matches!(
        u32::from(character),
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff
    )
}

fn folded(character: char) -> String {
    if character.is_ascii() {
        return character.to_ascii_lowercase().to_string();
    }
    let latin = deunicode::deunicode_char(character).unwrap_or_default();
    latin
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == ' ')
        .collect::<String>()
        .to_ascii_lowercase()
}

impl RawWord {
    /// A word that is already normalised.
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), spelled_out: text.to_owned(), ..Self::default() }
    }

    /// Whether the next word is another letter of the same abbreviation.
    pub(crate) fn takes(&self, next: &Self) -> bool {
        self.dotted && next.text.len() == 1 && next.text.bytes().all(|b| b.is_ascii_alphabetic())
    }

    pub(crate) fn join(&mut self, next: &Self) {
        self.push_folded(&next.text);
        self.dotted = next.dotted;
    }

    fn push_folded(&mut self, part: &str) {
        self.text.push_str(part);
        self.spelled_out.push_str(part);
    }
}

fn end_word(word: &mut RawWord, found: &mut Vec<Piece>) {
    let mut ended = std::mem::take(word);
    let greek = ended.first.filter(|first| folded(*first) == ended.text);
    if let Some(name) = greek.and_then(words::greek_letter) {
        ended = RawWord { text: name.to_owned(), spelled_out: name.to_owned(), ..ended };
    }
    if !ended.text.is_empty() {
        found.push(Piece::Word(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_punctuation_go() {
        assert_eq!(key("  José  O’Brien-Łukasz "), "jose obrien lukasz");
        assert_eq!(key("Cafe\u{301} & Straße"), "cafe and strasse");
        assert_eq!(key("北京"), "bei jing");
        assert_eq!(key("Ｆｕｌｌ　Ｗｉｄｔｈ"), "full width");
        assert_eq!(key("…!?"), "");
    }
}

//! The scanner that reads the text of an expression from left to right.
//!
//! It knows characters, words and numbers, but not what they mean.

use super::error::{Expected, ParseError, Problem};

/// A position in a text. Copying it saves the position, for errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a text.
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// Returns a cursor at the end of the text.
    pub(super) const fn at_end(self) -> Self {
        Self { text: self.text, position: self.text.len() }
    }

    /// Skips white space.
    pub(super) fn skip_space(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips white space and returns the next character, in lower case.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next().map(|letter| letter.to_ascii_lowercase())
    }

    /// Consumes the next character if it is one of these, and returns it.
    pub(super) fn eat_any(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.peek().filter(|letter| wanted.contains(letter))?;
        self.position += found.len_utf8();
        Some(found)
    }

    /// Consumes this word, given in lower case, if it comes next; case is ignored.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        self.skip_space();
        let next = self.rest().as_bytes().get(..word.len());
        let found = next.is_some_and(|next| next.eq_ignore_ascii_case(word.as_bytes()));
        if found {
            self.position += word.len();
        }
        found
    }

    /// Reads an integer, if one comes next. A number too large for 64 bits becomes the largest one.
    pub(super) fn eat_number(&mut self) -> Option<i64> {
        self.skip_space();
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit);
        let length = digits.clone().count();
        self.position += length;
        let value = digits.fold(0_i64, |value, digit| {
            value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
        });
        (length > 0).then_some(value)
    }

    /// Consumes the text up to and including this character and returns it without the character.
    /// `None`, consuming nothing, if the character does not occur.
    pub(super) fn eat_until(&mut self, end: char) -> Option<&'a str> {
        let (found, _) = self.rest().split_once(end)?;
        self.position += found.len() + end.len_utf8();
        Some(found)
    }

    /// Returns the remaining text.
    pub(super) fn rest(self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    /// Creates an error that something else was expected here.
    pub(super) fn unexpected(mut self, expected: Expected) -> ParseError {
        self.skip_space();
        let problem = match self.rest().chars().next() {
            Some(found) => Problem::Unexpected { found, expected },
            None => Problem::Ended(expected),
        };
        ParseError { position: self.position, problem }
    }

    /// Creates an error about this position.
    pub(super) const fn broken(self, problem: Problem) -> ParseError {
        ParseError { position: self.position, problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_after_space() {
        let mut cursor = Cursor::new("  KH 3 ×é");
        assert!(!cursor.eat("kl"));
        assert!(cursor.eat("kh"));
        assert_eq!(cursor.eat_number(), Some(3));
        assert_eq!(cursor.eat_number(), None);
        assert_eq!(cursor.eat_any(&['*', '×']), Some('×'));
        assert!(!cursor.eat("e"), "the middle of a character is not a word");
        assert_eq!(cursor.rest(), "é");
    }

    #[test]
    fn endless_digits_do_not_wrap() {
        let digits = "9".repeat(400);
        assert_eq!(Cursor::new(&digits).eat_number(), Some(i64::MAX));
    }

    #[test]
    fn errors_name_what_stands_there() {
        let mut cursor = Cursor::new("a b");
        assert!(cursor.eat("a"));
        let error = cursor.unexpected(Expected::Sides);
        assert_eq!(error.position, 2);
        assert_eq!(error.problem, Problem::Unexpected { found: 'b', expected: Expected::Sides });
        assert!(cursor.eat("b"));
        assert_eq!(cursor.unexpected(Expected::Sides).problem, Problem::Ended(Expected::Sides));
    }
}

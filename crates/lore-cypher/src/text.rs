//! The text of a query: as it was written, and as it is parsed.
//!
//! In `EXISTS { (a)-->(:B) }` the parser takes the label for a condition; after a
//! `MATCH` it does not. So `MATCH` is added where it was left out, and places in the
//! parsed text are translated back: nobody is told of a text he did not write.

use std::borrow::Cow;

use open_cypher::{Keyword, Span, TokenKind};

use crate::error::Position;

const ADDED: &str = "MATCH ";

/// A query's text.
#[derive(Debug)]
pub(crate) struct Text<'t> {
    written: &'t str,
    parsed: Cow<'t, str>,
    /// Where something was added, in the parsed text.
    added: Vec<usize>,
}

impl<'t> Text<'t> {
    /// A text as somebody wrote it.
    pub(crate) fn new(written: &'t str) -> Self {
        let places = bare_patterns(written);
        let (mut parsed, mut added) = (Cow::Borrowed(written), Vec::new());
        for place in places {
            let place = place + added.len() * ADDED.len();
            parsed.to_mut().insert_str(place, ADDED);
            added.push(place);
        }
        Self { written, parsed, added }
    }

    /// What is parsed.
    pub(crate) fn parsed(&self) -> &str {
        &self.parsed
    }

    /// Where a byte of the parsed text was written.
    pub(crate) fn position(&self, at: usize) -> Position {
        Position::of(self.written, self.original(at))
    }

    /// What was written there.
    pub(crate) fn slice(&self, span: Span) -> &'t str {
        self.written.get(self.original(span.start)..self.original(span.end)).unwrap_or_default()
    }

    fn original(&self, at: usize) -> usize {
        let before = self.added.iter().filter(|place| **place < at);
        before.fold(at, |original, place| original - ADDED.len().min(at - place))
    }
}

/// The places of patterns that stand in a subquery without a clause.
fn bare_patterns(text: &str) -> Vec<usize> {
    let lexed = open_cypher::lex(text);
    let words: Vec<_> = lexed
        .tokens
        .iter()
        .filter(|token| {
            let space = [TokenKind::Whitespace, TokenKind::LineComment, TokenKind::BlockComment];
            !space.contains(&token.kind)
        })
        .collect();
    words
        .windows(3)
        .filter_map(|words| match words {
            [before, brace, pattern]
                if matches!(before.kind, TokenKind::Keyword(Keyword::Exists | Keyword::Count))
                    && brace.kind == TokenKind::LeftBrace
                    && pattern.kind == TokenKind::LeftParen =>
            {
                Some(pattern.span.start)
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_as_they_were_written() {
        let written = "RETURN EXISTS { (a) } + COUNT {(b)} AS x";
        let text = Text::new(written);
        assert_eq!(text.parsed(), "RETURN EXISTS { MATCH (a) } + COUNT {MATCH (b)} AS x");
        for word in ["RETURN", "EXISTS", "(a)", "COUNT", "(b)", "x"] {
            let start = text.parsed().rfind(word).unwrap_or_default();
            assert_eq!(text.slice(Span::new(start, start + word.len())), word);
        }
        let whole = Span::new(7, text.parsed().len() - 5);
        assert_eq!(text.slice(whole), "EXISTS { (a) } + COUNT {(b)}");
        assert_eq!(text.position(16), Position { line: 1, column: 17 });
        assert_eq!(text.position(22), Position { line: 1, column: 17 });
    }
}

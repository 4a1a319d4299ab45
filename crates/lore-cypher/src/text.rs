//! The text of a query, as written and as parsed.
//!
//! The parser misreads some valid texts. In `EXISTS { (a)-->(:B) }` it takes the label for a
//! condition, but not after `MATCH`. In some places it takes the functions `exists(…)` and
//! `collect(…)` for the start of `EXISTS { … }` and `COLLECT { … }`, and names such as `count` for
//! the start of a function, but not in quotes. So `MATCH` and quotes are inserted where needed, and
//! positions in the parsed text are mapped back to the text as written, which is the only one that
//! errors show.

use std::borrow::Cow;

use open_cypher::{Keyword, Span, TokenKind};

use crate::error::Position;

const CLAUSE: &str = "MATCH ";
const QUOTE: &str = "`";

/// A query's text.
#[derive(Debug)]
pub(crate) struct Text<'t> {
    written: &'t str,
    parsed: Cow<'t, str>,
    /// The positions of insertions in the parsed text, with their length.
    added: Vec<(usize, usize)>,
}

impl<'t> Text<'t> {
    /// Prepares a text for parsing.
    pub(crate) fn new(written: &'t str) -> Self {
        let (mut parsed, mut added, mut length) = (Cow::Borrowed(written), Vec::new(), 0);
        for (place, missing) in left_out(written) {
            let place = place + length;
            parsed.to_mut().insert_str(place, missing);
            added.push((place, missing.len()));
            length += missing.len();
        }
        Self { written, parsed, added }
    }

    /// The text for the parser.
    pub(crate) fn parsed(&self) -> &str {
        &self.parsed
    }

    /// The position as written of a byte offset in the parsed text.
    pub(crate) fn position(&self, at: usize) -> Position {
        Position::of(self.written, self.original(at))
    }

    /// The text as written of a span in the parsed text.
    pub(crate) fn slice(&self, span: Span) -> &'t str {
        self.written.get(self.original(span.start)..self.original(span.end)).unwrap_or_default()
    }

    fn original(&self, at: usize) -> usize {
        let before = self.added.iter().filter(|(place, _)| *place < at);
        before.fold(at, |original, (place, length)| original - (*length).min(at - place))
    }
}

/// What has to be inserted for the parser and where, in order.
fn left_out(text: &str) -> Vec<(usize, &'static str)> {
    let lexed = open_cypher::lex(text);
    let words: Vec<_> = lexed
        .tokens
        .iter()
        .filter(|token| {
            let space = [TokenKind::Whitespace, TokenKind::LineComment, TokenKind::BlockComment];
            !space.contains(&token.kind)
        })
        .collect();
    let mut missing = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let next = |ahead: usize| words.get(number + ahead).map(|word| word.kind);
        match (word.kind, next(1)) {
            (TokenKind::Keyword(Keyword::Exists | Keyword::Count), Some(TokenKind::LeftBrace))
                if next(2) == Some(TokenKind::LeftParen) =>
            {
                let pattern = words.get(number + 2);
                missing.extend(pattern.map(|pattern| (pattern.span.start, CLAUSE)));
            }
            (
                TokenKind::Keyword(Keyword::Exists | Keyword::Collect),
                Some(TokenKind::LeftParen),
            ) => {
                missing.extend([(word.span.start, QUOTE), (word.span.end, QUOTE)]);
            }
            (TokenKind::Keyword(word_of_language), next)
                if is_name_too(word_of_language) && !is_opened(next) =>
            {
                missing.extend([(word.span.start, QUOTE), (word.span.end, QUOTE)]);
            }
            _ => {}
        }
    }
    missing
}

/// Keywords that have a meaning only before a bracket, and that openCypher otherwise allows as
/// names.
fn is_name_too(word: Keyword) -> bool {
    use Keyword::{AllShortestPaths, Any, Collect, Count, None, Reduce};
    use Keyword::{ShortestPath, Single, Trim};
    matches!(
        word,
        AllShortestPaths | Any | Collect | Count | None | Reduce | ShortestPath | Single | Trim
    )
}

fn is_opened(next: Option<TokenKind>) -> bool {
    matches!(next, Some(TokenKind::LeftParen | TokenKind::LeftBrace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_are_called_like_queries_are_quoted() {
        let written = "RETURN exists(a.x), EXISTS {(a)}, collect (b)";
        let text = Text::new(written);
        assert_eq!(text.parsed(), "RETURN `exists`(a.x), EXISTS {MATCH (a)}, `collect` (b)");
        let start = text.parsed().find("`exists`").unwrap_or_default();
        assert_eq!(text.slice(Span::new(start, start + 13)), "exists(a.x)");
    }

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

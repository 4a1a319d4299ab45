//! Protects parser and stack from hostile texts, and explains syntax errors.

use std::thread;

use open_cypher::{ParsedProgram, TokenKind};

use crate::error::{Budget, CypherError, Problem, Result};
use crate::text::Text;

/// The maximum length of a query.
const TEXT_BYTES: usize = 64 << 10;
/// The maximum nesting depth of brackets.
const NESTING: usize = 100;
/// The maximum number of tokens of a query, which also bounds the depth of its tree.
const TOKENS: usize = 4_000;
/// The stack size for recursion over trees. Only the part in use takes memory.
const STACK_BYTES: usize = 256 << 20;

/// Rejects texts that are too long or too deeply nested, before they are parsed.
pub(crate) fn check(text: &str) -> Result<()> {
    if text.len() > TEXT_BYTES {
        return over(TEXT_BYTES);
    }
    let lexed = open_cypher::lex(text);
    let (mut depth, mut deepest, mut tokens) = (0_usize, 0, 0);
    for token in &lexed.tokens {
        match token.kind {
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment => continue,
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        tokens += 1;
        deepest = deepest.max(depth);
    }
    if deepest > NESTING {
        return over(NESTING);
    }
    if tokens > TOKENS { over(TOKENS) } else { Ok(()) }
}

/// Parses a text.
pub(crate) fn parse(text: &Text<'_>) -> Result<ParsedProgram> {
    open_cypher::parse(text.parsed()).map_err(|errors| {
        let first = errors.diagnostics().iter().find(|found| found.is_error());
        let at = first.map_or(0, |first| first.primary_span.start);
        if let Some((name, begins)) = foreign_clause(text.parsed(), at) {
            return CypherError::Refused {
                message: crate::lower::refusal_of(name),
                position: Some(text.position(begins)),
            };
        }
        CypherError::Invalid {
            problem: Problem::Syntax,
            message: first
                .map_or_else(String::new, |first| named(&short(&first.message), text, at)),
            position: first.map(|_| text.position(at)),
            hint: meant(word(text.parsed(), at))
                .map(|clause| format!("did you mean {clause}?"))
                .or_else(|| first.and_then(|first| first.help.as_deref().map(plain))),
        }
    })
}

/// Runs `work` on a thread with a large stack.
pub(crate) fn with_room<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("cypher".to_owned()).stack_size(STACK_BYTES);
        let Ok(running) = builder.spawn_scoped(scope, work) else {
            return Err(CypherError::failure("no thread could be started".to_owned()));
        };
        running.join().unwrap_or_else(|_| {
            Err(CypherError::failure("the query made the engine fail".to_owned()))
        })
    })
}

/// A known but unsupported clause at the position where parsing stopped or just before it, and
/// where it starts.
fn foreign_clause(text: &str, at: usize) -> Option<(&'static str, usize)> {
    let here = text.get(at..).unwrap_or_default().to_ascii_uppercase();
    let before = text.get(..at).unwrap_or_default().trim_end().to_ascii_uppercase();
    let clauses = [
        "LOAD CSV",
        "FOREACH",
        "USE",
        "INSERT",
        "DROP",
        "ALTER",
        "GRANT",
        "EXPLAIN",
        "PROFILE",
        "SHOW",
        "START",
        "CREATE INDEX",
        "CREATE CONSTRAINT",
        "USING PERIODIC COMMIT",
    ];
    for (word, clause) in [("CALL", "CALL"), ("LOAD", "LOAD CSV"), ("CREATE", "CREATE INDEX")] {
        let is_index = clause != "CREATE INDEX" || here.starts_with("INDEX");
        if let Some(rest) = before.strip_suffix(word).filter(|_| is_index) {
            return Some((clause, rest.len()));
        }
    }
    // Names may start or end with the name of a clause.
    let apart = |letter: Option<char>| !letter.is_some_and(|l| l.is_alphanumeric() || l == '_');
    clauses.into_iter().find_map(|clause| {
        let after = here.strip_prefix(clause).filter(|rest| apart(rest.chars().next()));
        let ahead = || before.strip_suffix(clause).filter(|rest| apart(rest.chars().next_back()));
        let begins = after.map(|_| at).or_else(|| ahead().map(str::len))?;
        Some((clause, begins))
    })
}

/// Adds the word at the position of an error to its message.
fn named(message: &str, text: &Text<'_>, at: usize) -> String {
    match word(text.parsed(), at) {
        "" => message.to_owned(),
        word if message.contains(word) => message.to_owned(),
        word => format!("{message} at {word}"),
    }
}

/// The word that starts at a position.
fn word(text: &str, at: usize) -> &str {
    const LETTERS_MAX: usize = 40;
    let rest = text.get(at..).unwrap_or_default();
    let letters = rest.char_indices().take(LETTERS_MAX);
    let inside = letters.take_while(|(_, letter)| letter.is_alphanumeric() || *letter == '_');
    let end = inside.last().map_or(0, |(at, letter)| at + letter.len_utf8());
    rest.get(..end).unwrap_or_default()
}

/// The clause whose name is closest to a misspelled word.
fn meant(word: &str) -> Option<&'static str> {
    const MISTAKES_MAX: usize = 2;
    let clauses = [
        "MATCH", "OPTIONAL", "WHERE", "WITH", "UNWIND", "UNION", "RETURN", "DISTINCT", "ORDER BY",
        "SKIP", "LIMIT",
    ];
    let word = word.to_uppercase();
    let near = clauses.into_iter().map(|clause| (mistakes(&word, clause), clause));
    let (mistakes, clause) = near.min()?;
    let is_near = (1..=MISTAKES_MAX).contains(&mistakes) && mistakes * 2 < word.len();
    is_near.then_some(clause)
}

/// The edit distance of two words: letters added, removed or changed.
fn mistakes(written: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, letter) in written.chars().enumerate() {
        let mut last = line;
        let mut left = line + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(&right) {
            let changed = last + usize::from(letter != *other);
            last = *cell;
            left = changed.min(left + 1).min(last + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Help of the parser without the byte offset; the position is already in the error.
fn plain(help: &str) -> String {
    help.split(" before byte ").next().unwrap_or_default().to_owned()
}

/// A message of the parser, without long lists of expected tokens.
fn short(message: &str) -> String {
    const MOST: usize = 6;
    match message.split_once("; expected ") {
        Some((what, right)) if right.matches("`, ").count() > MOST => what.to_owned(),
        _ => message.to_owned(),
    }
}

fn over<T>(limit: usize) -> Result<T> {
    Err(CypherError::OverBudget(Budget::Text(limit as u64)))
}

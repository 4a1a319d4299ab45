//! Cuts code into chunks for search: one for each symbol, and one for the code between symbols.
//!
//! A nested symbol is a chunk of its own and left out of the outer one, so that nothing is found
//! twice. Chunk titles are unique within a file and identify a chunk when the file changes. Chunks
//! contain no line numbers, because every edit would then change all chunks after it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::facts::{FileFacts, Symbol};

/// A piece of a file that can be read on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChunk {
    /// The symbol with its owner, or the name of the file; numbered if several would have the same
    /// title.
    pub title: String,
    /// The content, in Markdown.
    pub text: String,
}

/// The most code per chunk, in bytes.
const CODE_MAX: usize = 2_000;
/// The most chunks for one symbol, and for the code between symbols.
const PARTS_MAX: usize = 20;

/// Cuts a file into chunks.
pub fn chunks(facts: &FileFacts, text: &str) -> Vec<CodeChunk> {
    let file = facts.path.rsplit('/').next().unwrap_or(&facts.path);
    let language = facts.language.map_or("", |language| language.name());
    let mut made = Made { titles: BTreeMap::new(), chunks: Vec::new(), language };
    let between = outside(&facts.symbols, text);
    // Constants and settings are worth finding; leftover brackets are not.
    if between.contains(char::is_alphanumeric) {
        made.add(file, &format!("`{}`", facts.path), &between);
    }
    let mut later = facts.symbols.iter();
    while let Some(symbol) = later.next() {
        let title = qualified(symbol);
        let head = head(symbol, &title, &facts.path);
        made.add(&title, &head, &own_text(symbol, later.as_slice(), text));
    }
    made.chunks
}

struct Made<'f> {
    titles: BTreeMap<String, usize>,
    chunks: Vec<CodeChunk>,
    language: &'f str,
}

impl Made<'_> {
    fn add(&mut self, title: &str, head: &str, code: &str) {
        for part in parts(code).into_iter().take(PARTS_MAX) {
            let count = self.titles.entry(title.to_owned()).or_default();
            *count += 1;
            let title = if *count == 1 { title.to_owned() } else { format!("{title} ({count})") };
            let fence = fence(part);
            let text = format!("{head}\n\n{fence}{}\n{}\n{fence}", self.language, part.trim_end());
            self.chunks.push(CodeChunk { title, text });
        }
    }
}

fn qualified(symbol: &Symbol) -> String {
    match &symbol.owner {
        Some(owner) => format!("{owner}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

fn head(symbol: &Symbol, title: &str, path: &str) -> String {
    let spoken = spoken(title).map_or_else(String::new, |words| format!(" ({words})"));
    let mut head = format!("{} `{title}`{spoken} in `{path}`", symbol.label.name());
    if let Some(doc) = &symbol.docstring {
        head.push_str("\n\n");
        head.push_str(doc);
    }
    head
}

/// Splits a camel-case name into words, because search splits at whitespace only. `None` if there
/// is nothing to split.
fn spoken(name: &str) -> Option<String> {
    let mut words = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            words.push(' ');
        }
        words.push(if letter.is_alphanumeric() { letter } else { ' ' });
        before = letter;
    }
    let parted =
        name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    parted.then(|| words.to_lowercase())
}

/// Returns the text of a symbol without its nested symbols, which follow it directly in `later`.
fn own_text(symbol: &Symbol, later: &[Symbol], text: &str) -> String {
    let mut rest = later;
    let holes = std::iter::from_fn(|| {
        let inner = rest.first().filter(|other| other.byte_start < symbol.byte_end)?;
        // Skip what is nested in the nested symbol.
        let past = rest.partition_point(|other| other.byte_start < inner.byte_end);
        rest = rest.get(past.max(1)..).unwrap_or_default();
        Some(inner.byte_start..inner.byte_end)
    });
    without(text, symbol.byte_start..symbol.byte_end, holes)
}

/// Returns the text between symbols, without their doc comments.
fn outside(symbols: &[Symbol], text: &str) -> String {
    let mut kept = String::new();
    let mut from = 0;
    for symbol in symbols {
        if symbol.byte_start >= from {
            let gap = text.get(from..symbol.byte_start).unwrap_or_default();
            kept.push_str(if symbol.docstring.is_some() { without_comment(gap) } else { gap });
        }
        from = from.max(symbol.byte_end);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    squeezed(&kept)
}

/// Removes the comments and attributes directly before a definition.
fn without_comment(gap: &str) -> &str {
    let mut end = gap.len();
    for line in gap.split_inclusive('\n').rev() {
        let bare = line.trim();
        let mark = ["//", "/*", "*", "#", "@", "--"].iter().any(|mark| bare.starts_with(mark));
        if !bare.is_empty() && !mark {
            break;
        }
        end -= line.len();
    }
    gap.get(..end).unwrap_or(gap)
}

/// Returns a range of a text without some ranges inside it. These are sorted by start and may
/// overlap.
fn without(text: &str, whole: Range<usize>, holes: impl Iterator<Item = Range<usize>>) -> String {
    let mut kept = String::new();
    let mut from = whole.start;
    for hole in holes {
        if hole.start > from {
            kept.push_str(text.get(from..hole.start).unwrap_or_default());
        }
        from = from.max(hole.end);
    }
    kept.push_str(text.get(from..whole.end).unwrap_or_default());
    squeezed(&kept)
}

/// Reduces runs of empty lines to one.
fn squeezed(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() && empty {
            continue;
        }
        empty = line.is_empty();
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// Splits code at line ends; a line that is too long is split anywhere.
fn parts(code: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut end) = (0, 0);
    for line in code.split_inclusive('\n') {
        if end > start && end + line.len() - start > CODE_MAX {
            parts.extend(code.get(start..end));
            start = end;
        }
        end += line.len();
        while end - start > CODE_MAX {
            let cut = code.floor_char_boundary(start + CODE_MAX);
            parts.extend(code.get(start..cut));
            start = cut;
        }
    }
    parts.extend(code.get(start..end));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns a code fence that nothing in the code closes.
fn fence(code: &str) -> String {
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;

    fn titles(path: &str, text: &str) -> Vec<CodeChunk> {
        chunks(&extract(path, text), text)
    }

    #[test]
    fn every_symbol_is_one_piece_and_the_rest_another() {
        let text = "//! What this module is for, in a sentence.\nuse std::fmt;\n\n/// Says hello.\n\
                    fn helloWorld() { say() }\n\nstruct A;\nimpl A {\n    fn b(&self) {}\n}\n";
        let found = titles("src/a.rs", text);
        let names: Vec<_> = found.iter().map(|chunk| chunk.title.as_str()).collect();
        assert_eq!(names, ["a.rs", "helloWorld", "A", "A.b"]);
        assert!(found[0].text.contains("What this module is for"));
        assert!(!found[0].text.contains("Says hello"), "{}", found[0].text);
        assert!(found[1].text.contains("(hello world)") && found[1].text.contains("Says hello."));
        assert!(found[1].text.contains("```rust\nfn helloWorld() { say() }\n```"));
    }

    #[test]
    fn a_short_rest_is_a_piece_and_brackets_are_none() {
        let found = titles("a.rs", "const MAX: u8 = 5;\nfn a() {}\n");
        assert_eq!(found[0].title, "a.rs");
        assert!(found[0].text.contains("const MAX: u8 = 5;"));
        assert_eq!(titles("a.rs", "fn a() {}\n\n;\n").len(), 1);
    }

    #[test]
    fn what_is_inside_is_said_once() {
        let text = "class A:\n    x = 1\n    def b(self):\n        return inner_value\n";
        let found = titles("a.py", text);
        let class = found.iter().find(|chunk| chunk.title == "A").unwrap();
        assert!(class.text.contains("x = 1") && !class.text.contains("inner_value"));
        assert_eq!(found.iter().filter(|chunk| chunk.text.contains("inner_value")).count(), 1);
    }

    #[test]
    fn titles_are_unique_and_long_code_is_cut() {
        let body = "    do_something_with_a_long_name();\n".repeat(200);
        let text = format!("fn a() {{\n{body}}}\nfn a() {{}}\n");
        let found = titles("a.rs", &text);
        let mut names: Vec<_> = found.iter().map(|chunk| chunk.title.clone()).collect();
        assert!(names.len() > 3 && names.contains(&"a (2)".to_owned()), "{names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), found.len());
        assert!(found.iter().all(|chunk| chunk.text.len() < CODE_MAX + 300));
    }

    #[test]
    fn code_cannot_leave_its_fence() {
        let found =
            titles("a.py", "def f():\n    '''\n    ```\n    Ignore all.\n    ```\n    '''\n");
        assert!(found.iter().any(|chunk| chunk.text.contains("````python")), "{found:?}");
    }
}

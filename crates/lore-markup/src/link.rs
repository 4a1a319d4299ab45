//! Links in Markdown: `[text](destination "title")`, `[text](<destination>)`.

use std::ops::Range;

/// The longest text of a link, in bytes.
const TEXT_MAX: usize = 500;
/// The longest destination with title, in bytes.
const DESTINATION_MAX: usize = 1_000;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'a> {
    /// Where it is, with text and brackets.
    pub place: Range<usize>,
    /// Where its destination is.
    pub destination: Range<usize>,
    /// The destination as written.
    pub url: &'a str,
}

/// Returns the links in a text, in order. `[[text]](words)` is none: that is a wiki link.
pub fn find(markdown: &str) -> Vec<Link<'_>> {
    let joints = markdown.match_indices("](").map(|(joint, _)| joint);
    joints.filter_map(|joint| link(markdown, joint)).collect()
}

/// Returns the link whose text ends at `joint`.
fn link(markdown: &str, joint: usize) -> Option<Link<'_>> {
    let (text, rest) = (markdown.get(..joint)?, markdown.get(joint + 2..)?);
    if text.ends_with(']') {
        return None;
    }
    let start = opening(text)?;
    let from = joint + 2 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    let inside = beginning(markdown.get(from..)?);
    let (url, skipped) = match inside.strip_prefix('<') {
        Some(inside) => (inside.split(['>', '\n']).next()?, 1),
        None => (bare(inside), 0),
    };
    let destination = from + skipped..from + skipped + url.len();
    let after = inside.get(skipped + url.len()..)?;
    let after = if skipped == 1 { after.strip_prefix('>')? } else { after };
    let end = from + inside.len() - after.len() + closing(after)?;
    Some(Link { place: start..end, destination, url })
}

/// Returns as much of a text as a destination with title may have.
fn beginning(text: &str) -> &str {
    let end = (0..=text.len().min(DESTINATION_MAX)).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Returns where the bracket is that opens a link's text.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, letter) in text.char_indices().rev() {
        match letter {
            _ if text.len() - place > TEXT_MAX => return None,
            ']' => depth += 1,
            '[' if depth == 0 => return Some(place),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns a destination without angle brackets: no blanks, and round brackets in pairs.
fn bare(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.find(|letter: char| match letter {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        letter => letter.is_whitespace(),
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Returns the length of a title, if there is one, and of the closing bracket.
fn closing(after: &str) -> Option<usize> {
    let title = after.trim_start();
    let rest = match title.chars().next()? {
        ')' => title,
        quote @ ('"' | '\'') => {
            let (_, rest) = title.get(1..)?.split_once(quote)?;
            rest.trim_start()
        }
        _ => return None,
    };
    Some(after.len() - rest.strip_prefix(')')?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(text: &str) -> Vec<&str> {
        find(text).iter().map(|link| link.url).collect()
    }

    #[test]
    fn links_are_found_however_they_are_written() {
        let text = "[a](b) ![c]( <d e> \"title\") [f [g] h](i(j).md 'x').";
        assert_eq!(urls(text), ["b", "d e", "i(j).md"]);
        for link in find(text) {
            assert_eq!(text.get(link.destination.clone()), Some(link.url));
        }
        assert_eq!(find("x [a](b)!")[0].place, 2..8);
    }

    #[test]
    fn other_brackets_are_no_links() {
        for text in ["[[a]](b)", "a](b)", "[a](b", "[a](b c)", "[a] (b)", "[a](<b)", "[a](", "]("] {
            assert_eq!(urls(text), [] as [&str; 0], "{text}");
        }
    }
}

//! Converts BBCode to HTML. Everything except known tags in proper pairs and valid places is text,
//! because what HTML and Markdown cannot express must come back unchanged.

use std::collections::HashMap;

use super::held::Held;
use super::is_mention;
use super::page::Page;
use crate::anvil;

/// The maximum nesting depth of tags; deeper ones are text.
const DEPTH_MAX: usize = 40;
/// The maximum length of a tag, in bytes.
const TAG_MAX: usize = 2_000;

/// The end of a code block.
pub(super) const CODE_END: &str = "[/code]";

/// Converts BBCode to HTML that is not sanitised yet. Mentions are held back, and so are brackets
/// that must not become one.
pub(super) fn to_html(bbcode: &str, held: &mut Held) -> String {
    let mut out = Page::default();
    for Placed { piece, .. } in &understood(bbcode) {
        match piece {
            Piece::Text(text) => out.text(text, held),
            Piece::Held(whole) => out.unknown(whole, held),
            Piece::Code(body) => out.code(body),
            Piece::Single(tag) => out.single(tag),
            Piece::Open { tag, paired: true, .. } => out.open(tag),
            Piece::Close { tag, paired: true, .. } => out.close(tag),
            Piece::Open { whole, .. } | Piece::Close { whole, .. } => out.unknown(whole, held),
        }
    }
    out.done()
}

/// Returns the positions of the brackets that are parsed as something other than text.
pub(super) fn active(bbcode: &str) -> Vec<usize> {
    let is_active = |piece: &Piece<'_>| match piece {
        Piece::Code(_) | Piece::Single(_) => true,
        Piece::Open { paired, .. } | Piece::Close { paired, .. } => *paired,
        Piece::Held(whole) => is_mention(whole),
        Piece::Text(_) => false,
    };
    let placed = understood(bbcode).into_iter().filter(|placed| is_active(&placed.piece));
    placed.map(|Placed { at, piece }| at + usize::from(piece.begins_with_at())).collect()
}

fn understood(bbcode: &str) -> Vec<Placed<'_>> {
    let mut pieces = pieces(bbcode);
    pair(&mut pieces);
    pieces
}

/// A piece and its start in the text.
struct Placed<'a> {
    at: usize,
    piece: Piece<'a>,
}

/// A known tag with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: String,
    pub(super) value: Option<&'a str>,
}

#[derive(Debug)]
enum Piece<'a> {
    Text(&'a str),
    /// A mention or an unknown tag.
    Held(&'a str),
    /// The content of a pair of code tags.
    Code(&'a str),
    /// A tag without an end tag.
    Single(Tag<'a>),
    Open {
        tag: Tag<'a>,
        whole: &'a str,
        /// Whether an HTML element can express the tag fully.
        plain: bool,
        paired: bool,
    },
    Close {
        tag: Tag<'a>,
        whole: &'a str,
        paired: bool,
    },
}

impl Piece<'_> {
    /// Whether its bracket is its second character, after an at sign.
    fn begins_with_at(&self) -> bool {
        matches!(self, Self::Held(whole) if whole.starts_with('@'))
    }
}

/// The known paired tags with the corresponding HTML elements.
const PAIRS: [(&str, &str); 19] = [
    ("b", "strong"),
    ("i", "em"),
    ("s", "del"),
    ("u", "u"),
    ("sub", "sub"),
    ("sup", "sup"),
    ("url", "a"),
    ("h1", "h1"),
    ("h2", "h2"),
    ("h3", "h3"),
    ("h4", "h4"),
    ("ul", "ul"),
    ("ol", "ol"),
    ("li", "li"),
    ("quote", "blockquote"),
    ("table", "table"),
    ("tr", "tr"),
    ("th", "th"),
    ("td", "td"),
];

pub(super) fn element_of(name: &str) -> Option<&'static str> {
    PAIRS.iter().find(|(known, _)| *known == name).map(|(_, element)| *element)
}

fn pieces(bbcode: &str) -> Vec<Placed<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = bbcode.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.find(['[', '@']).unwrap_or(rest.len());
        let (piece, length) = match plain {
            0 => special(rest).unwrap_or_else(|| {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                (Piece::Text(rest.get(..length).unwrap_or_default()), length)
            }),
            _ => (Piece::Text(rest.get(..plain).unwrap_or_default()), plain),
        };
        found.push(Placed { at, piece });
        at += length;
    }
    found
}

/// Parses what starts at a bracket or at sign, and returns it with its length.
fn special(text: &str) -> Option<(Piece<'_>, usize)> {
    if text.starts_with('@') {
        let whole = anvil::whole_at_start(text)?;
        return Some((Piece::Held(whole), whole.len()));
    }
    let end = text.find([']', '\n'])?;
    let whole = text.get(..=end).filter(|whole| whole.ends_with(']') && whole.len() <= TAG_MAX)?;
    let inside = whole.get(1..whole.len() - 1)?;
    let (inside, closing) = match inside.strip_prefix('/') {
        Some(name) => (name, true),
        None => (inside, false),
    };
    let name_end = inside.find(['=', ':', '|']).unwrap_or(inside.len());
    let (name, option) = inside.split_at_checked(name_end)?;
    let name = name.trim().to_ascii_lowercase();
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        return None;
    }
    let length = whole.len();
    let tag = Tag { name, value: option.strip_prefix('=') };
    Some(match (tag.name.as_str(), closing) {
        ("br" | "hr", false) if option.is_empty() => (Piece::Single(tag), length),
        ("code", false) if option.is_empty() => code(text, length)?,
        ("img", false) if option.is_empty() => {
            picture(text, length).unwrap_or((Piece::Held(whole), length))
        }
        (name, _) if element_of(name).is_none() => (Piece::Held(whole), length),
        (name, false) => {
            let plain = match name {
                "url" => tag.value.is_some_and(is_address),
                _ => option.is_empty(),
            };
            (Piece::Open { tag, whole, plain, paired: false }, length)
        }
        (_, true) => (Piece::Close { tag, whole, paired: false }, length),
    })
}

fn code(text: &str, length: usize) -> Option<(Piece<'_>, usize)> {
    let body = text.get(length..)?;
    let end = body.to_ascii_lowercase().find(CODE_END)?;
    Some((Piece::Code(body.get(..end)?), length + end + CODE_END.len()))
}

/// Parses an image with its URL.
fn picture(text: &str, length: usize) -> Option<(Piece<'_>, usize)> {
    let body = text.get(length..)?;
    let end = body.find("[/img]")?;
    let address = body.get(..end).filter(|address| is_address(address))?;
    let tag = Tag { name: "img".into(), value: Some(address) };
    Some((Piece::Single(tag), length + end + "[/img]".len()))
}

/// Whether a URL passes the sanitiser unchanged.
fn is_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let known = ["http://", "https://", "mailto:"].iter().any(|start| lower.starts_with(start));
    // Without a scheme it is relative.
    let is_near =
        !text.is_empty() && !text.split(['/', '#', '?']).next().unwrap_or_default().contains(':');
    (known || is_near)
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "[]<>\"\\".contains(c))
}

/// Determines which tags form pairs that are properly nested and in a valid place.
fn pair(pieces: &mut [Placed<'_>]) {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut ends: HashMap<usize, usize> = HashMap::new();
    for (at, placed) in pieces.iter().enumerate() {
        match &placed.piece {
            Piece::Open { tag, .. } if open.len() < DEPTH_MAX => open.push((at, tag.name.clone())),
            Piece::Close { tag, .. } => {
                let found = open.iter().rposition(|(_, name)| *name == tag.name);
                if let Some(position) = found {
                    ends.extend(open.get(position).map(|(start, _)| (*start, at)));
                    open.truncate(position);
                }
            }
            _ => {}
        }
    }
    ends.retain(|start, _| is_plain(pieces, *start));
    settle(pieces, &ends, 0..pieces.len(), "");
}

fn is_plain(pieces: &[Placed<'_>], at: usize) -> bool {
    matches!(pieces.get(at), Some(Placed { piece: Piece::Open { plain: true, .. }, .. }))
}

/// Marks the pairs in a range that are valid below `parent`.
fn settle(
    pieces: &mut [Placed<'_>],
    ends: &HashMap<usize, usize>,
    range: std::ops::Range<usize>,
    parent: &str,
) {
    let mut at = range.start;
    while at < range.end {
        let Some(end) = ends.get(&at).copied() else {
            at += 1;
            continue;
        };
        let name = name_at(pieces, at).unwrap_or_default().to_owned();
        let fits = wants(&name).is_none_or(|above| above.contains(&parent))
            && parts_of(&name).is_none_or(|parts| holds_only(pieces, ends, at + 1..end, parts));
        if fits {
            for place in [at, end] {
                let piece = pieces.get_mut(place).map(|placed| &mut placed.piece);
                if let Some(Piece::Open { paired, .. } | Piece::Close { paired, .. }) = piece {
                    *paired = true;
                }
            }
        }
        settle(pieces, ends, at + 1..end, if fits { &name } else { parent });
        at = end + 1;
    }
}

fn name_at<'a>(pieces: &'a [Placed<'_>], at: usize) -> Option<&'a str> {
    match pieces.get(at).map(|placed| &placed.piece)? {
        Piece::Open { tag, .. } => Some(&tag.name),
        _ => None,
    }
}

/// The parents that a tag requires.
fn wants(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "li" => Some(&["ul", "ol"]),
        "tr" => Some(&["table"]),
        "td" | "th" => Some(&["tr"]),
        _ => None,
    }
}

/// The only children that a tag may have.
fn parts_of(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "ul" | "ol" => Some(&["li"]),
        "table" => Some(&["tr"]),
        "tr" => Some(&["td", "th"]),
        _ => None,
    }
}

/// Whether a range consists of at least one such pair, and otherwise only of white space.
fn holds_only(
    pieces: &[Placed<'_>],
    ends: &HashMap<usize, usize>,
    range: std::ops::Range<usize>,
    parts: &[&str],
) -> bool {
    let mut found = false;
    let mut at = range.start;
    while at < range.end {
        let next = match (ends.get(&at), name_at(pieces, at)) {
            (Some(end), Some(name)) if parts.contains(&name) => {
                found = true;
                *end
            }
            _ => at,
        };
        let blank = |placed: &Placed<'_>| matches!(placed.piece, Piece::Text(text) if text.trim().is_empty());
        if next == at && !pieces.get(at).is_some_and(blank) {
            return false;
        }
        at = next + 1;
    }
    found
}

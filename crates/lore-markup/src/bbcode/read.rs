//! From BBCode to HTML. Whatever is no whole pair of known tags, in a place where it means
//! something, is text: what cannot be said in HTML and Markdown must come back as it was.

use std::collections::HashMap;

use super::held::Held;
use super::write::{DONE, REFERENCE, TO_DO};
use crate::anvil;
use crate::tree::escape;

/// How deep tags may nest; deeper ones are text.
const DEPTH_MAX: usize = 40;
/// Longest tag, in bytes.
const TAG_MAX: usize = 2_000;

/// What ends program text.
pub(super) const CODE_END: &str = "[/code]";

/// BBCode as HTML, not yet clean. Mentions and unknown tags are held back.
pub(super) fn to_html(bbcode: &str, held: &mut Held) -> String {
    let mut out = Writer::default();
    for Placed { piece, .. } in &understood(bbcode) {
        match piece {
            Piece::Text(text) => out.text(text),
            Piece::Held(whole) => out.inline.push_str(&held.hold(whole)),
            Piece::Code(body) => out.code(body),
            Piece::Single(tag) => out.single(tag),
            Piece::Open { tag, paired: true, .. } => out.open(tag),
            Piece::Close { tag, paired: true, .. } => out.close(tag),
            Piece::Open { whole, .. } | Piece::Close { whole, .. } => {
                out.inline.push_str(&held.hold(whole));
            }
        }
    }
    out.flush();
    out.html
}

/// Where brackets stand that are read as more than text.
pub(super) fn active(bbcode: &str) -> Vec<usize> {
    let is_active = |piece: &Piece<'_>| match piece {
        Piece::Code(_) | Piece::Single(_) => true,
        Piece::Open { paired, .. } | Piece::Close { paired, .. } => *paired,
        Piece::Text(_) | Piece::Held(_) => false,
    };
    let placed = understood(bbcode).into_iter();
    placed.filter(|placed| is_active(&placed.piece)).map(|placed| placed.at).collect()
}

fn understood(bbcode: &str) -> Vec<Placed<'_>> {
    let mut pieces = pieces(bbcode);
    pair(&mut pieces);
    pieces
}

/// A piece and where it begins.
struct Placed<'a> {
    at: usize,
    piece: Piece<'a>,
}

/// A tag that is known, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tag<'a> {
    name: String,
    value: Option<&'a str>,
}

#[derive(Debug)]
enum Piece<'a> {
    Text(&'a str),
    /// A mention or an unknown tag.
    Held(&'a str),
    /// What is in a pair of code tags.
    Code(&'a str),
    /// A tag without an end.
    Single(Tag<'a>),
    Open {
        tag: Tag<'a>,
        whole: &'a str,
        /// Whether it says no more than an element can.
        plain: bool,
        paired: bool,
    },
    Close {
        tag: Tag<'a>,
        whole: &'a str,
        paired: bool,
    },
}

/// Known tags that come in pairs, with the elements that say the same.
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

fn element_of(name: &str) -> Option<&'static str> {
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

/// What begins at a bracket or an at sign, with its length.
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

/// A picture by its address.
fn picture(text: &str, length: usize) -> Option<(Piece<'_>, usize)> {
    let body = text.get(length..)?;
    let end = body.find("[/img]")?;
    let address = body.get(..end).filter(|address| is_address(address))?;
    let tag = Tag { name: "img".into(), value: Some(address) };
    Some((Piece::Single(tag), length + end + "[/img]".len()))
}

/// Whether an address passes the sanitiser as it is.
fn is_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let known = ["http://", "https://", "mailto:"].iter().any(|start| lower.starts_with(start));
    // Without a scheme it leads to somewhere beside.
    let is_near =
        !text.is_empty() && !text.split(['/', '#', '?']).next().unwrap_or_default().contains(':');
    (known || is_near)
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "[]<>\"\\".contains(c))
}

/// Finds out which tags have their other half, properly nested and in their place.
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

/// Marks the pairs in a range that stand where they mean something: below `parent`.
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

/// What a tag must stand directly in to mean something.
fn wants(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "li" => Some(&["ul", "ol"]),
        "tr" => Some(&["table"]),
        "td" | "th" => Some(&["tr"]),
        _ => None,
    }
}

/// What must stand directly in a tag, and nothing else.
fn parts_of(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "ul" | "ol" => Some(&["li"]),
        "table" => Some(&["tr"]),
        "tr" => Some(&["td", "th"]),
        _ => None,
    }
}

/// Whether a range holds some of these pairs, and nothing else but blanks.
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

/// Puts HTML together: running text is collected and becomes paragraphs.
#[derive(Default)]
struct Writer {
    html: String,
    inline: String,
    /// The blocks that are open.
    blocks: Vec<String>,
}

impl Writer {
    fn text(&mut self, text: &str) {
        let text = text.replace("&#91;", "[").replace("&#93;", "]").replace("&amp;#", "&#");
        escape(&mut self.inline, &text.replace("\r\n", "\n"));
    }

    fn single(&mut self, tag: &Tag<'_>) {
        match tag.name.as_str() {
            "hr" => {
                self.flush();
                self.html.push_str("<hr>");
            }
            "img" => {
                self.inline.push_str("<img src=\"");
                escape(&mut self.inline, tag.value.unwrap_or_default());
                self.inline.push_str("\">");
            }
            _ => self.inline.push_str("<br>"),
        }
    }

    fn code(&mut self, body: &str) {
        let body = &with_ends(body);
        if !body.contains('\n') {
            self.inline.push_str("<code>");
            escape(&mut self.inline, body);
            self.inline.push_str("</code>");
            return;
        }
        self.flush();
        self.html.push_str("<pre><code>");
        escape(&mut self.html, body.strip_prefix('\n').unwrap_or(body));
        self.html.push_str("</code></pre>");
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let Some(element) = element_of(&tag.name) else { return };
        if element == "a" {
            self.inline.push_str("<a href=\"");
            escape(&mut self.inline, tag.value.unwrap_or_default());
            self.inline.push_str("\">");
        } else if is_block(element) {
            self.flush();
            self.html.push_str(&format!("<{element}>"));
            self.blocks.push(element.to_owned());
        } else {
            self.inline.push_str(&format!("<{element}>"));
        }
    }

    fn close(&mut self, tag: &Tag<'_>) {
        let Some(element) = element_of(&tag.name) else { return };
        if is_block(element) {
            self.flush();
            self.html.push_str(&format!("</{element}>"));
            self.blocks.pop();
        } else {
            self.inline.push_str(&format!("</{element}>"));
        }
    }

    /// Ends the running text: paragraphs in the open, lines in cells, items and headings,
    /// nothing between rows and items.
    fn flush(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        let text = inline.trim();
        if text.is_empty() {
            return;
        }
        match self.blocks.last().map(String::as_str) {
            Some("ul" | "ol" | "table" | "tr") => self.html.push_str(text),
            Some("blockquote") | None => {
                for paragraph in text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()) {
                    let lines = paragraph.replace('\n', "<br>");
                    self.html.push_str(&format!("<p>{lines}</p>"));
                }
            }
            Some("li") => self.html.push_str(&as_task(text).replace('\n', "<br>")),
            Some(_) => self.html.push_str(&text.replace('\n', "<br>")),
        }
    }
}

/// Program text with what would have ended it.
fn with_ends(body: &str) -> String {
    let end = CODE_END.replacen('[', REFERENCE, 1);
    let lower = body.to_ascii_lowercase();
    let mut out = String::with_capacity(body.len());
    let mut done = 0;
    for (at, _) in lower.match_indices(&end) {
        out.push_str(body.get(done..at).unwrap_or_default());
        out.push('[');
        done = at + REFERENCE.len();
    }
    out.push_str(body.get(done..).unwrap_or_default());
    out
}

/// The text of an item with a box at its start as that of a task.
fn as_task(text: &str) -> String {
    let task = |sign: char, mark: &str| {
        let rest = text.strip_prefix(sign)?.strip_prefix(' ')?;
        Some(format!("<input disabled type=\"checkbox\"{mark}>{}", rest.trim_start()))
    };
    let found = task(DONE, " checked").or_else(|| task(TO_DO, ""));
    found.unwrap_or_else(|| text.to_owned())
}

fn is_block(element: &str) -> bool {
    !matches!(element, "strong" | "em" | "del" | "u" | "sub" | "sup" | "a")
}

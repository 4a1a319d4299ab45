//! From BBCode to HTML. Whatever is no whole pair of known tags is text.

use super::held::Held;
use crate::anvil;
use crate::tree::escape;

/// How deep tags may nest; deeper ones are text.
const DEPTH_MAX: usize = 40;
/// Longest tag, in bytes.
const TAG_MAX: usize = 2_000;

/// BBCode as HTML, not yet clean. Mentions and unknown tags are held back.
pub(super) fn to_html(bbcode: &str, held: &mut Held) -> String {
    let mut pieces = pieces(bbcode);
    pair(&mut pieces);
    let mut out = Writer::default();
    for piece in &pieces {
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

/// Whether `[name]` or `[/name]` would be read as more than text.
pub(super) fn is_known(name: &str) -> bool {
    let name = name.trim_start_matches('/');
    let name = name.split(['=', ':']).next().unwrap_or_default().to_ascii_lowercase();
    ["br", "hr", "code", "img"].contains(&name.as_str()) || element_of(&name).is_some()
}

fn element_of(name: &str) -> Option<&'static str> {
    PAIRS.iter().find(|(known, _)| *known == name).map(|(_, element)| *element)
}

fn pieces(bbcode: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = bbcode;
    while let Some(at) = rest.find(['[', '@']) {
        let (before, tail) = rest.split_at(at);
        found.push(Piece::Text(before));
        let (piece, length) = match special(tail) {
            Some(special) => special,
            None => {
                let length = tail.chars().next().map_or(1, char::len_utf8);
                (Piece::Text(tail.get(..length).unwrap_or_default()), length)
            }
        };
        found.push(piece);
        rest = tail.get(length..).unwrap_or_default();
    }
    found.push(Piece::Text(rest));
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
    let (name, closing) = match inside.strip_prefix('/') {
        Some(name) => (name, true),
        None => (inside, false),
    };
    let (name, value) = match name.find(['=', ':']) {
        Some(at) => (name.get(..at)?, name.get(at + 1..)),
        None => (name, None),
    };
    let name = name.trim().to_ascii_lowercase();
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        return None;
    }
    let length = whole.len();
    let tag = Tag { name, value };
    Some(match (tag.name.as_str(), closing) {
        ("br" | "hr", false) if tag.value.is_none() => (Piece::Single(tag), length),
        ("code", false) if tag.value.is_none() => {
            let body = text.get(length..)?;
            let end = body.to_ascii_lowercase().find("[/code]")?;
            (Piece::Code(body.get(..end)?), length + end + "[/code]".len())
        }
        ("img", false) if tag.value.is_none() => picture(text, length)?,
        (name, _) if element_of(name).is_none() => (Piece::Held(whole), length),
        (name, false) if tag.value.is_some() && name != "url" => (Piece::Held(whole), length),
        (_, false) => (Piece::Open { tag, whole, paired: false }, length),
        (_, true) => (Piece::Close { tag, whole, paired: false }, length),
    })
}

/// A picture by its address.
fn picture(text: &str, length: usize) -> Option<(Piece<'_>, usize)> {
    let body = text.get(length..)?;
    let end = body.find("[/img]")?;
    let address = body.get(..end).filter(|address| !address.contains(['\n', '[']))?;
    let tag = Tag { name: "img".into(), value: Some(address) };
    Some((Piece::Single(tag), length + end + "[/img]".len()))
}

/// Finds out which tags have their other half, properly nested.
fn pair(pieces: &mut [Piece<'_>]) {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut matched: Vec<(usize, usize)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Open { tag, .. } if open.len() < DEPTH_MAX => open.push((at, tag.name.clone())),
            Piece::Close { tag, .. } => {
                let found = open.iter().rposition(|(_, name)| *name == tag.name);
                if let Some(position) = found {
                    matched.extend(open.get(position).map(|(start, _)| (*start, at)));
                    open.truncate(position);
                }
            }
            _ => {}
        }
    }
    for place in matched.into_iter().flat_map(|(start, end)| [start, end]) {
        let piece = pieces.get_mut(place);
        if let Some(Piece::Open { paired, .. } | Piece::Close { paired, .. }) = piece {
            *paired = true;
        }
    }
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
                escape(&mut self.inline, tag.value.unwrap_or_default().trim());
                self.inline.push_str("\">");
            }
            _ => self.inline.push_str("<br>"),
        }
    }

    fn code(&mut self, body: &str) {
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
            escape(&mut self.inline, tag.value.unwrap_or_default().trim());
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
            Some(_) => self.html.push_str(&text.replace('\n', "<br>")),
        }
    }
}

fn is_block(element: &str) -> bool {
    !matches!(element, "strong" | "em" | "del" | "u" | "sub" | "sup" | "a")
}

//! Builds the HTML page for a BBCode text.

use super::held::Held;
use super::read::{CODE_END, Tag, element_of};
use super::write::{DONE, REFERENCE, TO_DO};
use super::{aside, is_mention, numbered};
use crate::tree::escape;
use crate::{anvil, mention, tags};

/// The maximum length of a mention, in characters.
const MENTION_MAX: usize = 1_000;

/// Assembles the HTML: inline content is collected and becomes paragraphs.
#[derive(Default)]
pub(super) struct Page {
    html: String,
    inline: String,
    /// The open blocks, outermost first.
    blocks: Vec<String>,
    /// Whether a blank line precedes the open list item, so that its text becomes a paragraph.
    is_apart: bool,
}

impl Page {
    /// Returns the whole page.
    pub(super) fn done(mut self) -> String {
        self.flush();
        self.html
    }

    /// Adds text. A bracket written as a character reference does not start a mention.
    pub(super) fn text(&mut self, text: &str, held: &mut Held) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(REFERENCE) {
            escape(&mut self.inline, &plain(before));
            match self.would_mention(after) {
                true => self.inline.push_str(&held.hold("[")),
                false => self.inline.push('['),
            }
            rest = after;
        }
        escape(&mut self.inline, &plain(rest));
    }

    /// Whether a bracket followed by this text would be a mention.
    fn would_mention(&self, after: &str) -> bool {
        let near: String = after.chars().take(MENTION_MAX).collect();
        let whole = format!("@[{}", plain(&near));
        let by_kind = whole.get(1..).and_then(mention::leading).is_some();
        by_kind || self.inline.ends_with('@') && anvil::whole_at_start(&whole).is_some()
    }

    /// Adds a mention or an unknown tag. An unknown tag is added as text, unless that would
    /// collapse white space in it.
    pub(super) fn unknown(&mut self, whole: &str, held: &mut Held) {
        let is_single = |pair: &[u8]| !pair.iter().all(u8::is_ascii_whitespace);
        let is_plain = !whole.contains('\t') && whole.as_bytes().windows(2).all(is_single);
        match is_plain && !is_mention(whole) {
            true => escape(&mut self.inline, whole),
            false => self.inline.push_str(&held.hold(whole)),
        }
    }

    pub(super) fn single(&mut self, tag: &Tag<'_>) {
        match tag.name.as_str() {
            "hr" => {
                self.flush();
                self.html.push_str("<hr>");
            }
            "img" => {
                self.inline.push_str("<img src=\"");
                self.address(tag.value.unwrap_or_default());
            }
            _ => self.inline.push_str("<br>"),
        }
    }

    /// Adds a URL with the description and title encoded in it, and the end of the tag.
    fn address(&mut self, address: &str) {
        let (address, said) = aside::taken(address);
        escape(&mut self.inline, address);
        for (name, text) in said {
            self.inline.push_str(&format!("\" {name}=\""));
            escape(&mut self.inline, &text);
        }
        self.inline.push_str("\">");
    }

    pub(super) fn code(&mut self, body: &str) {
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

    pub(super) fn open(&mut self, tag: &Tag<'_>) {
        let Some(element) = element_of(&tag.name) else { return };
        if element == "a" {
            self.inline.push_str("<a href=\"");
            self.address(tag.value.unwrap_or_default());
        } else if tags::is_block(element) {
            self.flush();
            self.html.push_str(&format!("<{element}>"));
            self.blocks.push(element.to_owned());
        } else {
            self.inline.push_str(&format!("<{element}>"));
        }
    }

    pub(super) fn close(&mut self, tag: &Tag<'_>) {
        let Some(element) = element_of(&tag.name) else { return };
        if tags::is_block(element) {
            self.flush();
            self.html.push_str(&format!("</{element}>"));
            self.blocks.pop();
        } else {
            self.inline.push_str(&format!("</{element}>"));
        }
    }

    /// Adds the text of a list item: as paragraphs if a blank line is in it or before it.
    fn item(&mut self, text: &str) {
        let is_apart = self.is_apart || text.contains(BLANK_LINE);
        for paragraph in paragraphs(text) {
            let (text, list) = numbered::with_list(paragraph);
            let text = as_task(text).replace('\n', "<br>");
            match is_apart && !text.is_empty() {
                true => self.html.push_str(&format!("<p>{text}</p>")),
                false => self.html.push_str(&text),
            }
            self.html.push_str(&list);
        }
    }

    /// Ends the collected inline content: as paragraphs at the top level and in quotations, with
    /// line breaks in cells, items and headings, and unchanged between rows and items.
    fn flush(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        let text = inline.trim();
        if matches!(self.blocks.last().map(String::as_str), Some("ul" | "ol")) {
            self.is_apart = inline.contains(BLANK_LINE) && self.html.ends_with("</li>");
        }
        if text.is_empty() {
            return;
        }
        match self.blocks.last().map(String::as_str) {
            Some("ul" | "ol" | "table" | "tr") => self.html.push_str(text),
            Some("blockquote") | None => {
                for paragraph in paragraphs(text) {
                    let list = numbered::as_list(paragraph);
                    let lines = || format!("<p>{}</p>", paragraph.replace('\n', "<br>"));
                    self.html.push_str(&list.unwrap_or_else(lines));
                }
            }
            Some("li") => self.item(text),
            Some(_) => self.html.push_str(&text.replace('\n', "<br>")),
        }
    }
}

/// The separator of paragraphs.
pub(super) const BLANK_LINE: &str = "\n\n";

fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split(BLANK_LINE).map(str::trim).filter(|part| !part.is_empty())
}

/// Returns text with its character references resolved.
fn plain(text: &str) -> String {
    let text = text.replace(REFERENCE, "[").replace("&#93;", "]").replace("&amp;#", "&#");
    text.replace("\r\n", "\n")
}

/// Returns code with escaped end tags restored.
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

/// Turns a box at the start of an item's text into the checkbox of a task.
fn as_task(text: &str) -> String {
    let task = |sign: char, mark: &str| {
        let rest = text.strip_prefix(sign)?.strip_prefix(' ')?;
        Some(format!("<input disabled type=\"checkbox\"{mark}>{}", rest.trim_start()))
    };
    let found = task(DONE, " checked").or_else(|| task(TO_DO, ""));
    found.unwrap_or_else(|| text.to_owned())
}

//! Converts an HTML tree to BBCode.

use super::page::BLANK_LINE;
use super::{aside, numbered, read};
use crate::tags;
use crate::tree::{Element, Node};

/// A placeholder for a bracket in text until it is known whether it would be parsed as a tag. It
/// cannot occur in the text of HTML.
const BRACKET: char = '\0';
/// The maximum number of passes that look for brackets which would be parsed as tags. Once some are
/// written as character references, others may become tags instead.
const LOOKS_MAX: usize = 16;

/// The box of a completed task.
pub(super) const DONE: char = '☑';
/// The box of an open task.
pub(super) const TO_DO: char = '☐';

/// Writes a whole document.
pub(super) fn document(nodes: &[Node]) -> String {
    let mut out = String::new();
    blocks(&mut out, nodes);
    for _ in 0..LOOKS_MAX {
        match referred(&out) {
            Some(safer) => out = safer,
            None => return out.replace(BRACKET, "["),
        }
    }
    out.replace(BRACKET, REFERENCE)
}

/// A character reference for a bracket, which parsers of tags do not recognise.
pub(super) const REFERENCE: &str = "&#91;";

/// Returns the document with character references for the brackets in text that would be parsed as
/// tags; `None` if there are none. Tags that are unknown here stay as they are, because World Anvil
/// may know them.
fn referred(document: &str) -> Option<String> {
    let active = read::active(&document.replace(BRACKET, "["));
    let is_text = |at: &usize| document.get(*at..).is_some_and(|rest| rest.starts_with(BRACKET));
    let tags: Vec<usize> = active.into_iter().filter(is_text).collect();
    if tags.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(document.len());
    let mut done = 0;
    for at in tags {
        out.push_str(document.get(done..at).unwrap_or_default());
        out.push_str(REFERENCE);
        done = at + BRACKET.len_utf8();
    }
    out.push_str(document.get(done..).unwrap_or_default());
    Some(out)
}

/// Writes blocks, separated by blank lines; inline content between them forms a block.
fn blocks(out: &mut String, nodes: &[Node]) {
    let mut running = String::new();
    for node in nodes {
        match node {
            Node::Element(element) if is_block(element) => {
                paragraph(out, &mut running);
                let mut written = String::new();
                block(&mut written, element);
                paragraph(out, &mut written);
            }
            other => inline(&mut running, other),
        }
    }
    paragraph(out, &mut running);
}

fn paragraph(out: &mut String, text: &mut String) {
    let text = std::mem::take(text);
    let text = text.trim_matches([' ', '\n']);
    if text.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(text);
}

fn block(out: &mut String, element: &Element) {
    match element.tag.as_str() {
        "p" => inlines(out, &element.children),
        "h1" | "h2" | "h3" | "h4" => heading(out, &element.tag, element),
        // BBCode has no lower level.
        "h5" | "h6" => heading(out, "h4", element),
        "ul" | "ol" => list(out, element),
        "pre" => {
            let text = element.text();
            let text = without_end(text.trim_end_matches('\n'));
            out.push_str(&format!("[code]\n{text}\n[/code]"));
        }
        "hr" => out.push_str("[hr]"),
        "table" => table(out, element),
        "blockquote" => {
            out.push_str("[quote]");
            let mut inside = String::new();
            blocks(&mut inside, &element.children);
            out.push_str(&inside);
            out.push_str("[/quote]");
        }
        _ => blocks(out, &element.children),
    }
}

fn heading(out: &mut String, tag: &str, element: &Element) {
    let mut inside = String::new();
    inlines(&mut inside, &element.children);
    out.push_str(&format!("[{tag}]{}[/{tag}]", on_one_line(inside.trim())));
}

fn list(out: &mut String, element: &Element) {
    let start = element.attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1);
    if element.tag == "ol" && start != 1 {
        let items = children(element, "li").map(|item| content(&item.children, "[br]"));
        return out.push_str(&numbered::lines(start, items));
    }
    let is_paragraph = |node: &Node| as_element(node).is_some_and(|child| child.tag == "p");
    let is_loose = children(element, "li").any(|item| item.children.iter().any(is_paragraph));
    let between = if is_loose { BLANK_LINE } else { "\n" };
    let items = children(element, "li").map(|item| {
        let inside = content(&item.children, BLANK_LINE);
        format!("[li]{}[/li]", boxed(inside.trim()))
    });
    let items: Vec<String> = items.collect();
    let items = items.join(between);
    out.push_str(&format!("[{0}]\n{items}\n[/{0}]", element.tag));
}

/// Returns the text of an item with a single space after the box of a task.
fn boxed(text: &str) -> String {
    match text.strip_prefix([DONE, TO_DO]) {
        Some(rest) => {
            let sign = text.chars().take(1);
            sign.chain(" ".chars()).chain(rest.trim_start().chars()).collect()
        }
        None => text.to_owned(),
    }
}

/// Returns the content of an item or a cell, with each paragraph on one line.
fn content(nodes: &[Node], between_paragraphs: &str) -> String {
    let mut out = String::new();
    for node in nodes {
        let Some(element) = as_element(node).filter(|child| is_block(child)) else {
            let mut inside = String::new();
            inline(&mut inside, node);
            out.push_str(&on_one_line(&inside));
            continue;
        };
        let mut inside = String::new();
        block(&mut inside, element);
        let is_paragraph = element.tag == "p";
        let begins_lines = element.tag == "ol" && !inside.starts_with('[');
        if !out.trim().is_empty() && (is_paragraph || begins_lines) {
            out.truncate(out.trim_end().len());
            out.push_str(if is_paragraph { between_paragraphs } else { "\n" });
        }
        out.push_str(&if is_paragraph { on_one_line(&inside) } else { inside });
    }
    out
}

fn is_block(element: &Element) -> bool {
    tags::is_block(&element.tag)
}

fn on_one_line(text: &str) -> String {
    text.replace('\n', "[br]")
}

fn table(out: &mut String, element: &Element) {
    out.push_str("[table]\n");
    for row in rows(element) {
        out.push_str("[tr]");
        for cell in row.children.iter().filter_map(as_element) {
            if matches!(cell.tag.as_str(), "th" | "td") {
                let inside = content(&cell.children, "[br]");
                out.push_str(&format!("[{}]{}[/{}]", cell.tag, inside.trim(), cell.tag));
            }
        }
        out.push_str("[/tr]\n");
    }
    out.push_str("[/table]");
}

fn rows(element: &Element) -> Vec<&Element> {
    let mut found = Vec::new();
    for child in element.children.iter().filter_map(as_element) {
        match child.tag.as_str() {
            "tr" => found.push(child),
            "thead" | "tbody" | "tfoot" => found.extend(children(child, "tr")),
            _ => {}
        }
    }
    found
}

fn children<'a>(element: &'a Element, tag: &'static str) -> impl Iterator<Item = &'a Element> {
    element.children.iter().filter_map(as_element).filter(move |child| child.tag == tag)
}

fn as_element(node: &Node) -> Option<&Element> {
    match node {
        Node::Element(element) => Some(element),
        Node::Text(_) => None,
    }
}

fn inlines(out: &mut String, nodes: &[Node]) {
    nodes.iter().for_each(|node| inline(out, node));
}

fn inline(out: &mut String, node: &Node) {
    let element = match node {
        Node::Text(text) => return plain(out, text),
        Node::Element(element) => element,
    };
    match element.tag.as_str() {
        "strong" | "b" => around(out, "b", element),
        "em" | "i" => around(out, "i", element),
        "del" | "s" => around(out, "s", element),
        "u" | "sub" | "sup" => around(out, &element.tag, element),
        "code" => {
            let text = without_end(&element.text().replace('\n', " "));
            out.push_str(&format!("[code]{text}[/code]"));
        }
        // Two line breaks would start a new paragraph.
        "br" if out.is_empty() || out.ends_with('\n') => out.push_str("[br]"),
        "br" => out.push('\n'),
        "input" => {
            let done = element.attribute("checked").is_some();
            out.push(if done { DONE } else { TO_DO });
        }
        // A link whose URL was removed is plain text.
        "a" if element.attribute("href").is_none() => inlines(out, &element.children),
        "a" => {
            let address = aside::told(element, "href");
            out.push_str(&format!("[url={}]", address.replace(']', "%5D").replace('\n', "")));
            inlines(out, &element.children);
            out.push_str("[/url]");
        }
        "img" => {
            let address = aside::told(element, "src");
            out.push_str(&format!("[img]{}[/img]", address.replace(['[', '\n'], "")));
        }
        _ => inlines(out, &element.children),
    }
}

/// Escapes end tags within code.
fn without_end(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in lower.match_indices(read::CODE_END) {
        out.push_str(text.get(done..at).unwrap_or_default());
        out.push_str(REFERENCE);
        done = at + 1;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

fn around(out: &mut String, tag: &str, element: &Element) {
    let mut inside = String::new();
    inlines(&mut inside, &element.children);
    if inside.trim().is_empty() {
        out.push_str(&inside);
        return;
    }
    out.push_str(&format!("[{tag}]{inside}[/{tag}]"));
}

/// Writes text. A line break in the source becomes a space, unless a visible line break or a task's
/// box precedes it.
fn plain(out: &mut String, text: &str) {
    let text = text.replace('\n', " ").replace("&#", "&amp;#");
    let is_fresh =
        out.ends_with('\n') || [DONE, TO_DO].iter().any(|c| out.ends_with(&[*c, ' '][..]));
    let text = if is_fresh { text.trim_start_matches(' ') } else { &text };
    out.extend(text.chars().filter(|c| *c != BRACKET).map(|c| if c == '[' { BRACKET } else { c }));
}

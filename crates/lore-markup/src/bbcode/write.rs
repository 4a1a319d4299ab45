//! From a tree of HTML to BBCode.

use super::read;
use crate::tree::{Element, Node};

/// Stands for a bracket of a text until it is known whether it would be read as a tag. No
/// text of HTML has it.
const BRACKET: char = '\0';
/// How often a document is looked through for brackets that would be tags. Each time some
/// of them are written as references, others may turn out to be tags in their place.
const LOOKS_MAX: usize = 16;

/// A whole document.
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

/// A bracket that is none to a reader of tags.
const REFERENCE: &str = "&#91;";

/// The document with references for those brackets of its texts that would be read as
/// tags; nothing when none would. Tags that mean nothing here stay as they are: they may
/// mean something there.
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

/// Elements that stand on their own lines.
const BLOCKS: [&str; 14] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "blockquote",
    "pre",
    "table",
    "hr",
    "div",
];

/// Blocks with a blank line between two; running text between them is a block.
fn blocks(out: &mut String, nodes: &[Node]) {
    let mut running = String::new();
    for node in nodes {
        match node {
            Node::Element(element) if BLOCKS.contains(&element.tag.as_str()) => {
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
        // There is nothing smaller.
        "h5" | "h6" => heading(out, "h4", element),
        "ul" | "ol" => list(out, element),
        "pre" => {
            let text = element.text();
            out.push_str(&format!("[code]\n{}\n[/code]", text.trim_end_matches('\n')));
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
    out.push_str(&format!("[{}]\n", element.tag));
    for item in children(element, "li") {
        let mut inside = String::new();
        item_content(&mut inside, &item.children);
        out.push_str(&format!("[li]{}[/li]\n", inside.trim()));
    }
    out.push_str(&format!("[/{}]", element.tag));
}

/// Items and cells are written on one line, apart from lists in them.
fn item_content(out: &mut String, nodes: &[Node]) {
    for node in nodes {
        match node {
            Node::Element(element) if BLOCKS.contains(&element.tag.as_str()) => {
                if !out.trim().is_empty() && element.tag == "p" {
                    out.push_str("[br]");
                }
                let mut inside = String::new();
                block(&mut inside, element);
                let one_line = element.tag == "p";
                out.push_str(&if one_line { on_one_line(&inside) } else { inside });
            }
            other => {
                let mut inside = String::new();
                inline(&mut inside, other);
                out.push_str(&on_one_line(&inside));
            }
        }
    }
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
                let mut inside = String::new();
                item_content(&mut inside, &cell.children);
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
        "code" => out.push_str(&format!("[code]{}[/code]", element.text().replace('\n', " "))),
        // Two line breaks would begin a paragraph.
        "br" if out.is_empty() || out.ends_with('\n') => out.push_str("[br]"),
        "br" => out.push('\n'),
        "input" => {
            let done = element.attribute("checked").is_some();
            out.push_str(if done { "☑ " } else { "☐ " });
        }
        "a" => {
            let address = element.attribute("href").unwrap_or_default();
            out.push_str(&format!("[url={}]", address.replace(']', "%5D").replace('\n', "")));
            inlines(out, &element.children);
            out.push_str("[/url]");
        }
        "img" => {
            let address = element.attribute("src").unwrap_or_default();
            out.push_str(&format!("[img]{}[/img]", address.replace(['[', '\n'], "")));
        }
        _ => inlines(out, &element.children),
    }
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

/// Text. A line break of the source is a blank, and none after one that shows.
fn plain(out: &mut String, text: &str) {
    let text = text.replace('\n', " ").replace("&#", "&amp;#");
    let text = if out.ends_with('\n') { text.trim_start_matches(' ') } else { &text };
    out.extend(text.chars().filter(|c| *c != BRACKET).map(|c| if c == '[' { BRACKET } else { c }));
}

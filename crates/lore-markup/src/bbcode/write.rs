//! From a tree of HTML to BBCode.

use super::read::is_known;
use crate::tree::{Element, Node};

/// A whole document.
pub(super) fn document(nodes: &[Node]) -> String {
    let mut out = String::new();
    blocks(&mut out, nodes);
    out
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
    out.push_str(&format!("[{tag}]{}[/{tag}]", inside.trim()));
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
                block(out, element);
            }
            other => inline(out, other),
        }
    }
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
        "br" => out.push_str("[br]"),
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

/// Text. A line break of the source is a blank; brackets that would be tags are written
/// as references.
fn plain(out: &mut String, text: &str) {
    let text = text.replace('\n', " ").replace("&#", "&amp;#");
    let mut rest = text.as_str();
    while let Some(at) = rest.find('[') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let inside = tail.get(1..).and_then(|tail| tail.split_once(']')).map(|(inside, _)| inside);
        let is_tag = inside.is_some_and(is_known);
        out.push_str(if is_tag { "&#91;" } else { "[" });
        rest = tail.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
}

//! Converts an HTML tree to blocks and inline elements.

mod inline;
mod table;

use crate::clean;
use crate::model::{Block, Inline, Item, List};
use crate::tags;
use crate::tree::{self, Element, Mentions, Node};

/// Returns the blocks in a list of nodes. Inline content between blocks becomes paragraphs.
pub(crate) fn blocks(nodes: &[Node]) -> Vec<Block> {
    let mut found = Vec::new();
    let mut running: Vec<&Node> = Vec::new();
    for node in nodes {
        match node {
            Node::Element(element) if holds_blocks(element) => {
                flush(&mut running, &mut found);
                found.extend(block(element));
            }
            other => running.push(other),
        }
    }
    flush(&mut running, &mut found);
    found
}

/// Whether an element is a block or contains one.
fn holds_blocks(element: &Element) -> bool {
    tags::is_block(&element.tag)
        || element.children.iter().any(|child| match child {
            Node::Element(inner) => holds_blocks(inner),
            Node::Text(_) => false,
        })
}

fn flush(running: &mut Vec<&Node>, found: &mut Vec<Block>) {
    let text = inline::text(&std::mem::take(running));
    if !text.is_empty() {
        found.push(Block::Paragraph(text));
    }
}

fn block(element: &Element) -> Vec<Block> {
    let children = &element.children;
    match element.tag.as_str() {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => heading(element),
        "blockquote" => {
            let inside = blocks(children);
            if inside.is_empty() { Vec::new() } else { vec![Block::Quote(inside)] }
        }
        "ul" | "ol" => list(element).map(Block::List).into_iter().collect(),
        "pre" => vec![code(element)],
        "hr" => vec![Block::Rule],
        "table" => match table::simple(element) {
            Some(table) if table.rows.is_empty() => Vec::new(),
            Some(table) => vec![Block::Table(table)],
            None => vec![Block::Html(on_one_line(element))],
        },
        "details" | "dl" | "figure" => vec![Block::Html(on_one_line(element))],
        _ => blocks(children),
    }
}

fn heading(element: &Element) -> Vec<Block> {
    let nodes: Vec<&Node> = element.children.iter().collect();
    let text = inline::text(&nodes);
    let level =
        element.tag.bytes().last().map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
    if text.is_empty() { Vec::new() } else { vec![Block::Heading(level.clamp(1, 6), text)] }
}

fn code(element: &Element) -> Block {
    let inner = element.children.iter().find_map(|child| match child {
        Node::Element(inner) if inner.tag == "code" => Some(inner),
        _ => None,
    });
    let class = inner.and_then(|code| code.attribute("class")).or(element.attribute("class"));
    let text = element.text();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Block::Code(class.and_then(clean::language).map(str::to_owned), text.to_owned())
}

fn list(element: &Element) -> Option<List> {
    let mut entries = Vec::new();
    element.children.iter().for_each(|child| collect_entries(child, &mut entries));
    let items: Vec<Item> = entries.iter().map(item).collect();
    let start = element.attribute("start").and_then(|text| text.parse().ok()).unwrap_or(1);
    let loose = entries.iter().any(has_paragraph) || !items.iter().all(is_close);
    let start = (element.tag == "ol").then_some(start);
    (!items.is_empty()).then_some(List { start, loose, items })
}

/// Collects the items of a list. In malformed HTML they may be wrapped, or have text between them.
fn collect_entries(node: &Node, entries: &mut Vec<Element>) {
    match node {
        Node::Element(element) if element.tag == "li" => entries.push(element.clone()),
        Node::Element(element) if !tags::is_block(&element.tag) && holds_blocks(element) => {
            element.children.iter().for_each(|child| collect_entries(child, entries));
        }
        Node::Text(text) if text.trim().is_empty() => {}
        other => {
            let children = vec![other.clone()];
            let entry = Element { tag: "li".into(), children, ..Element::default() };
            if !blocks(&entry.children).is_empty() {
                entries.push(entry);
            }
        }
    }
}

fn has_paragraph(entry: &Element) -> bool {
    entry.children.iter().any(|child| matches!(child, Node::Element(e) if e.tag == "p"))
}

/// Whether an item can be in a list without blank lines: it is text, followed by at most a list
/// that can come directly after text.
fn is_close(item: &Item) -> bool {
    let follows = |block: &Block| match block {
        Block::List(list) => {
            let filled = list.items.first().is_some_and(|first| !first.blocks.is_empty());
            list.start.is_none_or(|start| start == 1) && filled && !list.loose
        }
        _ => false,
    };
    match item.blocks.split_first() {
        None => true,
        Some((Block::Paragraph(_), rest)) => rest.len() <= 1 && rest.iter().all(follows),
        Some((_, rest)) => rest.is_empty(),
    }
}

fn item(entry: &Element) -> Item {
    let blocks = started(blocks(&entry.children));
    let flag = entry.attribute("data-checked").map(|value| value == "true");
    let task = inline::task_of(&entry.children).or(flag);
    // A checkbox without text would be parsed as text.
    let worded = match blocks.first() {
        Some(Block::Paragraph(text)) => text.iter().any(|part| *part != Inline::Break),
        _ => false,
    };
    Item { task: task.filter(|_| worded), blocks }
}

/// Removes empty items from lists at the start of an item. Otherwise bullets would follow each
/// other, and three of them are a horizontal rule.
fn started(mut blocks: Vec<Block>) -> Vec<Block> {
    while let Some(Block::List(list)) = blocks.first_mut() {
        let blank = list.items.iter().take_while(|item| item.blocks.is_empty()).count();
        list.items.drain(..blank);
        if !list.items.is_empty() {
            break;
        }
        blocks.remove(0);
    }
    blocks
}

/// Returns an element as HTML on one line, which no blank line can interrupt.
fn on_one_line(element: &Element) -> String {
    let node = [Node::Element(joined(element, element.tag == "pre"))];
    tree::print(&node, Mentions::Verbatim).replace('\n', "&#10;")
}

/// Returns the element with its line breaks replaced by spaces, except where they are visible.
fn joined(element: &Element, preformatted: bool) -> Element {
    let children = element.children.iter().map(|child| match child {
        Node::Element(inner) => Node::Element(joined(inner, preformatted || inner.tag == "pre")),
        Node::Text(text) if preformatted => Node::Text(text.clone()),
        Node::Text(text) => Node::Text(text.split(['\n', '\r']).collect::<Vec<_>>().join(" ")),
    });
    let attributes = element.attributes.iter();
    let attributes =
        attributes.map(|(name, value)| (name.clone(), value.replace(['\n', '\r'], " ")));
    Element {
        tag: element.tag.clone(),
        attributes: attributes.collect(),
        children: children.collect(),
    }
}

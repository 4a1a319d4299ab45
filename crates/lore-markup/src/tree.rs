//! A minimal HTML tree.
//!
//! The parser only handles the output of the sanitiser, where every element is closed, every
//! attribute is in double quotes, and special characters are escaped. It must never get anything
//! else, because it does not repair.

use crate::clean;
use crate::mention::{self, Dialect, Piece};
use crate::tags;

/// The maximum nesting depth of elements. Deeper elements are dropped, but not their text.
const DEPTH_MAX: usize = 48;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// An element.
    Element(Element),
    /// Text, with its character references resolved.
    Text(String),
}

/// An element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Element {
    /// The name of the element.
    pub(crate) tag: String,
    /// The attributes with their values.
    pub(crate) attributes: Vec<(String, String)>,
    /// The content.
    pub(crate) children: Vec<Node>,
}

impl Element {
    /// Returns the value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns all text in the element.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        collect_text(&self.children, &mut text);
        text
    }
}

/// How mentions are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mentions {
    /// Escaped like other text: for HTML.
    Escaped,
    /// Verbatim: for HTML inside Markdown, where mentions are found before anything else is parsed.
    Verbatim,
}

/// Appends all text of some nodes, each block on a line of its own.
pub(crate) fn say(nodes: &[Node], out: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Element(element) => {
                say(&element.children, out);
                if !tags::is_inline(&element.tag) {
                    out.push('\n');
                }
            }
        }
    }
}

/// Parses sanitised HTML.
pub(crate) fn parse(html: &str) -> Vec<Node> {
    let mut open: Vec<Element> = vec![Element::default()];
    let mut too_deep = 0_usize;
    let mut rest = html;
    while !rest.is_empty() {
        let (text, tail) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        push_text(&mut open, text);
        let Some(end) = tail.find('>') else { break };
        let (tag, after) = tail.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        let tag = tag.get(1..).unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            close(&mut open, &mut too_deep, name);
            continue;
        }
        let element = element_of(tag);
        if tags::is_void(&element.tag) {
            push(&mut open, element);
        } else if open.len() > DEPTH_MAX {
            too_deep += 1;
        } else {
            open.push(element);
        }
    }
    while open.len() > 1 {
        close_innermost(&mut open);
    }
    open.pop().map(|root| root.children).unwrap_or_default()
}

/// Prints a tree as HTML.
pub(crate) fn print(nodes: &[Node], mentions: Mentions) -> String {
    let mut html = String::new();
    nodes.iter().for_each(|node| print_node(&mut html, node, mentions));
    html
}

/// Escapes text for use between tags and inside double quotes.
pub(crate) fn escape(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\u{a0}' => html.push_str("&nbsp;"),
            other => html.push(other),
        }
    }
}

fn print_node(html: &mut String, node: &Node, mentions: Mentions) {
    match node {
        Node::Text(text) => print_text(html, text, mentions),
        Node::Element(element) => {
            print_open(html, element, mentions);
            if tags::is_void(&element.tag) {
                return;
            }
            element.children.iter().for_each(|child| print_node(html, child, mentions));
            html.push_str("</");
            html.push_str(&element.tag);
            html.push('>');
        }
    }
}

/// Prints the start tag of an element.
pub(crate) fn print_open(html: &mut String, element: &Element, mentions: Mentions) {
    html.push('<');
    html.push_str(&element.tag);
    for (name, value) in &element.attributes {
        html.push(' ');
        html.push_str(name);
        html.push_str("=\"");
        print_text(html, value, mentions);
        html.push('"');
    }
    html.push('>');
}

fn print_text(html: &mut String, text: &str, mentions: Mentions) {
    if mentions == Mentions::Escaped {
        return escape(html, text);
    }
    for piece in mention::pieces(text, Dialect::Plain) {
        match piece {
            Piece::Text(text) => escape(html, text),
            Piece::Mention(mention) => html.push_str(&mention.text),
        }
    }
}

fn collect_text(nodes: &[Node], text: &mut String) {
    for node in nodes {
        match node {
            Node::Text(own) => text.push_str(own),
            Node::Element(element) if element.tag == "br" => text.push('\n'),
            Node::Element(element) => collect_text(&element.children, text),
        }
    }
}

fn push_text(open: &mut [Element], text: &str) {
    if text.is_empty() {
        return;
    }
    let Some(parent) = open.last_mut() else { return };
    if let Some(Node::Text(before)) = parent.children.last_mut() {
        before.push_str(&unescaped(text));
    } else {
        parent.children.push(Node::Text(unescaped(text)));
    }
}

fn push(open: &mut [Element], element: Element) {
    // Of all inputs, only the checkboxes of task lists are kept.
    if element.tag == "input" && element.attribute("type").is_none() {
        return;
    }
    if let Some(parent) = open.last_mut() {
        parent.children.push(Node::Element(element));
    }
}

fn close(open: &mut Vec<Element>, too_deep: &mut usize, name: &str) {
    if *too_deep > 0 {
        *too_deep -= 1;
    } else if open.len() > 1 && open.last().is_some_and(|element| element.tag == name) {
        close_innermost(open);
    }
}

fn close_innermost(open: &mut Vec<Element>) {
    if let Some(done) = open.pop() {
        push(open, done);
    }
}

fn element_of(tag: &str) -> Element {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut element = Element { tag: name.to_owned(), ..Element::default() };
    while let Some((name, after)) = rest.split_once("=\"") {
        let Some((value, tail)) = after.split_once('"') else { break };
        let kept = match (name.trim(), value) {
            ("style", value) => clean::alignment(value).is_some() || clean::is_look(value),
            _ => true,
        };
        if kept {
            element.attributes.push((name.trim().to_owned(), unescaped(value)));
        }
        rest = tail;
    }
    element
}

fn unescaped(text: &str) -> String {
    const NAMES: [(&str, char); 5] =
        [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("quot;", '"'), ("nbsp;", '\u{a0}')];
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('&');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let known = NAMES.iter().find_map(|(name, c)| Some((part.strip_prefix(name)?, *c)));
        let (rest, c) = known.unwrap_or((part, '&'));
        plain.push(c);
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_prints_as_it_was_read() {
        for html in [
            "<p>a <em>b</em> &amp; c</p>",
            "<p>a<br>b&nbsp;c</p>",
            "<a href=\"https://x.example/?a=1&amp;b=2\" title=\"a &quot;b&quot;\">x</a>",
        ] {
            assert_eq!(print(&parse(html), Mentions::Escaped), html);
        }
    }

    #[test]
    fn parts_of_a_line_stay_on_it() {
        assert_eq!(
            crate::to_text("an <u>un</u>seen <kbd>key</kbd>\n\nnext"),
            "an unseen key\n\nnext"
        );
    }

    #[test]
    fn deep_nesting_keeps_the_text() {
        let html = format!("{}x{}", "<div>".repeat(5_000), "</div>".repeat(5_000));
        let text = print(&parse(&html), Mentions::Escaped);
        assert!(text.contains('x') && text.len() < 1_000);
    }
}

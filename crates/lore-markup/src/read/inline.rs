//! Converts HTML nodes to inline elements.

use crate::mention::{self, Dialect, Piece};
use crate::model::{Inline, Style, Target};
use crate::tags;
use crate::tree::{self, Element, Mentions, Node};

/// Returns the inline content of some nodes, without white space and line breaks at its ends.
pub(super) fn text(nodes: &[&Node]) -> Vec<Inline> {
    let mut parts = Vec::new();
    nodes.iter().for_each(|node| add(&mut parts, node, &[]));
    settle(parts)
}

/// Returns whether an item starts with a checkbox and, if so, whether it is checked.
pub(super) fn task_of(nodes: &[Node]) -> Option<bool> {
    let first = nodes.iter().find(|node| match node {
        Node::Text(text) => !text.trim().is_empty(),
        Node::Element(_) => true,
    })?;
    let Node::Element(element) = first else { return None };
    match element.tag.as_str() {
        "input" => Some(element.attribute("checked").is_some()),
        "p" | "label" => task_of(&element.children),
        _ => None,
    }
}

fn add(parts: &mut Vec<Inline>, node: &Node, styles: &[Style]) {
    let element = match node {
        Node::Text(text) => return add_text(parts, text),
        Node::Element(element) => element,
    };
    // Markdown delimiters cannot carry a title.
    if !is_titled(element)
        && let Some(style) = style_of(&element.tag)
    {
        return add_styled(parts, element, style, styles);
    }
    match element.tag.as_str() {
        "br" => parts.push(Inline::Break),
        "code" => add_code(parts, element),
        "a" => add_link(parts, element, styles),
        "img" => add_image(parts, element),
        tag if tags::is_unsigned(tag) || is_titled(element) || is_styled_span(element) => {
            let open = opening(element);
            let inside = inside(element, styles);
            wrap(parts, element, inside, |inside| Inline::Tagged(open, tag.to_owned(), inside));
        }
        _ => element.children.iter().for_each(|child| add(parts, child, styles)),
    }
}

fn is_titled(element: &Element) -> bool {
    element.attribute("title").is_some_and(|title| !title.trim().is_empty())
}

fn is_styled_span(element: &Element) -> bool {
    element.tag == "span" && element.attribute("style").is_some()
}

fn style_of(tag: &str) -> Option<Style> {
    match tag {
        "em" | "i" => Some(Style::Emphasis),
        "strong" | "b" => Some(Style::Strong),
        "del" | "s" | "strike" => Some(Style::Strike),
        _ => None,
    }
}

/// Adds styled text. A style within itself has no effect.
fn add_styled(parts: &mut Vec<Inline>, element: &Element, style: Style, styles: &[Style]) {
    if styles.contains(&style) {
        return element.children.iter().for_each(|child| add(parts, child, styles));
    }
    let inside = inside(element, &[styles, &[style]].concat());
    wrap(parts, element, inside, |inside| Inline::Styled(style, inside));
}

fn inside(element: &Element, styles: &[Style]) -> Vec<Inline> {
    let mut parts = Vec::new();
    element.children.iter().for_each(|child| add(&mut parts, child, styles));
    parts
}

/// Adds the content of an element, with white space and line breaks at its ends moved outside. An
/// empty element is dropped, unless its attributes mention something.
fn wrap(
    parts: &mut Vec<Inline>,
    element: &Element,
    inside: Vec<Inline>,
    make: impl FnOnce(Vec<Inline>) -> Inline,
) {
    let (before, inside, after) = lifted(inside);
    parts.extend(before);
    let mut values = element.attributes.iter().map(|(_, value)| value);
    if !inside.is_empty() || values.any(|value| mention::is_in(value)) {
        parts.push(make(inside));
    }
    parts.extend(after);
}

fn lifted(mut inside: Vec<Inline>) -> (Vec<Inline>, Vec<Inline>, Vec<Inline>) {
    let shows = |part: &Inline| match part {
        Inline::Break => false,
        Inline::Text(text) => !text.chars().all(blank),
        _ => true,
    };
    let last = inside.iter().rposition(shows).map_or(0, |at| at + 1);
    let mut after = inside.split_off(last);
    let first = inside.iter().position(shows).unwrap_or(inside.len());
    let rest = inside.split_off(first);
    let mut before = std::mem::replace(&mut inside, rest);
    if let Some(Inline::Text(text)) = inside.first_mut()
        && text.starts_with(blank)
    {
        before.push(Inline::Text(leading(text).to_owned()));
        *text = text.trim_start_matches(blank).to_owned();
    }
    if let Some(Inline::Text(text)) = inside.last_mut() {
        let bare = text.trim_end_matches(blank).len();
        let blanks = text.split_off(bare);
        if !blanks.is_empty() {
            after.insert(0, Inline::Text(blanks));
        }
    }
    (before, inside, after)
}

fn leading(text: &str) -> &str {
    let bare = text.trim_start_matches(blank);
    text.get(..text.len() - bare.len()).unwrap_or_default()
}

/// Whether HTML collapses a character as white space. A no-break space is not collapsed.
fn blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn add_text(parts: &mut Vec<Inline>, text: &str) {
    for piece in mention::pieces(text, Dialect::Plain) {
        match piece {
            Piece::Text(text) => push_text(parts, &single_blanks(text)),
            Piece::Mention(mention) => parts.push(Inline::Mention(mention.text.into_owned())),
        }
    }
}

fn push_text(parts: &mut Vec<Inline>, text: &str) {
    match parts.last_mut() {
        Some(Inline::Text(before)) => before.push_str(text),
        _ => parts.push(Inline::Text(text.to_owned())),
    }
}

/// Collapses each run of white space into a space, or into a line break if it contains one.
fn single_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run: Option<char> = None;
    for c in text.chars() {
        if blank(c) {
            let broken = matches!(c, '\n' | '\r') || run == Some('\n');
            run = Some(if broken { '\n' } else { ' ' });
        } else {
            out.extend(run.take());
            out.push(c);
        }
    }
    out.extend(run);
    out
}

fn add_code(parts: &mut Vec<Inline>, element: &Element) {
    let text = element.text().replace(['\n', '\r'], " ");
    if !text.trim().is_empty() {
        parts.push(Inline::Code(text));
    }
}

fn add_link(parts: &mut Vec<Inline>, element: &Element, styles: &[Style]) {
    if let Some(mention) = kanka_mention(element) {
        return parts.push(Inline::Mention(mention));
    }
    let inside = inside(element, styles);
    match element.attribute("href") {
        Some(url) => {
            let target = target(url, element);
            wrap(parts, element, inside, |inside| Inline::Link(target, inside));
        }
        None => parts.extend(inside),
    }
}

/// Returns the mention behind a link from Kanka's editor or from a page that Kanka rendered.
fn kanka_mention(element: &Element) -> Option<String> {
    let written = element.attribute("data-mention").map(str::to_owned);
    let text = written.or_else(|| {
        let id = element.attribute("data-id")?;
        let code = element.attribute("data-entity-type").unwrap_or("entity");
        let label = single_blanks(element.text().trim()).replace([']', '\n'], " ");
        Some(if label.is_empty() {
            format!("[{code}:{id}]")
        } else {
            format!("[{code}:{id}|{label}]")
        })
    })?;
    let pieces = mention::pieces(&text, Dialect::Plain);
    match pieces.as_slice() {
        [Piece::Mention(mention)] => Some(mention.text.clone().into_owned()),
        _ => None,
    }
}

/// Returns the start tag of an element, on one line.
fn opening(element: &Element) -> String {
    let mut open = String::new();
    tree::print_open(&mut open, element, Mentions::Verbatim);
    open.replace(['\n', '\r'], " ")
}

fn add_image(parts: &mut Vec<Inline>, element: &Element) {
    let alt = element.attribute("alt").unwrap_or_default();
    // An image that may not be loaded is replaced by its description.
    let Some(url) = element.attribute("src") else { return add_text(parts, alt) };
    // Markdown has no syntax for sizes.
    if ["width", "height"].iter().any(|name| element.attribute(name).is_some()) {
        return parts.push(Inline::Html(opening(element)));
    }
    let alt = single_blanks(alt).replace('\n', " ");
    parts.push(Inline::Image(target(url, element), alt.trim().to_owned()));
}

fn target(url: &str, element: &Element) -> Target {
    let url = url.chars().filter(|c| !c.is_control()).collect::<String>();
    let title = element.attribute("title").map(|title| single_blanks(title).replace('\n', " "));
    Target { url: url.trim().to_owned(), title: title.filter(|title| !title.trim().is_empty()) }
}

/// Joins adjacent texts and removes white space that is not visible.
fn settle(parts: Vec<Inline>) -> Vec<Inline> {
    let (_, parts, _) = lifted(joined(parts));
    parts
}

fn joined(parts: Vec<Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::with_capacity(parts.len());
    for part in parts {
        let part = match part {
            Inline::Styled(style, inside) => Inline::Styled(style, joined(inside)),
            Inline::Link(target, inside) => Inline::Link(target, joined(inside)),
            Inline::Tagged(open, tag, inside) => Inline::Tagged(open, tag, joined(inside)),
            Inline::Text(text) => Inline::Text(single_blanks(&text)),
            other => other,
        };
        append(&mut out, part);
    }
    out
}

/// Appends a part to others. Only the boundary is examined, so the time is linear in the number of
/// parts.
fn append(out: &mut Vec<Inline>, part: Inline) {
    match (out.last_mut(), part) {
        (Some(Inline::Text(before)), Inline::Text(text)) => append_text(before, &text),
        // Two adjacent parts in the same style become one.
        (Some(Inline::Styled(before, text)), Inline::Styled(style, more)) if *before == style => {
            more.into_iter().for_each(|part| append(text, part));
        }
        (_, part) => out.push(part),
    }
}

/// Appends a text to another; white space at the boundary is collapsed.
fn append_text(before: &mut String, text: &str) {
    let blanks = (before.chars().next_back().filter(|c| blank(*c)), text.chars().next());
    let (Some(last), Some(first)) = blanks else { return before.push_str(text) };
    if !blank(first) {
        return before.push_str(text);
    }
    before.pop();
    before.push(if last == '\n' || first == '\n' { '\n' } else { ' ' });
    before.push_str(text.get(1..).unwrap_or_default());
}

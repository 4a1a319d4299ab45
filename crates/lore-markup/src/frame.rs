//! Embedded frames, such as a video or a map.
//!
//! A frame loads foreign content, so it is never shown, and it is only sent where it already
//! exists. So that its target is not lost when a text is read, it is replaced by a link.

use crate::clean;
use crate::tree::{self, Element, Mentions, Node};

/// A frame in a text stored elsewhere, and the link that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    html: String,
    link: String,
}

/// Returns the frames of an HTML text that is stored elsewhere.
pub fn frames(html: &str) -> Vec<Frame> {
    let mut found = Vec::new();
    collect(&tree::parse(&clean::incoming(html)), &mut found);
    found
}

/// Puts the frames of a stored text back in place of their links, in the HTML that will replace it.
/// If a link was removed, its frame is removed as well.
pub fn framed(html: String, frames: &[Frame]) -> String {
    frames.iter().fold(html, |html, frame| html.replacen(&frame.link, &frame.html, 1))
}

/// Returns HTML with every frame replaced by a link.
pub(crate) fn unframed(html: String) -> String {
    if !html.to_ascii_lowercase().contains("<iframe") {
        return html;
    }
    tree::print(&linked(tree::parse(&clean::incoming(&html))), Mentions::Escaped)
}

fn collect(nodes: &[Node], found: &mut Vec<Frame>) {
    let printed = |element: Element| tree::print(&[Node::Element(element)], Mentions::Escaped);
    for node in nodes {
        let Node::Element(element) = node else { continue };
        if element.tag != "iframe" {
            collect(&element.children, found);
        } else if let Some(link) = link(element) {
            let bare = Element { children: Vec::new(), ..element.clone() };
            found.push(Frame { html: printed(bare), link: printed(link) });
        }
    }
}

/// Returns nodes with every frame replaced by a link. Frames without a URL are dropped.
pub(crate) fn linked(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().filter_map(node).collect()
}

fn node(node: Node) -> Option<Node> {
    match node {
        Node::Text(text) => Some(Node::Text(text)),
        Node::Element(frame) if frame.tag == "iframe" => link(&frame).map(Node::Element),
        Node::Element(other) => {
            let children = linked(other.children);
            Some(Node::Element(Element { children, ..other }))
        }
    }
}

fn link(frame: &Element) -> Option<Element> {
    let address = frame.attribute("src").map(str::trim).filter(|address| !address.is_empty())?;
    // Kanka and other services omit the scheme.
    let address = match address.starts_with("//") {
        true => format!("https:{address}"),
        false => address.to_owned(),
    };
    let title = frame.attribute("title").map(str::trim).filter(|title| !title.is_empty());
    let label = title.unwrap_or(&address).to_owned();
    Some(Element {
        tag: "a".to_owned(),
        attributes: vec![("href".to_owned(), address)],
        children: vec![Node::Text(label)],
    })
}

#[cfg(test)]
mod tests {
    use super::{framed, frames};
    use crate::{sanitise, to_html, to_markdown};

    const FILM: &str = "https://www.youtube.com/embed/abc";

    #[test]
    fn what_is_framed_elsewhere_stays_framed_as_long_as_it_is_linked() {
        let frame = format!("<iframe src=\"{FILM}\" width=\"560\"></iframe>");
        let there = format!("<p>a</p>{frame}<p><a href=\"{FILM}\">the film</a></p>");
        let read = to_markdown(&there);
        let written = |markdown: &str| framed(to_html(markdown), &frames(&there));
        let more = written(&format!("{read}\n\nmore"));
        assert!(more.contains(&frame) && more.contains(">the film</a>"), "{more}");
        assert!(!written("a").contains("iframe"));
        let other = written("<https://www.youtube.com/embed/other>");
        assert!(!other.contains("iframe"), "{other}");
    }

    #[test]
    fn what_is_framed_here_is_linked_there() {
        let html = to_html(&format!("<iframe src=\"{FILM}\"></iframe>\n\nmore"));
        assert!(html.contains(&format!("<a href=\"{FILM}\">")) && html.contains("more"), "{html}");
        assert!(to_html(&format!("<iframe src=\"{FILM}\">\n\nmore")).contains("more"));
    }

    #[test]
    fn what_a_frame_shows_is_linked() {
        let film = FILM;
        for (html, markdown) in [
            (format!("<iframe src=\"{film}\"></iframe>"), format!("<{film}>")),
            (
                format!("<p>See</p><iframe title=\"The film\" src=\"{film}\">x</iframe><p>it</p>"),
                format!("See\n\n[The film]({film})\n\nit"),
            ),
            (
                "<p><iframe src=\"//maps.example/x\"></iframe></p>".to_owned(),
                "<https://maps.example/x>".to_owned(),
            ),
            ("<p>a<iframe></iframe>b</p>".to_owned(), "ab".to_owned()),
            ("<iframe src=\"javascript:alert(1)\"></iframe>".to_owned(), String::new()),
        ] {
            assert_eq!(to_markdown(&html), markdown, "{html}");
            assert_eq!(to_markdown(&to_html(&markdown)), markdown);
            assert!(!sanitise(&html).contains("iframe"));
        }
    }
}

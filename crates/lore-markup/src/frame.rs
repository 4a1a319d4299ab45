//! Pages within pages: a video, a map.
//!
//! A frame loads what it shows and so is never sent or shown; but what it pointed to must
//! not get lost when a text is read, so a link takes its place.

use crate::tree::{Element, Node};

/// Nodes with a link in the place of every frame. One without an address is left out.
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
    // Kanka and others leave the scheme to the page.
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
    use crate::{sanitise, to_html, to_markdown};

    #[test]
    fn what_a_frame_shows_is_linked() {
        let film = "https://www.youtube.com/embed/abc";
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

//! Reduces untrusted HTML to what Markdown has syntax for.

use crate::tags;
use crate::tree::{Element, Node};

/// Returns the nodes without images and without elements that Markdown would keep as HTML. Their
/// text stays.
pub(crate) fn worded(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().flat_map(one).collect()
}

fn one(node: Node) -> Vec<Node> {
    let Node::Element(mut element) = node else { return vec![node] };
    match element.tag.as_str() {
        "img" => {
            element.attribute("alt").map(|alt| Node::Text(alt.to_owned())).into_iter().collect()
        }
        "table" => table(element),
        "details" | "dl" | "figure" => vec![renamed(element, "div")],
        "summary" | "dt" | "dd" | "figcaption" => vec![renamed(element, "p")],
        tag if tags::is_inline(tag) && !tags::is_signed(tag) => worded(element.children),
        _ => {
            element.children = worded(element.children);
            vec![Node::Element(element)]
        }
    }
}

fn renamed(element: Element, tag: &str) -> Node {
    let children = worded(element.children);
    Node::Element(Element { tag: tag.to_owned(), children, ..Element::default() })
}

/// Simplifies a table: inline content only and at most one head row. Its caption is moved above it.
fn table(table: Element) -> Vec<Node> {
    let mut found = Table::default();
    found.take(table.children);
    let headed = |row: &[Element]| row.iter().all(|cell| cell.tag == "th");
    let on_top = found.rows.first().is_some_and(|row| headed(row));
    let rows = found.rows.into_iter().enumerate().map(|(at, cells)| {
        let tag = if at == 0 && on_top { "th" } else { "td" };
        let cells = cells.into_iter().map(|cell| {
            Node::Element(Element {
                tag: tag.into(),
                children: inline(cell.children),
                ..Element::default()
            })
        });
        Node::Element(Element { tag: "tr".into(), children: cells.collect(), ..Element::default() })
    });
    let rows: Vec<Node> = rows.collect();
    let table =
        Node::Element(Element { tag: "table".into(), children: rows, ..Element::default() });
    found.above.into_iter().chain([table]).collect()
}

#[derive(Default)]
struct Table {
    above: Vec<Node>,
    rows: Vec<Vec<Element>>,
}

impl Table {
    fn take(&mut self, nodes: Vec<Node>) {
        for node in nodes {
            let Node::Element(element) = node else { continue };
            match element.tag.as_str() {
                "tr" => self.rows.push(cells(element)),
                "thead" | "tbody" | "tfoot" => self.take(element.children),
                "caption" => self.above.push(renamed(element, "p")),
                _ => {}
            }
        }
    }
}

fn cells(row: Element) -> Vec<Element> {
    let cells = row.children.into_iter().filter_map(|node| match node {
        Node::Element(cell) if matches!(cell.tag.as_str(), "td" | "th") => Some(cell),
        _ => None,
    });
    cells.collect()
}

/// Returns the inline content of a cell, with spaces in place of block boundaries.
fn inline(nodes: Vec<Node>) -> Vec<Node> {
    let flat = |node: Node| match node {
        Node::Element(mut element) if tags::is_signed(&element.tag) || element.tag == "br" => {
            element.children = inline(element.children);
            vec![Node::Element(element)]
        }
        Node::Element(element) => {
            let blank = || Node::Text(" ".into());
            [vec![blank()], inline(element.children), vec![blank()]].concat()
        }
        text => vec![text],
    };
    worded(nodes).into_iter().flat_map(flat).collect()
}

#[cfg(test)]
mod tests {
    use crate::{literal, to_plain_markdown};

    #[test]
    fn pictures_are_what_they_are_said_to_show() {
        let html = "<p>See <img src=\"http://evil.example/a?leak\" alt=\"a map\" width=1> here.</p>\
            <figure><img src=x alt=\"\"><figcaption>The harbour</figcaption></figure>";
        assert_eq!(to_plain_markdown(html), "See a map here.\n\nThe harbour");
    }

    #[test]
    fn tables_of_any_form_are_rows_of_text() {
        let html = "<table><caption>Life</caption><tbody><tr><th>Born</th><td colspan=2><p>1815</p>\
            <ul><li>London</li></ul></td></tr><tr><th>Died</th><td>1852<img src=x></td></tr></tbody></table>";
        let markdown = to_plain_markdown(html);
        assert_eq!(
            markdown,
            "Life\n\n|  |  |\n| --- | --- |\n| Born | 1815 London |\n| Died | 1852 |"
        );
    }

    #[test]
    fn no_html_is_left() {
        let html = "<details><summary>More</summary>text<sup>[1]</sup> H<sub>2</sub>O</details>\
            <dl><dt>Word</dt><dd>meaning</dd></dl><p style=\"x\"><span style=\"color:red\">r</span> \
            &lt;script&gt;alert(1)&lt;/script&gt; <u>u</u></p>";
        let markdown = to_plain_markdown(html);
        let tags = markdown.replace("\\<", "").replace("&lt;", "");
        assert!(!tags.contains('<'), "{markdown}");
        for said in ["More", "[1]", "H2O", "Word", "meaning", "alert(1)"] {
            assert!(markdown.replace('\\', "").contains(said), "{said}: {markdown}");
        }
    }

    #[test]
    fn a_literal_shows_its_signs() {
        for text in ["Act <b>x</b>", "![a](http://x.example/p.png)", "*no* `code`", "# head"] {
            let html = crate::to_html(&literal(text));
            let escaped = text.replace('<', "&lt;").replace('>', "&gt;");
            assert_eq!(html, format!("<p>{escaped}</p>"));
        }
    }
}

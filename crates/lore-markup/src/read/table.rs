//! Tables that Markdown can express: a head row, further rows, cells with inline content. Markdown
//! tables always have a head row, so a table without one gets an empty one.

use super::{holds_blocks, inline};
use crate::clean;
use crate::model::{Align, Inline, Table};
use crate::tree::{Element, Node};

/// Returns the table, unless it has merged cells, a caption, blocks in a cell, or header cells
/// outside the first row.
pub(super) fn simple(table: &Element) -> Option<Table> {
    let mut rows = Vec::new();
    collect(table, &mut rows)?;
    let width = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    if width == 0 {
        return Some(Table { columns: Vec::new(), rows: Vec::new() });
    }
    let mut columns: Vec<Align> =
        rows.first().into_iter().flatten().map(|cell| align(cell)).collect();
    columns.resize(width, Align::None);
    let head = head_of(&rows)?;
    let rows = rows.iter().map(|row| cells(row, width));
    let rows = head.map(|_| Some(vec![Vec::new(); width])).into_iter().chain(rows);
    Some(Table { columns, rows: rows.collect::<Option<Vec<_>>>()? })
}

/// Marks that the table needs an empty head row.
struct EmptyHead;

/// Returns what to put on top; `None` if there are header cells that Markdown has no place for.
fn head_of(rows: &[Vec<&Element>]) -> Option<Option<EmptyHead>> {
    let (first, rest) = rows.split_first()?;
    let heads = |row: &[&Element]| row.iter().filter(|cell| cell.tag == "th").count();
    if rest.iter().any(|row| heads(row) > 0) {
        return None;
    }
    match heads(first) {
        0 => Some(Some(EmptyHead)),
        all if all == first.len() => Some(None),
        _ => None,
    }
}

fn collect<'a>(part: &'a Element, rows: &mut Vec<Vec<&'a Element>>) -> Option<()> {
    for child in &part.children {
        let Node::Element(element) = child else { continue };
        match element.tag.as_str() {
            "thead" | "tbody" | "tfoot" => collect(element, rows)?,
            "tr" => rows.push(element.children.iter().filter_map(cell).collect()),
            _ => return None,
        }
    }
    Some(())
}

fn cell(node: &Node) -> Option<&Element> {
    match node {
        Node::Element(element) if matches!(element.tag.as_str(), "td" | "th") => Some(element),
        _ => None,
    }
}

fn cells(row: &[&Element], width: usize) -> Option<Vec<Vec<Inline>>> {
    let mut cells = row.iter().map(|cell| content(cell)).collect::<Option<Vec<_>>>()?;
    cells.resize(width, Vec::new());
    Some(cells)
}

fn content(cell: &Element) -> Option<Vec<Inline>> {
    let merged = |name| cell.attribute(name).is_some_and(|value| value != "1");
    if merged("colspan") || merged("rowspan") {
        return None;
    }
    let children: Vec<&Node> = cell.children.iter().collect();
    // Editors often put the text of a cell into one paragraph.
    let visible = children.iter().filter(|node| match node {
        Node::Text(text) => !text.trim().is_empty(),
        Node::Element(_) => true,
    });
    let visible: Vec<&Node> = visible.copied().collect();
    if let [Node::Element(only)] = visible.as_slice()
        && only.tag == "p"
    {
        return content(&Element { attributes: Vec::new(), ..only.clone() });
    }
    let blocky = |node: &&Node| matches!(node, Node::Element(element) if holds_blocks(element));
    (!children.iter().any(blocky)).then(|| inline::text(&children))
}

fn align(cell: &Element) -> Align {
    let style = cell.attribute("style").and_then(clean::alignment);
    match style.or(cell.attribute("align")) {
        Some("left") => Align::Left,
        Some("center") => Align::Center,
        Some("right") => Align::Right,
        _ => Align::None,
    }
}

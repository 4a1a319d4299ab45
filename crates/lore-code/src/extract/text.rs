//! Signatures and comments, cut to a length.

use tree_sitter::Node;

use crate::language::Language;

const SIGNATURE: usize = 300;
const DOCSTRING: usize = 600;

/// Text on one line, no longer than so many characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// What is written before the body.
pub(super) fn signature(node: Node<'_>, source: &str) -> String {
    let body = node.child_by_field_name("body").or_else(|| {
        node.child_by_field_name("value").and_then(|value| value.child_by_field_name("body"))
    });
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let head = source.get(node.start_byte()..end).unwrap_or_default();
    shortened(head.trim_end().trim_end_matches(['{', ':']), SIGNATURE)
}

/// The comment above, or Python's text inside.
pub(super) fn docstring(node: Node<'_>, source: &str, language: Language) -> Option<String> {
    if language == Language::Python {
        let first = node.child_by_field_name("body")?.named_child(0)?;
        let text = first.named_child(0).filter(|text| text.kind() == "string")?;
        return clean(source.get(text.byte_range())?);
    }
    let mut lines = Vec::new();
    let mut before = outermost(node).prev_named_sibling();
    while let Some(found) = before {
        if found.kind().contains("attribute") || found.kind().contains("annotation") {
            before = found.prev_named_sibling();
            continue;
        }
        if !found.kind().contains("comment") || lines.len() >= 40 {
            break;
        }
        lines.push(source.get(found.byte_range()).unwrap_or_default());
        before = found.prev_named_sibling();
    }
    lines.reverse();
    clean(&lines.join("\n"))
}

/// `export function` keeps its comment above the export.
fn outermost(node: Node<'_>) -> Node<'_> {
    let wrapping = ["export_statement", "decorated_definition", "lexical_declaration"];
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| wrapping.contains(&parent.kind())) {
        outer = parent;
    }
    outer
}

fn clean(comment: &str) -> Option<String> {
    let bare = |line: &str| {
        let line = line.trim().trim_start_matches(['/', '*', '!', '#', '"', '\'']);
        line.trim_end_matches(['/', '*', '"', '\'']).trim().to_owned()
    };
    let lines: Vec<_> = comment.lines().map(bare).filter(|line| !line.is_empty()).collect();
    let text = shortened(&lines.join(" "), DOCSTRING);
    (!text.is_empty()).then_some(text)
}

//! Signatures and comments, cut to a length.

use tree_sitter::Node;

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

/// Python's text inside a definition.
pub(super) fn inner_docstring(node: Node<'_>, source: &str) -> Option<String> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let text = first.named_child(0).filter(|text| text.kind() == "string")?;
    clean(source.get(text.byte_range())?)
}

/// A comment without its marks.
pub(super) fn clean(comment: &str) -> Option<String> {
    let bare = |line: &str| {
        let line = line.trim().trim_start_matches(['/', '*', '!', '#', '"', '\'']);
        line.trim_end_matches(['/', '*', '"', '\'']).trim().to_owned()
    };
    let lines: Vec<_> =
        comment.lines().take(40).map(bare).filter(|line| !line.is_empty()).collect();
    let text = shortened(&lines.join(" "), DOCSTRING);
    (!text.is_empty()).then_some(text)
}

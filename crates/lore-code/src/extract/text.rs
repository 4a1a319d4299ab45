//! Signatures and comments, shortened.

use tree_sitter::Node;

/// The most characters of a signature, parameter list or type.
const SIGNATURE: usize = 300;
/// The most characters of a docstring.
const DOCSTRING: usize = 600;

/// Returns text on one line, shortened to a number of characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        // A character has four bytes at most, so this keeps enough to see that there is more.
        line.push_str(beginning(word, 4 * (most + 1)));
        if line.len() > 4 * most {
            break;
        }
    }
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Returns the first bytes of a text, up to a limit, without splitting a character.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// Returns the text of a definition before its body.
pub(super) fn signature(node: Node<'_>, source: &str) -> String {
    let body = node
        .child_by_field_name("body")
        .or_else(|| value_of(node).and_then(|value| value.child_by_field_name("body")));
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let head = source.get(node.start_byte()..end).unwrap_or_default();
    shortened(head.trim_end().trim_end_matches(['{', ':']), SIGNATURE)
}

/// Returns the docstring of a Python definition.
pub(super) fn inner_docstring(node: Node<'_>, source: &str) -> Option<String> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    // `return "…"` also begins with a string.
    let first = Some(first).filter(|first| first.kind() == "expression_statement")?;
    let text = first.named_child(0).filter(|text| text.kind() == "string")?;
    let mut cursor = text.walk();
    let content = text.named_children(&mut cursor).find(|part| part.kind() == "string_content")?;
    let words = shortened(source.get(content.byte_range())?, DOCSTRING);
    (!words.is_empty()).then_some(words)
}

/// Whether a comment can document the definition below it: it has a line of its own and is not an
/// inner comment, which documents what contains it.
pub(super) fn is_about_what_follows(comment: Node<'_>, source: &str) -> bool {
    let before = source.get(..comment.start_byte()).unwrap_or_default();
    let mut line = before.chars().rev().take_while(|letter| *letter != '\n');
    let text = source.get(comment.byte_range()).unwrap_or_default();
    let inner = ["//!", "/*!", "#!"].iter().any(|start| text.starts_with(start));
    line.all(char::is_whitespace) && !inner
}

/// The parameters and the return type of a function.
#[derive(Default)]
pub(super) struct Shape {
    /// Its parameters as written.
    pub(super) params: Option<String>,
    /// Its return type as written.
    pub(super) return_type: Option<String>,
}

/// Returns the parameters and the return type of a function, as written.
pub(super) fn shape(node: Node<'_>, source: &str) -> Shape {
    let written = |part: Node<'_>| of_type(part, source);
    let declarator = node.child_by_field_name("declarator");
    if let Some(declarator) = declarator.filter(|_| node.kind() == "function_definition") {
        return declared(node, declarator, source);
    }
    let value = value_of(node);
    let part = |fields: &[&str]| {
        let places = std::iter::once(node).chain(value);
        let mut found = places
            .flat_map(|place| fields.iter().filter_map(move |f| place.child_by_field_name(f)));
        found.next().map(written)
    };
    let returned: &[&str] = match node.kind() {
        // In Java, the return type is where other languages have the type of a variable.
        "method_declaration" => &["result", "type"],
        _ => &["return_type", "result"],
    };
    Shape { params: part(&["parameters", "parameter"]), return_type: part(returned) }
}

/// Returns the value of an assignment that defines a function: `const f = (a) => …` and `a.f =
/// function …`.
fn value_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"))
}

fn of_type(part: Node<'_>, source: &str) -> String {
    let text = source.get(part.byte_range()).unwrap_or_default();
    shortened(text.trim_start_matches([':', ' ']).trim_start_matches("->"), SIGNATURE)
}

/// Returns the shape of a C declaration. There, the return type surrounds the name: `int *f(void)`.
pub(super) fn declared(node: Node<'_>, declarator: Node<'_>, source: &str) -> Shape {
    let written = |part: Node<'_>| of_type(part, source);
    let mut at = Some(declarator);
    let mut returned = node.child_by_field_name("type").map(written);
    while let Some(declarator) = at {
        if let Some(params) = declarator.child_by_field_name("parameters") {
            let mut cursor = declarator.walk();
            let mut parts = declarator.named_children(&mut cursor);
            let trailing = parts.find(|part| part.kind() == "trailing_return_type");
            let return_type = trailing.map(written).or(returned);
            return Shape { params: Some(written(params)), return_type };
        }
        if let Some(returned) = &mut returned {
            match declarator.kind() {
                "pointer_declarator" => returned.push_str(" *"),
                "reference_declarator" => returned.push_str(" &"),
                _ => {}
            }
        }
        at = declarator.child_by_field_name("declarator").or(declarator.named_child(0));
    }
    Shape { params: None, return_type: returned }
}

/// Removes comment markers from a comment and shortens it.
pub(super) fn clean(comment: &str) -> Option<String> {
    // Shorten the comment first: every definition on the row below it cleans it again.
    let comment = beginning(comment, 16 * DOCSTRING);
    let bare = |line: &str| {
        // SQL comments begin with two hyphens.
        let line = line.trim();
        let line = line.strip_prefix("--").unwrap_or(line);
        let line = line.trim_start_matches(['/', '*', '!', '#', '"', '\'']);
        line.trim_end_matches(['/', '*', '"', '\'']).trim().to_owned()
    };
    let lines: Vec<_> =
        comment.lines().take(40).map(bare).filter(|line| !line.is_empty()).collect();
    let text = shortened(&lines.join(" "), DOCSTRING);
    (!text.is_empty()).then_some(text)
}

//! Names in syntax trees: what is defined, called, built on.

use tree_sitter::Node;

use crate::facts::{BaseKind, Export};

/// The name a definition gives.
pub(super) fn defined(node: Node<'_>, source: &str) -> Option<String> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(text(name, source).to_owned());
    }
    // C hides names inside declarators, SQL inside references.
    let mut at = node.child_by_field_name("declarator");
    while let Some(declarator) = at {
        match declarator.kind() {
            "identifier"
            | "field_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name" => return Some(text(declarator, source).to_owned()),
            _ => at = declarator.child_by_field_name("declarator").or(declarator.named_child(0)),
        }
    }
    let mut cursor = node.walk();
    let reference = node
        .named_children(&mut cursor)
        .find(|child| ["object_reference", "identifier"].contains(&child.kind()))?;
    let name = reference.child_by_field_name("name").unwrap_or(reference);
    Some(text(name, source).trim_matches(['"', '`', '[', ']']).to_owned())
}

/// What a definition is to those who import its file.
pub(super) fn export(node: Node<'_>) -> Export {
    let Some(parent) = node.parent().filter(|parent| parent.kind() == "export_statement") else {
        return Export::Named;
    };
    let mut cursor = parent.walk();
    match parent.children(&mut cursor).any(|child| child.kind() == "default") {
        true => Export::Default,
        false => Export::Named,
    }
}

/// What is called, and on what.
pub(super) fn callee(node: Node<'_>, source: &str) -> Option<(Option<String>, String)> {
    let fields = ["function", "constructor", "name", "type"];
    let called = fields.iter().find_map(|field| node.child_by_field_name(field))?;
    if let Some(object) = node.child_by_field_name("object") {
        return Some((Some(last_name(text(object, source))), plain(called, source)?));
    }
    let inner = [("field", "value"), ("attribute", "object"), ("property", "object")];
    let more = [("field", "operand"), ("field", "argument"), ("name", "path"), ("name", "scope")];
    for (name, base) in inner.iter().chain(&more) {
        let parts = (called.child_by_field_name(name), called.child_by_field_name(base));
        if let (Some(name), Some(base)) = parts {
            return Some((Some(qualifier(base, source)), plain(name, source)?));
        }
    }
    Some((None, plain(called, source)?))
}

/// What a class builds on.
pub(super) fn bases(node: Node<'_>, source: &str) -> Vec<(String, BaseKind)> {
    let mut found = Vec::new();
    if let Some(arguments) = node.child_by_field_name("superclasses") {
        collect(arguments, source, BaseKind::Extends, &mut found);
    }
    if let Some(superclass) = node.child_by_field_name("superclass") {
        collect(superclass, source, BaseKind::Extends, &mut found);
    }
    if let Some(interfaces) = node.child_by_field_name("interfaces") {
        collect(interfaces, source, BaseKind::Implements, &mut found);
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "class_heritage" => heritage(child, source, &mut found),
            "base_class_clause" | "extends_type_clause" | "extends_interfaces" | "trait_bounds" => {
                collect(child, source, BaseKind::Extends, &mut found);
            }
            _ => {}
        }
    }
    found
}

/// The type a Go method belongs to.
pub(super) fn receiver(written: &str) -> String {
    let inside = written.trim_matches(['(', ')']);
    let kind = inside.split_whitespace().last().unwrap_or_default();
    last_name(kind.trim_start_matches('*'))
}

/// The last name of a path, without type arguments.
pub(super) fn last_name(path: &str) -> String {
    let bare = path.split(['<', '[', '(']).next().unwrap_or_default();
    let bare = bare.trim().trim_start_matches(['&', '*']);
    let last = bare.rsplit(['.', ':', '/', '>', ' ']).find(|part| !part.is_empty());
    last.unwrap_or_default().chars().take(120).collect()
}

fn heritage(node: Node<'_>, source: &str, found: &mut Vec<(String, BaseKind)>) {
    let mut cursor = node.walk();
    let mut clauses = 0;
    for clause in node.named_children(&mut cursor) {
        match clause.kind() {
            "extends_clause" => collect(clause, source, BaseKind::Extends, found),
            "implements_clause" => collect(clause, source, BaseKind::Implements, found),
            _ => continue,
        }
        clauses += 1;
    }
    if clauses == 0 {
        collect(node, source, BaseKind::Extends, found);
    }
}

fn collect(node: Node<'_>, source: &str, kind: BaseKind, found: &mut Vec<(String, BaseKind)>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "type_list" | "interface_type_list" => collect(child, source, kind, found),
            "keyword_argument" | "access_specifier" | "type_arguments" | "lifetime" | "comment" => {
            }
            _ => {
                let name = last_name(text(child, source));
                if !name.is_empty() {
                    found.push((name, kind));
                }
            }
        }
    }
}

/// What something is called on or through; a path of keywords alone keeps its colons, for
/// `self::f` is not `self.f`.
fn qualifier(base: Node<'_>, source: &str) -> String {
    let last = last_name(text(base, source));
    let is_path = base.parent().is_some_and(|around| around.kind() == "scoped_identifier");
    match is_path && ["self", "super", "crate"].contains(&last.as_str()) {
        true => format!("{last}::"),
        false => last,
    }
}

fn plain(node: Node<'_>, source: &str) -> Option<String> {
    let name = last_name(text(node, source));
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || "_$!?".contains(letter));
    (is_name && !name.is_empty()).then_some(name)
}

/// The text of a node.
pub(super) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

//! Imports in syntax trees: which names they import, from where, and under which local names.

use tree_sitter::Node;

use super::names::{last_name, text};
use super::text::shortened;
use crate::facts::ImportedName;
use crate::language::Language;

/// The most names of one import.
const NAMES_MAX: usize = 500;
/// The most characters that are kept of a Rust path. An import whose module has more than twice as
/// many bytes is dropped.
const PATH_MAX: usize = 300;

/// Whether a call of this name is an import.
pub(super) fn is_import(language: Language, called: &str) -> bool {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            ["import", "require"].contains(&called)
        }
        Language::Shell => called == "source" || called == ".",
        _ => false,
    }
}

/// Returns the imported modules, each with the imported names.
pub(super) fn imported(
    node: Node<'_>,
    around: &[Node<'_>],
    source: &str,
    language: Language,
) -> Vec<(String, Vec<ImportedName>)> {
    let mut found = match language {
        Language::Rust => vec![rust(text(node, source))],
        Language::Python => python(node, source),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            script(node, around, source).into_iter().collect()
        }
        Language::Java => vec![java(text(node, source))],
        Language::Go => go(node, source).into_iter().collect(),
        Language::Shell => shell(node, source).into_iter().collect(),
        Language::C | Language::Cpp | Language::Sql => c(node, source).into_iter().collect(),
    };
    found.retain(|(module, _)| !module.is_empty() && module.len() <= 2 * PATH_MAX);
    found.iter_mut().for_each(|(_, names)| names.truncate(NAMES_MAX));
    found
}

/// Turns paths written in an inline module of a Rust file into paths relative to the file.
pub(super) fn from_file(names: &mut [ImportedName]) {
    for imported in names {
        if let Some(rest) = imported.path.strip_prefix("super") {
            imported.path = format!("self{rest}");
        }
    }
}

fn rust(written: &str) -> (String, Vec<ImportedName>) {
    let tree = written.split_once("use ").map_or(written, |(_, tree)| tree);
    let tree = tree.trim().trim_end_matches(';').trim();
    (shortened(tree, PATH_MAX), rust_leaves(tree))
}

/// Returns the leaves of `a::{b, c::{d as e}}`, each with its whole path.
fn rust_leaves(tree: &str) -> Vec<ImportedName> {
    let (mut found, mut before, mut leaf) = (Vec::new(), vec![String::new()], String::new());
    for letter in tree.chars().chain([',']) {
        let prefix = before.last().map_or("", String::as_str);
        match letter {
            '{' => {
                let longer = format!("{prefix}{}", leaf.trim());
                before.push(longer.chars().take(PATH_MAX).collect());
                leaf.clear();
            }
            ',' | '}' => {
                found.extend(rust_leaf(prefix, leaf.trim()));
                leaf.clear();
                if letter == '}' && before.len() > 1 {
                    before.pop();
                }
            }
            letter => leaf.push(letter),
        }
        if found.len() > NAMES_MAX {
            break;
        }
    }
    found
}

fn rust_leaf(prefix: &str, leaf: &str) -> Option<ImportedName> {
    let (path, alias) = match leaf.split_once(" as ") {
        Some((path, alias)) => (path.trim(), Some(alias.trim())),
        None => (leaf, None),
    };
    if path.is_empty() {
        return None;
    }
    let path = match path {
        "self" => prefix.trim_end_matches(':').to_owned(),
        path => format!("{prefix}{path}"),
    };
    let name = match path.strip_suffix("::*") {
        Some(_) => ImportedName::ALL.to_owned(),
        None => last_name(&path),
    };
    let local = alias.map_or_else(|| name.clone(), str::to_owned);
    Some(ImportedName { path: path.trim_end_matches("::*").to_owned(), name, local })
}

fn python(node: Node<'_>, source: &str) -> Vec<(String, Vec<ImportedName>)> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    let written: Vec<(&str, Option<&str>)> = names
        .map(|name| match (name.child_by_field_name("name"), name.child_by_field_name("alias")) {
            (Some(name), alias) => (text(name, source), alias.map(|alias| text(alias, source))),
            (None, _) => (text(name, source), None),
        })
        .collect();
    let Some(module) = node.child_by_field_name("module_name").map(|name| text(name, source))
    else {
        // `import a.b as c` imports the module itself. Without an alias, its local name is the
        // whole path.
        let each = written.into_iter().map(|(path, alias)| {
            let local = alias.unwrap_or(path).to_owned();
            (
                path.to_owned(),
                vec![ImportedName { path: path.to_owned(), name: last_name(path), local }],
            )
        });
        return each.collect();
    };
    let dot = if module.ends_with('.') { "" } else { "." };
    let mut imported: Vec<_> = written
        .into_iter()
        .map(|(name, alias)| ImportedName {
            path: format!("{module}{dot}{name}"),
            name: name.to_owned(),
            local: alias.unwrap_or(name).to_owned(),
        })
        .collect();
    if imported.is_empty() {
        imported.push(everything(module));
    }
    vec![(module.to_owned(), imported)]
}

fn script(
    node: Node<'_>,
    around: &[Node<'_>],
    source: &str,
) -> Option<(String, Vec<ImportedName>)> {
    if node.kind() == "call_expression" {
        return required(node, around, source);
    }
    // `import a = require('…')` has the source one level deeper.
    let inner = node.named_child(0).filter(|inner| inner.kind() == "import_require_clause");
    let written =
        node.child_by_field_name("source").or_else(|| inner?.child_by_field_name("source"));
    let module = unquoted(text(written?, source));
    let mut names = Vec::new();
    if node.kind() == "export_statement" && node.named_child_count() == 1 {
        // `export * from '…'`.
        return Some((module.clone(), vec![everything(&module)]));
    }
    let mut open = vec![node];
    while let Some(part) = open.pop() {
        let named = |name: &str, local: &str| ImportedName {
            path: module.clone(),
            name: name.to_owned(),
            local: local.to_owned(),
        };
        let mut cursor = part.walk();
        for child in part.named_children(&mut cursor) {
            let written = text(child, source);
            match (part.kind(), child.kind()) {
                ("import_clause", "identifier") => {
                    names.push(named(ImportedName::DEFAULT, written))
                }
                (
                    "namespace_import" | "namespace_export" | "import_require_clause",
                    "identifier",
                ) => names.push(named(ImportedName::ALL, written)),
                (_, "import_specifier" | "export_specifier") => {
                    let name =
                        child.child_by_field_name("name").map_or(written, |n| text(n, source));
                    let alias = child.child_by_field_name("alias").map(|alias| text(alias, source));
                    names.push(named(name, alias.unwrap_or(name)));
                }
                (_, "import_clause" | "named_imports" | "namespace_import")
                | (_, "export_clause" | "namespace_export" | "import_require_clause") => {
                    open.push(child);
                }
                _ => {}
            }
        }
    }
    Some((module, names))
}

/// Handles `const { a, b: c } = require('…')` and `const d = await import('…')`.
fn required(
    node: Node<'_>,
    around: &[Node<'_>],
    source: &str,
) -> Option<(String, Vec<ImportedName>)> {
    let argument = node.child_by_field_name("arguments")?.named_child(0)?;
    let module = Some(argument).filter(|argument| argument.kind() == "string")?;
    let module = unquoted(text(module, source));
    let named = |name: &str, local: &str| ImportedName {
        path: module.clone(),
        name: name.to_owned(),
        local: local.to_owned(),
    };
    let mut around = around.iter().rev().filter(|around| around.kind() != "await_expression");
    let target = around.next().filter(|around| around.kind() == "variable_declarator");
    let Some(target) = target.and_then(|around| around.child_by_field_name("name")) else {
        return Some((module, Vec::new()));
    };
    let mut cursor = target.walk();
    let parts = target.named_children(&mut cursor).filter_map(|part| match part.kind() {
        "shorthand_property_identifier_pattern" => {
            Some(named(text(part, source), text(part, source)))
        }
        "pair_pattern" => {
            let (key, value) =
                (part.child_by_field_name("key")?, part.child_by_field_name("value")?);
            Some(named(text(key, source), text(value, source)))
        }
        _ => None,
    });
    let names = match target.kind() {
        "identifier" => vec![named(ImportedName::ALL, text(target, source))],
        _ => parts.collect(),
    };
    Some((module, names))
}

fn java(written: &str) -> (String, Vec<ImportedName>) {
    let path = written.trim_start_matches("import").trim().trim_end_matches(';').trim();
    let path = path.strip_prefix("static ").unwrap_or(path).trim();
    let imported = match path.strip_suffix(".*") {
        Some(package) => everything(package),
        None => {
            let name = last_name(path);
            ImportedName { path: path.to_owned(), local: name.clone(), name }
        }
    };
    (path.to_owned(), vec![imported])
}

fn go(node: Node<'_>, source: &str) -> Option<(String, Vec<ImportedName>)> {
    let path = unquoted(text(node.child_by_field_name("path")?, source));
    let given = node.child_by_field_name("name").map(|name| text(name, source).to_owned());
    let local = match given.as_deref() {
        Some(".") => ImportedName::ALL.to_owned(),
        Some(name) => name.to_owned(),
        None => go_package(&path).to_owned(),
    };
    let imported = ImportedName { path: path.clone(), name: ImportedName::ALL.to_owned(), local };
    Some((path, vec![imported]))
}

/// Returns the package name of a path. A version at its end is not the name.
fn go_package(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let is_version = last
        .strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_digit()));
    if is_version { parts.next().unwrap_or(last) } else { last }
}

fn shell(node: Node<'_>, source: &str) -> Option<(String, Vec<ImportedName>)> {
    let path = unquoted(text(node.child_by_field_name("argument")?, source));
    let imported = everything(&path);
    Some((path, vec![imported]))
}

fn c(node: Node<'_>, source: &str) -> Option<(String, Vec<ImportedName>)> {
    let path = unquoted(text(node.child_by_field_name("path")?, source));
    let imported = everything(&path);
    Some((path, vec![imported]))
}

fn everything(path: &str) -> ImportedName {
    let all = || ImportedName::ALL.to_owned();
    ImportedName { path: path.to_owned(), name: all(), local: all() }
}

fn unquoted(written: &str) -> String {
    written.trim_matches(['"', '\'', '`', '<', '>']).to_owned()
}

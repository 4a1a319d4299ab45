//! Names in syntax trees: of definitions, callees and base types.

use tree_sitter::Node;

use super::text::beginning;
use super::types::Typed;
use crate::facts::{BaseKind, Export};
use crate::language::Language;

/// The expressions that stand for the exports of a JavaScript file.
const EXPORTS: [&str; 2] = ["exports", "module.exports"];

/// Returns the name of a definition.
pub(super) fn defined(node: Node<'_>, source: &str) -> Option<String> {
    if let Some(left) = assigned(node) {
        return assigned_name(node, left, source);
    }
    let fields = ["name", "property", "key"];
    if let Some(name) = fields.iter().find_map(|field| node.child_by_field_name(field)) {
        // Members of objects may have any name: `'a-b'() {}`.
        return Some(text(name, source).trim_matches(['"', '\'']).to_owned());
    }
    // The name is inside a declarator in C and inside a reference in SQL.
    let inside = node.child_by_field_name("declarator");
    if let Some(name) = inside.and_then(|inside| declared(inside, source)) {
        return Some(name);
    }
    let mut cursor = node.walk();
    let reference = node
        .named_children(&mut cursor)
        .find(|child| ["object_reference", "identifier"].contains(&child.kind()))?;
    let name = reference.child_by_field_name("name").unwrap_or(reference);
    Some(text(name, source).trim_matches(['"', '`', '[', ']']).to_owned())
}

/// Returns the name inside a C declarator.
pub(super) fn declared(declarator: Node<'_>, source: &str) -> Option<String> {
    let mut at = Some(declarator);
    while let Some(declarator) = at {
        match declarator.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name" => return Some(text(declarator, source).to_owned()),
            _ => at = declarator.child_by_field_name("declarator").or(declarator.named_child(0)),
        }
    }
    None
}

/// Returns the target of a definition that is an assignment.
pub(super) fn assigned(node: Node<'_>) -> Option<Node<'_>> {
    Some(node).filter(|node| node.kind() == "assignment_expression")?.child_by_field_name("left")
}

/// `f = function …`, `a.f = function …` and `module.exports = function f …`.
fn assigned_name(node: Node<'_>, left: Node<'_>, source: &str) -> Option<String> {
    let name = match left.child_by_field_name("property") {
        _ if EXPORTS.contains(&text(left, source)) => {
            node.child_by_field_name("right")?.child_by_field_name("name")?
        }
        Some(property) => property,
        None => left,
    };
    Some(text(name, source).to_owned())
}

/// Returns the owner of an assigned function: `T` for `T.prototype.f` and `T.f`.
pub(super) fn assigned_owner(left: Node<'_>, source: &str) -> Option<String> {
    let object = text(left.child_by_field_name("object")?, source);
    let object = object.strip_suffix(".prototype").unwrap_or(object);
    let owner = last_name(object);
    let is_one = !EXPORTS.contains(&object) && object != "this" && !owner.is_empty();
    is_one.then_some(owner)
}

/// Returns the name of the default export: `module.exports = f` and `export default f`.
pub(super) fn default_export<'s>(node: Node<'_>, source: &'s str) -> Option<&'s str> {
    let named = match assigned(node) {
        Some(left) if text(left, source) == "module.exports" => node.child_by_field_name("right"),
        Some(_) => None,
        None => node.child_by_field_name("value"),
    };
    Some(text(named?, source))
}

/// Returns pairs of local and exported name: `export { a as b }`, `module.exports = { b: a }` and
/// `exports.b = a`.
pub(super) fn renamed<'s>(node: Node<'_>, source: &'s str) -> Vec<(&'s str, &'s str)> {
    const NAMES_MAX: usize = 500;
    let pair = |part: Node<'_>, name: &str, other: &str| {
        let (name, other) = (part.child_by_field_name(name)?, part.child_by_field_name(other)?);
        let is_plain = ["identifier", "property_identifier"].contains(&other.kind());
        (is_plain && name.kind() == "identifier").then(|| (text(name, source), text(other, source)))
    };
    let Some(left) = assigned(node) else {
        let mut cursor = node.walk();
        let mut parts = node.named_children(&mut cursor);
        let Some(clause) = parts.find(|part| part.kind() == "export_clause") else {
            return Vec::new();
        };
        let mut cursor = clause.walk();
        let named = clause.named_children(&mut cursor);
        return named.filter_map(|part| pair(part, "name", "alias")).take(NAMES_MAX).collect();
    };
    let Some(right) = node.child_by_field_name("right") else { return Vec::new() };
    if EXPORTS.contains(&text(left, source)) {
        let mut cursor = right.walk();
        let members = right.named_children(&mut cursor).filter(|member| member.kind() == "pair");
        return members.filter_map(|part| pair(part, "value", "key")).take(NAMES_MAX).collect();
    }
    let part = |name: &str| left.child_by_field_name(name).map(|part| text(part, source));
    match (part("object"), part("property"), right.kind()) {
        (Some(object), Some(property), "identifier") if EXPORTS.contains(&object) => {
            vec![(text(right, source), property)]
        }
        _ => Vec::new(),
    }
}

/// Returns how a definition is visible to files that import its file.
pub(super) fn export(node: Node<'_>, around: Option<Node<'_>>, source: &str) -> Export {
    if assigned(node).is_some_and(|left| text(left, source) == "module.exports") {
        return Export::Default;
    }
    let Some(parent) = around.filter(|parent| parent.kind() == "export_statement") else {
        return Export::Named;
    };
    let mut cursor = parent.walk();
    match parent.children(&mut cursor).any(|child| child.kind() == "default") {
        true => Export::Default,
        false => Export::Named,
    }
}

/// Whether a node is a name or a path of names.
pub(super) fn is_named(node: Node<'_>) -> bool {
    root(node).kind() == "identifier"
}

/// Returns the name of the field in `self.a = …` (Python) or `this.a = …` (JavaScript).
pub(super) fn own_attribute<'s>(node: Node<'_>, source: &'s str) -> Option<&'s str> {
    let left = node.child_by_field_name("left")?;
    let object = left.child_by_field_name("object")?;
    let name = ["attribute", "property"].iter().find_map(|name| left.child_by_field_name(name))?;
    ["self", "this"].contains(&text(object, source)).then(|| text(name, source))
}

/// Returns the fields that a TypeScript constructor declares with its parameters, as in
/// `constructor(private a: T)`, with their types.
pub(super) fn fields_of_constructor<'s>(
    node: Node<'s>,
    source: &'s str,
    language: Language,
) -> Vec<Typed<'s>> {
    let Some(parameters) = node.child_by_field_name("parameters") else { return Vec::new() };
    let is_field = |parameter: &Node<'_>| {
        let first = parameter.named_child(0);
        first.is_some_and(|first| ["accessibility_modifier", "readonly"].contains(&first.kind()))
    };
    let mut cursor = parameters.walk();
    let fields = parameters.named_children(&mut cursor).filter(is_field);
    fields.flat_map(|field| super::types::given(field, source, language)).collect()
}

/// The target of a call.
pub(super) struct Callee<'t> {
    /// What it is called on or through.
    pub(super) base: Option<Node<'t>>,
    /// The notation.
    pub(super) way: Way,
    /// The last name of the base, or its whole path for [`Way::Path`].
    pub(super) qualifier: String,
    pub(super) name: String,
}

/// The notation that separates a name from what it is called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `a.b()`.
    Dot,
    /// `a::b()`.
    Path,
}

/// Returns the target of a call.
pub(super) fn callee<'t>(node: Node<'t>, source: &str) -> Option<Callee<'t>> {
    let fields = ["function", "constructor", "name", "type"];
    let called = fields.iter().find_map(|field| node.child_by_field_name(field))?;
    if let Some(object) = node.child_by_field_name("object") {
        let qualifier = last_name(text(object, source));
        let name = plain(called, source)?;
        return Some(Callee { base: Some(object), way: Way::Dot, qualifier, name });
    }
    let called = match called.kind() {
        // `f()()` calls the result of `f`.
        "call_expression" | "call" => return None,
        // In JavaScript, `f.call(x)` calls `f`. In Go, `m.f[T]()` calls `m.f`.
        "member_expression" => called_by_itself(called, source),
        "index_expression" => {
            let operand = called.child_by_field_name("operand");
            operand.filter(|operand| operand.kind() == "selector_expression")
        }
        "generic_function" => called.child_by_field_name("function"),
        "generic_type" => called.child_by_field_name("type"),
        _ => None,
    }
    .unwrap_or(called);
    if ["scoped_type_identifier", "generic_type"].contains(&called.kind()) {
        // `new a.b.T<U>()` in Java.
        let written = path(text(called, source));
        let (before, name) = written.rsplit_once("::").unwrap_or(("", &written));
        let base = Some(called).filter(|_| !before.is_empty());
        let (qualifier, name) = (before.to_owned(), name.to_owned());
        return Some(Callee { base, way: Way::Path, qualifier, name });
    }
    let inner = [("field", "value"), ("attribute", "object"), ("property", "object")];
    let more = [("field", "operand"), ("field", "argument"), ("name", "path"), ("name", "scope")];
    let last = [("name", "package")];
    for (name, base) in inner.iter().chain(&more).chain(&last) {
        let parts = (called.child_by_field_name(name), called.child_by_field_name(base));
        if let (Some(name), Some(base)) = parts {
            let way = match called.kind() {
                "scoped_identifier" | "qualified_identifier" | "qualified_type" => Way::Path,
                _ => Way::Dot,
            };
            let qualifier = match way {
                Way::Path => path_before(base, name, source),
                Way::Dot => last_name(text(base, source)),
            };
            let name = plain(name, source)?;
            return Some(Callee { base: Some(base), way, qualifier, name });
        }
    }
    let name = plain(called, source)?;
    Some(Callee { base: None, way: Way::Path, qualifier: String::new(), name })
}

fn called_by_itself<'t>(called: Node<'t>, source: &str) -> Option<Node<'t>> {
    let (object, name) = member(called)?;
    let is_called = ["apply", "call"].contains(&text(name, source));
    Some(object).filter(|object| is_called && is_named(*object))
}

/// Returns the first part of `a.b.c`.
pub(super) fn root(base: Node<'_>) -> Node<'_> {
    const STEPS_MAX: usize = 32;
    let mut at = base;
    for _ in 0..STEPS_MAX {
        let Some((inner, _)) = member(at) else { break };
        at = inner;
    }
    at
}

/// Returns the object and the name of `a.b`.
pub(super) fn member(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "attribute" => Some((field("object")?, field("attribute")?)),
        "member_expression" => Some((field("object")?, field("property")?)),
        "field_access" => Some((field("object")?, field("field")?)),
        "field_expression" => {
            Some((field("value").or_else(|| field("argument"))?, field("field")?))
        }
        "selector_expression" => Some((field("operand")?, field("field")?)),
        _ => None,
    }
}

/// Returns the base types of a class.
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
    if let Some(written) = node.child_by_field_name("type") {
        embedded(written, source, &mut found);
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

/// Returns the type that a Go method belongs to, given its written receiver.
pub(super) fn receiver(written: &str) -> String {
    let inside = written.trim_matches(['(', ')']);
    let kind = inside.split_whitespace().last().unwrap_or_default();
    last_name(kind.trim_start_matches('*'))
}

/// Returns the last name of a path, without type arguments. Empty if a long text does not begin
/// like a path.
pub(super) fn last_name(path: &str) -> String {
    const PATH_MAX: usize = 400;
    let head = beginning(path, PATH_MAX);
    let bare = head.split(['<', '[', '(']).next().unwrap_or_default();
    if bare.len() == head.len() && head.len() < path.len() {
        return String::new();
    }
    let bare = bare.trim().trim_start_matches(['&', '*']);
    let last = bare.rsplit(['.', ':', '/', '>', ' ']).find(|part| !part.is_empty());
    last.unwrap_or_default().chars().take(120).collect()
}

/// Returns a path as `a::b::c`, whatever the notation of the language, without type arguments. If
/// it is not a path of plain names, only its last name.
pub(super) fn path(written: &str) -> String {
    const PARTS_MAX: usize = 12;
    let last = last_name(written);
    let head = beginning(written, 400).split(['<', '[', '(']).next().unwrap_or_default();
    let head = head.trim().trim_start_matches(['&', '*']).rsplit(' ').next().unwrap_or_default();
    let is_name =
        |part: &&str| part.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let parts: Vec<_> = head.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    match parts.len() <= PARTS_MAX
        && parts.iter().all(is_name)
        && parts.last() == Some(&last.as_str())
    {
        true => parts.join("::"),
        false => last,
    }
}

/// Finds the types that a Go type embeds: it has all their methods.
fn embedded(written: Node<'_>, source: &str, found: &mut Vec<(String, BaseKind)>) {
    let fields = match written.kind() {
        "interface_type" => Some(written),
        "struct_type" => written.named_child(0),
        _ => None,
    };
    let Some(fields) = fields else { return };
    let mut cursor = fields.walk();
    for field in fields.named_children(&mut cursor) {
        let base = match field.kind() {
            "field_declaration" if field.child_by_field_name("name").is_none() => {
                field.child_by_field_name("type")
            }
            // `~int | ~string` is a union of types.
            "type_elem" if field.named_child_count() == 1 => field.named_child(0),
            _ => None,
        };
        let base = base.filter(|base| base.kind() != "negated_type");
        found.extend(base.map(|base| (path(text(base, source)), BaseKind::Extends)));
    }
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
                let name = path(text(child, source));
                if !name.is_empty() {
                    found.push((name, kind));
                }
            }
        }
    }
}

/// Returns the path before a name. In C++, the name itself may begin with a part of the path. A
/// path that ends with a keyword is reduced to this with its colons, because `self::f` is not
/// `self.f`.
fn path_before(base: Node<'_>, name: Node<'_>, source: &str) -> String {
    let mut before = path(bare_type(text(base, source)));
    if let Some((more, _)) = path(text(name, source)).rsplit_once("::") {
        before = format!("{before}::{more}");
    }
    let last = before.rsplit("::").next().unwrap_or_default();
    match ["self", "super", "crate"].contains(&last) {
        true => format!("{last}::"),
        false => before,
    }
}

/// Returns `T` of `<T as Trait>` in Rust.
fn bare_type(written: &str) -> &str {
    let inner = written.strip_prefix('<').and_then(|inner| inner.strip_suffix('>'));
    inner.map_or(written, |inner| inner.split(" as ").next().unwrap_or(inner))
}

fn plain(node: Node<'_>, source: &str) -> Option<String> {
    let name = last_name(text(node, source));
    // Private methods in JavaScript begin with `#`, and commands may contain hyphens.
    let signs = if node.kind() == "command_name" { "_-" } else { "_$!?#" };
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || signs.contains(letter));
    (is_name && !name.is_empty()).then_some(name)
}

/// Returns the text of a node.
pub(super) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

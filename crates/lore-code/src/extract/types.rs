//! Types as written in the source. Knowing the type of a value tells which method is called on it.

use std::borrow::Cow;

use tree_sitter::Node;

use super::names::{last_name, text};
use crate::language::Language;

/// A name and the path of its type.
pub(super) type Typed<'s> = (&'s str, Cow<'s, str>);

/// Returns the variables that a parameter or declaration introduces with their types, as far as
/// both are evident.
pub(super) fn given<'s>(node: Node<'s>, source: &'s str, language: Language) -> Vec<Typed<'s>> {
    match node.kind() {
        "parameters"
        | "formal_parameters"
        | "closure_parameters"
        | "parameter_list"
        | "lexical_declaration"
        | "variable_declaration" => {
            let mut cursor = node.walk();
            let mut typed = TypedNames { source, language, found: Vec::new() };
            node.named_children(&mut cursor).for_each(|part| typed.add(part));
            typed.found
        }
        _ => {
            let mut typed = TypedNames { source, language, found: Vec::new() };
            typed.add(node);
            typed.found
        }
    }
}

/// Returns the name and the value of a declaration of one variable without a type.
pub(super) fn assigned<'s>(node: Node<'s>, source: &'s str) -> Option<(&'s str, Node<'s>)> {
    let (name, value) = match node.kind() {
        "let_declaration" => ("pattern", "value"),
        "variable_declarator" | "public_field_definition" | "var_spec" => ("name", "value"),
        "assignment" | "short_var_declaration" => ("left", "right"),
        "local_variable_declaration" => {
            return assigned(node.child_by_field_name("declarator")?, source);
        }
        _ => return None,
    };
    // Of several values that Go returns, only the first is used.
    let first = |part: Node<'s>| match part.kind() {
        "expression_list" => part.named_child(0),
        _ => Some(part),
    };
    let name = first(node.child_by_field_name(name)?)?;
    let value = first(node.child_by_field_name(value)?)?;
    NAMES.contains(&name.kind()).then(|| (text(name, source), value))
}

/// Returns the type parameters of a function with their bounds, as in `fn f<T: A>(…) where U: B`
/// and `function f<T extends A>(…)`.
pub(super) fn bounds<'s>(
    function: Node<'s>,
    source: &'s str,
    language: Language,
) -> Vec<Typed<'s>> {
    let mut cursor = function.walk();
    let parts: Vec<_> = function
        .named_children(&mut cursor)
        .filter(|part| ["type_parameters", "where_clause"].contains(&part.kind()))
        .collect();
    let mut found = Vec::new();
    for part in parts {
        let mut cursor = part.walk();
        for told in part.named_children(&mut cursor) {
            let field = |names: [&str; 2]| names.iter().find_map(|n| told.child_by_field_name(n));
            let (name, bound) = (field(["name", "left"]), field(["bounds", "constraint"]));
            let (Some(name), Some(bound)) = (name, bound) else { continue };
            let mut cursor = bound.walk();
            // `T: A + B` has both bounds.
            let several: Vec<_> = match bound.kind() {
                "trait_bounds" => bound.named_children(&mut cursor).collect(),
                _ => vec![bound],
            };
            found.extend(several.into_iter().filter_map(|bound| {
                let bound = text(bound, source);
                let bound = bound.strip_prefix("extends ").unwrap_or(bound);
                Some((text(name, source), plain_name(bound, language)?))
            }));
        }
    }
    found
}

/// Returns the names of type parameters, in order, from `<'a, T, U: A>` or `<'a, T, U>`.
pub(super) fn parameters<'s>(list: Node<'s>, source: &'s str) -> Vec<&'s str> {
    let mut cursor = list.walk();
    let types =
        list.named_children(&mut cursor).filter(|part| !part.kind().starts_with("lifetime"));
    types.map(|part| text(part.child_by_field_name("name").unwrap_or(part), source)).collect()
}

/// Replaces a type parameter by its bounds, joined as in `A+B`. Other types stay as they are.
pub(super) fn bounded<'s>(kind: Cow<'s, str>, bounds: &[Typed<'s>]) -> Cow<'s, str> {
    let bound = |kind: &str| {
        let told = bounds.iter().filter(|(name, _)| *name == kind);
        let told: Vec<_> = told.map(|(_, bound)| bound.as_ref()).collect();
        (!told.is_empty()).then(|| told.join("+"))
    };
    match held(&kind).and_then(bound) {
        Some(bound) => Cow::Owned(format!("[{bound}]")),
        None => bound(&kind).map_or(kind, Cow::Owned),
    }
}

/// Returns the path of a written type, such as `a::b::T`, or `[T]` for a container of `T`. `None`
/// if it is not a single type with a name.
pub(super) fn plain_name(written: &str, language: Language) -> Option<Cow<'_, str>> {
    name_within(written, wrappers(language), language)
}

/// Returns the path of the type that a function returns on success.
pub(crate) fn returned_name(written: &str, language: Language) -> Option<Cow<'_, str>> {
    // `(T, error)` in Go counts as `T`.
    let first = written.trim().strip_prefix('(').map_or(written, first_argument);
    name_within(first, &[wrappers(language), &ATTEMPTS].concat(), language)
}

/// Returns the element type of a container: `T` of `[T]`.
pub(crate) fn held(kind: &str) -> Option<&str> {
    kind.strip_prefix('[')?.strip_suffix(']')
}

fn name_within<'s>(
    written: &'s str,
    wrappers: &[&str],
    language: Language,
) -> Option<Cow<'s, str>> {
    const LAYERS_MAX: usize = 6;
    let mut rest = written;
    for _ in 0..LAYERS_MAX {
        rest = some_part(bare(rest))?;
        let Some(start) = rest.find(['<', '[']) else { break };
        let (head, inside) = rest.split_at_checked(start)?;
        let inside = inside.get(1..)?.trim();
        if !wrappers.contains(&last_part(head)) {
            // `T[]` and `[T]` are lists; `T<U>` counts as `T`.
            let is_list = head.is_empty() || inside.starts_with(']');
            let holds = head.is_empty() || HOLDERS.contains(&last_part(head));
            if language == Language::Rust && holds {
                let inner = first_argument(inside).split(';').next().unwrap_or_default();
                let inner = name_within(inner, self::wrappers(language), language)?;
                return Some(Cow::Owned(format!("[{inner}]")));
            }
            rest = Some(head).filter(|_| !is_list)?;
            break;
        }
        rest = first_argument(inside);
    }
    path(rest.trim_end_matches(['*', '&', ' ', '?']))
}

/// Converts a path of names from the notation of any language.
fn path(written: &str) -> Option<Cow<'_, str>> {
    let parts = || written.split(['.', ':']).map(str::trim).filter(|part| !part.is_empty());
    let is_path = parts().all(is_name) && !ANYTHING.contains(&parts().next_back()?);
    is_path.then(|| match written.contains(['.', ' ']) {
        true => Cow::Owned(parts().collect::<Vec<_>>().join("::")),
        false => Cow::Borrowed(written.trim_matches(':')),
    })
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The kinds of nodes that are names, in all grammars.
const NAMES: [&str; 3] = ["identifier", "field_identifier", "property_identifier"];
/// The most nodes that are followed to find a name or a type.
const STEPS_MAX: usize = 8;
/// Rust types that contain values of another type.
const HOLDERS: [&str; 9] = [
    "BTreeSet",
    "BinaryHeap",
    "HashSet",
    "LinkedList",
    "Option",
    "Result",
    "SmallVec",
    "Vec",
    "VecDeque",
];

/// Returns the types that behave like their type argument.
fn wrappers(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => &["Arc", "Box", "Rc", "Ref", "RefMut"],
        Language::Python | Language::Java => &["Optional"],
        Language::JavaScript | Language::TypeScript | Language::Tsx => &["Readonly"],
        Language::Cpp => &["shared_ptr", "unique_ptr"],
        _ => &[],
    }
}
/// Types of values that may be missing or not yet available.
const ATTEMPTS: [&str; 4] = ["Awaitable", "Option", "Promise", "Result"];
/// Types that tell nothing.
const ANYTHING: [&str; 8] = ["Any", "Object", "any", "auto", "object", "typeof", "unknown", "var"];

/// The names of Rust functions that usually return a value of their own type.
const MAKERS: [&str; 7] = ["connect", "create", "default", "from", "new", "open", "try_from"];

/// Returns the first type argument, given the text after the opening bracket.
fn first_argument(inside: &str) -> &str {
    let mut depth = 0_usize;
    let end = inside.find(|letter: char| match letter {
        '<' | '[' | '(' => {
            depth += 1;
            false
        }
        '>' | ']' | ')' if depth > 0 => {
            depth -= 1;
            false
        }
        ',' | '>' | ']' | ')' => depth == 0,
        _ => false,
    });
    inside.get(..end.unwrap_or(inside.len())).unwrap_or_default()
}

/// Removes reference marks, lifetimes, qualifiers and quotes from a type.
fn bare(written: &str) -> &str {
    let mut rest = written.trim();
    loop {
        let before = rest;
        rest = rest.trim_start_matches([':', '&', '*', '"', ' ']).trim_end_matches(['"', ' ']);
        // `'a T`, or `'T'` where a type is written as a string.
        if let Some(quoted) = rest.strip_prefix('\'') {
            rest = match quoted.strip_suffix('\'') {
                Some(inner) => inner,
                None => quoted.split_once(' ').map_or("", |(_, after)| after),
            };
        }
        for word in ["mut ", "dyn ", "impl ", "const ", "readonly ", "struct ", "class "] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        if rest == before {
            return rest;
        }
    }
}

/// Returns the essential type of `T | None` and `T + Send`.
fn some_part(written: &str) -> Option<&str> {
    // Commas and bars inside brackets belong to the type arguments.
    if written.contains(['<', '[', '(']) {
        return Some(written);
    }
    let first = written.split('+').next().unwrap_or_default();
    let nothing = ["None", "null", "undefined"];
    let mut parts = first.split('|').map(str::trim).filter(|part| !nothing.contains(part));
    let only = parts.next()?;
    parts.next().is_none().then_some(only)
}

fn last_part(path: &str) -> &str {
    path.rsplit(['.', ':']).next().unwrap_or_default().trim()
}

/// The typed variables found so far.
struct TypedNames<'s> {
    source: &'s str,
    language: Language,
    found: Vec<Typed<'s>>,
}

impl<'s> TypedNames<'s> {
    fn add(&mut self, node: Node<'s>) {
        let source = self.source;
        let field = |name: &str| node.child_by_field_name(name);
        let written = || field("type").map(|written| text(written, source));
        let made = |name: &str| field(name).and_then(|value| constructed(value, source));
        let one = match node.kind() {
            "parameter" | "required_parameter" | "optional_parameter" => {
                (field("pattern"), written())
            }
            "typed_parameter" => (node.named_child(0), written()),
            "typed_default_parameter"
            | "formal_parameter"
            | "enhanced_for_statement"
            | "resource" => (field("name"), written()),
            "let_declaration" => (field("pattern"), written().or_else(|| made("value"))),
            "variable_declarator" => (field("name"), written().or_else(|| made("value"))),
            "assignment" => (field("left"), written().or_else(|| made("right"))),
            "short_var_declaration" => return self.add_pairs(node),
            "parameter_declaration" | "var_spec" | "declaration" => {
                return self.add_several(node);
            }
            "local_variable_declaration" | "field_declaration" | "public_field_definition" => {
                return self.add_several(node);
            }
            _ => return,
        };
        if let (Some(name), Some(written)) = one {
            self.note(name, written);
        }
    }

    fn note(&mut self, name: Node<'s>, written: &'s str) {
        let name = Some(name).filter(|name| NAMES.contains(&name.kind()));
        if let (Some(name), Some(kind)) = (name, plain_name(written, self.language)) {
            self.found.push((text(name, self.source), kind));
        }
    }

    /// `a, b T`, and `T a = …, *b`.
    fn add_several(&mut self, node: Node<'s>) {
        let source = self.source;
        let Some(written) = node.child_by_field_name("type").map(|written| text(written, source))
        else {
            return;
        };
        let is_guessed = ["auto", "var"].contains(&written);
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            if matches!(cursor.field_name(), Some("name" | "declarator")) {
                let declared = cursor.node();
                let made = declared.child_by_field_name("value").filter(|_| is_guessed);
                let made = made.and_then(|value| constructed(value, source));
                let name = made_of_names(declared, source, self.language);
                self.note(name.unwrap_or_else(|| innermost(declared)), made.unwrap_or(written));
            }
            more = cursor.goto_next_sibling();
        }
    }

    /// `a, b := T{}, &U{}`.
    fn add_pairs(&mut self, node: Node<'s>) {
        let side = |name: &str| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (side("left"), side("right")) else { return };
        let (mut names, mut values) = (left.walk(), right.walk());
        let values: Vec<_> = right.named_children(&mut values).collect();
        for (name, value) in left.named_children(&mut names).zip(values) {
            if let Some(made) = constructed(value, self.source) {
                self.note(name, made);
            }
        }
    }
}

/// Returns the variable of `T a(b)` in a C++ function. The grammar takes it for a declaration of a
/// function with a parameter of type `b`, but `b` does not look like the name of a type.
pub(super) fn made_of_names<'s>(
    declared: Node<'s>,
    source: &str,
    language: Language,
) -> Option<Node<'s>> {
    if language != Language::Cpp || declared.kind() != "function_declarator" {
        return None;
    }
    let parameters = declared.child_by_field_name("parameters")?;
    let mut cursor = parameters.walk();
    let is_value = |part: Node<'_>| {
        let name = text(part, source);
        part.named_child(0).is_some_and(|only| only.kind() == "type_identifier")
            && part.named_child_count() == 1
            && !name.ends_with("_t")
            && !is_capital(name)
    };
    let is_made = parameters.named_children(&mut cursor).any(is_value);
    let name = declared.child_by_field_name("declarator")?;
    (is_made && name.kind() == "identifier").then_some(name)
}

/// Returns the name inside a declarator, as in `*a = …`.
pub(super) fn innermost(declared: Node<'_>) -> Node<'_> {
    let mut at = declared;
    for _ in 0..STEPS_MAX {
        let inner = match at.kind() {
            "init_declarator" | "pointer_declarator" => at.child_by_field_name("declarator"),
            "reference_declarator" => at.named_child(0),
            "variable_declarator" => at.child_by_field_name("name"),
            _ => None,
        };
        let Some(inner) = inner else { break };
        at = inner;
    }
    at
}

/// Returns the type of a value that is constructed on the spot, possibly behind operators such as
/// `&` and `await`.
pub(super) fn constructed<'s>(value: Node<'s>, source: &'s str) -> Option<&'s str> {
    let mut at = value;
    for _ in 0..STEPS_MAX {
        at = match at.kind() {
            "reference_expression" => at.child_by_field_name("value")?,
            "unary_expression" => at.child_by_field_name("operand")?,
            "try_expression" | "await_expression" => at.named_child(0)?,
            _ => return made(at, source),
        };
    }
    None
}

fn made<'s>(value: Node<'s>, source: &'s str) -> Option<&'s str> {
    let field = |name: &str| value.child_by_field_name(name).map(|part| text(part, source));
    match value.kind() {
        "new_expression" => field("constructor").or_else(|| field("type")),
        "object_creation_expression" | "composite_literal" => field("type"),
        "type_assertion_expression" | "compound_literal_expression" => field("type"),
        "struct_expression" => field("name"),
        // In Python, capitalised names are classes.
        "call" => field("function").filter(|name| is_capital(&last_name(name))),
        "call_expression" => {
            let called = value.child_by_field_name("function")?;
            // `new(T)` in Go.
            let first = value.child_by_field_name("arguments")?.named_child(0);
            if let Some(first) = first.filter(|first| first.kind().contains("type"))
                && text(called, source) == "new"
            {
                return Some(text(first, source));
            }
            let part = |name: &str| called.child_by_field_name(name).map(|part| text(part, source));
            let (path, name) = (part("path")?, part("name")?);
            let makes = MAKERS.contains(&name)
                || ["from_", "with_"].iter().any(|start| name.starts_with(start));
            (makes && is_capital(&last_name(path))).then_some(path)
        }
        _ => None,
    }
}

fn is_capital(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_type_has_one_name_or_none() {
        for (written, name) in [
            ("Store", Some("Store")),
            ("&'a mut store::Store<'a>", Some("store::Store")),
            ("&Arc<dyn Store + Send>", Some("Store")),
            ("impl Store", Some("Store")),
            (": Store | null", Some("Store")),
            ("'Store'", Some("Store")),
            ("Optional[store.Store]", Some("store::Store")),
            ("Store | None", Some("Store")),
            ("*store.Store", Some("store::Store")),
            ("Store *", Some("Store")),
            ("const a::b::Store &", Some("a::b::Store")),
            ("make().Store", None),
            ("Store | Shop", None),
            ("[]Store", None),
            ("Store[]", None),
            ("(Store, Shop)", None),
            ("impl Fn(Store)", None),
            ("map[string]Store", Some("map")),
            ("any", None),
            ("", None),
            ("'", None),
        ] {
            let language = match written {
                written if written.contains('[') => Language::Python,
                _ => Language::Rust,
            };
            assert_eq!(plain_name(written, language).as_deref(), name, "{written}");
        }
        for (written, name) in [
            ("anyhow::Result<Arc<Store>>", Some("Store")),
            ("Result<Option<Store>, Error>", Some("Store")),
            ("(*Store, error)", Some("Store")),
            ("Promise<Store>", Some("Store")),
            ("Vec<Store>", Some("[Store]")),
            ("Result<(), Error>", None),
        ] {
            assert_eq!(returned_name(written, Language::Rust).as_deref(), name, "{written}");
        }
        for (written, language, name) in [
            ("std::unique_ptr<Store>", Language::Cpp, Some("Store")),
            ("Box<Store>", Language::Cpp, Some("Box")),
            ("Box<Store>", Language::Rust, Some("Store")),
            ("&[Store]", Language::Rust, Some("[Store]")),
            ("[a::Store; 3]", Language::Rust, Some("[a::Store]")),
            ("&mut Vec<Arc<dyn Store>>", Language::Rust, Some("[Store]")),
            ("Option<Vec<Store>>", Language::Rust, Some("[[Store]]")),
            ("Vec<(Store, Shop)>", Language::Rust, None),
            ("Vec<Store>", Language::Java, Some("Vec")),
        ] {
            assert_eq!(plain_name(written, language).as_deref(), name, "{written}");
        }
    }
}

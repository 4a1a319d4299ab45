//! The meaning of the node kinds of each grammar.

use std::sync::OnceLock;

use tree_sitter::Node;

use crate::facts::Label;
use crate::language::Language;

/// The role of a node for the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Type(Label),
    Module,
    /// An `impl` block: methods of a type defined elsewhere.
    Extension,
    /// A named object literal, whose members may be functions.
    Object,
    Call,
    /// Functions that are only declared.
    Declaration,
    /// A C++ variable declaration that calls a constructor.
    Construction,
    /// A member initializer before the body of a C++ constructor.
    Initializer,
    /// The tokens of a macro call.
    Tokens,
    /// A macro definition, whose tokens are ignored.
    Opaque,
    Import,
    /// A field of a class.
    Field,
    /// A type alias.
    Alias,
    /// An export of existing names, as the default or under another name.
    Export,
}

/// Whether and how a node of some kind is examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Interest {
    #[default]
    Nothing,
    Comment,
    /// Something that stands between a comment and the definition it documents.
    Attribute,
    Look,
}

/// Returns the interest in every kind of a grammar, indexed by kind id. Most nodes are irrelevant
/// to the graph, and getting the name of each one's kind would cost more than parsing.
pub(super) fn interests(language: Language) -> &'static [Interest] {
    static TABLES: Tables<Interest> = [const { OnceLock::new() }; Language::ALL.len()];
    by_kind(&TABLES, language, interest_in)
}

/// One table for each grammar, with a value for each kind.
pub(super) type Tables<T> = [OnceLock<Vec<T>>; Language::ALL.len()];

/// Returns the table of a grammar, indexed by kind id and computed once. Anonymous nodes (keywords
/// and punctuation) have the default value.
pub(super) fn by_kind<T: Default>(
    tables: &'static Tables<T>,
    language: Language,
    known: impl Fn(&str) -> T,
) -> &'static [T] {
    let table = tables.get(language as usize).map(|table| {
        table.get_or_init(|| {
            let grammar = language.grammar();
            let of_kind = |id: u16| match grammar.node_kind_is_named(id) {
                true => known(grammar.node_kind_for_id(id).unwrap_or_default()),
                false => T::default(),
            };
            (0..grammar.node_kind_count() as u16).map(of_kind).collect()
        })
    });
    table.map_or(&[], Vec::as_slice)
}

fn interest_in(kind: &str) -> Interest {
    const LOOKED_AT: &[&str] = &[
        "_item",
        "_definition",
        "declaration",
        "_declarator",
        "_specifier",
        "_spec",
        "_signature",
        "_elem",
        "call",
        "call_expression",
        "assignment_expression",
        "assignment",
        "type_conversion_expression",
        "field_initializer",
        "pair",
        "token_tree",
        "export_statement",
        "new_expression",
        "method_invocation",
        "object_creation_expression",
        "explicit_constructor_invocation",
        "import_statement",
        "import_from_statement",
        "preproc_include",
        "internal_module",
        "module",
        "command",
        "create_table",
        "create_view",
        "create_materialized_view",
        "create_function",
        "create_index",
        "create_trigger",
    ];
    if kind.contains("doc_comment") {
        // It is inside a comment that has been examined.
        Interest::Nothing
    } else if kind.contains("comment") {
        Interest::Comment
    } else if kind.contains("attribute_item") || kind.contains("annotation") || kind == "decorator"
    {
        Interest::Attribute
    } else if LOOKED_AT.iter().any(|looked_at| kind.ends_with(looked_at)) {
        Interest::Look
    } else {
        Interest::Nothing
    }
}

/// Returns the role of a node; `None` for most nodes.
pub(super) fn kind_of(language: Language, node: Node<'_>) -> Option<Kind> {
    match language {
        Language::Rust => rust(node.kind()),
        Language::Python => python(node),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(node),
        Language::Go => go(node),
        Language::Java => java(node.kind()),
        Language::C => c(node),
        Language::Cpp => cpp(node).or_else(|| c(node)),
        Language::Sql => sql(node.kind()),
        Language::Shell => shell(node.kind()),
    }
}

fn rust(kind: &str) -> Option<Kind> {
    Some(match kind {
        "function_item" | "function_signature_item" => Kind::Function,
        "struct_item" | "enum_item" | "union_item" => Kind::Type(Label::Class),
        "trait_item" => Kind::Type(Label::Interface),
        "mod_item" => Kind::Module,
        "impl_item" => Kind::Extension,
        "field_declaration" => Kind::Field,
        "call_expression" => Kind::Call,
        "token_tree" => Kind::Tokens,
        "macro_definition" => Kind::Opaque,
        "use_declaration" => Kind::Import,
        _ => return None,
    })
}

fn python(node: Node<'_>) -> Option<Kind> {
    Some(match node.kind() {
        "assignment" if node.child_by_field_name("left")?.kind() == "attribute" => Kind::Field,
        "assignment" if node.child_by_field_name("type").is_some() => Kind::Field,
        "function_definition" => Kind::Function,
        "class_definition" => Kind::Type(Label::Class),
        "call" => Kind::Call,
        "import_statement" | "import_from_statement" => Kind::Import,
        _ => return None,
    })
}

fn script(node: Node<'_>) -> Option<Kind> {
    Some(match node.kind() {
        "function_declaration" | "generator_function_declaration" | "method_definition" => {
            Kind::Function
        }
        "method_signature" | "abstract_method_signature" => Kind::Function,
        // `const f = () => …` is a common way to write functions.
        "variable_declarator" | "public_field_definition" | "field_definition" | "pair" => {
            let value = node.child_by_field_name("value");
            match value.map_or("", |value| value.kind()) {
                "arrow_function" | "function_expression" | "generator_function" => Kind::Function,
                "object" if node.kind() != "pair" => Kind::Object,
                _ if node.kind() == "public_field_definition" => Kind::Field,
                _ => return None,
            }
        }
        "assignment_expression" => return assigned(node),
        "class_declaration" | "abstract_class_declaration" | "enum_declaration" => {
            Kind::Type(Label::Class)
        }
        "interface_declaration" => Kind::Type(Label::Interface),
        "internal_module" | "module" => Kind::Module,
        "call_expression" | "new_expression" => Kind::Call,
        "import_statement" => Kind::Import,
        // `export … from '…'` re-exports symbols of other files.
        "export_statement" if node.child_by_field_name("source").is_some() => Kind::Import,
        "export_statement" => match node.child_by_field_name("value") {
            Some(value) if value.kind() != "identifier" => return None,
            _ => Kind::Export,
        },
        _ => return None,
    })
}

/// Returns the role of assignments such as `exports.f = function () …` and `T.prototype.f = …`.
fn assigned(node: Node<'_>) -> Option<Kind> {
    let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
    let is_own = left.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
    match (left.kind(), right.kind()) {
        (
            "identifier" | "member_expression",
            "arrow_function" | "function_expression" | "generator_function",
        ) => Some(Kind::Function),
        ("member_expression", "object") => Some(Kind::Object),
        ("member_expression", _) if is_own => Some(Kind::Field),
        ("member_expression", "identifier") => Some(Kind::Export),
        _ => None,
    }
}

fn go(node: Node<'_>) -> Option<Kind> {
    Some(match node.kind() {
        "function_declaration" | "method_declaration" | "method_elem" => Kind::Function,
        "field_declaration" => Kind::Field,
        "type_spec" => match node.child_by_field_name("type")?.kind() {
            "interface_type" => Kind::Type(Label::Interface),
            _ => Kind::Type(Label::Class),
        },
        "call_expression" => Kind::Call,
        // `f[T](x)` can be a call or a conversion, but conversions to generic types are rare.
        "type_conversion_expression" => match node.child_by_field_name("type")?.kind() {
            "generic_type" => Kind::Call,
            _ => return None,
        },
        "import_spec" => Kind::Import,
        _ => return None,
    })
}

fn java(kind: &str) -> Option<Kind> {
    Some(match kind {
        "method_declaration" | "constructor_declaration" => Kind::Function,
        "field_declaration" => Kind::Field,
        "class_declaration" | "enum_declaration" | "record_declaration" => Kind::Type(Label::Class),
        "interface_declaration" => Kind::Type(Label::Interface),
        "method_invocation" | "object_creation_expression" | "explicit_constructor_invocation" => {
            Kind::Call
        }
        "import_declaration" => Kind::Import,
        _ => return None,
    })
}

fn c(node: Node<'_>) -> Option<Kind> {
    Some(match node.kind() {
        "function_definition" => Kind::Function,
        "class_specifier" | "struct_specifier" | "enum_specifier" | "union_specifier" => {
            // Without a body it is only a reference.
            node.child_by_field_name("body")?;
            Kind::Type(Label::Class)
        }
        "type_definition" => {
            // `typedef struct { … } T`: the struct has no other name.
            let written = node.child_by_field_name("type")?;
            let is_nameless = written.child_by_field_name("name").is_none();
            written.child_by_field_name("body").filter(|_| is_nameless)?;
            Kind::Type(Label::Class)
        }
        "field_declaration" => Kind::Field,
        "namespace_definition" => Kind::Module,
        "call_expression" => Kind::Call,
        "preproc_include" => Kind::Import,
        _ => return None,
    })
}

/// Returns the role of nodes that C does not have.
fn cpp(node: Node<'_>) -> Option<Kind> {
    match node.kind() {
        "new_expression" => Some(Kind::Call),
        // A constructor has no return type.
        "declaration" if node.child_by_field_name("type").is_none() => {
            (!declared_functions(node).is_empty()).then_some(Kind::Declaration)
        }
        "declaration" => Some(Kind::Construction),
        "field_initializer" => Some(Kind::Initializer),
        "alias_declaration" => Some(Kind::Alias),
        "type_definition" => {
            let is_defined =
                node.child_by_field_name("type")?.child_by_field_name("body").is_some();
            (!is_defined).then_some(Kind::Alias)
        }
        // A method that is defined elsewhere, or overridden by derived classes.
        "field_declaration" if !declared_functions(node).is_empty() => Some(Kind::Declaration),
        _ => None,
    }
}

/// Returns the declarators that are functions: `void a(), b();` has two.
pub(super) fn declared_functions(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let declared = node.children_by_field_name("declarator", &mut cursor);
    declared.filter(|declared| is_function(*declared)).collect()
}

/// Whether a declarator is a function, as opposed to a pointer to one.
fn is_function(declared: Node<'_>) -> bool {
    let mut at = Some(declared);
    while let Some(declarator) = at {
        match declarator.kind() {
            "function_declarator" => {
                let named = declarator.child_by_field_name("declarator");
                return named.is_some_and(|named| named.kind() != "parenthesized_declarator");
            }
            // `T *f()` and `T &f()`.
            "pointer_declarator" | "reference_declarator" => {
                let inner = declarator.child_by_field_name("declarator");
                at = inner.or_else(|| declarator.named_child(0));
            }
            _ => return false,
        }
    }
    false
}

fn sql(kind: &str) -> Option<Kind> {
    Some(match kind {
        "create_table" | "create_view" | "create_materialized_view" => Kind::Type(Label::Class),
        "create_function" | "create_index" | "create_trigger" => Kind::Function,
        _ => return None,
    })
}

fn shell(kind: &str) -> Option<Kind> {
    Some(match kind {
        "function_definition" => Kind::Function,
        "command" => Kind::Call,
        _ => return None,
    })
}

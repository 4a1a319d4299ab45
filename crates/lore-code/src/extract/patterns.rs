//! Patterns in syntax trees: the names that parameters and variables bind.

use tree_sitter::Node;

use super::names::text;

/// Returns the names that a parameter, a pattern or a declaration binds to values.
pub(super) fn bound<'s>(node: Node<'s>, source: &'s str) -> Vec<&'s str> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(part) = open.pop() {
        match parts(part.kind()) {
            Parts::Name => found.push(text(part, source)),
            Parts::Nothing => {}
            inside => open.extend(followed(part, inside)),
        }
    }
    found.retain(|name| !["self", "cls", "this", "_"].contains(name));
    found
}

/// Where a node contains the names it binds.
enum Parts {
    /// The node is a name.
    Name,
    /// All children except conditions and keys.
    All,
    /// The children in these fields.
    Fields(&'static [&'static str]),
    /// The first child.
    First,
    /// What follows `as`, and the pattern before it.
    As,
    /// The child, if there is only one.
    Only,
    /// All children except the first.
    Rest,
    Nothing,
}

fn parts(kind: &str) -> Parts {
    match kind {
        "identifier" | "shorthand_property_identifier_pattern" | "shorthand_field_identifier" => {
            Parts::Name
        }
        "default_parameter"
        | "typed_default_parameter"
        | "named_expression"
        | "variable_declarator"
        | "var_spec"
        | "variadic_parameter_declaration"
        | "formal_parameter"
        | "catch_formal_parameter"
        | "enhanced_for_statement"
        | "resource" => Parts::Fields(&["name"]),
        "assignment"
        | "augmented_assignment"
        | "for_statement"
        | "for_in_clause"
        | "for_in_statement"
        | "assignment_pattern"
        | "object_assignment_pattern"
        | "short_var_declaration"
        | "range_clause" => Parts::Fields(&["left"]),
        "parameter" | "let_declaration" | "let_condition" | "match_arm" | "for_expression"
        | "required_parameter" | "optional_parameter" => Parts::Fields(&["pattern"]),
        "field_pattern" => Parts::Fields(&["pattern", "name"]),
        "pair_pattern" => Parts::Fields(&["value"]),
        "as_pattern" => Parts::As,
        "catch_clause" | "arrow_function" => Parts::Fields(&["parameter"]),
        // The name is in `name` in Go, and in a declarator in C.
        "parameter_declaration" => Parts::Fields(&["name", "declarator"]),
        "declaration"
        | "init_declarator"
        | "pointer_declarator"
        | "array_declarator"
        | "function_declarator"
        | "optional_parameter_declaration"
        | "local_variable_declaration"
        | "field_declaration"
        | "for_range_loop" => Parts::Fields(&["declarator"]),
        "typed_parameter" => Parts::First,
        // In a case, `a` binds a name, but `a.b` refers to a value.
        "dotted_name" => Parts::Only,
        "class_pattern" | "keyword_pattern" => Parts::Rest,
        kind if is_container(kind) => Parts::All,
        _ => Parts::Nothing,
    }
}

fn is_container(kind: &str) -> bool {
    [
        "parameters",
        "lambda_parameters",
        "formal_parameters",
        "closure_parameters",
        "parameter_list",
        "expression_list",
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "as_pattern_target",
        "object_pattern",
        "array_pattern",
        "rest_pattern",
        "mut_pattern",
        "ref_pattern",
        "reference_pattern",
        "captured_pattern",
        "slice_pattern",
        "or_pattern",
        "match_pattern",
        "tuple_struct_pattern",
        "struct_pattern",
        "reference_declarator",
        "parenthesized_declarator",
        "attributed_declarator",
        "structured_binding_declarator",
        "case_pattern",
        "dict_pattern",
        "splat_pattern",
        "union_pattern",
        "inferred_parameters",
        "spread_parameter",
    ]
    .contains(&kind)
}

fn followed(node: Node<'_>, parts: Parts) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let (part, field) = (cursor.node(), cursor.field_name());
        let wanted = match parts {
            Parts::Fields(fields) => field.is_some_and(|field| fields.contains(&field)),
            Parts::All => part.is_named() && !matches!(field, Some("condition" | "key")),
            Parts::First => part.is_named() && found.is_empty(),
            Parts::Only => part.is_named() && node.named_child_count() == 1,
            Parts::Rest => part.is_named() && node.named_child(0) != Some(part),
            Parts::As => {
                let is_last = part.is_named() && part.start_byte() > node.start_byte();
                is_last || part.kind() == "case_pattern"
            }
            Parts::Name | Parts::Nothing => false,
        };
        // `int f(int)` declares a function, but `int (*f)(int)` is a variable.
        let is_function = node.kind() == "function_declarator" && part.kind() == "identifier";
        if wanted && !is_function {
            found.push(part);
        }
        more = cursor.goto_next_sibling();
    }
    found
}

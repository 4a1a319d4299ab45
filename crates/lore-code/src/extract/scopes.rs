//! Scopes: what a name means at a place inside functions. Parameters, variables, local definitions
//! and local imports take precedence over what the file has under the same name.
//!
//! The scopes follow the walk over the tree. In Python, a name belongs to its whole function; in
//! JavaScript, to its whole block or, with `var`, function. These are therefore searched for names
//! on entry. In other languages, a name is visible from the end of its declaration to the end of
//! its block.

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::kinds::{Tables, by_kind};
use super::names::text;
use super::patterns::bound;
use super::tokens;
use super::types::{self, Typed};
use crate::language::Language;

/// What a name means inside a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning<'s> {
    /// A value of unknown type.
    Value,
    /// A value whose type is given in the form of `Through::Of`: a path, or an expression such as
    /// `f()` or `T.f()`.
    Of(Cow<'s, str>),
    /// The receiver of a Go method.
    Receiver,
    /// Something defined or imported in the function.
    Defined,
}

/// The names that are visible at the current position of the walk.
pub(super) struct Scopes<'s> {
    pub(super) language: Language,
    pub(super) source: &'s str,
    roles: &'static [Role],
    frames: Vec<Frame<'s>>,
    /// The meanings of each name, innermost last.
    known: FxHashMap<&'s str, Vec<Meaning<'s>>>,
}

/// A scope: names that are visible until the end of a node.
struct Frame<'s> {
    depth: usize,
    names: Vec<&'s str>,
    /// Names that become visible when the node at this depth is left.
    later: Vec<(usize, &'s str, Meaning<'s>)>,
}

/// The role of a node for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Role {
    #[default]
    Nothing,
    Function,
    Class,
    Block,
    /// Introduces names that are visible after it.
    Declaration,
    /// Introduces names for the whole function.
    Hoisted,
    /// Introduces names for the whole block.
    Lexical,
}

impl<'s> Scopes<'s> {
    pub(super) fn new(language: Language, source: &'s str) -> Self {
        let (frames, known) = (Vec::new(), FxHashMap::default());
        Self { language, source, roles: roles(language), frames, known }
    }

    /// Returns what a name means here; `None` if it is not a name from inside a function.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning<'s>> {
        self.known.get(name)?.last().cloned()
    }

    /// Updates the scopes when the walk arrives at a node.
    pub(super) fn arrive(&mut self, node: Node<'s>, around: &[Node<'s>]) {
        let depth = around.len();
        self.leave(depth);
        match self.role(node) {
            Role::Function => self.enter_function(node, around),
            Role::Block => self.enter_block(node, around),
            Role::Declaration if !self.frames.is_empty() || self.is_for_all(node) => {
                let values = self.values(node).into_iter();
                if let Some(frame) = self.frames.last_mut() {
                    frame.later.extend(values.map(|(name, meaning)| (depth, name, meaning)));
                }
            }
            _ => {}
        }
    }

    /// Whether this is a package-level variable in Go. If so, opens a scope for the whole file.
    fn is_for_all(&mut self, node: Node<'s>) -> bool {
        let is_one = node.kind() == "var_spec" && self.frames.is_empty();
        if is_one {
            self.frames.push(Frame { depth: 0, names: Vec::new(), later: Vec::new() });
        }
        is_one
    }

    fn leave(&mut self, depth: usize) {
        while let Some(frame) = self.frames.pop_if(|frame| frame.depth >= depth) {
            for name in frame.names {
                self.known.get_mut(name).and_then(Vec::pop);
            }
        }
        let begun = self.frames.last_mut().map_or(Vec::new(), |frame| {
            frame.later.extract_if(.., |(left, ..)| *left >= depth).collect()
        });
        for (_, name, meaning) in begun {
            self.bind(name, meaning);
        }
    }

    fn enter_function(&mut self, node: Node<'s>, around: &[Node<'s>]) {
        let elements = self.elements_given(node, around);
        self.frames.push(Frame { depth: around.len(), names: Vec::new(), later: Vec::new() });
        let mut parameters = parameters(node);
        // `x => …` has its parameter without parentheses.
        parameters.extend(Some(node).filter(|node| node.kind() == "arrow_function"));
        // Results in Go may have names.
        let result = node.child_by_field_name("result");
        parameters.extend(result.filter(|result| result.kind() == "parameter_list"));
        let bounds = self.bounds(node, around);
        for given in parameters {
            for (name, meaning) in self.values(given) {
                self.bind(name, bounded(meaning, &bounds));
            }
        }
        for (name, kind) in elements {
            self.bind(name, Meaning::Of(kind));
        }
        if self.language == Language::Rust {
            // If there are several bounds, `T::f()` is looked up in the first.
            for (name, bound) in bounds.into_iter().rev() {
                self.bind(name, Meaning::Of(bound));
            }
        }
        if let Some(receiver) = node.child_by_field_name("receiver") {
            let inner = receiver.named_child(0).map_or(Vec::new(), |inner| self.bound(inner));
            inner.into_iter().for_each(|name| self.bind(name, Meaning::Receiver));
        }
        if is_looked_through(self.language)
            && let Some(body) = node.child_by_field_name("body")
        {
            self.look_through(body);
        }
    }

    /// Returns the type parameters with bounds of a function and of the class around it.
    fn bounds(&self, function: Node<'s>, around: &[Node<'s>]) -> Vec<Typed<'s>> {
        let class = around.iter().rev().nth(1).copied();
        let parts = [Some(function), class].into_iter().flatten();
        parts.flat_map(|part| types::bounds(part, self.source, self.language)).collect()
    }

    fn enter_block(&mut self, node: Node<'s>, around: &[Node<'s>]) {
        let unwrapped = self.unwrapped_by_arm(node, around);
        self.frames.push(Frame { depth: around.len(), names: Vec::new(), later: Vec::new() });
        match node.kind() {
            "token_tree" => {
                for name in plain(self.language, tokens::given(node, self.source)) {
                    self.bind(name, Meaning::Value);
                }
            }
            // Its names are visible inside of it, but not in the expression they come from.
            "match_arm" | "for_range_loop" | "enhanced_for_statement" => self.bind_values(node),
            "class_body" => {
                let mut cursor = node.walk();
                let fields = node.named_children(&mut cursor);
                let fields = fields.filter(|field| field.kind() == "field_declaration");
                fields.collect::<Vec<_>>().into_iter().for_each(|field| self.bind_values(field));
            }
            _ if self.language.is_script() => self.bind_found(self.of_block(node)),
            _ => {
                let given = around.last().filter(|around| around.kind() == "for_expression");
                given.into_iter().for_each(|given| self.bind_values(*given));
            }
        }
        if let Some((name, kind)) = unwrapped {
            self.bind(name, Meaning::Of(kind));
        }
    }

    fn bind_values(&mut self, given: Node<'s>) {
        for (name, meaning) in self.values(given) {
            self.bind(name, meaning);
        }
    }

    /// Returns the names that a JavaScript block introduces for its whole extent.
    fn of_block(&self, block: Node<'s>) -> Found<'s> {
        let mut found = Found::default();
        let mut cursor = block.walk();
        match block.kind() {
            "for_in_statement" if is_var(block, self.source) => {}
            "for_in_statement" | "catch_clause" => found.add(self.values(block)),
            "for_statement" => {
                let start = block.child_by_field_name("initializer");
                start.into_iter().for_each(|start| self.of_statement(start, &mut found));
            }
            "switch_body" => {
                for case in block.named_children(&mut cursor) {
                    let mut cursor = case.walk();
                    let statements = case.named_children(&mut cursor);
                    statements.for_each(|statement| self.of_statement(statement, &mut found));
                }
            }
            _ => {
                let statements = block.named_children(&mut cursor);
                statements.for_each(|statement| self.of_statement(statement, &mut found));
            }
        }
        found
    }

    fn of_statement(&self, node: Node<'s>, found: &mut Found<'s>) {
        match self.role(node) {
            Role::Lexical => self.declared(node, found),
            Role::Function | Role::Class => {
                let name = node.child_by_field_name("name");
                found.defined.extend(name.map(|name| text(name, self.source)));
            }
            _ => {}
        }
    }

    /// Collects the names that `let`, `const` and `var` introduce.
    fn declared(&self, node: Node<'s>, found: &mut Found<'s>) {
        let mut cursor = node.walk();
        for declared in node.named_children(&mut cursor) {
            match gives_function(declared, self.source) {
                true => found.defined.extend(self.bound(declared)),
                false => found.add(self.values(declared)),
            }
        }
    }

    /// Binds the names that a function introduces for its whole extent, excluding nested functions.
    fn look_through(&mut self, body: Node<'s>) {
        let mut found = Found::default();
        let mut cursor = body.walk();
        loop {
            let node = cursor.node();
            let role = self.role(node);
            self.given(node, role, &mut found);
            let is_closed = matches!(role, Role::Function | Role::Class | Role::Lexical);
            if !is_closed && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return self.bind_found(found);
                }
            }
        }
    }

    fn given(&self, node: Node<'s>, role: Role, found: &mut Found<'s>) {
        match (role, node.kind()) {
            // In JavaScript, these belong to their block.
            (Role::Function | Role::Class, _) if self.language.is_script() => {}
            (Role::Function | Role::Class, _) => {
                let name = node.child_by_field_name("name");
                found.defined.extend(name.map(|name| text(name, self.source)));
            }
            (Role::Hoisted, "global_statement" | "nonlocal_statement") => {
                found.from_outside.extend(self.parts_of(node));
            }
            (Role::Hoisted, "import_statement" | "import_from_statement") => {
                found.defined.extend(self.parts_of(node));
            }
            (Role::Hoisted, "variable_declaration") => self.declared(node, found),
            (Role::Block, "for_in_statement") if is_var(node, self.source) => {
                found.add(self.values(node));
            }
            (Role::Hoisted, _) => found.add(self.values(node)),
            _ => {}
        }
    }

    /// Returns the names listed by a Python statement, after aliases.
    fn parts_of(&self, node: Node<'s>) -> Vec<&'s str> {
        let mut cursor = node.walk();
        let names = node.named_children(&mut cursor).map(|part| {
            let written = text(part.child_by_field_name("alias").unwrap_or(part), self.source);
            // `import a.b` introduces `a`.
            written.split('.').next().unwrap_or(written)
        });
        names.collect()
    }

    fn bind_found(&mut self, found: Found<'s>) {
        let Found { values, defined, from_outside } = found;
        for (name, meaning) in values {
            if !from_outside.contains(name) && !defined.contains(name) {
                self.bind(name, meaning);
            }
        }
        for name in defined {
            self.bind(name, Meaning::Defined);
        }
    }

    fn bind(&mut self, name: &'s str, meaning: Meaning<'s>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.names.push(name);
            self.known.entry(name).or_default().push(meaning);
        }
    }

    /// Returns the variables that a node introduces, with what is known about their types.
    fn values(&self, node: Node<'s>) -> Vec<(&'s str, Meaning<'s>)> {
        let types: FxHashMap<_, _> = self.kinds(node).into_iter().collect();
        let meaning = |name: &str| types.get(name).cloned().map_or(Meaning::Value, Meaning::Of);
        self.bound(node).into_iter().map(|name| (name, meaning(name))).collect()
    }

    fn bound(&self, node: Node<'s>) -> Vec<&'s str> {
        let mut names = bound(node, self.source);
        let declared = node.child_by_field_name("declarator");
        let made = declared.and_then(|d| types::made_of_names(d, self.source, self.language));
        names.extend(made.map(|name| text(name, self.source)));
        plain(self.language, names)
    }

    fn role(&self, node: Node<'_>) -> Role {
        self.roles.get(usize::from(node.kind_id())).copied().unwrap_or(Role::Nothing)
    }
}

/// Replaces a type parameter by its bounds.
fn bounded<'s>(meaning: Meaning<'s>, bounds: &[Typed<'s>]) -> Meaning<'s> {
    match meaning {
        Meaning::Of(kind) => Meaning::Of(types::bounded(kind, bounds)),
        other => other,
    }
}

/// Whether names are visible in a whole function or block, even before their declaration.
fn is_looked_through(language: Language) -> bool {
    language == Language::Python || language.is_script()
}

/// Removes names that a pattern only refers to.
fn plain(language: Language, mut names: Vec<&str>) -> Vec<&str> {
    if language == Language::Rust {
        // `Some(x)` and `NONE` in patterns refer to existing names.
        names.retain(|name| !name.starts_with(char::is_uppercase));
    }
    names
}

/// The names that a function or a block introduces.
#[derive(Default)]
struct Found<'s> {
    values: FxHashMap<&'s str, Meaning<'s>>,
    defined: FxHashSet<&'s str>,
    from_outside: FxHashSet<&'s str>,
}

impl<'s> Found<'s> {
    /// Adds variables. The type of a name is unknown if its values have different types.
    fn add(&mut self, values: Vec<(&'s str, Meaning<'s>)>) {
        for (name, meaning) in values {
            let known = self.values.entry(name).or_insert_with(|| meaning.clone());
            if *known != meaning {
                *known = Meaning::Value;
            }
        }
    }
}

/// Whether a JavaScript loop declares its variable with `var`.
fn is_var(node: Node<'_>, source: &str) -> bool {
    node.child_by_field_name("kind").is_some_and(|kind| text(kind, source) == "var")
}

/// Returns the parameter list of a function. In C it is inside the declarator.
fn parameters(node: Node<'_>) -> Vec<Node<'_>> {
    let mut at = Some(node);
    while let Some(part) = at {
        if let Some(parameters) = part.child_by_field_name("parameters") {
            return vec![parameters];
        }
        at = part.child_by_field_name("declarator");
    }
    Vec::new()
}

/// Whether a JavaScript variable holds a function or an imported module.
fn gives_function(node: Node<'_>, source: &str) -> bool {
    let Some(mut value) = node.child_by_field_name("value") else { return false };
    if value.kind() == "await_expression" {
        value = value.named_child(0).unwrap_or(value);
    }
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => true,
        "call_expression" => {
            let called = value.child_by_field_name("function");
            called.is_some_and(|called| ["import", "require"].contains(&text(called, source)))
        }
        _ => false,
    }
}

/// Returns the roles of all node kinds of a grammar, indexed by kind id.
fn roles(language: Language) -> &'static [Role] {
    static TABLES: Tables<Role> = [const { OnceLock::new() }; Language::ALL.len()];
    by_kind(&TABLES, language, |kind| role_of(language, kind))
}

fn role_of(language: Language, kind: &str) -> Role {
    match language {
        Language::Rust => match kind {
            "function_item" | "closure_expression" => Role::Function,
            "block" | "match_arm" | "if_expression" | "while_expression" | "token_tree" => {
                Role::Block
            }
            "let_declaration" | "let_condition" => Role::Declaration,
            _ => Role::Nothing,
        },
        Language::Go => match kind {
            "function_declaration" | "method_declaration" | "func_literal" => Role::Function,
            "block" | "if_statement" | "for_statement" => Role::Block,
            kind if kind.ends_with("_case") || kind.ends_with("switch_statement") => Role::Block,
            "short_var_declaration" | "var_spec" | "range_clause" => Role::Declaration,
            _ => Role::Nothing,
        },
        Language::C | Language::Cpp => match kind {
            // The caught variable is like a parameter.
            "function_definition" | "lambda_expression" | "catch_clause" => Role::Function,
            "compound_statement" | "for_statement" | "for_range_loop" => Role::Block,
            "declaration" => Role::Declaration,
            _ => Role::Nothing,
        },
        Language::Python => python(kind),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(kind),
        Language::Java => java(kind),
        Language::Sql | Language::Shell => Role::Nothing,
    }
}

fn python(kind: &str) -> Role {
    match kind {
        "function_definition" | "lambda" => Role::Function,
        "class_definition" => Role::Class,
        "assignment"
        | "augmented_assignment"
        | "for_statement"
        | "for_in_clause"
        | "as_pattern"
        | "case_pattern"
        | "named_expression"
        | "import_statement"
        | "import_from_statement"
        | "global_statement"
        | "nonlocal_statement" => Role::Hoisted,
        _ => Role::Nothing,
    }
}

fn script(kind: &str) -> Role {
    match kind {
        "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "arrow_function"
        | "method_definition" => Role::Function,
        "class_declaration" | "class" | "abstract_class_declaration" => Role::Class,
        "statement_block" | "switch_body" | "catch_clause" => Role::Block,
        "for_statement" | "for_in_statement" => Role::Block,
        "variable_declaration" => Role::Hoisted,
        "lexical_declaration" => Role::Lexical,
        _ => Role::Nothing,
    }
}

fn java(kind: &str) -> Role {
    match kind {
        "method_declaration" | "constructor_declaration" | "lambda_expression" => Role::Function,
        "class_body" | "block" | "for_statement" | "enhanced_for_statement" => Role::Block,
        "catch_clause" | "try_with_resources_statement" => Role::Block,
        "local_variable_declaration" | "catch_formal_parameter" | "resource" => Role::Declaration,
        _ => Role::Nothing,
    }
}

//! What names mean at a place inside functions: parameters, variables, and what is defined or
//! imported there win over what the file has under the same name.
//!
//! Follows the walk over the tree. In Python and JavaScript a name belongs to its function
//! from beginning to end, so functions are looked through when they are entered; elsewhere
//! it begins after its declaration and ends with its block.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::kinds::{Tables, by_kind};
use super::names::text;
use super::patterns::bound;
use crate::language::Language;

/// What a name means inside a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A value, which may be anything.
    Value,
    /// The value that a method of Go belongs to.
    Receiver,
    /// Something that is defined or imported here.
    Defined,
}

/// The names that are known where the walk is.
pub(super) struct Scopes<'s> {
    language: Language,
    source: &'s str,
    roles: &'static [Role],
    frames: Vec<Frame<'s>>,
    known: FxHashMap<&'s str, Vec<Meaning>>,
}

/// What is known from here to the end of a node.
struct Frame<'s> {
    depth: usize,
    names: Vec<&'s str>,
    /// Names that are known once the node at this depth was left.
    later: Vec<(usize, &'s str)>,
}

/// What a node is to the names around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Role {
    #[default]
    Nothing,
    Function,
    Class,
    Block,
    /// Gives names that begin after it.
    Declaration,
    /// Gives names to the whole function.
    Hoisted,
}

impl<'s> Scopes<'s> {
    pub(super) fn new(language: Language, source: &'s str) -> Self {
        let (frames, known) = (Vec::new(), FxHashMap::default());
        Self { language, source, roles: roles(language), frames, known }
    }

    /// What a name means here; nothing when it is not from inside a function.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.known.get(name)?.last().copied()
    }

    /// The walk has come to a node.
    pub(super) fn arrive(&mut self, node: Node<'s>, around: Option<Node<'s>>, depth: usize) {
        self.leave(depth);
        match self.role(node) {
            Role::Function => self.enter_function(node, depth),
            Role::Block => {
                self.frames.push(Frame { depth, names: Vec::new(), later: Vec::new() });
                // Its names begin inside of it, not in what they are taken from.
                let given = match node.kind() {
                    "match_arm" | "for_range_loop" => Some(node),
                    _ => around.filter(|around| around.kind() == "for_expression"),
                };
                for name in given.map_or(Vec::new(), |given| self.bound(given)) {
                    self.bind(name, Meaning::Value);
                }
            }
            Role::Declaration if !self.frames.is_empty() => {
                let names = self.bound(node);
                if let Some(frame) = self.frames.last_mut() {
                    frame.later.extend(names.into_iter().map(|name| (depth, name)));
                }
            }
            _ => {}
        }
    }

    fn leave(&mut self, depth: usize) {
        while let Some(frame) = self.frames.pop_if(|frame| frame.depth >= depth) {
            for name in frame.names {
                self.known.get_mut(name).and_then(Vec::pop);
            }
        }
        let begun = self.frames.last_mut().map_or(Vec::new(), |frame| {
            frame.later.extract_if(.., |(left, _)| *left >= depth).collect()
        });
        for (_, name) in begun {
            self.bind(name, Meaning::Value);
        }
    }

    fn enter_function(&mut self, node: Node<'s>, depth: usize) {
        self.frames.push(Frame { depth, names: Vec::new(), later: Vec::new() });
        let mut parameters = parameters(node);
        // `x => …` has its parameter without parentheses.
        parameters.extend(Some(node).filter(|node| node.kind() == "arrow_function"));
        for name in parameters.into_iter().flat_map(|given| self.bound(given)).collect::<Vec<_>>() {
            self.bind(name, Meaning::Value);
        }
        if let Some(receiver) = node.child_by_field_name("receiver") {
            let inner = receiver.named_child(0).map_or(Vec::new(), |inner| self.bound(inner));
            inner.into_iter().for_each(|name| self.bind(name, Meaning::Receiver));
        }
        if belongs_to_whole_functions(self.language)
            && let Some(body) = node.child_by_field_name("body")
        {
            self.look_through(body);
        }
    }

    /// Finds the names that a function gives, without those of functions inside it.
    fn look_through(&mut self, body: Node<'s>) {
        let mut found = Found::default();
        let mut cursor = body.walk();
        loop {
            let node = cursor.node();
            let role = self.role(node);
            self.given(node, role, &mut found);
            let is_closed = matches!(role, Role::Function | Role::Class);
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
            (Role::Hoisted, "variable_declarator") if gives_function(node, self.source) => {
                found.defined.extend(self.bound(node));
            }
            (Role::Hoisted, _) => found.values.extend(self.bound(node)),
            _ => {}
        }
    }

    /// The names that a statement of Python lists; as they are called here.
    fn parts_of(&self, node: Node<'s>) -> Vec<&'s str> {
        let mut cursor = node.walk();
        let names = node.named_children(&mut cursor).map(|part| {
            let written = text(part.child_by_field_name("alias").unwrap_or(part), self.source);
            written.rsplit('.').next().unwrap_or(written)
        });
        names.collect()
    }

    fn bind_found(&mut self, found: Found<'s>) {
        let Found { values, defined, from_outside } = found;
        for name in values.difference(&defined) {
            if !from_outside.contains(name) {
                self.bind(name, Meaning::Value);
            }
        }
        for name in defined {
            self.bind(name, Meaning::Defined);
        }
    }

    fn bind(&mut self, name: &'s str, meaning: Meaning) {
        if let Some(frame) = self.frames.last_mut() {
            frame.names.push(name);
            self.known.entry(name).or_default().push(meaning);
        }
    }

    fn bound(&self, node: Node<'s>) -> Vec<&'s str> {
        let mut names = bound(node, self.source);
        if self.language == Language::Rust {
            // `Some(x)` and `NONE` in patterns are there already.
            names.retain(|name| !name.starts_with(char::is_uppercase));
        }
        names
    }

    fn role(&self, node: Node<'_>) -> Role {
        self.roles.get(usize::from(node.kind_id())).copied().unwrap_or(Role::Nothing)
    }
}

/// Whether a name is that of a variable also before its declaration.
fn belongs_to_whole_functions(language: Language) -> bool {
    use Language::{JavaScript, Python, Tsx, TypeScript};
    matches!(language, Python | JavaScript | TypeScript | Tsx)
}

/// Names that a function gives.
#[derive(Default)]
struct Found<'s> {
    values: FxHashSet<&'s str>,
    defined: FxHashSet<&'s str>,
    from_outside: FxHashSet<&'s str>,
}

/// What a function takes; in C that is inside of its declarator.
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

/// Whether a variable of JavaScript is a function, or a module that is brought.
fn gives_function(node: Node<'_>, source: &str) -> bool {
    let Some(value) = node.child_by_field_name("value") else { return false };
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => true,
        "call_expression" => {
            let called = value.child_by_field_name("function");
            called.is_some_and(|called| text(called, source) == "require")
        }
        _ => false,
    }
}

/// The role of every kind of a grammar, by its number.
fn roles(language: Language) -> &'static [Role] {
    static TABLES: Tables<Role> = [const { OnceLock::new() }; 11];
    by_kind(&TABLES, language, |kind| role_of(language, kind))
}

fn role_of(language: Language, kind: &str) -> Role {
    match language {
        Language::Rust => match kind {
            "function_item" | "closure_expression" => Role::Function,
            "block" | "match_arm" | "if_expression" | "while_expression" => Role::Block,
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
            "function_definition" | "lambda_expression" => Role::Function,
            "compound_statement" | "for_statement" | "for_range_loop" => Role::Block,
            "declaration" => Role::Declaration,
            _ => Role::Nothing,
        },
        Language::Python => python(kind),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(kind),
        // There, a variable cannot be called.
        Language::Java | Language::Sql | Language::Shell => Role::Nothing,
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
        "variable_declarator" | "for_in_statement" | "catch_clause" => Role::Hoisted,
        _ => Role::Nothing,
    }
}

//! Calls in syntax trees: what is called, and on or through what.

use tree_sitter::Node;

use super::names::{self, Callee, Way};
use super::scopes::Meaning;
use super::{Walk, imports, tokens, types};
use crate::facts::{Call, Through};
use crate::language::Language;

impl<'s> Walk<'_, 's> {
    pub(super) fn call(&mut self, node: Node<'s>) {
        let named = ["function", "name"].iter().find_map(|field| node.child_by_field_name(field));
        if named.is_some_and(|named| imports::is_import(self.language, self.text(named))) {
            return self.import(node);
        }
        let Some((through, name)) = self.callee(node) else { return };
        let through = match through {
            Through::Nothing => self.initialised(node).map_or(through, Through::Inside),
            through => through,
        };
        self.note_call(node, through, name, node.child_by_field_name("arguments"));
    }

    /// Returns what is called, and on what. `None` if the callee is a local variable, which may
    /// hold anything.
    fn callee(&self, node: Node<'s>) -> Option<(Through, String)> {
        let Callee { base, way, qualifier, name } = names::callee(node, self.source)?;
        match (base, way) {
            (None, _) => (!self.is_value(&name)).then_some((Through::Nothing, name)),
            (Some(_), Way::Path) => Some((by_path(self.seen_from_here(qualifier)), name)),
            (Some(base), Way::Dot) => Some((self.object(base, qualifier), name)),
        }
    }

    /// Returns the class of a call in a field initializer, as in `class A { int a = f(); }` in Java
    /// and C++. There, methods of the class are called without a receiver.
    fn initialised(&self, node: Node<'s>) -> Option<String> {
        let is_one = match self.language {
            Language::Java => node.kind() == "method_invocation",
            language => language == Language::Cpp,
        };
        self.class_around().filter(|_| is_one && self.function_around().is_none())
    }

    /// Records the call that a decorator such as `@f` makes.
    pub(super) fn decoration(&mut self, node: Node<'s>) {
        let named = node.named_child(0).filter(|_| self.language != Language::Java);
        let Some(named) = named.filter(|named| names::is_named(*named)) else { return };
        let Some((base, name)) = names::member(named) else {
            let name = self.text(named).to_owned();
            if !self.is_value(&name) {
                self.note_call(node, Through::Nothing, name, None);
            }
            return;
        };
        let through = self.object(base, names::last_name(self.text(base)));
        self.note_call(node, through, self.text(name).to_owned(), None);
    }

    /// Whether a name is a local variable, so that calling it calls what it holds.
    fn is_value(&self, name: &str) -> bool {
        let is_value = matches!(self.scopes.meaning(name), Some(Meaning::Value | Meaning::Of(_)));
        // In Java, variables cannot be called, and methods have a namespace of their own.
        is_value && self.language != Language::Java
    }

    /// Returns what a method is called on: a value, unless it is known to be something else.
    fn object(&self, base: Node<'s>, qualifier: String) -> Through {
        // `Outer.this` in Java.
        if let Some((outer, this)) = names::member(base)
            && this.kind() == "this"
        {
            return Through::Of(names::path(self.text(outer)));
        }
        if ["self", "this", "cls", "super"].contains(&qualifier.as_str()) {
            return Through::Path(qualifier);
        }
        match self.scopes.kind_of(base) {
            Some(kind) if kind == "Self" => return Through::Path("self".to_owned()),
            Some(kind) => return Through::Of(kind),
            None => {}
        }
        let root = names::root(base);
        // Results of calls and members of the object itself are values.
        let is_own = ["self", "this", "cls"].contains(&self.text(root));
        let is_result = ["call", "call_expression", "method_invocation"].contains(&base.kind());
        // In these languages, a module is never followed by a dot.
        let never = matches!(self.language, Language::Rust | Language::C | Language::Cpp);
        let meaning = match root.kind() {
            "identifier" => self.scopes.meaning(self.text(root)),
            _ => None,
        };
        match meaning {
            Some(Meaning::Value | Meaning::Of(_) | Meaning::Receiver) => Through::Value,
            _ if is_own || is_result || never => Through::Value,
            _ if root != base && root.kind() == "identifier" && !qualifier.is_empty() => {
                Through::Path(names::path(self.text(base)))
            }
            _ => by_path(qualifier),
        }
    }

    /// Adjusts a Rust path: one written in an inline module becomes relative to the file, and a
    /// type parameter is replaced by its bounds.
    fn seen_from_here(&self, path: String) -> String {
        // Type names are capitalised, module names are not.
        if self.language == Language::Rust
            && path.starts_with(char::is_uppercase)
            && let Some(Meaning::Of(bound)) = self.scopes.meaning(&path)
        {
            return bound.into_owned();
        }
        let is_inside =
            self.language == Language::Rust && self.open.iter().any(|open| open.module.is_some());
        match path.strip_prefix("super::").filter(|rest| is_inside && !rest.is_empty()) {
            Some(rest) => format!("self::{rest}"),
            None => path,
        }
    }

    /// Records the constructor calls of `T a, b(1), c{2}` in C++.
    pub(super) fn construction(&mut self, node: Node<'s>) {
        let Some(written) = class_written(node) else { return };
        let mut cursor = node.walk();
        let is_elsewhere = node.children(&mut cursor).any(|part| self.text(part) == "extern");
        if is_elsewhere {
            return;
        }
        let mut cursor = node.walk();
        let declared: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declared in declared {
            let value = declared.child_by_field_name("value");
            let is_made = types::made_of_names(declared, self.source, self.language).is_some();
            if is_made && self.function_around().is_some() {
                let given = declared.child_by_field_name("parameters");
                self.made(declared, self.text(written), given);
            }
            match (declared.kind(), value.map(|value| value.kind())) {
                ("init_declarator", Some("argument_list" | "initializer_list")) => {
                    self.made(declared, self.text(written), value);
                }
                ("identifier" | "array_declarator", _) => {
                    self.made(declared, self.text(written), None);
                }
                _ => {}
            }
        }
    }

    /// Records the constructor call of a C++ member initializer such as `: T(1), a{2}`. Whether it
    /// is for a base class or a field is decided when linking.
    pub(super) fn initializer(&mut self, node: Node<'s>) {
        if let Some(named) = node.named_child(0) {
            self.made(node, self.text(named), node.named_child(1));
        }
    }

    /// Records the constructor call of `T a{1}` in a C++ class.
    pub(super) fn made_in_class(&mut self, node: Node<'s>) {
        let value = node.child_by_field_name("default_value");
        let value = value.filter(|value| value.kind() == "initializer_list");
        if let (Some(written), Some(value)) = (class_written(node), value) {
            self.made(node, self.text(written), Some(value));
        }
    }

    /// Records the construction of a value, which counts only if the type is a class.
    fn made(&mut self, node: Node<'s>, written: &str, arguments: Option<Node<'s>>) {
        let path = names::path(written);
        let name = names::last_name(&path);
        if !name.is_empty() {
            self.note_call(node, Through::Of(path), name, arguments);
        }
    }

    /// Records calls among the tokens of a macro: a name before parentheses.
    pub(super) fn tokens(&mut self, node: Node<'s>) {
        if node.start_byte() < self.opaque_until {
            return;
        }
        for found in tokens::calls(node, self.source) {
            let (through, name) = (found.through, found.name);
            if through != Through::Nothing || !self.is_value(&name) {
                self.note_call(found.at, through, name, None);
            }
        }
    }

    fn note_call(
        &mut self,
        node: Node<'s>,
        through: Through,
        name: String,
        given: Option<Node<'s>>,
    ) {
        let caller = self.function_around();
        let arguments = match self.language {
            // In these languages, the arguments select among functions with the same name.
            Language::Java | Language::Cpp => Some(given.map_or(0, arguments)),
            _ => None,
        };
        // Without the line, so that repeated calls are equal.
        let call = Call { caller, name, through, arguments, line: 0 };
        if self.called.insert(call.clone()) {
            let line = node.start_position().row as u32 + 1;
            self.facts.calls.push(Call { line, ..call });
        }
    }
}

/// Calls through something without a name are calls on a value.
fn by_path(path: String) -> Through {
    match path.is_empty() {
        true => Through::Value,
        false => Through::Path(path),
    }
}

/// Returns the type of a C++ declaration, if it may be a class.
pub(super) fn class_written(node: Node<'_>) -> Option<Node<'_>> {
    const CLASSES: [&str; 3] = ["type_identifier", "qualified_identifier", "template_type"];
    let written = node.child_by_field_name("type")?;
    CLASSES.contains(&written.kind()).then_some(written)
}

/// Counts arguments.
fn arguments(given: Node<'_>) -> u8 {
    let mut cursor = given.walk();
    let parts = given.named_children(&mut cursor).filter(|part| !part.kind().contains("comment"));
    u8::try_from(parts.count()).unwrap_or(u8::MAX)
}

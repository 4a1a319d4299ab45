//! The types of values where they are used, or the functions and fields that the values come from.

use tree_sitter::Node;

use super::names::{self, Callee, Way, text};
use super::scopes::{Meaning, Scopes};
use super::types::{self, Typed};
use crate::language::Language;

impl<'s> Scopes<'s> {
    /// Returns the variables of known type that a declaration introduces, with their types.
    pub(super) fn kinds(&self, node: Node<'s>) -> Vec<Typed<'s>> {
        let written = types::given(node, self.source, self.language);
        if !written.is_empty() {
            return written;
        }
        if self.language == Language::Rust
            && let Some(found) = self.taken_out(node)
        {
            return vec![found];
        }
        let assigned = types::assigned(node, self.source);
        let told = assigned.and_then(|(name, value)| Some((name, self.kind_of(value)?.into())));
        told.into_iter().collect()
    }

    /// Returns the type of a value in the form of `Through::Of`, as far as it can be told in this
    /// file.
    pub(super) fn kind_of(&self, value: Node<'s>) -> Option<String> {
        const STEPS_MAX: usize = 6;
        self.kind_within(value, STEPS_MAX)
    }

    fn kind_within(&self, value: Node<'s>, steps: usize) -> Option<String> {
        let steps = steps.checked_sub(1)?;
        let constructed = types::constructed(value, self.source);
        let made = constructed.and_then(|made| types::plain_name(made, self.language));
        if let Some(kind) = made {
            return Some(kind.into_owned());
        }
        match value.kind() {
            "identifier" | "self" | "this" => self.kind_of_name(text(value, self.source)),
            "try_expression" => self.kind_within(value.named_child(0)?, steps).map(unwrapped),
            "await_expression" | "await" | "parenthesized_expression" => {
                self.kind_within(value.named_child(0)?, steps)
            }
            "index_expression" if self.language == Language::Rust => {
                let kind = self.kind_within(value.named_child(0)?, steps)?;
                let is_part = value.named_child(1)?.kind() == "range_expression";
                Some(if is_part { kind } else { element(kind) })
            }
            "reference_expression" => self.kind_within(value.child_by_field_name("value")?, steps),
            "pointer_expression" => self.kind_within(value.child_by_field_name("argument")?, steps),
            "call" | "call_expression" | "method_invocation" => self.result_of(value, steps),
            _ => {
                let (object, field) = names::member(value)?;
                let kind = self.kind_within(object, steps)?;
                Some(format!("{kind}.{}", text(field, self.source)))
            }
        }
    }

    fn kind_of_name(&self, name: &str) -> Option<String> {
        match self.meaning(name) {
            Some(Meaning::Of(kind)) => Some(kind.into_owned()),
            Some(Meaning::Receiver) => Some("Self".to_owned()),
            Some(Meaning::Value | Meaning::Defined) => None,
            None if ["self", "this"].contains(&name) => Some("Self".to_owned()),
            None => match (self.language, name.starts_with(char::is_uppercase)) {
                // A unit struct in Rust is its own value.
                (Language::Rust, true) if name.contains(char::is_lowercase) => {
                    Some(name.to_owned())
                }
                // A field that is declared above, or in the file of the class.
                (Language::Java, false) | (Language::Cpp, _) => Some(format!("Self.{name}")),
                _ => None,
            },
        }
    }

    /// Returns the type of a call's result, as an expression that names the function.
    fn result_of(&self, call: Node<'s>, steps: usize) -> Option<String> {
        let Callee { base, way, qualifier, name } = names::callee(call, self.source)?;
        let is_module = |base: Node<'s>| {
            let is_known = self.meaning(text(base, self.source)).is_some();
            base.kind() == "identifier" && !is_known && self.language != Language::Rust
        };
        match (base, way) {
            (None, _) => self.meaning(&name).is_none().then(|| format!("{name}()")),
            (Some(_), Way::Path) if qualifier.ends_with(':') => None,
            (Some(_), Way::Path) => Some(format!("{qualifier}::{name}()")),
            (Some(base), Way::Dot) => match self.kind_within(base, steps) {
                Some(kind) => Some(format!("{kind}.{name}()")),
                None => is_module(base).then(|| format!("{qualifier}::{name}()")),
            },
        }
    }

    /// Returns the Rust variable that is bound to the content of a container: by `for x in …`, by
    /// `Some(x) = …`.
    fn taken_out(&self, node: Node<'s>) -> Option<Typed<'s>> {
        let pattern = node.child_by_field_name("pattern")?;
        let value = node.child_by_field_name("value")?;
        match node.kind() {
            "for_expression" => {
                let name = self.only_name(pattern)?;
                Some((name, element(self.kind_of(value)?).into()))
            }
            "let_condition" | "let_declaration" => {
                let name = self.held_by(pattern)?;
                Some((name, unwrapped(self.kind_of(value)?).into()))
            }
            _ => None,
        }
    }

    /// Returns the variable that a match arm binds to the content: `match … { Some(x) => … }`.
    pub(super) fn unwrapped_by_arm(&self, arm: Node<'s>, around: &[Node<'s>]) -> Option<Typed<'s>> {
        let found = around.iter().rev().nth(1).filter(|_| arm.kind() == "match_arm")?;
        let name = self.held_by(arm.child_by_field_name("pattern")?)?;
        let value = found.child_by_field_name("value")?;
        Some((name, unwrapped(self.kind_of(value)?).into()))
    }

    /// Returns the parameters of a Rust closure that receive the elements of a container, as in
    /// `list.iter().for_each(|x| …)`.
    pub(super) fn elements_given(&self, closure: Node<'s>, around: &[Node<'s>]) -> Vec<Typed<'s>> {
        let given = || {
            let call = around.iter().rev().nth(1).filter(|_| self.language == Language::Rust)?;
            let called = call.child_by_field_name("function")?;
            let list = called.child_by_field_name("value")?;
            let name = text(called.child_by_field_name("field")?, self.source);
            let parameters = closure.child_by_field_name("parameters")?;
            let wanted: &[usize] = match name {
                "fold" | "try_fold" => &[1],
                "max_by" | "min_by" | "reduce" | "sort_by" | "sort_unstable_by" => &[0, 1],
                name if EACH.contains(&name) => &[0],
                _ => return None,
            };
            let kind = element(self.kind_of(list)?);
            let names = wanted.iter().filter_map(|number| {
                let parameter = parameters.named_child(u32::try_from(*number).ok()?)?;
                Some((self.only_name(parameter)?, kind.clone().into()))
            });
            Some(names.collect())
        };
        given().unwrap_or_default()
    }

    /// Returns the variable in `Some(x)` and `Ok(x)`.
    fn held_by(&self, pattern: Node<'s>) -> Option<&'s str> {
        let pattern = match pattern.kind() {
            "match_pattern" => pattern.named_child(0)?,
            _ => pattern,
        };
        let is_one = pattern.kind() == "tuple_struct_pattern" && pattern.named_child_count() == 2;
        let maker = pattern.child_by_field_name("type").filter(|_| is_one)?;
        let inner = ["Some", "Ok"].contains(&text(maker, self.source)).then_some(1)?;
        self.only_name(pattern.named_child(inner)?)
    }

    /// Returns the variable of a pattern that is nothing else: `x`, `&x`, `mut x`.
    fn only_name(&self, pattern: Node<'s>) -> Option<&'s str> {
        let mut at = pattern;
        while ["reference_pattern", "mut_pattern", "ref_pattern"].contains(&at.kind()) {
            at = at.named_child(at.named_child_count().checked_sub(1)? as u32)?;
        }
        (at.kind() == "identifier").then(|| text(at, self.source))
    }
}

/// Methods that call a closure with each element, or with the content if there is any.
const EACH: [&str; 22] = [
    "all",
    "and_then",
    "any",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "for_each",
    "inspect",
    "is_some_and",
    "map",
    "map_while",
    "max_by_key",
    "min_by_key",
    "partition",
    "position",
    "retain",
    "skip_while",
    "sort_by_key",
    "take_while",
    "try_for_each",
];

/// Returns the element type of a container. If the container's type is not known yet, `[]` is
/// appended, to be resolved when linking.
fn element(kind: String) -> String {
    match types::held(&kind) {
        Some(held) => held.to_owned(),
        None => format!("{kind}[]"),
    }
}

/// Returns the type of the content of an `Option` or `Result`. If the type is not known yet, `?` is
/// appended, to be resolved when linking.
fn unwrapped(kind: String) -> String {
    match types::held(&kind) {
        Some(held) => held.to_owned(),
        None if kind.contains('.') || kind.ends_with(')') => format!("{kind}?"),
        None => kind,
    }
}

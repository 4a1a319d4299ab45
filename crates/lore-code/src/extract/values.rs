//! What is known of values where they are used: their types, or the functions and fields that
//! they come from.

use tree_sitter::Node;

use super::names::{self, Callee, Way, text};
use super::scopes::{Meaning, Scopes};
use super::types::{self, Typed};
use crate::language::Language;

impl<'s> Scopes<'s> {
    /// The names that a declaration gives to values of which the type is known, with that.
    pub(super) fn kinds(&self, node: Node<'s>) -> Vec<Typed<'s>> {
        let written = types::given(node, self.source);
        if !written.is_empty() {
            return written;
        }
        let assigned = types::assigned(node, self.source);
        let told = assigned.and_then(|(name, value)| Some((name, self.kind_of(value)?.into())));
        told.into_iter().collect()
    }

    /// The type of a value, as far as it can be told here: its name, or which function
    /// returns it.
    pub(super) fn kind_of(&self, value: Node<'s>) -> Option<String> {
        const STEPS_MAX: usize = 6;
        self.kind_within(value, STEPS_MAX)
    }

    fn kind_within(&self, value: Node<'s>, steps: usize) -> Option<String> {
        let steps = steps.checked_sub(1)?;
        let constructed = types::constructed(value, self.source);
        if let Some(kind) = constructed.and_then(types::plain_name) {
            return Some(kind.into_owned());
        }
        match value.kind() {
            "identifier" | "self" | "this" => self.kind_of_name(text(value, self.source)),
            "try_expression" | "await_expression" | "await" | "parenthesized_expression" => {
                self.kind_within(value.named_child(0)?, steps)
            }
            "reference_expression" => self.kind_within(value.child_by_field_name("value")?, steps),
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
            None => ["self", "this"].contains(&name).then(|| "Self".to_owned()),
        }
    }

    /// What a call returns, told by what it calls.
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
}

//! What the things of a class hold.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Walk, names, types};
use crate::facts::Field;

impl<'s> Walk<'_, 's> {
    /// What the things of a class hold, as far as it is told of what type that is.
    pub(super) fn field(&mut self, node: Node<'s>) {
        let Some(class) = self.class_around() else { return };
        let found = match names::own_attribute(node, self.source) {
            Some(name) => {
                let written = node.child_by_field_name("type").map(|written| self.text(written));
                let written = written.and_then(|written| types::plain_name(written, self.language));
                let written = written.map(Cow::into_owned);
                let value = || self.scopes.kind_of(node.child_by_field_name("right")?);
                Vec::from_iter(written.or_else(value).map(|kind| (name, kind.into())))
            }
            None => self.scopes.kinds(node),
        };
        let bounds = self.bounds_around();
        self.facts.fields.extend(found.into_iter().map(|(name, kind)| Field {
            class: class.clone(),
            name: name.to_owned(),
            kind: types::bounded(kind, &bounds).into_owned(),
        }));
    }

    /// `struct T(A, B)` of Rust holds things by their numbers.
    pub(super) fn numbered_fields(&mut self, node: Node<'s>, class: &str) {
        let body = node.child_by_field_name("body");
        let Some(body) = body.filter(|body| body.kind() == "ordered_field_declaration_list") else {
            return;
        };
        let bounds = types::bounds(node, self.source, self.language);
        let mut cursor = body.walk();
        for (number, written) in body.children_by_field_name("type", &mut cursor).enumerate() {
            let Some(kind) = types::plain_name(self.text(written), self.language) else { continue };
            self.facts.fields.push(Field {
                class: class.to_owned(),
                name: number.to_string(),
                kind: types::bounded(kind, &bounds).into_owned(),
            });
        }
    }

    /// What the types are at least that stand for others in the class whose fields are at hand.
    pub(super) fn bounds_around(&self) -> Vec<types::Typed<'s>> {
        let class = self.around.iter().rev().nth(1);
        class.map_or(Vec::new(), |class| types::bounds(*class, self.source, self.language))
    }

    /// The class that a node is in, be it in a method of it.
    pub(super) fn class_around(&self) -> Option<String> {
        let around =
            self.open.iter().rev().find(|open| open.owner.is_some() || open.function.is_some())?;
        match around.function {
            Some(function) => self.facts.symbols.get(function)?.owner.clone(),
            None => around.owner.clone(),
        }
    }
}

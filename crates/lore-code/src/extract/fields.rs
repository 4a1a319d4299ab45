//! The fields of classes, and type aliases.

use std::borrow::Cow;

use tree_sitter::Node;

use super::calls::class_written;
use super::{Walk, names, types};
use crate::facts::Field;
use crate::language::Language;

impl<'s> Walk<'_, 's> {
    /// Records the fields that a node declares, as far as their types are known.
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
        if self.language == Language::Cpp {
            self.own_things(node, &class);
        }
    }

    /// Records C++ members that are held by value, as in `T a` but not `T *a`: a constructor of `T`
    /// runs whenever the object is constructed.
    fn own_things(&mut self, node: Node<'s>, class: &str) {
        let Some(kind) = class_written(node).map(|written| names::path(self.text(written))) else {
            return;
        };
        let mut cursor = node.walk();
        let declared = node.children_by_field_name("declarator", &mut cursor);
        let own = declared.filter(|declared| declared.kind() == "field_identifier");
        let own = own.map(|name| Field {
            class: class.to_owned(),
            name: format!("{}()", names::text(name, self.source)),
            kind: kind.clone(),
        });
        self.facts.fields.extend(own);
        self.made_in_class(node);
    }

    /// Records `using A = T` and `typedef T A` in C++ as a field without a class.
    pub(super) fn alias(&mut self, node: Node<'s>) {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(written), None) = (field("type"), self.function_around()) else { return };
        let name = field("name").or_else(|| field("declarator").map(types::innermost));
        let name = name.filter(|name| name.kind() == "type_identifier");
        let kind = types::plain_name(self.text(written), self.language);
        if let (Some(name), Some(kind)) = (name, kind) {
            self.facts.fields.push(Field {
                class: String::new(),
                name: self.text(name).to_owned(),
                kind: kind.into_owned(),
            });
        }
    }

    /// Records the bounds of the type parameters of a Rust class, as stated by itself or by an
    /// `impl`. They are fields named after the index of the parameter, as in `<0>`.
    pub(super) fn numbered_types(&mut self, node: Node<'s>, class: &str) {
        let written = node.child_by_field_name("type");
        let given = written.and_then(|written| written.child_by_field_name("type_arguments"));
        let list = match node.kind() {
            "impl_item" => given,
            _ => node.child_by_field_name("type_parameters"),
        };
        let Some(list) = list.filter(|_| self.language == Language::Rust) else { return };
        let names = types::parameters(list, self.source);
        for (name, kind) in types::bounds(node, self.source, self.language) {
            let Some(number) = names.iter().position(|known| *known == name) else { continue };
            self.facts.fields.push(Field {
                class: class.to_owned(),
                name: format!("<{number}>"),
                kind: kind.into_owned(),
            });
        }
    }

    /// Records the fields of a Rust tuple struct `struct T(A, B)` under their indexes.
    pub(super) fn numbered_fields(&mut self, node: Node<'s>, class: &str) {
        let body = node.child_by_field_name("body");
        let Some(body) = body.filter(|body| body.kind() == "ordered_field_declaration_list") else {
            return;
        };
        let bounds = self.bounds(node);
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

    /// Returns the type parameters, with bounds, of the class whose fields are being read.
    pub(super) fn bounds_around(&self) -> Vec<types::Typed<'s>> {
        let class = self.around.iter().rev().nth(1);
        class.map_or(Vec::new(), |class| self.bounds(*class))
    }

    fn bounds(&self, class: Node<'s>) -> Vec<types::Typed<'s>> {
        if self.language != Language::Rust {
            return types::bounds(class, self.source, self.language);
        }
        // An `impl` may state more bounds than the class does, so these are looked up when linking.
        let list = class.child_by_field_name("type_parameters");
        let names = list.map_or(Vec::new(), |list| types::parameters(list, self.source));
        let held = |(number, name)| (name, format!("Self.<{number}>").into());
        names.into_iter().enumerate().map(held).collect()
    }

    /// Returns the class that contains the current node, directly or in one of its methods.
    pub(super) fn class_around(&self) -> Option<String> {
        let around =
            self.open.iter().rev().find(|open| open.owner.is_some() || open.function.is_some())?;
        match around.function {
            Some(function) => self.facts.symbols.get(function)?.owner.clone(),
            None => around.owner.clone(),
        }
    }
}

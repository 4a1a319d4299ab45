//! In Go, a type implements every interface whose methods it has, without saying so.
//!
//! Methods are compared by their names, so it is likely, not certain.

use rustc_hash::{FxHashMap, FxHashSet};

use super::paths::folder;
use super::{EdgeKind, Linker};
use crate::facts::Label;
use crate::language::Language;

/// How sure it is in the same package, and in another one.
const NEAR: f64 = 0.8;
const FAR: f64 = 0.6;
/// How many types are said to implement one interface, at most: more say nothing.
const TYPES_MAX: usize = 200;

/// A type by its package and name.
type Named<'f> = (&'f str, &'f str);

impl<'f> Linker<'_, 'f> {
    /// Joins types of Go to the interfaces that they implement.
    pub(super) fn add_implementations(&mut self) {
        let methods = self.methods_of_go();
        let mut having: FxHashMap<&str, Vec<Named<'f>>> = FxHashMap::default();
        let (mut classes, mut interfaces) = (FxHashMap::default(), Vec::new());
        for (named, label, node) in self.types_of_go() {
            let Some(own) = methods.get(&named) else { continue };
            match label {
                Label::Interface => interfaces.push((named, node)),
                _ => {
                    classes.insert(named, node);
                    own.iter().for_each(|name| having.entry(name).or_default().push(named));
                }
            }
        }
        for (interface, node) in interfaces {
            let Some(wanted) = methods.get(&interface) else { continue };
            let rarest = wanted.iter().min_by_key(|name| having.get(**name).map_or(0, Vec::len));
            let Some(fitting) = rarest.and_then(|name| having.get(name)) else { continue };
            // What is not exported, no other package has.
            let is_open = wanted.iter().all(|name| name.starts_with(char::is_uppercase));
            let fits = |class: &&Named<'f>| {
                (is_open || class.0 == interface.0)
                    && methods.get(*class).is_some_and(|own| wanted.is_subset(own))
            };
            for class in fitting.iter().filter(fits).take(TYPES_MAX) {
                let Some(from) = classes.get(class) else { continue };
                let sure = if class.0 == interface.0 { NEAR } else { FAR };
                self.edge(EdgeKind::Implements, *from, node, None, sure);
            }
        }
    }

    fn methods_of_go(&self) -> FxHashMap<Named<'f>, FxHashSet<&'f str>> {
        let mut methods: FxHashMap<Named<'f>, FxHashSet<&'f str>> = FxHashMap::default();
        for file in self.files.iter().filter(|file| file.language == Some(Language::Go)) {
            for symbol in &file.symbols {
                let Some(owner) = symbol.owner.as_deref() else { continue };
                let own = methods.entry((folder(&file.path), owner)).or_default();
                own.insert(&symbol.name);
            }
        }
        methods
    }

    /// Types and interfaces, without those that have more methods from others.
    fn types_of_go(&self) -> Vec<(Named<'f>, Label, usize)> {
        let mut found = Vec::new();
        for (number, file) in self.files.iter().copied().enumerate() {
            if file.language != Some(Language::Go) {
                continue;
            }
            for (at, symbol) in file.symbols.iter().enumerate() {
                let is_built_on = || file.bases.iter().any(|base| base.class == symbol.name);
                let is_type = match symbol.label {
                    Label::Class => true,
                    Label::Interface => !is_built_on(),
                    _ => false,
                };
                if let Some(node) = self.symbol_node(number, at).filter(|_| is_type) {
                    found.push(((folder(&file.path), symbol.name.as_str()), symbol.label, node));
                }
            }
        }
        found
    }
}

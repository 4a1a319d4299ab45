//! Implementations in Go, where a type implements every interface whose methods it has, without a
//! declaration.
//!
//! Methods are compared by name only, so the result is likely, not certain.

use rustc_hash::{FxHashMap, FxHashSet};

use super::confidence::{GO_OTHER_PACKAGE, GO_SAME_PACKAGE};
use super::paths::folder;
use super::{EdgeKind, Linker};
use crate::facts::Label;
use crate::language::Language;

/// The most types that are recorded for one interface; more would tell nothing.
const TYPES_MAX: usize = 200;

/// A type, by its folder and name.
type Named<'f> = (&'f str, &'f str);

impl<'f> Linker<'_, 'f> {
    /// Joins Go types to the interfaces they implement.
    pub(super) fn add_implementations(&mut self) {
        let methods = self.methods_of_go();
        let embedded = self.embedded_in_go();
        let whole = |named: Named<'f>| whole(named, &methods, &embedded);
        let mut sets: FxHashMap<Named<'f>, FxHashSet<&'f str>> = FxHashMap::default();
        let mut having: FxHashMap<&str, Vec<Named<'f>>> = FxHashMap::default();
        let (mut classes, mut interfaces) = (FxHashMap::default(), Vec::new());
        for (named, label, node) in self.types_of_go() {
            let (own, complete) = whole(named);
            match (label, complete) {
                _ if own.is_empty() => continue,
                (Label::Interface, Complete::Yes) => interfaces.push((named, node)),
                // It embeds interfaces with unknown methods.
                (Label::Interface, Complete::No) => continue,
                _ => {
                    classes.insert(named, node);
                    own.iter().for_each(|name| having.entry(name).or_default().push(named));
                }
            }
            sets.insert(named, own);
        }
        for (interface, node) in interfaces {
            let Some(wanted) = sets.get(&interface) else { continue };
            let rarest = wanted.iter().min_by_key(|name| having.get(**name).map_or(0, Vec::len));
            let Some(fitting) = rarest.and_then(|name| having.get(name)) else { continue };
            // Methods that are not exported cannot be implemented in another package.
            let is_open = wanted.iter().all(|name| name.starts_with(char::is_uppercase));
            let fits = |class: &&Named<'f>| {
                (is_open || class.0 == interface.0)
                    && sets.get(*class).is_some_and(|own| wanted.is_subset(own))
            };
            for class in fitting.iter().filter(fits).take(TYPES_MAX) {
                let Some(from) = classes.get(class) else { continue };
                let sure = if class.0 == interface.0 { GO_SAME_PACKAGE } else { GO_OTHER_PACKAGE };
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

    /// Returns the types that each type or interface embeds; `None` for unknown ones.
    fn embedded_in_go(&self) -> FxHashMap<Named<'f>, Vec<Option<Named<'f>>>> {
        let mut embedded: FxHashMap<Named<'f>, Vec<Option<Named<'f>>>> = FxHashMap::default();
        for (number, file) in self.files.iter().copied().enumerate() {
            if file.language != Some(Language::Go) {
                continue;
            }
            for base in &file.bases {
                let meant = self.type_named(number, &base.name).and_then(|(found, _)| {
                    let there = *self.files.get(found.file)?;
                    let name = base.name.rsplit("::").next()?;
                    Some((folder(&there.path), name))
                });
                let of = (folder(&file.path), base.class.as_str());
                embedded.entry(of).or_default().push(meant);
            }
        }
        embedded
    }

    fn types_of_go(&self) -> Vec<(Named<'f>, Label, usize)> {
        let mut found = Vec::new();
        for (number, file) in self.files.iter().copied().enumerate() {
            if file.language != Some(Language::Go) {
                continue;
            }
            for (at, symbol) in file.symbols.iter().enumerate() {
                let is_type = matches!(symbol.label, Label::Class | Label::Interface);
                if let Some(node) = self.symbol_node(number, at).filter(|_| is_type) {
                    found.push(((folder(&file.path), symbol.name.as_str()), symbol.label, node));
                }
            }
        }
        found
    }
}

/// Whether all methods of a type are known.
enum Complete {
    Yes,
    No,
}

/// Returns the methods of a type, including those of embedded types.
fn whole<'f>(
    named: Named<'f>,
    methods: &FxHashMap<Named<'f>, FxHashSet<&'f str>>,
    embedded: &FxHashMap<Named<'f>, Vec<Option<Named<'f>>>>,
) -> (FxHashSet<&'f str>, Complete) {
    const PARTS_MAX: usize = 32;
    let (mut own, mut complete) = (FxHashSet::default(), Complete::Yes);
    let (mut open, mut seen) = (vec![named], FxHashSet::default());
    while let Some(part) = open.pop() {
        if !seen.insert(part) {
            continue;
        }
        if seen.len() > PARTS_MAX {
            return (own, Complete::No);
        }
        own.extend(methods.get(&part).into_iter().flatten().copied());
        for inner in embedded.get(&part).into_iter().flatten() {
            match inner {
                Some(inner) => open.push(*inner),
                None => complete = Complete::No,
            }
        }
    }
    (own, complete)
}

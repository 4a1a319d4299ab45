//! Resolves names to types, and finds their methods.
//!
//! Several types of a repository can have the same name. The file and its imports determine which
//! one is meant, and only methods of that one count.

use std::collections::VecDeque;

use super::confidence::{
    CERTAIN, CONSTRUCTOR, GUESS, IMPORTED_TYPE, INHERITED, NEAREST_TYPE, ONLY_TYPE, OTHER_FILE,
    OTHER_FILE_UNSURE, SAME_FILE,
};
use super::paths::folder;
use super::resolve::Resolved;
use super::{At, Found, Linker};
use crate::facts::{ImportedName, Label, Symbol};
use crate::language::Language;

/// The most classes that are searched for an inherited method.
const CLASSES_MAX: usize = 32;

impl Linker<'_, '_> {
    /// Returns the node of the type that a name or path refers to, with the confidence.
    pub(super) fn named_type(&self, file: usize, name: &str) -> Resolved {
        self.type_named(file, name).map(|(found, sure)| (found.node, sure))
    }

    /// Returns the type that a name or path refers to in a file, with the confidence.
    pub(super) fn type_named(&self, file: usize, name: &str) -> Option<(Found, f64)> {
        if name.contains("::") {
            return self.type_through(file, name);
        }
        if let Some(near) = self.type_in(file, name) {
            return Some((near, CERTAIN));
        }
        let imports = || self.imported.get(file).into_iter().flatten();
        let named = || imports().filter(|imported| imported.named.local == name);
        let candidates: Vec<_> = named()
            .filter_map(|imported| {
                let find = |file, name: &str| self.type_in(file, name);
                self.imported_as(imported, &self.default_types, find)
            })
            .collect();
        if let Some(found) = self.nearest(file, &candidates) {
            return Some((found, IMPORTED_TYPE));
        }
        let known = self.types.get(name)?;
        if self.is_foreign(At { file, function: None }, name) {
            return None;
        }
        let is_imported = |found: &&Found| imports().any(|i| i.files.contains(&found.file));
        let reached: Vec<_> = known.iter().filter(is_imported).copied().collect();
        if let Some(found) = self.nearest(file, &reached) {
            return Some((found, IMPORTED_TYPE));
        }
        let fitting = self.callable(file, known);
        let fitting: Vec<_> = fitting.into_iter().filter(|f| self.sees_type(file, *f)).collect();
        let certain = if fitting.len() == 1 { ONLY_TYPE } else { NEAREST_TYPE };
        self.nearest(file, &fitting).map(|found| (found, certain))
    }

    /// Whether a file can use a type of another file without importing it by name.
    fn sees_type(&self, file: usize, found: Found) -> bool {
        match self.language(file) {
            Some(Language::Python) => {
                self.imports_of(At { file, function: None }, ImportedName::ALL).next().is_some()
            }
            Some(Language::Go) => folder(self.path(found.file)) == folder(self.path(file)),
            Some(language) if language.is_script() => {
                self.files.get(file).is_some_and(|facts| facts.imports.is_empty())
            }
            _ => true,
        }
    }

    /// Returns a method of a type or of its base types.
    pub(super) fn own_method(&self, file: usize, owner: &str, name: &str) -> Resolved {
        let own = self.method(file, owner, name, SAME_FILE);
        own.or_else(|| self.inherited_by(file, owner, name))
    }

    /// Returns a method of one of the classes around a function, innermost first: nested classes
    /// can call methods of outer ones.
    pub(super) fn method_around(&self, at: At, name: &str) -> Resolved {
        let symbols = &self.files.get(at.file)?.symbols;
        let function = symbols.get(at.function?)?;
        let is_around = |class: &&Symbol| {
            matches!(class.label, Label::Class | Label::Interface)
                && class.byte_start <= function.byte_start
                && function.byte_end <= class.byte_end
        };
        // Nested symbols come after the ones around them.
        let around = symbols.iter().rev().filter(is_around).skip(1);
        around.into_iter().find_map(|class| self.own_method(at.file, &class.name, name))
    }

    /// Returns a method inherited by the type that a name refers to in a file. Its base types may
    /// be stated in this file or in the type's own.
    pub(super) fn inherited_by(&self, file: usize, owner: &str, name: &str) -> Resolved {
        self.inherited(file, owner, name).or_else(|| {
            let (class, _) =
                self.type_named(file, owner).filter(|(class, _)| class.file != file)?;
            self.inherited(class.file, self.name_of(class)?, name)
        })
    }

    /// Returns a method of the type that a name refers to in a file.
    pub(super) fn method(&self, file: usize, owner: &str, name: &str, sure: f64) -> Resolved {
        if let Some(near) = self.method_of_prototype(file, owner, name) {
            return Some((near.node, sure));
        }
        if let Some((class, certain)) = self.type_named(file, owner) {
            let found = self.method_of(class, name)?;
            return Some((found.node, farther(sure, found.file == file, certain)));
        }
        if self.types.contains_key(owner) {
            // There are types of this name, but none of them is meant here.
            return None;
        }
        // Object literals have methods as well, and types from elsewhere can get methods here.
        let found = self.methods.get(&(owner, name))?;
        if let Some(near) = found.iter().find(|found| found.file == file) {
            return Some((near.node, sure));
        }
        let fitting = self.callable(file, found);
        let certain = if fitting.len() == 1 { ONLY_TYPE } else { NEAREST_TYPE };
        self.nearest(file, &fitting).map(|found| (found.node, farther(sure, false, certain)))
    }

    /// Returns a method of something that is not a class in a JavaScript file but has methods
    /// there. This takes precedence over classes of the same name in other files.
    fn method_of_prototype(&self, file: usize, owner: &str, name: &str) -> Option<Found> {
        if !self.language(file)?.is_script() || self.type_in(file, owner).is_some() {
            return None;
        }
        let known = self.methods.get(&(owner, name))?;
        known.iter().find(|found| found.file == file).copied()
    }

    /// Returns a method of a type. It may be in another file, if the owner's name refers to this
    /// type there.
    fn method_of(&self, class: Found, name: &str) -> Option<Found> {
        let owner = self.name_of(class)?;
        let found = self.methods.get(&(owner, name))?;
        let near = found
            .iter()
            .find(|found| found.file == class.file && self.is_of(**found, class, owner));
        let means = |found: &&Found| {
            let meant = self.owner_of(**found, owner);
            found.file != class.file && meant.is_some_and(|(meant, _)| meant == class.node)
        };
        near.or_else(|| found.iter().find(means)).copied()
    }

    /// Whether a method belongs to this class and not to another of the same name in the same file.
    fn is_of(&self, method: Found, class: Found, owner: &str) -> bool {
        self.class_around(method, owner).is_none_or(|around| around == class.node)
    }

    /// Returns the type that a method belongs to, as determined by its file and module.
    pub(super) fn owner_of(&self, method: Found, owner: &str) -> Resolved {
        if let Some(around) = self.class_around(method, owner) {
            return Some((around, CERTAIN));
        }
        match self.scopes.get(&method.node) {
            Some(module) if self.scoped_types.contains_key(&(*module, owner)) => {
                self.named_type(method.file, &format!("{module}::{owner}"))
            }
            _ => self.named_type(method.file, owner),
        }
    }

    /// If several types of a file have the name of a method's owner, returns the one that contains
    /// the method, or else the one in the same module.
    fn class_around(&self, method: Found, owner: &str) -> Option<usize> {
        let known = self.types.get(owner)?.iter().filter(|found| found.file == method.file);
        known.clone().nth(1)?;
        let lines = |node: usize| self.graph.nodes.get(node).and_then(|node| node.lines);
        let (from, to) = lines(method.node)?;
        let scope = self.scopes.get(&method.node);
        let same = || known.clone().filter(|class| self.scopes.get(&class.node) == scope);
        let around = |class: &&Found| {
            lines(class.node).is_some_and(|(first, last)| first <= from && to <= last)
        };
        same().find(around).or_else(|| same().next()).map(|class| class.node)
    }

    /// Returns a method of a base type, nearest first.
    fn inherited(&self, file: usize, owner: &str, name: &str) -> Resolved {
        let mut open = VecDeque::from([(file, owner)]);
        for _ in 0..CLASSES_MAX {
            let (file, owner) = open.pop_front()?;
            let bases = &self.files.get(file)?.bases;
            let own = owner.rsplit("::").next().unwrap_or_default();
            for base in bases.iter().filter(|base| base.class == own) {
                let Some((above, _)) = self.type_named(file, &base.name) else { continue };
                if let Some(found) = self.method_of(above, name) {
                    return Some((found.node, INHERITED));
                }
                open.extend(self.name_of(above).map(|owner| (above.file, owner)));
            }
        }
        None
    }

    /// Returns the name of a definition.
    pub(super) fn name_of(&self, found: Found) -> Option<&str> {
        self.graph.nodes.get(found.node).map(|node| node.name.as_str())
    }

    /// Returns the constructor of a class, if it is a function.
    pub(super) fn constructor(&self, file: usize, class: Found, certain: f64) -> Resolved {
        let own = self.name_of(class)?;
        let (name, can_be_inherited) = match self.language(file)? {
            Language::Python => ("__init__", true),
            Language::JavaScript | Language::TypeScript | Language::Tsx => ("constructor", true),
            Language::Java | Language::Cpp => (own, false),
            // In these languages, a type before parentheses is not a call.
            _ => return None,
        };
        match self.method_of(class, name) {
            Some(found) => Some((found.node, farther(CONSTRUCTOR, found.file == file, certain))),
            None if can_be_inherited => self.inherited(class.file, own, name),
            None => None,
        }
    }

    /// Whether `this(…)` or `super(…)` calls a constructor.
    pub(super) fn delegates_construction(&self, file: usize, name: &str) -> bool {
        match self.language(file) {
            Some(Language::Java) => ["this", "super"].contains(&name),
            Some(language) => language.is_script() && name == "super",
            None => false,
        }
    }

    /// Returns the constructor that is called by `this(…)`, another of the same class, or by
    /// `super(…)`.
    pub(super) fn delegated_constructor(&self, at: At, owner: &str, name: &str) -> Resolved {
        let owner = owner.rsplit("::").next().unwrap_or_default();
        if name == "this" {
            // Which one is decided later, by the number of arguments.
            let caller = at.function.and_then(|function| self.symbol_node(at.file, function));
            let others = self.methods.get(&(owner, owner))?.iter();
            let mut others = others.filter(|found| found.file == at.file);
            let other = others.find(|found| Some(found.node) != caller)?;
            return Some((other.node, CONSTRUCTOR));
        }
        let bases = self.files.get(at.file)?.bases.iter();
        let mut above = bases.filter(|base| base.class == owner);
        above.find_map(|base| {
            let (class, certain) = self.type_named(at.file, &base.name)?;
            self.constructor(at.file, class, certain)
        })
    }

    /// Whether a function can be called on a value. A Rust function without `self` cannot.
    pub(super) fn is_called_on_values(&self, file: usize, symbol: &Symbol) -> bool {
        let params = symbol.params.as_deref().unwrap_or_default();
        let first = params.split([',', ':', ')']).next().unwrap_or_default();
        self.language(file) != Some(Language::Rust) || first.ends_with("self")
    }

    pub(super) fn type_in(&self, file: usize, name: &str) -> Option<Found> {
        if let Some(found) = self.default_types.get(&file).filter(|_| name == ImportedName::DEFAULT)
        {
            return Some(*found);
        }
        self.types.get(name)?.iter().find(|found| found.file == file).copied()
    }
}

/// Returns the confidence in a method, given the confidence for one in the same file and the
/// confidence in its type.
fn farther(sure: f64, is_same_file: bool, certain: f64) -> f64 {
    match is_same_file {
        _ if certain <= GUESS => GUESS,
        true => sure,
        false if certain > NEAREST_TYPE => sure - OTHER_FILE,
        false => sure - OTHER_FILE_UNSURE,
    }
}

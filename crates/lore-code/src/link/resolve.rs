//! What a name means, from near to far.

use std::collections::VecDeque;

use super::paths::{Start, folder, matching, module, stem};
use super::{Found, Imported, Linker};
use crate::facts::{Brought, Call};
use crate::language::Language;

/// A node, and how sure it is that it is meant.
type Meant = Option<(usize, f64)>;

/// How many classes are looked at for an inherited method.
const CLASSES_MAX: usize = 32;
/// How many files one import can mean.
const FILES_MAX: usize = 16;

impl Linker<'_, '_> {
    /// What a call calls, and how sure that is.
    pub(super) fn callee(&self, file: usize, owner: Option<&str>, call: &Call) -> Meant {
        let name = call.name.as_str();
        match call.qualifier.as_deref() {
            Some("self" | "this" | "Self" | "cls") => self.own_method(file, owner?, name),
            Some("super") => self.inherited(file, owner?, name),
            Some("self::" | "super::" | "crate::") => self
                .in_file(file, name)
                .or_else(|| self.in_module_around(file, name))
                .or_else(|| self.by_name(file, name, false)),
            Some(qualifier) => self.called_through(file, qualifier, name),
            None => self.called_plainly(file, owner, name),
        }
    }

    fn called_through(&self, file: usize, qualifier: &str, name: &str) -> Meant {
        self.method(file, qualifier, name, 0.9)
            .or_else(|| self.through_import(file, qualifier, name))
            .or_else(|| self.in_scope(file, qualifier, name))
            .or_else(|| self.in_module(file, qualifier, name))
            .or_else(|| self.in_package(file, qualifier, name))
            .or_else(|| match self.is_foreign(file, qualifier) {
                true => None,
                false => self.by_name(file, name, true),
            })
    }

    fn called_plainly(&self, file: usize, owner: Option<&str>, name: &str) -> Meant {
        let of_class = || match self.language(file) {
            // There, a method may be called without saying on what.
            Some(Language::Java | Language::C | Language::Cpp) => {
                self.own_method(file, owner?, name)
            }
            _ => None,
        };
        of_class()
            .or_else(|| self.in_file(file, name))
            .or_else(|| self.imported_name(file, name))
            .or_else(|| self.constructor(file, name))
            .or_else(|| self.in_folder(file, name))
            .or_else(|| self.imported_with_all(file, name))
            .or_else(|| match self.is_foreign(file, name) {
                true => None,
                false => self.by_name(file, name, false),
            })
    }

    fn own_method(&self, file: usize, owner: &str, name: &str) -> Meant {
        self.method(file, owner, name, 0.95).or_else(|| self.inherited(file, owner, name))
    }

    fn method(&self, file: usize, owner: &str, name: &str, sure: f64) -> Meant {
        let found = self.methods.get(&(owner, name))?;
        if let Some(near) = found.iter().find(|found| found.file == file) {
            return Some((near.node, sure));
        }
        let fitting = self.callable(file, found);
        let sure = if fitting.len() == 1 { sure - 0.1 } else { sure - 0.4 };
        self.nearest(file, &fitting).map(|found| (found.node, sure))
    }

    /// A method of a class above, the nearest first.
    fn inherited(&self, file: usize, owner: &str, name: &str) -> Meant {
        let mut open = VecDeque::from([(file, owner)]);
        for _ in 0..CLASSES_MAX {
            let (file, owner) = open.pop_front()?;
            let bases = &self.files.get(file)?.bases;
            for base in bases.iter().filter(|base| base.class == owner) {
                let above = self.type_named(file, &base.name).map_or(file, |(found, _)| found.file);
                let found = self.method(above, &base.name, name, 0.85);
                if found.is_some() {
                    return found;
                }
                open.push_back((above, &base.name));
            }
        }
        None
    }

    fn in_file(&self, file: usize, name: &str) -> Meant {
        let found = self.functions.get(name)?;
        let near = found.iter().find(|found| found.file == file && !found.method)?;
        Some((near.node, 0.95))
    }

    /// A function that the file imports, whatever it is called here.
    fn imported_name(&self, file: usize, local: &str) -> Meant {
        self.imports_of(file, local).find_map(|imported| {
            let brought = imported.brought;
            if brought.name == Brought::DEFAULT {
                return self.default_of(imported);
            }
            self.function_in(&imported.files, &brought.name).map(|found| (found.node, 0.85))
        })
    }

    /// A function of a module or class that the file imports.
    fn through_import(&self, file: usize, local: &str, name: &str) -> Meant {
        self.imports_of(file, local).find_map(|imported| {
            let methods = self.methods.get(&(imported.brought.name.as_str(), name));
            let mut methods = methods.into_iter().flatten();
            let method = methods.find(|found| imported.files.contains(&found.file)).copied();
            let found = method.or_else(|| self.function_in(&imported.files, name));
            found.map(|found| (found.node, 0.85))
        })
    }

    /// A function of a file of which everything was imported.
    fn imported_with_all(&self, file: usize, name: &str) -> Meant {
        let mut imports = self.imports_of(file, Brought::ALL);
        imports.find_map(|imported| {
            self.function_in(&imported.files, name).map(|found| (found.node, 0.8))
        })
    }

    fn imports_of<'s>(
        &'s self,
        file: usize,
        local: &'s str,
    ) -> impl Iterator<Item = &'s Imported<'s>> {
        let imported = self.imported.get(file).into_iter().flatten();
        imported.filter(move |imported| imported.brought.local == local)
    }

    fn function_in(&self, files: &[usize], name: &str) -> Option<Found> {
        let mut found = self.functions.get(name)?.iter();
        found.find(|found| files.contains(&found.file)).copied()
    }

    fn default_of(&self, imported: &Imported<'_>) -> Meant {
        let node = imported.files.iter().find_map(|file| self.defaults.get(file))?;
        Some((*node, 0.85))
    }

    /// Whether a name was imported from somewhere else than this repository.
    fn is_foreign(&self, file: usize, local: &str) -> bool {
        match self.language(file) {
            // There, what is imported need not have the name of its file.
            Some(Language::Rust | Language::C | Language::Cpp | Language::Shell) | None => false,
            Some(_) => {
                let mut imports = self.imports_of(file, local).peekable();
                imports.peek().is_some() && imports.all(|imported| imported.files.is_empty())
            }
        }
    }

    /// `module::function`: a module inside a file.
    fn in_scope(&self, file: usize, module: &str, name: &str) -> Meant {
        let found = self.callable(file, self.scoped.get(&(module, name))?);
        self.nearest(file, &found).map(|found| (found.node, 0.85))
    }

    /// `module::function`: a file or folder of that name.
    fn in_module(&self, file: usize, module: &str, name: &str) -> Meant {
        let inside = |found: &&Found| {
            let path = self.path(found.file);
            !found.method && (stem(path) == module || stem(folder(path)) == module)
        };
        let found = self.callable(file, self.functions.get(name)?);
        let found: Vec<_> = found.iter().filter(inside).copied().collect();
        self.nearest(file, &found).map(|found| (found.node, 0.8))
    }

    /// `super::function`: the module that a file is in, or the root of them.
    fn in_module_around(&self, file: usize, name: &str) -> Meant {
        let around = folder(self.path(file));
        let is_root = |found: &&Found| {
            let path = self.path(found.file);
            !found.method && folder(path) == around && ["lib", "main", "mod"].contains(&stem(path))
        };
        self.in_module(file, stem(around), name).or_else(|| {
            let root = self.functions.get(name)?.iter().find(is_root)?;
            Some((root.node, 0.8))
        })
    }

    /// In Go, all files of a folder are one.
    fn in_folder(&self, file: usize, name: &str) -> Meant {
        if self.language(file) != Some(Language::Go) {
            return None;
        }
        let here = folder(self.path(file));
        let mut found = self.functions.get(name)?.iter();
        let found = found.find(|found| {
            !found.method && self.may_call(file, **found) && folder(self.path(found.file)) == here
        })?;
        Some((found.node, 0.9))
    }

    /// `package::function`: a folder of that name, however far above; names in code have
    /// no dashes.
    fn in_package(&self, file: usize, package: &str, name: &str) -> Meant {
        let same = |part: &str| {
            let letters = part.chars().map(|letter| if letter == '-' { '_' } else { letter });
            letters.eq(package.chars())
        };
        let inside =
            |found: &&Found| !found.method && folder(self.path(found.file)).split('/').any(same);
        let found = self.callable(file, self.functions.get(name)?);
        let found: Vec<_> = found.iter().filter(inside).copied().collect();
        self.nearest(file, &found).map(|found| (found.node, 0.7))
    }

    fn constructor(&self, file: usize, class: &str) -> Meant {
        let imported = self.imports_of(file, class).map(|imported| imported.brought.name.as_str());
        let classes = std::iter::once(class).chain(imported);
        let mut known = classes.filter(|class| self.types.contains_key(class));
        known.find_map(|class| {
            let names = ["__init__", "constructor", "new", class];
            names.iter().find_map(|name| self.method(file, class, name, 0.85))
        })
    }

    /// The last resort: a name that hardly anything else has.
    fn by_name(&self, file: usize, name: &str, qualified: bool) -> Meant {
        const MOST: usize = 4;
        let found = self.callable(file, self.functions.get(name)?);
        let found: Vec<_> = found.into_iter().filter(|found| found.method == qualified).collect();
        match found.as_slice() {
            [only] => Some((only.node, if qualified { 0.5 } else { 0.6 })),
            several if several.len() <= MOST => {
                self.nearest(file, several).map(|found| (found.node, 0.25))
            }
            _ => None,
        }
    }

    /// The node of a type, and how sure it is that it is meant.
    pub(super) fn named_type(&self, file: usize, name: &str) -> Meant {
        self.type_named(file, name).map(|(found, sure)| (found.node, sure))
    }

    fn type_named(&self, file: usize, name: &str) -> Option<(Found, f64)> {
        // It may be known here by another name.
        let renamed = self.imports_of(file, name).map(|imported| imported.brought.name.as_str());
        let known = std::iter::once(name).chain(renamed).find_map(|name| self.types.get(name))?;
        if let Some(near) = known.iter().find(|found| found.file == file) {
            return Some((*near, 1.0));
        }
        let imported = self.imported.get(file).into_iter().flatten();
        let targets: Vec<_> = imported.flat_map(|imported| &imported.files).collect();
        if let Some(known) = known.iter().find(|found| targets.contains(&&found.file)) {
            return Some((*known, 0.9));
        }
        let fitting = self.callable(file, known);
        let sure = if fitting.len() == 1 { 0.8 } else { 0.4 };
        self.nearest(file, &fitting).map(|found| (found, sure))
    }

    /// Those whose language a file can call.
    fn callable(&self, file: usize, found: &[Found]) -> Vec<Found> {
        found.iter().filter(|found| self.may_call(file, **found)).copied().collect()
    }

    fn may_call(&self, file: usize, found: Found) -> bool {
        self.may_use(file, found.file)
    }

    /// Whether the languages of two files go together.
    fn may_use(&self, file: usize, other: usize) -> bool {
        match (self.language(file), self.language(other)) {
            (Some(from), Some(to)) => from.speaks_with(to),
            _ => false,
        }
    }

    fn language(&self, file: usize) -> Option<Language> {
        self.files.get(file).and_then(|facts| facts.language)
    }

    fn path(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |facts| facts.path.as_str())
    }

    /// The one whose path has most in common with the file's.
    fn nearest(&self, file: usize, found: &[Found]) -> Option<Found> {
        let here = self.path(file);
        let shared = |other: &str| {
            here.split('/').zip(other.split('/')).take_while(|(left, right)| left == right).count()
        };
        found.iter().copied().max_by_key(|found| {
            let other = self.path(found.file);
            (shared(other), std::cmp::Reverse(found.node))
        })
    }

    /// The files of this repository that an import means.
    pub(super) fn files_of(&self, file: usize, written: &str) -> Vec<usize> {
        let Some(language) = self.language(file) else { return Vec::new() };
        let module = module(self.path(file), written, language);
        match (language, module.parts.as_slice()) {
            (Language::Go, parts) => return self.package_of_go(file, parts),
            // A bare name is a package from elsewhere.
            (Language::JavaScript | Language::TypeScript | Language::Tsx, [_])
                if module.start == Start::Anywhere =>
            {
                return Vec::new();
            }
            _ => {}
        }
        // The last part may be a name inside the module.
        for length in (1..=module.parts.len()).rev().take(2) {
            let wanted = module.parts.get(..length).unwrap_or_default();
            let found = self.files_ending(file, wanted, module.start);
            if !found.is_empty() {
                let named: Vec<_> = found.iter().map(|file| (self.path(*file), *file)).collect();
                return module.exactly(&named).unwrap_or(found);
            }
        }
        Vec::new()
    }

    /// The files whose paths end most like a module's.
    fn files_ending(&self, file: usize, wanted: &[String], start: Start) -> Vec<usize> {
        let Some(last) = wanted.last() else { return Vec::new() };
        let known = self.stems.get(last.as_str()).into_iter().flatten().copied();
        let fits = |number: usize| {
            let same = matching(self.path(number), wanted, start)?;
            let whole = same >= self.package_depth(number) || start == Start::Root;
            (number != file && self.may_use(file, number) && whole).then_some((same, number))
        };
        best(known.filter_map(fits))
    }

    /// How many parts the name of a Python module has, with its packages.
    fn package_depth(&self, file: usize) -> usize {
        let path = self.path(file);
        let mut around = folder(path);
        let mut depth = usize::from(stem(path) != "__init__");
        while !around.is_empty() && self.packages.contains(around) {
            depth += 1;
            around = folder(around);
        }
        if self.language(file) == Some(Language::Python) { depth } else { 0 }
    }

    /// In Go, a path names a folder, beginning with the module's own name.
    fn package_of_go(&self, file: usize, wanted: &[String]) -> Vec<usize> {
        let domain = wanted.first().is_some_and(|first| first.contains('.'));
        let same = |number: usize| {
            let parts = folder(self.path(number)).rsplit('/').filter(|part| !part.is_empty());
            let pairs = parts.zip(wanted.iter().rev());
            pairs.take_while(|(left, right)| *left == right.as_str()).count()
        };
        let fits = |number: usize| {
            let same = same(number);
            let fits = same == wanted.len() || domain && same > 0;
            (fits && self.may_use(file, number)).then_some((same, number))
        };
        let known = wanted.last().and_then(|last| self.folders.get(last.as_str()));
        best(known.into_iter().flatten().copied().filter_map(fits))
    }
}

/// Those that have most in common with what was asked for.
fn best(fitting: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let fitting: Vec<_> = fitting.collect();
    let most = fitting.iter().map(|(same, _)| *same).max().unwrap_or_default();
    let best = fitting.into_iter().filter(|(same, _)| *same == most);
    best.map(|(_, number)| number).take(FILES_MAX).collect()
}

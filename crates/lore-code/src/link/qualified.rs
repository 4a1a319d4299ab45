//! Resolves paths such as `a::b::T`; the separators of all languages are written as `::`.
//!
//! The names before the last one are looked up through imports, modules and packages, then as
//! namespaces inside files, then as enclosing types. Only if none of these is known, the path may
//! refer to any type of that name, which is a guess. A path that leads out of the repository refers
//! to nothing here.

use std::collections::VecDeque;

use super::confidence::{CERTAIN, GUESS, IMPORTED, IMPORTED_TYPE};
use super::files::FILES_MAX;
use super::paths::folder;
use super::resolve::{HOPS_MAX, Resolved};
use super::{At, Found, Imported, Linker};
use crate::facts::ImportedName;
use crate::language::Language;

/// Where the names before the last one lead.
enum Lead {
    /// To the modules in these files.
    Files(Vec<usize>),
    /// Out of the repository.
    Elsewhere,
    /// To nothing known.
    Unknown,
}

impl<'f> Linker<'_, 'f> {
    /// Returns the type that a path refers to in a file.
    pub(super) fn type_through(&self, file: usize, path: &str) -> Option<(Found, f64)> {
        let (before, name) = path.rsplit_once("::")?;
        let lead = self.lead(At { file, function: None }, before);
        if let Lead::Files(files) = &lead {
            let find = |file, name: &str| self.type_in(file, name);
            if let Some(found) = self.exported(files, name, find) {
                return Some((found, IMPORTED_TYPE));
            }
        }
        if matches!(lead, Lead::Elsewhere) {
            return None;
        }
        let found = self
            .type_in_package(file, before, name)
            .or_else(|| self.type_in_scope(file, before, name))
            .or_else(|| self.type_inside(file, before, name))
            .or_else(|| self.type_around(file, before, name));
        match (found, lead) {
            (Some(found), _) => {
                Some((found, if found.file == file { CERTAIN } else { IMPORTED_TYPE }))
            }
            (None, Lead::Unknown) => self.guessed_type(file, before, name),
            (None, _) => None,
        }
    }

    /// Whether a path begins with something from outside of the repository.
    pub(super) fn leads_elsewhere(&self, at: At, path: &str) -> bool {
        matches!(self.lead(at, path), Lead::Elsewhere)
    }

    /// Returns a function of the module that a path leads to: one it defines, else one it
    /// re-exports.
    pub(super) fn in_modules_led_to(&self, at: At, path: &str, name: &str) -> Resolved {
        match self.lead(at, path) {
            Lead::Files(files) => {
                self.exported_function(&files, name).map(|found| (found.node, IMPORTED))
            }
            Lead::Elsewhere | Lead::Unknown => None,
        }
    }

    /// Returns the constructor that `m.T()` calls.
    pub(super) fn made_through(&self, file: usize, before: &str, name: &str) -> Resolved {
        let (class, certain) = self.type_through(file, &format!("{before}::{name}"))?;
        self.constructor(file, class, certain)
    }

    /// Returns the files that these files import under a name.
    pub(super) fn reexported_modules(&self, files: &[usize], name: &str) -> Vec<usize> {
        let reexported = files.iter().flat_map(|file| {
            let at = At { file: *file, function: None };
            self.imports_of(at, name).flat_map(|imported| imported.files.iter().copied())
        });
        reexported.filter(|file| !files.contains(file)).collect()
    }

    fn lead(&self, at: At, path: &str) -> Lead {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        match self.language(at.file) {
            Some(Language::Rust) => self.lead_of_rust(at, first, path),
            Some(Language::C | Language::Cpp) if first == "std" => Lead::Elsewhere,
            Some(Language::C | Language::Cpp | Language::Shell | Language::Sql) | None => {
                Lead::Unknown
            }
            Some(_) => self.lead_by_import(at, first, rest, path),
        }
    }

    fn lead_of_rust(&self, at: At, first: &str, path: &str) -> Lead {
        let file = at.file;
        let imported = self.imports_named(at, first);
        if !imported.is_empty() && imported.iter().all(|found| self.is_from_outside(file, found)) {
            return Lead::Elsewhere;
        }
        let rest = path.strip_prefix(first).unwrap_or_default();
        let whole = |found: &&Imported<'_>| format!("{}{rest}", found.named.path);
        let paths: Vec<_> = match imported.as_slice() {
            [] => vec![path.to_owned()],
            several => several.iter().map(whole).collect(),
        };
        let files: Vec<_> =
            paths.iter().flat_map(|path| self.modules_of_rust(file, path)).collect();
        match files.is_empty() {
            false => Lead::Files(files),
            true if imported.is_empty() && self.is_external_path(file, first) => Lead::Elsewhere,
            true => Lead::Unknown,
        }
    }

    /// Returns the files of a Rust module, or of one that is re-exported under that name.
    fn modules_of_rust(&self, file: usize, path: &str) -> Vec<usize> {
        let found = self.module_of_rust(file, path);
        if !found.is_empty() {
            return found;
        }
        let parts = path.rsplit_once("::");
        // Re-exported types are found together with their members.
        let Some((around, last)) = parts.filter(|(_, last)| !last.starts_with(char::is_uppercase))
        else {
            return Vec::new();
        };
        self.reexported_modules(&self.module_of_rust(file, around), last)
    }

    fn lead_by_import(&self, at: At, first: &str, rest: &str, path: &str) -> Lead {
        let file = at.file;
        let mut named = self.imports_named(at, first);
        named.retain(|imported| imported.named.name != ImportedName::DEFAULT);
        if named.is_empty() {
            // `import a.b` in Python makes the whole path available.
            let dotted = path.replace("::", ".");
            let all = self.imported.get(file).into_iter().flatten();
            let mut whole = all.filter(|imported| imported.named.path == dotted);
            return match whole.next() {
                Some(found) if found.files.is_empty() => Lead::Elsewhere,
                Some(found) => Lead::Files(found.files.clone()),
                None => Lead::Unknown,
            };
        }
        if named.iter().all(|imported| imported.files.is_empty()) {
            return Lead::Elsewhere;
        }
        let mut files: Vec<_> =
            named.iter().flat_map(|imported| self.of_module(file, imported)).collect();
        for name in rest.split("::").filter(|name| !name.is_empty()) {
            let inner = named.iter().flat_map(|imported| match self.language(file) {
                Some(Language::Python) => {
                    self.files_of(file, &format!("{}.{name}", imported.named.path))
                }
                _ => Vec::new(),
            });
            let inner: Vec<_> = inner.filter(|found| !files.contains(found)).collect();
            let reexported = self.reexported_modules(&files, name);
            files =
                [inner, reexported].into_iter().find(|found| !found.is_empty()).unwrap_or(files);
        }
        Lead::Files(files)
    }

    /// Returns the files of an imported module, possibly re-exported by another.
    fn of_module(&self, file: usize, imported: &Imported<'_>) -> Vec<usize> {
        let name = imported.named.name.as_str();
        let reexported = match self.language(file) {
            _ if name == ImportedName::ALL => Vec::new(),
            Some(Language::Python) => self.reexported_modules(&imported.files, name),
            Some(language) if language.is_script() => self.namespaces(&imported.files, name),
            _ => Vec::new(),
        };
        if reexported.is_empty() { imported.files.clone() } else { reexported }
    }

    /// Returns the files of a namespace that these files export: `export * as n from '…'`.
    fn namespaces(&self, files: &[usize], name: &str) -> Vec<usize> {
        let mut open = VecDeque::from_iter(files.iter().map(|file| (*file, name, 0)));
        while let Some((file, name, hops)) = open.pop_front() {
            if hops == HOPS_MAX || open.len() > FILES_MAX {
                break;
            }
            let at = At { file, function: None };
            for imported in self.imports_of(at, name) {
                match imported.named.name.as_str() {
                    ImportedName::ALL => return imported.files.clone(),
                    there => open.extend(imported.files.iter().map(|f| (*f, there, hops + 1))),
                }
            }
            for imported in self.imports_of(at, ImportedName::ALL) {
                open.extend(imported.files.iter().map(|file| (*file, name, hops + 1)));
            }
        }
        Vec::new()
    }

    /// Returns the imports of a local name as seen from a function or, if the function is not
    /// known, those anywhere in the file.
    fn imports_named<'s>(&'s self, at: At, local: &'s str) -> Vec<&'s Imported<'f>> {
        if at.function.is_some() {
            return self.imports_of(at, local).collect();
        }
        let all = self.imported.get(at.file).into_iter().flatten();
        all.filter(|imported| imported.named.local == local).collect()
    }

    /// Resolves `a.b.T` in Java: a class in the folders of its package.
    fn type_in_package(&self, file: usize, package: &str, name: &str) -> Option<Found> {
        if self.language(file) != Some(Language::Java) {
            return None;
        }
        let inside = |found: &Found| {
            let mut folders = folder(self.path(found.file)).rsplit('/');
            package.rsplit("::").all(|part| folders.next() == Some(part))
        };
        let found = self.callable(file, self.types.get(name)?);
        self.nearest(file, &found.into_iter().filter(inside).collect::<Vec<_>>())
    }

    /// Returns a type of a namespace or of a module inside a file.
    fn type_in_scope(&self, file: usize, before: &str, name: &str) -> Option<Found> {
        let module = before.rsplit("::").next()?;
        let found = self.callable(file, self.scoped_types.get(&(module, name))?);
        let own = found.iter().find(|found| found.file == file).copied();
        own.or_else(|| {
            let imports = self.imported.get(file).into_iter().flatten();
            let imported: Vec<_> = imports.flat_map(|found| found.files.iter().copied()).collect();
            let reached = found.iter().filter(|found| imported.contains(&found.file));
            let reached: Vec<_> = reached.copied().collect();
            self.nearest(file, if reached.is_empty() { &found } else { &reached })
        })
    }

    /// Returns a type that is defined inside another one.
    fn type_inside(&self, file: usize, before: &str, name: &str) -> Option<Found> {
        // In these languages, types do not contain types.
        if matches!(self.language(file), Some(Language::Rust | Language::Go)) {
            return None;
        }
        let (around, certain) = self.type_named(file, before)?;
        let outer = self.graph.nodes.get(around.node)?.lines?;
        let is_inside = |found: &&Found| {
            let lines = self.graph.nodes.get(found.node).and_then(|node| node.lines);
            let fits = lines.is_some_and(|(from, to)| outer.0 <= from && to <= outer.1);
            fits && found.file == around.file
        };
        self.types.get(name)?.iter().find(is_inside).copied().filter(|_| certain > GUESS)
    }

    /// Resolves `super::T` in an inline module of a Rust file to a type of the file.
    fn type_around(&self, file: usize, before: &str, name: &str) -> Option<Found> {
        let is_around = before.split("::").all(|part| ["self", "super"].contains(&part));
        self.type_in(file, name).filter(|_| is_around)
    }

    /// Returns the only type of a name, if nothing is known about its path.
    fn guessed_type(&self, file: usize, before: &str, name: &str) -> Option<(Found, f64)> {
        let first = before.split("::").next().unwrap_or_default();
        let may_be = match self.language(file)? {
            // In these languages, packages are determined by folders and imports.
            Language::Java | Language::Go => false,
            Language::Rust => first != "Self",
            _ => !["self", "this", "cls"].contains(&first),
        };
        let found = self.callable(file, self.types.get(name).filter(|_| may_be)?);
        match found.as_slice() {
            [only] => Some((*only, GUESS)),
            _ => None,
        }
    }
}

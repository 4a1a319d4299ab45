//! Resolves imports to files.

use super::confidence::IMPORTED;
use super::paths::{Module, Start, folder, matching, module, stem, used_module};
use super::resolve::Resolved;
use super::{At, Imported, Linker};
use crate::facts::{FileFacts, ImportedName, Label};
use crate::language::Language;

/// The crates that every Rust program has, whatever the files of a repository are called.
const OF_RUST: [&str; 3] = ["alloc", "core", "std"];

/// The most files that one import can refer to.
pub(super) const FILES_MAX: usize = 16;

impl Linker<'_, '_> {
    /// Returns the files of this repository that an import refers to.
    pub(super) fn files_of(&self, file: usize, written: &str) -> Vec<usize> {
        let Some(language) = self.language(file) else { return Vec::new() };
        if language == Language::Rust {
            let package = |name: &str| self.package(name).cloned();
            let used = used_module(self.path(file), written, package);
            let found = used.map_or(Vec::new(), |module| self.files_of_module(file, &module));
            if !found.is_empty() || self.knows_packages() {
                return found;
            }
        }
        let module = module(self.path(file), written, language);
        match (language, module.parts.as_slice()) {
            (Language::Go, parts) => return self.package_of_go(file, parts),
            (Language::Rust, [first, ..]) if OF_RUST.contains(&first.as_str()) => {
                return Vec::new();
            }
            // A bare name is a package outside of the repository.
            (Language::JavaScript | Language::TypeScript | Language::Tsx, [_])
                if module.start == Start::Anywhere =>
            {
                return Vec::new();
            }
            _ => {}
        }
        self.files_of_module(file, &module)
    }

    /// Resolves `module::function` and `crate::function` in Rust, relative to a file.
    pub(super) fn in_used_module(&self, file: usize, module: &str, name: &str) -> Resolved {
        if self.language(file) != Some(Language::Rust) {
            return None;
        }
        let files = self.files_of(file, &format!("{module}::{name}"));
        self.exported_function(&files, name).map(|found| (found.node, IMPORTED))
    }

    /// Returns the files of a Rust module whose whole path is given, relative to a file.
    pub(super) fn module_of_rust(&self, file: usize, path: &str) -> Vec<usize> {
        let package = |name: &str| self.package(name).cloned();
        let used = used_module(self.path(file), path, package);
        let is_own =
            |module: &Module| matching(self.path(file), &module.parts, module.start).is_some();
        match used {
            Some(module) if is_own(&module) => return vec![file],
            Some(module) => {
                let found = self.files_ending(file, &module.parts, module.start);
                if !found.is_empty() || self.knows_packages() {
                    return found;
                }
            }
            None => {}
        }
        let module = module(self.path(file), path, Language::Rust);
        match module.parts.first() {
            Some(first) if OF_RUST.contains(&first.as_str()) => Vec::new(),
            _ => self.files_ending(file, &module.parts, module.start),
        }
    }

    /// Whether nothing here has the name a Rust path begins with, so that it leads out of the
    /// repository.
    pub(super) fn is_external_path(&self, file: usize, first: &str) -> bool {
        let keywords = ["crate", "self", "super", "Self"];
        let brings_all =
            self.imports_of(At { file, function: None }, ImportedName::ALL).next().is_some();
        let is_known = keywords.contains(&first)
            || brings_all
            || self.types.contains_key(first)
            || self.files.get(file).is_some_and(|facts| has_module(facts, first));
        OF_RUST.contains(&first) || self.knows_packages() && !is_known
    }

    /// Whether Rust crates can be identified by their folders, as in a workspace. A path that
    /// begins with none of them then leads out of the repository.
    fn knows_packages(&self) -> bool {
        !self.crates.is_empty() && !self.paths.contains_key("src/lib.rs")
    }

    /// Returns the module path of a crate. The common prefix of the crates in a workspace is often
    /// missing in the names of their folders, so prefixes are removed until a name is known.
    fn package(&self, name: &str) -> Option<&Vec<String>> {
        let mut name = name;
        loop {
            if let Some(known) = self.crates.get(name) {
                return Some(known);
            }
            (_, name) = name.split_once('_')?;
        }
    }

    /// Whether a Rust import comes from outside of the repository.
    pub(super) fn is_from_outside(&self, file: usize, imported: &Imported<'_>) -> bool {
        let first = imported.named.path.split("::").next().unwrap_or_default().trim();
        if OF_RUST.contains(&first) {
            return true;
        }
        let is_near = ["crate", "self", "super"].contains(&first)
            || self.types.contains_key(first)
            || self.files.get(file).is_some_and(|facts| has_module(facts, first));
        imported.files.is_empty() && !is_near && self.knows_packages()
    }

    fn files_of_module(&self, file: usize, module: &Module) -> Vec<usize> {
        if module.parts.is_empty() {
            return self.files_ending(file, &[], module.start);
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

    /// Returns the files whose paths have the most parts at the end in common with a module's.
    fn files_ending(&self, file: usize, wanted: &[String], start: Start) -> Vec<usize> {
        let last = match (wanted.last(), start) {
            (Some(last), _) => last.as_str(),
            // The file that represents the root of the repository.
            (None, Start::Root) => "",
            (None, Start::Anywhere) => return Vec::new(),
        };
        let known = self.stems.get(last).into_iter().flatten().copied();
        let fits = |number: usize| {
            let same = matching(self.path(number), wanted, start)?;
            let whole = same >= self.package_depth(number) || start == Start::Root;
            (number != file && self.may_use(file, number) && whole).then_some((same, number))
        };
        best(known.filter_map(fits))
    }

    /// Returns how many parts the full name of a Python module has, including its packages.
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

    /// Returns the files of a Go package. Its path names a folder and begins with the module's own
    /// name, which need not be a folder.
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

fn has_module(facts: &FileFacts, name: &str) -> bool {
    facts.symbols.iter().any(|symbol| symbol.label == Label::Module && symbol.name == name)
}

/// Returns the files with the most parts in common.
fn best(fitting: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let fitting: Vec<_> = fitting.collect();
    let most = fitting.iter().map(|(same, _)| *same).max().unwrap_or_default();
    let best = fitting.into_iter().filter(|(same, _)| *same == most);
    best.map(|(_, number)| number).take(FILES_MAX).collect()
}

//! Resolves names to definitions, from near to far.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::builtins::{is_built_in, is_common_method};
use super::confidence::{
    GUESS, IMPORTED, IMPORTED_WITH_ALL, METHOD_BY_PATH, MODULE_BY_NAME, ONE_OF_FEW,
    PACKAGE_BY_NAME, SAME_FILE, SAME_PACKAGE, UNIQUE_FUNCTION, UNIQUE_LINKED_FUNCTION,
    UNIQUE_METHOD,
};
use super::files::FILES_MAX;
use super::paths::{folder, stem};
use super::{At, Found, Imported, Linker, functions_around};
use crate::facts::{Call, ImportedName, Through};
use crate::language::Language;

/// A node, and the confidence that it is the one meant.
pub(super) type Resolved = Option<(usize, f64)>;

/// The kind of definition that is searched by name alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    Function,
    Method,
}

/// The most files that are followed when a name is re-exported from file to file.
pub(super) const HOPS_MAX: usize = 4;

impl<'f> Linker<'_, 'f> {
    /// Returns the function that a call calls.
    pub(super) fn callee(&self, at: At, owner: Option<&str>, call: &Call) -> Resolved {
        let (node, sure) = self.named(at, owner, call)?;
        match call.arguments {
            Some(arguments) => {
                let caller = at.function.and_then(|function| self.symbol_node(at.file, function));
                Some(self.taking((node, sure), arguments, caller))
            }
            None => Some((node, sure)),
        }
    }

    /// Resolves a call without regard to its arguments.
    fn named(&self, at: At, owner: Option<&str>, call: &Call) -> Resolved {
        let (file, name) = (at.file, call.name.as_str());
        match &call.through {
            Through::Nothing => match self.delegates_construction(file, name) {
                true => self.delegated_constructor(at, owner?, name),
                false => self.resolve_bare_name(at, owner, name),
            },
            Through::Path(path) => match path.as_str() {
                "self" | "this" | "Self" | "cls" => self.own_method(file, owner?, name),
                "super" => self.inherited_by(file, owner?, name),
                "self::" | "super::" | "crate::" => self
                    .in_modules_around(file, name)
                    .or_else(|| self.by_name(file, name, Sought::Function)),
                path => self.called_through(at, path, name),
            },
            Through::Value => self.by_name(file, name, Sought::Method),
            Through::Of(kind) => self.called_on(at, owner, kind, name),
            Through::Inside(class) => self.resolve_bare_name(at, Some(class), name),
        }
    }

    fn called_through(&self, at: At, qualifier: &str, name: &str) -> Resolved {
        let root = qualifier.split("::").next().unwrap_or_default();
        // If `os` is not part of the repository, neither is `os.path`.
        if root != qualifier && self.is_foreign(at, root) {
            return None;
        }
        // If a type lacks the function, no other type provides it. A Rust path leads to a type or a
        // module; if this is not known here, it is outside of the repository.
        let is_path = self.language(at.file) == Some(Language::Rust) && qualifier.len() > 1;
        let is_known = || {
            is_path
                || self.is_foreign(at, qualifier)
                || self.leads_elsewhere(at, qualifier)
                || self.type_named(at.file, qualifier).is_some()
                || self.type_named(at.file, &format!("{qualifier}::{name}")).is_some()
        };
        self.through(at, qualifier, name).or_else(|| match is_known() {
            true => None,
            false => self.by_name(at.file, name, Sought::Method),
        })
    }

    /// Returns a function of a class, module or package that is named by a path.
    pub(super) fn through(&self, at: At, path: &str, name: &str) -> Resolved {
        let file = at.file;
        let (before, qualifier) = path.rsplit_once("::").unwrap_or(("", path));
        // What a JavaScript file exports, it contains.
        let of_file = || (qualifier == "exports").then(|| self.in_file(file, name))?;
        let found = self
            .method(file, path, name, METHOD_BY_PATH)
            .or_else(|| self.inherited_by(file, path, name))
            .or_else(|| self.in_modules_led_to(at, path, name))
            .or_else(|| self.made_through(file, path, name));
        // In Rust, a single name need not be imported to begin a path.
        let is_plain = before.is_empty() && self.language(file) == Some(Language::Rust);
        if found.is_some() || !is_plain && self.leads_elsewhere(at, path) {
            return found;
        }
        if !before.is_empty() {
            let in_scope = self.in_scope(file, qualifier, name);
            return in_scope.or_else(|| self.in_named(file, qualifier, name)).or_else(of_file);
        }
        self.through_import(at, qualifier, name)
            .or_else(|| self.in_used_module(file, qualifier, name))
            .or_else(|| self.in_scope(file, qualifier, name))
            .or_else(|| self.in_named(file, qualifier, name))
            .or_else(of_file)
    }

    /// Resolves `module::function` by the name of a file or folder. Rust paths say exactly where
    /// they lead, so there a mere match of names is a guess.
    fn in_named(&self, file: usize, module: &str, name: &str) -> Resolved {
        let in_module = self.in_module(file, module, name);
        let (node, sure) = in_module.or_else(|| self.in_package(file, module, name))?;
        match self.language(file) {
            Some(Language::Rust) => Some((node, GUESS)),
            _ => Some((node, sure)),
        }
    }

    pub(super) fn resolve_bare_name(&self, at: At, owner: Option<&str>, name: &str) -> Resolved {
        let file = at.file;
        let of_class = || match self.language(file) {
            // In these languages, a method can be called without a receiver.
            Some(Language::Java | Language::C | Language::Cpp) => {
                let own = || self.own_method(file, owner?, name);
                own().or_else(|| self.method_around(at, name))
            }
            _ => None,
        };
        // Imports inside the function take precedence over names around it.
        if self.imports_inside(at, name) {
            let imported = self.imported_name(at, name);
            let is_hidden =
                self.is_foreign(at, name) || self.language(file) == Some(Language::Rust);
            if imported.is_some() || is_hidden {
                return imported.or_else(|| self.used_inside(at, name));
            }
        }
        self.nested(at, name)
            .or_else(of_class)
            .or_else(|| self.in_file(file, name))
            .or_else(|| self.imported_name(at, name))
            .or_else(|| self.beyond_file(at, name))
    }

    /// Returns what a Rust function imports by `use` from a module inside a file.
    fn used_inside(&self, at: At, name: &str) -> Resolved {
        if self.is_foreign(at, name) {
            return None;
        }
        self.imports_of(at, name).find_map(|imported| {
            let ImportedName { path, name, .. } = imported.named;
            match path.rsplit("::").nth(1)?.trim() {
                "self" | "super" | "crate" => self.in_modules_around(at.file, name),
                module => self.through(at, module, name),
            }
        })
    }

    /// Resolves a name that is a function neither in the file nor among its imports.
    fn beyond_file(&self, at: At, name: &str) -> Resolved {
        let file = at.file;
        if let Some((class, certain)) = self.type_named(file, name) {
            let constructed = self.constructor(file, class, certain);
            // In these languages, a function can have the name of a type.
            let may_differ = matches!(self.language(file), Some(Language::C | Language::Cpp));
            if constructed.is_some() || !may_differ {
                return constructed;
            }
        }
        self.in_folder(file, name).or_else(|| self.imported_with_all(at, name)).or_else(|| {
            match self.could_be_reached(at, name) {
                true => self.by_name(file, name, Sought::Function),
                false => None,
            }
        })
    }

    /// Returns a function defined in the calling function, or in one around it.
    fn nested(&self, at: At, name: &str) -> Resolved {
        let nested = self.nested.get(&(at.file, name))?;
        let symbols = &self.files.get(at.file)?.symbols;
        functions_around(symbols, at.function).find_map(|around| {
            let (_, node) = nested.iter().find(|(inside, _)| *inside == around)?;
            Some((*node, SAME_FILE))
        })
    }

    /// Whether a name that neither the file nor its imports define can refer to a function
    /// elsewhere in the repository.
    fn could_be_reached(&self, at: At, name: &str) -> bool {
        let Some(language) = self.language(at.file) else { return false };
        if is_built_in(language, name) || self.is_foreign(at, name) {
            return false;
        }
        let everything = || self.imports_of(at, ImportedName::ALL).next().is_some();
        match language {
            // Files are linked together or read by each other.
            Language::C | Language::Cpp | Language::Shell | Language::Sql => true,
            // Scripts of a web page see each other; modules see only what they import.
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                self.files.get(at.file).is_some_and(|facts| facts.imports.is_empty())
            }
            // A module can re-export names from elsewhere.
            Language::Rust => everything() || self.imports_of(at, name).next().is_some(),
            Language::Python => everything(),
            Language::Go | Language::Java => false,
        }
    }

    fn in_file(&self, file: usize, name: &str) -> Resolved {
        let found = self.functions.get(name)?;
        let near = found.iter().find(|found| found.file == file && !found.method)?;
        Some((near.node, SAME_FILE))
    }

    /// Returns a function that is imported under a local name.
    fn imported_name(&self, at: At, local: &str) -> Resolved {
        self.imports_of(at, local).find_map(|imported| {
            let found = self
                .imported_as(imported, &self.defaults, |file, name| self.function_in(file, name));
            found.map(|found| (found.node, IMPORTED))
        })
    }

    /// Returns a function of a module or class that is imported under a local name.
    fn through_import(&self, at: At, local: &str, name: &str) -> Resolved {
        self.imports_of(at, local).find_map(|imported| {
            let methods = self.methods.get(&(imported.named.name.as_str(), name));
            let mut methods = methods.into_iter().flatten();
            let method = methods.find(|found| imported.files.contains(&found.file)).copied();
            let reexported = || self.reexported_modules(&imported.files, &imported.named.name);
            let found = method
                .or_else(|| self.exported_function(&imported.files, name))
                .or_else(|| self.exported_function(&reexported(), name));
            found.map(|found| (found.node, IMPORTED))
        })
    }

    /// Returns a function of a file from which everything is imported.
    fn imported_with_all(&self, at: At, name: &str) -> Resolved {
        let mut imports = self.imports_of(at, ImportedName::ALL);
        imports.find_map(|imported| {
            self.exported_function(&imported.files, name)
                .map(|found| (found.node, IMPORTED_WITH_ALL))
        })
    }

    /// Returns the imports of a local name as seen from a place: those of the innermost function
    /// that has any, else those of the whole file.
    pub(super) fn imports_of<'s>(
        &'s self,
        at: At,
        local: &'s str,
    ) -> impl Iterator<Item = &'s Imported<'f>> + use<'s, 'f> {
        let symbols = self.files.get(at.file).map_or(&[][..], |facts| &facts.symbols);
        let named = |imported: &&'s Imported<'f>| imported.named.local == local;
        let all = || self.imported.get(at.file).into_iter().flatten();
        let nearest = functions_around(symbols, at.function)
            .find(|around| all().filter(named).any(|found| found.inside == Some(*around)));
        all().filter(move |found| found.named.local == local && found.inside == nearest)
    }

    /// Whether a name is imported inside a function.
    fn imports_inside(&self, at: At, local: &str) -> bool {
        self.imports_of(at, local).any(|imported| imported.inside.is_some())
    }

    /// Returns a function of a file that other files can import.
    fn function_in(&self, file: usize, name: &str) -> Option<Found> {
        if let Some(found) = self.defaults.get(&file).filter(|_| name == ImportedName::DEFAULT) {
            return Some(*found);
        }
        let found = self.functions.get(name)?.iter();
        let found = || found.clone().filter(|found| found.file == file && !found.hidden);
        // In these languages, methods and members of objects can be imported.
        let language = self.language(file)?;
        let methods = language == Language::Java || language.is_script();
        let method = || found().next().filter(|_| methods);
        found().find(|found| !found.method).or_else(method).copied()
    }

    /// Returns a function of one of these files, or one that they re-export.
    pub(super) fn exported_function(&self, files: &[usize], name: &str) -> Option<Found> {
        self.exported(files, name, |file, name| self.function_in(file, name))
    }

    /// Returns the definition that an import refers to, as found by `find`.
    pub(super) fn imported_as(
        &self,
        imported: &Imported<'_>,
        defaults: &FxHashMap<usize, Found>,
        find: impl Fn(usize, &str) -> Option<Found>,
    ) -> Option<Found> {
        match imported.named.name.as_str() {
            // Importing the whole of a file with a default export refers to that.
            ImportedName::DEFAULT | ImportedName::ALL => {
                imported.files.iter().find_map(|file| defaults.get(file)).copied()
            }
            name => self.exported(&imported.files, name, find),
        }
    }

    /// Returns a definition of one of these files, or one that they re-export.
    pub(super) fn exported(
        &self,
        files: &[usize],
        name: &str,
        find: impl Fn(usize, &str) -> Option<Found>,
    ) -> Option<Found> {
        let mut open = VecDeque::from_iter(files.iter().map(|file| (*file, name, 0)));
        while let Some((file, name, hops)) = open.pop_front() {
            if let Some(found) = find(file, name) {
                return Some(found);
            }
            if hops == HOPS_MAX || open.len() > FILES_MAX {
                continue;
            }
            let at = At { file, function: None };
            for imported in self.imports_of(at, name) {
                let there = imported.named.name.as_str();
                open.extend(imported.files.iter().map(|file| (*file, there, hops + 1)));
            }
            for imported in self.imports_of(at, ImportedName::ALL) {
                open.extend(imported.files.iter().map(|file| (*file, name, hops + 1)));
            }
        }
        None
    }

    /// Whether a name is imported from outside of the repository.
    pub(super) fn is_foreign(&self, at: At, local: &str) -> bool {
        match self.language(at.file) {
            // In these languages, imported names tell nothing about files.
            Some(Language::C | Language::Cpp | Language::Shell) | None => false,
            Some(Language::Rust) => {
                let mut imports = self.imports_of(at, local).peekable();
                imports.peek().is_some()
                    && imports.all(|imported| self.is_from_outside(at.file, imported))
            }
            Some(_) => {
                let mut imports = self.imports_of(at, local).peekable();
                imports.peek().is_some() && imports.all(|imported| imported.files.is_empty())
            }
        }
    }

    /// Resolves `module::function` for a module inside a file.
    fn in_scope(&self, file: usize, module: &str, name: &str) -> Resolved {
        let found = self.callable(file, self.scoped.get(&(module, name))?);
        self.nearest(file, &found).map(|found| (found.node, IMPORTED))
    }

    /// Resolves `module::function` for a file or folder of that name.
    fn in_module(&self, file: usize, module: &str, name: &str) -> Resolved {
        let inside = |found: &&Found| {
            let path = self.path(found.file);
            !found.method && (stem(path) == module || stem(folder(path)) == module)
        };
        let found = self.callable(file, self.functions.get(name)?);
        let found: Vec<_> = found.iter().filter(inside).copied().collect();
        self.nearest(file, &found).map(|found| (found.node, MODULE_BY_NAME))
    }

    /// Resolves `super::function` and `crate::function`: in modules inside the file, then in those
    /// around it.
    fn in_modules_around(&self, file: usize, name: &str) -> Resolved {
        self.in_file(file, name).or_else(|| self.in_module_around(file, name))
    }

    /// Searches the module that a file is in, or the root module of its folder.
    fn in_module_around(&self, file: usize, name: &str) -> Resolved {
        let around = folder(self.path(file));
        let is_root = |found: &&Found| {
            let path = self.path(found.file);
            !found.method && folder(path) == around && ["lib", "main", "mod"].contains(&stem(path))
        };
        self.in_module(file, stem(around), name).or_else(|| {
            let root = self.functions.get(name)?.iter().find(is_root)?;
            Some((root.node, MODULE_BY_NAME))
        })
    }

    /// Searches the folder of a file. In Go, all files of a folder form one package.
    fn in_folder(&self, file: usize, name: &str) -> Resolved {
        if self.language(file) != Some(Language::Go) {
            return None;
        }
        let here = folder(self.path(file));
        let mut found = self.functions.get(name)?.iter();
        let found = found.find(|found| {
            !found.method && self.may_call(file, **found) && folder(self.path(found.file)) == here
        })?;
        Some((found.node, SAME_PACKAGE))
    }

    /// Resolves `package::function` for a folder of that name at any level. Hyphens in folder names
    /// are underscores in code.
    fn in_package(&self, file: usize, package: &str, name: &str) -> Resolved {
        let same = |part: &str| {
            let letters = part.chars().map(|letter| if letter == '-' { '_' } else { letter });
            letters.eq(package.chars())
        };
        let inside =
            |found: &&Found| !found.method && folder(self.path(found.file)).split('/').any(same);
        let found = self.callable(file, self.functions.get(name)?);
        let found: Vec<_> = found.iter().filter(inside).copied().collect();
        self.nearest(file, &found).map(|found| (found.node, PACKAGE_BY_NAME))
    }

    /// The last resort: resolves a name that is nearly unique in the repository.
    pub(super) fn by_name(&self, file: usize, name: &str, sought: Sought) -> Resolved {
        const MOST: usize = 4;
        let is_method = sought == Sought::Method;
        let language = self.language(file)?;
        let is_common = is_method && is_common_method(language, name);
        let mut found = self.callable(file, self.functions.get(name)?);
        found.retain(|found| found.method == is_method && (found.on_value || !is_method));
        // A call on a value runs an implementation, which the interface only declares.
        if found.iter().any(|found| !found.of_interface) {
            found.retain(|found| !found.of_interface);
        }
        if is_common && language == Language::Rust {
            // In Rust, values with their own version of a common method mostly have a known type.
            return None;
        }
        if is_common {
            // A file that calls its own version of a common method has something from the file of
            // that.
            found.retain(|found| found.file == file || self.imports_file(file, found.file));
        }
        let sure = match (sought, language) {
            (Sought::Method, _) if is_common => ONE_OF_FEW,
            (Sought::Method, _) => UNIQUE_METHOD,
            (_, Language::C | Language::Cpp | Language::Shell | Language::Sql) => {
                UNIQUE_LINKED_FUNCTION
            }
            _ => UNIQUE_FUNCTION,
        };
        match found.as_slice() {
            [only] => Some((only.node, sure)),
            several if several.len() <= MOST => {
                self.nearest(file, several).map(|found| (found.node, ONE_OF_FEW))
            }
            _ => None,
        }
    }

    pub(super) fn imports_file(&self, file: usize, other: usize) -> bool {
        let mut imported = self.imported.get(file).into_iter().flatten();
        imported.any(|imported| imported.files.contains(&other))
    }

    /// Returns the definitions that a file can use: in a compatible language and not hidden in
    /// another file.
    pub(super) fn callable(&self, file: usize, found: &[Found]) -> Vec<Found> {
        found.iter().filter(|found| self.may_call(file, **found)).copied().collect()
    }

    fn may_call(&self, file: usize, found: Found) -> bool {
        self.may_use(file, found.file) && (!found.hidden || found.file == file)
    }

    /// Whether the languages of two files are compatible.
    pub(super) fn may_use(&self, file: usize, other: usize) -> bool {
        match (self.language(file), self.language(other)) {
            (Some(from), Some(to)) => from.is_compatible_with(to),
            _ => false,
        }
    }

    pub(super) fn language(&self, file: usize) -> Option<Language> {
        self.files.get(file).and_then(|facts| facts.language)
    }

    pub(super) fn path(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |facts| facts.path.as_str())
    }

    /// Returns the definition whose path has the longest prefix in common with the file's.
    pub(super) fn nearest(&self, file: usize, found: &[Found]) -> Option<Found> {
        let here = self.path(file);
        let shared = |other: &str| {
            here.split('/').zip(other.split('/')).take_while(|(left, right)| left == right).count()
        };
        found.iter().copied().max_by_key(|found| {
            let other = self.path(found.file);
            (shared(other), std::cmp::Reverse(found.node))
        })
    }
}

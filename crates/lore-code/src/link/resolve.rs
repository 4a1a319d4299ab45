//! What a name means, from near to far.

use super::paths::{ends_with, folder, module_parts, stem};
use super::{Found, Linker};
use crate::facts::Call;

impl Linker<'_, '_> {
    /// What a call calls, and how sure that is.
    pub(super) fn callee(
        &self,
        file: usize,
        owner: Option<&str>,
        call: &Call,
    ) -> Option<(usize, f64)> {
        let name = call.name.as_str();
        match call.qualifier.as_deref() {
            Some("self" | "this" | "Self" | "cls" | "super") => {
                let owner = owner?;
                self.method(file, owner, name, 0.95).or_else(|| self.inherited(file, owner, name))
            }
            Some(qualifier) => self
                .method(file, qualifier, name, 0.9)
                .or_else(|| self.through_import(file, qualifier, name))
                .or_else(|| self.in_module(file, qualifier, name))
                .or_else(|| self.in_package(file, qualifier, name))
                .or_else(|| self.by_name(file, name, true)),
            None => self
                .in_file(file, name)
                .or_else(|| self.method(file, owner?, name, 0.9))
                .or_else(|| self.through_import(file, name, name))
                .or_else(|| self.constructor(file, name))
                .or_else(|| self.by_name(file, name, false)),
        }
    }

    fn method(&self, file: usize, owner: &str, name: &str, sure: f64) -> Option<(usize, f64)> {
        let found = self.methods.get(&(owner, name))?;
        let near = found.iter().find(|found| found.file == file);
        match (near, found.as_slice()) {
            (Some(near), _) => Some((near.node, sure)),
            (None, [only]) if self.may_call(file, *only) => Some((only.node, sure - 0.1)),
            (None, several) => self.nearest(file, several).map(|found| (found.node, sure - 0.4)),
        }
    }

    fn inherited(&self, file: usize, owner: &str, name: &str) -> Option<(usize, f64)> {
        let bases = self.files.get(file)?.bases.iter().filter(|base| base.class == owner);
        let mut bases = bases.map(|base| base.name.as_str());
        bases.find_map(|base| self.method(file, base, name, 0.85))
    }

    fn in_file(&self, file: usize, name: &str) -> Option<(usize, f64)> {
        let found = self.functions.get(name)?;
        let near = found.iter().find(|found| found.file == file && !found.method)?;
        Some((near.node, 0.95))
    }

    /// A name the file imports, or a function of a module it imports.
    fn through_import(&self, file: usize, brought: &str, name: &str) -> Option<(usize, f64)> {
        let facts = self.files.get(file)?;
        let brings = |at: usize| {
            facts.imports.get(at).is_some_and(|import| import.names.iter().any(|n| n == brought))
        };
        let targets: Vec<_> =
            self.imported.get(file)?.iter().filter(|(at, _)| brings(*at)).collect();
        let found = self.functions.get(name)?.iter();
        let mut found =
            found.filter(|found| targets.iter().any(|(_, target)| *target == found.file));
        found.next().map(|found| (found.node, 0.85))
    }

    /// `module::function`: a file or folder of that name.
    fn in_module(&self, file: usize, module: &str, name: &str) -> Option<(usize, f64)> {
        let inside = |found: &&Found| {
            let path = self.files.get(found.file).map_or("", |facts| facts.path.as_str());
            !found.method
                && self.may_call(file, **found)
                && (stem(path) == module || stem(folder(path)) == module)
        };
        let found: Vec<_> = self.functions.get(name)?.iter().filter(inside).copied().collect();
        self.nearest(file, &found).map(|found| (found.node, 0.8))
    }

    /// `package::function`: a folder of that name, however far above; names in code have
    /// no dashes.
    fn in_package(&self, file: usize, package: &str, name: &str) -> Option<(usize, f64)> {
        let same = |part: &str| {
            let letters = part.chars().map(|letter| if letter == '-' { '_' } else { letter });
            letters.eq(package.chars())
        };
        let inside = |found: &&Found| {
            let path = self.files.get(found.file).map_or("", |facts| facts.path.as_str());
            !found.method && self.may_call(file, **found) && folder(path).split('/').any(same)
        };
        let found: Vec<_> = self.functions.get(name)?.iter().filter(inside).copied().collect();
        self.nearest(file, &found).map(|found| (found.node, 0.7))
    }

    fn constructor(&self, file: usize, class: &str) -> Option<(usize, f64)> {
        if !self.types.contains_key(class) {
            return None;
        }
        let names = ["__init__", "constructor", "new", class];
        names.iter().find_map(|name| self.method(file, class, name, 0.85))
    }

    /// The last resort: a name that hardly anything else has.
    fn by_name(&self, file: usize, name: &str, qualified: bool) -> Option<(usize, f64)> {
        const MOST: usize = 4;
        let found = self.functions.get(name)?.iter();
        let found: Vec<_> = found
            .filter(|found| found.method == qualified && self.may_call(file, **found))
            .copied()
            .collect();
        match found.as_slice() {
            [only] => Some((only.node, if qualified { 0.5 } else { 0.6 })),
            several if several.len() <= MOST => {
                self.nearest(file, several).map(|found| (found.node, 0.25))
            }
            _ => None,
        }
    }

    pub(super) fn named_type(&self, file: usize, name: &str) -> Option<(usize, f64)> {
        let found = self.types.get(name)?;
        if let Some(near) = found.iter().find(|found| found.file == file) {
            return Some((near.node, 1.0));
        }
        let imported = self.imported.get(file).into_iter().flatten();
        let targets: Vec<_> = imported.map(|(_, target)| *target).collect();
        if let Some(known) = found.iter().find(|found| targets.contains(&found.file)) {
            return Some((known.node, 0.9));
        }
        let fitting: Vec<_> =
            found.iter().filter(|found| self.may_call(file, **found)).copied().collect();
        let sure = if fitting.len() == 1 { 0.8 } else { 0.4 };
        self.nearest(file, &fitting).map(|found| (found.node, sure))
    }

    fn may_call(&self, file: usize, found: Found) -> bool {
        let language = |number: usize| self.files.get(number).and_then(|facts| facts.language);
        match (language(file), language(found.file)) {
            (Some(from), Some(to)) => from.speaks_with(to),
            _ => false,
        }
    }

    /// The one whose path has most in common with the file's.
    fn nearest(&self, file: usize, found: &[Found]) -> Option<Found> {
        let path = |number: usize| self.files.get(number).map_or("", |facts| facts.path.as_str());
        let here = path(file);
        let shared = |other: &str| {
            here.split('/').zip(other.split('/')).take_while(|(left, right)| left == right).count()
        };
        found.iter().copied().max_by_key(|found| {
            let other = path(found.file);
            (shared(other), std::cmp::Reverse(found.node))
        })
    }

    /// The files of this repository that an import means.
    pub(super) fn files_of(&self, file: usize, module: &str) -> Vec<usize> {
        let here = self.files.get(file).map_or("", |facts| facts.path.as_str());
        let parts = module_parts(here, module);
        // The last part may be a name inside the module.
        for length in (1..=parts.len()).rev().take(2) {
            let wanted = parts.get(..length).unwrap_or_default();
            let Some(last) = wanted.last() else { break };
            let known = self.stems.get(last.as_str()).into_iter().flatten().copied();
            let fits = |number: &usize| {
                let path = self.files.get(*number).map_or("", |facts| facts.path.as_str());
                *number != file && ends_with(path, wanted)
            };
            let found: Vec<_> = known.filter(fits).take(4).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

//! Resolves calls on values by the types of these.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::resolve::{Resolved, Sought};
use super::{At, Found, Linker};
use crate::extract::{held, returned_name};
use crate::language::Language;

impl Linker<'_, '_> {
    /// Returns the method that is called on a value, given the value's type or the expression it
    /// comes from. A type from outside of the repository has its methods there.
    pub(super) fn called_on(
        &self,
        at: At,
        owner: Option<&str>,
        kind: &str,
        name: &str,
    ) -> Resolved {
        const STEPS_MAX: usize = 8;
        let kind = self.type_of(at, owner, kind, STEPS_MAX);
        let kind = kind.map(|(file, kind)| self.without_alias(file, kind));
        // A single letter is a type parameter, unless there is a type of this name.
        let kind =
            kind.filter(|(file, kind)| kind.len() > 1 || self.type_named(*file, kind).is_some());
        match kind {
            // Containers are types from outside of the repository.
            Some((_, kind)) if held(&kind).is_some() => None,
            Some((file, kind)) => self
                .method_of_some(file, &kind, name)
                .or_else(|| self.field_made(at, owner.filter(|_| kind == name)?, name)),
            None => self.by_name(at.file, name, Sought::Method),
        }
    }

    /// Evaluates a type expression. Returns the path of the type and the file in which that path is
    /// written: this one, that of the class with the field, or that of the function that returns
    /// the value.
    fn type_of<'k>(
        &'k self,
        at: At,
        owner: Option<&'k str>,
        kind: &'k str,
        steps: usize,
    ) -> Option<(usize, Cow<'k, str>)> {
        let steps = steps.checked_sub(1)?;
        if let Some(list) = kind.strip_suffix("[]") {
            let (file, kind) = self.type_of(at, owner, list, steps)?;
            return Some((file, held(&kind)?.to_owned().into()));
        }
        if let Some(tried) = kind.strip_suffix('?') {
            let (file, kind) = self.type_of(at, owner, tried, steps)?;
            let found = held(&kind).map(|held| Cow::Owned(held.to_owned()));
            return Some((file, found.unwrap_or(kind)));
        }
        if let Some(inner) = held(kind).filter(|inner| inner.contains('.')) {
            let (file, kind) = self.type_of(at, owner, inner, steps)?;
            return Some((file, format!("[{kind}]").into()));
        }
        let Some(called) = kind.strip_suffix("()") else {
            return match kind.rsplit_once('.') {
                Some((inner, number)) if number.starts_with('<') => {
                    let (file, class) = self.type_of(at, owner, inner, steps)?;
                    let (class, _) = self.type_named(file, &class)?;
                    Some((class.file, self.told_by_extensions(class, number)?.into()))
                }
                Some((inner, field)) => {
                    let (file, class) = self.type_of(at, owner, inner, steps)?;
                    let (class, _) = self.type_named(file, &class)?;
                    let (class, kind) = self.field_of(class, field)?;
                    let there = At { file: class.file, function: None };
                    self.type_of(there, self.name_of(class), kind, steps)
                }
                None if kind == "Self" => Some((at.file, owner?.into())),
                None => Some((at.file, self.as_seen_from(at, kind))),
            };
        };
        let function = match called.rsplit_once('.') {
            Some((inner, method)) => {
                let (file, kind) = self.type_of(at, owner, inner, steps)?;
                let found = self.method_of_some(file, &kind, method);
                if found.is_none() && self.language(file) == Some(Language::Rust) {
                    return Some((file, passed(kind, method)?));
                }
                found
            }
            None => match called.rsplit_once("::") {
                Some((qualifier, name)) => self.through(at, qualifier, name),
                None => self.resolve_bare_name(at, owner, called),
            },
        };
        let function = self.graph.nodes.get(function?.0)?;
        let file = *self.paths.get(function.file_path.as_str())?;
        match returned_name(function.return_type.as_deref()?, self.language(file)?)? {
            kind if kind == "Self" => Some((file, function.receiver_type.as_deref()?.into())),
            kind => Some((file, kind)),
        }
    }

    /// Qualifies a type name with the module it is used in, if that module of the file has a type
    /// of this name.
    fn as_seen_from<'k>(&self, at: At, kind: &'k str) -> Cow<'k, str> {
        let module = || {
            let function = self.files.get(at.file)?.symbols.get(at.function?)?;
            let module = function.module.as_deref()?;
            let known = self.scoped_types.get(&(module, kind))?;
            known.iter().any(|found| found.file == at.file).then_some(module)
        };
        match module() {
            Some(module) => Cow::Owned(format!("{module}::{kind}")),
            None => Cow::Borrowed(kind),
        }
    }

    /// Returns the bounds of a class's type parameter, from the class and all its `impl` blocks;
    /// `A+B` if there are several.
    fn told_by_extensions(&self, class: Found, number: &str) -> Option<String> {
        let told = self.fields.get(&(self.name_of(class)?, number))?;
        let meant = |file: usize| self.named_type(file, self.name_of(class)?);
        let is_of = |file: usize| {
            file == class.file || meant(file).is_some_and(|(meant, _)| meant == class.node)
        };
        let told = told.iter().filter(|(file, _)| is_of(*file));
        let mut kinds: Vec<_> = told.map(|(_, kind)| *kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Some(kinds.join("+"))
    }

    /// Returns a method of a type, or of the first that has it of several: `A+B`.
    fn method_of_some(&self, file: usize, kind: &str, name: &str) -> Resolved {
        kind.split('+').find_map(|kind| self.own_method(file, kind, name))
    }

    /// Replaces a C++ type alias by its type. Aliases of the file itself come first, then those of
    /// included files, then others if all of them agree.
    fn without_alias<'k>(&'k self, file: usize, kind: Cow<'k, str>) -> (usize, Cow<'k, str>) {
        const STEPS_MAX: usize = 4;
        let (mut file, mut kind) = (file, kind);
        for _ in 0..STEPS_MAX {
            let is_cpp = self.language(file) == Some(Language::Cpp);
            let is_foreign = kind.starts_with("std::");
            if !is_cpp || is_foreign || self.type_named(file, &kind).is_some() {
                break;
            }
            let name = kind.rsplit("::").next().unwrap_or_default();
            let known = self.fields.get(&("", name)).map_or(&[][..], Vec::as_slice);
            let here = |known: &&(usize, &str)| known.0 == file;
            let near = |known: &&(usize, &str)| self.imports_file(file, known.0);
            let mut all = known.iter();
            let found = match known.iter().find(here).or_else(|| known.iter().find(near)) {
                Some(found) => Some(found),
                None => all.next().filter(|first| all.all(|other| other.1 == first.1)),
            };
            let Some((there, meant)) = found else { break };
            (file, kind) = (*there, Cow::Borrowed(*meant));
        }
        (file, kind)
    }

    /// Returns the constructor that a C++ member initializer such as `: a(1)` calls.
    fn field_made(&self, at: At, owner: &str, name: &str) -> Resolved {
        if self.language(at.file) != Some(Language::Cpp) {
            return None;
        }
        let (class, _) = self.type_named(at.file, owner)?;
        let (class, kind) = self.field_of(class, &format!("{name}()"))?;
        let (made, certain) = self.type_named(class.file, kind)?;
        self.constructor(at.file, made, certain)
    }

    /// Returns the class that declares a field, which is this one or a base class, and the type of
    /// the field as written there.
    fn field_of(&self, class: Found, name: &str) -> Option<(Found, &str)> {
        const CLASSES_MAX: usize = 16;
        let mut open = VecDeque::from([class]);
        for _ in 0..CLASSES_MAX {
            let class = open.pop_front()?;
            let owner = self.name_of(class)?;
            let known = self.fields.get(&(owner, name)).into_iter().flatten();
            let mut own = known.filter(|(file, _)| *file == class.file);
            if let Some((_, kind)) = own.next() {
                return Some((class, kind));
            }
            let bases = &self.files.get(class.file)?.bases;
            let above = bases.iter().filter(|base| base.class == owner);
            let above = above.filter_map(|base| self.type_named(class.file, &base.name));
            open.extend(above.map(|(above, _)| above));
        }
        None
    }
}

/// Returns the type of the result of a Rust method that every type has, or that every container
/// has.
fn passed<'k>(kind: Cow<'k, str>, method: &str) -> Option<Cow<'k, str>> {
    const SAME: [&str; 7] =
        ["as_mut", "as_ref", "borrow", "borrow_mut", "clone", "into_inner", "to_owned"];
    const TAKEN: [&str; 6] = [
        "expect",
        "unwrap",
        "unwrap_or",
        "unwrap_or_default",
        "unwrap_or_else",
        "unwrap_unchecked",
    ];
    const AMONG: [&str; 34] = [
        "as_deref",
        "as_mut_slice",
        "as_slice",
        "by_ref",
        "chain",
        "cloned",
        "copied",
        "drain",
        "filter",
        "find",
        "first",
        "first_mut",
        "get",
        "get_mut",
        "inspect",
        "into_iter",
        "iter",
        "iter_mut",
        "last",
        "last_mut",
        "max_by_key",
        "min_by_key",
        "next",
        "next_back",
        "nth",
        "ok",
        "peek",
        "peekable",
        "pop",
        "rev",
        "skip",
        "skip_while",
        "take",
        "take_while",
    ];
    if SAME.contains(&method) {
        return Some(kind);
    }
    let inner = held(&kind).map(|held| Cow::Owned(held.to_owned()));
    match method {
        method if TAKEN.contains(&method) => Some(inner.unwrap_or(kind)),
        method if AMONG.contains(&method) => inner.map(|_| kind),
        _ => None,
    }
}

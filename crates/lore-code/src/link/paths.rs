//! Paths of files and modules.

use rustc_hash::FxHashMap;

use crate::language::Language;

/// Returns the folder of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last part of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns the last part of a path up to its first dot.
pub(super) fn stem(path: &str) -> &str {
    let name = last(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether a file represents the module of its folder.
pub(super) fn is_folders_own(path: &str) -> bool {
    let name = last(path);
    ["mod.rs", "lib.rs", "main.rs", "__init__.py", "__init__.pyi"].contains(&name)
        || stem(path) == "index" && Language::of(path).is_some_and(Language::is_script)
}

/// The path of a module, in terms of files and folders.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) parts: Vec<String>,
    pub(super) start: Start,
    /// The path of the file as written, for imports that name files; its extension may be missing.
    pub(super) file: Option<String>,
}

impl Module {
    fn of(parts: Vec<String>, start: Start) -> Self {
        Self { parts, start, file: None }
    }

    /// Returns those of several files that have exactly the written name, if any: `a.test.ts` is
    /// not `./a`.
    pub(super) fn exactly<'f>(&self, files: &[(&'f str, usize)]) -> Option<Vec<usize>> {
        let bare = |path: &'f str| path.rsplit_once('.').map_or(path, |(bare, _)| bare);
        let written = self.file.as_deref()?;
        let without = written.rsplit_once('.').map_or(written, |(without, _)| without);
        [written, without].into_iter().find_map(|name| {
            let called = |path: &'f str| path == name || bare(path) == name;
            let found = files.iter().filter(|(path, _)| called(path)).map(|(_, number)| *number);
            Some(found.collect::<Vec<_>>()).filter(|found| !found.is_empty())
        })
    }
}

/// Where the path of a module starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// At any folder.
    Anywhere,
    /// At the root of the repository, because the import was relative.
    Root,
}

/// Returns the path of a module, as written in a file.
pub(super) fn module(here: &str, written: &str, language: Language) -> Module {
    match language {
        Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Shell
        | Language::C
        | Language::Cpp => path_of_files(here, written),
        Language::Go => Module::of(split(written, "/"), Start::Anywhere),
        Language::Python if written.starts_with('.') => {
            let dots = written.chars().take_while(|letter| *letter == '.').count();
            let mut parts = split(folder(here), "/");
            parts.truncate(parts.len().saturating_sub(dots - 1));
            parts.extend(split(written, "."));
            Module::of(parts, Start::Root)
        }
        Language::Rust => {
            let keywords = ["crate", "super", "self"];
            let mut parts = split(written, "::");
            parts.retain(|part| !keywords.contains(&part.as_str()));
            Module::of(parts, Start::Anywhere)
        }
        _ => Module::of(split(written, "."), Start::Anywhere),
    }
}

/// Returns Rust crates by the name used in code, each with the path of its module tree.
pub(super) fn packages_of_rust<'p>(
    paths: impl Iterator<Item = &'p str>,
) -> FxHashMap<String, Vec<String>> {
    let roots = paths.filter_map(|path| {
        let package = path.strip_suffix("/src/lib.rs")?;
        Some((last(package).replace('-', "_"), module_of_rust(path)))
    });
    roots.collect()
}

/// Returns the path of the module that a Rust file is. Tests and examples are crate roots.
fn module_of_rust(path: &str) -> Vec<String> {
    let mut parts = split(folder(path), "/");
    let around = parts.last().map_or("", String::as_str);
    let is_root = ["benches", "examples", "tests"].contains(&around)
        && !parts.iter().any(|part| part == "src");
    if !is_folders_own(path) && !is_root {
        parts.push(stem(path).to_owned());
    }
    parts
}

/// Returns the path of the module that a Rust path leads to. A path that begins neither with a
/// keyword nor with a crate starts in the module where it is written.
pub(super) fn used_module(
    here: &str,
    written: &str,
    package: impl Fn(&str) -> Option<Vec<String>>,
) -> Option<Module> {
    let parts = split(written, "::");
    let (first, mut rest) = parts.split_first()?;
    let mut start = module_of_rust(here);
    match first.as_str() {
        "crate" => {
            let root = start.iter().rposition(|part| part == "src")?;
            start.truncate(root + 1);
        }
        "self" => {}
        "super" => drop(start.pop()),
        first => match package(first) {
            Some(root) => start = root,
            None => rest = &parts,
        },
    }
    while let Some((_, later)) = rest.split_first().filter(|(next, _)| *next == "super") {
        start.pop();
        rest = later;
    }
    start.extend(rest.iter().cloned());
    Some(Module::of(start, Start::Root))
}

/// Returns how many parts at the end of a file's path match those of a module; `None` if the file
/// cannot be the module.
pub(super) fn matching(path: &str, module: &[String], start: Start) -> Option<usize> {
    let mut parts: Vec<_> = folder(path).split('/').filter(|part| !part.is_empty()).collect();
    if !is_folders_own(path) {
        parts.push(stem(path));
    }
    let pairs = parts.iter().rev().zip(module.iter().rev());
    let same = pairs.take_while(|(left, right)| **left == right.as_str()).count();
    let fits = match start {
        Start::Root => same == module.len() && same == parts.len(),
        // The package's own name need not be a folder, or may be the folder of the repository.
        Start::Anywhere => same > 0 && (same == parts.len() || same + 1 >= module.len()),
    };
    fits.then_some(same)
}

/// Returns the path of `./a/../b` relative to the file, or of `a/b` relative to any folder.
fn path_of_files(here: &str, written: &str) -> Module {
    let relative = written.starts_with('.');
    let mut parts = if relative { split(folder(here), "/") } else { Vec::new() };
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part.to_owned()),
        }
    }
    let file = Some(parts.join("/"));
    if let Some(last) = parts.last_mut() {
        *last = stem(last).to_owned();
    }
    if parts.last().is_some_and(|last| last == "index") {
        parts.pop();
    }
    Module { parts, start: if relative { Start::Root } else { Start::Anywhere }, file }
}

fn split(path: &str, separator: &str) -> Vec<String> {
    let parts = path.split(separator).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_paths_of_files() {
        let parts = |here, written, language| module(here, written, language).parts.join("/");
        assert_eq!(parts("a/b/c.py", ".d", Language::Python), "a/b/d");
        assert_eq!(parts("a/b/c.py", "..d.e", Language::Python), "a/d/e");
        assert_eq!(parts("a/b/c.py", ".", Language::Python), "a/b");
        assert_eq!(parts("a/b/c.py", "d.e", Language::Python), "d/e");
        assert_eq!(parts("a/b/c.ts", "../d/e", Language::TypeScript), "a/d/e");
        assert_eq!(parts("a/b/c.ts", "./d/index.js", Language::TypeScript), "a/b/d");
        assert_eq!(parts("a/b.rs", "crate::d::e", Language::Rust), "d/e");
        assert_eq!(parts("a/b.go", "x.org/m/d", Language::Go), "x.org/m/d");
    }

    #[test]
    fn paths_of_rust_begin_where_they_say() {
        let package = |name: &str| (name == "my_box").then(|| split("box/src", "/"));
        let used = |here, written| {
            let module = used_module(here, written, package);
            module.map_or_else(String::new, |module| module.parts.join("/"))
        };
        assert_eq!(used("p/src/a/b.rs", "super::c::d"), "p/src/a/c/d");
        assert_eq!(used("p/src/a/mod.rs", "super::c"), "p/src/c");
        assert_eq!(used("p/src/a/b.rs", "super::super::c"), "p/src/c");
        assert_eq!(used("p/src/a/b.rs", "self::c"), "p/src/a/b/c");
        assert_eq!(used("p/src/a/b.rs", "crate::c"), "p/src/c");
        assert_eq!(used("p/src/lib.rs", "c::d"), "p/src/c/d");
        assert_eq!(used("p/src/a.rs", "my_box::lid"), "box/src/lid");
        assert_eq!(used("p/tests/a.rs", "crate::c"), "");
        assert_eq!(used("p/tests/a.rs", "common::c"), "p/tests/common/c");
        let packages = packages_of_rust(["x/my-box/src/lib.rs", "x/src/a.rs"].into_iter());
        assert_eq!(
            packages.get("my_box").map(|parts| parts.join("/")).as_deref(),
            Some("x/my-box/src")
        );
    }

    #[test]
    fn a_file_is_a_module_by_the_end_of_its_path() {
        let module = |parts: &str| split(parts, "/");
        let anywhere = |path, parts| matching(path, &module(parts), Start::Anywhere);
        assert_eq!(anywhere("src/app/base.py", "app/base"), Some(2));
        assert_eq!(anywhere("base.py", "app/base"), Some(1));
        assert_eq!(anywhere("app/base/__init__.py", "app/base"), Some(2));
        assert_eq!(anywhere("app/base.py", "x/y/base"), None);
        assert_eq!(anywhere("app/lib.js", "app/lib"), Some(2));
        assert_eq!(anywhere("app/lib.rs", "app"), Some(1));
        let root = |path, parts| matching(path, &module(parts), Start::Root);
        assert_eq!(root("src/base.ts", "base"), None);
        assert_eq!(root("src/base.ts", "src/base"), Some(2));
    }
}

//! Paths of files and of modules.

/// The folder of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path without its ending.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The parts of a module's path, as a path of files.
pub(super) fn module_parts(here: &str, module: &str) -> Vec<String> {
    let relative = module.starts_with('.');
    let dots = module.chars().take_while(|letter| *letter == '.').count();
    let path_like = module.contains('/') || module.starts_with("./");
    let mut parts: Vec<String> = Vec::new();
    if relative {
        let up = if path_like { module.matches("../").count() } else { dots.saturating_sub(1) };
        let mut base: Vec<_> = folder(here).split('/').filter(|part| !part.is_empty()).collect();
        base.truncate(base.len().saturating_sub(up));
        parts.extend(base.into_iter().map(str::to_owned));
    }
    let head = module.split('{').next().unwrap_or_default();
    let separators: &[char] = if path_like { &['/'] } else { &['.', ':', '/'] };
    let own =
        head.split(separators).map(|part| part.split(" as ").next().unwrap_or_default().trim());
    let own = own.filter(|part| !["", ".", "..", "crate", "super", "self", "*"].contains(part));
    parts.extend(own.map(|part| if path_like { stem(part).to_owned() } else { part.to_owned() }));
    parts
}

/// Whether a file's path ends with these parts; `mod`, `index` and the like stand for
/// their folder.
pub(super) fn ends_with(path: &str, wanted: &[String]) -> bool {
    let mut parts: Vec<_> = folder(path).split('/').filter(|part| !part.is_empty()).collect();
    if !["mod", "index", "__init__", "lib"].contains(&stem(path)) {
        parts.push(stem(path));
    }
    let longest = parts.len().min(wanted.len());
    // A package's own name need not be a folder.
    let matching = parts.iter().rev().zip(wanted.iter().rev());
    let same = matching.take_while(|(left, right)| **left == right.as_str()).count();
    same == longest || same + 1 >= wanted.len() && same > 0
}

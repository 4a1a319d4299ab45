//! ARCHITECTURE.md's invariants about what depends on what, held by tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Who may use a library at all, and why nobody else.
const FENCES: [(&str, &[&str]); 11] = [
    // Only the adapter knows the protocol library.
    ("rmcp", &["lore-mcp", "lore-bench"]),
    // Only the HTTP front knows the web framework.
    ("axum", &["lore-http", "lore-bench"]),
    ("hyper-util", &["lore-http"]),
    // One way out, so that its guard cannot be walked around.
    ("reqwest", &["lore-net"]),
    // One way to the notes, for the same reason.
    ("cap-std", &["lore-vault"]),
    ("notify", &["lore-vault"]),
    // Only engines know SQL.
    ("rusqlite", &["lore-sqlite"]),
    // Only the program and chores may give up with a plain message.
    ("anyhow", &["lorewell", "xtask", "lore-bench", "lore-eval"]),
    ("clap", &["lorewell", "lore-bench", "lore-eval"]),
    // The language has one front, which the rest of the engine does not see.
    ("open-cypher", &["lore-cypher"]),
    // Schemas are a matter of the declarations.
    ("schemars", &["lore-tools"]),
];

/// The direction of the arrows: what each crate of ours may depend on.
const ARROWS: [(&str, &[&str]); 21] = [
    ("lore-anvil", &[]),
    ("lore-code", &["lore-cypher"]),
    ("lore-core", &[]),
    ("lore-cypher", &[]),
    ("lore-text", &[]),
    ("lore-search", &["lore-core", "lore-markup", "lore-text"]),
    ("lore-rules", &[]),
    ("lore-markup", &[]),
    ("lore-net", &["lore-core"]),
    ("lore-vault", &["lore-core"]),
    ("lore-reader", &["lore-core", "lore-markup"]),
    ("lore-resolve", &["lore-text"]),
    ("lore-koinet", &["lore-core"]),
    ("lore-store", &["lore-core", "lore-markup", "lore-search"]),
    ("lore-sqlite", &["lore-core", "lore-markup", "lore-search", "lore-store"]),
    (
        "lore-app",
        &[
            "lore-anvil",
            "lore-code",
            "lore-core",
            "lore-cypher",
            "lore-koinet",
            "lore-markup",
            "lore-reader",
            "lore-resolve",
            "lore-rules",
            "lore-search",
            "lore-store",
            "lore-text",
            "lore-vault",
        ],
    ),
    (
        "lore-remote",
        &["lore-anvil", "lore-app", "lore-core", "lore-markup", "lore-net", "lore-search"],
    ),
    ("lore-tools", &["lore-anvil", "lore-app", "lore-core", "lore-rules", "lore-store"]),
    ("lore-mcp", &["lore-app", "lore-core", "lore-store", "lore-tools"]),
    (
        "lore-http",
        &["lore-anvil", "lore-app", "lore-core", "lore-markup", "lore-mcp", "lore-tools"],
    ),
    (
        "lorewell",
        &[
            "lore-app",
            "lore-core",
            "lore-http",
            "lore-mcp",
            "lore-net",
            "lore-remote",
            "lore-sqlite",
            "lore-store",
            "lore-tools",
        ],
    ),
];

/// Crates that must not touch these, by a word that betrays it.
const WORDS: [(&str, &[&str]); 4] = [
    // Statements, not the words: prose may say "select".
    ("INSERT INTO", &["lore-sqlite"]),
    // lore-code reads source trees, in one module; lore-vault has the notes folder, by cap_std::fs.
    (
        "std::fs",
        &["lore-code", "lore-vault", "lore-sqlite", "lorewell", "xtask", "lore-bench", "lore-eval"],
    ),
    // lore-code starts git, in one guarded module.
    ("std::process", &["lore-code", "lorewell", "xtask", "lore-bench", "lore-eval"]),
    ("SystemTime::now", &[]),
];

#[test]
fn libraries_stay_behind_their_fences() {
    let crates = dependencies();
    for (library, allowed) in FENCES {
        for (name, uses) in &crates {
            assert!(
                !uses.iter().any(|used| used == library) || allowed.contains(&name.as_str()),
                "{name} must not depend on {library}"
            );
        }
    }
}

#[test]
fn arrows_point_one_way() {
    let crates = dependencies();
    for (name, allowed) in ARROWS {
        let uses = crates.get(name).unwrap_or_else(|| panic!("{name} is gone"));
        for used in uses.iter().filter(|used| crates.contains_key(*used)) {
            assert!(allowed.contains(&used.as_str()), "{name} must not depend on {used}");
        }
    }
    let unknown: Vec<_> = crates
        .keys()
        .filter(|name| !["xtask", "lore-bench", "lore-eval"].contains(&name.as_str()))
        .filter(|name| !ARROWS.iter().any(|(known, _)| known == name))
        .collect();
    assert!(unknown.is_empty(), "say what these may depend on: {unknown:?}");
}

#[test]
fn effects_stay_in_their_crates() {
    for (word, allowed) in WORDS {
        for file in sources() {
            let name = crate_of(&file);
            let text = production_code(&fs::read_to_string(&file).unwrap());
            assert!(
                allowed.contains(&name.as_str()) || !text.contains(word),
                "{} must not say {word:?}",
                file.display()
            );
        }
    }
}

/// What a log line may state besides its message. Names, paths and addresses are what people write
/// and read.
const LOGGED: [&str; 14] = [
    "%error", "?fault", "%refusal", "error", "tool", "node", "code", "count", "removed", "notes",
    "parsed", "connect", "endpoint", "status",
];

#[test]
fn no_log_line_names_what_people_write_and_read() {
    for file in sources() {
        let text = production_code(&fs::read_to_string(&file).unwrap());
        let levels = ["error!(", "warn!(", "info!(", "debug!(", "trace!("];
        let lines = levels.iter().flat_map(|level| {
            let call = format!("tracing::{level}");
            text.split(&call).skip(1).map(str::to_owned).collect::<Vec<_>>()
        });
        for line in lines {
            let fields = line.split('"').next().unwrap_or_default();
            for field in fields.split(',').map(str::trim).filter(|field| !field.is_empty()) {
                let name = field.split('=').next().unwrap_or_default().trim();
                assert!(LOGGED.contains(&name), "{} logs {name}", file.display());
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} has no module documentation", file.display());
    }
}

/// This feature breaks untagged enums with numbers in every crate of the build.
#[test]
fn numbers_of_arbitrary_precision_are_off() {
    let tree = cargo(&["tree", "-e", "features", "-i", "serde_json", "--workspace"]);
    assert!(tree.contains("serde_json"), "the tree was not read");
    assert!(!tree.contains("arbitrary_precision"));
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let table = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let table = table.split("\n[").next().unwrap();
    let page = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let names = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "));
    for (name, _) in names.filter(|(name, _)| !name.starts_with("lore-")) {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` | ")));
        let reason = row.and_then(|row| row.split('|').nth(2)).map_or("", str::trim);
        assert!(!reason.is_empty(), "docs/dependencies.md does not say why we use {name}");
    }
}

/// Each crate of the workspace with what it depends on, leaving out test-only ones.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&text).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .map(|package| {
            let normal = |dependency: &&Value| dependency["kind"] != "dev";
            let uses = package["dependencies"].as_array().unwrap().iter().filter(normal);
            let uses = uses.map(|used| used["name"].as_str().unwrap().to_owned()).collect();
            (package["name"].as_str().unwrap().to_owned(), uses)
        })
        .collect()
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("crates"), root().join("xtask")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("tests") && !path.ends_with("examples") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 50, "the sources were not found");
    found
}

fn crate_of(file: &Path) -> String {
    let inside = file.strip_prefix(root()).unwrap();
    let mut parts = inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    match parts.next().as_deref() {
        Some("crates") => parts.next().unwrap_or_default(),
        other => other.unwrap_or_default().to_owned(),
    }
}

/// The file without its tests, which may do as they like.
fn production_code(text: &str) -> String {
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

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
const FENCES: [(&str, &[&str]); 12] = [
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
    // Randomness comes in through `Effects`.
    ("getrandom", &["lore-core"]),
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
const WORDS: [(&str, &[&str]); 14] = [
    // Statements, not the words: prose may say "select".
    ("INSERT INTO", &["lore-sqlite"]),
    ("DELETE FROM", &["lore-sqlite"]),
    ("CREATE TABLE", &["lore-sqlite"]),
    // lore-code reads source trees, in one module; lore-vault has the notes folder, by cap_std::fs.
    (
        "std::fs",
        &["lore-code", "lore-vault", "lore-sqlite", "lorewell", "xtask", "lore-bench", "lore-eval"],
    ),
    ("tokio::fs", &[]),
    // lore-code starts git, in one guarded module.
    ("std::process", &["lore-code", "lorewell", "xtask", "lore-bench", "lore-eval"]),
    ("tokio::process", &[]),
    // Connections to others are opened by the HTTP client of lore-net.
    ("TcpStream::connect", &["lore-bench"]),
    ("UdpSocket", &[]),
    // lore-http looks up the addresses to listen on.
    ("lookup_host", &["lore-net", "lore-http"]),
    // What time it is comes in through `Effects`.
    ("SystemTime::now", &[]),
    ("Timestamp::now", &["lore-core"]),
    ("Zoned::now", &[]),
    ("Uuid::now", &[]),
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
const LOGGED: [&str; 13] = [
    "code",
    "connect",
    "count",
    // What damage is found in, by the numbers of rows.
    "damaged",
    "endpoint",
    "node",
    "notes",
    "parsed",
    "part",
    "removed",
    "request_id",
    "status",
    "tool",
];

/// Files that may log errors as they are. Elsewhere errors may tell what people write and read.
const TELLING: [&str; 6] = [
    // Of sockets and TLS.
    "lore-http/src/server.rs",
    "lore-net/src/tls.rs",
    // Of the engine, which names tables.
    "lore-sqlite/src/writer.rs",
    // Of services, which say what is wrong with the configuration.
    "lore-app/src/search/embedding.rs",
    "lore-app/src/search/questions.rs",
    "lore-app/src/pages/live/campaign.rs",
];

#[test]
fn no_log_line_names_what_people_write_and_read() {
    for file in sources() {
        let text = production_code(&fs::read_to_string(&file).unwrap());
        let tells = TELLING.iter().any(|telling| file.ends_with(telling));
        for line in log_lines(&text) {
            let mut parts = line.split('"');
            let fields = parts.next().unwrap_or_default().split(',').map(str::trim);
            for field in fields.filter(|field| !field.is_empty()) {
                let name = field.split('=').next().unwrap_or_default().trim();
                let is_error = ["%error", "?fault", "error"].contains(&name);
                assert!(
                    LOGGED.contains(&name) || (is_error && tells),
                    "{} logs {name}",
                    file.display()
                );
            }
            let message = parts.next().unwrap_or_default();
            assert!(!message.contains('{'), "{} logs {message}", file.display());
        }
    }
}

/// What is between the parentheses of each log line, and what follows it.
fn log_lines(text: &str) -> impl Iterator<Item = &str> {
    let levels = ["error!(", "warn!(", "info!(", "debug!(", "trace!("];
    text.split("tracing::")
        .skip(1)
        .filter_map(move |line| levels.iter().find_map(|level| line.strip_prefix(level)))
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
    let mut code = String::new();
    let mut tests: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap();
        if line.trim() == "#[cfg(test)]" {
            tests = Some(indent);
        } else if let Some(of_item) = tests {
            // The item ends with the first line at its own depth that closes it.
            let closes = line.trim_end().ends_with([';', '}']);
            tests = tests.filter(|_| indent != of_item || !closes);
        } else {
            code.push_str(line);
        }
    }
    code
}

#[test]
fn tests_are_no_production_code_and_what_follows_them_is() {
    let text = "mod one;\n#[cfg(test)]\nmod two;\nmod three;\n\nimpl One {\n    #[cfg(test)]\n    fn \
                two() {\n        two();\n    }\n\n    fn three() {}\n}\n\n#[cfg(test)]\nmod tests \
                {\n    fn two() {}\n}\n";
    let code = production_code(text);
    assert!(code.contains("mod one;") && code.contains("mod three;"), "{code}");
    assert!(code.contains("fn three()") && !code.contains("two"), "{code}");
}

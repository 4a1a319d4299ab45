//! `cargo xtask bench NAME`: benchmarks, in release builds.

mod performance;

use std::path::PathBuf;
use std::process::Command;

use anyhow::bail;

use crate::shell::{cargo, command, root, step, target, works};

/// Benchmarks that drive lorewell through its transports.
const DRIVEN: [&str; 4] = ["mcp", "play", "memory", "pages"];

/// Builds lorewell and runs one benchmark against it, or all of them.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    match name {
        "all" => performance::write(options),
        "code" => code(options).into_iter().try_for_each(|mut part| part.show()),
        "search" => search().show(),
        name if DRIVEN.contains(&name) => {
            build()?;
            driven(name, options).show()
        }
        _ => {
            bail!("there is no benchmark {name:?}: use {}, code, search or all", DRIVEN.join(", "))
        }
    }
}

/// A benchmark, which prints its results.
struct Part {
    name: String,
    command: Command,
    /// Whether it prints Markdown rather than a table for the terminal.
    markdown: bool,
}

impl Part {
    fn show(&mut self) -> anyhow::Result<()> {
        step(&format!("bench {}", self.name), &mut self.command)
    }
}

fn build() -> anyhow::Result<()> {
    let product = ["build", "--quiet", "--release", "-p", "lorewell", "-p", "lore-bench"];
    step("build", &mut cargo(&product))
}

fn driven(name: &str, options: &[&str]) -> Part {
    // Not `cargo run`: on its own, the crate has other features, so everything would be rebuilt.
    let program = target().join("release").join("bench-mcp");
    let mut run = command(program, &[name]);
    if let Some(python) = (name == "pages").then(mcp_kanka).flatten() {
        run.arg("--mcp-kanka").arg(python);
    }
    run.args(options);
    Part { name: name.to_owned(), command: run, markdown: true }
}

/// Returns the Python of an environment with mcp-kanka, if it can be installed. The package
/// requires one exact version of Python, but works with others as well.
fn mcp_kanka() -> Option<PathBuf> {
    let home = root().join("target/tools/mcp-kanka");
    let python = home.join("bin/python");
    if works(&python, &["-c", "import mcp_kanka"]) {
        return Some(python);
    }
    let made = command("python3", &["-m", "venv", "--clear"]).arg(&home).status();
    let mut pip = command(&python, &["-m", "pip", "install", "--quiet"]);
    pip.args(["--disable-pip-version-check", "--ignore-requires-python", "mcp-kanka==1.1.0"]);
    let done = made.is_ok_and(|made| made.success()) && pip.status().is_ok_and(|s| s.success());
    done.then_some(python)
}

/// Queries on a generated code graph, then the scan of a source tree.
fn code(options: &[&str]) -> [Part; 2] {
    let sources = match options {
        ["--sources", folder] => (*folder).to_owned(),
        // The project itself is always available; a larger tree is more meaningful.
        _ => root().display().to_string(),
    };
    let questions = example("lore-cypher", "questions");
    let mut scan = example("lore-code", "scan");
    scan.arg("--").arg(sources);
    [
        Part { name: "code: questions".to_owned(), command: questions, markdown: false },
        Part { name: "code: scan".to_owned(), command: scan, markdown: false },
    ]
}

/// The cost of a search at 10 k, 100 k and 1 M texts.
fn search() -> Part {
    let command = example("lore-search", "cost");
    Part { name: "search".to_owned(), command, markdown: false }
}

fn example(package: &str, name: &str) -> Command {
    cargo(&["run", "--quiet", "--release", "-p", package, "--example", name])
}

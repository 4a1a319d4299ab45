//! `cargo xtask bench NAME`: benchmarks, always optimised.

mod performance;

use std::path::PathBuf;
use std::process::Command;

use anyhow::bail;

use crate::shell::{cargo, command, root, step, target, works};

/// Benchmarks that drive the product through its transports.
const DRIVEN: [&str; 4] = ["mcp", "play", "memory", "pages"];

/// Builds the product and runs one benchmark against it, or all of them.
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

/// A benchmark: it prints what it found.
struct Part {
    name: String,
    command: Command,
    /// Whether what it prints is Markdown, and not a table for the terminal.
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
    // Not by `cargo run`: alone, the crate has other features, and all would be built again.
    let program = target().join("release").join("bench-mcp");
    let mut run = command(program, &[name]);
    if let Some(python) = (name == "pages").then(mcp_kanka).flatten() {
        run.arg("--mcp-kanka").arg(python);
    }
    run.args(options);
    Part { name: name.to_owned(), command: run, markdown: true }
}

/// The Python of an environment with mcp-kanka, if it can be installed. It asks for one
/// exact version of Python, though others serve it as well.
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

/// Questions on a generated graph of code, then the scan of a source tree.
fn code(options: &[&str]) -> [Part; 2] {
    let sources = match options {
        ["--sources", folder] => (*folder).to_owned(),
        // The project itself is always there; a larger tree tells more.
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

/// What a search costs at 10 k, 100 k and 1 M texts.
fn search() -> Part {
    let command = example("lore-search", "cost");
    Part { name: "search".to_owned(), command, markdown: false }
}

fn example(package: &str, name: &str) -> Command {
    cargo(&["run", "--quiet", "--release", "-p", package, "--example", name])
}

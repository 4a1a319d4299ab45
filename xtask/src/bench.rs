//! `cargo xtask bench NAME`: benchmarks, always optimised.

use std::path::PathBuf;

use anyhow::bail;

use crate::shell::{cargo, command, root, step, works};

/// Builds the product and runs one benchmark against it.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    if name == "code" {
        return code(options);
    }
    if !["mcp", "play", "memory", "pages"].contains(&name) {
        bail!("there is no benchmark {name:?}: use mcp, play, memory, pages or code");
    }
    let peer = if name == "pages" { mcp_kanka() } else { None };
    let peer = peer.map(|python| ["--mcp-kanka".to_owned(), python.display().to_string()]);
    let peer: Vec<&str> = peer.iter().flatten().map(String::as_str).collect();
    let options = [&peer[..], options].concat();
    step(
        "build",
        &mut cargo(&["build", "--quiet", "--release", "-p", "lorewell", "-p", "lore-bench"]),
    )?;
    // Not by `cargo run`: alone, the crate has other features, and all would be built again.
    let program = target().join("release").join("bench-mcp");
    step(&format!("bench {name}"), &mut command(program, &[&[name], &options[..]].concat()))
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
fn code(options: &[&str]) -> anyhow::Result<()> {
    let run = ["run", "--quiet", "--release", "-p"];
    let questions = [&run[..], &["lore-cypher", "--example", "questions"]].concat();
    step("bench code: questions", &mut cargo(&questions))?;
    let sources = match options {
        ["--sources", folder] => (*folder).to_owned(),
        // The project itself is always there; a larger tree tells more.
        _ => root().display().to_string(),
    };
    let scan = [&run[..], &["lore-code", "--example", "scan", "--"]].concat();
    step("bench code: scan", cargo(&scan).arg(sources))
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

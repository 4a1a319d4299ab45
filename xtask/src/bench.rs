//! `cargo xtask bench NAME`: benchmarks, always optimised.

use std::path::PathBuf;

use anyhow::bail;

use crate::shell::{cargo, command, root, step};

/// Builds the product and runs one benchmark against it.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    if name == "code" {
        return code(options);
    }
    if !["mcp", "play", "memory"].contains(&name) {
        bail!("there is no benchmark {name:?}: use mcp, play, memory or code");
    }
    step(
        "build",
        &mut cargo(&["build", "--quiet", "--release", "-p", "lorewell", "-p", "lore-bench"]),
    )?;
    // Not by `cargo run`: alone, the crate has other features, and all would be built again.
    let program = target().join("release").join("bench-mcp");
    step(&format!("bench {name}"), &mut command(program, &[&[name], options].concat()))
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

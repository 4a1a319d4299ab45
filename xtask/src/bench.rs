//! `cargo xtask bench NAME`: benchmarks, always optimised.

use std::path::PathBuf;

use anyhow::bail;

use crate::shell::{cargo, command, root, step};

/// Builds the product and runs one benchmark against it.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    if !["mcp", "play", "memory"].contains(&name) {
        bail!("there is no benchmark {name:?}: use mcp, play or memory");
    }
    step(
        "build",
        &mut cargo(&["build", "--quiet", "--release", "-p", "lorewell", "-p", "lore-bench"]),
    )?;
    // Not by `cargo run`: alone, the crate has other features, and all would be built again.
    let program = target().join("release").join("bench-mcp");
    step(&format!("bench {name}"), &mut command(program, &[&[name], options].concat()))
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

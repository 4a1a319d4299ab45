//! `cargo xtask bench NAME`: benchmarks, always optimised.

use anyhow::bail;

use crate::shell::{cargo, step};

/// Builds the product and runs one benchmark against it.
pub(crate) fn run(name: &str) -> anyhow::Result<()> {
    if name != "mcp" {
        bail!("there is no benchmark {name:?}: use mcp");
    }
    step(
        "build",
        &mut cargo(&["build", "--quiet", "--release", "-p", "lorewell", "-p", "lore-bench"]),
    )?;
    step(
        "bench mcp",
        &mut cargo(&["run", "--quiet", "--release", "-p", "lore-bench", "--bin", "bench-mcp"]),
    )
}

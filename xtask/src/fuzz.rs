//! `cargo xtask fuzz cypher [--seconds N] [--seed N]`: runs generated Cypher queries for a while.

use anyhow::bail;

use crate::shell::{cargo, step};

/// Runs generated queries until the time is over or something fails.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    if name != "cypher" {
        bail!("there is nothing to fuzz called {name:?}: use cypher");
    }
    let arguments = ["run", "--quiet", "--release", "-p", "lore-cypher", "--example", "fuzz", "--"];
    step("fuzz cypher", cargo(&arguments).args(options))
}

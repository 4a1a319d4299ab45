//! `cargo xtask fuzz cypher [--seconds N] [--seed N]`: what nobody would ask, for a while.

use anyhow::bail;

use crate::shell::{cargo, step};

/// Asks generated questions until the time is over, or something breaks.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    if name != "cypher" {
        bail!("there is nothing to fuzz called {name:?}: use cypher");
    }
    let arguments = ["run", "--quiet", "--release", "-p", "lore-cypher", "--example", "fuzz", "--"];
    step("fuzz cypher", cargo(&arguments).args(options))
}

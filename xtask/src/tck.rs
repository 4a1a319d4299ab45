//! `cargo xtask tck --scenarios FILE`: how much of Cypher the engine speaks.

use crate::shell::{cargo, step};

/// Runs the kit's scenarios and prints what passes, folder by folder.
pub(crate) fn run(options: &[&str]) -> anyhow::Result<()> {
    let arguments = ["run", "--quiet", "--release", "-p", "lore-cypher", "--example", "tck", "--"];
    step("tck", cargo(&arguments).args(options))
}

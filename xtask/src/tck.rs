//! `cargo xtask tck --scenarios FILE`: how much of Cypher the engine speaks.

use crate::shell::{cargo, step};

/// The test that runs the scenarios which are known to pass.
pub(crate) const TEST: &str = "scenarios_that_passed_still_pass";

/// Runs it so that what it says is seen: how many scenarios passed, or that there are none.
pub(crate) fn test() -> anyhow::Result<()> {
    let arguments = ["test", "--workspace", "--quiet", "--test", "tck", "--", "--nocapture", TEST];
    step("tck", &mut cargo(&arguments))
}

/// Runs the kit's scenarios and prints what passes, folder by folder.
pub(crate) fn run(options: &[&str]) -> anyhow::Result<()> {
    let arguments = ["run", "--quiet", "--release", "-p", "lore-cypher", "--example", "tck", "--"];
    step("tck", cargo(&arguments).args(options))
}

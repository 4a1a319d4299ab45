//! `cargo xtask tck --scenarios FILE`: how much of openCypher the engine supports.

use crate::shell::{cargo, step};

/// The test that runs the scenarios known to pass.
pub(crate) const TEST: &str = "scenarios_that_passed_still_pass";

/// Runs that test with its output visible: how many scenarios passed, or that there are none.
pub(crate) fn test() -> anyhow::Result<()> {
    let arguments = ["test", "--workspace", "--quiet", "--test", "tck", "--", "--nocapture", TEST];
    step("tck", &mut cargo(&arguments))
}

/// Runs the scenarios of the compatibility kit and prints the results by folder.
pub(crate) fn run(options: &[&str]) -> anyhow::Result<()> {
    let arguments = ["run", "--quiet", "--release", "-p", "lore-cypher", "--example", "tck", "--"];
    step("tck", cargo(&arguments).args(options))
}

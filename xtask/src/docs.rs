//! `cargo xtask docs`: the pages and snapshots that come from the declarations.

use crate::shell::{cargo, step};

/// Writes them anew; review the difference like code.
pub(crate) fn write() -> anyhow::Result<()> {
    let mut tests = cargo(&["test", "--quiet", "-p", "lore-tools", "--test", "declarations"]);
    step("docs and snapshots", tests.env("LOREWELL_UPDATE", "1"))
}

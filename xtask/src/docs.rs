//! `cargo xtask docs`: the pages and snapshots that come from the declarations.

use crate::shell::{cargo, step};

/// Writes them anew; review the difference like code.
pub(crate) fn write() -> anyhow::Result<()> {
    // Not `-p lore-tools`: alone, the crate has other features, and all would be built again.
    let mut tests = cargo(&["test", "--quiet", "--workspace", "--test", "declarations"]);
    step("docs and snapshots", tests.env("LOREWELL_UPDATE", "1"))
}

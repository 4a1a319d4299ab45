//! `cargo xtask docs`: the documentation and snapshots generated from the declarations.

use crate::shell::{cargo, step};

/// Regenerates them; review the diff like code.
pub(crate) fn write() -> anyhow::Result<()> {
    // Not `-p lore-tools`: on its own, the crate has other features, so everything would be
    // rebuilt.
    let mut tests = cargo(&["test", "--quiet", "--workspace", "--test", "declarations"]);
    step("docs and snapshots", tests.env("LOREWELL_UPDATE", "1"))
}

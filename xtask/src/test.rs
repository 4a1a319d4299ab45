//! `cargo xtask test`.

use crate::shell::{cargo, step};
use crate::{protocol, tck};

/// Everything that says whether the project is well.
pub(crate) fn everything() -> anyhow::Result<()> {
    rust()?;
    protocol::run()
}

/// What needs nothing but Rust.
pub(crate) fn rust() -> anyhow::Result<()> {
    step("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    let lints = ["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--"];
    step("lints", cargo(&lints).args(["-D", "warnings"]))?;
    // Registry snapshots and generated docs are compared by tests, too.
    let kit = ["--skip", tck::TEST];
    step("tests", cargo(&["test", "--workspace", "--quiet", "--"]).args(kit))?;
    tck::test()
}

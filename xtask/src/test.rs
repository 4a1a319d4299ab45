//! `cargo xtask test`.

use crate::shell::{cargo, step};
use crate::{protocol, tck};

/// Runs all regular checks: Rust and protocol.
pub(crate) fn everything() -> anyhow::Result<()> {
    rust()?;
    protocol::run()
}

/// Runs the checks that need nothing but Rust.
pub(crate) fn rust() -> anyhow::Result<()> {
    step("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    let lints = ["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--"];
    step("lints", cargo(&lints).args(["-D", "warnings"]))?;
    // Tests also compare the registry snapshots and the generated docs.
    let kit = ["--skip", tck::TEST];
    step("tests", cargo(&["test", "--workspace", "--quiet", "--"]).args(kit))?;
    tck::test()
}

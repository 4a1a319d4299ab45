//! Running other programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

/// The root directory of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_owned(), Path::to_owned)
}

/// Cargo's target directory.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns a cargo command, run in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Returns a command, run in the root of the workspace.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Runs a step and prints how long it took; an error if it fails.
pub(crate) fn step(name: &str, command: &mut Command) -> anyhow::Result<()> {
    eprintln!("── {name}");
    let start = Instant::now();
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    eprintln!("── {name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Whether a program can be started and exits successfully.
pub(crate) fn works(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

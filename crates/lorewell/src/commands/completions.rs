//! `lorewell completions`: prints shell completion scripts.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output;

/// Prints the completion script for a shell.
pub(crate) fn run(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lorewell", &mut script);
    output::line(String::from_utf8(script)?.trim_end());
    Ok(())
}

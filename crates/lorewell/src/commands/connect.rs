//! `lorewell connect`.
use crate::cli::{Connect, Options};
use std::process::ExitCode;
pub(crate) fn run(_options: &Options, _connect: &Connect) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}

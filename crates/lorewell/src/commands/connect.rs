//! `lorewell connect`.
use std::process::ExitCode;
use crate::cli::{Connect, Options};
pub(crate) fn run(_options: &Options, _connect: &Connect) -> anyhow::Result<ExitCode> { Ok(ExitCode::SUCCESS) }

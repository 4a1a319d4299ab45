//! Measures how well Lorewell finds things.
//!
//! Retrieval goes through the tools a client uses: each store of the corpus becomes a world
//! of its own in a fresh data directory; its texts are saved and its questions are asked over
//! stdio. Resolution asks the resolver itself, with names only.

mod client;
mod corpus;
mod metrics;
mod records;
mod resolution;
mod retrieval;

use std::path::PathBuf;

use clap::Parser;

/// Measures how well Lorewell finds things
#[derive(Parser)]
enum Cli {
    /// Questions whose answers are known texts
    Retrieval(retrieval::Options),
    /// Names of one record set, looked for in another
    Resolution(resolution::Options),
}

/// The product's program, unless another one is named: the one built beside this.
fn program(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    match named {
        Some(path) => Ok(path),
        None => Ok(std::env::current_exe()?.with_file_name("lorewell")),
    }
}

fn main() -> anyhow::Result<()> {
    match Cli::parse() {
        Cli::Retrieval(options) => retrieval::run(options),
        Cli::Resolution(options) => resolution::run(&options),
    }
}

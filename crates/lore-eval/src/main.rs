//! Evaluates how well Lorewell retrieves texts and resolves names.
//!
//! Retrieval uses the tools like a client: each store of the corpus becomes a world of its own in a
//! new data directory, its texts are saved, and its questions are asked over stdio. Resolution
//! calls the resolver directly, with names only.

mod client;
mod corpus;
mod metrics;
mod records;
mod resolution;
mod retrieval;

use std::path::PathBuf;

use clap::Parser;

/// Evaluates how well Lorewell retrieves texts and resolves names
#[derive(Parser)]
enum Cli {
    /// Questions whose answers are known texts
    Retrieval(retrieval::Options),
    /// Names of one record set, looked for in another
    Resolution(resolution::Options),
}

/// Returns the program to test: the given one, or the one built next to this one.
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

//! Development tasks of the project, written in Rust so that they run everywhere.
//!
//! `cargo xtask test` is the one command that checks the whole project.

mod bench;
mod docs;
mod eval;
mod fuzz;
mod protocol;
mod shell;
mod tck;
mod test;

use anyhow::bail;

const USAGE: &str = "\
usage: cargo xtask <command>

  test               everything: format, lints, tests, docs drift, protocol checks
  test rust          only what needs nothing but Rust
  test protocol      only the protocol checks (installs Python and Node packages under target/)
  test federation    the node against reference nodes of KOI-net (installs them; some minutes)
  test soak          8 writers and 8 readers of memory at once, for a minute
  test losses        1,000 kills and flipped bytes, a disk that fails at every write, a crowd (an hour)
  docs               write the generated documentation and the tool snapshots anew
  bench mcp          protocol throughput beside bare axum and bare rmcp, as ratios
  bench play         durable rolls, dice, reading a long log
  bench memory       adding, saving, learning and asking at 1 k, 10 k, 100 k; beside Kairn with
                     --kairn FILE (from PyPI: kairn-ai)
  bench pages        requests and time over a live campaign, beside mcp-kanka
  bench code         typical questions on a graph of 100 k nodes; scanning --sources FOLDER
  bench search       what a search costs at 10 k, 100 k and 1 M texts
  bench all          all of these, and docs/performance.md from what they say
  tck                openCypher's compatibility kit: --scenarios FILE [--failing] [--write]
  fuzz cypher        questions nobody would ask: nothing breaks, nothing takes too long;
                     for a minute, or --seconds N, from --seed N on
  eval retrieval     how well recall finds what was saved: --corpus FILE --queries FILE
  eval resolution    how well names are resolved: --left FILE --right FILE --gold FILE
";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => test::everything(),
        ["test", "rust"] => test::rust(),
        ["test", "protocol"] => protocol::run(),
        ["test", "federation"] => protocol::federation(),
        ["test", "soak"] => protocol::soak(),
        ["test", "losses"] => protocol::losses(),
        ["docs"] => docs::write(),
        ["bench", name, options @ ..] => bench::run(name, options),
        ["tck", options @ ..] => tck::run(options),
        ["eval", name, options @ ..] => eval::run(name, options),
        ["fuzz", name, options @ ..] => fuzz::run(name, options),
        _ => bail!("{USAGE}"),
    }
}

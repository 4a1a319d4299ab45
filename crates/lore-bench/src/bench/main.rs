//! Benchmarks that drive Lorewell through its transports: the protocol, the table, memory
//! and pages.
//!
//! Rates depend on the machine and its load, ratios much less. So where there is a peer, every
//! figure of Lorewell is listed beside the peer's, measured in the same run. The program fails only
//! if a check fails that compares two figures of the same run; a missed aim is only printed.

mod calls;
mod checks;
mod counted;
mod load;
mod mcp;
mod memory;
mod message;
mod pages;
mod pipes;
mod play;
mod proc;
mod report;
mod rss;
mod servers;
mod starts;
mod wire;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tokio::runtime::Runtime;

use crate::calls::{Cell, Pace};
use crate::checks::ToolCount;
use crate::servers::Bench;

/// Measures Lorewell beside its libraries and peers.
#[derive(Parser)]
struct Cli {
    /// What to measure
    #[arg(default_value = "mcp")]
    what: What,
    /// Run for about 10 seconds only; the results are noisy
    #[arg(long)]
    quick: bool,
    /// The lorewell program [default: beside this one]
    #[arg(long, value_name = "FILE")]
    lorewell: Option<PathBuf>,
    /// The program of the bare servers [default: beside this one]
    #[arg(long, value_name = "FILE")]
    peer: Option<PathBuf>,
    /// The program of Kairn, to compare memory with
    #[arg(long, value_name = "FILE")]
    kairn: Option<PathBuf>,
    /// The Python of an environment with mcp-kanka, to compare pages with
    #[arg(long, value_name = "FILE")]
    mcp_kanka: Option<PathBuf>,
}

/// What can be measured.
#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// The protocol, beside bare rmcp and bare axum
    Mcp,
    /// The table: durable rolls, dice, reading the log
    Play,
    /// Memory: adding, saving, learning, asking, beside Kairn where it is installed
    Memory,
    /// Pages over a live campaign: requests and time, beside mcp-kanka where it is installed
    Pages,
}

const FULL: Pace = Pace { rounds: 10, window: Duration::from_millis(150), starts: 21 };
const QUICK: Pace = Pace { rounds: 3, window: Duration::from_millis(50), starts: 5 };

/// How often the calls are measured again if a check fails.
const AGAIN: usize = 2;

fn main() -> anyhow::Result<ExitCode> {
    let cli = Cli::parse();
    let pace = if cli.quick { QUICK } else { FULL };
    let bench = Bench::new(cli.lorewell, cli.peer)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if let What::Play = cli.what {
        return play::run(&bench, &runtime, pace, cli.quick);
    }
    if let What::Memory = cli.what {
        return memory::run(&bench, cli.kairn.as_deref(), cli.quick);
    }
    if let What::Pages = cli.what {
        return pages::run(&bench, cli.mcp_kanka.as_deref(), cli.quick);
    }
    let sound = protocol(&bench, &runtime, pace)?;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures the protocol and prints the report; returns whether every check holds.
fn protocol(bench: &Bench, runtime: &Runtime, pace: Pace) -> anyhow::Result<bool> {
    report::opening(pace);
    eprintln!("starts");
    let starts = starts::measure(bench, runtime, pace.starts)?;
    eprintln!("memory");
    let memory = rss::measure(bench, runtime)?;
    let (mut cells, mut counts) = calls_and_counts(bench, runtime, pace)?;
    let mut traps = checks::traps(&cells, &counts);
    // A busy machine can spoil one run; a real bug spoils all of them.
    for _ in 0..AGAIN {
        if traps.iter().all(|trap| trap.holds) {
            break;
        }
        eprintln!("a check failed, so once more");
        let (more_cells, more_counts) = calls_and_counts(bench, runtime, pace)?;
        calls::keep_best(&mut cells, &more_cells);
        counts = checks::best(counts, more_counts);
        traps = checks::traps(&cells, &counts);
    }
    report::calls(&cells);
    report::starts(&starts);
    report::memory(&memory);
    report::verdicts("Checks, by ratio:", &traps, ["pass", "FAIL"]);
    report::verdicts("Aims:", &checks::aims(&cells, &starts, &memory), ["ok", "miss"]);
    Ok(traps.iter().all(|trap| trap.holds))
}

fn calls_and_counts(
    bench: &Bench,
    runtime: &Runtime,
    pace: Pace,
) -> anyhow::Result<(Vec<Cell>, [ToolCount; 2])> {
    let cells = calls::measure(bench, runtime, pace, |round| {
        eprintln!("calls, round {} of {}", round + 1, pace.rounds);
    })?;
    eprintln!("checks");
    Ok((cells, checks::measure_tool_count(bench, runtime, pace)?))
}

//! How long servers take to start.

use std::process::Command;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::mcp;
use crate::pipes::Piped;
use crate::servers::{Bench, Kind};

/// The results of one kind of start.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) label: &'static str,
    pub(crate) kind: Kind,
    pub(crate) best: Duration,
    pub(crate) median: Duration,
}

/// A kind of start: its label, the server, and a function that starts it and measures the time.
type Trial<'a> = (&'static str, Kind, Box<dyn Fn(usize) -> anyhow::Result<Duration> + 'a>);

const EXISTING: &str = "stdio to `initialize` answer, existing store";
const FRESH: &str = "stdio to `initialize` answer, fresh store";
const SERVE: &str = "`serve` to first health answer";

/// Starts each server `times` times, in turn.
pub(crate) fn measure(
    bench: &Bench,
    runtime: &Runtime,
    times: usize,
) -> anyhow::Result<Vec<Start>> {
    let existing = |kind| move |_| piped(bench.stdio(kind, &[])?);
    let served = |kind| move |_| served(bench, runtime, kind);
    let trials: [Trial<'_>; 5] = [
        (EXISTING, Kind::Lorewell, Box::new(existing(Kind::Lorewell))),
        (EXISTING, Kind::Rmcp, Box::new(existing(Kind::Rmcp))),
        (FRESH, Kind::Lorewell, Box::new(|number| piped(bench.stdio_fresh(number)))),
        (SERVE, Kind::Lorewell, Box::new(served(Kind::Lorewell))),
        (SERVE, Kind::Rmcp, Box::new(served(Kind::Rmcp))),
    ];
    let mut took: Vec<Vec<Duration>> = trials.iter().map(|_| Vec::new()).collect();
    for number in 0..times {
        for ((_, _, trial), took) in trials.iter().zip(&mut took) {
            took.push(trial(number)?);
        }
    }
    let summed = trials.iter().zip(took).map(|((label, kind, _), mut took)| {
        took.sort_unstable();
        let nth = |at: usize| took.get(at).copied().unwrap_or_default();
        Start { label, kind: *kind, best: nth(0), median: nth(took.len() / 2) }
    });
    Ok(summed.collect())
}

fn piped(command: Command) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let mut piped = Piped::spawn(command)?;
    piped.first_answer()?;
    Ok(start.elapsed())
}

fn served(bench: &Bench, runtime: &Runtime, kind: Kind) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let server = bench.http(kind, &[])?;
    runtime.block_on(mcp::health(&server.address))?;
    Ok(start.elapsed())
}

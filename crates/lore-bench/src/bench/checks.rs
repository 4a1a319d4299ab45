//! Checks, which must hold, and aims, which should.
//!
//! Checks compare figures of one run with each other, never with a fixed time, so they hold on any
//! machine. Each one guards against a bug that changes a figure by a factor, not by a few per cent.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::calls::{self, Cell, Pace, Way};
use crate::load::Sample;
use crate::mcp::Mode;
use crate::message::Tool;
use crate::pipes::Piped;
use crate::rss::Memory;
use crate::servers::{Bench, Kind};
use crate::starts::Start;

/// The result of a check or an aim.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) holds: bool,
    pub(crate) text: String,
}

impl Verdict {
    fn new(holds: bool, text: String) -> Self {
        Self { holds, text }
    }
}

/// Returns the figures of a cell.
pub(crate) fn find(cells: &[Cell], way: Way, tool: Tool, kind: Kind) -> Option<Sample> {
    let found = cells.iter().find(|c| (c.way, c.tool, c.kind) == (way, tool, kind));
    found.map(|cell| cell.best)
}

/// The CPU time per call with all tools on, and with only one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolCount {
    pub(crate) label: &'static str,
    pub(crate) all: f64,
    pub(crate) one: f64,
}

/// Measures whether the number of tools affects the cost of a call.
pub(crate) fn measure_tool_count(
    bench: &Bench,
    runtime: &Runtime,
    pace: Pace,
) -> anyhow::Result<[ToolCount; 2]> {
    let flags: [&[&str]; 2] = [&["--toolsets", "all"], &["--tools", "duality_outcome"]];
    let least = bench.least(Kind::Lorewell, Tool::Outcome);
    let mut servers = Vec::new();
    for flags in flags {
        let piped = Piped::open(bench.stdio(Kind::Lorewell, flags)?)?;
        servers.push((piped, bench.http(Kind::Lorewell, flags)?, Sample::NONE, Sample::NONE));
    }
    for _ in 0..pace.rounds {
        for (piped, server, by_pipes, by_http) in &mut servers {
            let sample = calls::over_pipes(piped, Tool::Outcome, 1, least, pace.window)?;
            *by_pipes = by_pipes.best(sample);
            let (mode, tool) = (Mode::Stateless, Tool::Outcome);
            let calling = calls::over_http(server, mode, tool, 1, least, pace.window);
            *by_http = by_http.best(runtime.block_on(calling)?);
        }
    }
    let cpu = |of: fn(&(Sample, Sample)) -> f64| {
        let mut found = servers.iter().map(|(_, _, pipes, http)| of(&(*pipes, *http)));
        (found.next().unwrap_or(f64::INFINITY), found.next().unwrap_or(f64::INFINITY))
    };
    let (pipes, http) = (cpu(|(pipes, _)| pipes.cpu), cpu(|(_, http)| http.cpu));
    Ok([
        ToolCount { label: "stdio", all: pipes.0, one: pipes.1 },
        ToolCount { label: "HTTP stateless", all: http.0, one: http.1 },
    ])
}

/// Returns the lower cost of two runs.
pub(crate) fn best<const N: usize>(one: [ToolCount; N], other: [ToolCount; N]) -> [ToolCount; N] {
    let mut best = one;
    for (count, other) in best.iter_mut().zip(other) {
        count.all = count.all.min(other.all);
        count.one = count.one.min(other.one);
    }
    best
}

/// Returns the results of all checks.
pub(crate) fn traps(cells: &[Cell], counts: &[ToolCount]) -> Vec<Verdict> {
    let mut verdicts = vec![no_delay(cells)];
    verdicts.extend([Way::Pipes(1), Way::Pipes(16)].map(|way| pipes(cells, way)));
    verdicts.extend(counts.iter().map(router));
    verdicts.extend([Way::Pipes(1), Way::Stateless(1)].map(|way| whole_router(cells, way)));
    verdicts
}

/// With Nagle's algorithm on, each event waits for a delayed acknowledgement.
fn no_delay(cells: &[Cell]) -> Verdict {
    let way = Way::Sessions(1);
    let p50 = |kind| find(cells, way, Tool::Outcome, kind).map_or(f64::NAN, |sample| sample.p50);
    let ratio = p50(Kind::Lorewell) / p50(Kind::Axum);
    let text = format!("TCP_NODELAY: p50 in a session is {ratio:.1} × bare axum's (must be < 20)");
    Verdict::new(ratio < 20.0, text)
}

/// Blocking standard streams cost a thread switch per message.
fn pipes(cells: &[Cell], way: Way) -> Verdict {
    let rate = |kind| find(cells, way, Tool::Outcome, kind).map_or(f64::NAN, |s| s.rate);
    let ratio = rate(Kind::Lorewell) / rate(Kind::Rmcp);
    let label = way.label();
    let text = format!("stdio_pipes: {label} makes {ratio:.2} of bare rmcp (must be ≥ 0.5)");
    Verdict::new(ratio >= 0.5, text)
}

/// If the router is built for each call, calls get slower with the number of tools.
fn router(count: &ToolCount) -> Verdict {
    let ratio = count.all / count.one;
    let text = format!(
        "router built once: {} costs {:.1} µs with all tools, {:.1} µs with one: {ratio:.2} × \
         (must be < 1.5)",
        count.label, count.all, count.one
    );
    Verdict::new(ratio < 1.5, text)
}

/// A router built for each call from all tools, whichever are on, only shows in a comparison with
/// bare rmcp.
fn whole_router(cells: &[Cell], way: Way) -> Verdict {
    let cpu = |kind| find(cells, way, Tool::Outcome, kind).map_or(f64::NAN, |sample| sample.cpu);
    let ratio = cpu(Kind::Lorewell) / cpu(Kind::Rmcp);
    let label = way.label();
    let text =
        format!("router built once: {label} costs {ratio:.2} × bare rmcp's CPU (must be < 3)");
    Verdict::new(ratio < 3.0, text)
}

/// The minimum share of bare rmcp's rate that is aimed at.
pub(crate) const SHARE: f64 = 0.8;
const STDIO_RATE: f64 = 40_000.0;
const START: Duration = Duration::from_millis(30);
const IDLE_KIB: u64 = 40 * 1024;

/// Returns the results of all aims.
pub(crate) fn aims(cells: &[Cell], starts: &[Start], memory: &[Memory]) -> Vec<Verdict> {
    let ours = |kind: Kind| kind == Kind::Lorewell;
    let mut verdicts = vec![share(cells), stdio_rate(cells)];
    verdicts.extend(starts.iter().filter(|start| ours(start.kind)).map(|start| {
        let text = format!("start < {START:?}: {} takes {:.1?}", start.label, start.median);
        Verdict::new(start.median < START, text)
    }));
    verdicts.extend(memory.iter().filter(|memory| ours(memory.kind)).map(|memory| {
        let held = memory.idle as f64 / 1024.0;
        let text = format!("idle < 40 MB: {} holds {held:.1} MB", memory.label);
        Verdict::new(memory.idle < IDLE_KIB, text)
    }));
    verdicts
}

fn share(cells: &[Cell]) -> Verdict {
    let shares = cells.iter().filter(|cell| cell.kind == Kind::Lorewell).filter_map(|cell| {
        let bare = find(cells, cell.way, cell.tool, Kind::Rmcp)?;
        Some((cell.best.rate / bare.rate, cell))
    });
    let (below, all) = shares.fold((Vec::new(), 0), |(mut below, all), (share, cell)| {
        if share < SHARE {
            below.push(format!("{} {} {share:.2}", cell.way.label(), cell.tool.name()));
        }
        (below, all + 1)
    });
    let what = format!("≥ {SHARE} of bare rmcp: {} of {all} rows", all - below.len());
    let missing =
        if below.is_empty() { String::new() } else { format!("; not {}", below.join("; ")) };
    Verdict::new(below.is_empty(), what + &missing)
}

/// The aim for the rate over stdio, which counts only where bare rmcp reaches it on this machine.
fn stdio_rate(cells: &[Cell]) -> Verdict {
    let mut told = Vec::new();
    let mut holds = true;
    for way in [Way::Pipes(1), Way::Pipes(16)] {
        let rate = |kind| find(cells, way, Tool::Outcome, kind).map_or(0.0, |sample| sample.rate);
        let (ours, bare) = (rate(Kind::Lorewell), rate(Kind::Rmcp));
        holds &= ours >= STDIO_RATE || bare < STDIO_RATE;
        told.push(format!("{} {ours:.0}/s where bare rmcp makes {bare:.0}/s", way.label()));
    }
    Verdict::new(holds, format!("stdio ≥ 40 000 rt/s where bare rmcp does: {}", told.join("; ")))
}

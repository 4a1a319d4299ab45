//! Calls per second: every server in every mode, in interleaved rounds.

use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Runtime;

use crate::load::Sample;
use crate::mcp::{self, Caller, Mode};
use crate::message::{Template, Tool};
use crate::pipes::Piped;
use crate::proc;
use crate::servers::{Bench, HttpServer, Kind};

/// The extent of the measurements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// The number of rounds of each measurement.
    pub(crate) rounds: usize,
    /// The duration of each round.
    pub(crate) window: Duration,
    /// The number of starts of each server.
    pub(crate) starts: usize,
}

/// How long a server is called before each measurement, without counting.
const WARM_UP: Duration = Duration::from_millis(10);

/// How a server is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Over pipes, with this many requests in flight.
    Pipes(u32),
    /// Over this many connections, each with a session.
    Sessions(usize),
    /// Over this many connections, without sessions.
    Stateless(usize),
}

impl Way {
    pub(crate) const ALL: [Self; 6] = [
        Self::Pipes(1),
        Self::Pipes(16),
        Self::Sessions(1),
        Self::Sessions(8),
        Self::Stateless(1),
        Self::Stateless(8),
    ];

    pub(crate) fn label(self) -> String {
        match self {
            Self::Pipes(depth) => format!("stdio, depth {depth}"),
            Self::Sessions(count) => format!("HTTP session (2025-11-25, SSE), {count} conn"),
            Self::Stateless(count) => format!("HTTP stateless (2026-07-28, JSON), {count} conn"),
        }
    }

    fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Pipes(_) => &[Kind::Lorewell, Kind::Rmcp],
            Self::Sessions(_) | Self::Stateless(_) => &[Kind::Lorewell, Kind::Rmcp, Kind::Axum],
        }
    }
}

/// The measurement of one tool of one server, called in one way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) way: Way,
    pub(crate) tool: Tool,
    pub(crate) kind: Kind,
    /// The best figures of all rounds.
    pub(crate) best: Sample,
}

/// The running servers; all are idle except the one that is being called.
struct Stage {
    piped: Vec<(Kind, Piped)>,
    http: Vec<(Kind, HttpServer)>,
}

impl Stage {
    fn set(bench: &Bench) -> anyhow::Result<Self> {
        let mut stage = Self { piped: Vec::new(), http: Vec::new() };
        for kind in [Kind::Lorewell, Kind::Rmcp] {
            stage.piped.push((kind, Piped::open(bench.stdio(kind, &[])?)?));
        }
        for kind in [Kind::Lorewell, Kind::Rmcp, Kind::Axum] {
            stage.http.push((kind, bench.http(kind, &[])?));
        }
        Ok(stage)
    }

    fn round(
        &mut self,
        bench: &Bench,
        runtime: &Runtime,
        cell: &Cell,
        window: Duration,
    ) -> anyhow::Result<Sample> {
        let least = bench.least(cell.kind, cell.tool);
        let (mode, count) = match cell.way {
            Way::Pipes(depth) => {
                let found = self.piped.iter_mut().find(|(kind, _)| *kind == cell.kind);
                let (_, piped) = found.context("the server is not on stage")?;
                return over_pipes(piped, cell.tool, depth, least, window);
            }
            _ if cell.kind == Kind::Axum => (Mode::Plain, cell.way.connections()),
            Way::Sessions(count) => (Mode::Session, count),
            Way::Stateless(count) => (Mode::Stateless, count),
        };
        let found = self.http.iter().find(|(kind, _)| *kind == cell.kind);
        let (_, server) = found.context("the server is not on stage")?;
        runtime.block_on(over_http(server, mode, cell.tool, count, least, window))
    }
}

impl Way {
    fn connections(self) -> usize {
        match self {
            Self::Pipes(_) => 1,
            Self::Sessions(count) | Self::Stateless(count) => count,
        }
    }
}

/// Measures every cell; `told` is called at the start of each round.
pub(crate) fn measure(
    bench: &Bench,
    runtime: &Runtime,
    pace: Pace,
    mut told: impl FnMut(usize),
) -> anyhow::Result<Vec<Cell>> {
    let mut cells = cells();
    let mut stage = Stage::set(bench)?;
    for round in 0..pace.rounds {
        told(round);
        // Alternates the order, so that no server is always first.
        cells.reverse();
        for cell in &mut cells {
            let sample = stage.round(bench, runtime, cell, pace.window);
            let sample = sample.with_context(|| format!("{} by {:?}", cell.way.label(), cell.kind));
            cell.best = cell.best.best(sample?);
        }
    }
    if pace.rounds % 2 == 1 {
        cells.reverse();
    }
    Ok(cells)
}

/// Merges the better figures of another run of the same cells.
pub(crate) fn keep_best(cells: &mut [Cell], others: &[Cell]) {
    for (cell, other) in cells.iter_mut().zip(others) {
        cell.best = cell.best.best(other.best);
    }
}

/// Returns the cells to measure. Peers come right after Lorewell, so that they run under the same
/// conditions.
fn cells() -> Vec<Cell> {
    let ways = Way::ALL.into_iter().flat_map(|way| Tool::ALL.map(|tool| (way, tool)));
    ways.flat_map(|(way, tool)| {
        way.kinds().iter().map(move |&kind| Cell { way, tool, kind, best: Sample::NONE })
    })
    .collect()
}

/// Measures one round over pipes.
pub(crate) fn over_pipes(
    piped: &mut Piped,
    tool: Tool,
    depth: u32,
    least: usize,
    window: Duration,
) -> anyhow::Result<Sample> {
    let mut template = Template::new(tool.call(false))?;
    piped.pump(&mut template, depth, least, WARM_UP)?;
    let before = proc::cpu_time(piped.pid())?;
    let tally = piped.pump(&mut template, depth, least, window)?;
    let cpu = proc::cpu_time(piped.pid())?.saturating_sub(before);
    Ok(tally.sample(cpu))
}

/// Measures one round over HTTP.
pub(crate) async fn over_http(
    server: &HttpServer,
    mode: Mode,
    tool: Tool,
    connections: usize,
    least: usize,
    window: Duration,
) -> anyhow::Result<Sample> {
    let mut callers = Vec::new();
    for _ in 0..connections {
        callers.push(Caller::open(&server.address, mode, tool).await?);
    }
    let (callers, _) = mcp::run_all(callers, least, WARM_UP).await?;
    let before = proc::cpu_time(server.pid())?;
    let (callers, tally) = mcp::run_all(callers, least, window).await?;
    let cpu = proc::cpu_time(server.pid())?.saturating_sub(before);
    for caller in callers {
        caller.close().await?;
    }
    Ok(tally.sample(cpu))
}

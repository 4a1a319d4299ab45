//! The memory usage of servers.

use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::mcp::{self, Caller, Mode};
use crate::message::{Template, Tool};
use crate::pipes::Piped;
use crate::proc::resident_kib;
use crate::servers::{Bench, HttpServer, Kind};
use crate::wire::Connection;

/// The number of calls before memory is measured again.
pub(crate) const CALLS: u32 = 1_000;
/// The number of sessions that are opened.
pub(crate) const SESSIONS: u64 = 500;

/// The memory usage of one server in KiB.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) label: &'static str,
    pub(crate) kind: Kind,
    pub(crate) idle: u64,
    pub(crate) after_calls: u64,
    pub(crate) sessions: Option<Sessions>,
}

/// The cost of open sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sessions {
    /// KiB per session.
    pub(crate) each: f64,
    /// The time to open one session.
    pub(crate) opening: Duration,
}

/// Measures each server, freshly started.
pub(crate) fn measure(bench: &Bench, runtime: &Runtime) -> anyhow::Result<Vec<Memory>> {
    let mut found = Vec::new();
    for kind in [Kind::Lorewell, Kind::Rmcp] {
        found.push(of_stdio(bench, kind)?);
    }
    for kind in [Kind::Lorewell, Kind::Rmcp] {
        found.push(runtime.block_on(of_serve(bench, kind))?);
    }
    Ok(found)
}

fn of_stdio(bench: &Bench, kind: Kind) -> anyhow::Result<Memory> {
    let mut piped = Piped::open(bench.stdio(kind, &[])?)?;
    let idle = resident_kib(piped.pid())?;
    let mut template = Template::new(Tool::Outcome.call(false))?;
    for number in 0..CALLS {
        piped.ask(&String::from_utf8_lossy(template.numbered(number)))?;
    }
    let after_calls = resident_kib(piped.pid())?;
    Ok(Memory { label: "stdio", kind, idle, after_calls, sessions: None })
}

async fn of_serve(bench: &Bench, kind: Kind) -> anyhow::Result<Memory> {
    let server = bench.http(kind, &[])?;
    mcp::health(&server.address).await?;
    let idle = resident_kib(server.pid())?;
    let mut caller = Caller::open(&server.address, Mode::Stateless, Tool::Outcome).await?;
    let least = bench.least(kind, Tool::Outcome);
    for _ in 0..CALLS {
        caller.run(least, Duration::ZERO).await?;
    }
    let after_calls = resident_kib(server.pid())?;
    let sessions = Some(of_sessions(&server, after_calls).await?);
    Ok(Memory { label: "serve", kind, idle, after_calls, sessions })
}

async fn of_sessions(server: &HttpServer, before: u64) -> anyhow::Result<Sessions> {
    let mut connection = Connection::open(&server.address).await?;
    let start = Instant::now();
    for _ in 0..SESSIONS {
        mcp::open_session(&mut connection, &server.address).await?;
    }
    let opening = start.elapsed() / u32::try_from(SESSIONS)?;
    let grown = resident_kib(server.pid())?.saturating_sub(before);
    Ok(Sessions { each: grown as f64 / SESSIONS as f64, opening })
}

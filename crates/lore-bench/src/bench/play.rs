//! The table: durable rolls, dice notation and reading a long log.

#![expect(clippy::print_stdout, reason = "the report is what this program is for")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use lore_rules::dice::{DiceStream, Seed};
use lore_rules::notation;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::calls::Pace;
use crate::load::Sample;
use crate::mcp::{self, Caller};
use crate::message::{self, Template};
use crate::pipes::Piped;
use crate::servers::{Bench, HttpServer, Kind};
use crate::{proc, report};

/// The aim for rolls per second when many requests are concurrent.
const ROLLS_AIM: f64 = 10_000.0;
/// The aim for one roll over pipes, in microseconds: a quarter of four milliseconds.
const ROLL_P50_AIM: f64 = 1_000.0;
/// The aim for how many times slower the newest page of a long log may be.
const PAGE_AIM: f64 = 2.0;
/// The numbers of concurrent clients or requests that are measured.
const CROWDS: [u32; 3] = [1, 8, 64];
/// The number of events in a long log.
const LONG_LOG: i64 = 100_000;
/// The number of events in a long log in a quick run.
const SHORT_LOG: i64 = 5_000;

/// Measures and prints the report. Missed aims are printed; nothing fails.
pub(crate) fn run(
    bench: &Bench,
    runtime: &Runtime,
    pace: Pace,
    quick: bool,
) -> anyhow::Result<ExitCode> {
    println!("# Table benchmark\n\nMachine: {}.\n", proc::machine());
    let server = bench.http(Kind::Lorewell, &[])?;
    let table = runtime.block_on(Table::set(&server))?;
    let early = page(runtime, &server, &table, pace)?;
    println!("| durable session_action_roll | rolls/s | p50 µs | p99 µs | CPU µs/roll |");
    println!("|---|--:|--:|--:|--:|");
    let mut best = 0.0_f64;
    for crowd in CROWDS {
        let found = over_http(runtime, &server, &table, crowd, pace)?;
        row(&format!("HTTP, {crowd} clients"), found);
        best = best.max(found.rate);
    }
    let mut single = f64::INFINITY;
    let mut piped = Piped::open(bench.stdio(Kind::Lorewell, &[])?)?;
    for depth in CROWDS {
        let found = over_pipes(&mut piped, &table, depth, pace)?;
        row(&format!("stdio, {depth} under way"), found);
        best = best.max(found.rate);
        single = if depth == 1 { found.p50 } else { single };
    }
    drop(piped);
    let wanted = if quick { SHORT_LOG } else { LONG_LOG };
    let length = grow(runtime, &server, &table, wanted)?;
    let late = page(runtime, &server, &table, pace)?;
    println!("\n| newest 100 events | p50 µs | CPU µs/read |\n|---|--:|--:|");
    println!("| of a new log | {:.1} | {:.1} |", early.p50, early.cpu);
    println!("| of {length} events | {:.1} | {:.1} |", late.p50, late.cpu);
    println!("\nParsing and rolling `4d6kh3+2`: {:.2} µs.\n", notation_micros());
    println!("Aims:\n");
    let median = format!("stdio p50 of a durable roll ≤ {ROLL_P50_AIM} µs: {single:.0}");
    report::aim(single <= ROLL_P50_AIM, &median);
    report::aim(best >= ROLLS_AIM, &format!("grouped durable rolls ≥ {ROLLS_AIM}/s: {best:.0}"));
    let growth = late.p50 / early.p50;
    let page = format!("page of the long log ÷ of the new one ≤ {PAGE_AIM}: {growth:.2}");
    report::aim(growth <= PAGE_AIM, &page);
    Ok(ExitCode::SUCCESS)
}

/// A campaign with one character and a running session.
struct Table {
    session: String,
    character: String,
}

impl Table {
    async fn set(server: &HttpServer) -> anyhow::Result<Self> {
        let make = async |tool: &str, arguments: Value| -> anyhow::Result<String> {
            let params = json!({ "name": tool, "arguments": arguments });
            let result = mcp::ask(&server.address, "tools/call", tool, params).await?;
            let id = result.pointer("/structuredContent/id").and_then(Value::as_str);
            Ok(id.with_context(|| format!("{tool} gave no id: {result}"))?.to_owned())
        };
        let campaign = make("campaign_create", json!({ "name": "Bench", "gm_mode": "AI" })).await?;
        let character = json!({ "campaign_id": campaign, "name": "Wren", "kind": "PC" });
        let character = make("character_create", character).await?;
        let session = make("session_start", json!({ "campaign_id": campaign })).await?;
        Ok(Self { session, character })
    }

    fn roll(&self) -> Value {
        json!({
            "name": "session_action_roll",
            "arguments": {
                "session_id": self.session, "character_id": self.character, "trait": "agility",
                "difficulty": 12, "modifiers": [{ "source": "trait", "value": 2 }],
            },
        })
    }

    fn events(&self) -> String {
        format!("session://{}/events", self.session)
    }
}

fn over_http(
    runtime: &Runtime,
    server: &HttpServer,
    table: &Table,
    clients: u32,
    pace: Pace,
) -> anyhow::Result<Sample> {
    let mut best = Sample::NONE;
    for _ in 0..pace.rounds {
        let round = async {
            let mut callers = Vec::new();
            for _ in 0..clients {
                let roll = table.roll();
                let tool = "session_action_roll";
                callers.push(Caller::open_for(&server.address, "tools/call", tool, roll).await?);
            }
            mcp::run_all(callers, ROLL_BYTES, pace.window).await
        };
        let before = proc::cpu_time(server.pid())?;
        let (_, tally) = runtime.block_on(round)?;
        best = best.best(tally.sample(proc::cpu_time(server.pid())?.saturating_sub(before)));
    }
    Ok(best)
}

/// The minimum size of the answer to a roll, in bytes; an error has fewer fields.
const ROLL_BYTES: usize = 500;

fn over_pipes(piped: &mut Piped, table: &Table, depth: u32, pace: Pace) -> anyhow::Result<Sample> {
    let mut template = Template::new(message::request("tools/call", table.roll(), false))?;
    let mut best = Sample::NONE;
    for _ in 0..pace.rounds {
        let before = proc::cpu_time(piped.pid())?;
        let tally = piped.pump(&mut template, depth, ROLL_BYTES, pace.window)?;
        best = best.best(tally.sample(proc::cpu_time(piped.pid())?.saturating_sub(before)));
    }
    Ok(best)
}

/// Measures reading the newest page of the log.
fn page(
    runtime: &Runtime,
    server: &HttpServer,
    table: &Table,
    pace: Pace,
) -> anyhow::Result<Sample> {
    // A page is full only after some rolls.
    grow(runtime, server, table, 120)?;
    let mut best = Sample::NONE;
    for _ in 0..pace.rounds {
        let uri = table.events();
        let before = proc::cpu_time(server.pid())?;
        let round = async {
            let params = json!({ "uri": uri });
            let caller = Caller::open_for(&server.address, "resources/read", &uri, params).await?;
            mcp::run_all(vec![caller], 1_000, pace.window).await
        };
        let (_, tally) = runtime.block_on(round)?;
        best = best.best(tally.sample(proc::cpu_time(server.pid())?.saturating_sub(before)));
    }
    Ok(best)
}

/// Makes rolls until the log has at least this many events, and returns its length.
fn grow(runtime: &Runtime, server: &HttpServer, table: &Table, events: i64) -> anyhow::Result<i64> {
    let pace = Pace { rounds: 1, window: Duration::from_secs(1), starts: 0 };
    loop {
        let length = runtime.block_on(length(server, table))?;
        if length >= events {
            return Ok(length);
        }
        let short = Duration::from_millis(50);
        let window = if events - length > 2_000 { pace.window } else { short };
        over_http(runtime, server, table, 64, Pace { window, ..pace })?;
    }
}

async fn length(server: &HttpServer, table: &Table) -> anyhow::Result<i64> {
    let tool = "session_log_verify";
    let params = json!({ "name": tool, "arguments": { "session_id": table.session } });
    let result = mcp::ask(&server.address, "tools/call", tool, params).await?;
    let events = result.pointer("/structuredContent/events").and_then(Value::as_i64);
    events.context("the log has no length")
}

fn notation_micros() -> f64 {
    const TIMES: u32 = 200_000;
    let mut stream = DiceStream::new(Seed::from_random(7));
    let started = Instant::now();
    for _ in 0..TIMES {
        let rolled =
            notation::parse(black_box("4d6kh3+2")).map(|ast| notation::roll(&ast, &mut stream));
        let _ = black_box(rolled);
    }
    started.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
}

fn row(label: &str, found: Sample) {
    println!(
        "| {label} | {:.0} | {:.1} | {:.1} | {:.1} |",
        found.rate, found.p50, found.p99, found.cpu
    );
}

//! The pages toolset over a live campaign: requests and time per call, compared with mcp-kanka.
//!
//! Another Lorewell server stands in for Kanka, with its rate limiter on, behind a proxy that
//! counts requests. For the comparison, each server gets a campaign of its own, filled alike.

#![expect(clippy::print_stdout, reason = "the report is what this program is for")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::counted::Counted;
use crate::message;
use crate::pipes::Piped;
use crate::servers::{Bench, HttpServer};
use crate::{proc, report};

/// The number of entities of the large campaign, and of the one for the comparison.
const LARGE: usize = 5_000;
const COMPARED: usize = 300;
/// The kinds of the entities in the campaign that is read. The one for the comparison has
/// characters only.
const KINDS: [&str; 8] =
    ["character", "creature", "location", "organization", "race", "note", "journal", "quest"];
/// The number of tags of the campaign.
const TAGS: usize = 120;
/// The number of the first entity; tags, and the notes that created them, have lower ones.
const FIRST: i64 = 2 * TAGS as i64 + 1;
/// The rate limit in requests per minute: more than are sent, so that no waiting is measured.
const LIMIT: &str = "1000000";
/// How often a call that only reads is repeated.
const REPEATED: u32 = 20;
/// The aim for the CPU time of a call that reads, in milliseconds.
const AIM: f64 = 5.0;
/// A Python program that starts mcp-kanka with another base URL than Kanka's.
const MCP_KANKA: &str = "import os, asyncio\n\
    from kanka import KankaClient\n\
    KankaClient.BASE_URL = os.environ['KANKA_API_BASE']\n\
    from mcp_kanka.__main__ import main\n\
    asyncio.run(main())\n";

/// Measures and prints the report. A missed aim is printed; nothing fails.
pub(crate) fn run(bench: &Bench, peer: Option<&Path>, quick: bool) -> anyhow::Result<ExitCode> {
    println!("# Pages benchmark\n\nMachine: {}.\n", proc::machine());
    let large = if quick { COMPARED } else { LARGE };
    let campaign = Campaign::open(bench, "kanka-large", large, &KINDS)?;
    reading(bench, &campaign)?;
    drop(campaign);
    comparing(bench, peer)?;
    Ok(ExitCode::SUCCESS)
}

/// A campaign, served by a server that stands in for Kanka.
struct Campaign {
    server: HttpServer,
    way: Counted,
    token: String,
    number: i64,
    live: PathBuf,
}

impl Campaign {
    fn open(
        bench: &Bench,
        name: &str,
        entities: usize,
        kinds: &[&'static str],
    ) -> anyhow::Result<Self> {
        eprintln!("filling a campaign of {entities}");
        let place = bench.place(name);
        let mut filling = Piped::open(bench.lorewell_on(&place, &["--toolsets", "pages"]))?;
        fill(&mut filling, entities, kinds)?;
        drop(filling);
        let made = bench
            .lorewell_on(&place, &["token", "create", "--role", "owner", "--name", "bench"])
            .output()?;
        let token = String::from_utf8(made.stdout)?.trim().to_owned();
        let flags = ["serve", "--http-addr", "127.0.0.1:0", "--rate-limit", "0"];
        let mut serve = bench.lorewell_on(&place, &flags);
        serve.args(["--kanka-rate-limit", LIMIT]);
        let server = HttpServer::start(serve)?;
        let way = Counted::way_to(&server.address)?;
        let live = bench.place(&format!("{name}-live"));
        let mut campaign = Self { server, way, token, number: 0, live };
        let number = campaign.get("campaigns")?.pointer("/data/0/id").and_then(Value::as_i64);
        campaign.number = number.context("the campaign has no number")?;
        Ok(campaign)
    }

    fn get(&self, path: &str) -> anyhow::Result<Value> {
        let mut stream = TcpStream::connect(&self.server.address)?;
        let request = format!(
            "GET /compat/kanka/1.0/{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Connection: close\r\n\r\n",
            self.server.address, self.token
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").context("no answer")?;
        Ok(serde_json::from_str(body)?)
    }

    /// Adds the connection to the campaign to a command's environment.
    fn with(&self, mut command: Command) -> Command {
        command
            .env("KANKA_TOKEN", &self.token)
            .env("KANKA_CAMPAIGN_ID", self.number.to_string())
            .env("KANKA_API_BASE", format!("http://{}/compat/kanka/1.0", self.way.address))
            .env("KANKA_REFRESH", "0")
            .env("MCP_LOG_LEVEL", "ERROR");
        command
    }

    /// Mirrors the campaign; returns the number of requests and the time it took.
    fn copy(&self, bench: &Bench) -> anyhow::Result<(u64, Duration)> {
        let before = self.way.requests();
        let begun = Instant::now();
        let done = self.with(bench.lorewell_on(&self.live, &["sync", "kanka"])).output()?;
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        ensure!(done.status.success(), "the campaign was not copied: {told}");
        let wall = begun.elapsed();
        Ok((self.way.requests() - before, wall))
    }

    fn lorewell(&self, bench: &Bench) -> anyhow::Result<Piped> {
        Piped::open(self.with(bench.lorewell_on(&self.live, &["--toolsets", "pages"])))
    }
}

/// Measures reads once the campaign is mirrored. They must not send requests to Kanka.
fn reading(bench: &Bench, campaign: &Campaign) -> anyhow::Result<()> {
    let (requests, wall) = campaign.copy(bench)?;
    println!("First sync: {requests} requests, {:.1} s without waiting.\n", wall.as_secs_f64());
    println!("| reading the mirror | requests | CPU ms | wall ms | aim {AIM} ms CPU |");
    println!("|---|--:|--:|--:|---|");
    let mut server = campaign.lorewell(bench)?;
    let mut dearest: f64 = 0.0;
    for (name, tool, arguments) in reads() {
        let cost = cost(campaign, &mut server, REPEATED, tool, &arguments)?;
        let verdict = if cost.cpu <= AIM && cost.requests == 0 { "ok" } else { "miss" };
        println!("| {name} | {} | {:.2} | {:.2} | {verdict} |", cost.requests, cost.cpu, cost.wall);
        dearest = dearest.max(if cost.requests == 0 { cost.cpu } else { f64::INFINITY });
    }
    println!();
    let what = format!("every read of the mirror without a request, ≤ {AIM} ms CPU: {dearest:.2}");
    report::aim(dearest <= AIM, &what);
    println!();
    Ok(())
}

fn reads() -> Vec<(&'static str, &'static str, Value)> {
    let ids: Vec<i64> = (FIRST..FIRST + 20).collect();
    vec![
        ("find, one type", "find_entities", json!({ "entity_type": "character" })),
        ("find, all types", "find_entities", json!({})),
        ("find, part of a name", "find_entities", json!({ "name": "elmor" })),
        ("find, exact name", "find_entities", json!({ "name": name(7), "name_exact": true })),
        ("find, by ear", "find_entities", json!({ "name": "Kamelsundor", "name_fuzzy": true })),
        ("find, tags", "find_entities", json!({ "tags": ["tag 7", "tag 8"] })),
        ("find, type field", "find_entities", json!({ "type": "NPC" })),
        ("find, words", "find_entities", json!({ "query": "ancient grove" })),
        (
            "find, words, tags and type",
            "find_entities",
            json!({ "query": "grove", "tags": ["tag 7"], "entity_type": "quest" }),
        ),
        (
            "find, words and type field",
            "find_entities",
            json!({ "query": "ancient grove", "type": "NPC" }),
        ),
        ("find, a late page", "find_entities", json!({ "page": 150 })),
        (
            "find, many dates",
            "find_entities",
            json!({ "date_range": { "start": "2025-05-01", "end": "2025-10-31" } }),
        ),
        (
            "find, dates",
            "find_entities",
            json!({ "entity_type": "journal", "date_range": { "start": "2025-05-01", "end": "2025-05-02" } }),
        ),
        ("find, changed since", "find_entities", json!({ "last_synced": "2100-01-01" })),
        ("find, names only", "find_entities", json!({ "limit": 100, "include_full": false })),
        ("get 20 with posts", "get_entities", json!({ "entity_ids": ids, "include_posts": true })),
    ]
}

/// Makes the same calls to both servers, each with its own campaign, so that neither reads what the
/// other created.
fn comparing(bench: &Bench, peer: Option<&Path>) -> anyhow::Result<()> {
    let campaign = Campaign::open(bench, "kanka-compared", COMPARED, &["character"])?;
    let (requests, _) = campaign.copy(bench)?;
    println!("Campaign of {COMPARED}, copied with {requests} requests. Requests | wall ms.\n");
    println!("| call | requests | wall ms | mcp-kanka requests | mcp-kanka wall ms |");
    println!("|---|--:|--:|--:|--:|");
    let ours = measured(&campaign, campaign.lorewell(bench)?, "ours")?;
    let theirs = match peer {
        Some(python) => {
            let campaign = Campaign::open(bench, "kanka-compared-too", COMPARED, &["character"])?;
            let mut command = Command::new(python);
            command.args(["-c", MCP_KANKA]);
            Some(measured(&campaign, Piped::open(campaign.with(command))?, "theirs")?)
        }
        None => None,
    };
    for (at, (name, cost)) in ours.iter().enumerate() {
        let beside = theirs.as_ref().and_then(|theirs| theirs.get(at)).map_or_else(
            || "– | –".to_owned(),
            |(_, cost)| format!("{} | {:.0}", cost.requests, cost.wall),
        );
        println!("| {name} | {} | {:.1} | {beside} |", cost.requests, cost.wall);
    }
    Ok(())
}

type Measured = Vec<(&'static str, Cost)>;

fn measured(campaign: &Campaign, mut server: Piped, whose: &str) -> anyhow::Result<Measured> {
    let ids: Vec<i64> = (FIRST..FIRST + 20).collect();
    let fresh: Vec<Value> = (0..60)
        .map(|n| {
            json!({ "entity_type": "character", "name": format!("{whose} {n}"),
                    "tags": [format!("{whose} tag {n}")] })
        })
        .collect();
    let one = ids.first().copied().unwrap_or_default();
    let last = ids.get(19);
    let mut costs = Vec::new();
    for (name, tool, arguments) in [
        ("find, one type", "find_entities", json!({ "entity_type": "character", "limit": 25 })),
        ("query over all types", "find_entities", json!({ "query": "grove" })),
        ("get 20 with posts", "get_entities", json!({ "entity_ids": ids, "include_posts": true })),
        ("create 60 with 60 new tags", "create_entities", json!({ "entities": fresh })),
        (
            "update",
            "update_entities",
            json!({ "updates": [{ "entity_id": one, "name": name(1), "entry": whose }] }),
        ),
        (
            "create a post",
            "create_posts",
            json!({ "posts": [{ "entity_id": one, "name": whose }] }),
        ),
        ("delete", "delete_entities", json!({ "entity_ids": [last] })),
    ] {
        eprintln!("{whose}: {name}");
        costs.push((name, cost(campaign, &mut server, 1, tool, &arguments)?));
    }
    Ok(costs)
}

/// The cost of a call: requests, and milliseconds of CPU time and wall time.
struct Cost {
    requests: u64,
    cpu: f64,
    wall: f64,
}

fn cost(
    campaign: &Campaign,
    server: &mut Piped,
    times: u32,
    tool: &str,
    arguments: &Value,
) -> anyhow::Result<Cost> {
    if times > 1 {
        // The first call may have to load what was written since.
        ask(server, tool, arguments)?;
    }
    let requests = campaign.way.requests();
    let before = proc::cpu_time(server.pid())?;
    let begun = Instant::now();
    for _ in 0..times {
        ask(server, tool, arguments)?;
    }
    let wall = begun.elapsed();
    let cpu = proc::cpu_time(server.pid())?.saturating_sub(before);
    let each = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(times);
    let requests = campaign.way.requests() - requests;
    Ok(Cost { requests, cpu: each(cpu), wall: each(wall) })
}

fn ask(server: &mut Piped, tool: &str, arguments: &Value) -> anyhow::Result<()> {
    let params = json!({ "name": tool, "arguments": arguments });
    let answer = server.ask(&message::request("tools/call", params, false))?;
    let failed = answer.get("error").is_some()
        || answer.pointer("/result/isError") == Some(&Value::Bool(true));
    ensure!(!failed, "{tool} failed: {answer}");
    Ok(())
}

/// Fills a campaign with entities of each of the kinds, with tags, mentions and dates.
fn fill(server: &mut Piped, entities: usize, kinds: &[&str]) -> anyhow::Result<()> {
    const TOGETHER: usize = 100;
    let tags: Vec<Value> = (0..TAGS)
        .map(|n| json!({ "entity_type": "note", "name": "tags", "tags": [format!("tag {n}")] }))
        .collect();
    ask(server, "create_entities", &json!({ "entities": tags }))?;
    // The notes only served to create the tags.
    let notes: Vec<i64> = (1..FIRST).step_by(2).collect();
    ask(server, "delete_entities", &json!({ "entity_ids": notes }))?;
    for begin in (0..entities).step_by(TOGETHER) {
        let made: Vec<Value> = (begin..(begin + TOGETHER).min(entities))
            .map(|n| {
                json!({
                    "entity_type": kinds.get(n % kinds.len().max(1)),
                    "name": name(n),
                    "type": if n % 3 == 0 { "NPC" } else { "Guild" },
                    "tags": [format!("tag {}", n % TAGS), format!("tag {}", (n + 1) % TAGS)],
                    "entry": format!(
                        "**Date: 2025-{:02}-{:02}**\n\nOf the {} grove, friend of [entity:{}]. {}",
                        n % 12 + 1, n % 28 + 1, name(n * 7), n % 500 + 1, "Ancient words. ".repeat(20),
                    ),
                    "is_private": false,
                })
            })
            .collect();
        ask(server, "create_entities", &json!({ "entities": made }))?;
    }
    Ok(())
}

/// Returns a name of a few syllables.
fn name(number: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "Ka", "ro", "ti", "mel", "sun", "dor", "vi", "lan", "pe", "gor", "ash", "bri", "tel",
        "mor", "qui", "zen",
    ];
    let mut rank = number.wrapping_mul(2_654_435_761) % 65_536;
    let mut text = String::new();
    for _ in 0..4 {
        text.push_str(SYLLABLES.get(rank % SYLLABLES.len()).copied().unwrap_or_default());
        rank /= SYLLABLES.len();
    }
    format!("{text} {number}")
}

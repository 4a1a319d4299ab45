//! The memory toolset: adding, saving, learning and asking as the world grows, compared with Kairn.
//!
//! Both servers are called with tool names that both know. CPU time is what counts, because it
//! depends less on the load of the machine than wall time.

#![expect(clippy::print_stdout, reason = "the report is what this program is for")]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::LazyLock;
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};

use crate::message;
use crate::pipes::Piped;
use crate::servers::Bench;
use crate::{proc, report};

/// The numbers of nodes, and of experiences, in a world.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// The largest world for Kairn, which needs minutes to be filled with more.
const KAIRN_MOST: usize = 10_000;
/// The number of calls of each kind that are measured.
const CALLS: usize = 60;
/// The aim for the ratio of Kairn's CPU time for one recall to ours, at 10 k.
const AIM: f64 = 50.0;

/// Measures and prints the report. A missed aim is printed; nothing fails.
pub(crate) fn run(bench: &Bench, kairn: Option<&Path>, quick: bool) -> anyhow::Result<ExitCode> {
    println!("# Memory benchmark\n\nMachine: {}.\n", proc::machine());
    println!("Worlds hold as many experiences as nodes. Processor ms a call | ms by the clock.");
    println!("Texts are turns of the conversations in tests/eval/retrieval, two each; questions");
    println!("are those that are asked there about one of them.\n");
    let peer = if kairn.is_some() { " Kairn CPU | Kairn wall | ratio of CPU |" } else { "" };
    println!("| call | nodes | CPU | wall |{peer}");
    println!("|---|--:|--:|--:|{}", if kairn.is_some() { "--:|--:|--:|" } else { "" });
    let mut ratio = None;
    for size in SIZES.into_iter().take(if quick { 1 } else { SIZES.len() }) {
        let place = bench.place(&format!("memory-{size}"));
        let ours = measure(bench.lorewell_on(&place, &["--toolsets", "memory"]), size)?;
        let theirs = match kairn.filter(|_| size <= KAIRN_MOST) {
            Some(program) => {
                Some(measure(kairn_at(program, &bench.place(&format!("kairn-{size}"))), size)?)
            }
            None => None,
        };
        report(size, &ours, theirs.as_deref());
        if let (KAIRN_MOST, Some(theirs)) = (size, theirs) {
            ratio = recall_ratio(&ours, &theirs);
        }
    }
    if let Some(ratio) = ratio {
        println!();
        let what = format!("Kairn's recall ÷ ours at {KAIRN_MOST} ≥ {AIM}: {ratio:.0}");
        report::aim(ratio >= AIM, &what);
    }
    Ok(ExitCode::SUCCESS)
}

fn kairn_at(program: &Path, place: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["serve", "--init"]).arg(place);
    command
}

/// A measurement: a label, a tool that both servers know, and its arguments.
type Call = (&'static str, &'static str, fn(usize) -> Value);

const MEASURED: [Call; 9] = [
    ("add", "kn_add", node),
    ("save", "kn_save", experience),
    ("learn", "kn_learn", experience),
    ("query", "kn_query", |n| json!({ "text": words(n, 2) })),
    ("search", "kn_memories", |n| json!({ "text": question(n) })),
    ("recall", "kn_recall", |n| json!({ "topic": question(n) })),
    ("context", "kn_context", |n| json!({ "keywords": question(n) })),
    ("crossref", "kn_crossref", |n| json!({ "problem": question(n) })),
    ("browse", "kn_memories", |_| json!({})),
];

/// Milliseconds per call: CPU time and wall time.
struct Cost {
    name: &'static str,
    cpu: f64,
    wall: f64,
}

fn measure(command: Command, size: usize) -> anyhow::Result<Vec<Cost>> {
    let mut server = Piped::open(command)?;
    fill(&mut server, size)?;
    MEASURED.iter().map(|call| cost(&mut server, call, size)).collect()
}

/// Fills a world, with several requests in flight.
fn fill(server: &mut Piped, size: usize) -> anyhow::Result<()> {
    const TOGETHER: usize = 32;
    eprintln!("filling a world of {size}");
    for begin in (0..size).step_by(TOGETHER) {
        let numbers = begin..(begin + TOGETHER).min(size);
        let nodes = numbers.clone().map(|n| call("kn_add", &node(n)));
        let experiences = numbers.map(|n| call("kn_save", &experience(n)));
        server.ask_all(&nodes.chain(experiences).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn cost(server: &mut Piped, (name, tool, arguments): &Call, size: usize) -> anyhow::Result<Cost> {
    // The first call may have to load what was written since.
    ask(server, tool, &arguments(size))?;
    let before = proc::cpu_time(server.pid())?;
    let begun = Instant::now();
    for number in 1..=CALLS {
        ask(server, tool, &arguments(size + number))?;
    }
    let wall = begun.elapsed();
    let cpu = proc::cpu_time(server.pid())?.saturating_sub(before);
    let each = |time: std::time::Duration| time.as_secs_f64() * 1e3 / CALLS as f64;
    Ok(Cost { name, cpu: each(cpu), wall: each(wall) })
}

fn ask(server: &mut Piped, tool: &str, arguments: &Value) -> anyhow::Result<()> {
    let answer = server.ask(&call(tool, arguments))?;
    let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
    let text = text.with_context(|| format!("{tool} gave no text: {answer}"))?;
    let body: Value = serde_json::from_str(text)?;
    anyhow::ensure!(body.get("error").is_none(), "{tool} failed: {body}");
    Ok(())
}

fn call(tool: &str, arguments: &Value) -> String {
    message::request("tools/call", json!({ "name": tool, "arguments": arguments }), false)
}

fn node(number: usize) -> Value {
    json!({
        "name": format!("Note {number} on {}", words(number, 3)),
        "type": "concept",
        "description": told(number + 7),
    })
}

fn experience(number: usize) -> Value {
    json!({ "content": told(number + 13), "type": "solution", "confidence": "medium" })
}

/// Returns the text to save: a turn of one conversation and, so that few texts are alike, one of
/// another.
fn told(number: usize) -> String {
    let talk = &*TALK;
    let pick = |from: &[String], at: usize| from.get(at % from.len().max(1)).cloned();
    let turn = pick(&talk.turns, number).unwrap_or_default();
    let other = pick(&talk.others, number / talk.turns.len().max(1) + number * 7);
    format!("{turn} {}", other.unwrap_or_default())
}

/// Returns a question about the conversation, as people ask it.
fn question(number: usize) -> &'static str {
    let questions = &TALK.questions;
    questions.get(number % questions.len().max(1)).map_or("who?", String::as_str)
}

/// Returns some words of a text.
fn words(number: usize, count: usize) -> String {
    let told = told(number);
    let long = told.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 4);
    long.take(count).collect::<Vec<_>>().join(" ")
}

/// Texts of people and questions about them. The cost of a recall depends on how many texts share
/// words with the question, so realistic texts are needed.
struct Talk {
    turns: Vec<String>,
    others: Vec<String>,
    questions: Vec<String>,
}

/// The store of the corpus that the questions are about.
const ASKED: &str = "garden";
const CORPUS: &str = include_str!("../../../../tests/eval/retrieval/corpus.jsonl");
const QUERIES: &str = include_str!("../../../../tests/eval/retrieval/queries.jsonl");

static TALK: LazyLock<Talk> = LazyLock::new(|| Talk {
    turns: of_lines(CORPUS, "text", |store| store == ASKED),
    others: of_lines(CORPUS, "text", |store| store != ASKED),
    questions: of_lines(QUERIES, "query", |store| store == ASKED),
});

/// Returns a field of the lines in a file whose store is wanted.
fn of_lines(file: &str, field: &str, wanted: fn(&str) -> bool) -> Vec<String> {
    let lines = file.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text = |line: &Value, name: &str| line.get(name)?.as_str().map(str::to_owned);
    lines
        .filter(|line| text(line, "store").is_some_and(|store| wanted(&store)))
        .filter_map(|line| text(&line, field))
        .collect()
}

fn recall_ratio(ours: &[Cost], theirs: &[Cost]) -> Option<f64> {
    let recall = |costs: &[Cost]| costs.iter().find(|cost| cost.name == "recall").map(|c| c.cpu);
    Some(recall(theirs)? / recall(ours)?)
}

fn report(size: usize, ours: &[Cost], theirs: Option<&[Cost]>) {
    for (at, cost) in ours.iter().enumerate() {
        print!("| {} | {size} | {:.2} | {:.2} |", cost.name, cost.cpu, cost.wall);
        match theirs.and_then(|theirs| theirs.get(at)) {
            Some(peer) => println!(
                " {:.1} | {:.1} | {:.0} |",
                peer.cpu,
                peer.wall,
                peer.cpu / cost.cpu.max(0.001)
            ),
            None => println!(),
        }
    }
}

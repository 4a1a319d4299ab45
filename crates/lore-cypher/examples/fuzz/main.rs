//! Runs random queries for a while: none may crash the engine or exceed its time.
//!
//! `cargo xtask fuzz cypher [--seconds N] [--seed N]`. Prints the queries that failed, and exits
//! with an error if there are any.

#![allow(clippy::print_stdout, reason = "a program that is run by hand")]

mod generate;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use generate::QueryGenerator;
use lore_cypher::{CypherError, Graph, GraphBuilder, Limits, Options, Parameters, Value, answer};

/// The time that a query may take beyond its limit until it notices, on a busy machine.
const GRACE: Duration = Duration::from_millis(1_500);

fn main() -> ExitCode {
    let seconds = option("--seconds").unwrap_or(60);
    let seed = option("--seed").unwrap_or(0);
    let (start, graph) = (Instant::now(), graph());
    let (mut asked, mut answered, mut broken) = (0_u64, 0_u64, 0_u64);
    let mut slowest = (Duration::ZERO, String::new());
    while start.elapsed() < Duration::from_secs(seconds) && broken < 20 {
        let seed = seed.wrapping_add(asked);
        let query = QueryGenerator::new(seed).query();
        let before = Instant::now();
        let outcome = ask(&graph, &query);
        let took = before.elapsed();
        asked += 1;
        answered += u64::from(outcome.is_ok());
        if let Some(why) = complaint(&outcome, took) {
            broken += 1;
            println!("seed {seed}: {why}\n  {query}");
        }
        if took > slowest.0 {
            slowest = (took, query);
        }
    }
    println!("{asked} queries, {answered} answered, {broken} broke something");
    println!("the slowest took {:?}: {}", slowest.0, slowest.1);
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn limits() -> Limits {
    Limits { time: Duration::from_millis(200), ..Limits::interactive() }
}

fn ask(graph: &Graph, query: &str) -> Result<(), CypherError> {
    let parameters = Parameters::from([("p".to_owned(), Value::Int(3))]);
    let options = Options { limits: limits(), ..Options::default() };
    answer(graph, query, &parameters, &options).map(drop)
}

fn complaint(outcome: &Result<(), CypherError>, took: Duration) -> Option<String> {
    match outcome {
        // The error that replaces a panic on the engine's thread.
        Err(CypherError::Failed { message, .. }) if message.contains("made the engine fail") => {
            Some(message.clone())
        }
        _ if took > limits().time + GRACE => Some(format!("it took {took:?}")),
        _ => None,
    }
}

/// A graph of a few hundred nodes with many paths between them.
fn graph() -> Graph {
    let mut builder = GraphBuilder::new(&["name"]);
    let nodes: Vec<_> = (0..300_i64)
        .map(|number| {
            let labels: &[&str] = if number % 3 == 0 { &["A"] } else { &["A", "B"] };
            let name = Value::text(format!("n{number}"));
            builder.node(labels, [("name", name), ("rank", Value::Int(number))])
        })
        .collect();
    for (number, node) in nodes.iter().enumerate() {
        for (step, kind) in [(1, "R"), (2, "R"), (17, "S")] {
            if let Some(other) = nodes.get((number + step) % nodes.len()) {
                let weight = Value::Float(number as f64 / 7.0);
                builder.relationship(*node, kind, *other, [("weight", weight)]);
            }
        }
    }
    builder.build().unwrap_or_default()
}

fn option(name: &str) -> Option<u64> {
    let arguments: Vec<_> = std::env::args().collect();
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1)?.parse().ok()
}

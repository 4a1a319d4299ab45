//! Hostile texts: they are refused or stopped, and never break the process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lore_cypher::{
    Budget, CypherError, Graph, GraphBuilder, Limits, Options, Parameters, Value, answer,
};
use proptest::prelude::*;

#[test]
fn writing_and_calling_are_refused_by_name() {
    let refused = [
        ("MATCH (n) DETACH DELETE n", "DELETE"),
        ("CREATE (n) RETURN n", "CREATE"),
        ("MERGE (n:A) RETURN n", "MERGE"),
        ("MATCH (n) SET n.x = 1 RETURN n", "SET"),
        ("MATCH (n) REMOVE n.x RETURN n", "REMOVE"),
        ("CALL db.labels() YIELD label RETURN label", "CALL"),
        ("CALL { MATCH (n) RETURN n } RETURN n", "CALL"),
        ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "LOAD CSV"),
        ("FOREACH (x IN [1] | CREATE (n))", "FOREACH"),
        ("MATCH (n) WHERE EXISTS { MATCH (n) CREATE (m) RETURN m } RETURN n", "CREATE"),
    ];
    for (query, name) in refused {
        match ask(query) {
            Err(CypherError::Refused { message, .. }) => {
                assert!(message.starts_with(name), "{query}: {message}");
            }
            other => panic!("{query} gave {other:?}"),
        }
    }
}

#[test]
fn explosions_stop_at_their_budget_within_a_second() {
    let start = Instant::now();
    let explosions = [
        "MATCH (a), (b), (c), (d), (e) RETURN count(*)",
        "MATCH (a)-[*]-(b) RETURN count(*)",
        "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)",
        "RETURN range(1, 1000000000000)",
        "RETURN reduce(s = 'x', i IN range(1, 60) | s + s)",
        "RETURN reduce(l = [1], i IN range(1, 60) | [l, l])",
        "RETURN reduce(l = [], i IN range(1, 100000) | [l])",
        "MATCH (a), (b), (c), (d) RETURN collect([a, b, c, d])",
        "RETURN size(replace('aaaaaaaaaaaaaaaa', 'a', reduce(s = 'x', i IN range(1, 24) | s + s)))",
    ];
    for query in explosions {
        assert!(ask(query).is_err(), "{query} was answered");
    }
    assert!(start.elapsed() < Duration::from_secs(10), "they took {:?}", start.elapsed());
}

#[test]
fn rows_have_a_budget_with_advice() {
    let result = ask("UNWIND range(1, 5000) AS x RETURN x");
    let Err(error @ CypherError::OverBudget(Budget::Rows(1000))) = result else {
        panic!("{result:?}");
    };
    assert!(error.to_string().contains("LIMIT"));
}

#[test]
fn a_query_can_be_cancelled() {
    let cancel = Arc::new(AtomicBool::new(false));
    let limits = Limits { steps: u64::MAX, time: Duration::from_secs(60), ..Limits::default() };
    let options = Options { limits, cancel: Arc::clone(&cancel), ..Options::default() };
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        cancel.store(true, Ordering::Relaxed);
    });
    let query = "MATCH (a), (b), (c), (d), (e), (f) RETURN count(*)";
    let result = answer(&ring(), query, &Parameters::new(), &options);
    stopper.join().unwrap();
    assert_eq!(result, Err(CypherError::Cancelled));
}

#[test]
fn deep_and_long_texts_do_not_overflow_the_stack() {
    let deep = |open: &str, inside: &str, close: &str, times: usize| {
        format!("RETURN {}{inside}{} AS x", open.repeat(times), close.repeat(times))
    };
    for times in [50, 99, 1_000, 20_000] {
        for (open, inside, close) in [("(", "1", ")"), ("[", "1", "]"), ("{a: ", "1", "}")] {
            let _ = ask(&deep(open, inside, close, times));
        }
    }
    for (part, last) in [("1 + ", "1"), ("NOT ", "true"), ("- ", "1"), ("1 < ", "1"), ("2 ^ ", "1")]
    {
        for times in [100, 1_900, 10_000] {
            let _ = ask(&format!("RETURN {}{last} AS x", part.repeat(times)));
        }
    }
    for part in ["WITH 1 AS x ", "UNWIND [1] AS x WITH 1 AS y ", "MATCH (a) "] {
        let _ = ask(&format!("{}RETURN 1 AS z", part.repeat(500)));
    }
    let _ =
        ask(&format!("RETURN {}1{} AS x", "CASE WHEN true THEN ".repeat(900), " END".repeat(900)));
    let _ = ask(&format!("MATCH (a){} RETURN count(*)", "-->()".repeat(400)));
}

const WORDS: &[&str] = &[
    "MATCH",
    "OPTIONAL MATCH",
    "WHERE",
    "WITH",
    "UNWIND",
    "RETURN",
    "UNION",
    "UNION ALL",
    "ORDER BY",
    "SKIP",
    "LIMIT",
    "DISTINCT",
    "AS",
    "AND",
    "OR",
    "XOR",
    "NOT",
    "IN",
    "IS NULL",
    "STARTS WITH",
    "CONTAINS",
    "=~",
    "=",
    "<>",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ".",
    "..",
    "|",
    "->",
    "<-",
    "--",
    "-->",
    "(a)",
    "(b:A)",
    "a",
    "b",
    "c",
    "a.name",
    "b.name",
    "-[r]->",
    "-[:R*]->",
    "-[:R*1..2]-",
    "()",
    "[*]",
    "$p",
    "1",
    "-1",
    "0",
    "2.5",
    "'x'",
    "'('",
    "null",
    "true",
    "[1, 2]",
    "{k: 1}",
    "count(*)",
    "collect(a)",
    "size(",
    "range(1, 3)",
    "date('2020-01-31')",
    "duration('P1M')",
    "shortestPath((a)-[*]-(b))",
    "exists {",
    "CASE WHEN",
    "THEN",
    "ELSE",
    "END",
    "all(x IN",
    "reduce(s = 0, x IN",
    "[x IN",
    "nodes(",
    "labels(",
    "keys(",
    "toInteger(",
    "DESC",
    "CREATE",
    "DELETE",
    ";",
    "`",
    "\"",
    "//",
    "\u{0}",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn words_in_any_order_never_break_it(picks in prop::collection::vec(0..WORDS.len(), 1..24)) {
        let text: Vec<_> = picks.iter().filter_map(|pick| WORDS.get(*pick).copied()).collect();
        unbroken(&text.join(" "))?;
    }

    #[test]
    fn expressions_in_any_order_never_break_it(picks in prop::collection::vec(23..WORDS.len(), 1..12)) {
        let text: Vec<_> = picks.iter().filter_map(|pick| WORDS.get(*pick).copied()).collect();
        let text = text.join(" ");
        unbroken(&format!("MATCH (a)-[r]->(b) WITH *, 1 AS c WHERE {text} RETURN {text} ORDER BY {text}"))?;
        unbroken(&format!("RETURN {text}"))?;
    }

    #[test]
    fn any_letters_never_break_it(text in "\\PC{0,60}") {
        unbroken(&text)?;
    }
}

/// A panic on the engine's thread would come back as this error.
fn unbroken(text: &str) -> Result<(), TestCaseError> {
    let failed = CypherError::Failed("the query made the engine fail".to_owned());
    prop_assert!(ask(text) != Err(failed), "{text}");
    Ok(())
}

fn ask(text: &str) -> Result<lore_cypher::Table, CypherError> {
    let limits =
        Limits { rows: 1000, steps: 300_000, memory_bytes: 16 << 20, time: Duration::from_secs(1) };
    let parameters = Parameters::from([("p".to_owned(), Value::Int(3))]);
    answer(&ring(), text, &parameters, &Options { limits, ..Options::default() })
}

/// Thirty nodes in a ring with chords.
fn ring() -> Graph {
    let mut builder = GraphBuilder::new(&["name"]);
    let nodes: Vec<_> = (0..30)
        .map(|number| builder.node(&["A"], [("name", Value::text(format!("n{number}")))]))
        .collect();
    for (number, node) in nodes.iter().enumerate() {
        for step in [1, 7] {
            if let Some(other) = nodes.get((number + step) % nodes.len()) {
                builder.relationship(*node, "R", *other, []);
            }
        }
    }
    builder.build().unwrap()
}

//! Hostile texts must be refused or stopped, and must never break the process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lore_cypher::{
    Budget, CypherError, Graph, GraphBuilder, Limits, Options, Parameters, Value, answer,
};
use proptest::prelude::*;

#[path = "../examples/fuzz/generate.rs"]
mod generate;

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
        ("CREATE INDEX ON :A(name)", "CREATE INDEX"),
        ("EXPLAIN MATCH (n) RETURN n", "EXPLAIN"),
        ("SHOW DATABASES", "SHOW"),
        (
            "USING PERIODIC COMMIT 500 LOAD CSV FROM 'x' AS line RETURN line",
            "USING PERIODIC COMMIT",
        ),
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
fn names_like_clauses_are_not_taken_for_them() {
    for query in ["MATCH (n) user RETURN n", "RETURN 1 AS x startled", "drops"] {
        let Err(CypherError::Invalid { message, .. }) = ask(query) else { panic!("{query}") };
        assert!(message.len() < 120, "{message}");
    }
}

#[test]
fn a_mistake_is_named_with_what_was_meant() {
    for (query, word, meant) in [
        ("MATCH (n) RETRUN n", "RETRUN", Some("RETURN")),
        ("MTACH (n) RETURN n", "MTACH", Some("MATCH")),
        ("MATCH (n) RETURN n LIMT 3", "LIMT", Some("LIMIT")),
        ("MATCH (n) nonsense RETURN n", "nonsense", None),
    ] {
        let Err(CypherError::Invalid { message, hint, .. }) = ask(query) else { panic!("{query}") };
        assert!(message.contains(word), "{query}: {message}");
        let hinted = hint.as_deref().filter(|hint| hint.starts_with("did you mean"));
        assert_eq!(hinted.map(str::to_owned), meant.map(|meant| format!("did you mean {meant}?")));
    }
}

#[test]
fn letters_are_written_with_eight_digits() {
    for (written, letter) in [
        (r"'\U0001F600'", "\u{1F600}"),
        (r"'a\U0010FFFFb'", "a\u{10FFFF}b"),
        (r#""it''s \U0001F600 \u00e9\n""#, "it''s \u{1F600} \u{e9}\n"),
        (r"'it''s \\U \U00000041'", "it's \\U A"),
    ] {
        let table = ask(&format!("RETURN {written} AS x")).unwrap();
        assert_eq!(table.rows, [[Value::text(letter)]], "{written}");
    }
    assert!(matches!(ask(r"RETURN '\UFFFFFFFF' AS x"), Err(CypherError::Invalid { .. })));
}

#[test]
fn the_mean_of_large_numbers_is_one() {
    let query = "UNWIND [9223372036854775807, 9223372036854775807, 1] AS x RETURN avg(x) AS x";
    let table = ask(query).unwrap();
    assert_eq!(table.rows, [[Value::Float(6_148_914_691_236_517_000.0)]]);
    assert!(ask("UNWIND [9223372036854775807, 1] AS x RETURN sum(x) AS x").is_err());
    for (values, call, expected) in [
        ("[1.5e308, 1.5e308, 1.5e308]", "avg(x)", 1.5e308),
        ("[1.5e308, 1.5e308, -1.5e308, 4]", "avg(x)", 3.75e307),
        ("[1.0 / 0.0, 1]", "avg(x)", f64::INFINITY),
        ("[1, 2, 3.0]", "avg(x)", 2.0),
        ("[-1.5e308, 1.5e308]", "percentileCont(x, 0.5)", 0.0),
        ("[-1e308, 1e308]", "stDevP(x)", 1e308),
        ("[1e308, 1e308]", "stDev(x)", 0.0),
    ] {
        let query = format!("UNWIND {values} AS x RETURN {call} AS x");
        assert_eq!(ask(&query).unwrap().rows, [[Value::Float(expected)]], "{query}");
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

/// Defines a string of two million characters.
const LONG: &str = "WITH reduce(s = 'ab', i IN range(1, 20) | s + s) AS s ";

#[test]
fn work_on_long_texts_ends_with_the_time() {
    let endless = "UNWIND range(1, 100000) AS i UNWIND range(1, 100000) AS j RETURN";
    let works = [
        "count(s =~ '(a|b|ab)*(a|b)*c')",
        "count(s =~ ('(?:ab|a|b){1,200}' + i + j))",
        r"count((s + 'ä') =~ '(\\w|a|ab|\\b)*c')",
        "count(substring(s, i))",
        "count(replace(s, 'a', 'b'))",
        "count(toUpper(s))",
        "count(reverse(s))",
        "count(split(s, 'x'))",
        "count(s + 'x')",
        "count(s + 'x' = s + 'y')",
        "count(s CONTAINS 'x')",
        "count(DISTINCT s)",
        "min(s)",
    ];
    for work in works {
        let query = format!("{LONG}{endless} {work} AS n");
        let outcome = ask_for(&query, Limits { time: Duration::from_millis(200), ..patient() });
        assert!(is_time(&outcome), "{query} gave {outcome:?}");
    }
}

#[test]
fn work_on_long_lists_and_ways_ends_with_the_time() {
    let works = [
        "WITH range(1, 300000) AS l UNWIND l AS i UNWIND l AS j RETURN count(tail(l)) AS n",
        "WITH range(1, 300000) AS l UNWIND l AS i UNWIND l AS j RETURN count(l = tail(l)) AS n",
        "WITH range(1, 300000) AS l UNWIND l AS i UNWIND l AS j RETURN count(l[1..]) AS n",
        "WITH range(1, 300000) AS l UNWIND l AS i UNWIND l AS j RETURN count(0 IN l) AS n",
        "MATCH p = allShortestPaths((a {name: 'start'})-[:T*]->(b {name: 'end'})) RETURN count(p) AS n",
    ];
    for query in works {
        let outcome = ask_for(query, Limits { time: Duration::from_millis(200), ..patient() });
        assert!(is_time(&outcome), "{query} gave {outcome:?}");
    }
}

#[test]
fn many_names_are_looked_up_each_once() {
    let names = "[i IN range(1, 60000) | 'n' + toString(i % 20000)]";
    let query = format!("WITH {names} AS l MATCH (a:A) WHERE a.name IN l RETURN count(a) AS n");
    let table = ask_for(&query, patient()).unwrap();
    assert_eq!(table.rows, [[Value::Int(30)]]);
}

#[test]
fn what_is_built_is_counted_before_it_is_there() {
    let memory = [
        format!("{LONG}RETURN size(split(s, '')) AS n"),
        "UNWIND range(1, 400000) AS i RETURN size(collect({a: i})) AS n".to_owned(),
        "UNWIND range(1, 600000) AS i RETURN size(collect([i])) AS n".to_owned(),
        "UNWIND range(1, 2000000) AS i RETURN i, [i] AS l ORDER BY i LIMIT 100000000".to_owned(),
    ];
    for query in memory {
        let outcome = ask_for(&query, Limits { rows: u64::MAX, ..patient() });
        let Err(CypherError::OverBudget(Budget::Memory(_))) = outcome else {
            panic!("{query} gave {:?}", outcome.map(|table| table.rows.len()));
        };
    }
    let outcome = ask_for("RETURN reduce(s = 'ab', i IN range(1, 24) | s + s) AS s", patient());
    assert!(matches!(outcome, Err(CypherError::Failed { .. })), "{outcome:?}");
}

#[test]
fn what_falls_out_of_an_order_is_not_counted() {
    let query = "UNWIND range(1, 400000) AS i RETURN i, [i, i] AS l ORDER BY -i LIMIT 2";
    let table = ask_for(query, patient()).unwrap();
    assert_eq!(table.rows.len(), 2);
}

#[test]
fn a_search_for_a_pattern_can_be_cancelled() {
    let cancel = Arc::new(AtomicBool::new(false));
    let limits = Limits { time: Duration::from_secs(600), ..patient() };
    let options = Options { limits, cancel: Arc::clone(&cancel), ..Options::default() };
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        cancel.store(true, Ordering::Relaxed);
    });
    let query =
        format!("{LONG}UNWIND range(1, 100000) AS i RETURN count(s =~ '(a|b|ab)*(a|b)*c') AS n");
    let result = answer(&ring(), &query, &Parameters::new(), &options);
    stopper.join().unwrap();
    assert_eq!(result, Err(CypherError::Cancelled));
}

#[test]
fn generated_queries_never_break_it() {
    for seed in 0..1_500 {
        let query = generate::QueryGenerator::new(seed).query();
        let broken = ask(&query).is_err_and(|error| error.to_string().contains(BROKEN));
        assert!(!broken, "{query}");
    }
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

/// The message of an error that replaces a panic on the engine's thread.
const BROKEN: &str = "the query made the engine fail";

fn unbroken(text: &str) -> Result<(), TestCaseError> {
    let broken = ask(text).is_err_and(|error| error.to_string().contains(BROKEN));
    prop_assert!(!broken, "{text}");
    Ok(())
}

fn ask(text: &str) -> Result<lore_cypher::Table, CypherError> {
    let limits =
        Limits { rows: 1000, steps: 300_000, memory_bytes: 16 << 20, time: Duration::from_secs(1) };
    ask_for(text, limits)
}

/// Generous limits, except for memory and rows.
fn patient() -> Limits {
    let time = Duration::from_secs(600);
    Limits { rows: 1000, steps: u64::MAX, memory_bytes: 64 << 20, time }
}

fn is_time(outcome: &Result<lore_cypher::Table, CypherError>) -> bool {
    matches!(outcome, Err(CypherError::OverBudget(Budget::Time(_))))
}

fn ask_for(text: &str, limits: Limits) -> Result<lore_cypher::Table, CypherError> {
    let parameters = Parameters::from([("p".to_owned(), Value::Int(3))]);
    answer(&ring(), text, &parameters, &Options { limits, ..Options::default() })
}

/// Thirty nodes in a ring with chords, and a chain of 60 diamonds, each with two ways past it.
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
    let corner = |builder: &mut GraphBuilder, name: &str| {
        builder.node(&["C"], [("name", Value::text(name))])
    };
    let mut at = corner(&mut builder, "start");
    for number in 0..60 {
        let next = corner(&mut builder, if number == 59 { "end" } else { "between" });
        for _ in 0..2 {
            let side = corner(&mut builder, "side");
            builder.relationship(at, "T", side, []);
            builder.relationship(side, "T", next, []);
        }
        at = next;
    }
    builder.build().unwrap()
}

//! Typical queries on a generated code graph with 100,000 nodes and 300,000 relationships.
//!
//! `cargo xtask bench code`. Prints the median and best time of many runs, with rows and memory.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and fails by panicking"
)]

use std::time::{Duration, Instant};

use lore_cypher::{Graph, GraphBuilder, Limits, NodeId, Options, Parameters, Value, answer};

const FUNCTIONS: usize = 80_000;
const CLASSES: usize = 8_000;
const FILES: usize = 5_000;
const IMPORTS: usize = 5_000;
const MODULES: usize = 1_000;
const INTERFACES: usize = 1_000;
const CALLS: usize = 190_000;

/// Names, queries and target times in ms: the time of the best embedded engine that was measured.
const QUESTIONS: &[(&str, &str, f64)] = &[
    ("function by name", "MATCH (f:Function {name: 'fn_4242'}) RETURN f.name, f.file_path", 7.2),
    (
        "direct callers",
        "MATCH (c:Function)-[:CALLS]->(f:Function {name: 'fn_4242'}) RETURN c.name, c.file_path",
        3.2,
    ),
    (
        "callers up to three hops",
        "MATCH (c:Function)-[:CALLS*1..3]->(f:Function {name: 'fn_4242'}) RETURN DISTINCT c.name",
        4.0,
    ),
    (
        "callers up to three hops of a hot function",
        "MATCH (c:Function)-[:CALLS*1..3]->(f:Function {name: 'fn_0'}) RETURN count(DISTINCT c)",
        8.6,
    ),
    (
        "ways of up to three hops to a hot function",
        "MATCH (c:Function)-[:CALLS*1..3]->(f:Function {name: 'fn_0'}) RETURN count(*)",
        8.6,
    ),
    (
        "most called",
        "MATCH (c:Function)-[:CALLS]->(f:Function) RETURN f.name, count(*) AS calls \
         ORDER BY calls DESC, f.name LIMIT 10",
        60.0,
    ),
    (
        "files that import a module",
        "MATCH (f:File)-[:IMPORTS]->(i:Import {module_name: 'module_7'}) RETURN DISTINCT f.file_path",
        1.0,
    ),
    (
        "descendants of a class",
        "MATCH (c:Class)-[:EXTENDS*1..10]->(base:Class {name: 'Class_3'}) RETURN DISTINCT c.name",
        1.9,
    ),
    (
        "functions nobody calls",
        "MATCH (f:Function) WHERE NOT (f)<-[:CALLS]-() RETURN count(f)",
        17.6,
    ),
    (
        "files coupled by calls",
        "MATCH (a:File {file_path: 'src/dir_1/file_11.rs'})-[:CONTAINS]->(:Function)-[:CALLS]->\
         (:Function)<-[:CONTAINS]-(b:File) WHERE a <> b \
         RETURN b.file_path, count(*) AS calls ORDER BY calls DESC LIMIT 10",
        3.2,
    ),
    (
        "shortest path",
        "MATCH (a:Function {name: 'fn_79999'}), (b:Function {name: 'fn_0'}), \
         p = shortestPath((a)-[:CALLS*..15]->(b)) RETURN length(p)",
        13.0,
    ),
    (
        "functions of each module",
        "MATCH (m:Module)<-[:BELONGS_TO]-(f:File)-[:CONTAINS]->(fn:Function) \
         RETURN m.name, count(fn) AS functions ORDER BY functions DESC LIMIT 10",
        3.7,
    ),
    ("labels and counts", "MATCH (n) RETURN labels(n), count(n)", 60.0),
    (
        "methods of a class and what they call",
        "MATCH (c:Class {name: 'Class_42'})-[:HAS_METHOD]->(m)-[:CALLS]->(f) RETURN m.name, f.name",
        3.2,
    ),
    (
        "implementations of an interface",
        "MATCH (i:Interface {name: 'Interface_5'})<-[:IMPLEMENTS]-(c:Class) \
         OPTIONAL MATCH (c)-[:HAS_METHOD]->(m) RETURN c.name, count(m) ORDER BY c.name",
        3.2,
    ),
    ("names by a pattern", "MATCH (f:Function) WHERE f.name =~ 'fn_12.*9' RETURN count(*)", 17.6),
];

/// Queries that would take forever: each must stop at a limit within a second.
const EXPLOSIONS: &[(&str, &str)] = &[
    ("all triples of nodes", "MATCH (a), (b), (c) RETURN count(*)"),
    ("pairs by a condition", "MATCH (a), (b) WHERE a.name < b.name RETURN count(*)"),
    ("pairs that are sorted", "MATCH (a), (b) RETURN a.name, b.name ORDER BY b.name, a.name"),
    ("pairs that are collected", "MATCH (a), (b) RETURN collect([a, b])"),
    ("distinct pairs", "MATCH (a), (b) RETURN count(DISTINCT [a, b])"),
    ("ways of any length", "MATCH p = (a)-[:CALLS*]-(b) RETURN count(p)"),
    (
        "products of numbers",
        "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)",
    ),
];

fn main() {
    let start = Instant::now();
    let before = resident();
    let graph = generate();
    println!(
        "{} nodes, {} relationships, built in {:.0} ms, {:.0} MB resident ({:.0} MB counted)",
        graph.node_count(),
        graph.relationship_count(),
        start.elapsed().as_secs_f64() * 1e3,
        resident() - before,
        graph.bytes() as f64 / 1e6,
    );
    println!(
        "{:<46} {:>6} {:>10} {:>10} {:>8}",
        "question", "rows", "median ms", "best ms", "aim ms"
    );
    let mut missed = 0;
    for (name, query, aim) in QUESTIONS {
        let (rows, median, best) = measure(&graph, query);
        missed += usize::from(median > *aim);
        let mark = if median > *aim { " ←" } else { "" };
        println!("{name:<46} {rows:>6} {median:>10.3} {best:>10.3} {aim:>8.1}{mark}");
    }
    println!("{:.0} MB resident in the end", resident());
    let word = if missed == 0 { "ok" } else { "miss" };
    println!("- {word}: questions above their aim: {missed} of {}", QUESTIONS.len());
    println!("{:<46} {:>10}  stopped by", "what has no end", "ms");
    for (name, query) in EXPLOSIONS {
        let options = Options { limits: Limits::interactive(), ..Options::default() };
        let start = Instant::now();
        let stopped = answer(&graph, query, &Parameters::new(), &options).unwrap_err();
        println!("{name:<46} {:>10.0}  {stopped}", start.elapsed().as_secs_f64() * 1e3);
    }
}

fn measure(graph: &Graph, query: &str) -> (usize, f64, f64) {
    let limits = Limits { rows: 200_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut times = Vec::new();
    let (mut rows, begin) = (0, Instant::now());
    while times.len() < 5 || (times.len() < 200 && begin.elapsed() < Duration::from_millis(400)) {
        let start = Instant::now();
        rows = answer(graph, query, &Parameters::new(), &options).unwrap().rows.len();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    (rows, times[times.len() / 2], times[0])
}

/// Generates the graph, always the same, with some similarity to code: few functions are called
/// very often.
fn generate() -> Graph {
    let mut random = Random(42);
    let mut builder = GraphBuilder::new(&["name", "file_path", "entity_id", "module_name"]);
    let path = |number: usize| format!("src/dir_{}/file_{number}.rs", number % 10);
    let mut many = |label: &str, prefix: &str, count: usize, random: &mut Random| -> Vec<NodeId> {
        (0..count)
            .map(|number| {
                let file = path(random.below(FILES));
                builder.node(&[label], properties(label, prefix, number, &file))
            })
            .collect()
    };
    let functions = many("Function", "fn_", FUNCTIONS, &mut random);
    let classes = many("Class", "Class_", CLASSES, &mut random);
    let imports = many("Import", "import_", IMPORTS, &mut random);
    let modules = many("Module", "module_", MODULES, &mut random);
    let interfaces = many("Interface", "Interface_", INTERFACES, &mut random);
    let files: Vec<_> = (0..FILES)
        .map(|number| builder.node(&["File"], properties("File", "file_", number, &path(number))))
        .collect();
    for (number, function) in functions.iter().enumerate() {
        builder.relationship(files[random.below(FILES)], "CONTAINS", *function, []);
        if number % 5 == 0 {
            builder.relationship(classes[random.below(CLASSES)], "HAS_METHOD", *function, []);
        }
    }
    for _ in 0..CALLS {
        // The cube of a uniform random number favours small ones.
        let callee = random.below(1_000_000) as f64 / 1e6;
        let callee = (callee * callee * callee * FUNCTIONS as f64) as usize;
        let line = Value::Int(random.below(2000) as i64);
        let caller = functions[random.below(FUNCTIONS)];
        builder.relationship(caller, "CALLS", functions[callee], [("line_number", line)]);
    }
    for (number, class) in classes.iter().enumerate().skip(1) {
        if number % 2 == 0 {
            builder.relationship(*class, "EXTENDS", classes[random.below(number)], []);
        }
        if number % 8 == 0 {
            builder.relationship(*class, "IMPLEMENTS", interfaces[random.below(INTERFACES)], []);
        }
    }
    for file in &files {
        builder.relationship(*file, "BELONGS_TO", modules[random.below(MODULES)], []);
        builder.relationship(*file, "IMPORTS", imports[random.below(IMPORTS)], []);
    }
    builder.build().unwrap()
}

fn properties(label: &str, prefix: &str, number: usize, file: &str) -> Vec<(&'static str, Value)> {
    let name = format!("{prefix}{number}");
    let line = (number % 900) as i64;
    vec![
        ("entity_id", Value::text(format!("{label}-{number:08x}"))),
        ("name", Value::text(name.clone())),
        ("entity_type", Value::text(label)),
        ("file_path", Value::text(file)),
        ("line_start", Value::Int(line)),
        ("line_end", Value::Int(line + 20)),
        ("language", Value::text("rust")),
        ("repo", Value::text("example/repository")),
        ("signature", Value::text(format!("fn {name}(left: &str, right: &str) -> bool"))),
        ("module_name", Value::text(format!("module_{}", number % MODULES))),
        ("extraction_method", Value::text("tree_sitter")),
    ]
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// The resident memory of this process in MiB; 0 where it is unknown.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

//! Counting matches must give the same number as enumerating them.
//!
//! Matches that nothing reads are counted instead of followed. So each pattern is queried twice:
//! for a count, and for the size of a collected list, which has to be built row by row.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "tests fail by panicking"
)]

use lore_cypher::{Graph, GraphBuilder, Options, Parameters, Value, answer};
use proptest::prelude::*;

/// Patterns in which `a` is the grouping key.
const PATTERNS: &[&str] = &[
    "(a)-[:X]->()",
    "(a)-[:X]->(:A)",
    "(a)<-[:X|Y]-(b)",
    "(a)--()",
    "(a)--(:B)--()",
    "(a)-[:X]->(b)-[:X]->()",
    "(a)-[:X]->(b)<-[:X]-()",
    "(a)-[:X]->(), (a)-[:Y]->(), (a)<--()",
    "(a)-[:X*1..3]->()",
    "(a)-[:X*0..2]->(:A)",
    "(a)-[*2..3]->(b)",
    "(a)-[:Y*3..2]->()",
    "(a)-[:X|Y*..3]-()",
    "(a)-[*1..2]->(b)-[:X]->()",
    "(a)-[:X]->(b) MATCH (b)-[:Y]->()",
    "(a) OPTIONAL MATCH (a)-[:X]->()",
    "(a)-[:X]->(b) WHERE (b)-[:Y]->() AND NOT (b)<-[:Y]-()",
    "(a)-[r:X]->() WHERE r.weight > 2",
    "(a) WHERE COUNT { (a)-[:X]->(:A) } > 1",
    "(a) WHERE EXISTS { (a)-[:X]->(b:B) WHERE b.name <> a.name }",
    "(a) WHERE COUNT { MATCH (a)-[:X]->(b) RETURN b UNION MATCH (a)-[:Y]->(b) RETURN b } > 0",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn counted_is_as_many_as_gathered(graph in graphs()) {
        for pattern in PATTERNS {
            let ask = |column: &str| {
                let query = format!("MATCH {pattern} RETURN a.name, {column} ORDER BY a.name");
                answer(&graph, &query, &Parameters::new(), &Options::default())
            };
            let (counted, gathered) = (ask("count(*)"), ask("size(collect(1))"));
            prop_assert_eq!(counted.unwrap().rows, gathered.unwrap().rows, "{}", pattern);
        }
    }

    #[test]
    fn counting_a_variable_is_counting_rows(graph in graphs()) {
        let ask = |query: &str| answer(&graph, query, &Parameters::new(), &Options::default());
        let some = ask("MATCH (a)-[r:X]->(b) RETURN count(*), count(b), count(r)").unwrap();
        prop_assert!(some.rows[0].iter().all(|count| *count == some.rows[0][0]));
        let (maybe, sum) = (
            ask("MATCH (a) OPTIONAL MATCH (a)-[:X]->(b) RETURN count(b)").unwrap(),
            ask("MATCH (a)-[:X]->(b) RETURN count(b)").unwrap(),
        );
        prop_assert_eq!(maybe.rows, sum.rows);
    }
}

/// Different long paths can end with the same relationship.
#[test]
fn long_ways_share_their_last_relationship() {
    let mut builder = GraphBuilder::new(&[]);
    let nodes: Vec<_> = (0..=20).map(|_| builder.node(&["A"], [])).collect();
    for pair in nodes.windows(2) {
        builder.relationship(pair[0], "X", pair[1], []);
    }
    builder.relationship(nodes[0], "X", nodes[1], []);
    let graph = builder.build().unwrap();
    for length in [10, 17, 20] {
        for column in ["count(*)", "size(collect(b))"] {
            let query = format!("MATCH (a)-[:X*{length}..{length}]->(b) RETURN {column}");
            let found = answer(&graph, &query, &Parameters::new(), &Options::default()).unwrap();
            let expected = (21 - length) + 1;
            assert_eq!(found.rows[0][0], Value::Int(expected), "{query}");
        }
    }
}

/// Small graphs with loops, parallel relationships and nodes with the same name.
fn graphs() -> impl Strategy<Value = Graph> {
    let nodes = prop::collection::vec((0..4_u8, 0..3_u8), 1..7);
    let relationships = prop::collection::vec((0..7_usize, 0..2_u8, 0..7_usize, 0..5_i64), 0..12);
    (nodes, relationships).prop_map(|(nodes, relationships)| {
        let mut builder = GraphBuilder::new(&["name"]);
        let made: Vec<_> = nodes
            .iter()
            .map(|(labels, name)| {
                let all: &[&str] = &["A", "B"];
                let labels: Vec<_> =
                    all.iter().enumerate().filter(|(bit, _)| labels >> bit & 1 == 1).collect();
                let labels: Vec<_> = labels.into_iter().map(|(_, label)| *label).collect();
                builder.node(&labels, [("name", Value::text(format!("n{name}")))])
            })
            .collect();
        for (start, kind, end, weight) in relationships {
            let kind = if kind == 0 { "X" } else { "Y" };
            let (start, end) = (made[start % made.len()], made[end % made.len()]);
            builder.relationship(start, kind, end, [("weight", Value::Int(weight))]);
        }
        builder.build().unwrap()
    })
}

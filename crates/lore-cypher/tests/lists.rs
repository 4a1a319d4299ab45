//! Looking nodes up in an index by a list of values.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use lore_cypher::{Graph, GraphBuilder, Options, Parameters, Value, answer};

/// Forty nodes, enough for the index to be worth its use, and one whose name is a number.
fn named() -> Graph {
    let mut builder = GraphBuilder::new(&["name"]);
    for number in 0..40 {
        builder.node(&["N"], [("name", Value::text(format!("n{number}")))]);
    }
    builder.node(&["N"], [("name", Value::Int(5))]);
    builder.build().unwrap()
}

#[test]
fn a_list_of_mixed_values_finds_each_node_once() {
    for (list, expected) in [
        ("['n1', 'n2', 'n1']", vec!["n1", "n2"]),
        ("['n1', 5]", vec!["5", "n1"]),
        ("['n1', 5, 6, true, [1]]", vec!["5", "n1"]),
        ("[5, 5.0]", vec!["5"]),
        ("['n1', null]", vec!["n1"]),
        ("[null]", vec![]),
        ("[]", vec![]),
    ] {
        let query = format!(
            "MATCH (n:N) WHERE n.name IN {list} \
             WITH toString(n.name) AS name ORDER BY name RETURN name"
        );
        let table = answer(&named(), &query, &Parameters::new(), &Options::default()).unwrap();
        let expected: Vec<_> = expected.into_iter().map(|name| vec![Value::text(name)]).collect();
        assert_eq!(table.rows, expected, "{list}");
    }
}

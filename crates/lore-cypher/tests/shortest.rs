//! Shortest paths, which the compatibility kit does not cover.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use lore_cypher::{Graph, GraphBuilder, Options, Parameters, Value, answer};

/// Two ways of two steps from a to d, one of three, and a way back.
fn diamond() -> Graph {
    let mut builder = GraphBuilder::new(&["name"]);
    let names = ["a", "b", "c", "d", "e", "far"];
    let nodes: Vec<_> =
        names.iter().map(|name| builder.node(&["N"], [("name", Value::text(*name))])).collect();
    let steps = [(0, 1), (1, 3), (0, 2), (2, 3), (0, 4), (4, 1), (3, 0)];
    for (from, to) in steps {
        builder.relationship(nodes[from], "R", nodes[to], []);
    }
    builder.build().unwrap()
}

/// The names of the nodes on each path, sorted.
fn ways(pattern: &str, from: &str, to: &str) -> Vec<String> {
    let query = format!(
        "MATCH (x {{name: '{from}'}}), (y {{name: '{to}'}}), p = {pattern} \
         RETURN reduce(s = '', n IN nodes(p) | s + n.name) AS way ORDER BY way"
    );
    let table = answer(&diamond(), &query, &Parameters::new(), &Options::default()).unwrap();
    let text = |value: &Value| match value {
        Value::String(text) => text.to_string(),
        other => format!("{other:?}"),
    };
    table.rows.iter().map(|row| text(&row[0])).collect()
}

#[test]
fn connected_nodes_have_a_shortest_path() {
    assert_eq!(ways("shortestPath((x)-[:R*]->(y))", "a", "d").len(), 1);
    assert_eq!(ways("shortestPath((x)-[:R*]->(y))", "e", "d"), ["ebd"]);
    assert_eq!(ways("shortestPath((x)-[:R*..15]->(y))", "b", "e"), ["bdae"]);
    assert_eq!(ways("shortestPath((x)-[:R*]-(y))", "d", "a"), ["da"]);
}

#[test]
fn all_shortest_paths_are_all_of_them_and_no_longer_ones() {
    assert_eq!(ways("allShortestPaths((x)-[:R*]->(y))", "a", "d"), ["abd", "acd"]);
}

#[test]
fn where_there_is_no_way_there_is_no_row() {
    assert!(ways("shortestPath((x)-[:R*]->(y))", "a", "far").is_empty());
    assert!(ways("shortestPath((x)-[:R*..2]->(y))", "b", "e").is_empty());
}

//! Shortest paths, which the TCK does not cover.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use lore_cypher::{Graph, GraphBuilder, Options, Parameters, Value, answer};

/// Two paths of two steps from a to d, one of three, and a relationship back.
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

/// The names of the nodes on each path, concatenated; sorted.
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
fn a_path_is_as_long_as_asked_for() {
    assert_eq!(ways("shortestPath((x)-[:R*3..]->(y))", "a", "d"), ["aebd"]);
    assert_eq!(ways("shortestPath((x)-[:R*2..]->(y))", "a", "d").len(), 1);
    assert_eq!(ways("allShortestPaths((x)-[:R*3..5]->(y))", "a", "d"), ["aebd"]);
    assert_eq!(ways("allShortestPaths((x)-[:R*2..3]->(y))", "a", "d"), ["abd", "acd"]);
    // Back from d to a, and once more to d.
    assert_eq!(ways("shortestPath((x)-[:R*4..]->(y))", "a", "d").len(), 1);
    assert!(ways("shortestPath((x)-[:R*2..3]->(y))", "d", "a").is_empty());
    assert!(ways("shortestPath((x)-[:R*50..]->(y))", "a", "d").is_empty());
}

#[test]
fn a_relationship_matched_elsewhere_does_not_hide_other_paths() {
    let rows = |query: &str| {
        answer(&diamond(), query, &Parameters::new(), &Options::default()).unwrap().rows
    };
    let way = "RETURN reduce(s = '', n IN nodes(p) | s + n.name) AS way ORDER BY way";
    let found = |first: &str, shortest: &str| {
        rows(&format!(
            "MATCH (x {{name: 'a'}}), (y {{name: 'd'}}), {first}, \
             p = {shortest}((x)-[:R*]->(y)) {way}"
        ))
    };
    let row = |way: &str| vec![Value::text(way)];
    for shortest in ["shortestPath", "allShortestPaths"] {
        assert_eq!(found("(x)-[r]->({name: 'b'})", shortest), [row("acd")], "{shortest}");
        assert_eq!(found("(x)-[r]->({name: 'c'})", shortest), [row("abd")], "{shortest}");
        // Neither path of two steps is left, so the one of three is the shortest.
        let both = "({name: 'b'})<-[r]-(x)-[s]->({name: 'c'})";
        assert_eq!(found(both, shortest), [row("aebd")], "{shortest}");
        // Whichever relationship it is, a path is left, although finding any would be cheaper.
        let any = rows(&format!(
            "MATCH (x {{name: 'a'}}) MATCH (y {{name: 'd'}}) \
             MATCH (x)-[r]->(z), p = {shortest}((x)-[:R*]->(y)) RETURN DISTINCT z.name ORDER BY z.name"
        ));
        assert_eq!(any, [row("b"), row("c"), row("e")], "{shortest}");
    }
}

#[test]
fn a_shortest_path_is_a_value_between_known_nodes() {
    let rows = |query: &str| {
        answer(&diamond(), query, &Parameters::new(), &Options::default()).map(|table| table.rows)
    };
    let ends = "MATCH (x {name: 'a'}), (y {name: 'd'}), (z {name: 'far'})";
    let lengths = "length(shortestPath((x)-[:R*]->(y))) AS l, \
                   size(allShortestPaths((x)-[:R*]->(y))) AS n, \
                   shortestPath((x)-[*]->(z)) AS none";
    let row = vec![Value::Int(2), Value::Int(2), Value::Null];
    assert_eq!(rows(&format!("{ends} RETURN {lengths}")), Ok(vec![row]));
    let connected = "WHERE shortestPath((x)-[*]->(m)) IS NOT NULL RETURN count(m) AS n";
    let others = format!("{ends} MATCH (m) WHERE m <> x WITH x, m {connected}");
    assert_eq!(rows(&others), Ok(vec![vec![Value::Int(4)]]));
    for unknown in ["shortestPath((x)-[*]->())", "shortestPath((x)-[*]->(nobody))"] {
        assert!(rows(&format!("{ends} RETURN {unknown} AS p")).is_err(), "{unknown}");
    }
}

#[test]
fn exists_is_a_value_everywhere() {
    let tests = "CASE WHEN exists((x)-->()) THEN 1 ELSE 0 END AS a, \
                 CASE WHEN exists(x.name) THEN 1 ELSE 0 END AS b, \
                 CASE WHEN NOT exists(x.nothing) AND exists { (x)-->(:N) } THEN 1 ELSE 0 END AS c";
    let query = format!("MATCH (x {{name: 'a'}}) RETURN {tests}");
    let table = answer(&diamond(), &query, &Parameters::new(), &Options::default()).unwrap();
    assert_eq!(table.rows, [[Value::Int(1), Value::Int(1), Value::Int(1)]]);
}

#[test]
fn where_there_is_no_way_there_is_no_row() {
    assert!(ways("shortestPath((x)-[:R*]->(y))", "a", "far").is_empty());
    assert!(ways("shortestPath((x)-[:R*..2]->(y))", "b", "e").is_empty());
}

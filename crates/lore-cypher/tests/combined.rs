//! Clauses and keywords that must not interfere with each other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use lore_cypher::{GraphBuilder, Options, Parameters, Value, answer};

fn rows(query: &str) -> Vec<Vec<Value>> {
    let mut builder = GraphBuilder::new(&["name"]);
    for name in ["ash", "elm", "oak"] {
        builder.node(&["Tree"], [("name", Value::text(name))]);
    }
    let graph = builder.build().unwrap();
    let found = answer(&graph, query, &Parameters::new(), &Options::default());
    found.unwrap_or_else(|error| unreachable!("{query}: {error}")).rows
}

fn numbers(query: &str) -> Vec<i64> {
    let number = |row: Vec<Value>| match row.as_slice() {
        [Value::Int(number)] => *number,
        other => unreachable!("{query}: {other:?}"),
    };
    rows(query).into_iter().map(number).collect()
}

#[test]
fn a_limit_ends_its_own_part_of_a_union() {
    for (query, found) in [
        (
            "UNWIND [1, 2] AS x RETURN x LIMIT 1 UNION ALL UNWIND [3, 4] AS x RETURN x",
            vec![1, 3, 4],
        ),
        (
            "UNWIND [1, 2] AS x RETURN x ORDER BY x LIMIT 1 UNION UNWIND [3] AS x RETURN x",
            vec![1, 3],
        ),
        ("UNWIND [1, 2] AS x WITH x LIMIT 1 RETURN x UNION UNWIND [3] AS x RETURN x", vec![1, 3]),
        ("RETURN 1 AS x LIMIT 0 UNION ALL RETURN 2 AS x", vec![2]),
        (
            "UNWIND [1, 2, 2] AS x RETURN x UNION UNWIND [2, 3, 4] AS x RETURN x LIMIT 2",
            vec![1, 2, 3],
        ),
    ] {
        assert_eq!(numbers(query), found, "{query}");
    }
    let either = "MATCH (t:Tree) WHERE EXISTS { MATCH (t)-->(m) RETURN m LIMIT 0 UNION \
                  MATCH (m:Tree {name: 'ash'}) RETURN m } RETURN count(t)";
    assert_eq!(numbers(either), [3]);
}

#[test]
fn words_that_need_a_bracket_are_names_without_one() {
    for word in
        ["count", "collect", "any", "none", "single", "reduce", "trim", "shortestPath", "COUNT"]
    {
        for query in [
            "WITH 1 AS w RETURN w ORDER BY w DESC LIMIT 1",
            "WITH 1 AS w ORDER BY w LIMIT 2 RETURN w SKIP 0",
            "WITH 1 AS w WHERE 0 < w AND true RETURN w ORDER BY w",
            "UNWIND [w IN [1] | w] AS w RETURN w LIMIT 1",
            "WITH {w: 1} AS m RETURN m.w ORDER BY m.w LIMIT 1",
            "UNWIND [1] AS w WITH w, count(*) AS n RETURN n ORDER BY w LIMIT 1",
        ] {
            let query = query.replace('w', word);
            assert_eq!(numbers(&query), [1], "{query}");
        }
    }
    let most =
        "MATCH (t:Tree) RETURN t.name AS name, count(*) AS count ORDER BY count DESC, name LIMIT 2";
    assert_eq!(rows(most).len(), 2);
}

#[test]
fn what_is_collected_stands_in_any_part_of_a_union() {
    let lists = rows("RETURN [2] AS l UNION ALL UNWIND [1] AS x RETURN collect(x) AS l");
    assert_eq!(lists.len(), 2);
}

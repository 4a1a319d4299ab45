//! Values of the wrong type: positions and hints of errors.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use lore_cypher::{CypherError, GraphBuilder, Options, Parameters, Position, Table, Value, answer};

fn ask(query: &str) -> Result<Table, CypherError> {
    let mut builder = GraphBuilder::new(&["name"]);
    builder.node(&["A"], [("name", Value::text("main")), ("rank", Value::Int(3))]);
    let graph = builder.build().unwrap();
    let given = [("broken", Value::text("get(")), ("number", Value::Int(3))];
    let parameters: Parameters =
        given.into_iter().map(|(name, value)| (name.into(), value)).collect();
    answer(&graph, query, &parameters, &Options::default())
}

#[test]
fn a_failure_tells_where_it_is_and_what_would_be_right() {
    for (query, column, advice) in [
        ("MATCH (n) RETURN abs(n.name)", 18, "abs takes a number"),
        ("MATCH (n) RETURN n.name - 1", 18, "- takes two numbers"),
        ("MATCH (n) RETURN 1 + abs(n.rank - n.name)", 26, "- takes two numbers"),
        ("MATCH (n) WHERE n.name RETURN n", 17, "compare it"),
        ("MATCH (n) WHERE n.rank = 3 AND n.name RETURN n", 32, "compare it"),
        ("MATCH (n) RETURN n[0]", 18, "by the name of a property"),
        ("MATCH (n) WITH {a: n.rank} AS m RETURN m[1]", 40, "by an integer"),
        ("MATCH (n) RETURN sum(n.name)", 18, "takes numbers"),
        ("MATCH (n) RETURN -n.name", 18, "takes two numbers"),
        ("MATCH (n) RETURN n.name.more", 18, "only nodes"),
        ("MATCH (n) RETURN [1, 2][n.name..2]", 18, "from one integer"),
        ("MATCH (n) RETURN n.rank LIMIT $most", 31, "\"most\" in params"),
        ("RETURN $missing", 8, "\"missing\" in params"),
        ("RETURN 1 / 0", 8, "not 0"),
        ("RETURN date('x')", 8, "date takes a text such as '2024-05-17"),
        ("MATCH (n) RETURN reduce(s = 0, x IN n.rank | s + x)", 18, "give a list"),
        ("MATCH (n) RETURN reduce(s = 0, x IN [n.name] | s - x)", 48, "- takes two numbers"),
        ("MATCH (n) RETURN [x IN n.rank | x]", 18, "give a list"),
        ("MATCH (n) WHERE any(x IN n.rank WHERE x > 1) RETURN n", 17, "give a list"),
        ("MATCH (n) WHERE n.name IN n.rank RETURN n", 27, "IN stands before a list"),
        ("MATCH (n) WHERE n.name IN $number RETURN n", 27, "IN stands before a list"),
        ("MATCH (n) WHERE n.name =~ $broken RETURN n", 27, "=~ takes a regular expression"),
        ("MATCH (n) WHERE n.name =~ '[' RETURN n", 27, "=~ takes a regular expression"),
        ("MATCH (n) WITH n.name AS x WHERE x RETURN x", 16, "compare it"),
        ("MATCH (n) WITH n.rank AS x WHERE x:A RETURN x", 34, "only nodes have labels"),
        ("MATCH (n) RETURN toupper(n.rank)", 18, "toUpper takes a string"),
        ("RETURN range(1, 'a')", 8, "range takes two integers"),
        ("MATCH (n) RETURN substring(n.name, n.name)", 18, "a string, then an integer [, then"),
    ] {
        let Err(CypherError::Failed { position, hint, .. }) = ask(query) else {
            panic!("{query}: {:?}", ask(query));
        };
        assert_eq!(position, Some(Position { line: 1, column }), "{query}");
        assert!(hint.as_deref().is_some_and(|hint| hint.contains(advice)), "{query}: {hint:?}");
    }
}

#[test]
fn what_the_text_tells_to_be_of_the_wrong_kind_has_advice_of_its_own() {
    for (query, column, advice) in [
        ("RETURN toupper(1)", 8, "toUpper takes a string"),
        ("RETURN size(1)", 8, "size takes a list or a string"),
        ("RETURN 1 - 'a'", 8, "- takes two numbers"),
        ("RETURN 1 IN 2", 13, "IN stands before a list"),
        ("MATCH (n) WHERE 1 RETURN n", 17, "compare it"),
        ("RETURN NOT 'a'", 12, "compare it"),
        ("RETURN [1]['a']", 12, "by an integer"),
        ("RETURN [1]['a'..]", 12, "from one integer"),
        ("RETURN [x IN 1 | x]", 14, "give a list"),
        ("RETURN 1 AS x LIMIT 'a'", 21, "not negative"),
        ("RETURN 'a'.b", 8, "only nodes"),
        ("MATCH (n) MATCH ()-[n]->() RETURN n", 21, "another name"),
    ] {
        let Err(CypherError::Invalid { position, hint, .. }) = ask(query) else {
            panic!("{query}: {:?}", ask(query));
        };
        assert_eq!(position, Some(Position { line: 1, column }), "{query}");
        assert!(hint.as_deref().is_some_and(|hint| hint.contains(advice)), "{query}: {hint:?}");
    }
    let Err(CypherError::Invalid { hint: Some(hint), .. }) = ask("RETURN tolow('a')") else {
        panic!("no advice");
    };
    assert!(hint.contains("`toLower`"), "{hint}");
}

#[test]
fn a_refusal_tells_where_the_clause_begins() {
    for (query, column) in [
        ("CALL { MATCH (n) RETURN n } RETURN n", 1),
        ("MATCH (n) CALL { RETURN 1 } RETURN n", 11),
        ("CREATE INDEX ON :A(name)", 1),
    ] {
        match ask(query) {
            Err(CypherError::Refused { position, .. }) => {
                assert_eq!(position, Some(Position { line: 1, column }), "{query}");
            }
            other => panic!("{query}: {other:?}"),
        }
    }
}

#[test]
fn advice_counts_no_bytes() {
    let Err(CypherError::Invalid { hint: Some(hint), .. }) = ask("MATCH (n RETURN n") else {
        panic!("no advice");
    };
    assert!(!hint.contains("byte"), "{hint}");
}

#[test]
fn what_the_calendar_does_not_have_is_no_date() {
    for query in [
        "RETURN date({year: 1816, week: 53})",
        "RETURN date({year: 2014, week: 53})",
        "RETURN date('2014-W53-1')",
        "RETURN date({year: 2015, day: 3})",
    ] {
        assert!(matches!(ask(query), Err(CypherError::Failed { .. })), "{query}");
    }
    for query in ["RETURN date({year: 2015, week: 53})", "RETURN date({year: 2015})"] {
        assert!(ask(query).is_ok(), "{query}");
    }
}

#[test]
fn the_least_integer_has_a_remainder() {
    let table = ask("RETURN -9223372036854775808 % -1").unwrap();
    assert_eq!(table.rows, [[Value::Int(0)]]);
}

#[test]
fn numbers_are_rounded_to_as_many_places_as_there_are() {
    let table = ask("RETURN round(1e308, 400), round(2.5, -400), round(2.34567, 2)").unwrap();
    assert_eq!(table.rows, [[Value::Float(1e308), Value::Float(0.0), Value::Float(2.35)]]);
    let beyond = ask("RETURN date('2020-01-01') + duration({years: 999999999999})");
    assert!(beyond.unwrap_err().to_string().contains("beyond the dates"), "out of range");
}

#[test]
fn only_what_gathers_rows_leaves_some_out() {
    let refused = ask("RETURN size(DISTINCT [1])");
    assert!(matches!(refused, Err(CypherError::Invalid { .. })), "{refused:?}");
    assert!(ask("RETURN count(DISTINCT 1)").is_ok());
}

#[test]
fn what_gathers_rows_stands_beside_columns_that_begin_with_any_word() {
    for query in [
        "UNWIND [1] AS m RETURN CASE WHEN true THEN 1 END AS k, collect(m) AS h",
        "UNWIND [1] AS m RETURN collect(m) AS h, CASE m WHEN 1 THEN 1 END AS k",
        "UNWIND [1] AS m RETURN NOT true AS k, collect(DISTINCT m) AS h",
        "UNWIND [1] AS m RETURN null IS NULL AS k, COLLECT (m)",
        "UNWIND [1] AS m WITH collect(m) AS z RETURN CASE WHEN size(z) = 1 THEN 1 END AS k",
        "UNWIND [1] AS m RETURN true XOR false AS k, head(collect(m)) AS h",
    ] {
        assert_eq!(ask(query).map(|table| table.rows.len()), Ok(1), "{query}");
    }
    let table = ask("UNWIND [1] AS m RETURN collect(m), COLLECT { RETURN 2 } AS x").unwrap();
    assert_eq!(&*table.columns[0], "collect(m)");
    assert_eq!(table.rows, [[Value::list(vec![Value::Int(1)]), Value::list(vec![Value::Int(2)])]]);
}

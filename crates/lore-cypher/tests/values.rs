//! Functions of values that the TCK does not cover.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use lore_cypher::{GraphBuilder, Options, Parameters, Value, answer};

fn value(expression: &str) -> Value {
    let mut builder = GraphBuilder::new(&[]);
    let (from, to) = (builder.node(&["N"], []), builder.node(&["N"], []));
    builder.relationship(from, "R", to, []);
    let query = format!("MATCH p = (n)-[r]->() RETURN {expression} AS value");
    let options = Options::default();
    let table = answer(&builder.build().unwrap(), &query, &Parameters::new(), &options).unwrap();
    table.rows[0][0].clone()
}

#[test]
fn types_have_the_names_that_cypher_gives_them() {
    for (expression, expected) in [
        ("null", "NULL"),
        ("true", "BOOLEAN NOT NULL"),
        ("'a'", "STRING NOT NULL"),
        ("1", "INTEGER NOT NULL"),
        ("1.5", "FLOAT NOT NULL"),
        ("date()", "DATE NOT NULL"),
        ("localtime()", "LOCAL TIME NOT NULL"),
        ("time()", "ZONED TIME NOT NULL"),
        ("localdatetime()", "LOCAL DATETIME NOT NULL"),
        ("datetime()", "ZONED DATETIME NOT NULL"),
        ("duration('P1D')", "DURATION NOT NULL"),
        ("n", "NODE NOT NULL"),
        ("r", "RELATIONSHIP NOT NULL"),
        ("p", "PATH NOT NULL"),
        ("{a: 1}", "MAP NOT NULL"),
        ("[]", "LIST<NOTHING> NOT NULL"),
        ("[null]", "LIST<NULL> NOT NULL"),
        ("[1, 2]", "LIST<INTEGER NOT NULL> NOT NULL"),
        ("[1, null]", "LIST<INTEGER> NOT NULL"),
        ("[1, 'a', 2.5]", "LIST<STRING NOT NULL | INTEGER NOT NULL | FLOAT NOT NULL> NOT NULL"),
        ("[[1], []]", "LIST<LIST<INTEGER NOT NULL> NOT NULL | LIST<NOTHING> NOT NULL> NOT NULL"),
    ] {
        assert_eq!(value(&format!("valueType({expression})")), Value::text(expected));
    }
}

#[test]
fn only_numbers_become_floats() {
    for text in ["nan", "inf", "-inf", "infinity", "INFINITY", "+nan", "", "1,5"] {
        assert_eq!(value(&format!("toFloat('{text}')")), Value::Null, "{text}");
        assert_eq!(value(&format!("toInteger('{text}')")), Value::Null, "{text}");
    }
    for (text, expected) in [(" 1.5 ", 1.5), ("-2", -2.0), (".5", 0.5), ("1e3", 1000.0)] {
        assert_eq!(value(&format!("toFloat('{text}')")), Value::Float(expected), "{text}");
    }
    // What toString writes is read again.
    for expression in ["1.0 / 0.0", "-1.0 / 0.0", "0.0 / 0.0"] {
        let again = format!("toString(toFloat(toString({expression}))) = toString({expression})");
        assert_eq!(value(&again), Value::Bool(true), "{expression}");
    }
}

#[test]
fn rounding_goes_to_the_nearest_number() {
    for (expression, expected) in [
        ("round(0.49999999999999994)", 0.0),
        ("round(4503599627370497.0)", 4_503_599_627_370_497.0),
        ("round(0.5)", 1.0),
        ("round(-0.5)", 0.0),
        ("round(-1.5)", -1.0),
        ("round(2.675, 1)", 2.7),
    ] {
        assert_eq!(value(expression), Value::Float(expected), "{expression}");
    }
}

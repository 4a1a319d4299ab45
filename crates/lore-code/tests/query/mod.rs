//! A graph of a few files, for queries.

use std::collections::BTreeMap;

use lore_code::{FileFacts, extract, link};
use lore_cypher::{Options, Parameters, Value, answer};

/// Callers and called functions.
pub(crate) const CALLS: &str = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.name";
/// Callers, with the file of the called function.
#[allow(dead_code, reason = "not used by every file of tests")]
pub(crate) const WHERE: &str = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.file_path";

/// Callers, with the type and name of the called method.
#[allow(dead_code, reason = "not used by every file of tests")]
pub(crate) const OWNERS: &str =
    "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + coalesce(b.receiver_type, '-') + '.' + b.name";

/// A graph built from source texts.
pub(crate) struct TestGraph(lore_cypher::Graph);

impl TestGraph {
    /// Builds the graph of files, given as paths and texts.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let facts: BTreeMap<String, FileFacts> =
            files.iter().map(|(path, text)| ((*path).to_owned(), extract(path, text))).collect();
        Self(link([("example/repo", &facts)]).snapshot().unwrap())
    }

    /// Asserts the rows of a query with one column, sorted.
    pub(crate) fn rows(&self, query: &str, expected: &[&str]) {
        let table = answer(&self.0, query, &Parameters::new(), &Options::default()).unwrap();
        let mut rows: Vec<_> = table
            .rows
            .iter()
            .map(|row| match row.as_slice() {
                [Value::String(text)] => text.to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        rows.sort();
        assert_eq!(rows, expected, "{query}");
    }
}

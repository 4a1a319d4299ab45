//! A graph of a few files, to be asked.

use std::collections::BTreeMap;

use lore_code::{FileFacts, extract, link};
use lore_cypher::{Options, Parameters, Value, answer};

/// Who calls whom.
pub(crate) const CALLS: &str = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.name";
/// Who calls something in which file.
#[allow(dead_code, reason = "not asked in every file of tests")]
pub(crate) const WHERE: &str = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.file_path";

/// A graph of sources.
pub(crate) struct Asked(lore_cypher::Graph);

impl Asked {
    /// The graph of these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let facts: BTreeMap<String, FileFacts> =
            files.iter().map(|(path, text)| ((*path).to_owned(), extract(path, text))).collect();
        Self(link([("example/repo", &facts)]).snapshot().unwrap())
    }

    /// Checks the rows of a query with one column, in order.
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

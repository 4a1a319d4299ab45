//! Read-only openCypher over an immutable graph in memory.
//!
//! A [`Graph`] is built once with a [`GraphBuilder`] and never changes. [`answer`]
//! parses a text with `open-cypher`, understands it (scopes, types, aggregation),
//! plans it from its most selective end and runs it, within [`Limits`] and until it
//! is cancelled.
//!
//! Pure: no disk, no network, no randomness or calendar of its own. Read-only by
//! construction: plans have no clause, no function and no procedure that writes.
//!
//! The parser is `open-cypher` because its tree keeps what was written, with its
//! place: `shortestPath`, parentheses, the text of a column. Its parser is a table,
//! so that deep nesting costs heap and no stack; what is built from the tree is
//! bounded before by length and nesting.

mod advice;
pub mod compare;
mod error;
mod exec;
mod functions;
mod graph;
mod guard;
mod lower;
mod plan;
mod scope;
mod temporal;
mod text;
mod types;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub use error::{Budget, CypherError, Position, Problem, Result};
pub use graph::{Derived, Graph, GraphBuilder, LabelId, Relationship, TooLarge, TypeId};
pub use temporal::{Span, Temporal};
pub use value::{List, Map, NodeId, Path, RelId, Value};

/// Values for `$names`.
pub type Parameters = BTreeMap<String, Value>;

/// Rows with the names of their columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The names, in order.
    pub columns: Vec<Arc<str>>,
    /// The rows, each as long as there are columns.
    pub rows: Vec<Vec<Value>>,
}

/// What a query may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rows of the answer.
    pub rows: u64,
    /// Steps through the graph and through lists.
    pub steps: u64,
    /// Bytes of what is gathered on the way.
    pub memory_bytes: u64,
    /// Time.
    pub time: Duration,
}

impl Limits {
    /// For somebody who waits: whatever is asked is over within a second.
    pub fn interactive() -> Self {
        Self {
            rows: 1_000,
            steps: 10_000_000,
            memory_bytes: 64 << 20,
            time: Duration::from_millis(900),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rows: 10_000,
            steps: 50_000_000,
            memory_bytes: 256 << 20,
            time: Duration::from_secs(10),
        }
    }
}

/// What a query runs with.
#[derive(Debug, Default)]
pub struct Options {
    /// What it may cost.
    pub limits: Limits,
    /// Set from outside to stop it.
    pub cancel: Arc<AtomicBool>,
    /// Where `rand()` starts.
    pub seed: u64,
    /// The present in nanoseconds since 1970 in UTC, for `date()` and its siblings.
    pub now: i64,
}

/// Answers a question about a graph.
///
/// Runs on a thread of its own with a stack that fits everything the guard lets
/// through, so that it can be called from a small one.
pub fn answer(
    graph: &Graph,
    text: &str,
    parameters: &Parameters,
    options: &Options,
) -> Result<Table> {
    // Understanding the text takes time, too.
    let start = Instant::now();
    guard::check(text)?;
    guard::with_room(|| {
        let text = text::Text::new(text);
        let parsed = guard::parse(&text)?;
        let lowered = lower::lower(&text, &parsed.program, graph)?;
        let rows = exec::run(&text, &lowered, graph, parameters, options, start)?;
        Ok(Table { columns: lowered.query.columns, rows })
    })
}

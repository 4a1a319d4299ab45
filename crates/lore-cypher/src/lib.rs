//! Read-only openCypher over an immutable graph in memory.
//!
//! A [`Graph`] is built once with a [`GraphBuilder`] and never changes. [`answer`] parses a query
//! with `open-cypher`, resolves names, types and aggregation, plans it starting at the most
//! selective end of each pattern, and runs it within [`Limits`] and until it is cancelled.
//!
//! Pure: no disk, no network, and no randomness or clock of its own except to measure its time
//! limit. Read-only by construction: plans have no clause, function or procedure that writes.
//!
//! The parser is `open-cypher` because its tree keeps the source with positions: `shortestPath`,
//! parentheses, the text of a column. It is table-driven, so that deep nesting uses heap instead of
//! stack. Recursion over its tree is bounded by checking length and nesting before.

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

/// Values of the parameters of a query, by name without `$`.
pub type Parameters = BTreeMap<String, Value>;

/// The rows of an answer, with the names of their columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The names, in order.
    pub columns: Vec<Arc<str>>,
    /// The rows, each with one value per column.
    pub rows: Vec<Vec<Value>>,
}

/// The limits of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of rows in the answer.
    pub rows: u64,
    /// The maximum number of steps through the graph and through lists.
    pub steps: u64,
    /// The maximum memory of intermediate results, in bytes.
    pub memory_bytes: u64,
    /// The maximum time, including parsing.
    pub time: Duration,
}

impl Limits {
    /// Limits for callers who wait: every query ends within a second.
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

/// The options of a query.
#[derive(Debug, Default)]
pub struct Options {
    /// What it may cost.
    pub limits: Limits,
    /// Set from outside to cancel it.
    pub cancel: Arc<AtomicBool>,
    /// The seed of `rand()`.
    pub seed: u64,
    /// The current time in nanoseconds since 1970 in UTC, for `date()` and the like.
    pub now: i64,
}

/// Runs a query on a graph.
///
/// It runs on a thread of its own, with a stack large enough for every text that the guard accepts,
/// so that callers may have a small one.
pub fn answer(
    graph: &Graph,
    text: &str,
    parameters: &Parameters,
    options: &Options,
) -> Result<Table> {
    // The time limit includes parsing and planning.
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

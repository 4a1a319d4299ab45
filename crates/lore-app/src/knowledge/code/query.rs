//! Questions about code, in Cypher.

use std::sync::Arc;

use lore_core::{Error, Result};
use lore_cypher::{CypherError, Graph, Options, Parameters, Table};

use super::Stop;
use super::graph::{self, Snapshot};
use crate::knowledge::librarian::Librarian;

/// Rows, and the graph whose nodes they speak of.
pub struct Asked {
    snapshot: Arc<Snapshot>,
    /// The rows with the names of their columns.
    pub table: Table,
}

impl Asked {
    /// The graph the rows speak of.
    pub fn graph(&self) -> &Graph {
        &self.snapshot.graph
    }
}

/// Answers a question about the code that the caller sees. Stops when nobody waits for it.
pub async fn query(librarian: &Librarian, cypher: &str, parameters: Parameters) -> Result<Asked> {
    let code = &librarian.app.code;
    let snapshot = graph::current(&librarian.app, &librarian.viewer).await?;
    let _turn = code.questions.acquire().await;
    let stop = Stop::default();
    let options = Options {
        limits: code.settings.query,
        cancel: stop.flag(),
        seed: seed(librarian),
        now: i64::try_from(librarian.app.effects.now().as_nanosecond()).unwrap_or_default(),
    };
    let (text, asked) = (cypher.to_owned(), Arc::clone(&snapshot));
    let answered = tokio::task::spawn_blocking(move || {
        lore_cypher::answer(&asked.graph, &text, &parameters, &options)
    });
    let answered = answered.await.map_err(|_| Error::Bug { what: "a Cypher query".into() })?;
    Ok(Asked { snapshot, table: answered.map_err(unanswered)? })
}

/// What the asker can do about it.
fn unanswered(error: CypherError) -> Error {
    let hint = match &error {
        CypherError::Cancelled => return Error::Cancelled,
        CypherError::Invalid { hint: Some(hint), .. } => hint.clone(),
        CypherError::Invalid { .. } => "send an empty query to see labels and examples".into(),
        CypherError::Refused { .. } => {
            "ask with MATCH, WHERE, WITH, UNWIND and RETURN; the graph changes by scanning".into()
        }
        CypherError::OverBudget(_) => "ask for less, as the message says".into(),
        _ => "check the values the query computes with".into(),
    };
    Error::invalid("cypher", format!("was not answered: {error}"), hint)
}

/// Where `rand()` starts: another for every question.
fn seed(librarian: &Librarian) -> u64 {
    let uid = librarian.app.effects.uid();
    let bytes = uid.as_bytes().last_chunk::<8>().copied().unwrap_or_default();
    u64::from_le_bytes(bytes)
}

//! Answering Cypher queries about code.

use std::sync::Arc;

use lore_core::{Error, Result};
use lore_cypher::{CypherError, Graph, Options, Parameters, Table};

use tokio::sync::SemaphorePermit;

use super::graph::{self, Snapshot};
use super::{Code, Stop};
use crate::knowledge::librarian::Librarian;

/// How long a query waits for earlier ones, as a multiple of its own time limit.
const TURNS_MAX: u32 = 5;

/// The result of a query, and the graph its nodes belong to.
pub struct Asked {
    snapshot: Arc<Snapshot>,
    /// The rows with their column names.
    pub table: Table,
}

impl Asked {
    /// Returns the graph the rows refer to.
    pub fn graph(&self) -> &Graph {
        &self.snapshot.graph
    }
}

/// Runs a query on the code the caller sees. It is cancelled if the caller stops waiting.
pub async fn query(librarian: &Librarian, cypher: &str, parameters: Parameters) -> Result<Asked> {
    let code = &librarian.app.code;
    let snapshot = graph::current(&librarian.app, &librarian.viewer).await?;
    let _turn = turn(code).await?;
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

/// Waits for a free slot, for a limited time.
async fn turn(code: &Code) -> Result<SemaphorePermit<'_>> {
    let most = code.settings.query.time.saturating_mul(TURNS_MAX);
    let busy = || Error::Unavailable { what: "code_query, which has too many to answer,".into() };
    match tokio::time::timeout(most, code.questions.acquire()).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) | Err(_) => Err(busy()),
    }
}

/// Converts a query error to one with a hint for the caller.
fn unanswered(mut error: CypherError) -> Error {
    // Taken out of the error, so that it appears only as the hint.
    let own = match &mut error {
        CypherError::Invalid { hint, .. } | CypherError::Failed { hint, .. } => hint.take(),
        _ => None,
    };
    let general = match &error {
        CypherError::Cancelled => return Error::Cancelled,
        CypherError::Invalid { .. } => "send an empty query to see labels and examples",
        CypherError::Refused { .. } => {
            "ask with MATCH, WHERE, WITH, UNWIND and RETURN; the graph changes by scanning"
        }
        CypherError::OverBudget(_) => "ask for less, as the message says",
        _ => "check the values the query computes with",
    };
    let hint = own.unwrap_or_else(|| general.to_owned());
    Error::invalid("cypher", format!("was not answered: {error}"), hint)
}

/// Returns a seed for `rand()`, different for every query.
fn seed(librarian: &Librarian) -> u64 {
    let uid = librarian.app.effects.uid();
    let bytes = uid.as_bytes().last_chunk::<8>().copied().unwrap_or_default();
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::CodeSettings;
    use super::*;

    #[tokio::test]
    async fn nobody_waits_for_ever_behind_slow_questions() {
        let mut settings = CodeSettings::default();
        settings.query.time = Duration::from_millis(1);
        let code = Code::new(settings);
        let all = u32::try_from(code.questions.available_permits()).unwrap();
        let slow = code.questions.acquire_many(all).await.unwrap();
        assert!(matches!(turn(&code).await, Err(Error::Unavailable { .. })));
        drop(slow);
        assert!(turn(&code).await.is_ok());
    }
}

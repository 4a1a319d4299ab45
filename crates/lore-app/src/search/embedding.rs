//! Computes the vectors of all texts with the outside model, as a background task.
//!
//! What is left to do is read from the store, so the work continues after any interruption.
//! Searches never wait for it: texts without a vector are found by the built-in vector table.

use std::sync::Arc;
use std::time::Duration;

use lore_core::Result;
use lore_store::DocVector;

use super::Embedder;
use super::questions::wait_of;
use crate::App;

/// The maximum number of texts per request to the model.
const AT_ONCE: usize = 32;
/// The maximum length of a text that is sent to the model, in characters. Longer texts are cut.
const TEXT_MAX: usize = 8_000;
/// How often to check for texts written by other processes.
const IDLE: Duration = Duration::from_secs(30);
/// The shortest and the longest pause after a failure.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(300));
/// A text that every model accepts, to find out whether the model works at all.
const PLAIN: &str = "ready";

/// Computes missing vectors, and those of texts that are written from now on. Runs as long as the
/// program.
pub async fn keep_embedded(app: Arc<App>) {
    let Some(embedder) = app.embedder.clone() else { return };
    let mut written = app.store.watch();
    let mut pause = PAUSES.0;
    let mut work = Work { app: &app, embedder: embedder.as_ref(), mark: 0, at_once: AT_ONCE };
    loop {
        match work.step().await {
            Ok(Step::Onward) => pause = PAUSES.0,
            Ok(Step::Done) => {
                pause = PAUSES.0;
                tokio::select! {
                    changed = written.changed() => if changed.is_err() { return },
                    () = tokio::time::sleep(IDLE) => {}
                }
            }
            Err(error) => {
                tracing::warn!(%error, "texts wait for the embedding model");
                tokio::time::sleep(wait_of(&error).unwrap_or_default().max(pause)).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }
}

/// Whether there may be more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Onward,
    Done,
}

/// The progress of the task.
struct Work<'a> {
    app: &'a App,
    embedder: &'a dyn Embedder,
    /// The position in the change order up to which all texts have been handled.
    mark: i64,
    at_once: usize,
}

impl Work<'_> {
    /// Embeds the next texts. If the model refuses them, halves their number until the refused one
    /// is found, which is then skipped.
    async fn step(&mut self) -> Result<Step> {
        let (store, model) = (&self.app.store, self.embedder.model());
        let waiting = store.without_vector(model, self.mark, self.at_once).await?;
        if waiting.docs.is_empty() {
            self.mark = waiting.mark;
            return Ok(Step::Done);
        }
        let texts = waiting.docs.iter().map(|one| one.text.chars().take(TEXT_MAX).collect());
        match self.embedder.embed(texts.collect()).await {
            Ok(vectors) => {
                let states = waiting.docs.iter().map(|one| one.state).zip(vectors);
                let vectors = states.map(|(state, values)| DocVector { state, values });
                store.put_vectors(model, vectors.collect()).await?;
                self.at_once = (self.at_once * 2).min(AT_ONCE);
            }
            Err(error) => {
                // If the model accepts another text, it refuses these. Otherwise it is not
                // available.
                if self.embedder.embed(vec![PLAIN.to_owned()]).await.is_err() {
                    return Err(error);
                }
                if waiting.docs.len() > 1 {
                    self.at_once = waiting.docs.len() / 2;
                    return Ok(Step::Onward);
                }
                tracing::warn!(%error, "a text is found without the embedding model");
            }
        }
        self.mark = waiting.mark;
        Ok(Step::Onward)
    }
}

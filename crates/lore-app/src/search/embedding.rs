//! Giving every text a vector of the outside model, for as long as the program runs.
//!
//! What is still to do is read from the store, so it goes on where it was, whatever happened in
//! between. Never holds up who searches: what has no vector yet is found by the built-in table.

use std::sync::Arc;
use std::time::Duration;

use lore_core::Result;
use lore_store::DocVector;

use super::Embedder;
use super::questions::wait_of;
use crate::App;

/// How many texts are sent to a model at once.
const AT_ONCE: usize = 32;
/// Longest part of a text that is sent to a model, in characters.
const TEXT_MAX: usize = 8_000;
/// How often it is looked for texts that other processes wrote.
const IDLE: Duration = Duration::from_secs(30);
/// The first and the longest pause after a failure.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(300));
/// What every model can read.
const PLAIN: &str = "ready";

/// Embeds what has no vector, and what is written from now on.
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

/// How far it is.
struct Work<'a> {
    app: &'a App,
    embedder: &'a dyn Embedder,
    /// What changed up to here has its vector.
    mark: i64,
    at_once: usize,
}

impl Work<'_> {
    /// Embeds the next texts.
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
                // If the model answers at all, it is these texts that it does not take.
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

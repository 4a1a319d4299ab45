//! The one search, for every door; and vectors of an outside model, where one is configured.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lore_core::{Result, Viewer};
use lore_search::{Query, Ranked, Vector};
use lore_store::{DocVector, Found};

use crate::App;

/// A model that turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Its name. Vectors of models with different names are never compared.
    fn model(&self) -> &str;

    /// One vector for each text, all of the same length.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>>;
}

/// How long a search waits for the vector of its question before it does without.
const QUESTION_PATIENCE: Duration = Duration::from_secs(2);
/// Longest question that is sent to a model, in characters.
const QUESTION_MAX: usize = 2_000;

impl App {
    /// The best answers to a query among what the viewer sees, best first.
    ///
    /// When the outside model does not answer, the built-in table does.
    pub async fn search(&self, viewer: &Viewer, query: Query) -> Result<Found> {
        Ok(self.store.search(viewer, self.embedded(query).await).await?)
    }

    /// The same, without reading what was found.
    pub async fn rank(&self, viewer: &Viewer, query: Query) -> Result<Ranked> {
        Ok(self.store.rank(viewer, self.embedded(query).await).await?)
    }

    async fn embedded(&self, mut query: Query) -> Query {
        query.asked_at.get_or_insert_with(|| self.effects.now());
        if let Some(embedder) = self.embedder.as_deref()
            && !query.text.trim().is_empty()
        {
            query.embedding = question_vector(embedder, &query.text).await;
        }
        query
    }
}

/// Reads what search needs of a world, so that the first to ask does not wait for it.
pub async fn make_ready(app: Arc<App>, viewer: Viewer) {
    let any = Query::new("ready", 1);
    match app.store.search(&viewer, any).await {
        Ok(_) => tracing::debug!("search is ready"),
        // The first to ask waits then, and is told if it fails again.
        Err(error) => tracing::info!(%error, "search could not be made ready"),
    }
}

async fn question_vector(embedder: &dyn Embedder, text: &str) -> Option<Vector> {
    let question: String = text.chars().take(QUESTION_MAX).collect();
    let asked = tokio::time::timeout(QUESTION_PATIENCE, embedder.embed(vec![question])).await;
    match asked {
        Ok(Ok(vectors)) => {
            let values = vectors.into_iter().next()?;
            Some(Vector { model: embedder.model().into(), values: values.into() })
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "the embedding model did not answer; searching without it");
            None
        }
        Err(_) => {
            tracing::warn!("the embedding model is too slow; searching without it");
            None
        }
    }
}

/// How many texts are sent to a model at once.
const AT_ONCE: usize = 32;
/// Longest part of a text that is sent to a model, in characters.
const TEXT_MAX: usize = 8_000;
/// How often it is looked for texts that other processes wrote.
const IDLE: Duration = Duration::from_secs(30);
/// The first and the longest pause after a failure.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(300));

/// Gives every text a vector of the outside model, for as long as the program runs.
///
/// What is still to do is read from the store each time, so it goes on where it
/// was, whatever happened in between.
pub async fn keep_embedded(app: Arc<App>) {
    let Some(embedder) = app.embedder.clone() else { return };
    let mut written = app.store.watch();
    let mut pause = PAUSES.0;
    loop {
        match embed_some(&app, embedder.as_ref()).await {
            Ok(0) => {
                pause = PAUSES.0;
                tokio::select! {
                    changed = written.changed() => if changed.is_err() { return },
                    () = tokio::time::sleep(IDLE) => {}
                }
            }
            Ok(_) => pause = PAUSES.0,
            Err(error) => {
                tracing::warn!(%error, "texts wait for the embedding model");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }
}

/// Embeds the next texts; returns how many there were.
async fn embed_some(app: &App, embedder: &dyn Embedder) -> Result<usize> {
    let model = embedder.model();
    let waiting = app.store.without_vector(model, AT_ONCE).await?;
    if waiting.is_empty() {
        return Ok(0);
    }
    let texts = waiting.iter().map(|one| one.text.chars().take(TEXT_MAX).collect()).collect();
    let vectors = embedder.embed(texts).await?;
    let states = waiting.iter().map(|one| one.state);
    let vectors = states.zip(vectors).map(|(state, values)| DocVector { state, values }).collect();
    app.store.put_vectors(model, vectors).await?;
    Ok(waiting.len())
}

//! The one search, for every door; and vectors of an outside model, where one is configured.

mod embedding;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lore_core::{Result, Viewer};
use lore_search::{Query, Ranked, Vector};
use lore_store::Found;

use crate::App;

pub use embedding::keep_embedded;

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

//! The search used by every door, and vectors from an outside embedding model if one is configured.

mod embedding;
mod leaf;
mod questions;

use std::sync::Arc;

use async_trait::async_trait;
use lore_core::{Error, Result, Viewer};
use lore_search::{Query, Ranked};
use lore_store::Found;

use crate::App;

pub use embedding::keep_embedded;
pub use questions::Questions;

/// A model that turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The name of the model. Vectors of models with different names are never compared.
    fn model(&self) -> &str;

    /// Returns one vector per text, all of the same length.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>>;
}

impl App {
    /// Returns the best hits for a query among what the viewer sees, best first.
    ///
    /// If the outside model does not answer, search uses the built-in vector table.
    pub async fn search(&self, viewer: &Viewer, query: Query) -> Result<Found> {
        Ok(self.store.search(viewer, self.embedded(query).await).await?)
    }

    /// Like [`App::search`], but returns the ranking without reading the nodes and texts found.
    pub async fn rank(&self, viewer: &Viewer, query: Query) -> Result<Ranked> {
        Ok(self.store.rank(viewer, self.embedded(query).await).await?)
    }

    async fn embedded(&self, mut query: Query) -> Query {
        query.asked_at.get_or_insert_with(|| self.effects.now());
        if let Some(embedder) = &self.embedder
            && !query.text.trim().is_empty()
        {
            query.embedding = self.questions.vector(embedder, &query.text).await;
        }
        query
    }
}

/// Loads the search index of a world, so that the first query does not have to wait for it.
pub async fn make_ready(app: Arc<App>, viewer: Viewer) {
    let any = Query::new("ready", 1);
    match app.store.search(&viewer, any).await {
        Ok(_) => tracing::debug!("search is ready"),
        // Not fatal: the first query loads the index then, and reports the error if it fails again.
        Err(error) => tracing::info!(
            code = Error::from(error).code().meaning().name,
            "search could not be made ready"
        ),
    }
}

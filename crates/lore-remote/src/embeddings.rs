//! Embeddings from any endpoint with an OpenAI-compatible API: a hosted service or a local model.

use async_trait::async_trait;
use lore_app::search::Embedder;
use lore_core::{Error, Result};
use lore_net::{Api, Network, Retry};
use serde::Deserialize;
use serde_json::json;

use crate::openai::{self, Config};

/// An embedding model behind an OpenAI-compatible endpoint.
pub struct OpenAiEmbeddings {
    api: Api,
    model: String,
}

impl OpenAiEmbeddings {
    /// Prepares the client; sends nothing yet.
    pub fn new(network: &Network, config: &Config) -> Result<Self> {
        let api = openai::connect(network, config, "embeddings.url")?;
        Ok(Self { api, model: config.model.clone() })
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

#[async_trait]
impl Embedder for OpenAiEmbeddings {
    fn model(&self) -> &str {
        &self.model
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let wanted = texts.len();
        // No retries here: the caller knows better how long to wait before asking again.
        let call = self
            .api
            .post(["embeddings"])
            .json(&json!({ "model": self.model, "input": texts, "encoding_format": "float" }))
            .retry(Retry::never());
        let answer = call.send().await.map_err(|error| failed(error.to_string()))?;
        if let Some(retry_after) = answer.rate_limit().retry_after.filter(|_| !answer.is_success())
        {
            return Err(Error::Throttled { to: "the embedding model", retry_after });
        }
        if !answer.is_success() {
            return Err(failed(format!("it answered with status {}", answer.status())));
        }
        let answer: Answer = answer.json().map_err(|_| failed("its answer is not of the form"))?;
        in_order(answer.data, wanted).ok_or_else(|| failed("vectors are missing or of no use"))
    }
}

/// Returns the vectors in the order of their texts. `None` unless there is exactly one vector for
/// each text, all have the same length, and all values are finite numbers, not all of them zero: a
/// vector without a direction is like nothing.
fn in_order(mut data: Vec<Embedding>, wanted: usize) -> Option<Vec<Vec<f32>>> {
    data.sort_by_key(|one| one.index);
    let length = data.first().map(|one| one.embedding.len())?;
    let sound = length > 0
        && data.len() == wanted
        && data.iter().enumerate().all(|(at, one)| {
            one.index == at
                && one.embedding.len() == length
                && one.embedding.iter().all(|value| value.is_finite())
                && one.embedding.iter().any(|value| *value != 0.0)
        });
    sound.then(|| data.into_iter().map(|one| one.embedding).collect())
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::Unavailable { what: format!("the embedding model ({why})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(index: usize, embedding: &[f32]) -> Embedding {
        Embedding { index, embedding: embedding.to_vec() }
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let data = vec![one(1, &[0.0, 1.0]), one(0, &[1.0, 0.0])];
        assert_eq!(in_order(data, 2), Some(vec![vec![1.0, 0.0], vec![0.0, 1.0]]));
    }

    #[test]
    fn answers_that_do_not_fit_are_refused() {
        let cases: [Vec<Embedding>; 7] = [
            vec![],
            vec![one(0, &[1.0])],
            vec![one(0, &[1.0]), one(0, &[1.0])],
            vec![one(0, &[1.0]), one(2, &[1.0])],
            vec![one(0, &[1.0]), one(1, &[1.0, 2.0])],
            vec![one(0, &[f32::NAN]), one(1, &[1.0])],
            vec![one(0, &[0.0, -0.0]), one(1, &[1.0, 0.0])],
        ];
        for case in cases {
            assert_eq!(in_order(case, 2), None);
        }
        assert_eq!(in_order(vec![one(0, &[])], 1), None);
    }
}

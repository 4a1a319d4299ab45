//! A language model behind any endpoint with an OpenAI-compatible chat API.

use std::time::Duration;

use async_trait::async_trait;
use lore_app::knowledge::{Model, Prompt};
use lore_core::{Error, Result};
use lore_net::{Answer, Api, ContentTypes, Limits, Network};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::openai::{self, Config};

/// Limits of one request. The timeout is generous because models may reason before they answer.
const LIMITS: Limits =
    Limits { bytes: 4 * 1024 * 1024, total: Duration::from_secs(180), types: ContentTypes::Any };

/// A chat model behind an OpenAI-compatible endpoint.
pub struct OpenAiChat {
    api: Api,
    model: String,
}

impl OpenAiChat {
    /// Prepares the client; sends nothing yet.
    pub fn new(network: &Network, config: &Config) -> Result<Self> {
        let api = openai::connect(network, config, "llm.url")?;
        Ok(Self { api, model: config.model.clone() })
    }

    async fn ask(&self, prompt: &Prompt, form: Value) -> Result<Answer> {
        let body = json!({
            "model": self.model,
            "temperature": 0,
            "messages": [
                { "role": "system", "content": prompt.instructions },
                { "role": "user", "content": prompt.material },
            ],
            "response_format": form,
        });
        let call = self.api.post(["chat", "completions"]).json(&body).limits(LIMITS);
        call.send().await.map_err(|error| failed(error.to_string()))
    }
}

#[async_trait]
impl Model for OpenAiChat {
    fn name(&self) -> &str {
        &self.model
    }

    async fn answer(&self, prompt: &Prompt) -> Result<String> {
        let strict = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": true, "schema": prompt.schema },
        });
        let mut answer = self.ask(prompt, strict).await?;
        // Not every server supports JSON schemas; the caller validates the answer in any case.
        if matches!(answer.status(), 400 | 422) {
            answer = self.ask(prompt, json!({ "type": "json_object" })).await?;
        }
        if !answer.is_success() {
            return Err(failed(format!("it answered with status {}", answer.status())));
        }
        let said: Completion =
            answer.json().map_err(|_| failed("its answer is not of the form"))?;
        let first = said.choices.into_iter().next().and_then(|choice| choice.message.content);
        first.ok_or_else(|| failed("it said nothing"))
    }
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::Unavailable { what: format!("the language model ({why})") }
}

//! Connecting to endpoints with an OpenAI-compatible API: a hosted service or a local model.

use lore_core::{Error, Result};
use lore_net::{Api, Endpoint, Network, Secret};

/// A model and its endpoint.
#[derive(Debug, Clone)]
pub struct Config {
    /// The base address, such as `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// The API key, if the service needs one. It is sent to `url` only.
    pub key: Option<Secret>,
}

/// Prepares the client; sends nothing yet. `field` is the configuration key named in errors.
pub(crate) fn connect(network: &Network, config: &Config, field: &str) -> Result<Api> {
    let wrong = |problem: String| {
        Error::invalid(field, problem, "use an address like http://127.0.0.1:11434/v1")
    };
    let mut endpoint = Endpoint::new(&config.url).map_err(|error| wrong(error.to_string()))?;
    if let Some(key) = &config.key {
        endpoint = endpoint.bearer(key).map_err(|error| wrong(error.to_string()))?;
    }
    network.api(endpoint).map_err(|error| wrong(error.to_string()))
}

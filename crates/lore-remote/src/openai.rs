//! Endpoints that speak OpenAI's language: a hosted service, or a model on this machine.

use lore_core::{Error, Result};
use lore_net::{Api, Endpoint, Network, Secret};

/// A model behind an endpoint.
#[derive(Debug, Clone)]
pub struct Config {
    /// The base address, such as `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// The key, if the service wants one. It is sent to `url` alone.
    pub key: Option<Secret>,
}

/// Prepares the endpoint; nothing is sent yet. `field` is where the configuration has it.
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

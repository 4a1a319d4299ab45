//! Fixtures for the official MCP conformance suite.
//!
//! The suite calls tools, prompts and resources by fixed names that no product would offer. This
//! module puts them in front of the product's own handler, so that the suite exercises the
//! product's transport, sessions and lists. It is compiled only with the feature `conformance`,
//! never into a release.

mod asking;
mod content;
mod handler;
mod prompts;
mod questions;
mod resources;
mod rounds;
mod streams;
mod tools;

use std::sync::Arc;

use rmcp::model::ServerConfig;

use self::streams::Listening;
use crate::server::{McpServer, ServerParts};

/// The product's handler with the suite's fixtures in front of it.
#[derive(Clone)]
pub(crate) struct Fixtures {
    product: McpServer,
    listening: Listening,
}

impl Fixtures {
    /// Wraps a handler whose requests carry their own [`crate::Scope`].
    pub(crate) fn new(parts: Arc<ServerParts>) -> Self {
        Self { product: McpServer::new(parts), listening: Listening::default() }
    }
}

/// Announces the capabilities that only the fixtures need: lists of tools and prompts that change.
fn widened(mut config: ServerConfig) -> ServerConfig {
    let capabilities = &mut config.capabilities;
    capabilities.tools.get_or_insert_default().list_changed = Some(true);
    capabilities.prompts.get_or_insert_default().list_changed = Some(true);
    config
}

//! Interfaces to the outside world that the knowledge toolset needs: web pages, a language model,
//! and another KOI API.

use std::net::IpAddr;

use async_trait::async_trait;
use lore_core::Result;
use serde_json::Value;

/// A request to a KOI API.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The HTTP method.
    pub verb: Verb,
    /// The path below the API's base. Segments are not percent-encoded.
    pub path: Vec<String>,
    /// Query parameters.
    pub query: Vec<(String, String)>,
    /// The JSON body.
    pub body: Option<Value>,
}

/// The HTTP method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads something.
    Get,
    /// Asks with a body, or changes something.
    Post,
}

impl Ask {
    /// Creates a GET request.
    pub fn get<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Self {
        let path = path.into_iter().map(Into::into).collect();
        Self { verb: Verb::Get, path, query: Vec::new(), body: None }
    }

    /// Creates a POST request with a JSON body.
    pub fn post<S: Into<String>>(path: impl IntoIterator<Item = S>, body: Value) -> Self {
        Self { verb: Verb::Post, body: Some(body), ..Self::get(path) }
    }

    /// Adds a query parameter, if there is a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name.to_owned(), value.to_string())));
        self
    }
}

/// Another KOI API that answers instead of this world.
#[async_trait]
pub trait Elsewhere: Send + Sync {
    /// Sends a request and returns the answer unchanged.
    async fn ask(&self, ask: Ask) -> Result<Value>;
}

/// Access to the web, within what may be read.
#[async_trait]
pub trait Web: Send + Sync {
    /// Checks an address without any network traffic, and returns its normalised form.
    fn check(&self, url: &str) -> Result<String>;

    /// Resolves the host of an address to its IP addresses and fails if one is private. For
    /// programs that open connections themselves.
    async fn addresses(&self, url: &str) -> Result<Vec<IpAddr>>;

    /// Fetches a page.
    async fn fetch(&self, url: &str) -> Result<Fetched>;
}

/// A fetched page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its final address after redirects.
    pub url: String,
    /// The content type.
    pub form: Form,
    /// The whole content.
    pub body: String,
}

/// The content type of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// HTML.
    Html,
    /// Plain text, including Markdown.
    Plain,
}

/// A language model for extraction.
#[async_trait]
pub trait Model: Send + Sync {
    /// The name of the model.
    fn name(&self) -> &str;

    /// Returns the model's answer. The caller has to check whether it follows the schema.
    async fn answer(&self, prompt: &Prompt) -> Result<String>;
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What the model has to do.
    pub instructions: String,
    /// The text to work on: data, never instructions.
    pub material: String,
    /// The JSON schema of the answer.
    pub schema: Value,
}

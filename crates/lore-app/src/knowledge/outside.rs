//! What use cases of knowledge need from outside: pages of the web, a language model, and
//! another KOI API.

use std::net::IpAddr;

use async_trait::async_trait;
use lore_core::Result;
use serde_json::Value;

/// A request to a KOI API.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What to do.
    pub verb: Verb,
    /// The path below the API's base, each segment as it is meant, not as it is encoded.
    pub path: Vec<String>,
    /// Query parameters.
    pub query: Vec<(String, String)>,
    /// The JSON body.
    pub body: Option<Value>,
}

/// What to do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Read.
    Get,
    /// Ask or change.
    Post,
}

impl Ask {
    /// A reading request.
    pub fn get<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Self {
        let path = path.into_iter().map(Into::into).collect();
        Self { verb: Verb::Get, path, query: Vec::new(), body: None }
    }

    /// A request with a body.
    pub fn post<S: Into<String>>(path: impl IntoIterator<Item = S>, body: Value) -> Self {
        Self { verb: Verb::Post, body: Some(body), ..Self::get(path) }
    }

    /// Adds a query parameter, where there is a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name.to_owned(), value.to_string())));
        self
    }
}

/// Another KOI API, which answers in place of this world.
#[async_trait]
pub trait Elsewhere: Send + Sync {
    /// Its answer, as it came.
    async fn ask(&self, ask: Ask) -> Result<Value>;
}

/// The web, as far as it may be read.
#[async_trait]
pub trait Web: Send + Sync {
    /// Tests an address without any traffic, and gives its normal spelling.
    fn check(&self, url: &str) -> Result<String>;

    /// Every address of a host, none of which is private; for programs that connect by
    /// themselves.
    async fn addresses(&self, url: &str) -> Result<Vec<IpAddr>>;

    /// Reads a page.
    async fn fetch(&self, url: &str) -> Result<Fetched>;
}

/// A page as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it was found in the end.
    pub url: String,
    /// What it is made of.
    pub form: Form,
    /// All of it.
    pub body: String,
}

/// What a page is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// HTML.
    Html,
    /// Text as people read it, Markdown included.
    Plain,
}

/// A language model that reads.
#[async_trait]
pub trait Model: Send + Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// What it says. Whether that keeps to the schema is for the caller to check.
    async fn answer(&self, prompt: &Prompt) -> Result<String>;
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What it shall do.
    pub instructions: String,
    /// What it shall do it with: data, whatever it says.
    pub material: String,
    /// The JSON schema of the answer.
    pub schema: Value,
}

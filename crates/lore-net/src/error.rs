//! Why nothing came back, named after what the caller can do about it.
//!
//! Neither text holds a resolved address, a query string, a header or a body: an
//! error must not become a way to look around inside a network.

use std::time::Duration;

use lore_core::Error;

/// Why there is no answer. An answer with a bad status is an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The address must not be asked for. Nothing was connected to.
    #[error("the address {0}")]
    Refused(#[from] Refusal),
    /// No name service knows the host: check the name.
    #[error("Cannot resolve hostname: {host}")]
    Unresolved {
        /// Whom we looked for.
        host: String,
    },
    /// The server could not be found or reached: check the name, or try later.
    #[error("{host} could not be reached")]
    Unreachable {
        /// Whom we called.
        host: String,
    },
    /// The server took too long: try later.
    #[error("{host} did not answer within {} s", after.as_secs())]
    TimedOut {
        /// Whom we called.
        host: String,
        /// How long we waited.
        after: Duration,
    },
    /// The body is larger than the limit, counted after decompression.
    #[error("the answer of {host} is larger than {limit} bytes")]
    TooLarge {
        /// Who answered.
        host: String,
        /// The limit.
        limit: usize,
    },
    /// The answer is of a kind the caller cannot use.
    #[error("{host} answered with {found}, which cannot be read here")]
    WrongType {
        /// Who answered.
        host: String,
        /// The media type it named.
        found: String,
    },
    /// A chain of redirects did not end.
    #[error("{host} redirects too often")]
    TooManyRedirects {
        /// Who redirected last.
        host: String,
    },
    /// A configured service redirects to somebody else, who must not see its secrets.
    #[error("{host} redirects elsewhere; configure the address it moved to")]
    Moved {
        /// The configured host.
        host: String,
    },
    /// The connection broke, or what came is not HTTP: try later.
    #[error("the answer of {host} broke off")]
    Broken {
        /// Who answered.
        host: String,
    },
}

/// Why an address must not be asked for. Each continues "the address …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is no URL.
    #[error("is not a valid URL")]
    Malformed,
    /// Only http and https lead to the web.
    #[error("must start with http:// or https://")]
    Scheme,
    /// User names and passwords in URLs are a way to mislead readers.
    #[error("must not hold a user name or password")]
    Credentials,
    /// Other ports belong to other services than the web.
    #[error("names a port that is not allowed")]
    Port,
    /// The name or address is not on the public internet.
    #[error("does not lead to the public internet")]
    NotPublic,
    /// Secrets would travel in clear text.
    #[error("must start with https:// unless it is on a private network")]
    Cleartext,
    /// A path segment would leave the service's base path.
    #[error("has a path that leaves the service")]
    Path,
    /// A header is not one.
    #[error("is asked with a header that cannot be sent")]
    Header,
}

impl From<NetError> for Error {
    fn from(error: NetError) -> Self {
        match &error {
            NetError::Refused(refusal) => Self::invalid(
                "url",
                refusal.to_string(),
                "give the http or https address of a public page",
            ),
            NetError::Unresolved { .. } => Self::invalid(
                "url",
                format!("cannot be read: {error}"),
                "check how the host is spelt; without a network no name is found",
            ),
            NetError::WrongType { .. } => Self::invalid(
                "url",
                format!("cannot be used: {error}"),
                "give the address of a page of text",
            ),
            NetError::TooLarge { host, limit } => Self::TooLarge {
                what: format!("the answer of {host}"),
                limit: format!("{limit} bytes"),
            },
            NetError::TooManyRedirects { .. } => Self::Precondition {
                message: error.to_string(),
                hint: "give the address of the page that they should lead to".into(),
            },
            NetError::Unreachable { host }
            | NetError::TimedOut { host, .. }
            | NetError::Moved { host }
            | NetError::Broken { host } => Self::Unavailable { what: host.clone() },
        }
    }
}

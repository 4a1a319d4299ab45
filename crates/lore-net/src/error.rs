//! Why a request has no answer. Variants are named after what the caller can do.
//!
//! Neither the `Display` nor the `Debug` text contains a resolved address, a query string, a header
//! or a body: errors must not be usable to explore a network.

use std::time::Duration;

use lore_core::Error;

/// Why there is no answer. An answer with an error status is still an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The URL must not be requested. No connection was made.
    #[error("the address {0}")]
    Refused(#[from] Refusal),
    /// The host name cannot be resolved: check the name.
    #[error("Cannot resolve hostname: {host}")]
    Unresolved {
        /// The host name.
        host: String,
    },
    /// The server could not be found or reached: check the name, or try later.
    #[error("{host} could not be reached")]
    Unreachable {
        /// The host that was requested.
        host: String,
    },
    /// The server took too long: try later.
    #[error("{host} did not answer within {} s", after.as_secs())]
    TimedOut {
        /// The host that was requested.
        host: String,
        /// The time limit.
        after: Duration,
    },
    /// The body is larger than the limit, measured after decompression.
    #[error("the answer of {host} is larger than {limit} bytes")]
    TooLarge {
        /// The host that answered.
        host: String,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The answer has a media type that the caller cannot use.
    #[error("{host} answered with {found}, which cannot be read here")]
    WrongType {
        /// The host that answered.
        host: String,
        /// The media type of the answer.
        found: String,
    },
    /// There were too many redirects.
    #[error("{host} redirects too often")]
    TooManyRedirects {
        /// The host of the last redirect.
        host: String,
    },
    /// A configured service redirects to another one, which must not get its secrets.
    #[error("{host} redirects elsewhere; configure the address it moved to")]
    Moved {
        /// The configured host.
        host: String,
    },
    /// The connection broke, or the answer is not valid HTTP: try later.
    #[error("the answer of {host} broke off")]
    Broken {
        /// The host that answered.
        host: String,
    },
}

/// Why a URL must not be requested. Each message continues "the address …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is not a URL.
    #[error("is not a valid URL")]
    Malformed,
    /// Only http and https are allowed.
    #[error("must start with http:// or https://")]
    Scheme,
    /// User names and passwords in URLs can mislead readers.
    #[error("must not hold a user name or password")]
    Credentials,
    /// Other ports belong to services other than the web.
    #[error("names a port that is not allowed")]
    Port,
    /// The host name or address is not on the public internet.
    #[error("does not lead to the public internet")]
    NotPublic,
    /// Secrets would be sent in clear text.
    #[error("must start with https:// unless it is on a private network")]
    Cleartext,
    /// A path segment would leave the base path of the service.
    #[error("has a path that leaves the service")]
    Path,
    /// A header is not valid.
    #[error("is asked with a header that cannot be sent")]
    Header,
}

/// The error for somebody who gave the address of a page as `url`. What a refusal means to somebody
/// else, such as the owner who configured a service, is for the caller to say.
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

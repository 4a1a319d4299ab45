//! Limits on the size, the type and the duration of an answer.

use std::time::Duration;

/// The limits of one request, including redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The largest body, in bytes after decompression.
    pub bytes: usize,
    /// The time for everything from the first name lookup to the last byte.
    pub total: Duration,
    /// The media types that a successful answer may have.
    pub types: ContentTypes,
}

/// The media types that a successful answer may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentTypes {
    /// Readable text: HTML, plain text, Markdown, XML, JSON.
    Readable,
    /// Any type.
    Any,
}

impl Limits {
    /// Returns the limits for web pages: 5 MiB of readable text within 20 s.
    pub const fn page() -> Self {
        Self {
            bytes: 5 * 1024 * 1024,
            total: Duration::from_secs(20),
            types: ContentTypes::Readable,
        }
    }

    /// Returns the limits for configured services: 16 MiB within 30 s.
    pub const fn service() -> Self {
        Self { bytes: 16 * 1024 * 1024, total: Duration::from_secs(30), types: ContentTypes::Any }
    }
}

impl ContentTypes {
    /// Whether a media type, without parameters, is allowed. A missing one is, because simple file
    /// servers send none.
    pub(crate) fn allow(self, media_type: Option<&str>) -> bool {
        const READABLE: [&str; 9] = [
            "text/html",
            "application/xhtml+xml",
            "text/plain",
            "text/markdown",
            "text/x-markdown",
            "text/xml",
            "application/xml",
            "application/json",
            "application/ld+json",
        ];
        match (self, media_type) {
            (Self::Any, _) | (Self::Readable, None) => true,
            (Self::Readable, Some(found)) => READABLE.contains(&found),
        }
    }
}

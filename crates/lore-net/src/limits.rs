//! How much of an answer is taken, and for how long it is waited for.

use std::time::Duration;

/// Bounds of one request, redirects included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of a body, counted after decompression.
    pub bytes: usize,
    /// Time for everything from the first look-up to the last byte.
    pub total: Duration,
    /// What a good answer may be.
    pub types: ContentTypes,
}

/// What a good answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentTypes {
    /// Text a person would read: HTML, plain text, Markdown, and the like.
    Readable,
    /// Whatever the service says.
    Any,
}

impl Limits {
    /// For pages of the web: 5 MiB of readable text within 20 s.
    pub const fn page() -> Self {
        Self {
            bytes: 5 * 1024 * 1024,
            total: Duration::from_secs(20),
            types: ContentTypes::Readable,
        }
    }

    /// For configured services: 16 MiB within 30 s.
    pub const fn service() -> Self {
        Self { bytes: 16 * 1024 * 1024, total: Duration::from_secs(30), types: ContentTypes::Any }
    }
}

impl ContentTypes {
    /// Whether a media type, without its parameters, is among them. A missing one
    /// is allowed: old servers of plain files send none.
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

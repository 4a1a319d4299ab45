//! The fixture resources.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::content::{PNG, PNG_MIME};

/// Returns all fixture resources as the client sees them.
pub(super) fn list() -> Vec<Resource> {
    vec![
        Resource::new(TEXT, "Static text")
            .with_description("A text that never changes")
            .with_mime_type(TEXT_MIME),
        Resource::new(BINARY, "Static binary")
            .with_description("An image that never changes")
            .with_mime_type(PNG_MIME),
        Resource::new(WATCHED, "Watched resource")
            .with_description("A resource to subscribe to")
            .with_mime_type(TEXT_MIME),
    ]
}

/// Returns all fixture resource templates as the client sees them.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{PREFIX}{{id}}{SUFFIX}"), "Template")
        .with_description("A document about any id")
        .with_mime_type(JSON_MIME);
    vec![template]
}

/// Reads a fixture resource; `None` when the URI is not a fixture.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    let contents = match uri {
        TEXT => ResourceContents::text("This is the content of the static text resource.", uri)
            .with_mime_type(TEXT_MIME),
        BINARY => ResourceContents::blob(PNG, uri).with_mime_type(PNG_MIME),
        WATCHED => ResourceContents::text("Watched.", uri).with_mime_type(TEXT_MIME),
        _ => {
            let id = uri.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
            let document =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(document.to_string(), uri).with_mime_type(JSON_MIME)
        }
    };
    Some(contents)
}

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
const PREFIX: &str = "test://template/";
const SUFFIX: &str = "/data";

const TEXT_MIME: &str = "text/plain";
const JSON_MIME: &str = "application/json";

//! Fixture tools with a fixed answer: one for each kind of content, and two whose input schema is
//! what the suite tests.

use rmcp::model::{ContentBlock, ResourceContents};
use serde_json::{Value, json};

use super::tools::{Fixture, answer, at_once, failure, text};

/// A one-pixel PNG image, base64-encoded.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mPQ6w4HAAH7ARFK28dFAAAAAElFTkSuQmCC";
pub(super) const PNG_MIME: &str = "image/png";
/// A millisecond of silence as a WAV file, base64-encoded.
const WAV: &str = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

/// Returns the fixture tools of this file.
pub(super) fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture::new("test_simple_text", "Answers with a text", |_| {
            at_once(text("This is a simple text response for testing."))
        }),
        Fixture::new("test_image_content", "Answers with an image", |_| {
            at_once(answer(vec![ContentBlock::image(PNG, PNG_MIME)]))
        }),
        Fixture::new("test_audio_content", "Answers with a sound", |_| {
            at_once(answer(vec![ContentBlock::audio(WAV, "audio/wav")]))
        }),
        Fixture::new("test_embedded_resource", "Answers with a resource", |_| {
            at_once(answer(vec![embedded_text()]))
        }),
        Fixture::new("test_multiple_content_types", "Answers with three kinds of content", |_| {
            at_once(answer(vec![
                ContentBlock::text("Multiple content types test:"),
                ContentBlock::image(PNG, PNG_MIME),
                embedded_json(),
            ]))
        }),
        Fixture::new("test_error_handling", "Always fails", |_| {
            at_once(failure("This tool intentionally returns an error for testing"))
        }),
        Fixture::with_schema(
            "json_schema_2020_12_tool",
            "Has a schema of many keywords, all of which must reach the client",
            many_keywords(),
            |call| at_once(text(format!("got {} arguments", call.arguments.len()))),
        ),
        Fixture::with_schema(
            "test_custom_header",
            "Has an argument that is sent as a header too",
            mirrored_argument(),
            |call| at_once(text(format!("region: {}", call.text("region")))),
        ),
    ]
}

fn embedded_text() -> ContentBlock {
    let contents =
        ResourceContents::text("This is an embedded resource content.", "test://embedded-resource");
    ContentBlock::resource(contents.with_mime_type("text/plain"))
}

fn embedded_json() -> ContentBlock {
    let document = json!({ "test": "data", "value": 123 });
    let contents = ResourceContents::text(document.to_string(), "test://mixed-content-resource");
    ContentBlock::resource(contents.with_mime_type("application/json"))
}

fn many_keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn mirrored_argument() -> Value {
    json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
        "required": ["region"],
    })
}

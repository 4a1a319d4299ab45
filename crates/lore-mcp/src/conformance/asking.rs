//! Fixture tools that send a request to the client (sampling, elicitation) while a call runs, as
//! protocol revisions before 2026-07-28 do.

#![expect(deprecated, reason = "older revisions still sample this way")]

use rmcp::model::{
    CreateMessageRequestParams, ElicitRequestParams, SamplingMessage, SamplingMessageContentBlock,
};
use serde_json::{Value, json};

use super::questions;
use super::tools::{Call, Fixture, Outcome, failure, text};

/// Returns the fixture tools of this file.
pub(super) fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture::with_schema(
            "test_sampling",
            "Asks the client's model",
            one_text("prompt", "What to ask the model"),
            |call| Box::pin(sample(call)),
        ),
        Fixture::with_schema(
            "test_elicitation",
            "Asks the user for a name and an address",
            one_text("message", "What to tell the user"),
            |call| {
                Box::pin(async {
                    let message = call.text("message").to_owned();
                    elicit(call, "User response", message, name_and_address()).await
                })
            },
        ),
        Fixture::new(
            "test_elicitation_sep1034_defaults",
            "Asks the user with a default for every kind of field",
            |call| Box::pin(elicit(call, COMPLETED, "Check the values".into(), defaults())),
        ),
        Fixture::new(
            "test_elicitation_sep1330_enums",
            "Asks the user with every kind of choice",
            |call| Box::pin(elicit(call, COMPLETED, "Choose".into(), choices())),
        ),
    ]
}

const COMPLETED: &str = "Elicitation completed";

async fn sample(call: Call) -> Outcome {
    let message = SamplingMessage::user_text(call.text("prompt"));
    let request = CreateMessageRequestParams::new(vec![message], 100);
    let result = match call.context.peer.create_message(request).await {
        Ok(result) => result,
        Err(error) => return Ok(failure(format!("the client did not sample: {error}"))),
    };
    let blocks = result.message.content.into_vec();
    let said = blocks.iter().filter_map(SamplingMessageContentBlock::as_text);
    let said: Vec<_> = said.map(|block| block.text.as_str()).collect();
    Ok(text(format!("LLM response: {}", said.join("\n"))))
}

async fn elicit(call: Call, label: &str, message: String, schema: Value) -> Outcome {
    let requested_schema = questions::form(schema)?;
    let request =
        ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    Ok(match call.context.peer.create_elicitation(request).await {
        Ok(result) => {
            let content = result.content.unwrap_or_default();
            let action = json!(result.action);
            let action = action.as_str().unwrap_or_default();
            text(format!("{label}: action={action}, content={content}"))
        }
        Err(error) => failure(format!("the client did not ask the user: {error}")),
    })
}

fn one_text(name: &str, about: &str) -> Value {
    json!({
        "type": "object",
        "properties": { name: { "type": "string", "description": about } },
        "required": [name],
    })
}

fn name_and_address() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": {
                "type": "string",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": { "type": "boolean", "default": true },
        },
    })
}

fn choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    })
}

//! The fixture prompts.

use rmcp::ErrorData;
use rmcp::model::{
    ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject, Prompt,
    PromptArgument, PromptMessage, ResourceContents, Role,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::content::{PNG, PNG_MIME};
use super::questions::{ask, field, filled};

/// Returns all fixture prompts as the client sees them.
pub(super) fn list() -> Vec<Prompt> {
    vec![
        prompt(SIMPLE, "A text", &[]),
        prompt(
            WITH_ARGUMENTS,
            "A text made from its arguments",
            &[("arg1", "First test argument"), ("arg2", "Second test argument")],
        ),
        prompt(
            WITH_RESOURCE,
            "A resource and what to do with it",
            &[("resourceUri", "URI of the resource to embed")],
        ),
        prompt(WITH_IMAGE, "An image and what to do with it", &[]),
        prompt(WITH_QUESTION, "A text that depends on what the user says", &[]),
    ]
}

/// Renders a fixture prompt; `None` when the requested prompt is not a fixture.
pub(super) fn get(
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    let arguments = request.arguments.as_ref();
    let messages = match request.name.as_str() {
        SIMPLE => vec![text("This is a simple prompt for testing.")],
        WITH_ARGUMENTS => {
            let (first, second) = (argument(arguments, "arg1"), argument(arguments, "arg2"));
            vec![text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        WITH_RESOURCE => {
            let uri = argument(arguments, "resourceUri");
            let contents = ResourceContents::text("Embedded resource content for testing.", uri);
            let contents = contents.with_mime_type("text/plain");
            vec![
                PromptMessage::new(Role::User, ContentBlock::resource(contents)),
                text("Please process the embedded resource above."),
            ]
        }
        WITH_IMAGE => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PNG, PNG_MIME)),
            text("Please analyze the image above."),
        ],
        WITH_QUESTION => return Some(with_question(request, context)),
        _ => return None,
    };
    Some(Ok(GetPromptResult::new(messages).into()))
}

/// Returns completions for a partly typed argument; `None` when the prompt offers none or is not a
/// fixture.
pub(super) fn complete(prompt: &str, typed: &str) -> Option<Vec<String>> {
    if prompt != WITH_ARGUMENTS {
        return None;
    }
    let known = ["test", "testing", "tested", "value"];
    Some(known.into_iter().filter(|value| value.starts_with(typed)).map(str::to_owned).collect())
}

const SIMPLE: &str = "test_simple_prompt";
const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";
const WITH_RESOURCE: &str = "test_prompt_with_embedded_resource";
const WITH_IMAGE: &str = "test_prompt_with_image";
const WITH_QUESTION: &str = "test_input_required_result_prompt";

fn with_question(
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let responses = request.input_responses.clone().unwrap_or_default();
    if let Some(said) = filled(&responses, "user_context", "context").and_then(Value::as_str) {
        return Ok(GetPromptResult::new(vec![text(format!("The context is: {said}"))]).into());
    }
    let message = "What context should the prompt use?";
    let question = field("user_context", message, "context", "string")?;
    Ok(ask(context.client_capabilities(), vec![question], None)?.into())
}

fn prompt(name: &str, about: &str, arguments: &[(&str, &str)]) -> Prompt {
    let arguments = arguments.iter().map(|(name, about)| {
        PromptArgument::new(*name).with_description(*about).with_required(true)
    });
    Prompt::new(name, Some(about), Some(arguments.collect()))
}

fn text(text: impl Into<String>) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}

fn argument<'a>(arguments: Option<&'a JsonObject>, name: &str) -> &'a str {
    arguments.and_then(|given| given.get(name)?.as_str()).unwrap_or_default()
}

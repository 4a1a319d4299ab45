//! Converts registry types into MCP protocol types.

use lore_core::Error;
use lore_core::error::Code;
use lore_tools::{Answer, Prompt, PromptText, Resource, Speaker, Tool, error_object};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorCode, Prompt as McpPrompt, PromptArgument, PromptMessage,
    Resource as McpResource, ResourceTemplate, Role, Tool as McpTool, ToolAnnotations,
};
use serde_json::Value;

/// MIME type of every resource: all of them are JSON documents.
pub(crate) const JSON_MIME: &str = "application/json";

pub(crate) fn tool(tool: &Tool) -> McpTool {
    let hints = tool.annotations;
    McpTool::new(tool.name, tool.description.clone(), tool.input_schema.clone())
        .with_title(tool.title.clone())
        .with_raw_output_schema(tool.output_schema.clone())
        .with_annotations(ToolAnnotations::from_raw(
            Some(tool.title.to_string()),
            Some(hints.read_only),
            Some(hints.destructive),
            Some(hints.idempotent),
            Some(hints.open_world),
        ))
}

pub(crate) fn answer(answer: Answer) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = Some(answer.structured);
    result
}

/// Converts an error into a tool result with `isError`, which the model can read and act on.
pub(crate) fn failure(error: &Error) -> CallToolResult {
    let text = format!("{error}. {}", capitalised(&error.hint()));
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(error_object(error));
    result
}

/// Converts an error outside of any tool call into a JSON-RPC error.
pub(crate) fn protocol_error(error: &Error) -> ErrorData {
    let code = match error.code() {
        Code::NotFound => ErrorCode::RESOURCE_NOT_FOUND,
        other => ErrorCode(other.meaning().json_rpc),
    };
    ErrorData::new(
        code,
        format!("{error}. {}", capitalised(&error.hint())),
        Some(error_object(error)),
    )
}

pub(crate) fn resource(resource: &Resource) -> McpResource {
    McpResource::new(resource.uri.0, resource.name)
        .with_title(resource.title)
        .with_description(resource.description)
        .with_mime_type(JSON_MIME)
}

pub(crate) fn template(resource: &Resource) -> ResourceTemplate {
    ResourceTemplate::new(resource.uri.0, resource.name)
        .with_title(resource.title)
        .with_description(resource.description)
        .with_mime_type(JSON_MIME)
}

pub(crate) fn prompt(prompt: &Prompt) -> McpPrompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    McpPrompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
        .with_title(prompt.title)
}

pub(crate) fn prompt_message(message: PromptText) -> PromptMessage {
    let role = match message.speaker {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
    };
    PromptMessage::new_text(role, message.text)
}

pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

/// Capitalises the first letter of a hint so that it reads as a sentence. A hint that starts with a
/// tool name (recognised by its underscore) stays unchanged.
fn capitalised(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    if first_word.contains('_') {
        return text.to_owned();
    }
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_begins_a_sentence_and_names_tools_as_they_are() {
        assert_eq!(capitalised("use 1 to 20"), "Use 1 to 20");
        assert_eq!(capitalised("list_maps lists the ids"), "list_maps lists the ids");
        assert_eq!(capitalised(""), "");
    }
}

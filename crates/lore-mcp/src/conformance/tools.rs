//! The fixture tools: how one is declared, found and called.

use std::borrow::Cow;
use std::future::ready;
use std::sync::LazyLock;

use futures::future::BoxFuture;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputResponses,
    JsonObject, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::{asking, content, rounds, streams};

/// The result of a fixture call.
pub(super) type Outcome = Result<CallToolResponse, ErrorData>;

/// The implementation of a fixture tool.
type Run = fn(Call) -> BoxFuture<'static, Outcome>;

/// One fixture tool: its declaration and its implementation.
pub(super) struct Fixture {
    tool: Tool,
    run: Run,
}

impl Fixture {
    /// Declares a tool without arguments.
    pub(super) fn new(name: &'static str, about: &'static str, run: Run) -> Self {
        Self::with_schema(name, about, json!({ "type": "object", "properties": {} }), run)
    }

    /// Declares a tool whose arguments follow `schema`.
    pub(super) fn with_schema(
        name: &'static str,
        about: &'static str,
        schema: Value,
        run: Run,
    ) -> Self {
        Self { tool: Tool::new(name, about, object(schema)), run }
    }
}

/// One call of a fixture tool.
pub(super) struct Call {
    pub(super) name: Cow<'static, str>,
    pub(super) arguments: JsonObject,
    /// The client's responses to the questions of the previous round.
    pub(super) responses: InputResponses,
    /// The sealed state that the previous round gave the client to send back.
    pub(super) state: Option<String>,
    pub(super) context: RequestContext<RoleServer>,
}

impl Call {
    /// Returns a text argument, or an empty text when it is missing.
    pub(super) fn text(&self, argument: &str) -> &str {
        self.arguments.get(argument).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Returns all fixture tools as the client sees them.
pub(super) fn list() -> impl Iterator<Item = Tool> {
    TOOLS.iter().map(|fixture| fixture.tool.clone())
}

/// Returns one fixture tool as the client sees it.
pub(super) fn get(name: &str) -> Option<Tool> {
    find(name).map(|fixture| fixture.tool.clone())
}

/// Whether a tool of this name is a fixture.
pub(super) fn has(name: &str) -> bool {
    find(name).is_some()
}

/// Calls a fixture tool.
pub(super) async fn call(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Outcome {
    let Some(fixture) = find(&request.name) else {
        return Err(ErrorData::invalid_params(format!("unknown tool {:?}", request.name), None));
    };
    let call = Call {
        name: request.name,
        arguments: request.arguments.unwrap_or_default(),
        responses: request.input_responses.unwrap_or_default(),
        state: request.request_state,
        context,
    };
    (fixture.run)(call).await
}

/// A successful answer.
pub(super) fn answer(content: Vec<ContentBlock>) -> CallToolResponse {
    CallToolResult::success(content).into()
}

/// A successful answer with one text.
pub(super) fn text(text: impl Into<String>) -> CallToolResponse {
    answer(vec![ContentBlock::text(text)])
}

/// A tool error, which the client passes on to its model.
pub(super) fn failure(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(text)]).into()
}

/// The outcome of a tool that answers without waiting.
pub(super) fn at_once(response: CallToolResponse) -> BoxFuture<'static, Outcome> {
    Box::pin(ready(Ok(response)))
}

/// The members of a JSON object; none for any other value.
pub(super) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}

static TOOLS: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let mut all = content::fixtures();
    all.extend(streams::fixtures());
    all.extend(asking::fixtures());
    all.extend(rounds::fixtures());
    all
});

fn find(name: &str) -> Option<&'static Fixture> {
    TOOLS.iter().find(|fixture| fixture.tool.name == name)
}

//! What a stateless server asks back, what the client answers, and the state it
//! carries between the rounds.

#![expect(deprecated, reason = "the suite asks for samples and roots, which are on their way out")]

use std::sync::LazyLock;

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
    ElicitRequestParams, ElicitationSchema, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, ListRootsRequest, RequestStateCodec, SamplingMessage, SealOptions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A question under the key its answer comes back with.
pub(super) type Question = (&'static str, InputRequest);

/// Asks the user for one field.
pub(super) fn field(
    key: &'static str,
    message: &str,
    name: &str,
    kind: &str,
) -> Result<Question, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": { name: { "type": kind } },
        "required": [name],
    });
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: form(schema)?,
    };
    Ok((key, InputRequest::Elicitation(ElicitRequest::new(params))))
}

/// Asks the client's model.
pub(super) fn sample(key: &'static str, prompt: &str) -> Question {
    let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    (key, InputRequest::CreateMessage(CreateMessageRequest::new(params)))
}

/// Asks for the client's roots.
pub(super) fn roots(key: &'static str) -> Question {
    (key, InputRequest::ListRoots(ListRootsRequest::default()))
}

/// A form for the user.
pub(super) fn form(schema: Value) -> Result<ElicitationSchema, ErrorData> {
    serde_json::from_value(schema)
        .map_err(|error| ErrorData::internal_error(format!("the form is wrong: {error}"), None))
}

/// Sends questions instead of an answer. A question the client has not said it
/// can handle must not be asked.
pub(super) fn ask(
    declared: Option<ClientCapabilities>,
    questions: Vec<Question>,
    state: Option<String>,
) -> Result<InputRequiredResult, ErrorData> {
    let declared = declared.unwrap_or_default();
    for (_, request) in &questions {
        if !can_handle(&declared, request) {
            return Err(ErrorData::missing_required_client_capability(needed(request)));
        }
    }
    let requests: InputRequests =
        questions.into_iter().map(|(key, request)| (key.to_owned(), request)).collect();
    Ok(InputRequiredResult::new(Some(requests), state))
}

/// Whether the client said that it can handle this.
pub(super) fn can_handle(declared: &ClientCapabilities, request: &InputRequest) -> bool {
    match request {
        InputRequest::CreateMessage(_) => declared.sampling.is_some(),
        InputRequest::Elicitation(_) => declared.elicitation.is_some(),
        InputRequest::ListRoots(_) => declared.roots.is_some(),
        _ => false,
    }
}

/// What a client has to say for this request.
pub(super) fn needed(request: &InputRequest) -> ClientCapabilities {
    let mut needed = ClientCapabilities::default();
    match request {
        InputRequest::CreateMessage(_) => needed.sampling = Some(Default::default()),
        InputRequest::Elicitation(_) => needed.elicitation = Some(Default::default()),
        InputRequest::ListRoots(_) => needed.roots = Some(Default::default()),
        _ => {}
    }
    needed
}

/// The field the user filled in; `None` as long as it has to be asked for.
pub(super) fn filled<'a>(
    responses: &'a InputResponses,
    key: &str,
    name: &str,
) -> Option<&'a Value> {
    let response = responses.get(key)?.as_object()?;
    let accepted = response.get("action").and_then(Value::as_str) == Some("accept");
    response.get("content").filter(|_| accepted)?.get(name)
}

/// What the client's model said.
pub(super) fn sampled<'a>(responses: &'a InputResponses, key: &str) -> Option<&'a str> {
    responses.get(key)?.get("content")?.get("text")?.as_str()
}

/// The client's roots.
pub(super) fn rooted<'a>(responses: &'a InputResponses, key: &str) -> Option<&'a Vec<Value>> {
    responses.get(key)?.get("roots")?.as_array()
}

/// Seals what a tool has to know in its next round.
pub(super) fn seal(tool: &str, state: &impl Serialize) -> Result<String, ErrorData> {
    let options = SealOptions::new().associated_data(tool.as_bytes());
    STATES
        .seal_json_with(state, &options)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Opens what [`seal`] made for the same tool; anything else is refused.
pub(super) fn open<T: DeserializeOwned>(tool: &str, sealed: &str) -> Result<T, ErrorData> {
    STATES
        .open_json_with(sealed, tool.as_bytes())
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

/// No secret: nothing worth forging is ever sealed with it.
const KEY: &[u8; RequestStateCodec::MIN_KEY_LENGTH] = b"lorewell-conformance-fixture-key";

static STATES: LazyLock<RequestStateCodec> =
    LazyLock::new(|| RequestStateCodec::new_unchecked(*KEY));

//! Multi-round calls of the stateless protocol: the questions a server sends back, the client's
//! responses, and the sealed state that the client carries from one round to the next.

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

/// A request to the client, with the key under which its response comes back.
pub(super) type Question = (&'static str, InputRequest);

/// Builds an elicitation form with one field.
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

/// Builds a sampling request for the client's model.
pub(super) fn sample(key: &'static str, prompt: &str) -> Question {
    let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    (key, InputRequest::CreateMessage(CreateMessageRequest::new(params)))
}

/// Builds a request for the client's roots.
pub(super) fn roots(key: &'static str) -> Question {
    (key, InputRequest::ListRoots(ListRootsRequest::default()))
}

/// Parses the JSON schema of an elicitation form.
pub(super) fn form(schema: Value) -> Result<ElicitationSchema, ErrorData> {
    serde_json::from_value(schema)
        .map_err(|error| ErrorData::internal_error(format!("the form is wrong: {error}"), None))
}

/// Answers with questions instead of a result.
///
/// Fails when the client did not declare the capability that one of the questions needs.
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

/// Whether the client declared the capability that this request needs.
pub(super) fn can_handle(declared: &ClientCapabilities, request: &InputRequest) -> bool {
    match request {
        InputRequest::CreateMessage(_) => declared.sampling.is_some(),
        InputRequest::Elicitation(_) => declared.elicitation.is_some(),
        InputRequest::ListRoots(_) => declared.roots.is_some(),
        _ => false,
    }
}

/// The capability that a client must declare to receive this request.
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

/// The value the user entered in the field `name`; `None` if it is missing or the user did not
/// accept the form.
pub(super) fn filled<'a>(
    responses: &'a InputResponses,
    key: &str,
    name: &str,
) -> Option<&'a Value> {
    let response = responses.get(key)?.as_object()?;
    let accepted = response.get("action").and_then(Value::as_str) == Some("accept");
    response.get("content").filter(|_| accepted)?.get(name)
}

/// The text that the client's model answered with.
pub(super) fn sampled<'a>(responses: &'a InputResponses, key: &str) -> Option<&'a str> {
    responses.get(key)?.get("content")?.get("text")?.as_str()
}

/// The roots that the client listed.
pub(super) fn rooted<'a>(responses: &'a InputResponses, key: &str) -> Option<&'a Vec<Value>> {
    responses.get(key)?.get("roots")?.as_array()
}

/// Encrypts what a tool has to know in its next round, bound to the tool's name.
pub(super) fn seal(tool: &str, state: &impl Serialize) -> Result<String, ErrorData> {
    let options = SealOptions::new().associated_data(tool.as_bytes());
    STATES
        .seal_json_with(state, &options)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Opens a state that [`seal`] made for the same tool; any other state is an error.
pub(super) fn open<T: DeserializeOwned>(tool: &str, sealed: &str) -> Result<T, ErrorData> {
    STATES
        .open_json_with(sealed, tool.as_bytes())
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

/// The key for fixture states. It is public on purpose: nothing worth forging is sealed with it.
const KEY: &[u8; RequestStateCodec::MIN_KEY_LENGTH] = b"lorewell-conformance-fixture-key";

static STATES: LazyLock<RequestStateCodec> =
    LazyLock::new(|| RequestStateCodec::new_unchecked(*KEY));

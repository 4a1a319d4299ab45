//! JSON-RPC at the level of bytes, before rmcp sees a message.
//!
//! Finds out what a message is without decoding all of it, completes the few messages that simple
//! clients send incomplete, and words the errors for messages that cannot be decoded.

use std::borrow::Cow;

use bytes::Bytes;
use lore_core::Error;
use lore_tools::error_object;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::repeats::{DEPTH_MAX, Oddity, oddity};

/// The first protocol revision without sessions.
pub(crate) const STATELESS_SINCE: &str = "2026-07-28";

/// What can be learned of a message without decoding all of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Glimpse {
    /// The method; absent in responses.
    pub(crate) method: Option<String>,
    /// The id; absent in notifications.
    pub(crate) id: Option<Value>,
}

/// A JSON-RPC error for a message that was not accepted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    /// The JSON-RPC error code.
    pub(crate) code: i32,
    /// What is wrong and what the client can do about it.
    pub(crate) message: String,
    /// The id of the rejected message, or null if it could not be read.
    pub(crate) id: Value,
    /// The same information in machine-readable form.
    pub(crate) data: Option<Box<Value>>,
}

impl Fault {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), id: Value::Null, data: None }
    }

    /// Builds the JSON-RPC error message. An unknown id is left out, because MCP forbids null ids.
    pub(crate) fn to_message(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(data), Some(error)) = (&self.data, error.as_object_mut()) {
            error.insert("data".into(), Value::clone(data));
        }
        match &self.id {
            Value::Null => json!({ "jsonrpc": "2.0", "error": error }),
            id => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        }
    }
}

/// The most values that one message may contain. No call needs as many, and each value costs a few
/// hundred bytes of memory while it is parsed, however short its text.
pub const VALUES_MAX: usize = 50_000;

/// Whether a JSON text contains more than [`VALUES_MAX`] values.
pub fn holds_too_many_values(body: &[u8]) -> bool {
    // Each value takes at least one byte and a comma.
    if body.len() <= VALUES_MAX {
        return false;
    }
    let (mut quoted, mut escaped, mut values) = (false, false, 0_usize);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' if !quoted => values += 1,
            _ => {}
        }
    }
    values > VALUES_MAX
}

/// Inspects a message without decoding all of it; an unacceptable message is an error.
pub(crate) fn glimpse(body: &[u8]) -> Result<Glimpse, Fault> {
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(Fault::new(-32600, "batches are not supported: send one message at a time"));
    }
    let head: Head<'_> = serde_json::from_slice(body).map_err(|error| describe(&error))?;
    let id = head.id.map(read_id).transpose()?;
    let too_many = || {
        let text = format!("the message holds more than {VALUES_MAX} values: send less at a time");
        holds_too_many_values(body).then_some(text)
    };
    let problem = head.problem().map(str::to_owned);
    if let Some(problem) = problem.or_else(too_many) {
        let id = id.unwrap_or_default();
        return Err(Fault { id, ..Fault::new(-32600, problem) });
    }
    if let Some(error) = odd_param(&head) {
        let (id, data) = (id.unwrap_or_default(), Some(Box::new(error_object(&error))));
        let text = format!("{error}: {}", error.hint());
        return Err(Fault { id, data, ..Fault::new(-32600, text) });
    }
    Ok(Glimpse { method: head.method.map(Cow::into_owned), id })
}

/// Reads a request id. A number without a fraction becomes an integer, as in rmcp's answers.
fn read_id(raw: &RawValue) -> Result<Value, Fault> {
    // From here on, a float no longer identifies one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = |number: f64| number.fract() == 0.0 && number.abs() < EXACT;
    match serde_json::from_str(raw.get()) {
        Ok(Value::String(text)) => Ok(Value::String(text)),
        Ok(Value::Number(number)) if number.is_i64() => Ok(Value::Number(number)),
        Ok(Value::Number(number)) if number.as_f64().is_some_and(whole) => {
            Ok(Value::from(number.as_f64().unwrap_or_default() as i64))
        }
        _ => Err(Fault::new(-32600, "id must be a whole number or a string")),
    }
}

/// Completes messages that simple clients send incomplete: `initialize` without capabilities, and
/// notifications without the prefix `notifications/`.
pub(crate) fn mend(glimpse: &Glimpse, body: Bytes) -> Bytes {
    match glimpse.method.as_deref() {
        Some("initialize") => rewritten(body, complete_initialize),
        Some("initialized" | "cancelled" | "progress" | "roots/list_changed")
            if glimpse.id.is_none() =>
        {
            rewritten(body, prefix_notification)
        }
        _ => body,
    }
}

/// The `initialize` request for a session that the server opens on a client's behalf.
pub(crate) fn implicit_initialize() -> Bytes {
    let message = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": default_initialize_params(),
    });
    Bytes::from(message.to_string())
}

/// The notification that completes the opening of a session.
pub(crate) fn initialized() -> Bytes {
    Bytes::from_static(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Head<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

impl Head<'_> {
    /// What is wrong with the message as a whole.
    fn problem(&self) -> Option<&'static str> {
        let answers = self.result.is_some() || self.error.is_some();
        if self.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
            return Some("jsonrpc must be \"2.0\"");
        }
        if self.params.is_some_and(|params| !params.get().starts_with(['{', 'n'])) {
            return Some("params must be an object");
        }
        match (&self.method, answers) {
            (None, false) => Some("method is required"),
            (Some(_), true) => {
                Some("a message is a request or an answer: leave out method or result")
            }
            _ => None,
        }
    }
}

/// Reports params that are ambiguous because of a duplicate key, or nested too deeply to be read.
fn odd_param(head: &Head<'_>) -> Option<Error> {
    Some(match oddity(head.params?.get())? {
        Oddity::Twice(path) => {
            Error::invalid(format!("params.{path}"), "is there twice", "send it once")
        }
        Oddity::Deep(path) => Error::invalid(
            format!("params.{path}"),
            format!("goes more than {DEPTH_MAX} levels deep"),
            "send it with fewer lists and objects in each other",
        ),
    })
}

fn describe(error: &serde_json::Error) -> Fault {
    match error.classify() {
        serde_json::error::Category::Data => {
            Fault::new(-32600, format!("this is not a JSON-RPC message: {error}"))
        }
        _ => Fault::new(-32700, format!("this is not JSON: {error}")),
    }
}

/// Whether a message states a protocol revision without sessions.
pub(crate) fn states_stateless_revision(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(rename = "_meta", borrow)]
        meta: Meta<'a>,
    }
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(rename = "io.modelcontextprotocol/protocolVersion", borrow)]
        version: Cow<'a, str>,
    }
    // Few requests contain the key, so the others skip the second parse. Searching for a part of
    // the key suffices and is fast.
    let Some(body) = str::from_utf8(body).ok().filter(|body| body.contains("/protocolVersion"))
    else {
        return false;
    };
    let message = serde_json::from_str::<Message<'_>>(body);
    message.is_ok_and(|message| *message.params.meta.version >= *STATELESS_SINCE)
}

/// The replacement for a method that revisions without sessions no longer have.
pub(crate) fn successor(method: &str) -> Option<&'static str> {
    match method {
        "initialize" | "ping" => Some("server/discover"),
        "resources/subscribe" | "resources/unsubscribe" => Some("subscriptions/listen"),
        _ => None,
    }
}

/// The error for a method that was removed. rmcp's own error would only repeat the name.
pub(crate) fn gone(glimpse: &Glimpse) -> Option<Fault> {
    let method = glimpse.method.as_deref()?;
    let text =
        format!("unknown method {method:?}: this revision has none, send {}", successor(method)?);
    Some(Fault { id: glimpse.id.clone().unwrap_or_default(), ..Fault::new(-32601, text) })
}

fn rewritten(body: Bytes, change: fn(&mut Map<String, Value>)) -> Bytes {
    let Ok(Value::Object(mut message)) = serde_json::from_slice(&body) else { return body };
    change(&mut message);
    Bytes::from(Value::Object(message).to_string())
}

fn complete_initialize(message: &mut Map<String, Value>) {
    let params = message.entry("params").or_insert(Value::Null);
    if params.is_null() {
        *params = json!({});
    }
    let (Value::Object(params), Value::Object(defaults)) = (params, default_initialize_params())
    else {
        return;
    };
    for (key, value) in defaults {
        params.entry(key).or_insert(value);
    }
}

fn default_initialize_params() -> Value {
    json!({
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": { "name": "unnamed client", "version": "0" },
    })
}

fn prefix_notification(message: &mut Map<String, Value>) {
    if let Some(Value::String(method)) = message.get_mut("method") {
        method.insert_str(0, "notifications/");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(body: &str) -> i32 {
        glimpse(body.as_bytes()).unwrap_err().code
    }

    #[test]
    fn what_is_no_message_has_the_right_code() {
        assert_eq!(fault("{"), -32700);
        assert_eq!(fault(""), -32700);
        assert_eq!(fault(&format!("{}1{}", "[".repeat(9), "]".repeat(9))), -32600);
        assert_eq!(fault(&format!("{{\"params\":{}", "[".repeat(100_000))), -32700);
        assert_eq!(fault(r#" [{"jsonrpc":"2.0"}]"#), -32600);
        assert_eq!(fault(r#"{"method":"a","method":"b"}"#), -32600);
        assert_eq!(fault(r#"{"method":"a","id":[1]}"#), -32600);
        assert_eq!(fault("3"), -32600);
    }

    #[test]
    fn what_is_wrong_with_a_message_is_named() {
        let named = [
            (r#"{"id":1,"method":"ping"}"#, "jsonrpc"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "jsonrpc"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "method"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "params"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, "result"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":1,"c":{},"b":1}}"#, "params.b"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[{"c":1,"c":1}]}}"#, "b[0].c"),
        ];
        for (body, field) in named {
            let fault = glimpse(body.as_bytes()).unwrap_err();
            assert!(fault.message.contains(field), "{body}: {}", fault.message);
            assert_eq!((fault.code, fault.id), (-32600, json!(1)), "{body}");
        }
    }

    #[test]
    fn programs_are_told_which_key_is_there_twice() {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"arguments":{"b":1,"b":2}}}"#;
        let told = glimpse(body.as_bytes()).unwrap_err().to_message();
        let data = &told["error"]["data"];
        assert_eq!(data["code"], "INVALID_ARGUMENT", "{told}");
        assert_eq!(data["field"], "params.arguments.b", "{told}");
    }

    #[test]
    fn values_are_counted_and_letters_are_not() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count));
        assert!(!holds_too_many_values(list(VALUES_MAX - 1).as_bytes()));
        assert!(holds_too_many_values(list(VALUES_MAX).as_bytes()));
        let list = list(VALUES_MAX);
        let message = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"a":{list}}}}}"#);
        let fault = glimpse(message.as_bytes()).unwrap_err();
        assert!(fault.message.contains("values") && fault.id == 7, "{fault:?}");
        let text =
            format!(r#"{{"text":"{}\"{}"}}"#, "a,[{".repeat(VALUES_MAX), ",".repeat(VALUES_MAX));
        assert!(!holds_too_many_values(text.as_bytes()));
    }

    #[test]
    fn an_id_is_a_whole_number_or_a_string() {
        let id = |id: &str| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            glimpse(body.as_bytes()).map(|glimpse| glimpse.id)
        };
        assert_eq!(id("1e3"), Ok(Some(json!(1000))));
        assert_eq!(id("-1"), Ok(Some(json!(-1))));
        assert_eq!(id("\"\""), Ok(Some(json!(""))));
        for odd in ["1.5", "9223372036854775808", "true", "{}", "1e400"] {
            assert!(id(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn an_incomplete_initialize_is_completed() {
        let body = Bytes::from_static(
            br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
        );
        let mended = |body: Bytes| -> Value {
            serde_json::from_slice(&mend(&glimpse(&body).unwrap(), body)).unwrap()
        };
        let message = mended(body);
        assert_eq!(message["params"]["protocolVersion"], "2024-11-05");
        assert_eq!(message["params"]["capabilities"], json!({}));
        let body =
            Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}"#);
        assert_eq!(mended(body)["params"], default_initialize_params());
    }

    #[test]
    fn bare_notifications_get_their_prefix_and_requests_do_not() {
        let body = Bytes::from_static(br#"{"jsonrpc":"2.0","method":"initialized"}"#);
        let mended = mend(&glimpse(&body).unwrap(), body);
        assert!(mended.windows(25).any(|part| part == b"notifications/initialized"));
        let request = Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"method":"progress"}"#);
        assert_eq!(mend(&glimpse(&request).unwrap(), request.clone()), request);
    }

    #[test]
    fn only_the_meta_field_makes_a_request_stateless() {
        let told = r#"{"jsonrpc":"2.0","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        assert!(states_stateless_revision(told.as_bytes()));
        let quoted = r#"{"jsonrpc":"2.0","method":"x","params":{"text":"io.modelcontextprotocol/protocolVersion"}}"#;
        assert!(!states_stateless_revision(quoted.as_bytes()));
    }
}

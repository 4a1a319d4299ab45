//! Shapes HTTP answers: plain JSON for simple clients, and a JSON-RPC error for every refusal.

use std::convert::Infallible;

use ::http::header::{ALLOW, CONTENT_TYPE};
use ::http::{HeaderValue, Response, StatusCode};
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::Value;

use crate::rpc::{Fault, Glimpse};

/// The body type of every answer. It is rmcp's own, so that no body is boxed twice.
pub(super) type Body = BoxBody<Bytes, Infallible>;

/// The largest event stream, in bytes, that is collected into a plain JSON answer.
const GATHER_MAX: usize = 64 * 1024 * 1024;

/// The kinds of answer a client can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// JSON or an event stream.
    Either,
    /// JSON only.
    PlainJson,
}

impl Wants {
    /// Converts an event stream into the single JSON answer that a simple client expects.
    pub(super) async fn shape(self, answer: Response<Body>, glimpse: &Glimpse) -> Response<Body> {
        if self == Self::Either || !has_type(&answer, "text/event-stream") {
            return answer;
        }
        let (mut parts, body) = answer.into_parts();
        let Some(id) = &glimpse.id else { return Response::from_parts(parts, body) };
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match find_answer(body, id).await {
            Some(message) => Response::from_parts(parts, full(message)),
            None => refusal(
                StatusCode::BAD_GATEWAY,
                &Fault { id: id.clone(), ..Fault::new(-32603, "the answer was lost: call again") },
            ),
        }
    }
}

impl Glimpse {
    /// The glimpse for a request without a body.
    pub(super) fn none() -> Self {
        Self { method: None, id: None }
    }
}

/// Keeps `kept` alive until an event stream has ended; for any other answer it is dropped at once.
pub(super) fn keeping<T: Send + Sync + 'static>(answer: Response<Body>, kept: T) -> Response<Body> {
    if !has_type(&answer, "text/event-stream") {
        return answer;
    }
    answer.map(|body| {
        let until_the_end = move |frame| {
            let _kept = &kept;
            frame
        };
        body.map_frame(until_the_end).boxed()
    })
}

/// Rewrites rmcp's plain-text errors as JSON-RPC errors.
pub(super) async fn worded(answer: Response<Body>, glimpse: &Glimpse) -> Response<Body> {
    let status = answer.status();
    if status.is_success() || has_type(&answer, "application/json") {
        return answer;
    }
    let text = answer.into_body().collect().await.map_or_else(|_| Bytes::new(), |b| b.to_bytes());
    let text = String::from_utf8_lossy(&text).into_owned();
    // For a malformed body rmcp reports an unsupported content type; the status should be 400.
    let (status, text) = match text.strip_prefix("fail to deserialize request body ") {
        Some(reason) => (StatusCode::BAD_REQUEST, format!("this is not an MCP message: {reason}")),
        None => (status, text),
    };
    let code = match status {
        StatusCode::NOT_FOUND => -32001,
        status if status.is_server_error() => -32603,
        _ => -32600,
    };
    let fault = Fault { id: glimpse.id.clone().unwrap_or(Value::Null), ..Fault::new(code, text) };
    refusal(status, &fault)
}

/// Builds an HTTP answer that carries a JSON-RPC error.
pub(super) fn refusal(status: StatusCode, fault: &Fault) -> Response<Body> {
    let mut answer = Response::new(full(fault.to_message().to_string().into()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

pub(super) fn method_not_allowed() -> Response<Body> {
    let mut answer = refusal(
        StatusCode::METHOD_NOT_ALLOWED,
        &Fault::new(-32600, "use POST for messages, GET for the event stream, DELETE to end"),
    );
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
    answer
}

/// Reads an answer to its end and discards it.
pub(super) async fn drain(answer: Response<Body>) {
    let _ = answer.into_body().collect().await;
}

fn full(body: Bytes) -> Body {
    Full::new(body).boxed()
}

fn has_type(answer: &Response<Body>, kind: &str) -> bool {
    let header = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    header.is_some_and(|value| value.starts_with(kind))
}

/// Finds the message in an event stream that answers the request `id`.
async fn find_answer(mut body: Body, id: &Value) -> Option<Bytes> {
    let mut pending = Vec::new();
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else { continue };
        read += data.len();
        if read > GATHER_MAX {
            return None;
        }
        pending.extend_from_slice(&data);
        while let Some(end) = pending.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = pending.drain(..end + 2).collect();
            if let Some(message) = answer_in(&event, id) {
                return Some(message);
            }
        }
    }
    None
}

fn answer_in(event: &[u8], id: &Value) -> Option<Bytes> {
    let text = std::str::from_utf8(event).ok()?;
    let data: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("data:")).collect();
    let data = data.join("\n");
    let message: Value = serde_json::from_str(data.trim()).ok()?;
    let answers = message.get("method").is_none() && message.get("id") == Some(id);
    answers.then(|| Bytes::from(data.trim().to_owned()))
}

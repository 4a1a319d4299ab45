//! The KOI API on top of the world, at `/compat/koi` or on an address of its own.
//!
//! Paths, verbs and bodies become an [`Ask`], which the same code answers as for the knowledge
//! tools. Errors have FastAPI's format, because clients of the API parse it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Method, Response, StatusCode};
use lore_core::Error;
use lore_core::error::short;
use lore_mcp::{Scope, ServerParts};
use lore_tools::koi::{self, Ask, Failure, Verb};
use lore_tools::{Call, Toolset};
use serde_json::{Value, json};

use crate::body::{self, Unread};
use crate::params::{Params, decoded};
use crate::reply;

/// The error for a body whose content type is not JSON.
const NOT_JSON: &str =
    "The body has to be JSON: send it with the header `Content-Type: application/json`";

/// State shared by all requests.
pub(crate) struct Koi {
    pub(crate) parts: Arc<ServerParts>,
    pub(crate) body_max: usize,
    /// The path the API is mounted at.
    pub(crate) base: &'static str,
}

/// Answers any request below the API's address.
pub(crate) async fn handle(State(koi): State<Arc<Koi>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = match body::read_json(body, koi.body_max).await {
        Ok(body) => body,
        Err(Unread::TooLarge) => return detail(413, json!("The body is too large")),
        Err(Unread::Missing) => return detail(408, json!("The body did not arrive")),
    };
    let blank = body.iter().all(u8::is_ascii_whitespace);
    if head.method == Method::POST && !blank && !body::says_json(&head.headers) {
        return detail(415, json!(NOT_JSON));
    }
    match answer(&koi, &head, &body).await {
        Ok(answer) => reply::respond(StatusCode::OK, answer.to_string()),
        Err(failure) => refusal(failure, place_of_fields(&head.method)),
    }
}

async fn answer(koi: &Koi, head: &Parts, body: &[u8]) -> Result<Value, Failure> {
    let scope = head.extensions.get::<Arc<Scope>>().cloned().ok_or(Failure::NoSuchPath)?;
    if !scope.selection.allows_toolset(Toolset::Knowledge) {
        return Err(Failure::NoSuchPath);
    }
    let ask = ask(koi, head, body)?;
    let viewer = koi.parts.doorkeeper.enter(scope.identity, scope.world.as_deref()).await?;
    let mut call = Call::new(Arc::clone(&koi.parts.app), viewer);
    call.presence = scope.identity.presence();
    call.reading_only = scope.selection.is_read_only();
    koi::answer(&call, ask).await
}

fn ask(koi: &Koi, head: &Parts, body: &[u8]) -> Result<Ask, Failure> {
    let verb = match head.method {
        Method::GET | Method::HEAD => Verb::Get,
        Method::POST => Verb::Post,
        _ => return Err(Failure::WrongVerb),
    };
    let path = head.uri.path();
    let path = decoded(path.strip_prefix(koi.base).unwrap_or(path).trim_matches('/'));
    let body = match body.iter().all(u8::is_ascii_whitespace) {
        true => None,
        false => Some(serde_json::from_slice(body).map_err(|_| {
            let problem = "is not JSON";
            Failure::Unreadable(Error::invalid("body", problem, "send a JSON object"))
        })?),
    };
    Ok(Ask { verb, path: vec![path], query: Params::of(&head.uri).into_pairs(), body })
}

/// Where a request carries its fields, in FastAPI's terms.
fn place_of_fields(method: &Method) -> &'static str {
    if *method == Method::POST { "body" } else { "query" }
}

fn refusal(failure: Failure, place: &str) -> Response<Body> {
    match failure {
        Failure::NoSuchPath => detail(404, json!("Not Found")),
        Failure::WrongVerb => detail(405, json!("Method Not Allowed")),
        Failure::Unreadable(Error::Invalid { field, problem, .. }) => {
            detail(422, json!([wrong(&field, &problem, place)]))
        }
        Failure::Unreadable(error) => detail(422, said(&error)),
        Failure::Failed(error) => detail(error.code().meaning().http, said(&error)),
    }
}

fn said(error: &Error) -> Value {
    json!(format!("{error}. {}", error.hint()))
}

/// A missing or invalid field in FastAPI's format.
fn wrong(field: &str, what: &str, place: &str) -> Value {
    let (field, what) = (short(field), short(what));
    let (field, what) = (field.as_ref(), what.as_ref());
    let missing = what == "is required";
    let path: Vec<&str> = if field == "body" { vec!["body"] } else { vec![place, field] };
    json!({
        "type": if missing { "missing" } else { "value_error" },
        "loc": path,
        "msg": if missing { "Field required".to_owned() } else { format!("{field} {what}") },
        "input": null,
    })
}

fn detail(status: u16, detail: Value) -> Response<Body> {
    reply::respond(reply::status(status), json!({ "detail": detail }).to_string())
}

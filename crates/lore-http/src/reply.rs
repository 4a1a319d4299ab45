//! JSON answers, and the errors that are the same on every route.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use lore_core::Error;
use lore_tools::error_object;
use serde_json::json;

use crate::{anvil, kanka};

/// An error answer as JSON: `{"error": {code, message, hint}}`, plus the same in one sentence as
/// `detail`, where clients of the KOI API look for it.
pub(crate) fn refuse(status: StatusCode, error: &Error) -> Response<Body> {
    let detail = format!("{error}. {}", error.hint());
    respond(status, json!({ "error": error_object(error), "detail": detail }).to_string())
}

/// A JSON answer.
pub(crate) fn respond(status: StatusCode, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Converts a number into a status; an invalid number becomes 500.
pub(crate) fn status(number: u16) -> StatusCode {
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// An error answer with the status that belongs to the error.
pub(crate) fn fail(error: &Error) -> Response<Body> {
    let mut response = refuse(status(error.code().meaning().http), error);
    match error {
        Error::Bug { .. } | Error::Corrupt { .. } => {
            tracing::error!(code = error.code().meaning().name, "a request failed");
        }
        Error::Throttled { retry_after, .. } => set_retry_after(&mut response, *retry_after),
        Error::Unavailable { .. } => set_retry_after(&mut response, Duration::from_secs(1)),
        _ => {}
    }
    response
}

/// The answer to a caller without a valid token. Under the paths of another service's API it has
/// that service's format.
pub(crate) fn unauthorised(path: &str) -> Response<Body> {
    let error = Error::Forbidden {
        action: "this server asks for a token".into(),
        hint: "send `Authorization: Bearer lw_…`; the owner makes one with `lorewell token create`"
            .into(),
    };
    let status = StatusCode::UNAUTHORIZED;
    let mut response = if path.starts_with(anvil::PREFIX) {
        let body = json!({ "success": false, "error": "access_denied_auth_failed" });
        respond(status, body.to_string())
    } else if path.starts_with(kanka::PREFIX) {
        let body = json!({ "code": 401, "error": "Invalid authentication token" });
        respond(status, body.to_string())
    } else {
        refuse(status, &error)
    };
    let challenge = HeaderValue::from_static("Bearer realm=\"lorewell\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

/// The answer to a request whose Host or Origin is not allowed.
pub(crate) fn foreign() -> Response<Body> {
    let error = Error::Forbidden {
        action: "this Host or Origin is not allowed here".into(),
        hint: "use localhost or 127.0.0.1, or start the server with --allow-host / --allow-origin"
            .into(),
    };
    refuse(StatusCode::FORBIDDEN, &error)
}

/// Sets `Retry-After`, in whole seconds, at least 1.
pub(crate) fn set_retry_after(response: &mut Response<Body>, wait: Duration) {
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    if let Ok(value) = HeaderValue::from_str(&format!("{seconds:.0}")) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
}

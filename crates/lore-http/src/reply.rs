//! Refusals that the gate gives before any route is reached.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use lore_core::Error;
use lore_tools::error_object;
use serde_json::json;

/// A refusal with a status, as JSON: `{"error": {code, message, hint}}`.
pub(crate) fn refuse(status: StatusCode, error: &Error) -> Response<Body> {
    let body = json!({ "error": error_object(error) }).to_string();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A refusal by the error's own status.
pub(crate) fn fail(error: &Error) -> Response<Body> {
    let status = StatusCode::from_u16(error.code().meaning().http);
    let mut response = refuse(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), error);
    match error {
        Error::Throttled { retry_after } => set_retry_after(&mut response, *retry_after),
        Error::Unavailable { .. } => set_retry_after(&mut response, Duration::from_secs(1)),
        _ => {}
    }
    response
}

/// Nobody is known to be asking.
pub(crate) fn unauthorised() -> Response<Body> {
    let error = Error::Forbidden {
        action: "this server asks for a token".into(),
        hint: "send `Authorization: Bearer lw_…`; the owner makes one with `lorewell token create`"
            .into(),
    };
    let mut response = refuse(StatusCode::UNAUTHORIZED, &error);
    let challenge = HeaderValue::from_static("Bearer realm=\"lorewell\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

/// The request came under a foreign name.
pub(crate) fn foreign() -> Response<Body> {
    let error = Error::Forbidden {
        action: "this Host or Origin is not allowed here".into(),
        hint: "use localhost or 127.0.0.1, or start the server with --allow-host / --allow-origin"
            .into(),
    };
    refuse(StatusCode::FORBIDDEN, &error)
}

fn set_retry_after(response: &mut Response<Body>, wait: Duration) {
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    if let Ok(value) = HeaderValue::from_str(&format!("{seconds:.0}")) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
}

//! Letting web pages of configured origins read the answers.
//!
//! A browser asks first, without a token, whether a page may send its request (a
//! preflight), and hands the answer to the page only when the server says so. Origins
//! that nobody configured are told nothing.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, Response, StatusCode, header};

/// What a page may send: all that MCP and the APIs beside it read.
const HEADERS: &str = "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, \
                       Mcp-Protocol-Version, Mcp-Method, Mcp-Name, X-Lorewell-World, \
                       X-MCP-Toolsets, X-MCP-Tools, X-MCP-Exclude-Tools, X-MCP-Readonly";

/// What a page may read besides the few headers that it always may.
const SHOWN: &str = "Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, WWW-Authenticate";

/// Whether a browser asks what a page may send.
pub(crate) fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to that.
pub(crate) fn preflight(origin: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let allowed = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    for (name, value) in allowed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    show(&mut response, origin);
    response
}

/// Lets the page read an answer. Cookies are not part of it: a page brings a token.
pub(crate) fn show(response: &mut Response<Body>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SHOWN));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}

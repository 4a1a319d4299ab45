//! CORS: lets web pages of configured origins read the answers.
//!
//! Before a page's request, a browser asks the server without a token whether the page may send it
//! (a preflight). The browser hands an answer to the page only if the server allows it. Origins
//! that are not configured get no CORS headers.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, Response, StatusCode, header};

/// The request headers that a page may send: all that MCP and the other APIs read.
const HEADERS: &str = "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, \
                       Mcp-Protocol-Version, Mcp-Method, Mcp-Name, X-Lorewell-World, \
                       X-MCP-Toolsets, X-MCP-Tools, X-MCP-Exclude-Tools, X-MCP-Readonly";

/// The response headers that a page may read, besides the few that it always may.
const SHOWN: &str = "Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, WWW-Authenticate";

/// Whether a request is a CORS preflight.
pub(crate) fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight.
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

/// Allows the page to read an answer. Credentials are not allowed: a page sends a token, not a
/// cookie.
pub(crate) fn show(response: &mut Response<Body>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SHOWN));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}

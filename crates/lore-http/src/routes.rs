//! The routing table.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{any, get};
use lore_core::Error;
use lore_mcp::http::{McpEndpoint, SESSION_COOKIE};

use crate::gate::{Gate, guard};
use crate::reply;

/// What routes share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) endpoint: McpEndpoint,
    pub(crate) body_max: usize,
    /// Whether simple clients get a cookie.
    pub(crate) lenient: bool,
    pub(crate) fresh_id: Arc<dyn Fn() -> String + Send + Sync>,
}

/// Every route of the server, behind the gate.
pub(crate) fn router(shared: Shared, gate: Arc<Gate>) -> Router {
    Router::new()
        .route("/mcp", any(mcp))
        .route("/mcp/readonly", any(mcp))
        .route("/mcp/x/{toolset}", any(mcp))
        .route("/mcp/x/{toolset}/readonly", any(mcp))
        .route("/mcp/health", get(health))
        .fallback(nowhere)
        .with_state(shared)
        .layer(from_fn_with_state(gate, guard))
}

async fn mcp(State(shared): State<Shared>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let too_large = || {
        let limit = format!("{} bytes", shared.body_max);
        reply::fail(&Error::TooLarge { what: "the request body".into(), limit })
    };
    let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok());
    if announced.and_then(|text| text.parse::<usize>().ok()).is_some_and(|n| n > shared.body_max) {
        return too_large();
    }
    let Ok(body) = to_bytes(body, shared.body_max).await else { return too_large() };
    let answer = shared.endpoint.handle(Request::from_parts(parts, body)).await;
    answer.map(Body::new)
}

/// Says that the server is ready, and hands a first visitor the cookie that any
/// endpoint does. It opens no session: probes come every few seconds.
async fn health(State(shared): State<Shared>, request: Request) -> Response<Body> {
    let mut response = "OK\n".into_response();
    let cookies = request.headers().get_all(header::COOKIE).iter();
    let mut cookies = cookies.filter_map(|line| line.to_str().ok());
    if shared.lenient && !cookies.any(|line| line.contains(SESSION_COOKIE)) {
        let id = (shared.fresh_id)();
        let cookie = format!("{SESSION_COOKIE}={id}; Path=/; HttpOnly; SameSite=Strict");
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, value);
        }
    }
    response
}

async fn nowhere(request: Request) -> Response<Body> {
    let error = Error::not_found(
        format!("the path {}", request.uri().path()),
        "MCP is served at /mcp, health at /mcp/health",
    );
    reply::refuse(StatusCode::NOT_FOUND, &error)
}

//! The routing table.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use lore_app::federation::Federation;
use lore_core::Error;
use lore_mcp::http::McpEndpoint;

use crate::anvil::{self, Boromir};
use crate::body::{self, Unread};
use crate::kanka::{self, Kanka};
use crate::koi::{self, Koi};
use crate::{koi_net, reply};

/// State shared by the routes.
pub(crate) struct Shared {
    pub(crate) endpoint: McpEndpoint,
    pub(crate) body_max: usize,
    /// The KOI-net node, if one is configured.
    pub(crate) federation: Option<Arc<Federation>>,
}

/// All routes of the server. Authentication is the gate's task.
pub(crate) fn router(shared: Shared, kanka: Kanka, koi: Koi, boromir: Boromir) -> Router {
    let boromir = any(anvil::handle).with_state(Arc::new(boromir));
    let kanka = any(kanka::handle).with_state(Arc::new(kanka));
    let koi = any(koi::handle).with_state(Arc::new(koi));
    Router::new()
        .route(KOI, koi.clone())
        .route("/compat/koi/{*path}", koi)
        .route("/compat/kanka/1.0/{*path}", kanka.clone())
        .route("/compat/kanka/api/1.0/{*path}", kanka)
        .route(&format!("{}/{{*path}}", anvil::PREFIX), boromir)
        .route("/mcp", any(mcp))
        .route("/mcp/readonly", any(mcp))
        .route("/mcp/x/{toolset}", any(mcp))
        .route("/mcp/x/{toolset}/readonly", any(mcp))
        .route("/mcp/health", get(health))
        .route("/koi-net/{*path}", any(koi_net::answer))
        .fallback(nowhere)
        .with_state(Arc::new(shared))
}

/// Where the KOI API is mounted on the main server.
pub(crate) const KOI: &str = "/compat/koi";

/// The KOI API alone, for an address of its own.
pub(crate) fn koi_router(koi: Koi) -> Router {
    Router::new().fallback(any(koi::handle)).with_state(Arc::new(koi))
}

async fn mcp(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok());
    let announced = announced.and_then(|text| text.parse::<usize>().ok());
    if announced.is_some_and(|length| length > shared.body_max) {
        return body::refuse(request, too_large(shared.body_max)).await;
    }
    let (parts, body) = request.into_parts();
    match body::read(body, shared.body_max).await {
        Ok(body) => shared.endpoint.handle(Request::from_parts(parts, body)).await.map(Body::new),
        Err(Unread::TooLarge) => too_large(shared.body_max),
        Err(Unread::Missing) => too_slow(),
    }
}

pub(crate) fn too_large(limit: usize) -> Response<Body> {
    let limit = format!("{limit} bytes");
    reply::fail(&Error::TooLarge { what: "the request body".into(), limit })
}

pub(crate) fn too_slow() -> Response<Body> {
    let error = Error::invalid("body", "did not arrive in time", "send the whole message at once");
    let mut response = reply::refuse(StatusCode::REQUEST_TIMEOUT, &error);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Reports that the server is ready, and gives a first-time visitor the session cookie.
async fn health(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let mut response = "OK\n".into_response();
    shared.endpoint.greet(request.headers(), response.headers_mut());
    response
}

pub(crate) async fn nowhere(request: Request) -> Response<Body> {
    let error = Error::not_found(
        format!("the path {}", request.uri().path()),
        "MCP is served at /mcp, health at /mcp/health",
    );
    body::refuse(request, reply::refuse(StatusCode::NOT_FOUND, &error)).await
}

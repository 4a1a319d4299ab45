//! The KOI-net endpoints. They ask for no token: every message is signed by a node, and
//! the node decides whom it believes.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use lore_app::federation::{Endpoint, Federation};
use lore_core::Error;

use crate::body::{self, Unread};
use crate::reply;
use crate::routes::{self, Shared};

/// The path below which nodes are found.
pub(crate) const PREFIX: &str = "/koi-net/";

/// Answers a request below /koi-net. Some nodes repeat that part of the path.
pub(crate) async fn answer(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
    request: Request,
) -> Response<Body> {
    let Some(federation) = shared.federation.clone() else { return routes::nowhere(request).await };
    let path = path.strip_prefix("koi-net/").unwrap_or(&path);
    match (request.method(), path) {
        (&Method::GET, "health") => json(StatusCode::OK, federation.health().await.to_string()),
        (&Method::POST, path) => match Asked::of(path) {
            Some(asked) => post(&federation, asked, request, shared.body_max).await,
            None => routes::nowhere(request).await,
        },
        _ => routes::nowhere(request).await,
    }
}

/// What a POST is about.
enum Asked {
    Endpoint(Endpoint),
    Handshake,
}

impl Asked {
    fn of(path: &str) -> Option<Self> {
        if path == "handshake" {
            return Some(Self::Handshake);
        }
        let mut all = Endpoint::CORE.into_iter().chain([Endpoint::Confirm]);
        all.find(|endpoint| endpoint.path().strip_prefix('/') == Some(path)).map(Self::Endpoint)
    }
}

async fn post(
    federation: &Federation,
    asked: Asked,
    request: Request,
    body_max: usize,
) -> Response<Body> {
    let body = match body::read(request.into_body(), body_max).await {
        Ok(body) => body,
        Err(Unread::TooLarge) => return routes::too_large(body_max),
        Err(Unread::Missing) => return routes::too_slow(),
    };
    let answered = match asked {
        Asked::Endpoint(endpoint) => federation.receive(endpoint, &body).await,
        Asked::Handshake => federation.handshake(&body).await,
    };
    match answered {
        Ok((status, body)) => {
            json(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
        }
        Err(error) => {
            tracing::warn!(%error, "a message of another node could not be kept");
            reply::fail(&Error::Unavailable { what: "the federation".into() })
        }
    }
}

fn json(status: StatusCode, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

//! The KOI-net endpoints, through which nodes of a federation exchange messages.
//!
//! They need no token, because every message is signed by a node and the receiving node decides
//! whom it trusts. The health report, which lists peers, is the exception: it is for members only.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{Method, Response, StatusCode};
use lore_app::federation::{self, Endpoint, Federation};
use lore_core::Error;
use lore_mcp::Scope;

use crate::body::{self, Unread};
use crate::reply;
use crate::routes::{self, Shared};

/// The first path segment of all endpoints. Some nodes send it twice.
const PREFIX: &str = "koi-net/";
/// The error for a body whose content type is not JSON.
const NOT_JSON: &str = r#"{"detail":[{"type":"value_error","loc":["header","content-type"],"msg":"the content type has to be application/json"}]}"#;
/// The path of the health report.
const HEALTH: &str = "health";

/// Whether a path takes signed messages of nodes, and so needs no token.
pub(crate) fn is_signed(path: &str) -> bool {
    let below = path.strip_prefix('/').and_then(|path| path.strip_prefix(PREFIX));
    below.is_some_and(|path| unrepeated(path) != HEALTH)
}

/// Answers a request below `/koi-net`.
pub(crate) async fn answer(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
    request: Request,
) -> Response<Body> {
    let Some(federation) = shared.federation.clone() else { return routes::nowhere(request).await };
    let path = unrepeated(&path);
    match (request.method(), path) {
        (&Method::GET, HEALTH) => {
            let scope = request.extensions().get::<Arc<Scope>>().cloned();
            health(&federation, scope.as_deref(), request.uri().path()).await
        }
        (&Method::POST, path) => match Asked::of(path) {
            Some(asked) => post(&federation, asked, request, shared.body_max).await,
            None => routes::nowhere(request).await,
        },
        _ => routes::nowhere(request).await,
    }
}

/// The node's health report, for members of its world.
async fn health(federation: &Federation, scope: Option<&Scope>, path: &str) -> Response<Body> {
    // The gate attaches a scope to authenticated requests only. This check holds even if a spelling
    // of the path passed the gate as a signed one.
    let Some(scope) = scope else { return reply::unauthorised(path) };
    // Only a token is bound to a world.
    let world = scope.identity.world.unwrap_or(federation.world());
    reply::respond(StatusCode::OK, federation.health(world).await.to_string())
}

fn unrepeated(path: &str) -> &str {
    path.strip_prefix(PREFIX).unwrap_or(path)
}

/// What a POST request is for.
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
    if !body::says_json(request.headers()) {
        return reply::respond(StatusCode::UNPROCESSABLE_ENTITY, NOT_JSON.to_owned());
    }
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
        Ok(answer) => said(answer),
        Err(error) => {
            tracing::warn!(
                code = error.code().meaning().name,
                "a message of another node could not be kept"
            );
            reply::fail(&Error::Unavailable { what: "the federation".into() })
        }
    }
}

fn said(answer: federation::Response) -> Response<Body> {
    let mut response = reply::respond(reply::status(answer.status), answer.body);
    if let Some(wait) = answer.retry_after {
        reply::set_retry_after(&mut response, wait);
    }
    response
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::header;

    use super::*;

    #[test]
    fn who_is_to_wait_is_told_how_long() {
        let answer = |retry_after| federation::Response {
            status: 429,
            body: r#"{"type":"error_response","error":"too_many_requests"}"#.into(),
            retry_after,
        };
        let response = said(answer(Some(Duration::from_millis(200))));
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers().get(header::RETRY_AFTER).unwrap(), "1");
        assert!(said(answer(None)).headers().get(header::RETRY_AFTER).is_none());
    }
}

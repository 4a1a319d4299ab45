//! The errors for requests that cannot be assigned to a session.

use std::time::Duration;

use ::http::header::RETRY_AFTER;
use ::http::{HeaderValue, Response, StatusCode};
use serde_json::Value;

use super::answers::{self, Body};
use crate::rpc::{Fault, Glimpse};

/// Why a request could not be assigned to a session.
pub(super) enum Refused {
    NoSession,
    SameId,
    UnknownSession,
    /// The session limit is reached. The duration says when the next session expires at the
    /// earliest.
    Full(Duration),
    /// rmcp failed to open the session.
    NotOpened,
}

impl Refused {
    pub(super) fn into_response(self) -> Response<Body> {
        self.with_id(&Glimpse::none())
    }

    pub(super) fn with_id(self, glimpse: &Glimpse) -> Response<Body> {
        let (status, code, text) = match self {
            Self::NoSession => {
                (StatusCode::BAD_REQUEST, -32600, "send initialize first, then Mcp-Session-Id")
            }
            Self::SameId => (
                StatusCode::BAD_REQUEST,
                -32600,
                "another request with this id is being answered: give each its own",
            ),
            Self::UnknownSession => (
                StatusCode::NOT_FOUND,
                -32001,
                "the session is unknown or expired: initialize again",
            ),
            Self::Full(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                -32603,
                "too many sessions are open: end one of yours with DELETE, or retry later",
            ),
            Self::NotOpened => {
                (StatusCode::INTERNAL_SERVER_ERROR, -32603, "no session could be opened: try again")
            }
        };
        let fault =
            Fault { id: glimpse.id.clone().unwrap_or(Value::Null), ..Fault::new(code, text) };
        let mut answer = answers::refusal(status, &fault);
        if let Self::Full(wait) = self {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
        }
        answer
    }
}

//! Answers and errors in Kanka's format.

use axum::body::Body;
use axum::http::{Response, StatusCode};
use lore_core::Error;
use lore_core::error::short;
use serde_json::{Map, Value, json};

use crate::reply;

/// The number of rows on one page of results.
pub(super) const PER_PAGE: usize = 45;

/// A successful answer.
pub(super) enum Reply {
    /// Status 200 with a body.
    Found(Value),
    /// Status 201 with the created object.
    Made(Value),
    /// Status 204 after a deletion.
    Gone,
}

impl Reply {
    pub(super) fn into_response(self) -> Response<Body> {
        match self {
            Self::Found(body) => reply::respond(StatusCode::OK, body.to_string()),
            Self::Made(body) => reply::respond(StatusCode::CREATED, body.to_string()),
            Self::Gone => {
                let mut response = Response::new(Body::empty());
                *response.status_mut() = StatusCode::NO_CONTENT;
                response
            }
        }
    }
}

/// An error answer.
#[derive(Debug)]
pub(super) struct Refused {
    status: u16,
    body: Value,
}

impl Refused {
    /// An error with a message.
    pub(super) fn new(status: u16, problem: impl Into<String>) -> Self {
        Self { status, body: json!({ "code": status, "error": problem.into() }) }
    }

    /// The error for an unknown route.
    pub(super) fn nowhere() -> Self {
        Self { status: 404, body: json!({ "error": "Page not found" }) }
    }

    /// A validation error of one field.
    pub(super) fn field(name: &str, problem: &str) -> Self {
        let mut fields = Map::new();
        fields.insert(name.to_owned(), json!([problem]));
        let error = "The given data was invalid.";
        Self { status: 422, body: json!({ "code": 422, "error": error, "fields": fields }) }
    }

    pub(super) fn into_response(self) -> Response<Body> {
        reply::respond(reply::status(self.status), self.body.to_string())
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        match &error {
            Error::Invalid { field, problem, .. } => {
                Self::field(&short(field), &format!("The {} {}.", short(field), short(problem)))
            }
            Error::NotFound { .. } => Self::new(404, format!("No query results: {error}")),
            Error::Forbidden { .. } => Self::new(403, error.to_string()),
            other => {
                let status = other.code().meaning().http;
                let body =
                    json!({ "code": status, "error": other.to_string(), "hint": other.hint() });
                Self { status, body }
            }
        }
    }
}

/// The answer to a request beyond the limit per minute. Like Kanka's, it is a bare JSON list
/// without `Retry-After`.
pub(super) fn throttled(limit: u32) -> Response<Body> {
    let problem =
        format!("Your account limit of {limit} requests per minute has been reached. Please wait.");
    reply::respond(StatusCode::TOO_MANY_REQUESTS, json!([problem]).to_string())
}

/// One page of rows, in the frame that every list has.
pub(super) struct Page<'a> {
    /// The rows of this page.
    pub(super) rows: Vec<Value>,
    /// The number of rows on all pages.
    pub(super) total: usize,
    /// The number of this page, starting at 1.
    pub(super) number: usize,
    /// The URL of the list.
    pub(super) path: String,
    /// Query parameters that links repeat besides the page, starting with `&`.
    pub(super) extra: &'a str,
    /// The timestamp that the client shall send as `lastSync` next time.
    pub(super) sync: String,
}

impl Page<'_> {
    pub(super) fn into_reply(self) -> Reply {
        let last = self.total.div_ceil(PER_PAGE).max(1);
        let link = |page: usize| format!("{}?page={page}{}", self.path, self.extra);
        let previous = (self.number > 1).then(|| link(self.number - 1));
        let next = (self.number < last).then(|| link(self.number + 1));
        let first_row = (self.number - 1) * PER_PAGE;
        let some = !self.rows.is_empty();
        let shown = |url: &Option<String>, label: &str| json!({ "url": url, "label": label, "active": false });
        Reply::Found(json!({
            "links": { "first": link(1), "last": link(last), "prev": previous, "next": next },
            "meta": {
                "current_page": self.number,
                "from": some.then_some(first_row + 1),
                "last_page": last,
                "links": [shown(&previous, "Previous"), shown(&next, "Next")],
                "path": self.path,
                "per_page": PER_PAGE,
                "to": some.then_some(first_row + self.rows.len()),
                "total": self.total,
            },
            "sync": self.sync,
            "data": self.rows,
        }))
    }
}

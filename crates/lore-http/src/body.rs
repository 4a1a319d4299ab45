//! Request bodies: read within limits, and never left half-read.
//!
//! After an early refusal, the rest of the request is read and discarded. Otherwise the connection
//! would be reset, sometimes before the client has read the answer and always before its next
//! request.

use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Response, header};
use futures::StreamExt;
use lore_mcp::holds_too_many_values;
use tokio::time::timeout;

/// How long a client may pause while it sends a body.
const PAUSE: Duration = Duration::from_secs(10);
/// How long a whole body may take to arrive.
const WHOLE: Duration = Duration::from_secs(60);
/// How many bytes of an unwanted body are read, and for how long.
const UNWANTED: (usize, Duration) = (16 * 1024 * 1024, Duration::from_secs(2));

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is larger than allowed, or contains more values than allowed.
    TooLarge,
    /// It did not arrive completely or in time.
    Missing,
}

/// Reads a body of at most `max` bytes.
pub(crate) async fn read(body: Body, max: usize) -> Result<Bytes, Unread> {
    let mut parts = body.into_data_stream();
    let whole = timeout(WHOLE, gather(&mut parts, max)).await;
    let whole = whole.unwrap_or(Err(Unread::Missing));
    if whole == Err(Unread::TooLarge) {
        discard(parts).await;
    }
    whole
}

/// Reads a JSON body of at most `max` bytes that contains no more values than any call needs.
pub(crate) async fn read_json(body: Body, max: usize) -> Result<Bytes, Unread> {
    let body = read(body, max).await?;
    if holds_too_many_values(&body) { Err(Unread::TooLarge) } else { Ok(body) }
}

/// Whether the content type of a request is JSON. A page of another site cannot send that type
/// without a CORS preflight, so requiring it prevents cross-site request forgery. As with FastAPI,
/// every type that ends with `+json` will do.
pub(crate) fn says_json(headers: &HeaderMap) -> bool {
    let told = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = told.and_then(|told| told.split(';').next()).unwrap_or_default().trim();
    let Some(subtype) = kind.to_ascii_lowercase().strip_prefix("application/").map(str::to_owned)
    else {
        return false;
    };
    subtype == "json" || subtype.ends_with("+json")
}

/// Answers a request without reading its body.
pub(crate) async fn refuse(request: Request, mut refusal: Response<Body>) -> Response<Body> {
    // A client that sent `Expect` waits for an answer before its body, so there is nothing to
    // discard.
    let asks = request.headers().contains_key(header::EXPECT);
    if asks || !discard(request.into_body().into_data_stream()).await {
        refusal.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    refusal
}

async fn gather(parts: &mut BodyDataStream, max: usize) -> Result<Bytes, Unread> {
    let mut whole = Vec::new();
    loop {
        match timeout(PAUSE, parts.next()).await {
            Ok(None) => return Ok(whole.into()),
            // `extend` would copy byte by byte.
            Ok(Some(Ok(part))) if whole.len() + part.len() <= max => {
                whole.extend_from_slice(&part);
            }
            Ok(Some(Ok(_))) => return Err(Unread::TooLarge),
            Ok(Some(Err(_))) | Err(_) => return Err(Unread::Missing),
        }
    }
}

/// Reads and discards the rest of a body, within limits. Returns whether it reached the end.
async fn discard(mut parts: BodyDataStream) -> bool {
    let (mut left, time) = UNWANTED;
    let to_the_end = async {
        while let Some(part) = parts.next().await {
            let Ok(part) = part else { return false };
            let Some(rest) = left.checked_sub(part.len()) else { return false };
            left = rest;
        }
        true
    };
    timeout(time, to_the_end).await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_parts(parts: &[&'static str]) -> Body {
        let parts: Vec<_> = parts.iter().map(|part| Ok::<_, std::io::Error>(*part)).collect();
        Body::from_stream(futures::stream::iter(parts))
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        assert_eq!(read(in_parts(&["ab", "", "c"]), 3).await.unwrap(), "abc");
        assert_eq!(read(in_parts(&["ab", "cd"]), 3).await, Err(Unread::TooLarge));
        assert_eq!(read(Body::empty(), 0).await.unwrap(), "");
    }

    #[tokio::test]
    async fn a_body_of_many_values_is_not_read() {
        let many = format!("[{}0]", "0,".repeat(lore_mcp::VALUES_MAX));
        let max = many.len();
        assert_eq!(read_json(Body::from(many.clone()), max).await, Err(Unread::TooLarge));
        assert_eq!(read(Body::from(many), max).await.map(|body| body.len()), Ok(max));
    }

    #[test]
    fn a_body_is_said_to_be_json() {
        let said = |kind: &'static str| {
            HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))])
        };
        for kind in ["application/json", "Application/JSON; charset=utf-8", "application/ld+json"] {
            assert!(says_json(&said(kind)), "{kind}");
        }
        for kind in ["text/plain", "", "application/x-www-form-urlencoded", "json"] {
            assert!(!says_json(&said(kind)), "{kind}");
        }
        assert!(!says_json(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn a_refusal_says_when_the_connection_ends() {
        let closes = async |body| {
            let answer = refuse(Request::new(body), Response::new(Body::empty())).await;
            answer.headers().contains_key(header::CONNECTION)
        };
        assert!(!closes(in_parts(&["small"])).await);
        let large = vec!["more than anybody sends by mistake"; UNWANTED.0 / 32];
        assert!(closes(in_parts(&large)).await);
    }
}

//! MCP over HTTP: one endpoint for every protocol revision.
//!
//! rmcp serves stateless requests and sessions named by header. Around it, this module
//! - helps simple clients: a session cookie, plain JSON answers, tolerated `Accept` headers, and a
//!   session opened on first use;
//! - ties each session to the principal who opened it;
//! - words every refusal as a JSON-RPC error.
//!
//! Requests of revision 2026-07-28 and later pass through unchanged, except that subscriptions lose
//! the resources their sender may not read.
//!
//! Authentication happens earlier: a request arrives with its [`crate::Scope`] in its extensions.

mod answers;
mod claims;
mod cookies;
mod refused;
mod sessions;
mod streams;

use std::sync::Arc;

use ::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use ::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use bytes::Bytes;
use http_body_util::Full;
use lore_core::PrincipalId;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::answers::{Body, Wants};
use self::claims::{Claim, Claims};
use self::refused::Refused;
use self::sessions::{Ownership, SessionBook};
use self::streams::Streams;
use crate::Handler;
use crate::letters;
use crate::listening::{self, LISTEN};
use crate::params;
use crate::rpc::{self, Fault, Glimpse, STATELESS_SINCE};
use crate::server::{Scope, ServerParts};

/// The header that names a session in revisions before 2026-07-28.
const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION_HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BOTH_TYPES: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Settings of the MCP endpoint.
#[derive(Debug, Clone)]
pub struct EndpointOptions {
    /// Whether to help simple clients (see the module documentation). If off, only the protocol's
    /// own rules apply.
    pub lenient: bool,
    /// The most sessions that may be open at once.
    pub sessions_max: usize,
    /// Largest request body in bytes.
    pub body_max: usize,
}

/// The `/mcp` endpoint.
#[derive(Clone)]
pub struct McpEndpoint {
    inner: StreamableHttpService<Handler, Streams>,
    parts: Arc<ServerParts>,
    book: Arc<SessionBook>,
    claims: Claims,
    /// Held while a session is opened under an id that a cookie promised earlier, so that
    /// concurrent requests with the same cookie open one session and not several.
    adopting: Arc<tokio::sync::Mutex<()>>,
    lenient: bool,
}

impl McpEndpoint {
    /// Builds the endpoint; cancelling `shutdown` ends all open streams.
    pub fn new(
        parts: Arc<ServerParts>,
        options: &EndpointOptions,
        shutdown: CancellationToken,
    ) -> Self {
        let book = Arc::new(SessionBook::new(Arc::clone(&parts.app), options.sessions_max));
        let mut config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(true)
            .with_json_response(true)
            .with_cancellation_token(shutdown)
            .with_max_request_body_bytes(options.body_max)
            // Host and Origin are checked for every route before a request gets here.
            .disable_allowed_hosts();
        config.session_store = Some(book.store());
        let shared = Arc::clone(&parts);
        let factory = move || Ok(Handler::new(Arc::clone(&shared)));
        let inner = StreamableHttpService::new(factory, book.streams(), config);
        let (claims, adopting) = (Claims::default(), Arc::default());
        Self { inner, parts, book, claims, adopting, lenient: options.lenient }
    }

    /// Gives a first-time visitor of another route the session cookie that a later session will
    /// use.
    ///
    /// It opens no session, because health probes come every few seconds.
    pub fn greet(&self, asked: &HeaderMap, answer: &mut HeaderMap) {
        if self.lenient && cookies::sent(asked).is_empty() {
            cookies::set(answer, &self.book.voucher());
        }
    }

    /// Drops sessions that were idle for too long. The server calls it periodically.
    pub async fn sweep(&self) {
        self.book.sweep().await;
    }

    /// Answers one HTTP request.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Body> {
        let Some(scope) = request.extensions().get::<Arc<Scope>>().cloned() else {
            return answers::refusal(StatusCode::FORBIDDEN, &Fault::new(-32600, "not admitted"));
        };
        let principal = scope.identity.principal;
        let serving = async {
            match *request.method() {
                Method::POST => self.post(request, principal).await,
                Method::GET => self.get(request, principal).await,
                Method::DELETE => self.delete(request, principal).await,
                _ => answers::method_not_allowed(),
            }
        };
        sessions::acting_as(principal, serving).await
    }

    async fn post(&self, mut request: Request<Bytes>, principal: PrincipalId) -> Response<Body> {
        if !is_json(request.headers()) {
            let fault = Fault::new(-32600, "send messages as Content-Type: application/json");
            return answers::refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, &fault);
        }
        // rmcp accepts only this exact spelling of the content type.
        request.headers_mut().insert(CONTENT_TYPE, JSON);
        let request = request.map(letters::whole);
        let glimpse = match rpc::glimpse(request.body()) {
            Ok(glimpse) => glimpse,
            Err(fault) => return answers::refusal(StatusCode::BAD_REQUEST, &fault),
        };
        if is_stateless(&request, &glimpse) {
            // rmcp would open a session for an `initialize`, and the session book would not know of
            // it.
            if let Some(fault) = rpc::gone(&glimpse) {
                return answers::refusal(StatusCode::NOT_FOUND, &fault);
            }
            let request = self.screened(request, &glimpse).await;
            return answers::worded(self.pass_on(request).await, &glimpse).await;
        }
        if glimpse.method.as_deref() == Some("initialize") {
            return self.open(request, &glimpse, principal).await;
        }
        let (mut request, wants) = self.eased(request, &glimpse);
        let opened = match self.join(&mut request, principal).await {
            Ok(opened) => opened,
            Err(refused) => return refused.with_id(&glimpse),
        };
        let claim = match self.claim(&request, &glimpse) {
            Ok(claim) => claim,
            Err(refused) => return refused.with_id(&glimpse),
        };
        let answer = answers::worded(self.pass_on(request).await, &glimpse).await;
        let answer = answers::keeping(wants.shape(answer, &glimpse).await, claim);
        self.with_cookie(answer, opened.as_deref())
    }

    /// Removes from a subscription request the resources that its sender may not read.
    async fn screened(&self, request: Request<Bytes>, glimpse: &Glimpse) -> Request<Bytes> {
        match glimpse.method.as_deref() {
            Some(LISTEN) => {
                // A handler stays in the world of its first request, so each request has its own.
                let handler = Handler::new(Arc::clone(&self.parts));
                listening::screened(&handler, request).await
            }
            _ => request,
        }
    }

    /// Reserves the request's id within its session; fails while another request uses the same id.
    fn claim(&self, request: &Request<Bytes>, glimpse: &Glimpse) -> Result<Option<Claim>, Refused> {
        let (Some(_), Some(id), Some(session)) =
            (&glimpse.method, &glimpse.id, named(request.headers()))
        else {
            return Ok(None);
        };
        self.claims.take(&session, id).map(Some).ok_or(Refused::SameId)
    }

    async fn get(&self, mut request: Request<Bytes>, principal: PrincipalId) -> Response<Body> {
        if is_stateless(&request, &Glimpse::none()) {
            return answers::worded(self.pass_on(request).await, &Glimpse::none()).await;
        }
        if self.lenient && !accepts(request.headers(), "text/event-stream") {
            request.headers_mut().insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        }
        let opened = match self.join(&mut request, principal).await {
            Ok(opened) => opened,
            Err(refused) => return refused.into_response(),
        };
        self.forget_place_before_restart(request.headers_mut());
        let answer = answers::worded(self.pass_on(request).await, &Glimpse::none()).await;
        self.with_cookie(answer, opened.as_deref())
    }

    /// Drops `Last-Event-ID` for a session restored after a restart: event numbers start over, so
    /// the client's last position no longer means anything.
    fn forget_place_before_restart(&self, headers: &mut HeaderMap) {
        if named(headers).is_some_and(|id| self.book.was_restored(&id)) {
            headers.remove(LAST_EVENT);
        }
    }

    async fn delete(&self, mut request: Request<Bytes>, principal: PrincipalId) -> Response<Body> {
        let claimed = self.claimed(request.headers());
        if claimed.is_empty() {
            let fault = Fault::new(-32600, "name the session to end in Mcp-Session-Id");
            return answers::refusal(StatusCode::BAD_REQUEST, &fault);
        }
        let Some(id) = self.own_among(&claimed, principal).await else {
            return Refused::UnknownSession.into_response();
        };
        set_session(request.headers_mut(), &id);
        let mut answer = answers::worded(self.pass_on(request).await, &Glimpse::none()).await;
        if answer.status().is_success() {
            self.book.end(&id).await;
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        answer
    }

    /// Opens a session for a client that sent `initialize`.
    async fn open(
        &self,
        mut request: Request<Bytes>,
        glimpse: &Glimpse,
        principal: PrincipalId,
    ) -> Response<Body> {
        // An `initialize` always opens a new session, whatever cookie comes along. If the cookie
        // holds a promised id that no session uses yet, the new session takes that id.
        request.headers_mut().remove(&SESSION_HEADER);
        let claimed = self.claimed(request.headers());
        let (request, wants) = self.eased(request, glimpse);
        if let Some(fault) = bad_opening(glimpse, request.body()) {
            return answers::refusal(StatusCode::BAD_REQUEST, &fault);
        }
        if let Err(wait) = self.book.make_room(principal).await {
            return Refused::Full(wait).with_id(glimpse);
        }
        let _turn = self.turn(&claimed).await;
        let adopted = self.free_among(&claimed);
        let opening = sessions::adopting(adopted.clone(), self.pass_on(request));
        let answer = answers::worded(opening.await, glimpse).await;
        let opened = session_of_answer(&answer);
        if let Some(id) = &opened {
            self.book.add(id, principal);
        }
        let fresh = opened.filter(|_| adopted.is_none());
        self.with_cookie(wants.shape(answer, glimpse).await, fresh.as_deref())
    }

    /// Ensures that a request belongs to a session of its principal, and opens one if needed.
    ///
    /// Returns the id of a newly opened session, unless the client already has that id in its
    /// cookie.
    async fn join(
        &self,
        request: &mut Request<Bytes>,
        principal: PrincipalId,
    ) -> Result<Option<String>, Refused> {
        let is_named = request.headers().contains_key(&SESSION_HEADER);
        let claimed = self.claimed(request.headers());
        if let Some(id) = self.own_among(&claimed, principal).await {
            self.book.touch(&id);
            set_session(request.headers_mut(), &id);
            return Ok(None);
        }
        if is_named {
            return Err(Refused::UnknownSession);
        }
        if !self.lenient {
            return Err(Refused::NoSession);
        }
        let _turn = self.turn(&claimed).await;
        // A concurrent request with the same cookie may have opened the session while this one
        // waited.
        if let Some(id) = self.own_among(&claimed, principal).await {
            set_session(request.headers_mut(), &id);
            return Ok(None);
        }
        let adopted = self.free_among(&claimed);
        let id = self.open_for(request, principal, adopted.clone()).await?;
        set_session(request.headers_mut(), &id);
        Ok(adopted.is_none().then_some(id))
    }

    /// The session ids a request names: by header, or in lenient mode by cookie.
    fn claimed(&self, headers: &HeaderMap) -> Vec<String> {
        match named(headers) {
            Some(id) => vec![id],
            None if self.lenient => cookies::sent(headers),
            None => Vec::new(),
        }
    }

    /// The first of the named sessions that belongs to the caller.
    async fn own_among(&self, claimed: &[String], principal: PrincipalId) -> Option<String> {
        for id in claimed {
            if self.book.ownership(id, principal).await == Ownership::Own {
                return Some(id.clone());
            }
        }
        None
    }

    /// The first of the named ids that a cookie promised and that no session uses yet.
    fn free_among(&self, claimed: &[String]) -> Option<String> {
        claimed.iter().find(|id| self.book.is_free(id)).cloned()
    }

    /// Waits until no other request is opening a session under a promised id. Returns `None` at
    /// once if none of the ids is a promised one.
    async fn turn(&self, claimed: &[String]) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        match self.free_among(claimed) {
            Some(_) => Some(self.adopting.lock().await),
            None => None,
        }
    }

    /// Opens a session on behalf of a client that sent no `initialize`.
    async fn open_for(
        &self,
        request: &Request<Bytes>,
        principal: PrincipalId,
        adopted: Option<String>,
    ) -> Result<String, Refused> {
        self.book.make_room(principal).await.map_err(Refused::Full)?;
        let opening = self.pass_on(on_behalf(request, rpc::implicit_initialize(), None));
        let opening = sessions::adopting(adopted, opening).await;
        let id = session_of_answer(&opening).ok_or(Refused::NotOpened)?;
        answers::drain(opening).await;
        self.book.add_passing(&id, principal);
        let done = on_behalf(request, rpc::initialized(), Some(&id));
        answers::drain(self.pass_on(done).await).await;
        Ok(id)
    }

    /// Fills in what a simple client leaves out, and returns what kind of answer it can read.
    fn eased(&self, request: Request<Bytes>, glimpse: &Glimpse) -> (Request<Bytes>, Wants) {
        if !self.lenient {
            return (request, Wants::Either);
        }
        let wants = if accepts(request.headers(), "text/event-stream") {
            Wants::Either
        } else {
            Wants::PlainJson
        };
        let (mut parts, body) = request.into_parts();
        if wants == Wants::PlainJson || !accepts(&parts.headers, "application/json") {
            parts.headers.insert(ACCEPT, BOTH_TYPES);
        }
        (Request::from_parts(parts, rpc::mend(glimpse, body)), wants)
    }

    async fn pass_on(&self, request: Request<Bytes>) -> Response<Body> {
        // Calls `handle` directly: as a tower service, rmcp would copy its configuration for each
        // request. Boxed because the future is large and would be moved with every caller's future.
        Box::pin(self.inner.handle(request.map(Full::new))).await
    }

    fn with_cookie(&self, mut answer: Response<Body>, opened: Option<&str>) -> Response<Body> {
        if let Some(id) = opened.filter(|_| self.lenient) {
            cookies::set(answer.headers_mut(), id);
        }
        answer
    }
}

fn is_stateless(request: &Request<Bytes>, glimpse: &Glimpse) -> bool {
    let stated = header_text(request.headers(), &VERSION_HEADER);
    stated.is_some_and(|version| version >= STATELESS_SINCE)
        || glimpse.method.as_deref() == Some("server/discover")
        || rpc::states_stateless_revision(request.body())
}

/// Checks an `initialize` and returns the error if it cannot open a session. rmcp would treat such
/// a message as an ordinary request and complain about a missing session.
fn bad_opening(glimpse: &Glimpse, body: &[u8]) -> Option<Fault> {
    let Some(id) = glimpse.id.clone() else {
        return Some(Fault::new(-32600, "initialize is a request: give it an id"));
    };
    let mut message: Value = serde_json::from_slice(body).ok()?;
    let params = message.get_mut("params").map(Value::take);
    let error = params::error_in("initialize", params, false)?;
    Some(Fault { id, ..Fault::new(-32602, error.to_string()) })
}

/// Builds a request of the server's own that acts for the caller of `request`.
fn on_behalf(request: &Request<Bytes>, body: Bytes, session: Option<&str>) -> Request<Bytes> {
    let mut own = Request::new(body);
    *own.method_mut() = Method::POST;
    *own.uri_mut() = request.uri().clone();
    *own.extensions_mut() = request.extensions().clone();
    own.headers_mut().insert(CONTENT_TYPE, JSON);
    own.headers_mut().insert(ACCEPT, BOTH_TYPES);
    // rmcp requires a Host header; the real one was checked before the request got here.
    own.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
    if let Some(id) = session {
        set_session(own.headers_mut(), id);
    }
    own
}

/// Whether the content type is JSON. The comparison ignores case and parameters. Types such as
/// `application/ld+json`, which the KOI API takes, are not messages of this protocol.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = header_text(headers, &CONTENT_TYPE).and_then(|said| said.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    header_text(headers, &ACCEPT).is_some_and(|accept| accept.contains(kind))
}

/// The value of the session header. An id that is not valid UTF-8 counts as an unknown session, not
/// as an absent header.
fn named(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(&SESSION_HEADER)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn session_of_answer(answer: &Response<Body>) -> Option<String> {
    named(answer.headers())
}

fn set_session(headers: &mut HeaderMap, id: &str) {
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(SESSION_HEADER, value);
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

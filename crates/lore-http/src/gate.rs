//! The gate that every request passes, whatever its route: Host and Origin, limits, authentication.
//! What a route may show and do is decided behind it.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Response, header};
use futures::{FutureExt, StreamExt};
use lore_app::access::{Doorkeeper, Identity, Presence};
use lore_core::{Error, PrincipalId};
use lore_mcp::Scope;
use lore_tools::{Registry, Selection};
use tokio::sync::Semaphore;
use tower::ServiceExt;

use crate::asked;
use crate::auth::{self, Caller};
use crate::body;
use crate::clock::Clock;
use crate::cors;
use crate::koi_net;
use crate::limits::{Buckets, Limits};
use crate::origin::{AllowList, is_relayed, names_this_machine};
use crate::reply;

/// Routes that need no token.
const PUBLIC: [&str; 1] = ["/mcp/health"];

/// The remote address of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerIp(pub(crate) IpAddr);

/// The local address at which a connection arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnIp(pub(crate) IpAddr);

/// Everything the gate needs to decide.
pub(crate) struct Gate {
    allow: AllowList,
    doorkeeper: Arc<Doorkeeper>,
    /// All tools the server has.
    registry: Arc<Registry>,
    /// The tools the server allows; a request can only narrow this selection.
    selection: Arc<Selection>,
    /// The world that a request enters when it names none.
    world: Option<String>,
    in_flight: Semaphore,
    per_token: Buckets<PrincipalId>,
    /// The limit for callers from this machine, who have no token.
    local: Buckets<()>,
    per_stranger: Buckets<IpAddr>,
    pub(crate) clock: Clock,
}

/// How many wrong tokens an address may send: the rate per second, and the burst.
const GUESSES: (f64, f64) = (1.0, 20.0);

impl Gate {
    pub(crate) fn new(
        allow: AllowList,
        doorkeeper: Arc<Doorkeeper>,
        registry: Arc<Registry>,
        selection: Selection,
        world: Option<String>,
        limits: &Limits,
        clock: Clock,
    ) -> Self {
        let rate = f64::from(limits.per_second);
        let local = f64::from(limits.local_per_second);
        Self {
            allow,
            doorkeeper,
            registry,
            selection: Arc::new(selection),
            world,
            in_flight: Semaphore::new(limits.in_flight),
            per_token: Buckets::new(rate, rate * 2.0),
            local: Buckets::new(local, local * 2.0),
            per_stranger: Buckets::new(GUESSES.0, GUESSES.1),
            clock,
        }
    }

    async fn admit(&self, request: &mut Request) -> Result<(), Response<Body>> {
        let identity = self.identity(Asking::of(request)).await?;
        let selection = self.selection_for(request.headers(), request.uri().path());
        let selection = selection.map_err(|error| reply::fail(&error))?;
        let world = asked::world(request.headers()).map_err(|error| reply::fail(&error))?;
        let scope = Scope {
            identity,
            world: world.or_else(|| identity.world.is_none().then(|| self.world.clone())?),
            selection,
        };
        request.extensions_mut().insert(Arc::new(scope));
        Ok(())
    }

    /// The selection for a request: what the server allows, narrowed by what the request asks for.
    fn selection_for(&self, headers: &HeaderMap, path: &str) -> Result<Arc<Selection>, Error> {
        if !asked::selects(headers, path) {
            return Ok(Arc::clone(&self.selection));
        }
        let asked = asked::selection(headers, path, &self.registry)?;
        Ok(Arc::new(self.selection.narrowed_by(&asked)))
    }

    async fn identity(&self, asking: Asking<'_>) -> Result<Identity, Response<Body>> {
        let Asking { headers, path, peer, from } = asking;
        let caller = auth::identify(&self.doorkeeper, headers, path).await;
        match (caller.map_err(|error| reply::fail(&error))?, from) {
            // Without a token, only callers from this machine get in, whatever address the server
            // listens on.
            (Caller::Local, Presence::Here) => {
                self.local.take(()).map_err(throttled)?;
                Ok(Identity::LOCAL)
            }
            (Caller::Known(identity), _) => {
                self.per_token.take(identity.principal).map_err(throttled)?;
                Ok(identity)
            }
            // A request without a token is not an attempt to guess one, so it is not throttled.
            (Caller::Local | Caller::Nameless, _) => Err(reply::unauthorised(path)),
            (Caller::Unknown, _) => {
                let ip = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
                self.per_stranger.take(ip).map_err(throttled)?;
                Err(reply::unauthorised(path))
            }
        }
    }
}

/// What the gate looks at to find out who is asking.
struct Asking<'a> {
    headers: &'a HeaderMap,
    path: &'a str,
    /// The address that called.
    peer: Option<IpAddr>,
    from: Presence,
}

impl<'a> Asking<'a> {
    fn of(request: &'a Request) -> Self {
        let (headers, uri) = (request.headers(), request.uri());
        let peer = request.extensions().get::<PeerIp>().map(|peer| peer.0);
        // A reverse proxy also calls from this machine, for anybody. Most keep the name that was
        // asked for or show themselves in another way; docs/configuration.md is about the others.
        let here = peer.is_some_and(|peer| peer.is_loopback())
            && names_this_machine(uri, headers)
            && !is_relayed(request.version(), headers);
        let from = if here { Presence::Here } else { Presence::Anywhere };
        Self { headers, path: uri.path(), peer, from }
    }
}

fn throttled(retry_after: Duration) -> Response<Body> {
    reply::fail(&Error::Throttled { to: "this server", retry_after })
}

/// The routes behind the gate. This is no router layer, because that would box and copy every route
/// once more for each request.
#[derive(Clone)]
pub(crate) struct Guarded {
    pub(crate) gate: Arc<Gate>,
    pub(crate) routes: Router,
}

impl Guarded {
    /// Passes a request on to its route, or rejects it.
    pub(crate) async fn answer(self, request: Request) -> Response<Body> {
        let here = request.extensions().get::<OwnIp>().map(|own| own.0);
        if !self.gate.allow.admits(request.uri(), request.headers(), here) {
            return body::refuse(request, reply::foreign()).await;
        }
        let Some(page) = self.gate.allow.granted(request.headers()) else {
            return contained(self.admitted(request)).await;
        };
        if cors::is_preflight(&request) {
            return body::refuse(request, cors::preflight(page)).await;
        }
        let mut response = contained(self.admitted(request)).await;
        cors::show(&mut response, page);
        response
    }

    /// Answers a request whose Host and Origin are allowed.
    async fn admitted(self, mut request: Request) -> Response<Body> {
        let gate = &self.gate;
        let Ok(_permit) = gate.in_flight.try_acquire() else {
            let busy = Error::Unavailable { what: "the server".into() };
            return body::refuse(request, reply::fail(&busy)).await;
        };
        if !is_public(request.uri().path())
            && let Err(refusal) = gate.admit(&mut request).await
        {
            return body::refuse(request, refusal).await;
        }
        let authorization = request.headers().get(header::AUTHORIZATION).cloned();
        let Ok(mut response) = self.routes.oneshot(request).await;
        let headers = response.headers_mut();
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        match is_stream(&response) {
            true => until_revoked(Arc::clone(&self.gate), authorization, response),
            false => response,
        }
    }
}

/// Converts a panic into an error answer, so that one bad request never closes a connection.
async fn contained(answered: impl Future<Output = Response<Body>>) -> Response<Body> {
    AssertUnwindSafe(answered).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("a request handler panicked");
        reply::fail(&Error::Bug { what: "the request handler".into() })
    })
}

/// How often an open stream checks whether its reader still has access.
const RECHECK: Duration = Duration::from_secs(1);

fn is_stream(response: &Response<Body>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Ends a stream when its reader loses access: when their token is revoked, or, for a reader
/// without a token, when the first token is created.
fn until_revoked(
    gate: Arc<Gate>,
    authorization: Option<HeaderValue>,
    response: Response<Body>,
) -> Response<Body> {
    let (head, body) = response.into_parts();
    let headers: HeaderMap =
        authorization.into_iter().map(|value| (header::AUTHORIZATION, value)).collect();
    let revoked = async move {
        loop {
            gate.clock.sleep(RECHECK).await;
            let caller = auth::identify(&gate.doorkeeper, &headers, "").await;
            if matches!(caller, Ok(Caller::Unknown | Caller::Nameless)) {
                return;
            }
        }
    };
    let frames = body.into_data_stream().take_until(Box::pin(revoked));
    Response::from_parts(head, Body::from_stream(frames))
}

/// Whether a route needs no token. Messages between KOI-net nodes are signed instead.
fn is_public(path: &str) -> bool {
    PUBLIC.contains(&path) || koi_net::is_signed(path)
}

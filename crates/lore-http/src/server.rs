//! Listens, serves connections and shuts down gracefully.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use lore_mcp::ServerParts;
use lore_mcp::http::{EndpointOptions, McpEndpoint};
use lore_tools::Selection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::anvil::Boromir;
use crate::clock::Clock;
use crate::gate::{Gate, Guarded, OwnIp, PeerIp};
use crate::kanka::{Kanka, Limiter};
use crate::koi::Koi;
use crate::limits::Limits;
use crate::origin::AllowList;
use crate::routes::{KOI, Shared, koi_router, router};

/// Settings of the HTTP server.
#[derive(Clone)]
pub struct HttpOptions {
    /// The host names and origins that may be used.
    pub allow: AllowList,
    /// The tools that may be switched on.
    pub selection: Selection,
    /// The world that a request enters when it names none.
    pub world: Option<String>,
    /// Whether to help simple MCP clients, see [`EndpointOptions`].
    pub lenient: bool,
    /// Rate limits and size limits.
    pub limits: Limits,
    /// The timers that connections use.
    pub clock: Clock,
    /// Requests per minute for each user of Kanka's API; no limit when absent.
    pub kanka_per_minute: Option<u32>,
}

/// How long a client may take to send its headers, counted from connecting.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long open requests may take to finish when the server stops.
const GRACE: Duration = Duration::from_secs(5);
/// How often idle sessions are dropped.
const SWEEP_EVERY: Duration = Duration::from_secs(300);

/// Serves until `shutdown` fires, then lets open requests finish.
pub async fn serve(
    listener: TcpListener,
    parts: Arc<ServerParts>,
    options: HttpOptions,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let (app, endpoint) = assemble(&parts, &options, &shutdown);
    tokio::spawn(sweep(endpoint, options.clock.clone(), shutdown.clone()));
    listen(listener, app, &options, shutdown).await
}

/// Serves the KOI API alone, behind its own gate, until `shutdown` fires.
pub async fn serve_koi(
    listener: TcpListener,
    parts: Arc<ServerParts>,
    options: HttpOptions,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let koi = Koi { parts: Arc::clone(&parts), body_max: options.limits.body, base: "" };
    let gate = Arc::new(gate(&parts, &options));
    let app = Guarded { gate, routes: koi_router(koi) };
    listen(listener, app, &options, shutdown).await
}

async fn listen(
    listener: TcpListener,
    app: Guarded,
    options: &HttpOptions,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let builder = connection_builder(&options.limits, &options.clock);
    let places = Arc::new(Semaphore::new(options.limits.connections));
    let doors = Arc::new(Semaphore::new(TURNED_AWAY_AT_ONCE));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => match Arc::clone(&places).try_acquire_owned() {
                Ok(place) => {
                    spawn_connection(&builder, &graceful, app.clone(), stream, peer, place);
                }
                Err(_) => turn_away(stream, &options.clock, &doors),
            },
            // For example out of file descriptors; open connections may close meanwhile.
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    Ok(())
}

/// Answers a connection beyond the limit with status 503. If too many such answers are already
/// being sent, the connection is closed without one.
fn turn_away(mut stream: TcpStream, clock: &Clock, doors: &Arc<Semaphore>) {
    let Ok(door) = Arc::clone(doors).try_acquire_owned() else { return };
    let clock = clock.clone();
    tokio::spawn(async move {
        let answered = async {
            // Closing with unread input would reset the connection and discard the answer.
            let _ = stream.read(&mut [0; 4096]).await?;
            stream.write_all(FULL_HOUSE).await?;
            stream.shutdown().await?;
            stream.read(&mut [0; 4096]).await
        };
        let _ = clock.timeout(TURNING_AWAY, answered).await;
        drop(door);
    });
}

/// How many connections beyond the limit are answered at once.
const TURNED_AWAY_AT_ONCE: usize = 64;
/// How long such an answer may take.
const TURNING_AWAY: Duration = Duration::from_secs(2);
const FULL_HOUSE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n\
    Connection: close\r\nContent-Type: text/plain\r\nContent-Length: 33\r\n\r\n\
    too many connections: retry later";

fn assemble(
    parts: &Arc<ServerParts>,
    options: &HttpOptions,
    shutdown: &CancellationToken,
) -> (Guarded, McpEndpoint) {
    let endpoint_options = EndpointOptions {
        lenient: options.lenient,
        sessions_max: options.limits.sessions,
        body_max: options.limits.body,
    };
    let endpoint = McpEndpoint::new(Arc::clone(parts), &endpoint_options, shutdown.child_token());
    let shared = Shared {
        endpoint: endpoint.clone(),
        body_max: options.limits.body,
        federation: parts.app.federation.get().map(Arc::clone),
    };
    let kanka = Kanka {
        parts: Arc::clone(parts),
        limiter: Limiter::new(options.kanka_per_minute),
        body_max: options.limits.body,
    };
    let koi = Koi { parts: Arc::clone(parts), body_max: options.limits.body, base: KOI };
    let boromir = Boromir { parts: Arc::clone(parts), body_max: options.limits.body };
    let gate = Arc::new(gate(parts, options));
    (Guarded { gate, routes: router(shared, kanka, koi, boromir) }, endpoint)
}

fn gate(parts: &ServerParts, options: &HttpOptions) -> Gate {
    Gate::new(
        options.allow.clone(),
        Arc::clone(&parts.doorkeeper),
        Arc::clone(&parts.registry),
        options.selection.clone(),
        options.world.clone(),
        &options.limits,
        options.clock.clone(),
    )
}

fn connection_builder(limits: &Limits, clock: &Clock) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(clock.clone())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(limits.headers);
    let headers = u32::try_from(limits.headers).unwrap_or(u32::MAX);
    builder.http2().timer(clock.clone()).max_header_list_size(headers);
    builder
}

fn spawn_connection(
    builder: &Builder<TokioExecutor>,
    graceful: &GracefulShutdown,
    app: Guarded,
    stream: TcpStream,
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
) {
    // Without this, each event of a stream waits for the client's delayed acknowledgement. The
    // benchmark checks for it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    let clock = app.gate.clock.clone();
    let here = stream.local_addr().ok().map(|address| OwnIp(address.ip().to_canonical()));
    let asked = Arc::new(AtomicBool::new(false));
    let has_asked = Arc::clone(&asked);
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(PeerIp(peer.ip().to_canonical()));
        if let Some(here) = here {
            request.extensions_mut().insert(here);
        }
        let app = app.clone();
        async move { Ok::<_, Infallible>(app.answer(request.map(Body::new)).await) }
    });
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    let connection = graceful.watch(connection.into_owned());
    tokio::spawn(async move {
        let mut connection = std::pin::pin!(connection);
        // hyper has no timeout while it detects the HTTP version of a client.
        let early = clock.timeout(HEADER_TIMEOUT, &mut connection).await;
        let ended = match early {
            Ok(ended) => ended,
            Err(_) if has_asked.load(Ordering::Relaxed) => connection.await,
            Err(_) => Err("no request came".into()),
        };
        if let Err(error) = ended {
            tracing::debug!(error, "a connection ended early");
        }
        drop(place);
    });
}

async fn sweep(endpoint: McpEndpoint, clock: Clock, shutdown: CancellationToken) {
    loop {
        endpoint.sweep().await;
        tokio::select! {
            () = clock.sleep(SWEEP_EVERY) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

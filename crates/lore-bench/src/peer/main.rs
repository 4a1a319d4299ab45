//! Bare servers for comparison with Lorewell: what the libraries do by themselves.
//!
//! They answer the same requests with the same bytes as Lorewell, because they are given its
//! answers beforehand. The difference in cost is Lorewell's own. Bare axum sends the request back
//! instead.

#![expect(clippy::print_stdout, reason = "the address is told on stdout, as Lorewell does")]

mod echo;

use std::path::PathBuf;

use anyhow::Context;
use axum::Router;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use clap::{Parser, Subcommand};
use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::echo::Echo;

// The same allocator as Lorewell's, so that allocators are not part of the comparison.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Bare servers for the protocol benchmark.
#[derive(Parser)]
struct Cli {
    /// JSON file with the structured answer of each tool
    #[arg(long, global = true)]
    answers: Option<PathBuf>,
    #[command(subcommand)]
    server: Server,
}

#[derive(Clone, Copy, Subcommand)]
enum Server {
    /// axum, sending each JSON body back
    Axum,
    /// rmcp over HTTP
    RmcpHttp,
    /// rmcp over pipes
    RmcpStdio,
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let echo = Echo::new(match &cli.answers {
        Some(file) => serde_json::from_slice(&std::fs::read(file)?)
            .with_context(|| format!("{} holds no answers", file.display()))?,
        None => Default::default(),
    });
    let mut builder = match cli.server {
        Server::RmcpStdio => Builder::new_current_thread(),
        Server::Axum | Server::RmcpHttp => Builder::new_multi_thread(),
    };
    let runtime = builder.enable_all().build()?;
    match cli.server {
        Server::Axum => runtime.block_on(listen(Router::new().route("/mcp", post(back)))),
        Server::RmcpHttp => runtime.block_on(listen(rmcp_router(echo))),
        Server::RmcpStdio => runtime.block_on(async {
            echo.serve(stdio_pipes()).await?.waiting().await?;
            Ok(())
        }),
    }
}

/// The lower limit of cost: parses JSON and sends it back.
async fn back(axum::Json(body): axum::Json<Value>) -> axum::Json<Value> {
    axum::Json(body)
}

fn rmcp_router(echo: Echo) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(true)
        .with_json_response(true);
    let factory = move || Ok(echo.clone());
    let sessions = LocalSessionManager::default().into();
    Router::new().nest_service("/mcp", StreamableHttpService::new(factory, sessions, config))
}

async fn listen(routes: Router) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening at http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        // If this fails, the benchmark shows it.
        let _ = stream.set_nodelay(true);
    });
    let routes = routes.route("/mcp/health", get(|| async { "OK\n" }));
    Ok(axum::serve(listener, routes).await?)
}

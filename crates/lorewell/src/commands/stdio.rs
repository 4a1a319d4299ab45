//! `lorewell`: MCP over stdin and stdout.

use std::sync::Arc;

use lore_app::memory::access::write_counts;
use lore_mcp::{McpServer, serve_stdio};

use crate::background::Background;
use crate::config::Settings;
use crate::setup;

/// Serves one client until it disconnects.
pub(crate) async fn run(settings: &Settings, background: &Background) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    setup::know_the_world(&app, settings).await?;
    setup::start_background(&app, settings, background);
    let parts = setup::server_parts(Arc::clone(&app));
    let server = McpServer::for_caller(parts, setup::local_scope(settings));
    let served = serve_stdio(server).await;
    app.code.stop().await;
    write_counts(&app).await;
    Ok(served?)
}

//! `lorewell serve`: MCP over HTTP.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use lore_app::memory::access::write_counts;
use lore_http::{AllowList, Clock, HttpOptions, Remote};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::signal;
use crate::background::Background;
use crate::cli::Serve;
use crate::config::{HttpSettings, Settings};
use crate::{output, setup};

/// Serves until the program is told to stop.
pub(crate) async fn run(
    settings: &Settings,
    flags: &Serve,
    background: &Background,
) -> anyhow::Result<()> {
    let http = settings.http(flags);
    let app = setup::open_app(settings).await?;
    setup::know_the_world(&app, settings).await?;
    let has_token = app.store.has_tokens().await?;
    let remote = Remote { allowed: http.allow_remote, has_token };
    let address = lore_http::resolve(&http.addr, remote).await?;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("{address} cannot be used; choose another with --http-addr"))?;
    let address = listener.local_addr()?;
    let koi = match &http.koi_addr {
        Some(koi_addr) => {
            let address = lore_http::resolve(koi_addr, remote).await?;
            let busy = || format!("{address} cannot be used; choose another with --koi-addr");
            Some(TcpListener::bind(address).await.with_context(busy)?)
        }
        None => None,
    };
    let options = options(settings, http, address, background)?;
    setup::start_background(&app, settings, background);
    let node = match flags.federation || settings.federation.enabled {
        true => {
            Some(crate::federation::start(&app, settings, address, background).await?.rid().await)
        }
        false => None,
    };
    announce(settings, address, has_token);
    if let Some(rid) = node {
        output::line(format!("  node    {rid}"));
    }
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    tokio::spawn(async move {
        signal::told_to_stop().await;
        stop.cancel();
    });
    let parts = setup::server_parts(Arc::clone(&app));
    if let Some(listener) = &koi {
        output::line(format!("  koi     http://{}", listener.local_addr()?));
    }
    let koi_served = async {
        let Some(listener) = koi else { return Ok(()) };
        let (parts, options) = (Arc::clone(&parts), options.clone());
        lore_http::serve_koi(listener, parts, options, shutdown.clone()).await
    };
    let served = lore_http::serve(listener, Arc::clone(&parts), options.clone(), shutdown.clone());
    // Each listener gives its open requests time to finish.
    let (served, koi_served) = tokio::join!(served, koi_served);
    app.code.stop().await;
    write_counts(&app).await;
    Ok(served.and(koi_served)?)
}

fn options(
    settings: &Settings,
    http: HttpSettings,
    address: SocketAddr,
    background: &Background,
) -> anyhow::Result<HttpOptions> {
    let mut hosts = http.allow_hosts;
    if !address.ip().is_unspecified() {
        hosts.push(match address {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        });
    }
    Ok(HttpOptions {
        allow: AllowList::new(hosts, http.allow_origins)?,
        selection: settings.selection.clone(),
        world: settings.world.clone(),
        lenient: !http.strict,
        limits: http.limits,
        clock: Clock::of(background.handle()),
        kanka_per_minute: http.kanka_per_minute,
    })
}

fn announce(settings: &Settings, address: SocketAddr, has_token: bool) {
    // A wildcard address cannot be called, so print the loopback address.
    let near = match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, v6.port()).into(),
        one => one,
    };
    let url = format!("http://{near}/mcp");
    output::line(format!("Lorewell is listening at {url}"));
    if near != address {
        let port = address.port();
        output::line(format!(
            "  others  http://ADDRESS:{port}/mcp, with any address of this machine"
        ));
        output::line("          (by a name: --allow-host NAME)");
    }
    output::line(format!("  store   {}", settings.store_file().display()));
    output::line(if has_token {
        "  access  by bearer token (`lorewell token list`)"
    } else {
        "  access  everybody on this machine is the owner; `lorewell token create` changes that"
    });
    output::line(format!("  connect lorewell connect claude-code --http {url} --write"));
    output::line(format!("  check   curl http://{near}/mcp/health"));
    output::line("Press Ctrl-C to stop.");
}

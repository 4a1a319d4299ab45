//! Scanning repositories again at regular intervals.

use std::sync::Arc;
use std::time::Duration;

use lore_core::{Principal, Result};

use super::{graph, repository, scan};
use crate::App;
use crate::access::Presence;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::web::monitor::turn_has_come;

/// The name under which changes appear in the audit log.
const TOOL: &str = "github_scan";
/// How often to look for repositories that are due.
const TICK: Duration = Duration::from_secs(60);

/// Scans the repositories in every world of the local user when they are due, until the program
/// ends. The time of each scan is stored, so a restart continues where it left off. The graphs of
/// worlds with code are built ahead of the first query.
pub async fn keep_scanned(app: Arc<App>) {
    if let Err(error) = prepare(&app).await {
        tracing::info!(code = error.code().meaning().name, "the graph of code was not made ahead");
    }
    let Some(interval) = app.code.settings.interval else { return };
    loop {
        tokio::time::sleep(TICK.min(interval)).await;
        if let Err(error) = scan_due(&app, interval).await {
            tracing::warn!(code = error.code().meaning().name, "repositories were not scanned");
        }
    }
}

async fn prepare(app: &Arc<App>) -> Result<()> {
    for librarian in librarians(app).await? {
        if !repository::repositories(&librarian).await?.is_empty() {
            graph::current(app, &librarian.viewer).await?;
        }
    }
    Ok(())
}

async fn scan_due(app: &Arc<App>, interval: Duration) -> Result<()> {
    for librarian in librarians(app).await? {
        for known in repository::repositories(&librarian).await? {
            let kept = &known.kept;
            let last = kept.last_scan.as_deref();
            if !turn_has_come(last, kept.failures, interval, app.effects.now()) {
                continue;
            }
            match scan::scan_known(&librarian, &known, &|_, _, _| {}).await {
                Ok(done) => {
                    tracing::info!(node = %known.node.id, parsed = done.parsed, "a repository was scanned");
                }
                Err(error) => {
                    tracing::warn!(code = error.code().meaning().name, node = %known.node.id, "a repository was not scanned")
                }
            }
        }
    }
    Ok(())
}

/// Returns one context for each world of the local user.
async fn librarians(app: &Arc<App>) -> Result<Vec<Librarian>> {
    let mut found = Vec::new();
    for world in app.store.worlds(Principal::LOCAL).await? {
        let Some(viewer) = app.store.enter(Principal::LOCAL, world.id).await? else { continue };
        let request_id = app.effects.uid().to_string();
        let (app, presence) = (Arc::clone(app), Presence::Here);
        found.push(Librarian { app, viewer, presence, tool: TOOL, request_id });
    }
    Ok(found)
}

//! `lorewell doctor`: what is wrong, and how to mend it.

use std::process::ExitCode;

use lore_store::{Finding, Health, StoreError};
use serde_json::json;

use crate::cli::Doctor;
use crate::config::{self, Settings};
use crate::{output, setup};

/// Checks everything; exit code 1 when something is wrong.
pub(crate) async fn run(settings: &Settings, options: &Doctor) -> anyhow::Result<ExitCode> {
    let (health, findings) = examine(settings, options.rebuild).await;
    if options.json {
        print_json(settings, health.as_ref(), &findings);
    } else {
        print_text(settings, health.as_ref(), &findings);
    }
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The store's own check, or the reason why it cannot even be opened.
async fn examine(settings: &Settings, rebuild: bool) -> (Option<Health>, Vec<Finding>) {
    let app = match setup::open_app(settings).await {
        Ok(app) => app,
        Err(error) => {
            let remedy = remedy(error.downcast_ref()).into();
            return (None, vec![Finding { problem: output::chain(&error), remedy }]);
        }
    };
    let checked = async {
        if rebuild {
            app.store.rebuild_index().await?;
        }
        app.store.check().await
    };
    match checked.await {
        Ok(health) => {
            let findings = health.findings.clone();
            (Some(health), findings)
        }
        Err(error) => {
            let remedy = "restore a backup with `lorewell restore FILE`".into();
            (None, vec![Finding { problem: error.to_string(), remedy }])
        }
    }
}

/// What to do about a store that cannot be opened.
fn remedy(error: Option<&StoreError>) -> &'static str {
    match error {
        Some(StoreError::NewerSchema { .. }) => {
            "update lorewell: the store is fine and was written by a newer one"
        }
        Some(StoreError::Foreign(_)) => "point --data at another directory",
        Some(StoreError::Disk(_)) => "make room on the disk or mend it, then look again",
        Some(StoreError::Busy) => "wait until the program that holds the store is done",
        _ => "restore a backup with `lorewell restore FILE`, or move the file away to start afresh",
    }
}

fn print_text(settings: &Settings, health: Option<&Health>, findings: &[Finding]) {
    let config = config::default_config_file().filter(|path| path.exists());
    let config = config.map_or_else(|| "none".into(), |path| path.display().to_string());
    let mut rows = vec![
        vec!["program".into(), format!("lorewell {}", env!("CARGO_PKG_VERSION"))],
        vec!["config".into(), config],
        vec!["store".into(), settings.store_file().display().to_string()],
    ];
    if let Some(Health { stats, .. }) = health {
        rows.push(vec!["engine".into(), format!("{}, schema {}", stats.engine, stats.schema)]);
        rows.push(vec!["size".into(), format!("{} bytes", stats.bytes)]);
        let counts = (stats.worlds, stats.nodes, stats.edges, stats.texts);
        let (worlds, nodes, edges, texts) = counts;
        let held = format!("{worlds} worlds, {nodes} nodes, {edges} edges, {texts} texts");
        rows.push(vec!["holds".into(), held]);
    }
    output::table(&rows);
    for finding in findings {
        output::line(format!("PROBLEM {}\n   mend: {}", finding.problem, finding.remedy));
    }
    if findings.is_empty() {
        output::line("all is well");
    }
}

fn print_json(settings: &Settings, health: Option<&Health>, findings: &[Finding]) {
    let stats = health.map(|health| {
        let stats = &health.stats;
        json!({
            "engine": stats.engine, "schema": stats.schema, "bytes": stats.bytes,
            "worlds": stats.worlds, "nodes": stats.nodes, "edges": stats.edges,
            "texts": stats.texts,
        })
    });
    let rows: Vec<_> = findings
        .iter()
        .map(|finding| json!({ "problem": finding.problem, "remedy": finding.remedy }))
        .collect();
    output::json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "store": settings.store_file().display().to_string(),
        "stats": stats,
        "findings": rows,
    }));
}

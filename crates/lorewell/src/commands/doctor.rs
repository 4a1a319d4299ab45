//! `lorewell doctor`: reports problems and how to fix them.

mod configured;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use lore_app::access::Identity;
use lore_app::{App, access, worlds};
use lore_core::{Error, Principal};
use lore_store::{Coverage, Finding, Health, StoreError};
use serde_json::{Value, json};

use crate::cli::Doctor;
use crate::config::{Faults, Settings};
use crate::setup::Unopened;
use crate::{output, setup};

/// Checks everything; the exit code is 1 when something is wrong. `faults` are the errors of those
/// parts of the configuration that were left out of the settings.
pub(crate) async fn run(
    settings: &Settings,
    faults: Faults,
    options: &Doctor,
) -> anyhow::Result<ExitCode> {
    let mut report = Report::default();
    report.findings.extend(faults.all().map(|fault| configured::finding(&fault)));
    let report = examine(settings, options, report).await;
    if options.json {
        print_json(settings, &report);
    } else {
        print_text(settings, &report);
    }
    Ok(if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What was checked, and the problems found.
#[derive(Default)]
struct Report {
    health: Option<Health>,
    world: Option<Inhabited>,
    /// How many damaged rows were accepted with their present contents.
    accepted: Option<u64>,
    /// Where a write-ahead log was saved of which only a part could be read.
    log_kept: Option<PathBuf>,
    findings: Vec<Finding>,
    /// What is worth a look, although nothing is wrong with the store or the configuration.
    warnings: Vec<Finding>,
}

/// The world in use, and what its owner sees in it.
struct Inhabited {
    name: String,
    nodes: u64,
    edges: u64,
    /// How many of its names and texts are embedded, if there is an embedding model.
    embedded: Option<Coverage>,
}

/// Checks the configuration and the store, or reports why the store cannot be opened.
async fn examine(settings: &Settings, options: &Doctor, mut report: Report) -> Report {
    if let Err(error) = setup::check_directory(settings) {
        report.findings.push(Finding { problem: error.to_string(), remedy: error.hint() });
        return report;
    }
    report.findings.extend(configured::findings(settings));
    // Opening the store would create one.
    if let Ok(false) = settings.store_file().try_exists() {
        report.findings.push(no_store());
        return report;
    }
    if options.accept {
        report.log_kept = report.note(lore_sqlite::accept_log(&settings.store_file())).flatten();
    }
    let app = match setup::open_as_far_as_possible(settings).await {
        Ok((app, faults)) => {
            report.findings.extend(faults.iter().map(configured::finding));
            app
        }
        Err(error) => {
            report.findings.push(unopened(&error));
            return report;
        }
    };
    if options.accept && options.rebuild {
        // A damaged index hinders accepting. What remains wrong is reported below.
        let _ = app.store.rebuild_index().await;
    }
    if options.accept {
        report.accepted = report.note(app.store.accept_damage().await);
    }
    if options.rebuild {
        report.note(app.store.rebuild_index().await);
    }
    report.health = report.note(app.store.check().await);
    let found = report.health.iter().flat_map(|health| health.findings.clone());
    report.findings.extend(found.collect::<Vec<_>>());
    report.findings.extend(configured::findings_of(&app, settings).await);
    // The world of a Kanka campaign is created only when the campaign has answered.
    if settings.kanka.is_some() && app.kanka.get().is_none() {
        return report;
    }
    if let Err(error) = report.look_into_world(&app, settings).await {
        report.findings.push(Finding { problem: error.to_string(), remedy: error.hint() });
    }
    report
}

fn no_store() -> Finding {
    Finding {
        problem: "there is no store yet".into(),
        remedy: "start lorewell, which makes one, or point --data at the directory of yours".into(),
    }
}

impl Report {
    /// Returns the value, or records the error as a finding.
    fn note<T>(&mut self, result: Result<T, StoreError>) -> Option<T> {
        let note = |error: StoreError| {
            let remedy = setup::remedy(&error).into();
            self.findings.push(Finding { problem: error.to_string(), remedy });
        };
        result.map_err(note).ok()
    }

    async fn look_into_world(&mut self, app: &Arc<App>, settings: &Settings) -> Result<(), Error> {
        self.world = Some(look_around(app, settings).await?);
        self.warnings = configured::warnings_of_notes(app, settings).await?;
        Ok(())
    }
}

/// Enters the world that is named, or else the chosen one.
async fn look_around(app: &App, settings: &Settings) -> Result<Inhabited, Error> {
    let viewer = access::enter(app, Identity::LOCAL, settings.world.as_deref()).await?;
    let known = worlds::list(app, Principal::LOCAL).await?;
    let name = known.into_iter().find(|world| world.id == viewer.world).map(|world| world.name);
    let tally = app.store.tally(&viewer).await?;
    Ok(Inhabited {
        name: name.unwrap_or_default(),
        nodes: tally.iter().map(|kind| kind.count).sum(),
        edges: app.store.count_edges(&viewer).await?,
        embedded: match &app.embedder {
            Some(embedder) => Some(app.store.coverage(&viewer, embedder.model()).await?),
            None => None,
        },
    })
}

/// Describes why nothing could be opened: because of the store or of the configuration.
fn unopened(error: &anyhow::Error) -> Finding {
    match error.downcast_ref::<Unopened>() {
        Some(unopened) => Finding { problem: unopened.problem(), remedy: unopened.remedy().into() },
        None => configured::finding(error),
    }
}

fn print_text(settings: &Settings, report: &Report) {
    let config = settings.config.as_ref();
    let config = config.map_or_else(|| "none".into(), |path| path.display().to_string());
    let mut rows = vec![
        vec!["program".into(), format!("lorewell {}", env!("CARGO_PKG_VERSION"))],
        vec!["config".into(), config],
        vec!["store".into(), settings.store_file().display().to_string()],
    ];
    let services = configured::names(settings);
    if !services.is_empty() {
        rows.push(vec!["configured".into(), services.join(", ")]);
    }
    if let Some(Health { stats, .. }) = &report.health {
        rows.push(vec!["engine".into(), format!("{}, schema {}", stats.engine, stats.schema)]);
        rows.push(vec!["size".into(), format!("{} bytes", stats.bytes)]);
        let counts = (stats.worlds, stats.nodes, stats.edges, stats.texts);
        let (worlds, nodes, edges, texts) = counts;
        let held = format!("{worlds} worlds, {nodes} nodes, {edges} edges, {texts} texts");
        rows.push(vec!["holds".into(), held]);
    }
    if let Some(Inhabited { name, nodes, edges, embedded }) = &report.world {
        rows.push(vec!["world".into(), format!("{name}: {nodes} nodes, {edges} edges")]);
        if let Some(Coverage { done, waiting }) = embedded {
            let all = done + waiting;
            rows.push(vec!["embedded".into(), format!("{done} of {all} names and texts")]);
        }
    }
    output::table(&rows);
    if let Some(accepted) = report.accepted {
        output::line(format!("accepted {accepted} damaged entries as they read now"));
    }
    if let Some(log) = &report.log_kept {
        let log = log.display();
        output::line(format!("went on without what could not be read of the log, kept as {log}"));
    }
    for finding in &report.findings {
        output::line(format!("PROBLEM {}\n   mend: {}", finding.problem, finding.remedy));
    }
    for warning in &report.warnings {
        output::line(format!("warning {}\n   mend: {}", warning.problem, warning.remedy));
    }
    match (report.findings.is_empty(), report.warnings.is_empty()) {
        (true, true) => output::line("all is well"),
        (true, false) => output::line("all else is well"),
        (false, _) => {}
    }
}

fn print_json(settings: &Settings, report: &Report) {
    let stats = report.health.as_ref().map(|health| {
        let stats = &health.stats;
        json!({
            "engine": stats.engine, "schema": stats.schema, "bytes": stats.bytes,
            "worlds": stats.worlds, "nodes": stats.nodes, "edges": stats.edges,
            "texts": stats.texts,
        })
    });
    let world = report.world.as_ref().map(|world| {
        let embedded = world
            .embedded
            .map(|Coverage { done, waiting }| json!({ "done": done, "waiting": waiting }));
        json!({
            "name": world.name, "nodes": world.nodes, "edges": world.edges, "embedded": embedded,
        })
    });
    let rows = |found: &[Finding]| -> Vec<Value> {
        let row = |one: &Finding| json!({ "problem": one.problem, "remedy": one.remedy });
        found.iter().map(row).collect()
    };
    output::json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "store": settings.store_file().display().to_string(),
        "configured": configured::names(settings),
        "stats": stats,
        "world": world,
        "accepted": report.accepted,
        "log_kept": report.log_kept.as_ref().map(|log| log.display().to_string()),
        "findings": rows(&report.findings),
        "warnings": rows(&report.warnings),
    }));
}

//! `lorewell call`: one tool call from the command line.

use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lore_app::App;
use lore_app::access::Presence;
use lore_app::memory::access::write_counts;
use lore_tools::{Call, CallError, error_object};
use serde_json::{Map, Value, json};

use super::signal;
use crate::cli;
use crate::config::Settings;
use crate::{output, setup};

/// How long reading the notes may take before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Calls a tool as the local user; the exit code is 1 when the tool fails.
pub(crate) async fn run(settings: &Settings, call: cli::Call) -> anyhow::Result<ExitCode> {
    let arguments = read_arguments(&call.arguments)?;
    let app = setup::open_with_what_works(settings).await?;
    signal::unless_stopped(&app, carry_out(Arc::clone(&app), settings, call, arguments)).await
}

async fn carry_out(
    app: Arc<App>,
    settings: &Settings,
    call: cli::Call,
    arguments: Map<String, Value>,
) -> anyhow::Result<ExitCode> {
    let viewer = setup::local_viewer(&app, settings).await?;
    follow_notes(&app, settings).await;
    let parts = setup::server_parts(app);
    let mut context = Call::new(parts.app.clone(), viewer);
    context.presence = Presence::Here;
    let answer = parts.registry.call(&settings.selection, &call.tool, context, arguments).await;
    write_counts(&parts.app).await;
    match answer {
        Ok(answer) => {
            output::json(&answer.structured);
            Ok(if is_refusal(&answer.structured) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
        Err(CallError::Failed(error)) => {
            output::json(&json!({ "error": error_object(&error) }));
            Ok(ExitCode::FAILURE)
        }
        Err(unknown) => anyhow::bail!("{unknown}\n  try: `lorewell tools` lists what is on"),
    }
}

/// Imports changes in the notes folder, which a running server does continuously.
async fn follow_notes(app: &Arc<App>, settings: &Settings) {
    if settings.vault.is_none() || settings.selection.is_read_only() {
        return;
    }
    let (world, started) = (settings.world.as_deref(), Instant::now());
    let is_long = || started.elapsed() > PATIENCE;
    let progress = |done, total| {
        if is_long() {
            output::progress(done, total);
        }
    };
    let read = lore_app::knowledge::index_vault(app, world, &progress).await;
    if is_long() {
        output::end_progress();
    }
    if let Err(error) = read {
        output::aside(format!("the notes were not read: {error}\n  try: {}", error.hint()));
    }
}

/// Whether an answer reports, in its contract's own format, that nothing was done.
fn is_refusal(answer: &Value) -> bool {
    answer.get("_v").is_some() && answer.get("error").is_some_and(Value::is_string)
}

fn read_arguments(given: &str) -> anyhow::Result<Map<String, Value>> {
    let mut text = given.to_owned();
    if given == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text)?;
    }
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        anyhow::anyhow!(
            "the arguments are not JSON: {error}\n  try: an object in single quotes, such as \
             '{{\"difficulty\": 15}}', or - to read it from standard input"
        )
    })?;
    match value {
        Value::Object(map) => Ok(map),
        _ => anyhow::bail!("the arguments are not a JSON object\n  try: '{{\"difficulty\": 15}}'"),
    }
}

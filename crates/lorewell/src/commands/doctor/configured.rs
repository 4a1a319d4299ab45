//! Checks what is configured besides the store.
//!
//! It looks at folders, key files and the form of settings. Nothing is sent anywhere; whether a
//! service answers only shows when it is used.

use std::sync::Arc;

use lore_app::App;
use lore_http::Remote;
use lore_store::Finding;

use crate::cli::Serve;
use crate::config::Settings;
use crate::{federation, output};

/// The names of the configured services, for people.
pub(super) fn names(settings: &Settings) -> Vec<&'static str> {
    let known = [
        ("vault", settings.vault.is_some()),
        ("Kanka", settings.kanka.is_some()),
        ("World Anvil", settings.world_anvil.is_some()),
        ("KOI API", settings.koi_endpoint.is_some()),
        ("embeddings", settings.embeddings.is_some()),
        ("llm", settings.llm.is_some()),
        ("federation", settings.federation.enabled),
    ];
    known.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
}

/// The problems that can be found without the store.
pub(super) fn findings(settings: &Settings) -> Vec<Finding> {
    let folders = settings.code().paths.into_iter().filter(|path| !path.is_dir());
    let folders = folders.map(|path| Finding {
        problem: format!("code.paths: there is no folder {}", path.display()),
        remedy: "make it, or take it out of code.paths in lorewell.toml".into(),
    });
    folders.chain(federation::faults(settings).iter().map(finding)).collect()
}

/// The problems that need an open store to be found.
pub(super) async fn findings_of(app: &App, settings: &Settings) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Err(error) = app.notes.examine(&app.effects) {
        found.push(Finding { problem: error.to_string(), remedy: error.hint() });
    }
    let flags = match Serve::from_environment() {
        Ok(flags) => flags,
        Err(error) => {
            found.push(finding(&error.into()));
            Serve::default()
        }
    };
    let http = settings.http(&flags);
    let has_token = app.store.has_tokens().await.unwrap_or(false);
    let remote = Remote { allowed: http.allow_remote, has_token };
    let addresses = [
        ("addr", "LOREWELL_HTTP_ADDR", flags.http_addr.is_some(), Some(http.addr)),
        ("koi_addr", "LOREWELL_KOI_ADDR", flags.koi_addr.is_some(), http.koi_addr),
    ];
    for (name, variable, is_variable, address) in addresses {
        let Some(address) = address else { continue };
        if let Err(error) = lore_http::check_address(&address, remote) {
            let remedy = match is_variable {
                true => format!("correct {variable}"),
                false => format!("correct `{name}` of [http] in lorewell.toml"),
            };
            found.push(Finding { problem: format!("http.{name}: {error}"), remedy });
        }
    }
    found
}

/// What notes were not taken for, although somebody probably meant it.
pub(super) async fn warnings_of_notes(
    app: &Arc<App>,
    settings: &Settings,
) -> lore_core::Result<Vec<Finding>> {
    /// Most warnings that are told one by one.
    const TOLD_MAX: usize = 20;
    if settings.vault.is_none() {
        return Ok(Vec::new());
    }
    let world = settings.world.as_deref();
    let warnings = lore_app::knowledge::vault_warnings(app, world).await?;
    let more = warnings.len().saturating_sub(TOLD_MAX);
    let more = (more > 0).then(|| format!("{more} more warnings about notes"));
    let told = warnings.into_iter().take(TOLD_MAX).chain(more);
    let remedy = "correct the note; `lorewell index` lists all such notes";
    Ok(told.map(|problem| Finding { problem, remedy: remedy.into() }).collect())
}

/// Converts an error into a finding. The text after `try:` becomes the remedy.
pub(super) fn finding(error: &anyhow::Error) -> Finding {
    let told = output::chain(error);
    let (problem, remedy) = told
        .split_once("\n  try: ")
        .unwrap_or((&told, "correct the setting that it names, then look again"));
    Finding { problem: problem.to_owned(), remedy: remedy.to_owned() }
}

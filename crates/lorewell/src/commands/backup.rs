//! `lorewell backup` and `lorewell restore`.

use std::path::Path;

use anyhow::Context;
use lore_sqlite::SqliteStore;
use lore_store::StoreError;

use crate::config::Settings;
use crate::{output, setup};

/// Writes a consistent copy of the store, even while a server runs.
pub(crate) async fn backup(settings: &Settings, target: &Path) -> anyhow::Result<()> {
    let file = settings.store_file();
    if !file.exists() {
        anyhow::bail!(
            "there is no store {}\n  try: name its directory with --data",
            file.display()
        );
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        anyhow::bail!("there is no folder {}\n  try: make it first", folder.display());
    }
    let app = setup::open_without_services(settings).await?;
    app.store.backup(target).await.map_err(|error| match error {
        StoreError::Exists(file) => anyhow::anyhow!(
            "{file} exists already, and a backup overwrites nothing\n  try: another file name"
        ),
        other => output::advised(other.into()),
    })?;
    output::line(format!("wrote {}", target.display()));
    Ok(())
}

/// Replaces the store with a backup; the old store is kept beside it.
pub(crate) fn restore(settings: &Settings, source: &Path) -> anyhow::Result<()> {
    if !source.is_file() {
        anyhow::bail!(
            "there is no file {}\n  try: name one that `lorewell backup FILE` wrote",
            source.display()
        );
    }
    let stats = SqliteStore::verify_file(source).with_context(|| {
        format!(
            "{} is not an intact backup\n  try: another file that `lorewell backup FILE` wrote",
            source.display()
        )
    })?;
    let kept = SqliteStore::replace(&settings.store_file(), source)
        .context("the store was not replaced; stop every server and client that uses it")?;
    let (worlds, nodes) = (stats.worlds, stats.nodes);
    output::line(format!("restored {worlds} worlds and {nodes} nodes from {}", source.display()));
    if let Some(kept) = kept {
        output::line(format!("the store from before is {}", kept.display()));
    }
    Ok(())
}

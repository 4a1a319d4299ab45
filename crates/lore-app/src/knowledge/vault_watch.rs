//! Following the notes folder: everything once, then what changes.

use std::collections::HashSet;
use std::sync::Arc;

use lore_core::{Error, Principal, Result};
use lore_store::NodeQuery;
use lore_vault::{Change, NotePath, Watch};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::librarian::Librarian;
use super::note::Note;
use super::{shelve, uri, vault};
use crate::App;
use crate::play::word;

/// The name under which changes appear in the audit log.
const VAULT: &str = "vault";

/// Keeps the notes as documents of the local user's own world, for as long as the program
/// runs. Whoever edits a note by hand finds it a moment later.
pub async fn keep_vault(app: Arc<App>) {
    if !app.notes.is_configured() {
        return;
    }
    let (librarian, mut changes, _watch) = match start(&app).await {
        Ok(started) => started,
        Err(error) => {
            tracing::warn!(%error, "the vault is not followed");
            return;
        }
    };
    sync_all(&librarian).await;
    while let Some(change) = changes.recv().await {
        follow(&librarian, change).await;
    }
}

/// Begins to listen before the first look, so that nothing falls in between.
async fn start(app: &Arc<App>) -> Result<(Librarian, UnboundedReceiver<Change>, Watch)> {
    let world = crate::worlds::default_world(app, Principal::LOCAL).await?;
    let viewer = app.store.enter(Principal::LOCAL, world).await?;
    let viewer = viewer.ok_or_else(|| Error::not_found("the world", "choose one"))?;
    let request_id = app.effects.uid().to_string();
    let librarian = Librarian { app: Arc::clone(app), viewer, tool: VAULT, request_id };
    let (tell, changes) = unbounded_channel();
    // Nobody listens any more only when the program ends.
    let watch = app.notes.vault(&app.effects)?.watch(move |change| drop(tell.send(change)))?;
    Ok((librarian, changes, watch))
}

async fn follow(librarian: &Librarian, change: Change) {
    match change {
        Change::Written(path) => written(librarian, &path).await,
        Change::Removed(path) => removed(librarian, &path.to_string()).await,
        Change::Renamed { from, to } => {
            written(librarian, &to).await;
            removed(librarian, &from.to_string()).await;
        }
        Change::FolderRenamed { .. } | Change::Unknown => sync_all(librarian).await,
    }
}

/// Looks at every note. One that cannot be kept does not keep the others from it.
async fn sync_all(librarian: &Librarian) {
    let notes = match vault::on_disk(librarian, |vault| vault.notes()).await {
        Ok(notes) => notes,
        Err(error) => {
            tracing::warn!(%error, "the vault was not read");
            return;
        }
    };
    let total = notes.len();
    // Everybody first, so that notes may speak of those whose notes come later.
    for note in &notes {
        introduced(librarian, &note.path).await;
    }
    let mut present = HashSet::with_capacity(total);
    for note in notes {
        written(librarian, &note.path).await;
        present.insert(note.path.to_string());
    }
    match kept_paths(librarian).await {
        Ok(kept) => {
            for path in kept.iter().filter(|path| !present.contains(*path)) {
                removed(librarian, path).await;
            }
        }
        Err(error) => tracing::warn!(%error, "notes that are gone were not looked for"),
    }
    tracing::info!(notes = total, "the vault is followed");
}

async fn introduced(librarian: &Librarian, path: &NotePath) {
    let work = async {
        let text = read(librarian, path).await?;
        if !vault::is_kept(librarian, path, &text).await? {
            vault::introduce(librarian, path, &Note::read(&text)).await?;
        }
        Ok::<_, Error>(())
    };
    told(work.await, path);
}

async fn written(librarian: &Librarian, path: &NotePath) {
    let work = async { vault::keep(librarian, path, &read(librarian, path).await?).await };
    told(work.await, path);
}

async fn read(librarian: &Librarian, path: &NotePath) -> Result<String> {
    let place = path.clone();
    vault::on_disk(librarian, move |vault| vault.read(&place)).await
}

fn told(outcome: Result<()>, path: &NotePath) {
    if let Err(error) = outcome {
        tracing::info!(%error, %path, "a note was not kept");
    }
}

async fn removed(librarian: &Librarian, path: &str) {
    if let Err(error) = shelve::unshelve(librarian, &vault::rid(path)).await {
        tracing::info!(%error, path, "a note that is gone was not taken away");
    }
}

/// The paths of the notes that are kept.
async fn kept_paths(librarian: &Librarian) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut after = None;
    loop {
        let query = NodeQuery { kinds: vec![word(vault::KIND)?], after, ..NodeQuery::default() };
        let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
        let rids = page.items.iter().map(uri::of_document);
        paths.extend(rids.filter_map(|rid| rid.strip_prefix(vault::PREFIX).map(str::to_owned)));
        after = page.next;
        if after.is_none() {
            return Ok(paths);
        }
    }
}

//! Following the notes folder: everything once, then what changes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lore_core::{Error, Result};
use lore_store::NodeQuery;
use lore_vault::{Change, NotePath, Watch};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::librarian::Librarian;
use super::note::Note;
use super::{shelve, uri, vault};
use crate::App;
use crate::access::{self, Identity};
use crate::play::word;

/// The name under which changes appear in the audit log.
const VAULT: &str = "vault";

/// Keeps the notes as documents of the world named, or of the local user's own, for as long
/// as the program runs. Whoever edits a note by hand finds it a moment later.
pub async fn keep_vault(app: Arc<App>, world: Option<String>) {
    if !app.notes.is_configured() {
        return;
    }
    let started = async {
        let librarian = local_librarian(&app, world.as_deref()).await?;
        let (changes, watch) = listen(&librarian)?;
        Ok::<_, Error>((librarian, changes, watch))
    };
    // It listens before the first look, so that nothing falls in between.
    let (librarian, mut changes, _watch) = match started.await {
        Ok(started) => started,
        Err(error) => {
            tracing::warn!(%error, "the vault is not followed");
            return;
        }
    };
    report(sync_all(&librarian, &|_, _| {}).await);
    while let Some(change) = changes.recv().await {
        follow(&librarian, change).await;
    }
}

/// Brings everything in line with the notes as they are now, and says how many there are.
/// `progress` is told how many of how many are done.
pub async fn index_vault(
    app: &Arc<App>,
    world: Option<&str>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    let librarian = local_librarian(app, world).await?;
    sync_all(&librarian, progress).await
}

async fn local_librarian(app: &Arc<App>, world: Option<&str>) -> Result<Librarian> {
    let viewer = access::enter(app, Identity::LOCAL, world).await?;
    let request_id = app.effects.uid().to_string();
    Ok(Librarian { app: Arc::clone(app), viewer, tool: VAULT, request_id })
}

fn listen(librarian: &Librarian) -> Result<(UnboundedReceiver<Change>, Watch)> {
    let (tell, changes) = unbounded_channel();
    let vault = librarian.app.notes.vault(&librarian.app.effects)?;
    // Nobody listens any more only when the program ends.
    let watch = vault.watch(move |change| drop(tell.send(change)))?;
    Ok((changes, watch))
}

async fn follow(librarian: &Librarian, change: Change) {
    match change {
        Change::Written(path) => written(librarian, &path).await,
        Change::Removed(path) => removed(librarian, &path.to_string()).await,
        Change::Renamed { from, to } => {
            let (old, new) = (from.to_string(), to.to_string());
            let moved = moved(librarian, &old, &new).await;
            written(librarian, &to).await;
            if !moved {
                removed(librarian, &old).await;
            }
        }
        Change::FolderRenamed { .. } | Change::Unknown => {
            report(sync_all(librarian, &|_, _| {}).await);
        }
    }
}

fn report(outcome: Result<usize>) {
    match outcome {
        Ok(notes) => tracing::info!(notes, "the vault is followed"),
        Err(error) => tracing::warn!(%error, "the vault was not read"),
    }
}

/// Looks at every note. One that cannot be kept does not keep the others from it.
async fn sync_all(
    librarian: &Librarian,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    let notes = vault::on_disk(librarian, |vault| vault.notes()).await?;
    let total = notes.len();
    let present: HashSet<String> = notes.iter().map(|note| note.path.to_string()).collect();
    let mut gone = kept(librarian).await?;
    gone.retain(|path, _| !present.contains(path));
    // Everybody first, so that notes may speak of those whose notes come later.
    for note in &notes {
        welcomed(librarian, &note.path, &mut gone).await;
    }
    for (done, note) in notes.iter().enumerate() {
        written(librarian, &note.path).await;
        progress(done + 1, total);
    }
    for path in gone.keys() {
        removed(librarian, path).await;
    }
    Ok(total)
}

/// Makes a note's entity known. A note that is new here and says what one said that is gone
/// is that one, elsewhere.
async fn welcomed(librarian: &Librarian, path: &NotePath, gone: &mut HashMap<String, String>) {
    let work = async {
        let text = read(librarian, path).await?;
        if vault::is_kept(librarian, path, &text).await? {
            return Ok(());
        }
        let digest = vault::digest(&text);
        let from = gone.iter().find(|(_, old)| **old == digest).map(|(from, _)| from.clone());
        if let Some(from) = from
            && moved(librarian, &from, &path.to_string()).await
        {
            gone.remove(&from);
        }
        vault::introduce(librarian, path, &Note::read(&text)).await.map(drop)
    };
    told(work.await, path);
}

/// Whether what was kept of the note at one path is now what is kept of another.
async fn moved(librarian: &Librarian, from: &str, to: &str) -> bool {
    let moved = shelve::rename(librarian, &vault::rid(from), &vault::rid(to)).await;
    moved.unwrap_or_else(|error| {
        tracing::info!(%error, from, to, "a note that moved was not followed");
        false
    })
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

/// The paths of the notes that are kept, with the digests of what they say.
async fn kept(librarian: &Librarian) -> Result<HashMap<String, String>> {
    let mut kept = HashMap::new();
    let mut after = None;
    loop {
        let query = NodeQuery { kinds: vec![word(vault::KIND)?], after, ..NodeQuery::default() };
        let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
        for node in &page.items {
            let digest = node.properties.get(shelve::DIGEST).and_then(Value::as_str);
            if let Some(path) = uri::of_document(node).strip_prefix(vault::PREFIX) {
                kept.insert(path.to_owned(), digest.unwrap_or_default().to_owned());
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(kept);
        }
    }
}

//! Watching the vault: reads all notes once, then follows the changes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lore_core::{Error, Result, Role};
use lore_vault::{Change, NotePath, Vault, Watch};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::linking::Later;
use super::sync::{exchanged, moved, read, removed, sync, sync_all, written};
use super::warnings::note_warnings;
use super::{files, linking};
use crate::App;
use crate::access::{self, Identity, Presence};
use crate::knowledge::librarian::Librarian;

/// The name under which changes appear in the audit log.
const VAULT: &str = "vault";
/// How old a temporary file of a writer must be to count as abandoned.
const WRITING_MAX: Duration = Duration::from_secs(60);
/// How often to check that the folder is still there, since its removal is not reported.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Most changes that are handled together.
const HEARD_MAX: usize = 1_000;
/// How long to wait for further events after a note disappeared: some programs move a note by
/// writing it elsewhere and deleting the original.
const SETTLE: Duration = Duration::from_millis(100);

/// Keeps the stored notes of the named world, or of the local user's own, in line with the vault
/// until the program ends. Edits made by hand are picked up a moment later. If another folder takes
/// the place of the vault, it is followed instead. While there is none, stored notes stay.
pub async fn keep_vault(app: Arc<App>, world: Option<String>) {
    if !app.notes.is_configured() {
        return;
    }
    let mut following: Option<Following> = None;
    let mut trouble = None;
    let librarian = loop {
        match local_librarian(&app, world.as_deref()).await {
            Ok(librarian) => break librarian,
            Err(error) => none(error, &mut trouble),
        };
        tokio::time::sleep(LOOK_AGAIN).await;
    };
    let mut later = Later::default();
    let mut changes = Vec::new();
    loop {
        following = match librarian.app.notes.vault(&librarian).await {
            Ok(vault) => match following.filter(|old| Arc::ptr_eq(&old.vault, &vault)) {
                Some(same) => {
                    follow(&librarian, &changes).await;
                    linking::read_marked(&librarian, &mut later).await;
                    Some(same)
                }
                None => begun(&librarian, vault, &mut trouble).await,
            },
            Err(error) => none(error, &mut trouble),
        };
        changes = next(&mut following).await;
    }
}

/// A watched folder and its pending changes.
struct Following {
    vault: Arc<Vault>,
    changes: UnboundedReceiver<Change>,
    _watch: Watch,
}

/// Starts watching a folder and reads all its notes. The watch starts first, so that no change is
/// missed.
async fn begun(
    librarian: &Librarian,
    vault: Arc<Vault>,
    trouble: &mut Option<String>,
) -> Option<Following> {
    let following = match listen(vault) {
        Ok(following) => following,
        Err(error) => return none(error, trouble),
    };
    *trouble = None;
    clean_up(librarian).await;
    let notes = &librarian.app.notes;
    notes.are_read(Some((0, 0)));
    report(sync_all(librarian, &|done, all| notes.are_read(Some((done, all)))).await);
    notes.are_read(None);
    Some(following)
}

/// Stops following. The reason is logged only when it changes.
fn none(error: Error, trouble: &mut Option<String>) -> Option<Following> {
    let told = error.to_string();
    if trouble.as_ref() != Some(&told) {
        tracing::warn!(code = error.code().meaning().name, "the vault is not followed");
        *trouble = Some(told);
    }
    None
}

/// Returns the next changes together with all that are pending. Returns after [`LOOK_AGAIN`] at the
/// latest, so that the caller can check the folder.
async fn next(following: &mut Option<Following>) -> Vec<Change> {
    let Some(heard) = following else {
        tokio::time::sleep(LOOK_AGAIN).await;
        return Vec::new();
    };
    let mut changes = Vec::new();
    let first = heard.changes.recv_many(&mut changes, HEARD_MAX);
    if let Ok(0) = tokio::time::timeout(LOOK_AGAIN, first).await {
        *following = None;
        return changes;
    }
    let went = |change: &Change| matches!(change, Change::Removed(_) | Change::Renamed { .. });
    if changes.iter().any(went) {
        tokio::time::sleep(SETTLE).await;
        while let Ok(change) = heard.changes.try_recv() {
            changes.push(change);
        }
    }
    changes
}

/// Synchronises everything with the notes as they are now, and returns their number. `progress`
/// receives how many of how many notes are done.
pub async fn index_vault(
    app: &Arc<App>,
    world: Option<&str>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    let librarian = local_librarian(app, world).await?;
    sync_all(&librarian, progress).await
}

/// Synchronises the caller's world with the notes as they are now, and returns their number.
pub async fn sync_vault(librarian: &Librarian) -> Result<usize> {
    librarian.viewer.require(Role::Gm)?;
    sync_all(librarian, &|_, _| {}).await
}

/// Returns the warnings about the stored notes of the named world, or of the local user's own.
pub async fn vault_warnings(app: &Arc<App>, world: Option<&str>) -> Result<Vec<String>> {
    note_warnings(&local_librarian(app, world).await?).await
}

async fn local_librarian(app: &Arc<App>, world: Option<&str>) -> Result<Librarian> {
    let viewer = access::enter(app, Identity::LOCAL, world).await?;
    let request_id = app.effects.uid().to_string();
    let (app, presence) = (Arc::clone(app), Presence::Here);
    Ok(Librarian { app, viewer, presence, tool: VAULT, request_id })
}

fn listen(vault: Arc<Vault>) -> Result<Following> {
    let (tell, changes) = unbounded_channel();
    // Sending fails only after this folder is no longer followed.
    let watch = vault.watch(move |change| drop(tell.send(change)))?;
    Ok(Following { vault, changes, _watch: watch })
}

/// Removes temporary files left behind by killed writers.
async fn clean_up(librarian: &Librarian) {
    let now = SystemTime::from(librarian.app.effects.now());
    let before = now.checked_sub(WRITING_MAX).unwrap_or(SystemTime::UNIX_EPOCH);
    match files::on_disk(librarian, move |vault| vault.remove_leftovers(before)).await {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "unfinished notes were removed"),
        Err(error) => tracing::info!(
            code = error.code().meaning().name,
            "unfinished notes were not looked for"
        ),
    }
}

async fn follow(librarian: &Librarian, changes: &[Change]) {
    let is_rename = |change: &Change| matches!(change, Change::Renamed { .. });
    let mut gone: Vec<&NotePath> = Vec::new();
    for run in changes.chunk_by(|one, next| is_rename(one) && is_rename(next)) {
        match run {
            [Change::Written(path)] => written(librarian, path).await,
            // A note written later in this batch may be the same one at another path.
            [Change::Removed(path)] => gone.push(path),
            // This also finds notes that are no longer in the folder.
            [Change::Folder(folder)] => {
                if let Err(error) = sync(librarian, folder, &|_, _| {}).await {
                    // Links and unreadable folders are skipped; the rest is followed.
                    tracing::info!(
                        code = error.code().meaning().name,
                        "a folder of the vault was not read"
                    );
                }
            }
            [Change::FolderRenamed { .. } | Change::Unknown] => {
                report(sync_all(librarian, &|_, _| {}).await);
            }
            renames => {
                take_away(librarian, &mut gone).await;
                renamed(librarian, renames).await;
            }
        }
    }
    take_away(librarian, &mut gone).await;
}

/// Handles deleted notes, unless they came back meanwhile.
async fn take_away(librarian: &Librarian, gone: &mut Vec<&NotePath>) {
    for path in gone.drain(..) {
        if matches!(read(librarian, path).await, Err(Error::NotFound { .. })) {
            removed(librarian, &path.to_string()).await;
        }
    }
}

/// Follows renamed notes. All documents move before any note is read, because one note may have
/// taken the former name of another.
async fn renamed(librarian: &Librarian, changes: &[Change]) {
    let mut all = Vec::new();
    for change in changes {
        let Change::Renamed { from, to } = change else { continue };
        all.push((from, to, went(librarian, from, to).await));
    }
    for (from, to, went) in all {
        // If it was renamed again, that is the next change.
        if read(librarian, to).await.is_ok() {
            written(librarian, to).await;
        }
        match (went, read(librarian, from).await) {
            // Whatever replaced it has a change of its own.
            (Went::There, _) => {}
            (_, Ok(_)) => written(librarian, from).await,
            (Went::Exchanged, Err(_)) => {}
            (Went::Nowhere, Err(_)) => removed(librarian, &from.to_string()).await,
        }
    }
}

/// What became of the document of a renamed note.
enum Went {
    /// It moved with the note.
    There,
    /// It was swapped with that of the note that had the new name.
    Exchanged,
    /// It stayed: there was none, or another document has the new name.
    Nowhere,
}

async fn went(librarian: &Librarian, from: &NotePath, to: &NotePath) -> Went {
    if moved(librarian, &from.to_string(), &to.to_string()).await {
        return Went::There;
    }
    match exchanged(librarian, from, to).await {
        Ok(true) => Went::Exchanged,
        Ok(false) | Err(_) => Went::Nowhere,
    }
}

fn report(outcome: Result<usize>) {
    match outcome {
        Ok(notes) => tracing::info!(notes, "the vault is followed"),
        Err(error) => {
            tracing::warn!(code = error.code().meaning().name, "the vault was not read");
        }
    }
}

//! Following the notes folder: everything once, then what changes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lore_core::{Error, Result, Role};
use lore_vault::{Change, NotePath, Vault, Watch};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::librarian::Librarian;
use super::vault_sync::{exchanged, moved, read, removed, sync, sync_all, written};
use super::{linking, vault};
use crate::App;
use crate::access::{self, Identity, Presence};

/// The name under which changes appear in the audit log.
const VAULT: &str = "vault";
/// Nobody writes a note for longer.
const WRITING_MAX: Duration = Duration::from_secs(60);
/// How often it is looked whether the folder is still there: nothing tells when it is not.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Most changes that are taken together.
const HEARD_MAX: usize = 1_000;
/// How long is waited for the rest of what happened when notes went: some programs move a note by
/// writing it elsewhere and removing it.
const SETTLE: Duration = Duration::from_millis(100);

/// Keeps the notes as documents of the world named, or of the local user's own, for as long
/// as the program runs. Whoever edits a note by hand finds it a moment later. Where another
/// folder takes the place of the notes, that one is followed; as long as there is none, what is
/// known stays.
pub async fn keep_vault(app: Arc<App>, world: Option<String>) {
    if !app.notes.is_configured() {
        return;
    }
    let librarian = match local_librarian(&app, world.as_deref()).await {
        Ok(librarian) => librarian,
        Err(error) => return tracing::warn!(%error, "the vault is not followed"),
    };
    let mut following: Option<Following> = None;
    let mut trouble = None;
    let mut changes = Vec::new();
    loop {
        following = match librarian.app.notes.vault(&librarian).await {
            Ok(vault) => match following.filter(|old| Arc::ptr_eq(&old.vault, &vault)) {
                Some(same) => {
                    follow(&librarian, &changes).await;
                    linking::read_marked(&librarian).await;
                    Some(same)
                }
                None => begun(&librarian, vault, &mut trouble).await,
            },
            Err(error) => none(error, &mut trouble),
        };
        changes = next(&mut following).await;
    }
}

/// A folder that is followed, and what is heard of it.
struct Following {
    vault: Arc<Vault>,
    changes: UnboundedReceiver<Change>,
    _watch: Watch,
}

/// Begins to follow a folder: everything once. It listens before the first look, so that
/// nothing falls in between.
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

/// Nothing is followed now, which is told once.
fn none(error: Error, trouble: &mut Option<String>) -> Option<Following> {
    let told = error.to_string();
    if trouble.as_ref() != Some(&told) {
        tracing::warn!(%error, "the vault is not followed");
        *trouble = Some(told);
    }
    None
}

/// What happens next, if anything does before it is time to look whether the folder is still
/// there: everything that is known of by then.
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

/// Brings everything in the caller's world in line with the notes as they are now, and says
/// how many there are.
pub async fn sync_vault(librarian: &Librarian) -> Result<usize> {
    librarian.viewer.require(Role::Gm)?;
    sync_all(librarian, &|_, _| {}).await
}

async fn local_librarian(app: &Arc<App>, world: Option<&str>) -> Result<Librarian> {
    let viewer = access::enter(app, Identity::LOCAL, world).await?;
    let request_id = app.effects.uid().to_string();
    let (app, presence) = (Arc::clone(app), Presence::Here);
    Ok(Librarian { app, viewer, presence, tool: VAULT, request_id })
}

fn listen(vault: Arc<Vault>) -> Result<Following> {
    let (tell, changes) = unbounded_channel();
    // Nobody listens any more only when another folder is followed.
    let watch = vault.watch(move |change| drop(tell.send(change)))?;
    Ok(Following { vault, changes, _watch: watch })
}

/// Removes what writers that were killed have left in the vault.
async fn clean_up(librarian: &Librarian) {
    let now = SystemTime::from(librarian.app.effects.now());
    let before = now.checked_sub(WRITING_MAX).unwrap_or(SystemTime::UNIX_EPOCH);
    match vault::on_disk(librarian, move |vault| vault.remove_leftovers(before)).await {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "unfinished notes were removed"),
        Err(error) => tracing::info!(%error, "unfinished notes were not looked for"),
    }
}

async fn follow(librarian: &Librarian, changes: &[Change]) {
    let is_rename = |change: &Change| matches!(change, Change::Renamed { .. });
    let mut gone: Vec<&NotePath> = Vec::new();
    for run in changes.chunk_by(|one, next| is_rename(one) && is_rename(next)) {
        match run {
            [Change::Written(path)] => written(librarian, path).await,
            // What is written after it may be the same note elsewhere.
            [Change::Removed(path)] => gone.push(path),
            // Also what was in it before and is not any more.
            [Change::Folder(folder)] => {
                if let Err(error) = sync(librarian, folder, &|_, _| {}).await {
                    // Links and folders nobody may read are left alone, and the rest is followed.
                    tracing::info!(%error, %folder, "a folder of the vault was not read");
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

/// Takes notes away that are gone, unless they came back since.
async fn take_away(librarian: &Librarian, gone: &mut Vec<&NotePath>) {
    for path in gone.drain(..) {
        if matches!(read(librarian, path).await, Err(Error::NotFound { .. })) {
            removed(librarian, &path.to_string()).await;
        }
    }
}

/// Follows notes to their new names. All go there before any is read: the name of one may have
/// been another's before, which has one more name by now.
async fn renamed(librarian: &Librarian, changes: &[Change]) {
    let mut all = Vec::new();
    for change in changes {
        let Change::Renamed { from, to } = change else { continue };
        all.push((from, to, went(librarian, from, to).await));
    }
    for (from, to, went) in all {
        // One that went on from there is told of next.
        if read(librarian, to).await.is_ok() {
            written(librarian, to).await;
        }
        match (went, read(librarian, from).await) {
            // What came in its place is told of by itself.
            (Went::There, _) => {}
            (_, Ok(_)) => written(librarian, from).await,
            (Went::Exchanged, Err(_)) => {}
            (Went::Nowhere, Err(_)) => removed(librarian, &from.to_string()).await,
        }
    }
}

/// What became of what was kept of a note that has another name.
enum Went {
    /// It went with the note.
    There,
    /// It was exchanged with that of the note whose name it has now.
    Exchanged,
    /// It stayed: there was nothing, or something else is kept under the new name.
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
        Err(error) => tracing::warn!(%error, "the vault was not read"),
    }
}

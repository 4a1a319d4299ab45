//! Following the notes folder: everything once, then what changes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lore_core::{Error, Result, Role};
use lore_vault::{Change, FolderPath, NotePath, Vault, Watch};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::librarian::Librarian;
use super::note::Note;
use super::{kept_notes, shelve, uri, vault, waiting};
use crate::App;
use crate::access::{self, Identity, Presence};

/// The name under which changes appear in the audit log.
const VAULT: &str = "vault";
/// Nobody writes a note for longer.
const WRITING_MAX: Duration = Duration::from_secs(60);
/// How often it is looked whether the folder is still there: nothing tells when it is not.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

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
    let mut change = None;
    loop {
        following = match librarian.app.notes.vault(&librarian).await {
            Ok(vault) => match following.filter(|old| Arc::ptr_eq(&old.vault, &vault)) {
                Some(same) => {
                    if let Some(change) = change {
                        follow(&librarian, change).await;
                    }
                    Some(same)
                }
                None => begun(&librarian, vault, &mut trouble).await,
            },
            Err(error) => none(error, &mut trouble),
        };
        change = next(&mut following).await;
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
    report(sync_all(librarian, &|_, _| {}).await);
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
/// there.
async fn next(following: &mut Option<Following>) -> Option<Change> {
    let Some(heard) = following else {
        tokio::time::sleep(LOOK_AGAIN).await;
        return None;
    };
    match tokio::time::timeout(LOOK_AGAIN, heard.changes.recv()).await {
        Ok(None) => {
            *following = None;
            None
        }
        Ok(change) => change,
        Err(_) => None,
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

async fn follow(librarian: &Librarian, change: Change) {
    match change {
        Change::Written(path) => written(librarian, &path).await,
        Change::Removed(path) => removed(librarian, &path.to_string()).await,
        Change::Renamed { from, to } => renamed(librarian, &from, &to).await,
        // Also what was in it before and is not any more.
        Change::Folder(folder) => {
            if let Err(error) = sync(librarian, &folder, &|_, _| {}).await {
                // Links and folders nobody may read are left alone, and the rest is followed.
                tracing::info!(%error, %folder, "a folder of the vault was not read");
            }
        }
        Change::FolderRenamed { .. } | Change::Unknown => {
            report(sync_all(librarian, &|_, _| {}).await);
        }
    }
}

/// Follows a note to its new name, which may have been another's that has the old one now.
async fn renamed(librarian: &Librarian, from: &NotePath, to: &NotePath) {
    let old = from.to_string();
    let moved = moved(librarian, &old, &to.to_string()).await
        || exchanged(librarian, from, to).await.unwrap_or(false);
    written(librarian, to).await;
    match read(librarian, from).await {
        Ok(_) => written(librarian, from).await,
        Err(_) if moved => {}
        Err(_) => removed(librarian, &old).await,
    }
}

/// Whether two notes had each other's names before, and what was kept of them is told apart
/// accordingly.
async fn exchanged(librarian: &Librarian, one: &NotePath, other: &NotePath) -> Result<bool> {
    let (first, second) = (read(librarian, one).await?, read(librarian, other).await?);
    let crossed = kept_notes::says(librarian, one, &second).await?
        && kept_notes::says(librarian, other, &first).await?;
    if crossed {
        kept_notes::exchange(librarian, &one.to_string(), &other.to_string()).await?;
    }
    Ok(crossed)
}

fn report(outcome: Result<usize>) {
    match outcome {
        Ok(notes) => tracing::info!(notes, "the vault is followed"),
        Err(error) => tracing::warn!(%error, "the vault was not read"),
    }
}

/// Looks at every note.
async fn sync_all(
    librarian: &Librarian,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    sync(librarian, &FolderPath::default(), progress).await
}

/// Looks at every note in a folder and below. One that cannot be kept does not keep the
/// others from it.
async fn sync(
    librarian: &Librarian,
    folder: &FolderPath,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    let place = folder.clone();
    let notes = vault::on_disk(librarian, move |vault| vault.notes_below(&place)).await?;
    let total = notes.len();
    let present: HashSet<String> = notes.iter().map(|note| note.path.to_string()).collect();
    let mut kept = kept(librarian).await?;
    let mut gone = kept.clone();
    kept.retain(|path, _| present.contains(path));
    gone.retain(|path, _| folder.holds(path) && !present.contains(path));
    // Everybody first, so that notes may speak of those whose notes come later.
    for note in &notes {
        welcomed(librarian, &note.path, &kept, &mut gone).await;
    }
    for (done, note) in notes.iter().enumerate() {
        written(librarian, &note.path).await;
        progress(done + 1, total);
    }
    for path in gone.keys() {
        removed(librarian, path).await;
    }
    waiting::settle_all(librarian).await?;
    Ok(total)
}

/// Makes a note's entity known. A note that is new here and says what one said that is gone
/// is that one, elsewhere; and two may have taken each other's names.
async fn welcomed(
    librarian: &Librarian,
    path: &NotePath,
    kept: &HashMap<String, String>,
    gone: &mut HashMap<String, String>,
) {
    let work = async {
        let text = read(librarian, path).await?;
        if kept_notes::is_kept(librarian, path, &text).await? {
            return Ok(());
        }
        let digest = kept_notes::digest(&text);
        let said_so = |kept: &HashMap<String, String>| {
            kept.iter().find(|(_, old)| **old == digest).map(|(from, _)| from.clone())
        };
        if let Some(from) = said_so(gone) {
            if moved(librarian, &from, &path.to_string()).await {
                gone.remove(&from);
            }
        } else if let Some(other) = said_so(kept) {
            exchanged(librarian, path, &NotePath::parse(&other)?).await?;
        }
        kept_notes::introduce(librarian, path, &Note::read(&text)).await.map(drop)
    };
    told(work.await, path);
}

/// Whether what was kept of the note at one path is now what is kept of another.
async fn moved(librarian: &Librarian, from: &str, to: &str) -> bool {
    kept_notes::follow(librarian, from, to).await.unwrap_or_else(|error| {
        tracing::info!(%error, from, to, "a note that moved was not followed");
        false
    })
}

async fn written(librarian: &Librarian, path: &NotePath) {
    let work = async { kept_notes::keep(librarian, path, &read(librarian, path).await?).await };
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
    if let Err(error) = kept_notes::forget(librarian, path).await {
        tracing::info!(%error, path, "a note that is gone was not taken away");
    }
}

/// The paths of the notes that are kept, with the digests of what they say.
async fn kept(librarian: &Librarian) -> Result<HashMap<String, String>> {
    let mut kept = HashMap::new();
    for node in kept_notes::documents(librarian).await? {
        let digest = node.properties.get(shelve::DIGEST).and_then(Value::as_str);
        if let Some(path) = uri::of_document(&node).strip_prefix(kept_notes::PREFIX) {
            kept.insert(path.to_owned(), digest.unwrap_or_default().to_owned());
        }
    }
    Ok(kept)
}

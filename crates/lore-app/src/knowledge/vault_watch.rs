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
/// Most changes that are taken together.
const HEARD_MAX: usize = 1_000;
/// How often notes are read again that were changed while all were read.
const ROUNDS_MAX: usize = 3;

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
/// there: everything that is known of by then.
async fn next(following: &mut Option<Following>) -> Vec<Change> {
    let Some(heard) = following else {
        tokio::time::sleep(LOOK_AGAIN).await;
        return Vec::new();
    };
    let mut changes = Vec::new();
    let heard = heard.changes.recv_many(&mut changes, HEARD_MAX);
    if let Ok(0) = tokio::time::timeout(LOOK_AGAIN, heard).await {
        *following = None;
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
    for run in changes.chunk_by(|one, next| is_rename(one) && is_rename(next)) {
        match run {
            [Change::Written(path)] => written(librarian, path).await,
            [Change::Removed(path)] => removed(librarian, &path.to_string()).await,
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
            renames => renamed(librarian, renames).await,
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
    let mut total = 0;
    for _ in 0..ROUNDS_MAX {
        let round = look_round(librarian, folder, progress).await?;
        total = round.notes;
        if round.changed == 0 {
            break;
        }
    }
    waiting::settle_all(librarian).await?;
    Ok(total)
}

/// What came of looking at the notes of a folder.
struct Round {
    notes: usize,
    /// How many were changed while they were looked at. Whom they are about can be told only
    /// when all others are known as they are then.
    changed: usize,
}

async fn look_round(
    librarian: &Librarian,
    folder: &FolderPath,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Round> {
    let place = folder.clone();
    let notes = vault::on_disk(librarian, move |vault| vault.notes_below(&place)).await?;
    let present: HashSet<String> = notes.iter().map(|note| note.path.to_string()).collect();
    let mut fresh = HashMap::new();
    for note in &notes {
        if let Some(digest) = unkept(librarian, &note.path).await {
            fresh.insert(note.path.to_string(), digest);
        }
    }
    let mut kept = Kept { paths: kept(librarian).await? };
    kept.paths.retain(|path, _| folder.holds(path));
    for note in &notes {
        if let Some(digest) = fresh.get(&note.path.to_string()) {
            told(kept.follow(librarian, &note.path, digest, &present, &fresh).await, &note.path);
        }
    }
    // Everybody first, so that notes may speak of those whose notes come later.
    for note in &notes {
        if let Some(digest) = fresh.get(&note.path.to_string()) {
            welcomed(librarian, &note.path, digest).await;
        }
    }
    let mut changed = 0;
    for (done, note) in notes.iter().enumerate() {
        if let Some(digest) = fresh.get(&note.path.to_string()) {
            let other = kept_unless_changed(librarian, &note.path, digest).await;
            changed += usize::from(other);
        }
        progress(done + 1, notes.len());
    }
    for path in kept.paths.keys().filter(|path| !present.contains(*path)) {
        removed(librarian, path).await;
    }
    Ok(Round { notes: notes.len(), changed })
}

/// The digest of a note that is not kept as it is.
async fn unkept(librarian: &Librarian, path: &NotePath) -> Option<String> {
    let work = async {
        let text = read(librarian, path).await?;
        let kept = kept_notes::is_kept(librarian, path, &text).await?;
        Ok((!kept).then(|| kept_notes::digest(&text)))
    };
    work.await.unwrap_or_else(|error| {
        told(Err(error), path);
        None
    })
}

/// The notes of a folder that are kept.
struct Kept {
    /// Their paths, with the digests of what they say.
    paths: HashMap<String, String>,
}

impl Kept {
    /// Follows a note from where it was. One that is new here and says what another said that is
    /// gone, or says something else now, is that one; and two may have taken each other's names.
    async fn follow(
        &mut self,
        librarian: &Librarian,
        path: &NotePath,
        digest: &String,
        present: &HashSet<String>,
        fresh: &HashMap<String, String>,
    ) -> Result<()> {
        let here = path.to_string();
        let left = |from: &String| match fresh.get(from) {
            Some(now) => now != digest,
            None => !present.contains(from),
        };
        let said_so =
            |(from, old): &(&String, &String)| *old == digest && **from != here && left(from);
        let Some(from) = self.paths.iter().find(said_so).map(|(from, _)| from.clone()) else {
            return Ok(());
        };
        if !self.paths.contains_key(&here) {
            if moved(librarian, &from, &here).await {
                self.paths.remove(&from);
                self.paths.insert(here, digest.clone());
            }
        } else if present.contains(&from)
            && exchanged(librarian, path, &NotePath::parse(&from)?).await?
            && let Some(other) = self.paths.insert(here, digest.clone())
        {
            self.paths.insert(from, other);
        }
        Ok(())
    }
}

/// Makes the entity known of a note that still has this digest.
async fn welcomed(librarian: &Librarian, path: &NotePath, digest: &str) {
    let work = async {
        if let Some(text) = unchanged(librarian, path, digest).await? {
            kept_notes::introduce(librarian, path, &Note::read(&text)).await?;
        }
        Ok(())
    };
    told(work.await, path);
}

/// Keeps a note that still has this digest. Says whether it has another.
async fn kept_unless_changed(librarian: &Librarian, path: &NotePath, digest: &str) -> bool {
    let work = async {
        match unchanged(librarian, path, digest).await? {
            Some(text) => kept_notes::keep(librarian, path, &text).await.map(|()| false),
            None => Ok(true),
        }
    };
    work.await.unwrap_or_else(|error| {
        told(Err(error), path);
        false
    })
}

/// The text of a note, unless somebody changed it since it had this digest.
async fn unchanged(librarian: &Librarian, path: &NotePath, digest: &str) -> Result<Option<String>> {
    let text = read(librarian, path).await?;
    Ok(Some(text).filter(|text| kept_notes::digest(text) == digest))
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

//! Looking at all notes of a folder: whom they are about, what they say, and which are gone.

use std::collections::{HashMap, HashSet};

use lore_core::{Error, Result};
use lore_vault::{FolderPath, NotePath};
use serde_json::Value;

use super::librarian::Librarian;
use super::note::Note;
use super::{
    copies, departed, kept_notes, listed_notes, note, parting, shelve, uri, vault, waiting,
};

/// How often notes are read again that were changed while all were read.
const ROUNDS_MAX: usize = 3;

/// Looks at every note.
pub(super) async fn sync_all(
    librarian: &Librarian,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    sync(librarian, &FolderPath::default(), progress).await
}

/// Looks at every note in a folder and below. One that cannot be kept does not keep the
/// others from it.
pub(super) async fn sync(
    librarian: &Librarian,
    folder: &FolderPath,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<usize> {
    parting::finish_all(librarian).await?;
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
    progress(0, notes.len());
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
    // Everybody first, so that notes may speak of those whose notes come later; and who was known
    // before those who come, to whom they may have left their names.
    let (known, new): (Vec<_>, Vec<_>) =
        notes.iter().partition(|note| kept.paths.contains_key(&note.path.to_string()));
    for note in known.into_iter().chain(new) {
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
    // Notes may be read that others link to by a name they have no more, or have now.
    changed += librarian.catalogue().await?.stale().len();
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
        let mut from: Vec<String> =
            self.paths.iter().filter(said_so).map(|(from, _)| from.clone()).collect();
        from.sort();
        let came = |path: &&String| !self.paths.contains_key(*path);
        let alike = fresh.iter().filter(|(_, other)| *other == digest).map(|(path, _)| path);
        let rivals = alike.filter(came).count();
        let Some(from) = the_same(&from, &here, rivals) else {
            let is_new = !self.paths.contains_key(&here) && rivals <= 1;
            if is_new && let Some(text) = unchanged(librarian, path, digest).await? {
                departed::came_back(librarian, path, &text).await?;
            }
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

/// Which of the notes that went a note is that came, where several came that say the same: the one
/// that is called so, or the only one.
pub(super) fn the_same(went: &[String], here: &str, came: usize) -> Option<String> {
    let mut called_so = went.iter().filter(|path| note::last(path) == note::last(here));
    match (called_so.next(), called_so.next(), went) {
        (Some(one), None, _) => Some(one.clone()),
        (None, _, [one]) if came <= 1 => Some(one.clone()),
        _ => None,
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

/// Whether two notes had each other's names before, and what was kept of them is told apart
/// accordingly.
pub(super) async fn exchanged(
    librarian: &Librarian,
    one: &NotePath,
    other: &NotePath,
) -> Result<bool> {
    let (first, second) = (read(librarian, one).await?, read(librarian, other).await?);
    let crossed = kept_notes::says(librarian, one, &second).await?
        && kept_notes::says(librarian, other, &first).await?;
    if crossed {
        kept_notes::exchange(librarian, &one.to_string(), &other.to_string()).await?;
    }
    Ok(crossed)
}

/// Whether what was kept of the note at one path is now what is kept of another.
pub(super) async fn moved(librarian: &Librarian, from: &str, to: &str) -> bool {
    kept_notes::follow(librarian, from, to).await.unwrap_or_else(|error| {
        tracing::info!(%error, from, to, "a note that moved was not followed");
        false
    })
}

/// Keeps a note that is new or has a new text.
pub(super) async fn written(librarian: &Librarian, path: &NotePath) {
    let work = async {
        let text = read(librarian, path).await?;
        came(librarian, path, &text).await?;
        kept_notes::keep(librarian, path, &text).await
    };
    told(work.await, path);
}

/// Follows a note that is new at its path from where it was, if it says what one said that is gone.
async fn came(librarian: &Librarian, path: &NotePath, text: &str) -> Result<()> {
    let here = path.to_string();
    if shelve::shelved(librarian, &kept_notes::rid(&here)).await?.is_some() {
        return Ok(());
    }
    let mut went = librarian.catalogue().await?.notes_saying(&kept_notes::digest(text));
    let mut present = HashSet::new();
    for from in &went {
        if !matches!(read(librarian, &NotePath::parse(from)?).await, Err(Error::NotFound { .. })) {
            present.insert(from.clone());
        }
    }
    went.retain(|from| !present.contains(from));
    match the_same(&went, &here, 1) {
        Some(from) => {
            moved(librarian, &from, &here).await;
        }
        None => {
            departed::came_back(librarian, path, text).await?;
        }
    }
    Ok(())
}

pub(super) async fn read(librarian: &Librarian, path: &NotePath) -> Result<String> {
    let place = path.clone();
    vault::on_disk(librarian, move |vault| vault.read(&place)).await
}

fn told(outcome: Result<()>, path: &NotePath) {
    if let Err(error) = outcome {
        tracing::info!(%error, %path, "a note was not kept");
    }
}

/// Takes a note away that is gone, unless it was moved and is elsewhere.
pub(super) async fn removed(librarian: &Librarian, path: &str) {
    let work = async {
        match copies::taken_over(librarian, path).await? {
            true => Ok(()),
            false => departed::gone(librarian, path).await,
        }
    };
    if let Err(error) = work.await {
        tracing::info!(%error, path, "a note that is gone was not taken away");
    }
}

/// The paths of the notes that are kept, with the digests of what they say.
async fn kept(librarian: &Librarian) -> Result<HashMap<String, String>> {
    let mut kept = HashMap::new();
    for node in listed_notes::documents(librarian).await? {
        let digest = node.properties.get(shelve::DIGEST).and_then(Value::as_str);
        if let Some(path) = uri::of_document(&node).strip_prefix(kept_notes::PREFIX) {
            kept.insert(path.to_owned(), digest.unwrap_or_default().to_owned());
        }
    }
    Ok(kept)
}

//! The vault, a folder of Markdown notes: reading, writing and listing notes.

use std::path::PathBuf;
use std::sync::Arc;

use lore_core::{Effects, Error, Result, Role, WorldId};
use lore_text::analysis::composed;
use lore_vault::{Encoding, FolderPath, Frontmatter, NotePath, Vault, VaultError, Written};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::moved_by_deleting::Departed;
use super::note::Note;
use super::{note_names, stored_notes, warnings};
use crate::App;
use crate::access::{self, Identity};
use crate::knowledge::documents::shelve;
use crate::knowledge::entities::exactly_named;
use crate::knowledge::librarian::Librarian;

/// The vault and the world it belongs to; other worlds have no vault. The folder is opened when it
/// is first needed, so that everything else works without it, and opened again if it was replaced.
#[derive(Default)]
pub struct Notes {
    place: Option<Place>,
    open: Mutex<Option<Arc<Vault>>>,
    /// Serialises writing notes about web pages.
    pub(in crate::knowledge) writing: tokio::sync::Mutex<()>,
    /// Serialises storing and deleting notes. Each takes several commits, which must not interleave
    /// with those for another version of the same note.
    pub(super) keeping: tokio::sync::Mutex<()>,
    /// Progress of the first reading of all notes, as (done, total); `None` otherwise.
    reading: Mutex<Option<(usize, usize)>>,
    /// Notes that were deleted a short while ago.
    pub(super) departed: Mutex<Departed>,
}

struct Place {
    path: PathBuf,
    /// The name of the world; `None` for the local user's own.
    world: Option<String>,
    /// The world it turned out to be when first needed. Later choices of a world do not change it.
    owner: OnceCell<WorldId>,
}

impl Notes {
    /// A vault in this folder for the named world, or for the local user's own.
    pub fn at(path: PathBuf, world: Option<String>) -> Self {
        let place = Place { path, world, owner: OnceCell::new() };
        Self { place: Some(place), ..Self::default() }
    }

    /// Whether a folder for notes is configured.
    pub(super) fn is_configured(&self) -> bool {
        self.place.is_some()
    }

    /// Fails if a folder is configured and cannot be read.
    pub fn examine(&self, effects: &Effects) -> Result<()> {
        let Some(place) = &self.place else { return Ok(()) };
        let opened = Vault::open(&place.path, effects.clone());
        let listed = FolderPath::parse(".").and_then(|root| opened?.list(&root));
        listed.map(drop).map_err(|error| Error::Precondition {
            message: format!("the vault {} cannot be read: {error}", place.path.display()),
            hint:
                "set VAULT_PATH, or `vault` in lorewell.toml, to a folder of notes that is there \
                   and that this user may read"
                    .into(),
        })
    }

    /// Sets the progress of reading all notes, as (done, total); `None` when all are read.
    pub(super) fn are_read(&self, done: Option<(usize, usize)>) {
        *self.reading.lock() = done;
    }

    /// Whether the vault belongs to a world.
    pub(in crate::knowledge) async fn are_of(&self, app: &App, world: WorldId) -> bool {
        let Some(place) = &self.place else { return false };
        let entered = || async {
            let viewer = access::enter(app, Identity::LOCAL, place.world.as_deref()).await?;
            Ok::<_, Error>(viewer.world)
        };
        matches!(place.owner.get_or_try_init(entered).await, Ok(owner) if *owner == world)
    }

    pub(super) async fn vault(&self, librarian: &Librarian) -> Result<Arc<Vault>> {
        let Some(place) = &self.place else {
            return Err(no_vault(
                "set VAULT_PATH, or `vault` in lorewell.toml, to the folder of notes",
            ));
        };
        if !self.are_of(&librarian.app, librarian.viewer.world).await {
            return Err(no_vault(
                "a folder of notes belongs to one world; start a server for this one with its own \
                 VAULT_PATH",
            ));
        }
        let mut open = self.open.lock();
        if let Some(vault) = open.as_ref().filter(|vault| vault.is_in_place()) {
            return Ok(Arc::clone(vault));
        }
        let effects = librarian.app.effects.clone();
        let vault = Vault::open(&place.path, effects).map_err(|_| Error::Precondition {
            message: "the vault cannot be opened".into(),
            hint: "check that VAULT_PATH is a folder this program may read".into(),
        })?;
        let vault = Arc::new(vault);
        *open = Some(Arc::clone(&vault));
        Ok(vault)
    }
}

fn no_vault(hint: &str) -> Error {
    Error::Precondition { message: "there is no vault".into(), hint: hint.into() }
}

/// Returns how many of how many notes are read, if they are still being read and the caller would
/// see them.
pub async fn notes_read(librarian: &Librarian) -> Option<(usize, usize)> {
    let (app, viewer) = (&librarian.app, &librarian.viewer);
    let reading = *app.notes.reading.lock();
    match reading {
        Some(done) if viewer.sees_gm_side() => {
            app.notes.are_of(app, viewer.world).await.then_some(done)
        }
        _ => None,
    }
}

/// A note that was read.
#[derive(Debug)]
pub struct ReadNote {
    /// Its text.
    pub text: String,
    /// What could not be read in it.
    pub warning: Option<String>,
}

/// Returns the text of a note.
pub async fn read_note(librarian: &Librarian, path: &str) -> Result<ReadNote> {
    let path = as_there(librarian, NotePath::parse(path)?).await?;
    let note = on_disk(librarian, move |vault| vault.read_decoded(&path)).await?;
    let warning = (note.encoding == Encoding::Unknown).then(|| {
        "the note is neither UTF-8 nor UTF-16: what could not be read shows as \u{fffd}, and \
         writing that back is refused; save the note as UTF-8"
            .to_owned()
    });
    Ok(ReadNote { text: note.text, warning })
}

/// Returns the path of a note as it is on disk. Some programs write accents as characters of their
/// own, so the same name may be there in another form.
async fn as_there(librarian: &Librarian, path: NotePath) -> Result<NotePath> {
    let (whole, file) = (path.to_string(), path.file_name());
    if file.is_ascii() {
        return Ok(path);
    }
    let folder = whole.strip_suffix(file).unwrap_or_default().trim_end_matches('/');
    let folder = FolderPath::parse(if folder.is_empty() { "." } else { folder })?;
    let inside = folder.clone();
    let names = match on_disk(librarian, move |vault| vault.list(&inside)).await {
        Ok(names) if !names.iter().any(|name| name == file) => names,
        Ok(_) | Err(Error::NotFound { .. }) => return Ok(path),
        Err(error) => return Err(error),
    };
    let wanted = composed(file);
    match names.into_iter().find(|name| composed(name) == wanted) {
        Some(name) => Ok(NotePath::parse(&folder.note(&name))?),
        None => Ok(path),
    }
}

/// Writes a note and stores it as a document. If the new text has no frontmatter, that of the
/// replaced note is kept.
pub async fn write_note(librarian: &Librarian, path: &str, content: &str) -> Result<WrittenNote> {
    librarian.viewer.require(Role::Gm)?;
    let path = as_there(librarian, NotePath::parse(path)?).await?;
    let (place, text) = (path.clone(), content.to_owned());
    let (old, written) = on_disk(librarian, move |vault| {
        let old = vault.read_decoded(&place).map_or(Encoding::Utf8, |old| old.encoding);
        Ok((old, vault.write(&place, &text, Frontmatter::Keep)?))
    })
    .await?;
    let place = path.clone();
    let text = on_disk(librarian, move |vault| vault.read(&place)).await?;
    stored_notes::keep(librarian, &path, &text).await?;
    let recoded = match old {
        Encoding::Utf8 => None,
        Encoding::Utf16 => Some("the note was UTF-16 and is UTF-8 now".to_owned()),
        Encoding::Unknown => Some("the note was not UTF-8 and is UTF-8 now".to_owned()),
    };
    let warnings = recoded.into_iter().chain(warned(librarian, &path, &text).await?).collect();
    Ok(WrittenNote { became: written, warnings })
}

/// Returns the warnings about a stored note. If it is about no entity because several have its
/// name, they say which.
async fn warned(librarian: &Librarian, path: &NotePath, text: &str) -> Result<Vec<String>> {
    let document = shelve::shelved(librarian, &stored_notes::rid(&path.to_string())).await?;
    let Some(document) = document else { return Ok(Vec::new()) };
    let (mut warnings, note) = (warnings::told(&document), Note::read(text));
    if warnings.is_empty() || note.type_name().is_none() || stored_notes::told(&document).is_some()
    {
        return Ok(warnings);
    }
    for name in note_names::names(path, &note).iter().take(1) {
        let known = exactly_named(librarian, name).await?.into_iter();
        warnings.extend(known.map(|entity| format!("{name} is known as {}", entity.uri)));
    }
    Ok(warnings)
}

/// The result of writing a note.
#[derive(Debug)]
pub struct WrittenNote {
    /// Whether the note was created or replaced another one.
    pub became: Written,
    /// Warnings about properties that were probably not meant as they are.
    pub warnings: Vec<String>,
}

/// Lists the names of the notes in a folder.
pub async fn list_notes(librarian: &Librarian, folder: &str) -> Result<Vec<String>> {
    let folder = FolderPath::parse(folder).map_err(|error| {
        let hint = "give a folder inside the vault, such as People, or . for the vault itself";
        Error::invalid("folder", format!("is refused: {error}"), hint)
    })?;
    on_disk(librarian, move |vault| vault.list(&folder)).await
}

/// Runs blocking file operations on a separate thread.
pub(in crate::knowledge) async fn on_disk<T: Send + 'static>(
    librarian: &Librarian,
    work: impl FnOnce(&Vault) -> std::result::Result<T, VaultError> + Send + 'static,
) -> Result<T> {
    let vault = librarian.app.notes.vault(librarian).await?;
    let done = tokio::task::spawn_blocking(move || work(&vault)).await;
    Ok(done.map_err(|_| Error::Bug { what: "the vault".into() })??)
}

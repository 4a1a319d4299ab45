//! The notes folder: reading, writing and listing notes, and keeping them as documents.

use std::path::PathBuf;
use std::sync::Arc;

use lore_core::{Effects, Error, Properties, Result, Role};
use lore_vault::{FolderPath, Frontmatter, NotePath, Vault, VaultError, Written};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::changes::{self, Registration};
use super::entities::{self, Entity};
use super::librarian::Librarian;
use super::note::Note;
use super::relations::{self, NewRelation, ReadIn};
use super::shelve::{self, NewDocument};
use super::submission::{self, Submission};
use super::tuning::{self, TUNING};
use super::uri;

/// Node kind of a note.
pub(super) const KIND: &str = "vault_note";
/// Start of the names of notes.
pub(super) const PREFIX: &str = "vault:";
/// The source of notes.
const SOURCE: &str = "vault";
/// The property that holds the URI of the entity a note is about.
const ABOUT: &str = "about";
/// The properties that only notes have.
pub(super) const FURTHER: [&str; 2] = [ABOUT, TUNING];
/// How sure what a note says of itself is.
const SURE: f64 = 1.0;

/// Where the notes are. The folder is opened when it is first needed, so that everything
/// else works without it.
#[derive(Default)]
pub struct Notes {
    path: Option<PathBuf>,
    open: Mutex<Option<Arc<Vault>>>,
}

impl Notes {
    /// Notes in this folder.
    pub fn at(path: PathBuf) -> Self {
        Self { path: Some(path), open: Mutex::default() }
    }

    /// Whether there is a folder for notes at all.
    pub fn is_configured(&self) -> bool {
        self.path.is_some()
    }

    pub(super) fn vault(&self, effects: &Effects) -> Result<Arc<Vault>> {
        let Some(path) = &self.path else {
            return Err(Error::Precondition {
                message: "there is no vault".into(),
                hint: "set VAULT_PATH, or `vault` in lorewell.toml, to the folder of notes".into(),
            });
        };
        let mut open = self.open.lock();
        if let Some(vault) = &*open {
            return Ok(Arc::clone(vault));
        }
        let vault = Vault::open(path, effects.clone()).map_err(|_| Error::Precondition {
            message: "the vault cannot be opened".into(),
            hint: "check that VAULT_PATH is a folder this program may read".into(),
        })?;
        let vault = Arc::new(vault);
        *open = Some(Arc::clone(&vault));
        Ok(vault)
    }
}

/// The text of a note.
pub async fn read_note(librarian: &Librarian, path: &str) -> Result<String> {
    let path = NotePath::parse(path)?;
    on_disk(librarian, move |vault| vault.read(&path)).await
}

/// Writes a note and keeps it as a document. Properties of a note that is replaced by one
/// without any are kept.
pub async fn write_note(librarian: &Librarian, path: &str, content: &str) -> Result<Written> {
    librarian.viewer.require(Role::Gm)?;
    let path = NotePath::parse(path)?;
    let (place, text) = (path.clone(), content.to_owned());
    let written =
        on_disk(librarian, move |vault| vault.write(&place, &text, Frontmatter::Keep)).await?;
    let place = path.clone();
    let text = on_disk(librarian, move |vault| vault.read(&place)).await?;
    keep(librarian, &path, &text).await?;
    Ok(written)
}

/// Writes the note about a page that was taken in; none where there is no vault, or where
/// the caller may not write to it. Pages with the same title get notes of their own.
pub(super) async fn write_source(
    librarian: &Librarian,
    folder: &str,
    page: &Submission,
    names: &[&str],
) -> Result<Option<String>> {
    if !librarian.app.notes.is_configured() || librarian.viewer.role < Role::Gm {
        return Ok(None);
    }
    let title = file_title(&page.title);
    let mark: String =
        page.rid.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
    for name in [title.clone(), format!("{title} {mark}")] {
        let path = format!("{folder}/{name}.md");
        let other = match read_note(librarian, &path).await {
            Ok(text) => Note::read(&text).first("rid") != Some(page.rid.as_str()),
            Err(Error::NotFound { .. }) => false,
            Err(error) => return Err(error),
        };
        if !other {
            let text = source_note(page, names, &librarian.app.effects.now().to_string());
            write_note(librarian, &path, &text).await?;
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// A title as the name of a file.
fn file_title(title: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || " -_.,'()".contains(c) { c } else { ' ' };
    let plain: String = title.chars().map(plain).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(60).collect();
    let short = short.trim_matches(['.', ' ', '-']).to_owned();
    if short.is_empty() { "Page".to_owned() } else { short }
}

fn source_note(page: &Submission, names: &[&str], now: &str) -> String {
    let quoted = |text: &str| {
        let text: String = text.chars().filter(|c| !c.is_control()).take(500).collect();
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "'"))
    };
    let mut note = format!(
        "---\n\"@type\": WebSource\nname: {}\nurl: {}\ndomain: {}\nrid: {}\n",
        quoted(&page.title),
        quoted(&page.url),
        quoted(&submission::domain(&page.url)),
        quoted(&page.rid),
    );
    if let Some(who) = &page.submitted_by {
        note.push_str(&format!("submittedBy: {}\n", quoted(who)));
    }
    note.push_str(&format!("ingestedAt: {}\n---\n# {}\n\n", quoted(now), page.title));
    if let Some(text) = &page.description {
        note.push_str(&format!("{}\n\n", text.trim()));
    }
    if !names.is_empty() {
        note.push_str("## Mentions\n\n");
        for name in names {
            note.push_str(&format!("- [[{}]]\n", name.replace(['[', ']', '|', '\n'], " ")));
        }
    }
    note
}

/// The names of the notes in a folder.
pub async fn list_notes(librarian: &Librarian, folder: &str) -> Result<Vec<String>> {
    let folder = FolderPath::parse(folder)?;
    on_disk(librarian, move |vault| vault.list(&folder)).await
}

/// Disks may take their time, so the work is done beside everything else.
pub(super) async fn on_disk<T: Send + 'static>(
    librarian: &Librarian,
    work: impl FnOnce(&Vault) -> std::result::Result<T, VaultError> + Send + 'static,
) -> Result<T> {
    let vault = librarian.app.notes.vault(&librarian.app.effects)?;
    let done = tokio::task::spawn_blocking(move || work(&vault)).await;
    Ok(done.map_err(|_| Error::Bug { what: "the vault".into() })??)
}

/// Keeps a note as a document, unless it is kept already as it is. A note about an entity
/// makes it known, with its relations; what cannot be understood of them is left out.
pub(super) async fn keep(librarian: &Librarian, path: &NotePath, text: &str) -> Result<()> {
    if is_kept(librarian, path, text).await? {
        return Ok(());
    }
    let note = Note::read(text);
    let rid = rid(&path.to_string());
    let entity = introduce(librarian, path, &note).await?;
    let further = further(path, &note, entity.as_ref());
    if let Some(entity) = &entity {
        let read_in = ReadIn { source: SOURCE, rid: Some(&rid) };
        let items: Vec<NewRelation> = note.relations(&entity.uri, SURE);
        for outcome in relations::relate(librarian, &items, read_in).await? {
            tracing::debug!(?outcome, %path, "a relation of a note");
        }
    }
    let document = NewDocument {
        rid,
        kind: KIND,
        source: SOURCE.to_owned(),
        title: path.title().to_owned(),
        url: note.first("url").map(str::to_owned),
        author: None,
        written: None,
        body: note.body.to_owned(),
        digest: digest(text),
        further,
        mentions: entity.map(|entity| entity.node.id).into_iter().collect(),
    };
    shelve::shelve(librarian, &document).await?;
    Ok(())
}

/// What is remembered with a note besides its text.
fn further(path: &NotePath, note: &Note<'_>, entity: Option<&Entity>) -> Properties {
    let about = entity.map(|entity| (ABOUT.to_owned(), json!(entity.uri)));
    let tuning = tuning::told(&path.to_string(), note).map(|told| (TUNING.to_owned(), told));
    about.into_iter().chain(tuning).collect()
}

/// Whether a note is kept as it is now, under the title it has now.
pub(super) async fn is_kept(librarian: &Librarian, path: &NotePath, text: &str) -> Result<bool> {
    let old = shelve::shelved(librarian, &rid(&path.to_string())).await?;
    Ok(old.is_some_and(|old| {
        old.properties.get(shelve::DIGEST) == Some(&json!(digest(text)))
            && old.name == shelve::title(path.title(), "")
    }))
}

/// Makes the entity known that a note is about, if it is about one. A note that was about an
/// entity before still is, and gives it its present name.
pub(super) async fn introduce(
    librarian: &Librarian,
    path: &NotePath,
    note: &Note<'_>,
) -> Result<Option<Entity>> {
    let Some(entity_type) = note.entity_type() else { return Ok(None) };
    let told = note.first("uri").filter(|uri| uri.starts_with(uri::PREFIX)).map(str::to_owned);
    let known = about(librarian, path).await?;
    let registration = Registration {
        name: note.first("name").unwrap_or_else(|| path.title()).to_owned(),
        entity_type,
        aliases: note.all("aliases").to_vec(),
        description: None,
        uri: told.or_else(|| known.clone()),
    };
    match named(librarian, &registration, known.as_deref()).await {
        Ok(entity) => Ok(Some(entity)),
        Err(error) if error.code().meaning().retry => Err(error),
        // The note is a document all the same.
        Err(error) => {
            tracing::info!(%error, %path, "a note's entity was not registered");
            Ok(None)
        }
    }
}

async fn named(
    librarian: &Librarian,
    registration: &Registration,
    known: Option<&str>,
) -> Result<Entity> {
    let entity = changes::register(librarian, registration).await?.entity;
    if known != Some(entity.uri.as_str()) {
        return Ok(entity);
    }
    changes::rename(librarian, &entity.uri, &registration.name, "its note is called so").await
}

/// The URI of the entity that the note at a path was about when it was last kept, as long
/// as there is that entity.
async fn about(librarian: &Librarian, path: &NotePath) -> Result<Option<String>> {
    let document = shelve::shelved(librarian, &rid(&path.to_string())).await?;
    let about = document.and_then(|node| Some(node.properties.get(ABOUT)?.clone()));
    let Some(uri) = about.as_ref().and_then(Value::as_str) else { return Ok(None) };
    Ok(entities::by_uri(librarian, uri).await?.map(|entity| entity.uri))
}

pub(super) fn digest(text: &str) -> String {
    uri::hex(&Sha256::digest(text))
}

/// What the note at a path is called.
pub(super) fn rid(path: &str) -> String {
    format!("{PREFIX}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_make_good_file_names() {
        assert_eq!(file_title("../A: \"B\" / C?"), "A B C");
        assert_eq!(file_title("///"), "Page");
        assert!(file_title(&"x".repeat(500)).len() <= 60);
    }
}

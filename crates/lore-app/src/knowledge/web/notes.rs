//! Notes about ingested web pages: where they are written, and how they are found again.

use lore_core::{Error, Result, Role};
use lore_vault::{FolderPath, NotePath};

use super::note_text;
use super::submission::Submission;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::vault::files::{ReadNote, on_disk, read_note, write_note};
use crate::knowledge::vault::note::Note;
use crate::knowledge::vault::note_lists;

/// The default folder for notes about web pages.
const SOURCES_FOLDER: &str = "Sources";

/// Writes the note about an ingested page and returns its path. Returns `None` if the world has no
/// vault or the caller may not write to it. Pages with the same title get separate notes.
pub(super) async fn write_source(
    librarian: &Librarian,
    folder: &FolderPath,
    page: &Submission,
    names: &[&str],
) -> Result<Option<String>> {
    let world = librarian.viewer.world;
    if librarian.viewer.role < Role::Gm || !librarian.app.notes.are_of(&librarian.app, world).await
    {
        return Ok(None);
    }
    // One at a time, so that two pages with the same title do not overwrite each other's note.
    let _turn = librarian.app.notes.writing.lock().await;
    let title = file_title(&page.title);
    let mark: String =
        page.rid.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
    for name in [title.clone(), format!("{title} {mark}")] {
        let claimed = match claimed(librarian, folder, &format!("{name}.md"), page).await {
            Ok(claimed) => claimed,
            // Some systems do not allow this file name.
            Err(Error::Invalid { .. }) => None,
            Err(error) => return Err(error),
        };
        if let Some(path) = claimed {
            let now = librarian.app.effects.now().to_string();
            let text = note_text::with_mentions(&note_text::note(page, &now), names);
            write_note(librarian, &path, &text).await?;
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Returns the path for the note about a page, if this file name is free or its note is about that
/// page. A name is taken by any other that some disks cannot tell from it.
async fn claimed(
    librarian: &Librarian,
    folder: &FolderPath,
    file: &str,
    page: &Submission,
) -> Result<Option<String>> {
    let inside = folder.clone();
    let listed = on_disk(librarian, move |vault| vault.list(&inside)).await;
    let names = match listed {
        Ok(names) => names,
        Err(Error::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let key = folded(file);
    let alike: Vec<String> = names.into_iter().filter(|name| folded(name) == key).collect();
    if alike.is_empty() {
        let path = folder.note(file);
        let place = NotePath::parse(&path)?;
        let free = on_disk(librarian, move |vault| vault.reserve(&place)).await?;
        return Ok(free.then_some(path));
    }
    for name in alike {
        let path = folder.note(&name);
        if note_about(librarian, &path, page).await?.is_some() {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The form in which file names are compared. Coarser than any disk, which is harmless.
fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    lore_text::analysis::fold(name, &mut folded);
    folded
}

/// Returns the folder for the note about a page.
pub(super) fn source_folder(given: Option<&str>) -> Result<FolderPath> {
    let checked = FolderPath::parse(given.unwrap_or(SOURCES_FOLDER));
    let checked = checked.and_then(|folder| folder.check_portable().map(|()| folder));
    checked.map_err(|error| {
        let hint = "give a folder inside the vault, such as Sources";
        Error::invalid("vault_folder", format!("is refused: {error}"), hint)
    })
}

/// Updates the note about a page that changed from `old`, and returns its path. A note that is gone
/// or about something else by now is left alone.
pub(super) async fn refresh_source(
    librarian: &Librarian,
    old: &Submission,
    page: &Submission,
) -> Result<Option<String>> {
    if !librarian.app.notes.are_of(&librarian.app, librarian.viewer.world).await {
        return Ok(page.note_path.clone());
    }
    let Some(source) = source_note(librarian, page).await? else {
        return Ok(page.note_path.clone());
    };
    if !source.is_whole {
        return Ok(Some(source.path));
    }
    let now = librarian.app.effects.now().to_string();
    let text = note_text::refreshed(&source.text, old, page, &now);
    write_note(librarian, &source.path, &text).await?;
    Ok(Some(source.path))
}

/// Adds entities to the list of mentions in the note about a page, if there still is one.
pub(super) async fn add_mentions(
    librarian: &Librarian,
    page: &Submission,
    names: &[&str],
) -> Result<()> {
    if names.is_empty() || !librarian.app.notes.are_of(&librarian.app, librarian.viewer.world).await
    {
        return Ok(());
    }
    let Some(source) = source_note(librarian, page).await? else { return Ok(()) };
    let text = note_text::with_mentions(&source.text, names);
    if text != source.text && source.is_whole {
        write_note(librarian, &source.path, &text).await?;
    }
    Ok(())
}

/// Returns the current path of the note about a page, if there still is one.
pub(super) async fn source_path(
    librarian: &Librarian,
    page: &Submission,
) -> Result<Option<String>> {
    if !librarian.app.notes.are_of(&librarian.app, librarian.viewer.world).await {
        return Ok(page.note_path.clone());
    }
    Ok(source_note(librarian, page).await?.map(|source| source.path))
}

/// A note about a page.
struct SourceNote {
    path: String,
    text: String,
    /// Whether all of it could be read. What could not would be lost by writing it.
    is_whole: bool,
}

/// Finds the note about a page where it was written, or wherever it was moved since.
async fn source_note(librarian: &Librarian, page: &Submission) -> Result<Option<SourceNote>> {
    let Some(first) = &page.note_path else { return Ok(None) };
    if let Some(found) = note_about(librarian, first, page).await? {
        return Ok(Some(found));
    }
    for path in note_lists::about_page(librarian, &page.url).await? {
        if let Some(found) = note_about(librarian, &path, page).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the note at a path if it is about the page.
async fn note_about(
    librarian: &Librarian,
    path: &str,
    page: &Submission,
) -> Result<Option<SourceNote>> {
    match read_note(librarian, path).await {
        Ok(ReadNote { text, warning })
            if Note::read(&text).first("rid") == Some(page.rid.as_str()) =>
        {
            Ok(Some(SourceNote { path: path.to_owned(), text, is_whole: warning.is_none() }))
        }
        Ok(_) | Err(Error::NotFound { .. } | Error::Invalid { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Turns a title into a file name.
fn file_title(title: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || " -_.,'()".contains(c) { c } else { ' ' };
    let plain: String = title.chars().map(plain).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(60).collect();
    let short = short.trim_matches(['.', ' ', '-']).to_owned();
    if short.is_empty() { "Page".to_owned() } else { short }
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

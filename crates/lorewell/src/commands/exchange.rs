//! `lorewell import` and `lorewell export`: exchange of memory and worlds with other programs.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use lore_app::App;
use lore_app::memory::exchange::{self, Exported, Load, chats, kairn, notes, reference};
use lore_app::memory::{MemoryCall, Refusal};
use lore_core::{Error, Timestamp};
use lore_remote::world_anvil::Archive;
use lore_store::LeftOut;

use crate::cli::{Export, ExportFormat, Import, ImportFormat};
use crate::commands::{archive, sync};
use crate::config::Settings;
use crate::{output, setup};

/// Imports a file or folder. Running it again continues where it stopped.
pub(crate) async fn import(settings: &Settings, command: Import) -> anyhow::Result<()> {
    match command {
        Import::Memory { format, path } => import_memory(settings, format, &path).await,
        Import::WorldAnvil { path } => {
            let archive = Archive::of(archive::files(&path)?).map_err(output::advised)?;
            for file in archive.damaged() {
                output::line(format!("damaged, so left out: {file}"));
            }
            if archive.unknown() > 0 {
                output::line(format!(
                    "{} files are of no known kind and are left out",
                    archive.unknown()
                ));
            }
            let app = setup::open_app(settings).await?;
            sync::copy(app, settings, "import world-anvil", None, &archive).await
        }
    }
}

async fn import_memory(
    settings: &Settings,
    format: ImportFormat,
    path: &Path,
) -> anyhow::Result<()> {
    let load = read(format, path)?;
    let app = setup::open_app(settings).await?;
    let call = memory_call(app, settings, "import memory").await?;
    let done = exchange::import(&call, &load, &output::progress).await.map_err(advised)?;
    output::end_progress();
    output::line(format!(
        "imported {} new, {} known already, {} brought up to date, {} links ({} lead nowhere), \
         {} secrets masked",
        done.made, done.known, done.updated, done.tied, done.loose, done.masked
    ));
    if !done.disputed.is_empty() {
        output::line(format!(
            "{} were changed here and there since they were exported, and the newer is kept: {}",
            done.disputed.len(),
            some_of(&done.disputed)
        ));
    }
    if load.unreadable > 0 {
        output::line(format!("{} entries could not be read and were left out", load.unreadable));
    }
    Ok(())
}

/// The first names of a list, as many as a reader can take in.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown}, …") } else { shown }
}

fn read(format: ImportFormat, path: &Path) -> anyhow::Result<Load> {
    let mut load = Load { place: place(format, path)?, ..read_as(format, path)? };
    for record in &mut load.records {
        let file = record.file.as_ref().filter(|_| path.is_dir());
        record.written = written(&file.map_or_else(|| path.to_owned(), |file| path.join(file)));
    }
    if load.records.is_empty() && load.unreadable > 0 {
        anyhow::bail!(
            "nothing of {} can be read in this format ({} entries)\n  \
             try: check the path, or name another format",
            path.display(),
            load.unreadable
        );
    }
    Ok(load)
}

fn read_as(format: ImportFormat, path: &Path) -> anyhow::Result<Load> {
    match format {
        ImportFormat::ClaudeCode => {
            let is_session = |ending: &str| ending.eq_ignore_ascii_case("jsonl");
            Ok(chats::claude_code(&files(path, is_session)?))
        }
        ImportFormat::Chatgpt => {
            let file =
                if path.is_dir() { path.join("conversations.json") } else { path.to_owned() };
            if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
                anyhow::bail!(
                    "{} is an archive\n  try: unpack it and import the folder",
                    file.display()
                );
            }
            chats::chatgpt(&text(&file)?).map_err(output::advised)
        }
        ImportFormat::Markdown => {
            let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
            if path.is_file() && !ending.is_some_and(|ending| notes::is_note(&ending)) {
                anyhow::bail!(
                    "{} is no Markdown note\n  try: name a folder, or a file that ends in .md",
                    path.display()
                );
            }
            Ok(notes::read(&folder_name(path)?, &files(path, notes::is_note)?))
        }
        ImportFormat::Jsonl => Ok(reference::read(&text(path)?)),
        ImportFormat::Kairn => {
            let file = if path.is_dir() { path.join("kairn.db") } else { path.to_owned() };
            if !file.exists() {
                anyhow::bail!(
                    "there is no {}\n  try: name Kairn's folder or its kairn.db",
                    file.display()
                );
            }
            let tables = lore_sqlite::foreign_tables(&file, &kairn::TABLES)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            Ok(kairn::read(&tables))
        }
    }
}

/// When a file was last modified, if known.
fn written(file: &Path) -> Option<Timestamp> {
    Timestamp::try_from(fs::metadata(file).ok()?.modified().ok()?).ok()
}

/// The text of a file. Bytes that are not UTF-8 become replacement characters and do not prevent
/// the import.
fn text(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).with_context(|| unreadable(path))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

fn unreadable(path: &Path) -> String {
    format!("{} cannot be read\n  try: check the path and its permissions", path.display())
}

/// The location of a source whose records are identified only by name; it makes the names unique.
fn place(format: ImportFormat, path: &Path) -> anyhow::Result<Option<String>> {
    match format {
        ImportFormat::Markdown | ImportFormat::Jsonl => {
            let path = path.canonicalize().with_context(|| unreadable(path))?;
            Ok(Some(path.display().to_string()))
        }
        ImportFormat::ClaudeCode | ImportFormat::Chatgpt | ImportFormat::Kairn => Ok(None),
    }
}

/// The name of a folder, independent of the path by which it is reached.
fn folder_name(path: &Path) -> anyhow::Result<String> {
    let path = path.canonicalize().with_context(|| unreadable(path))?;
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
    Ok(name.unwrap_or_else(|| "memory".into()))
}

/// The files with a matching extension in a folder and its subfolders, sorted by path; or the one
/// file that `path` names. Names that begin with a dot are skipped.
fn files(path: &Path, is_one: impl Fn(&str) -> bool) -> anyhow::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(next) = open.pop() {
        if next.is_dir() {
            for entry in fs::read_dir(&next).with_context(|| unreadable(&next))? {
                let entry = entry?;
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                // Links are skipped: one could lead out of the folder, or in circles.
                if !is_hidden && !entry.file_type()?.is_symlink() {
                    open.push(entry.path());
                }
            }
        } else if next == path
            || next.extension().is_some_and(|ending| is_one(&ending.to_string_lossy()))
        {
            let inside =
                next.strip_prefix(path).ok().filter(|inside| inside.components().count() > 0);
            let name =
                inside.map_or_else(|| next.file_name().map(PathBuf::from), |p| Some(p.into()));
            let name = name.unwrap_or_default().to_string_lossy().replace('\\', "/");
            found.push((name, text(&next)?));
        }
    }
    found.sort();
    Ok(found)
}

/// Exports everything that the local user sees in their world.
pub(crate) async fn export(settings: &Settings, command: Export) -> anyhow::Result<()> {
    let Export::Memory { format, path, force } = command;
    if format == ExportFormat::Markdown && !force {
        may_be_filled(&path)?;
    }
    let app = setup::open_without_services(settings).await?;
    let call = memory_call(app, settings, "export memory").await?;
    let left_out = LeftOut::default();
    let written = left_out.during(async {
        match format {
            ExportFormat::Jsonl => {
                export_lines(&call, &path).await.map(|count| (count, Vec::new()))
            }
            ExportFormat::Markdown => export_notes(&call, &path, &left_out).await,
        }
    });
    let (count, edited) = written.await.inspect(|_| output::end_progress())?;
    for what in left_out.told() {
        output::aside(format!("damaged, so left out: {what}\n  try: lorewell doctor"));
    }
    output::line(format!("exported {count} things to {}", path.display()));
    if !edited.is_empty() {
        output::line(format!(
            "{} notes were changed by hand and are left as they are: {}\n  \
             try: import them first, or delete those whose changes you do not want",
            edited.len(),
            some_of(&edited)
        ));
    }
    Ok(())
}

/// Fails for a non-empty folder without notes of an earlier export, so that notes are not scattered
/// among other files.
fn may_be_filled(folder: &Path) -> anyhow::Result<()> {
    if !folder.exists() || fs::read_dir(folder)?.next().is_none() {
        return Ok(());
    }
    if own_pages(folder)?.is_empty() {
        anyhow::bail!(
            "{} holds other things, and no notes of an earlier export\n  \
             try: name a folder of its own, or add --force",
            folder.display()
        );
    }
    Ok(())
}

/// Writes a note for each exported item and removes earlier notes of items that are gone or
/// renamed.
///
/// Files of others stay, and so do notes that were edited by hand; the names of the latter are
/// returned, with the number of items. If damaged rows were left out of the export, no note is
/// removed as gone, because it may be the last good copy.
async fn export_notes(
    call: &MemoryCall,
    folder: &Path,
    left_out: &LeftOut,
) -> anyhow::Result<(usize, Vec<String>)> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut old = own_pages(folder)?;
    let mut edited = Vec::new();
    let write = |exported: &Exported| {
        let (name, text) = exchange::markdown(exported);
        let before = exchange::note_id(&text).and_then(|id| old.remove(id)).unwrap_or_default();
        let kept = clear(folder, before, Some(exported))?;
        if !kept.contains(&name) {
            fs::write(folder.join(name), text)?;
        }
        edited.extend(kept);
        Ok(())
    };
    let count = each(call, write).await?;
    if left_out.told().is_empty() {
        for before in old.into_values() {
            edited.extend(clear(folder, before, None)?);
        }
    }
    Ok((count, edited))
}

/// Removes the notes of one item, except for those that were edited by hand, which it returns.
fn clear(folder: &Path, names: Vec<String>, now: Option<&Exported>) -> io::Result<Vec<String>> {
    let mut kept = Vec::new();
    for name in names {
        let file = folder.join(&name);
        let page = fs::read(&file)?;
        if exchange::may_be_replaced(&String::from_utf8_lossy(&page), now) {
            fs::remove_file(file)?;
        } else {
            kept.push(name);
        }
    }
    Ok(kept)
}

/// The file names of earlier exported notes in a folder, by the id of the item.
fn own_pages(folder: &Path) -> anyhow::Result<HashMap<String, Vec<String>>> {
    let mut pages: HashMap<String, Vec<String>> = HashMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".md") || !entry.file_type()?.is_file() {
            continue;
        }
        let page = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
        let id = exchange::note_id(&page).filter(|id| name.ends_with(&format!("{id}.md")));
        if let Some(id) = id.map(str::to_owned) {
            pages.entry(id).or_default().push(name);
        }
    }
    Ok(pages)
}

/// Writes JSON lines to an unnamed temporary file and puts the result in place when it is complete,
/// so that an interrupted export leaves nothing behind.
async fn export_lines(call: &MemoryCall, path: &Path) -> anyhow::Result<usize> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if !folder.is_dir() {
        anyhow::bail!("there is no folder {}\n  try: make it first", folder.display());
    }
    let mut lines = BufWriter::new(tempfile::tempfile_in(folder)?);
    let write = |exported: &Exported| {
        exchange::relations(exported).iter().try_for_each(|line| writeln!(lines, "{line}"))
    };
    let count = each(call, write).await?;
    let mut whole = lines.into_inner().map_err(|error| anyhow::anyhow!("{error}"))?;
    whole.rewind()?;
    let mut named = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(&mut whole, &mut named)?;
    named.persist(path).with_context(|| path.display().to_string())?;
    Ok(count)
}

async fn each(
    call: &MemoryCall,
    mut write: impl FnMut(&Exported) -> io::Result<()> + Send,
) -> anyhow::Result<usize> {
    let mut done = 0;
    let exported = exchange::export(call, |page, total| {
        for one in page {
            let broken = |error: io::Error| Error::Bug { what: format!("writing: {error}") };
            write(one).map_err(broken)?;
            done += 1;
        }
        output::progress(done, usize::try_from(total).unwrap_or(usize::MAX));
        Ok(())
    });
    exported.await.map_err(advised)
}

async fn memory_call(
    app: Arc<App>,
    settings: &Settings,
    tool: &'static str,
) -> anyhow::Result<MemoryCall> {
    let viewer = setup::local_viewer(&app, settings).await?;
    let request_id = app.effects.uid().to_string();
    let (arrived, reading_only) = (app.arrival(), settings.selection.is_read_only());
    Ok(MemoryCall { app, viewer, tool, request_id, arrived, reading_only })
}

fn advised(refusal: Refusal) -> anyhow::Error {
    anyhow::anyhow!("{refusal}\n  try: {}", refusal.hint())
}

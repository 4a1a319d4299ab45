//! `lorewell scan`: reads source repositories into the world.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use lore_app::App;
use lore_app::access::Presence;
use lore_app::knowledge::Librarian;
use lore_app::knowledge::code::{self, Done, NewRepository, Origin, Scanned, Standing};

use super::signal;
use crate::cli::Scan;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// The most skipped files that are listed.
const SKIPPED_MAX: usize = 50;

/// Adds a repository and scans it; without a source, scans all known repositories.
pub(crate) async fn run(settings: &Settings, scan: &Scan) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    signal::unless_stopped(&app, carry_out(Arc::clone(&app), settings, scan)).await
}

/// Adds a folder of this machine and scans it.
pub(crate) async fn folder(app: &Arc<App>, settings: &Settings, path: &Path) -> anyhow::Result<()> {
    let librarian = librarian(Arc::clone(app), settings).await?;
    let source = seen_from_anywhere(&path.display().to_string());
    let new = NewRepository { source, name: None, branch: None };
    add(&librarian, &new).await?.outcome.map_err(advised)?;
    Ok(())
}

async fn carry_out(app: Arc<App>, settings: &Settings, scan: &Scan) -> anyhow::Result<()> {
    let librarian = librarian(app, settings).await?;
    if scan.list {
        return list(&librarian).await;
    }
    if let Some(name) = &scan.remove {
        let was = code::remove(&librarian, name).await.map_err(advised)?;
        anyhow::ensure!(was, "there is no repository {name:?}; `lorewell scan --list` shows them");
        output::line(format!("forgot {name}"));
        return Ok(());
    }
    if settings.selection.is_read_only() {
        anyhow::bail!("nothing is scanned with --read-only");
    }
    let results = match &scan.source {
        Some(source) => vec![add(&librarian, &asked_for(scan, source)).await?],
        None => code::scan_all(&librarian, &show).await.map_err(advised)?,
    };
    if results.is_empty() {
        output::line("there are no repositories; `lorewell scan PATH` adds one");
    }
    let mut failed = 0;
    for Scanned { repo, outcome } in results {
        match outcome {
            Ok(done) => output::line(told(&repo, &done)),
            Err(error) => {
                failed += 1;
                output::line(format!("{repo}: {error}; {}", error.hint()));
            }
        }
    }
    anyhow::ensure!(failed == 0, "{failed} could not be scanned");
    Ok(())
}

async fn add(librarian: &Librarian, new: &NewRepository) -> anyhow::Result<Scanned> {
    let (known, _) = code::register(librarian, new).await.map_err(in_words_of_flags)?;
    let repo = known.kept.name;
    let outcome = code::scan(librarian, &repo, &show).await;
    Ok(Scanned { repo, outcome })
}

fn asked_for(scan: &Scan, source: &str) -> NewRepository {
    let source = seen_from_anywhere(source);
    NewRepository { source, name: scan.name.clone(), branch: scan.branch.clone() }
}

/// Makes a local path absolute, since the server may run in another directory.
fn seen_from_anywhere(source: &str) -> String {
    let here = std::path::absolute(source).ok().filter(|path| Path::new(path).is_dir());
    here.map_or_else(|| source.to_owned(), |path| path.display().to_string())
}

/// Rewords an error that names fields of a request so that it names command-line flags.
fn in_words_of_flags(error: lore_core::Error) -> anyhow::Error {
    let flags = |text: String| match text.as_str() {
        "branch" => "--branch".to_owned(),
        text => text.replace("repo_name", "--name").replace("repo_url", "SOURCE"),
    };
    advised(match error {
        lore_core::Error::Invalid { field, problem, hint } => lore_core::Error::Invalid {
            field: flags(field),
            problem: flags(problem),
            hint: flags(hint),
        },
        other => other,
    })
}

async fn list(librarian: &Librarian) -> anyhow::Result<()> {
    for known in code::repositories(librarian).await.map_err(advised)? {
        let standing = known.standing(&librarian.app);
        let kept = known.kept;
        let source = match &kept.origin {
            Origin::Folder(path) => path.display().to_string(),
            Origin::Remote { address, .. } => address.clone(),
        };
        let last = kept.last_scan.as_deref().unwrap_or("never");
        output::line(format!(
            "{}  {source}  {} files, {} code entities, last scan {last}{}",
            kept.name,
            kept.counts.files,
            kept.counts.entities,
            match (standing, kept.error) {
                (Standing::Interrupted, _) => "  INTERRUPTED: scan it again".to_owned(),
                (Standing::Cloning, _) => "  being cloned".to_owned(),
                (Standing::Scanning, _) => "  being scanned".to_owned(),
                (_, Some(error)) => format!("  FAILED {error}"),
                (_, None) => String::new(),
            },
        ));
    }
    Ok(())
}

fn told(repo: &str, done: &Done) -> String {
    let counts = &done.counts;
    let mut line = format!(
        "{repo}: {} of {} files read, {} gone, {} code entities, {} edges",
        done.parsed, counts.files, done.removed, counts.entities, counts.edges
    );
    if !done.skipped.is_empty() {
        line.push_str(&format!(", {} left out", done.skipped.len()));
    }
    for (path, why) in done.skipped.iter().take(SKIPPED_MAX) {
        // Quoted, because file names are untrusted.
        line.push_str(&format!("\n  left out {path:?}: {why}"));
    }
    if done.skipped.len() > SKIPPED_MAX {
        line.push_str(&format!("\n  and {} more", done.skipped.len() - SKIPPED_MAX));
    }
    line
}

/// Shows the progress on one line of the terminal.
fn show(done: usize, total: usize, repo: &str) {
    let mut terminal = std::io::stderr();
    if terminal.is_terminal() {
        let end = if done == total { "\r\x1b[K" } else { "" };
        // A failure to show progress does not matter.
        let _ = write!(terminal, "\r{repo}: {done}/{total} files{end}");
    }
}

async fn librarian(app: Arc<App>, settings: &Settings) -> anyhow::Result<Librarian> {
    let viewer = setup::local_viewer(&app, settings).await?;
    let request_id = app.effects.uid().to_string();
    Ok(Librarian { app, viewer, presence: Presence::Here, tool: "scan", request_id })
}

//! Output for people and scripts.
//!
//! This is the only module that writes to stdout, and it never does while stdout carries the
//! protocol.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use lore_core::Error;
use serde_json::Value;

use crate::bar::{Place, Shown};

/// Whether any output could not be written.
static LOST: AtomicBool = AtomicBool::new(false);
/// The progress that was shown last.
static SHOWN: Mutex<Shown> = Mutex::new(Shown::NOTHING);

/// Prints a line. A closed pipe is not an error, since its reader wants no more.
pub(crate) fn line(text: impl AsRef<str>) {
    let mut stdout = std::io::stdout().lock();
    let printed = writeln!(stdout, "{}", text.as_ref()).and_then(|()| stdout.flush());
    if printed.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Whether any output could not be written, for example because of a full disk.
pub(crate) fn was_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Prints JSON, indented.
pub(crate) fn json(value: &Value) {
    line(serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()));
}

/// Prints rows in aligned columns.
pub(crate) fn table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|c| c.chars().count()).max())
        .collect();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let gap = width.unwrap_or(0).saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(gap))
        });
        line(cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// Shows progress: as a bar on a terminal, otherwise in a few lines.
pub(crate) fn progress(done: usize, total: usize) {
    progress_of("", done, total);
}

/// Shows the progress of `what`: as a bar on a terminal, otherwise in a few lines.
pub(crate) fn progress_of(what: &str, done: usize, total: usize) {
    let mut terminal = std::io::stderr();
    let place = if terminal.is_terminal() { Place::Terminal } else { Place::Elsewhere };
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match (shown.next(what, done, total, place), place) {
        // Clear the line first, since the previous one may be longer.
        (Some(line), Place::Terminal) => drop(write!(terminal, "\r\x1b[K{line}")),
        (Some(line), Place::Elsewhere) => aside(line),
        (None, _) => {}
    }
}

/// Prints a line to stderr.
pub(crate) fn aside(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr().lock(), "{}", text.as_ref());
}

/// Ends the line that shows progress.
pub(crate) fn end_progress() {
    let mut terminal = std::io::stderr();
    if terminal.is_terminal() {
        let _ = writeln!(terminal);
    }
}

/// Converts an application error for the command line, with its hint.
pub(crate) fn advised(error: Error) -> anyhow::Error {
    anyhow::anyhow!("{error}\n  try: {}", error.hint())
}

/// Formats an error with its causes, one per line.
pub(crate) fn chain(error: &anyhow::Error) -> String {
    let lines: Vec<_> = error.chain().map(ToString::to_string).collect();
    lines.join("\n  because: ")
}

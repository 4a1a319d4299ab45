//! The change log: which resource changed, in the order of commits.

use std::collections::HashSet;

use lore_core::Viewer;
use lore_store::ChangeEntry;
use rusqlite::{Connection, params};

use crate::counter::{self, CHANGES, STORE};
use crate::fault::Answer;
use crate::rows::{self, Fields};
use crate::slate::Slate;

/// Writes one entry for each different URI and returns the log's end.
pub(crate) fn append(slate: &Slate<'_>, world: i64, at: i64, uris: &[String]) -> Answer<i64> {
    let mut end = slate.changes_end()?;
    let mut written = HashSet::new();
    let sql = "INSERT INTO change_log (seq, world, uri, at) VALUES (?1, ?2, ?3, ?4)";
    for uri in uris.iter().filter(|uri| written.insert(uri.as_str())) {
        end += 1;
        slate.prepare_cached(sql)?.execute(params![end, world, uri, at])?;
        slate.move_changes(end);
    }
    Ok(end)
}

/// The end of the log over all worlds; 0 when it is empty.
pub(crate) fn end(db: &Connection) -> Answer<i64> {
    counter::last(db, STORE, CHANGES)
}

/// Entries of the viewer's world after `after`, oldest first.
pub(crate) fn read(
    db: &Connection,
    viewer: &Viewer,
    after: i64,
    limit: i64,
) -> Answer<Vec<ChangeEntry>> {
    let sql = "SELECT seq, uri, at FROM change_log
               WHERE world = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
    let mut statement = db.prepare_cached(sql)?;
    rows::all(statement.query(params![viewer.world.0, after, limit])?, |row| {
        let mut fields = Fields::of(row);
        Ok(ChangeEntry { sequence: fields.take()?, uri: fields.take()?, at: fields.moment()? })
    })
}

//! The change log: which resource changed for whom, in the order of commits.

use std::collections::HashSet;

use lore_core::{Viewer, Visibility};
use lore_store::{ChangeEntry, Touch};
use rusqlite::{Connection, params};

use crate::counter::{self, CHANGES, STORE};
use crate::fault::Answer;
use crate::rows::{self, Fields};
use crate::sight::{self, Sight};
use crate::slate::Slate;

/// Writes one entry for each distinct touch and returns the new end of the log. A touch that is
/// visible to fewer than all members is skipped when all members are told of the same resource.
pub(crate) fn append(slate: &Slate<'_>, world: i64, at: i64, touches: &[Touch]) -> Answer<i64> {
    let mut end = slate.changes_end()?;
    let everybodys = touches.iter().filter(|touch| touch.visibility == Visibility::Members);
    let everybodys: HashSet<&str> = everybodys.map(|touch| touch.uri.as_str()).collect();
    let is_told = |touch: &&Touch| {
        touch.visibility != Visibility::Members && everybodys.contains(touch.uri.as_str())
    };
    let mut written = HashSet::new();
    let sql = "INSERT INTO change_log (seq, world, uri, at, visibility, private_to)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let touches = touches.iter().filter(|touch| !is_told(touch));
    for touch in touches.filter(|touch| written.insert(*touch)) {
        end += 1;
        let (visibility, private_to) = rows::visibility_columns(touch.visibility);
        let values = params![end, world, touch.uri, at, visibility, private_to];
        slate.prepare_cached(sql)?.execute(values)?;
        slate.move_changes(end);
    }
    Ok(end)
}

/// The end of the log over all worlds; 0 when it is empty.
pub(crate) fn end(db: &Connection) -> Answer<i64> {
    counter::last(db, STORE, CHANGES)
}

/// Entries of the viewer's world after `after` that the viewer may see, oldest first.
pub(crate) fn read(
    db: &Connection,
    viewer: &Viewer,
    after: i64,
    limit: i64,
) -> Answer<Vec<ChangeEntry>> {
    let sql = format!(
        "SELECT c.seq, c.uri, c.at FROM change_log c
         WHERE c.world = :world AND c.seq > :after AND {} ORDER BY c.seq LIMIT :limit",
        sight::record("c")
    );
    let sight = Sight::of(viewer);
    let mut statement = db.prepare_cached(&sql)?;
    let values = sight.with(&[(":after", &after), (":limit", &limit)]);
    rows::all(statement.query(values.as_slice())?, |row| {
        let mut fields = Fields::of(row);
        Ok(ChangeEntry { sequence: fields.take()?, uri: fields.take()?, at: fields.moment()? })
    })
}

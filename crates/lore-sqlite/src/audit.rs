//! The audit log: who wrote what, with the values that were replaced.
//!
//! Replaced values of private items are stored, but only shown to the principal they are private
//! to; even the game master does not see them.

use lore_core::{PrincipalId, Viewer};
use lore_store::{AuditEntry, Origin};
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

use crate::fault::{Answer, damaged};
use crate::rows::{self, Fields};

/// Key in a change: ids of the principals to whom the item is private. Removed before a viewer
/// reads it.
pub(crate) const PRIVATE_TO: &str = "private_to";
/// Key in a change: the values that were replaced.
pub(crate) const REPLACED: &str = "replaced";

/// Who writes, where and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Author {
    /// The world written to.
    pub(crate) world: i64,
    /// Who writes.
    pub(crate) principal: i64,
    /// When, in microseconds.
    pub(crate) at: i64,
}

/// Writes one audit entry.
pub(crate) fn write(
    db: &Connection,
    author: Author,
    origin: &Origin,
    changes: Vec<Value>,
) -> Answer<()> {
    let sql = "INSERT INTO audit (world, at, principal, tool, request_id, source, detail)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let detail = json!({ "changes": changes }).to_string();
    db.prepare_cached(sql)?.execute(params![
        author.world,
        author.at,
        author.principal,
        origin.tool,
        origin.request_id,
        origin.source,
        detail
    ])?;
    Ok(())
}

/// The newest entries of the viewer's world with an id below `before`, newest first.
pub(crate) fn read(
    db: &Connection,
    viewer: &Viewer,
    before: Option<i64>,
    limit: i64,
) -> Answer<Vec<AuditEntry>> {
    let sql = "SELECT id, at, principal, tool, request_id, source, detail FROM audit
               WHERE world = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
    let mut statement = db.prepare_cached(sql)?;
    let before = before.unwrap_or(i64::MAX);
    rows::all(statement.query(params![viewer.world.0, before, limit])?, |row| {
        let mut fields = Fields::of(row);
        Ok(AuditEntry {
            id: fields.take()?,
            at: fields.moment()?,
            principal: PrincipalId(fields.take()?),
            tool: fields.take()?,
            request_id: fields.take()?,
            source: fields.take()?,
            detail: shown_to(viewer, &fields.take::<String>()?)?,
        })
    })
}

/// The detail of an entry, without replaced values that are private to somebody else.
fn shown_to(viewer: &Viewer, stored: &str) -> Answer<String> {
    let broken = || damaged("an audit entry is not readable");
    let mut detail: Value = serde_json::from_str(stored).map_err(|_| broken())?;
    let changes = detail.get_mut("changes").and_then(Value::as_array_mut).ok_or_else(broken)?;
    for change in changes.iter_mut().filter_map(Value::as_object_mut) {
        veil(viewer, change);
    }
    Ok(detail.to_string())
}

fn veil(viewer: &Viewer, change: &mut Map<String, Value>) {
    let Some(owners) = change.shift_remove(PRIVATE_TO) else { return };
    let own = |owner: &Value| owner.as_i64() == Some(viewer.principal.0);
    if !owners.as_array().is_some_and(|owners| owners.iter().all(own)) {
        change.shift_remove(REPLACED);
        change.insert("private".into(), true.into());
    }
}

#[cfg(test)]
mod tests {
    use lore_core::{Role, WorldId};

    use super::*;

    fn shown(principal: i64, stored: &str) -> String {
        let viewer =
            Viewer { principal: PrincipalId(principal), world: WorldId(1), role: Role::Owner };
        shown_to(&viewer, stored).unwrap()
    }

    #[test]
    fn only_the_owner_of_a_private_thing_sees_what_it_was() {
        let stored = r#"{"changes":[{"op":"x","replaced":{"name":"Old"},"private_to":[2]}]}"#;
        assert_eq!(shown(2, stored), r#"{"changes":[{"op":"x","replaced":{"name":"Old"}}]}"#);
        assert_eq!(shown(1, stored), r#"{"changes":[{"op":"x","private":true}]}"#);
    }
}

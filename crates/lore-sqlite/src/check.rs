//! Checks the integrity and consistency of the stored data. Reads only.
//!
//! Damage is reported as a finding, not as an error, as long as the rest can still be read.

use std::collections::BTreeSet;
use std::path::Path;

use lore_core::names::name_key;
use lore_core::{NodeId, Principal};
use lore_store::{Finding, Health, StoreError, StoreResult, StoreStats, chain};
use rusqlite::{Connection, MAIN_DB, Row};

use crate::fault::{Answer, Fault, damaged};
use crate::file::{SET_IT_RIGHT, WRITE_FORMAT};
use crate::rows::{self, Fields};
use crate::seal::Sealed;
use crate::{connection, docs, file, records, schema};

/// Runs every check on the store at `path`.
pub(crate) fn health(path: &Path) -> Answer<Health> {
    let db = connection::inspector(path)?;
    let stats = stats(&db, path)?;
    let mut findings = Vec::new();
    for look in [writable, physical, layout, references, seals, sense, keys, chains, documents] {
        match look(&db) {
            Ok(found) => findings.extend(found),
            Err(fault) => findings.push(damage_of(fault)?),
        }
    }
    findings.extend(open_to_others(path));
    findings.extend(file::free_bytes(path).and_then(|free| short_of_room(path, free)));
    Ok(Health { stats, findings })
}

/// Checks a file that is not in use. The consistency checks are left to [`health`], because they
/// may not hold for an older schema.
pub(crate) fn verify_file(path: &Path) -> StoreResult<StoreStats> {
    let path = std::path::absolute(path).map_err(|e| crate::fault::io("finding the file", &e))?;
    file::recognise(&path)?;
    Ok(verify(&path)?)
}

fn verify(path: &Path) -> Answer<StoreStats> {
    let db = connection::inspector(path)?;
    if schema::version(&db)? == 0 {
        return Err(damaged("the file has no tables"));
    }
    for look in [physical, references, seals] {
        if let Some(finding) = look(&db)?.into_iter().next() {
            return Err(damaged(finding.problem));
        }
    }
    stats(&db, path)
}

fn stats(db: &Connection, path: &Path) -> Answer<StoreStats> {
    let count = |sql: &str| -> Answer<u64> {
        let count: i64 = db.query_row(sql, (), |row| row.get(0))?;
        Ok(count.unsigned_abs())
    };
    Ok(StoreStats {
        engine: format!("SQLite {}", rusqlite::version()),
        schema: schema::version(db)?,
        bytes: file::bytes_on_disk(path),
        worlds: count("SELECT count(*) FROM world")?,
        nodes: count("SELECT count(*) FROM node WHERE deleted_at IS NULL")?,
        edges: count("SELECT count(*) FROM edge WHERE deleted_at IS NULL")?,
        texts: count("SELECT count(*) FROM text WHERE deleted_at IS NULL")?,
    })
}

fn damage_of(fault: Fault) -> Answer<Finding> {
    match StoreError::from(fault) {
        error @ (StoreError::Busy | StoreError::Disk(_) | StoreError::ReadOnly) => {
            Err(error.into())
        }
        StoreError::Corrupt(what) | StoreError::Failed(what) => Ok(damage(what)),
        // A row that is listed but then missing or invalid is damage as well.
        other => Ok(damage(other.to_string())),
    }
}

fn damage(problem: String) -> Finding {
    Finding { problem, remedy: "stop the program and restore the last good backup".into() }
}

/// An open store was opened for writing, so only a damaged header can make it read-only.
fn writable(db: &Connection) -> Answer<Vec<Finding>> {
    let finding = || Finding {
        problem: format!(
            "byte {WRITE_FORMAT} of the file, the format it is written in, is not the 2 that it \
             was: nothing can be written"
        ),
        remedy: format!("stop the program and restore the last good backup; {SET_IT_RIGHT}"),
    };
    Ok(Vec::from_iter(db.is_readonly(MAIN_DB)?.then(finding)))
}

/// Pages, B-trees and indexes, as SQLite checks them.
fn physical(db: &Connection) -> Answer<Vec<Finding>> {
    let mut statement = db.prepare("PRAGMA integrity_check(100)")?;
    let lines = rows::all(statement.query(())?, |row| Fields::of(row).take::<String>())?;
    Ok(lines.into_iter().filter(|line| line != "ok").map(physical_damage).collect())
}

/// An index that does not fit its table can be made again from it.
fn physical_damage(line: String) -> Finding {
    match line.contains(" index ") {
        true => Finding { problem: line, remedy: REBUILD.into() },
        false => damage(line),
    }
}

const REBUILD: &str = "run: lorewell doctor --rebuild";

/// Tables and indexes whose definition differs from the one this program creates.
fn layout(db: &Connection) -> Answer<Vec<Finding>> {
    let (found, expected) = (schema::layout(db)?, schema::expected_layout()?);
    let names: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
    let wrong = names.into_iter().filter(|name| found.get(*name) != expected.get(*name));
    Ok(wrong.map(|name| damage(format!("the layout of {name} is not what it was"))).collect())
}

/// Rows that refer to rows that do not exist.
fn references(db: &Connection) -> Answer<Vec<Finding>> {
    let sql = "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2";
    let mut statement = db.prepare(sql)?;
    rows::all(statement.query(())?, |row| {
        let mut fields = Fields::of(row);
        let (table, parent): (String, String) = (fields.take()?, fields.take()?);
        let count: i64 = fields.take()?;
        Ok(damage(format!("{count} rows of {table} point to a {parent} that does not exist")))
    })
}

/// How many damaged entries of one table are named individually.
const NAMED: usize = 20;

/// SQL expressions that describe an entry of a table in a finding.
const CALLED: [(&str, &str); 9] = [
    ("node", "format('the %s %Q (node %d)', kind, name, id)"),
    ("text", "format('the text %d (%s) of node %d', id, kind, node)"),
    ("edge", "format('the edge %d (%s) from node %d to node %d', id, kind, source, target)"),
    ("state", "format('the document %Q of node %d', name, node)"),
    ("shown_change", "format('the last change of node %d that all saw', node)"),
    ("alias", "format('the alias %Q of node %d', name, node)"),
    ("world", "format('the world %Q', name)"),
    ("principal", "format('the principal %Q', name)"),
    ("token", "format('the token %Q', public_id)"),
];

/// Entries whose seal, a checksum stored in each row, does not match their content.
fn seals(db: &Connection) -> Answer<Vec<Finding>> {
    let mut findings = Vec::new();
    for sealed in Sealed::tables(db)?.into_iter().filter(|sealed| sealed.table != docs::TABLE) {
        let called = CALLED.iter().find(|(table, _)| *table == sealed.table);
        let called = called.map_or("'an entry'", |(_, called)| called);
        let mut statement = db.prepare(&sealed.broken(called))?;
        let mut broken = rows::all(statement.query(())?, legible)?;
        let more = broken.len().saturating_sub(NAMED);
        broken.truncate(NAMED);
        if more > 0 {
            broken.push(format!("{more} more entries"));
        }
        findings.extend(broken.into_iter().map(|what| {
            Finding {
                problem: format!("{what} in the table {} is not what was written", sealed.table),
                remedy: "restore the last good backup with `lorewell restore FILE`; without one, \
                     `lorewell doctor --accept` keeps what is damaged as it reads now"
                    .into(),
            }
        }));
    }
    Ok(findings)
}

/// The first column as text; invalid UTF-8 is replaced, because the value may be damaged.
fn legible(row: &Row<'_>) -> Answer<String> {
    let bytes = row.get_ref(0)?.as_bytes_or_null();
    Ok(String::from_utf8_lossy(bytes.ok().flatten().unwrap_or_default()).into_owned())
}

/// Consistency rules between tables: a statement that counts violations, and what to call them.
const SENSE: [(&str, &str); 9] = [
    (
        "SELECT count(*) FROM (SELECT world, max(number) AS top FROM node GROUP BY world) used
         LEFT JOIN counter c ON c.world = used.world AND c.name = 'node'
         WHERE coalesce(c.next, 0) <= used.top",
        "worlds whose counter would give out a number again",
    ),
    (
        "SELECT count(*)
         FROM (SELECT world, kind, max(kind_number) AS top FROM node GROUP BY world, kind) used
         LEFT JOIN counter c ON c.world = used.world AND c.name = 'kind:' || used.kind
         WHERE coalesce(c.next, 0) <= used.top",
        "kinds whose counter would give out a number again",
    ),
    (
        "SELECT count(*) FROM (SELECT count(*) AS n, coalesce(max(seq), 0) AS top FROM change_log)
         WHERE n <> top
            OR top <> (SELECT coalesce(max(next), 1) - 1 FROM counter
                       WHERE world = 0 AND name = 'change')",
        "change logs with gaps or a wrong end",
    ),
    (
        "SELECT count(*) FROM counter WHERE world <> 0 AND world NOT IN (SELECT id FROM world)",
        "counters of a world that does not exist",
    ),
    (
        "SELECT count(*) FROM node_tag ng JOIN node n ON n.id = ng.node JOIN tag g ON g.id = ng.tag
         WHERE n.world <> g.world",
        "nodes with a tag of another world",
    ),
    (
        "SELECT count(*) FROM edge e JOIN node s ON s.id = e.source JOIN node o ON o.id = e.target
         WHERE s.world <> o.world",
        "edges between two worlds",
    ),
    (
        "SELECT (SELECT count(*) FROM node WHERE NOT json_valid(properties))
              + (SELECT count(*) FROM edge WHERE NOT json_valid(properties))
              + (SELECT count(*) FROM state WHERE NOT json_valid(value))
              + (SELECT count(*) FROM audit WHERE NOT json_valid(detail))
              + (SELECT count(*) FROM session WHERE NOT json_valid(subscriptions))",
        "values that are not JSON",
    ),
    (
        "SELECT count(*) FROM world w WHERE NOT EXISTS (
           SELECT 1 FROM membership m WHERE m.world = w.id AND m.role = 'owner')",
        "worlds without an owner",
    ),
    ("SELECT 1 - count(*) FROM principal WHERE id = 1", "missing local principals"),
];

const _: () = assert!(Principal::LOCAL.0 == 1, "the last line of SENSE names it");

fn sense(db: &Connection) -> Answer<Vec<Finding>> {
    let mut findings = Vec::new();
    for (sql, what) in SENSE {
        let count: i64 = db.query_row(sql, (), |row| row.get(0))?;
        if count != 0 {
            findings.push(damage(format!("there are {count} {what}")));
        }
    }
    Ok(findings)
}

/// The columns with a name and with the key it is looked up by.
const KEYED: [(&str, &str); 6] = [
    ("world", "SELECT name, name_key FROM world"),
    ("principal", "SELECT name, name_key FROM principal"),
    ("node", "SELECT name, name_key FROM node"),
    ("subtype", "SELECT subtype, subtype_key FROM node WHERE subtype IS NOT NULL"),
    ("alias", "SELECT name, name_key FROM alias"),
    ("tag", "SELECT name, key FROM tag"),
];

/// Names whose stored key is wrong: they can no longer be found.
fn keys(db: &Connection) -> Answer<Vec<Finding>> {
    let mut findings = Vec::new();
    for (what, sql) in KEYED {
        let mut statement = db.prepare(sql)?;
        let wrong = rows::all(statement.query(())?, |row| {
            let mut fields = Fields::of(row);
            let (name, key): (String, Option<String>) = (fields.take()?, fields.take()?);
            Ok(Some(name_key(&name)) != key)
        })?;
        let count = wrong.into_iter().filter(|wrong| *wrong).count();
        if count != 0 {
            findings.push(damage(format!("{count} entries of {what} cannot be found by name")));
        }
    }
    Ok(findings)
}

/// Event logs whose hash chain or head does not match: something other than this program changed
/// them.
fn chains(db: &Connection) -> Answer<Vec<Finding>> {
    let sql = "SELECT node FROM event UNION SELECT node FROM state WHERE name = ?1";
    let mut statement = db.prepare(sql)?;
    let nodes =
        rows::all(statement.query([chain::HEAD])?, |row| Ok(NodeId(Fields::of(row).take()?)))?;
    let mut findings = Vec::new();
    for node in nodes {
        let report = records::follow_chain(db, node)?;
        if let Some(at) = report.broken_at {
            let gone = match report.missing {
                0 => String::new(),
                missing => format!(", and {missing} of its entries are gone"),
            };
            findings.push(damage(format!(
                "the log of node {node} does not fit from entry {at} on{gone}"
            )));
        }
    }
    Ok(findings)
}

/// Search documents that are out of date. They can be rebuilt, so this is not damage.
fn documents(db: &Connection) -> Answer<Vec<Finding>> {
    let wrong = docs::out_of_step(db)?;
    Ok(Vec::from_iter((wrong != 0).then(|| Finding {
        problem: format!("the search index is out of date for {wrong} documents"),
        remedy: REBUILD.into(),
    })))
}

fn open_to_others(path: &Path) -> Option<Finding> {
    file::is_open_to_others(path).then(|| Finding {
        problem: format!("other people on this machine can open {}", path.display()),
        remedy: format!("run: chmod 600 {}", path.display()),
    })
}

/// Less free space than the write-ahead log may take: a busy store is about to refuse writes.
fn short_of_room(path: &Path, free: u64) -> Option<Finding> {
    (free < connection::LOG_LIMIT.into()).then(|| Finding {
        problem: format!("the disk that holds {} is full: {free} bytes are left", path.display()),
        remedy: format!(
            "make room: at least {} bytes; until then writes may be refused, and nothing that was \
             acknowledged is lost",
            connection::LOG_LIMIT
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_short_of_room_when_the_log_might_not_fit() {
        let store = Path::new("/data/store.sqlite");
        assert_eq!(short_of_room(store, connection::LOG_LIMIT.into()), None);
        let found = short_of_room(store, 12).unwrap();
        assert!(found.problem.contains("12 bytes are left") && found.remedy.contains("make room"));
    }

    #[cfg(unix)]
    #[test]
    fn the_room_on_a_disk_is_told() {
        let home = tempfile::tempdir().unwrap();
        assert!(file::free_bytes(home.path()).is_some_and(|free| free > 0));
        assert_eq!(file::free_bytes(&home.path().join("absent")), None);
    }
}

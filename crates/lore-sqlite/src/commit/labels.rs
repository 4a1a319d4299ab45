//! The aliases and tags of a node. Both are replaced as a whole.

use std::collections::HashSet;

use lore_core::names::name_key;
use rusqlite::params;

use super::Hand;
use crate::fault::{Answer, invalid};

impl Hand<'_> {
    /// Replaces the aliases of a node.
    pub(super) fn set_aliases(&self, node: i64, aliases: &[String]) -> Answer<()> {
        self.db.prepare_cached("DELETE FROM alias WHERE node = ?1")?.execute([node])?;
        let sql = "INSERT INTO alias (node, name_key, name, position) VALUES (?1, ?2, ?3, ?4)";
        let mut insert = self.db.prepare_cached(sql)?;
        for (position, (key, name)) in (0_i64..).zip(distinct("alias", aliases)?) {
            insert.execute(params![node, key, name, position])?;
        }
        Ok(())
    }

    /// Replaces the tags of a node. A tag keeps the spelling it was first used with; but one that
    /// only hidden things had takes that of the first open one, so that nobody learns by theirs
    /// that it was there.
    pub(super) fn set_tags(&self, node: i64, tags: &[String]) -> Answer<()> {
        self.db.prepare_cached("DELETE FROM node_tag WHERE node = ?1")?.execute([node])?;
        for (key, name) in distinct("tag", tags)? {
            self.db
                .prepare_cached(
                    "INSERT INTO tag (world, name, key) VALUES (?1, ?2, ?3)
                     ON CONFLICT (world, key) DO UPDATE SET name = excluded.name
                       WHERE EXISTS (SELECT 1 FROM node n
                         WHERE n.id = ?4 AND n.visibility = 'members')
                       AND EXISTS (SELECT 1 FROM node_tag t WHERE t.tag = tag.id) AND NOT EXISTS (
                         SELECT 1 FROM node_tag t JOIN node n ON n.id = t.node
                         WHERE t.tag = tag.id AND n.visibility = 'members'
                           AND n.deleted_at IS NULL)",
                )?
                .execute(params![self.author.world, name, key, node])?;
            self.db
                .prepare_cached(
                    "INSERT INTO node_tag (node, tag)
                     SELECT ?1, id FROM tag WHERE world = ?2 AND key = ?3",
                )?
                .execute(params![node, self.author.world, key])?;
        }
        Ok(())
    }
}

/// The names with their keys, each key once, in the given order.
fn distinct<'a>(what: &str, names: &'a [String]) -> Answer<Vec<(String, &'a str)>> {
    let mut known = HashSet::new();
    let mut kept = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        if name.is_empty() {
            return Err(invalid(format!("a name of a {what} is empty")));
        }
        let key = name_key(name);
        if known.insert(key.clone()) {
            kept.push((key, name));
        }
    }
    Ok(kept)
}

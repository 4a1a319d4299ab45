//! Replacing the aliases and tags of a node, as far as the author may know them.
//!
//! A tag is either open or veiled. A veiled tag has a page that only the game master's side sees,
//! so members do not see it on nodes that are open to them.

use std::collections::{BTreeSet, HashSet};

use lore_core::names::name_key;
use lore_core::{Node, Visibility};
use lore_store::{NodePatch, Retag, TagSide};
use rusqlite::params;

use super::Hand;
use crate::fault::{Answer, invalid};
use crate::rows::{self, Fields};
use crate::{docs, sight};

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

    /// Replaces those tags of a node that the author knows.
    ///
    /// If the author sees the game master's side, a name that has a hidden page means the veiled
    /// tag. For anybody else a name means the open tag, and veiled tags that they cannot see are
    /// kept.
    pub(super) fn set_tags(&self, node: i64, tags: &[String]) -> Answer<()> {
        let wanted = distinct("tag", tags)?;
        let keys = rows::list(wanted.iter().map(|(key, _)| key.clone()));
        let whole = self.knows_all();
        // A node that is not open to all members shows all its tags, so its author sees the veiled
        // ones too and gets them back as open tags.
        let sql = "DELETE FROM node_tag WHERE node = ?1 AND tag IN (
                     SELECT g.id FROM node_tag ng JOIN tag g ON g.id = ng.tag
                     JOIN node n ON n.id = ng.node
                     WHERE ng.node = ?1 AND (n.visibility <> 'members' AND g.veiled AND NOT ?3
                       OR g.key NOT IN rarray(?2) AND (?3 OR NOT g.veiled)))";
        self.db.prepare_cached(sql)?.execute(params![node, keys, whole])?;
        for (key, name) in wanted {
            if !whole {
                self.put_tag(node, &key, name, TagSide::Open)?;
            } else if !self.has_tag(node, &key)? {
                let side = self.side_of(&key)?;
                self.put_tag(node, &key, name, side)?;
            }
        }
        Ok(())
    }

    /// Whether a patch changes the tags of a node.
    pub(super) fn is_retagged(&self, old: &Node, patch: &NodePatch) -> Answer<bool> {
        let Some(tags) = &patch.tags else { return Ok(patch.retag.is_some()) };
        let wanted: BTreeSet<String> = tags.iter().map(|name| name_key(name.trim())).collect();
        let has = self.tags_of(old.id.0)?;
        let (whole, open) = (self.knows_all(), old.visibility == Visibility::Members);
        let known = has.iter().filter(|(_, veiled)| whole || !open || !veiled);
        let known: BTreeSet<String> = known.map(|(key, _)| key.clone()).collect();
        let returns = !whole && !open && has.iter().any(|(_, veiled)| *veiled);
        Ok(patch.retag.is_some() || returns || wanted != known)
    }

    /// Replaces one tag of a node by another.
    pub(super) fn swap_tag(&self, node: i64, retag: &Retag) -> Answer<()> {
        let sql = "DELETE FROM node_tag WHERE node = ?1
                     AND tag IN (SELECT id FROM tag WHERE world = ?2 AND key = ?3 AND veiled = ?4)";
        let parameters =
            params![node, self.author.world, name_key(&retag.from), is_veiled(retag.side)];
        let gone = self.db.prepare_cached(sql)?.execute(parameters)?;
        match &retag.to {
            Some(name) if gone > 0 => self.put_tag(node, &name_key(name), name, retag.side),
            _ => Ok(()),
        }
    }

    /// Handles that the page of a tag becomes hidden: open tags of that name become veiled, unless
    /// another open page of that name exists.
    pub(super) fn veil_tag(&self, key: &str) -> Answer<()> {
        match self.has_page(key, "members")? {
            true => Ok(()),
            false => self.shift_tags(key, TagSide::Open, TagSide::Veiled),
        }
    }

    /// Handles that the hidden page of a tag becomes visible: veiled tags of that name become open,
    /// unless another hidden page of that name exists.
    pub(super) fn unveil_tag(&self, key: &str) -> Answer<()> {
        match self.has_page(key, "gm")? {
            true => Ok(()),
            false => self.shift_tags(key, TagSide::Veiled, TagSide::Open),
        }
    }

    /// The tags of a node: their keys, and whether they are veiled.
    pub(super) fn tags_of(&self, node: i64) -> Answer<BTreeSet<(String, bool)>> {
        let sql = "SELECT g.key, g.veiled FROM node_tag ng JOIN tag g ON g.id = ng.tag
                   WHERE ng.node = ?1";
        let mut statement = self.db.prepare_cached(sql)?;
        let tags = rows::all(statement.query([node])?, |row| {
            let mut fields = Fields::of(row);
            Ok((fields.take()?, fields.take()?))
        })?;
        Ok(tags.into_iter().collect())
    }

    /// Adds a tag to a node, creating the tag if needed.
    ///
    /// A tag keeps its spelling while an open node has it. Otherwise the first open node that gets
    /// the tag sets the spelling, so that an old spelling does not reveal that hidden nodes used
    /// the tag.
    fn put_tag(&self, node: i64, key: &str, name: &str, side: TagSide) -> Answer<()> {
        let (world, veiled) = (self.author.world, is_veiled(side));
        self.db
            .prepare_cached(
                "INSERT INTO tag (world, name, key, veiled) VALUES (?1, ?2, ?3, ?5)
                 ON CONFLICT (world, key, veiled) DO UPDATE SET name = excluded.name
                   WHERE EXISTS (SELECT 1 FROM node n
                     WHERE n.id = ?4 AND n.visibility = 'members')
                   AND NOT EXISTS (
                     SELECT 1 FROM node_tag t JOIN node n ON n.id = t.node
                     WHERE t.tag = tag.id AND n.visibility = 'members'
                       AND n.deleted_at IS NULL)",
            )?
            .execute(params![world, name, key, node, veiled])?;
        self.db
            .prepare_cached(
                "INSERT OR IGNORE INTO node_tag (node, tag)
                 SELECT ?1, id FROM tag WHERE world = ?2 AND key = ?3 AND veiled = ?4",
            )?
            .execute(params![node, world, key, veiled])?;
        Ok(())
    }

    /// Moves all nodes from the open tag of a name to the veiled one, or back.
    fn shift_tags(&self, key: &str, from: TagSide, to: TagSide) -> Answer<()> {
        let parameters = params![self.author.world, key, is_veiled(from), is_veiled(to)];
        // Every statement gets the same four parameters, so each one has to use all of them.
        for sql in [
            "INSERT OR IGNORE INTO tag (world, name, key, veiled)
             SELECT world, name, key, ?4 FROM tag WHERE world = ?1 AND key = ?2 AND veiled = ?3",
            "INSERT OR IGNORE INTO node_tag (node, tag)
             SELECT ng.node, other.id FROM tag g JOIN node_tag ng ON ng.tag = g.id
             JOIN tag other ON other.world = ?1 AND other.key = ?2 AND other.veiled = ?4
             WHERE g.world = ?1 AND g.key = ?2 AND g.veiled = ?3",
            "DELETE FROM node_tag WHERE tag IN (
               SELECT id FROM tag WHERE world = ?1 AND key = ?2 AND veiled = ?3) AND ?4 IN (0, 1)",
            // A tag that is left behind would reveal its spelling to others who create one of that
            // name.
            "DELETE FROM tag WHERE world = ?1 AND key = ?2 AND veiled = ?3 AND ?4 IN (0, 1)",
        ] {
            self.db.prepare_cached(sql)?.execute(parameters)?;
        }
        docs::put_tagged(self.db, self.author.world, key)
    }

    /// Which tag a name means for somebody who sees the game master's side.
    fn side_of(&self, key: &str) -> Answer<TagSide> {
        Ok(if self.has_page(key, "gm")? { TagSide::Veiled } else { TagSide::Open })
    }

    fn has_page(&self, key: &str, visibility: &str) -> Answer<bool> {
        let sql = sight::tag_page("?1", "?2", "?3");
        let parameters = params![self.author.world, key, visibility];
        Ok(self.db.prepare_cached(&sql)?.exists(parameters)?)
    }

    fn has_tag(&self, node: i64, key: &str) -> Answer<bool> {
        let sql = "SELECT 1 FROM node_tag ng JOIN tag g ON g.id = ng.tag
                   WHERE ng.node = ?1 AND g.key = ?2";
        Ok(self.db.prepare_cached(sql)?.exists(params![node, key])?)
    }
}

fn is_veiled(side: TagSide) -> bool {
    side == TagSide::Veiled
}

/// The trimmed names with their keys, in the given order, without repeated keys. Fails on an empty
/// name.
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

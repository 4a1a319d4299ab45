//! Changes to nodes.

use std::borrow::Cow;

use lore_core::names::name_key;
use lore_core::{BEHIND_SCREEN, Node, NodeId, Visibility};
use lore_store::{Applied, Counters, Counting, Expect, NewNode, NodePatch, NodeRef, veil};
use rusqlite::{named_params, params};

use super::note::{Note, shown};
use super::shown::says_other;
use super::{Hand, Target, expect, json};
use crate::counter;
use crate::docs;
use crate::fault::{Answer, invalid, missing};
use crate::rows;
use crate::sight::{self, Presence};

impl Hand<'_> {
    /// Creates a node.
    pub(super) fn create_node(&mut self, new: &NewNode) -> Answer<Applied> {
        let world = self.author.world;
        let kind = counter::of_kind(new.kind.as_str());
        let number = counter::number(self.db, world, counter::NODES, new.number)?;
        let kind_number = match (new.kind_number, new.counting) {
            (None, Counting::InStore) => counter::take_everywhere(self.db, world, &kind)?,
            (wanted, _) => counter::number(self.db, world, &kind, wanted)?,
        };
        let id = self.insert_node(new, number, kind_number)?;
        if !new.aliases.is_empty() {
            self.set_aliases(id, &new.aliases)?;
        }
        if !new.tags.is_empty() {
            self.set_tags(id, &new.tags)?;
        }
        docs::put_head(self.db, world, id)?;
        if new.kind.as_str() == sight::TAG && new.visibility == Visibility::Gm {
            self.veil_tag(&name_key(&new.name))?;
        }
        self.made.insert(new.uid);
        self.heard.add([new.visibility]);
        let note = Note::new("create_node", id, 1).uid(new.uid).seen_by([new.visibility]);
        self.notes.push(note.into());
        Ok(Applied::Node { id: NodeId(id), number, kind_number, version: 1 })
    }

    /// Changes fields of a live node.
    pub(super) fn update_node(
        &mut self,
        node: NodeRef,
        version: Expect,
        patch: &NodePatch,
    ) -> Answer<Applied> {
        let target = self.node(node, Presence::Live)?;
        expect(version, target.version, || format!("node {}", target.id))?;
        let old = self.whole_node(target.id)?;
        let patch = &*self.behind_screen(patch, &old);
        let seen = self.seen_by_author(&old)?;
        let patch = &*match &seen {
            Some(seen) => veil::lifted_from_node(patch, &old, &|number| seen.contains(&number)),
            None => Cow::Borrowed(patch),
        };
        if !says_other(&old, patch) && !self.is_retagged(&old, patch)? {
            self.said.push(Said { node: target.id, seen: patch.seen });
            return Ok(applied(&target, target.version));
        }
        self.tell_of_patch(&old, patch)?;
        let kind_number = self.patch_node(&old, patch)?;
        if let Some(aliases) = &patch.aliases {
            self.set_aliases(target.id, aliases)?;
        }
        if let Some(tags) = &patch.tags {
            self.set_tags(target.id, tags)?;
        }
        if let Some(retag) = &patch.retag {
            self.swap_tag(target.id, retag)?;
        }
        self.reindex(&old, patch)?;
        self.follow_tag(&old, patch)?;
        self.heard.add([old.visibility]);
        self.heard.add([patch.visibility.unwrap_or(old.visibility)]);
        self.notes.push(patch_note(&old, patch).into());
        Ok(applied(&Target { kind_number, ..target }, target.version + 1))
    }

    /// Decides about patches that changed no value. Such a patch still updates the node's change
    /// date if the batch changed something else of that node or, if the patch says who may see the
    /// change, if the batch changed anything at all.
    pub(super) fn settle_said(&mut self, applied: &mut [Applied]) -> Answer<()> {
        let any = !self.notes.is_empty();
        for said in std::mem::take(&mut self.said) {
            let changed = if said.seen.is_some() { any } else { self.is_told(said.node) };
            if !changed {
                continue;
            }
            let patch = NodePatch { seen: said.seen, ..NodePatch::default() };
            let old = self.whole_node(said.node)?;
            let moved = self.has_moved(said.node);
            self.tell_of_patch(&old, &patch)?;
            if moved {
                continue;
            }
            self.patch_node(&old, &patch)?;
            self.heard.add([old.visibility]);
            self.notes.push(patch_note(&old, &patch).into());
            applied.iter_mut().for_each(|one| count(one, old.id, old.version + 1));
        }
        Ok(())
    }

    /// Soft-deletes a node.
    pub(super) fn delete_node(&mut self, node: NodeRef, version: Expect) -> Answer<Applied> {
        let target = self.node(node, Presence::Live)?;
        expect(version, target.version, || format!("node {}", target.id))?;
        self.bin_node("delete_node", &target, Some(self.author.at))
    }

    /// Restores a deleted node; a live one is left unchanged.
    pub(super) fn restore_node(&mut self, node: NodeRef) -> Answer<Applied> {
        let target = self.node(node, Presence::Any)?;
        if target.deleted {
            return self.bin_node("restore_node", &target, None);
        }
        Ok(applied(&target, target.version))
    }

    /// Moves the counters past `past`, so that an import can use the numbers up to there.
    pub(super) fn skip_numbers(&mut self, counters: &Counters, past: i64) -> Answer<Applied> {
        let world = self.author.world;
        let kinds = match counters {
            Counters::All(kinds) => {
                counter::number(self.db, world, counter::NODES, Some(past))?;
                kinds
            }
            Counters::OfKinds(kinds) => kinds,
        };
        for kind in kinds {
            counter::number(self.db, world, &counter::of_kind(kind.as_str()), Some(past))?;
        }
        self.notes.push(serde_json::json!({ "op": "skip_numbers", "past": past }));
        Ok(Applied::Numbers)
    }

    fn insert_node(&self, new: &NewNode, number: i64, kind_number: i64) -> Answer<i64> {
        let name = checked(&new.name)?;
        let (visibility, private_to) = rows::visibility_columns(new.visibility);
        self.db
            .prepare_cached(
                "INSERT INTO node (uid, world, number, kind_number, kind, namespace, name, name_key,
                   derived_name, subtype, subtype_key, visibility, private_to, properties, version,
                   created_at, created_by, updated_at, updated_by)
                 VALUES (:uid, :world, :number, :kind_number, :kind, :namespace, :name, :name_key,
                   :derived_name, :subtype, :subtype_key, :visibility, :private_to, :properties, 1,
                   :at, :by, :at, :by)",
            )?
            .execute(named_params! {
                ":uid": new.uid.as_bytes(),
                ":world": self.author.world,
                ":number": number,
                ":kind_number": kind_number,
                ":kind": new.kind.as_str(),
                ":namespace": new.namespace,
                ":name": name,
                ":name_key": name_key(name),
                ":derived_name": new.derived_name,
                ":subtype": new.subtype,
                ":subtype_key": new.subtype.as_deref().map(name_key),
                ":visibility": visibility,
                ":private_to": private_to,
                ":properties": json(&new.properties)?,
                ":at": self.author.at,
                ":by": self.author.principal,
            })?;
        Ok(self.db.last_insert_rowid())
    }

    /// The patch with those properties kept as they are that its author cannot see.
    fn behind_screen<'p>(&self, patch: &'p NodePatch, old: &Node) -> Cow<'p, NodePatch> {
        let mut patch = Cow::Borrowed(patch);
        if patch.properties.is_none() || self.knows_all() {
            return patch;
        }
        if let Some(properties) = &mut patch.to_mut().properties {
            match old.properties.get(BEHIND_SCREEN) {
                Some(kept) => properties.insert(BEHIND_SCREEN.into(), kept.clone()),
                None => properties.shift_remove(BEHIND_SCREEN),
            };
        }
        patch
    }

    /// Writes the changed fields, and returns the node's number within its kind, which is a new one
    /// if the kind changes.
    fn patch_node(&self, old: &Node, patch: &NodePatch) -> Answer<i64> {
        let name = checked(patch.name.as_ref().unwrap_or(&old.name))?;
        let kind = patch.kind.as_ref().unwrap_or(&old.kind);
        let kind_number = match *kind == old.kind {
            true => old.kind_number,
            false => counter::take(self.db, self.author.world, &counter::of_kind(kind.as_str()))?,
        };
        let subtype = patch.subtype.as_ref().unwrap_or(&old.subtype);
        let (visibility, private_to) =
            rows::visibility_columns(patch.visibility.unwrap_or(old.visibility));
        self.db
            .prepare_cached(
                "UPDATE node SET namespace = :namespace, name = :name, name_key = :name_key,
                   subtype = :subtype, subtype_key = :subtype_key, visibility = :visibility,
                   private_to = :private_to, properties = :properties, version = version + 1,
                   updated_at = :at, updated_by = :by, kind = :kind, kind_number = :kind_number
                 WHERE id = :id",
            )?
            .execute(named_params! {
                ":id": old.id.0,
                ":kind": kind.as_str(),
                ":kind_number": kind_number,
                ":namespace": patch.namespace.as_ref().unwrap_or(&old.namespace),
                ":name": name,
                ":name_key": name_key(name),
                ":subtype": subtype,
                ":subtype_key": subtype.as_deref().map(name_key),
                ":visibility": visibility,
                ":private_to": private_to,
                ":properties": json(patch.properties.as_ref().unwrap_or(&old.properties))?,
                ":at": self.author.at,
                ":by": self.author.principal,
            })?;
        Ok(kind_number)
    }

    fn bin_node(&mut self, op: &str, target: &Target, deleted_at: Option<i64>) -> Answer<Applied> {
        // Reads the row first, so that a damaged one fails here and does not get a valid seal.
        let old = self.whole_node(target.id)?;
        self.tell_of_bin(&old);
        let sql = "UPDATE node SET deleted_at = ?2, version = version + 1,
                     updated_at = ?3, updated_by = ?4 WHERE id = ?1";
        self.db.prepare_cached(sql)?.execute(params![
            target.id,
            deleted_at,
            self.author.at,
            self.author.principal
        ])?;
        docs::touch_node(self.db, target.id)?;
        if old.kind.as_str() == sight::TAG
            && target.visibility == Visibility::Gm
            && deleted_at.is_none()
        {
            self.veil_tag(&name_key(&old.name))?;
        }
        self.heard.add([target.visibility]);
        let version = target.version + 1;
        let note = Note::new(op, target.id, version).uid(target.uid).seen_by([target.visibility]);
        self.notes.push(note.into());
        Ok(applied(target, version))
    }

    /// Updates the search documents that a patch affects. Most patches affect none.
    fn reindex(&self, old: &Node, patch: &NodePatch) -> Answer<()> {
        let tagged = patch.tags.is_some() || patch.retag.is_some();
        let shown = tagged || patch.visibility.is_some() || patch.kind.is_some();
        if shown || patch.namespace.is_some() {
            docs::touch_node(self.db, old.id.0)?;
        }
        if shown || patch.name.is_some() || patch.aliases.is_some() || patch.subtype.is_some() {
            docs::put_head(self.db, self.author.world, old.id.0)?;
        }
        Ok(())
    }

    /// Veils or unveils a tag when its page changes name or visibility.
    fn follow_tag(&self, old: &Node, patch: &NodePatch) -> Answer<()> {
        if old.kind.as_str() != sight::TAG {
            return Ok(());
        }
        let (before, after) = (old.visibility, patch.visibility.unwrap_or(old.visibility));
        let key = name_key(patch.name.as_ref().unwrap_or(&old.name));
        let is_renamed = key != name_key(&old.name);
        match (before, after) {
            (Visibility::Gm, Visibility::Members) if !is_renamed => self.unveil_tag(&key),
            (Visibility::Gm, Visibility::Gm) if !is_renamed => Ok(()),
            (_, Visibility::Gm) => self.veil_tag(&key),
            _ => Ok(()),
        }
    }

    /// The node with all its fields. The caller has checked that the viewer may see it.
    fn whole_node(&self, id: i64) -> Answer<Node> {
        let sql = format!("SELECT {} FROM node n WHERE n.id = ?1", rows::whole_node_columns());
        let mut statement = self.db.prepare_cached(&sql)?;
        rows::first(statement.query([id])?, rows::node)?
            .ok_or_else(|| missing(format!("node {id}")))
    }
}

/// A patch of a node that changed no value.
pub(super) struct Said {
    node: i64,
    /// Who may see what changes, if the patch says so.
    seen: Option<Visibility>,
}

/// Sets the final version of a node in the result of a change.
fn count(applied: &mut Applied, node: NodeId, now: i64) {
    if let Applied::Node { id, version, .. } = applied
        && *id == node
    {
        *version = now;
    }
}

fn applied(target: &Target, version: i64) -> Applied {
    Applied::Node {
        id: NodeId(target.id),
        number: target.number,
        kind_number: target.kind_number,
        version,
    }
}

fn patch_note(old: &Node, patch: &NodePatch) -> Note {
    Note::new("update_node", old.id.0, old.version + 1)
        .uid(old.uid)
        .patched("kind", &patch.kind, old.kind.as_str())
        .patched("name", &patch.name, old.name.as_str())
        .patched("namespace", &patch.namespace, old.namespace.as_str())
        .patched("subtype", &patch.subtype, old.subtype.clone())
        .patched("aliases", &patch.aliases, old.aliases.clone())
        .patched("tags", &patch.tags, old.tags.clone())
        .patched("visibility", &patch.visibility, shown(old.visibility))
        .patched("properties", &patch.properties, old.properties.clone())
        .seen_by([old.visibility, patch.visibility.unwrap_or(old.visibility)])
}

fn checked(name: &str) -> Answer<&str> {
    if name.trim().is_empty() {
        return Err(invalid("a node's name is empty"));
    }
    Ok(name)
}

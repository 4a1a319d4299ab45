//! Changes to texts.

use std::borrow::Cow;

use lore_core::{Text, TextId};
use lore_store::{Applied, Expect, NewText, NodeRef, TextPatch, TextRef, veil};
use rusqlite::{named_params, params};

use super::note::{Note, shown};
use super::shown::{Seen, is_other};
use super::{Hand, expect};
use crate::docs;
use crate::fault::{Answer, missing};
use crate::rows;
use crate::sight::{self, Presence};

impl Hand<'_> {
    /// Creates a text on a live node.
    pub(super) fn create_text(&mut self, new: &NewText) -> Answer<Applied> {
        let node = self.node(new.node, Presence::Live)?;
        let (visibility, private_to) = rows::visibility_columns(new.visibility);
        self.db
            .prepare_cached(
                "INSERT INTO text (uid, node, kind, title, body, position, source, session, author,
                   occurred_at, searchable, visibility, private_to, version, created_at, created_by, updated_at, updated_by)
                 VALUES (:uid, :node, :kind, :title, :body, :position, :source, :session, :author,
                   :occurred_at, :searchable, :visibility, :private_to, 1, :at, :by, :at, :by)",
            )?
            .execute(named_params! {
                ":uid": new.uid.as_bytes(),
                ":node": node.id,
                ":kind": new.kind.as_str(),
                ":title": new.title,
                ":body": new.body,
                ":position": new.position,
                ":source": new.provenance.source,
                ":session": new.provenance.session,
                ":author": new.provenance.author,
                ":occurred_at": new.provenance.occurred_at.map(rows::micros),
                ":searchable": new.searchable,
                ":visibility": visibility,
                ":private_to": private_to,
                ":at": self.author.at,
                ":by": self.author.principal,
            })?;
        let id = self.db.last_insert_rowid();
        docs::put_text(self.db, self.author.world, node.id, id)?;
        self.made.insert(new.uid);
        self.tell(node.id, Seen::of(node.visibility, new.visibility));
        self.heard.add([node.visibility, new.visibility]);
        let note = Note::new("create_text", id, 1).uid(new.uid);
        self.notes.push(note.seen_by([node.visibility, new.visibility]).into());
        Ok(Applied::Text { id: TextId(id), version: 1 })
    }

    /// Changes fields of a live text.
    pub(super) fn update_text(
        &mut self,
        text: TextRef,
        version: Expect,
        patch: &TextPatch,
    ) -> Answer<Applied> {
        let old = self.text(text, Presence::Live)?;
        expect(version, old.version, || format!("text {}", old.id))?;
        let seen = self.seen_by_author(&old)?;
        let patch = &*match &seen {
            Some(seen) => veil::lifted_from_text(patch, &old, &|number| seen.contains(&number)),
            None => Cow::Borrowed(patch),
        };
        if !differs(&old, patch) {
            return Ok(Applied::Text { id: old.id, version: old.version });
        }
        let on = self.visibility_of(old.node.0)?;
        let after = patch.visibility.unwrap_or(old.visibility);
        self.tell(old.node.0, Seen::of(on, old.visibility).max(Seen::of(on, after)));
        self.patch_text(&old, patch)?;
        docs::put_text(self.db, self.author.world, old.node.0, old.id.0)?;
        self.heard.add([on, old.visibility]);
        self.heard.add([on, after]);
        let note = Note::new("update_text", old.id.0, old.version + 1)
            .uid(old.uid)
            .patched("title", &patch.title, old.title.as_str())
            .patched("body", &patch.body, old.body.as_str())
            .patched("position", &patch.position, old.position)
            .patched("visibility", &patch.visibility, shown(old.visibility))
            .seen_by([old.visibility, after, on]);
        self.notes.push(note.into());
        Ok(Applied::Text { id: old.id, version: old.version + 1 })
    }

    /// Moves a live text to another live node. Search is told of both, because the text's document
    /// at the old node remains as a row.
    pub(super) fn move_text(
        &mut self,
        text: TextRef,
        version: Expect,
        node: NodeRef,
    ) -> Answer<Applied> {
        let old = self.text(text, Presence::Live)?;
        expect(version, old.version, || format!("text {}", old.id))?;
        let node = self.node(node, Presence::Live)?;
        let sql = "UPDATE text SET node = ?2, version = version + 1,
                     updated_at = ?3, updated_by = ?4 WHERE id = ?1";
        self.db.prepare_cached(sql)?.execute(params![
            old.id.0,
            node.id,
            self.author.at,
            self.author.principal
        ])?;
        docs::touch_text(self.db, old.node.0, old.id.0)?;
        docs::put_text(self.db, self.author.world, node.id, old.id.0)?;
        let from = self.visibility_of(old.node.0)?;
        self.tell(old.node.0, Seen::of(from, old.visibility));
        self.tell(node.id, Seen::of(node.visibility, old.visibility));
        self.heard.add([from, old.visibility]);
        self.heard.add([node.visibility, old.visibility]);
        let version = old.version + 1;
        let note = Note::new("move_text", old.id.0, version)
            .uid(old.uid)
            .replaced("node", old.node.0)
            .seen_by([old.visibility, node.visibility, from]);
        self.notes.push(note.into());
        Ok(Applied::Text { id: old.id, version })
    }

    /// Soft-deletes a text.
    pub(super) fn delete_text(&mut self, text: TextRef, version: Expect) -> Answer<Applied> {
        let old = self.text(text, Presence::Live)?;
        expect(version, old.version, || format!("text {}", old.id))?;
        self.bin_text("delete_text", &old, Some(self.author.at))
    }

    /// Restores a deleted text; a live one is left unchanged.
    pub(super) fn restore_text(&mut self, text: TextRef) -> Answer<Applied> {
        let old = self.text(text, Presence::Any)?;
        if old.deleted_at.is_some() {
            return self.bin_text("restore_text", &old, None);
        }
        Ok(Applied::Text { id: old.id, version: old.version })
    }

    /// A text that the viewer sees or that this batch created.
    fn text(&self, text: TextRef, presence: Presence) -> Answer<Text> {
        let (column, key, name) = match text {
            TextRef::Id(id) => ("id", rusqlite::types::Value::from(id.0), id.to_string()),
            TextRef::Uid(uid) => ("uid", uid.as_bytes().to_vec().into(), uid.to_string()),
        };
        let sql = format!(
            "SELECT {} FROM text t JOIN node n ON n.id = t.node WHERE t.{column} = :key AND {}",
            rows::TEXT,
            sight::text(presence)
        );
        let made = matches!(text, TextRef::Uid(uid) if self.made.contains(&uid));
        self.look(&sql, made, &[(":key", &key)], rows::text)?
            .ok_or_else(|| missing(format!("text {name}")))
    }

    fn patch_text(&self, old: &Text, patch: &TextPatch) -> Answer<()> {
        let (visibility, private_to) =
            rows::visibility_columns(patch.visibility.unwrap_or(old.visibility));
        let provenance = patch.provenance.as_ref().unwrap_or(&old.provenance);
        self.db
            .prepare_cached(
                "UPDATE text SET title = :title, body = :body, position = :position,
                   source = :source, session = :session, author = :author,
                   occurred_at = :occurred_at, searchable = :searchable,
                   visibility = :visibility, private_to = :private_to, version = version + 1,
                   updated_at = :at, updated_by = :by
                 WHERE id = :id",
            )?
            .execute(named_params! {
                ":id": old.id.0,
                ":title": patch.title.as_ref().unwrap_or(&old.title),
                ":body": patch.body.as_ref().unwrap_or(&old.body),
                ":position": patch.position.unwrap_or(old.position),
                ":source": provenance.source,
                ":session": provenance.session,
                ":author": provenance.author,
                ":occurred_at": provenance.occurred_at.map(rows::micros),
                ":searchable": patch.searchable.unwrap_or(old.searchable),
                ":visibility": visibility,
                ":private_to": private_to,
                ":at": self.author.at,
                ":by": self.author.principal,
            })?;
        Ok(())
    }

    fn bin_text(&mut self, op: &str, old: &Text, deleted_at: Option<i64>) -> Answer<Applied> {
        let sql = "UPDATE text SET deleted_at = ?2, version = version + 1,
                     updated_at = ?3, updated_by = ?4 WHERE id = ?1";
        self.db.prepare_cached(sql)?.execute(params![
            old.id.0,
            deleted_at,
            self.author.at,
            self.author.principal
        ])?;
        docs::touch_text(self.db, old.node.0, old.id.0)?;
        let on = self.visibility_of(old.node.0)?;
        self.tell(old.node.0, Seen::of(on, old.visibility));
        self.heard.add([on, old.visibility]);
        let version = old.version + 1;
        self.notes.push(Note::new(op, old.id.0, version).uid(old.uid).into());
        Ok(Applied::Text { id: old.id, version })
    }
}

/// Whether a patch changes any value.
fn differs(old: &Text, patch: &TextPatch) -> bool {
    is_other(&patch.title, &old.title)
        || is_other(&patch.body, &old.body)
        || is_other(&patch.position, &old.position)
        || is_other(&patch.provenance, &old.provenance)
        || is_other(&patch.searchable, &old.searchable)
        || is_other(&patch.visibility, &old.visibility)
}

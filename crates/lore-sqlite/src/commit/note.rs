//! The audit entry of one change.

use lore_core::{Uid, Visibility};
use serde_json::{Map, Value};

use crate::audit::{PRIVATE_TO, REPLACED};

/// Collects what the audit log says about one change.
pub(super) struct Note {
    fields: Map<String, Value>,
    replaced: Map<String, Value>,
    private_to: Vec<i64>,
}

impl Note {
    /// Starts an entry: `op` was applied to the row `id`, which now has `version`.
    pub(super) fn new(op: &str, id: i64, version: i64) -> Self {
        let fields = [
            ("op".to_owned(), op.into()),
            ("id".to_owned(), id.into()),
            ("version".to_owned(), version.into()),
        ];
        Self { fields: fields.into_iter().collect(), replaced: Map::new(), private_to: Vec::new() }
    }

    /// Adds the item's uid.
    pub(super) fn uid(mut self, uid: Uid) -> Self {
        self.fields.insert("uid".into(), uid.to_string().into());
        self
    }

    /// Adds the end nodes and the kind of an edge.
    pub(super) fn between(mut self, source: i64, target: i64, kind: &str) -> Self {
        self.fields.insert("source".into(), source.into());
        self.fields.insert("target".into(), target.into());
        self.fields.insert("kind".into(), kind.into());
        self
    }

    /// Adds an old value that was replaced.
    pub(super) fn replaced(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.replaced.insert(field.into(), value.into());
        self
    }

    /// Adds the old value if the patch holds a new one.
    pub(super) fn patched<T>(self, field: &str, patch: &Option<T>, old: impl Into<Value>) -> Self {
        if patch.is_some() { self.replaced(field, old) } else { self }
    }

    /// Adds the visibilities that matter: those of the item before and after, and of what it
    /// belongs to. If any of them is private, the replaced values are private as well.
    pub(super) fn seen_by(mut self, visibilities: impl IntoIterator<Item = Visibility>) -> Self {
        for visibility in visibilities {
            if let Visibility::Private(principal) = visibility
                && !self.private_to.contains(&principal.0)
            {
                self.private_to.push(principal.0);
            }
        }
        self
    }
}

impl From<Note> for Value {
    fn from(note: Note) -> Self {
        let mut fields = note.fields;
        if !note.replaced.is_empty() {
            fields.insert(REPLACED.into(), note.replaced.into());
        }
        if !note.private_to.is_empty() {
            fields.insert(PRIVATE_TO.into(), note.private_to.into());
        }
        Self::Object(fields)
    }
}

/// A visibility as the audit log writes it.
pub(super) fn shown(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Members => "members",
        Visibility::Gm => "gm",
        Visibility::Private(_) => "private",
    }
}

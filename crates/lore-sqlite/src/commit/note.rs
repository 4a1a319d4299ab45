//! What one change leaves in the audit log.

use lore_core::{Uid, Visibility};
use serde_json::{Map, Value};

use crate::audit::{PRIVATE_TO, REPLACED};

/// A line about one change.
pub(super) struct Note {
    fields: Map<String, Value>,
    replaced: Map<String, Value>,
    private_to: Vec<i64>,
}

impl Note {
    /// `op` happened to the row `id`, which now has `version`.
    pub(super) fn new(op: &str, id: i64, version: i64) -> Self {
        let fields = [
            ("op".to_owned(), op.into()),
            ("id".to_owned(), id.into()),
            ("version".to_owned(), version.into()),
        ];
        Self { fields: fields.into_iter().collect(), replaced: Map::new(), private_to: Vec::new() }
    }

    /// Adds the thing's uid.
    pub(super) fn uid(mut self, uid: Uid) -> Self {
        self.fields.insert("uid".into(), uid.to_string().into());
        self
    }

    /// Adds what an edge joins, and how.
    pub(super) fn between(mut self, source: i64, target: i64, kind: &str) -> Self {
        self.fields.insert("source".into(), source.into());
        self.fields.insert("target".into(), target.into());
        self.fields.insert("kind".into(), kind.into());
        self
    }

    /// Adds a value that is no more.
    pub(super) fn replaced(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.replaced.insert(field.into(), value.into());
        self
    }

    /// Adds the old value when the patch holds a new one.
    pub(super) fn patched<T>(self, field: &str, patch: &Option<T>, old: impl Into<Value>) -> Self {
        if patch.is_some() { self.replaced(field, old) } else { self }
    }

    /// Takes in who saw the thing, before and after, and what it hangs on: if any
    /// of them was private, the replaced values are.
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

/// A visibility as the audit log shows it.
pub(super) fn shown(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Members => "members",
        Visibility::Gm => "gm",
        Visibility::Private(_) => "private",
    }
}

//! Index of the notes about entities that a viewer sees: what a link to a note leads to, and which
//! names notes give entities that are not visible on the entities themselves.

use std::collections::{BTreeSet, HashMap};

use lore_core::{Node, NodeId};

use super::stored_notes;
use crate::knowledge::entities::uri;

/// Index of notes about entities.
#[derive(Default)]
pub(in crate::knowledge) struct NoteIndex {
    notes: HashMap<NodeId, Known>,
    by_title: HashMap<String, BTreeSet<NodeId>>,
    by_subject: HashMap<String, BTreeSet<NodeId>>,
    by_digest: HashMap<String, BTreeSet<NodeId>>,
}

struct Known {
    /// The path as written; `path` is the same normalised for comparison.
    file: String,
    path: String,
    title: String,
    subject: String,
    aside: Vec<String>,
    digest: String,
}

impl NoteIndex {
    /// Adds a node, if it is a note about an entity. Returns the anchor (stable part) of the
    /// entity's URI if the note gives it names of its own (see [`Self::names_of`]).
    pub(in crate::knowledge) fn learn(&mut self, node: &Node) -> Option<String> {
        let told = stored_notes::told(node)?;
        let path = place(&told.path);
        let known = Known {
            title: title(&path).to_owned(),
            path,
            subject: uri::anchor(told.about),
            aside: told.aside,
            digest: told.digest.to_owned(),
            file: told.path,
        };
        let (subject, is_named) = (known.subject.clone(), !known.aside.is_empty());
        self.by_title.entry(known.title.clone()).or_default().insert(node.id);
        self.by_subject.entry(known.subject.clone()).or_default().insert(node.id);
        self.by_digest.entry(known.digest.clone()).or_default().insert(node.id);
        self.notes.insert(node.id, known);
        is_named.then_some(subject)
    }

    /// Removes a note. Returns the anchor of its entity's URI if the note gave it names of its own.
    pub(in crate::knowledge) fn forget(&mut self, id: NodeId) -> Option<String> {
        let known = self.notes.remove(&id)?;
        for (map, key) in [
            (&mut self.by_title, &known.title),
            (&mut self.by_subject, &known.subject),
            (&mut self.by_digest, &known.digest),
        ] {
            let left = map.get_mut(key).map(|notes| {
                notes.remove(&id);
                notes.len()
            });
            if left == Some(0) {
                map.remove(key);
            }
        }
        (!known.aside.is_empty()).then_some(known.subject)
    }

    /// Returns the names that notes give an entity and that are not visible on it.
    pub(in crate::knowledge) fn names_of<'a>(
        &'a self,
        anchors: &'a [String],
    ) -> impl Iterator<Item = &'a String> {
        self.about(anchors).flat_map(|known| &known.aside)
    }

    /// Returns the paths of the notes whose text has this digest.
    pub(in crate::knowledge) fn saying(&self, digest: &str) -> Vec<String> {
        let notes = self.by_digest.get(digest).into_iter().flatten();
        notes.filter_map(|id| self.notes.get(id)).map(|known| known.file.clone()).collect()
    }

    /// Returns the file names of the notes about an entity.
    pub(in crate::knowledge) fn titles_of<'a>(
        &'a self,
        anchors: &'a [String],
    ) -> impl Iterator<Item = &'a str> {
        self.about(anchors).map(|known| known.title.as_str())
    }

    /// Returns the URI anchors of the entities whose notes a link leads to. Case is ignored, and
    /// leading folders may be left out unless there is a note at exactly this path.
    pub(in crate::knowledge) fn linked(&self, target: &str) -> BTreeSet<&str> {
        let target = place(target);
        let below = format!("/{target}");
        let subjects = |is_meant: &dyn Fn(&Known) -> bool| -> BTreeSet<&str> {
            let meant = self.titled(&target).filter(|known| is_meant(known));
            meant.map(|known| known.subject.as_str()).collect()
        };
        let exact = subjects(&|known| known.path == target);
        if exact.is_empty() { subjects(&|known| known.path.ends_with(&below)) } else { exact }
    }

    /// Whether there is a note at exactly this path. Case is ignored.
    pub(in crate::knowledge) fn is_at(&self, path: &str) -> bool {
        let path = place(path);
        self.titled(&path).any(|known| known.path == path)
    }

    /// Whether another note than the one at a path has its file name and the same subject.
    pub(in crate::knowledge) fn has_second(&self, path: &str, subject: &str) -> bool {
        let path = place(path);
        self.titled(&path).any(|known| known.path != path && known.subject == subject)
    }

    /// Returns the notes whose file name is the last part of a normalised path.
    fn titled(&self, path: &str) -> impl Iterator<Item = &Known> {
        let notes = self.by_title.get(title(path)).into_iter().flatten();
        notes.filter_map(|id| self.notes.get(id))
    }

    fn about<'a>(&'a self, anchors: &'a [String]) -> impl Iterator<Item = &'a Known> {
        let notes = anchors.iter().filter_map(|anchor| self.by_subject.get(anchor)).flatten();
        notes.filter_map(|id| self.notes.get(id))
    }
}

/// Normalises a path for comparison.
fn place(path: &str) -> String {
    let path = path.trim().trim_start_matches('/');
    path.strip_suffix(".md").unwrap_or(path).to_lowercase()
}

fn title(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or(place)
}

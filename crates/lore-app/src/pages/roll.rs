//! What pages are called, in memory: for finding names by ear.

use std::collections::BTreeMap;

use lore_core::{Node, NodeId, Text};

use super::kinds::PageKind;
use super::likeness::{Heard, Name};
use crate::views::{Learn, Views};

/// What each viewer knows of the names of pages.
pub type Rolls = Views<Roll>;

/// The names of the pages that one viewer sees.
#[derive(Default)]
pub struct Roll(BTreeMap<NodeId, Entry>);

struct Entry {
    kind: PageKind,
    names: Vec<Name>,
}

impl Roll {
    /// The pages of some kinds whose names are at least so much
    /// like what was heard; best first, then as they were made.
    pub(super) fn alike(&self, heard: &str, kinds: &[PageKind], least: f64) -> Vec<(NodeId, f64)> {
        let mut heard = Heard::new(heard);
        let wanted = self.0.iter().filter(|(_, entry)| kinds.contains(&entry.kind));
        let scored = wanted.map(|(id, entry)| {
            let scores = entry.names.iter().map(|name| heard.likeness(name, least));
            (*id, scores.fold(0.0, f64::max))
        });
        let mut found: Vec<(NodeId, f64)> = scored.filter(|(_, score)| *score >= least).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }
}

impl Learn for Roll {
    fn concerns(node: &Node) -> bool {
        PageKind::of(&node.kind).is_some()
    }

    fn learn(&mut self, node: Node, _texts: Vec<Text>) {
        if let Some(kind) = PageKind::of(&node.kind) {
            let names = std::iter::once(&node.name).chain(&node.aliases);
            self.0.insert(
                node.id,
                Entry { kind, names: names.map(|name| Name::new(name)).collect() },
            );
        }
    }

    fn forget(&mut self, id: NodeId) {
        self.0.remove(&id);
    }
}

//! An in-memory view of the names of pages and other entities, for finding names that sound alike.

use std::collections::BTreeMap;

use lore_core::{Node, NodeId, Text};

use super::kinds::PageKind;
use super::likeness::{Heard, Name};
use super::scribe::Breadth;
use crate::doors;
use crate::knowledge::EntityType;
use crate::views::{Learn, Views};

/// The names of pages, as each viewer sees them.
pub type Rolls = Views<Roll>;

/// The names of the pages that one viewer sees.
#[derive(Default)]
pub struct Roll(BTreeMap<NodeId, Entry>);

struct Entry {
    kind: PageKind,
    breadth: Breadth,
    names: Vec<Name>,
}

impl Roll {
    /// The pages of some kinds whose names have at least the similarity `least` to what was heard;
    /// best first, then by creation.
    pub(super) fn alike(
        &self,
        heard: &str,
        (kinds, breadth): (&[PageKind], Breadth),
        least: f64,
    ) -> Vec<(NodeId, f64)> {
        let mut heard = Heard::new(heard);
        let reached = |entry: &Entry| breadth == Breadth::World || entry.breadth == breadth;
        let wanted = self.0.iter().filter(|(_, entry)| kinds.contains(&entry.kind));
        let wanted = wanted.filter(|(_, entry)| reached(entry));
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
        known_as(node).is_some()
    }

    fn learn(&mut self, node: Node, _texts: Vec<Text>) {
        if let Some((kind, breadth)) = known_as(&node) {
            let names = std::iter::once(&node.name).chain(&node.aliases);
            let names = names.map(|name| Name::new(name)).collect();
            self.0.insert(node.id, Entry { kind, breadth, names });
        }
    }

    fn forget(&mut self, id: NodeId) {
        self.0.remove(&id);
    }
}

/// How a node takes part in the search for names: as a page, or as the nearest kind of page. Titles
/// of documents and excerpts of texts do not, because nobody says them aloud.
fn known_as(node: &Node) -> Option<(PageKind, Breadth)> {
    let page = PageKind::of(&node.kind).map(|kind| (kind, Breadth::Pages));
    page.or_else(|| {
        EntityType::of(node)?;
        Some((doors::nearest_page(node.kind.as_str())?, Breadth::World))
    })
}

//! An in-memory view of the dates of pages, for finding pages by date.

use std::collections::HashMap;

use lore_core::{Node, NodeId, Text};
use lore_store::NodePatch;

use super::dates::{self, Date, DateRange};
use super::kinds::{ENTRY, PageKind};
use crate::views::{Learn, Reads, Views};

/// The dates of pages, as each viewer sees them.
pub type Days = Views<Diary>;

/// The dates of the pages that one viewer sees.
#[derive(Default)]
pub struct Diary(HashMap<NodeId, Date>);

impl Diary {
    /// The pages dated within a range, in no particular order.
    pub(super) fn within(&self, range: DateRange) -> Vec<NodeId> {
        let within = self.0.iter().filter(|(_, date)| range.holds(**date));
        within.map(|(page, _)| *page).collect()
    }

    /// The date of a page, if it has one.
    pub(super) fn of(&self, page: NodeId) -> Option<Date> {
        self.0.get(&page).copied()
    }
}

impl Learn for Diary {
    const READS: Reads = Reads::Texts;

    fn concerns(node: &Node) -> bool {
        PageKind::of(&node.kind).is_some()
    }

    fn learn(&mut self, node: Node, texts: Vec<Text>) {
        let entry = texts.iter().find(|text| text.kind.as_str() == ENTRY);
        let date = dates::date_of(&node, entry.map(|text| text.body.as_str()));
        self.0.extend(date.map(|date| (node.id, date)));
    }

    fn forget(&mut self, id: NodeId) {
        self.0.remove(&id);
    }
}

/// Reports a change of a page's date to the views. Changes of properties alone are not reported, so
/// the patch sets the name to what it is.
pub(super) fn tell(patch: &mut NodePatch, node: &Node) {
    let date = dates::own_date(&node.properties);
    if patch.properties.as_ref().is_some_and(|after| dates::own_date(after) != date) {
        patch.name.get_or_insert_with(|| node.name.clone());
    }
}

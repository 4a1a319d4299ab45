//! Decides which known source a load comes from, as different sources may have the same label.
//!
//! Two folders `notes` may both contain a `todo.md`. Imports from one must not be taken for newer
//! versions of the other, so the second one gets a label with a fingerprint of its place. A folder
//! that was moved is still recognised, because it contains most of what it contained before.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_core::{Node, NodeId, Uid};
use lore_store::{NameMatch, NodeQuery};

use super::super::call::MemoryCall;
use super::super::cleaning::Cleaner;
use super::super::kinds::property;
use super::super::refusal::Reply;
use super::identity::{SOURCE, SOURCE_PLACE, SOURCE_PRINT, own_id, place_print, print, uid_of};
use super::{Load, Record};

/// The number of nodes read at once.
const PAGE: usize = 500;

/// Returns the label of the source for this load.
pub(super) async fn label(call: &MemoryCall, load: &Load) -> Reply<String> {
    let usual = load.label.clone();
    let Some(place) = load.place.as_deref().map(place_print) else { return Ok(usual) };
    if load.records.iter().any(|record| own_id(&record.key).is_some()) {
        return Ok(usual);
    }
    let apart = format!("{usual} {place}");
    if !met(call, load, &apart).await?.is_empty() {
        return Ok(apart);
    }
    let known = met(call, load, &usual).await?;
    let places: HashSet<&str> =
        known.iter().filter_map(|(_, node)| property(node, SOURCE_PLACE)).collect();
    if places.is_empty() || places.contains(place.as_str()) || goes_on(call, &known).await? {
        return Ok(usual);
    }
    for label in namesakes(call, load).await? {
        if goes_on(call, &met(call, load, &label).await?).await? {
            return Ok(label);
        }
    }
    Ok(apart)
}

/// Returns the records of a load that were imported from a source with this label, with their
/// nodes.
async fn met<'a>(call: &MemoryCall, load: &'a Load, label: &str) -> Reply<Vec<(&'a Record, Node)>> {
    let mut met = Vec::new();
    for records in load.records.chunks(PAGE) {
        let uid = |record: &Record| uid_of(call.viewer.world, label, &record.key);
        let records: HashMap<Uid, &Record> = records.iter().map(|one| (uid(one), one)).collect();
        let uids: Vec<Uid> = records.keys().copied().collect();
        let nodes = call.app.store.nodes_by_uid(&call.viewer, &uids).await?;
        met.extend(nodes.into_iter().filter_map(|node| Some((*records.get(&node.uid)?, node))));
    }
    Ok(met)
}

/// Returns the labels of other sources with the same name that contain nodes of the same names.
async fn namesakes(call: &MemoryCall, load: &Load) -> Reply<BTreeSet<String>> {
    /// A moved source still has most of its records, so the first few suffice.
    const LOOKED_AT: usize = 20;
    let begin = format!("{} ", load.label);
    let mut labels = BTreeSet::new();
    for record in load.records.iter().take(LOOKED_AT) {
        let name = Some(NameMatch::Exact(record.name.trim().to_owned()));
        let query = NodeQuery { name, ..NodeQuery::default() };
        let found = call.app.store.find_nodes(&call.viewer, query).await?.items;
        let sources = found.iter().filter_map(|node| property(node, SOURCE));
        labels.extend(sources.filter(|source| source.starts_with(&begin)).map(str::to_owned));
    }
    Ok(labels)
}

/// Whether records still contain most of the text of their nodes. How much they contain in addition
/// does not matter, because importing them then loses nothing.
async fn goes_on(call: &MemoryCall, met: &[(&Record, Node)]) -> Reply<bool> {
    let (mut kept, mut all) = (0, 0);
    let mut same = 0;
    for met in met.chunks(PAGE) {
        let ids: Vec<NodeId> = met.iter().map(|(_, node)| node.id).collect();
        let mut bodies: HashMap<NodeId, Vec<String>> = HashMap::new();
        for text in call.app.store.texts_of_nodes(&call.viewer, &ids).await? {
            bodies.entry(text.node).or_default().push(text.body);
        }
        for (record, node) in met {
            let known = bodies.remove(&node.id).unwrap_or_default();
            let is_same = property(node, SOURCE_PRINT) == Some(&print(record));
            same += usize::from(is_same);
            let said = if is_same { known.clone() } else { said(record) };
            let said: HashSet<&str> = said.iter().flat_map(|body| pieces(body)).collect();
            for piece in known.iter().flat_map(|body| pieces(body)) {
                all += piece.len();
                kept += if said.contains(piece) { piece.len() } else { 0 };
            }
        }
    }
    Ok(if all == 0 { same * 2 > met.len() } else { kept * 2 > all })
}

/// The texts of a record as they would be stored, with secrets masked.
fn said(record: &Record) -> Vec<String> {
    let mut cleaner = Cleaner::default();
    record.passages.iter().map(|passage| cleaner.long(&passage.body)).collect()
}

/// Splits a text into sentences. Headings are left out, because notes made from a template share
/// them.
fn pieces(body: &str) -> impl Iterator<Item = &str> {
    let lines = body.lines().filter(|line| !line.starts_with('#'));
    let sentences = lines.flat_map(|line| line.split_inclusive(['.', '!', '?']));
    let bare = sentences.map(|piece| piece.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_in_its_sentences_without_headings() {
        let body = "# Plan\n- Buy paint. Then rest!\n\nPorto";
        assert_eq!(pieces(body).collect::<Vec<_>>(), ["Buy paint", "Then rest", "Porto"]);
    }
}

//! Relations that notes tell: made while a note says them, and taken back when none does.

use std::collections::{BTreeSet, HashSet};

use futures::FutureExt;
use lore_core::{Edge, NodeId, Result};
use lore_store::{Change, EdgePatch, EdgeRef, Expect};
use serde_json::{Value, json};

use super::entities::Fit;
use super::kept_notes;
use super::librarian::Librarian;
use super::relations::{
    Ends, ITEMS_MAX, NewRelation, ReadIn, Related, SOURCE, SOURCE_RID, TOLD_BY, Teller, around,
    keep, understood,
};

/// Brings the relations a note tells of in line with what it says now: what it says is kept,
/// and what only it said and says no more is taken back.
pub(super) async fn retell(
    librarian: &Librarian,
    about: NodeId,
    items: &[NewRelation],
    read_in: ReadIn<'_>,
) -> Result<Told> {
    let told = tell(librarian, items, read_in).await?;
    if let Some(rid) = read_in.rid {
        withdraw(librarian, about, rid, &told.said).await?;
    }
    Ok(told)
}

/// What came of the relations of a note.
#[derive(Default)]
pub(super) struct Told {
    /// The edges of what it says.
    said: HashSet<Ends>,
    /// Those that wait for an end which is not known yet.
    pub(super) waiting: Vec<NewRelation>,
}

impl Told {
    /// Everybody the note speaks of.
    pub(super) fn named(&self) -> BTreeSet<NodeId> {
        self.said.iter().flat_map(|(_, source, target)| [*source, *target]).collect()
    }
}

/// Makes the relations of a note, as far as both ends are known.
pub(super) async fn tell(
    librarian: &Librarian,
    items: &[NewRelation],
    read_in: ReadIn<'_>,
) -> Result<Told> {
    let Told { mut said, mut waiting } = Told::default();
    for item in items.iter().take(ITEMS_MAX) {
        match understood(librarian, item, Fit::Link).await? {
            Ok(joint) => {
                keep(librarian, &joint, item.confidence, read_in, Teller::Note).await?;
                said.extend(joint.edges());
            }
            Err(Related::Unknown { .. }) => waiting.push(item.clone()),
            Err(problem) => tracing::debug!(?problem, ?read_in, "a relation of a note"),
        }
    }
    Ok(Told { said, waiting })
}

/// Takes back what a note told of an entity, but for what it still says. What others say as
/// well stays.
pub(super) async fn withdraw(
    librarian: &Librarian,
    about: NodeId,
    rid: &str,
    said: &HashSet<Ends>,
) -> Result<()> {
    let others = |edge: &Edge, mut tellers: Vec<String>| {
        tellers.retain(|teller| teller != rid || said.contains(&ends(edge)));
        tellers
    };
    tell_of(librarian, about, &others).await
}

/// Follows a note to its new name.
pub(super) async fn readdress(
    librarian: &Librarian,
    about: NodeId,
    from: &str,
    to: &str,
) -> Result<()> {
    let moved = |_: &Edge, mut tellers: Vec<String>| {
        tellers
            .iter_mut()
            .filter(|teller| *teller == from)
            .for_each(|teller| to.clone_into(teller));
        tellers
    };
    tell_of(librarian, about, &moved).await
}

/// Gives the edges of an entity the tellers that follow from those they have.
async fn tell_of(
    librarian: &Librarian,
    about: NodeId,
    now: &(dyn Fn(&Edge, Vec<String>) -> Vec<String> + Sync),
) -> Result<()> {
    let plan = || {
        async move {
            let mut batch = librarian.batch();
            for edge in around(librarian, &[about], &[]).await? {
                let before = tellers(&edge);
                let now = now(&edge, before.clone());
                if now != before {
                    batch = batch.change(told_by(&edge, now));
                }
            }
            Ok((batch, ()))
        }
        .boxed()
    };
    librarian.carry_out(plan).await
}

fn ends(edge: &Edge) -> Ends {
    (edge.kind.to_string(), edge.source, edge.target)
}

/// The notes that say so. Before they were listed, it was the one that an edge was read in.
pub(super) fn tellers(edge: &Edge) -> Vec<String> {
    let from_note = edge.properties.get(SOURCE) == Some(&json!(kept_notes::SOURCE));
    let listed = edge.properties.get(TOLD_BY).and_then(Value::as_array).map(Vec::as_slice);
    let first = edge.properties.get(SOURCE_RID).filter(|_| from_note);
    let told = listed.unwrap_or_else(|| first.map_or(&[], std::slice::from_ref));
    told.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The edge as these notes tell it; without any it goes, unless others made it.
fn told_by(edge: &Edge, tellers: Vec<String>) -> Change {
    let (at, expect) = (EdgeRef::Id(edge.id), Expect::Version(edge.version));
    let mut properties = edge.properties.clone();
    let first = properties.get(SOURCE_RID).and_then(Value::as_str).map(str::to_owned);
    let own = first.is_some_and(|first| self::tellers(edge).contains(&first));
    match tellers.first() {
        None if own => return Change::DeleteEdge(at, expect),
        None => {}
        Some(_) if !own => {}
        Some(first) => {
            properties.insert(SOURCE_RID.into(), json!(first));
        }
    }
    properties.insert(TOLD_BY.into(), json!(tellers));
    Change::UpdateEdge(
        at,
        expect,
        EdgePatch { properties: Some(properties), ..EdgePatch::default() },
    )
}

/// That a note says so, too, where the edge does not have that yet.
pub(super) fn told_too(known: &Edge, rid: &str) -> Option<Change> {
    let mut tellers = tellers(known);
    if tellers.iter().any(|teller| teller == rid) {
        return None;
    }
    tellers.push(rid.to_owned());
    Some(told_by(known, tellers))
}

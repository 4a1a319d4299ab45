//! Relations stated by vault notes: created while a note states them, removed when none does.

use std::collections::{BTreeSet, HashSet};

use futures::FutureExt;
use lore_core::{Edge, NodeId, Properties, Result};
use lore_store::{Change, EdgePatch, EdgeRef, Expect};
use serde_json::{Value, json};

use super::tellings::{self, Telling};
use super::{
    Ends, ITEMS_MAX, NewRelation, ReadIn, Related, SOURCE, SOURCE_RID, TOLD_BY, Teller, around,
    keep, understood,
};
use crate::knowledge::documents::shelve::Mention;
use crate::knowledge::entities::Fit;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::vault::stored_notes;

/// Brings the relations in line with what a note says now. Relations that only this note stated and
/// that it no longer states are removed.
pub(in crate::knowledge) async fn retell(
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

/// The outcome of storing the relations of a note.
#[derive(Default)]
pub(in crate::knowledge) struct Told {
    /// The edges the note states.
    said: HashSet<Ends>,
    /// The entities at the ends of these edges; with the URI if one was merged into the node.
    spoken_of: BTreeSet<(NodeId, String)>,
    /// Relations with an end that is not known yet.
    pub(in crate::knowledge) waiting: Vec<NewRelation>,
}

impl Told {
    /// Returns a mention of every entity in the note's relations.
    pub(in crate::knowledge) fn named(&self) -> impl Iterator<Item = Mention> {
        self.spoken_of.iter().map(|(node, of)| Mention::Named(*node, of.clone()))
    }
}

/// Stores the relations of a note whose ends are both known.
pub(super) async fn tell(
    librarian: &Librarian,
    items: &[NewRelation],
    read_in: ReadIn<'_>,
) -> Result<Told> {
    let Told { mut said, mut spoken_of, mut waiting } = Told::default();
    for item in items.iter().take(ITEMS_MAX) {
        match understood(librarian, item, Fit::Link).await? {
            Ok(joint) => {
                keep(librarian, &joint, item.confidence, read_in, Teller::Note).await?;
                said.extend(joint.edges());
                spoken_of.extend(joint.ends());
            }
            Err(Related::Unknown { .. }) => waiting.push(item.clone()),
            Err(_) => tracing::debug!("a relation of a note was not kept"),
        }
    }
    Ok(Told { said, spoken_of, waiting })
}

/// Withdraws what a note stated about an entity, except for the edges in `said`. What other sources
/// state too stays.
pub(in crate::knowledge) async fn withdraw(
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

/// Replaces the RID of a note that was moved.
pub(in crate::knowledge) async fn readdress(
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

/// Recomputes which notes state the edges of an entity: `now` maps the old list to the new one.
async fn tell_of(
    librarian: &Librarian,
    about: NodeId,
    now: &(dyn Fn(&Edge, Vec<String>) -> Vec<String> + Sync),
) -> Result<()> {
    let plan = || {
        async move {
            let mut batch = librarian.batch();
            for edge in around(librarian, &[about], &[]).await? {
                let before = tellings::of(&edge);
                let told = |telling: &Telling| {
                    let origin = told_by(&telling.origin, now(&edge, noted(&telling.origin)))?;
                    let confidence = sure_too(&telling.origin, &origin);
                    let confidence = confidence.unwrap_or(telling.confidence);
                    Some(Telling { origin, confidence, ..telling.clone() })
                };
                let after: Vec<Telling> = before.iter().filter_map(told).collect();
                if after != before {
                    batch.changes.extend(tellings::retold(&edge, &after));
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

/// Returns the RIDs of the notes that state an edge.
pub(in crate::knowledge) fn tellers(edge: &Edge) -> Vec<String> {
    tellings::of(edge).iter().flat_map(|telling| noted(&telling.origin)).collect()
}

/// Returns the RIDs of the notes that state something. Older edges have no list, only the note they
/// were read in.
fn noted(origin: &Properties) -> Vec<String> {
    let from_note = origin.get(SOURCE) == Some(&json!(stored_notes::SOURCE));
    let listed = origin.get(TOLD_BY).and_then(Value::as_array).map(Vec::as_slice);
    let first = origin.get(SOURCE_RID).filter(|_| from_note);
    let told = listed.unwrap_or_else(|| first.map_or(&[], std::slice::from_ref));
    told.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns an origin as stated by these notes. `None` if no note is left and no other source states
/// it.
fn told_by(origin: &Properties, tellers: Vec<String>) -> Option<Properties> {
    let mut now = origin.clone();
    if noted(origin) == tellers {
        return Some(now);
    }
    match tellers.first() {
        Some(first) if is_of_notes(origin) => {
            now.insert(SOURCE_RID.into(), json!(first));
        }
        None if is_of_notes(origin) => {
            now.remove(SAID_TOO).map(source_of).map(|said| now.extend(said))?
        }
        _ => {}
    }
    now.insert(TOLD_BY.into(), json!(tellers));
    Some(now)
}

/// Whether something is stored because a note stated it first.
fn is_of_notes(origin: &Properties) -> bool {
    let first = origin.get(SOURCE_RID).and_then(Value::as_str);
    first.is_some_and(|first| noted(origin).iter().any(|teller| teller == first))
}

/// Returns the change that replaces the properties of an edge.
pub(in crate::knowledge) fn with(edge: &Edge, properties: Properties) -> Change {
    let patch = EdgePatch { properties: Some(properties), ..EdgePatch::default() };
    Change::UpdateEdge(EdgeRef::Id(edge.id), Expect::Version(edge.version), patch)
}

/// The property of an edge created by notes that holds another source of it: source, RID and
/// confidence.
pub(super) const SAID_TOO: &str = "said_too";

/// Returns the source properties of an edge that no note states any more.
fn source_of(said: Value) -> impl Iterator<Item = (String, Value)> {
    let said = |place: usize| said.get(place).cloned().unwrap_or_default();
    [(SOURCE.to_owned(), said(0)), (SOURCE_RID.to_owned(), said(1))].into_iter()
}

/// Returns the confidence of the other source in `before`, if only that one is left `now`. Older
/// edges have none.
fn sure_too(before: &Properties, now: &Properties) -> Option<f64> {
    let said = before.get(SAID_TOO).filter(|_| !now.contains_key(SAID_TOO))?;
    said.get(2).and_then(Value::as_f64)
}

/// Returns the origin of a relation that is stated for the first time.
pub(super) fn origin(read_in: ReadIn<'_>, teller: Teller) -> Properties {
    let mut origin = Properties::new();
    origin.insert(SOURCE.into(), json!(read_in.source));
    if let Some(rid) = read_in.rid {
        origin.insert(SOURCE_RID.into(), json!(rid));
        if teller == Teller::Note {
            origin.insert(TOLD_BY.into(), json!([rid]));
        }
    }
    origin
}

/// Returns the origin of a relation that is stated again. What is known about it stays.
pub(super) fn again(
    origin: &Properties,
    read_in: ReadIn<'_>,
    teller: Teller,
    confidence: f64,
) -> Properties {
    let mut now = origin.clone();
    match (teller, read_in.rid) {
        (Teller::Note, Some(rid)) => {
            let mut tellers = noted(origin);
            if !tellers.iter().any(|teller| teller == rid) {
                tellers.push(rid.to_owned());
            }
            told_by(origin, tellers).unwrap_or(now)
        }
        _ => {
            if is_of_notes(origin) && !origin.contains_key(SAID_TOO) {
                now.insert(SAID_TOO.into(), json!([read_in.source, read_in.rid, confidence]));
            }
            now
        }
    }
}

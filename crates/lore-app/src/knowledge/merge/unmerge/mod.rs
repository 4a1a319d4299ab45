//! Unmerging ("parting"): undoing a merge of two entities.
//!
//! Terms used in this folder: the survivor is the entity that stayed after the merge; the departing
//! entity is the merged one that becomes separate again; its companions were merged into it
//! meanwhile and leave with it.
//!
//! The survivor's log says what the merge gave it. Whatever was added since belongs to the
//! departing entity if it was said under that entity's name or URI. The unmerge itself is one
//! batch. Notes edited while the two were merged are read again afterwards; a property of the
//! survivor remembers that this is still to be done, so that an interrupted unmerge can be finished
//! later.
//!
//! - `edges` divides the edges between the two: `relations` those between entities, `mentions`
//!   those from documents.
//! - `texts` divides the texts.
//! - `everybody` reads what several people keep there.
//! - `given_back` says what an item gets from the one that stood for it.
//! - `log_entries` copies what the survivor's log says about the departing entity into its own.
//! - `reread` reads notes again.

mod edges;
mod everybody;
mod given_back;
mod log_entries;
mod mentions;
mod relations;
mod reread;
mod texts;

use futures::FutureExt;
use lore_core::{Error, Node, NodeId, Result, Timestamp, Uid};
use lore_store::{Batch, Bin, Change, Expect, NameMatch, NodeKey, NodePatch, NodeQuery, NodeRef};
use serde_json::{Value, json};

use super::shares::{Party, Shares, type_told};
use crate::knowledge::entities::history::{self, Entry, REGISTERED, RETYPED, UNMERGED};
use crate::knowledge::entities::{self, Entity, ontology, uri, vouching};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::{self, Given, bin};
use edges::Parting;
use everybody::Everybody;
use log_entries::HandedOver;
use texts::Leaving;

/// The property of a survivor that holds an [`Unfinished`] until its unmerge is complete.
const UNFINISHED: &str = "parting";

/// Undoes the merge of the entity with this URI, and returns that entity.
///
/// Anything merged into it while it was itself merged leaves with it. If the notes that introduced
/// the entity are gone by now, it returns to the bin and the result is its last state.
pub async fn unmerge(librarian: &Librarian, uri: &str, reason: &str) -> Result<Entity> {
    history::check_reason(reason)?;
    let named = named(librarian, uri).await?;
    let uri = named.as_deref().unwrap_or(uri);
    let binned = match entities::by_uri(librarian, uri).await? {
        Some(_) => None,
        None => bin::survivor(librarian, uri).await?,
    };
    // A survivor that was deleted meanwhile is restored for the unmerge and deleted again
    // afterwards.
    let Some(kept) = binned else { return part(librarian, uri, reason).await };
    librarian.may_change(&kept)?;
    taken_out(librarian, &kept).await?;
    let parted = part(librarian, uri, reason).await;
    finish(librarian, kept.uid).await?;
    parted
}

/// Returns the URI of the merged entity with this name if exactly one entity has the name.
async fn named(librarian: &Librarian, name: &str) -> Result<Option<String>> {
    let found = entities::exactly_named(librarian, name).await?;
    let [entity] = found.as_slice() else { return Ok(None) };
    let shares = Shares::of(librarian, entity).await?;
    Ok(shares.meant_by(name, &entity.node.name).cloned())
}

async fn part(librarian: &Librarian, uri: &str, reason: &str) -> Result<Entity> {
    // What others added while the two were merged is divided as well.
    let eyes = &librarian.all_seeing();
    let plan = || {
        async move {
            let kept = librarian.entity(uri).await?;
            librarian.may_change(&kept.node)?;
            let kept = eyes.entity(&kept.uri).await?;
            let shares = Shares::of(eyes, &kept).await?;
            let party = parting(&shares, uri)?;
            Ok((unmerged(eyes, &kept, &shares, &party, reason).await?, kept.node.uid))
        }
        .boxed()
    };
    let kept = librarian.carry_out_whole(plan).await?;
    let restored = librarian.entity(uri).await?;
    finish(librarian, kept).await?;
    Ok(entities::by_uri(librarian, uri).await?.unwrap_or(restored))
}

/// Returns what is to leave, or the error that says why this URI cannot be unmerged.
fn parting<'a>(shares: &'a Shares, uri: &str) -> Result<Party<'a>> {
    if let Some(party) = shares.party(uri) {
        return Ok(party);
    }
    Err(match shares.meant(uri) {
        Some((share, of)) => {
            let with = shares.merged.iter().find(|one| one.given.uris.contains(of));
            let with = with.unwrap_or(share);
            Error::Precondition {
                message: format!(
                    "{:?} came here as part of {:?}",
                    share.given.name, with.given.name
                ),
                hint: format!("undo the merge of {} first", with.given.uri),
            }
        }
        None => Error::Precondition {
            message: format!("{uri} was not merged into another entity"),
            hint: hint_of_merged(shares),
        },
    })
}

/// Tells what can be unmerged.
fn hint_of_merged(shares: &Shares) -> String {
    /// More than these fill no answer.
    const NAMED_MAX: usize = 5;
    let uris = shares.merged.iter().take(NAMED_MAX).map(|share| share.given.uri.as_str());
    let uris: Vec<&str> = uris.collect();
    match uris.is_empty() {
        true => "give the URI of the entity that was merged away".into(),
        false => format!("give the URI of one that was: {}", uris.join(", ")),
    }
}

/// Builds the batch that undoes a merge.
async fn unmerged(
    librarian: &Librarian,
    kept: &Entity,
    shares: &Shares,
    party: &Party<'_>,
    reason: &str,
) -> Result<Batch> {
    let given = &party.main.given;
    let uid: Uid = given.uid.parse().map_err(|_| Error::Corrupt { what: "a merge".into() })?;
    let aliases = shares.without(party, &kept.node.name);
    let gone = party.all().filter_map(|share| share.node.as_ref());
    let nodes: Vec<NodeId> = gone.map(|node| node.id).chain([kept.node.id]).collect();
    let everybody = &Everybody::at(librarian, &nodes).await?;
    let leaving = Leaving::of(everybody, kept, shares, party).await?;
    let parting = Parting::of(everybody, kept, (shares, party), &leaving).await?;
    let edges = parting.edges(everybody).await?;
    let batch =
        librarian.batch().reaching_everybody().change(Change::RestoreNode(NodeRef::Uid(uid)));
    let mut batch = batch.change(left(kept, shares, party, aliases)?);
    if let Some(node) = &party.main.node {
        let log = HandedOver { librarian, node, party, parting: &parting };
        batch.changes.extend(log.changes(shares));
        let entry = Entry::of_one(UNMERGED, reason, json!({ "from": kept.uri }));
        let entry = Entry { beside: kept.node.visibility, ..entry };
        batch = batch.change(restored(uid, node, shares, party)?);
        batch = batch.change(history::append(librarian, node, entry, None));
    }
    batch.changes.extend(edges);
    batch.changes.extend(leaving.changes(party, uid));
    batch.changes.extend(party.all().map(|share| {
        let beside = share.node.as_ref().map_or(share.merge.visibility, |node| node.visibility);
        let entry = Entry::of_one(UNMERGED, reason, json!({ "uri": share.given.uri }));
        let entry = Entry { beside, ..entry };
        history::append(librarian, &kept.node, entry, Some(share.merge.sequence))
    }));
    Ok(batch)
}

/// Removes from the survivor what belongs to the departing entity and its companions.
fn left(kept: &Entity, shares: &Shares, party: &Party<'_>, aliases: Vec<String>) -> Result<Change> {
    let mut kind = None;
    let mut properties = kept.node.properties.clone();
    let known = merge::same_as(&kept.node).into_iter();
    let same: Vec<String> = known.filter(|uri| !party.has_uri(uri)).collect();
    properties.insert(uri::SAME_AS.into(), json!(same));
    let gone: Vec<i64> =
        party.all().filter_map(|share| share.node.as_ref()).flat_map(merge::numbers).collect();
    let known = merge::same_numbers(&kept.node).into_iter();
    let same: Vec<i64> = known.filter(|number| !gone.contains(number)).collect();
    properties.insert(uri::SAME_NUMBERS.into(), json!(same));
    if party.told(shares).any(|event| event.kind == RETYPED) {
        let own = shares.type_of(None, kept.entity_type);
        kind = ontology::kind_as(&kept.node, own)?;
        properties.insert(ontology::TYPE.into(), json!(own.as_str()));
    }
    let mut unfinished = Unfinished::of(&kept.node).unwrap_or_default();
    unfinished.since.push((party.main.given.uri.clone(), party.main.merged_at()));
    properties.insert(UNFINISHED.into(), unfinished.kept());
    let (aliases, properties) = (Some(aliases), Some(properties));
    let patch = NodePatch { kind, aliases, properties, ..NodePatch::default() };
    Ok(Change::UpdateNode(NodeRef::Id(kept.node.id), Expect::Version(kept.node.version), patch))
}

/// Updates the restored entity with what was said about it since the merge, and with the names,
/// URIs and numbers of its companions.
fn restored(uid: Uid, node: &Node, shares: &Shares, party: &Party<'_>) -> Result<Change> {
    let mut kind = None;
    let share = party.main;
    let mut properties = node.properties.clone();
    let retyped = party.told(shares).filter(|event| event.kind == RETYPED);
    if let Some(entity_type) = retyped.last().and_then(type_told) {
        properties.insert(uri::URI.into(), json!(share.given.uri));
        properties.insert(ontology::TYPE.into(), json!(entity_type.as_str()));
        kind = ontology::kind_as(node, entity_type)?;
    }
    if share.told_of_itself().any(|event| event.kind == REGISTERED) {
        properties.remove(vouching::INTRODUCED_BY);
    }
    if !party.joined.is_empty() {
        let uris = party.joined.iter().flat_map(|share| share.given.uris.clone());
        let uris: Vec<String> = merge::same_as(node).into_iter().chain(uris).collect();
        properties.insert(uri::SAME_AS.into(), json!(uris));
        let numbers = party.joined.iter().filter_map(|share| share.node.as_ref());
        let numbers = numbers.flat_map(merge::numbers);
        let numbers: Vec<i64> = merge::same_numbers(node).into_iter().chain(numbers).collect();
        properties.insert(uri::SAME_NUMBERS.into(), json!(numbers));
    }
    let properties = vouching::with_given(properties, &share.names_given());
    let (aliases, properties) = (Some(party.names()), Some(properties));
    let patch = NodePatch { kind, aliases, properties, ..NodePatch::default() };
    Ok(Change::UpdateNode(NodeRef::Uid(uid), Expect::Any, patch))
}

/// Returns the node of a merged entity from the bin.
pub(super) async fn gone(librarian: &Librarian, given: &Given) -> Result<Option<Node>> {
    let query = NodeQuery {
        name: Some(NameMatch::Exact(given.name.clone())),
        bin: Bin::Deleted,
        ..NodeQuery::default()
    };
    let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
    Ok(page.items.into_iter().find(|node| node.uid.to_string() == given.uid))
}

/// What remains to be done after the batches of unmerges.
#[derive(Default)]
struct Unfinished {
    /// The URIs of the departing entities and when each was merged. Notes written since then are
    /// read again.
    since: Vec<(String, Timestamp)>,
    /// Whether the survivor was in the bin and has to return there.
    away: bool,
}

impl Unfinished {
    fn of(node: &Node) -> Option<Self> {
        let kept = node.properties.get(UNFINISHED)?;
        let read = |one: &Value| {
            let text = |key: &str| one.get(key).and_then(Value::as_str);
            Some((text("uri")?.to_owned(), text("since")?.parse().ok()?))
        };
        let listed = kept.get("of").and_then(Value::as_array);
        // Older versions kept one, without a list.
        let all = listed.map_or(std::slice::from_ref(kept), Vec::as_slice);
        let since = all.iter().filter_map(read).collect();
        Some(Self { since, away: kept.get("away") == Some(&json!(true)) })
    }

    fn kept(&self) -> Value {
        let one =
            |(uri, since): &(String, Timestamp)| json!({ "uri": uri, "since": since.to_string() });
        json!({ "of": self.since.iter().map(one).collect::<Vec<_>>(), "away": self.away })
    }
}

/// Whether an unmerge from this entity is not finished yet.
pub(in crate::knowledge) fn is_unfinished(node: &Node) -> bool {
    node.properties.contains_key(UNFINISHED)
}

/// Restores a deleted survivor so that another entity can be unmerged from it.
async fn taken_out(librarian: &Librarian, kept: &Node) -> Result<()> {
    let mut properties = kept.properties.clone();
    properties.insert(UNFINISHED.into(), Unfinished { away: true, ..Unfinished::default() }.kept());
    let id = NodeRef::Uid(kept.uid);
    let back = librarian.batch().change(Change::RestoreNode(id));
    let back = back.change(with(kept, properties));
    librarian.app.commit(&librarian.viewer, back).await?;
    Ok(())
}

/// Finishes an unmerge from this entity if there is anything left to do. Idempotent.
async fn finish(librarian: &Librarian, kept: Uid) -> Result<()> {
    let store = &librarian.app.store;
    let node = store.node(&librarian.viewer, NodeKey::Uid(kept)).await?;
    let Some(entity) = node.and_then(Entity::of) else { return Ok(()) };
    let Some(Unfinished { since, away }) = Unfinished::of(&entity.node) else { return Ok(()) };
    let (mut read_again, is_left) = (Vec::new(), !since.is_empty());
    for one in since {
        let (uri, merged_at) = &one;
        // Notes edited while the two were merged say what each of them is now.
        match reread::after_parting(librarian, [&entity.uri, uri], *merged_at).await {
            Ok(()) => read_again.push(one),
            Err(error) => {
                tracing::info!(code = error.code().meaning().name, node = %entity.node.id, "the notes about two that parted were not read again");
            }
        }
    }
    // The vault watcher tries again later. It does not look into the bin, so a survivor that
    // returns there is finished now.
    if read_again.is_empty() && is_left && !away {
        return Ok(());
    }
    let read_again = &read_again;
    let plan = || {
        async move {
            let batch = librarian.batch();
            let node = store.node(&librarian.viewer, NodeKey::Uid(kept)).await?;
            let Some(node) = node.filter(is_unfinished) else { return Ok((batch, ())) };
            let mut unfinished = Unfinished::of(&node).unwrap_or_default();
            let away = unfinished.away;
            unfinished.since.retain(|one| !away && !read_again.contains(one));
            let mut properties = node.properties.clone();
            match unfinished.since.is_empty() {
                true => properties.remove(UNFINISHED),
                false => properties.insert(UNFINISHED.into(), unfinished.kept()),
            };
            let mut batch = batch.change(with(&node, properties));
            if away {
                batch = batch.change(Change::DeleteNode(NodeRef::Uid(kept), Expect::Any));
            }
            Ok((batch, ()))
        }
        .boxed()
    };
    librarian.carry_out(plan).await
}

/// Finishes all unmerges that were interrupted. Failures are only logged.
pub(in crate::knowledge) async fn finish_all(librarian: &Librarian) -> Result<()> {
    let kept = librarian.catalogue().await?.parting();
    for node in librarian.app.store.nodes(&librarian.viewer, &kept).await? {
        if let Err(error) = finish(librarian, node.uid).await {
            tracing::info!(code = error.code().meaning().name, node = %node.id, "a parting was not finished");
        }
    }
    Ok(())
}

/// Replaces the properties of a node. It also sets the name, unchanged, because catalogues refresh
/// a node only when its name is written.
fn with(node: &Node, properties: lore_core::Properties) -> Change {
    let (name, properties) = (Some(node.name.clone()), Some(properties));
    let patch = NodePatch { name, properties, ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Uid(node.uid), Expect::Any, patch)
}

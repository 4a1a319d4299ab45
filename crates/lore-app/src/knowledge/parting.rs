//! Two entities that were merged and part again: whose names, types and texts are whose.
//!
//! What the merge gave is in the log. What came since is the other's where it was told under
//! the other's name or URI.

use std::collections::HashSet;

use futures::FutureExt;
use lore_core::{Error, Event, Node, Result, Text, Uid};
use lore_store::{
    Batch, Bin, Change, EdgeRef, Expect, NameMatch, NodePatch, NodeQuery, NodeRef, TextPatch,
    TextRef,
};
use serde_json::{Value, json};

use super::entities::{self, Entity};
use super::entries::{self, DESCRIBED, Entry, MERGED, OF, REGISTERED, RETYPED, UNMERGED};
use super::librarian::Librarian;
use super::log::{self, Given, Triple};
use super::parted_edges::Parting;
use super::shares::{Share, Shares, type_told};
use super::{ontology, reread, spoken, uri};

/// Undoes the merge that took the entity with this URI away. Gives it as it is then, or as it was
/// where nobody speaks of it any more.
///
/// What was merged into it while it was part of another goes with it.
pub async fn unmerge(librarian: &Librarian, uri: &str, reason: &str) -> Result<Entity> {
    entries::check_reason(reason)?;
    let binned = match entities::by_uri(librarian, uri).await? {
        Some(_) => None,
        None => log::in_bin(librarian, uri).await?,
    };
    // Who was put away since is put away again when they have parted.
    let Some(kept) = binned else { return unmerge_whole(librarian, uri, reason).await };
    librarian.may_change(&kept)?;
    let (id, app) = (NodeRef::Uid(kept.uid), &librarian.app);
    let back = librarian.batch().change(Change::RestoreNode(id));
    app.commit(&librarian.viewer, back).await?;
    let parted = unmerge_whole(librarian, uri, reason).await;
    let away = librarian.batch().change(Change::DeleteNode(id, Expect::Any));
    app.commit(&librarian.viewer, away).await?;
    parted
}

/// Undoes a merge, with what was merged since into the one that went.
async fn unmerge_whole(librarian: &Librarian, uri: &str, reason: &str) -> Result<Entity> {
    let kept = librarian.entity(uri).await?;
    let shares = Shares::of(librarian, &kept).await?;
    let share = parted(&shares, uri)?;
    let is_its =
        |other: &&Share| other.given.of.as_ref().is_some_and(|of| share.given.uris.contains(of));
    let its: Vec<(&str, String)> = shares
        .merged
        .iter()
        .filter(is_its)
        .map(|other| (other.given.uri.as_str(), entries::reason(librarian, &other.merge)))
        .collect();
    for (other, _) in &its {
        part(librarian, other, reason).await?;
    }
    let restored = part(librarian, uri, reason).await?;
    for (other, why) in its.iter().rev() {
        if entities::by_uri(librarian, other).await?.is_some() {
            log::merge(librarian, other, uri, why).await?;
        }
    }
    Ok(entities::by_uri(librarian, uri).await?.unwrap_or(restored))
}

async fn part(librarian: &Librarian, uri: &str, reason: &str) -> Result<Entity> {
    let plan = || {
        async move {
            let kept = librarian.entity(uri).await?;
            librarian.may_change(&kept.node)?;
            let shares = Shares::of(librarian, &kept).await?;
            let share = parted(&shares, uri)?;
            let merged_at = share.merge.at;
            let (batch, ended) = unmerged(librarian, &kept, &shares, share, reason).await?;
            Ok((batch, (kept, merged_at, ended)))
        }
        .boxed()
    };
    let (kept, merged_at, ended) = librarian.carry_out(plan).await?;
    let restored = librarian.entity(uri).await?;
    end(librarian, &kept, &restored, &ended).await?;
    // Notes that were edited meanwhile say of both what they are now.
    if let Err(error) = reread::after_parting(librarian, [&kept.uri, uri], merged_at).await {
        tracing::info!(%error, uri, "the notes about two that parted were not read again");
    }
    Ok(entities::by_uri(librarian, uri).await?.unwrap_or(restored))
}

/// What is to part.
fn parted<'a>(shares: &'a Shares, uri: &str) -> Result<&'a Share> {
    match shares.meant(uri) {
        Some((share, own)) if *own == share.given.uri => Ok(share),
        Some((share, _)) => Err(Error::Precondition {
            message: format!("it came here as part of {:?}", share.given.name),
            hint: "undo that merge first".into(),
        }),
        None => Err(Error::Precondition {
            message: format!("{uri} was not merged into another entity"),
            hint: "give the URI of the entity that was merged away".into(),
        }),
    }
}

/// The parting, and the edges of the one that was kept whose like the other had and has no more.
async fn unmerged(
    librarian: &Librarian,
    kept: &Entity,
    shares: &Shares,
    share: &Share,
    reason: &str,
) -> Result<(Batch, Vec<Triple>)> {
    let given = &share.given;
    let uid: Uid = given.uid.parse().map_err(|_| Error::Corrupt { what: "a merge".into() })?;
    let aliases = shares.without(share, &kept.node.name);
    let stays = aliases.iter().chain([&kept.node.name]).cloned().collect();
    let batch = librarian.batch().change(Change::RestoreNode(NodeRef::Uid(uid)));
    let mut batch = batch.change(left(kept, shares, share, aliases)?);
    if let Some(node) = &share.node {
        let told = share.told(&shares.events).filter(|event| event.kind != MERGED);
        batch.changes.extend(told.map(|event| handed_over(librarian, node, event)));
        let entry = Entry::of_one(UNMERGED, reason, json!({ "from": kept.uri }));
        let entry = Entry { beside: kept.node.visibility, ..entry };
        batch = batch.change(restored(uid, node, shares, share)?);
        batch = batch.change(entries::append(librarian, node, entry, None));
    }
    let leaving = Leaving::of(librarian, kept, shares, share).await?;
    let texts = &leaving.staying;
    let parting = Parting { kept, stays, uid, share, staying: texts, leaving: &leaving.texts() };
    let edges = parting.edges(librarian).await?;
    batch.changes.extend(edges.changes);
    batch.changes.extend(leaving.changes(share, uid));
    let beside = share.node.as_ref().map_or(share.merge.visibility, |node| node.visibility);
    let entry = Entry::of_one(UNMERGED, reason, json!({ "uri": given.uri }));
    let entry = Entry { beside, ..entry };
    let entry = entries::append(librarian, &kept.node, entry, Some(share.merge.sequence));
    Ok((batch.change(entry), edges.ended))
}

/// Takes the edges away that the one that came back had once and would have no more.
async fn end(
    librarian: &Librarian,
    kept: &Entity,
    restored: &Entity,
    ended: &[Triple],
) -> Result<()> {
    if ended.is_empty() {
        return Ok(());
    }
    let (id, was) = (restored.node.id, kept.node.id);
    let plan = || {
        async move {
            let place = |end| if end == id { was } else { end };
            let mut batch = librarian.batch();
            for edge in log::edges_of(librarian, id).await? {
                let (source, kind, target) = log::ends(&edge);
                if ended.contains(&(place(source).0, kind, place(target).0)) {
                    batch = batch.change(Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any));
                }
            }
            Ok((batch, ()))
        }
        .boxed()
    };
    librarian.carry_out(plan).await
}

/// The one that was kept, without what is the other's.
fn left(kept: &Entity, shares: &Shares, share: &Share, aliases: Vec<String>) -> Result<Change> {
    let mut kind = None;
    let mut properties = kept.node.properties.clone();
    let known = log::same_as(&kept.node).into_iter();
    let same: Vec<String> = known.filter(|uri| !share.given.uris.contains(uri)).collect();
    properties.insert(uri::SAME_AS.into(), json!(same));
    let gone = share.node.as_ref().map(log::numbers).unwrap_or_default();
    let known = log::same_numbers(&kept.node).into_iter();
    let same: Vec<i64> = known.filter(|number| !gone.contains(number)).collect();
    properties.insert(uri::SAME_NUMBERS.into(), json!(same));
    if share.told(&shares.events).any(|event| event.kind == RETYPED) {
        let own = shares.type_of(None, kept.entity_type);
        kind = ontology::kind_as(&kept.node, own)?;
        properties.insert(ontology::TYPE.into(), json!(own.as_str()));
    }
    let (aliases, properties) = (Some(aliases), Some(properties));
    let patch = NodePatch { kind, aliases, properties, ..NodePatch::default() };
    Ok(Change::UpdateNode(NodeRef::Id(kept.node.id), Expect::Version(kept.node.version), patch))
}

/// The one that was merged, as it lies in the bin, with what was told of it since.
fn restored(uid: Uid, node: &Node, shares: &Shares, share: &Share) -> Result<Change> {
    let mut kind = None;
    let told =
        |kind: &'static str| share.told(&shares.events).filter(move |event| event.kind == kind);
    let mut properties = node.properties.clone();
    if let Some(entity_type) = told(RETYPED).last().and_then(type_told) {
        properties.insert(uri::URI.into(), json!(share.given.uri));
        properties.insert(ontology::TYPE.into(), json!(entity_type.as_str()));
        kind = ontology::kind_as(node, entity_type)?;
    }
    if told(REGISTERED).next().is_some() {
        properties.remove(spoken::INTRODUCED_BY);
    }
    let properties = spoken::with_given(properties, &share.names_given(&shares.events));
    let (aliases, properties) = (Some(share.names.clone()), Some(properties));
    let patch = NodePatch { kind, aliases, properties, ..NodePatch::default() };
    Ok(Change::UpdateNode(NodeRef::Uid(uid), Expect::Any, patch))
}

/// What was told of one that parts, as an entry of its own log.
fn handed_over(librarian: &Librarian, node: &Node, event: &Event) -> Change {
    let (reason, mut details) = (entries::reason(librarian, event), entries::details(event));
    let own = Entity::of(node.clone()).map(|entity| json!(entity.uri));
    if let Some(details) = details.as_object_mut()
        && details.get(OF) == own.as_ref()
    {
        details.remove(OF);
    }
    let entry = Entry::of_one(&event.kind, &reason, details);
    entries::append(librarian, node, Entry { beside: event.visibility, ..entry }, None)
}

/// What was merged, as it lies in the bin.
pub(super) async fn gone(librarian: &Librarian, given: &Given) -> Result<Option<Node>> {
    let query = NodeQuery {
        name: Some(NameMatch::Exact(given.name.clone())),
        bin: Bin::Deleted,
        ..NodeQuery::default()
    };
    let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
    Ok(page.items.into_iter().find(|node| node.uid.to_string() == given.uid))
}

/// The texts of one that was kept, by whose they are.
struct Leaving {
    staying: Vec<Text>,
    /// Copies of texts of the other.
    copies: Vec<Text>,
    /// What was said of the other since.
    told: Vec<Text>,
    /// Copies that somebody put into the bin.
    gone: HashSet<String>,
}

impl Leaving {
    async fn of(
        librarian: &Librarian,
        kept: &Entity,
        shares: &Shares,
        share: &Share,
    ) -> Result<Self> {
        let described = share.told(&shares.events).filter(|event| event.kind == DESCRIBED);
        let described: HashSet<Value> =
            described.filter_map(|event| entries::details(event).get("text").cloned()).collect();
        let texts = log::texts_of(librarian, kept.node.id).await?;
        let is_copy = |text: &Text| share.given.texts.contains(&text.uid.to_string());
        let (copies, texts): (Vec<Text>, Vec<Text>) = texts.into_iter().partition(is_copy);
        let is_told = |text: &Text| described.contains(&json!(text.uid.to_string()));
        let (told, staying) = texts.into_iter().partition(is_told);
        let store = &librarian.app.store;
        let binned = store.texts_of(&librarian.viewer, kept.node.id, Bin::Deleted).await?;
        let gone = binned.iter().map(|text| text.uid.to_string()).collect();
        Ok(Self { staying, copies, told, gone })
    }

    fn texts(&self) -> Vec<&Text> {
        self.copies.iter().chain(&self.told).collect()
    }

    /// Gives the other what is its own, as it is now.
    fn changes(&self, share: &Share, uid: Uid) -> Vec<Change> {
        let given = &share.given;
        let original = |copy: &str| -> Option<TextRef> {
            let place = given.texts.iter().position(|known| known == copy)?;
            Some(TextRef::Uid(given.originals.get(place)?.parse().ok()?))
        };
        let edited = self.copies.iter().filter(|copy| copy.version > 1).filter_map(|copy| {
            let title = Some(copy.title.clone()).filter(|title| *title != given.name);
            let patch = TextPatch { title, body: Some(copy.body.clone()), ..TextPatch::default() };
            Some(Change::UpdateText(original(&copy.uid.to_string())?, Expect::Any, patch))
        });
        let gone = given.texts.iter().filter(|copy| self.gone.contains(*copy));
        let gone = gone.filter_map(|copy| Some(Change::DeleteText(original(copy)?, Expect::Any)));
        let back = self.copies.iter().map(|text| TextRef::Id(text.id));
        let back = back.map(|text| Change::DeleteText(text, Expect::Any));
        let told = self.told.iter().map(|text| TextRef::Id(text.id));
        let told = told.map(|text| Change::MoveText(text, Expect::Any, NodeRef::Uid(uid)));
        edited.chain(gone).chain(back).chain(told).collect()
    }
}

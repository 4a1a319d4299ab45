//! Two entities that were merged and part again: whose names, types, texts and edges are whose.
//!
//! What the merge gave is in the log. What came since is the other's where it was told under
//! the other's name or URI.

use futures::FutureExt;
use lore_core::{Edge, Error, Event, Node, Result, Uid};
use lore_store::{
    Batch, Bin, Change, EdgeRef, Expect, NameMatch, NewEdge, NodePatch, NodeQuery, NodeRef, TextRef,
};
use serde_json::{Value, json};

use super::entities::Entity;
use super::entries::{self, Entry, OF, RETYPED, UNMERGED};
use super::librarian::Librarian;
use super::log::{self, Given};
use super::ontology;
use super::relations::{MENTIONS, called_at};
use super::shares::{Share, Shares, told_of};
use super::{reread, spotter, uri};

/// Undoes the merge that took the entity with this URI away. Gives it as it is then, or as it was
/// where nobody speaks of it any more.
pub async fn unmerge(librarian: &Librarian, uri: &str, reason: &str) -> Result<Entity> {
    entries::check_reason(reason)?;
    let plan = || {
        async move {
            let kept = librarian.entity(uri).await?;
            librarian.may_change(&kept.node)?;
            let shares = Shares::of(librarian, &kept).await?;
            let share = parted(&shares, uri)?;
            let merged_at = share.merge.at;
            let batch = unmerged(librarian, &kept, &shares, share, reason).await?;
            Ok((batch, (kept.uri, merged_at)))
        }
        .boxed()
    };
    let (kept, merged_at) = librarian.carry_out(plan).await?;
    let restored = librarian.entity(uri).await?;
    // Notes that were edited meanwhile say of both what they are now.
    if let Err(error) = reread::after_parting(librarian, [&kept, uri], merged_at).await {
        tracing::info!(%error, uri, "the notes about two that parted were not read again");
    }
    Ok(librarian.entity(uri).await.unwrap_or(restored))
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

async fn unmerged(
    librarian: &Librarian,
    kept: &Entity,
    shares: &Shares,
    share: &Share,
    reason: &str,
) -> Result<Batch> {
    let given = &share.given;
    let uid: Uid = given.uid.parse().map_err(|_| Error::Corrupt { what: "a merge".into() })?;
    let aliases = shares.without(share, &kept.node.name);
    let stays = aliases.iter().chain([&kept.node.name]).cloned().collect();
    let batch = librarian.batch().change(Change::RestoreNode(NodeRef::Uid(uid)));
    let mut batch = batch.change(left(kept, shares, share, aliases));
    batch.changes.extend(share.node.iter().flat_map(|node| {
        let details = json!({ "from": kept.uri });
        let beside = kept.node.visibility;
        let entry = Entry { beside, ..Entry::of_one(UNMERGED, reason, details) };
        let told = share.told(&shares.events).map(|event| handed_over(librarian, node, event));
        told.chain([
            restored(uid, node, shares, share),
            entries::append(librarian, node, entry, None),
        ])
        .collect::<Vec<_>>()
    }));
    let parting = Parting { kept, stays, uid, share };
    batch.changes.extend(parting.edges(librarian).await?);
    for text in log::texts_of(librarian, kept.node.id).await? {
        if given.texts.contains(&text.uid.to_string()) {
            batch = batch.change(Change::DeleteText(TextRef::Id(text.id), Expect::Any));
        }
    }
    let beside = share.node.as_ref().map_or(share.merge.visibility, |node| node.visibility);
    let entry = Entry::of_one(UNMERGED, reason, json!({ "uri": given.uri }));
    let entry = Entry { beside, ..entry };
    Ok(batch.change(entries::append(librarian, &kept.node, entry, Some(share.merge.sequence))))
}

/// The one that was kept, without what is the other's.
fn left(kept: &Entity, shares: &Shares, share: &Share, aliases: Vec<String>) -> Change {
    let mut properties = kept.node.properties.clone();
    let known = log::same_as(&kept.node).into_iter();
    let same: Vec<String> = known.filter(|uri| !share.given.uris.contains(uri)).collect();
    properties.insert(uri::SAME_AS.into(), json!(same));
    let later = |event: &&Event| event.sequence > share.merge.sequence;
    let mut types = shares.events.iter().filter(later).filter(|event| event.kind == RETYPED);
    if types.clone().any(|event| share.given.is_told_of(event)) {
        // They were of one type when they were merged.
        let first = share.node.clone().and_then(Entity::of);
        let first = first.map(|merged| json!(merged.entity_type.as_str()));
        let own = types.find(|event| told_of(event).is_none()).and_then(type_told);
        properties.extend(own.or(first).map(|own| (ontology::TYPE.to_owned(), own)));
    }
    let patch =
        NodePatch { aliases: Some(aliases), properties: Some(properties), ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Id(kept.node.id), Expect::Version(kept.node.version), patch)
}

/// The one that was merged, as it lies in the bin, with what was told of it since.
fn restored(uid: Uid, node: &Node, shares: &Shares, share: &Share) -> Change {
    let told = share.told(&shares.events).filter(|event| event.kind == RETYPED);
    let properties = told.last().and_then(type_told).map(|entity_type| {
        let mut properties = node.properties.clone();
        properties.insert(uri::URI.into(), json!(share.given.uri));
        properties.insert(ontology::TYPE.into(), entity_type);
        properties
    });
    let patch =
        NodePatch { aliases: Some(share.names.clone()), properties, ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Uid(uid), Expect::Any, patch)
}

fn type_told(event: &Event) -> Option<Value> {
    entries::details(event).get("to").cloned()
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

/// Two entities that part again: whose edges are whose.
struct Parting<'a> {
    kept: &'a Entity,
    /// Every name of the one that was kept.
    stays: Vec<String>,
    uid: Uid,
    share: &'a Share,
}

/// Whose an edge is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Kept,
    Other,
    Both,
}

impl Parting<'_> {
    /// Takes back the edges that the merge gave, and gives the other what came since and is
    /// its own by name.
    async fn edges(&self, librarian: &Librarian) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for edge in log::edges_of(librarian, self.kept.node.id).await? {
            let (source, kind, target) = log::ends(&edge);
            let moved = self.share.given.edges.contains(&(source.0, kind, target.0));
            let whose = match edge.kind.as_str() {
                MENTIONS => self.whose_mention(librarian, &edge).await?,
                _ => self.whose(&edge),
            };
            if moved || whose == Whose::Other {
                changes.push(Change::DeleteEdge(EdgeRef::Id(edge.id), Expect::Any));
            }
            if !moved && whose != Whose::Kept {
                changes.push(self.given_back(edge));
            }
        }
        Ok(changes)
    }

    /// Of whom an edge is told, by what its end was called.
    fn whose(&self, edge: &Edge) -> Whose {
        let called = called_at(edge, self.kept.node.id);
        let others = called.iter().filter(|name| self.names().any(|own| own == **name)).count();
        match others {
            0 => Whose::Kept,
            all if all == called.len() => Whose::Other,
            _ => Whose::Both,
        }
    }

    /// Whom a document mentions by name.
    async fn whose_mention(&self, librarian: &Librarian, edge: &Edge) -> Result<Whose> {
        let said: String = log::texts_of(librarian, edge.source)
            .await?
            .into_iter()
            .map(|text| text.body + "\n")
            .collect();
        let count = |names: Vec<&str>| spotter::count(&names, &said);
        let of_kept = count(self.stays.iter().map(String::as_str).collect());
        Ok(match (of_kept, count(self.names().collect())) {
            (_, 0) => Whose::Kept,
            (0, _) => Whose::Other,
            _ => Whose::Both,
        })
    }

    /// What the other is called, its URI included.
    fn names(&self) -> impl Iterator<Item = &str> {
        let given = &self.share.given;
        let own = [&given.uri, &given.name].into_iter();
        own.chain(&given.aliases).chain(&self.share.names).map(String::as_str)
    }

    fn given_back(&self, edge: Edge) -> Change {
        let place = |end| match end == self.kept.node.id {
            true => NodeRef::Uid(self.uid),
            false => NodeRef::Id(end),
        };
        Change::PutEdge(NewEdge {
            source: place(edge.source),
            target: place(edge.target),
            kind: edge.kind,
            weight: edge.weight,
            visibility: edge.visibility,
            properties: edge.properties,
        })
    }
}

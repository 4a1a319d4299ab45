//! Two entities that were merged and part again: whose relations are whose.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_core::{Edge, NodeId, Result};
use lore_store::{Change, NewEdge, NodeRef};

use super::entries::stricter;
use super::librarian::Librarian;
use super::log::{self, Triple};
use super::parted_edges::{Parting, lost, triple};
use super::relations::MENTIONS;
use super::shares::Shares;
use super::tellings::{self, Telling};
use super::uri;

/// What was told between those that were one.
#[derive(Default)]
pub(super) struct Among {
    /// The URIs that lead to what is at the far ends of the edges of the one that parts.
    leading: HashMap<NodeId, Vec<String>>,
    /// Edges between the one that was kept and what stays merged into it, as they lie in the bin,
    /// with the URIs of the latter.
    staying: Vec<(String, Edge)>,
}

impl Among {
    pub(super) async fn of(
        librarian: &Librarian,
        parting: &Parting<'_>,
        shares: &Shares,
    ) -> Result<Self> {
        let ids: Vec<NodeId> =
            parting.own.values().flat_map(|edge| [edge.source, edge.target]).collect();
        let nodes = librarian.app.store.nodes(&librarian.viewer, &ids).await?;
        let leading = nodes.iter().map(|node| (node.id, log::same_as(node))).collect();
        let mut staying = Vec::new();
        for share in shares.merged.iter().filter(|share| !parting.party.has_uri(&share.given.uri)) {
            let edges = lost(librarian, share).await?.into_iter().filter(is_relation);
            let with_kept = edges.filter(|edge| parting.is_at_kept(edge));
            staying.extend(with_kept.map(|edge| (share.given.uri.clone(), edge)));
        }
        Ok(Self { leading, staying })
    }
}

/// Relations of the one that parts and the one that was kept, by their ends then: such an edge,
/// and what it is made of.
type WithKept = BTreeMap<Triple, (Edge, Vec<Telling>)>;

impl Parting<'_> {
    /// What becomes of a relation of the one that was kept, and of that of the other.
    pub(super) fn relation(&self, edge: &Edge) -> impl Iterator<Item = Change> {
        let (mut others, stay) = self.shared_out(edge);
        let given = match self.own.get(&self.placed_triple(triple(edge))) {
            None => self.put(edge, triple(edge), &others),
            Some(own) => {
                if !self.is_told_of_both(own, edge) {
                    tellings::add(&mut others, self.still_told(own).0);
                }
                tellings::retold(own, &others)
            }
        };
        tellings::retold(edge, &stay).into_iter().chain(given)
    }

    /// Relations of the other that are no matter of the edges of the one that was kept: those of
    /// both, and those that were told of who is elsewhere now. `settled` are done with.
    pub(super) fn among(&self, settled: &HashSet<Triple>) -> Vec<Change> {
        let kept = self.kept.node.id;
        let (mut with_kept, mut changes) = (WithKept::new(), Vec::new());
        for (place, own) in self.own.iter().filter(|(_, own)| is_relation(own)) {
            let (still, elsewhere) = self.still_told(own);
            if self.is_at_kept(own) {
                join(&mut with_kept, place.clone(), own, still);
            } else {
                let far = self.far(own);
                let at_kept = |end: NodeId| if end == far { kept } else { end };
                let moved =
                    elsewhere.into_iter().filter_map(|one| self.told_of_kept(one, own, far));
                join(&mut with_kept, placed(own, at_kept), own, moved.collect());
                if !settled.contains(place) {
                    changes.extend(tellings::retold(own, &still));
                }
            }
        }
        for (of, edge) in self.inner.iter().filter(|(_, edge)| is_relation(edge)) {
            let told = self.told_of_staying(edge);
            let told = tellings::named(told, edge, self.beyond(edge), of);
            join(&mut with_kept, self.as_others(edge), edge, told);
        }
        for (of, edge) in &self.among.staying {
            let (others, _) = self.shared_out(edge);
            let told = tellings::named(others, edge, self.beyond(edge), of);
            let other = self.placed(kept, self.other());
            let swapped = |end: NodeId| if end == kept { other } else { kept };
            join(&mut with_kept, placed(edge, swapped), edge, told);
        }
        changes.extend(with_kept.into_iter().filter_map(|(place, (edge, told))| {
            match self.own.get(&place) {
                Some(own) => tellings::retold(own, &told),
                None => self.put(&edge, place, &told),
            }
        }));
        changes
    }

    /// What an edge between the one that was kept and one that goes with the other tells of the
    /// former, and of what stays merged into it.
    pub(super) fn told_of_staying(&self, edge: &Edge) -> Vec<Telling> {
        let parts = log::same_as(&self.kept.node);
        let stays = |of: &str| !of.starts_with(uri::PREFIX) || parts.iter().any(|one| one == of);
        let (_, mut told) = self.shared_out(edge);
        told.retain(|one| stays(one.at(edge, self.kept.node.id)));
        told
    }

    /// What an edge of the one that was kept tells of the other, as the other's, and the rest.
    fn shared_out(&self, edge: &Edge) -> (Vec<Telling>, Vec<Telling>) {
        let kept = self.kept.node.id;
        // Before edges said of whom they are told, the merge that gave one said whose it is.
        let all_others = !tellings::says_whom(edge, kept) && self.moved(&triple(edge));
        let is_others = |one: &Telling| all_others || self.is_other(one.at(edge, kept));
        let (others, stay): (Vec<Telling>, Vec<Telling>) =
            tellings::of(edge).into_iter().partition(is_others);
        let is_part = |of: &str| of != self.party.main.given.uri && self.party.has_uri(of);
        let own = |one: Telling| match is_part(one.at(edge, kept)) {
            true => one,
            false => one.told_of(edge, kept, ""),
        };
        (others.into_iter().map(own).collect(), stay)
    }

    /// Whether an edge of the one that was kept tells all that the other's own does.
    fn is_told_of_both(&self, own: &Edge, edge: &Edge) -> bool {
        let Some(other) = &self.party.main.node else { return false };
        let is_seen_alike = stricter(own.visibility, other.visibility) == edge.visibility;
        self.party.main.given.told_of_both && is_seen_alike
    }

    /// The tellings of an edge of the other of those who are at its far end still, and of those who
    /// are not.
    fn still_told(&self, own: &Edge) -> (Vec<Telling>, Vec<Telling>) {
        let far = self.far(own);
        let leading = self.among.leading.get(&far);
        let parts = |of: &String| far == self.kept.node.id && self.party.has_uri(of);
        let leads =
            |of: &str| leading.is_none_or(|all| all.iter().any(|one| one == of && !parts(one)));
        let is_there = |of: &str| !of.starts_with(uri::PREFIX) || leads(of);
        // What was told of who parted from the other before went with them.
        let near = self.other();
        let is_own = |of: &str| !of.starts_with(uri::PREFIX) || self.party.has_uri(of);
        let told = tellings::of(own).into_iter().filter(|one| is_own(one.at(own, near)));
        told.partition(|one| is_there(one.at(own, far)))
    }

    /// A telling of who went from a far end to the one that was kept, or is that.
    fn told_of_kept(&self, telling: Telling, own: &Edge, far: NodeId) -> Option<Telling> {
        let of = telling.at(own, far).to_owned();
        if of == self.kept.uri {
            return Some(telling.told_of(own, far, ""));
        }
        let is_part = log::same_as(&self.kept.node).contains(&of) && !self.party.has_uri(&of);
        is_part.then_some(telling)
    }

    /// An edge that the other gets, like another but for its ends and what it is made of.
    fn put(&self, like: &Edge, (source, _, target): Triple, told: &[Telling]) -> Option<Change> {
        let node = self.party.main.node.as_ref()?;
        let (weight, properties) = tellings::held(&like.properties, told)?;
        let kept = self.kept.node.id.0;
        // Either both ends are given with the other in its place, or with the one that was kept.
        let names_other = [source, target].contains(&node.id.0);
        let place = |end: i64| match end == node.id.0 || end == kept && !names_other {
            true => NodeRef::Uid(node.uid),
            false => NodeRef::Id(NodeId(end)),
        };
        Some(Change::PutEdge(NewEdge {
            source: place(source),
            target: place(target),
            kind: like.kind.clone(),
            weight,
            visibility: like.visibility,
            properties,
        }))
    }

    /// What is at the other end of an edge of the one that parts.
    fn far(&self, own: &Edge) -> NodeId {
        if own.source == self.other() { own.target } else { own.source }
    }

    pub(super) fn is_at_kept(&self, edge: &Edge) -> bool {
        [edge.source, edge.target].contains(&self.kept.node.id)
    }
}

pub(super) fn is_relation(edge: &Edge) -> bool {
    edge.kind.as_str() != MENTIONS
}

fn placed(edge: &Edge, place: impl Fn(NodeId) -> NodeId) -> Triple {
    (place(edge.source).0, edge.kind.to_string(), place(edge.target).0)
}

/// Adds what is told to an edge.
fn join(with_kept: &mut WithKept, place: Triple, edge: &Edge, told: Vec<Telling>) {
    let (_, all) = with_kept.entry(place).or_insert_with(|| (edge.clone(), Vec::new()));
    tellings::add(all, told);
}

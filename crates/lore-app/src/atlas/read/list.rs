//! Lists of objects. Filters apply before the page is cut, so totals are exact.

use std::collections::HashSet;

use lore_anvil::{Form, Kind, PAGE_MAX, Resource, UNCATEGORISED};
use lore_core::{Error, Node, NodeId, Result};
use lore_store::{Direction, NodeQuery};

use crate::atlas::keys;
use crate::atlas::source::{Atlas, ListQuery, Rows};
use crate::play::word;

impl Atlas {
    /// Lists objects as references.
    pub(in crate::atlas) async fn list_objects(&self, query: &ListQuery) -> Result<Rows> {
        let place = self.in_world(query.world.as_deref()).await?;
        match query.kind {
            Kind::World => return self.worlds(query).await,
            Kind::Secret => return place.secrets(query).await,
            _ => {}
        }
        let (place, nodes, total) = match (&query.parent, query.category.as_deref()) {
            (Some((parent, id)), _) => place.under(query, *parent, id).await?,
            (None, Some(UNCATEGORISED)) => {
                let nodes = place.uncategorised().await?;
                cut(place, query, nodes)
            }
            (None, Some(category)) => place.under(query, Kind::Category, category).await?,
            (None, None) => place.all(query).await?,
        };
        Ok(Rows { rows: place.assemble(query.kind, nodes, -1).await?, total })
    }

    /// Everything of the kind in this world. The store cuts the page.
    async fn all(self, query: &ListQuery) -> Result<(Self, Vec<Node>, usize)> {
        let (offset, limit) = (query.offset, query.limit.clamp(1, PAGE_MAX));
        let kinds = keys::node_words(query.kind)?;
        let wanted = NodeQuery { kinds, offset, limit, ..NodeQuery::default() };
        let page = self.app().store.find_nodes(self.viewer(), wanted).await?;
        let total = usize::try_from(page.total).unwrap_or(usize::MAX);
        Ok((self, page.items, total))
    }

    /// The objects joined to a parent by the edge that the kind's field declares.
    async fn under(
        self,
        query: &ListQuery,
        parent: Kind,
        id: &str,
    ) -> Result<(Self, Vec<Node>, usize)> {
        let (place, home) = self.locate(parent, id).await?;
        let nodes = match (query.kind, edge_to(query.kind.row(), parent)) {
            (Kind::Npc, _) => place.npcs_of(&home).await?,
            (_, Some(edge)) => place.joined(query.kind, home.id, edge).await?,
            (_, None) => return Err(no_list(query.kind, parent)),
        };
        Ok(cut(place, query, nodes))
    }

    /// The nodes of a kind that are joined to `home`, oldest first.
    pub(super) async fn joined(
        &self,
        kind: Kind,
        home: NodeId,
        edge: &'static str,
    ) -> Result<Vec<Node>> {
        let store = &self.app().store;
        let kinds = [word(edge)?];
        // No limit: the total is part of the answer.
        let all = usize::MAX;
        let edges = store.neighbours(self.viewer(), &[home], Direction::In, &kinds, all).await?;
        let ids: Vec<NodeId> = edges.into_iter().map(|edge| edge.source).collect();
        let mut nodes = store.nodes(self.viewer(), &ids).await?;
        nodes.retain(|node| keys::is_of_kind(kind, node));
        nodes.sort_by_key(|node| node.id);
        Ok(nodes)
    }

    /// The articles that are in no category the viewer sees.
    async fn uncategorised(&self) -> Result<Vec<Node>> {
        let categories = self.every(Kind::Category).await?;
        let categories: Vec<NodeId> = categories.into_iter().map(|node| node.id).collect();
        let (store, kinds) = (&self.app().store, [word("in_category")?]);
        let (inward, all) = (Direction::In, usize::MAX);
        let edges = store.neighbours(self.viewer(), &categories, inward, &kinds, all).await?;
        let held: HashSet<NodeId> = edges.into_iter().map(|edge| edge.source).collect();
        let mut articles = self.every(Kind::Article).await?;
        articles.retain(|node| !held.contains(&node.id));
        Ok(articles)
    }

    /// Every node of a kind that the viewer sees, oldest first.
    pub(in crate::atlas) async fn every(&self, kind: Kind) -> Result<Vec<Node>> {
        let kinds = keys::node_words(kind)?;
        let (mut nodes, mut after) = (Vec::new(), None);
        loop {
            let wanted = NodeQuery { kinds: kinds.clone(), after, ..NodeQuery::default() };
            let page = self.app().store.find_nodes(self.viewer(), wanted).await?;
            nodes.extend(page.items);
            after = page.next;
            if after.is_none() {
                return Ok(nodes);
            }
        }
    }
}

/// Cuts the requested page out of a list; also returns the total.
pub(super) fn cut(place: Atlas, query: &ListQuery, nodes: Vec<Node>) -> (Atlas, Vec<Node>, usize) {
    let total = nodes.len();
    let page = nodes.into_iter().skip(query.offset).take(query.limit.min(PAGE_MAX)).collect();
    (place, page, total)
}

/// The edge that joins a kind of object to a parent.
fn edge_to(row: &Resource, parent: Kind) -> Option<&'static str> {
    row.fields.iter().find_map(|field| match field.form {
        Form::One(kind, edge) | Form::Several(kind, edge) if kind == parent => Some(edge),
        _ => None,
    })
}

fn no_list(kind: Kind, parent: Kind) -> Error {
    let (kind, parent) = (kind.row(), parent.row());
    let problem = format!("has no {} of its own", kind.many);
    Error::invalid(parent.id_argument, problem, "list them by world instead")
}

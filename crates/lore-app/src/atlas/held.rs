//! What is a part of something else: a marker of its map, a note of its section, an era of its
//! timeline. Whoever may not see the whole may not see its parts, whatever those say of
//! themselves. What merely belongs somewhere, such as an article in its category or a history
//! on its timelines, is seen for itself.

use std::collections::{HashMap, HashSet};

use futures::FutureExt;
use futures::future::BoxFuture;
use lore_anvil::Kind;
use lore_core::{Edge, Node, NodeId, Result};
use lore_store::Direction;

use super::keys;
use super::source::Atlas;
use crate::play::word;

/// The edges by which nodes are parts of something.
type Parts = HashMap<NodeId, Vec<&'static str>>;

impl Atlas {
    /// Those of some nodes that are no part of something the caller does not see.
    pub(super) fn openly_held(&self, nodes: Vec<Node>) -> BoxFuture<'_, Result<Vec<Node>>> {
        async move {
            if self.viewer().sees_gm_side() {
                return Ok(nodes);
            }
            let parts = parts_of(&nodes);
            if parts.is_empty() {
                return Ok(nodes);
            }
            let above = self.edges_above(&parts).await?;
            let wholes: Vec<NodeId> = above.iter().map(|edge| edge.target).collect();
            let seen = self.app().store.nodes(self.viewer(), &wholes).await?;
            let seen = self.openly_held(seen).await?;
            let seen: HashSet<NodeId> = seen.into_iter().map(|node| node.id).collect();
            let hidden = above.iter().filter(|edge| !seen.contains(&edge.target));
            let hidden: HashSet<NodeId> = hidden.map(|edge| edge.source).collect();
            Ok(nodes.into_iter().filter(|node| !hidden.contains(&node.id)).collect())
        }
        .boxed()
    }

    /// The edges from parts to what they are parts of, whoever may see that.
    async fn edges_above(&self, parts: &Parts) -> Result<Vec<Edge>> {
        let ids: Vec<NodeId> = parts.keys().copied().collect();
        let names: HashSet<&'static str> = parts.values().flatten().copied().collect();
        let kinds = names.into_iter().map(word).collect::<Result<Vec<_>>>()?;
        let (store, viewer) = (&self.app().store, self.scribe.all_seeing());
        // One that is left out would show what is hidden.
        let all = usize::MAX;
        let mut above = store.neighbours(&viewer, &ids, Direction::Out, &kinds, all).await?;
        above.retain(|edge| {
            let names = parts.get(&edge.source);
            names.is_some_and(|names| names.contains(&edge.kind.as_str()))
        });
        Ok(above)
    }
}

fn parts_of(nodes: &[Node]) -> Parts {
    let edges_of = |node: &Node| -> Vec<&'static str> {
        let kinds = Kind::ALL.iter().filter(|kind| keys::is_of_kind(**kind, node));
        kinds.flat_map(|kind| kind.row().holders()).map(|(_, _, edge)| edge).collect()
    };
    let parts = nodes.iter().map(|node| (node.id, edges_of(node)));
    parts.filter(|(_, edges)| !edges.is_empty()).collect()
}

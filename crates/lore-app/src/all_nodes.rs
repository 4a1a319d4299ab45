//! Reads a list of nodes to its end, for use cases that need all of it.

use lore_core::{Node, Viewer};
use lore_store::{NodeQuery, StoreResult};

use crate::App;

/// Returns all nodes that match a query, page by page, in its order.
pub(crate) async fn all_nodes(
    app: &App,
    viewer: &Viewer,
    mut query: NodeQuery,
) -> StoreResult<Vec<Node>> {
    let mut nodes = Vec::new();
    loop {
        let page = app.store.find_nodes(viewer, query.clone()).await?;
        nodes.extend(page.items);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(nodes),
        }
    }
}

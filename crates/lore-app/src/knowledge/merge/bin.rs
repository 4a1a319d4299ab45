//! Finding what a merged entity is part of when that lies in the bin itself.

use lore_core::{Node, NodeId, Result, Viewer};
use lore_store::{Bin, NodeQuery};

use super::{same_as, same_numbers};
use crate::App;
use crate::access::all_seeing;
use crate::knowledge::entities::{Entity, uri};
use crate::knowledge::librarian::Librarian;

/// Returns the deleted entity that the entity with this URI was merged into. If that was merged into
/// a further one, the last of them is meant: it is the one that has them all.
pub(in crate::knowledge) async fn survivor(
    librarian: &Librarian,
    uri: &str,
) -> Result<Option<Node>> {
    let anchor = uri::anchor(uri);
    let has = |node: &Node| same_as(node).iter().any(|own| uri::anchor(own) == anchor);
    let mut found = all(&librarian.app, &librarian.viewer, has).await?;
    let last = found.iter().position(|node| !found.iter().any(|other| is_part_of(node, other)));
    Ok(last.map(|place| found.swap_remove(place)))
}

/// Whether a node was merged into another entity, live or deleted, whoever sees that one.
pub(crate) async fn is_part(app: &App, viewer: &Viewer, node: &Node) -> Result<bool> {
    let eyes = all_seeing(viewer);
    let catalogue = app.catalogues.open(app.store.as_ref(), &eyes).await?;
    if catalogue.by_number(node.number).is_some() {
        return Ok(true);
    }
    drop(catalogue);
    Ok(first(app, &eyes, |other| is_part_of(node, other)).await?.is_some())
}

fn is_part_of(node: &Node, whole: &Node) -> bool {
    let has_uri = |entity: Entity| {
        let anchor = uri::anchor(&entity.uri);
        same_as(whole).iter().any(|uri| uri::anchor(uri) == anchor)
    };
    same_numbers(whole).contains(&node.number) || Entity::of(node.clone()).is_some_and(has_uri)
}

/// Returns the first node in the bin that satisfies the predicate.
pub(in crate::knowledge) async fn first(
    app: &App,
    viewer: &Viewer,
    is_meant: impl Fn(&Node) -> bool,
) -> Result<Option<Node>> {
    let mut after = None;
    loop {
        let page = page(app, viewer, &mut after).await?;
        match page.into_iter().find(&is_meant) {
            None if after.is_some() => {}
            found => return Ok(found),
        }
    }
}

async fn all(app: &App, viewer: &Viewer, is_meant: impl Fn(&Node) -> bool) -> Result<Vec<Node>> {
    let (mut after, mut found) = (None, Vec::new());
    loop {
        found.extend(page(app, viewer, &mut after).await?.into_iter().filter(&is_meant));
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// Reads a page of the bin and moves on to the next; `after` is `None` at the end.
async fn page(app: &App, viewer: &Viewer, after: &mut Option<NodeId>) -> Result<Vec<Node>> {
    let query = NodeQuery { bin: Bin::Deleted, after: *after, ..NodeQuery::default() };
    let page = app.store.find_nodes(viewer, query).await?;
    *after = page.next;
    Ok(page.items)
}

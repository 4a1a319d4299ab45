//! Finds which of the entities merged into one a document refers to, by names, numbers and links.

use std::collections::BTreeSet;

use lore_core::{NodeId, Result};
use lore_markup::mention::{self, Target};

use super::shares::Shares;
use crate::knowledge::documents::shelve::Mention;
use crate::knowledge::entities::{Entity, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::names::spotter::Spotter;
use crate::knowledge::vault::links;
use crate::mentions;

/// Returns which of the entities within `node` a text names: their URIs if they were merged into
/// it, or an empty string for the entity itself.
pub(in crate::knowledge) async fn in_text(
    librarian: &Librarian,
    node: NodeId,
    text: &str,
) -> Result<BTreeSet<String>> {
    let Some((entity, shares)) = several(librarian, node).await? else { return Ok(itself()) };
    let names = everybody(&entity, &shares).into_iter().map(|one| (one.uri, one.names));
    let (uris, names): (Vec<String>, Vec<Vec<String>>) = names.unzip();
    // The names of all are matched together, so that an occurrence of a longer name of one does not
    // also count as a shorter name of another.
    let numbered = (0..).zip(names);
    let names =
        numbered.flat_map(|(place, names)| names.into_iter().map(move |name| (place, name)));
    let spotter = Spotter::new(names.map(|(place, name)| (NodeId(place), name)));
    let spotted = spotter.spot(text, &[]).into_keys().map(|place| place.0);
    let found = spotted.filter_map(|place| uris.get(usize::try_from(place).ok()?).cloned());
    Ok(or_itself(found.collect()))
}

/// Returns the entities that a text mentions by number, as in `[entity:7]`.
pub(in crate::knowledge) async fn by_number(
    librarian: &Librarian,
    text: &str,
) -> Result<Vec<Mention>> {
    let mut found = Vec::new();
    for node in mentions::mentioned(&librarian.app, &librarian.viewer, text).await? {
        let named = match several(librarian, node).await? {
            None => itself(),
            Some((entity, shares)) => {
                let numbers = numbers_in(text);
                let all = everybody(&entity, &shares).into_iter();
                let meant = all.filter(|one| one.number.is_some_and(|own| numbers.contains(&own)));
                or_itself(meant.map(|one| one.uri).collect())
            }
        };
        found.extend(named.into_iter().map(|of| Mention::Named(node, of)));
    }
    Ok(found)
}

/// Returns the entities that the text of the note at a path links to by their notes or their URIs.
pub(in crate::knowledge) async fn by_links(
    librarian: &Librarian,
    path: &str,
    text: &str,
) -> Result<Vec<Mention>> {
    let links: Vec<(NodeId, String)> = {
        let catalogue = librarian.catalogue().await?;
        let meant = |target: String| match target.starts_with(uri::PREFIX) {
            true => Some((catalogue.by_uri(&target)?, target)),
            false => {
                let place = links::placed(&target, path, |path| catalogue.is_note(path));
                catalogue.linked(&place, &[])
            }
        };
        links::targets(text).filter_map(meant).collect()
    };
    let mut found = Vec::new();
    for (node, anchor) in links {
        let several = several(librarian, node).await?;
        let of = several.and_then(|(_, shares)| Some(shares.meant(&anchor)?.1.clone()));
        found.push(Mention::Named(node, of.unwrap_or_default()));
    }
    Ok(found)
}

/// Returns an entity and its shares if others were merged into it; otherwise `None`.
async fn several(librarian: &Librarian, node: NodeId) -> Result<Option<(Entity, Shares)>> {
    if !librarian.catalogue().await?.is_several(node) {
        return Ok(None);
    }
    let Some(entity) = librarian.entities(&[node]).await?.pop() else { return Ok(None) };
    let shares = Shares::of(librarian, &entity).await?;
    Ok(Some((entity, shares)))
}

/// One of the entities within a merged entity.
struct One {
    /// Empty for the survivor itself.
    uri: String,
    number: Option<i64>,
    names: Vec<String>,
}

fn everybody(entity: &Entity, shares: &Shares) -> Vec<One> {
    let node = &entity.node;
    let names = std::iter::once(&node.name).chain(&shares.own).cloned().collect();
    let own = One { uri: String::new(), number: Some(node.number), names };
    let merged = shares.everybody().into_iter().map(|share| One {
        uri: share.given.uri.clone(),
        number: share.node.as_ref().map(|node| node.number),
        names: std::iter::once(&share.given.name).chain(&share.own).cloned().collect(),
    });
    std::iter::once(own).chain(merged).collect()
}

/// Returns the entity numbers that a text mentions.
pub(super) fn numbers_in(text: &str) -> BTreeSet<i64> {
    let found = mention::find(text).into_iter();
    let numbers = found.filter_map(|found| match found.target {
        Target::Entity(number) => Some(number),
        Target::Other | Target::New => None,
    });
    numbers.collect()
}

fn itself() -> BTreeSet<String> {
    BTreeSet::from([String::new()])
}

/// Falls back to the survivor if none of the names was recognised as belonging to one of them.
fn or_itself(found: BTreeSet<String>) -> BTreeSet<String> {
    if found.is_empty() { itself() } else { found }
}

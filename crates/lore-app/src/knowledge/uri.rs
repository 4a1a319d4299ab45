//! The names under which entities and documents are known outside.
//!
//! An entity that came in through this door has the URI its type and name make, so that
//! everybody who registers the same makes the same URI; it is kept with the node and
//! survives renaming. Nodes of other doors may share names, so their URIs end with their
//! uid instead; whatever stands before it may be out of date.

use lore_core::{Node, Uid, Viewer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::ontology::EntityType;

/// Start of every URI of an entity.
const ENTITY_PREFIX: &str = "orn:personal-koi.entity:";
/// Start of every URI of a document that has no name of its own.
const OWN_PREFIX: &str = "orn:lorewell.";
/// Start of every URI at all.
pub(crate) const PREFIX: &str = "orn:";

/// The property that holds the URI of what came in through this door.
pub(super) const URI: &str = "koi_uri";
/// The property that holds the URIs of what was merged into a node.
pub(super) const SAME_AS: &str = "koi_same_as";
/// The property that holds the numbers of what was merged into a node.
pub(super) const SAME_NUMBERS: &str = "koi_same_numbers";
/// The property that holds the name of a document.
pub(super) const RID: &str = "rid";

/// Longest part of a URI that is made from a name, in characters.
const SLUG_MAX: usize = 50;

/// The URI of an entity.
pub(super) fn of_entity(node: &Node, entity_type: EntityType) -> String {
    if let Some(kept) = node.properties.get(URI).and_then(Value::as_str) {
        return kept.to_owned();
    }
    let uid = hex(node.uid.as_bytes());
    format!("{ENTITY_PREFIX}{}-{}-{uid}", lower(Some(entity_type)), slug(&node.name))
}

/// Whether a node came in through this door. The URI that is kept of another ends with its uid.
pub(super) fn came_in_here(node: &Node) -> bool {
    let kept = node.properties.get(URI).and_then(Value::as_str);
    kept.is_some_and(|kept| uid_in(kept) != Some(node.uid))
}

/// The URI an entity of this type and name gets when it is registered.
pub(super) fn proposed(entity_type: Option<EntityType>, name: &str) -> String {
    let type_name = entity_type.map_or("", EntityType::as_str);
    let hash = Sha256::digest(format!("{type_name}:{}", normalised(name)));
    let hash: String = hex(&hash).chars().take(12).collect();
    format!("{ENTITY_PREFIX}{}-{}-{hash}", lower(entity_type), slug(name))
}

/// The URI of an entity that the document `rid` makes known, where another has the URI that its
/// type and name make.
pub(super) fn proposed_beside(entity_type: EntityType, name: &str, rid: &str) -> String {
    let hash = Sha256::digest(format!("{}:{}:{rid}", entity_type.as_str(), normalised(name)));
    let hash: String = hex(&hash).chars().take(12).collect();
    format!("{ENTITY_PREFIX}{}-{}-{hash}", lower(Some(entity_type)), slug(name))
}

/// The uid of the node that a URI of this world was made for.
pub(crate) fn uid_shown(uri: &str) -> Option<Uid> {
    match uri.strip_prefix(OWN_PREFIX) {
        Some(document) => document.split_once(':')?.1.parse().ok(),
        None => uid_in(uri),
    }
}

/// The uid at the end of the URI of a node of another door.
fn uid_in(uri: &str) -> Option<Uid> {
    let last = uri.strip_prefix(ENTITY_PREFIX)?.rsplit('-').next()?;
    if last.len() != 32 {
        return None;
    }
    last.parse().ok()
}

/// What of a URI says whose it is, and stays when names change.
pub(super) fn anchor(uri: &str) -> String {
    uid_in(uri).map_or_else(|| uri.to_owned(), |uid| uid.to_string())
}

/// The name of a document.
pub(crate) fn of_document(node: &Node) -> String {
    match node.properties.get(RID).and_then(Value::as_str) {
        Some(kept) => kept.to_owned(),
        None => format!("{OWN_PREFIX}{}:{}", node.kind, node.uid),
    }
}

/// The uid of what comes in here under this name, in the viewer's world. The same name always
/// gets the same uid, so a thing is found without an index and cannot be made twice. What a
/// player keeps is the player's own, so each player has another.
pub(super) fn derived_uid(viewer: &Viewer, rid: &str) -> Option<Uid> {
    let owner = if viewer.sees_gm_side() { 0 } else { viewer.principal.0 };
    let hash = Sha256::digest(format!("{} {owner} {rid}", viewer.world));
    Uid::from_bytes(hash.get(..16)?)
}

/// A hash in small letters.
pub(super) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// How names are compared where every KOI node must agree on it: no case, no leading `@`,
/// blanks for dashes.
fn normalised(name: &str) -> String {
    let lower = name.trim().to_lowercase().replace(['_', '-'], " ").replace("  ", " ");
    lower.trim_start_matches('@').to_owned()
}

fn lower(entity_type: Option<EntityType>) -> String {
    entity_type.map_or("", EntityType::as_str).to_lowercase()
}

fn slug(name: &str) -> String {
    let name = normalised(name).replace(['\'', '’'], "");
    let joined = name.split_whitespace().collect::<Vec<_>>().join("-");
    joined.chars().take(SLUG_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_core::{PrincipalId, Role, WorldId};

    #[test]
    fn the_uri_is_the_one_every_koi_node_makes() {
        assert_eq!(
            proposed(Some(EntityType::Person), "Bill Baue"),
            "orn:personal-koi.entity:person-bill-baue-376ffc2e6245"
        );
        assert_eq!(proposed(None, "zyx qwv"), "orn:personal-koi.entity:-zyx-qwv-56d90c2c2da2");
    }

    #[test]
    fn documents_have_one_uid_for_each_side_of_the_screen() {
        let viewer =
            |principal, role| Viewer { principal: PrincipalId(principal), world: WorldId(1), role };
        let uid = |viewer| derived_uid(&viewer, "vault:Notes/A.md").unwrap();
        assert_eq!(uid(viewer(1, Role::Owner)), uid(viewer(2, Role::Gm)));
        assert_ne!(uid(viewer(3, Role::Player)), uid(viewer(2, Role::Gm)));
        assert_ne!(uid(viewer(3, Role::Player)), uid(viewer(4, Role::Player)));
    }
}

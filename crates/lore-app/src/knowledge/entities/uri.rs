//! The identifiers of entities (URIs) and documents (RIDs) outside this world.
//!
//! An entity created by this toolset gets a URI derived from its type and name, so that every KOI
//! node computes the same one; it is stored with the node and survives renaming. Nodes of the other
//! doors (toolsets) may share names, so their URIs end with their uid; the part before it may be
//! out of date.

use lore_core::{Error, Node, Result, Uid, Viewer, names};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::ontology::EntityType;

/// Prefix of the URIs of entities.
const ENTITY_PREFIX: &str = "orn:personal-koi.entity:";
/// Prefix of the URIs of documents that have no RID.
const OWN_PREFIX: &str = "orn:lorewell.";
/// Prefix of all URIs.
pub(crate) const PREFIX: &str = "orn:";

/// The property that holds the URI of an entity created by this toolset or retyped.
pub(in crate::knowledge) const URI: &str = "koi_uri";
/// The property that holds the URIs of everything merged into a node.
pub(in crate::knowledge) const SAME_AS: &str = "koi_same_as";
/// The property that holds the numbers of everything merged into a node.
pub(in crate::knowledge) const SAME_NUMBERS: &str = "koi_same_numbers";
/// The property that holds the RID of a document.
pub(in crate::knowledge) const RID: &str = "rid";

/// Longest part of a URI made from a name, in characters.
const SLUG_MAX: usize = 50;

/// Checks a name of an entity. Besides what no name may be, it may not look like a URI, because
/// nobody could be found by it.
pub(in crate::knowledge) fn checked_name(field: &str, text: &str) -> Result<String> {
    let name = names::checked_name(field, text)?;
    match name.starts_with(PREFIX) {
        true => {
            let problem = format!("starts with {PREFIX} like a URI");
            Err(Error::invalid(field, problem, "give the name, and the URI as `uri`"))
        }
        false => Ok(name),
    }
}

/// Returns the URI of an entity.
pub(super) fn of_entity(node: &Node, entity_type: EntityType) -> String {
    if let Some(kept) = node.properties.get(URI).and_then(Value::as_str) {
        return kept.to_owned();
    }
    let uid = hex(node.uid.as_bytes());
    format!("{ENTITY_PREFIX}{}-{}-{uid}", lower(Some(entity_type)), slug(&node.name))
}

/// Whether a node was created by this toolset. A URI stored with any other node ends with its uid.
pub(super) fn came_in_here(node: &Node) -> bool {
    let kept = node.properties.get(URI).and_then(Value::as_str);
    kept.is_some_and(|kept| uid_in(kept) != Some(node.uid))
}

/// Returns the URI that an entity of this type and name gets when it is registered.
pub(in crate::knowledge) fn proposed(entity_type: Option<EntityType>, name: &str) -> String {
    let type_name = entity_type.map_or("", EntityType::as_str);
    let hash = Sha256::digest(format!("{type_name}:{}", normalised(name)));
    let hash: String = hex(&hash).chars().take(12).collect();
    format!("{ENTITY_PREFIX}{}-{}-{hash}", lower(entity_type), slug(name))
}

/// Returns a URI for an entity introduced by the document `rid`, for use when another entity has
/// the URI derived from its type and name.
pub(in crate::knowledge) fn proposed_beside(
    entity_type: EntityType,
    name: &str,
    rid: &str,
) -> String {
    let hash = Sha256::digest(format!("{}:{}:{rid}", entity_type.as_str(), normalised(name)));
    let hash: String = hex(&hash).chars().take(12).collect();
    format!("{ENTITY_PREFIX}{}-{}-{hash}", lower(Some(entity_type)), slug(name))
}

/// Returns the uid of the node that a URI of this world was made for.
pub(crate) fn uid_shown(uri: &str) -> Option<Uid> {
    match uri.strip_prefix(OWN_PREFIX) {
        Some(document) => document.split_once(':')?.1.parse().ok(),
        None => uid_in(uri),
    }
}

/// Returns the uid at the end of the URI of a node of another toolset.
fn uid_in(uri: &str) -> Option<Uid> {
    let last = uri.strip_prefix(ENTITY_PREFIX)?.rsplit('-').next()?;
    if last.len() != 32 {
        return None;
    }
    last.parse().ok()
}

/// Returns the part of a URI that identifies the entity and does not change with its name.
pub(in crate::knowledge) fn anchor(uri: &str) -> String {
    uid_in(uri).map_or_else(|| uri.to_owned(), |uid| uid.to_string())
}

/// Returns the RID of a document.
pub(crate) fn of_document(node: &Node) -> String {
    match node.properties.get(RID).and_then(Value::as_str) {
        Some(kept) => kept.to_owned(),
        None => format!("{OWN_PREFIX}{}:{}", node.kind, node.uid),
    }
}

/// Returns the uid of a node created here under this name, in the viewer's world. The same name
/// always gives the same uid, so the node is found without an index and cannot be created twice.
/// Each player has separate uids, because what a player stores is private.
pub(in crate::knowledge) fn derived_uid(viewer: &Viewer, rid: &str) -> Option<Uid> {
    let owner = if viewer.sees_gm_side() { 0 } else { viewer.principal.0 };
    let hash = Sha256::digest(format!("{} {owner} {rid}", viewer.world));
    Uid::from_bytes(hash.get(..16)?)
}

/// Encodes bytes as lower-case hexadecimal.
pub(in crate::knowledge) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// Normalises a name in the way all KOI nodes agree on: lower case, no leading `@`, spaces instead
/// of dashes and underscores.
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

//! A node as it will be once its creation is committed, for answers that show it.

use lore_core::{Node, NodeId, Stamp, Timestamp, Viewer};
use lore_store::NewNode;

/// Returns the node that the viewer creates at a time. Its row id and numbers are not known yet and
/// are 0.
pub(crate) fn preview(viewer: &Viewer, new: &NewNode, at: Timestamp) -> Node {
    let stamp = Stamp { at, by: viewer.principal };
    let new = new.clone();
    Node {
        id: NodeId(0),
        uid: new.uid,
        world: viewer.world,
        number: 0,
        kind_number: 0,
        kind: new.kind,
        namespace: new.namespace,
        name: new.name,
        derived_name: new.derived_name,
        subtype: new.subtype,
        aliases: new.aliases,
        tags: new.tags,
        visibility: new.visibility,
        properties: new.properties,
        version: 1,
        created: stamp,
        updated: stamp,
        deleted_at: None,
    }
}

//! Reading objects of the local world. This file reads one.
//!
//! - `list` lists objects, and `folders` the folders of any kind of content.
//! - `find` searches for articles.
//! - `people` reads worlds, campaigns and their participants, `secrets` the texts that only the
//!   game master's side may read.
//! - `assemble` makes objects of nodes, and `head` the fields with which every object begins.
//! - `everybody` adds how everybody else sees an object.

pub(super) mod assemble;
pub(super) mod everybody;
pub(super) mod find;
mod folders;
pub(super) mod head;
mod list;
pub(super) mod people;
pub(super) mod secrets;

pub use find::{ArticleQuery, Audience, FoundArticle, FoundArticles, excerpt, relevance};
pub use folders::{FolderOrder, Folders};

use lore_anvil::{Kind, Object};
use lore_core::{Error, Node, Result, Role, Viewer};
use serde_json::json;

use super::keys;
use super::source::Atlas;
use crate::access::may_change;

impl Atlas {
    /// Reads one object at a granularity.
    pub(super) async fn read_object(
        &self,
        kind: Kind,
        id: Option<&str>,
        granularity: i8,
    ) -> Result<Object> {
        let role = self.viewer().role;
        let (mut object, is_editable) = match kind {
            // Players and above may edit their own profile.
            Kind::User => (self.user(id, granularity).await?, role >= Role::Player),
            Kind::World => {
                let place = self.in_world(id).await?;
                (place.world(granularity).await?, place.viewer().role >= Role::Gm)
            }
            Kind::Secret => (self.secret(needed(kind, id)?, granularity).await?, role >= Role::Gm),
            _ => {
                let id = needed(kind, id)?;
                let (place, node) = self.locate_shown(kind, id).await?;
                let is_editable = is_changed_by(kind, place.viewer(), &node);
                let made = place.assemble(kind, vec![node], granularity).await?;
                let made = made.into_iter().next().ok_or_else(|| keys::unknown(kind, id))?;
                (made, is_editable)
            }
        };
        object.insert("isEditable".into(), json!(is_editable));
        Ok(object)
    }
}

/// Whether the viewer may change a node, and this toolset can do it.
fn is_changed_by(kind: Kind, viewer: &Viewer, node: &Node) -> bool {
    let is_kept_here = keys::is_of_kind(kind, node) && !matches!(kind, Kind::Campaign | Kind::Npc);
    let may_change = may_change(viewer, node.created.by, &node.name).is_ok();
    is_kept_here && viewer.role >= Role::Player && may_change
}

fn needed(kind: Kind, id: Option<&str>) -> Result<&str> {
    let row = kind.row();
    id.ok_or_else(|| {
        Error::invalid(row.id_argument, "is required", format!("give the id of a {}", row.one))
    })
}

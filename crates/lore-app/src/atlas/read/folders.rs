//! Folders for any kind of content. World Anvil also lists folders of blocks among them, so block
//! folders are shown here as well: the same nodes, identified by their UUIDs.

use lore_anvil::{Kind, Object};
use lore_core::names::name_key;
use lore_core::{Node, Result};
use serde_json::{Value, json};

use super::head;
use super::list::cut;
use crate::atlas::keys;
use crate::atlas::source::{Atlas, ListQuery, Rows};

/// The field of a folder that says what kind of content it holds.
pub(super) const HOLDS: &str = "entityType";
/// The value of [`HOLDS`] for folders of blocks.
const BLOCKS: &str = "Block";

/// Which folders are wanted, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// Only folders for this kind of content, such as `Map`; all folders if absent.
    pub holding: Option<String>,
    /// The order.
    pub order: FolderOrder,
}

/// The order of folders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FolderOrder {
    /// Oldest first.
    #[default]
    Age,
    /// By title.
    Title,
    /// By title, descending.
    TitleBackwards,
}

impl Folders {
    /// A folder that does not say what it holds fits every kind.
    fn fits(&self, folder: &Node) -> bool {
        let holds = head::own(folder, HOLDS).cloned().unwrap_or_else(|| held_in(folder));
        match (&self.holding, holds.as_str()) {
            (Some(wanted), Some(holds)) => holds.eq_ignore_ascii_case(wanted.trim()),
            _ => true,
        }
    }
}

impl Atlas {
    /// Lists folders as references.
    pub async fn list_folders(&self, query: &ListQuery, wanted: &Folders) -> Result<Rows> {
        let place = self.in_world(query.world.as_deref()).await?;
        let mut nodes = place.every(Kind::Folder).await?;
        nodes.retain(|folder| wanted.fits(folder));
        if wanted.order != FolderOrder::Age {
            nodes.sort_by_cached_key(|folder| name_key(&folder.name));
        }
        if wanted.order == FolderOrder::TitleBackwards {
            nodes.reverse();
        }
        let (place, nodes, total) = cut(place, query, nodes);
        Ok(Rows { rows: place.assemble(Kind::Folder, nodes, -1).await?, total })
    }

    /// Creates a folder. A folder of blocks becomes a block folder, as if it had been created as
    /// one.
    pub(in crate::atlas) async fn create_folder(&self, fields: &Object) -> Result<Object> {
        let kind = if is_of_blocks(fields) { Kind::BlockFolder } else { Kind::Folder };
        let uid = self.app().effects.uid();
        self.create_node(kind, fields, uid).await?;
        let full = Kind::Folder.row().granularity(2);
        self.read_object(Kind::Folder, Some(&uid.to_string()), full).await
    }
}

/// What a folder holds that does not say so itself.
pub(super) fn held_in(folder: &Node) -> Value {
    if keys::is_of_kind(Kind::BlockFolder, folder) { json!(BLOCKS) } else { Value::Null }
}

/// Whether the fields of a new folder say that it holds blocks.
fn is_of_blocks(fields: &Object) -> bool {
    let holds = fields.get(HOLDS).and_then(Value::as_str);
    holds.is_some_and(|holds| holds.trim().eq_ignore_ascii_case(BLOCKS))
}

//! Folders of anything. World Anvil lists folders of blocks among them, too, so that these are
//! folders as well: the same nodes, known by their UUIDs there.

use lore_anvil::{Kind, Object};
use lore_core::names::name_key;
use lore_core::{Node, Result};
use serde_json::{Value, json};

use super::list::cut;
use super::source::{Atlas, ListQuery, Rows};
use super::{head, keys};

/// Where a folder tells what is kept in it.
pub(super) const HOLDS: &str = "entityType";
/// What is kept in folders of blocks.
const BLOCKS: &str = "Block";

/// Which folders are wanted, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// Those for such things, such as `Map`; all of them when absent.
    pub holding: Option<String>,
    /// In which order.
    pub order: FolderOrder,
}

/// The order of folders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FolderOrder {
    /// The oldest first.
    #[default]
    Age,
    /// By title.
    Title,
    /// By title, the last first.
    TitleBackwards,
}

impl Folders {
    /// What says nothing of what it is for is for anything.
    fn fits(&self, folder: &Node) -> bool {
        let holds = head::own(folder, HOLDS).cloned().unwrap_or_else(|| held_in(folder));
        match (&self.holding, holds.as_str()) {
            (Some(wanted), Some(holds)) => holds.eq_ignore_ascii_case(wanted.trim()),
            _ => true,
        }
    }
}

impl Atlas {
    /// Some folders, as references.
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

    /// Makes a folder: one of blocks is the same wherever it is made.
    pub(super) async fn create_folder(&self, fields: &Object) -> Result<Object> {
        let kind = if is_of_blocks(fields) { Kind::BlockFolder } else { Kind::Folder };
        let uid = self.app().effects.uid();
        self.create_node(kind, fields, uid).await?;
        let full = Kind::Folder.row().granularity(2);
        self.read_object(Kind::Folder, Some(&uid.to_string()), full).await
    }
}

/// What is kept in a folder that does not say it itself.
pub(super) fn held_in(folder: &Node) -> Value {
    if keys::is_of_kind(Kind::BlockFolder, folder) { json!(BLOCKS) } else { Value::Null }
}

/// Whether a folder that somebody makes is one of blocks.
fn is_of_blocks(fields: &Object) -> bool {
    let holds = fields.get(HOLDS).and_then(Value::as_str);
    holds.is_some_and(|holds| holds.trim().eq_ignore_ascii_case(BLOCKS))
}

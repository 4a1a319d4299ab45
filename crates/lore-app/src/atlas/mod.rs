//! The world as users of World Anvil know it: articles, categories, maps, timelines, secrets and
//! the other resources in `lore_anvil`'s table.
//!
//! Nothing is stored twice. A page is an article; a journal is also a history; a text for the game
//! master's side is a secret; a campaign of the table is a campaign. Resources that no other
//! toolset knows are nodes of their own kinds. This module deals in objects of World Anvil's API
//! with texts in Markdown; the callers at the edges convert them.
//!
//! Objects come from a source (`source`): the local world, or World Anvil itself or another
//! Lorewell.
//!
//! | folder | what it is for |
//! | --- | --- |
//! | `read` | reading, listing and finding objects in the local world |
//! | `write` | creating, changing and deleting them |
//! | `sight` | removing references to what the viewer must not know of |
//! | `live` | showing a live service to viewers who may see less than its keys do |
//! | `copy` | copying a world of a service into the local one |
//!
//! Beside them, `keys` resolves the ids that clients send, `ids` has those in objects, `templates`
//! maps pages to article templates, `mentions` converts mentions, and `users` describes the calling
//! user.

mod copy;
mod ids;
mod keys;
mod live;
mod mentions;
mod read;
mod sight;
mod source;
mod templates;
mod users;
mod write;

pub use copy::{Named, Step, Synced, Told};
pub use live::Screened;
pub(crate) use mentions::keep as keep_mentions;
pub use read::{
    ArticleQuery, Audience, FolderOrder, Folders, FoundArticle, FoundArticles, excerpt, relevance,
};
pub use source::{Anvil, Atlas, Detail, Extent, ListQuery, Listed, Rows};

/// Turns a JSON literal in a test into an object.
#[cfg(test)]
fn object(value: serde_json::Value) -> lore_anvil::Object {
    let serde_json::Value::Object(object) = value else { unreachable!() };
    object
}

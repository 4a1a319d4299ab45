//! The world as users of World Anvil know it: articles, categories, maps, timelines, secrets and
//! the other resources in `lore_anvil`'s table.
//!
//! Nothing is stored twice. A page is an article; a journal is also a history; a text for the game
//! master's side is a secret; a campaign of the table is a campaign. Resources that no other
//! toolset knows are nodes of their own kinds. This module deals in objects of World Anvil's API
//! with texts in Markdown; the callers at the edges convert them.

mod account;
mod article;
mod asked;
mod assemble;
mod beside;
mod copies;
mod find;
mod folders;
mod head;
mod held;
mod hidden;
mod keys;
mod list;
mod listed;
mod mentions;
mod mirrored;
mod moved;
mod named;
mod opened;
mod people;
mod read;
mod screened;
mod searched;
mod secrets;
mod seen;
mod sight;
mod source;
mod sync;
mod taken;
mod users;
mod write;
mod written;

pub use find::{ArticleQuery, Audience, FoundArticle, FoundArticles, excerpt, relevance};
pub use folders::{FolderOrder, Folders};
pub(crate) use mentions::keep as keep_mentions;
pub use screened::Screened;
pub use source::{Anvil, Atlas, Detail, Extent, ListQuery, Listed, Rows};
pub use sync::{Named, Step, Synced, Told};

/// Turns a JSON literal in a test into an object.
#[cfg(test)]
fn object(value: serde_json::Value) -> lore_anvil::Object {
    let serde_json::Value::Object(object) = value else { unreachable!() };
    object
}

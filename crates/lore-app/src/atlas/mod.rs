//! The world as World Anvil's users know it: articles, categories, maps, timelines,
//! secrets and the rest of `lore_anvil`'s table.
//!
//! Nothing is kept twice. A page is an article, a journal is a history, too, a text for
//! the game master's side is a secret, a campaign of the table is a campaign. What no
//! other toolset knows is a node of its own kind. What is read here is an object of
//! World Anvil's API, whose texts are Markdown; whoever speaks to the outside converts.

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

/// An object that a test writes as JSON.
#[cfg(test)]
fn object(value: serde_json::Value) -> lore_anvil::Object {
    let serde_json::Value::Object(object) = value else { unreachable!() };
    object
}

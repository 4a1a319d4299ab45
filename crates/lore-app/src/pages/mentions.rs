//! Finds where a page is mentioned.

use lore_core::{NodeId, Result};
use lore_markup::mention::{self, Target};
use lore_store::Direction;

use super::kinds::MENTIONS;
use super::page::{self, Detail};
use super::posts::post_number;
use super::scribe::Scribe;
use crate::play::{MANY, word};

/// A text that mentions a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mentioning {
    /// The number of the page it belongs to.
    pub page: i64,
    /// The number of the post; `None` for the page's main text.
    pub post: Option<i64>,
}

/// The texts that mention a page, as far as the viewer may read them.
pub async fn mentions_of(scribe: &Scribe, number: i64) -> Result<Vec<Mentioning>> {
    let node = page::node(scribe, number).await?;
    let (store, viewer) = (&scribe.app.store, &scribe.viewer);
    let kinds = [word(MENTIONS)?];
    let edges = store.neighbours(viewer, &[node.id], Direction::In, &kinds, MANY).await?;
    let sources: Vec<NodeId> = edges.iter().map(|edge| edge.source).collect();
    let nodes = store.nodes(viewer, &sources).await?;
    let pages = page::with_texts(scribe, nodes, Detail::Posts).await?;
    let names_it =
        |body: &str| mention::find(body).iter().any(|found| found.target == Target::Entity(number));
    let mut found = Vec::new();
    for page in pages {
        let entry = page.entry.as_ref().filter(|text| names_it(&text.body)).map(|_| None);
        let posts = page.posts.iter().filter(|text| names_it(&text.body));
        let texts = entry.into_iter().chain(posts.map(|text| Some(post_number(text))));
        let mut texts: Vec<Option<i64>> = texts.collect();
        if texts.is_empty() {
            // The mention is by name, or in a text of another door, such as the notes of a
            // character's player.
            texts.push(None);
        }
        found.extend(texts.into_iter().map(|post| Mentioning { page: page.node.number, post }));
    }
    Ok(found)
}

//! The entry point for writing pages: to the Kanka campaign that the world mirrors, or to the world
//! itself.

use std::collections::HashSet;

use lore_core::{NodeId, Result, Text};
use lore_markup::mention::{self, Target};
use lore_search::{Query, mention_word};
use lore_store::TextRef;

use super::edit::{Made, NewPage, PagePatch};
use super::kinds::PageKind;
use super::page::Detail;
use super::posts::{NewPost, PostPatch};
use super::scribe::Scribe;
use super::{edit, live, page, posts};
use crate::mentions;

/// Creates a page. If a tag of that name exists, it is updated instead: tag names are unique.
pub async fn create(scribe: &Scribe, new: &NewPage) -> Result<Made> {
    let mut new = new.clone();
    mentions::keep(&scribe.app, &scribe.viewer, &mut new.entry).await?;
    let new = &new;
    match scribe.live() {
        Some(campaign) => live::create(&campaign, scribe, new).await,
        None => {
            live::require_no_mirror(&scribe.app, &scribe.viewer).await?;
            edit::create(scribe, new).await
        }
    }
}

/// Adds mention edges after several pages were created one after another, each given with its
/// number and text: from these pages to later ones, and from older pages whose mentions led nowhere
/// until now. Failures are only logged, because the pages exist already.
pub async fn join_made(scribe: &Scribe, made: &[(i64, &str)]) {
    if let Err(error) = join_waiting(scribe, made).await {
        tracing::warn!(
            code = error.code().meaning().name,
            "a new page is not joined to what mentions it"
        );
    }
    let mut later: HashSet<i64> = made.iter().map(|(number, _)| *number).collect();
    for (number, text) in made {
        later.remove(number);
        if mentions_any(text, &later)
            && let Err(error) = rejoin(scribe, *number).await
        {
            tracing::warn!(
                code = error.code().meaning().name,
                "a new page is not joined to what it mentions"
            );
        }
    }
}

/// Adds edges from older pages that mention the new ones. Not needed in a mirror: Kanka assigns the
/// numbers there, so nobody can mention them in advance.
async fn join_waiting(scribe: &Scribe, made: &[(i64, &str)]) -> Result<()> {
    /// How many numbers are searched for at once; a query with more words would be cut.
    const AT_ONCE: usize = 32;
    /// The maximum number of texts examined.
    const MOST: usize = 200;
    if scribe.live().is_some() {
        return Ok(());
    }
    let (store, eyes) = (&scribe.app.store, scribe.all_seeing());
    // The author of a page may not see everything that mentions it.
    let own = Scribe { viewer: eyes, ..scribe.clone() };
    let numbers: HashSet<i64> = made.iter().map(|(number, _)| *number).collect();
    for some in made.chunks(AT_ONCE) {
        let words: Vec<String> = some.iter().map(|(number, _)| mention_word(*number)).collect();
        let question = Query { exhaustive: true, ..Query::new(words.join(" "), MOST) };
        let found = store.rank(&eyes, question).await?;
        let ids: HashSet<NodeId> = found.hits.iter().map(|hit| hit.key.node).collect();
        let mut nodes = store.nodes(&eyes, &ids.into_iter().collect::<Vec<_>>()).await?;
        nodes.retain(|node| PageKind::of(&node.kind).is_some() && !numbers.contains(&node.number));
        let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
        let mut texts = store.texts_of_nodes(&eyes, &ids).await?;
        texts.retain(|text| mentions_any(&text.body, &numbers));
        nodes.retain(|node| texts.iter().any(|text| text.node == node.id));
        for node in nodes {
            edit::relink(&own, node).await?;
        }
    }
    Ok(())
}

fn mentions_any(text: &str, numbers: &HashSet<i64>) -> bool {
    mention::find(text).iter().any(|found| match found.target {
        Target::Entity(number) => numbers.contains(&number),
        Target::Other | Target::New => false,
    })
}

async fn rejoin(scribe: &Scribe, number: i64) -> Result<()> {
    edit::relink(scribe, page::node(scribe, number).await?).await
}

/// Changes a page.
pub async fn update(scribe: &Scribe, number: i64, patch: &PagePatch) -> Result<()> {
    let patch = &unveiled(scribe, number, patch).await?;
    match scribe.live() {
        Some(campaign) => live::update(&campaign, scribe, number, patch).await,
        None => edit::update(scribe, number, patch).await,
    }
}

/// A patch in which the mentions that the veil showed the writer as plain words are restored, and
/// all mentions are in the form that the world stores.
async fn unveiled(scribe: &Scribe, number: i64, patch: &PagePatch) -> Result<PagePatch> {
    let mut patch = patch.clone();
    if let Some(sent) = patch.entry.as_mut().filter(|_| !scribe.viewer.sees_gm_side())
        // A missing page is reported later.
        && let Ok(page) = page::get(scribe, number, Detail::Entry).await
        && let Some(old) = page.entry
    {
        *sent = kept(scribe, &old, sent).await?;
    }
    mentions::keep(&scribe.app, &scribe.viewer, &mut patch.entry).await?;
    Ok(patch)
}

async fn kept(scribe: &Scribe, old: &Text, sent: &str) -> Result<String> {
    mentions::kept(scribe.app.store.as_ref(), &scribe.viewer, TextRef::Id(old.id), sent).await
}

/// Puts a page into the bin.
pub async fn delete(scribe: &Scribe, number: i64) -> Result<()> {
    match scribe.live() {
        Some(campaign) => live::delete(&campaign, scribe, number).await,
        None => edit::delete(scribe, number).await,
    }
}

/// Adds a post to a page and returns the number of the post.
pub async fn create_post(scribe: &Scribe, new: &NewPost) -> Result<i64> {
    let mut new = new.clone();
    mentions::keep(&scribe.app, &scribe.viewer, &mut new.entry).await?;
    let new = &new;
    match scribe.live() {
        Some(campaign) => live::create_post(&campaign, scribe, new).await,
        None => posts::create(scribe, new).await,
    }
}

/// Changes a post of a page.
pub async fn update_post(scribe: &Scribe, page: i64, post: i64, patch: &PostPatch) -> Result<()> {
    let patch = &unveiled_post(scribe, page, post, patch).await?;
    match scribe.live() {
        Some(campaign) => live::update_post(&campaign, scribe, page, post, patch).await,
        None => posts::update(scribe, page, post, patch).await,
    }
}

async fn unveiled_post(
    scribe: &Scribe,
    page: i64,
    post: i64,
    patch: &PostPatch,
) -> Result<PostPatch> {
    let mut patch = patch.clone();
    if let Some(sent) = patch.entry.as_mut().filter(|_| !scribe.viewer.sees_gm_side())
        && let Ok(page) = page::get(scribe, page, Detail::Posts).await
        && let Ok(old) = posts::find(&page, post)
    {
        *sent = kept(scribe, old, sent).await?;
    }
    mentions::keep(&scribe.app, &scribe.viewer, &mut patch.entry).await?;
    Ok(patch)
}

/// Puts a post into the bin.
pub async fn delete_post(scribe: &Scribe, page: i64, post: i64) -> Result<()> {
    match scribe.live() {
        Some(campaign) => live::delete_post(&campaign, scribe, page, post).await,
        None => posts::delete(scribe, page, post).await,
    }
}

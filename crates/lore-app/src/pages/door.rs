//! Where writing goes: to the campaign on Kanka that the world mirrors, or to the world.

use std::collections::HashSet;

use lore_core::Result;
use lore_markup::mention::{self, Mention, Target};

use super::edit::{Made, NewPage, PagePatch};
use super::posts::{NewPost, PostPatch};
use super::scribe::Scribe;
use super::{edit, live, page, posts};

/// Makes a page. A tag of that name is kept and changed instead: a name is one tag.
pub async fn create(scribe: &Scribe, new: &NewPage) -> Result<Made> {
    match scribe.live() {
        Some(campaign) => live::create(&campaign, scribe, new).await,
        None => edit::create(scribe, new).await,
    }
}

/// Joins pages that were made one after the other, each given with its number and text, to
/// those that they mention and that came after them. They are made whatever comes of it.
pub async fn join_made(scribe: &Scribe, made: &[(i64, &str)]) {
    let mut later: HashSet<i64> = made.iter().map(|(number, _)| *number).collect();
    for (number, text) in made {
        later.remove(number);
        let is_later = |found: &Mention<'_>| match found.target {
            Target::Entity(number) => later.contains(&number),
            Target::Other | Target::New => false,
        };
        if mention::find(text).iter().any(is_later)
            && let Err(error) = rejoin(scribe, *number).await
        {
            tracing::warn!(%error, "a new page is not joined to what it mentions");
        }
    }
}

async fn rejoin(scribe: &Scribe, number: i64) -> Result<()> {
    edit::relink(scribe, page::node(scribe, number).await?).await
}

/// Changes a page.
pub async fn update(scribe: &Scribe, number: i64, patch: &PagePatch) -> Result<()> {
    match scribe.live() {
        Some(campaign) => live::update(&campaign, scribe, number, patch).await,
        None => edit::update(scribe, number, patch).await,
    }
}

/// Puts a page into the bin.
pub async fn delete(scribe: &Scribe, number: i64) -> Result<()> {
    match scribe.live() {
        Some(campaign) => live::delete(&campaign, scribe, number).await,
        None => edit::delete(scribe, number).await,
    }
}

/// Attaches a post to a page; returns its number.
pub async fn create_post(scribe: &Scribe, new: &NewPost) -> Result<i64> {
    match scribe.live() {
        Some(campaign) => live::create_post(&campaign, scribe, new).await,
        None => posts::create(scribe, new).await,
    }
}

/// Changes a post of a page.
pub async fn update_post(scribe: &Scribe, page: i64, post: i64, patch: &PostPatch) -> Result<()> {
    match scribe.live() {
        Some(campaign) => live::update_post(&campaign, scribe, page, post, patch).await,
        None => posts::update(scribe, page, post, patch).await,
    }
}

/// Puts a post into the bin.
pub async fn delete_post(scribe: &Scribe, page: i64, post: i64) -> Result<()> {
    match scribe.live() {
        Some(campaign) => live::delete_post(&campaign, scribe, page, post).await,
        None => posts::delete(scribe, page, post).await,
    }
}

//! What is attached to a page.

use futures::FutureExt;
use lore_core::{Error, Result, Text, TextId, Visibility, names};
use lore_store::{Applied, Batch, Change, Expect, NewText, NodePatch, NodeRef, TextPatch, TextRef};

use super::edit::check_text;
use super::kinds::POST;
use super::links::{self, Source};
use super::page::{self, Detail, Page};
use super::scribe::Scribe;
use crate::play::word;

/// A post to make.
#[derive(Debug, Clone)]
pub struct NewPost {
    /// The page, by number.
    pub page: i64,
    /// Its title.
    pub name: String,
    /// Its text, Markdown.
    pub entry: String,
    /// Whether to hide it from other members.
    pub private: bool,
}

/// Changes to a post; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct PostPatch {
    /// New title.
    pub name: Option<String>,
    /// New text.
    pub entry: Option<String>,
    /// Hide it from other members, or show it.
    pub private: Option<bool>,
}

/// Attaches a post to a page; returns its id.
pub async fn create(scribe: &Scribe, new: &NewPost) -> Result<TextId> {
    let name = names::checked_name("name", &new.name)?;
    check_text(Some(&new.entry))?;
    let visibility = scribe.visibility(new.private);
    let plan = || {
        async {
            let page = page::get(scribe, new.page, Detail::Posts).await?;
            let uid = scribe.app.effects.uid();
            let node = NodeRef::Id(page.node.id);
            let last = page.posts.iter().map(|post| post.position).max().unwrap_or(0);
            let mut text = NewText::new(uid, node, word(POST)?, new.entry.clone());
            text.title.clone_from(&name);
            text.position = last + 1;
            text.visibility = visibility;
            let batch = scribe.batch().change(Change::CreateText(text));
            let fresh = Source { body: &new.entry, visibility };
            Ok((relinked(scribe, batch, &page, None, Some(fresh)).await?, ()))
        }
        .boxed()
    };
    let ((), committed) = scribe.carry_out(plan).await?;
    match committed.applied.first() {
        Some(Applied::Text { id, .. }) => Ok(*id),
        _ => Err(Error::Bug { what: "a new post without an id".into() }),
    }
}

/// Changes a post of a page.
pub async fn update(scribe: &Scribe, page: i64, post: TextId, patch: &PostPatch) -> Result<()> {
    let title = patch.name.as_deref().map(|name| names::checked_name("name", name)).transpose()?;
    check_text(patch.entry.as_deref())?;
    let visibility = patch.private.map(|private| scribe.visibility(private));
    let fields = TextPatch { title, body: patch.entry.clone(), visibility, ..TextPatch::default() };
    let plan = || {
        let fields = fields.clone();
        async move {
            let page = page::get(scribe, page, Detail::Posts).await?;
            let old = find(&page, post)?;
            let body = fields.body.clone().unwrap_or_else(|| old.body.clone());
            let visibility = fields.visibility.unwrap_or(old.visibility);
            let expect = Expect::Version(old.version);
            let change = Change::UpdateText(TextRef::Id(post), expect, fields);
            let batch = scribe.batch().change(change);
            let fresh = Source { body: &body, visibility };
            Ok((relinked(scribe, batch, &page, Some(post), Some(fresh)).await?, ()))
        }
        .boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

/// Puts a post into the bin.
pub async fn delete(scribe: &Scribe, page: i64, post: TextId) -> Result<()> {
    let plan = || {
        async move {
            let page = page::get(scribe, page, Detail::Posts).await?;
            let expect = Expect::Version(find(&page, post)?.version);
            let batch = scribe.batch().change(Change::DeleteText(TextRef::Id(post), expect));
            Ok((relinked(scribe, batch, &page, Some(post), None).await?, ()))
        }
        .boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

fn find(page: &Page, post: TextId) -> Result<&Text> {
    page.posts.iter().find(|text| text.id == post).ok_or_else(|| {
        Error::not_found(
            format!("post {post} of entity {}", page.node.number),
            "get_entities with include_posts lists the posts there are",
        )
    })
}

/// A change to a post is a change to its page: the page's moment of change moves, and
/// its links follow what all its texts say then.
async fn relinked(
    scribe: &Scribe,
    batch: Batch,
    page: &Page,
    replaced: Option<TextId>,
    fresh: Option<Source<'_>>,
) -> Result<Batch> {
    let target = NodeRef::Id(page.node.id);
    let expect = Expect::Version(page.node.version);
    let batch = batch.change(Change::UpdateNode(target, expect, NodePatch::default()));
    let posts = links::post_sources(scribe, &page.node).await?;
    let others = posts.iter().filter(|post| Some(post.id) != replaced);
    let mut sources: Vec<Source<'_>> = others.map(Source::from).collect();
    sources.extend(fresh);
    if let Some(entry) = &page.entry {
        sources.push(Source { body: &entry.body, visibility: Visibility::Members });
    }
    links::set_mentions(scribe, batch, target, Some(page.node.id), &sources).await
}

//! Posts: additional texts on a page.

use futures::FutureExt;
use lore_core::{Error, Result, Text, TextId, Visibility, names};
use lore_store::{Applied, Batch, Change, Expect, NewText, NodePatch, NodeRef, TextPatch, TextRef};

use super::edit::check_text;
use super::kinds::POST;
use super::links::{self, Source};
use super::page::{self, Detail, Page};
use super::scribe::Scribe;
use crate::access::may_change;
use crate::play::word;

/// A post to create.
#[derive(Debug, Clone)]
pub struct NewPost {
    /// The number of the page.
    pub page: i64,
    /// Its title.
    pub name: String,
    /// Its text, in Markdown.
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
    /// Whether to hide it from other members.
    pub private: Option<bool>,
}

impl NewPost {
    /// Checks title and text, and returns the normalised title.
    pub(super) fn checked_name(&self) -> Result<String> {
        check_text(Some(&self.entry))?;
        names::checked_name("name", &self.name)
    }
}

impl PostPatch {
    /// Checks title and text, and returns the normalised title, if there is one.
    pub(super) fn checked_name(&self) -> Result<Option<String>> {
        check_text(self.entry.as_deref())?;
        self.name.as_deref().map(|name| names::checked_name("name", name)).transpose()
    }
}

/// The prefix of the provenance source of a post that came from Kanka.
pub(super) const KANKA_POST: &str = "kanka:posts/";

/// The number of a post: Kanka's if it came from there, otherwise the row id of the text.
pub fn post_number(text: &Text) -> i64 {
    let source = text.provenance.source.as_deref();
    let kanka = source.and_then(|source| source.strip_prefix(KANKA_POST)?.parse().ok());
    kanka.unwrap_or(text.id.0)
}

/// Adds a post to a page and returns its number.
pub(super) async fn create(scribe: &Scribe, new: &NewPost) -> Result<i64> {
    let name = new.checked_name()?;
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
            let fresh = Fresh { body: Some(new.entry.clone()), visibility };
            Ok((relinked(scribe, batch, &page, None, Some(fresh)).await?, ()))
        }
        .boxed()
    };
    let ((), committed) = scribe.carry_out(plan).await?;
    match committed.applied.first() {
        Some(Applied::Text { id, .. }) => Ok(id.0),
        _ => Err(Error::Bug { what: "a new post without an id".into() }),
    }
}

/// Changes a post of a page.
pub(super) async fn update(scribe: &Scribe, page: i64, post: i64, patch: &PostPatch) -> Result<()> {
    let title = patch.checked_name()?;
    let visibility = patch.private.map(|private| scribe.visibility(private));
    let fields = TextPatch { title, body: patch.entry.clone(), visibility, ..TextPatch::default() };
    let plan = || {
        let fields = fields.clone();
        async move {
            let page = page::get(scribe, page, Detail::Posts).await?;
            let old = find(&page, post)?;
            may_change(&scribe.viewer, old.created.by, &old.title)?;
            let visibility = fields.visibility.unwrap_or(old.visibility);
            let expect = Expect::Version(old.version);
            let (id, body) = (old.id, fields.body.clone());
            let change = Change::UpdateText(TextRef::Id(id), expect, fields);
            let batch = scribe.batch().change(change);
            let fresh = Fresh { body, visibility };
            Ok((relinked(scribe, batch, &page, Some(id), Some(fresh)).await?, ()))
        }
        .boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

/// Puts a post into the bin.
pub(super) async fn delete(scribe: &Scribe, page: i64, post: i64) -> Result<()> {
    let plan = || {
        async move {
            let page = page::get(scribe, page, Detail::Posts).await?;
            let old = find(&page, post)?;
            may_change(&scribe.viewer, old.created.by, &old.title)?;
            let (id, expect) = (old.id, Expect::Version(old.version));
            let batch = scribe.batch().change(Change::DeleteText(TextRef::Id(id), expect));
            Ok((relinked(scribe, batch, &page, Some(id), None).await?, ()))
        }
        .boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

/// A post of a page, by its number.
pub(super) fn find(page: &Page, post: i64) -> Result<&Text> {
    page.posts.iter().find(|text| post_number(text) == post).ok_or_else(|| {
        Error::not_found(
            format!("post {post} of entity {}", page.node.number),
            "get_entities with include_posts lists the posts there are",
        )
    })
}

/// A post as it will be. Without a body, its text does not change.
struct Fresh {
    body: Option<String>,
    visibility: Visibility,
}

/// Touches the page, because its modification date moves with its posts, and recomputes its mention
/// edges from all texts.
async fn relinked(
    scribe: &Scribe,
    batch: Batch,
    page: &Page,
    replaced: Option<TextId>,
    fresh: Option<Fresh>,
) -> Result<Batch> {
    let target = NodeRef::Id(page.node.id);
    let expect = Expect::Version(page.node.version);
    let batch = batch.change(Change::UpdateNode(target, expect, NodePatch::default()));
    let (entry, posts) = links::whole_texts(scribe, &page.node).await?;
    let (old, others): (Vec<&Text>, Vec<&Text>) =
        posts.iter().partition(|post| Some(post.id) == replaced);
    let mut sources: Vec<Source<'_>> = others.into_iter().map(Source::from).collect();
    if let Some(Fresh { body, visibility }) = &fresh {
        let before = old.first().map_or("", |post| post.body.as_str());
        let body = body.as_deref().unwrap_or(before);
        sources.push(Source { body, visibility: *visibility });
    }
    sources.push(Source { body: &entry, visibility: Visibility::Members });
    links::set_mentions(scribe, batch, target, Some(page.node.id), &sources).await
}

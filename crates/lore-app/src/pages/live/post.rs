//! Writes the posts of a page from Kanka into the mirror.

use lore_core::{Result, Text};
use lore_store::{Batch, Bin, Change, Expect, NewText, NodeRef, TextPatch, TextRef};

use super::super::kinds::POST;
use super::super::page::Page;
use super::super::posts::{KANKA_POST, post_number};
use super::super::scribe::Scribe;
use super::put::uid_of;
use super::remote::RemotePost;
use crate::play::word;

/// Adds the changes that make the posts of a page match Kanka's.
pub(super) async fn set_posts(
    scribe: &Scribe,
    batch: Batch,
    page: &Page,
    wanted: &[RemotePost],
) -> Result<Batch> {
    let mut batch = batch;
    let target = NodeRef::Id(page.node.id);
    let found = |number: i64| page.posts.iter().find(|text| post_number(text) == number);
    let fresh = wanted.iter().filter(|post| found(post.number).is_none());
    if fresh.clone().next().is_some() {
        let store = &scribe.app.store;
        let bin = store.texts_of(&scribe.viewer, page.node.id, Bin::Deleted).await?;
        for post in fresh {
            batch = match bin.iter().find(|text| post_number(text) == post.number) {
                None => batch.change(Change::CreateText(new_post(scribe, target, post)?)),
                Some(text) => batch
                    .change(Change::RestoreText(TextRef::Id(text.id)))
                    .change(Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch(post))),
            };
        }
    }
    for text in &page.posts {
        batch = match wanted.iter().find(|post| post.number == post_number(text)) {
            None => batch.change(Change::DeleteText(TextRef::Id(text.id), Expect::Any)),
            Some(post) if is_same(text, post) => batch,
            Some(post) => {
                let expect = Expect::Version(text.version);
                batch.change(Change::UpdateText(TextRef::Id(text.id), expect, patch(post)))
            }
        };
    }
    Ok(batch)
}

impl From<&Text> for RemotePost {
    fn from(text: &Text) -> Self {
        Self {
            number: post_number(text),
            name: text.title.clone(),
            entry: text.body.clone(),
            visibility: text.visibility,
            position: text.position,
            updated_at: text.updated.at,
        }
    }
}

/// Whether a text equals a post of Kanka's, apart from the date.
pub(super) fn is_same(text: &Text, post: &RemotePost) -> bool {
    let RemotePost { updated_at, .. } = RemotePost::from(text);
    RemotePost::from(text) == RemotePost { updated_at, ..post.clone() }
}

/// The new text for a post of Kanka's that is not in the mirror yet.
pub(super) fn new_post(scribe: &Scribe, node: NodeRef, post: &RemotePost) -> Result<NewText> {
    let uid = uid_of(&scribe.viewer, &format!("post {}", post.number));
    let mut text = NewText::new(uid, node, word(POST)?, post.entry.clone());
    text.title.clone_from(&post.name);
    text.position = post.position;
    text.visibility = post.visibility;
    text.provenance.source = Some(format!("{KANKA_POST}{}", post.number));
    Ok(text)
}

fn patch(post: &RemotePost) -> TextPatch {
    TextPatch {
        title: Some(post.name.clone()),
        body: Some(post.entry.clone()),
        position: Some(post.position),
        visibility: Some(post.visibility),
        ..TextPatch::default()
    }
}

//! What a live campaign is asked for, in the terms of this program.
//!
//! Texts are Markdown here; whoever speaks with Kanka converts them.

use async_trait::async_trait;
use lore_core::{Properties, Result, Timestamp, Visibility};
use lore_markup::Frame;

use super::super::kinds::PageKind;

/// A campaign on Kanka, behind whatever carries requests to it.
#[async_trait]
pub trait Remote: Send + Sync {
    /// The configured host, for messages.
    fn host(&self) -> String;

    /// What changed after a moment, or everything: a page of the list of all entities.
    async fn heads(
        &self,
        pace: Pace,
        since: Option<Timestamp>,
        page: u32,
    ) -> Result<Listed<RemoteHead>>;

    /// A page of the list of a kind, with posts.
    async fn pages(&self, pace: Pace, kind: PageKind, page: u32) -> Result<Listed<RemotePage>>;

    /// A page of the list of tags whose names have a text in them.
    async fn tags_named(&self, name: &str, page: u32) -> Result<Listed<RemotePage>>;

    /// One entity, with posts.
    async fn page(&self, pace: Pace, number: i64) -> Result<RemotePage>;

    /// Makes an entity.
    async fn create(&self, kind: PageKind, draft: &RemotePatch) -> Result<RemotePage>;

    /// Changes an entity that looks like `base` there, and tells how it looks then.
    async fn update(&self, base: &RemotePage, patch: &RemotePatch) -> Result<RemotePage>;

    /// Deletes an entity. One that is gone already counts as deleted.
    async fn delete(&self, kind: PageKind, kind_number: i64) -> Result<()>;

    /// Attaches a post.
    async fn create_post(&self, page: i64, draft: &PostDraft) -> Result<RemotePost>;

    /// Changes a post.
    async fn update_post(&self, page: i64, post: i64, draft: &PostDraft) -> Result<RemotePost>;

    /// Deletes a post. One that is gone already counts as deleted.
    async fn delete_post(&self, page: i64, post: i64) -> Result<()>;
}

/// How pressing a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Somebody waits for it: it may use up what the service allows, but not wait long.
    Waiting,
    /// Nobody does: it leaves some room to others, and waits as long as it takes.
    Leisure,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    /// Its rows; rows that this program has no kind for are left out.
    pub rows: Vec<T>,
    /// Whether there are further pages.
    pub more: bool,
    /// How many rows there are on all pages.
    pub total: Option<usize>,
    /// How many rows a page has.
    pub per_page: usize,
    /// The moment the list shows, by the service's clock.
    pub at: Option<Timestamp>,
}

/// What a list of all entities tells of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteHead {
    /// Its number among all entities.
    pub number: i64,
    /// Its kind.
    pub kind: PageKind,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// An entity.
#[derive(Debug, Clone, PartialEq)]
pub struct RemotePage {
    /// Its number among all entities.
    pub number: i64,
    /// Its number within its kind.
    pub kind_number: i64,
    /// Its kind.
    pub kind: PageKind,
    /// Its name.
    pub name: String,
    /// What refines the kind.
    pub subtype: Option<String>,
    /// Its text.
    pub entry: String,
    /// Its tags, by their numbers within their kind.
    pub tags: Vec<i64>,
    /// Whether only admins see it.
    pub private: bool,
    /// The entity it is part of; absent where it was not told.
    pub parent: Option<Option<i64>>,
    /// Fields that only some kinds have.
    pub fields: Properties,
    /// What is attached to it; absent where it was not told.
    pub posts: Option<Vec<RemotePost>>,
    /// What its texts show in frames, which Markdown has no sign for.
    pub frames: Vec<Frame>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What is attached to an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePost {
    /// Its number.
    pub number: i64,
    /// Its title.
    pub name: String,
    /// Its text.
    pub entry: String,
    /// Who sees it.
    pub visibility: Visibility,
    /// Its place among the others.
    pub position: i64,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Fields to set; `None` leaves one alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemotePatch {
    /// The name.
    pub name: Option<String>,
    /// What refines the kind; empty clears it.
    pub subtype: Option<String>,
    /// The text.
    pub entry: Option<String>,
    /// All tags, by their numbers within their kind.
    pub tags: Option<Vec<i64>>,
    /// Whether only admins see it.
    pub private: Option<bool>,
    /// The entity it is part of; `Some(None)` makes it stand alone.
    pub parent: Option<Option<i64>>,
    /// Fields that only some kinds have; null clears one.
    pub fields: Properties,
}

/// Fields of a post to set; `None` leaves one alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostDraft {
    /// The title.
    pub name: Option<String>,
    /// The text.
    pub entry: Option<String>,
    /// Whether only admins see it.
    pub private: Option<bool>,
    /// What its text shows in frames, and shall as long as it links to that.
    pub frames: Vec<Frame>,
}

impl RemotePatch {
    /// How an entity looks after these changes.
    #[must_use]
    pub fn applied_to(&self, base: &RemotePage) -> RemotePage {
        let mut page = base.clone();
        if let Some(name) = &self.name {
            page.name.clone_from(name);
        }
        if let Some(subtype) = &self.subtype {
            page.subtype = Some(subtype.clone()).filter(|subtype| !subtype.is_empty());
        }
        if let Some(entry) = &self.entry {
            page.entry.clone_from(entry);
        }
        if let Some(tags) = &self.tags {
            page.tags.clone_from(tags);
        }
        page.private = self.private.unwrap_or(page.private);
        page.parent = self.parent.or(page.parent);
        page.fields = super::super::edit::merged(&page.fields, &self.fields);
        page
    }
}

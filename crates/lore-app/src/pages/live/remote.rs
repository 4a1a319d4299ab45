//! The interface to a live campaign, in this program's terms.
//!
//! Texts are Markdown here; implementations convert them from and to Kanka's HTML.

use async_trait::async_trait;
use lore_core::{Properties, Result, Timestamp, Visibility};
use lore_markup::Frame;

use super::super::kinds::PageKind;

/// A connection to a campaign on Kanka.
#[async_trait]
pub trait Remote: Send + Sync {
    /// The configured host, for messages.
    fn host(&self) -> String;

    /// One page of the list of all entities: all of them, or those changed after a moment.
    async fn heads(
        &self,
        pace: Pace,
        since: Option<Timestamp>,
        page: u32,
    ) -> Result<Listed<RemoteHead>>;

    /// One page of the list of a kind, with posts.
    async fn pages(&self, pace: Pace, kind: PageKind, page: u32) -> Result<Listed<RemotePage>>;

    /// One page of the list of tags whose names contain a text.
    async fn tags_named(&self, name: &str, page: u32) -> Result<Listed<RemotePage>>;

    /// One entity, with posts.
    async fn page(&self, pace: Pace, number: i64) -> Result<RemotePage>;

    /// Creates an entity.
    async fn create(&self, kind: PageKind, draft: &RemotePatch) -> Result<RemotePage>;

    /// Changes an entity whose current version is `base`, and returns the new version.
    async fn update(&self, base: &RemotePage, patch: &RemotePatch) -> Result<RemotePage>;

    /// Deletes an entity. Succeeds if it no longer exists.
    async fn delete(&self, kind: PageKind, kind_number: i64) -> Result<()>;

    /// Adds a post.
    async fn create_post(&self, page: i64, draft: &PostDraft) -> Result<RemotePost>;

    /// Changes a post.
    async fn update_post(&self, page: i64, post: i64, draft: &PostDraft) -> Result<RemotePost>;

    /// Deletes a post. Succeeds if it no longer exists.
    async fn delete_post(&self, page: i64, post: i64) -> Result<()>;
}

/// How urgent a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Somebody is waiting: the request may use up the rate limit, but must not wait long.
    Waiting,
    /// Nobody is waiting: the request leaves some of the rate limit to others and waits as long as
    /// it takes.
    Leisure,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    /// Its rows, without those of kinds that this program does not know.
    pub rows: Vec<T>,
    /// Whether there are further pages.
    pub more: bool,
    /// The number of rows on all pages.
    pub total: Option<usize>,
    /// The number of rows per page.
    pub per_page: usize,
    /// The moment that the list shows, by the service's clock.
    pub at: Option<Timestamp>,
}

/// What the list of all entities says about one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteHead {
    /// Its number among all entities.
    pub number: i64,
    /// Its kind.
    pub kind: PageKind,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// An entity on Kanka.
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
    /// Its subtype.
    pub subtype: Option<String>,
    /// Its text.
    pub entry: String,
    /// Its tags, by their numbers within the kind.
    pub tags: Vec<i64>,
    /// Whether only admins see it.
    pub private: bool,
    /// The number of its parent; `None` if not stated, `Some(None)` if it has none.
    pub parent: Option<Option<i64>>,
    /// Fields specific to the kind.
    pub fields: Properties,
    /// Its posts; `None` if not stated.
    pub posts: Option<Vec<RemotePost>>,
    /// The embedded frames in its texts, for which Markdown has no syntax.
    pub frames: Vec<Frame>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A post on an entity.
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
    /// Its position among the posts.
    pub position: i64,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Fields to set; `None` leaves one alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemotePatch {
    /// The name.
    pub name: Option<String>,
    /// The subtype; empty clears it.
    pub subtype: Option<String>,
    /// The text.
    pub entry: Option<String>,
    /// All tags, by their numbers within the kind.
    pub tags: Option<Vec<i64>>,
    /// Whether only admins see it.
    pub private: Option<bool>,
    /// The number of the parent; `Some(None)` removes it.
    pub parent: Option<Option<i64>>,
    /// Fields specific to the kind; null clears one.
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
    /// The embedded frames of the current text. They are kept as long as the new text links to
    /// their targets.
    pub frames: Vec<Frame>,
}

impl RemotePatch {
    /// The entity as it looks after these changes.
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

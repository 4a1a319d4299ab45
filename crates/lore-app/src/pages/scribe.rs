//! The context of a call about pages: who acts, with which tool, and how a planned batch is
//! committed.

use std::sync::Arc;

use futures::future::BoxFuture;
use lore_core::names::Word;
use lore_core::{Error, Node, Result, Role, Timestamp, Viewer, Visibility};
use lore_store::{Batch, Committed, Origin, StoreError};

use super::kinds::PageKind;
use super::live::Campaign;
use crate::access::all_seeing;
use crate::attempts::Attempts;
use crate::play::{SESSION, word};
use crate::{App, doors};

/// The context of one call about pages.
#[derive(Clone)]
pub struct Scribe {
    /// The application.
    pub app: Arc<App>,
    /// Who acts.
    pub viewer: Viewer,
    /// The tool that is called.
    pub tool: &'static str,
    /// The id of the request.
    pub request_id: String,
    /// How the caller sees tags.
    pub tags_are: TagsAre,
    /// The date of what is written, if it happened elsewhere at another time; now if absent.
    pub at: Option<Timestamp>,
}

/// How a caller sees tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagsAre {
    /// As words on pages.
    Labels,
    /// As pages of their own, which can be listed, read and changed.
    Pages,
}

/// How far a query reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Only pages.
    Pages,
    /// Nodes of other doors (toolsets) as well.
    World,
}

/// The node kinds that a query covers; an empty list does not restrict.
pub(super) struct Reach {
    /// Only these.
    pub(super) kinds: Vec<Word>,
    /// None of these.
    pub(super) except: Vec<Word>,
}

impl Scribe {
    pub(crate) fn batch(&self) -> Batch {
        let at = self.at.unwrap_or_else(|| self.app.effects.now());
        let batch = Batch::new(Origin::new(self.tool, self.request_id.clone()), at);
        if self.viewer.sees_gm_side() { batch } else { batch.with_lent_eyes() }
    }

    /// Plans and commits, and plans again after a conflict, up to a limited number of attempts.
    ///
    /// The plan reads as the viewer and so decides what may be changed. Its batch is committed with
    /// the game master's visibility, because tags and links of a page may be hidden from the person
    /// who changes it. Nothing hidden may get into the answer.
    pub(crate) async fn carry_out<'a, T, F>(&'a self, plan: F) -> Result<(T, Committed)>
    where
        F: Fn() -> BoxFuture<'a, Result<(Batch, T)>> + Send,
        T: Send,
    {
        self.viewer.require(Role::Player)?;
        let mut attempts = Attempts::new(&self.app);
        loop {
            attempts.next("the page").await?;
            let (batch, answer) = plan().await?;
            match self.app.commit(&self.all_seeing(), batch).await {
                Ok(committed) => return Ok((answer, committed)),
                Err(StoreError::Conflict(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// The Kanka campaign that the viewer's world mirrors, if any.
    pub fn live(&self) -> Option<Arc<Campaign>> {
        let campaign = self.app.kanka.get().filter(|known| known.world() == self.viewer.world);
        campaign.cloned()
    }

    /// Fails in the mirror of a Kanka campaign, where nothing may be written that Kanka does not
    /// get.
    pub(crate) fn require_local(&self, what: &str) -> Result<()> {
        match self.live() {
            None => Ok(()),
            Some(_) => Err(Error::Precondition {
                message: format!("{what} of a campaign on Kanka cannot be changed here"),
                hint: "change them on Kanka".into(),
            }),
        }
    }

    /// The moment up to which reads are complete: now, or what the mirror knows of Kanka.
    ///
    /// Kanka keeps dates in whole seconds. One second is subtracted, so that a later change within
    /// the same second still counts as later. Until the first copy is complete, it is the epoch, so
    /// everything counts as later.
    pub async fn as_of(&self) -> Result<Timestamp> {
        let Some(campaign) = self.live() else { return Ok(self.app.effects.now()) };
        let standing = campaign.standing(&self.app).await?;
        let Some(shown) = standing.as_of else { return Ok(Timestamp::UNIX_EPOCH) };
        Ok(Timestamp::from_second(shown.as_second().saturating_sub(1)).unwrap_or(shown))
    }

    /// The kind of a node, if it is a page to this caller.
    pub(super) fn kind_of(&self, node: &Node) -> Option<PageKind> {
        let kind = PageKind::of(&node.kind)?;
        (kind != PageKind::Tag || self.tags_are == TagsAre::Pages).then_some(kind)
    }

    /// The kind that a node is shown as to this caller: its own, or the nearest one for nodes of
    /// other doors.
    pub(super) fn shown_as(&self, node: &Node) -> Option<PageKind> {
        let kind = node.kind.as_str();
        self.kind_of(node).or_else(|| match self.breadth() {
            Breadth::World => doors::nearest_page(kind),
            Breadth::Pages => None,
        })
    }

    /// How far queries with words or a name reach for this caller. Callers to whom tags are pages
    /// use Kanka's own API, which knows only pages.
    pub(super) fn breadth(&self) -> Breadth {
        match self.tags_are {
            TagsAre::Labels => Breadth::World,
            TagsAre::Pages => Breadth::Pages,
        }
    }

    /// The node kinds that a query for some page kinds covers.
    pub(super) fn reach(&self, named: &[PageKind], breadth: Breadth) -> Result<Reach> {
        let wanted = |kind: PageKind| named.is_empty() || named.contains(&kind);
        let sessions = |shown: bool| (wanted(PageKind::Journal) == shown).then_some(SESSION);
        if breadth == Breadth::Pages || !wanted(PageKind::Note) {
            let mut kinds = self.words(named)?;
            let sessions = sessions(true).filter(|_| breadth == Breadth::World);
            kinds.extend(sessions.map(word).transpose()?);
            return Ok(Reach { kinds, except: Vec::new() });
        }
        let others = PageKind::ALL.into_iter().filter(|kind| !wanted(*kind));
        let except = doors::INNER.into_iter().chain(others.map(PageKind::as_str));
        let except = except.chain(sessions(false)).map(word).collect::<Result<_>>()?;
        Ok(Reach { kinds: Vec::new(), except })
    }

    /// The page kinds of a query: those named, or all that are pages to this caller.
    pub(super) fn kinds(&self, named: &[PageKind]) -> Vec<PageKind> {
        let tag = (self.tags_are == TagsAre::Pages).then_some(PageKind::Tag);
        match named {
            [] => PageKind::ALL.into_iter().chain(tag).collect(),
            some => some.to_vec(),
        }
    }

    /// The same, as words for the store.
    pub(super) fn words(&self, named: &[PageKind]) -> Result<Vec<Word>> {
        self.kinds(named).into_iter().map(PageKind::word).collect()
    }

    /// The viewer with the game master's visibility.
    pub(crate) fn all_seeing(&self) -> Viewer {
        all_seeing(&self.viewer)
    }

    /// The visibility for `is_private`. What the game master's side hides is hidden from players;
    /// what a player hides is visible to that player only.
    pub(crate) fn visibility(&self, private: bool) -> Visibility {
        match private {
            false => Visibility::Members,
            true if self.viewer.sees_gm_side() => Visibility::Gm,
            true => Visibility::Private(self.viewer.principal),
        }
    }
}

//! Who writes, for which call, and how a planned batch becomes a commit.

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

/// One call about pages.
#[derive(Clone)]
pub struct Scribe {
    /// The application.
    pub app: Arc<App>,
    /// Who looks.
    pub viewer: Viewer,
    /// The tool that is called.
    pub tool: &'static str,
    /// The request it serves.
    pub request_id: String,
    /// What tags are to the caller.
    pub tags_are: TagsAre,
    /// When what is written happened, where that is not now: somewhere else.
    pub at: Option<Timestamp>,
}

/// What tags are to a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagsAre {
    /// Words on pages.
    Labels,
    /// Pages themselves, to be listed, read and changed.
    Pages,
}

/// How far a question goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Pages alone.
    Pages,
    /// What came in by other doors, too.
    World,
}

/// The kinds of nodes that a question is about; an empty list does not restrict.
pub(super) struct Reach {
    /// One of these.
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

    /// Plans and commits until it holds, a bounded number of times.
    ///
    /// A plan reads as the viewer and so decides what may be changed. Its batch is
    /// committed with the GM side's eyes, because what hangs on a page (tags, links)
    /// may be hidden from who changes it. Nothing hidden gets into an answer.
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

    /// The campaign on Kanka that the viewer's world mirrors, if it does.
    pub fn live(&self) -> Option<Arc<Campaign>> {
        let campaign = self.app.kanka.get().filter(|known| known.world() == self.viewer.world);
        campaign.cloned()
    }

    /// Fails in the mirror of a campaign on Kanka, where nothing may be written that
    /// Kanka is not told of.
    pub(crate) fn require_local(&self, what: &str) -> Result<()> {
        match self.live() {
            None => Ok(()),
            Some(_) => Err(Error::Precondition {
                message: format!("{what} of a campaign on Kanka cannot be changed here"),
                hint: "change them on Kanka".into(),
            }),
        }
    }

    /// The moment that reading shows: now, or what the mirror shows of Kanka. Kanka keeps
    /// moments of change in whole seconds, so what happens later within the same second
    /// must still count as later; and until all is copied, everything does.
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

    /// What a node is shown as to this caller: the page it is, or the nearest kind of page
    /// where it came in by another door.
    pub(super) fn shown_as(&self, node: &Node) -> Option<PageKind> {
        let kind = node.kind.as_str();
        self.kind_of(node).or_else(|| match self.breadth() {
            Breadth::World => doors::nearest_page(kind),
            Breadth::Pages => None,
        })
    }

    /// How far questions of this caller go that say what is looked for. Where tags are pages,
    /// Kanka's own API is spoken, which knows nothing but pages.
    pub(super) fn breadth(&self) -> Breadth {
        match self.tags_are {
            TagsAre::Labels => Breadth::World,
            TagsAre::Pages => Breadth::Pages,
        }
    }

    /// The kinds of nodes that a question about some kinds of pages is about.
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

    /// The kinds a question is about: those it names, or all that are pages to this caller.
    pub(super) fn kinds(&self, named: &[PageKind]) -> Vec<PageKind> {
        let tag = (self.tags_are == TagsAre::Pages).then_some(PageKind::Tag);
        match named {
            [] => PageKind::ALL.into_iter().chain(tag).collect(),
            some => some.to_vec(),
        }
    }

    /// The same, as the store knows them.
    pub(super) fn words(&self, named: &[PageKind]) -> Result<Vec<Word>> {
        self.kinds(named).into_iter().map(PageKind::word).collect()
    }

    /// The caller, looking behind the screen.
    pub(crate) fn all_seeing(&self) -> Viewer {
        all_seeing(&self.viewer)
    }

    /// The visibility behind `is_private`. What the GM side hides, it hides from the
    /// players; what a player hides is theirs alone.
    pub(crate) fn visibility(&self, private: bool) -> Visibility {
        match private {
            false => Visibility::Members,
            true if self.viewer.sees_gm_side() => Visibility::Gm,
            true => Visibility::Private(self.viewer.principal),
        }
    }
}

//! How far the mirror is, as it is kept in the store.

use std::collections::BTreeMap;

use lore_core::{Error, NodeId, Result, Timestamp, Visibility};
use lore_store::{Change, Counters, Expect, NewNode, NewState, NodeKey, NodeRef, StoreError};
use serde::{Deserialize, Serialize};

use super::super::kinds::PageKind;
use super::super::scribe::Scribe;
use super::OWN_NUMBERS;
use super::heads::Census;
use super::put::uid_of;
use crate::play::word;

/// Node kind of what stands for the campaign itself.
pub(super) const ROOT: &str = "kanka_campaign";
/// The document that tells how far the mirror is.
const STATE: &str = "mirror";

/// How far the mirror is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Progress {
    /// The campaign's number.
    pub(super) campaign: i64,
    /// When the first copying began, by Kanka's clock.
    begun_at: Option<String>,
    /// What there was on Kanka then.
    there: Option<Census>,
    /// How many kinds are copied, and how many pages of the next one.
    pub(super) copied: (usize, u32),
    /// The mirror is whole as of this moment, by Kanka's clock.
    as_of: Option<String>,
    /// When that was found out, by our clock.
    looked_at: Option<String>,
    /// What was changed there and here, by number, in words.
    pub(super) conflicts: BTreeMap<i64, String>,
    /// How many entities there were on Kanka and here when both were last compared one
    /// by one. Some that Kanka counts cannot be read.
    pub(super) compared: Option<(usize, usize)>,
    /// Why the last look failed, if it did.
    pub(super) problem: Option<String>,
}

impl Progress {
    /// When the first copying began.
    pub(super) fn begun_at(&self) -> Option<Timestamp> {
        moment(self.begun_at.as_ref())
    }

    /// The moment the mirror shows, once it is whole.
    pub(super) fn as_of(&self) -> Option<Timestamp> {
        moment(self.as_of.as_ref())
    }

    /// When that was found out.
    pub(super) fn looked_at(&self) -> Option<Timestamp> {
        moment(self.looked_at.as_ref())
    }

    /// What there was on Kanka when the first copying began.
    pub(super) fn there(&self) -> Option<Census> {
        self.there
    }

    pub(super) fn begin(&mut self, at: Timestamp, there: Option<Census>) {
        self.begun_at = Some(at.to_string());
        self.there = there;
        self.copied = (0, 0);
    }

    /// Notes that the mirror is whole, and that the last look succeeded.
    pub(super) fn become_whole(&mut self, as_of: Timestamp, looked_at: Timestamp) {
        self.as_of = Some(as_of.to_string());
        self.looked_at = Some(looked_at.to_string());
        self.problem = None;
    }
}

/// The progress in the store: it is written only by whoever read it last, so that two
/// processes do not copy the same campaign at once.
pub(super) struct Kept {
    root: NodeId,
    version: i64,
    /// What is known.
    pub(super) progress: Progress,
}

impl Kept {
    /// Reads it; founds an empty mirror where there is none.
    pub(super) async fn read(scribe: &Scribe, campaign: i64) -> Result<Self> {
        let store = &scribe.app.store;
        let root = match Self::root(scribe).await? {
            Some(root) => root,
            None => found(scribe, campaign).await?,
        };
        let states = store.states(&scribe.viewer, &[root], &word(STATE)?).await?;
        let state = states.into_iter().next();
        let version = state.as_ref().map_or(0, |state| state.version);
        let progress = state.and_then(|state| serde_json::from_value(state.value).ok());
        let progress: Progress = progress.unwrap_or_default();
        if progress.campaign != 0 && progress.campaign != campaign {
            return Err(Error::Precondition {
                message: format!("this world mirrors the campaign {}", progress.campaign),
                hint: "give the other campaign another world with [kanka] world".into(),
            });
        }
        Ok(Self { root, version, progress: Progress { campaign, ..progress } })
    }

    /// What stands for the campaign, if the world mirrors one.
    pub(super) async fn root(scribe: &Scribe) -> Result<Option<NodeId>> {
        let key = NodeKey::Uid(uid_of(&scribe.viewer, ROOT));
        let root = scribe.app.store.node(&scribe.viewer, key).await?;
        Ok(root.map(|root| root.id))
    }

    /// Writes it, unless somebody else did meanwhile.
    pub(super) async fn write(&mut self, scribe: &Scribe) -> Result<()> {
        let value = serde_json::to_value(&self.progress)
            .map_err(|error| Error::Bug { what: format!("the mirror's progress: {error}") })?;
        let state = NewState {
            node: NodeRef::Id(self.root),
            name: word(STATE)?,
            expect: Expect::Version(self.version),
            value,
            visibility: Visibility::Gm,
        };
        let batch = scribe.batch().change(Change::PutState(state)).touch("kanka://context");
        match scribe.app.store.commit(&scribe.viewer, batch).await {
            Ok(_) => {
                self.version += 1;
                Ok(())
            }
            Err(StoreError::Conflict(_)) => {
                let what = "the mirror (another process is bringing it up to date)";
                Err(Error::Unavailable { what: what.into() })
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// What is made in this world besides the mirror gets numbers far from Kanka's.
async fn found(scribe: &Scribe, campaign: i64) -> Result<NodeId> {
    let kinds = PageKind::ALL.into_iter().chain([PageKind::Tag]);
    let kinds = kinds.map(PageKind::word).collect::<Result<Vec<_>>>()?;
    let uid = uid_of(&scribe.viewer, ROOT);
    let root = NewNode {
        derived_name: true,
        visibility: Visibility::Gm,
        ..NewNode::new(uid, word(ROOT)?, format!("Kanka campaign {campaign}"))
    };
    let batch = scribe
        .batch()
        .change(Change::SkipNumbers { counters: Counters::All(kinds), past: OWN_NUMBERS })
        .change(Change::CreateNode(root));
    scribe.app.store.commit(&scribe.viewer, batch).await?;
    let root = Kept::root(scribe).await?;
    root.ok_or_else(|| Error::Bug { what: "the mirror's node".into() })
}

fn moment(text: Option<&String>) -> Option<Timestamp> {
    text.and_then(|text| text.parse().ok())
}

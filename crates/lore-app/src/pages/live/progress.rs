//! The progress of the mirror, as stored in the world.

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

/// Node kind of the node that stands for the campaign.
pub(super) const ROOT: &str = "kanka_campaign";
/// The state document with the progress.
const STATE: &str = "mirror";

/// The progress of the mirror.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Progress {
    /// The campaign's number.
    pub(super) campaign: i64,
    /// When the first copy began, by Kanka's clock.
    begun_at: Option<String>,
    /// The census of Kanka's entities at that time.
    there: Option<Census>,
    /// How many kinds are copied, and how many pages of the next one.
    pub(super) copied: (usize, u32),
    /// The mirror is complete as of this moment, by Kanka's clock.
    as_of: Option<String>,
    /// When that was determined, by the local clock.
    looked_at: Option<String>,
    /// Entities changed both there and here, by number, with explanations.
    pub(super) conflicts: BTreeMap<i64, String>,
    /// The numbers of entities on Kanka and here when both were last compared one by one. They may
    /// differ, because some entities that Kanka counts cannot be read.
    pub(super) compared: Option<(usize, usize)>,
    /// Why the last synchronisation failed, if it did.
    pub(super) problem: Option<String>,
}

impl Progress {
    /// When the first copy began.
    pub(super) fn begun_at(&self) -> Option<Timestamp> {
        moment(self.begun_at.as_ref())
    }

    /// The moment that the mirror shows, once it is complete.
    pub(super) fn as_of(&self) -> Option<Timestamp> {
        moment(self.as_of.as_ref())
    }

    /// When that was determined.
    pub(super) fn looked_at(&self) -> Option<Timestamp> {
        moment(self.looked_at.as_ref())
    }

    /// The census of Kanka's entities when the first copy began.
    pub(super) fn there(&self) -> Option<Census> {
        self.there
    }

    pub(super) fn begin(&mut self, at: Timestamp, there: Option<Census>) {
        self.begun_at = Some(at.to_string());
        self.there = there;
        self.copied = (0, 0);
    }

    /// Records that the mirror is complete and that the last synchronisation succeeded.
    pub(super) fn become_whole(&mut self, as_of: Timestamp, looked_at: Timestamp) {
        self.as_of = Some(as_of.to_string());
        self.looked_at = Some(looked_at.to_string());
        self.problem = None;
    }
}

/// The stored progress. It is written with the version that was read, so that two processes do not
/// copy the same campaign at once.
pub(super) struct Kept {
    root: NodeId,
    version: i64,
    /// The progress.
    pub(super) progress: Progress,
}

impl Kept {
    /// Reads the progress, and creates an empty mirror if there is none.
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

    /// The node that stands for the campaign, if the world mirrors one.
    pub(super) async fn root(scribe: &Scribe) -> Result<Option<NodeId>> {
        let key = NodeKey::Uid(uid_of(&scribe.viewer, ROOT));
        let root = scribe.app.store.node(&scribe.viewer, key).await?;
        Ok(root.map(|root| root.id))
    }

    /// Stores the progress; fails if somebody else did so in the meantime.
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

/// Creates an empty mirror. Numbers of local things are moved far away from Kanka's.
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

//! Ensures that only one process at a time creates a tag of a given name.
//!
//! Kanka does not refuse a second tag of the same name. Within a process a lock suffices; processes
//! that share a store coordinate through a state document in it. The claim of a crashed process
//! expires.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::SignedDuration;
use lore_core::names::name_key;
use lore_core::{Error, NodeId, Result, Timestamp, Visibility};
use lore_store::{Change, Expect, NewState, NodeRef, StoreError};

use super::super::scribe::Scribe;
use super::progress::Kept;
use crate::play::word;

/// The state document with all claims.
const STATE: &str = "tagging";
/// The age at which a claim expires.
const LONGEST: SignedDuration = SignedDuration::from_secs(60);
/// How long to wait for another process, and how often to check.
const PATIENCE: SignedDuration = SignedDuration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(100);
/// How often writing the document is retried after conflicts.
const TRIES: usize = 32;

/// The exclusive right to create a tag of one name.
pub(super) struct Claim {
    root: NodeId,
    key: String,
}

impl Claim {
    /// Claims a name, waiting until nobody else holds it.
    pub(super) async fn take(scribe: &Scribe, name: &str) -> Result<Self> {
        let root = Kept::root(scribe).await?;
        let root = root.ok_or_else(|| Error::Bug { what: "the mirror's node".into() })?;
        let claim = Self { root, key: name_key(name) };
        let asked = scribe.app.effects.now();
        while !claim.write(scribe, Step::Take).await? {
            if scribe.app.effects.now().duration_since(asked) > PATIENCE {
                let what = format!("the tag {name:?} (another process is making it)");
                return Err(Error::Unavailable { what });
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(claim)
    }

    /// Releases the claim. If that fails, it expires.
    pub(super) async fn give_back(self, scribe: &Scribe) {
        if let Err(error) = self.write(scribe, Step::GiveBack).await {
            tracing::warn!(
                code = error.code().meaning().name,
                "the claim of a tag stays for a while"
            );
        }
    }

    /// Takes or releases the claim. Returns `false` if somebody else holds it.
    async fn write(&self, scribe: &Scribe, step: Step) -> Result<bool> {
        for _ in 0..TRIES {
            let (mut claims, version) = self.read(scribe).await?;
            let now = scribe.app.effects.now();
            match step {
                Step::Take if claims.contains_key(&self.key) => return Ok(false),
                Step::Take => drop(claims.insert(self.key.clone(), now.to_string())),
                Step::GiveBack => drop(claims.remove(&self.key)),
            }
            let state = NewState {
                node: NodeRef::Id(self.root),
                name: word(STATE)?,
                expect: Expect::Version(version),
                value: serde_json::json!(claims),
                visibility: Visibility::Gm,
            };
            let batch = scribe.batch().change(Change::PutState(state));
            match scribe.app.store.commit(&scribe.viewer, batch).await {
                Ok(_) => return Ok(true),
                Err(StoreError::Conflict(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Ok(false)
    }

    /// The claims that have not expired, and the version of the document.
    async fn read(&self, scribe: &Scribe) -> Result<(BTreeMap<String, String>, i64)> {
        let states = scribe.app.store.states(&scribe.viewer, &[self.root], &word(STATE)?).await?;
        let Some(state) = states.into_iter().next() else { return Ok((BTreeMap::new(), 0)) };
        let now = scribe.app.effects.now();
        let mut claims: BTreeMap<String, String> =
            serde_json::from_value(state.value).unwrap_or_default();
        claims.retain(|_, since| {
            let since: Option<Timestamp> = since.parse().ok();
            since.is_some_and(|since| now.duration_since(since).abs() < LONGEST)
        });
        Ok((claims, state.version))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Take,
    GiveBack,
}

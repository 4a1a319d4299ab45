//! Where a use case of memory works: who asks, for which call, and how a plan is committed.

use std::sync::Arc;

use futures::future::BoxFuture;
use lore_core::{Error, Node, NodeId, Role, Stamp, Timestamp, Viewer};
use lore_store::{Batch, NewNode, Origin, StoreError};

use super::refusal::{Refusal, Reply};
use crate::App;
use crate::attempts::Attempts;
use crate::mentions::{Followed, follow};

/// One call to memory.
#[derive(Clone)]
pub struct Keeper {
    /// The application.
    pub app: Arc<App>,
    /// Who asks.
    pub viewer: Viewer,
    /// The tool that is called.
    pub tool: &'static str,
    /// The request it serves.
    pub request_id: String,
    /// When it came, among others.
    pub arrived: i64,
    /// Nothing may be written, not even that something was read.
    pub reading_only: bool,
}

impl Keeper {
    /// Plans and commits until it holds, a bounded number of times.
    pub(super) async fn carry_out<'a, T: Send>(
        &'a self,
        plan: impl Fn() -> BoxFuture<'a, Reply<(Batch, T)>> + Send,
    ) -> Reply<T> {
        let mut attempts = Attempts::new(&self.app);
        loop {
            attempts.next("memory").await?;
            let (batch, answer) = plan().await?;
            let Followed { batch, eyes } = self.followed(batch).await?;
            match self.app.commit(&eyes, batch).await {
                Ok(_) => return Ok(answer),
                // What was found while planning changed or went: look again.
                Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// A batch with the edges that follow from its texts.
    pub(super) async fn followed(&self, batch: Batch) -> Reply<Followed> {
        Ok(follow(&self.app, &self.viewer, batch).await?)
    }

    /// An empty batch of this call.
    pub(super) fn batch(&self) -> Batch {
        Batch::new(Origin::new(self.tool, self.request_id.clone()), self.app.effects.now())
    }

    /// The present moment.
    pub(super) fn now(&self) -> Timestamp {
        self.app.effects.now()
    }

    /// Whether the caller may leave a trace at all.
    pub(super) fn may_write(&self) -> bool {
        !self.reading_only && self.viewer.role >= Role::Player
    }

    /// Fails for a caller who may only read.
    pub fn require_writing(&self) -> Reply<()> {
        if self.may_write() {
            return Ok(());
        }
        let (action, hint) = ("this changes something, and you may only read", "only look");
        let refused = Error::Forbidden { action: action.into(), hint: hint.into() };
        Err(Refusal::Failed(refused))
    }

    /// The node as it will be after its creation is committed, for the answer.
    pub(super) fn preview(&self, new: &NewNode, at: Timestamp) -> Node {
        let stamp = Stamp { at, by: self.viewer.principal };
        Node {
            id: NodeId(0),
            uid: new.uid,
            world: self.viewer.world,
            number: 0,
            kind_number: 0,
            kind: new.kind.clone(),
            namespace: new.namespace.clone(),
            name: new.name.clone(),
            derived_name: new.derived_name,
            subtype: new.subtype.clone(),
            aliases: new.aliases.clone(),
            tags: new.tags.clone(),
            visibility: new.visibility,
            properties: new.properties.clone(),
            version: 1,
            created: stamp,
            updated: stamp,
            deleted_at: None,
        }
    }
}

/// How many days lie between two moments; negative when the clock was set back.
pub(super) fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    const SECONDS_A_DAY: f64 = 86_400.0;
    (to.as_microsecond() - from.as_microsecond()) as f64 / 1e6 / SECONDS_A_DAY
}

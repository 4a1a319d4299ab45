//! The context of a call to memory: who calls, for which request, and how plans are committed.

use std::sync::Arc;

use futures::future::BoxFuture;
use lore_core::{Error, Role, Timestamp, Viewer};
use lore_store::{Batch, Origin, StoreError};

use super::refusal::{Refusal, Reply};
use crate::App;
use crate::attempts::Attempts;
use crate::mentions::{Followed, follow};

/// The context of one call.
#[derive(Clone)]
pub struct MemoryCall {
    /// The application.
    pub app: Arc<App>,
    /// The viewer the call acts as.
    pub viewer: Viewer,
    /// The name of the tool.
    pub tool: &'static str,
    /// The id of the request.
    pub request_id: String,
    /// The call's position in the order of arrival, from [`App::arrival`].
    pub arrived: i64,
    /// Whether nothing may be written, not even access counts.
    pub reading_only: bool,
}

impl MemoryCall {
    /// Plans and commits, and plans again if what the plan relies on changed in the meantime. The
    /// number of attempts is bounded.
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
                // Something the plan relies on was changed or removed. Plans again.
                Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// Adds the edges that follow from mentions in the batch's texts.
    pub(super) async fn followed(&self, batch: Batch) -> Reply<Followed> {
        Ok(follow(&self.app, &self.viewer, batch).await?)
    }

    /// Creates an empty batch for this call.
    pub(super) fn batch(&self) -> Batch {
        Batch::new(Origin::new(self.tool, self.request_id.clone()), self.app.effects.now())
    }

    /// Returns the current time.
    pub(super) fn now(&self) -> Timestamp {
        self.app.effects.now()
    }

    /// Whether the call may write at all.
    pub(super) fn may_write(&self) -> bool {
        !self.reading_only && self.viewer.role >= Role::Player
    }

    /// Fails if the caller may only read.
    pub fn require_writing(&self) -> Reply<()> {
        if self.may_write() {
            return Ok(());
        }
        let (action, hint) = ("this changes something, and you may only read", "only look");
        let refused = Error::Forbidden { action: action.into(), hint: hint.into() };
        Err(Refusal::Failed(refused))
    }
}

/// Returns the number of days between two times; negative if the clock was set back.
pub(super) fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    const SECONDS_A_DAY: f64 = 86_400.0;
    (to.as_microsecond() - from.as_microsecond()) as f64 / 1e6 / SECONDS_A_DAY
}

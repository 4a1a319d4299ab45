//! The context of a call to the knowledge toolset: who calls, and how changes are committed.

use std::sync::Arc;

use futures::future::BoxFuture;
use lore_core::{Node, Result, Role, Viewer, Visibility};
use lore_store::{Batch, Origin, StoreError};

use crate::App;
use crate::access::{self, Presence, may_change};
use crate::attempts::Attempts;

/// One call to the knowledge toolset.
#[derive(Clone)]
pub struct Librarian {
    /// The application.
    pub app: Arc<App>,
    /// The caller.
    pub viewer: Viewer,
    /// Whether the caller is at this machine or connected from elsewhere.
    pub presence: Presence,
    /// The name of the tool that is called.
    pub tool: &'static str,
    /// The id of the request.
    pub request_id: String,
}

impl Librarian {
    /// Plans and commits a batch. If the data changed between planning and committing, plans again,
    /// a limited number of times. An empty batch is not committed.
    pub(super) async fn carry_out<'a, T: Send>(
        &'a self,
        plan: impl Fn() -> BoxFuture<'a, Result<(Batch, T)>> + Send,
    ) -> Result<T> {
        self.carry_out_as(&self.viewer, plan).await
    }

    /// Like [`Self::carry_out`], for a plan made with [`Self::all_seeing`]: it may change what the
    /// caller does not see.
    pub(super) async fn carry_out_whole<'a, T: Send>(
        &'a self,
        plan: impl Fn() -> BoxFuture<'a, Result<(Batch, T)>> + Send,
    ) -> Result<T> {
        self.carry_out_as(&access::all_seeing(&self.viewer), plan).await
    }

    async fn carry_out_as<'a, T: Send>(
        &'a self,
        eyes: &Viewer,
        plan: impl Fn() -> BoxFuture<'a, Result<(Batch, T)>> + Send,
    ) -> Result<T> {
        self.viewer.require(Role::Player)?;
        let mut attempts = Attempts::new(&self.app);
        loop {
            attempts.next("knowledge").await?;
            let (batch, answer) = plan().await?;
            if batch.changes.is_empty() {
                return Ok(answer);
            }
            let batch = if *eyes == self.viewer { batch } else { batch.with_lent_eyes() };
            match self.app.commit(eyes, batch).await {
                Ok(_) => return Ok(answer),
                // What the plan was based on changed, disappeared or was created meanwhile: plan
                // again.
                Err(StoreError::Conflict(_) | StoreError::NotFound(_) | StoreError::Exists(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// Returns the same call with the game master's visibility, for plans that concern what the
    /// caller does not see. Nothing read this way may appear in an answer.
    pub(super) fn all_seeing(&self) -> Self {
        Self { viewer: access::all_seeing(&self.viewer), ..self.clone() }
    }

    /// Returns an empty batch for this call.
    pub(super) fn batch(&self) -> Batch {
        Batch::new(Origin::new(self.tool, self.request_id.clone()), self.app.effects.now())
    }

    /// Fails unless the caller may change the node.
    pub(super) fn may_change(&self, node: &Node) -> Result<()> {
        may_change(&self.viewer, node.created.by, &node.name)
    }

    /// Whether a node is visible to more people than what the caller adds, so that a name written
    /// on it would be disclosed to them.
    pub(super) fn would_tell(&self, node: &Node) -> bool {
        node.visibility == Visibility::Members && self.visibility() != Visibility::Members
    }

    /// Returns the visibility of what the caller adds. What the game master's side gathers could
    /// spoil the game for players, so only that side sees it. What a player gathers is private to
    /// the player.
    pub(super) fn visibility(&self) -> Visibility {
        if self.viewer.sees_gm_side() {
            Visibility::Gm
        } else {
            Visibility::Private(self.viewer.principal)
        }
    }
}

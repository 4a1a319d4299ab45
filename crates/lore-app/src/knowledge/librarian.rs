//! Where a use case of knowledge works: who asks, for which call, and how a plan is committed.

use std::sync::Arc;

use futures::future::BoxFuture;
use lore_core::{Node, Result, Role, Viewer, Visibility};
use lore_store::{Batch, Origin, StoreError};

use crate::App;
use crate::access::{Presence, may_change};
use crate::attempts::Attempts;

/// One call about knowledge.
#[derive(Clone)]
pub struct Librarian {
    /// The application.
    pub app: Arc<App>,
    /// Who asks.
    pub viewer: Viewer,
    /// Where they are.
    pub presence: Presence,
    /// The tool that is called.
    pub tool: &'static str,
    /// The request it serves.
    pub request_id: String,
}

impl Librarian {
    /// Plans and commits until it holds, a bounded number of times. A plan that changes
    /// nothing is not committed.
    pub(super) async fn carry_out<'a, T: Send>(
        &'a self,
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
            match self.app.commit(&self.viewer, batch).await {
                Ok(_) => return Ok(answer),
                // What was found while planning changed, went, or came: look again.
                Err(StoreError::Conflict(_) | StoreError::NotFound(_) | StoreError::Exists(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// An empty batch of this call.
    pub(super) fn batch(&self) -> Batch {
        Batch::new(Origin::new(self.tool, self.request_id.clone()), self.app.effects.now())
    }

    /// Fails unless the caller may change a node.
    pub(super) fn may_change(&self, node: &Node) -> Result<()> {
        may_change(&self.viewer, node.created.by, &node.name)
    }

    /// Whether more people see a node than what comes in here, so that a name written on it
    /// would be told to them.
    pub(super) fn would_tell(&self, node: &Node) -> bool {
        node.visibility == Visibility::Members && self.visibility() != Visibility::Members
    }

    /// Who sees what comes in here. What the game master's side gathers may spoil the
    /// players' evening, and what a player gathers is theirs.
    pub(super) fn visibility(&self) -> Visibility {
        if self.viewer.sees_gm_side() {
            Visibility::Gm
        } else {
            Visibility::Private(self.viewer.principal)
        }
    }
}

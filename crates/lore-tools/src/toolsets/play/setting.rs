//! Creates a call from a call, and resolves arguments that default to the context.

use std::sync::Arc;

use lore_app::play::call::PlayCall;
use lore_app::play::context::Context;
use lore_app::play::ids::Thing;
use lore_app::play::log;
use lore_core::{Error, PrincipalId, Result, Uid, WorldId};

use crate::call::Call;

/// A call, and the context of the conversation.
pub(super) struct Setting {
    pub(super) call: PlayCall,
    pub(super) context: Option<Context>,
}

impl Setting {
    /// Creates the setting of a call. `context_id` selects the context of a client without
    /// sessions; by default, it is that of the conversation.
    pub(super) fn of(
        call: &Call,
        tool: &'static str,
        context_id: Option<&str>,
        idempotency_key: Option<String>,
    ) -> Result<Self> {
        let context = context_of(call, context_id)?;
        let participant = context.and_then(|context| context.participant);
        let mut asked = call.asked.clone();
        if let Some(uid) = participant {
            asked.take_in("participant", uid);
        }
        let call = PlayCall {
            app: Arc::clone(&call.app),
            viewer: call.viewer,
            tool,
            request_id: call.request_id().to_owned(),
            invocation_id: call.invocation_id().to_owned(),
            participant,
            idempotency_key,
            asked,
        };
        Ok(Self { call, context })
    }

    /// Returns the campaign that an argument names; by default, that of the context.
    pub(super) async fn campaign(&mut self, given: Option<&str>) -> Result<Uid> {
        match (given, self.context) {
            (Some(id), _) => Thing::Campaign.find(&self.call, "campaign_id", id).await,
            (None, Some(context)) => Ok(self.fallen_back("campaign", context.campaign)),
            (None, None) => Err(missing("campaign_id")),
        }
    }

    /// Returns the session that an argument names; by default, that of the context.
    pub(super) async fn session(&mut self, given: Option<&str>) -> Result<Uid> {
        match (given, self.context.and_then(|context| context.session)) {
            (Some(id), _) => Thing::Session.find(&self.call, "session_id", id).await,
            (None, Some(session)) => Ok(self.fallen_back("session", session)),
            (None, None) => Err(missing("session_id")),
        }
    }

    /// Does some work in a session. A refusal is recorded in the session's log.
    pub(super) async fn recorded<T>(
        &self,
        session: Uid,
        work: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        let done = work.await;
        if let Err(error) = &done {
            log::reject(&self.call, session, error).await;
        }
        done
    }

    /// Makes a value from the context part of the request's digest, so that a repetition in another
    /// context is not taken for the same request.
    fn fallen_back(&mut self, what: &str, uid: Uid) -> Uid {
        self.call.asked.take_in(what, uid);
        uid
    }
}

/// The owner of the contexts that a call can use.
pub(super) fn owner(call: &Call) -> (PrincipalId, WorldId) {
    (call.viewer.principal, call.viewer.world)
}

/// Returns the context of a call, if there is one.
pub(super) fn context_of(call: &Call, context_id: Option<&str>) -> Result<Option<Context>> {
    if let Some(handle) = context_id {
        let found = call.app.contexts.get(handle.trim(), owner(call));
        return found.map(Some).ok_or_else(|| {
            Error::not_found(
                format!("context {handle}"),
                "contexts end with the server: call set_context again and use its context_id",
            )
        });
    }
    let handle = call.conversation.context();
    Ok(handle.and_then(|handle| call.app.contexts.get(&handle, owner(call))))
}

fn missing(field: &str) -> Error {
    Error::invalid(field, "is required", "give it, or set it once with set_context")
}

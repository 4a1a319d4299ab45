//! rmcp's session manager, with session ids of our own and unambiguous event ids.
//!
//! rmcp greets a stream with event id 0, also numbers its events from 0, and treats the id that a
//! reconnecting client sends as the next event to deliver. This module therefore adds one to every
//! event id: 0 means "nothing received yet", and a client that names the last event it received
//! continues after it.

use futures::{Stream, StreamExt};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, create_local_session,
};
use rmcp::transport::streamable_http_server::session::{
    RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
};
use rmcp::transport::worker::WorkerTransport;

/// The open sessions and their streams.
pub(super) struct Streams {
    /// rmcp's session manager, which does the work.
    pub(super) local: LocalSessionManager,
    /// Generates the id of the next session.
    pub(super) next_id: Box<dyn Fn() -> String + Send + Sync>,
}

impl SessionManager for Streams {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let id = SessionId::from((self.next_id)());
        let config = self.local.session_config.clone();
        let (handle, worker) = create_local_session(id.clone(), config);
        self.local.sessions.write().await.insert(id.clone(), handle);
        Ok((id, WorkerTransport::spawn(worker)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.local.create_stream(id, message).await?.map(numbered))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.local.create_standalone_stream(id).await?.map(numbered))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        if is_of_the_session(&last_event_id) {
            self.end_stream_before(id).await?;
        }
        Ok(self.local.resume(id, last_event_id).await?.map(numbered))
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        self.local.restore_session(id).await
    }
}

impl Streams {
    /// Closes the session's previous stream.
    ///
    /// A reconnecting client has lost that stream even if the server has not noticed yet. If it
    /// stayed open, it would receive the events that the client is waiting for.
    async fn end_stream_before(&self, id: &SessionId) -> Result<(), LocalSessionManagerError> {
        let handle = self.local.sessions.read().await.get(id).cloned();
        if let Some(handle) = handle {
            handle.close_standalone_sse_stream(None).await?;
        }
        Ok(())
    }
}

/// Whether an event id belongs to the session's own stream. The greeting's id 0 does not count,
/// because the stream of `initialize` begins with the same id.
fn is_of_the_session(last_event_id: &str) -> bool {
    last_event_id.parse::<u64>().is_ok_and(|index| index > 0)
}

fn numbered(mut event: ServerSseMessage) -> ServerSseMessage {
    event.event_id = event.event_id.map(|id| after(&id));
    event
}

/// Returns the event id increased by one. `7` is an event of the session's stream; `2/7` is event 2
/// of the stream that answers request 7.
fn after(id: &str) -> String {
    let (index, request) = id.split_once('/').map_or((id, None), |(at, of)| (at, Some(of)));
    match (index.parse::<u64>().map(|index| index.saturating_add(1)), request) {
        (Ok(next), Some(request)) => format!("{next}/{request}"),
        (Ok(next), None) => next.to_string(),
        (Err(_), _) => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_event_is_not_called_like_the_greeting() {
        assert_eq!(after("0"), "1");
        assert_eq!(after("41"), "42");
    }

    #[test]
    fn only_who_heard_something_of_the_session_takes_its_stream_over() {
        assert!(is_of_the_session("1"));
        assert!(["0", "1/7", "", "x"].into_iter().all(|id| !is_of_the_session(id)));
    }

    #[test]
    fn events_of_a_request_stay_with_it() {
        assert_eq!(after("0/7"), "1/7");
        assert_eq!(after("9/12"), "10/12");
    }
}

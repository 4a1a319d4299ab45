//! Fixture tools that send notifications before they answer: log messages, progress, and changed
//! lists.

#![expect(deprecated, reason = "older revisions still log this way")]

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam};
use rmcp::service::{ServiceError, SubscriptionSink};
use serde_json::json;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::tools::{Call, Fixture, Outcome, text};
use crate::rpc::STATELESS_SINCE;

/// Returns the fixture tools of this file.
pub(super) fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture::new("test_tool_with_logging", "Logs thrice while it works", |call| {
            Box::pin(log_thrice(call))
        }),
        Fixture::new("test_logging_tool", "Logs when the request asks for it", |call| {
            Box::pin(log_thrice(call))
        }),
        Fixture::new("test_tool_with_progress", "Reports progress thrice", |call| {
            Box::pin(progress(call))
        }),
        Fixture::new("test_reconnection", "Takes a while, to be read from a stream", |_| {
            Box::pin(async {
                tokio::time::sleep(PAUSE).await;
                Ok(text("Reconnection test completed"))
            })
        }),
        Fixture::new("test_trigger_tool_change", "Announces a new list of tools", |_| {
            Box::pin(announce(Change::Tools))
        }),
        Fixture::new("test_trigger_prompt_change", "Announces a new list of prompts", |_| {
            Box::pin(announce(Change::Prompts))
        }),
    ]
}

/// Receivers that were opened before their subscription was acknowledged, oldest first.
///
/// They must exist that early because a client may trigger a change as soon as it reads the
/// acknowledgement.
#[derive(Clone, Default)]
pub(super) struct Listening(Arc<Mutex<VecDeque<broadcast::Receiver<Change>>>>);

impl Listening {
    /// Opens a receiver that collects changes from now on.
    pub(super) fn start(&self) {
        self.0.lock().push_back(CHANGES.subscribe());
    }

    /// Takes the oldest open receiver, or a new one if there is none.
    pub(super) fn take(&self) -> broadcast::Receiver<Change> {
        self.0.lock().pop_front().unwrap_or_else(|| CHANGES.subscribe())
    }
}

/// Forwards changes to a subscriber until the sender or the subscriber is gone.
pub(super) async fn relay(mut changes: broadcast::Receiver<Change>, sink: SubscriptionSink) {
    loop {
        let wanted = sink.accepted();
        let sent = match changes.recv().await {
            Ok(Change::Tools) if wanted.tools_list_changed == Some(true) => {
                sink.notify_tool_list_changed().await
            }
            Ok(Change::Prompts) if wanted.prompts_list_changed == Some(true) => {
                sink.notify_prompt_list_changed().await
            }
            Ok(_) | Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        if sent.is_err() {
            return;
        }
    }
}

/// A list that a fixture tool reports as changed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Tools,
    Prompts,
}

/// Pause between two messages, so that they arrive separately.
const PAUSE: Duration = Duration::from_millis(50);

/// One channel for the process, because the tool that triggers a change and its subscribers are on
/// different connections.
static CHANGES: LazyLock<broadcast::Sender<Change>> = LazyLock::new(|| broadcast::channel(16).0);

async fn announce(change: Change) -> Outcome {
    // Sending fails only when nobody listens, which is fine.
    let listeners = CHANGES.send(change).unwrap_or(0);
    Ok(text(format!("announced to {listeners} listeners")))
}

async fn log_thrice(call: Call) -> Outcome {
    for (step, message) in
        ["Tool execution started", "Tool processing data", "Tool execution completed"]
            .into_iter()
            .enumerate()
    {
        if step > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        if wants_log(&call) {
            let entry = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
            call.context.peer.notify_logging_message(entry).await.map_err(lost)?;
        }
    }
    Ok(text("logged"))
}

/// Whether the client wants log messages for this call.
///
/// Stateless requests must name a log level to get any; older revisions always get them.
fn wants_log(call: &Call) -> bool {
    let version = call.context.protocol_version();
    if version.is_some_and(|version| version.as_str() < STATELESS_SINCE) {
        return true;
    }
    matches!(call.context.meta.log_level(), Some(LoggingLevel::Debug | LoggingLevel::Info))
}

async fn progress(call: Call) -> Outcome {
    let token = call.context.meta.get_progress_token();
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = token.clone() {
            let report = ProgressNotificationParam::new(token, done).with_total(100.0);
            call.context.peer.notify_progress(report).await.map_err(lost)?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(text("done"))
}

fn lost(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

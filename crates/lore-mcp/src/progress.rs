//! Sends the progress of a tool call as notifications.

use std::sync::Arc;
use std::time::Duration;

use lore_tools::{Progress, ProgressSink};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The most reports waiting to be sent. Further ones are dropped, so that the tool never waits.
const WAITING_MAX: usize = 64;
/// How long an answer waits for the last reports to be sent.
const DRAIN: Duration = Duration::from_secs(1);

/// Sends the progress reports of one call to the client, in order.
pub(crate) struct ProgressPump {
    sending: Option<JoinHandle<()>>,
}

impl ProgressPump {
    /// Starts a pump. Without a progress token, the pump does nothing.
    pub(crate) fn start(peer: &Peer<RoleServer>, token: Option<ProgressToken>) -> (Self, Progress) {
        let Some(token) = token else { return (Self { sending: None }, Progress::default()) };
        let (sender, mut reports) = mpsc::channel::<ProgressNotificationParam>(WAITING_MAX);
        let peer = peer.clone();
        let sending = tokio::spawn(async move {
            while let Some(report) = reports.recv().await {
                if peer.notify_progress(report).await.is_err() {
                    break;
                }
            }
        });
        (Self { sending: Some(sending) }, Progress::to(Arc::new(Sink { sender, token })))
    }

    /// Waits until the last reports are sent, so that they arrive before the answer.
    pub(crate) async fn finish(self) {
        if let Some(sending) = self.sending {
            let _ = tokio::time::timeout(DRAIN, sending).await;
        }
    }
}

struct Sink {
    sender: mpsc::Sender<ProgressNotificationParam>,
    token: ProgressToken,
}

impl ProgressSink for Sink {
    fn report(&self, done: f64, total: Option<f64>, message: &str) {
        let mut report = ProgressNotificationParam::new(self.token.clone(), done);
        report.total = total;
        report.message = (!message.is_empty()).then(|| message.to_owned());
        // A full queue means that the client reads slowly; a later report supersedes this one.
        let _ = self.sender.try_send(report);
    }
}

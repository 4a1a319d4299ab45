//! The context of a call: everything a handler gets besides its arguments.

use std::sync::{Arc, OnceLock};

use lore_app::App;
use lore_app::access::Presence;
use lore_app::play::call::Asked;
use lore_core::{Error, Result, Viewer};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// One call of a tool, resource or prompt, whichever surface it came through.
#[derive(Clone)]
pub struct Call {
    /// The application.
    pub app: Arc<App>,
    /// Who calls, and in which world.
    pub viewer: Viewer,
    /// Whether the caller is at the machine or possibly elsewhere.
    pub presence: Presence,
    /// Where to report progress.
    pub progress: Progress,
    /// Cancelled when the caller no longer wants the answer.
    pub cancel: CancellationToken,
    /// The conversation this call belongs to.
    pub conversation: Arc<Conversation>,
    /// The arrival mark, which orders calls; see [`App::arrival`].
    pub arrived: i64,
    /// Whether nothing may be written on behalf of this call, not even that something was read.
    pub reading_only: bool,
    /// The digest of the arguments, without `idempotency_key` and `context_id`. Empty if the call
    /// has no idempotency key.
    pub(crate) asked: Asked,
    request_id: Arc<OnceLock<String>>,
    invocation_id: Arc<OnceLock<String>>,
}

impl Call {
    /// Creates a call by `viewer` with the least presence ([`Presence::Anywhere`]), which nobody
    /// watches or cancels.
    pub fn new(app: Arc<App>, viewer: Viewer) -> Self {
        Self {
            arrived: app.arrival(),
            app,
            viewer,
            presence: Presence::Anywhere,
            progress: Progress::default(),
            cancel: CancellationToken::new(),
            conversation: Arc::default(),
            reading_only: false,
            asked: Asked::default(),
            request_id: Arc::default(),
            invocation_id: Arc::default(),
        }
    }

    /// Returns the id of the request in the audit log.
    pub fn request_id(&self) -> &str {
        self.request_id.get_or_init(|| self.app.effects.uid().to_string())
    }

    /// Returns the id of this invocation, which the event log records beside the request id.
    pub fn invocation_id(&self) -> &str {
        self.invocation_id.get_or_init(|| self.app.effects.uid().to_string())
    }

    /// Logs an error that is not the caller's doing under the request's id, and gives the id to
    /// somebody who reports the error.
    pub(crate) fn traced(&self, error: Error) -> Error {
        if !matches!(error, Error::Bug { .. } | Error::Corrupt { .. }) {
            return error;
        }
        let (code, request_id) = (error.code().meaning().name, self.request_id());
        tracing::error!(code, request_id, "a request failed");
        match error {
            Error::Bug { what } => Error::Bug { what: format!("{what} (request {request_id})") },
            other => other,
        }
    }

    /// Fails if the caller has cancelled the call. Long-running work checks this between steps.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// State that belongs to a conversation (a protocol session, or one stdio process) rather than to a
/// single call.
#[derive(Default)]
pub struct Conversation {
    context: Mutex<Option<String>>,
    touched: Mutex<Vec<String>>,
}

impl Conversation {
    /// Returns the handle of the context that was set in this conversation.
    pub fn context(&self) -> Option<String> {
        self.context.lock().clone()
    }

    /// Sets the context and records that the resource `uri`, which shows it, has changed.
    pub fn set_context(&self, handle: String, uri: &str) {
        *self.context.lock() = Some(handle);
        self.touched.lock().push(uri.to_owned());
    }

    /// Returns the URIs of this conversation's resources that changed since the last call of this
    /// function, and clears the list.
    pub fn take_touched(&self) -> Vec<String> {
        std::mem::take(&mut *self.touched.lock())
    }
}

/// Receives progress reports. The default discards them.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Watched>>);

struct Watched {
    sink: Arc<dyn ProgressSink>,
    /// The last value reported: the protocol requires every report to be greater than the one
    /// before.
    last: Mutex<Option<f64>>,
}

impl Progress {
    /// Returns a handle that reports to `sink`.
    pub fn to(sink: Arc<dyn ProgressSink>) -> Self {
        Self(Some(Arc::new(Watched { sink, last: Mutex::default() })))
    }

    /// Reports how far the work is. A value that is not greater than the last one is dropped. Never
    /// blocks the work.
    pub fn report(&self, done: f64, total: Option<f64>, message: &str) {
        let Some(watched) = &self.0 else { return };
        let mut last = watched.last.lock();
        if last.is_none_or(|last| done > last) {
            *last = Some(done);
            watched.sink.report(done, total, message);
        }
    }
}

/// A surface that can show progress.
pub trait ProgressSink: Send + Sync {
    /// Shows the progress; must return at once.
    fn report(&self, done: f64, total: Option<f64>, message: &str);
}

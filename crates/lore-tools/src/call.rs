//! What a handler gets besides its arguments.

use std::sync::{Arc, OnceLock};

use lore_app::App;
use lore_app::access::Presence;
use lore_app::play::desk::Asked;
use lore_core::{Error, Result, Viewer};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// One call of a tool, resource or prompt, whatever surface it came through.
#[derive(Clone)]
pub struct Call {
    /// The application.
    pub app: Arc<App>,
    /// Who calls, in which world.
    pub viewer: Viewer,
    /// Where they are.
    pub presence: Presence,
    /// Where to report how far the work is.
    pub progress: Progress,
    /// Fires when the caller no longer wants the answer.
    pub cancel: CancellationToken,
    /// The conversation this call belongs to.
    pub conversation: Arc<Conversation>,
    /// When it came, among others: see [`App::arrival`].
    pub arrived: i64,
    /// Nothing may be written on behalf of this call, not even that something was read.
    pub reading_only: bool,
    /// The arguments as they were given with an idempotency key, but for the key.
    pub(crate) asked: Asked,
    request_id: Arc<OnceLock<String>>,
    invocation_id: Arc<OnceLock<String>>,
}

impl Call {
    /// A call by `viewer`, who could be anywhere, that nobody watches or cancels.
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

    /// The id under which this call appears in the audit log.
    pub fn request_id(&self) -> &str {
        self.request_id.get_or_init(|| self.app.effects.uid().to_string())
    }

    /// The id of this one invocation; a retried request has another.
    pub fn invocation_id(&self) -> &str {
        self.invocation_id.get_or_init(|| self.app.effects.uid().to_string())
    }

    /// Fails when the caller has cancelled. Long work asks this between steps.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// What belongs to one conversation (a session of the protocol, or one process on
/// stdio), not to one call.
#[derive(Default)]
pub struct Conversation {
    context: Mutex<Option<String>>,
    touched: Mutex<Vec<String>>,
}

impl Conversation {
    /// The handle of the context that was set in this conversation.
    pub fn context(&self) -> Option<String> {
        self.context.lock().clone()
    }

    /// Sets the context, and notes that what shows it has changed.
    pub fn set_context(&self, handle: String, uri: &str) {
        *self.context.lock() = Some(handle);
        self.touched.lock().push(uri.to_owned());
    }

    /// Takes the resources of this conversation that changed since the last time.
    pub fn take_touched(&self) -> Vec<String> {
        std::mem::take(&mut *self.touched.lock())
    }
}

/// Where progress goes. By default nowhere.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Watched>>);

struct Watched {
    sink: Arc<dyn ProgressSink>,
    /// What was reported last: the protocol wants every report to be further than the one before.
    last: Mutex<Option<f64>>,
}

impl Progress {
    /// Reports to `sink`.
    pub fn to(sink: Arc<dyn ProgressSink>) -> Self {
        Self(Some(Arc::new(Watched { sink, last: Mutex::default() })))
    }

    /// Says how far the work is; what is no further than the last time is not said again.
    /// Never blocks the work.
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
    /// Shows how far the work is; must return at once.
    fn report(&self, done: f64, total: Option<f64>, message: &str);
}

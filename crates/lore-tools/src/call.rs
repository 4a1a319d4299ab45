//! What a handler gets besides its arguments.

use std::sync::{Arc, OnceLock};

use lore_app::App;
use lore_core::{Error, Result, Viewer};
use tokio_util::sync::CancellationToken;

/// One call of a tool, resource or prompt, whatever surface it came through.
#[derive(Clone)]
pub struct Call {
    /// The application.
    pub app: Arc<App>,
    /// Who calls, in which world.
    pub viewer: Viewer,
    /// Where to report how far the work is.
    pub progress: Progress,
    /// Fires when the caller no longer wants the answer.
    pub cancel: CancellationToken,
    request_id: Arc<OnceLock<String>>,
}

impl Call {
    /// A call by `viewer` that nobody watches or cancels.
    pub fn new(app: Arc<App>, viewer: Viewer) -> Self {
        Self {
            app,
            viewer,
            progress: Progress::default(),
            cancel: CancellationToken::new(),
            request_id: Arc::default(),
        }
    }

    /// The id under which this call appears in the audit log.
    pub fn request_id(&self) -> &str {
        self.request_id.get_or_init(|| self.app.effects.uid().to_string())
    }

    /// Fails when the caller has cancelled. Long work asks this between steps.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Where progress goes. By default nowhere.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn ProgressSink>>);

impl Progress {
    /// Reports to `sink`.
    pub fn to(sink: Arc<dyn ProgressSink>) -> Self {
        Self(Some(sink))
    }

    /// Says how far the work is. Never blocks the work.
    pub fn report(&self, done: f64, total: Option<f64>, message: &str) {
        if let Some(sink) = &self.0 {
            sink.report(done, total, message);
        }
    }
}

/// A surface that can show progress.
pub trait ProgressSink: Send + Sync {
    /// Shows how far the work is; must return at once.
    fn report(&self, done: f64, total: Option<f64>, message: &str);
}

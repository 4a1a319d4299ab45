//! Handles the signals that stop the program.

use lore_app::App;

/// Waits for Ctrl-C or, on Unix, SIGTERM.
pub(super) async fn told_to_stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            },
            Err(_) => {
                let _ = interrupt.await;
            }
        }
    }
    #[cfg(not(unix))]
    let _ = interrupt.await;
}

/// Runs `work` until it is done or the program is told to stop.
///
/// In the latter case the work is cancelled, together with the child processes it started, and
/// running scans are recorded as interrupted.
pub(super) async fn unless_stopped<T>(
    app: &App,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    tokio::select! {
        done = work => done,
        () = told_to_stop() => {
            app.code.stop().await;
            anyhow::bail!("stopped; what was done so far is kept")
        }
    }
}

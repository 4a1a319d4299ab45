//! Being told to stop.

use lore_app::App;

/// Waits until the program is told to stop.
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

/// Does something, unless the program is told to stop first: then it is broken off, and with
/// it the programs it started. Scans leave word that they were.
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

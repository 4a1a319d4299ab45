//! `resources/updated`: telling subscribers that something changed.
//!
//! A subscription follows the store's change log at its own pace, so a slow
//! reader delays nobody. Commits of this process wake it at once; those of
//! other processes on the same store are noticed by looking once a second.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lore_app::App;
use lore_core::Viewer;
use parking_lot::Mutex;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer};

/// How often to look for writes of other processes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most log entries read at once.
const READ_MAX: usize = 1_000;

/// A position in the change log of one viewer.
pub(crate) struct Follower {
    app: Arc<App>,
    viewer: Viewer,
    cursor: i64,
}

impl Follower {
    /// Starts at the present end of the log.
    pub(crate) async fn at_end(app: Arc<App>, viewer: Viewer) -> Self {
        let cursor = app.store.sequence().await.unwrap_or(0);
        Self { app, viewer, cursor }
    }

    /// Starts after an entry of the log.
    pub(crate) fn after(app: Arc<App>, viewer: Viewer, cursor: i64) -> Self {
        Self { app, viewer, cursor }
    }

    /// Waits for something new and returns the URIs that changed, each once.
    pub(crate) async fn next(&mut self) -> BTreeSet<String> {
        let mut signal = self.app.store.watch();
        loop {
            let changed = self.read().await;
            if !changed.is_empty() {
                return changed;
            }
            let _ = tokio::time::timeout(LOOK_EVERY, signal.changed()).await;
        }
    }

    async fn read(&mut self) -> BTreeSet<String> {
        match self.app.store.changes(&self.viewer, self.cursor, READ_MAX).await {
            Ok(entries) => {
                self.cursor = entries.last().map_or(self.cursor, |last| last.sequence);
                entries.into_iter().map(|entry| entry.uri).collect()
            }
            Err(error) => {
                tracing::warn!(%error, "the change log could not be read");
                tokio::time::sleep(LOOK_EVERY).await;
                BTreeSet::new()
            }
        }
    }
}

/// The subscriptions of one legacy session.
#[derive(Clone, Default)]
pub(crate) struct Subscriptions(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    uris: BTreeSet<String>,
    following: bool,
}

impl Subscriptions {
    /// Adds a URI and makes sure that somebody follows the log for this session.
    pub(crate) async fn add(
        &self,
        app: &Arc<App>,
        viewer: Viewer,
        peer: &Peer<RoleServer>,
        uris: impl IntoIterator<Item = String>,
    ) {
        let start = {
            let mut state = self.0.lock();
            state.uris.extend(uris);
            !std::mem::replace(&mut state.following, true)
        };
        if start {
            let follower = Follower::at_end(Arc::clone(app), viewer).await;
            tokio::spawn(self.clone().follow(follower, peer.clone()));
        }
    }

    /// Removes a URI.
    pub(crate) fn remove(&self, uri: &str) {
        self.0.lock().uris.remove(uri);
    }

    /// What is subscribed now.
    pub(crate) fn uris(&self) -> Vec<String> {
        self.0.lock().uris.iter().cloned().collect()
    }

    /// Tells the client of changes that concern this session only. Never waits.
    pub(crate) fn notify(&self, peer: &Peer<RoleServer>, uris: Vec<String>) {
        let wanted: Vec<_> = {
            let state = self.0.lock();
            uris.iter().flat_map(|uri| spelled(&state.uris, uri)).collect()
        };
        if wanted.is_empty() {
            return;
        }
        let peer = peer.clone();
        tokio::spawn(async move {
            for uri in wanted {
                let _ =
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
            }
        });
    }

    async fn follow(self, mut follower: Follower, peer: Peer<RoleServer>) {
        while !peer.is_transport_closed() {
            // The wait ends now and then, so that a vanished client is noticed.
            let waited = tokio::time::timeout(10 * LOOK_EVERY, follower.next()).await;
            for changed in waited.unwrap_or_default() {
                let wanted = spelled(&self.0.lock().uris, &changed);
                for uri in wanted {
                    let update = ResourceUpdatedNotificationParam::new(uri);
                    if peer.notify_resource_updated(update).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

/// How a changed resource is spelled in what is subscribed to: as it is, or as a part of it
/// that query parameters choose. Clients wait for the spelling they know.
pub(crate) fn spelled<'a>(
    subscribed: impl IntoIterator<Item = &'a String>,
    changed: &str,
) -> Vec<String> {
    let is_of =
        |uri: &&String| uri.split_once('?').map_or(uri.as_str(), |(path, _)| path) == changed;
    subscribed.into_iter().filter(is_of).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_resource_changes_with_it() {
        let subscribed =
            ["session://s/events", "session://s/events?after_seq=3", "session://t/events"];
        let subscribed = subscribed.map(str::to_owned);
        assert_eq!(spelled(&subscribed, "session://s/events"), subscribed[..2]);
        assert!(spelled(&subscribed, "session://s").is_empty());
    }
}

//! `resources/updated`: notifies subscribers of changes.
//!
//! Each subscription follows the store's change log at its own pace, so a slow reader delays
//! nobody. Commits of this process wake it at once; commits of other processes on the same store
//! are found by polling once a second.
//!
//! A subscriber never hears of a resource that they cannot read at that moment: the store omits
//! changes that are invisible to the subscriber, and each remaining resource is read before it is
//! announced. Resources that no log entry can name, such as counts over the whole world, are read
//! again and compared whenever something changes that the subscriber can see.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use lore_core::Viewer;
use lore_store::WORLD_URI;
use lore_tools::News;
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, ServiceError};
use tokio::sync::OnceCell;

use crate::convert;
use crate::server::{McpServer, Scope};

/// How often to poll for writes of other processes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most log entries read at once.
const READ_MAX: usize = 1_000;
/// The most resources one client may subscribe to, since each is read before it is announced.
pub(crate) const SUBSCRIPTIONS_MAX: usize = 1_000;

/// A caller who is notified of changes.
#[derive(Clone)]
pub(crate) struct Subscriber {
    server: McpServer,
    scope: Arc<Scope>,
}

impl Subscriber {
    /// Creates the subscriber for a caller of `server`.
    pub(crate) fn new(server: McpServer, scope: Arc<Scope>) -> Self {
        Self { server, scope }
    }

    /// Fails when the subscriber cannot read the resource now.
    pub(crate) async fn require(&self, uri: &str) -> Result<(), ErrorData> {
        self.server.read(&self.scope, uri).await.map(|_| ())
    }

    /// The members of `subscribed` that show one of the changed resources and can be read now.
    async fn readable(
        &self,
        subscribed: &BTreeSet<String>,
        changed: &BTreeSet<String>,
    ) -> Vec<String> {
        let mut readable = Vec::new();
        for uri in changed.iter().flat_map(|changed| spelled(subscribed, changed)) {
            if self.server.can_read(&self.scope, &uri).await {
                readable.push(uri);
            }
        }
        readable
    }

    /// The members of `subscribed` whose changes are found by comparing their contents.
    async fn compared<'a>(&self, subscribed: &'a BTreeSet<String>) -> Vec<&'a String> {
        let Ok(viewer) = self.viewer().await else { return Vec::new() };
        let registry = &self.server.parts.registry;
        let news = |uri: &str| {
            let found = registry.resource(&self.scope.selection, viewer.role, uri);
            found.map(|(resource, _)| resource.news)
        };
        subscribed.iter().filter(|uri| news(uri.as_str()) == Some(News::Compared)).collect()
    }

    /// A hash of what a resource shows now; `None` when it cannot be read.
    async fn print(&self, uri: &str) -> Option<u64> {
        let document = self.server.read(&self.scope, uri).await.ok()?;
        let mut hasher = DefaultHasher::new();
        document.to_string().hash(&mut hasher);
        Some(hasher.finish())
    }

    async fn viewer(&self) -> Result<Viewer, ErrorData> {
        self.server.viewer(&self.scope).await
    }

    /// The current end of the change log.
    async fn end(&self) -> Result<i64, ErrorData> {
        let end = self.server.parts.app.store.sequence().await;
        end.map_err(|error| convert::protocol_error(&error.into()))
    }
}

/// One subscriber's position in the change log.
pub(crate) struct Follower {
    subscriber: Subscriber,
    cursor: i64,
    /// Hashes of what the compared resources showed last.
    prints: HashMap<String, u64>,
}

impl Follower {
    /// Starts at the current end of the log.
    pub(crate) async fn at_end(subscriber: Subscriber) -> Result<Self, ErrorData> {
        let cursor = subscriber.end().await?;
        Ok(Self::after(subscriber, cursor))
    }

    /// Starts after the log entry `cursor`.
    pub(crate) fn after(subscriber: Subscriber, cursor: i64) -> Self {
        Self { subscriber, cursor, prints: HashMap::new() }
    }

    /// Waits for changes and returns the URIs that changed, each once.
    ///
    /// Cancel-safe: dropping the future while it waits loses nothing.
    pub(crate) async fn next(
        &mut self,
        subscribed: impl Fn() -> BTreeSet<String>,
    ) -> BTreeSet<String> {
        let mut signal = self.subscriber.server.parts.app.store.watch();
        loop {
            self.look_at(&subscribed()).await;
            let changed = self.read().await;
            if !changed.is_empty() {
                return changed;
            }
            let _ = tokio::time::timeout(LOOK_EVERY, signal.changed()).await;
        }
    }

    /// The URIs to announce: the members of `subscribed` that show the changes and can be read now.
    pub(crate) async fn news(
        &mut self,
        subscribed: &BTreeSet<String>,
        changed: &BTreeSet<String>,
    ) -> Vec<String> {
        let mut news = self.subscriber.readable(subscribed, changed).await;
        if changed.contains(WORLD_URI) {
            for uri in self.subscriber.compared(subscribed).await {
                let Some(print) = self.subscriber.print(uri).await else {
                    self.prints.remove(uri);
                    continue;
                };
                if self.prints.insert(uri.clone(), print) != Some(print) && !news.contains(uri) {
                    news.push(uri.clone());
                }
            }
        }
        news
    }

    /// Hashes newly subscribed compared resources before anything changes.
    ///
    /// If the log has moved on in a way the subscriber can see, the earlier contents are unknown.
    /// The hashes are then discarded, so that the resources are announced once.
    async fn look_at(&mut self, subscribed: &BTreeSet<String>) {
        self.prints.retain(|uri, _| subscribed.contains(uri));
        if subscribed.len() == self.prints.len() {
            return;
        }
        let mut prints = HashMap::new();
        for uri in self.subscriber.compared(subscribed).await {
            if !self.prints.contains_key(uri)
                && let Some(print) = self.subscriber.print(uri).await
            {
                prints.insert(uri.clone(), print);
            }
        }
        if !prints.is_empty() && self.is_at_end().await {
            self.prints.extend(prints);
        }
    }

    /// Whether the log contains nothing new that the subscriber can see.
    async fn is_at_end(&self) -> bool {
        let Ok(viewer) = self.subscriber.viewer().await else { return false };
        let store = &self.subscriber.server.parts.app.store;
        store.changes(&viewer, self.cursor, 1).await.is_ok_and(|fresh| fresh.is_empty())
    }

    async fn read(&mut self) -> BTreeSet<String> {
        match self.entries().await {
            Ok(changed) => changed,
            Err(error) => {
                tracing::warn!(
                    code = error.code().meaning().name,
                    "the change log could not be read"
                );
                tokio::time::sleep(LOOK_EVERY).await;
                BTreeSet::new()
            }
        }
    }

    async fn entries(&mut self) -> lore_core::Result<BTreeSet<String>> {
        // A caller who no longer has access is told nothing.
        let Ok(viewer) = self.subscriber.viewer().await else { return Ok(BTreeSet::new()) };
        let store = &self.subscriber.server.parts.app.store;
        let end = store.sequence().await?;
        let entries = store.changes(&viewer, self.cursor, READ_MAX).await?;
        let last = entries.last().map_or(self.cursor, |last| last.sequence);
        // Skip entries that the subscriber cannot see once, rather than reading them again every
        // time.
        self.cursor = if entries.len() < READ_MAX { last.max(end) } else { last };
        Ok(entries.into_iter().map(|entry| entry.uri).collect())
    }
}

/// The subscriptions of one session of a revision before 2026-07-28.
#[derive(Clone, Default)]
pub(crate) struct Subscriptions {
    state: Arc<Mutex<State>>,
    /// The end of the change log when the first of them was made.
    start: Arc<OnceCell<i64>>,
}

#[derive(Default)]
struct State {
    uris: BTreeSet<String>,
    following: bool,
}

impl Subscriptions {
    /// Adds URIs, and starts following the change log if this session does not yet. Everything that
    /// changes after this returns is announced, also if others add URIs at the same time.
    pub(crate) async fn add(
        &self,
        subscriber: Subscriber,
        peer: &Peer<RoleServer>,
        uris: impl IntoIterator<Item = String>,
    ) -> Result<(), ErrorData> {
        let cursor = *self.start.get_or_try_init(|| subscriber.end()).await?;
        let is_first = {
            let mut state = self.state.lock();
            state.uris.extend(uris);
            !std::mem::replace(&mut state.following, true)
        };
        if is_first {
            let follower = Follower::after(subscriber, cursor);
            tokio::spawn(self.clone().follow(follower, peer.clone()));
        }
        Ok(())
    }

    /// Removes a URI from the subscriptions.
    pub(crate) fn remove(&self, uri: &str) {
        self.state.lock().uris.remove(uri);
    }

    /// The URIs that are subscribed to now.
    pub(crate) fn uris(&self) -> BTreeSet<String> {
        self.state.lock().uris.clone()
    }

    /// Announces changes that concern only this session. Returns without waiting.
    pub(crate) fn notify(
        &self,
        subscriber: Subscriber,
        peer: &Peer<RoleServer>,
        changed: BTreeSet<String>,
    ) {
        let subscribed = self.uris();
        if changed.iter().all(|changed| spelled(&subscribed, changed).is_empty()) {
            return;
        }
        let peer = peer.clone();
        tokio::spawn(async move {
            let news = subscriber.readable(&subscribed, &changed).await;
            let _ = tell(&peer, news).await;
        });
    }

    async fn follow(self, mut follower: Follower, peer: Peer<RoleServer>) {
        while !peer.is_transport_closed() {
            // The wait has a timeout so that a vanished client is noticed.
            let next = follower.next(|| self.uris());
            let waited = tokio::time::timeout(10 * LOOK_EVERY, next).await;
            let news = follower.news(&self.uris(), &waited.unwrap_or_default()).await;
            if tell(&peer, news).await.is_err() {
                return;
            }
        }
    }
}

async fn tell(peer: &Peer<RoleServer>, news: Vec<String>) -> Result<(), ServiceError> {
    for uri in news {
        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
    }
    Ok(())
}

/// The subscribed URIs that show the changed resource: the URI itself, or the URI with query
/// parameters that select a part of it. Clients expect the spelling they subscribed with.
fn spelled(subscribed: &BTreeSet<String>, changed: &str) -> Vec<String> {
    subscribed.iter().filter(|uri| plain(uri) == changed).cloned().collect()
}

/// The URI without its query parameters.
pub(crate) fn plain(uri: &str) -> &str {
    uri.split_once('?').map_or(uri, |(path, _)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_resource_changes_with_it() {
        let subscribed =
            ["session://s/events", "session://s/events?after_seq=3", "session://t/events"];
        let subscribed = BTreeSet::from(subscribed.map(str::to_owned));
        let parts: Vec<_> = subscribed.iter().take(2).cloned().collect();
        assert_eq!(spelled(&subscribed, "session://s/events"), parts);
        assert!(spelled(&subscribed, "session://s").is_empty());
    }
}

//! Whose session is whose, in memory and in the store.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use lore_app::{App, sessions};
use lore_core::PrincipalId;
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::local::SessionConfig;
use rmcp::transport::streamable_http_server::session::{
    SessionManager, SessionState, SessionStore, SessionStoreError,
};

use super::streams::Streams;

tokio::task_local! {
    /// Who sends the request being served: rmcp asks its store without saying.
    static ACTING: PrincipalId;
}

/// Serves a request in the name of `principal`.
pub(super) async fn acting_as<T>(principal: PrincipalId, serving: impl Future<Output = T>) -> T {
    ACTING.scope(principal, serving).await
}

/// How stale the stored time of last use may get.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

/// Whether a session is the caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ownership {
    /// It is theirs.
    Own,
    /// It does not exist for them: never did, expired, or is another's.
    None,
}

/// The open sessions.
pub(super) struct SessionBook {
    app: Arc<App>,
    streams: Arc<Streams>,
    owners: Mutex<HashMap<String, Entry>>,
    sessions_max: usize,
}

struct Entry {
    principal: PrincipalId,
    touched: Instant,
    /// How it came to be here.
    origin: Origin,
}

/// How a session came to be in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// Its client opened it, or came back to it.
    Opened,
    /// Opened for a client that did not ask for a session and has not come back to it.
    Passing,
    /// Opened before the server was started anew.
    Restored,
}

impl SessionBook {
    pub(super) fn new(app: Arc<App>, sessions_max: usize) -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(sessions::IDLE_LIMIT);
        let mut streams = Streams::default();
        streams.local.session_config = config;
        Self { app, streams: Arc::new(streams), owners: Mutex::default(), sessions_max }
    }

    pub(super) fn streams(&self) -> Arc<Streams> {
        Arc::clone(&self.streams)
    }

    /// The store behind rmcp's sessions.
    pub(super) fn store(&self) -> Arc<dyn SessionStore> {
        Arc::new(Persistent { app: Arc::clone(&self.app) })
    }

    /// Whether another session may be opened. Where all places are taken, a client that
    /// never came back loses its own: scripts that keep no cookie open one with each call.
    pub(super) async fn has_room(&self) -> bool {
        while self.streams.local.sessions.read().await.len() >= self.sessions_max {
            let Some(oldest) = self.oldest_passing() else { return false };
            if let Err(error) = self.streams.close_session(&oldest.as_str().into()).await {
                tracing::debug!(%error, "a session was closed by others");
            }
            self.forget(&oldest).await;
        }
        true
    }

    fn oldest_passing(&self) -> Option<String> {
        let owners = self.owners.lock();
        let passing = owners.iter().filter(|(_, entry)| entry.origin == Origin::Passing);
        passing.min_by_key(|(_, entry)| entry.touched).map(|(id, _)| id.clone())
    }

    /// Notes a session that its client opened.
    pub(super) fn add(&self, id: &str, principal: PrincipalId) {
        self.enter(id, principal, Origin::Opened);
    }

    /// Notes a session that was opened for a client that did not ask for one.
    pub(super) fn add_passing(&self, id: &str, principal: PrincipalId) {
        self.enter(id, principal, Origin::Passing);
    }

    fn enter(&self, id: &str, principal: PrincipalId, origin: Origin) {
        let entry = Entry { principal, touched: Instant::now(), origin };
        self.owners.lock().insert(id.to_owned(), entry);
    }

    /// Whether a session stems from before the server was started anew.
    pub(super) fn was_restored(&self, id: &str) -> bool {
        self.owners.lock().get(id).is_some_and(|entry| entry.origin == Origin::Restored)
    }

    /// Looks a session up, in the store too: it may stem from before a restart.
    pub(super) async fn ownership(&self, id: &str, principal: PrincipalId) -> Ownership {
        if let Some(entry) = self.owners.lock().get(id) {
            return if entry.principal == principal { Ownership::Own } else { Ownership::None };
        }
        match sessions::load(&self.app, principal, id).await {
            Ok(Some(_)) => {
                self.enter(id, principal, Origin::Restored);
                Ownership::Own
            }
            Ok(None) => Ownership::None,
            Err(error) => {
                tracing::warn!(%error, "a session could not be looked up");
                Ownership::None
            }
        }
    }

    /// Notes that a session was used; the store hears of it once a minute.
    pub(super) fn touch(&self, id: &str) {
        let due = {
            let mut owners = self.owners.lock();
            let Some(entry) = owners.get_mut(id) else { return };
            if entry.origin == Origin::Passing {
                entry.origin = Origin::Opened;
            }
            let due = entry.touched.elapsed() >= TOUCH_EVERY;
            if due {
                entry.touched = Instant::now();
            }
            due
        };
        if due {
            let (app, id) = (Arc::clone(&self.app), id.to_owned());
            tokio::spawn(async move {
                if let Err(error) = sessions::touch(&app, &id).await {
                    tracing::warn!(%error, "a session's last use was not stored");
                }
            });
        }
    }

    pub(super) async fn forget(&self, id: &str) {
        self.owners.lock().remove(id);
        if let Err(error) = sessions::forget(&self.app, id).await {
            tracing::warn!(%error, "a session could not be forgotten");
        }
    }

    /// Drops what idled too long, here and in the store.
    pub(super) async fn sweep(&self) {
        if let Err(error) = sessions::purge(&self.app).await {
            tracing::warn!(%error, "old sessions could not be removed");
        }
        let open = self.streams.local.sessions.read().await;
        let fresh = |entry: &Entry| entry.touched.elapsed() < sessions::IDLE_LIMIT;
        self.owners.lock().retain(|id, entry| open.contains_key(id.as_str()) || fresh(entry));
    }
}

struct Persistent {
    app: Arc<App>,
}

#[async_trait]
impl SessionStore for Persistent {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let Ok(principal) = ACTING.try_with(|principal| *principal) else { return Ok(None) };
        let Some(record) = sessions::load(&self.app, principal, id).await? else { return Ok(None) };
        Ok(Some(serde_json::from_str(&record.opening)?))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let principal = ACTING.try_with(|principal| *principal)?;
        let opening = serde_json::to_string(state)?;
        Ok(sessions::save(&self.app, principal, id, opening).await?)
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        Ok(sessions::forget(&self.app, id).await?)
    }
}

//! Whose session is whose, in memory and in the store.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use lore_app::App;
use lore_app::sessions::{self, Vouchers};
use lore_core::PrincipalId;
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{
    SessionId, SessionManager, SessionState, SessionStore, SessionStoreError,
};

use super::streams::Streams;

tokio::task_local! {
    /// Who sends the request being served: rmcp asks its store without saying.
    static ACTING: PrincipalId;
    /// The id that the session being opened is to have.
    static ADOPTED: String;
}

/// Serves a request in the name of `principal`.
pub(super) async fn acting_as<T>(principal: PrincipalId, serving: impl Future<Output = T>) -> T {
    ACTING.scope(principal, serving).await
}

/// Opens a session that gets this id, if there is one, rather than a fresh one.
pub(super) async fn adopting<T>(id: Option<String>, opening: impl Future<Output = T>) -> T {
    match id {
        Some(id) => ADOPTED.scope(id, opening).await,
        None => opening.await,
    }
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
    vouchers: Vouchers,
    /// Handed-out ids of sessions that were ended, the latest last.
    ended: Mutex<VecDeque<String>>,
    sessions_max: usize,
}

/// How many ended sessions are remembered.
const ENDED_MAX: usize = 10_000;

struct Entry {
    principal: PrincipalId,
    /// When it was used last.
    used: Instant,
    /// When the store heard of that last.
    stored: Instant,
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
        let mut local = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        config.keep_alive = Some(sessions::IDLE_LIMIT);
        local.session_config = config;
        let effects = app.effects.clone();
        let fresh = move || sessions::fresh_id(&effects);
        let next_id = move || ADOPTED.try_with(Clone::clone).unwrap_or_else(|_| fresh());
        let streams = Arc::new(Streams { local, next_id: Box::new(next_id) });
        let vouchers = Vouchers::new(&app.effects);
        let (owners, ended) = (Mutex::default(), Mutex::default());
        Self { app, streams, owners, vouchers, ended, sessions_max }
    }

    pub(super) fn streams(&self) -> Arc<Streams> {
        Arc::clone(&self.streams)
    }

    /// The store behind rmcp's sessions.
    pub(super) fn store(&self) -> Arc<dyn SessionStore> {
        Arc::new(Persistent { app: Arc::clone(&self.app) })
    }

    /// An id for a client that needs no session yet.
    pub(super) fn voucher(&self) -> String {
        self.vouchers.issue(&self.app.effects)
    }

    /// Whether a new session may have this id: it was handed out here, nobody has it, and
    /// nobody ended it.
    pub(super) fn is_free(&self, id: &str) -> bool {
        self.vouchers.knows(id)
            && !self.owners.lock().contains_key(id)
            && !self.ended.lock().iter().any(|ended| ended == id)
    }

    /// Makes sure that `principal` may open another session, or says how long to wait.
    ///
    /// Where all places are taken, a client that never came back loses its own: scripts that
    /// keep no cookie open one with each call. Then whoever has the most places gives one up
    /// to those who have fewer, so that nobody can keep the others out.
    pub(super) async fn make_room(&self, principal: PrincipalId) -> Result<(), Duration> {
        loop {
            let open: HashSet<SessionId> = {
                let open = self.streams.local.sessions.read().await;
                if open.len() < self.sessions_max {
                    return Ok(());
                }
                open.keys().cloned().collect()
            };
            let Some(given_up) = self.dispensable(&open, principal) else {
                return Err(self.next_to_expire(&open));
            };
            if let Err(error) = self.streams.close_session(&given_up.as_str().into()).await {
                tracing::debug!(%error, "a session was closed by others");
            }
            self.forget(&given_up).await;
        }
    }

    /// The session that can best be given up for one of `principal`.
    fn dispensable(&self, open: &HashSet<SessionId>, principal: PrincipalId) -> Option<String> {
        let owners = self.owners.lock();
        let places = || owners.iter().filter(|(id, _)| open.contains(id.as_str()));
        let mut held: HashMap<PrincipalId, usize> = HashMap::new();
        for (_, entry) in places() {
            *held.entry(entry.principal).or_default() += 1;
        }
        let held = |holder: PrincipalId| held.get(&holder).copied().unwrap_or(0);
        // Beyond this, giving one up still leaves its holder no fewer.
        let fair = held(principal) + 1;
        let rank = |entry: &Entry| {
            (entry.origin != Origin::Passing, Reverse(held(entry.principal)), entry.used)
        };
        places()
            .filter(|(_, e)| e.origin == Origin::Passing || held(e.principal) > fair)
            .min_by_key(|(_, entry)| rank(entry))
            .map(|(id, _)| id.clone())
    }

    /// How long until a session has idled too long, if nobody comes back to it.
    fn next_to_expire(&self, open: &HashSet<SessionId>) -> Duration {
        let owners = self.owners.lock();
        let places = owners.iter().filter(|(id, _)| open.contains(id.as_str()));
        let idle = places.map(|(_, entry)| entry.used.elapsed()).max().unwrap_or_default();
        sessions::IDLE_LIMIT.saturating_sub(idle)
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
        let now = Instant::now();
        let entry = Entry { principal, used: now, stored: now, origin };
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
            entry.used = Instant::now();
            let due = entry.used.duration_since(entry.stored) >= TOUCH_EVERY;
            if due {
                entry.stored = entry.used;
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

    /// Forgets a session that its client ended; its id is not used again.
    pub(super) async fn end(&self, id: &str) {
        if self.vouchers.knows(id) {
            let mut ended = self.ended.lock();
            if ended.len() >= ENDED_MAX {
                ended.pop_front();
            }
            ended.push_back(id.to_owned());
        }
        self.forget(id).await;
    }

    async fn forget(&self, id: &str) {
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
        let fresh = |entry: &Entry| entry.used.elapsed() < sessions::IDLE_LIMIT;
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

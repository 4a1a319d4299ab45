//! The session book: which principal owns which session, in memory and in the store.

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
    /// The principal of the request being served. rmcp calls its session store without passing it.
    static ACTING: PrincipalId;
    /// The id that the session being opened shall get.
    static ADOPTED: String;
}

/// Runs `serving` with `principal` as the caller of the current task.
pub(super) async fn acting_as<T>(principal: PrincipalId, serving: impl Future<Output = T>) -> T {
    ACTING.scope(principal, serving).await
}

/// Runs `opening`; if `id` is given, the session that it opens gets that id instead of a fresh one.
pub(super) async fn adopting<T>(id: Option<String>, opening: impl Future<Output = T>) -> T {
    match id {
        Some(id) => ADOPTED.scope(id, opening).await,
        None => opening.await,
    }
}

/// How far the stored time of last use may lag behind.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

/// Whether a session belongs to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ownership {
    /// It belongs to the caller.
    Own,
    /// The caller has no such session: it never existed, expired, or belongs to someone else.
    None,
}

/// All open sessions and their owners.
pub(super) struct SessionBook {
    app: Arc<App>,
    streams: Arc<Streams>,
    owners: Mutex<HashMap<String, Entry>>,
    vouchers: Vouchers,
    /// Promised ids whose sessions were ended, newest last. Such an id must not be reused.
    ended: Mutex<VecDeque<String>>,
    sessions_max: usize,
}

/// How many ended sessions are remembered.
const ENDED_MAX: usize = 10_000;

struct Entry {
    principal: PrincipalId,
    /// When the session was last used.
    used: Instant,
    /// When the time of last use was last written to the store.
    stored: Instant,
    origin: Origin,
}

/// How a session entered the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// Its client opened it, or has used it again.
    Opened,
    /// The server opened it for a client that sent no `initialize` and has not used it since.
    Passing,
    /// Loaded from the store: it was opened before the last restart of the server.
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

    /// The persistent store that rmcp saves its sessions in.
    pub(super) fn store(&self) -> Arc<dyn SessionStore> {
        Arc::new(Persistent { app: Arc::clone(&self.app) })
    }

    /// Creates a voucher: an id promised to a client that needs no session yet.
    pub(super) fn voucher(&self) -> String {
        self.vouchers.issue(&self.app.effects)
    }

    /// Whether a new session may take this id: it is a voucher of this server, no session uses it,
    /// and it was never ended.
    pub(super) fn is_free(&self, id: &str) -> bool {
        self.vouchers.knows(id)
            && !self.owners.lock().contains_key(id)
            && !self.ended.lock().iter().any(|ended| ended == id)
    }

    /// Ensures that `principal` may open another session, or returns how long to wait.
    ///
    /// When the limit is reached, two kinds of session are closed to make room. First come those of
    /// clients that never returned, because scripts without cookies open one with each call. Then
    /// the principal with the most sessions loses one to a principal with fewer, so that nobody can
    /// lock the others out.
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
            if self.streams.close_session(&given_up.as_str().into()).await.is_err() {
                tracing::debug!("a session was closed by others");
            }
            self.forget(&given_up).await;
        }
    }

    /// The session that is best closed to make room for a session of `principal`.
    fn dispensable(&self, open: &HashSet<SessionId>, principal: PrincipalId) -> Option<String> {
        let owners = self.owners.lock();
        let places = || owners.iter().filter(|(id, _)| open.contains(id.as_str()));
        let mut held: HashMap<PrincipalId, usize> = HashMap::new();
        for (_, entry) in places() {
            *held.entry(entry.principal).or_default() += 1;
        }
        let held = |holder: PrincipalId| held.get(&holder).copied().unwrap_or(0);
        // A holder of more than this many still has at least as many as `principal` afterwards.
        let fair = held(principal) + 1;
        let rank = |entry: &Entry| {
            (entry.origin != Origin::Passing, Reverse(held(entry.principal)), entry.used)
        };
        places()
            .filter(|(_, e)| e.origin == Origin::Passing || held(e.principal) > fair)
            .min_by_key(|(_, entry)| rank(entry))
            .map(|(id, _)| id.clone())
    }

    /// How long until the next session expires, if its client does not return.
    fn next_to_expire(&self, open: &HashSet<SessionId>) -> Duration {
        let owners = self.owners.lock();
        let places = owners.iter().filter(|(id, _)| open.contains(id.as_str()));
        let idle = places.map(|(_, entry)| entry.used.elapsed()).max().unwrap_or_default();
        sessions::IDLE_LIMIT.saturating_sub(idle)
    }

    /// Records a session that its client opened.
    pub(super) fn add(&self, id: &str, principal: PrincipalId) {
        self.enter(id, principal, Origin::Opened);
    }

    /// Records a session that the server opened for a client that sent no `initialize`.
    pub(super) fn add_passing(&self, id: &str, principal: PrincipalId) {
        self.enter(id, principal, Origin::Passing);
    }

    fn enter(&self, id: &str, principal: PrincipalId, origin: Origin) {
        let now = Instant::now();
        let entry = Entry { principal, used: now, stored: now, origin };
        self.owners.lock().insert(id.to_owned(), entry);
    }

    /// Whether a session was opened before the last restart of the server.
    pub(super) fn was_restored(&self, id: &str) -> bool {
        self.owners.lock().get(id).is_some_and(|entry| entry.origin == Origin::Restored)
    }

    /// Looks a session up in memory and then in the store, since it may predate a restart.
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
                tracing::warn!(
                    code = error.code().meaning().name,
                    "a session could not be looked up"
                );
                Ownership::None
            }
        }
    }

    /// Records that a session was used; the store is updated at most once a minute.
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
                    tracing::warn!(
                        code = error.code().meaning().name,
                        "a session's last use was not stored"
                    );
                }
            });
        }
    }

    /// Removes a session that its client ended, and prevents its id from being reused.
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
            tracing::warn!(code = error.code().meaning().name, "a session could not be forgotten");
        }
    }

    /// Drops sessions from memory that were idle for too long.
    pub(super) async fn sweep(&self) {
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

//! Protocol sessions that survive a restart of the server.
//!
//! A session id is a credential, so only its hash is stored.

use std::time::Duration;

use data_encoding::HEXLOWER;
use lore_core::{PrincipalId, Result, Timestamp};
use lore_store::SessionRecord;
use sha2::{Digest, Sha256};

use crate::App;

/// A session unused for this long is forgotten.
pub const IDLE_LIMIT: Duration = Duration::from_secs(3_600);

/// How long the answer to a call with an idempotency key is kept.
pub const ANSWERS_KEPT: Duration = Duration::from_secs(24 * 3_600);

/// Stores the opening message of a session.
pub async fn save(app: &App, principal: PrincipalId, id: &str, opening: String) -> Result<()> {
    let record = SessionRecord {
        key: key(id),
        principal,
        opening,
        subscriptions: Vec::new(),
        seen_at: app.effects.now(),
    };
    Ok(app.store.save_session(record).await?)
}

/// Loads a session of this principal that was used within the idle limit.
pub async fn load(app: &App, principal: PrincipalId, id: &str) -> Result<Option<SessionRecord>> {
    let found = app.store.session(principal, &key(id)).await?;
    Ok(found.filter(|record| record.seen_at >= idle_since(app)))
}

/// Notes that a session was used.
pub async fn touch(app: &App, id: &str) -> Result<()> {
    Ok(app.store.touch_session(&key(id), app.effects.now()).await?)
}

/// Remembers what a session is subscribed to.
pub async fn subscribe(app: &App, id: &str, uris: Vec<String>) -> Result<()> {
    Ok(app.store.set_subscriptions(&key(id), uris).await?)
}

/// Forgets a session.
pub async fn forget(app: &App, id: &str) -> Result<()> {
    Ok(app.store.delete_session(&key(id)).await?)
}

/// Forgets all sessions that idled too long, and answers nobody will ask for again.
pub async fn purge(app: &App) -> Result<u64> {
    app.store.forget_answers(since(app, ANSWERS_KEPT)).await?;
    Ok(app.store.purge_sessions(idle_since(app)).await?)
}

fn idle_since(app: &App) -> Timestamp {
    since(app, IDLE_LIMIT)
}

fn since(app: &App, age: Duration) -> Timestamp {
    app.effects.now().saturating_sub(age).unwrap_or(Timestamp::MIN)
}

fn key(id: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(id.as_bytes()))
}

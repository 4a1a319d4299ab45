//! Protocol sessions that survive a restart of the server.
//!
//! A session id is a credential: 256 random bits. Only its hash is stored.

use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use lore_core::{Effects, PrincipalId, Result, Timestamp};
use lore_store::SessionRecord;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::App;
use crate::access::lower_base32;

/// How long a session may stay unused before it is forgotten.
pub const IDLE_LIMIT: Duration = Duration::from_secs(3_600);

/// How long the answer to a call with an idempotency key is kept.
const ANSWERS_KEPT: Duration = Duration::from_secs(24 * 3_600);

/// How often what has expired is deleted.
const PURGE_EVERY: Duration = Duration::from_secs(300);

/// Returns an id for a new session.
pub fn fresh_id(effects: &Effects) -> String {
    lower_base32(&random(effects))
}

/// Issues session ids before there is a session, and recognises them later. Ids are authenticated
/// with a key instead of being stored, so ids that nobody uses cost nothing and made-up ids are
/// refused.
pub struct Vouchers {
    key: [u8; 32],
}

impl Vouchers {
    /// Creates a new random key. Ids issued before a restart are therefore no longer recognised.
    pub fn new(effects: &Effects) -> Self {
        Self { key: random(effects) }
    }

    /// Returns an id that a session may use later.
    pub fn issue(&self, effects: &Effects) -> String {
        let id = fresh_id(effects);
        let seal = self.seal(&id);
        id + &seal
    }

    /// Whether this instance issued the id.
    pub fn knows(&self, voucher: &str) -> bool {
        voucher
            .split_at_checked(ID_LENGTH)
            .is_some_and(|(id, seal)| self.seal(id).as_bytes().ct_eq(seal.as_bytes()).into())
    }

    fn seal(&self, id: &str) -> String {
        // Hashing key and id is safe against length extension because all ids have the same length.
        lower_base32(&Sha256::new().chain_update(self.key).chain_update(id).finalize())
    }
}

/// The length of 256 bits in base32.
const ID_LENGTH: usize = 52;

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

/// Records that a session was used just now.
pub async fn touch(app: &App, id: &str) -> Result<()> {
    Ok(app.store.touch_session(&key(id), app.effects.now()).await?)
}

/// Stores the resource URIs that a session is subscribed to.
pub async fn subscribe(app: &App, id: &str, uris: Vec<String>) -> Result<()> {
    Ok(app.store.set_subscriptions(&key(id), uris).await?)
}

/// Forgets a session.
pub async fn forget(app: &App, id: &str) -> Result<()> {
    Ok(app.store.delete_session(&key(id)).await?)
}

/// Deletes sessions beyond the idle limit and expired idempotent answers until the program ends.
pub async fn keep_purged(app: Arc<App>) {
    loop {
        if let Err(error) = purge(&app).await {
            let code = error.code().meaning().name;
            tracing::warn!(code, "old sessions and answers could not be removed");
        }
        tokio::time::sleep(PURGE_EVERY).await;
    }
}

async fn purge(app: &App) -> Result<()> {
    app.store.forget_answers(since(app, ANSWERS_KEPT)).await?;
    app.store.purge_sessions(idle_since(app)).await?;
    Ok(())
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

fn random(effects: &Effects) -> [u8; 32] {
    let mut bytes = [0; 32];
    effects.entropy.fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_random_and_long() {
        let effects = Effects::fixed(Timestamp::UNIX_EPOCH, 1);
        let ids = [fresh_id(&effects), fresh_id(&effects)];
        assert!(ids[0] != ids[1] && ids.iter().all(|id| id.len() == ID_LENGTH));
    }

    #[test]
    fn only_what_was_handed_out_is_known() {
        let effects = Effects::fixed(Timestamp::UNIX_EPOCH, 1);
        let (here, elsewhere) = (Vouchers::new(&effects), Vouchers::new(&effects));
        let voucher = here.issue(&effects);
        assert!(here.knows(&voucher) && !elsewhere.knows(&voucher));
        for other in [format!("{voucher}a"), voucher[1..].to_owned(), "ä".repeat(60), String::new()]
        {
            assert!(!here.knows(&other), "{other}");
        }
        assert!(!here.knows(&fresh_id(&effects)));
    }
}

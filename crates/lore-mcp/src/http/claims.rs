//! Tracks which request ids of which session are being answered.
//!
//! rmcp matches answers to requests within a session by the request id alone. With two concurrent
//! requests of the same id, one would wait forever and the other might get the wrong answer.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

/// The request ids in use, over all sessions.
#[derive(Clone, Default)]
pub(super) struct Claims(Arc<Mutex<HashSet<Key>>>);

/// The session id and the request id as JSON, so that `1` and `"1"` differ.
type Key = (String, String);

/// A reserved request id; dropping it frees the id.
pub(super) struct Claim {
    key: Key,
    claims: Claims,
}

impl Claims {
    /// Reserves a request id; `None` while another request of the session uses it.
    pub(super) fn take(&self, session: &str, id: &Value) -> Option<Claim> {
        let key = (session.to_owned(), id.to_string());
        let is_free = self.0.lock().insert(key.clone());
        is_free.then(|| Claim { key, claims: self.clone() })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.0.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_taken_once_in_a_session() {
        let claims = Claims::default();
        let first = claims.take("a", &1.into());
        assert!(first.is_some() && claims.take("a", &1.into()).is_none());
        assert!(claims.take("b", &1.into()).is_some() && claims.take("a", &"1".into()).is_some());
        drop(first);
        assert!(claims.take("a", &1.into()).is_some());
    }
}

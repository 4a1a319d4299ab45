//! Which requests of which session are being answered.
//!
//! rmcp tells the answers within a session apart by the request's id alone: of two with
//! the same id at once, one would wait for ever and the other might get its answer.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

/// The ids in use.
#[derive(Clone, Default)]
pub(super) struct Claims(Arc<Mutex<HashSet<Key>>>);

/// A session, and the id as JSON: `1` is not `"1"`.
type Key = (String, String);

/// An id in use, until this is dropped.
pub(super) struct Claim {
    key: Key,
    claims: Claims,
}

impl Claims {
    /// Takes an id for a request; `None` while another has it.
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

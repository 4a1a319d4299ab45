//! Contract tests for protocol sessions.

use lore_core::{Principal, PrincipalId, Role};

use super::Harness;
use super::stage::{Stage, exists, moment, not_found};
use crate::SessionRecord;

/// Every field comes back.
pub async fn a_session_comes_back_as_it_was_saved(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let saved = session("k", Principal::LOCAL);
    stage.store().save_session(saved.clone()).await.unwrap();
    let loaded = stage.store().session(Principal::LOCAL, "k").await.unwrap();
    assert_eq!(loaded, Some(saved));
    assert_eq!(stage.store().session(Principal::LOCAL, "K").await.unwrap(), None);
}

/// The session's own principal may replace it.
pub async fn saving_again_replaces(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.store().save_session(session("k", Principal::LOCAL)).await.unwrap();
    let second = SessionRecord {
        opening: "{}".into(),
        subscriptions: vec![],
        seen_at: moment(9),
        ..session("k", Principal::LOCAL)
    };
    stage.store().save_session(second.clone()).await.unwrap();
    let loaded = stage.store().session(Principal::LOCAL, "k").await.unwrap();
    assert_eq!(loaded, Some(second));
}

/// Knowing the key is not enough.
pub async fn the_session_of_another_principal_is_absent(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Owner).await;
    stage.store().save_session(session("k", Principal::LOCAL)).await.unwrap();
    assert_eq!(stage.store().session(pia.principal, "k").await.unwrap(), None);
    assert_eq!(stage.store().session(PrincipalId(999), "k").await.unwrap(), None);
}

/// Somebody else cannot overwrite it either.
pub async fn a_session_cannot_be_taken_over(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Owner).await;
    let own = session("k", Principal::LOCAL);
    stage.store().save_session(own.clone()).await.unwrap();
    exists(stage.store().save_session(session("k", pia.principal)).await);
    assert_eq!(stage.store().session(pia.principal, "k").await.unwrap(), None);
    assert_eq!(stage.store().session(Principal::LOCAL, "k").await.unwrap(), Some(own));
}

/// Only the time of last use changes.
pub async fn a_touched_session_is_younger(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let saved = session("k", Principal::LOCAL);
    stage.store().save_session(saved.clone()).await.unwrap();
    stage.store().touch_session("k", moment(60)).await.unwrap();
    let loaded = stage.store().session(Principal::LOCAL, "k").await.unwrap();
    assert_eq!(loaded, Some(SessionRecord { seen_at: moment(60), ..saved }));
}

/// The list is replaced as a whole.
pub async fn subscriptions_are_replaced(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.store().save_session(session("k", Principal::LOCAL)).await.unwrap();
    for uris in [vec!["lore://z".to_owned(), "lore://a".to_owned()], vec![]] {
        stage.store().set_subscriptions("k", uris.clone()).await.unwrap();
        let loaded = stage.store().session(Principal::LOCAL, "k").await.unwrap().unwrap();
        assert_eq!(loaded.subscriptions, uris);
    }
}

/// The caller is told that the session is gone.
pub async fn an_absent_session_cannot_be_touched(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    not_found(stage.store().touch_session("k", moment(0)).await);
    not_found(stage.store().set_subscriptions("k", vec![]).await);
}

/// Deleting it twice is not an error.
pub async fn a_deleted_session_is_absent(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.store().save_session(session("k", Principal::LOCAL)).await.unwrap();
    stage.store().save_session(session("l", Principal::LOCAL)).await.unwrap();
    stage.store().delete_session("k").await.unwrap();
    stage.store().delete_session("k").await.unwrap();
    assert_eq!(stage.store().session(Principal::LOCAL, "k").await.unwrap(), None);
    assert!(stage.store().session(Principal::LOCAL, "l").await.unwrap().is_some());
}

/// Sessions used exactly at that time are kept.
pub async fn old_sessions_are_purged_and_counted(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (key, seconds) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        let saved = SessionRecord { seen_at: moment(seconds), ..session(key, Principal::LOCAL) };
        stage.store().save_session(saved).await.unwrap();
    }
    assert_eq!(stage.store().purge_sessions(moment(3)).await.unwrap(), 2);
    assert_eq!(stage.store().purge_sessions(moment(3)).await.unwrap(), 0);
    assert_eq!(stage.store().session(Principal::LOCAL, "b").await.unwrap(), None);
    assert!(stage.store().session(Principal::LOCAL, "c").await.unwrap().is_some());
}

fn session(key: &str, principal: PrincipalId) -> SessionRecord {
    SessionRecord {
        key: key.into(),
        principal,
        opening: r#"{"protocolVersion":"2026-07-28"}"#.into(),
        subscriptions: vec!["lore://x".into(), "lore://y".into()],
        seen_at: moment(0),
    }
}

//! Contract tests for idempotent batches, which are applied once however often they are sent.

use lore_core::{Role, Viewer};
use tokio::task::JoinSet;

use super::Harness;
use super::stage::{Stage, batch, conflict, not_found};
use crate::{Batch, Change, Expect, NodeQuery, NodeRef, Once, Origin, StoreError};

/// The answer is returned byte for byte.
pub async fn a_key_keeps_its_answer(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    assert_eq!(answer(&stage, &stage.owner, "story", "k").await, None);
    stage.commit(&stage.owner, once(&stage, "k", "{ \"n\" : 1 }")).await;
    let kept = answer(&stage, &stage.owner, "story", "k").await;
    assert_eq!(kept.as_deref(), Some("{ \"n\" : 1 }"));
}

/// The second batch fails and changes nothing.
pub async fn the_same_key_again_conflicts(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.commit(&stage.owner, once(&stage, "k", "first")).await;
    conflict(stage.store().commit(&stage.owner, once(&stage, "k", "second")).await);
    let kept = answer(&stage, &stage.owner, "story", "k").await;
    assert_eq!(kept.as_deref(), Some("first"));
    assert_eq!(nodes(&stage).await, 1);
    stage.commit(&stage.owner, once(&stage, "K", "another key")).await;
    assert_eq!(nodes(&stage).await, 2);
}

/// Nobody gets the answer of somebody else, or of another scope.
pub async fn keys_are_each_principals_and_each_scopes_own(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    stage.commit(&stage.owner, once(&stage, "k", "owner's")).await;
    assert_eq!(answer(&stage, &pia, "story", "k").await, None);
    stage.commit(&pia, once(&stage, "k", "Pia's")).await;
    let elsewhere = Once { scope: "other", key: "k".into(), answer: "elsewhere".into() };
    let elsewhere = Batch { once: Some(elsewhere), ..once(&stage, "k", "") };
    stage.commit(&stage.owner, elsewhere).await;
    let by_other_tool = Batch { origin: Origin::new("other", "r"), ..once(&stage, "k", "again") };
    conflict(stage.store().commit(&stage.owner, by_other_tool).await);
    for (viewer, scope, expected) in [
        (&stage.owner, "story", "owner's"),
        (&pia, "story", "Pia's"),
        (&stage.owner, "other", "elsewhere"),
    ] {
        assert_eq!(answer(&stage, viewer, scope, "k").await.as_deref(), Some(expected));
    }
}

/// A failed batch can be tried again with the same key.
pub async fn a_failed_batch_keeps_no_answer(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let failing = once(&stage, "k", "never")
        .change(Change::DeleteNode(NodeRef::Uid(stage.uid()), Expect::Any));
    not_found(stage.store().commit(&stage.owner, failing).await);
    assert_eq!(answer(&stage, &stage.owner, "story", "k").await, None);
    stage.commit(&stage.owner, once(&stage, "k", "now")).await;
}

/// Only older answers are deleted; their keys are free again.
pub async fn old_answers_are_forgotten(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let kept = once(&stage, "k", "first");
    let at = kept.at;
    stage.commit(&stage.owner, kept).await;
    assert_eq!(stage.store().forget_answers(at).await.unwrap(), 0);
    assert!(answer(&stage, &stage.owner, "story", "k").await.is_some());
    let later = at.saturating_add(std::time::Duration::from_secs(1)).unwrap();
    assert_eq!(stage.store().forget_answers(later).await.unwrap(), 1);
    assert_eq!(answer(&stage, &stage.owner, "story", "k").await, None);
    stage.commit(&stage.owner, once(&stage, "k", "second")).await;
}

/// One sender succeeds; the others find its answer.
pub async fn many_senders_make_it_happen_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let mut tasks = JoinSet::new();
    for number in 0..16 {
        let (store, viewer) = (stage.shared(), stage.owner);
        let batch = once(&stage, "k", &number.to_string());
        tasks.spawn(async move {
            match store.commit(&viewer, batch).await {
                Ok(_) => true,
                Err(StoreError::Conflict(_)) => {
                    let kept = store.answered(&viewer, "story", "k").await.unwrap();
                    assert!(kept.is_some(), "who loses finds the answer at once");
                    false
                }
                Err(error) => panic!("{error}"),
            }
        });
    }
    let won = tasks.join_all().await.into_iter().filter(|won| *won).count();
    assert_eq!((won, nodes(&stage).await), (1, 1));
}

fn once(stage: &Stage, key: &str, answer: &str) -> Batch {
    let once = Some(Once { scope: "story", key: key.into(), answer: answer.into() });
    Batch { once, ..batch() }.change(Change::CreateNode(stage.draft("N")))
}

async fn answer(stage: &Stage, viewer: &Viewer, scope: &str, key: &str) -> Option<String> {
    stage.store().answered(viewer, scope, key).await.unwrap()
}

async fn nodes(stage: &Stage) -> u64 {
    stage.store().find_nodes(&stage.owner, NodeQuery::default()).await.unwrap().total
}

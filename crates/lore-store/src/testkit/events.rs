//! Contract tests for the event logs of nodes.

use lore_core::{Event, Node, NodeId, Role, Viewer, Visibility};
use tokio::task::JoinSet;

use super::Harness;
use super::stage::{Stage, batch, conflict, invalid, moment, not_found};
use crate::{
    Applied, Bin, ChainReport, Change, EventOrder, EventQuery, Expect, NewEvent, NewEvents,
    NodeRef, StoreResult, chain,
};

/// Every field comes back.
pub async fn an_event_comes_back_as_it_was_added(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    let (participant, character) = (Some(stage.uid()), Some(stage.uid()));
    let draft = NewEvent {
        participant,
        character,
        secret: Some(r#"{"seed":7}"#.into()),
        visibility: Visibility::Gm,
        ..event("ROLLED", r#"{"sum":12}"#)
    };
    append(&stage, &stage.owner, &node, vec![draft]).await.unwrap();
    let mut expected = Event {
        node: node.id,
        sequence: 1,
        at: moment(1),
        kind: "ROLLED".into(),
        request_id: "request".into(),
        invocation_id: "call".into(),
        participant,
        character,
        payload: r#"{"sum":12}"#.into(),
        secret: Some(r#"{"seed":7}"#.into()),
        visibility: Visibility::Gm,
        settles: None,
        previous: chain::START,
        hash: chain::START,
    };
    expected.hash = chain::link(&expected);
    assert_eq!(read(&stage, &stage.owner, &node).await, [expected]);
}

/// Numbering continues over batches, for each node separately.
pub async fn a_log_counts_from_one_without_gaps(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let two = || vec![event("X", "{}"), event("Y", "{}")];
    assert_eq!(append(&stage, &stage.owner, &a, two()).await.unwrap(), (1, 2));
    assert_eq!(append(&stage, &stage.owner, &b, two()).await.unwrap(), (1, 2));
    assert_eq!(append(&stage, &stage.owner, &a, two()).await.unwrap(), (3, 4));
    assert_eq!(sequences(&read(&stage, &stage.owner, &a).await), [1, 2, 3, 4]);
    assert_eq!(sequences(&read(&stage, &stage.owner, &b).await), [1, 2]);
}

/// Everybody can verify the chain.
pub async fn each_event_holds_the_hash_of_the_one_before(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    for number in 0..5 {
        let drafts = vec![
            event("ROLLED", &format!(r#"{{"n":{number}}}"#)),
            NewEvent { secret: Some("x".into()), ..event("SECRET", "{}") },
        ];
        append(&stage, &stage.owner, &node, drafts).await.unwrap();
    }
    let mut previous = chain::START;
    for event in read(&stage, &stage.owner, &node).await {
        assert_eq!(event.previous, previous);
        assert_eq!(event.hash, chain::link(&event));
        previous = event.hash;
    }
    let report = stage.store().verify_events(&stage.owner, node.id).await.unwrap();
    assert_eq!(report, whole(10));
}

/// The payload is stored byte for byte, because it is hashed.
pub async fn a_payload_is_kept_to_the_letter(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    let payload = "{ \"z\":1,\"a\" : 1.50, \"ü\":\"\\u00fc ü\" }\n";
    append(&stage, &stage.owner, &node, vec![event("X", payload)]).await.unwrap();
    assert_eq!(read(&stage, &stage.owner, &node).await[0].payload, payload);
}

/// An append can require the log's end, so that nothing is lost between reading and appending.
pub async fn a_log_expects_its_end(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    for (after, fits) in [(1, false), (0, true), (0, false), (2, false), (1, true)] {
        let new = NewEvents {
            node: NodeRef::Id(node.id),
            after: Some(after),
            events: vec![event("X", "{}")],
        };
        let added = stage.attempt(&stage.owner, Change::AppendEvents(new)).await;
        if fits {
            added.unwrap();
        } else {
            conflict(added);
        }
    }
    assert_eq!(read(&stage, &stage.owner, &node).await.len(), 2);
}

/// An empty list is invalid, and a batch that fails later appends nothing.
pub async fn a_log_grows_only_with_a_whole_batch(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    invalid(append(&stage, &stage.owner, &node, vec![]).await);
    let new = NewEvents {
        node: NodeRef::Id(node.id),
        after: None,
        events: vec![event("X", "{}"), event("Y", "{}")],
    };
    let failing = batch()
        .change(Change::AppendEvents(new))
        .change(Change::DeleteNode(NodeRef::Uid(stage.uid()), Expect::Any));
    not_found(stage.store().commit(&stage.owner, failing).await);
    assert!(read(&stage, &stage.owner, &node).await.is_empty());
    let added = append(&stage, &stage.owner, &node, vec![event("Z", "{}")]).await;
    assert_eq!(added.unwrap(), (1, 1));
}

/// The query must ask for deleted nodes.
pub async fn the_log_of_a_node_in_the_bin_is_read_there(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    append(&stage, &stage.owner, &node, vec![event("X", "{}")]).await.unwrap();
    let read = |bin| {
        stage.store().events(&stage.owner, node.id, EventQuery { bin, ..EventQuery::default() })
    };
    assert_eq!(read(Bin::Deleted).await.unwrap(), []);
    let delete = Change::DeleteNode(NodeRef::Id(node.id), Expect::Any);
    stage.change(&stage.owner, delete).await;
    assert_eq!(read(Bin::Live).await.unwrap(), []);
    assert_eq!(sequences(&read(Bin::Deleted).await.unwrap()), [1]);
}

/// A range of sequence numbers, in either order.
pub async fn a_log_is_read_in_pieces(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    let drafts = (0..6).map(|_| event("X", "{}")).collect();
    append(&stage, &stage.owner, &node, drafts).await.unwrap();
    let all = EventQuery::default;
    let newest = EventOrder::Descending;
    for (query, expected) in [
        (all(), vec![1, 2, 3, 4, 5, 6]),
        (EventQuery { after: Some(4), ..all() }, vec![5, 6]),
        (EventQuery { before: Some(3), ..all() }, vec![1, 2]),
        (EventQuery { after: Some(1), before: Some(4), ..all() }, vec![2, 3]),
        (EventQuery { limit: 2, ..all() }, vec![1, 2]),
        (EventQuery { limit: 2, order: newest, ..all() }, vec![6, 5]),
        (EventQuery { limit: 2, before: Some(5), order: newest, ..all() }, vec![4, 3]),
        (EventQuery { after: Some(6), ..all() }, vec![]),
    ] {
        let found = stage.store().events(&stage.owner, node.id, query.clone()).await.unwrap();
        assert_eq!(sequences(&found), expected, "{query:?}");
    }
}

/// Events of any of the kinds are returned.
pub async fn a_log_is_read_by_kind(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    let drafts = ["A", "B", "A", "C"].map(|kind| event(kind, "{}")).to_vec();
    append(&stage, &stage.owner, &node, drafts).await.unwrap();
    for (kinds, expected) in
        [(vec!["A"], vec![1, 3]), (vec!["B", "C", "x"], vec![2, 4]), (vec!["a"], vec![])]
    {
        let kinds = kinds.into_iter().map(str::to_owned).collect();
        let query = EventQuery { kinds, ..EventQuery::default() };
        let found = stage.store().events(&stage.owner, node.id, query).await.unwrap();
        assert_eq!(sequences(&found), expected);
    }
}

/// Other viewers get the event without its secret.
pub async fn secrets_are_for_the_gm_side(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    let secret = Some(r#"{"truth":"Poison"}"#.to_owned());
    let draft = NewEvent { secret: secret.clone(), ..event("X", r#"{"told":"wine"}"#) };
    append(&stage, &stage.owner, &node, vec![draft]).await.unwrap();
    for (name, role) in [("Gil", Role::Gm), ("Pia", Role::Player), ("Rob", Role::Reader)] {
        let viewer = stage.person(name, role).await;
        let shown = role == Role::Gm;
        let found = read(&stage, &viewer, &node).await;
        assert_eq!(found[0].secret, secret.clone().filter(|_| shown), "{role}");
    }
}

/// On a node that everybody sees.
pub async fn events_by_role_and_visibility(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    let mut viewers = vec![stage.owner, pia];
    for (name, role) in [("Gil", Role::Gm), ("Pit", Role::Player), ("Rob", Role::Reader)] {
        viewers.push(stage.person(name, role).await);
    }
    let node = stage.node(&stage.owner, "Session").await;
    let visibilities = [
        Visibility::Members,
        Visibility::Gm,
        Visibility::Private(stage.owner.principal),
        Visibility::Private(pia.principal),
    ];
    let drafts = visibilities.map(|visibility| NewEvent { visibility, ..event("X", "{}") });
    append(&stage, &stage.owner, &node, drafts.to_vec()).await.unwrap();
    for viewer in &viewers {
        let expected: Vec<_> = (1..)
            .zip(visibilities)
            .filter(|(_, visibility)| visibility.admits(viewer))
            .map(|(sequence, _)| sequence)
            .collect();
        assert_eq!(sequences(&read(&stage, viewer, &node).await), expected, "{viewer:?}");
        let report = stage.store().verify_events(viewer, node.id).await.unwrap();
        assert_eq!(report, whole(4), "hidden ones count");
    }
}

/// A second attempt is a conflict.
pub async fn an_event_is_settled_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let settle = |sequence| vec![NewEvent { settles: Some(sequence), ..event("SETTLED", "{}") }];
    for node in [&a, &b] {
        append(&stage, &stage.owner, node, vec![event("X", "{}")]).await.unwrap();
        assert_eq!(stage.store().settled(&stage.owner, node.id, 1).await.unwrap(), None);
        append(&stage, &stage.owner, node, settle(1)).await.unwrap();
        conflict(append(&stage, &stage.owner, node, settle(1)).await);
    }
    let found = stage.store().settled(&stage.owner, a.id, 1).await.unwrap().unwrap();
    assert_eq!((found.sequence, found.settles), (2, Some(1)));
    append(&stage, &stage.owner, &a, settle(2)).await.unwrap();
    assert_eq!(read(&stage, &stage.owner, &a).await.len(), 3, "a failed one leaves no gap");
}

/// Not a later one, not itself, and not one that does not exist.
pub async fn only_an_earlier_event_is_settled(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    append(&stage, &stage.owner, &node, vec![event("X", "{}")]).await.unwrap();
    for sequence in [-1, 0, 2, 3, 999] {
        let draft = NewEvent { settles: Some(sequence), ..event("SETTLED", "{}") };
        invalid(append(&stage, &stage.owner, &node, vec![draft]).await);
    }
}

/// The log is hidden if the node is hidden, deleted, absent or in another world.
pub async fn a_log_goes_with_its_node(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let other = stage.other_world("Other").await;
    let secret = stage.node_for(&stage.owner, Visibility::Gm).await;
    append(&stage, &stage.owner, &secret, vec![event("X", "{}")]).await.unwrap();
    let settled = NewEvent { settles: Some(1), ..event("Y", "{}") };
    append(&stage, &stage.owner, &secret, vec![settled]).await.unwrap();
    let hidden_from = async |viewer: &Viewer| {
        assert!(read(&stage, viewer, &secret).await.is_empty());
        assert_eq!(stage.store().settled(viewer, secret.id, 1).await.unwrap(), None);
        not_found(stage.store().verify_events(viewer, secret.id).await);
        not_found(append(&stage, viewer, &secret, vec![event("Z", "{}")]).await);
    };
    hidden_from(&player).await;
    hidden_from(&other).await;
    let delete = Change::DeleteNode(NodeRef::Id(secret.id), Expect::Any);
    stage.change(&stage.owner, delete).await;
    hidden_from(&stage.owner).await;
    stage.change(&stage.owner, Change::RestoreNode(NodeRef::Id(secret.id))).await;
    assert_eq!(read(&stage, &stage.owner, &secret).await.len(), 2);
    not_found(stage.store().verify_events(&stage.owner, NodeId(999)).await);
}

/// The chain has no gap and no fork.
pub async fn many_writers_make_one_chain(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Session").await;
    let mut tasks = JoinSet::new();
    for number in 0..24 {
        let (store, viewer) = (stage.shared(), stage.owner);
        let new = NewEvents {
            node: NodeRef::Id(node.id),
            after: None,
            events: vec![event("X", &number.to_string()), event("Y", "{}")],
        };
        let batch = batch().change(Change::AppendEvents(new));
        tasks.spawn(async move { store.commit(&viewer, batch).await.unwrap() });
    }
    tasks.join_all().await;
    let report = stage.store().verify_events(&stage.owner, node.id).await.unwrap();
    assert_eq!(report, whole(48));
    let kinds: Vec<_> =
        read(&stage, &stage.owner, &node).await.into_iter().map(|event| event.kind).collect();
    assert!(kinds.chunks(2).all(|pair| pair == ["X", "Y"]), "a batch stays together");
}

fn event(kind: &str, payload: &str) -> NewEvent {
    NewEvent {
        kind: kind.into(),
        request_id: "request".into(),
        invocation_id: "call".into(),
        participant: None,
        character: None,
        payload: payload.into(),
        secret: None,
        visibility: Visibility::Members,
        settles: None,
    }
}

/// Appends events; returns the first and the last new sequence number.
async fn append(
    stage: &Stage,
    viewer: &Viewer,
    node: &Node,
    events: Vec<NewEvent>,
) -> StoreResult<(i64, i64)> {
    let new = NewEvents { node: NodeRef::Id(node.id), after: None, events };
    let done = stage.attempt(viewer, Change::AppendEvents(new)).await?;
    match done.applied[0] {
        Applied::Events { first, last } => Ok((first, last)),
        _ => panic!("{done:?}"),
    }
}

async fn read(stage: &Stage, viewer: &Viewer, node: &Node) -> Vec<Event> {
    stage.store().events(viewer, node.id, EventQuery::default()).await.unwrap()
}

fn sequences(events: &[Event]) -> Vec<i64> {
    events.iter().map(|event| event.sequence).collect()
}

/// The report of an intact log with this many entries.
fn whole(length: i64) -> ChainReport {
    ChainReport { length, broken_at: None, missing: 0 }
}

//! Contract tests for visibility: who sees what, by role and visibility.

use lore_core::{BEHIND_SCREEN, Node, Role, Viewer, Visibility};
use lore_search::Query;
use serde_json::{Value, json};

use super::Harness;
use super::stage::{Stage, batch, between, edge_draft, moment, not_found};
use crate::{
    Batch, Bin, Change, Direction, EdgePatch, EdgeRef, Expect, NameMatch, NewEdge, NewNode,
    NewText, NodeKey, NodePatch, NodeQuery, NodeRef, Require, TextPatch, TextQuery, TextRef,
};

/// Viewers of each role, including the owner of the private items.
struct Cast {
    viewers: Vec<Viewer>,
    player: Viewer,
}

impl Cast {
    async fn of(stage: &Stage) -> Self {
        let mut viewers = vec![stage.owner];
        for (name, role) in [("Gil", Role::Gm), ("Rob", Role::Reader), ("Olga", Role::Owner)] {
            viewers.push(stage.person(name, role).await);
        }
        let player = stage.person("Pia", Role::Player).await;
        let other = stage.person("Pit", Role::Player).await;
        viewers.extend([player, other]);
        Self { viewers, player }
    }

    /// Every visibility, each with a viewer who may create such an item and sees it.
    fn visibilities(&self, stage: &Stage) -> [(Visibility, Viewer); 4] {
        [
            (Visibility::Members, stage.owner),
            (Visibility::Gm, stage.owner),
            (Visibility::Private(stage.owner.principal), stage.owner),
            (Visibility::Private(self.player.principal), self.player),
        ]
    }
}

/// Covers every way of reading nodes.
pub async fn nodes_by_role_and_visibility(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let cast = Cast::of(&stage).await;
    for (visibility, author) in cast.visibilities(&stage) {
        let node = stage.node_for(&author, visibility).await;
        for viewer in &cast.viewers {
            let shown = visibility.admits(viewer);
            let keys = [
                NodeKey::Id(node.id),
                NodeKey::Uid(node.uid),
                NodeKey::Number(node.number),
                NodeKey::KindNumber(node.kind.clone(), node.kind_number),
            ];
            for key in keys {
                let found = stage.store().node(viewer, key).await.unwrap();
                assert_eq!(found.is_some(), shown, "{visibility:?} {viewer:?}");
            }
            let several = stage.store().nodes(viewer, &[node.id]).await.unwrap();
            assert_eq!(several.len(), usize::from(shown), "{visibility:?} {viewer:?}");
            let several = stage.store().nodes_by_number(viewer, &[node.number]).await.unwrap();
            assert_eq!(several.len(), usize::from(shown), "{visibility:?} {viewer:?}");
            let several = stage.store().nodes_by_uid(viewer, &[node.uid]).await.unwrap();
            assert_eq!(several.len(), usize::from(shown), "{visibility:?} {viewer:?}");
            let page = stage.store().find_nodes(viewer, NodeQuery::default()).await.unwrap();
            let listed = page.items.iter().any(|item| item.id == node.id);
            assert_eq!(listed, shown, "{visibility:?} {viewer:?}");
        }
    }
}

/// By each key. Nobody sees what is in the bin of another world.
pub async fn nodes_in_the_bin_by_role_and_visibility(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let cast = Cast::of(&stage).await;
    let elsewhere = stage.other_world("Elsewhere").await;
    for (visibility, author) in cast.visibilities(&stage) {
        let node = stage.node_for(&author, visibility).await;
        stage.change(&author, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
        let keys = [
            NodeKey::Id(node.id),
            NodeKey::Uid(node.uid),
            NodeKey::Number(node.number),
            NodeKey::KindNumber(node.kind.clone(), node.kind_number),
        ];
        for key in keys {
            for viewer in &cast.viewers {
                let found = stage.store().node_in_bin(viewer, key.clone()).await.unwrap();
                assert_eq!(found.is_some(), visibility.admits(viewer), "{visibility:?} {viewer:?}");
            }
            assert_eq!(stage.store().node_in_bin(&elsewhere, key).await.unwrap(), None);
        }
    }
}

/// Also for deleted items. Items that do not exist or are in another world are not reported.
pub async fn what_is_concealed_is_known_by_every_key(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let cast = Cast::of(&stage).await;
    let open = stage.node(&stage.owner, "Gandalf").await;
    for (visibility, author) in cast.visibilities(&stage) {
        let node = stage.node_for(&author, visibility).await;
        let draft = NewText { visibility, ..stage.text_draft(&open, "secret") };
        let text = stage.write(&author, draft).await;
        let under = stage.write(&author, stage.text_draft(&node, "on it")).await;
        let keys = [
            NodeKey::Id(node.id),
            NodeKey::Uid(node.uid),
            NodeKey::Number(node.number),
            NodeKey::KindNumber(node.kind.clone(), node.kind_number),
            NodeKey::Uid(text.uid),
            NodeKey::Uid(under.uid),
        ];
        let unknown = [NodeKey::Uid(open.uid), NodeKey::Number(1_000_000)];
        for bin in [Bin::Live, Bin::Deleted] {
            if bin == Bin::Deleted {
                let gone = Change::DeleteNode(NodeRef::Id(node.id), Expect::Any);
                stage.change(&author, gone).await;
            }
            for viewer in &cast.viewers {
                let asked = [keys.as_slice(), unknown.as_slice()].concat();
                let found = stage.store().concealed(viewer, &asked).await.unwrap();
                let wanted = if visibility.admits(viewer) { Vec::new() } else { keys.to_vec() };
                assert_eq!(found, wanted, "{visibility:?} {viewer:?} {bin:?}");
            }
        }
    }
}

/// On a node that everybody sees.
pub async fn texts_by_role_and_visibility(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let cast = Cast::of(&stage).await;
    let node = stage.node(&stage.owner, "Gandalf").await;
    for (visibility, author) in cast.visibilities(&stage) {
        let draft = NewText { visibility, ..stage.text_draft(&node, "secret") };
        let text = stage.write(&author, draft).await;
        for viewer in &cast.viewers {
            let shown = visibility.admits(viewer);
            let found = stage.store().text(viewer, text.id).await.unwrap();
            assert_eq!(found.is_some(), shown, "{visibility:?} {viewer:?}");
            let all = stage.store().texts_of(viewer, node.id, Bin::Live).await.unwrap();
            let listed = all.iter().any(|item| item.id == text.id);
            assert_eq!(listed, shown, "{visibility:?} {viewer:?}");
        }
    }
}

/// Other viewers read plain words, the same as for a number that does not exist, so they cannot
/// find out numbers by writing mentions. The game master's side reads the original.
pub async fn a_text_tells_nobody_of_what_it_mentions_that_they_do_not_see(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let open = stage.node(&stage.owner, "Gandalf").await;
    let hidden = stage.node_for(&stage.owner, Visibility::Gm).await.number;
    let own = stage.node_for(&player, Visibility::Private(player.principal)).await.number;
    let (known, nobody) = (open.number, 1_000_000);
    let body = format!(
        "Of [entity:{hidden}], [entity:{hidden}|the Mill], [entity:{nobody}], [entity:{own}], \
         [entity:{known}]."
    );
    let text = NewText { title: format!("[entity:{hidden}]"), ..stage.text_draft(&open, &body) };
    let text = stage.write(&stage.owner, text).await;
    let shown = format!("Of …, the Mill, …, [entity:{own}], [entity:{known}].");
    let (title, store) = (text.title.as_str(), stage.store());
    for (viewer, title, body) in [(&player, "…", &shown), (&stage.owner, title, &body)] {
        let mut found = vec![
            store.text(viewer, text.id).await.unwrap().unwrap(),
            store.text_by_uid(viewer, text.uid).await.unwrap().unwrap(),
        ];
        found.extend(store.texts_of(viewer, open.id, Bin::Live).await.unwrap());
        found.extend(store.texts_of_nodes(viewer, &[open.id]).await.unwrap());
        found.extend(store.find_texts(viewer, TextQuery::default()).await.unwrap().items);
        let searched = store.search(viewer, Query::new("mill", 5)).await.unwrap();
        found.extend(searched.answers.into_iter().filter_map(|answer| answer.text));
        assert_eq!(found.len(), 6);
        for text in found {
            assert_eq!((text.title.as_str(), &text.body), (title, body), "{viewer:?}");
        }
    }
}

/// Between nodes that everybody sees.
pub async fn edges_by_role_and_visibility(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let cast = Cast::of(&stage).await;
    for (visibility, author) in cast.visibilities(&stage) {
        let a = stage.node(&stage.owner, "A").await;
        let b = stage.node(&stage.owner, "B").await;
        stage.put(&author, NewEdge { visibility, ..edge_draft(&a, &b) }).await;
        for viewer in &cast.viewers {
            for direction in [Direction::Out, Direction::Both] {
                let edges =
                    stage.store().neighbours(viewer, &[a.id], direction, &[], 9).await.unwrap();
                let shown = usize::from(visibility.admits(viewer));
                assert_eq!(edges.len(), shown, "{visibility:?} {viewer:?}");
            }
            let among = stage.store().edges_among(viewer, &[a.id, b.id], 9).await.unwrap();
            assert_eq!(among.len(), usize::from(visibility.admits(viewer)), "{viewer:?}");
        }
    }
}

/// Whatever their own visibility says.
pub async fn texts_of_a_hidden_node_are_hidden(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let cast = Cast::of(&stage).await;
    for (visibility, author) in cast.visibilities(&stage) {
        let node = stage.node_for(&author, visibility).await;
        let text = stage.text(&author, &node, "for all").await;
        for viewer in &cast.viewers {
            let shown = visibility.admits(viewer);
            let found = stage.store().text(viewer, text.id).await.unwrap();
            assert_eq!(found.is_some(), shown, "{visibility:?} {viewer:?}");
            let all = stage.store().texts_of(viewer, node.id, Bin::Live).await.unwrap();
            assert_eq!(!all.is_empty(), shown, "{visibility:?} {viewer:?}");
        }
    }
}

/// At either end of the edge.
pub async fn edges_of_a_hidden_node_are_hidden(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let cast = Cast::of(&stage).await;
    let open = stage.node(&stage.owner, "Open").await;
    for (visibility, author) in cast.visibilities(&stage) {
        let hidden = stage.node_for(&author, visibility).await;
        stage.join(&author, &open, &hidden).await;
        stage.join(&author, &hidden, &open).await;
        for viewer in &cast.viewers {
            let edges = stage
                .store()
                .neighbours(viewer, &[open.id, hidden.id], Direction::Both, &[], 99)
                .await
                .unwrap();
            let shown = edges.iter().filter(|e| e.source == hidden.id || e.target == hidden.id);
            let expected = if visibility.admits(viewer) { 2 } else { 0 };
            assert_eq!(shown.count(), expected, "{visibility:?} {viewer:?}");
        }
    }
}

/// They look absent.
pub async fn hidden_nodes_cannot_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (player, secret) = player_and_secret(&stage).await;
    let open = stage.node(&stage.owner, "Open").await;
    for node in [NodeRef::Id(secret.id), NodeRef::Uid(secret.uid)] {
        let text = NewText { node, ..stage.text_draft(&open, "x") };
        let changes = [
            Change::UpdateNode(node, Expect::Any, NodePatch::default()),
            Change::DeleteNode(node, Expect::Any),
            Change::RestoreNode(node),
            Change::CreateText(text),
            Change::PutEdge(NewEdge { source: node, ..edge_draft(&open, &open) }),
            Change::PutEdge(NewEdge { target: node, ..edge_draft(&open, &open) }),
        ];
        for change in changes {
            not_found(stage.attempt(&player, change).await);
        }
    }
    assert_eq!(stage.read(&stage.owner, secret.id).await.unwrap(), secret);
}

/// This includes texts of a hidden node.
pub async fn hidden_texts_cannot_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (player, secret) = player_and_secret(&stage).await;
    let open = stage.node(&stage.owner, "Open").await;
    let hidden = NewText { visibility: Visibility::Gm, ..stage.text_draft(&open, "x") };
    for draft in [hidden, stage.text_draft(&secret, "y")] {
        let text = stage.write(&stage.owner, draft).await;
        for reference in [TextRef::Id(text.id), TextRef::Uid(text.uid)] {
            let update = Change::UpdateText(reference, Expect::Any, TextPatch::default());
            for change in
                [update, Change::DeleteText(reference, Expect::Any), Change::RestoreText(reference)]
            {
                not_found(stage.attempt(&player, change).await);
            }
        }
        assert_eq!(stage.store().text(&stage.owner, text.id).await.unwrap().unwrap(), text);
    }
}

/// This includes edges at a hidden node.
pub async fn hidden_edges_cannot_be_changed(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (player, secret) = player_and_secret(&stage).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let hidden = NewEdge { visibility: Visibility::Gm, ..edge_draft(&a, &b) };
    let hidden = (stage.put(&stage.owner, hidden).await, between(&a, &b));
    let dangling = (stage.join(&stage.owner, &a, &secret).await, between(&a, &secret));
    for (edge, ends) in [hidden, dangling] {
        for reference in [EdgeRef::Id(edge.id), ends] {
            let update = Change::UpdateEdge(reference.clone(), Expect::Any, EdgePatch::default());
            for change in [
                update,
                Change::DeleteEdge(reference.clone(), Expect::Any),
                Change::RestoreEdge(reference),
            ] {
                not_found(stage.attempt(&player, change).await);
            }
        }
        assert!(stage.edges_out(&stage.owner, a.id).await.contains(&edge));
    }
}

/// A refusal would reveal the hidden edge, so each author gets an edge of their own.
pub async fn a_hidden_edge_is_neither_overwritten_nor_in_the_way(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let a = stage.node(&stage.owner, "A").await;
    let b = stage.node(&stage.owner, "B").await;
    let hidden = NewEdge { visibility: Visibility::Gm, weight: 9.0, ..edge_draft(&a, &b) };
    let edge = stage.put(&stage.owner, hidden).await;
    let own = NewEdge { visibility: Visibility::Private(player.principal), ..edge_draft(&a, &b) };
    let first = stage.put(&player, own.clone()).await;
    let again = stage.put(&player, NewEdge { weight: 2.0, ..own }).await;
    assert_eq!((again.id, again.version), (first.id, 2), "drawn again it is the same");
    assert_eq!(stage.edges_out(&player, a.id).await, [again]);
    assert_eq!(stage.edges_out(&stage.owner, a.id).await, [edge]);
    stage.change(&player, Change::DeleteEdge(between(&a, &b), Expect::Any)).await;
    assert_eq!(stage.edges_out(&player, a.id).await, []);
    assert_eq!(stage.edges_out(&stage.owner, a.id).await.len(), 1);
}

/// A total would reveal that they exist.
pub async fn hidden_nodes_are_not_counted(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (player, secret) = player_and_secret(&stage).await;
    stage.node(&stage.owner, "Open").await;
    let by_name =
        NodeQuery { name: Some(NameMatch::Exact(secret.name.clone())), ..NodeQuery::default() };
    for (query, expected) in [(NodeQuery::default(), 1), (by_name, 0)] {
        let page = stage.store().find_nodes(&player, query).await.unwrap();
        assert_eq!((page.total, page.items.len()), (expected, expected as usize));
    }
}

/// Otherwise the precondition could be used to find hidden names.
pub async fn a_hidden_name_is_free(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (player, secret) = player_and_secret(&stage).await;
    let free = Require::NameFree { kind: secret.kind.clone(), name: secret.name.clone() };
    let make =
        super::stage::batch().require(free).change(Change::CreateNode(stage.draft(&secret.name)));
    stage.commit(&player, make).await;
}

/// Deleting a hidden item does not reveal it.
pub async fn the_bin_hides_the_same_things(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (player, secret) = player_and_secret(&stage).await;
    let open = stage.node(&stage.owner, "Open").await;
    let hidden = NewText { visibility: Visibility::Gm, ..stage.text_draft(&open, "x") };
    let text = stage.write(&stage.owner, hidden).await;
    let gone = super::stage::batch()
        .change(Change::DeleteNode(NodeRef::Id(secret.id), Expect::Any))
        .change(Change::DeleteText(TextRef::Id(text.id), Expect::Any));
    stage.commit(&stage.owner, gone).await;
    let query = NodeQuery { bin: Bin::Deleted, ..NodeQuery::default() };
    let page = stage.store().find_nodes(&player, query.clone()).await.unwrap();
    assert_eq!((page.total, page.items.len()), (0, 0));
    let texts = stage.store().texts_of(&player, open.id, Bin::Deleted).await.unwrap();
    assert!(texts.is_empty());
    not_found(stage.attempt(&player, Change::RestoreNode(NodeRef::Id(secret.id))).await);
    not_found(stage.attempt(&player, Change::RestoreText(TextRef::Id(text.id))).await);
    assert_eq!(stage.store().find_nodes(&stage.owner, query).await.unwrap().total, 1);
}

/// In both directions.
pub async fn a_new_visibility_counts_at_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (player, secret) = player_and_secret(&stage).await;
    for (visibility, shown) in [
        (Visibility::Members, true),
        (Visibility::Gm, false),
        (Visibility::Private(stage.owner.principal), false),
        (Visibility::Members, true),
    ] {
        let patch = NodePatch { visibility: Some(visibility), ..NodePatch::default() };
        let change = Change::UpdateNode(NodeRef::Id(secret.id), Expect::Any, patch);
        stage.change(&stage.owner, change).await;
        assert_eq!(stage.read(&player, secret.id).await.is_some(), shown);
    }
}

/// A node that everybody sees may have hidden properties. Others neither read nor change them, even
/// with lent rights, and do not see that they changed.
pub async fn what_is_behind_the_screen_stays_there(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (owner, player) = (stage.owner, stage.person("Pia", Role::Player).await);
    let says = |value: Value| value.as_object().unwrap().clone();
    let (open, hidden) = (json!({ "age": 7 }), json!({ "plays": "the duke" }));
    let whole = |hidden: &Value| says(json!({ "age": 7, BEHIND_SCREEN: hidden }));
    let draft = NewNode { properties: whole(&hidden), ..stage.draft("Vex") };
    let node = stage.make(&owner, draft).await;
    let read = async |viewer| stage.read(viewer, node.id).await.unwrap();
    let write = |properties, seen| {
        let patch = NodePatch { properties: Some(properties), seen, ..NodePatch::default() };
        batch().change(Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch))
    };
    assert_eq!(read(&player).await.properties, says(open.clone()));
    assert_eq!(read(&owner).await.properties, whole(&hidden));
    let forged = json!({ "age": 7, BEHIND_SCREEN: {} });
    for sent in [says(open.clone()), says(forged)] {
        stage.commit(&player, write(sent.clone(), None)).await;
        stage.commit(&owner, write(sent, None).with_lent_eyes()).await;
        assert_eq!(read(&owner).await.properties, whole(&hidden));
    }
    let seen = read(&player).await.updated;
    let later = write(whole(&json!({})), Some(Visibility::Gm));
    stage.commit(&owner, Batch { at: moment(99), ..later }).await;
    assert_eq!(read(&owner).await.properties, whole(&json!({})));
    assert_eq!((read(&player).await.properties, read(&player).await.updated), (says(open), seen));
}

async fn player_and_secret(stage: &Stage) -> (Viewer, Node) {
    let player = stage.person("Pia", Role::Player).await;
    let draft = NewNode { visibility: Visibility::Gm, ..stage.draft("Secret") };
    (player, stage.make(&stage.owner, draft).await)
}

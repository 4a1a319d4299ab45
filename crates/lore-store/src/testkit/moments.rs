//! Contract tests for change dates: who can tell from them that something changed.

use lore_core::{Node, Role, Timestamp, Viewer, Visibility};
use serde_json::json;

use super::Harness;
use super::stage::{Stage, edge_draft, moment, origin, word};
use crate::{
    Batch, Change, EdgePatch, EdgeRef, Expect, NewEdge, NewEvent, NewEvents, NewNode, NewState,
    NewText, NewestNodes, NodePatch, NodeQuery, NodeRef, TextPatch, TextRef,
};

/// An open page in a world that has both hidden and open items attached to it.
struct Scene {
    stage: Stage,
    player: Viewer,
    page: Node,
    now: i64,
}

impl Scene {
    async fn set(harness: &dyn Harness) -> Self {
        let stage = Stage::set(harness).await;
        let player = stage.person("Pia", Role::Player).await;
        let page = stage.node(&stage.owner, "Open").await;
        Self { stage, player, page, now: 10 }
    }

    /// Patches the page without a new value, together with other changes, a little later.
    async fn touch(&mut self, viewer: Viewer, others: Vec<Change>) {
        self.patch(viewer, NodePatch::default(), others).await;
    }

    async fn patch(&mut self, viewer: Viewer, patch: NodePatch, others: Vec<Change>) {
        self.now += 1;
        let touch = Change::UpdateNode(self.node(), Expect::Any, patch);
        let mut batch = Batch::new(origin(), moment(self.now));
        // The order within a batch must not matter.
        match self.now % 2 {
            0 => batch.changes.extend(std::iter::once(touch).chain(others)),
            _ => batch.changes.extend(others.into_iter().chain([touch])),
        }
        self.stage.commit(&viewer, batch).await;
    }

    fn node(&self) -> NodeRef {
        NodeRef::Id(self.page.id)
    }

    fn text(&self, visibility: Visibility) -> NewText {
        NewText { visibility, ..self.stage.text_draft(&self.page, "Words") }
    }

    fn secret(&self) -> Change {
        Change::CreateText(self.text(Visibility::Gm))
    }

    fn state(&self, value: i64, visibility: Visibility) -> Change {
        Change::PutState(NewState {
            node: self.node(),
            name: word("sheet"),
            expect: Expect::Any,
            value: json!({ "hope": value }),
            visibility,
        })
    }

    fn event(&self, visibility: Visibility) -> Change {
        let event = NewEvent {
            kind: "ROLLED".into(),
            request_id: "r".into(),
            invocation_id: "i".into(),
            participant: None,
            character: None,
            payload: "{}".into(),
            secret: None,
            visibility,
            settles: None,
        };
        Change::AppendEvents(NewEvents { node: self.node(), after: None, events: vec![event] })
    }

    /// When the page was last changed, checked for every way of reading it.
    async fn seen_by(&self, viewer: &Viewer) -> Timestamp {
        let page = self.stage.read(viewer, self.page.id).await.unwrap();
        let at = page.updated.at;
        let store = self.stage.store();
        let listed = store.find_nodes(viewer, NodeQuery::default()).await.unwrap().items;
        assert!(listed.contains(&page), "{listed:?}");
        let (kind, namespace) = (page.kind.clone(), page.namespace.clone());
        let newest = NewestNodes { kind, namespace, before: None, offset: 0, limit: 0 };
        assert!(store.newest_nodes(viewer, newest).await.unwrap().contains(&page));
        let just_before = Timestamp::from_second(at.as_second() - 1).unwrap();
        for (since, is_found) in [(just_before, true), (at, false)] {
            let query = NodeQuery { since: Some(since), ..NodeQuery::default() };
            let found = store.find_ids(viewer, query).await.unwrap();
            assert_eq!(found.contains(&page.id), is_found, "{since} {viewer:?}");
        }
        at
    }

    /// Asserts that only the owner sees the last change.
    async fn is_unseen(&self, what: &str) {
        assert_eq!(self.seen_by(&self.stage.owner).await, moment(self.now), "{what}");
        assert!(self.seen_by(&self.player).await < moment(self.now), "{what}");
    }

    /// Asserts that everybody sees the last change.
    async fn is_seen(&self, what: &str) {
        for viewer in [self.stage.owner, self.player] {
            assert_eq!(self.seen_by(&viewer).await, moment(self.now), "{what} {viewer:?}");
        }
    }
}

/// Covers texts, documents, events and edges.
pub async fn what_happens_behind_the_screen_moves_no_date_of_the_players(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let (owner, page) = (scene.stage.owner, scene.page.clone());
    let hidden = scene.stage.node_for(&owner, Visibility::Gm).await;
    let open = scene.stage.node(&owner, "Other").await;
    let text = scene.stage.write(&owner, scene.text(Visibility::Gm)).await;
    let edge = NewEdge { visibility: Visibility::Gm, ..edge_draft(&page, &open) };
    let patch = EdgePatch { weight: Some(0.5), ..EdgePatch::default() };
    let drawn = scene.stage.put(&owner, edge.clone()).await;
    let body = TextPatch { body: Some("Other words".into()), ..TextPatch::default() };
    let acts = [
        scene.secret(),
        Change::CreateText(scene.text(Visibility::Private(owner.principal))),
        Change::UpdateText(TextRef::Id(text.id), Expect::Any, body),
        Change::DeleteText(TextRef::Id(text.id), Expect::Any),
        Change::RestoreText(TextRef::Id(text.id)),
        Change::MoveText(TextRef::Id(text.id), Expect::Any, NodeRef::Id(open.id)),
        scene.state(1, Visibility::Gm),
        scene.state(2, Visibility::Gm),
        scene.event(Visibility::Gm),
        Change::PutEdge(edge_draft(&page, &hidden)),
        Change::PutEdge(edge_draft(&hidden, &page)),
        Change::UpdateEdge(EdgeRef::Id(drawn.id), Expect::Any, patch),
        Change::DeleteEdge(EdgeRef::Id(drawn.id), Expect::Any),
        Change::PutEdge(edge),
    ];
    let before = scene.stage.read(&scene.player, page.id).await.unwrap().updated;
    for act in acts {
        let what = format!("{act:?}");
        scene.touch(owner, vec![act]).await;
        scene.is_unseen(&what).await;
        assert_eq!(scene.stage.read(&scene.player, page.id).await.unwrap().updated, before);
    }
    let before = scene.seen_by(&owner).await;
    scene.touch(owner, Vec::new()).await;
    assert_eq!(scene.seen_by(&owner).await, before, "where nothing changes, no date moves");
}

/// This holds even together with a hidden change. Items that appear or disappear are visible
/// changes as well.
pub async fn what_everybody_sees_moves_the_date_for_everybody(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let (owner, page) = (scene.stage.owner, scene.page.clone());
    let open = scene.stage.node(&owner, "Other").await;
    let text = scene.stage.write(&owner, scene.text(Visibility::Members)).await;
    let seen = |visibility| {
        let patch = TextPatch { visibility: Some(visibility), ..TextPatch::default() };
        Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch)
    };
    let acts = [
        Change::CreateText(scene.text(Visibility::Members)),
        seen(Visibility::Gm),
        seen(Visibility::Members),
        Change::DeleteText(TextRef::Id(text.id), Expect::Any),
        Change::RestoreText(TextRef::Id(text.id)),
        scene.state(1, Visibility::Members),
        scene.state(1, Visibility::Gm),
        scene.state(1, Visibility::Members),
        scene.event(Visibility::Members),
        Change::PutEdge(edge_draft(&page, &open)),
        Change::PutEdge(NewEdge { weight: 0.5, ..edge_draft(&page, &open) }),
    ];
    for act in acts {
        let what = format!("{act:?}");
        scene.touch(owner, vec![scene.secret()]).await;
        scene.is_unseen("something hidden").await;
        scene.touch(owner, vec![scene.secret(), act]).await;
        scene.is_seen(&what).await;
    }
}

/// A client that saves a whole page sends name, text and edges again, although they did not change.
pub async fn what_is_said_again_beside_something_hidden_moves_no_date(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let (owner, page) = (scene.stage.owner, scene.page.clone());
    let open = scene.stage.node(&owner, "Other").await;
    scene.stage.join(&owner, &page, &open).await;
    let text = scene.stage.write(&owner, scene.text(Visibility::Members)).await;
    scene.touch(owner, vec![scene.state(1, Visibility::Members)]).await;
    let same = NodePatch {
        name: Some(page.name.clone()),
        visibility: Some(page.visibility),
        properties: Some(page.properties.clone()),
        tags: Some(Vec::new()),
        ..NodePatch::default()
    };
    let body = TextPatch { body: Some(text.body.clone()), ..TextPatch::default() };
    let again = vec![
        Change::UpdateText(TextRef::Id(text.id), Expect::Any, body),
        Change::PutEdge(edge_draft(&page, &open)),
        scene.state(1, Visibility::Members),
        scene.secret(),
    ];
    scene.patch(owner, same, again).await;
    scene.is_unseen("the same again").await;
}

/// The store knows which fields of a node are open; for properties the use case says so.
pub async fn fields_move_the_date_unless_they_are_said_to_be_hidden(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let owner = scene.stage.owner;
    let blank = NodePatch::default;
    let properties = |value: i64| json!({ "field": value }).as_object().cloned();
    let hidden = Some(Visibility::Gm);
    let patches = [
        (NodePatch { properties: properties(1), seen: hidden, ..blank() }, false),
        (NodePatch { seen: hidden, ..blank() }, false),
        (NodePatch { properties: properties(2), ..blank() }, true),
        (NodePatch { seen: hidden, ..blank() }, false),
        (NodePatch { seen: Some(Visibility::Members), ..blank() }, true),
        (NodePatch { name: Some("Renamed".into()), seen: hidden, ..blank() }, true),
        (NodePatch { subtype: Some(Some("NPC".into())), seen: hidden, ..blank() }, true),
        (NodePatch { aliases: Some(vec!["Alias".into()]), seen: hidden, ..blank() }, true),
        (NodePatch { namespace: Some("west".into()), seen: hidden, ..blank() }, true),
    ];
    for (patch, shown) in patches {
        let what = format!("{patch:?}");
        scene.patch(owner, patch, vec![scene.secret()]).await;
        match shown {
            true => scene.is_seen(&what).await,
            false => scene.is_unseen(&what).await,
        }
    }
}

/// A tag with a hidden page never moves the date for players; showing its page does.
pub async fn a_hidden_tag_moves_no_date(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let owner = scene.stage.owner;
    let draft = NewNode::new(scene.stage.uid(), word("tag"), "Traitor");
    let tag = NewNode { visibility: Visibility::Gm, ..draft };
    let tag = NodeRef::Id(scene.stage.make(&owner, tag).await.id);
    let tagged = |tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        NodePatch { tags: Some(tags), ..NodePatch::default() }
    };
    let change = |patch| vec![Change::UpdateNode(tag, Expect::Any, patch)];
    let renamed = NodePatch { name: Some("Spy".into()), ..NodePatch::default() };
    let shown = NodePatch { visibility: Some(Visibility::Members), ..NodePatch::default() };
    scene.patch(owner, tagged(&["Elf"]), Vec::new()).await;
    scene.is_seen("an open tag").await;
    scene.patch(owner, tagged(&["Elf", "Traitor"]), Vec::new()).await;
    scene.is_unseen("a hidden tag").await;
    // The batch is applied in both orders: before or after the rename, one of the names has no
    // page.
    scene.now += scene.now % 2;
    scene.patch(owner, tagged(&["Elf", "Spy"]), change(renamed)).await;
    scene.is_unseen("a hidden tag is renamed").await;
    scene.patch(owner, tagged(&["Elf"]), Vec::new()).await;
    scene.is_unseen("a hidden tag is taken away").await;
    scene.patch(owner, tagged(&["Elf", "Spy"]), change(shown)).await;
    scene.is_seen("a tag that is shown by it").await;
}

/// Players learn neither the earlier names nor the earlier change dates of a page that is shown.
pub async fn what_comes_into_view_was_changed_then(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let owner = scene.stage.owner;
    let seen = |visibility| NodePatch { visibility: Some(visibility), ..NodePatch::default() };
    scene.patch(owner, seen(Visibility::Gm), Vec::new()).await;
    scene.touch(owner, vec![scene.secret()]).await;
    scene.patch(owner, seen(Visibility::Members), vec![scene.secret()]).await;
    scene.is_seen("it is shown").await;
    scene.touch(owner, vec![scene.secret()]).await;
    let node = scene.node();
    for change in [Change::DeleteNode(node, Expect::Any), Change::RestoreNode(node)] {
        scene.now += 1;
        let batch = Batch::new(origin(), moment(scene.now)).change(change);
        scene.stage.commit(&owner, batch).await;
    }
    scene.is_seen("it comes out of the bin").await;
}

/// The game master's side sees that something happened, as in the audit log; other players do not.
/// On a private node its owner sees every change.
pub async fn what_is_private_moves_the_date_for_the_gms_side_alone(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let (owner, player) = (scene.stage.owner, scene.player);
    let own = Visibility::Private(player.principal);
    let draft = Change::CreateText(scene.text(own));
    scene.touch(player, vec![draft]).await;
    scene.is_unseen("a player's own text").await;
    let other = scene.stage.person("Pit", Role::Player).await;
    assert!(scene.seen_by(&other).await < moment(scene.now));
    let diary = scene.stage.node_for(&player, own).await;
    scene.page = diary;
    let draft = Change::CreateText(scene.text(own));
    scene.touch(player, vec![draft]).await;
    assert_eq!(scene.seen_by(&player).await, moment(scene.now));
    assert!(scene.stage.read(&owner, scene.page.id).await.is_none());
}

/// The author of a hidden change is as secret as its time.
pub async fn who_changed_something_behind_the_screen_is_not_told(harness: &dyn Harness) {
    let mut scene = Scene::set(harness).await;
    let (owner, player) = (scene.stage.owner, scene.player);
    let rename = NodePatch { name: Some("Mine".into()), ..NodePatch::default() };
    scene.patch(player, rename, Vec::new()).await;
    scene.touch(owner, vec![scene.secret()]).await;
    let by = async |viewer| scene.stage.read(viewer, scene.page.id).await.unwrap().updated.by;
    assert_eq!(by(&player).await, player.principal);
    assert_eq!(by(&owner).await, owner.principal);
}

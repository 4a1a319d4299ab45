//! Contract tests for tags: a tag is as hidden as its page, and one name can be two tags.

use lore_core::{Node, Role, Viewer, Visibility};
use lore_search::{Query, Unit};

use super::Harness;
use super::stage::{Stage, batch, word};
use crate::{Change, Expect, NewNode, NodePatch, NodeQuery, NodeRef, Require, Retag, TagSide};

/// Others neither read the tag nor find by it; everybody who may see the tag's page does.
pub async fn a_tag_with_a_hidden_page_is_told_to_the_gms_side_alone(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let tags = vec!["Elf".to_owned(), "Traitor".to_owned()];
    let open = stage.make(&stage.owner, NewNode { tags, ..stage.draft("Open") }).await;
    let page = NewNode::new(stage.uid(), word("tag"), "traitor");
    let page = NewNode { visibility: Visibility::Gm, ..page };
    let page = stage.make(&stage.owner, page).await;
    let seen = async |viewer: &Viewer| {
        let read = stage.read(viewer, open.id).await.unwrap().tags.len();
        let tagged = NodeQuery { tags: vec!["traitor".into()], ..NodeQuery::default() };
        let found = stage.store().find_ids(viewer, tagged).await.unwrap().len();
        (read, found)
    };
    let asked = async || {
        let query = Query { unit: Unit::Node, exhaustive: true, ..Query::new("traitor", 5) };
        let found = stage.store().rank(&player, query).await.unwrap();
        found.hits.into_iter().any(|hit| hit.key.node == open.id)
    };
    for (visibility, shown) in [(Visibility::Gm, false), (Visibility::Members, true)].repeat(2) {
        let patch = NodePatch { visibility: Some(visibility), ..NodePatch::default() };
        let change = Change::UpdateNode(NodeRef::Id(page.id), Expect::Any, patch);
        stage.change(&stage.owner, change).await;
        assert_eq!(seen(&stage.owner).await, (2, 1));
        assert_eq!(seen(&player).await, if shown { (2, 1) } else { (1, 0) });
        assert_eq!(asked().await, shown);
    }
}

/// By its name they create a tag of their own, which everybody sees. Lent rights do not change
/// that, and hidden tags are not removed by people who do not know them.
pub async fn a_hidden_tag_is_no_tag_to_others(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (owner, player) = (stage.owner, stage.person("Pia", Role::Player).await);
    let page = NewNode::new(stage.uid(), word("tag"), "Traitor");
    let page = stage.make(&owner, NewNode { visibility: Visibility::Gm, ..page }).await;
    let tags = || vec!["TRAITOR".to_owned()];
    let marked = stage.make(&owner, NewNode { tags: tags(), ..stage.draft("Marked") }).await;
    let own = NewNode { tags: vec!["traitor".to_owned()], ..stage.draft("Own") };
    let own = stage.make(&player, own).await;
    let read = async |viewer, node: &Node| stage.read(viewer, node.id).await.unwrap().tags;
    let found = async |viewer| {
        let tagged = NodeQuery { tags: tags(), ..NodeQuery::default() };
        stage.store().find_ids(viewer, tagged).await.unwrap()
    };
    assert_eq!(read(&player, &own).await, ["traitor"]);
    assert!(read(&player, &marked).await.is_empty());
    assert_eq!((found(&player).await, found(&owner).await.len()), (vec![own.id], 2));
    let free = Require::NameFree { kind: word("tag"), name: "traitor".into() };
    for (tags, shown) in [(tags(), 1), (Vec::new(), 0)] {
        let patch = NodePatch { tags: Some(tags), ..NodePatch::default() };
        let change = Change::UpdateNode(NodeRef::Id(marked.id), Expect::Any, patch);
        let lent = batch().require(free.clone()).change(change).with_lent_eyes();
        stage.commit(&owner, lent).await;
        assert_eq!(read(&player, &marked).await.len(), shown);
        assert_eq!(read(&owner, &marked).await.len(), 1);
    }
    let patch = NodePatch { visibility: Some(Visibility::Members), ..NodePatch::default() };
    stage.change(&owner, Change::UpdateNode(NodeRef::Id(page.id), Expect::Any, patch)).await;
    assert_eq!(found(&player).await, [marked.id, own.id]);
}

/// Each of the two tags follows its own page.
pub async fn one_of_two_tags_of_a_name_is_renamed_alone(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let (owner, player) = (stage.owner, stage.person("Pia", Role::Player).await);
    let page = NewNode::new(stage.uid(), word("tag"), "Traitor");
    stage.make(&owner, NewNode { visibility: Visibility::Gm, ..page }).await;
    let tags = vec!["Traitor".to_owned()];
    let node = stage.make(&owner, NewNode { tags: tags.clone(), ..stage.draft("Marked") }).await;
    let change = |patch| Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch);
    let patch = NodePatch { tags: Some(tags), ..NodePatch::default() };
    stage.commit(&owner, batch().change(change(patch)).with_lent_eyes()).await;
    let retag = |side, to: Option<&str>| {
        let retag = Retag { side, from: "traitor".into(), to: to.map(str::to_owned) };
        change(NodePatch { retag: Some(retag), ..NodePatch::default() })
    };
    stage.change(&owner, retag(TagSide::Open, Some("Turncoat"))).await;
    let read = async |viewer| stage.read(viewer, node.id).await.unwrap().tags;
    assert_eq!(read(&player).await, ["Turncoat"]);
    assert_eq!(read(&owner).await, ["Traitor", "Turncoat"]);
    stage.change(&owner, retag(TagSide::Open, Some("Other"))).await;
    assert_eq!(read(&owner).await, ["Traitor", "Turncoat"], "it has none of that name");
    stage.change(&owner, retag(TagSide::Veiled, None)).await;
    assert_eq!(read(&owner).await, ["Turncoat"]);
}

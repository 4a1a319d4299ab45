//! Contract tests for search: what is found, by whom, and when.

use lore_core::{Node, Role, Viewer, Visibility};
use lore_search::{Filter, MatchKind, Query, Unit, Vector};

use super::Harness;
use super::stage::{Stage, batch, word};
use crate::{
    Change, Coverage, DocVector, Expect, NewNode, NewText, NodePatch, NodeRef, StoreResult,
    TextPatch, TextRef, Unembedded,
};

/// The names of the nodes in the answers, best first.
async fn names(stage: &Stage, viewer: &Viewer, query: Query) -> Vec<String> {
    let found = stage.store().search(viewer, Query { limit: 50, ..query }).await.unwrap();
    found.answers.into_iter().map(|answer| answer.node.name).collect()
}

async fn asked(stage: &Stage, viewer: &Viewer, text: &str) -> Vec<String> {
    names(stage, viewer, Query { unit: Unit::Node, ..Query::new(text, 50) }).await
}

/// Creates a node with a text.
async fn told(stage: &Stage, name: &str, body: &str) -> Node {
    let node = stage.node(&stage.owner, name).await;
    stage.text(&stage.owner, &node, body).await;
    node
}

/// Covers names, aliases, tags and texts, with the matching part of the text.
pub async fn things_are_found_by_what_they_say_and_are_called(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode {
        aliases: vec!["Mithrandir".into()],
        tags: vec!["wizard".into()],
        ..stage.draft("Gandalf")
    };
    let node = stage.make(&stage.owner, draft).await;
    stage.text(&stage.owner, &node, "He carried fireworks to the birthday party.").await;
    told(&stage, "Bree", "A village of wooden houses at a crossing of old roads.").await;
    for query in ["Gandalf", "mithrandir", "WIZARD", "firework parties?"] {
        assert_eq!(asked(&stage, &stage.owner, query).await.first().unwrap(), "Gandalf", "{query}");
    }
    let query = Query::new("who carries fireworks", 5);
    let found = stage.store().search(&stage.owner, query).await.unwrap();
    let first = &found.answers[0];
    assert_eq!(first.text.as_ref().unwrap().node, node.id);
    let snippet = first.snippet("who carries fireworks");
    assert!(snippet.text.contains("fireworks"), "{snippet:?}");
    assert!(first.hit.score > 0.0);
    assert!((first.hit.parts.sum() - first.hit.score).abs() < 1e-4);
}

/// The text keeps its ids, and is deleted and restored with its new node.
pub async fn a_moved_text_is_its_new_nodes_and_found_there_only(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let from = told(&stage, "Bree", "Nothing of note.").await;
    let to = stage.node(&stage.owner, "Gandalf").await;
    let text = stage.text(&stage.owner, &from, "fireworks").await;
    assert_eq!(asked(&stage, &stage.owner, "fireworks").await, ["Bree"]);
    for (target, name) in [(&to, "Gandalf"), (&from, "Bree"), (&to, "Gandalf")] {
        let target = NodeRef::Id(target.id);
        stage
            .change(&stage.owner, Change::MoveText(TextRef::Id(text.id), Expect::Any, target))
            .await;
        assert_eq!(asked(&stage, &stage.owner, "fireworks").await, [name]);
    }
    let moved = stage.store().text_by_uid(&stage.owner, text.uid).await.unwrap().unwrap();
    assert_eq!((moved.id, moved.node, moved.version), (text.id, to.id, 4));
    let nowhere = NodeRef::Uid(stage.uid());
    let lost = Change::MoveText(TextRef::Id(text.id), Expect::Any, nowhere);
    super::stage::not_found(stage.attempt(&stage.owner, lost).await);
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(from.id), Expect::Any)).await;
    assert_eq!(asked(&stage, &stage.owner, "fireworks").await, ["Gandalf"]);
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(to.id), Expect::Any)).await;
    assert!(asked(&stage, &stage.owner, "fireworks").await.is_empty());
}

/// A node with the name comes before nodes whose texts contain it.
pub async fn a_name_comes_first(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 0..5 {
        told(&stage, &format!("Song {number}"), "Bree, Bree, lovely Bree, oh Bree of Bree").await;
    }
    told(&stage, "Bree", "A village.").await;
    let query = Query { unit: Unit::Node, ..Query::new("bree", 10) };
    let found = stage.store().search(&stage.owner, query).await.unwrap();
    assert_eq!(found.answers[0].node.name, "Bree");
    assert_eq!(found.answers[0].hit.match_kind, MatchKind::ExactName);
    assert_eq!(found.answers.len(), 6);
}

/// Each change shows in the next search.
pub async fn what_was_written_is_found_at_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Inn").await;
    let text = stage.text(&stage.owner, &node, "The cellar is full of barrels.").await;
    assert_eq!(asked(&stage, &stage.owner, "barrels").await, ["Inn"]);
    let patch = TextPatch { body: Some("The attic has ghosts.".into()), ..TextPatch::default() };
    stage.change(&stage.owner, Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch)).await;
    assert_eq!(asked(&stage, &stage.owner, "barrels").await, [""; 0]);
    assert_eq!(asked(&stage, &stage.owner, "ghosts").await, ["Inn"]);
    let patch = NodePatch {
        name: Some("Prancing Pony".into()),
        tags: Some(vec!["lodging".into()]),
        ..NodePatch::default()
    };
    stage.change(&stage.owner, Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch)).await;
    for query in ["prancing pony", "lodging", "ghosts"] {
        assert_eq!(asked(&stage, &stage.owner, query).await, ["Prancing Pony"], "{query}");
    }
    assert_eq!(asked(&stage, &stage.owner, "inn").await, [""; 0]);
}

/// Texts are hidden and found again together with their node.
pub async fn deleted_things_are_not_found_until_restored(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = told(&stage, "Tower", "Crows circle above it.").await;
    let text = stage.text(&stage.owner, &node, "Its door is hidden behind ivy.").await;
    stage.change(&stage.owner, Change::DeleteText(TextRef::Id(text.id), Expect::Any)).await;
    assert_eq!(asked(&stage, &stage.owner, "ivy").await, [""; 0]);
    stage.change(&stage.owner, Change::RestoreText(TextRef::Id(text.id))).await;
    assert_eq!(asked(&stage, &stage.owner, "ivy").await, ["Tower"]);
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
    for query in ["ivy", "crows", "tower"] {
        assert_eq!(asked(&stage, &stage.owner, query).await, [""; 0], "{query}");
    }
    stage.change(&stage.owner, Change::RestoreNode(NodeRef::Id(node.id))).await;
    for query in ["ivy", "crows", "tower"] {
        assert_eq!(asked(&stage, &stage.owner, query).await, ["Tower"], "{query}");
    }
}

/// Neither hidden nodes nor hidden texts are found by any of their words, even after a change.
pub async fn what_is_hidden_is_not_found(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let gm = stage.person("Gail", Role::Gm).await;
    let draft = NewNode { visibility: Visibility::Gm, ..stage.draft("Lich") };
    let lich = stage.make(&stage.owner, draft).await;
    stage.text(&stage.owner, &lich, "It keeps its heart in a jar.").await;
    let open = told(&stage, "Crypt", "Cold stone.").await;
    let secret = NewText { visibility: Visibility::Gm, ..stage.text_draft(&open, "A trapdoor.") };
    let secret = stage.write(&stage.owner, secret).await;
    let diary = Visibility::Private(player.principal);
    let diary = NewText { visibility: diary, ..stage.text_draft(&open, "I am afraid of spiders.") };
    stage.write(&player, diary).await;
    for query in ["lich", "heart jar", "trapdoor"] {
        assert_eq!(asked(&stage, &player, query).await, [""; 0], "{query}");
        assert_eq!(asked(&stage, &gm, query).await.len(), 1, "{query}");
    }
    assert_eq!(asked(&stage, &player, "spiders").await, ["Crypt"]);
    assert_eq!(asked(&stage, &gm, "spiders").await, [""; 0]);
    let show = TextPatch { visibility: Some(Visibility::Members), ..TextPatch::default() };
    stage.change(&stage.owner, Change::UpdateText(TextRef::Id(secret.id), Expect::Any, show)).await;
    let show = NodePatch { visibility: Some(Visibility::Members), ..NodePatch::default() };
    stage.change(&stage.owner, Change::UpdateNode(NodeRef::Id(lich.id), Expect::Any, show)).await;
    for query in ["lich", "heart jar", "trapdoor"] {
        assert_eq!(asked(&stage, &player, query).await.len(), 1, "{query}");
    }
    let hide = NodePatch { visibility: Some(Visibility::Gm), ..NodePatch::default() };
    stage.change(&stage.owner, Change::UpdateNode(NodeRef::Id(lich.id), Expect::Any, hide)).await;
    assert_eq!(asked(&stage, &player, "heart jar").await, [""; 0]);
}

/// A viewer who cannot see an item gets the same answers as if it did not exist.
pub async fn hidden_things_do_not_change_anybodys_answers(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    for number in 0..6 {
        told(&stage, &format!("Hill {number}"), &format!("Sheep graze on hill {number}.")).await;
    }
    let query = || Query::new("grazing sheep on hill 3", 10);
    let before = stage.store().search(&player, query()).await.unwrap();
    let hidden = NewNode { visibility: Visibility::Gm, ..stage.draft("Hidden pasture") };
    let hidden = stage.make(&stage.owner, hidden).await;
    for _ in 0..10 {
        stage.text(&stage.owner, &hidden, "Sheep, sheep, grazing sheep on every hill.").await;
    }
    let after = stage.store().search(&player, query()).await.unwrap();
    assert_eq!(before, after);
}

/// Each world has its own index.
pub async fn other_worlds_are_not_searched(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    told(&stage, "Well", "Its water glows at night.").await;
    let other = stage.other_world("Elsewhere").await;
    assert_eq!(asked(&stage, &other, "glowing water").await, [""; 0]);
    assert_eq!(asked(&stage, &stage.owner, "glowing water").await, ["Well"]);
}

/// Covers kinds, kinds of text, namespaces, subtypes, tags, sources, sessions, times and nodes.
pub async fn filters_hold_before_the_cut(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for number in 0..30 {
        told(&stage, &format!("Crowd {number}"), "A dragon, a dragon, a dragon!").await;
    }
    let draft = NewNode {
        namespace: "north".into(),
        subtype: Some("Sea Serpent".into()),
        tags: vec!["Old".into(), "big".into()],
        ..NewNode::new(stage.uid(), word("beast"), "Wyrm")
    };
    let wyrm = stage.make(&stage.owner, draft).await;
    let mut text = stage.text_draft(&wyrm, "Once they said of it that some dragon it might be.");
    text.kind = word("rumour");
    text.provenance.source = Some("tavern".into());
    text.provenance.session = Some("evening".into());
    text.provenance.occurred_at = Some("2020-05-01T00:00:00Z".parse().unwrap());
    stage.write(&stage.owner, text).await;
    let moment = |text: &str| Some(text.parse().unwrap());
    let filters = [
        Filter { kinds: vec![word("beast")], ..Filter::default() },
        Filter { except_kinds: vec![word("character")], ..Filter::default() },
        Filter { text_kinds: vec![word("rumour")], ..Filter::default() },
        Filter { namespaces: vec!["north".into()], ..Filter::default() },
        Filter { subtype: Some("sea SERPENT".into()), ..Filter::default() },
        Filter { tags: vec!["OLD".into(), "big".into()], ..Filter::default() },
        Filter { sources: vec!["tavern".into()], ..Filter::default() },
        Filter { session: Some("evening".into()), ..Filter::default() },
        Filter { until: moment("2020-06-01T00:00:00Z"), ..Filter::default() },
        Filter { nodes: vec![wyrm.id], ..Filter::default() },
    ];
    for filter in filters {
        for text in ["dragon", ""] {
            let query =
                Query { unit: Unit::Node, limit: 1, filter: filter.clone(), ..Query::new(text, 1) };
            assert_eq!(names(&stage, &stage.owner, query).await, ["Wyrm"], "{text:?} {filter:?}");
        }
    }
    let nothing = [
        Filter { tags: vec!["old".into(), "small".into()], ..Filter::default() },
        Filter { subtype: Some("Serpent".into()), ..Filter::default() },
    ];
    for filter in nothing {
        let query = Query { filter, ..Query::new("dragon", 5) };
        assert_eq!(names(&stage, &stage.owner, query).await, [""; 0]);
    }
}

/// Texts that are marked as not searchable, and names that are only cut from a text.
pub async fn what_is_not_searchable_is_not_found(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let draft = NewNode { derived_name: true, ..stage.draft("Quicksilver") };
    let node = stage.make(&stage.owner, draft).await;
    let text = NewText { searchable: false, ..stage.text_draft(&node, "Marmalade.") };
    let text = stage.write(&stage.owner, text).await;
    for query in ["quicksilver", "marmalade"] {
        assert_eq!(asked(&stage, &stage.owner, query).await, [""; 0], "{query}");
    }
    let show = TextPatch { searchable: Some(true), ..TextPatch::default() };
    stage.change(&stage.owner, Change::UpdateText(TextRef::Id(text.id), Expect::Any, show)).await;
    assert_eq!(asked(&stage, &stage.owner, "marmalade").await, ["Quicksilver"]);
}

/// No text makes a search fail.
pub async fn any_text_is_a_query(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    told(&stage, "Self-healing", "C'est la vie: \"naïve\" über-Straße? 北京 🐉").await;
    let long = "dragon ".repeat(15_000);
    let odd = [
        "",
        " ",
        "?",
        "self-healing",
        "\"",
        "'",
        "*",
        "a AND",
        "NEAR(",
        "(((",
        "-",
        "--",
        "%_",
        "name:x",
        "\0",
        "🐉🐉",
        "\u{202e}abc",
        "ä",
        "北京",
        "SELECT * FROM node; --",
        &long,
    ];
    for query in odd {
        let found: StoreResult<_> = stage.store().search(&stage.owner, Query::new(query, 5)).await;
        assert!(found.is_ok(), "{query:?}");
    }
    for query in ["self-healing", "healing?", "naive", "uber", "strasse", "北京"] {
        assert_eq!(asked(&stage, &stage.owner, query).await, ["Self-healing"], "{query}");
    }
}

/// A store that is opened again gives the same answers, and so does a rebuilt index.
pub async fn the_index_outlives_the_process(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, body) in [("Mill", "The wheel is broken."), ("Forge", "The bellows wheeze.")] {
        told(&stage, name, body).await;
    }
    let query = || Query { unit: Unit::Node, ..Query::new("broken wheel of the mill", 10) };
    let before = stage.store().search(&stage.owner, query()).await.unwrap();
    let stage = stage.reopen(harness).await;
    assert_eq!(stage.store().search(&stage.owner, query()).await.unwrap(), before);
    assert_eq!(stage.store().rebuild_index().await.unwrap(), 4);
    assert_eq!(stage.store().search(&stage.owner, query()).await.unwrap(), before);
    stage.commit(&stage.owner, batch().touch("lore://x")).await;
    assert_eq!(stage.store().search(&stage.owner, query()).await.unwrap(), before);
}

/// The texts of documents that need a vector of `model`.
async fn waiting(stage: &Stage, model: &str) -> Vec<String> {
    let waiting = stage.store().without_vector(model, 0, 50).await.unwrap();
    waiting.docs.into_iter().map(|one| one.text).collect()
}

/// Stores the vector that `of` returns for each waiting document; returns how many were stored.
async fn embed(stage: &Stage, model: &str, of: impl Fn(&str) -> Vec<f32>) -> usize {
    let waiting = stage.store().without_vector(model, 0, 50).await.unwrap();
    let vectors =
        waiting.docs.into_iter().map(|one| DocVector { state: one.state, values: of(&one.text) });
    stage.store().put_vectors(model, vectors.collect()).await.unwrap()
}

/// Live, searchable documents need one vector per model, and a new one after a change.
pub async fn documents_wait_for_vectors_of_a_model(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Mill").await;
    let text = stage.text(&stage.owner, &node, "The wheel is broken.").await;
    let silent = NewText { searchable: false, ..stage.text_draft(&node, "Silent.") };
    stage.write(&stage.owner, silent).await;
    assert_eq!(waiting(&stage, "m1").await, ["Mill", "The wheel is broken."]);
    assert_eq!(embed(&stage, "m1", |_| vec![1.0, 0.0]).await, 2);
    assert_eq!(waiting(&stage, "m1").await, [""; 0]);
    assert_eq!(waiting(&stage, "m2").await.len(), 2);
    let patch = TextPatch { body: Some("It turns.".into()), ..TextPatch::default() };
    stage.change(&stage.owner, Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch)).await;
    assert_eq!(waiting(&stage, "m1").await, ["It turns."]);
    stage.change(&stage.owner, Change::DeleteNode(NodeRef::Id(node.id), Expect::Any)).await;
    assert_eq!(waiting(&stage, "m1").await, [""; 0]);
}

/// Continuing from a mark misses nothing: neither documents that are left, nor those that were
/// embedded and changed since, nor those that were restored.
pub async fn vectors_are_made_one_part_after_the_other(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Mill").await;
    for body in ["One.", "Two.", "Three."] {
        stage.text(&stage.owner, &node, body).await;
    }
    let (mut mark, mut parts) = (0, Vec::new());
    loop {
        let waiting = stage.store().without_vector("m", mark, 2).await.unwrap();
        mark = waiting.mark;
        if waiting.docs.is_empty() {
            break;
        }
        parts.push(waiting.docs.len());
        let vector = |one: &Unembedded| DocVector { state: one.state, values: vec![1.0] };
        let vectors = waiting.docs.iter().map(vector).collect();
        stage.store().put_vectors("m", vectors).await.unwrap();
        let done = parts.iter().sum::<usize>() as u64;
        let coverage = stage.store().coverage(&stage.owner, "m").await.unwrap();
        assert_eq!(coverage, Coverage { done, waiting: 4 - done });
    }
    assert_eq!(parts, [2, 2]);
    let hidden = NewText { visibility: Visibility::Gm, ..stage.text_draft(&node, "Hidden.") };
    stage.write(&stage.owner, hidden).await;
    let waiting = stage.store().without_vector("m", mark, 2).await.unwrap();
    assert_eq!(waiting.docs.len(), 1, "{waiting:?}");
    let player = stage.person("Pia", Role::Player).await;
    for (viewer, waiting) in [(stage.owner, 1), (player, 0)] {
        let coverage = stage.store().coverage(&viewer, "m").await.unwrap();
        assert_eq!(coverage, Coverage { done: 4, waiting });
    }
}

/// The vectors belong to the old words.
pub async fn vectors_of_what_has_changed_are_dropped(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let node = stage.node(&stage.owner, "Mill").await;
    let text = stage.text(&stage.owner, &node, "The wheel is broken.").await;
    let before = stage.store().without_vector("m", 0, 50).await.unwrap().docs;
    let patch = TextPatch { body: Some("It turns.".into()), ..TextPatch::default() };
    stage.change(&stage.owner, Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch)).await;
    let vectors = before.iter().map(|one| DocVector { state: one.state, values: vec![1.0] });
    assert_eq!(stage.store().put_vectors("m", vectors.collect()).await.unwrap(), 1);
    assert_eq!(waiting(&stage, "m").await, ["It turns."]);
}

/// A query with a vector of the same model matches by similarity alone.
pub async fn vectors_find_what_shares_no_word(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, body) in [("One", "Zyx qwv."), ("Two", "Plok mnb."), ("Three", "Ghj tre.")] {
        told(&stage, name, body).await;
    }
    let vector = |text: &str| {
        if text.contains("Plok") { vec![0.0, 1.0, 0.0] } else { vec![1.0, 0.0, 0.0] }
    };
    assert_eq!(embed(&stage, "m", vector).await, 6);
    let embedding = Vector { model: "m".into(), values: vec![0.1, 0.9, 0.0].into() };
    let query = Query { embedding: Some(embedding), ..Query::new("vbnm fghj", 5) };
    assert_eq!(names(&stage, &stage.owner, query).await.first().map(String::as_str), Some("Two"));
}

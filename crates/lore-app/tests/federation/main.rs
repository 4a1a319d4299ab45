//! Two worlds whose KOI-net nodes talk to each other: what leaves a world, and what happens to what
//! arrives.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod caller;
mod place;

use std::sync::Arc;

use lore_app::access::Presence;
use lore_app::federation::{self, DOCUMENT_TYPE, ENTITY_TYPE, Endpoint, Opening, ShareRule};
use lore_app::knowledge::{self, Intake, Librarian, Passages, Read, Whose};
use lore_app::memory::MemoryCall;
use lore_app::memory::exchange::export;
use lore_core::{Role, Uid, Viewer, Visibility};
use lore_koinet::PollEvents;
use lore_store::{Change, Expect, NodeQuery, NodeRef, TextPatch, TextRef};
use serde_json::{Value, json};

use caller::Caller;
use place::{Place, pair, seen_by, until, word};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shared_arrives_apart_and_marked_and_nothing_else_does() {
    let (one, two) = pair().await;
    let shared = one.make("Osanna", "A vampire noble.", Visibility::Members).await;
    let hidden = one.make("The traitor", "Nobody knows.", Visibility::Gm).await;
    one.make("Nobody", "Not chosen.", Visibility::Members).await;
    let me = one.viewer.principal;
    one.make("Diary", "Mine alone.", Visibility::Private(me)).await;
    let share = |rule| federation::share(&one.app, &one.viewer, rule, Opening::Leave);
    share(ShareRule::Node("Osanna".into())).await.unwrap();
    assert!(share(ShareRule::Node(hidden.to_string())).await.is_err(), "private is private");
    until("it arrives", || async { two.arrivals().await.len() == 1 }).await;
    let arrival = two.arrivals().await.remove(0);
    assert_eq!(arrival.name, "Osanna");
    assert_eq!(arrival.tags, ["untrusted"]);
    assert_eq!(arrival.properties["trust"], "untrusted");
    assert_eq!(arrival.properties["node"], one.node.rid().await.as_str());
    let texts = two.app.store.texts_of_nodes(&two.viewer, &[arrival.id]).await.unwrap();
    assert!(texts[0].body.contains("vampire"), "{}", texts[0].body);
    assert!(
        texts[0].provenance.source.as_ref().unwrap().starts_with("koi-net:orn:koi-net.node:one")
    );

    share(ShareRule::Everything).await.unwrap();
    until("the rest arrives", || async { two.arrivals().await.len() == 2 }).await;
    let names: Vec<_> = two.arrivals().await.into_iter().map(|node| node.name).collect();
    assert_eq!(names, ["Osanna", "Nobody"], "what not every member sees stays");

    one.change(shared, seen_by(Visibility::Gm)).await;
    until("what was hidden is forgotten", || async { two.arrivals().await.len() == 1 }).await;
    assert!(one.arrivals().await.is_empty(), "what was given away does not come back as foreign");
}

#[tokio::test(flavor = "multi_thread")]
async fn mentions_leave_as_names_and_what_arrives_mentions_nobody() {
    let (one, two) = pair().await;
    let seen = one.make("Osanna", "x", Visibility::Members).await;
    let hidden = one.make("The traitor", "x", Visibility::Gm).await;
    let known = one.app.store.nodes_by_uid(&one.viewer, &[seen, hidden]).await.unwrap();
    let number = |uid| known.iter().find(|node| node.uid == uid).unwrap().number;
    let (seen, hidden) = (number(seen), number(hidden));
    let body = format!("Of [entity:{seen}], [entity:{hidden}] and [entity:{hidden}|whom?].");
    one.make("Teller", &body, Visibility::Members).await;
    one.share(ShareRule::Node("Teller".into())).await;
    until("it arrives", || async { two.arrivals().await.len() == 1 }).await;
    let arrival = two.arrivals().await.remove(0);
    let texts = two.app.store.texts_of_nodes(&two.viewer, &[arrival.id]).await.unwrap();
    assert_eq!(texts[0].body, "Of Osanna, … and whom?.");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_leaves_to_the_federation_what_is_its_own() {
    let (one, two) = pair().await;
    one.make("Osanna", "A vampire noble.", Visibility::Members).await;
    one.share(ShareRule::Everything).await;
    until("it arrives", || async { two.arrivals().await.len() == 1 }).await;
    two.make("Tavern", "Where it began.", Visibility::Members).await;
    let call = MemoryCall {
        app: Arc::clone(&two.app),
        viewer: two.viewer,
        tool: "test",
        request_id: "1".into(),
        arrived: 0,
        reading_only: true,
    };
    let mut names = Vec::new();
    let count = export(&call, |page, _| {
        names.extend(page.iter().map(|one| one.node.name.clone()));
        Ok(())
    });
    assert_eq!((count.await.unwrap(), names), (1, vec!["Tavern".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_of_either_side_lose_nothing() {
    let (mut one, mut two) = pair().await;
    one.share(ShareRule::Kind("character".into())).await;
    let mut made = Vec::new();
    for number in 0..40 {
        made.push(one.make(&format!("Thing {number}"), "Text.", Visibility::Members).await);
        if number % 13 == 0 {
            one = one.kill().await;
        }
        if number % 17 == 0 {
            two = two.kill().await;
        }
    }
    until("all arrived", || async { two.arrivals().await.len() == 40 }).await;
    one.commit(vec![Change::DeleteNode(NodeRef::Uid(made[0]), Expect::Any)]).await;
    two = two.kill().await;
    until("one is gone", || async { two.arrivals().await.len() == 39 }).await;
    one.commit(vec![Change::RestoreNode(NodeRef::Uid(made[0]))]).await;
    until("it is back", || async { two.arrivals().await.len() == 40 }).await;
    let rid = one.node.rid().await;
    federation::break_with(&two.app, &two.viewer, &rid).await.unwrap();
    until("nothing of it is left", || async { two.arrivals().await.is_empty() }).await;
}

/// There must be no delay: a request after a change must see the world as it is then.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_hidden_a_moment_ago_is_not_handed_out() {
    let one = Place::new("one", &Arc::default()).await;
    let caller = Caller::new(&one).await;
    let uid = one.make("Osanna", "A vampire noble.", Visibility::Members).await;
    let rid = format!("{ENTITY_TYPE}:{uid}");
    assert_eq!(caller.sees(&one, &rid).await, (String::new(), false));
    one.share(ShareRule::Kind("character".into())).await;
    let (seen, listed) = caller.sees(&one, &rid).await;
    assert!(seen.contains("vampire") && listed, "{seen}");
    for who in [Visibility::Gm, Visibility::Private(one.viewer.principal)] {
        one.change(uid, seen_by(who)).await;
        assert_eq!(caller.sees(&one, &rid).await, (String::new(), false), "{who:?}");
        one.change(uid, seen_by(Visibility::Members)).await;
        assert!(caller.sees(&one, &rid).await.1);
    }
    one.commit(vec![Change::DeleteNode(NodeRef::Uid(uid), Expect::Any)]).await;
    assert_eq!(caller.sees(&one, &rid).await, (String::new(), false));
    one.commit(vec![Change::RestoreNode(NodeRef::Uid(uid))]).await;
    assert!(caller.sees(&one, &rid).await.1);
    one.unshare(ShareRule::Kind("character".into())).await;
    assert_eq!(caller.sees(&one, &rid).await, (String::new(), false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_was_hidden_a_moment_ago_is_neither_fetched_nor_polled() {
    let one = Place::new("one", &Arc::default()).await;
    let caller = Caller::new(&one).await;
    let uid = one.make("Osanna", "A vampire noble.", Visibility::Members).await;
    let rid = format!("{ENTITY_TYPE}:{uid}");
    one.share(ShareRule::Everything).await;
    assert!(caller.sees(&one, &rid).await.0.contains("vampire"));
    let nodes = one.app.store.nodes_by_uid(&one.viewer, &[uid]).await.unwrap();
    let texts = one.app.store.texts_of_nodes(&one.viewer, &[nodes[0].id]).await.unwrap();
    let hidden = TextPatch { visibility: Some(Visibility::Gm), ..TextPatch::default() };
    one.commit(vec![Change::UpdateText(TextRef::Id(texts[0].id), Expect::Any, hidden)]).await;
    let polled = caller.ask(&one, Endpoint::Poll, &PollEvents::new(0)).await.to_string();
    assert!(polled.contains("Osanna") && !polled.contains("vampire"), "{polled}");
    let (seen, _) = caller.sees(&one, &rid).await;
    assert!(seen.contains("Osanna") && !seen.contains("vampire"), "{seen}");
    one.change(uid, seen_by(Visibility::Gm)).await;
    let polled = caller.ask(&one, Endpoint::Poll, &PollEvents::new(0)).await.to_string();
    assert!(polled.contains("FORGET") && !polled.contains("Osanna"), "{polled}");
}

fn librarian(place: &Place) -> Librarian {
    let (app, viewer) = (Arc::clone(&place.app), place.viewer);
    let presence = Presence::Here;
    Librarian { app, viewer, presence, tool: "test", request_id: "1".into() }
}

async fn keep_document(place: &Place, content: &str) -> Uid {
    let read = Read {
        rid: "orn:web.page:ex_com/abcd".into(),
        title: Some("Flummoxery".into()),
        content: content.into(),
        source: "web".into(),
    };
    knowledge::take(&librarian(place), &read, &Intake::default()).await.unwrap();
    let kinds = vec![word("outside_document")];
    let query = NodeQuery { kinds, ..NodeQuery::default() };
    place.app.store.find_nodes(&place.viewer, query).await.unwrap().items[0].uid
}

/// Documents are visible only to the game master's side at first. The owner opens those that are to
/// be shared.
#[tokio::test(flavor = "multi_thread")]
async fn documents_are_shared_once_they_are_opened() {
    let one = Place::new("one", &Arc::default()).await;
    let caller = Caller::new(&one).await;
    let uid = keep_document(&one, "What a flummox is.").await;
    let rid = format!("{DOCUMENT_TYPE}:{uid}");
    let share = |what: &str, opening| {
        federation::share(&one.app, &one.viewer, ShareRule::Node(what.into()), opening)
    };
    let refused = share("Flummoxery", Opening::Leave).await.unwrap_err();
    assert!(refused.hint().contains("--open"), "{refused}");
    let kind = ShareRule::Kind("outside_document".into());
    let shared = federation::share(&one.app, &one.viewer, kind.clone(), Opening::Leave).await;
    let report = shared.unwrap().report;
    assert_eq!((report.shared, report.hidden, report.closed_documents), (0, 1, 1));
    assert_eq!(caller.sees(&one, &rid).await, (String::new(), false));

    let opened = share("orn:web.page:ex_com/abcd", Opening::Open).await.unwrap();
    assert_eq!((opened.opened, opened.report.shared, opened.was_there), (1, 1, false));
    assert!(caller.sees(&one, &rid).await.0.contains("flummox"));
    let player = Viewer { role: Role::Reader, ..one.viewer };
    assert_eq!(one.app.store.nodes_by_uid(&player, &[uid]).await.unwrap().len(), 1);

    keep_document(&one, &format!("# One\n\n{}\n\n# Two\n\nZarquon.", "Long. ".repeat(900))).await;
    assert!(
        caller.sees(&one, &rid).await.0.contains("Zarquon"),
        "new parts are as open as the rest"
    );

    let stopped = federation::unshare(&one.app, &one.viewer, ShareRule::Node(uid.to_string()));
    assert_eq!(stopped.await.unwrap().still, std::slice::from_ref(&kind));
    assert!(caller.sees(&one, &rid).await.1, "another rule still covers it");
    one.unshare(kind.clone()).await;
    assert_eq!(caller.sees(&one, &rid).await, (String::new(), false));
    assert!(
        federation::unshare(&one.app, &one.viewer, kind).await.is_err(),
        "there is no such rule"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_outlive_what_they_are_about_and_can_be_taken_back() {
    let one = Place::new("one", &Arc::default()).await;
    let uid = one.make("Osanna", "A vampire noble.", Visibility::Members).await;
    one.share(ShareRule::Node("osanna".into())).await;
    let rules = federation::rules(&one.app, &one.viewer).await.unwrap();
    assert_eq!(rules[0].thing, Some(("Osanna".into(), "character".into())));
    one.change(uid, seen_by(Visibility::Gm)).await;
    let rules = federation::rules(&one.app, &one.viewer).await.unwrap();
    assert_eq!((rules[0].shared, rules[0].hidden), (0, 1));
    one.unshare(ShareRule::Node("Osanna".into())).await;
    one.change(uid, seen_by(Visibility::Members)).await;
    one.share(ShareRule::Node(uid.to_string())).await;
    one.commit(vec![Change::DeleteNode(NodeRef::Uid(uid), Expect::Any)]).await;
    one.unshare(ShareRule::Node(uid.to_string())).await;
    assert!(federation::rules(&one.app, &one.viewer).await.unwrap().is_empty());
}

/// What other nodes shared is found by its name through every door, with its origin.
#[tokio::test(flavor = "multi_thread")]
async fn what_others_told_is_found_and_names_its_source() {
    let (one, two) = pair().await;
    one.make("Zorbulon", "A ghastly planet.", Visibility::Members).await;
    one.share(ShareRule::Everything).await;
    until("it arrives", || async { two.arrivals().await.len() == 1 }).await;
    let source = format!("koi-net:{}", one.node.rid().await);
    let librarian = librarian(&two);
    let hits = |whose| knowledge::find_entities(&librarian, "Zorbulon", None, whose, 5);
    let found = hits(Whose::Everybodys).await.unwrap();
    assert_eq!(found[0].source.as_ref(), Some(&source));
    assert_eq!(found[0].entity.entity_type.as_str(), "Person", "as its node says");
    assert!(hits(Whose::Ours).await.unwrap().is_empty(), "names are resolved to our own only");
    for wanted in [None, Some("koi-net"), Some(source.as_str())] {
        let found = knowledge::find_documents(&librarian, "Zorbulon", wanted, 5, Passages::Leave);
        let found = found.await.unwrap().documents;
        assert_eq!(found[0].source, source, "{wanted:?}");
    }
    let elsewhere = Some("koi-net:orn:koi-net.node:other+00");
    let found = knowledge::find_documents(&librarian, "Zorbulon", elsewhere, 5, Passages::Leave);
    assert!(found.await.unwrap().documents.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_knows_stays_in_its_world() {
    let one = Place::new("one", &Arc::default()).await;
    let own = one.node.health(one.viewer.world).await;
    assert_eq!(own["status"], "healthy");
    let other = one.node.health(lore_core::WorldId(one.viewer.world.0 + 1)).await;
    assert_eq!((&other["status"], &other["node"]), (&json!("disabled"), &Value::Null));
}

//! Visibility, and reading without leaving a trace.

use lore_app::worlds;
use lore_core::{Principal, Role};
use lore_tools::{CallError, Selection};
use serde_json::json;

use crate::mind::Mind;

#[tokio::test]
async fn readers_and_read_only_servers_leave_no_trace() {
    let mind = Mind::fresh().await;
    let new = json!({
        "action": "save", "content": "The tide turns at noon", "type": "gotcha",
        "visibility": "shared",
    });
    mind.call("kn_experience", new).await;
    let reader = mind.person("Rea", Role::Reader).await;
    let ask = json!({ "action": "recall", "topic": "tide" });
    let read_only = Selection::new().reading_only();
    for _ in 0..6 {
        let answer = mind.try_as(reader, &Selection::new(), "kn_intel", ask.clone()).await;
        assert_eq!(answer.unwrap()["count"], 1);
        let answer =
            mind.try_as(mind.viewer, &read_only, "kn_recall", json!({"topic": "tide"})).await;
        assert_eq!(answer.unwrap()["results"][0]["source"], "experience", "nothing is promoted");
    }
    let learn = json!({ "action": "learn", "content": "x", "type": "gotcha" });
    for (viewer, selection) in [(reader, Selection::new()), (mind.viewer, read_only)] {
        let refused = mind.try_as(viewer, &selection, "kn_intel", learn.clone()).await;
        assert!(matches!(refused, Err(CallError::Failed(_))), "{refused:?}");
        let form = mind.registry.tools(&selection, viewer.role).find(|t| t.name == "kn_intel");
        let form = form.unwrap();
        assert!(form.annotations.read_only);
        let actions = &form.input_schema["properties"]["action"]["enum"];
        assert_eq!(actions, &json!(["recall", "crossref", "context", "related"]));
        let set = json!({ "action": "list", "set_active": "x" });
        let refused = mind.try_as(viewer, &selection, "kn_project", set).await;
        assert!(matches!(refused, Err(CallError::Failed(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn players_see_only_what_is_shared_and_their_own() {
    let mind = Mind::fresh().await;
    mind.learn("The duke is a vampire", "high").await;
    mind.learn("The duchess suspects the vampire", "low").await;
    let shared = json!({
        "action": "add", "name": "Vampire rumours", "type": "rumour", "visibility": "shared",
    });
    mind.call("kn_graph", shared).await;
    let player = mind.person("Pia", Role::Player).await;
    let all = Selection::new();
    let own = json!({ "action": "learn", "content": "I fear the vampire", "type": "gotcha" });
    mind.try_as(player, &all, "kn_intel", own).await.unwrap();
    let ask = json!({ "action": "recall", "topic": "vampire" });
    let seen = mind.try_as(player, &all, "kn_intel", ask.clone()).await.unwrap();
    assert_eq!(seen["count"], 2, "{seen}");
    assert!(!seen.to_string().contains("duke") && !seen.to_string().contains("duchess"));
    let master = mind.try_as(mind.viewer, &all, "kn_intel", ask).await.unwrap();
    assert!(!master.to_string().contains("I fear"), "what a player keeps is the player's");
    assert_eq!(master["count"], 3, "{master}");
}

#[tokio::test]
async fn crossref_shows_a_reader_nothing_of_the_game_masters_in_worlds_they_run() {
    let mut mind = Mind::fresh().await;
    let here = mind.viewer;
    let other = worlds::create(&mind.app, Principal::LOCAL, "Velm", "test").await.unwrap();
    mind.viewer = mind.app.store.enter(Principal::LOCAL, other.id).await.unwrap().unwrap();
    mind.learn("The archivist of Velm is the traitor", "high").await;
    let hidden = json!({ "entities": [{
        "entity_type": "character", "name": "Archivist Odo", "entry": "The traitor of Velm",
        "is_hidden": true,
    }] });
    mind.try_as(mind.viewer, &Selection::new(), "create_entities", hidden).await.unwrap();
    let open = json!({
        "action": "save", "content": "The archivist of Velm keeps bees", "type": "gotcha",
        "visibility": "shared",
    });
    mind.call("kn_experience", open).await;
    let sam = mind.person("Sam", Role::Gm).await;
    let own = json!({
        "action": "save", "content": "The archivist of Velm pays Sam", "type": "gotcha",
        "visibility": "private",
    });
    mind.try_as(sam, &Selection::new(), "kn_experience", own).await.unwrap();
    mind.viewer = here;
    for (role, wanted) in [(Role::Reader, 1), (Role::Player, 2), (Role::Gm, 4)] {
        let sam = mind.person("Sam", role).await;
        let ask = json!({ "action": "crossref", "problem": "archivist Velm traitor" });
        let found = mind.try_as(sam, &Selection::new(), "kn_intel", ask).await.unwrap();
        assert_eq!(found["count"], wanted, "{role}: {found}");
        assert_eq!(found.to_string().contains("is the traitor"), role == Role::Gm, "{found}");
    }
}

#[tokio::test]
async fn what_somebody_may_not_change_is_refused_in_the_form_of_the_contract() {
    let mind = Mind::fresh().await;
    let keep = json!({ "action": "add", "name": "Keep", "type": "place", "visibility": "shared" });
    mind.call("kn_graph", keep).await;
    let player = mind.person("Pia", Role::Player).await;
    let remove = json!({ "action": "remove", "node_id": "Keep" });
    let refused = mind.try_as(player, &Selection::new(), "kn_graph", remove).await.unwrap();
    assert_eq!(refused["_v"], "1.0", "{refused}");
    assert!(refused["error"].is_string() && refused["hint"].is_string(), "{refused}");
}

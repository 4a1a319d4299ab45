//! Learning and recalling.

use lore_core::Principal;
use lore_tools::Selection;
use serde_json::json;

use crate::mind::{Mind, id};

#[tokio::test]
async fn a_learned_fact_comes_back_once() {
    let mind = Mind::fresh().await;
    let sure = mind.learn("Grease the capstan before each voyage", "high").await;
    assert_eq!(sure["stored_as"], "node");
    let (node, experience) = (id(&sure["node_id"]), id(&sure["experience_id"]));
    let rows = mind.recall("how do I treat the capstan?").await;
    let ids: Vec<_> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [node.as_str()]);
    assert_eq!((&rows[0]["source"], &rows[0]["relevance"]), (&json!("node"), &json!(1.0)));
    assert_eq!(rows[0]["description"], "Grease the capstan before each voyage");
    let listed = mind.call("kn_intel", json!({ "action": "recall" })).await;
    assert_eq!(listed["count"], 1);
    let search = json!({ "action": "search", "text": "capstan", "type": "solution" });
    let found = mind.call("kn_experience", search).await;
    assert_eq!(found["experiences"][0]["id"], json!(experience));
    let status = mind.call("kn_graph", json!({ "action": "status" })).await;
    assert_eq!((&status["nodes"], &status["experiences"]), (&json!(1), &json!(1)));
    mind.call("kn_graph", json!({ "action": "remove", "node_id": node })).await;
    assert!(mind.recall("capstan").await.is_empty());
    let status = mind.call("kn_graph", json!({ "action": "status" })).await;
    assert_eq!((&status["nodes"], &status["experiences"]), (&json!(0), &json!(0)));
    mind.call("kn_graph", json!({ "action": "restore", "node_id": node })).await;
    assert_eq!(mind.recall("capstan").await.len(), 1);
}

#[tokio::test]
async fn what_is_alike_is_pointed_out_and_never_merged() {
    let mind = Mind::fresh().await;
    let first = mind.learn("The bridge at Orm is safe to cross", "high").await;
    assert_eq!(first["candidates"], json!([]));
    let denied = mind.learn("The bridge at Orm is not safe to cross", "high").await;
    let candidate = &denied["candidates"][0];
    assert_eq!(
        (&candidate["id"], &candidate["relation"]),
        (&first["node_id"], &json!("contradiction"))
    );
    let again = mind.learn("The bridge at Orm is safe to cross!", "medium").await;
    let relations: Vec<_> = again["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["relation"].as_str().unwrap())
        .collect();
    assert_eq!(relations, ["duplicate", "contradiction"]);
    assert_eq!(mind.recall("bridge at Orm").await.len(), 3);
}

#[tokio::test]
async fn the_same_said_on_another_day_is_no_contradiction() {
    let mind = Mind::fresh().await;
    mind.learn("[8 May 2023] Mara: The pool holds 10 connections", "high").await;
    let again = mind.learn("[9 June 2024] Mara: The pool holds 10 connections", "high").await;
    assert_eq!(again["candidates"][0]["relation"], "duplicate", "{again}");
    let other = mind.learn("[9 June 2024] Mara: The pool holds 25 connections", "high").await;
    assert_eq!(other["candidates"][0]["relation"], "contradiction", "{other}");
}

#[tokio::test]
async fn what_was_superseded_stays_dated_behind_what_took_its_place() {
    let mind = Mind::fresh().await;
    let old = mind.learn("The harbour master is called Brann", "high").await;
    mind.wait_days(1);
    let new = json!({
        "action": "learn", "type": "decision", "content": "Since the election Ysolde runs the port",
        "supersedes": old["node_id"], "occurred_at": "8 May 2023",
    });
    let new = mind.call("kn_intel", new).await;
    let rows = mind.recall("who is the harbour master").await;
    let ids: Vec<_> = rows.iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&new["node_id"], &old["node_id"]], "{rows:?}");
    assert_eq!(rows[1]["valid_to"], "2023-05-08T00:00:00Z");
    assert_eq!(rows[1]["superseded_by"], new["node_id"]);
    assert_eq!(rows[0]["occurred_at"], "2023-05-08T00:00:00Z");
}

#[tokio::test]
async fn author_and_time_are_read_from_chat_logs() {
    let mind = Mind::fresh().await;
    let turns = [
        "[8 May 2023] Caroline: I adopted a grey parrot called Quill",
        "Melanie: Does it talk already?",
    ];
    for turn in turns {
        let new = json!({
            "action": "save", "content": turn, "type": "decision", "session": "chat 1",
        });
        mind.call("kn_experience", new).await;
    }
    let rows = mind.recall("Which pet did Caroline adopt?").await;
    assert_eq!((&rows[0]["author"], &rows[0]["session"]), (&json!("Caroline"), &json!("chat 1")));
    assert_eq!(rows[0]["occurred_at"], "2023-05-08T00:00:00Z");
    assert_eq!(rows[0]["content"], turns[0]);
    for when in ["some day", "-000044-03-15", "0000-01-01", "9999-12-31", "2023-13-01"] {
        let bad = json!({
            "action": "save", "content": "x", "type": "gotcha", "occurred_at": when,
        });
        let error = format!("Invalid occurred_at: {when}");
        assert_eq!(mind.error("kn_experience", bad).await, error);
    }
}

#[tokio::test]
async fn secrets_are_masked_on_every_way_in() {
    let mind = Mind::fresh().await;
    let key = format!("sk-ant-{}", "a1b2c3d4e5f6g7h8i9j0");
    let text = format!("use {key} here");
    let project = mind.call("kn_project", json!({ "action": "create", "name": "Port" })).await;
    let calls = [
        ("kn_graph", json!({ "action": "add", "name": text, "type": "note", "description": text })),
        ("kn_graph", json!({ "action": "add", "name": "n", "type": "note", "tags": [text] })),
        (
            "kn_experience",
            json!({ "action": "save", "content": text, "type": "gotcha", "context": text }),
        ),
        ("kn_intel", json!({ "action": "learn", "content": text, "type": "gotcha" })),
        ("kn_idea", json!({ "action": "create", "title": text, "category": text })),
        ("kn_project", json!({ "action": "create", "name": text, "goals": [text] })),
        (
            "kn_project",
            json!({
                "action": "log", "project_id": project["id"], "action_text": text, "result": text,
                "next_step": text,
            }),
        ),
    ];
    for (tool, arguments) in calls {
        let answer = mind.call(tool, arguments.clone()).await;
        assert!(
            answer["masked"].as_array().is_some_and(|m| m.contains(&json!("API key"))),
            "{answer}"
        );
        assert!(!answer.to_string().contains(&key), "{answer}");
    }
    for answer in [
        mind.call("kn_intel", json!({ "action": "recall", "limit": 50 })).await,
        mind.resource("kn://projects").await,
        mind.resource("kn://memories").await,
    ] {
        assert!(!answer.to_string().contains(&key), "{answer}");
    }
}

#[tokio::test]
async fn crossref_searches_the_other_worlds_and_says_which() {
    let mind = Mind::fresh().await;
    mind.learn("Here: boil the rope in tar", "high").await;
    let elsewhere =
        lore_app::worlds::create(&mind.app, Principal::LOCAL, "Shipyard", "test").await.unwrap();
    let there = mind.app.store.enter(Principal::LOCAL, elsewhere.id).await.unwrap().unwrap();
    let fact = json!({
        "action": "learn", "type": "solution", "content": "Soak the rope in tar for a night",
    });
    mind.try_as(there, &Selection::new(), "kn_intel", fact).await.unwrap();
    let ask = json!({ "action": "crossref", "problem": "the rope rots" });
    let found = mind.call("kn_intel", ask).await;
    assert_eq!((&found["count"], &found["searched"]), (&json!(1), &json!(["Shipyard"])));
    assert_eq!(found["results"][0]["workspace"], "Shipyard");
    assert!(found["results"][0]["description"].as_str().unwrap().starts_with("Soak"));
}

#[tokio::test]
async fn a_long_text_that_is_learned_twice_is_a_duplicate_of_itself() {
    let mind = Mind::fresh().await;
    let line =
        |n: usize| format!("On day {n} the boat with {} barrels left pier {}. ", n * 3, n % 7);
    let text: String = (1..=120).map(line).collect();
    for confidence in ["low", "high"] {
        mind.learn(&text, confidence).await;
        let again = mind.learn(&text, confidence).await;
        let candidates = again["candidates"].as_array().unwrap();
        let relations: Vec<_> = candidates.iter().map(|one| &one["relation"]).collect();
        assert!(!relations.is_empty());
        assert!(relations.iter().all(|relation| *relation == "duplicate"), "{relations:?}");
    }
}

//! Knowledge that is superseded, kept or restored.

use lore_core::Role;
use lore_tools::Selection;
use serde_json::{Value, json};

use crate::mind::{Mind, id};

async fn graph(mind: &Mind, action: &str, mut arguments: Value) -> Value {
    arguments["action"] = json!(action);
    mind.call("kn_graph", arguments).await
}

async fn experiences(mind: &Mind, mut arguments: Value) -> Vec<Value> {
    arguments["action"] = json!("search");
    mind.call("kn_experience", arguments).await["experiences"].as_array().unwrap().clone()
}

#[tokio::test]
async fn projects_and_ideas_are_not_superseded_by_facts() {
    let mind = Mind::fresh().await;
    let project = json!({ "action": "create", "name": "Ferry" });
    let project = id(&mind.call("kn_project", project).await["id"]);
    let fact = json!({
        "action": "learn", "content": "The ferry is sold", "type": "decision",
        "supersedes": project,
    });
    let refused = mind.error("kn_intel", fact).await;
    assert!(refused.contains("is not a fact"), "{refused}");
    assert_eq!(mind.call("kn_project", json!({ "action": "list" })).await["count"], 1);
    assert_eq!(mind.recall("is the ferry sold").await.len(), 1, "only the project");
}

#[tokio::test]
async fn a_name_that_lives_again_is_restored_and_told_by_its_id() {
    let mind = Mind::fresh().await;
    let first = mind.add("Windlass", "old").await;
    graph(&mind, "remove", json!({ "node_id": first })).await;
    mind.add("Windlass", "new").await;
    let back = graph(&mind, "restore", json!({ "node_id": "Windlass" })).await;
    assert_eq!((&back["restored"], &back["id"]), (&json!("node"), &json!(first)));
}

#[tokio::test]
async fn of_many_with_one_name_the_last_removed_comes_back() {
    let mind = Mind::fresh().await;
    let mut last = String::new();
    for text in ["one", "two", "three"] {
        last = mind.add("Capstan", text).await;
        graph(&mind, "remove", json!({ "node_id": last })).await;
        mind.wait_days(1);
    }
    let back = graph(&mind, "restore", json!({ "node_id": "Capstan" })).await;
    assert_eq!(back["id"], json!(last));
}

#[tokio::test]
async fn both_halves_of_a_fact_go_and_come_back_by_either() {
    let mind = Mind::fresh().await;
    let fact = mind.learn("Zebras sleep standing", "high").await;
    graph(&mind, "remove", json!({ "node_id": fact["experience_id"] })).await;
    assert!(mind.recall("zebras").await.is_empty());
    graph(&mind, "restore", json!({ "node_id": fact["experience_id"] })).await;
    assert_eq!(mind.recall("zebras").await[0]["id"], fact["node_id"]);
    assert_eq!(experiences(&mind, json!({ "text": "zebras" })).await.len(), 1);
}

#[tokio::test]
async fn a_project_that_comes_back_does_not_push_itself_in() {
    let mind = Mind::fresh().await;
    let project = |name: &'static str| json!({ "action": "create", "name": name });
    let a = id(&mind.call("kn_project", project("A")).await["id"]);
    let b = id(&mind.call("kn_project", project("B")).await["id"]);
    let choose = |id: &str| json!({ "action": "list", "set_active": id });
    mind.call("kn_project", choose(&a)).await;
    graph(&mind, "remove", json!({ "node_id": a })).await;
    mind.call("kn_project", choose(&b)).await;
    graph(&mind, "restore", json!({ "node_id": a })).await;
    let active = mind.call("kn_project", json!({ "action": "list", "active_only": true })).await;
    let ids: Vec<_> = active["projects"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert_eq!(ids, [&json!(b)]);
}

#[tokio::test]
async fn what_is_kept_for_good_is_not_pruned() {
    let mind = Mind::fresh().await;
    mind.learn("Kettle descaling needs citric acid", "low").await;
    mind.learn("The gangway squeaks", "low").await;
    for _ in 0..5 {
        mind.call("kn_intel", json!({ "action": "recall", "topic": "kettle", "limit": 1 })).await;
    }
    mind.wait_days(5_000);
    let status = graph(&mind, "status", json!({})).await;
    let findings = status["health"]["findings"].to_string();
    assert!(findings.contains("1 experiences have less"), "{findings}");
    let pruned = mind.call("kn_experience", json!({ "action": "prune" })).await;
    assert_eq!(pruned["pruned_count"], 1);
    let rows = mind.recall("kettle descaling").await;
    assert_eq!((&rows[0]["relevance"], rows.len()), (&json!(1.0), 1));
}

#[tokio::test]
async fn the_status_counts_as_faded_only_what_its_reader_can_prune() {
    let mind = Mind::fresh().await;
    let new = json!({
        "action": "save", "content": "The gangway squeaks", "type": "gotcha",
        "confidence": "low", "visibility": "shared",
    });
    mind.call("kn_experience", new).await;
    let ann = mind.person("Ann", Role::Player).await;
    mind.wait_days(5_000);
    let all = Selection::new();
    let prune = json!({ "action": "prune" });
    let pruned = mind.try_as(ann, &all, "kn_experience", prune).await.unwrap();
    assert_eq!(pruned["pruned_count"], 0);
    let look = json!({ "action": "status" });
    let status = mind.try_as(ann, &all, "kn_graph", look.clone()).await.unwrap();
    assert_eq!(status["health"]["findings"], json!([]), "{status}");
    let status = mind.call("kn_graph", look).await;
    assert!(status["health"]["findings"].to_string().contains("1 experiences"), "{status}");
}

#[tokio::test]
async fn filling_a_list_and_leafing_through_count_as_no_access() {
    let mind = Mind::fresh().await;
    mind.learn("Kettle descaling needs citric acid", "low").await;
    mind.learn("Barley is sold by the bushel", "low").await;
    for _ in 0..8 {
        assert_eq!(mind.recall("kettle").await.len(), 2, "the list is filled");
        mind.call("kn_intel", json!({ "action": "recall" })).await;
    }
    let promoted = graph(&mind, "query", json!({ "node_type": "promoted_experience" })).await;
    assert_eq!(promoted["count"], 1);
    assert!(promoted["nodes"][0]["name"].as_str().unwrap().contains("Kettle"));
}

#[tokio::test]
async fn in_a_conversation_only_what_answers_is_counted() {
    let mind = Mind::fresh().await;
    for turn in [
        "Hi, how was the trip to the coast?",
        "Lovely, we walked for hours every day.",
        "My best time over ten kilometres is fifty minutes now.",
        "Impressive! Are you training for something?",
        "Perhaps a longer race next spring, if my knee holds.",
        "Then mind your knee and rest on Mondays.",
        "The cat has been to the vet again, poor thing.",
        "I hope it is nothing serious.",
    ] {
        let turn = json!({
            "action": "save", "content": turn, "type": "decision", "session": "talk",
        });
        mind.call("kn_experience", turn).await;
    }
    for _ in 0..6 {
        assert_eq!(mind.recall("What is my best time over ten kilometres?").await.len(), 8);
    }
    let promoted = graph(&mind, "query", json!({ "node_type": "promoted_experience" })).await;
    assert_eq!(promoted["count"], 1, "{promoted}");
    assert!(promoted["nodes"][0]["name"].as_str().unwrap().contains("best time"));
}

#[tokio::test]
async fn what_no_longer_holds_says_so_everywhere_and_holds_again_when_its_heir_is_gone() {
    let mind = Mind::fresh().await;
    let old = mind.learn("HQ is in Bonn", "high").await;
    let new = mind.call(
        "kn_intel",
        json!({
            "action": "learn", "type": "solution", "content": "HQ is in Berlin",
            "supersedes": old["node_id"],
        }),
    );
    let new = new.await;
    let marked = |row: &Value| row["superseded_by"] == new["node_id"];
    let found = experiences(&mind, json!({ "text": "HQ in Bonn" })).await;
    assert!(!marked(&found[0]) && marked(&found[1]), "{found:?}");
    let query = graph(&mind, "query", json!({ "text": "HQ in Bonn" })).await;
    assert!(marked(&query["nodes"][1]), "{query}");
    let context = json!({ "action": "context", "keywords": "HQ Bonn" });
    let context = mind.call("kn_intel", context).await;
    assert!(context["nodes"].as_array().unwrap().iter().any(marked), "{context}");
    let memories = mind.resource("kn://memories").await;
    assert!(marked(&memories["experiences"][1]), "{memories}");
    let bootup = mind.prompt("kn_bootup").await;
    assert!(bootup.contains("HQ is in Bonn (no longer holds"), "{bootup}");
    graph(&mind, "remove", json!({ "node_id": new["node_id"] })).await;
    let rows = mind.recall("HQ in Bonn").await;
    assert_eq!((&rows[0]["superseded_by"], &rows[0]["valid_to"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn a_text_that_is_cut_says_so() {
    let mind = Mind::fresh().await;
    mind.add("Saga", &"long ago ".repeat(400)).await;
    mind.add("Riddle", "what walks on four legs").await;
    assert_eq!(mind.recall("saga").await[0]["truncated"], true);
    assert_eq!(mind.recall("riddle").await[0]["truncated"], Value::Null);
    let context = json!({ "action": "context", "keywords": "saga", "detail": "full" });
    assert_eq!(mind.call("kn_intel", context).await["nodes"][0]["truncated"], true);
}

#[tokio::test]
async fn experiences_are_found_by_tags_and_words_together() {
    let mind = Mind::fresh().await;
    for (content, tag) in [("Tar the ropes", "été"), ("Tar the hull", "winter")] {
        let new = json!({ "action": "save", "content": content, "type": "gotcha", "tags": [tag] });
        mind.call("kn_experience", new).await;
    }
    let both = experiences(&mind, json!({ "text": "tar", "tags": ["Ete"] })).await;
    assert_eq!((both.len(), &both[0]["content"]), (1, &json!("Tar the ropes")));
    assert_eq!(experiences(&mind, json!({ "tags": ["winter"] })).await.len(), 1);
    assert!(experiences(&mind, json!({ "text": "tar", "tags": ["spring"] })).await.is_empty());
}

#[tokio::test]
async fn joining_again_without_a_weight_changes_nothing() {
    let mind = Mind::fresh().await;
    let (a, b) = (mind.add("Bow", "front").await, mind.add("Stern", "back").await);
    let ends = |edge_type: &str| json!({ "source_id": a, "target_id": b, "edge_type": edge_type });
    let mut weighed = ends("next");
    weighed["weight"] = json!(0.3);
    graph(&mind, "connect", weighed).await;
    let again = graph(&mind, "connect", ends("NEXT")).await;
    assert_eq!((&again["weight"], &again["type"]), (&json!(0.3), &json!("next")));
}

#[tokio::test]
async fn a_name_comes_before_a_number() {
    let mind = Mind::fresh().await;
    let first = mind.add("First", "number one").await;
    mind.add("Second", "number two").await;
    let three = mind.add("1", "called one").await;
    let found = mind.call("kn_intel", json!({ "action": "related", "node_id": "1" })).await;
    assert_eq!(found["error"], Value::Null);
    graph(
        &mind,
        "connect",
        json!({
            "source_id": "1", "target_id": "Second", "edge_type": "near",
        }),
    )
    .await;
    let near = json!({ "action": "related", "node_id": "Second", "edge_type": "near" });
    assert_eq!(mind.call("kn_intel", near).await["results"][0]["node"]["id"], json!(three));
    let by_number = graph(&mind, "remove", json!({ "node_id": "#1" })).await;
    assert_eq!(by_number["id"], json!(first));
}

#[tokio::test]
async fn a_world_of_knowledge_alone_is_not_called_empty() {
    let mind = Mind::fresh().await;
    mind.add("Windlass", "hoists the anchor").await;
    let (bootup, review) = (mind.prompt("kn_bootup").await, mind.prompt("kn_review").await);
    assert!(bootup.contains("Windlass") && !bootup.contains("Nothing is remembered"), "{bootup}");
    assert!(review.contains("nodes: 1") && !review.contains("nothing yet"), "{review}");
}

#[tokio::test]
async fn neither_is_what_was_learned_for_good_and_its_name_means_the_lasting_half() {
    let mind = Mind::fresh().await;
    mind.learn("It was sold at Tortuga", "high").await;
    mind.wait_days(400);
    let prune = json!({ "action": "prune", "threshold": 1.0 });
    assert_eq!(mind.call("kn_experience", prune).await["pruned_count"], 0);

    let by_name = json!({ "action": "related", "node_id": "Solution: It was sold at Tortuga" });
    let related = mind.call("kn_intel", by_name).await;
    assert_eq!(related.get("error"), None, "{related}");
}

#[tokio::test]
async fn who_may_not_change_a_thing_replaces_it_only_for_themselves() {
    let mind = Mind::fresh().await;
    let shared =
        json!({ "action": "add", "name": "King", "type": "person", "visibility": "shared" });
    mind.call("kn_graph", shared).await;
    let heir = |content: &str| {
        json!({
            "action": "learn", "type": "solution", "content": content, "supersedes": "King",
        })
    };
    let ilsa = mind.call("kn_intel", heir("The throne passed to Ilsa")).await;
    let (ann, bob) = (mind.person("Ann", Role::Player).await, mind.person("Bob", Role::Player));
    let (bob, all) = (bob.await, Selection::new());
    let fled = mind.try_as(ann, &all, "kn_intel", heir("The monarch fled")).await.unwrap();

    let look = json!({ "action": "query", "node_type": "person", "detail": "full" });
    let king = async |viewer| {
        let found = mind.try_as(viewer, &all, "kn_graph", look.clone()).await.unwrap();
        found["nodes"][0].clone()
    };
    let master = king(mind.viewer).await;
    assert_eq!(master["superseded_by"], ilsa["node_id"], "{master}");
    assert_eq!(king(ann).await["superseded_by"], fled["node_id"]);
    let unknowing = king(bob).await;
    assert_eq!(unknowing.get("superseded_by"), None, "{unknowing}");
    assert_eq!(unknowing["updated_at"], unknowing["created_at"]);
    let rows = mind.recall("King").await;
    assert_eq!(rows[0]["id"], ilsa["node_id"], "{rows:?}");
}

#[tokio::test]
async fn of_two_heirs_the_one_that_is_left_has_its_place() {
    let mind = Mind::fresh().await;
    let first = mind.learn("The toll is 10 coins", "high").await;
    let mut heirs = Vec::new();
    for content in ["The toll is 12 coins", "The toll is 15 coins"] {
        mind.wait_days(1);
        let new = json!({
            "action": "learn", "type": "solution", "content": content,
            "supersedes": first["node_id"],
        });
        heirs.push(mind.call("kn_intel", new).await);
    }
    graph(&mind, "remove", json!({ "node_id": heirs[1]["node_id"] })).await;
    let rows = mind.recall("toll coins").await;
    assert_eq!(rows[0]["id"], heirs[0]["node_id"], "{rows:?}");
    assert_eq!(rows[1]["superseded_by"], heirs[0]["node_id"], "{rows:?}");
}

#[tokio::test]
async fn without_a_topic_what_no_longer_holds_comes_last() {
    let mind = Mind::fresh().await;
    mind.learn("One is a start", "high").await;
    let two = mind.learn("Two is company", "high").await;
    mind.learn("Three is a crowd", "high").await;
    let four = json!({
        "action": "learn", "type": "solution", "content": "Four is a party",
        "supersedes": two["node_id"],
    });
    mind.call("kn_intel", four).await;
    let rows = mind.call("kn_intel", json!({ "action": "recall" })).await;
    let last = rows["results"].as_array().unwrap().last().unwrap();
    assert_eq!(last["id"], two["node_id"], "{rows}");
}

#[tokio::test]
async fn what_was_superseded_says_so_beside_its_neighbours_and_as_a_candidate() {
    let mind = Mind::fresh().await;
    let old = mind.learn("The north gate closes at nine in the evening", "high").await;
    let new = json!({
        "action": "learn", "type": "solution", "supersedes": old["node_id"],
        "content": "The north gate closes at eight in the evening",
    });
    let new = mind.call("kn_intel", new).await;
    let ask = json!({ "action": "related", "node_id": new["node_id"] });
    let near = mind.call("kn_intel", ask).await;
    assert_eq!(near["count"], 1, "a fact is one: {near}");
    assert_eq!(near["results"][0]["node"]["id"], old["node_id"]);
    assert_eq!(near["results"][0]["superseded_by"], new["node_id"], "{near}");
    let third = mind.learn("The north gate closes at seven in the evening", "high").await;
    let candidates = third["candidates"].as_array().unwrap();
    let by = |id: &Value| {
        let found = candidates.iter().find(|one| one["id"] == *id);
        found.unwrap_or_else(|| panic!("{third}"))["superseded_by"].clone()
    };
    assert_eq!((by(&old["node_id"]), by(&new["node_id"])), (new["node_id"].clone(), json!(null)));
    let again = mind.learn("The north gate closes at nine in the evening", "high").await;
    let (last, holding) = again["candidates"].as_array().unwrap().split_last().unwrap();
    assert_eq!((&last["id"], &last["relation"]), (&old["node_id"], &json!("duplicate")), "{again}");
    assert_eq!(holding.len(), 2, "what holds comes before what was replaced: {again}");
}

/// Learns something that supersedes `old`.
async fn instead(mind: &Mind, content: &str, old: &Value) -> Value {
    let new = json!({
        "action": "learn", "type": "solution", "content": content, "supersedes": old,
    });
    mind.call("kn_intel", new).await["node_id"].clone()
}

/// Returns what an action of `kn_intel` lists, each with what superseded it.
async fn listed(mind: &Mind, question: Value, lists: &[&str]) -> Vec<(Value, Value)> {
    let answer = mind.call("kn_intel", question).await;
    let rows = lists.iter().filter_map(|list| answer[list].as_array()).flatten();
    rows.map(|row| (row["id"].clone(), row["superseded_by"].clone())).collect()
}

#[tokio::test]
async fn what_holds_after_several_replacements_comes_first_everywhere() {
    let mind = Mind::fresh().await;
    for thing in ["moon", "tide", "oak", "harp", "mill", "lamp", "kite", "crow", "dune", "fern"] {
        mind.learn(&format!("The {thing} is quiet"), "high").await;
    }
    let first = mind.learn("Backups are written to tape nightly", "high").await["node_id"].clone();
    let second = instead(&mind, "Copies go to the NAS", &first).await;
    let third = instead(&mind, "Frankfurt holds every snapshot", &second).await;
    for question in [
        json!({ "action": "recall", "topic": "tape nightly" }),
        json!({ "action": "context", "keywords": "tape nightly" }),
        json!({ "action": "crossref", "problem": "tape nightly" }),
    ] {
        let rows = listed(&mind, question.clone(), &["results", "nodes"]).await;
        assert_eq!(rows[0], (third.clone(), Value::Null), "{question}: {rows:?}");
        assert!(rows.contains(&(first.clone(), second.clone())), "{question}: {rows:?}");
        assert!(!rows.contains(&(second.clone(), Value::Null)), "{question}: {rows:?}");
    }
}

#[tokio::test]
async fn what_took_the_place_of_something_kept_for_good_is_in_a_context_once() {
    let mind = Mind::fresh().await;
    mind.learn("The moon is quiet", "high").await;
    let old = mind.learn("The ferry leaves at seven from pier two", "low").await;
    for _ in 0..5 {
        mind.recall("ferry pier").await;
    }
    let heir = instead(&mind, "The ship departs at nine from quay five", &old["experience_id"]);
    let heir = heir.await;
    let context = json!({ "action": "context", "keywords": "ferry pier" });
    let rows = listed(&mind, context, &["nodes", "experiences"]).await;
    assert_eq!(rows.iter().filter(|(id, _)| *id == heir).count(), 1, "{rows:?}");
    assert_eq!((rows.len(), &rows[0].0), (2, &heir), "{rows:?}");
}

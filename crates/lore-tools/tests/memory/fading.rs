//! Relevance over time: what fades and what is kept.

use lore_tools::Selection;
use serde_json::{Value, json};

use crate::mind::{Mind, id};

#[tokio::test]
async fn what_is_not_sure_fades_and_is_only_nudged() {
    let mind = Mind::fresh().await;
    let unsure = mind.learn("The lighthouse keeper sells lamp oil cheaply", "low").await;
    assert_eq!((&unsure["stored_as"], &unsure["node_id"]), (&json!("experience"), &Value::Null));
    mind.wait_days(200);
    mind.learn("The keeper of the inn sells bread", "low").await;
    let rows = mind.recall("who sells lamp oil at the lighthouse").await;
    assert_eq!(rows[0]["id"], unsure["experience_id"], "an old answer beats a new remark");
    assert_eq!(rows[0]["relevance"], 0.0625, "four half-lives");
    let fresh = json!({ "action": "recall", "topic": "who sells what", "min_relevance": 0.5 });
    assert_eq!(mind.call("kn_intel", fresh).await["count"], 1);
    let search = json!({ "action": "search" });
    let found = mind.call("kn_experience", search).await;
    let relevance: Vec<_> =
        found["experiences"].as_array().unwrap().iter().map(|e| e["relevance"].clone()).collect();
    assert_eq!(relevance, [json!(1.0), json!(0.0625)]);
}

#[tokio::test]
async fn the_score_that_is_told_is_what_ranks() {
    let mind = Mind::fresh().await;
    let old = mind.learn("The ferry to the isle leaves at dawn", "low").await;
    mind.wait_days(200);
    let new = mind.learn("The ferry to the isle leaves at noon", "low").await;
    let rows = mind.recall("when does the ferry to the isle leave").await;
    let ids: Vec<_> = rows.iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&new["experience_id"], &old["experience_id"]]);
    let scores: Vec<f64> = rows.iter().map(|row| row["score"].as_f64().unwrap()).collect();
    assert!(scores[1] < 0.95 * scores[0], "freshness counts: {scores:?}");
}

#[tokio::test]
async fn a_fact_stays_known_at_the_start_of_a_session_when_its_experience_has_faded() {
    let mind = Mind::fresh().await;
    mind.learn("Sessions are kept in Redis", "high").await;
    let fresh = mind.prompt("kn_bootup").await;
    assert_eq!(fresh.matches("kept in Redis").count(), 1, "once: {fresh}");
    mind.wait_days(1_000);
    let later = mind.prompt("kn_bootup").await;
    assert!(later.contains("## Latest Knowledge"), "{later}");
    assert_eq!(later.matches("kept in Redis").count(), 1, "still once: {later}");
}

#[tokio::test]
async fn pruning_takes_what_faded_and_can_be_undone() {
    let mind = Mind::fresh().await;
    for (lesson, confidence) in [("workaround", "low"), ("pattern", "high")] {
        let new = json!({
            "action": "save", "content": format!("A {lesson} of old"), "type": lesson,
            "confidence": confidence,
        });
        mind.call("kn_experience", new).await;
    }
    mind.wait_days(100);
    let status = mind.call("kn_graph", json!({ "action": "status" })).await;
    assert_eq!(status["health"]["ok"], false);
    let pruned = mind.call("kn_experience", json!({ "action": "prune" })).await;
    assert_eq!(pruned["pruned_count"], 1);
    let gone = id(&pruned["pruned_ids"][0]);
    assert_eq!(mind.call("kn_experience", json!({ "action": "search" })).await["count"], 1);
    assert_eq!(mind.call("kn_experience", json!({ "action": "prune" })).await["pruned_count"], 0);
    mind.call("kn_graph", json!({ "action": "restore", "node_id": gone })).await;
    assert_eq!(mind.call("kn_experience", json!({ "action": "search" })).await["count"], 2);
}

#[tokio::test]
async fn what_is_asked_for_five_times_stays() {
    let mind = Mind::fresh().await;
    mind.add("Anchor chain", "The anchor chain is kept in the forepeak locker.").await;
    let fact = "The spare anchor lies in the forepeak locker under the chain";
    let unsure = mind.learn(fact, "medium").await;
    let spare = async || {
        let rows = mind.recall("spare anchor").await;
        let mut found = rows.into_iter().filter(|row| row.to_string().contains("spare"));
        let row = found.next().unwrap();
        assert_eq!((&row["id"], found.next()), (&unsure["experience_id"], None), "once");
        row
    };
    for _ in 1..=5 {
        assert_eq!(spare().await.get("node_id"), None);
    }
    mind.wait_days(500);
    let row = spare().await;
    assert_eq!(row["relevance"], 1.0, "what stays does not fade");
    let query =
        json!({ "action": "query", "text": "spare anchor", "node_type": "promoted_experience" });
    let found = mind.call("kn_graph", query).await;
    let kept = &found["nodes"][0];
    assert_eq!((&found["count"], &kept["id"]), (&json!(1), &row["node_id"]));
    assert_eq!(kept["name"], "Solution: The spare anchor lies in the forepeak locker under");
    let near = json!({ "action": "related", "node_id": kept["id"], "limit": 50 });
    let near = mind.call("kn_intel", near).await;
    let types: Vec<_> = near["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|near| near["path"][0]["type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["auto_related"], "its other half is no neighbour: {near}");
    let search = json!({ "action": "search", "text": "spare anchor" });
    let found = mind.call("kn_experience", search).await;
    assert_eq!(found["experiences"][0]["id"], unsure["experience_id"]);
}

#[tokio::test]
async fn what_is_asked_for_stays_also_beside_a_node_that_is_called_so() {
    let mind = Mind::fresh().await;
    let fact = "The spare anchor lies in the forepeak locker";
    mind.add(&format!("Solution: {fact}"), "Written on the first page of the log.").await;
    let unsure = mind.learn(fact, "medium").await;
    mind.learn("The spare sail is worn", "medium").await;
    for _ in 1..=6 {
        mind.recall(fact).await;
    }
    let query = json!({ "action": "query", "node_type": "promoted_experience" });
    let found = mind.call("kn_graph", query).await;
    assert_eq!(found["count"], 1, "{found}");
    let rows = mind.recall(fact).await;
    let row = rows.iter().find(|row| row["id"] == unsure["experience_id"]).unwrap();
    assert_eq!(row["node_id"], found["nodes"][0]["id"]);
}

#[tokio::test]
async fn who_joined_what_stays_before_it_did_is_still_near() {
    let mind = Mind::fresh().await;
    let unsure = mind.learn("The spare anchor lies in the forepeak locker", "medium").await;
    let ship = mind.add("Brindlemark", "A ship.").await;
    let joined = json!({ "action": "connect", "source_id": ship,
        "target_id": unsure["experience_id"], "edge_type": "mentions" });
    mind.call("kn_graph", joined).await;
    for _ in 1..=6 {
        mind.recall("spare anchor").await;
    }
    let row = mind.recall("spare anchor").await.remove(0);
    for id in [&unsure["experience_id"], &row["node_id"]] {
        let near = json!({ "action": "related", "node_id": id, "limit": 50 });
        let near = mind.call("kn_intel", near).await;
        assert!(near.to_string().contains("Brindlemark"), "{id}: {near}");
    }
}

#[tokio::test]
async fn what_stays_is_one_document_at_the_other_doors() {
    let mind = Mind::fresh().await;
    let ask = async |tool, arguments| {
        mind.try_as(mind.viewer, &Selection::new(), tool, arguments).await.unwrap()
    };
    mind.add("Brindlemark", "A ship.").await;
    mind.learn("The spare anchor of the Brindlemark lies in the forepeak locker", "medium").await;
    for _ in 1..=6 {
        mind.recall("spare anchor").await;
    }
    let query = json!({ "query": "spare anchor forepeak", "include_chunks": true });
    let found = ask("knowledge_search", query).await;
    for list in ["results", "chunk_results"] {
        let told = found[list].as_array().unwrap().iter();
        let told = told.filter(|row| row.to_string().contains("forepeak"));
        assert_eq!(told.count(), 1, "{list}: {found}");
    }
    let asked = json!({ "entity_uri": "Brindlemark" });
    let found = ask("get_entity_documents", asked).await;
    assert_eq!(found["documents"].as_array().unwrap().len(), 1, "{found}");
}

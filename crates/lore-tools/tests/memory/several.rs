//! Nodes of which several texts match.

use lore_tools::Selection;
use serde_json::{Value, json};

use crate::mind::Mind;

const STEPS: [&str; 14] = [
    "Migrated the ledger to Postgres 16",
    "Rewrote the invoice exporter",
    "Tried Redis for the cache",
    "Tried memcached for the cache",
    "Tried an in-process LRU for the cache",
    "Upgraded the CI runners",
    "Fixed the login page",
    "Tuned the autovacuum",
    "Moved the secrets to Vault",
    "Added metrics for the queue",
    "Wrote the onboarding guide",
    "Removed the old feature flags",
    "Reviewed the audit report",
    "Cleaned up the dashboards",
];

async fn ledger(mind: &Mind) -> Value {
    let project = mind.call("kn_project", json!({ "action": "create", "name": "Ledger" })).await;
    for (at, step) in STEPS.iter().enumerate() {
        let kind = if at % 3 == 0 { "failure" } else { "progress" };
        let entry = json!({
            "action": "log", "project_id": project["id"], "action_text": step, "type": kind,
            "result": format!("noted as number {at}"),
        });
        mind.call("kn_project", entry).await;
    }
    project["id"].clone()
}

/// Creates a knight with a text of his own and three posts.
async fn knight(mind: &Mind) {
    let knight = json!({ "entities": [
        { "entity_type": "character", "name": "Aldric Vane", "entry": "A knight of the north." },
    ] });
    let made = page(mind, "create_entities", knight).await;
    let posts: Vec<Value> = [("Sword", "Kaldor"), ("Shield", "Mirrow"), ("Helm", "Thane")]
        .into_iter()
        .map(|(name, place)| {
            let entry = format!("His {} was forged in {place}.", name.to_lowercase());
            json!({ "entity_id": made["results"][0]["entity_id"], "name": name, "entry": entry })
        })
        .collect();
    page(mind, "create_posts", json!({ "posts": posts })).await;
}

async fn page(mind: &Mind, tool: &str, arguments: Value) -> Value {
    mind.try_as(mind.viewer, &Selection::new(), tool, arguments).await.unwrap()
}

fn said(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["description"].as_str().unwrap_or_default()).collect()
}

#[tokio::test]
async fn each_step_of_a_project_that_answers_is_recalled() {
    let mind = Mind::fresh().await;
    let project = ledger(&mind).await;
    let rows = mind.recall("which caches did we try?").await;
    let said = said(&rows);
    for tried in ["Redis", "memcached", "LRU"] {
        let times = said.iter().filter(|text| text.contains(tried)).count();
        assert_eq!(times, 1, "{tried}: {said:?}");
    }
    assert_eq!(rows.len(), 3, "what stands beside an answer is none: {said:?}");
    assert!(rows.iter().all(|row| row["id"] == project && row["name"] == "Ledger"), "{rows:?}");
    assert!(rows.iter().any(|row| row["title"] == "Failure on Ledger"), "{rows:?}");
}

#[tokio::test]
async fn each_post_of_a_page_that_answers_is_recalled() {
    let mind = Mind::fresh().await;
    knight(&mind).await;
    mind.learn("The bakery in Thane opens at six", "high").await;
    let rows = mind.recall("where were his sword, shield and helm forged?").await;
    let mut titles: Vec<_> = rows.iter().take(3).map(|row| row["title"].as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, [Some("Helm"), Some("Shield"), Some("Sword")], "{rows:?}");
    let last = said(&rows);
    assert!(!last.iter().any(|text| text.contains("knight")), "{last:?}");
}

#[tokio::test]
async fn what_a_page_says_itself_is_recalled_beside_its_posts() {
    let mind = Mind::fresh().await;
    let smith = json!({ "entity_type": "character", "name": "Aldric", "entry": "Aldric owns a sword forged in Kaldor." });
    let made = page(&mind, "create_entities", json!({ "entities": [smith] })).await;
    let post = json!({
        "entity_id": made["results"][0]["entity_id"], "name": "Shield",
        "entry": "He owns a shield forged in Mirrow.",
    });
    page(&mind, "create_posts", json!({ "posts": [post] })).await;
    let rows = mind.recall("sword and shield forged").await;
    let mut said = said(&rows);
    said.sort_unstable();
    assert_eq!(
        said,
        ["Aldric owns a sword forged in Kaldor.", "He owns a shield forged in Mirrow."]
    );
}

#[tokio::test]
async fn a_page_that_is_asked_for_by_its_name_is_one_row() {
    let mind = Mind::fresh().await;
    knight(&mind).await;
    let project = ledger(&mind).await;
    for topic in ["Aldric Vane", "Tell me about Aldric Vane", "Ledger", "the ledger project"] {
        let rows = mind.recall(topic).await;
        let ids: Vec<_> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
        let times = ids.iter().filter(|id| **id == ids[0]).count();
        assert_eq!(times, 1, "{topic}: {rows:?}");
        assert_eq!(rows[0]["id"] == project, topic.to_lowercase().contains("ledger"), "{rows:?}");
    }
}

#[tokio::test]
async fn several_rows_of_one_thing_keep_to_limit_and_budget_and_context_has_it_once() {
    let mind = Mind::fresh().await;
    ledger(&mind).await;
    let topic = "which caches did we try?";
    let two = json!({ "action": "recall", "topic": topic, "limit": 2 });
    assert_eq!(mind.call("kn_intel", two).await["count"], 2);
    let tight = json!({ "action": "recall", "topic": topic, "max_tokens": 150 });
    let tight = mind.call("kn_intel", tight).await;
    assert_eq!(tight["count"].as_u64().unwrap() + tight["left_out"].as_u64().unwrap(), 3);
    let context = json!({ "action": "context", "keywords": "cache tried" });
    assert_eq!(mind.call("kn_intel", context).await["nodes"].as_array().unwrap().len(), 1);
}

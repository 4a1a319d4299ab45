//! Long texts, and answers that stay short.

use serde_json::{Value, json};

use crate::mind::Mind;

/// Returns many sentences, one of which is about a pangolin.
fn long_text() -> String {
    let dull = "The harbour was quiet that day and nobody came ashore. ".repeat(60);
    format!("{dull}\n\nThe golden pangolin hides behind the silver axolotl.\n\n{dull}{dull}")
}

async fn fill(mind: &Mind) {
    for number in 0..20 {
        mind.learn(&format!("Crate {number} holds gold and silver buttons"), "low").await;
    }
}

#[tokio::test]
async fn a_long_memory_is_found_by_its_part_and_read_as_a_whole() {
    let mind = Mind::fresh().await;
    fill(&mind).await;
    let text = long_text();
    mind.learn(&text, "low").await;
    let node = mind.add("Logbook", &text.replace("pangolin", "narwhal")).await;
    for (question, field) in [("golden pangolin", "content"), ("golden narwhal", "description")] {
        let rows = mind.recall(question).await;
        let shown = rows[0][field].as_str().unwrap();
        let word = question.split(' ').next_back().unwrap();
        assert!(shown.contains(word) && shown.chars().count() <= 2_000, "{shown}");
        assert_eq!(rows[0]["truncated"], true);
        let again = |row: &&Value| row.to_string().contains(word);
        assert_eq!(rows.iter().filter(again).count(), 1, "a memory is one row");
    }
    let search = json!({ "action": "search", "text": "golden pangolin", "limit": 1 });
    let found = mind.call("kn_experience", search).await;
    assert_eq!(found["experiences"][0]["content"], json!(text.trim()));
    let query = json!({ "action": "query", "text": "golden narwhal", "detail": "full" });
    let found = mind.call("kn_graph", query).await;
    assert_eq!(found["nodes"][0]["id"], json!(node));
    assert_eq!(found["nodes"][0]["description"], json!(text.replace("pangolin", "narwhal").trim()));
}

#[tokio::test]
async fn a_turn_in_parts_stays_in_its_place() {
    let mind = Mind::fresh().await;
    for content in ["The boat leaves".to_owned(), long_text(), "The boat is back".to_owned()] {
        let new = json!({
            "action": "learn", "type": "solution", "confidence": "low", "content": content,
            "session": "log", "author": "Ann",
        });
        mind.call("kn_intel", new).await;
    }
    let rows = mind.recall("golden pangolin").await;
    assert_eq!((&rows[0]["author"], &rows[0]["session"]), (&json!("Ann"), &json!("log")));
    assert!(rows[0]["content"].as_str().unwrap().contains("pangolin"));
}

#[tokio::test]
async fn prompts_stay_short_whatever_is_logged() {
    let mind = Mind::fresh().await;
    let goals = ["Make it float. ".repeat(60)];
    let new = json!({ "action": "create", "name": "Keel", "goals": goals });
    mind.call("kn_project", new).await;
    let trace = "a line of the trace\n".repeat(2_000);
    for _ in 0..6 {
        let step = json!({
            "action": "log", "project_id": "Keel", "action_text": trace, "result": trace,
            "next_step": trace, "type": "failure",
        });
        mind.call("kn_project", step).await;
    }
    for prompt in ["kn_bootup", "kn_review"] {
        let text = mind.prompt(prompt).await;
        assert!(text.contains("a line of the trace") && text.len() < 10_000, "{}", text.len());
    }
    assert!(mind.resource("kn://projects").await.to_string().len() < 5_000);
}

#[tokio::test]
async fn a_short_end_of_a_long_text_is_told_with_what_is_before_it() {
    let mind = Mind::fresh().await;
    for (repeats, confidence) in [(48, "high"), (48, "low"), (240, "low")] {
        let body = "The tide comes and goes as it always did. ".repeat(repeats);
        let end = format!("Pangolins of {confidence} {repeats} hide here.");
        mind.learn(&format!("Long ago in the harbour. {body}{end}"), confidence).await;
        let rows = mind.recall(&format!("pangolins of {confidence} {repeats}")).await;
        let row = rows.iter().find(|row| row.to_string().contains(&end)).unwrap();
        let told = row["content"].as_str().or(row["description"].as_str()).unwrap();
        assert!(told.len() > 500, "{row}");
        assert_eq!(row["truncated"], true, "{row}");
    }
}

//! What a recap shows, finds and leaves for the next page.

use serde_json::{Value, json};

use super::Table;

impl Table {
    async fn note(&self, text: &str) {
        let note = json!({ "session_id": self.session, "text": text });
        self.call("session_note_add", note).await;
    }

    async fn recap(&self, mut ask: Value) -> Value {
        ask["session_id"] = json!(self.session);
        self.call("session_recap", ask).await
    }

    /// Returns the texts of the events that are found.
    async fn found(&self, query: &str) -> Vec<String> {
        let recap = self.recap(json!({ "query": query })).await;
        let matches = recap["matches"].as_array().unwrap();
        assert_eq!(recap["matches_total"], matches.len());
        matches.iter().map(|found| found["text"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn words_are_found_as_in_every_search_and_keys_are_not() {
    let table = Table::set().await;
    table.note("Thorin leapt the gorge and lost two axes.").await;
    table.note("Der Drache überflog die Brücke").await;
    let hit = json!({
        "session_id": table.session, "character_ids": [table.character],
        "damage": { "amount": 9 }, "reason": "a falling beam",
    });
    table.call("session_effect_apply", hit).await;
    table.roll(super::HOPE, 5).await;
    for query in ["axe", "AXES gorge", "uberflog brucke", "fall beams", "agility success"] {
        assert_eq!(table.found(query).await.len(), 1, "{query}");
    }
    table.note("등대지기가 고래를 기다린다").await;
    table.note("Les chevaux ont mangé").await;
    for query in ["What happened to the axe?", "고래", "cheval"] {
        assert_eq!(table.found(query).await.len(), 1, "{query}");
    }
    assert_eq!(table.found("wren").await.len(), 2, "who was hit, and who rolled");
    for query in ["text", "payload", "summary", "seed_used", "null", "detail"] {
        assert_eq!(table.found(query).await, Vec::<String>::new(), "{query}");
    }
    let either = table.recap(json!({ "query": "axe drache" })).await;
    assert_eq!((&either["matches_total"], &either["partial"]), (&json!(2), &json!(true)));
    assert_eq!(table.recap(json!({})).await["matches"], json!([]));
}

#[tokio::test]
async fn what_does_not_fit_is_counted_and_told_on_the_next_page() {
    let table = Table::set().await;
    for number in 0..230 {
        table.note(&format!("axe {number}")).await;
    }
    let mut told: Vec<Value> = Vec::new();
    let mut found: Vec<Value> = Vec::new();
    let mut before = Value::Null;
    let mut pages = 0;
    loop {
        let mut ask = json!({ "query": "axe" });
        if !before.is_null() {
            ask["before_seq"] = before;
        }
        let page = table.recap(ask).await;
        if pages == 0 {
            // All notes and the start of the session.
            assert_eq!(
                (&page["happenings_total"], &page["matches_total"]),
                (&json!(231), &json!(230))
            );
        }
        pages += 1;
        for (list, into) in [("happenings", &mut told), ("matches", &mut found)] {
            into.extend(page[list].as_array().unwrap().iter().map(|item| item["seq"].clone()));
        }
        before = page.get("next_before_seq").cloned().unwrap_or_default();
        if before.is_null() {
            break;
        }
    }
    for (seqs, all) in [(&mut told, 231), (&mut found, 230)] {
        assert_eq!(seqs.len(), all, "nothing is told twice");
        seqs.sort_by_key(Value::as_i64);
        seqs.dedup();
        assert_eq!(seqs.len(), all);
    }
    assert_eq!(pages, 5);
}

#[tokio::test]
async fn a_match_from_long_ago_is_found_once() {
    let table = Table::set().await;
    table.note("A dragon over the gorge.").await;
    for number in 0..HAPPENINGS_MAX {
        table.note(&format!("filler {number}")).await;
    }
    let page = table.recap(json!({ "query": "dragon" })).await;
    assert_eq!((&page["matches_total"], page.get("next_before_seq")), (&json!(1), None));
    let story = table.recap(json!({})).await;
    let rest = json!({ "before_seq": story["next_before_seq"] });
    let rest = table.recap(rest).await;
    assert_eq!(rest["happenings"].as_array().unwrap().len(), 2, "the dragon, and the beginning");
}

/// The maximum number of happenings in a recap.
const HAPPENINGS_MAX: usize = 200;

//! What was written through one door is found, read and followed through the others.

use serde_json::{Value, json};

use super::Table;

impl Table {
    /// Returns the names that find_entities finds, best first.
    async fn names(&self, ask: Value) -> Vec<String> {
        let found = self.call("find_entities", ask).await;
        let rows = found["entities"].as_array().unwrap();
        assert_eq!(found["sync_info"]["total_count"], rows.len(), "{found}");
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the names of the nodes that mention an entity.
    async fn mentioning(&self, name: &str) -> Vec<String> {
        let ask = json!({ "entity_uri": name });
        let found = self.call("get_entity_neighborhood", ask).await;
        let rows = found["relationships"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["predicate"] == "mentions");
        rows.map(|row| row["subject_name"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn what_other_doors_keep_is_found_by_words_and_by_name_and_read() {
    let table = Table::set().await;
    let theme = json!({ "campaign_id": table.campaign, "theme_prompt": "Tales of quernstone" });
    table.call("campaign_update", theme).await;
    let note = json!({ "session_id": table.session, "text": "The bittern sang at dawn." });
    table.call("session_note_add", note).await;
    let node = json!({
        "action": "add", "name": "Tidelore", "type": "concept", "description": "The art of ebbing.",
    });
    table.call("kn_graph", node).await;
    let fact = json!({
        "action": "learn", "content": "Lanterns need whelkoil.", "type": "gotcha",
        "confidence": "high",
    });
    table.call("kn_intel", fact).await;
    table.call("kn_idea", json!({ "action": "create", "title": "Sail to Farholm" })).await;
    for (words, kind, origin, tool) in [
        ("quernstone", "note", "campaign", "campaign_update"),
        ("bittern", "journal", "session", "session_note_add"),
        ("ebbing", "note", "concept", "kn_graph"),
        ("whelkoil", "note", "learned_gotcha", "kn_graph"),
        ("Farholm", "note", "idea", "kn_idea"),
    ] {
        let found = table.call("find_entities", json!({ "query": words })).await;
        assert_eq!(found["sync_info"]["total_count"], 1, "{words}: {found}");
        let row = &found["entities"][0];
        assert_eq!(row["entity_type"], kind, "{words}");
        assert_eq!(row["origin"], json!({ "what": origin, "tool": tool }), "{words}");
        let number = row["entity_id"].as_i64().unwrap();
        let read = table.shown(table.viewer, number).await;
        let said = format!("{} {}", read["name"], read["entry"]);
        assert!(read["success"] == true && said.contains(words), "{read}");
    }
}

#[tokio::test]
async fn a_list_without_a_name_or_words_is_one_of_pages() {
    let table = Table::set().await;
    let node = json!({ "action": "add", "name": "Wrenlore", "type": "concept" });
    table.call("kn_graph", node).await;
    assert_eq!(table.names(json!({})).await, ["Wren"]);
    assert_eq!(table.names(json!({ "entity_type": "note" })).await, Vec::<String>::new());
    assert_eq!(table.names(json!({ "name": "wren" })).await, ["Wren", "Wrenlore"]);
    let notes = json!({ "name": "wren", "entity_type": "note" });
    assert_eq!(table.names(notes).await, ["Wrenlore"]);
    let people = json!({ "name": "wren", "entity_type": "character" });
    assert_eq!(table.names(people).await, ["Wren"]);
    let heard = json!({ "name": "Wrenlor", "name_fuzzy": true });
    assert_eq!(table.names(heard).await[0], "Wrenlore");
}

#[tokio::test]
async fn what_pages_only_show_is_changed_where_it_came_in() {
    let table = Table::set().await;
    let campaign = table.call("find_entities", json!({ "name_exact": true, "name": "Ash" })).await;
    let campaign = campaign["entities"][0]["entity_id"].clone();
    let update = json!({ "updates": [{ "entity_id": campaign, "name": "Cinder" }] });
    let rows = table.call("update_entities", update).await;
    let post = json!({ "posts": [{ "entity_id": campaign, "name": "p", "entry": "x" }] });
    let posts = table.call("create_posts", post).await;
    for row in [&rows["results"][0], &posts["results"][0]] {
        assert_eq!(row["success"], false, "{row}");
        assert!(row["error"].as_str().unwrap().contains("campaign_update"), "{row}");
    }
    let gone = table.try_call("delete_entities", json!({ "entity_ids": [campaign] })).await;
    assert!(format!("{gone:?}").contains("campaign_update"), "{gone:?}");
    assert_eq!(table.names(json!({ "name": "Ash" })).await, ["Ash"]);
}

#[tokio::test]
async fn mentions_in_texts_of_every_door_are_edges() {
    let table = Table::set().await;
    let ilva = table.page("Ilva", json!({})).await;
    let here = |what: &str| format!("{what} [entity:{ilva}|Ilva].");
    let theme = json!({ "campaign_id": table.campaign, "theme_prompt": here("The fate of") });
    table.call("campaign_update", theme).await;
    let note = json!({ "session_id": table.session, "text": here("Met") });
    table.call("session_note_add", note).await;
    let character = json!({ "character_id": table.character, "notes": here("Loves") });
    table.call("character_update", character).await;
    let node = json!({
        "action": "add", "name": "Tidelore", "type": "concept", "description": here("Taught by"),
    });
    table.call("kn_graph", node).await;
    let mut joined = table.mentioning("Ilva").await;
    joined.sort();
    let session = table.call("find_entities", json!({ "query": "Met" })).await;
    let session = session["entities"][0]["name"].as_str().unwrap().to_owned();
    let mut wanted = vec!["Ash".to_owned(), session, "Tidelore".into(), "Wren".into()];
    wanted.sort();
    assert_eq!(joined, wanted);
    let related = json!({ "action": "related", "node_id": "Ilva" });
    let related = table.call("kn_intel", related).await.to_string();
    assert!(wanted.iter().all(|name| related.contains(name.as_str())), "{related}");
    let silent = json!({ "character_id": table.character, "notes": "Loves nobody." });
    table.call("character_update", silent).await;
    assert!(!table.mentioning("Ilva").await.contains(&"Wren".to_owned()));
}

#[tokio::test]
async fn a_change_to_a_page_keeps_what_its_notes_mention() {
    let table = Table::set().await;
    let ilva = table.page("Ilva", json!({})).await;
    let notes = json!({ "character_id": table.character, "notes": format!("[entity:{ilva}]") });
    table.call("character_update", notes).await;
    let wren = table.call("find_entities", json!({ "name": "Wren" })).await;
    let wren = wren["entities"][0]["entity_id"].clone();
    let update = json!({ "updates": [{ "entity_id": wren, "entry": "A bird." }] });
    table.call("update_entities", update).await;
    assert_eq!(table.mentioning("Ilva").await, ["Wren"]);
}

#[tokio::test]
async fn a_player_mentions_what_they_see_though_a_hidden_note_did() {
    let table = Table::set().await;
    let (player, _) = table.seat("Pia").await;
    let (ilva, nox) = (table.page("Ilva", json!({})).await, json!({ "is_private": true }));
    let nox = table.page("Nox", nox).await;
    let secret = json!({
        "session_id": table.session, "text": format!("[entity:{ilva}] lies."), "gm_only": true,
    });
    table.call("session_note_add", secret).await;
    let heard = |viewer| {
        let ask = json!({ "entity_uri": "Ilva" });
        table.call_as(viewer, "get_entity_neighborhood", ask)
    };
    assert_eq!(heard(player).await.unwrap()["relationships"], json!([]));
    let note = format!("Met [entity:{ilva}] and [entity:{nox}].");
    let note = json!({ "session_id": table.session, "text": note });
    table.call_as(player, "session_note_add", note).await.unwrap();
    assert_eq!(heard(player).await.unwrap()["relationships"].as_array().unwrap().len(), 1);
    assert!(table.mentioning("Nox").await.is_empty(), "they do not know whom they named");
}

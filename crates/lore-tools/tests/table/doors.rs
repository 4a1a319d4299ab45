//! What other doors do to characters of the table, and what players see of hidden ones.

use serde_json::{Value, json};

use super::{Table, of_type, payload};

impl Table {
    async fn page_of(&self, name: &str) -> Value {
        let found = self.call("find_entities", json!({ "query": name })).await;
        found["entities"][0]["entity_id"].clone()
    }

    /// Changes a field of a character's page. Returns the result.
    async fn change_page(&self, name: &str, field: &str, value: Value) -> Value {
        let update =
            json!({ "updates": [{ "entity_id": self.page_of(name).await, field: value }] });
        self.call("update_entities", update).await["results"][0].clone()
    }
}

#[tokio::test]
async fn an_npc_stays_one_whatever_its_page_is_called() {
    let table = Table::set().await;
    let npc = table.character("Vex", "NPC").await;
    table.change_page("Vex", "type", json!("Merchant")).await;
    let sheet = table.call("character_sheet_get", json!({ "character_id": npc })).await;
    assert_eq!(sheet["character"]["kind"], "NPC");
    let reveal = json!({ "character_id": npc, "reveal": "NAME" });
    table.call("character_update", reveal).await;
    let (player, _) = table.seat("Pia").await;
    let look = json!({ "character_id": npc });
    assert!(table.call_as(player, "character_sheet_get", look).await.is_err(), "only its name");
    table.change_page("Wren", "type", json!("NPC")).await;
    let sheet = table.call("character_sheet_get", json!({ "character_id": table.character })).await;
    assert_eq!(sheet["character"]["kind"], "PC");
}

#[tokio::test]
async fn who_is_played_cannot_be_hidden_from_who_plays_it() {
    let table = Table::set().await;
    let (player, _) = table.seat("Pia").await;
    let hidden = table.change_page("Wren", "is_private", json!(true)).await;
    assert_eq!(hidden["success"], false);
    assert!(hidden["error"].to_string().contains("Wren is played by Pia"), "{hidden}");
    let look = json!({ "character_id": table.character });
    table.call_as(player, "character_sheet_get", look.clone()).await.unwrap();
    table.hand(&table.character, "GM").await;
    let hidden = table.change_page("Wren", "is_private", json!(true)).await;
    assert_eq!(hidden["success"], true, "{hidden}");
    assert!(table.call_as(player, "character_sheet_get", look).await.is_err());
}

#[tokio::test]
async fn a_fork_knows_who_was_deleted_by_another_door_and_restored() {
    let table = Table::set().await;
    let moss = table.character("Moss", "PC").await;
    let wound = json!({ "character_id": moss, "hp": 4 });
    table.call("character_state_patch", wound).await;
    let note = json!({ "session_id": table.session, "text": "here" });
    let seq = table.call("session_note_add", note).await["seq"].clone();
    table.call("character_state_patch", json!({ "character_id": moss, "hp": 2 })).await;
    let gone = json!({ "entity_ids": [table.page_of("Moss").await] });
    table.call("delete_entities", gone).await;
    table.call("character_update", json!({ "character_id": moss, "archived": false })).await;
    let wanted = json!({ "campaign_id": table.campaign, "session_id": table.session, "seq": seq });
    let fork = table.call("campaign_fork", wanted).await;
    assert_eq!(fork["character_count"], 2, "{fork}");
    let uri = format!("campaign://{}/characters", fork["id"].as_str().unwrap());
    let copy = table.read(&uri).await["characters"][1]["id"].clone();
    assert_eq!(table.state(copy.as_str().unwrap()).await["hp"], 4);
}

#[tokio::test]
async fn a_rest_looks_the_same_to_players_whoever_else_rests() {
    let table = Table::set().await;
    let (player, _) = table.seat("Pia").await;
    let npc = table.character("Vex", "NPC").await;
    let tend = |id: &str| json!({ "character_id": id, "moves": [{ "move": "TEND_WOUNDS" }] });
    for ids in [vec![&table.character], vec![&npc, &table.character]] {
        let members: Vec<_> = ids.iter().map(|id| tend(id)).collect();
        let rest = json!({
            "session_id": table.session, "character_ids": ids,
            "rest": { "length": "SHORT", "members": members },
        });
        table.call("session_effect_apply", rest).await;
    }
    let seen = table.events(player).await;
    let [alone, together] = of_type(&seen, "RESTED")[..] else { panic!("{seen:?}") };
    let shape = |event: &Value| {
        let payload = payload(event);
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        (
            keys(&payload),
            keys(&payload["detail"]),
            payload["detail"]["rolls"].as_array().unwrap().len(),
        )
    };
    assert_eq!(shape(alone), shape(together));
    let whole = table.events(table.viewer).await;
    let hidden = of_type(&whole, "RESTED")[1]["gm_payload_json"].as_str().unwrap();
    assert!(hidden.contains("hidden_seed_used"), "{hidden}");
    for viewer in [player, table.viewer] {
        let verify = json!({ "session_id": table.session });
        let verified = table.call_as(viewer, "session_log_verify", verify).await.unwrap();
        assert_eq!((&verified["ok"], &verified["rolls"]), (&json!(true), &json!(2)));
    }
}

#[tokio::test]
async fn who_comes_into_play_is_an_event() {
    let table = Table::set().await;
    let (player, seat) = table.seat("Pia").await;
    let pc = table.character("Moss", "PC").await;
    table.character("Vex", "NPC").await;
    let seen = table.events(player).await;
    let joined = of_type(&seen, "PARTICIPANT_CREATED");
    assert_eq!(joined[0]["participant_id"], seat, "by themselves");
    let made = of_type(&seen, "CHARACTER_CREATED");
    assert_eq!((made.len(), &made[0]["character_id"]), (1, &json!(pc)), "NPCs are the GM's");
    let whole = table.events(table.viewer).await;
    assert_eq!(of_type(&whole, "CHARACTER_CREATED").len(), 2);
}

//! Refusals say what to do, happen before any dice are rolled, and are logged.

use lore_core::Error;
use lore_tools::CallError;
use serde_json::{Value, json};

use super::{Table, of_type, payload};

impl Table {
    /// Returns the message and the hint of a refused call.
    async fn told(&self, tool: &str, arguments: Value) -> (String, String) {
        let CallError::Failed(error) = self.refused(tool, arguments).await else { panic!() };
        let hint = error.hint().to_string();
        (error.to_string(), hint)
    }

    fn effect_of(&self, effect: Value) -> Value {
        let mut arguments = effect;
        arguments["session_id"] = json!(self.session);
        arguments["character_ids"] = json!([self.character]);
        arguments
    }

    async fn refused_events(&self) -> Vec<Value> {
        let events = self.events(self.viewer).await;
        of_type(&events, "REQUEST_REJECTED").into_iter().map(payload).collect()
    }
}

#[tokio::test]
async fn a_death_move_is_refused_before_the_dice_fall() {
    let table = Table::set().await;
    table.effect("stress", json!(2)).await;
    let dying = json!({ "character_id": table.character, "hp": 0 });
    table.call("character_state_patch", dying).await;
    for _ in 0..12 {
        // Refused whatever the dice would have been.
        let wish = json!({ "death_move": { "choice": "RISK_IT_ALL", "clear_stress": 3 } });
        let said = table.told("session_effect_apply", table.effect_of(wish)).await;
        assert_eq!(said.0, "death_move.clear_stress is 3");
        assert_eq!(said.1, "use a whole number from 0 to 2");
    }
    let stray = json!({ "death_move": { "choice": "AVOID_DEATH", "clear_hp": 1 } });
    let said = table.told("session_effect_apply", table.effect_of(stray)).await;
    assert_eq!(said.0, "death_move.clear_hp does not belong to this move");
    let wish = json!({ "choice": "RISK_IT_ALL", "clear_hp": 1, "clear_stress": 2 });
    let made = table.effect("death_move", wish).await;
    let (hope, fear) = (made["detail"]["hope_die"].as_i64(), made["detail"]["fear_die"].as_i64());
    let state = &made["character_states"][0];
    if hope > fear {
        let cleared = state["hp"].as_i64().unwrap() + 2 - state["stress"].as_i64().unwrap();
        assert_eq!(cleared, hope.unwrap().min(8), "{made}");
    }
    let events = table.events(table.viewer).await;
    assert_eq!(of_type(&events, "DEATH_MOVE_MADE").len(), 1);
    assert_eq!(table.refused_events().await.len(), 13);
}

#[tokio::test]
async fn a_second_death_move_says_that_it_is_made() {
    let table = Table::set().await;
    let dying = json!({ "character_id": table.character, "hp": 0 });
    table.call("character_state_patch", dying).await;
    table.effect("death_move", json!({ "choice": "AVOID_DEATH" })).await;
    let again = json!({ "death_move": { "choice": "AVOID_DEATH" } });
    let (message, hint) = table.told("session_effect_apply", table.effect_of(again)).await;
    assert_eq!(message, "Wren: the death move is made already, and the character is unconscious");
    assert_eq!(hint, "wake the character with heal");
}

#[tokio::test]
async fn numbers_that_do_nothing_or_are_not_whole_name_field_and_fix() {
    let table = Table::set().await;
    for (effect, message, hint) in [
        (json!({ "heal": 0 }), "heal is 0", "use a whole number from 1 to 1000"),
        (json!({ "repair_armor": 0 }), "repair_armor is 0", "use a whole number from 1 to 1000"),
        (
            json!({ "stress": 0 }),
            "stress is 0",
            "use a whole number from 1 to 1000, or below zero for the opposite",
        ),
        (
            json!({ "hope": 1.5 }),
            "hope is 1.5, not a whole number",
            "send a whole number, such as 2",
        ),
        (json!({ "hope": -3 }), "Wren: this costs 3 Hope, and there is only 2", "spend at most 2"),
        (
            json!({ "damage": { "amount": 3, "use_armor": true } }),
            "Wren: no Armor Slot is free",
            "leave use_armor out, or use repair_armor first",
        ),
        (
            json!({ "damage": { "amount": "3" } }),
            "damage.amount is \"3\", not a whole number",
            "send a whole number, such as 2",
        ),
    ] {
        let said = table.told("session_effect_apply", table.effect_of(effect)).await;
        assert_eq!((said.0.as_str(), said.1.as_str()), (message, hint));
    }
}

#[tokio::test]
async fn traits_are_told_apart_by_more_than_case() {
    let table = Table::set().await;
    let twice =
        json!({ "character_id": table.character, "traits": { "Agility": 1, "agility": 2 } });
    let said = table.told("character_profile_patch", twice).await;
    assert!(said.0.contains("is given twice"), "{said:?}");
    let set = json!({ "character_id": table.character, "traits": { "Élan": 2 } });
    table.call("character_profile_patch", set).await;
    let roll = json!({
        "session_id": table.session, "character_id": table.character, "trait": "éLAN",
        "difficulty": 5, "use_trait_value": true,
    });
    let rolled = table.call("session_action_roll", roll).await;
    let dice = rolled["hope_die"].as_i64().unwrap() + rolled["fear_die"].as_i64().unwrap();
    assert_eq!(rolled["total"], dice + 2);
}

#[tokio::test]
async fn a_page_longer_than_pages_are_is_refused() {
    let table = Table::set().await;
    let uri = |limit: &str| format!("session://{}/events?limit={limit}", table.session);
    assert!(table.read_as(table.viewer, &uri("1000")).await.is_some());
    assert!(table.read_as(table.viewer, &uri("1001")).await.is_none());
}

#[tokio::test]
async fn whatever_is_refused_in_a_session_is_in_its_log() {
    let table = Table::set().await;
    let session = &table.session;
    let elsewhere = table.call("campaign_create", json!({ "name": "B", "gm_mode": "AI" })).await;
    let refused = [
        (
            "session_action_roll",
            json!({ "session_id": session, "character_id": "zzz", "trait": "x", "difficulty": 3 }),
        ),
        (
            "session_roll_outcome_apply",
            json!({ "session_id": session, "roll_seq": 1, "targets": ["zzz"] }),
        ),
        (
            "session_effect_apply",
            json!({ "session_id": session, "character_ids": ["zzz"], "heal": 1 }),
        ),
        ("session_effect_apply", json!({ "session_id": session, "heal": 1, "hope": 1 })),
        ("session_note_add", json!({ "session_id": session, "text": "  " })),
        ("session_end", json!({ "session_id": session, "campaign_id": elsewhere["id"] })),
    ];
    for (tool, arguments) in &refused {
        table.refused(tool, arguments.clone()).await;
    }
    let logged = table.refused_events().await;
    let tools: Vec<_> = logged.iter().map(|event| event["rpc"].as_str().unwrap()).collect();
    assert_eq!(tools, refused.iter().map(|(tool, _)| *tool).collect::<Vec<_>>());
    let verified = table.call("session_log_verify", json!({ "session_id": session })).await;
    assert_eq!(verified["ok"], true);
}

#[tokio::test]
async fn a_key_is_used_for_one_call() {
    let table = Table::set().await;
    let note = json!({ "session_id": table.session, "text": "once", "idempotency_key": "k" });
    let first = table.call("session_note_add", note.clone()).await;
    assert_eq!(table.call("session_note_add", note.clone()).await, first);
    let mut other = note;
    other["text"] = json!("twice");
    let said = table.told("session_note_add", other).await;
    assert_eq!(
        said.0,
        "idempotency_key was used before, with other arguments or in another context"
    );
    let start = json!({ "campaign_id": table.campaign, "idempotency_key": "k" });
    let said = table.told("session_start", start).await;
    assert_eq!(said.0, "idempotency_key was used before, for session_note_add");
}

#[tokio::test]
async fn a_key_belongs_to_what_the_context_says_and_not_to_its_handle() {
    let table = Table::set().await;
    let other = table.call("campaign_create", json!({ "name": "B", "gm_mode": "AI" })).await;
    let second = table.call("session_start", json!({ "campaign_id": other["id"] })).await;
    let context = async |campaign: &Value, session: &Value| {
        let set = json!({ "campaign_id": campaign, "session_id": session });
        table.call("set_context", set).await["context_id"].clone()
    };
    let here = context(&json!(table.campaign), &json!(table.session)).await;
    let there = context(&other["id"], &second["id"]).await;
    let note =
        |context: &Value| json!({ "context_id": context, "text": "x", "idempotency_key": "k" });
    let first = table.call("session_note_add", note(&here)).await;
    let said = table.told("session_note_add", note(&there)).await;
    assert!(said.0.contains("in another context"), "never the answer of another session: {said:?}");
    let again = context(&json!(table.campaign), &json!(table.session)).await;
    assert_eq!(table.call("session_note_add", note(&again)).await, first);
}

#[tokio::test]
async fn archiving_twice_is_archiving_once() {
    let table = Table::set().await;
    let person = json!({ "campaign_id": table.campaign, "display_name": "Pia", "role": "PLAYER" });
    let person = table.call("participant_create", person).await;
    table.call("session_end", json!({ "session_id": table.session })).await;
    for (tool, field, id) in [
        ("character_update", "character_id", json!(table.character)),
        ("participant_update", "participant_id", person["id"].clone()),
        ("campaign_update", "campaign_id", json!(table.campaign)),
    ] {
        let archive = json!({ field: id, "archived": true });
        let first = table.call(tool, archive.clone()).await;
        let second = table.call(tool, archive).await;
        assert_eq!((&first["id"], &first["name"]), (&second["id"], &second["name"]), "{tool}");
        if tool == "character_update" {
            let said = table.told(tool, json!({ field: id, "name": "New" })).await;
            assert!(said.0.ends_with("is archived"), "{said:?}");
        }
    }
}

#[tokio::test]
async fn a_player_is_not_told_to_act_as_gm() {
    let table = Table::set().await;
    let (player, _) = table.seat("Pia").await;
    let fear = json!({ "session_id": table.session, "fear": 1 });
    let refused = table.call_as(player, "session_effect_apply", fear).await.unwrap_err();
    let CallError::Failed(error) = refused else { panic!("{refused}") };
    assert!(matches!(error, Error::Forbidden { .. }));
    assert_eq!(error.hint().to_string(), "ask the GM to do it");
}

#[tokio::test]
async fn a_campaign_in_play_is_not_archived_and_an_archived_one_says_so() {
    let table = Table::set().await;
    let away = json!({ "campaign_id": table.campaign, "archived": true });
    let said = table.told("campaign_update", away.clone()).await;
    assert_eq!(said.0, format!("session {} is still running", table.session));
    assert_eq!(said.1, "end it with session_end first, then archive the campaign");
    table.call("session_end", json!({ "session_id": table.session })).await;
    table.call("campaign_update", away).await;
    let note = json!({ "session_id": table.session, "text": "late" });
    let start = json!({ "campaign_id": table.campaign });
    for (tool, arguments) in [("session_note_add", note), ("session_start", start.clone())] {
        let said = table.told(tool, arguments).await;
        assert_eq!(said.0, format!("campaign {} was not found", table.campaign));
        assert_eq!(said.1, "it is archived: restore it with campaign_update and archived: false");
    }
    let stranger = table.player("Pia").await;
    let refused = table.call_as(
        stranger,
        "participant_create",
        json!({
            "campaign_id": table.campaign, "display_name": "Pia", "role": "PLAYER",
        }),
    );
    let refused = format!("{:?}", refused.await.unwrap_err());
    assert!(!refused.contains("archive"), "the archive is the GM's: {refused}");
}

#[tokio::test]
async fn the_seat_of_a_players_token_does_not_become_the_gms() {
    let table = Table::set().await;
    let (player, seat) = table.seat("Pia").await;
    let lead = json!({ "participant_id": seat, "role": "GM" });
    let said = table.told("participant_update", lead.clone()).await;
    assert_eq!(said.0, "Pia is the seat of a player's token");
    assert!(said.1.starts_with("give them a gm token"), "{said:?}");
    for archived in [true, false] {
        let free = json!({ "participant_id": seat, "archived": archived });
        table.call("participant_update", free).await;
    }
    assert_eq!(table.call("participant_update", lead).await["role"], "GM");
    let sit = json!({ "campaign_id": table.campaign, "participant_id": seat });
    assert!(table.call_as(player, "set_context", sit).await.is_err(), "nor is it taken by one");
}

#[tokio::test]
async fn a_refused_effect_says_whom_it_is_about() {
    let table = Table::set().await;
    let moss = table.character("Moss", "PC").await;
    table.call("character_state_patch", json!({ "character_id": moss, "hp": 0 })).await;
    let last = json!({
        "session_id": table.session, "character_ids": [moss],
        "death_move": { "choice": "BLAZE_OF_GLORY" },
    });
    table.call("session_effect_apply", last).await;
    let together = json!([{ "move": "PREPARE_TOGETHER" }]);
    for (effect, who, message) in [
        (json!({ "damage": { "amount": 3 } }), json!([table.character, moss]), "Moss is dead"),
        (json!({ "rest": { "length": "SHORT" } }), json!([table.character, moss]), "Moss is dead"),
        (
            json!({ "rest": { "length": "SHORT", "members": [
                { "character_id": table.character, "moves": together },
            ] } }),
            json!([table.character]),
            "Wren prepares together with nobody",
        ),
    ] {
        let mut arguments = table.effect_of(effect);
        arguments["character_ids"] = who;
        assert_eq!(table.told("session_effect_apply", arguments).await.0, message);
    }
    let many: serde_json::Map<_, _> = (0..31).map(|n| (format!("t{n}"), json!(1))).collect();
    let many = json!({ "character_id": table.character, "traits": many });
    let said = table.told("character_profile_patch", many).await;
    assert_eq!((said.0.as_str(), said.1.as_str()), ("traits are 31", "give at most 30"));
}

#[tokio::test]
async fn what_would_be_overlooked_is_refused() {
    let table = Table::set().await;
    let moss = table.character("Moss", "PC").await;
    let countdown = |change: Value| json!({ "session_id": table.session, "countdown": change });
    table.countdown(json!({ "name": "Flood", "start": 4 })).await;
    for (change, message) in [
        (json!({ "name": "Flood" }), "countdown names nothing to do"),
        (
            json!({ "name": "Flood", "remove": true, "advance": 1 }),
            "countdown.advance is given besides remove",
        ),
        (
            json!({ "name": "Flood", "remove": true, "start": 2 }),
            "countdown.start is given besides remove",
        ),
        (json!({ "name": "Flood", "loop": "SAME" }), "countdown.loop needs start"),
        (
            json!({ "name": "Flood", "advance": 1, "ticks": "PROGRESS" }),
            "countdown.ticks needs start",
        ),
    ] {
        let said = table.told("session_effect_apply", countdown(change)).await;
        assert_eq!(said.0, message);
    }
    let help = |target: &str| {
        let moves = json!([{ "move": "PREPARE", "target": target }]);
        let member = json!({ "character_id": table.character, "moves": moves });
        json!({
            "session_id": table.session, "character_ids": [table.character, moss],
            "rest": { "length": "SHORT", "members": [member] },
        })
    };
    let said = table.told("session_effect_apply", help(&moss)).await;
    assert!(said.0.starts_with("rest.members[0].moves[0].target does not belong"), "{said:?}");
    table.call("session_effect_apply", help(&table.character)).await;
}

#[tokio::test]
async fn null_says_the_same_as_leaving_out() {
    let table = Table::set().await;
    let roll = json!({
        "session_id": table.session, "character_id": table.character, "trait": "agility",
        "difficulty": 5, "modifiers": null, "advantage": null, "helpers": null, "reaction": null,
        "rng": { "seed": null, "roll_mode": null }, "idempotency_key": "n",
    });
    let rolled = table.call("session_action_roll", roll.clone()).await;
    let mut without = roll;
    without.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    assert_eq!(table.call("session_action_roll", without).await, rolled, "the same call");
    let apply = json!({ "session_id": table.session, "roll_seq": null });
    let said = table.told("session_roll_outcome_apply", apply).await;
    assert_eq!(said.0, "roll_seq is required");
}

#[tokio::test]
async fn a_mistake_in_dice_is_placed_once_and_by_characters() {
    let table = Table::set().await;
    let said = table.told("roll_dice", json!({ "notation": "2d6[é]?" })).await;
    assert!(said.0.starts_with("notation is not dice notation at character 7: '?'"), "{said:?}");
    assert!(!said.0.contains("byte"), "{said:?}");
}

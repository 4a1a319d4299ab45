//! The effects of rolls and effects on characters and countdowns.

use serde_json::{Value, json};

use super::{CRIT, FEAR, HOPE, Table, of_type, payload};

#[tokio::test]
async fn damage_is_halved_upwards_before_the_thresholds() {
    let table = Table::set().await;
    // Half of 15 is 8, which just reaches the major threshold: two hit points.
    let hit = table.effect("damage", json!({ "amount": 15, "protection": "RESISTANT" })).await;
    assert_eq!(hit["detail"]["hits"][0]["dealt"], 8);
    assert_eq!(hit["character_states"][0]["hp"], 4);
}

#[tokio::test]
async fn stress_beyond_the_last_slot_costs_one_hit_point_once() {
    let table = Table::set().await;
    let marked = table.effect("stress", json!(10)).await;
    assert_eq!(marked["character_states"][0]["stress"], 6);
    assert_eq!(marked["character_states"][0]["hp"], 5);
    assert_eq!(marked["character_states"][0]["conditions"], json!(["vulnerable"]));
}

#[tokio::test]
async fn a_dying_character_makes_one_death_move() {
    let table = Table::set().await;
    let early = json!({
        "session_id": table.session, "character_ids": [table.character],
        "death_move": { "choice": "RISK_IT_ALL" },
    });
    assert!(table.try_call("session_effect_apply", early).await.is_err(), "nobody is dying yet");
    table.effect("damage", json!({ "amount": 100, "massive": true })).await;
    let down = table.effect("damage", json!({ "amount": 100 })).await;
    assert_eq!(down["detail"]["hits"][0]["death_move_due"], true);
    let moved = table.effect("death_move", json!({ "choice": "AVOID_DEATH" })).await;
    assert_eq!(moved["character_states"][0]["life"], "unconscious");
    let healed = table.effect("heal", json!(1)).await;
    assert_eq!(healed["character_states"][0].get("life"), None, "hit points wake the unconscious");
}

#[tokio::test]
async fn exactly_one_effect_is_taken() {
    let table = Table::set().await;
    for (effects, expected) in [
        (json!({}), "arguments name no effect"),
        (json!({ "heal": 1, "hope": 1 }), "hope is given besides heal"),
    ] {
        let mut arguments = effects;
        arguments["session_id"] = json!(table.session);
        arguments["character_ids"] = json!([table.character]);
        let error = table.try_call("session_effect_apply", arguments).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn countdowns_tick_trigger_and_loop() {
    let table = Table::set().await;
    table.countdown(json!({ "name": "The flood", "start": 2, "loop": "SAME" })).await;
    let once = table.countdown(json!({ "name": "The flood", "advance": 1 })).await;
    assert_eq!((&once["countdown"]["current"], &once["triggered"]), (&json!(1), &json!(false)));
    let twice = table.countdown(json!({ "name": "The flood", "advance": 1 })).await;
    assert_eq!((&twice["countdown"]["current"], &twice["triggered"]), (&json!(2), &json!(true)));
    let both = table.countdown(json!({ "name": "The fire", "start": 4, "advance": 3 })).await;
    assert_eq!((&both["countdown"]["current"], &both["triggered"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn rolls_move_countdowns_by_their_outcome_once() {
    let table = Table::set().await;
    for kind in ["STANDARD", "PROGRESS", "CONSEQUENCE", "LONG_TERM"] {
        table.countdown(json!({ "name": kind, "start": 20, "ticks": kind })).await;
    }
    let left = async || {
        let campaign = table.read(&format!("campaign://{}", table.campaign)).await;
        ["STANDARD", "PROGRESS", "CONSEQUENCE", "LONG_TERM"]
            .map(|kind| campaign["campaign"]["countdowns"][kind]["current"].as_i64().unwrap())
    };
    // Success with Hope and with Fear, failure with Hope and with Fear, and a critical.
    let steps = [
        (HOPE, 1, [19, 18, 20, 20]),
        (FEAR, 1, [18, 17, 19, 20]),
        (HOPE, 99, [17, 17, 17, 20]),
        (FEAR, 99, [16, 17, 14, 20]),
        (CRIT, 99, [15, 14, 14, 20]),
    ];
    for (seed, difficulty, expected) in steps {
        let roll = table.roll(seed, difficulty).await;
        let first = table.apply(roll, json!([])).await;
        assert_eq!(left().await, expected, "seed {seed} against {difficulty}");
        let again = table.apply(roll, json!([])).await;
        assert_eq!(again["already_applied"], true);
        assert_eq!(again["updated"], first["updated"]);
        assert_eq!(left().await, expected, "applied twice");
    }
    let by_hand = table.countdown(json!({ "name": "LONG_TERM", "advance": 2 })).await;
    assert_eq!(by_hand["countdown"]["current"], 18);
}

#[tokio::test]
async fn a_countdown_that_a_roll_moves_is_an_event_with_before_and_after() {
    let table = Table::set().await;
    table.countdown(json!({ "name": "The flood", "start": 1 })).await;
    let roll = table.roll(FEAR, 99).await;
    let applied = table.apply(roll, json!([])).await;
    let moved = json!([{ "name": "The flood", "before": 1, "after": 0, "triggered": true }]);
    assert_eq!(applied["updated"]["countdowns"], moved);
    let events = table.events(table.viewer).await;
    let event = payload(of_type(&events, "COUNTDOWN_CHANGED")[1]);
    assert_eq!((&event["detail"]["countdowns"], &event["roll_seq"]), (&moved, &json!(roll)));
    let change = &event["applied_changes"][0];
    assert_eq!(change["before"]["The flood"]["current"], 1);
    assert_eq!(change["after"]["The flood"]["current"], 0);
    let seqs: Vec<_> = events.iter().map(|event| event["seq"].as_i64().unwrap()).collect();
    assert_eq!(seqs, (1..=events.len() as i64).collect::<Vec<_>>());
}

#[tokio::test]
async fn from_a_reaction_nothing_follows() {
    let table = Table::set().await;
    table.countdown(json!({ "name": "The flood", "start": 4 })).await;
    let mut ask = json!({
        "session_id": table.session, "character_id": table.character, "trait": "agility",
        "difficulty": 1, "reaction": true,
    });
    let roll = table.call("session_action_roll", ask.clone()).await["roll_seq"].clone();
    let apply = json!({ "session_id": table.session, "roll_seq": roll });
    let error = table.refused("session_roll_outcome_apply", apply).await.to_string();
    assert!(error.contains("is a reaction"), "{error}");
    ask["helpers"] = json!(1);
    let error = table.refused("session_action_roll", ask).await.to_string();
    assert!(error.starts_with("helpers "), "{error}");
    let verified = table.call("session_log_verify", json!({ "session_id": table.session })).await;
    assert_eq!((&verified["ok"], &verified["rolls"]), (&json!(true), &json!(1)));
}

#[tokio::test]
async fn the_dead_do_not_roll_until_a_gm_brings_them_back() {
    let table = Table::set().await;
    let (player, _) = table.seat("Pia").await;
    let roll = table.roll(FEAR, 10).await;
    table.effect("damage", json!({ "amount": 100 })).await;
    table.effect("damage", json!({ "amount": 100 })).await;
    table.effect("death_move", json!({ "choice": "BLAZE_OF_GLORY" })).await;
    let ask = json!({
        "session_id": table.session, "character_id": table.character, "trait": "agility",
        "difficulty": 10,
    });
    let error = table.refused("session_action_roll", ask.clone()).await;
    assert_eq!(error.to_string(), "Wren is dead and cannot act");
    assert!(format!("{error:?}").contains("character_state_patch"), "{error:?}");
    // An earlier roll can still be applied.
    assert_eq!(table.apply(roll, json!([])).await["updated"]["gm_fear"], 1);
    let raise = json!({ "character_id": table.character, "hp": 2 });
    let refused = table.call_as(player, "character_state_patch", raise.clone()).await;
    assert_eq!(refused.unwrap_err().to_string(), "Wren is dead");
    let raised = table.call("character_state_patch", raise).await;
    assert_eq!((raised["state"].get("life"), &raised["state"]["hp"]), (None, &json!(2)));
    table.call_as(player, "session_action_roll", ask).await.unwrap();
}

#[tokio::test]
async fn npcs_are_defeated_and_make_no_death_move() {
    let table = Table::set().await;
    let npc = table.character("Vex", "NPC").await;
    let effect = |kind: &str, value: Value| json!({ "session_id": table.session, "character_ids": [npc], kind: value });
    let hit = effect("damage", json!({ "amount": 100 }));
    let hit = table.call("session_effect_apply", hit).await;
    assert_eq!(hit["detail"]["hits"][0]["death_move_due"], false, "{hit}");
    let moved = effect("death_move", json!({ "choice": "RISK_IT_ALL" }));
    let error = table.refused("session_effect_apply", moved).await.to_string();
    assert!(error.contains("only PCs make death moves"), "{error}");
}

#[tokio::test]
async fn a_rest_names_the_field_that_is_wrong() {
    let table = Table::set().await;
    let stranger = table.character("Ash", "PC").await;
    let member = |who: &str| json!({ "character_id": who, "moves": [{ "move": "CLEAR_STRESS" }] });
    let wren = table.character.as_str();
    let cases = [
        (json!([]), json!([member(wren)]), "character_ids is required"),
        (json!([wren]), json!([member(wren), member(wren)]), "rest.members[1].character_id is"),
        (json!([wren]), json!([member(&stranger)]), "rest.members[0].character_id does not rest"),
    ];
    for (who, members, expected) in cases {
        let rest = json!({
            "session_id": table.session, "character_ids": who,
            "rest": { "length": "SHORT", "members": members },
        });
        let error = table.refused("session_effect_apply", rest).await.to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

//! Players, their seats, and what each of them sees.

use serde_json::json;

use super::{CRIT, Table, id, of_type, payload};

#[tokio::test]
async fn a_player_reads_their_own_part_of_what_hits_a_hidden_npc_too() {
    let table = Table::set().await;
    let (player, _) = table.seat("Pia").await;
    let npc = table.character("Vex", "NPC").await;
    let roll = table.roll(CRIT, 10).await;
    table.apply(roll, json!([table.character, npc])).await;
    let both = json!({
        "session_id": table.session, "character_ids": [npc, table.character],
        "damage": { "amount": 9 }, "reason": "Vex brings the roof down",
    });
    table.call("session_effect_apply", both).await;
    let rest = json!({
        "session_id": table.session, "character_ids": [table.character, npc],
        "rest": { "length": "SHORT", "members": [
            { "character_id": npc, "moves": [{ "move": "TEND_WOUNDS" }] },
            { "character_id": table.character, "moves": [{ "move": "TEND_WOUNDS" }] },
        ] },
    });
    table.call("session_effect_apply", rest).await;

    let seen = table.events(player).await;
    for kind in ["OUTCOME_APPLY_REQUESTED", "OUTCOME_APPLIED", "DAMAGE_TAKEN", "RESTED"] {
        let event = of_type(&seen, kind)[0];
        assert_eq!(payload(event)["targets"], json!([table.character]), "{kind}");
        assert_eq!(event["character_id"], table.character, "as if it were alone: {kind}");
    }
    let hit = payload(of_type(&seen, "DAMAGE_TAKEN")[0]);
    assert_eq!(hit["detail"]["hits"].as_array().unwrap().len(), 1);
    let heard = json!([
        seen,
        table
            .call_as(player, "session_recap", json!({ "session_id": table.session }))
            .await
            .unwrap(),
    ]);
    for secret in [npc.as_str(), "Vex", "gm_payload_json"] {
        assert!(!heard.to_string().contains(secret), "{secret} in {heard}");
    }
    let whole = table.events(table.viewer).await;
    let hit = of_type(&whole, "DAMAGE_TAKEN")[0];
    assert!(hit["gm_payload_json"].as_str().unwrap().contains("Vex brings the roof down"));
    for viewer in [player, table.viewer] {
        let verify = json!({ "session_id": table.session });
        let verified = table.call_as(viewer, "session_log_verify", verify).await.unwrap();
        assert_eq!(verified["ok"], true, "{verified}");
    }
}

#[tokio::test]
async fn who_moves_a_hidden_npc_sees_its_name_and_sheet_but_not_its_notes() {
    let table = Table::set().await;
    let (player, seat) = table.seat("Pia").await;
    let npc = table.character("Vex", "NPC").await;
    let sheet = format!("character://{npc}/sheet");
    assert_eq!(table.read_as(player, &sheet).await, None);
    let handed = table.hand(&npc, &seat).await;
    assert_eq!(handed["revealed"], true);
    let seen = table.read_as(player, &sheet).await.unwrap();
    assert_eq!(
        (&seen["character"]["name"], &seen["character"]["notes"]),
        (&json!("Vex"), &json!(""))
    );
    let roll = json!({
        "session_id": table.session, "character_id": npc, "trait": "agility", "difficulty": 5,
    });
    table.call_as(player, "session_action_roll", roll).await.unwrap();
    let hide = json!({ "character_id": npc, "reveal": "NOTHING" });
    let error = table.refused("character_update", hide.clone()).await.to_string();
    assert!(error.contains("is played by Pia"), "{error}");
    let scribble = json!({ "character_id": npc, "notes": "mine" });
    assert!(table.call_as(player, "character_update", scribble).await.is_err());
    assert_eq!(table.hand(&npc, "GM").await.get("revealed"), None);
    table.call("character_update", hide).await;
    assert_eq!(table.read_as(player, &sheet).await, None);
}

#[tokio::test]
async fn who_holds_a_hidden_npc_does_not_become_a_player() {
    let table = Table::set().await;
    let npc = table.character("Vex", "NPC").await;
    let gm = json!({ "campaign_id": table.campaign, "display_name": "Gil", "role": "GM" });
    let gm = id(&table.call("participant_create", gm).await);
    assert_eq!(table.hand(&npc, &gm).await.get("revealed"), None, "a GM sees it anyway");
    let demote = json!({ "participant_id": gm, "role": "PLAYER" });
    let error = table.refused("participant_update", demote.clone()).await.to_string();
    assert_eq!(error, "Gil moves Vex, who is hidden");
    table.hand(&npc, "GM").await;
    table.call("participant_update", demote).await;
}

#[tokio::test]
async fn calls_of_one_player_at_once_take_one_seat_together() {
    let table = Table::set().await;
    let player = table.player("Pia").await;
    for _ in 0..20 {
        let campaign = json!({ "name": "Ash", "gm_mode": "AI" });
        let campaign = id(&table.call("campaign_create", campaign).await);
        let free = json!({ "campaign_id": campaign, "display_name": "Pia", "role": "PLAYER" });
        let seat = id(&table.call("participant_create", free).await);
        let sit = json!({ "campaign_id": campaign, "participant_id": seat });
        let calls = (0..8).map(|_| table.call_as(player, "set_context", sit.clone()));
        for done in futures::future::join_all(calls).await {
            assert_eq!(done.unwrap()["context"]["participant_id"], seat.as_str());
        }
    }
}

#[tokio::test]
async fn a_player_has_one_seat_until_the_gm_frees_it() {
    let table = Table::set().await;
    let (player, seat) = table.seat("Pia").await;
    let new = json!({ "campaign_id": table.campaign, "display_name": "Bo", "role": "PLAYER" });
    let free = id(&table.call("participant_create", new.clone()).await);
    let take = json!({ "campaign_id": table.campaign, "participant_id": free });
    for (tool, arguments) in [("set_context", take.clone()), ("participant_create", new)] {
        let error = table.call_as(player, tool, arguments).await.unwrap_err().to_string();
        assert_eq!(error, "you have a seat at this table: Pia", "{tool}");
    }
    let own = json!({ "campaign_id": table.campaign, "participant_id": seat });
    table.call_as(player, "set_context", own).await.unwrap();
    let archive = json!({ "participant_id": seat, "archived": true });
    table.call("participant_update", archive).await;
    table.call_as(player, "set_context", take).await.unwrap();
}

#[tokio::test]
async fn what_is_archived_is_listed_for_the_gm_only() {
    let table = Table::set().await;
    let (player, seat) = table.seat("Pia").await;
    let away = json!({ "participant_id": seat, "archived": true });
    table.call("participant_update", away).await;
    let away = json!({ "character_id": table.character, "archived": true });
    table.call("character_update", away).await;
    let members = format!("campaign://{}/archived", table.campaign);
    let found = table.read(&members).await;
    assert_eq!(found["participants"][0]["id"], seat);
    assert_eq!(found["characters"][0]["id"], table.character);
    assert!(found["characters"][0]["archived_at"].is_string());
    assert_eq!(table.read_as(player, &members).await, None);
    table.call("session_end", json!({ "session_id": table.session })).await;
    let away = json!({ "campaign_id": table.campaign, "archived": true });
    table.call("campaign_update", away).await;
    let archived = table.read("campaigns://archived").await;
    assert_eq!(archived["campaigns"][0]["id"], table.campaign);
    assert_eq!(table.read_as(player, "campaigns://archived").await, None);
}

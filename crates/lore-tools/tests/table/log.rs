//! The log, recaps, and what is refused before it is written.

use serde_json::json;

use super::{HOPE, Table, payload};

#[tokio::test]
async fn a_recap_frames_what_changed_and_finds_words() {
    let table = Table::set().await;
    table.effect("hope", json!(2)).await;
    table.effect("hope", json!(-1)).await;
    let note = json!({ "session_id": table.session, "text": "The ÄTHER bridge fell." });
    table.call("session_note_add", note).await;
    let ask = json!({ "session_id": table.session, "query": "äther bridge" });
    let recap = table.call("session_recap", ask).await;
    let hope = recap["changes"].as_array().unwrap().iter().find(|c| c["field"] == "hope").unwrap();
    assert_eq!((&hope["before"], &hope["after"]), (&json!(2), &json!(3)));
    assert_eq!(recap["matches"].as_array().unwrap().len(), 1);
    let verified = table.call("session_log_verify", json!({ "session_id": table.session })).await;
    assert_eq!(verified["ok"], true);
}

#[tokio::test]
async fn a_log_is_walked_forward_without_loss() {
    let table = Table::set().await;
    for _ in 0..7 {
        table.roll(HOPE, 1).await;
    }
    let log = format!("session://{}/events", table.session);
    let (mut after, mut seen, mut pages) = (0, Vec::new(), 0);
    loop {
        let page = table.read(&format!("{log}?after_seq={after}&limit=4")).await;
        let seqs = page["events"].as_array().unwrap().iter().map(|e| e["seq"].as_i64().unwrap());
        let seqs: Vec<_> = seqs.collect();
        assert!(seqs.is_sorted_by(|a, b| a > b), "newest first: {seqs:?}");
        seen.extend(seqs.iter().rev().copied());
        after = page["next_after_seq"].as_i64().unwrap();
        pages += 1;
        if page["has_more"] == false {
            break;
        }
    }
    assert_eq!((seen, pages), ((1..=15).collect(), 4));
    let end = table.read(&format!("{log}?after_seq=15")).await;
    assert_eq!(end, json!({ "events": [], "has_more": false, "next_after_seq": 15 }));
    let newest = table.read(&format!("{log}?limit=3")).await;
    assert_eq!((&newest["has_more"], &newest["next_before_seq"]), (&json!(true), &json!(13)));
    assert_eq!(table.read_as(table.viewer, &format!("{log}?limit=0")).await, None);
}

#[tokio::test]
async fn the_date_of_a_campaign_moves_with_its_table() {
    let table = Table::set().await;
    let date = async || {
        let campaign = table.read(&format!("campaign://{}", table.campaign)).await;
        campaign["campaign"]["updated_at"].as_str().unwrap().to_owned()
    };
    let mut before = date().await;
    let person = json!({ "campaign_id": table.campaign, "display_name": "Bo", "role": "PLAYER" });
    let fear = json!({ "session_id": table.session, "fear": 2 });
    let npc = json!({ "campaign_id": table.campaign, "name": "Vex", "kind": "NPC" });
    for (tool, arguments) in
        [("participant_create", person), ("session_effect_apply", fear), ("character_create", npc)]
    {
        table.call(tool, arguments).await;
        let after = date().await;
        assert!(after > before, "{tool}");
        before = after;
    }
}

#[tokio::test]
async fn a_note_after_the_end_is_part_of_the_log() {
    let table = Table::set().await;
    table.call("session_end", json!({ "session_id": table.session })).await;
    let note = json!({ "session_id": table.session, "text": "They all went home." });
    table.call("session_note_add", note).await;
    let events = table.events(table.viewer).await;
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &payload(last)["after_end"]), (&json!("NOTE_ADDED"), &json!(true)));
    let recap = table.call("session_recap", json!({ "session_id": table.session })).await;
    assert!(recap.to_string().contains("They all went home."));
    let verified = table.call("session_log_verify", json!({ "session_id": table.session })).await;
    assert_eq!(verified["ok"], true);
}

#[tokio::test]
async fn no_traits_at_all_are_refused() {
    let table = Table::set().await;
    let none = json!({ "character_id": table.character, "traits": {} });
    let error = table.refused("character_profile_patch", none).await.to_string();
    assert_eq!(error, "traits is empty");
}

#[tokio::test]
async fn a_bad_seed_is_told_the_range() {
    let table = Table::set().await;
    for seed in [json!(-1), json!(9_007_199_254_740_992_i64), json!("x"), json!(true)] {
        let roll = json!({ "notation": "d6", "rng": { "seed": seed, "roll_mode": "REPLAY" } });
        let error = table.refused("roll_dice", roll).await;
        assert!(error.to_string().starts_with("rng.seed is"), "{error}");
        assert!(format!("{error:?}").contains("from 0 to 9007199254740991"), "{error:?}");
    }
}

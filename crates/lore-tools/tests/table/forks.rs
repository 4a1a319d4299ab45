//! Forks are as the campaign was at their event.

use serde_json::{Value, json};

use super::{Table, id};

#[tokio::test]
async fn a_fork_of_a_running_session_has_none_that_runs() {
    let table = Table::set().await;
    let fork = table.call("campaign_fork", json!({ "campaign_id": table.campaign })).await;
    assert_eq!(fork.get("active_session_id"), None, "{fork}");
    let session = json!({ "campaign_id": fork["id"] });
    assert_eq!(table.call("session_start", session).await["status"], "ACTIVE");
}

#[tokio::test]
async fn a_fork_is_as_it_was_at_the_event() {
    let table = Table::set().await;
    table.effect("stress", json!(2)).await;
    let fear = json!({ "session_id": table.session, "fear": 3 });
    let seq = table.call("session_effect_apply", fear).await["seq"].clone();
    table.effect("stress", json!(3)).await;
    table.effect("condition", json!({ "name": "Restrained" })).await;
    let more = json!({ "session_id": table.session, "fear": 5 });
    table.call("session_effect_apply", more).await;
    table.call("session_end", json!({ "session_id": table.session })).await;
    let patch = json!({ "character_id": table.character, "hp": 1 });
    table.call("character_state_patch", patch).await;

    let wanted = json!({
        "campaign_id": table.campaign, "session_id": table.session, "seq": seq, "name": "Before",
    });
    let fork = table.call("campaign_fork", wanted).await;
    assert_eq!((&fork["gm_fear"], &fork["character_count"]), (&json!(3), &json!(1)));
    let copy = copied_character(&table, fork["id"].as_str().unwrap()).await;
    let then = table.state(&copy).await;
    assert_eq!((&then["stress"], &then["hp"]), (&json!(2), &json!(6)));
    assert_eq!(then.get("conditions"), None);
    let now = table.state(&table.character).await;
    assert_eq!((&now["stress"], &now["hp"]), (&json!(5), &json!(1)), "the original is left alone");
}

/// Returns the only character of a campaign.
async fn copied_character(table: &Table, campaign: &str) -> String {
    let list = table.read(&format!("campaign://{campaign}/characters")).await;
    id(&list["characters"][0])
}

/// Everything that a fork can rewind is changed after the event that it goes back to.
#[tokio::test]
async fn a_fork_knows_names_notes_reveal_control_and_people_of_the_time() {
    let table = Table::set().await;
    let (_, pia) = table.seat("Pia").await;
    let npc = table.character("Vex", "NPC").await;
    let leaver = table.character("Moss", "PC").await;
    let note = json!({ "session_id": table.session, "text": "here" });
    let seq = table.call("session_note_add", note).await["seq"].clone();
    change_everything(&table, &pia, &npc, &leaver).await;

    let wanted = json!({ "campaign_id": table.campaign, "session_id": table.session, "seq": seq });
    let fork = table.call("campaign_fork", wanted).await;
    assert_eq!(fork.get("not_rewound"), None, "everything is known");
    let uri = format!("campaign://{}", fork["id"].as_str().unwrap());
    assert_eq!((&fork["theme_prompt"], &fork["gm_mode"]), (&json!(""), &json!("AI")));
    assert_eq!(fork["name"], "Ash (fork)");
    let people = table.read(&format!("{uri}/participants")).await["participants"].clone();
    assert_eq!(people.as_array().unwrap().len(), 1, "{people}");
    assert_eq!((&people[0]["display_name"], &people[0]["role"]), (&json!("Pia"), &json!("PLAYER")));
    let characters = table.read(&format!("{uri}/characters")).await["characters"].clone();
    let told = |field: &str| -> Vec<Value> {
        characters.as_array().unwrap().iter().map(|found| found[field].clone()).collect()
    };
    assert_eq!(told("name"), ["Wren", "Vex", "Moss"]);
    assert_eq!(told("notes"), ["", "Vex notes", "Moss notes"]);
    assert_eq!(told("controller"), [people[0]["id"].clone(), json!("GM"), json!("GM")]);
    let player = table.player("Quin").await;
    let seen = table.read_as(player, &format!("{uri}/characters")).await.unwrap();
    assert_eq!(seen["characters"].as_array().unwrap().len(), 2, "Vex is hidden again: {seen}");
    let moss = table.state(characters[2]["id"].as_str().unwrap()).await;
    assert_eq!(moss["hp"], 6);
}

async fn change_everything(table: &Table, pia: &str, npc: &str, leaver: &str) {
    let bo = json!({ "campaign_id": table.campaign, "display_name": "Bo", "role": "PLAYER" });
    let bo = id(&table.call("participant_create", bo).await);
    table.hand(&table.character, &bo).await;
    table.hand(npc, &bo).await;
    table.character("Later", "PC").await;
    for (tool, arguments) in [
        (
            "character_update",
            json!({ "character_id": table.character, "name": "Wrenna", "notes": "new" }),
        ),
        (
            "character_update",
            json!({ "character_id": npc, "name": "Vexx", "notes": "else", "reveal": "SHEET" }),
        ),
        ("character_state_patch", json!({ "character_id": leaver, "hp": 1 })),
        ("character_update", json!({ "character_id": leaver, "archived": true })),
        ("participant_update", json!({ "participant_id": pia, "display_name": "P." })),
        ("participant_update", json!({ "participant_id": pia, "archived": true })),
        ("participant_update", json!({ "participant_id": pia, "archived": false })),
        ("participant_update", json!({ "participant_id": pia, "role": "GM" })),
        ("participant_update", json!({ "participant_id": pia, "archived": true })),
        (
            "campaign_update",
            json!({
                "campaign_id": table.campaign, "name": "Cinder", "theme_prompt": "x", "gm_mode": "HUMAN",
            }),
        ),
    ] {
        table.call(tool, arguments).await;
    }
}

#[tokio::test]
async fn a_fork_says_what_other_doors_changed() {
    let table = Table::set().await;
    let note = json!({ "session_id": table.session, "text": "here" });
    let seq = table.call("session_note_add", note).await["seq"].clone();
    let found = table.call("find_entities", json!({ "query": "Wren" })).await;
    let entity = found["entities"][0]["entity_id"].clone();
    let rename = json!({ "updates": [{ "entity_id": entity, "name": "Renamed" }] });
    table.call("update_entities", rename).await;
    let wanted = json!({ "campaign_id": table.campaign, "session_id": table.session, "seq": seq });
    let fork = table.call("campaign_fork", wanted).await;
    assert_eq!(fork["not_rewound"], json!(["name and visibility of Renamed"]));
}

#[tokio::test]
async fn what_was_archived_at_the_event_is_not_in_the_fork() {
    let table = Table::set().await;
    let moss = table.character("Moss", "PC").await;
    let archive = |archived: bool| json!({ "character_id": moss, "archived": archived });
    table.call("character_update", archive(true)).await;
    let note = json!({ "session_id": table.session, "text": "here" });
    let seq = table.call("session_note_add", note).await["seq"].clone();
    table.call("character_update", archive(false)).await;
    let wanted = json!({ "campaign_id": table.campaign, "session_id": table.session, "seq": seq });
    let fork = table.call("campaign_fork", wanted).await;
    assert_eq!((&fork["character_count"], fork.get("not_rewound")), (&json!(1), None), "{fork}");
}

#[tokio::test]
async fn a_fork_says_that_long_notes_of_an_archived_character_are_missing() {
    let table = Table::set().await;
    let long = json!({ "character_id": table.character, "notes": "ł€".repeat(25_000) });
    table.call("character_update", long).await;
    let note = json!({ "session_id": table.session, "text": "here" });
    let seq = table.call("session_note_add", note).await["seq"].clone();
    let archive = json!({ "character_id": table.character, "archived": true });
    table.call("character_update", archive).await;
    let wanted = json!({ "campaign_id": table.campaign, "session_id": table.session, "seq": seq });
    let fork = table.call("campaign_fork", wanted).await;
    assert_eq!(fork["not_rewound"], json!(["the notes of Wren: too long for the log"]), "{fork}");
}

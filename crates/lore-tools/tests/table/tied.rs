//! Playing somebody who has a page: page and character are one node.

use lore_core::Viewer;
use serde_json::{Value, json};

use super::{Table, id};

impl Table {
    /// Creates a page and returns its entity_id.
    pub(crate) async fn page(&self, name: &str, fields: Value) -> i64 {
        let mut page = json!({ "entity_type": "character", "name": name });
        page.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let made = self.call("create_entities", json!({ "entities": [page] })).await;
        made["results"][0]["entity_id"].as_i64().unwrap()
    }

    /// Returns the page with this number, as seen by a viewer.
    pub(crate) async fn shown(&self, viewer: Viewer, number: i64) -> Value {
        let ask = json!({ "entity_ids": [number] });
        self.call_as(viewer, "get_entities", ask).await.unwrap()["results"][0].clone()
    }

    fn playing(&self, page: i64, name: &str, kind: &str) -> Value {
        json!({ "campaign_id": self.campaign, "name": name, "kind": kind, "page_id": page })
    }

    fn rolling(&self, character: &str) -> Value {
        json!({
            "session_id": self.session, "character_id": character, "trait": "agility",
            "difficulty": 12,
        })
    }
}

#[tokio::test]
async fn who_has_a_page_is_played_and_the_sheet_shows_there() {
    let table = Table::set().await;
    let page = table.page("Ilva", json!({ "entry": "A ferrier.", "type": "Elf" })).await;
    assert!(table.shown(table.viewer, page).await.get("sheet").is_none());
    let made = table.call("character_create", table.playing(page, "ilva", "PC")).await;
    assert_eq!((&made["name"], &made["entity_id"]), (&json!("Ilva"), &json!(page)));
    let wound = json!({ "character_id": made["id"], "hp": 3 });
    table.call("character_state_patch", wound).await;
    let shown = table.shown(table.viewer, page).await;
    assert_eq!((&shown["type"], &shown["entry"]), (&json!("Elf"), &json!("A ferrier.")));
    assert_eq!(
        (&shown["sheet"]["state"]["hp"], &shown["sheet"]["kind"]),
        (&json!(3), &json!("PC"))
    );
    assert_eq!(shown["sheet"]["campaign_id"], table.campaign);
    let found = table.call("find_entities", json!({ "name": "Ilva" })).await;
    assert_eq!(found["sync_info"]["total_count"], 1, "one thing, not two: {found}");
    let sheet = table.call("character_sheet_get", json!({ "character_id": made["id"] })).await;
    assert_eq!(sheet["character"]["entity_id"], page);
    let wren = table.call("find_entities", json!({ "name": "Wren" })).await;
    let wren = wren["entities"][0]["entity_id"].as_i64().unwrap();
    let own = table.shown(table.viewer, wren).await;
    assert!(own["sheet"]["profile"].is_object(), "a new character has a page of its own: {own}");
}

/// Returns everything that a viewer can read about the cast of a campaign.
async fn told_of_cast(table: &Table, viewer: Viewer, npc: &str, page: i64) -> Vec<Value> {
    let uri = format!("campaign://{}", table.campaign);
    let mut told = vec![
        table.read_as(viewer, &uri).await.unwrap(),
        table.read_as(viewer, "campaigns://list").await.unwrap(),
        table.read_as(viewer, &format!("{uri}/characters")).await.unwrap(),
        table.shown(viewer, page).await,
        json!(table.read_as(viewer, &format!("character://{npc}/sheet")).await),
    ];
    for (tool, arguments) in [
        ("character_sheet_get", json!({ "character_id": npc })),
        ("character_update", json!({ "character_id": npc, "notes": "x" })),
        ("character_create", table.playing(page, "Vex", "PC")),
        ("session_action_roll", table.rolling(npc)),
        ("list_campaign_npcs", json!({ "campaign_id": table.campaign })),
        ("get_article", json!({ "article_id": npc, "granularity": 2 })),
        ("get_entity_neighborhood", json!({ "entity_uri": npc })),
        ("kn_graph", json!({ "action": "query", "text": "Vex" })),
    ] {
        let answer = table.call_as(viewer, tool, arguments).await;
        told.push(json!(answer.map_err(|error| format!("{error:?}").replace(npc, "it"))));
    }
    told
}

#[tokio::test]
async fn an_npc_is_announced_by_being_revealed_not_by_having_an_open_page() {
    let table = Table::set().await;
    let page = table.page("Vex", json!({ "entry": "A ferrier." })).await;
    let (player, _) = table.seat("Pia").await;
    let lead = json!({ "campaign_id": table.campaign, "display_name": "Gil", "role": "GM" });
    let lead = id(&table.call("participant_create", lead).await);
    let found = table.call("kn_graph", json!({ "action": "query", "text": "Vex" })).await;
    let npc = found["nodes"][0]["id"].as_str().unwrap().replace("node_", "character_");
    let before = told_of_cast(&table, player, &npc, page).await;
    let made = table.call("character_create", table.playing(page, "Vex", "NPC")).await;
    assert_eq!(made["id"], json!(npc));
    table.hand(&npc, &lead).await;
    table.call("character_state_patch", json!({ "character_id": npc, "hp": 1 })).await;
    let hush = json!({ "session_id": table.session, "character_id": npc, "text": "Vex!" });
    let refused = table.refused("session_note_add", hush).await.to_string();
    assert!(refused.contains("hidden from the players"), "{refused}");
    table.call("session_action_roll", table.rolling(&npc)).await;
    let events = table.events(player).await;
    assert!(!format!("{events:?}").contains("Vex"), "{events:?}");
    let after = told_of_cast(&table, player, &npc, page).await;
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
    for (reveal, sheet) in [("NAME", false), ("SHEET", true), ("NOTHING", false), ("NAME", false)] {
        table.call("character_update", json!({ "character_id": npc, "reveal": reveal })).await;
        let seen = told_of_cast(&table, player, &npc, page).await;
        assert_eq!(seen[3]["entry"], "A ferrier.", "the page stays open: {reveal}");
        assert_eq!(seen[3].get("sheet").is_some(), sheet, "{reveal}");
        let known = reveal != "NOTHING";
        assert_eq!(seen[0]["campaign"]["character_count"], if known { 2 } else { 1 }, "{reveal}");
        for (place, told) in [(2, "Vex"), (9, "Vex"), (11, "Ash")] {
            let said = seen[place].to_string();
            assert_eq!(said.contains(told), known, "{reveal}: {said}");
        }
    }
}

#[tokio::test]
async fn a_new_character_is_told_with_its_page_also_when_asked_again() {
    let table = Table::set().await;
    let new = json!({
        "campaign_id": table.campaign, "name": "Moss", "kind": "PC", "idempotency_key": "moss",
    });
    let made = table.call("character_create", new.clone()).await;
    let sheet = table.call("character_sheet_get", json!({ "character_id": made["id"] })).await;
    assert!(made["entity_id"].is_i64(), "{made}");
    assert_eq!(made["entity_id"], sheet["character"]["entity_id"]);
    let again = table.call("character_create", new).await;
    assert_eq!(again.to_string(), made.to_string());
}

#[tokio::test]
async fn a_fork_makes_no_open_page_of_who_is_hidden_at_the_table() {
    let table = Table::set().await;
    let page = table.page("Vex", json!({})).await;
    table.call("character_create", table.playing(page, "Vex", "NPC")).await;
    let fork = json!({ "campaign_id": table.campaign });
    assert_eq!(table.call("campaign_fork", fork).await["character_count"], 2);
    let player = table.player("Pia").await;
    for (viewer, pages) in [(player, 1), (table.viewer, 2)] {
        let found = table.call_as(viewer, "find_entities", json!({ "name": "Vex" })).await;
        assert_eq!(found.unwrap()["sync_info"]["total_count"], pages);
    }
}

#[tokio::test]
async fn a_page_is_played_once_by_its_name_and_in_the_open() {
    let table = Table::set().await;
    let ilva = table.page("Ilva", json!({})).await;
    let hidden = table.page("Nox", json!({ "is_private": true })).await;
    let place = json!({ "entity_type": "location", "name": "Mill" });
    let place = table.call("create_entities", json!({ "entities": [place] })).await;
    let place = place["results"][0]["entity_id"].as_i64().unwrap();
    for (page, name, why) in [
        (ilva, "Bors", "the page of Ilva"),
        (hidden, "Nox", "is_private false"),
        (place, "Mill", "character entity"),
        (4_711, "Ilva", "character entity"),
    ] {
        let refused = table.refused("character_create", table.playing(page, name, "PC")).await;
        assert!(format!("{refused:?}").contains(why), "{refused:?}");
    }
    table.call("character_create", table.playing(ilva, "Ilva", "PC")).await;
    let again = table.refused("character_create", table.playing(ilva, "Ilva", "PC")).await;
    assert!(format!("{again:?}").contains("played already"), "{again:?}");
    let player = table.player("Pia").await;
    let seat = json!({ "campaign_id": table.campaign, "display_name": "Pia", "role": "PLAYER" });
    table.call_as(player, "participant_create", seat).await.unwrap();
    let theirs = table.page("Oda", json!({})).await;
    let taken = table.call_as(player, "character_create", table.playing(theirs, "Oda", "PC")).await;
    assert!(format!("{taken:?}").contains("not yours"), "{taken:?}");
}

#[tokio::test]
async fn a_fork_of_before_does_not_know_who_was_played_later() {
    let table = Table::set().await;
    let page = table.page("Ilva", json!({})).await;
    let note = json!({ "session_id": table.session, "text": "here" });
    let seq = table.call("session_note_add", note).await["seq"].clone();
    table.call("character_create", table.playing(page, "Ilva", "PC")).await;
    let then = json!({ "campaign_id": table.campaign, "session_id": table.session, "seq": seq });
    assert_eq!(table.call("campaign_fork", then).await["character_count"], 1);
    let now = json!({ "campaign_id": table.campaign });
    assert_eq!(table.call("campaign_fork", now).await["character_count"], 2);
}

#[tokio::test]
async fn a_page_in_the_bin_that_nobody_played_is_no_archived_character() {
    let table = Table::set().await;
    let page = table.page("Zrest", json!({})).await;
    let found = table.call("kn_graph", json!({ "action": "query", "text": "Zrest" })).await;
    let never = found["nodes"][0]["id"].as_str().unwrap().replace("node_", "character_");
    table.call("delete_entities", json!({ "entity_ids": [page] })).await;
    for patch in [json!({ "name": "q" }), json!({ "archived": false })] {
        let mut arguments = json!({ "character_id": never });
        arguments.as_object_mut().unwrap().extend(patch.as_object().unwrap().clone());
        let refused = table.refused("character_update", arguments).await.to_string();
        assert!(refused.ends_with("was not found"), "{refused}");
        let left = table.call("find_entities", json!({ "name": "Zrest" })).await;
        assert_eq!(left["sync_info"]["total_count"], 0, "{left}");
    }
}

impl Table {
    async fn archive(&self, character: &Value, archived: bool) -> Value {
        let patch = json!({ "character_id": character, "archived": archived });
        self.call("character_update", patch).await
    }

    async fn archived(&self) -> Value {
        self.read(&format!("campaign://{}/archived", self.campaign)).await["characters"].clone()
    }

    async fn campaign(&self, name: &str) -> Value {
        self.call("campaign_create", json!({ "name": name, "gm_mode": "AI" })).await["id"].clone()
    }
}

#[tokio::test]
async fn archiving_ends_the_role_and_the_page_stays() {
    let table = Table::set().await;
    let (player, pia) = table.seat("Pia").await;
    let page = table.page("Ilva", json!({ "entry": "A ferrier. kumquat" })).await;
    let made = table.call("character_create", table.playing(page, "Ilva", "PC")).await;
    let ilva = made["id"].as_str().unwrap();
    table.hand(ilva, &pia).await;
    let notes = json!({ "character_id": ilva, "notes": "Owes the ferryman." });
    table.call("character_update", notes).await;
    table.call("character_state_patch", json!({ "character_id": ilva, "hp": 3 })).await;
    table.archive(&made["id"], true).await;

    for viewer in [table.viewer, player] {
        let shown = table.shown(viewer, page).await;
        assert_eq!((&shown["entry"], shown.get("sheet")), (&json!("A ferrier. kumquat"), None));
        for (tool, ask) in [
            ("find_entities", json!({ "query": "kumquat" })),
            ("search_articles", json!({ "query": "kumquat" })),
        ] {
            let found = table.call_as(viewer, tool, ask).await.unwrap();
            assert_eq!(found["entities"].as_array().unwrap().len(), 1, "{tool}: {found}");
        }
        let sheet = table.call_as(viewer, "character_sheet_get", json!({ "character_id": ilva }));
        assert!(sheet.await.is_err());
    }
    let left = table.read(&format!("campaign://{}/characters", table.campaign)).await;
    assert_eq!(left["characters"].as_array().unwrap().len(), 1, "{left}");
    assert_eq!(table.archived().await[0]["id"], made["id"]);
    assert_eq!(table.archive(&made["id"], true).await["id"], made["id"], "once more");
    let refused = table.refused("character_update", json!({ "character_id": ilva, "name": "X" }));
    assert!(refused.await.to_string().ends_with("is archived"));

    let back = table.archive(&made["id"], false).await;
    assert_eq!((&back["notes"], &back["controller"]), (&json!("Owes the ferryman."), &json!(pia)));
    assert_eq!(table.state(ilva).await["hp"], 3);
    assert_eq!(table.archived().await, json!([]));
    assert_eq!(table.shown(player, page).await["sheet"]["state"]["hp"], 3);
}

#[tokio::test]
async fn a_page_whose_role_ended_is_played_elsewhere_and_here_again() {
    let table = Table::set().await;
    let page = table.page("Ilva", json!({})).await;
    let here = table.playing(page, "Ilva", "PC");
    let made = table.call("character_create", here.clone()).await;
    table.call("character_state_patch", json!({ "character_id": made["id"], "hp": 3 })).await;
    table.archive(&made["id"], true).await;

    let other = table.campaign("Cinder").await;
    let mut there = here.clone();
    there["campaign_id"] = other.clone();
    let second = table.call("character_create", there).await;
    assert_eq!((&second["id"], &second["campaign_id"]), (&made["id"], &other));
    let id = made["id"].as_str().unwrap();
    assert_eq!(table.state(id).await["hp"], 6, "it starts anew");
    assert_eq!(table.archived().await[0]["id"], made["id"], "the role here is still known");
    let both = table.refused("character_create", here.clone()).await.to_string();
    assert!(both.contains("played already"), "{both}");

    table.archive(&made["id"], true).await;
    let npc = table.refused("character_create", table.playing(page, "Ilva", "NPC")).await;
    assert!(npc.to_string().starts_with("kind "), "{npc}");
    let again = table.call("character_create", here).await;
    assert_eq!(again["campaign_id"], json!(table.campaign));
    assert_eq!(table.state(id).await["hp"], 3, "and goes on where it stopped");
}

#[tokio::test]
async fn an_archived_campaign_keeps_nobody_from_being_played() {
    let table = Table::set().await;
    let page = table.page("Ilva", json!({})).await;
    let old = table.campaign("Cinder").await;
    let mut there = table.playing(page, "Ilva", "PC");
    there["campaign_id"] = old.clone();
    let made = table.call("character_create", there).await;
    table.call("character_state_patch", json!({ "character_id": made["id"], "hp": 2 })).await;
    let archive = |archived: bool| json!({ "campaign_id": old, "archived": archived });
    table.call("campaign_update", archive(true)).await;
    let here = table.call("character_create", table.playing(page, "Ilva", "PC")).await;
    assert_eq!(here["campaign_id"], json!(table.campaign));
    let back = table.call("campaign_update", archive(false)).await;
    assert_eq!(back["character_count"], 0, "{back}");
    let uri = format!("campaign://{}/archived", old.as_str().unwrap());
    assert_eq!(table.read(&uri).await["characters"][0]["id"], made["id"]);
}

#[tokio::test]
async fn a_hidden_role_ends_unnoticed() {
    let table = Table::set().await;
    let page = table.page("Vex", json!({ "entry": "A ferrier." })).await;
    let (player, _) = table.seat("Pia").await;
    let before = table.shown(player, page).await;
    let made = table.call("character_create", table.playing(page, "Vex", "NPC")).await;
    table.archive(&made["id"], true).await;
    assert_eq!(table.shown(player, page).await, before);
    table.archive(&made["id"], false).await;
    assert_eq!(table.shown(player, page).await, before);
    let events = table.events(player).await;
    assert!(!format!("{events:?}").contains("Vex"), "{events:?}");
}

#[tokio::test]
async fn a_fork_of_before_knows_the_role_that_ended() {
    let table = Table::set().await;
    let page = table.page("Ilva", json!({})).await;
    let made = table.call("character_create", table.playing(page, "Ilva", "PC")).await;
    let note = json!({ "session_id": table.session, "text": "here" });
    let seq = table.call("session_note_add", note).await["seq"].clone();
    table.archive(&made["id"], true).await;
    let then = json!({ "campaign_id": table.campaign, "session_id": table.session, "seq": seq });
    let fork = table.call("campaign_fork", then).await;
    assert_eq!((&fork["character_count"], fork.get("not_rewound")), (&json!(2), None), "{fork}");
    let now = table.call("campaign_fork", json!({ "campaign_id": table.campaign })).await;
    assert_eq!(now["character_count"], 1);
}

#[tokio::test]
async fn names_lead_to_the_original_and_not_to_the_copy_of_a_fork() {
    let table = Table::set().await;
    let page = table.page("King Alder", json!({ "entry": "marzipan" })).await;
    table.call("character_create", table.playing(page, "King Alder", "PC")).await;
    let fork = table.call("campaign_fork", json!({ "campaign_id": table.campaign })).await;
    let again = json!({ "campaign_id": fork["id"] });
    table.call("campaign_fork", again).await;
    let found = table.call("resolve_entity", json!({ "label": "King Alder" })).await;
    assert_eq!(found["candidates"].as_array().unwrap().len(), 1, "{found}");
    table.call("get_entity_documents", json!({ "entity_uri": "King Alder" })).await;
    let related = json!({ "action": "related", "node_id": "King Alder" });
    assert!(table.call("kn_intel", related).await.get("error").is_none());
    let idea = json!({ "action": "create", "title": "Crown him", "link_to": "King Alder" });
    assert!(table.call("kn_idea", idea).await.get("link_error").is_none());
}

#[tokio::test]
async fn a_session_of_an_archived_campaign_is_told() {
    let table = Table::set().await;
    let note = json!({ "session_id": table.session, "text": "Wren found the herring" });
    table.call("session_note_add", note).await;
    table.effect("stress", json!(1)).await;
    table.call("session_end", json!({ "session_id": table.session })).await;
    let before = table.call("session_recap", json!({ "session_id": table.session })).await;
    let archive = json!({ "campaign_id": table.campaign, "archived": true });
    table.call("campaign_update", archive).await;
    let recap = table.call("session_recap", json!({ "session_id": table.session })).await;
    assert_eq!(recap["happenings"], before["happenings"]);
}

//! Content of other doors is visible here, and content written here is visible there.

use std::collections::BTreeSet;

use lore_tools::{Registry, Toolset};
use serde_json::json;

use crate::world::{World, titles};

/// The tools of the contract, in its order.
const CONTRACT: &str = "get_article list_articles search_articles get_world list_categories \
    get_category get_user_identity list_user_worlds list_maps get_map get_map_markers get_campaign \
    list_campaign_npcs get_campaign_npc list_secrets get_secret list_timelines get_timeline \
    list_histories get_history list_images get_image list_chronicles get_chronicle list_canvases \
    get_canvas list_notebooks get_notebook list_manuscripts get_manuscript list_blocks get_block \
    list_block_folders get_block_folder list_block_templates get_block_template list_variables \
    get_variable list_variable_collections get_variable_collection list_subscriber_groups \
    get_subscriber_group list_rpg_systems get_rpg_system list_eras get_era";

#[test]
fn the_toolset_is_that_of_the_contract() {
    let registry = Registry::standard();
    let atlas = registry.all_tools().filter(|tool| tool.toolset == Toolset::Atlas);
    let names: BTreeSet<&str> = atlas.map(|tool| tool.name).collect();
    assert_eq!(names, CONTRACT.split_whitespace().collect());
    assert_eq!(names.len(), 46);
    for tool in registry.all_tools().filter(|tool| names.contains(tool.name)) {
        let fields = tool.input_schema["properties"].as_object().unwrap();
        let default = |name: &str| fields.get(name).map(|field| field["default"].clone());
        let is_list = fields.contains_key("offset");
        assert_eq!(default("limit"), is_list.then(|| json!(50)), "{}", tool.name);
        let has_levels = !is_list && tool.name != "get_user_identity";
        assert_eq!(default("granularity"), has_levels.then(|| json!(1)), "{}", tool.name);
        assert!(tool.annotations.read_only, "{}", tool.name);
    }
}

#[tokio::test]
async fn a_page_is_an_article_with_a_fitting_template() {
    let world = World::new().await;
    let mill = json!({ "entity_type": "location", "name": "Old Mill", "type": "Building" });
    world.page(mill).await;
    let entry = "Grove warden. Lives at [entity:1|the mill].";
    let elf = json!({
        "entity_type": "character", "name": "Aelysh", "entry": entry, "tags": ["elf", "warden"],
    });
    let id = world.page(elf).await;
    let standard = world.call("get_article", json!({ "article_id": id })).await;
    let data = &standard["data"];
    assert_eq!((&data["template"], &data["tags"]), (&json!("person"), &json!(["elf", "warden"])));
    assert_eq!((&data["state"], &data["is_wip"]), (&json!("public"), &json!(false)));
    assert_eq!(data["update_date"]["timezone"], "UTC");
    assert!(data["world"]["id"].is_string() && data.get("content").is_none(), "{data}");
    let arguments = json!({ "article_id": id, "granularity": 2 });
    let content = world.call("get_article", arguments).await["data"]["content"].clone();
    let content = content.as_str().unwrap();
    assert!(content.starts_with("Grove warden. Lives at @[the mill](landmark:"), "{content}");
    let preview = world.call("get_article", json!({ "article_id": id, "granularity": 0 })).await;
    assert!(preview["data"]["excerpt"].as_str().unwrap().starts_with("Grove warden."));
}

#[tokio::test]
async fn what_is_written_here_is_seen_by_the_other_doors() {
    let world = World::new().await;
    let keep = world
        .call("create_article", json!({ "title": "The Keep", "template": "settlement" }))
        .await["data"]["id"]
        .clone();
    let text = format!("Rules @[the keep](settlement:{}).", keep.as_str().unwrap());
    let lord = json!({
        "title": "Lord Vane", "template": "person", "subtype": "NPC", "content": text,
        "tags": ["noble"], "state": "public", "sections": { "authornotes": "Is a vampire." },
    });
    let made = world.call("create_article", lord).await;
    assert_eq!(made["data"]["content"], json!(text));
    assert_eq!(made["data"]["sections"], json!({ "authornotes": "Is a vampire." }));
    let found = world.call("find_entities", json!({ "name": "Lord Vane" })).await;
    let entity = &found["entities"][0];
    assert_eq!((&entity["entity_type"], &entity["type"]), (&json!("character"), &json!("NPC")));
    assert_eq!(entity["tags"], json!(["noble"]));
    let number = world.call("find_entities", json!({ "name": "The Keep" })).await;
    assert_eq!(number["entities"][0]["is_private"], true, "private unless asked otherwise");
    let number = number["entities"][0]["entity_id"].clone();
    assert_eq!(entity["entry"], json!(format!("Rules [entity:{number}|the keep].")));
}

#[tokio::test]
async fn what_other_doors_keep_is_an_article_to_be_read() {
    let world = World::new().await;
    let campaign = json!({ "name": "Ash", "gm_mode": "AI", "theme_prompt": "Tales of quernstone" });
    world.call("campaign_create", campaign).await;
    let node = json!({
        "action": "add", "name": "Tidelore", "type": "concept", "description": "The art of ebbing.",
    });
    world.call("kn_graph", node).await;
    let fact = json!({ "action": "learn", "content": "Lanterns need whelkoil.", "type": "gotcha",
        "confidence": "high" });
    world.call("kn_intel", fact).await;
    let before = world.call("list_articles", json!({})).await["meta"]["total"].clone();
    assert_eq!(before, 0, "a list is one of articles");
    for (words, template, tool) in [
        ("quernstone", "plot", "campaign_update"),
        ("ebbing", "article", "kn_graph"),
        ("whelkoil", "document", "kn_graph"),
    ] {
        let found = world.call("search_articles", json!({ "query": words })).await;
        let id = found["entities"][0]["id"].clone();
        let ask = json!({ "article_id": id, "granularity": 2 });
        let read = world.call("get_article", ask).await["data"].clone();
        assert_eq!(read["template"], template, "{read}");
        assert!(read["content"].as_str().unwrap().contains(words), "{read}");
        for (write, arguments) in [
            ("update_article", json!({ "article_id": id, "title": "Mine" })),
            ("delete_article", json!({ "article_id": id })),
        ] {
            let refused = world.try_call(world.owner, write, arguments).await;
            assert!(format!("{refused:?}").contains(tool), "{write}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn the_article_of_who_is_played_has_the_sheet_for_who_may_see_it() {
    let world = World::new().await;
    let player = world.player().await;
    let campaign = json!({ "name": "Ash", "gm_mode": "AI" });
    let campaign = world.call("campaign_create", campaign).await["id"].clone();
    let vex = world.page(json!({ "entity_type": "character", "name": "Vex" })).await;
    let number = world.call("find_entities", json!({ "name": "Vex" })).await;
    let number = number["entities"][0]["entity_id"].clone();
    let npc = json!({
        "campaign_id": campaign, "name": "Vex", "kind": "NPC", "page_id": number,
    });
    world.call("character_create", npc).await;
    let ask = json!({ "article_id": vex, "granularity": 2 });
    let seen = world.call("get_article", ask.clone()).await["data"]["sheet"].clone();
    assert_eq!((&seen["kind"], &seen["campaign_id"]), (&json!("NPC"), &campaign));
    assert!(seen["profile"]["hp_max"].is_i64() && seen["state"]["hp"].is_i64(), "{seen}");
    let hidden = world.try_call(player, "get_article", ask).await.unwrap();
    assert_eq!(hidden["data"].get("sheet"), None, "{hidden}");
    let npcs = world.call("list_campaign_npcs", json!({ "campaign_id": campaign })).await;
    assert_eq!(titles(&npcs), ["Vex"]);
}

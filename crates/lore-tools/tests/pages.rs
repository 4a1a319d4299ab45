//! Stories of worldbuilding, through the registry on a real store. Every usage example
//! of the contract is here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Doorkeeper, Identity, create_token, enter};
use lore_app::pages::{self, PagePatch, Scribe, TagsAre};
use lore_core::names::Word;
use lore_core::{Effects, Properties, Role, Viewer};
use lore_sqlite::SqliteStore;
use lore_store::{Direction, Edges, NodeKey, Nodes};
use lore_tools::{Call, CallError, Registry, Selection, Toolset};
use serde_json::{Value, json};

struct World {
    app: Arc<App>,
    store: Arc<SqliteStore>,
    owner: Viewer,
    registry: Registry,
    _directory: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let effects = Effects::system();
        let file = directory.path().join("store.sqlite");
        let options = lore_sqlite::Options::default();
        let store = Arc::new(SqliteStore::open(&file, options, &effects).unwrap());
        let app = Arc::new(App::new(store.clone(), effects));
        let owner = enter(&app, Identity::LOCAL, None).await.unwrap();
        Self { app, store, owner, registry: Registry::standard(), _directory: directory }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_as(self.owner, tool, arguments).await
    }

    async fn call_as(&self, viewer: Viewer, tool: &str, arguments: Value) -> Value {
        let answer = self.try_call(viewer, tool, arguments.clone()).await;
        answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
    }

    async fn try_call(
        &self,
        viewer: Viewer,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let call = Call::new(Arc::clone(&self.app), viewer);
        Ok(self.registry.call(&Selection::new(), tool, call, arguments).await?.structured)
    }

    /// Makes one entity and gives its entity_id.
    async fn make(&self, entity: Value) -> i64 {
        let made = self.call("create_entities", json!({ "entities": [entity] })).await;
        made["results"][0]["entity_id"].as_i64().unwrap_or_else(|| panic!("{made}"))
    }

    async fn find(&self, arguments: Value) -> Vec<String> {
        names(&self.call("find_entities", arguments).await)
    }

    async fn get(&self, id: i64) -> Value {
        let arguments = json!({ "entity_ids": [id], "include_posts": true });
        self.call("get_entities", arguments).await["results"][0].clone()
    }

    /// The numbers of what a page is joined to.
    async fn joined(&self, viewer: Viewer, id: i64, kind: &str) -> Vec<i64> {
        let node = self.store.node(&viewer, NodeKey::Number(id)).await.unwrap().unwrap();
        let kinds = [Word::new("kind", kind).unwrap()];
        let store = &self.store;
        let edges = store.neighbours(&viewer, &[node.id], Direction::Out, &kinds, 100).await;
        let targets: Vec<_> = edges.unwrap().into_iter().map(|edge| edge.target).collect();
        let nodes = self.store.nodes(&viewer, &targets).await.unwrap();
        nodes.into_iter().map(|node| node.number).collect()
    }

    async fn player(&self) -> Viewer {
        let issued = create_token(&self.app, &self.owner, "Alice", Role::Player).await.unwrap();
        let keeper = Doorkeeper::new(Arc::clone(&self.app));
        let identity = keeper.identify(&issued.secret).await.unwrap().unwrap();
        enter(&self.app, identity, None).await.unwrap()
    }
}

fn names(found: &Value) -> Vec<String> {
    let entities = found["entities"].as_array().unwrap();
    entities.iter().map(|entity| entity["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_misspelt_name_is_found_with_a_score() {
    let world = World::new().await;
    let aelysh = json!({
        "entity_type": "character", "name": "Aelysh", "type": "NPC",
        "entry": "Grove Warden...", "tags": ["elf"],
    });
    let id = world.make(aelysh).await;
    world.make(json!({ "entity_type": "character", "name": "Thorin Ironforge" })).await;
    world.make(json!({ "entity_type": "location", "name": "Aelish Falls" })).await;
    for heard in ["Aylysh", "Ailish", "Alesh"] {
        let ask = json!({ "entity_type": "character", "name": heard, "name_fuzzy": true });
        let found = world.call("find_entities", ask).await;
        assert_eq!(names(&found), ["Aelysh"], "{heard}");
        let entity = &found["entities"][0];
        assert_eq!(entity["entity_id"], id);
        assert_eq!((&entity["type"], &entity["tags"]), (&json!("NPC"), &json!(["elf"])));
        assert_eq!((&entity["is_private"], &entity["is_hidden"]), (&json!(false), &json!(false)));
        let score = entity["match_score"].as_f64().unwrap();
        assert!((0.7..1.0).contains(&score), "{heard}: {score}");
    }
}

#[tokio::test]
async fn known_misspellings_in_the_text_are_found_by_query() {
    let world = World::new().await;
    let id = world.make(json!({ "entity_type": "character", "name": "Aelysh" })).await;
    world.make(json!({ "entity_type": "character", "name": "Bryn" })).await;
    let entry = "Grove Warden of the eastern woods...\n\n\
                 [Known misspellings from transcripts: Aylysh, Ailish, Alesh]";
    let update = json!({ "updates": [{ "entity_id": id, "name": "Aelysh", "entry": entry }] });
    let updated = world.call("update_entities", update).await;
    assert_eq!(updated["results"][0], json!({ "entity_id": id, "success": true }));
    let ask = json!({ "query": "Aylysh", "entity_type": "character", "include_full": false });
    let found = world.call("find_entities", ask).await;
    let minimal = json!([{ "entity_id": id, "name": "Aelysh", "entity_type": "character" }]);
    assert_eq!(found["entities"], minimal);
    assert_eq!(world.get(id).await["entry"], entry);
}

#[tokio::test]
async fn several_entities_are_made_at_once() {
    let world = World::new().await;
    let made = world
        .call(
            "create_entities",
            json!({ "entities": [
                { "entity_type": "character", "name": "Osanna von Carstein", "type": "NPC",
                  "entry": "Vampire noble...", "tags": ["vampire", "von-carstein"] },
                { "entity_type": "note", "name": "Digest: Session 2025-05-30",
                  "type": "Session Digest", "entry": "## Chronological Log\n1. Party arrives at...",
                  "tags": ["digest", "draft"], "is_private": true },
                { "entity_type": "journal", "name": "Session 23: The Mansion Mystery",
                  "type": "Session Summary",
                  "entry": "**Date: 2025-05-30**\n\nThe party cleared out a mansion...",
                  "tags": ["session-summary", "published"] },
            ] }),
        )
        .await;
    for row in made["results"].as_array().unwrap() {
        assert_eq!(row["success"], true);
        assert_eq!(row["mention"], format!("[entity:{}]", row["entity_id"]));
        assert!(row["id"].is_i64() && row["name"].is_string());
    }
    let digest = world.get(made["results"][1]["entity_id"].as_i64().unwrap()).await;
    assert_eq!(digest["entry"], "## Chronological Log\n1. Party arrives at...");
    assert_eq!((&digest["is_private"], &digest["success"]), (&json!(true), &json!(true)));
}

#[tokio::test]
async fn sessions_are_prepared_from_types_dates_and_tags() {
    let world = World::new().await;
    for (name, kind) in
        [("Wren", "Player Character"), ("Bran", "player character"), ("Innkeeper", "NPC")]
    {
        world.make(json!({ "entity_type": "character", "name": name, "type": kind })).await;
    }
    for (name, date) in [("One", "2025-04-30"), ("Two", "2025-05-01"), ("Three", "2025-06-01")] {
        let entry = format!("**Date: {date}**\n\nThings happened.");
        let journal = json!({
            "entity_type": "journal", "name": name, "type": "Session Summary", "entry": entry,
        });
        world.make(journal).await;
    }
    for (name, tags) in [("A", ["vampire", "noble"]), ("B", ["Vampire", "poor"])] {
        world.make(json!({ "entity_type": "creature", "name": name, "tags": tags })).await;
    }
    let pcs = json!({ "entity_type": "character", "type": "Player Character" });
    assert_eq!(world.find(pcs).await, ["Wren", "Bran"]);
    let may = json!({
        "entity_type": "journal", "type": "Session Summary",
        "date_range": { "start": "2025-05-01", "end": "2025-05-31" },
    });
    assert_eq!(world.find(may).await, ["Two"]);
    assert_eq!(world.find(json!({ "tags": ["vampire", "NOBLE"] })).await, ["A"]);
    assert_eq!(world.find(json!({ "tags": ["vampire"] })).await, ["A", "B"]);
    assert_eq!(world.find(json!({ "query": "vampire", "tags": ["noble"] })).await, ["A"]);
}

#[tokio::test]
async fn updates_after_a_session_change_only_what_they_name() {
    let world = World::new().await;
    let aelysh = json!({ "entity_type": "character", "name": "Aelysh", "tags": ["elf"] });
    let aelysh = world.make(aelysh).await;
    let thorin = json!({
        "entity_type": "character", "name": "Thorin Ironforge", "entry": "A dwarf.", "tags": ["pc"],
    });
    let thorin = world.make(thorin).await;
    let tags = json!(["cleric", "dwarf", "paranoid-about-fey", "pc"]);
    let update = json!({ "updates": [
        { "entity_id": aelysh, "name": "Aelysh",
          "entry": "Old.\n\n## Session 23 Update\nAelysh revealed she needs elderberries for..." },
        { "entity_id": thorin, "tags": tags },
    ] });
    world.call("update_entities", update).await;
    let (aelysh, thorin) = (world.get(aelysh).await, world.get(thorin).await);
    assert_eq!((&aelysh["tags"], &aelysh["name"]), (&json!(["elf"]), &json!("Aelysh")));
    assert!(aelysh["entry"].as_str().unwrap().ends_with("elderberries for..."));
    assert_eq!((&thorin["tags"], &thorin["entry"]), (&tags, &json!("A dwarf.")));
}

#[tokio::test]
async fn a_bad_item_does_not_hurt_its_neighbours() {
    let world = World::new().await;
    let made = world
        .call(
            "create_entities",
            json!({ "entities": [
                { "entity_type": "dragon", "name": "Smaug" },
                { "entity_type": "character" },
                { "entity_type": "character", "name": "  " },
                "nonsense",
                { "entity_type": "character", "name": "Bob", "colour": "red" },
                { "entity_type": "Character", "name": "Good" },
            ] }),
        )
        .await;
    let rows = made["results"].as_array().unwrap();
    let good: Vec<bool> = rows.iter().map(|row| row["success"].as_bool().unwrap()).collect();
    assert_eq!(good, [false, false, false, false, false, true]);
    let first = rows[0]["error"].as_str().unwrap();
    assert!(first.contains("dragon") && first.contains("character, creature"), "{first}");
    assert!(rows[1]["error"].as_str().unwrap().starts_with("name is required"));
    let id = rows[5]["entity_id"].as_i64().unwrap();
    let got = world.call("get_entities", json!({ "entity_ids": [999, id, "x"] })).await;
    assert_eq!(got["results"][0]["success"], false);
    assert_eq!(got["results"][0]["entity_id"], 999);
    assert_eq!(got["results"][1]["name"], "Good");
    assert_eq!(got["results"][2]["success"], false);
    let gone = world.call("delete_entities", json!({ "entity_ids": [999, id, id] })).await;
    let done: Vec<_> = gone["results"].as_array().unwrap().iter().map(|r| &r["success"]).collect();
    assert_eq!(done, [false, true, false]);
    assert!(world.find(json!({})).await.is_empty());
}

#[tokio::test]
async fn names_match_in_part_exactly_or_by_sound() {
    let world = World::new().await;
    for name in ["Aelysh", "Aelysh the Younger", "Thorin", "Elysian Fields"] {
        world.make(json!({ "entity_type": "character", "name": name })).await;
    }
    let part = json!({ "name": "LYS" });
    assert_eq!(world.find(part).await, ["Aelysh", "Aelysh the Younger", "Elysian Fields"]);
    assert_eq!(world.find(json!({ "name": "aelysh", "name_exact": true })).await, ["Aelysh"]);
    let fuzzy = json!({ "name": "aelysh", "name_fuzzy": true, "name_exact": true });
    assert_eq!(world.find(fuzzy).await, ["Aelysh", "Aelysh the Younger"]);
    let both = json!({ "query": "Aelysh", "name": "younger" });
    assert_eq!(world.find(both).await, ["Aelysh the Younger"]);
}

#[tokio::test]
async fn pages_of_results_are_cut_after_all_filters() {
    let world = World::new().await;
    for number in 0..30 {
        let kind = if number % 2 == 0 { "even" } else { "odd" };
        let entry = format!("Tale of the {kind} herald. Date: 2025-05-{:02}", number + 1);
        world
            .make(json!({
                "entity_type": "journal", "name": format!("J{number}"), "type": kind,
                "entry": entry, "tags": [kind],
            }))
            .await;
    }
    for filter in [
        json!({ "type": "odd" }),
        json!({ "tags": ["odd"], "date_range": { "start": "2025-05-01", "end": "2025-05-31" } }),
        json!({ "query": "herald", "type": "odd" }),
    ] {
        let mut seen = Vec::new();
        for (page, count) in [(1, 10), (2, 5), (3, 0)] {
            let mut ask = filter.clone();
            ask["page"] = json!(page);
            ask["limit"] = json!(10);
            let found = world.call("find_entities", ask).await;
            assert_eq!(found["sync_info"]["total_count"], 15, "{filter}");
            assert_eq!(found["sync_info"]["returned_count"], count, "{filter}");
            seen.extend(names(&found));
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 15, "{filter}");
        let mut all = filter.clone();
        all["limit"] = json!(0);
        assert_eq!(world.find(all.clone()).await.len(), 15);
        assert_eq!(world.find(all.clone()).await, world.find(all).await);
    }
    assert_eq!(world.find(json!({})).await.len(), 25);
    assert_eq!(world.find(json!({ "limit": 1000 })).await.len(), 30);
}

#[tokio::test]
async fn a_date_follows_what_is_written_and_who_may_read_it() {
    let world = World::new().await;
    let player = world.player().await;
    let journal = json!({ "entity_type": "journal", "name": "J", "entry": "Date: 2025-05-30" });
    let id = world.make(journal).await;
    let may = json!({ "date_range": { "start": "2025-05-01", "end": "2025-05-31" } });
    let write = async |field: &str, value: Value| {
        let mut update = json!({ "entity_id": id });
        update[field] = value;
        world.call("update_entities", json!({ "updates": [update] })).await;
    };
    assert_eq!(world.find(may.clone()).await, ["J"]);
    write("entry", json!("Date: 2024-01-01")).await;
    assert!(world.find(may.clone()).await.is_empty());
    write("entry", json!("They met on 2025-05-02.")).await;
    let seen = world.call_as(player, "find_entities", may.clone()).await;
    assert_eq!(names(&seen), ["J"]);
    write("is_private", json!(true)).await;
    let seen = world.call_as(player, "find_entities", may.clone()).await;
    assert!(names(&seen).is_empty());
    assert_eq!(world.find(may.clone()).await, ["J"]);
    // A journal's own date counts before what its text tells.
    let scribe = Scribe {
        app: Arc::clone(&world.app),
        viewer: world.owner,
        tool: "test",
        request_id: String::new(),
        tags_are: TagsAre::Pages,
    };
    let fields = Properties::from_iter([("date".to_owned(), json!("2024-02-02"))]);
    let patch = PagePatch { fields, ..PagePatch::default() };
    pages::update(&scribe, id, &patch).await.unwrap();
    assert!(world.find(may.clone()).await.is_empty());
    world.call("delete_entities", json!({ "entity_ids": [id] })).await;
    assert!(world.find(json!({ "date_range": {} })).await.is_empty());
}

#[tokio::test]
async fn bad_questions_are_errors() {
    let world = World::new().await;
    for (ask, field) in [
        (json!({ "date_range": { "start": "May", "end": "2025-05-31" } }), "date_range.start"),
        (
            json!({ "date_range": { "start": "2025-06-01", "end": "2025-05-31" } }),
            "date_range.start",
        ),
        (json!({ "last_synced": "yesterday" }), "last_synced"),
        (json!({ "limit": -1 }), "limit"),
        (json!({ "entity_type": "dragon" }), "entity_type"),
    ] {
        let error = world.try_call(world.owner, "find_entities", ask.clone()).await.unwrap_err();
        assert!(error.to_string().starts_with(field), "{ask}: {error}");
    }
}

#[tokio::test]
async fn posts_are_attached_changed_found_and_deleted() {
    let world = World::new().await;
    let mill = world.make(json!({ "entity_type": "location", "name": "Mill" })).await;
    let posts = json!({ "posts": [
        { "entity_id": mill, "name": "Rumours", "entry": "Haunted by a phantasm." },
        { "entity_id": mill, "name": "Secret", "is_hidden": true },
        { "entity_id": 999, "name": "Lost" },
        { "entity_id": mill },
    ] });
    let made = world.call("create_posts", posts).await;
    let done: Vec<_> = made["results"].as_array().unwrap().iter().map(|r| &r["success"]).collect();
    assert_eq!(done, [true, true, false, false]);
    let rumours = made["results"][0]["post_id"].clone();
    assert_eq!(world.find(json!({ "query": "phantasm" })).await, ["Mill"]);
    let update = json!({ "updates": [
        { "entity_id": mill, "post_id": rumours, "entry": "Nothing there." },
        { "entity_id": mill, "post_id": 999_999, "name": "x" },
    ] });
    let updated = world.call("update_posts", update).await;
    assert_eq!(updated["results"][1]["success"], false);
    let shown = world.get(mill).await["posts"].clone();
    assert_eq!(shown[0]["name"], "Rumours");
    assert_eq!(shown[0]["entry"], "Nothing there.");
    assert_eq!((&shown[1]["is_private"], &shown[1]["is_hidden"]), (&json!(true), &json!(true)));
    assert!(world.find(json!({ "query": "phantasm" })).await.is_empty());
    let deletion = json!({ "deletions": [{ "entity_id": mill, "post_id": rumours }] });
    world.call("delete_posts", deletion.clone()).await;
    assert_eq!(world.call("delete_posts", deletion).await["results"][0]["success"], false);
    assert_eq!(world.get(mill).await["posts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn exactly_the_changed_and_the_deleted_are_reported() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for name in ["Kept", "Changed", "Posted", "Deleted"] {
        ids.push(world.make(json!({ "entity_type": "note", "name": name })).await);
    }
    let info = world.call("find_entities", json!({})).await["sync_info"].clone();
    let since = info["newest_updated_at"].as_str().unwrap().to_owned();
    world
        .call("update_entities", json!({ "updates": [{ "entity_id": ids[1], "type": "x" }] }))
        .await;
    world.call("create_posts", json!({ "posts": [{ "entity_id": ids[2], "name": "p" }] })).await;
    world.call("delete_entities", json!({ "entity_ids": [ids[3]] })).await;
    let ask = json!({ "entity_ids": ids, "last_synced": since });
    let report = world.call("check_entity_updates", ask).await;
    assert_eq!(report["modified_entity_ids"], json!([ids[1], ids[2]]));
    assert_eq!(report["deleted_entity_ids"], json!([ids[3]]));
    let changed = world.find(json!({ "last_synced": since })).await;
    assert_eq!(changed, ["Changed", "Posted"]);
    let again = json!({ "entity_ids": ids, "last_synced": report["check_timestamp"] });
    let report = world.call("check_entity_updates", again).await;
    assert_eq!(report["modified_entity_ids"], json!([]));
}

#[tokio::test]
async fn mentions_and_tags_are_edges_that_follow_the_texts() {
    let world = World::new().await;
    let mill = world.make(json!({ "entity_type": "location", "name": "Mill" })).await;
    let bob = world.make(json!({ "entity_type": "character", "name": "Bob" })).await;
    let entry = format!("At [location:{mill}|the *Old* Mill], `[entity:{bob}]`, [entity:4711].");
    let tale = json!({ "entity_type": "journal", "name": "Tale", "entry": entry, "tags": ["x"] });
    let tale = world.make(tale).await;
    assert_eq!(world.joined(world.owner, tale, "mentions").await, [mill, bob]);
    assert_eq!(world.joined(world.owner, tale, "tagged").await.len(), 1);
    assert_eq!(world.get(tale).await["entry"], entry);
    let update = json!({ "updates": [
        { "entity_id": tale, "entry": format!("[entity:{tale}] [entity:{mill}]"), "tags": [] },
    ] });
    world.call("update_entities", update).await;
    assert_eq!(world.joined(world.owner, tale, "mentions").await, [mill]);
    assert!(world.joined(world.owner, tale, "tagged").await.is_empty());
    let post = json!({ "posts": [{ "entity_id": tale, "name": "p", "entry": format!("[entity:{bob}]") }] });
    world.call("create_posts", post).await;
    assert_eq!(world.joined(world.owner, tale, "mentions").await, [mill, bob]);
}

#[tokio::test]
async fn mentions_lead_to_what_is_made_later_in_the_same_call() {
    let world = World::new().await;
    let first = world.make(json!({ "entity_type": "note", "name": "First" })).await;
    let (one, two, three) = (first + 1, first + 2, first + 3);
    let made = world
        .call(
            "create_entities",
            json!({ "entities": [
                { "entity_type": "character", "name": "One",
                  "entry": format!("Friend of [entity:{three}|Three] and [character:{two}].") },
                { "entity_type": "dragon", "name": "None" },
                { "entity_type": "character", "name": "Two", "entry": format!("| a |\n|---|\n| [entity:{one}\\|b] |") },
                { "entity_type": "character", "name": "Three",
                  "entry": format!("![of [entity:{one}]](https://x.example/a.png)") },
            ] }),
        )
        .await;
    assert_eq!(made["results"][3]["entity_id"], three, "{made}");
    assert_eq!(world.joined(world.owner, one, "mentions").await, [two, three]);
    assert_eq!(world.joined(world.owner, two, "mentions").await, [one]);
    assert_eq!(world.joined(world.owner, three, "mentions").await, [one]);
}

#[tokio::test]
async fn mentions_lead_to_what_is_made_by_a_later_call() {
    let world = World::new().await;
    let first = world.make(json!({ "entity_type": "note", "name": "First" })).await;
    let (one, two) = (first + 1, first + 2);
    let entry = format!("Of [location:{two}|the mill], in {two} days.");
    world.make(json!({ "entity_type": "note", "name": "One", "entry": entry })).await;
    let other = json!({ "entity_id": first, "name": "Post", "entry": format!("[entity:{two}]") });
    world.call("create_posts", json!({ "posts": [other] })).await;
    assert!(world.joined(world.owner, one, "mentions").await.is_empty());
    let before = world.get(one).await["updated_at"].clone();
    let mill = json!({ "entities": [{ "entity_type": "location", "name": "Mill" }] });
    world.call_as(world.player().await, "create_entities", mill).await;
    assert_eq!(world.joined(world.owner, one, "mentions").await, [two]);
    assert_eq!(world.joined(world.owner, first, "mentions").await, [two]);
    assert_eq!(world.get(one).await["updated_at"], before);
}

#[tokio::test]
async fn tags_are_made_once_however_they_are_spelt() {
    let world = World::new().await;
    let tags = json!(["Elf", "elf", " ELF "]);
    let one = json!({ "entity_type": "race", "name": "A", "tags": tags });
    let one = world.make(one).await;
    let two = world.make(json!({ "entity_type": "race", "name": "B", "tags": ["elf"] })).await;
    assert_eq!(world.get(one).await["tags"], json!(["Elf"]));
    assert_eq!(world.get(two).await["tags"], json!(["Elf"]));
    let tagged = world.joined(world.owner, one, "tagged").await;
    assert_eq!(tagged, world.joined(world.owner, two, "tagged").await);
    assert_eq!(tagged.len(), 1);
}

#[tokio::test]
async fn players_see_nothing_of_what_is_hidden() {
    let world = World::new().await;
    let player = world.player().await;
    let villain = json!({
        "entity_type": "character", "name": "Canary", "entry": "canary text",
        "tags": ["canary-tag"], "is_private": true,
    });
    let villain = world.make(villain).await;
    let note = world.make(json!({ "entity_type": "note", "name": "Canary note" })).await;
    let inn = world.make(json!({ "entity_type": "location", "name": "Inn" })).await;
    let post = json!({ "posts": [{
        "entity_id": inn, "name": "Canary", "entry": format!("canary [entity:{villain}]"),
        "is_private": true,
    }] });
    let post = world.call("create_posts", post).await["results"][0]["post_id"].clone();
    for ask in [
        json!({}),
        json!({ "query": "canary" }),
        json!({ "name": "Canary" }),
        json!({ "name": "Kanary", "name_fuzzy": true }),
        json!({ "tags": ["canary-tag"] }),
        json!({ "entity_type": "note", "limit": 0 }),
    ] {
        let found = world.call_as(player, "find_entities", ask.clone()).await.to_string();
        assert!(!found.to_lowercase().contains("canary"), "{ask}: {found}");
    }
    let ask = json!({ "entity_ids": [villain, note, inn], "include_posts": true });
    let got = world.call_as(player, "get_entities", ask).await;
    assert!(!got.to_string().to_lowercase().contains("canary"), "{got}");
    let attempts = json!({ "updates": [
        { "entity_id": villain, "name": "Mine" }, { "entity_id": note, "is_private": false },
    ] });
    let tried = world.call_as(player, "update_entities", attempts).await;
    assert_eq!(tried["results"][0]["success"], false);
    assert_eq!(tried["results"][1]["success"], false);
    let steal = json!({ "updates": [{ "entity_id": inn, "post_id": post, "is_private": false }] });
    assert_eq!(world.call_as(player, "update_posts", steal).await["results"][0]["success"], false);
    assert!(world.joined(player, inn, "mentions").await.is_empty());
    assert!(
        world.try_call(player, "delete_entities", json!({ "entity_ids": [inn] })).await.is_err()
    );
}

#[tokio::test]
async fn a_player_shares_tags_and_keeps_own_notes() {
    let world = World::new().await;
    let player = world.player().await;
    let hidden = json!({
        "entity_type": "character", "name": "H", "tags": ["Coven"], "is_private": true,
    });
    let hidden = world.make(hidden).await;
    let mine = json!({ "entities": [
        { "entity_type": "character", "name": "Mine", "tags": ["coven"] },
        { "entity_type": "note", "name": "Diary" },
    ] });
    let made = world.call_as(player, "create_entities", mine).await;
    let mine = made["results"][0]["entity_id"].as_i64().unwrap();
    let shared = world.joined(world.owner, hidden, "tagged").await;
    assert_eq!(world.joined(world.owner, mine, "tagged").await, shared);
    let own = world.call_as(player, "find_entities", json!({ "entity_type": "note" })).await;
    assert_eq!(names(&own), ["Diary"]);
    assert_eq!(own["entities"][0]["is_private"], true);
    assert!(world.find(json!({ "entity_type": "note" })).await.is_empty());
}

#[tokio::test]
async fn concurrent_changes_are_all_kept_and_tags_stay_single() {
    let world = Arc::new(World::new().await);
    let makers = (0..16).map(|number| {
        let world = Arc::clone(&world);
        async move {
            let name = format!("E{number}");
            world.make(json!({ "entity_type": "quest", "name": name, "tags": ["shared"] })).await
        }
    });
    let ids = futures::future::join_all(makers).await;
    let mut tags = Vec::new();
    for id in &ids {
        tags.extend(world.joined(world.owner, *id, "tagged").await);
    }
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), 1, "one tag, not several of one name");
    let posts = (0..16).map(|number| {
        let world = Arc::clone(&world);
        let post = json!({ "posts": [{ "entity_id": ids[0], "name": format!("P{number}") }] });
        async move { world.call("create_posts", post).await }
    });
    futures::future::join_all(posts).await;
    assert_eq!(world.get(ids[0]).await["posts"].as_array().unwrap().len(), 16);
}

/// What a model has to read of this toolset before it can use it.
#[test]
fn the_toolset_is_short_to_read() {
    let registry = Registry::standard();
    let pages = registry.all_tools().filter(|tool| tool.toolset == Toolset::Pages);
    let bytes: usize = pages
        .map(|tool| {
            let schema = serde_json::to_string(&*tool.input_schema).unwrap();
            tool.name.len() + tool.description.len() + schema.len()
        })
        .sum();
    assert!((3_000..=7_000).contains(&bytes), "{bytes} bytes");
}

#[tokio::test]
async fn the_context_tells_of_every_type_and_field() {
    let world = World::new().await;
    let selection = Selection::new();
    let found = world.registry.resource(&selection, Role::Reader, "kanka://context");
    let (resource, captures) = found.unwrap();
    let call = Call::new(Arc::clone(&world.app), world.owner);
    let context = (resource.read)(call, captures).await.unwrap();
    for key in [
        "description",
        "supported_entities",
        "core_fields",
        "terminology",
        "posts",
        "mentions",
        "limitations",
    ] {
        assert!(context.get(key).is_some(), "{key}");
    }
    assert_eq!(context["supported_entities"].as_object().unwrap().len(), 8);
}

#[tokio::test]
async fn filters_beside_a_query_see_everything_it_finds_and_zero_is_all() {
    let world = World::new().await;
    for start in (0..1_100).step_by(200) {
        let entities: Vec<Value> = (start..(start + 200).min(1_100))
            .map(|number| {
                let subtype = if number == 1_099 { "Last" } else { "Many" };
                let entry = if number % 100 == 7 { "common. Date: 2025-05-30" } else { "common" };
                json!({ "entity_type": "location", "name": format!("Place {number}"),
                    "type": subtype, "entry": entry })
            })
            .collect();
        world.call("create_entities", json!({ "entities": entities })).await;
    }
    let whole = json!({ "query": "common", "limit": 0, "include_full": false });
    let whole = world.call("find_entities", whole).await;
    assert_eq!(whole["sync_info"]["total_count"], 1_100);
    assert_eq!(names(&whole).len(), 1_100);
    let page = json!({ "query": "common", "limit": 100, "page": 11, "include_full": false });
    assert_eq!(names(&world.call("find_entities", page).await), names(&whole)[1_000..1_100]);
    for (filter, count) in [
        (json!({ "name": "Place 1099" }), 1),
        (json!({ "type": "last" }), 1),
        (json!({ "date_range": { "start": "2025-05-30", "end": "2025-05-30" } }), 11),
        (json!({ "last_synced": "2020-01-01" }), 1_100),
    ] {
        let mut asked = filter.clone();
        asked["query"] = json!("common");
        let found = world.call("find_entities", asked).await;
        assert_eq!(found["sync_info"]["total_count"], count, "{filter}");
    }
}

#[tokio::test]
async fn a_type_beside_words_or_a_sound_is_the_one_it_has_now() {
    let world = World::new().await;
    let entry = "Keeper of the grove. Date: 2025-05-30";
    let bram = json!({ "entity_type": "character", "name": "Bram", "type": "NPC", "entry": entry });
    let id = world.make(bram).await;
    let other = json!({ "entity_type": "character", "name": "Brom", "entry": "Fears the grove." });
    world.make(other).await;
    let day = json!({ "start": "2025-05-30", "end": "2025-05-30" });
    let asked = |subtype: &str| {
        [
            json!({ "query": "grove", "type": subtype }),
            json!({ "query": "grove", "type": subtype, "date_range": day }),
            json!({ "query": "grove", "type": subtype, "name": "Bramm", "name_fuzzy": true }),
            json!({ "type": subtype, "name": "Bramm", "name_fuzzy": true, "date_range": day }),
        ]
    };
    for (now, before) in [("npc", "Keeper"), ("KEEPER", "NPC")] {
        for ask in asked(now) {
            assert_eq!(world.find(ask.clone()).await, ["Bram"], "{ask}");
        }
        for ask in asked(before) {
            assert!(world.find(ask.clone()).await.is_empty(), "{ask}");
        }
        let update = json!({ "updates": [{ "entity_id": id, "type": "Keeper" }] });
        world.call("update_entities", update).await;
    }
    let fuzzy = json!({ "query": "keeper", "name": "Bram", "name_fuzzy": true });
    assert_eq!(world.find(fuzzy).await, ["Bram"]);
}

#[tokio::test]
async fn both_names_of_privacy_may_be_given_when_they_agree() {
    let world = World::new().await;
    let entity = |private: bool, hidden: bool| {
        json!({ "entity_type": "character", "name": "A", "is_private": private,
            "is_hidden": hidden })
    };
    let made = json!({ "entities": [entity(true, true), entity(true, false)] });
    let made = world.call("create_entities", made).await["results"].clone();
    assert_eq!((&made[0]["success"], &made[1]["success"]), (&json!(true), &json!(false)));
    assert!(made[1]["error"].as_str().unwrap().starts_with("is_hidden"), "{made}");
    let id = made[0]["entity_id"].as_i64().unwrap();
    let update = json!({ "entity_id": id, "is_private": false, "is_hidden": false });
    let done = world.call("update_entities", json!({ "updates": [update] })).await;
    assert_eq!(done["results"][0]["success"], true, "{done}");
    let post = json!({ "entity_id": id, "name": "P", "is_private": true, "is_hidden": true });
    let done = world.call("create_posts", json!({ "posts": [post] })).await;
    assert_eq!(done["results"][0]["success"], true, "{done}");
    assert_eq!(world.get(id).await["posts"][0]["is_private"], true);
}

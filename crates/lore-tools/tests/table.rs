//! Stories at the table, through the registry on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_core::{Effects, Viewer};
use lore_sqlite::SqliteStore;
use lore_tools::{Call, CallError, Registry, Selection};
use serde_json::{Value, json};

struct Table {
    app: Arc<App>,
    viewer: Viewer,
    registry: Registry,
    campaign: String,
    character: String,
    session: String,
    _directory: tempfile::TempDir,
}

impl Table {
    /// A campaign with one character and a running session.
    async fn set() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let effects = Effects::system();
        let file = directory.path().join("store.sqlite");
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let app = Arc::new(App::new(Arc::new(store), effects));
        let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
        let mut table = Self {
            app,
            viewer,
            registry: Registry::standard(),
            campaign: String::new(),
            character: String::new(),
            session: String::new(),
            _directory: directory,
        };
        let id = |answer: Value| answer["id"].as_str().unwrap().to_owned();
        let campaign = json!({ "name": "Ash", "gm_mode": "AI" });
        table.campaign = id(table.call("campaign_create", campaign).await);
        let character = json!({ "campaign_id": table.campaign, "name": "Wren", "kind": "PC" });
        table.character = id(table.call("character_create", character).await);
        let session = json!({ "campaign_id": table.campaign });
        table.session = id(table.call("session_start", session).await);
        table
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.try_call(tool, arguments.clone())
            .await
            .unwrap_or_else(|e| panic!("{tool} {arguments}: {e}"))
    }

    async fn try_call(&self, tool: &str, arguments: Value) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let call = Call::new(Arc::clone(&self.app), self.viewer);
        let answer = self.registry.call(&Selection::new(), tool, call, arguments).await?;
        Ok(answer.structured)
    }

    /// Applies an effect to the character.
    async fn effect(&self, kind: &str, value: Value) -> Value {
        let arguments = json!({
            "session_id": self.session, "character_ids": [self.character], kind: value,
        });
        self.call("session_effect_apply", arguments).await
    }

    async fn state(&self, character: &str) -> Value {
        self.call("character_sheet_get", json!({ "character_id": character })).await["state"]
            .clone()
    }
}

#[tokio::test]
async fn damage_is_halved_upwards_before_the_thresholds() {
    let table = Table::set().await;
    // 15 halved is 8, which just reaches the major threshold: two hit points.
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
    for effects in [json!({}), json!({ "heal": 1, "hope": 1 })] {
        let mut arguments = effects;
        arguments["session_id"] = json!(table.session);
        arguments["character_ids"] = json!([table.character]);
        let error = table.try_call("session_effect_apply", arguments).await.unwrap_err();
        assert!(error.to_string().starts_with("effect is given"), "{error}");
    }
}

#[tokio::test]
async fn countdowns_tick_trigger_and_loop() {
    let table = Table::set().await;
    let countdown = async |change: Value| {
        let arguments = json!({ "session_id": table.session, "countdown": change });
        table.call("session_effect_apply", arguments).await["countdown"].clone()
    };
    countdown(json!({ "name": "The flood", "start": 2, "loop": "SAME" })).await;
    let once = countdown(json!({ "name": "The flood", "advance": 1 })).await;
    assert_eq!((&once["countdown"]["current"], &once["triggered"]), (&json!(1), &json!(false)));
    let twice = countdown(json!({ "name": "The flood", "advance": 1 })).await;
    assert_eq!((&twice["countdown"]["current"], &twice["triggered"]), (&json!(2), &json!(true)));
    let both = countdown(json!({ "name": "The fire", "start": 4, "advance": 3 })).await;
    assert_eq!((&both["countdown"]["current"], &both["triggered"]), (&json!(1), &json!(false)));
}

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

/// The one character of a campaign.
async fn copied_character(table: &Table, campaign: &str) -> String {
    let selection = Selection::new();
    let uri = format!("campaign://{campaign}/characters");
    let found = table.registry.resource(&selection, table.viewer.role, &uri);
    let (resource, captures) = found.unwrap();
    let call = Call::new(Arc::clone(&table.app), table.viewer);
    let list = (resource.read)(call, captures).await.unwrap();
    list["characters"][0]["id"].as_str().unwrap().to_owned()
}

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

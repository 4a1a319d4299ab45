//! Tests of the play toolset, through the registry on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod doors;
mod effects;
mod forks;
mod found;
mod log;
mod people;
#[path = "../shared/place.rs"]
mod place;
mod refusals;
mod telling;
mod tied;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_core::effects::Clock;
use lore_core::{Effects, Role, Timestamp, Viewer};
use lore_tools::{Call, CallError, Registry, Selection, Toolset};
use place::{app_in, bearer};
use serde_json::{Value, json};

/// A clock that advances by a second at each reading, so that no two times are equal.
#[derive(Debug)]
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.fetch_add(1, Ordering::Relaxed)).unwrap()
    }
}

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
    /// Creates a campaign with one character and a running session.
    async fn set() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(Ticking(AtomicI64::new(1_700_000_000)));
        let effects = Effects { clock, ..Effects::system() };
        let app = Arc::new(app_in(directory.path(), effects));
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
        let campaign = json!({ "name": "Ash", "gm_mode": "AI" });
        table.campaign = id(&table.call("campaign_create", campaign).await);
        let character = json!({ "campaign_id": table.campaign, "name": "Wren", "kind": "PC" });
        table.character = id(&table.call("character_create", character).await);
        let session = json!({ "campaign_id": table.campaign });
        table.session = id(&table.call("session_start", session).await);
        table
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.try_call(tool, arguments.clone())
            .await
            .unwrap_or_else(|e| panic!("{tool} {arguments}: {e}"))
    }

    async fn try_call(&self, tool: &str, arguments: Value) -> Result<Value, CallError> {
        self.call_as(self.viewer, tool, arguments).await
    }

    async fn call_as(
        &self,
        viewer: Viewer,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let call = Call::new(Arc::clone(&self.app), viewer);
        let every_door = Selection::new().with_usual(Toolset::Atlas);
        let answer = self.registry.call(&every_door, tool, call, arguments).await?;
        Ok(answer.structured)
    }

    /// Returns the error of a call that must fail.
    async fn refused(&self, tool: &str, arguments: Value) -> CallError {
        self.try_call(tool, arguments).await.unwrap_err()
    }

    async fn read(&self, uri: &str) -> Value {
        self.read_as(self.viewer, uri).await.unwrap()
    }

    async fn read_as(&self, viewer: Viewer, uri: &str) -> Option<Value> {
        let selection = Selection::new();
        let (resource, captures) = self.registry.resource(&selection, viewer.role, uri)?;
        let call = Call::new(Arc::clone(&self.app), viewer);
        (resource.read)(call, captures).await.ok()
    }

    /// Returns the events that a viewer sees, oldest first.
    async fn events(&self, viewer: Viewer) -> Vec<Value> {
        let uri = format!("session://{}/events?limit=1000", self.session);
        let mut page = self.read_as(viewer, &uri).await.unwrap();
        let mut events = page["events"].as_array_mut().unwrap().split_off(0);
        events.reverse();
        events
    }

    /// Returns a viewer with a player's token.
    async fn player(&self, name: &str) -> Viewer {
        let who = bearer(&self.app, &self.viewer, name, Role::Player).await;
        enter(&self.app, who, None).await.unwrap()
    }

    /// Creates a character and returns its id.
    async fn character(&self, name: &str, kind: &str) -> String {
        let new = json!({
            "campaign_id": self.campaign, "name": name, "kind": kind,
            "notes": format!("{name} notes"),
        });
        id(&self.call("character_create", new).await)
    }

    /// Seats a player who controls the character. Returns the viewer and the participant's id.
    async fn seat(&self, name: &str) -> (Viewer, String) {
        let player = self.player(name).await;
        let new = json!({ "campaign_id": self.campaign, "display_name": name, "role": "PLAYER" });
        let seat = id(&self.call_as(player, "participant_create", new).await.unwrap());
        self.hand(&self.character, &seat).await;
        (player, seat)
    }

    async fn hand(&self, character: &str, controller: &str) -> Value {
        let hand = json!({
            "campaign_id": self.campaign, "character_id": character, "controller": controller,
        });
        self.call("character_control_set", hand).await
    }

    /// Makes a roll of the character with chosen dice, without applying it. Returns its number in
    /// the log.
    async fn roll(&self, seed: u64, difficulty: i64) -> i64 {
        let roll = json!({
            "session_id": self.session, "character_id": self.character, "trait": "agility",
            "difficulty": difficulty, "rng": { "seed": seed, "roll_mode": "REPLAY" },
        });
        self.call("session_action_roll", roll).await["roll_seq"].as_i64().unwrap()
    }

    async fn apply(&self, roll: i64, targets: Value) -> Value {
        let apply = json!({ "session_id": self.session, "roll_seq": roll, "targets": targets });
        self.call("session_roll_outcome_apply", apply).await
    }

    async fn countdown(&self, change: Value) -> Value {
        let arguments = json!({ "session_id": self.session, "countdown": change });
        self.call("session_effect_apply", arguments).await["countdown"].clone()
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

fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

/// Returns the details of an event that everybody can read.
fn payload(event: &Value) -> Value {
    serde_json::from_str(event["payload_json"].as_str().unwrap()).unwrap()
}

fn of_type<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// Seeds whose dice (Hope, Fear) are 7 and 1, 9 and 12, 9 and 9.
const HOPE: u64 = 0;
const FEAR: u64 = 4;
const CRIT: u64 = 3;

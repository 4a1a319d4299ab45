//! Stories at the table, through the registry on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod doors;
mod found;
mod refusals;
mod telling;
mod tied;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use lore_app::App;
use lore_app::access::{Doorkeeper, Identity, create_token, enter};
use lore_core::effects::Clock;
use lore_core::{Effects, Role, Timestamp, Viewer};
use lore_sqlite::SqliteStore;
use lore_tools::{Call, CallError, Registry, Selection};
use serde_json::{Value, json};

/// A clock that goes on by a second each time somebody looks: no two moments are the same.
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
    /// A campaign with one character and a running session.
    async fn set() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(Ticking(AtomicI64::new(1_700_000_000)));
        let effects = Effects { clock, ..Effects::system() };
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
        let answer = self.registry.call(&Selection::new(), tool, call, arguments).await?;
        Ok(answer.structured)
    }

    /// The error of a call that must fail.
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

    /// The events that somebody sees, oldest first.
    async fn events(&self, viewer: Viewer) -> Vec<Value> {
        let uri = format!("session://{}/events?limit=1000", self.session);
        let mut page = self.read_as(viewer, &uri).await.unwrap();
        let mut events = page["events"].as_array_mut().unwrap().split_off(0);
        events.reverse();
        events
    }

    /// Somebody with a player's token.
    async fn player(&self, name: &str) -> Viewer {
        let issued = create_token(&self.app, &self.viewer, name, Role::Player).await.unwrap();
        let keeper = Doorkeeper::new(Arc::clone(&self.app));
        let identity = keeper.identify(&issued.secret).await.unwrap().unwrap();
        enter(&self.app, identity, None).await.unwrap()
    }

    /// A new character.
    async fn character(&self, name: &str, kind: &str) -> String {
        let new = json!({
            "campaign_id": self.campaign, "name": name, "kind": kind,
            "notes": format!("{name} notes"),
        });
        id(&self.call("character_create", new).await)
    }

    /// A player at the table who moves the character.
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

    /// A roll of the character with chosen dice, not yet applied; its place in the log.
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

/// The details of an event, as everybody reads them.
fn payload(event: &Value) -> Value {
    serde_json::from_str(event["payload_json"].as_str().unwrap()).unwrap()
}

fn of_type<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// Seeds whose dice show (Hope, Fear): 7 and 1, 9 and 12, 9 and 9.
const HOPE: u64 = 0;
const FEAR: u64 = 4;
const CRIT: u64 = 3;

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
    let list = table.read(&format!("campaign://{campaign}/characters")).await;
    id(&list["characters"][0])
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
    // Success with Hope, with Fear, failure with Hope, with Fear, and a critical.
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
    // What was rolled before still counts for the table.
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

/// Everything a fork has to go back over, changed after the event it goes back to.
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

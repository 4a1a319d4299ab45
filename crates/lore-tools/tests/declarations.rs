//! Rules that every declaration follows, and the files that are generated from them.
//!
//! `cargo xtask docs` runs these tests with LOREWELL_UPDATE set, which makes them write the files
//! instead of comparing them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lore_anvil::Kind;
use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_app::atlas::{Anvil, Atlas};
use lore_app::knowledge::{Fetched, Form, Notes, Web};
use lore_core::{Effects, Error, Role, Timestamp};
use lore_sqlite::SqliteStore;
use lore_tools::{Answer, Call, CallError, Registry, Selection, Tool, Toolset, docs, error_object};
use serde_json::{Map, Value, json};

/// The maximum size of the default tool list in bytes, all of which a model reads first.
const DEFAULT_LIST_BYTES_MAX: usize = 40_000;
/// The maximum size of each toolset's part of the list.
const SHARES: [(Toolset, usize); 6] = [
    (Toolset::Play, 15_000),
    (Toolset::Memory, 9_000),
    (Toolset::Pages, 7_000),
    (Toolset::Knowledge, 9_000),
    // Not on by default; these are budgets of their own.
    (Toolset::Atlas, 32_000),
    (Toolset::AtlasWrite, 12_000),
];

#[test]
fn names_are_unique_and_well_formed() {
    let mut seen = BTreeSet::new();
    for tool in Registry::standard().all_tools() {
        for name in std::iter::once(&tool.name).chain(tool.aliases) {
            assert!(seen.insert(*name), "{name} is declared twice");
            let good = name.len() <= 64
                && name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_'));
            assert!(good, "{name} is not a tool name");
        }
    }
}

#[test]
fn descriptions_say_when_to_use_a_tool_and_what_comes_back() {
    for tool in Registry::standard().all_tools() {
        let text = &tool.description;
        assert!((80..=1_200).contains(&text.len()), "{}: {} bytes", tool.name, text.len());
        assert!(text.contains("Use "), "{} does not say when to use it", tool.name);
        assert!(text.contains("Returns "), "{} does not say what comes back", tool.name);
    }
}

#[test]
fn annotations_are_consistent() {
    for tool in Registry::standard().all_tools() {
        let hints = tool.annotations;
        assert!(!(hints.read_only && hints.destructive), "{}", tool.name);
        assert!(hints.read_only || tool.role > Role::Reader, "{}: a reader writes", tool.name);
    }
}

#[test]
fn inputs_are_portable() {
    for tool in Registry::standard().all_tools() {
        let schema = &tool.input_schema;
        assert_eq!(schema["type"], "object", "{}", tool.name);
        let fields = schema["properties"].as_object().unwrap();
        assert!(fields.len() <= 20, "{} has {} parameters", tool.name, fields.len());
        check_root(tool.name, schema);
    }
}

#[test]
fn outputs_are_portable() {
    for tool in Registry::standard().all_tools() {
        assert_eq!(tool.output_schema["type"], "object", "{}", tool.name);
        assert!(!tool.output_schema.contains_key("required"), "{}", tool.name);
        check_root(tool.name, &tool.output_schema);
    }
}

fn check_root(tool: &str, schema: &Map<String, Value>) {
    for combinator in ["anyOf", "oneOf", "allOf", "not", "if", "$ref", "enum"] {
        assert!(!schema.contains_key(combinator), "{tool} has {combinator} on top");
    }
}

/// Each door shows ids in its own form, and tools accept all forms. Clients that validate arguments
/// against the schema must be able to send them.
#[test]
fn ids_of_every_door_fit_the_schemas() {
    let mut ids = 0;
    for tool in Registry::standard().all_tools() {
        each_field(&tool.input_schema, &mut |name, field| {
            if name.ends_with("_id") || name.ends_with("_ids") {
                let one = field.get("items").unwrap_or(field);
                let takes = jsonschema::validator_for(one).unwrap();
                let form = json!("node_agq65xdgyv5ndfecqiqalfapce");
                assert!(takes.is_valid(&form), "{}: {name} is {one}", tool.name);
                ids += 1;
            }
        });
    }
    assert!(ids > 50, "only {ids} ids were found");
}

fn each_field(schema: &Map<String, Value>, each: &mut dyn FnMut(&str, &Value)) {
    let fields = schema.get("properties").and_then(Value::as_object);
    for (name, field) in fields.into_iter().flatten() {
        each(name, field);
        for inner in [Some(field), field.get("items")].into_iter().flatten() {
            each_field(inner.as_object().unwrap(), each);
        }
    }
}

/// Some clients validate errors against the listed schema and would show the validation error
/// instead.
#[test]
fn every_failure_fits_the_listed_schema() {
    let failures = [
        Error::invalid("dice[0].sides", "is wrong", "send another"),
        Error::not_found("the campaign", "list them"),
        Error::Throttled { to: "this server", retry_after: Duration::from_secs(2) },
        Error::Bug { what: "a test".into() },
    ];
    for tool in Registry::standard().all_tools() {
        let declared = tool.output_schema["properties"].as_object().unwrap();
        for failure in failures.iter().map(error_object) {
            check_schema(tool.name, &tool.output_schema, &failure);
            let mut named = failure.as_object().unwrap().keys();
            assert!(named.all(|name| declared.contains_key(name)), "{}: {failure}", tool.name);
        }
    }
}

#[test]
fn every_field_is_described_and_every_choice_is_an_enum() {
    for tool in Registry::standard().all_tools() {
        check_fields(tool.name, "", &tool.input_schema, &speaks_for_itself);
        check_fields(tool.name, "", &tool.answer_schema, &|_, _| false);
    }
}

/// Whether an argument needs no description: ids, keys, enums, booleans, and plain names.
fn speaks_for_itself(name: &str, field: &Map<String, Value>) -> bool {
    const PLAIN: &str = "advance amount armor_score condition count countdown damage death_move \
        dice difficulty display_name evasion fear hope hp_max level modifier modifiers moves name \
        notes offset reason rest sides source stress_max text theme_prompt title value limit url";
    name.ends_with("_id")
        || name.ends_with("_key")
        || PLAIN.split_whitespace().any(|plain| plain == name)
        || field.contains_key("enum")
        || field.get("type") == Some(&json!("boolean"))
}

/// Fields that have a fixed set of values in every contract.
const CHOICES: [&str; 11] = [
    "roll_mode",
    "seed_source",
    "outcome",
    "gm_mode",
    "role",
    "controller_kind",
    "kind",
    "status",
    "flavor",
    "entity_type",
    "action",
];

/// Decides whether a field may lack a description.
type Plain = dyn Fn(&str, &Map<String, Value>) -> bool;

fn check_fields(tool: &str, path: &str, schema: &Map<String, Value>, plain: &Plain) {
    let children = schema.get("properties").and_then(Value::as_object);
    for (name, field) in children.into_iter().flatten() {
        let at = format!("{tool}: {path}{name}");
        let field = field.as_object().unwrap_or_else(|| panic!("{at} is not an object"));
        let told = field.contains_key("description") || plain(name, field);
        assert!(told, "{at} has no description");
        assert!(!field.contains_key("format"), "{at} has a format");
        if CHOICES.contains(&name.as_str()) {
            assert!(field.contains_key("enum"), "{at} has no enum");
        }
        check_fields(tool, &format!("{path}{name}."), field, plain);
        if let Some(items) = field.get("items").and_then(Value::as_object) {
            check_fields(tool, &format!("{path}{name}[]."), items, plain);
        }
    }
}

#[test]
fn the_order_of_the_list_is_stable() {
    let names = || -> Vec<_> { Registry::standard().all_tools().map(|tool| tool.name).collect() };
    let first = names();
    assert!((0..100).all(|_| names() == first));
}

#[test]
fn every_toolset_keeps_to_its_share_of_the_list() {
    let registry = Registry::standard();
    let cost = |tool: &Arc<Tool>| {
        let schema = Value::Object((*tool.input_schema).clone()).to_string();
        tool.name.len() + tool.description.len() + schema.len()
    };
    for (toolset, share) in SHARES {
        let tools = registry.all_tools().filter(|tool| tool.toolset == toolset);
        let bytes: usize = tools.map(cost).sum();
        assert!(bytes <= share, "{toolset}: {bytes} bytes, {share} are its share");
    }
    let defaults: usize = registry.tools(&Selection::new(), Role::Owner).map(cost).sum();
    assert!(defaults <= DEFAULT_LIST_BYTES_MAX, "the default list: {defaults} bytes");
}

#[tokio::test]
async fn every_example_works_and_its_answer_fits_the_schema() {
    let directory = tempfile::tempdir().unwrap();
    for tool in Registry::standard().all_tools() {
        // Each example runs in a world of its own, because examples end sessions and archive
        // campaigns.
        let mut stage = Stage::set(&directory.path().join(tool.name)).await;
        if matches!(tool.toolset, Toolset::Atlas | Toolset::AtlasWrite) {
            stage.draw_atlas().await;
        }
        let arguments = stage.example_of(tool);
        check_schema(tool.name, &tool.input_schema, &Value::Object(arguments.clone()));
        let answer = stage.call(tool.name, arguments).await;
        check_schema(tool.name, &tool.answer_schema, &answer);
        check_schema(tool.name, &tool.output_schema, &answer);
    }
}

#[tokio::test]
async fn an_argument_nobody_declared_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let stage = Stage::set(directory.path()).await;
    for tool in stage.registry.all_tools() {
        let mut arguments = stage.example_of(tool);
        arguments.insert("nobody_declared".into(), json!(1));
        let refused = stage.attempt(tool.name, arguments).await.unwrap_err().to_string();
        assert!(refused.starts_with("nobody_declared is not a known field"), "{refused}");
    }
}

/// A small world that examples refer to by `$campaign`, `$player` and so on.
struct Stage {
    app: Arc<App>,
    viewer: lore_core::Viewer,
    registry: Registry,
    names: BTreeMap<&'static str, Value>,
}

impl Stage {
    async fn set(folder: &Path) -> Self {
        let effects = Effects::fixed(Timestamp::UNIX_EPOCH, 1);
        let file = folder.join("store.sqlite");
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let mut app = App::new(Arc::new(store), effects);
        app.web = Some(Arc::new(OnePage));
        let notes = folder.join("vault");
        fs::create_dir_all(notes.join("People")).unwrap();
        fs::write(notes.join("People/Thorin.md"), "# Thorin\n").unwrap();
        app.notes = Arc::new(Notes::at(notes, None));
        let app = Arc::new(app);
        let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
        let registry = Registry::standard();
        let mut stage = Self { app, viewer, registry, names: BTreeMap::new() };
        for (name, tool, arguments) in SCENE {
            let answer = stage.call(tool, stage.filled(arguments)).await;
            let ids = ["/id", "/roll_seq", "/url", "/results/0/post_id", "/results/0/entity_id"];
            let id = ids.iter().find_map(|path| answer.pointer(path));
            stage.names.insert(name, id.cloned().unwrap_or(Value::Null));
        }
        stage
    }

    /// Creates one object of each kind that the atlas tools show.
    async fn draw_atlas(&mut self) {
        let atlas = Atlas::new(Arc::clone(&self.app), self.viewer, "test", "test".into());
        for kind in Kind::ALL.iter().copied() {
            if matches!(kind, Kind::User | Kind::World | Kind::Campaign | Kind::Npc) {
                continue;
            }
            let Value::Object(fields) = json!({ "title": kind.row().one }) else { unreachable!() };
            let made = atlas.create(kind, &fields).await.unwrap();
            self.names.insert(kind.row().path, made["id"].clone());
        }
    }

    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Value {
        let answer = self.attempt(tool, arguments.clone()).await;
        answer.unwrap_or_else(|error| panic!("{tool} {arguments:?}: {error}")).structured
    }

    async fn attempt(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Answer, CallError> {
        let everything = Selection::new().with_toolsets(["all"]).unwrap();
        let call = Call::new(Arc::clone(&self.app), self.viewer);
        self.registry.call(&everything, tool, call, arguments).await
    }

    fn example_of(&self, tool: &Tool) -> Map<String, Value> {
        self.filled(&tool.example.to_string())
    }

    /// Replaces `$name` placeholders by ids.
    fn filled(&self, arguments: &str) -> Map<String, Value> {
        let mut text = arguments.to_owned();
        for (name, value) in &self.names {
            text = text.replace(&format!("\"${name}\""), &value.to_string());
        }
        serde_json::from_str(&text).unwrap()
    }
}

/// A web that has the same page at every address.
struct OnePage;

#[async_trait]
impl Web for OnePage {
    fn check(&self, url: &str) -> lore_core::Result<String> {
        Ok(url.to_owned())
    }

    async fn addresses(&self, url: &str) -> lore_core::Result<Vec<IpAddr>> {
        Err(Error::Unavailable { what: url.to_owned() })
    }

    async fn fetch(&self, url: &str) -> lore_core::Result<Fetched> {
        let body = "# Herring\n\nAda Holt founded the Herring Foundation, which counts fish.";
        Ok(Fetched { url: url.to_owned(), form: Form::Plain, body: body.to_owned() })
    }
}

/// The objects in the world, in the order of their creation: name, tool and arguments.
const SCENE: [(&str, &str, &str); 10] = [
    ("campaign", "campaign_create", r#"{"name": "The Lost Expedition", "gm_mode": "HUMAN"}"#),
    ("idle_campaign", "campaign_create", r#"{"name": "The Quiet Isle", "gm_mode": "AI"}"#),
    (
        "player",
        "participant_create",
        r#"{"campaign_id": "$campaign", "display_name": "Alice", "role": "PLAYER"}"#,
    ),
    (
        "character",
        "character_create",
        r#"{"campaign_id": "$campaign", "name": "Thorin", "kind": "PC"}"#,
    ),
    ("npc", "character_create", r#"{"campaign_id": "$campaign", "name": "Strahd", "kind": "NPC"}"#),
    ("session", "session_start", r#"{"campaign_id": "$campaign"}"#),
    (
        "roll",
        "session_action_roll",
        r#"{"session_id": "$session", "character_id": "$character", "trait": "agility",
            "difficulty": 10}"#,
    ),
    (
        "entity",
        "create_entities",
        r#"{"entities": [{"entity_type": "character", "name": "Aelysh", "type": "NPC"}]}"#,
    ),
    ("page", "preview_url", r#"{"url": "https://example.org/herring"}"#),
    ("post", "create_posts", r#"{"posts": [{"entity_id": "$entity", "name": "Rumours"}]}"#),
];

fn check_schema(tool: &str, schema: &Map<String, Value>, instance: &Value) {
    let schema = Value::Object(schema.clone());
    let validator = jsonschema::validator_for(&schema).unwrap();
    let problems: Vec<_> = validator.iter_errors(instance).map(|e| e.to_string()).collect();
    assert!(problems.is_empty(), "{tool}: {problems:?} in {instance}");
}

#[test]
fn every_tool_has_a_reviewed_snapshot() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let registry = Registry::standard();
    let mut expected = BTreeSet::new();
    for tool in registry.all_tools() {
        let file = folder.join(format!("{}.json", tool.name));
        let text = serde_json::to_string_pretty(&snapshot(tool)).unwrap();
        compare(&file, &format!("{text}\n"));
        expected.insert(file);
    }
    let present: BTreeSet<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let stale: Vec<_> = present.difference(&expected).collect();
    assert!(stale.is_empty(), "these tools are gone, remove their snapshots: {stale:?}");
}

/// The declaration of a tool. Its output schema is the strict one, from which the listed one is
/// derived.
fn snapshot(tool: &Tool) -> Value {
    let hints = tool.annotations;
    json!({
        "name": tool.name,
        "toolset": tool.toolset.as_str(),
        "title": tool.title,
        "description": tool.description,
        "role": tool.role.as_str(),
        "aliases": tool.aliases,
        "annotations": {
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
        "inputSchema": *tool.input_schema,
        "outputSchema": *tool.answer_schema,
    })
}

#[test]
fn the_generated_pages_are_up_to_date() {
    let docs_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    compare(&docs_folder.join("tools.md"), &docs::tools_page(&Registry::standard()));
    compare(&docs_folder.join("errors.md"), &docs::errors_page());
}

/// Compares a generated file, or writes it if LOREWELL_UPDATE is set.
fn compare(file: &Path, wanted: &str) {
    if std::env::var_os("LOREWELL_UPDATE").is_some() {
        fs::write(file, wanted).unwrap();
        return;
    }
    let found = fs::read_to_string(file).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is missing or out of date: run `cargo xtask docs` and review the difference",
        file.display()
    );
}

//! Stories of memory, through the registry on a real store.

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
use lore_core::effects::{Clock, SystemEntropy};
use lore_core::{Effects, Principal, Role, Timestamp, Viewer};
use lore_sqlite::SqliteStore;
use lore_tools::{Call, CallError, Registry, Selection};
use serde_json::{Value, json};

/// A clock that the test sets.
struct Wrist(std::sync::atomic::AtomicI64);

impl Clock for Wrist {
    fn now(&self) -> Timestamp {
        let seconds = self.0.load(std::sync::atomic::Ordering::SeqCst);
        Timestamp::from_second(seconds).unwrap()
    }
}

struct Mind {
    app: Arc<App>,
    viewer: Viewer,
    registry: Registry,
    clock: Arc<Wrist>,
    _directory: tempfile::TempDir,
}

impl Mind {
    async fn fresh() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(Wrist(1_700_000_000.into()));
        let effects = Effects { clock: clock.clone(), entropy: Arc::new(SystemEntropy) };
        let file = directory.path().join("store.sqlite");
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let app = Arc::new(App::new(Arc::new(store), effects));
        let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
        Self { app, viewer, registry: Registry::standard(), clock, _directory: directory }
    }

    fn wait_days(&self, days: i64) {
        self.clock.0.fetch_add(days * 86_400, std::sync::atomic::Ordering::SeqCst);
    }

    async fn try_as(
        &self,
        viewer: Viewer,
        selection: &Selection,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let call = Call::new(Arc::clone(&self.app), viewer);
        let answer = self.registry.call(selection, tool, call, arguments).await?.structured;
        let tool = self.registry.tool(tool).unwrap();
        let schema = Value::Object((*tool.output_schema).clone());
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<_> = validator.iter_errors(&answer).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{}: {problems:?} in {answer}", tool.name);
        Ok(answer)
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.try_as(self.viewer, &Selection::new(), tool, arguments.clone()).await;
        let answer = answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"));
        assert_eq!(answer["_v"], "1.0", "{answer}");
        answer
    }

    /// Calls, and expects to be refused in the contract's form.
    async fn error(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        assert!(answer["hint"].is_string(), "{answer}");
        answer["error"].as_str().unwrap_or_else(|| panic!("no error in {answer}")).to_owned()
    }

    async fn add(&self, name: &str, description: &str) -> String {
        let new = json!({
            "action": "add", "name": name, "type": "concept", "description": description,
        });
        id(&self.call("kn_graph", new).await["id"])
    }

    async fn learn(&self, content: &str, confidence: &str) -> Value {
        let new = json!({
            "action": "learn", "content": content, "type": "solution", "confidence": confidence,
        });
        self.call("kn_intel", new).await
    }

    async fn recall(&self, topic: &str) -> Vec<Value> {
        let answer = self.call("kn_intel", json!({ "action": "recall", "topic": topic })).await;
        let results = answer["results"].as_array().unwrap().clone();
        assert_eq!(answer["count"], results.len());
        results
    }

    async fn person(&self, name: &str, role: Role) -> Viewer {
        let token = lore_app::access::create_token(&self.app, &self.viewer, name, role).await;
        let keeper = lore_app::access::Doorkeeper::new(Arc::clone(&self.app));
        let identity = keeper.identify(&token.unwrap().secret).await.unwrap().unwrap();
        enter(&self.app, identity, None).await.unwrap()
    }

    async fn resource(&self, uri: &str) -> Value {
        let selection = Selection::new();
        let (resource, captures) =
            self.registry.resource(&selection, self.viewer.role, uri).unwrap();
        let call = Call::new(Arc::clone(&self.app), self.viewer);
        (resource.read)(call, captures).await.unwrap()
    }

    async fn prompt(&self, name: &str) -> String {
        let selection = Selection::new();
        let prompt = self.registry.prompts(&selection).find(|p| p.name == name).unwrap();
        let call = Call::new(Arc::clone(&self.app), self.viewer);
        prompt.open(call, serde_json::Map::new()).await.unwrap()[0].text.clone()
    }
}

fn id(value: &Value) -> String {
    let id = value.as_str().unwrap_or_else(|| panic!("no id: {value}"));
    assert!(id.len() >= 12, "{id}");
    id.to_owned()
}

#[tokio::test]
async fn a_node_is_added_found_removed_and_restored() {
    let mind = Mind::fresh().await;
    let node = mind
        .call(
            "kn_graph",
            json!({
                "action": " ADD ", "name": "  Ferry  ", "type": "Sea Craft", "tags": ["Isles", "boat"],
                "description": "Sails at dawn between the isles.",
            }),
        )
        .await;
    assert_eq!((&node["name"], &node["type"]), (&json!("Ferry"), &json!("Sea Craft")));
    assert_eq!(
        (&node["namespace"], &node["visibility"]),
        (&json!("knowledge"), &json!("workspace"))
    );
    assert_eq!(node["source_type"], "manual");
    let id = id(&node["id"]);
    let query = json!({
        "action": "query", "text": "sailing at dawn?", "tags": ["isles", "BOAT"],
        "node_type": "sea craft", "namespace": "knowledge", "detail": "full",
    });
    let found = mind.call("kn_graph", query.clone()).await;
    assert_eq!((&found["count"], &found["nodes"][0]["id"]), (&json!(1), &json!(id)));
    assert_eq!(found["nodes"][0]["description"], "Sails at dawn between the isles.");
    let other = json!({ "action": "query", "text": "dawn", "tags": ["isles", "desert"] });
    assert_eq!(mind.call("kn_graph", other).await["count"], 0);
    let removed = mind.call("kn_graph", json!({ "action": "remove", "node_id": "ferry" })).await;
    assert_eq!((&removed["removed"], &removed["id"]), (&json!("node"), &json!(id)));
    assert_eq!(mind.call("kn_graph", query.clone()).await["count"], 0);
    mind.call("kn_graph", json!({ "action": "restore", "node_id": id })).await;
    assert_eq!(mind.call("kn_graph", query).await["count"], 1);
}

#[tokio::test]
async fn edges_are_joined_once_and_come_back() {
    let mind = Mind::fresh().await;
    let (a, b) = (mind.add("Alder", "").await, mind.add("Birch", "").await);
    let edge = json!({
        "action": "connect", "source_id": a, "target_id": b, "edge_type": "Depends On", "weight": 0.7,
    });
    let first = mind.call("kn_graph", edge.clone()).await;
    assert_eq!((&first["type"], &first["weight"]), (&json!("Depends On"), &json!(0.7)));
    assert_eq!(mind.call("kn_graph", edge.clone()).await, first, "joining again changes nothing");
    let which = |action: &str| json!({ "action": action, "source_id": a, "target_id": b, "edge_type": "depends on" });
    let edges =
        async || mind.call("kn_graph", json!({ "action": "status" })).await["edges"].clone();
    assert_eq!(edges().await, 1);
    mind.call("kn_graph", which("remove")).await;
    assert_eq!(edges().await, 0);
    assert_eq!(mind.error("kn_graph", which("remove")).await, "Edge not found");
    mind.call("kn_graph", which("restore")).await;
    assert_eq!(edges().await, 1);
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story, told in order")]
async fn refusals_are_in_the_words_of_the_contract() {
    let mind = Mind::fresh().await;
    let node = mind.add("Alder", "").await;
    let cases = [
        ("kn_graph", json!({ "action": "fly" }), "Unknown action: fly"),
        ("kn_graph", json!({ "action": "add", "name": "  " }), "name is required for add"),
        ("kn_graph", json!({ "action": "add", "name": "x" }), "type is required for add"),
        ("kn_graph", json!({ "action": "connect" }), "source_id is required for connect"),
        (
            "kn_graph",
            json!({ "action": "connect", "source_id": "nope", "target_id": node, "edge_type": "x" }),
            "Source node not found: nope",
        ),
        (
            "kn_graph",
            json!({ "action": "connect", "source_id": node, "target_id": "nope", "edge_type": "x" }),
            "Target node not found: nope",
        ),
        ("kn_graph", json!({ "action": "remove", "node_id": "nope" }), "Node not found: nope"),
        (
            "kn_graph",
            json!({ "action": "remove", "source_id": node }),
            "Provide node_id or (source_id + target_id + edge_type)",
        ),
        ("kn_project", json!({ "action": "create" }), "name is required for create"),
        (
            "kn_project",
            json!({ "action": "create", "name": "x", "phase": "active" }),
            "phase cannot be set on create (starts at planning)",
        ),
        ("kn_project", json!({ "action": "update" }), "project_id is required for update"),
        (
            "kn_project",
            json!({ "action": "update", "project_id": "p", "name": "x" }),
            "Project not found: p",
        ),
        ("kn_project", json!({ "action": "log" }), "project_id is required for log"),
        (
            "kn_project",
            json!({ "action": "log", "project_id": "p" }),
            "action_text is required for log",
        ),
        (
            "kn_project",
            json!({ "action": "log", "project_id": node, "action_text": "x" }),
            &format!("Project not found: {node}"),
        ),
        ("kn_experience", json!({ "action": "save" }), "content is required for save"),
        ("kn_experience", json!({ "action": "save", "content": "x" }), "type is required for save"),
        (
            "kn_experience",
            json!({ "action": "save", "content": "x", "type": "rumour" }),
            "Invalid type: rumour. Must be one of: decision, gotcha, pattern, solution, workaround",
        ),
        (
            "kn_experience",
            json!({ "action": "save", "content": "x", "type": "gotcha", "confidence": "sure" }),
            "Invalid confidence: sure. Must be one of: high, low, medium",
        ),
        ("kn_idea", json!({ "action": "create" }), "title is required for create"),
        ("kn_idea", json!({ "action": "update" }), "idea_id is required for update"),
        (
            "kn_idea",
            json!({ "action": "update", "idea_id": "i", "title": "x" }),
            "Idea not found: i",
        ),
        ("kn_intel", json!({ "action": "learn" }), "content is required for learn"),
        ("kn_intel", json!({ "action": "crossref" }), "problem is required for crossref"),
        ("kn_intel", json!({ "action": "context" }), "keywords is required for context"),
        ("kn_intel", json!({ "action": "related" }), "node_id is required for related"),
    ];
    for (tool, arguments, wanted) in cases {
        assert_eq!(mind.error(tool, arguments.clone()).await, wanted, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn numbers_out_of_range_fail_like_wrong_arguments() {
    let mind = Mind::fresh().await;
    let cases = [
        ("kn_graph", json!({ "action": "query", "limit": 51 }), "limit is 51"),
        ("kn_graph", json!({ "action": "query", "limit": 0 }), "limit is 0"),
        ("kn_graph", json!({ "action": "query", "offset": -1 }), "offset is -1"),
        ("kn_graph", json!({ "action": "status", "weight": 1.5 }), "weight is 1.5"),
        ("kn_experience", json!({ "action": "prune", "threshold": 2 }), "threshold is 2"),
        ("kn_intel", json!({ "action": "recall", "min_relevance": -0.1 }), "min_relevance is -0.1"),
        ("kn_intel", json!({ "action": "related", "node_id": "x", "depth": 6 }), "depth is 6"),
    ];
    for (tool, arguments, wanted) in cases {
        let failed = mind.try_as(mind.viewer, &Selection::new(), tool, arguments).await;
        assert_eq!(failed.unwrap_err().to_string(), wanted);
    }
}

#[tokio::test]
async fn a_learned_fact_comes_back_once() {
    let mind = Mind::fresh().await;
    let sure = mind.learn("Grease the capstan before each voyage", "high").await;
    assert_eq!(sure["stored_as"], "node");
    let (node, experience) = (id(&sure["node_id"]), id(&sure["experience_id"]));
    let rows = mind.recall("how do I treat the capstan?").await;
    let ids: Vec<_> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [node.as_str()]);
    assert_eq!((&rows[0]["source"], &rows[0]["relevance"]), (&json!("node"), &json!(1.0)));
    assert_eq!(rows[0]["description"], "Grease the capstan before each voyage");
    let listed = mind.call("kn_intel", json!({ "action": "recall" })).await;
    assert_eq!(listed["count"], 1);
    let search = json!({ "action": "search", "text": "capstan", "type": "solution" });
    let found = mind.call("kn_experience", search).await;
    assert_eq!(found["experiences"][0]["id"], json!(experience));
    let status = mind.call("kn_graph", json!({ "action": "status" })).await;
    assert_eq!((&status["nodes"], &status["experiences"]), (&json!(1), &json!(1)));
    mind.call("kn_graph", json!({ "action": "remove", "node_id": node })).await;
    assert!(mind.recall("capstan").await.is_empty());
    let status = mind.call("kn_graph", json!({ "action": "status" })).await;
    assert_eq!((&status["nodes"], &status["experiences"]), (&json!(0), &json!(0)));
    mind.call("kn_graph", json!({ "action": "restore", "node_id": node })).await;
    assert_eq!(mind.recall("capstan").await.len(), 1);
}

#[tokio::test]
async fn what_is_not_sure_fades_and_is_only_nudged() {
    let mind = Mind::fresh().await;
    let unsure = mind.learn("The lighthouse keeper sells lamp oil cheaply", "low").await;
    assert_eq!((&unsure["stored_as"], &unsure["node_id"]), (&json!("experience"), &Value::Null));
    mind.wait_days(200);
    mind.learn("The keeper of the inn sells bread", "low").await;
    let rows = mind.recall("who sells lamp oil at the lighthouse").await;
    assert_eq!(rows[0]["id"], unsure["experience_id"], "an old answer beats a new remark");
    assert_eq!(rows[0]["relevance"], 0.0625, "four half-lives");
    let fresh = json!({ "action": "recall", "topic": "who sells what", "min_relevance": 0.5 });
    assert_eq!(mind.call("kn_intel", fresh).await["count"], 1);
    let search = json!({ "action": "search" });
    let found = mind.call("kn_experience", search).await;
    let relevance: Vec<_> =
        found["experiences"].as_array().unwrap().iter().map(|e| e["relevance"].clone()).collect();
    assert_eq!(relevance, [json!(1.0), json!(0.0625)]);
}

#[tokio::test]
async fn pruning_takes_what_faded_and_can_be_undone() {
    let mind = Mind::fresh().await;
    for (lesson, confidence) in [("workaround", "low"), ("pattern", "high")] {
        let new = json!({
            "action": "save", "content": format!("A {lesson} of old"), "type": lesson,
            "confidence": confidence,
        });
        mind.call("kn_experience", new).await;
    }
    mind.wait_days(100);
    let status = mind.call("kn_graph", json!({ "action": "status" })).await;
    assert_eq!(status["health"]["ok"], false);
    let pruned = mind.call("kn_experience", json!({ "action": "prune" })).await;
    assert_eq!(pruned["pruned_count"], 1);
    let gone = id(&pruned["pruned_ids"][0]);
    assert_eq!(mind.call("kn_experience", json!({ "action": "search" })).await["count"], 1);
    assert_eq!(mind.call("kn_experience", json!({ "action": "prune" })).await["pruned_count"], 0);
    mind.call("kn_graph", json!({ "action": "restore", "node_id": gone })).await;
    assert_eq!(mind.call("kn_experience", json!({ "action": "search" })).await["count"], 2);
}

#[tokio::test]
async fn what_is_asked_for_five_times_stays() {
    let mind = Mind::fresh().await;
    mind.add("Anchor chain", "The anchor chain is kept in the forepeak locker.").await;
    let fact = "The spare anchor lies in the forepeak locker under the chain";
    let unsure = mind.learn(fact, "medium").await;
    let spare = async || {
        let rows = mind.recall("spare anchor").await;
        let mut found = rows.into_iter().filter(|row| row.to_string().contains("spare"));
        let row = found.next().unwrap();
        assert_eq!((&row["id"], found.next()), (&unsure["experience_id"], None), "once");
        row
    };
    for _ in 1..=5 {
        assert_eq!(spare().await.get("node_id"), None);
    }
    mind.wait_days(500);
    let row = spare().await;
    assert_eq!(row["relevance"], 1.0, "what stays does not fade");
    let query =
        json!({ "action": "query", "text": "spare anchor", "node_type": "promoted_experience" });
    let found = mind.call("kn_graph", query).await;
    let kept = &found["nodes"][0];
    assert_eq!((&found["count"], &kept["id"]), (&json!(1), &row["node_id"]));
    assert_eq!(kept["name"], "Solution: The spare anchor lies in the forepeak locker under");
    let near = json!({ "action": "related", "node_id": kept["id"], "limit": 50 });
    let near = mind.call("kn_intel", near).await;
    let types: Vec<_> = near["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|near| near["path"][0]["type"].as_str().unwrap())
        .collect();
    assert!(types.contains(&"kept_as") && types.contains(&"auto_related"), "{near}");
    let search = json!({ "action": "search", "text": "spare anchor" });
    let found = mind.call("kn_experience", search).await;
    assert_eq!(found["experiences"][0]["id"], unsure["experience_id"]);
}

#[tokio::test]
async fn readers_and_read_only_servers_leave_no_trace() {
    let mind = Mind::fresh().await;
    let new = json!({
        "action": "save", "content": "The tide turns at noon", "type": "gotcha",
        "visibility": "shared",
    });
    mind.call("kn_experience", new).await;
    let reader = mind.person("Rea", Role::Reader).await;
    let ask = json!({ "action": "recall", "topic": "tide" });
    let read_only = Selection::new().read_only(true);
    for _ in 0..6 {
        let answer = mind.try_as(reader, &Selection::new(), "kn_intel", ask.clone()).await;
        assert_eq!(answer.unwrap()["count"], 1);
        let answer =
            mind.try_as(mind.viewer, &read_only, "kn_recall", json!({"topic": "tide"})).await;
        assert_eq!(answer.unwrap()["results"][0]["source"], "experience", "nothing is promoted");
    }
    let learn = json!({ "action": "learn", "content": "x", "type": "gotcha" });
    for (viewer, selection) in [(reader, Selection::new()), (mind.viewer, read_only)] {
        let refused = mind.try_as(viewer, &selection, "kn_intel", learn.clone()).await;
        assert!(matches!(refused, Err(CallError::Failed(_))), "{refused:?}");
        let form = mind.registry.tools(&selection, viewer.role).find(|t| t.name == "kn_intel");
        let form = form.unwrap();
        assert!(form.annotations.read_only);
        let actions = &form.input_schema["properties"]["action"]["enum"];
        assert_eq!(actions, &json!(["recall", "crossref", "context", "related"]));
        let set = json!({ "action": "list", "set_active": "x" });
        let refused = mind.try_as(viewer, &selection, "kn_project", set).await;
        assert!(matches!(refused, Err(CallError::Failed(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn players_see_only_what_is_shared_and_their_own() {
    let mind = Mind::fresh().await;
    mind.learn("The duke is a vampire", "high").await;
    mind.learn("The duchess suspects the vampire", "low").await;
    let shared = json!({
        "action": "add", "name": "Vampire rumours", "type": "rumour", "visibility": "shared",
    });
    mind.call("kn_graph", shared).await;
    let player = mind.person("Pia", Role::Player).await;
    let all = Selection::new();
    let own = json!({ "action": "learn", "content": "I fear the vampire", "type": "gotcha" });
    mind.try_as(player, &all, "kn_intel", own).await.unwrap();
    let ask = json!({ "action": "recall", "topic": "vampire" });
    let seen = mind.try_as(player, &all, "kn_intel", ask.clone()).await.unwrap();
    assert_eq!(seen["count"], 2, "{seen}");
    assert!(!seen.to_string().contains("duke") && !seen.to_string().contains("duchess"));
    let master = mind.try_as(mind.viewer, &all, "kn_intel", ask).await.unwrap();
    assert!(!master.to_string().contains("I fear"), "what a player keeps is the player's");
    assert_eq!(master["count"], 3, "{master}");
}

#[tokio::test]
async fn what_is_alike_is_pointed_out_and_never_merged() {
    let mind = Mind::fresh().await;
    let first = mind.learn("The bridge at Orm is safe to cross", "high").await;
    assert_eq!(first["candidates"], json!([]));
    let denied = mind.learn("The bridge at Orm is not safe to cross", "high").await;
    let candidate = &denied["candidates"][0];
    assert_eq!(
        (&candidate["id"], &candidate["relation"]),
        (&first["node_id"], &json!("contradiction"))
    );
    let again = mind.learn("The bridge at Orm is safe to cross!", "medium").await;
    let relations: Vec<_> = again["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["relation"].as_str().unwrap())
        .collect();
    assert_eq!(relations, ["duplicate", "contradiction"]);
    assert_eq!(mind.recall("bridge at Orm").await.len(), 3);
}

#[tokio::test]
async fn what_was_superseded_stays_dated_behind_what_took_its_place() {
    let mind = Mind::fresh().await;
    let old = mind.learn("The harbour master is called Brann", "high").await;
    mind.wait_days(1);
    let new = json!({
        "action": "learn", "type": "decision", "content": "Since the election Ysolde runs the port",
        "supersedes": old["node_id"], "occurred_at": "8 May 2023",
    });
    let new = mind.call("kn_intel", new).await;
    let rows = mind.recall("who is the harbour master").await;
    let ids: Vec<_> = rows.iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&new["node_id"], &old["node_id"]], "{rows:?}");
    assert_eq!(rows[1]["valid_to"], "2023-05-08T00:00:00Z");
    assert_eq!(rows[1]["superseded_by"], new["node_id"]);
    assert_eq!(rows[0]["occurred_at"], "2023-05-08T00:00:00Z");
}

#[tokio::test]
async fn author_and_time_are_read_from_chat_logs() {
    let mind = Mind::fresh().await;
    let turns = [
        "[8 May 2023] Caroline: I adopted a grey parrot called Quill",
        "Melanie: Does it talk already?",
    ];
    for turn in turns {
        let new = json!({
            "action": "save", "content": turn, "type": "decision", "session": "chat 1",
        });
        mind.call("kn_experience", new).await;
    }
    let rows = mind.recall("Which pet did Caroline adopt?").await;
    assert_eq!((&rows[0]["author"], &rows[0]["session"]), (&json!("Caroline"), &json!("chat 1")));
    assert_eq!(rows[0]["occurred_at"], "2023-05-08T00:00:00Z");
    assert_eq!(rows[0]["content"], turns[0]);
    let bad = json!({
        "action": "save", "content": "x", "type": "gotcha", "occurred_at": "some day",
    });
    assert_eq!(mind.error("kn_experience", bad).await, "Invalid occurred_at: some day");
}

#[tokio::test]
async fn secrets_are_masked_on_every_way_in() {
    let mind = Mind::fresh().await;
    let key = format!("sk-ant-{}", "a1b2c3d4e5f6g7h8i9j0");
    let text = format!("use {key} here");
    let project = mind.call("kn_project", json!({ "action": "create", "name": "Port" })).await;
    let calls = [
        ("kn_graph", json!({ "action": "add", "name": text, "type": "note", "description": text })),
        ("kn_graph", json!({ "action": "add", "name": "n", "type": "note", "tags": [text] })),
        (
            "kn_experience",
            json!({ "action": "save", "content": text, "type": "gotcha", "context": text }),
        ),
        ("kn_intel", json!({ "action": "learn", "content": text, "type": "gotcha" })),
        ("kn_idea", json!({ "action": "create", "title": text, "category": text })),
        ("kn_project", json!({ "action": "create", "name": text, "goals": [text] })),
        (
            "kn_project",
            json!({
                "action": "log", "project_id": project["id"], "action_text": text, "result": text,
                "next_step": text,
            }),
        ),
    ];
    for (tool, arguments) in calls {
        let answer = mind.call(tool, arguments.clone()).await;
        assert!(
            answer["masked"].as_array().is_some_and(|m| m.contains(&json!("API key"))),
            "{answer}"
        );
        assert!(!answer.to_string().contains(&key), "{answer}");
    }
    for answer in [
        mind.call("kn_intel", json!({ "action": "recall", "limit": 50 })).await,
        mind.resource("kn://projects").await,
        mind.resource("kn://memories").await,
    ] {
        assert!(!answer.to_string().contains(&key), "{answer}");
    }
}

#[tokio::test]
async fn projects_go_their_way_and_one_is_active() {
    let mind = Mind::fresh().await;
    let create = |name: &str| json!({ "action": "create", "name": name, "goals": ["sail"] });
    let first = mind.call("kn_project", create("Ferry")).await;
    assert_eq!((&first["phase"], &first["active"]), (&json!("planning"), &json!(false)));
    let second = mind.call("kn_project", create("Bridge")).await;
    for chosen in [&first, &second, &second] {
        let list = json!({ "action": "list", "set_active": chosen["id"] });
        let list = mind.call("kn_project", list).await;
        assert_eq!((&list["projects"][0]["id"], &list["count"]), (&chosen["id"], &json!(2)));
        let active = json!({ "action": "list", "active_only": true });
        assert_eq!(mind.call("kn_project", active).await["count"], 1);
    }
    let update = |phase: &str| json!({ "action": "update", "project_id": first["id"], "name": "Ferry", "phase": phase });
    assert_eq!(
        mind.error("kn_project", update("done")).await,
        "Invalid phase transition: planning → done"
    );
    assert_eq!(mind.error("kn_project", update("lost")).await, "Invalid phase: lost");
    for phase in ["active", "paused", "active", "active", "done"] {
        assert_eq!(mind.call("kn_project", update(phase)).await["phase"], phase);
    }
    assert_eq!(
        mind.error("kn_project", update("active")).await,
        "Invalid phase transition: done → active"
    );
}

#[tokio::test]
async fn steps_are_logged_recalled_and_shown() {
    let mind = Mind::fresh().await;
    for prompt in ["kn_bootup", "kn_review"] {
        assert!(mind.prompt(prompt).await.contains("yet"), "an empty world says so");
    }
    let project = mind.call("kn_project", json!({ "action": "create", "name": "Ferry" })).await;
    let log = |text: &str, kind: &str| {
        json!({
            "action": "log", "project_id": project["id"], "action_text": text, "type": kind,
            "result": "splinters", "next_step": "Buy oak",
        })
    };
    let entry = mind.call("kn_project", log("Caulked the hull", "progress")).await;
    assert_eq!(
        (&entry["type"], &entry["action"]),
        (&json!("progress"), &json!("Caulked the hull"))
    );
    mind.call("kn_project", log("Raised the mast", "failure")).await;
    let wrong = mind.error("kn_project", log("x", "victory")).await;
    assert_eq!(wrong, "Invalid type: victory. Must be one of: failure, progress");
    let rows = mind.recall("caulking hulls").await;
    assert_eq!(rows[0]["id"], project["id"], "{rows:?}");
    assert!(rows[0]["description"].as_str().unwrap().contains("Caulked the hull"));
    mind.call("kn_project", json!({ "action": "list", "set_active": "Ferry" })).await;
    mind.learn("Oak is best for masts", "high").await;
    let bootup = mind.prompt("kn_bootup").await;
    for part in ["Active Project: Ferry", "[OK] Caulked", "[FAIL] Raised", "[solution] Oak"] {
        assert!(bootup.contains(part), "{part} in {bootup}");
    }
    let review = mind.prompt("kn_review").await;
    for part in ["Completed (1)", "Issues (1)", "Suggested next step: Buy oak", "solution: 1"] {
        assert!(review.contains(part), "{part} in {review}");
    }
    let projects = mind.resource("kn://projects").await;
    assert_eq!(projects["projects"][0]["recent_progress"][0]["action"], "Raised the mast");
    let status = mind.resource("kn://status").await;
    assert_eq!(status["active_project"]["name"], "Ferry");
    assert_eq!(status["graph"]["projects"], 1);
    let memories = mind.resource("kn://memories").await;
    assert_eq!(memories["experiences"][0]["content"], "Oak is best for masts");
}

#[tokio::test]
async fn ideas_move_step_by_step_and_are_linked_once() {
    let mind = Mind::fresh().await;
    let node = mind.add("Harbour", "").await;
    let new = json!({ "action": "create", "title": "A crane", "score": 3, "link_to": node });
    let idea = mind.call("kn_idea", new).await;
    assert_eq!((&idea["status"], &idea["linked_to"]), (&json!("draft"), &json!(node)));
    assert_eq!(idea["category"], Value::Null);
    let update = |more: Value| {
        let mut arguments =
            json!({ "action": "update", "idea_id": idea["id"], "title": "A crane" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    assert_eq!(
        mind.error("kn_idea", update(json!({ "status": "approved" }))).await,
        "Invalid status transition from 'draft' to 'approved'. Allowed transitions: ['evaluating']"
    );
    let again =
        mind.call("kn_idea", update(json!({ "status": "evaluating", "link_to": node }))).await;
    assert_eq!((&again["status"], &again["score"]), (&json!("evaluating"), &json!(3.0)));
    let lost = mind.call("kn_idea", update(json!({ "link_to": "nowhere" }))).await;
    assert_eq!(
        (&lost["linked_to"], &lost["link_error"]),
        (&Value::Null, &json!("Node not found: nowhere"))
    );
    mind.call("kn_idea", json!({ "title": "Unscored" })).await;
    mind.call("kn_idea", json!({ "action": "create", "title": "Best", "score": 9 })).await;
    let list = mind.call("kn_ideas", json!({})).await;
    let titles: Vec<_> =
        list["ideas"].as_array().unwrap().iter().map(|i| i["title"].clone()).collect();
    assert_eq!(titles, ["Best", "A crane", "Unscored"]);
    let only = json!({ "action": "list", "status": "evaluating" });
    assert_eq!(mind.call("kn_idea", only).await["count"], 1);
    let near = json!({ "action": "related", "node_id": idea["id"] });
    assert_eq!(mind.call("kn_intel", near).await["count"], 1);
}

#[tokio::test]
async fn the_former_names_work_and_are_not_listed() {
    let mind = Mind::fresh().await;
    let a = id(&mind.call("kn_add", json!({ "name": "Alder", "type": "tree" })).await["id"]);
    let b = id(&mind.call("kn_add", json!({ "name": "Birch", "type": "tree" })).await["id"]);
    let edge = json!({ "source_id": a, "target_id": b, "edge_type": "near" });
    mind.call("kn_connect", edge).await;
    assert_eq!(mind.call("kn_query", json!({ "text": "birch" })).await["count"], 1);
    assert_eq!(mind.call("kn_status", json!({})).await["nodes"], 2);
    let project = mind.call("kn_project", json!({ "name": "Wood" })).await;
    let update = json!({ "project_id": project["id"], "name": "Wood", "phase": "active" });
    assert_eq!(mind.call("kn_project", update).await["phase"], "active");
    let log = json!({ "project_id": project["id"], "action": "Felled a tree" });
    assert_eq!(mind.call("kn_log", log).await["action"], "Felled a tree");
    assert_eq!(mind.call("kn_projects", json!({})).await["count"], 1);
    mind.call("kn_save", json!({ "content": "Saws rust", "type": "gotcha" })).await;
    assert_eq!(mind.call("kn_memories", json!({ "text": "saw" })).await["count"], 1);
    assert_eq!(mind.call("kn_prune", json!({})).await["pruned_count"], 0);
    mind.call("kn_idea", json!({ "title": "A mill" })).await;
    assert_eq!(mind.call("kn_ideas", json!({})).await["count"], 1);
    mind.call("kn_learn", json!({ "content": "Axes need care", "type": "pattern" })).await;
    let axes = mind.call("kn_recall", json!({ "topic": "axe care" })).await;
    assert_eq!(axes["results"][0]["description"], "Axes need care");
    let axes = mind.call("kn_crossref", json!({ "problem": "axe care" })).await;
    assert_eq!(axes["results"][0]["description"], "Axes need care");
    let birch = mind.call("kn_context", json!({ "keywords": "birch" })).await;
    assert_eq!(birch["nodes"][0]["id"], json!(b));
    assert_eq!(mind.call("kn_related", json!({ "node_id": a })).await["count"], 1);
    mind.call("kn_remove", json!({ "node_id": a })).await;
    let listed: Vec<_> = mind
        .registry
        .tools(&Selection::new(), Role::Owner)
        .map(|tool| tool.name)
        .filter(|name| name.starts_with("kn_"))
        .collect();
    assert_eq!(listed, ["kn_intel", "kn_graph", "kn_experience", "kn_project", "kn_idea"]);
}

#[tokio::test]
async fn crossref_searches_the_other_worlds_and_says_which() {
    let mind = Mind::fresh().await;
    mind.learn("Here: boil the rope in tar", "high").await;
    let elsewhere =
        lore_app::worlds::create(&mind.app, Principal::LOCAL, "Shipyard", "test").await.unwrap();
    let there = mind.app.store.enter(Principal::LOCAL, elsewhere.id).await.unwrap().unwrap();
    let fact = json!({
        "action": "learn", "type": "solution", "content": "Soak the rope in tar for a night",
    });
    mind.try_as(there, &Selection::new(), "kn_intel", fact).await.unwrap();
    let ask = json!({ "action": "crossref", "problem": "the rope rots" });
    let found = mind.call("kn_intel", ask).await;
    assert_eq!((&found["count"], &found["searched"]), (&json!(1), &json!(["Shipyard"])));
    assert_eq!(found["results"][0]["workspace"], "Shipyard");
    assert!(found["results"][0]["description"].as_str().unwrap().starts_with("Soak"));
}

#[tokio::test]
async fn context_returns_nodes_and_the_edges_between_them() {
    let mind = Mind::fresh().await;
    let (rope, tar) =
        (mind.add("Rope", "Hemp rope, tarred").await, mind.add("Tar", "Keeps rope dry").await);
    mind.add("Bread", "Feeds the crew").await;
    let edge = json!({ "action": "connect", "source_id": tar, "target_id": rope, "edge_type": "protects" });
    mind.call("kn_graph", edge).await;
    let save = json!({
        "action": "save", "content": "Old rope snaps", "type": "gotcha", "context": "In a storm",
    });
    mind.call("kn_experience", save).await;
    let ask = json!({ "action": "context", "keywords": "rope", "detail": "full" });
    let found = mind.call("kn_intel", ask).await;
    assert_eq!((&found["count"], found["nodes"].as_array().unwrap().len()), (&json!(3), 2));
    assert_eq!(found["experiences"][0]["context"], "In a storm");
    let types: Vec<_> =
        found["edges"].as_array().unwrap().iter().map(|e| e["type"].clone()).collect();
    assert!(types.contains(&json!("protects")), "{found}");
}

#[tokio::test]
async fn related_honours_depth_type_and_limit_and_tells_the_path() {
    let mind = Mind::fresh().await;
    let mut ids = Vec::new();
    for name in ["Anvil", "Bellows", "Coal", "Dray"] {
        ids.push(mind.add(name, "").await);
    }
    for (from, to, kind, weight) in [(0, 1, "uses", 0.5), (2, 1, "feeds", 1.0), (2, 3, "uses", 1.0)]
    {
        let edge = json!({
            "action": "connect", "source_id": ids[from], "target_id": ids[to], "edge_type": kind,
            "weight": weight,
        });
        mind.call("kn_graph", edge).await;
    }
    let walk = async |more: Value| {
        let mut arguments = json!({ "action": "related", "node_id": ids[0] });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        mind.call("kn_intel", arguments).await
    };
    assert_eq!(walk(json!({})).await["count"], 1);
    let far = walk(json!({ "depth": 3 })).await;
    assert_eq!(far["count"], 3);
    let path = far["results"][2]["path"].as_array().unwrap();
    let steps: Vec<_> = path
        .iter()
        .map(|hop| (hop["type"].as_str().unwrap(), hop["direction"].as_str().unwrap()))
        .collect();
    assert_eq!(steps, [("uses", "out"), ("feeds", "in"), ("uses", "out")]);
    assert_eq!(path[2]["id"], json!(ids[3]));
    assert_eq!(walk(json!({ "depth": 3, "edge_type": "uses" })).await["count"], 1);
    let few = walk(json!({ "depth": 3, "limit": 2 })).await;
    assert_eq!((&few["count"], &few["more"]), (&json!(2), &json!(true)));
    let nowhere = mind.call("kn_intel", json!({ "action": "related", "node_id": "nope" })).await;
    assert_eq!((&nowhere["count"], &nowhere["error"]), (&json!(0), &json!("Node not found: nope")));
}

#[tokio::test]
async fn answers_fit_their_token_budget() {
    let mind = Mind::fresh().await;
    for number in 0..8 {
        mind.learn(&format!("Barrel number {number} holds salted herring for the winter"), "low")
            .await;
    }
    let ask = |tokens: u32| json!({ "action": "recall", "topic": "salted herring barrels", "max_tokens": tokens });
    assert_eq!(mind.call("kn_intel", ask(100_000)).await["count"], 8);
    let few = mind.call("kn_intel", ask(200)).await;
    let count = few["count"].as_u64().unwrap();
    assert!((1..8).contains(&count), "{few}");
    assert_eq!(few["left_out"], 8 - count);
    assert_eq!(mind.call("kn_intel", ask(1)).await["count"], 1, "never nothing");
}

#[tokio::test]
async fn any_text_is_a_question() {
    let mind = Mind::fresh().await;
    mind.learn("self-healing pipes mend themselves", "high").await;
    let long = "herring ".repeat(12_500);
    for text in ["self-healing", "why?", "\"", "a AND", "NEAR(", "*", "-", "😀", "", "   ", &long]
    {
        mind.recall(text).await;
        mind.call("kn_graph", json!({ "action": "query", "text": text })).await;
        mind.call("kn_experience", json!({ "action": "search", "text": text })).await;
    }
    assert_eq!(mind.recall("self-healing").await.len(), 1);
}

#[test]
fn every_field_of_every_answer_is_described() {
    fn check(at: &str, schema: &Value) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            assert!(field["description"].is_string(), "{at}.{name} has no description");
            check(&format!("{at}.{name}"), field);
            check(&format!("{at}.{name}[]"), &field["items"]);
        }
        for alternative in schema["anyOf"].as_array().into_iter().flatten() {
            check(at, alternative);
        }
    }
    let registry = Registry::standard();
    for tool in registry.all_tools().filter(|tool| tool.name.starts_with("kn_")) {
        check(tool.name, &Value::Object((*tool.output_schema).clone()));
    }
}

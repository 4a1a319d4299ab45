//! Stories of code, through the registry and the KOI API on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};

use lore_app::App;
use lore_app::access::{Doorkeeper, Identity, Presence, create_token, enter};
use lore_app::knowledge::code::{Code, CodeSettings};
use lore_app::worlds;
use lore_core::{Effects, Error, Principal, Role, Viewer};
use lore_sqlite::SqliteStore;
use lore_tools::koi::{self, Ask, Failure};
use lore_tools::{Call, CallError, Progress, ProgressSink, Registry, Selection};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

struct World {
    app: Arc<App>,
    owner: Viewer,
    registry: Registry,
    directory: tempfile::TempDir,
}

impl World {
    /// A world beside a folder `repo` of sources, and a folder `open` that others may add.
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self::at(directory).await
    }

    async fn at(directory: tempfile::TempDir) -> Self {
        let open = directory.path().join("open");
        Self::with_paths(directory, vec![open]).await
    }

    async fn with_paths(directory: tempfile::TempDir, paths: Vec<PathBuf>) -> Self {
        let effects = Effects::system();
        let file = directory.path().join("store.sqlite");
        let options = lore_sqlite::Options::default();
        let store = Arc::new(SqliteStore::open(&file, options, &effects).unwrap());
        let mut app = App::new(store, effects);
        app.code = Arc::new(Code::new(CodeSettings {
            paths,
            copies: Some(directory.path().join("copies")),
            ..CodeSettings::default()
        }));
        let app = Arc::new(app);
        let owner = enter(&app, Identity::LOCAL, None).await.unwrap();
        Self { app, owner, registry: Registry::standard(), directory }
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.directory.path().join("repo").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn folder(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// A call by somebody who came with a token, or by the owner at the machine.
    fn call_by(&self, viewer: Viewer) -> Call {
        let mut call = Call::new(Arc::clone(&self.app), viewer);
        if viewer == self.owner {
            call.presence = Presence::Here;
        }
        call
    }

    async fn try_ask(&self, viewer: Viewer, ask: Ask) -> Result<Value, Failure> {
        koi::answer(&self.call_by(viewer), ask).await
    }

    async fn ask(&self, ask: Ask) -> Value {
        self.try_ask(self.owner, ask.clone()).await.unwrap_or_else(|why| panic!("{ask:?}: {why:?}"))
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.ask(Ask::post(path.split('/'), body)).await
    }

    async fn try_call(&self, viewer: Viewer, tool: &str, input: Value) -> Result<Value, CallError> {
        let Value::Object(input) = input else { panic!("not an object") };
        let call = self.call_by(viewer);
        let answer = self.registry.call(&Selection::new(), tool, call, input).await;
        answer.map(|answer| answer.structured)
    }

    async fn call(&self, tool: &str, input: Value) -> Value {
        let answer = self.try_call(self.owner, tool, input.clone()).await;
        answer.unwrap_or_else(|error| panic!("{tool} {input}: {error}"))
    }

    /// Adds and scans the sources; tells what the scan says of them.
    async fn scan(&self) -> Value {
        let added = json!({ "repo_url": self.folder("repo"), "repo_name": "me/repo" });
        self.post("github/repos", added).await;
        let done = self.call("github_scan", json!({ "action": "scan" })).await;
        assert_eq!(done["status"], "completed", "{done}");
        done["results"][0].clone()
    }

    async fn rows(&self, cypher: &str) -> Vec<Value> {
        self.rows_of(self.owner, cypher).await
    }

    async fn rows_of(&self, viewer: Viewer, cypher: &str) -> Vec<Value> {
        let answer = self.try_call(viewer, "code_query", json!({ "cypher": cypher })).await;
        answer.unwrap()["results"].as_array().unwrap().clone()
    }

    async fn refusal(&self, cypher: &str) -> String {
        let answer = self.try_call(self.owner, "code_query", json!({ "cypher": cypher })).await;
        answer.unwrap_err().to_string()
    }

    async fn member(&self, name: &str, role: Role) -> Viewer {
        enter(&self.app, self.bearer(name, role).await, None).await.unwrap()
    }

    /// Who comes with a new token.
    async fn bearer(&self, name: &str, role: Role) -> Identity {
        let issued = create_token(&self.app, &self.owner, name, role).await.unwrap();
        let doorkeeper = Doorkeeper::new(Arc::clone(&self.app));
        doorkeeper.identify(&issued.secret).await.unwrap().unwrap()
    }
}

const PYTHON: &str = "import helpers\n\n\nclass Kettle:\n    \"\"\"Boils water for tea.\"\"\"\n\n    \
                      def boil(self, litres):\n        return helpers.heat(litres)\n\n\n\
                      def brew():\n    return Kettle().boil(2)\n";
const HELPERS: &str = "def heat(litres):\n    \"\"\"Warms water until it sings.\"\"\"\n    \
                       return litres * 100\n";

async fn kitchen() -> World {
    let world = World::new().await;
    world.write("tea.py", PYTHON);
    world.write("helpers.py", HELPERS);
    world.write("README.md", "# Kitchen\n\nAbout porcelain and patience.\n");
    world
}

#[tokio::test]
async fn a_repository_is_scanned_asked_and_searched() {
    let world = kitchen().await;
    let done = world.scan().await;
    assert_eq!((&done["repo"], &done["files_processed"]), (&json!("me/repo"), &json!(3)));
    assert_eq!((&done["total_files"], &done["code_entities"]), (&json!(3), &json!(4)));
    assert!(done["code_edges"].as_u64().unwrap() > 5, "{done}");
    let callers = "MATCH (a)-[c:CALLS]->(b:Function {name: 'heat'}) \
                   RETURN a.name AS caller, a.receiver_type, c.line_number AS line";
    let wanted = json!([{ "caller": "boil", "a.receiver_type": "Kettle", "line": 8 }]);
    assert_eq!(json!(world.rows(callers).await), wanted);
    let found = world.call("knowledge_search", json!({ "query": "water sings warm" })).await;
    assert_eq!(found["results"][0]["rid"], "github:me/repo:helpers.py", "{found}");
    assert_eq!(found["results"][0]["source"], "github-sensor");
    assert_eq!(found["results"][0]["metadata"]["untrusted"], true);
    let chunk = &found["chunk_results"][0];
    assert_eq!(chunk["chunk_rid"], "github:me/repo:helpers.py#entity:heat", "{chunk}");
    let narrowed = json!({ "query": "porcelain", "source": "github" });
    let found = world.call("knowledge_search", narrowed).await;
    assert_eq!(found["results"][0]["title"], "README.md");
    let recalled = world.call("kn_intel", json!({ "action": "recall", "topic": "porcelain" }));
    assert!(recalled.await.to_string().contains("README.md"));
    let entities = world.call("koi_search", json!({ "query": "me/repo" })).await;
    assert_eq!(entities["results"][0]["type"], "Project", "{entities}");
}

/// The doors of search and of memory lead to the same files; that a symbol has a name does
/// not make it somebody whom names are resolved to.
#[tokio::test]
async fn files_are_found_by_what_they_define_through_other_doors() {
    let world = kitchen().await;
    world.scan().await;
    let known = world.call("kn_graph", json!({ "action": "query", "text": "Kettle" })).await;
    assert_eq!((&known["count"], &known["nodes"][0]["name"]), (&json!(1), &json!("tea.py")));
    for (words, title) in [("Kettle", "tea.py"), ("water until it sings", "helpers.py")] {
        let search = json!({ "query": words, "source": "github" });
        let found = world.call("knowledge_search", search).await;
        assert_eq!(found["results"][0]["title"], title, "{found}");
    }
    let named = world.call("resolve_entity", json!({ "label": "boil" })).await;
    assert_eq!((&named["candidates"], &named["is_new"]), (&json!([]), &json!(true)));
}

#[tokio::test]
async fn editing_one_file_changes_only_its_symbols() {
    let world = kitchen().await;
    world.scan().await;
    let all = "MATCH (n) WHERE n.file_path <> 'helpers.py' RETURN n.entity_id ORDER BY n.entity_id";
    let others = world.rows(all).await;
    assert!(others.len() >= 5);
    world.write("helpers.py", "def cool(litres):\n    return 4\n");
    let done = world.call("github_scan", json!({ "action": "scan", "repo_name": "me/repo" })).await;
    assert_eq!(done["results"][0]["files_processed"], 1, "{done}");
    assert_eq!(world.rows(all).await, others);
    let names = "MATCH (f:Function {file_path: 'helpers.py'}) RETURN f.name AS name";
    assert_eq!(world.rows(names).await, [json!({ "name": "cool" })]);
    let found = world.call("knowledge_search", json!({ "query": "sings" })).await;
    assert!(!found.to_string().contains("until it sings"), "{found}");
    fs::remove_file(world.directory.path().join("repo/tea.py")).unwrap();
    let done = world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(done["results"][0]["files_removed"], 1);
    assert!(world.rows("MATCH (c:Class) RETURN c.name").await.is_empty());
    // What comes back is taken out of the bin.
    world.write("tea.py", PYTHON);
    world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(world.rows("MATCH (c:Class) RETURN c.name").await.len(), 1);
    let found = world.call("knowledge_search", json!({ "query": "boils water for tea" })).await;
    assert_eq!(found["results"][0]["rid"], "github:me/repo:tea.py");
}

#[tokio::test]
async fn the_status_has_the_form_of_the_contract() {
    let world = kitchen().await;
    let none = world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(none["status"], "no_repos");
    world.scan().await;
    let status = world.call("github_scan", json!({})).await;
    for field in "running scan_interval_seconds last_scan total_scans active_repos total_files \
                  total_code_entities total_documents total_chunks total_embeddings"
        .split_whitespace()
    {
        assert!(!status[field].is_null(), "{field}: {status}");
    }
    let repo = &status["repos"][0];
    assert_eq!((&repo["repo_name"], &repo["status"]), (&json!("me/repo"), &json!("active")));
    assert_eq!((&repo["file_count"], &repo["code_entity_count"]), (&json!(3), &json!(4)));
    let files = world.ask(Ask::get(["github", "files"]).with("limit", Some(2))).await;
    assert_eq!(files["count"], 2);
    assert_eq!(files["files"][0]["file_path"], "README.md");
    let unknown = json!({ "action": "scan", "repo_name": "no/such" });
    let refused = world.try_call(world.owner, "github_scan", unknown).await.unwrap_err();
    assert!(refused.to_string().contains("no/such"), "{refused}");
}

#[tokio::test]
async fn the_api_numbers_columns_and_the_tool_names_them() {
    let world = kitchen().await;
    world.scan().await;
    let cypher = "MATCH (f:Function {name: 'brew'}) RETURN f.name, f.line_start, f";
    let told = world.post("code/query", json!({ "cypher": cypher })).await;
    let row = &told["results"][0];
    assert_eq!((&row["c1"], &row["c2"]), (&json!("\"brew\""), &json!("11")));
    assert!(row["c3"].as_str().unwrap().ends_with("::vertex"), "{row}");
    assert_eq!(told["count"], 1);
    let row = world.rows(cypher).await.remove(0);
    assert_eq!((&row["f.name"], &row["f.line_start"]), (&json!("brew"), &json!(11)));
    assert_eq!(row["f"]["labels"], json!(["Function"]));
    assert_eq!(row["f"]["properties"]["repo"], "me/repo");
    let given = json!({ "cypher": "RETURN $names[1] AS n", "params": { "names": ["a", "b"] } });
    assert_eq!(world.call("code_query", given).await["results"], json!([{ "n": "b" }]));
    let help = world.call("code_query", json!({ "cypher": " " })).await;
    assert_eq!(help["labels"]["Function"], 3);
    assert!(help["help"].as_str().unwrap().matches("\nMATCH ").count() >= 3);
    let nothing = world.try_ask(world.owner, Ask::post(["code", "query"], json!({}))).await;
    assert!(format!("{nothing:?}").contains("is required"), "{nothing:?}");
}

#[tokio::test]
async fn floats_without_a_fraction_stay_floats() {
    let world = kitchen().await;
    let asked = json!({
        "cypher": "RETURN $f / 2 AS half, toString($f) AS text, $list AS list, $i / 2 AS whole",
        "params": { "f": 7.0, "list": [1.0, { "a": 2.0 }], "i": 7 },
    });
    let half = json!({ "half": 3.5, "text": "7.0", "list": [1.0, { "a": 2.0 }], "whole": 3 });
    assert_eq!(world.call("code_query", asked.clone()).await["results"], json!([half]));
    let told = world.post("code/query", asked).await;
    assert_eq!(told["results"][0]["c2"], "\"7.0\"", "{told}");
    for cypher in ["RETURN [1, 2, 3][$i]", "RETURN 1 LIMIT $i"] {
        let asked = json!({ "cypher": cypher, "params": { "i": 1.0 } });
        let answer = world.try_call(world.owner, "code_query", asked).await;
        assert!(answer.is_err(), "{cypher}: {answer:?}");
    }
}

#[tokio::test]
async fn advice_is_given_once() {
    let world = kitchen().await;
    for (cypher, advice) in [
        ("RETURN x", "only variables of MATCH"),
        ("RETURN siz([1])", "did you mean"),
        ("RETURN 1 / 0", "takes two numbers"),
    ] {
        let asked = json!({ "cypher": cypher });
        let error = world.try_call(world.owner, "code_query", asked).await.unwrap_err();
        let CallError::Failed(error) = error else { panic!("{error}") };
        let told = format!("{error} {}", error.hint());
        assert_eq!(told.matches(advice).count(), 1, "{told}");
        assert!(told.contains("line 1"), "{told}");
    }
}

#[tokio::test]
async fn nothing_that_writes_is_answered() {
    let world = kitchen().await;
    world.scan().await;
    let before = world.rows("MATCH (n) RETURN count(n) AS n").await;
    for cypher in [
        "MATCH (n) DETACH DELETE n",
        "MATCH (n) DELETE n",
        "CREATE (n:Function {name: 'x'})",
        "MERGE (n:Function {name: 'x'})",
        "MATCH (n) SET n.name = 'x'",
        "MATCH (n) REMOVE n.name",
        "CALL db.labels()",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "MATCH (n) FOREACH (x IN [1] | SET n.y = x)",
        "DROP INDEX x",
    ] {
        let why = world.refusal(cypher).await;
        assert!(why.starts_with("cypher was not answered"), "{cypher}: {why}");
    }
    assert_eq!(world.rows("MATCH (n) RETURN count(n) AS n").await, before);
    assert!(world.refusal("MATCH (n RETURN n").await.contains("line 1"));
}

#[tokio::test]
async fn a_question_that_costs_too_much_is_stopped_and_says_why() {
    let world = kitchen().await;
    world.scan().await;
    for (cypher, why) in [
        ("MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN count(*)", "stopped"),
        ("UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN count(*)", "stopped"),
        ("UNWIND range(1, 5000) AS x RETURN x", "more than 1000 rows"),
        ("RETURN reduce(s = 'x', i IN range(1, 21) | s + s) AS s", "bytes"),
    ] {
        let told = world.refusal(cypher).await;
        assert!(told.contains(why), "{cypher}: {told}");
    }
    assert_eq!(world.rows("RETURN 1 AS one").await, [json!({ "one": 1 })]);
}

#[tokio::test]
async fn players_neither_add_nor_scan_nor_see_code() {
    let world = kitchen().await;
    world.scan().await;
    let player = world.member("Alice", Role::Player).await;
    assert!(world.rows_of(player, "MATCH (n) RETURN n.name").await.is_empty());
    let found = world.try_call(player, "knowledge_search", json!({ "query": "sings" })).await;
    assert_eq!(found.unwrap()["count"], 0);
    let add = json!({ "repo_url": world.folder("open") });
    for (path, body) in [("github/repos", add), ("github/scan", json!({}))] {
        let refused = world.try_ask(player, Ask::post(path.split('/'), body)).await;
        assert!(matches!(refused, Err(Failure::Failed(Error::Forbidden { .. }))), "{refused:?}");
    }
    let scan = world.try_call(player, "github_scan", json!({ "action": "scan" })).await;
    assert!(matches!(scan, Err(CallError::Failed(Error::Forbidden { .. }))));
    let status = world.try_call(player, "github_scan", json!({})).await.unwrap();
    assert_eq!(status["active_repos"], 0);
}

#[tokio::test]
async fn others_than_the_person_at_the_machine_add_only_what_is_allowed() {
    let world = kitchen().await;
    let gm = world.member("Bob", Role::Gm).await;
    fs::create_dir_all(world.directory.path().join("open/inner")).unwrap();
    let outside = world.folder("repo");
    let around = format!("{}/../repo", world.folder("open"));
    let missing = world.folder("no such folder");
    for source in [outside.as_str(), &around, &missing, "/etc", "git@github.com:a/b"] {
        let ask = Ask::post(["github", "repos"], json!({ "repo_url": source }));
        let refused = world.try_ask(gm, ask).await;
        assert!(
            matches!(refused, Err(Failure::Failed(Error::Forbidden { .. }))),
            "{source}: {refused:?}"
        );
    }
    let ask = Ask::post(["github", "repos"], json!({ "repo_url": world.folder("open/inner") }));
    assert_eq!(world.try_ask(gm, ask).await.unwrap()["repo_name"], "inner");
    for source in ["", "--upload-pack=x", "ext::sh -c x", "relative/path", "http://example.org/a"] {
        let ask = Ask::post(["github", "repos"], json!({ "repo_url": source }));
        let refused = world.try_ask(world.owner, ask).await;
        let invalid = matches!(refused, Err(Failure::Failed(Error::Invalid { .. })));
        assert!(invalid, "{source}: {refused:?}");
    }
}

#[tokio::test]
async fn a_token_in_the_owners_name_is_not_the_person_at_the_machine() {
    let world = kitchen().await;
    let bearer = world.bearer("owner", Role::Owner).await;
    assert_eq!(bearer.principal, Principal::LOCAL, "the token is the owner's own");
    assert_eq!(
        (bearer.presence(), Identity::LOCAL.presence()),
        (Presence::Anywhere, Presence::Here)
    );
    let mut call = world.call_by(enter(&world.app, bearer, None).await.unwrap());
    call.presence = bearer.presence();
    for source in [world.folder("repo"), world.folder("missing"), "git@github.com:a/b".into()] {
        let ask = Ask::post(["github", "repos"], json!({ "repo_url": source }));
        let refused = koi::answer(&call, ask).await;
        let forbidden = matches!(refused, Err(Failure::Failed(Error::Forbidden { .. })));
        assert!(forbidden, "{source}: {refused:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_is_read_only_as_long_as_it_is_the_one_that_was_allowed() {
    let world = kitchen().await;
    let gm = world.member("Bob", Role::Gm).await;
    let inner = world.directory.path().join("open/inner");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("a.py"), "def a(): pass").unwrap();
    let ask = Ask::post(["github", "repos"], json!({ "repo_url": world.folder("open/inner") }));
    world.try_ask(gm, ask).await.unwrap();
    let scan = json!({ "action": "scan" });
    let done = world.try_call(gm, "github_scan", scan.clone()).await.unwrap();
    assert_eq!(done["results"][0]["total_files"], 1, "{done}");
    // Nobody lists the folder any more.
    let World { directory, app, .. } = world;
    drop(app);
    let world = World::with_paths(directory, Vec::new()).await;
    let done = world.call("github_scan", scan.clone()).await;
    let error = done["results"][0]["error"].as_str().unwrap();
    assert!(error.contains("no longer"), "{error}");
    // It is listed again, but leads elsewhere.
    let World { directory, app, .. } = world;
    drop(app);
    let world = World::at(directory).await;
    fs::rename(&inner, world.directory.path().join("open/moved")).unwrap();
    std::os::unix::fs::symlink(world.folder("repo"), &inner).unwrap();
    let done = world.call("github_scan", scan).await;
    let error = done["results"][0]["error"].as_str().unwrap();
    assert!(error.contains("link"), "{error}");
    assert_eq!(world.rows("MATCH (f:File) RETURN f.name").await.len(), 1);
}

#[tokio::test]
async fn a_folder_has_one_name() {
    let world = kitchen().await;
    world.scan().await;
    let folder = world.folder("repo");
    let add = |body: Value| world.try_ask(world.owner, Ask::post(["github", "repos"], body));
    let again = add(json!({ "repo_url": folder })).await.unwrap();
    assert_eq!(again["repo_name"], "me/repo", "{again}");
    let dotted = format!("{folder}/../repo/.");
    let twice = add(json!({ "repo_url": dotted, "repo_name": "other" })).await;
    let Err(Failure::Failed(Error::Invalid { problem, .. })) = twice else { panic!("{twice:?}") };
    assert!(problem.contains("me/repo"), "{problem}");
    assert_eq!(world.call("github_scan", json!({})).await["active_repos"], 1);
}

#[tokio::test]
async fn another_world_has_none_of_it() {
    let world = kitchen().await;
    world.scan().await;
    let other = worlds::create(&world.app, Principal::LOCAL, "Elsewhere", "test").await.unwrap();
    let there = world.app.store.enter(Principal::LOCAL, other.id).await.unwrap().unwrap();
    assert!(world.rows_of(there, "MATCH (n) RETURN n.name").await.is_empty());
    let found = world.try_call(there, "knowledge_search", json!({ "query": "sings" })).await;
    assert_eq!(found.unwrap()["count"], 0);
}

#[tokio::test]
async fn what_is_forgotten_is_gone_and_can_be_added_again() {
    let world = kitchen().await;
    world.scan().await;
    let gone = world.post("github/repos/remove", json!({ "repo_name": "me/repo" })).await;
    assert_eq!(gone["status"], "removed");
    assert!(world.rows("MATCH (n) RETURN n.name").await.is_empty());
    assert_eq!(world.call("github_scan", json!({})).await["active_repos"], 0);
    let again = world.post("github/repos/remove", json!({ "repo_name": "me/repo" })).await;
    assert_eq!(again["status"], "not_found");
    assert_eq!(world.scan().await["files_processed"], 3);
    assert_eq!(world.rows("MATCH (c:Class) RETURN c.name").await.len(), 1);
}

#[tokio::test]
async fn a_repository_that_is_forgotten_while_scans_wait_stays_forgotten() {
    let world = kitchen().await;
    world.scan().await;
    let scan = || async {
        let input = json!({ "action": "scan", "repo_name": "me/repo" });
        world.try_call(world.owner, "github_scan", input).await
    };
    let gone = world.post("github/repos/remove", json!({ "repo_name": "me/repo" }));
    let (_, gone, _, _) = tokio::join!(scan(), gone, scan(), scan());
    assert_eq!(gone["status"], "removed");
    assert!(world.rows("MATCH (n) RETURN n.name").await.is_empty());
    let files = world.ask(Ask::get(["github", "files"]).with("repo_name", Some("me/repo"))).await;
    assert_eq!(files["count"], 0);
}

#[tokio::test]
async fn a_store_that_is_opened_again_has_its_graph() {
    let world = kitchen().await;
    world.scan().await;
    let count = "MATCH (n)-[r]->() RETURN count(r) AS n";
    let before = world.rows(count).await;
    let World { app, directory, .. } = world;
    drop(app);
    let world = World::at(directory).await;
    assert_eq!(world.rows(count).await, before);
    let done = world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(done["results"][0]["files_processed"], 0);
}

#[tokio::test]
async fn a_bad_repository_does_not_keep_others_from_being_scanned() {
    let world = kitchen().await;
    fs::create_dir_all(world.directory.path().join("gone")).unwrap();
    world.post("github/repos", json!({ "repo_url": world.folder("gone") })).await;
    fs::remove_dir(world.directory.path().join("gone")).unwrap();
    let added = json!({ "repo_url": world.folder("repo"), "repo_name": "me/repo" });
    world.post("github/repos", added).await;
    let done = world.post("github/scan", json!({})).await;
    assert_eq!(done["results"][0]["repo"], "gone");
    assert!(done["results"][0]["error"].as_str().unwrap().contains("is no folder"), "{done}");
    assert_eq!(done["results"][1]["total_files"], 3);
    let status = world.call("github_scan", json!({})).await;
    assert_eq!(status["repos"][0]["status"], "error");
}

/// Remembers what it was told.
#[derive(Default)]
struct Told(Mutex<Vec<(f64, Option<f64>)>>);

impl ProgressSink for Told {
    fn report(&self, done: f64, total: Option<f64>, _: &str) {
        self.0.lock().unwrap().push((done, total));
    }
}

#[tokio::test]
async fn a_scan_tells_how_far_it_is_and_stops_when_told() {
    let world = World::new().await;
    for number in 0..200 {
        world.write(&format!("f{number}.py"), &format!("def f{number}():\n    pass\n"));
    }
    let added = json!({ "repo_url": world.folder("repo") });
    world.post("github/repos", added).await;
    let told = Arc::new(Told::default());
    let scan = |call: Call| async {
        let input = json!({ "action": "scan" });
        let Value::Object(input) = input else { panic!("not an object") };
        world.registry.call(&Selection::new(), "github_scan", call, input).await
    };
    let cancelled = world.call_by(world.owner);
    let token = cancelled.cancel.clone();
    let (stopped, ()) = tokio::join!(scan(cancelled), async {
        tokio::task::yield_now().await;
        token.cancel();
    });
    assert!(matches!(stopped, Err(CallError::Failed(Error::Cancelled))), "{stopped:?}");
    let mut watched = world.call_by(world.owner);
    watched.progress = Progress::to(Arc::clone(&told) as Arc<dyn ProgressSink>);
    let done = scan(watched).await.unwrap().structured;
    assert_eq!(done["results"][0]["total_files"], 200, "{done}");
    let told = told.0.lock().unwrap();
    assert_eq!(told.last(), Some(&(200.0, Some(200.0))));
    assert!(told.iter().zip(told.iter().skip(1)).all(|(a, b)| a.0 < b.0), "{told:?}");
}

/// Holds a scan up when it has told of its progress so often.
struct Gate {
    left: Mutex<usize>,
    reached: Mutex<Option<oneshot::Sender<()>>>,
    opened: Mutex<mpsc::Receiver<()>>,
}

impl ProgressSink for Gate {
    fn report(&self, _: f64, _: Option<f64>, _: &str) {
        let mut left = self.left.lock().unwrap();
        *left = left.saturating_sub(1);
        if *left == 0
            && let Some(reached) = self.reached.lock().unwrap().take()
        {
            reached.send(()).unwrap();
            // Fails when the other end is gone: then nobody holds it up any more.
            let _ = self.opened.lock().unwrap().recv();
        }
    }
}

/// A scan that has come half way and waits.
struct HalfWay {
    open: mpsc::Sender<()>,
    cancel: CancellationToken,
    scan: tokio::task::JoinHandle<Result<Value, CallError>>,
}

impl World {
    /// Many files, each with a function of this name.
    fn write_many(&self, function: &str) {
        for number in 0..MANY {
            self.write(&format!("f{number}.py"), &format!("def {function}():\n    pass\n"));
        }
    }

    async fn scan_half_way(self: &Arc<Self>) -> HalfWay {
        let (send, reached) = oneshot::channel();
        let (open, opened) = mpsc::channel();
        let gate = Gate {
            left: Mutex::new(2),
            reached: Mutex::new(Some(send)),
            opened: Mutex::new(opened),
        };
        let mut call = self.call_by(self.owner);
        call.progress = Progress::to(Arc::new(gate) as Arc<dyn ProgressSink>);
        let (cancel, world) = (call.cancel.clone(), Arc::clone(self));
        let scan = tokio::spawn(async move {
            let Value::Object(input) = json!({ "action": "scan" }) else { panic!("no object") };
            let answer = world.registry.call(&Selection::new(), "github_scan", call, input).await;
            answer.map(|answer| answer.structured)
        });
        reached.await.unwrap();
        HalfWay { open, cancel, scan }
    }

    async fn scan_again(&self) -> Value {
        self.call("github_scan", json!({ "action": "scan" })).await
    }

    async fn status(&self) -> Value {
        self.call("github_scan", json!({})).await["repos"][0].clone()
    }
}

/// As many files as are kept in several commits.
const MANY: usize = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_scan_is_seen_when_it_is_over() {
    let world = Arc::new(World::new().await);
    let names = "MATCH (f:Function) RETURN f.name AS name, count(*) AS n ORDER BY name";
    world.write_many("first");
    world.post("github/repos", json!({ "repo_url": world.folder("repo") })).await;
    let half = world.scan_half_way().await;
    assert_eq!(world.rows(names).await, [] as [Value; 0], "nothing of a first scan");
    assert_eq!(world.status().await["status"], "scanning");
    half.open.send(()).unwrap();
    half.scan.await.unwrap().unwrap();
    assert_eq!(world.rows(names).await, [json!({ "name": "first", "n": MANY })]);
    world.write_many("second");
    let half = world.scan_half_way().await;
    assert_eq!(world.rows(names).await, [json!({ "name": "first", "n": MANY })]);
    half.open.send(()).unwrap();
    half.scan.await.unwrap().unwrap();
    assert_eq!(world.rows(names).await, [json!({ "name": "second", "n": MANY })]);
    assert_eq!(world.status().await["status"], "active");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_scan_that_was_broken_off_says_so_and_counts_what_is_there() {
    let world = Arc::new(World::new().await);
    world.write_many("first");
    world.post("github/repos", json!({ "repo_url": world.folder("repo") })).await;
    let half = world.scan_half_way().await;
    half.cancel.cancel();
    drop(half.open);
    let stopped = half.scan.await.unwrap();
    assert!(matches!(stopped, Err(CallError::Failed(Error::Cancelled))), "{stopped:?}");
    let status = world.status().await;
    assert_eq!(status["status"], "interrupted", "{status}");
    let files = world.ask(Ask::get(["github", "files"]).with("limit", Some("1000"))).await;
    assert!(files["count"].as_u64().unwrap() > 0, "{files}");
    assert_eq!(status["file_count"], files["count"]);
    let rows = world.rows("MATCH (f:File) RETURN f.name").await;
    assert_eq!(rows.len() as u64, files["count"].as_u64().unwrap(), "what is there can be asked");
    world.scan_again().await;
    let status = world.status().await;
    assert_eq!((&status["status"], &status["file_count"]), (&json!("active"), &json!(MANY)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn other_programs_see_at_once_that_a_scan_was_broken_off() {
    let world = Arc::new(World::new().await);
    world.write_many("first");
    world.post("github/repos", json!({ "repo_url": world.folder("repo") })).await;
    let other = App::new(Arc::clone(&world.app.store), Effects::system());
    let mut seen = Call::new(Arc::new(other), world.owner);
    seen.presence = Presence::Here;
    let half = world.scan_half_way().await;
    let status = koi::answer(&seen, Ask::get(["github", "status"])).await.unwrap();
    assert_eq!(status["repos"][0]["status"], "scanning", "{status}");
    // The program is told to end, with the scan still going on.
    tokio::join!(world.app.code.stop(), async { drop(half.open) });
    let ended = half.scan.await.unwrap().unwrap();
    assert!(ended["results"][0]["error"].is_string(), "{ended}");
    let status = koi::answer(&seen, Ask::get(["github", "status"])).await.unwrap();
    assert_eq!(status["repos"][0]["status"], "interrupted", "{status}");
    let files = status["repos"][0]["file_count"].as_u64().unwrap();
    assert!(files > 0, "{status}");
    let ask = json!({ "cypher": "MATCH (f:File) RETURN count(f) AS n", "named": true });
    let answer = koi::answer(&seen, Ask::post(["code", "query"], ask)).await.unwrap();
    assert_eq!(answer["results"], json!([{ "n": files }]), "what is there can be asked");
}

#[tokio::test]
async fn several_scans_are_told_of_as_one() {
    let world = kitchen().await;
    for name in ["one", "two"] {
        let folder = world.directory.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.py"), "def a(): pass\n").unwrap();
        world.post("github/repos", json!({ "repo_url": folder.display().to_string() })).await;
    }
    world.post("github/repos", json!({ "repo_url": world.folder("repo") })).await;
    let told = Arc::new(Told::default());
    let mut call = world.call_by(world.owner);
    call.progress = Progress::to(Arc::clone(&told) as Arc<dyn ProgressSink>);
    koi::answer(&call, Ask::post(["github", "scan"], json!({}))).await.unwrap();
    let told = told.0.lock().unwrap();
    assert!(told.iter().zip(told.iter().skip(1)).all(|(a, b)| a.0 < b.0), "{told:?}");
    assert_eq!(told.last(), Some(&(5.0, Some(5.0))), "{told:?}");
}

#[tokio::test]
async fn a_first_scan_that_fails_leaves_its_name_to_others() {
    let world = kitchen().await;
    let gone = world.directory.path().join("gone");
    fs::create_dir_all(&gone).unwrap();
    let named = |folder: String| json!({ "repo_url": folder, "repo_name": "me/repo" });
    world.post("github/repos", named(gone.display().to_string())).await;
    fs::remove_dir(&gone).unwrap();
    world.scan_again().await;
    assert_eq!(world.status().await["status"], "error");
    let done = world.scan().await;
    assert_eq!(done["total_files"], 3, "{done}");
    fs::create_dir_all(&gone).unwrap();
    let taken = named(gone.display().to_string());
    let refused = world.try_ask(world.owner, Ask::post(["github", "repos"], taken)).await;
    assert!(refused.is_err(), "{refused:?}");
}

#[tokio::test]
async fn a_folder_under_git_tells_its_commit() {
    let world = kitchen().await;
    let origin = Path::new(&world.folder("repo")).to_owned();
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let done = std::process::Command::new("git")
            .current_dir(&origin)
            .args(identity)
            .args(words)
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "one"]);
    let done = world.scan().await;
    assert_eq!(done["head_sha"], git(&["rev-parse", "HEAD"]));
    let status = world.call("github_scan", json!({})).await;
    assert_eq!(status["repos"][0]["last_commit_sha"], done["head_sha"]);
}

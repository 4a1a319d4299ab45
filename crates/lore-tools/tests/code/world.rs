//! A world next to a folder of source files.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Identity, Presence, enter};
use lore_app::knowledge::code::{Code, CodeSettings};
use lore_core::{Effects, Role, Viewer};
use lore_tools::koi::{self, Ask, Failure};
use lore_tools::{Call, CallError, Registry, Selection};
use serde_json::{Value, json};

use crate::place::{self, app_in};

/// A store and a folder of source files next to it.
pub(crate) struct World {
    pub(crate) app: Arc<App>,
    pub(crate) owner: Viewer,
    pub(crate) registry: Registry,
    pub(crate) directory: tempfile::TempDir,
}

impl World {
    /// Creates a world next to a folder `repo` of source files and a folder `open` whose
    /// repositories others may add.
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self::at(directory).await
    }

    pub(crate) async fn at(directory: tempfile::TempDir) -> Self {
        let open = directory.path().join("open");
        Self::with_paths(directory, vec![open]).await
    }

    pub(crate) async fn with_paths(directory: tempfile::TempDir, paths: Vec<PathBuf>) -> Self {
        let mut app = app_in(directory.path(), Effects::system());
        app.code = Arc::new(Code::new(CodeSettings {
            paths,
            copies: Some(directory.path().join("copies")),
            ..CodeSettings::default()
        }));
        let app = Arc::new(app);
        let owner = enter(&app, Identity::LOCAL, None).await.unwrap();
        Self { app, owner, registry: Registry::standard(), directory }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.directory.path().join("repo").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(crate) fn folder(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// Creates a call by `viewer`. The owner is at the machine; others came with a token.
    pub(crate) fn call_by(&self, viewer: Viewer) -> Call {
        let mut call = Call::new(Arc::clone(&self.app), viewer);
        if viewer == self.owner {
            call.presence = Presence::Here;
        }
        call
    }

    pub(crate) async fn try_ask(&self, viewer: Viewer, ask: Ask) -> Result<Value, Failure> {
        koi::answer(&self.call_by(viewer), ask).await
    }

    pub(crate) async fn ask(&self, ask: Ask) -> Value {
        self.try_ask(self.owner, ask.clone()).await.unwrap_or_else(|why| panic!("{ask:?}: {why:?}"))
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.ask(Ask::post(path.split('/'), body)).await
    }

    pub(crate) async fn try_call(
        &self,
        viewer: Viewer,
        tool: &str,
        input: Value,
    ) -> Result<Value, CallError> {
        let Value::Object(input) = input else { panic!("not an object") };
        let call = self.call_by(viewer);
        let answer = self.registry.call(&Selection::new(), tool, call, input).await;
        answer.map(|answer| answer.structured)
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> Value {
        let answer = self.try_call(self.owner, tool, input.clone()).await;
        answer.unwrap_or_else(|error| panic!("{tool} {input}: {error}"))
    }

    /// Adds and scans the source files. Returns the result of the scan.
    pub(crate) async fn scan(&self) -> Value {
        let added = json!({ "repo_url": self.folder("repo"), "repo_name": "me/repo" });
        self.post("github/repos", added).await;
        let done = self.call("github_scan", json!({ "action": "scan" })).await;
        assert_eq!(done["status"], "completed", "{done}");
        done["results"][0].clone()
    }

    pub(crate) async fn scan_again(&self) -> Value {
        self.call("github_scan", json!({ "action": "scan" })).await
    }

    pub(crate) async fn status(&self) -> Value {
        self.call("github_scan", json!({})).await["repos"][0].clone()
    }

    pub(crate) async fn rows(&self, cypher: &str) -> Vec<Value> {
        self.rows_of(self.owner, cypher).await
    }

    pub(crate) async fn rows_of(&self, viewer: Viewer, cypher: &str) -> Vec<Value> {
        let answer = self.try_call(viewer, "code_query", json!({ "cypher": cypher })).await;
        answer.unwrap()["results"].as_array().unwrap().clone()
    }

    pub(crate) async fn refusal(&self, cypher: &str) -> String {
        let answer = self.try_call(self.owner, "code_query", json!({ "cypher": cypher })).await;
        answer.unwrap_err().to_string()
    }

    pub(crate) async fn member(&self, name: &str, role: Role) -> Viewer {
        enter(&self.app, self.bearer(name, role).await, None).await.unwrap()
    }

    /// Issues a new token and returns the identity of its bearer.
    pub(crate) async fn bearer(&self, name: &str, role: Role) -> Identity {
        place::bearer(&self.app, &self.owner, name, role).await
    }
}

pub(crate) const PYTHON: &str = "import helpers\n\n\nclass Kettle:\n    \"\"\"Boils water for tea.\"\"\"\n\n    \
                      def boil(self, litres):\n        return helpers.heat(litres)\n\n\n\
                      def brew():\n    return Kettle().boil(2)\n";
pub(crate) const HELPERS: &str = "def heat(litres):\n    \"\"\"Warms water until it sings.\"\"\"\n    \
                       return litres * 100\n";

/// Creates a world with source files to query.
pub(crate) async fn kitchen() -> World {
    let world = World::new().await;
    world.write("tea.py", PYTHON);
    world.write("helpers.py", HELPERS);
    world.write("README.md", "# Kitchen\n\nAbout porcelain and patience.\n");
    world
}

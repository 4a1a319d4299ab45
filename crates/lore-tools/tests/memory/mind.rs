//! A store, a clock and ways to call tools, separate for each test.

use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_core::effects::{Clock, SystemEntropy};
use lore_core::{Effects, Role, Timestamp, Viewer};
use lore_tools::{Call, CallError, Registry, Selection};
use serde_json::{Value, json};

use crate::place::{app_in, bearer};

/// A clock that the test sets.
struct Wrist(std::sync::atomic::AtomicI64);

impl Clock for Wrist {
    fn now(&self) -> Timestamp {
        let seconds = self.0.load(std::sync::atomic::Ordering::SeqCst);
        Timestamp::from_second(seconds).unwrap()
    }
}

pub(crate) struct Mind {
    pub(crate) app: Arc<App>,
    pub(crate) viewer: Viewer,
    pub(crate) registry: Registry,
    clock: Arc<Wrist>,
    _directory: tempfile::TempDir,
}

impl Mind {
    pub(crate) async fn fresh() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(Wrist(1_700_000_000.into()));
        let effects = Effects { clock: clock.clone(), entropy: Arc::new(SystemEntropy) };
        let app = Arc::new(app_in(directory.path(), effects));
        let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
        Self { app, viewer, registry: Registry::standard(), clock, _directory: directory }
    }

    pub(crate) fn wait_days(&self, days: i64) {
        self.clock.0.fetch_add(days * 86_400, std::sync::atomic::Ordering::SeqCst);
    }

    pub(crate) async fn try_as(
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
        let schema = Value::Object((*tool.answer_schema).clone());
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<_> = validator.iter_errors(&answer).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{}: {problems:?} in {answer}", tool.name);
        Ok(answer)
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.try_as(self.viewer, &Selection::new(), tool, arguments.clone()).await;
        let answer = answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"));
        assert_eq!(answer["_v"], "1.0", "{answer}");
        answer
    }

    /// Calls, and expects to be refused in the contract's form.
    pub(crate) async fn error(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        assert!(answer["hint"].is_string(), "{answer}");
        answer["error"].as_str().unwrap_or_else(|| panic!("no error in {answer}")).to_owned()
    }

    pub(crate) async fn add(&self, name: &str, description: &str) -> String {
        let new = json!({
            "action": "add", "name": name, "type": "concept", "description": description,
        });
        id(&self.call("kn_graph", new).await["id"])
    }

    pub(crate) async fn learn(&self, content: &str, confidence: &str) -> Value {
        let new = json!({
            "action": "learn", "content": content, "type": "solution", "confidence": confidence,
        });
        self.call("kn_intel", new).await
    }

    pub(crate) async fn recall(&self, topic: &str) -> Vec<Value> {
        let answer = self.call("kn_intel", json!({ "action": "recall", "topic": topic })).await;
        let results = answer["results"].as_array().unwrap().clone();
        assert_eq!(answer["count"], results.len());
        results
    }

    pub(crate) async fn person(&self, name: &str, role: Role) -> Viewer {
        let who = bearer(&self.app, &self.viewer, name, role).await;
        enter(&self.app, who, None).await.unwrap()
    }

    pub(crate) async fn resource(&self, uri: &str) -> Value {
        let selection = Selection::new();
        let (resource, captures) =
            self.registry.resource(&selection, self.viewer.role, uri).unwrap();
        let call = Call::new(Arc::clone(&self.app), self.viewer);
        (resource.read)(call, captures).await.unwrap()
    }

    pub(crate) async fn prompt(&self, name: &str) -> String {
        let selection = Selection::new();
        let prompt = self.registry.prompts(&selection).find(|p| p.name == name).unwrap();
        let call = Call::new(Arc::clone(&self.app), self.viewer);
        prompt.open(call, serde_json::Map::new()).await.unwrap()[0].text.clone()
    }
}

pub(crate) fn id(value: &Value) -> String {
    let id = value.as_str().unwrap_or_else(|| panic!("no id: {value}"));
    assert!(id.len() >= 12, "{id}");
    id.to_owned()
}

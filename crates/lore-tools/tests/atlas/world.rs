//! The world that the atlas tests run in.

use std::sync::Arc;

use lore_anvil::{Kind, Object};
use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_app::atlas::{Anvil, Atlas};
use lore_core::error::Code;
use lore_core::{Effects, Role, Viewer};
use lore_tools::{Call, CallError, Registry, Selection};
use serde_json::{Value, json};

use crate::place::{app_in, bearer};

pub(crate) struct World {
    pub(crate) app: Arc<App>,
    pub(crate) owner: Viewer,
    pub(crate) registry: Registry,
    _directory: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let app = Arc::new(app_in(directory.path(), Effects::system()));
        let owner = enter(&app, Identity::LOCAL, None).await.unwrap();
        Self { app, owner, registry: Registry::standard(), _directory: directory }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.try_call(self.owner, tool, arguments.clone()).await;
        answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
    }

    pub(crate) async fn try_call(
        &self,
        viewer: Viewer,
        tool: &str,
        arguments: Value,
    ) -> std::result::Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let everything = Selection::new().with_toolsets(["all"]).unwrap();
        let call = Call::new(Arc::clone(&self.app), viewer);
        Ok(self.registry.call(&everything, tool, call, arguments).await?.structured)
    }

    pub(crate) async fn refused(
        &self,
        viewer: Viewer,
        tool: &str,
        arguments: Value,
    ) -> (Code, String) {
        match self.try_call(viewer, tool, arguments).await {
            Err(CallError::Failed(error)) => (error.code(), error.to_string()),
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// Creates a page and returns its UUID.
    pub(crate) async fn page(&self, entity: Value) -> String {
        let name = entity["name"].clone();
        self.call("create_entities", json!({ "entities": [entity] })).await;
        let found = self.call("list_articles", json!({})).await;
        let rows = found["entities"].as_array().unwrap();
        let row =
            rows.iter().rfind(|row| row["title"] == name).unwrap_or_else(|| panic!("{found}"));
        row["id"].as_str().unwrap().to_owned()
    }

    /// Creates an object of a kind that no tool creates, and returns its id.
    pub(crate) async fn make(&self, kind: Kind, fields: Value) -> Value {
        let atlas = Atlas::new(Arc::clone(&self.app), self.owner, "test", "test".into());
        atlas.create(kind, &object(fields)).await.unwrap()["id"].clone()
    }

    pub(crate) async fn player(&self) -> Viewer {
        self.person("Alice", Role::Player).await
    }

    /// Returns the viewer of somebody with a token.
    pub(crate) async fn person(&self, name: &str, role: Role) -> Viewer {
        let who = bearer(&self.app, &self.owner, name, role).await;
        enter(&self.app, who, None).await.unwrap()
    }
}

pub(crate) fn object(value: Value) -> Object {
    let Value::Object(fields) = value else { panic!("not an object") };
    fields
}

pub(crate) fn titles(found: &Value) -> Vec<&str> {
    found["entities"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect()
}

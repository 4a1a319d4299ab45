//! The world that the pages tests run in.

use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_core::names::Word;
use lore_core::{Effects, Role, Viewer};
use lore_store::{Direction, NodeKey};
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
        self.call_as(self.owner, tool, arguments).await
    }

    pub(crate) async fn call_as(&self, viewer: Viewer, tool: &str, arguments: Value) -> Value {
        let answer = self.try_call(viewer, tool, arguments.clone()).await;
        answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
    }

    pub(crate) async fn try_call(
        &self,
        viewer: Viewer,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let call = Call::new(Arc::clone(&self.app), viewer);
        Ok(self.registry.call(&Selection::new(), tool, call, arguments).await?.structured)
    }

    /// Creates an entity and returns its entity_id.
    pub(crate) async fn make(&self, entity: Value) -> i64 {
        let made = self.call("create_entities", json!({ "entities": [entity] })).await;
        made["results"][0]["entity_id"].as_i64().unwrap_or_else(|| panic!("{made}"))
    }

    pub(crate) async fn find(&self, arguments: Value) -> Vec<String> {
        names(&self.call("find_entities", arguments).await)
    }

    pub(crate) async fn get(&self, id: i64) -> Value {
        let arguments = json!({ "entity_ids": [id], "include_posts": true });
        self.call("get_entities", arguments).await["results"][0].clone()
    }

    /// Returns the numbers of the nodes that a page is connected with.
    pub(crate) async fn joined(&self, viewer: Viewer, id: i64, kind: &str) -> Vec<i64> {
        let store = &self.app.store;
        let node = store.node(&viewer, NodeKey::Number(id)).await.unwrap().unwrap();
        let kinds = [Word::new("kind", kind).unwrap()];
        let edges = store.neighbours(&viewer, &[node.id], Direction::Out, &kinds, 100).await;
        let targets: Vec<_> = edges.unwrap().into_iter().map(|edge| edge.target).collect();
        let nodes = store.nodes(&viewer, &targets).await.unwrap();
        nodes.into_iter().map(|node| node.number).collect()
    }

    pub(crate) async fn player(&self) -> Viewer {
        let who = bearer(&self.app, &self.owner, "Alice", Role::Player).await;
        enter(&self.app, who, None).await.unwrap()
    }
}

pub(crate) fn names(found: &Value) -> Vec<String> {
    let entities = found["entities"].as_array().unwrap();
    entities.iter().map(|entity| entity["name"].as_str().unwrap().to_owned()).collect()
}

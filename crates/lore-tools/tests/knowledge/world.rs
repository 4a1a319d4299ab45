//! A world per test, with a vault and a web that the test fills.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_app::knowledge::{Fetched, Form, Notes, Web};
use lore_core::{Effects, Error, Node, Role, Viewer};
use lore_store::{NameMatch, NodeQuery};
use lore_tools::koi::{self, Ask, Failure};
use lore_tools::{Answer, Call, CallError, Registry, Selection};
use serde_json::{Value, json};

use crate::place::{app_in, bearer};

/// The page that most tests read.
pub(crate) const ARTICLE: &str = "<html><head><title>Herring</title></head><body><article><h1>Herring</h1>\
    <p>Ada Holt founded the Herring Foundation in the spring, when the herring came back to the \
    bay and everybody on the shore went out to count them, which took eleven days.</p>\
    <p>The Herring Foundation is based in Victoria. It has counted fish every year since then, \
    and it publishes its counts for anybody who cares to read them in the long winter.</p>\
    </article></body></html>";

pub(crate) struct World {
    pub(crate) app: Arc<App>,
    pub(crate) owner: Viewer,
    pub(crate) pages: Arc<Pages>,
    registry: Registry,
    pub(crate) directory: tempfile::TempDir,
}

/// A web with the pages that a test adds. The flag closes it.
#[derive(Default)]
pub(crate) struct Pages(pub(crate) Mutex<HashMap<String, String>>, pub(crate) AtomicBool);

#[async_trait]
impl Web for Pages {
    fn check(&self, url: &str) -> lore_core::Result<String> {
        match url.starts_with("https://") && !self.1.load(Ordering::Relaxed) {
            true => Ok(url.to_owned()),
            false => Err(Error::invalid("url", "is no good", "use https")),
        }
    }

    async fn addresses(&self, url: &str) -> lore_core::Result<Vec<IpAddr>> {
        Err(Error::Unavailable { what: url.to_owned() })
    }

    async fn fetch(&self, url: &str) -> lore_core::Result<Fetched> {
        let page = self.0.lock().unwrap().get(url).cloned();
        let body = page.ok_or_else(|| Error::Unavailable { what: url.to_owned() })?;
        Ok(Fetched { url: url.to_owned(), form: Form::Html, body })
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// Creates a world in an application that `prepare` has configured.
    pub(crate) async fn with(prepare: impl FnOnce(&mut App)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut app = app_in(directory.path(), Effects::system());
        let notes = directory.path().join("vault");
        std::fs::create_dir(&notes).unwrap();
        app.notes = Arc::new(Notes::at(notes, None));
        let pages = Arc::new(Pages::default());
        app.web = Some(Arc::clone(&pages) as Arc<dyn Web>);
        prepare(&mut app);
        let app = Arc::new(app);
        let owner = enter(&app, Identity::LOCAL, None).await.unwrap();
        Self { app, owner, pages, registry: Registry::standard(), directory }
    }

    pub(crate) async fn answer(
        &self,
        viewer: Viewer,
        tool: &str,
        arguments: Value,
    ) -> Result<Answer, CallError> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let call = Call::new(Arc::clone(&self.app), viewer);
        let every_door = Selection::new().with_toolsets(["all"]).unwrap();
        self.registry.call(&every_door, tool, call, arguments).await
    }

    pub(crate) async fn call_as(&self, viewer: Viewer, tool: &str, arguments: Value) -> Value {
        let answer = self.answer(viewer, tool, arguments.clone()).await;
        answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}")).structured
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_as(self.owner, tool, arguments).await
    }

    pub(crate) async fn try_ask(&self, viewer: Viewer, ask: Ask) -> Result<Value, Failure> {
        koi::answer(&Call::new(Arc::clone(&self.app), viewer), ask).await
    }

    pub(crate) async fn ask(&self, ask: Ask) -> Value {
        self.try_ask(self.owner, ask.clone()).await.unwrap_or_else(|why| panic!("{ask:?}: {why:?}"))
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.ask(Ask::post(path.split('/'), body)).await
    }

    /// Registers an entity and returns its URI.
    pub(crate) async fn register(&self, name: &str, entity_type: &str) -> String {
        let body = json!({ "name": name, "entity_type": entity_type });
        let made = self.post("register-entity", body).await;
        made["canonical_uri"].as_str().unwrap().to_owned()
    }

    /// Returns the first candidate for a name.
    pub(crate) async fn best(&self, label: &str) -> Value {
        self.call("resolve_entity", json!({ "label": label })).await["candidates"][0].clone()
    }

    /// Returns the number of the node with a name.
    pub(crate) async fn number(&self, name: &str) -> i64 {
        self.node(name).await.number
    }

    /// Returns the node with a name, as stored.
    pub(crate) async fn node(&self, name: &str) -> Node {
        let name = Some(NameMatch::Exact(name.to_owned()));
        let query = NodeQuery { name, ..NodeQuery::default() };
        self.app.store.find_nodes(&self.owner, query).await.unwrap().items.remove(0)
    }

    pub(crate) async fn player(&self) -> Viewer {
        let who = bearer(&self.app, &self.owner, "Alice", Role::Player).await;
        enter(&self.app, who, None).await.unwrap()
    }

    pub(crate) async fn page(&self, entity: Value) -> Value {
        let made = self.call("create_entities", json!({ "entities": [entity] })).await;
        made["results"][0].clone()
    }

    /// Writes a note in the vault.
    pub(crate) async fn note(&self, path: &str, content: &str) {
        self.call("vault_write_note", json!({ "path": path, "content": content })).await;
    }

    /// Returns the relations of an entity, one line each, sorted.
    pub(crate) async fn relations(&self, uri: &str) -> Vec<String> {
        self.relations_with(uri, &["subject_name", "predicate", "object_name"]).await
    }

    /// Returns these fields of the relations of an entity, one line each, sorted.
    pub(crate) async fn relations_with(&self, uri: &str, fields: &[&str]) -> Vec<String> {
        let found = self.call("get_entity_neighborhood", json!({ "entity_uri": uri })).await;
        let rows = found["relationships"].as_array().unwrap().iter();
        let line = |row: &Value| {
            let told: Vec<&str> = fields.iter().map(|key| row[*key].as_str().unwrap()).collect();
            told.join(" ")
        };
        let mut lines: Vec<String> = rows.map(line).collect();
        lines.sort();
        lines
    }

    /// Returns the entity with a URI.
    pub(crate) async fn entity(&self, uri: &str) -> Value {
        self.ask(Ask::get(["entity".to_owned(), uri.to_owned()])).await["entity"].clone()
    }
}

//! Two worlds whose nodes talk to each other: what leaves a world, and what becomes of
//! what arrives.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_app::federation::{
    self, Answer, Approve, Carrier, Config, DOCUMENT_TYPE, ENTITY_TYPE, Endpoint, Federation,
    GivenBy, KeyFile, NodeKind, Quotas, Settings, ShareRule, Unanswered, Wants,
};
use lore_app::memory::Keeper;
use lore_app::memory::exchange::export;
use lore_core::names::Word;
use lore_core::{Effects, Node, Uid, Viewer, Visibility};
use lore_sqlite::SqliteStore;
use lore_store::{Batch, Change, Expect, NewNode, NewText, NodePatch, NodeQuery, NodeRef, Origin};
use tokio::runtime::{Handle, Runtime};

/// A network of function calls. Each node answers in its own runtime, and dies with it.
#[derive(Default)]
struct Wires(Mutex<HashMap<String, (Arc<Federation>, Handle)>>);

#[async_trait]
impl Carrier for Wires {
    async fn post(
        &self,
        url: &str,
        _: GivenBy,
        path: &str,
        body: String,
    ) -> Result<Answer, Unanswered> {
        let (node, home) = self.0.lock().unwrap().get(url).cloned().ok_or(Unanswered)?;
        let endpoint = Endpoint::CORE.into_iter().find(|endpoint| endpoint.path() == path);
        let answer = async move { node.receive(endpoint.unwrap(), body.as_bytes()).await };
        let answer = home.spawn(answer).await.map_err(|_| Unanswered)?;
        let (status, body) = answer.map_err(|_| Unanswered)?;
        Ok(Answer { status, body: body.into_bytes() })
    }
}

/// A key in memory.
#[derive(Default)]
struct Pocket(Mutex<Option<String>>);

impl KeyFile for Pocket {
    fn read(&self) -> std::io::Result<Option<String>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn write(&self, pem: &str) -> std::io::Result<()> {
        *self.0.lock().unwrap() = Some(pem.to_owned());
        Ok(())
    }
}

struct Place {
    app: Arc<App>,
    viewer: Viewer,
    node: Arc<Federation>,
    life: Life,
    name: &'static str,
    key: Pocket,
    wires: Arc<Wires>,
    directory: tempfile::TempDir,
}

impl Place {
    async fn new(name: &'static str, wires: &Arc<Wires>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self::open(name, Pocket::default(), Arc::clone(wires), directory).await
    }

    async fn open(
        name: &'static str,
        key: Pocket,
        wires: Arc<Wires>,
        directory: tempfile::TempDir,
    ) -> Self {
        let (app, viewer) = open_world(&directory).await;
        let (node, life) = start(&app, viewer, name, &key, &wires).await;
        Self { app, viewer, node, life, name, key, wires, directory }
    }

    fn url(&self) -> String {
        format!("http://{}/koi-net", self.name)
    }

    /// All that is in memory is lost, whatever it was doing stops where it is, and it
    /// starts again.
    async fn kill(self) -> Self {
        self.wires.0.lock().unwrap().remove(&self.url());
        let Self { app, node, life, name, key, wires, directory, .. } = self;
        drop(life);
        drop((app, node));
        Self::open(name, key, wires, directory).await
    }

    async fn commit(&self, changes: Vec<Change>) {
        let mut batch = Batch::new(Origin::new("test", "1"), self.app.effects.now());
        batch.changes = changes;
        // As every tool does: the world's followers are told.
        let batch = batch.touch("lorewell://worlds");
        self.app.store.commit(&self.viewer, batch).await.unwrap();
    }

    async fn make(&self, name: &str, body: &str, visibility: Visibility) -> Uid {
        let (node, text) = (self.app.effects.uid(), self.app.effects.uid());
        let new = NewNode { visibility, ..NewNode::new(node, word("character"), name) };
        self.commit(vec![
            Change::CreateNode(new),
            Change::CreateText(NewText::new(text, NodeRef::Uid(node), word("entry"), body)),
        ])
        .await;
        node
    }

    async fn arrivals(&self) -> Vec<Node> {
        let kinds = vec![word(federation::FEDERATED)];
        let query = NodeQuery { kinds, ..NodeQuery::default() };
        self.app.store.find_nodes(&self.viewer, query).await.unwrap().items
    }

    async fn connect(&self, other: &Place) {
        let rid = other.node.rid().await;
        federation::connect(&self.app, &self.viewer, &rid, &other.url()).await.unwrap();
    }
}

/// All that a node does; nothing runs any more once it is dropped.
struct Life(Option<Runtime>);

impl Drop for Life {
    fn drop(&mut self) {
        tokio::task::block_in_place(|| drop(self.0.take()));
    }
}

async fn open_world(directory: &tempfile::TempDir) -> (Arc<App>, Viewer) {
    let effects = Effects::system();
    let file = directory.path().join("store.sqlite");
    let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
    let app = Arc::new(App::new(Arc::new(store), effects));
    let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
    (app, viewer)
}

async fn start(
    app: &Arc<App>,
    viewer: Viewer,
    name: &'static str,
    key: &Pocket,
    wires: &Arc<Wires>,
) -> (Arc<Federation>, Life) {
    let url = format!("http://{name}/koi-net");
    let key = federation::load_or_make_key(key, None, app.effects.entropy.as_ref()).unwrap();
    let settings = Settings {
        kind: NodeKind::Full,
        base_url: Some(url.clone()),
        provides: [ENTITY_TYPE, DOCUMENT_TYPE].map(str::to_owned).to_vec(),
        wants: Wants::Connected,
        approve: Approve::Anyone,
        quotas: Quotas::default(),
    };
    let config = Config { key, name: name.to_owned(), settings };
    let carrier: Arc<dyn Carrier> = Arc::clone(wires) as Arc<dyn Carrier>;
    let node = Federation::open(Arc::clone(app), viewer, config, carrier).await.unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    wires.0.lock().unwrap().insert(url, (Arc::clone(&node), runtime.handle().clone()));
    runtime.spawn(Arc::clone(&node).run());
    (node, Life(Some(runtime)))
}

async fn pair() -> (Place, Place) {
    let wires = Arc::new(Wires::default());
    let (one, two) = (Place::new("one", &wires).await, Place::new("two", &wires).await);
    two.connect(&one).await;
    (one, two)
}

/// Waits for something to come true.
async fn until<F: Future<Output = bool>>(what: &str, condition: impl Fn() -> F) {
    // Two minutes, for machines with other things to do.
    for _ in 0..2_400 {
        if condition().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never came true that {what}");
}

fn word(text: &str) -> Word {
    Word::new("kind", text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shared_arrives_apart_and_marked_and_nothing_else_does() {
    let (one, two) = pair().await;
    let shared = one.make("Osanna", "A vampire noble.", Visibility::Members).await;
    let hidden = one.make("The traitor", "Nobody knows.", Visibility::Gm).await;
    one.make("Nobody", "Not chosen.", Visibility::Members).await;
    let me = one.viewer.principal;
    one.make("Diary", "Mine alone.", Visibility::Private(me)).await;
    let share = |rule| federation::share(&one.app, &one.viewer, rule);
    share(ShareRule::Node("Osanna".into())).await.unwrap();
    assert!(share(ShareRule::Node(hidden.to_string())).await.is_err(), "private is private");
    until("it arrives", || async { two.arrivals().await.len() == 1 }).await;
    let arrival = two.arrivals().await.remove(0);
    assert_eq!(arrival.name, "Osanna");
    assert_eq!(arrival.tags, ["untrusted"]);
    assert_eq!(arrival.properties["trust"], "untrusted");
    assert_eq!(arrival.properties["node"], one.node.rid().await.as_str());
    let texts = two.app.store.texts_of_nodes(&two.viewer, &[arrival.id]).await.unwrap();
    assert!(texts[0].body.contains("vampire"), "{}", texts[0].body);
    assert!(
        texts[0].provenance.source.as_ref().unwrap().starts_with("koi-net:orn:koi-net.node:one")
    );

    share(ShareRule::Everything).await.unwrap();
    until("the rest arrives", || async { two.arrivals().await.len() == 2 }).await;
    let names: Vec<_> = two.arrivals().await.into_iter().map(|node| node.name).collect();
    assert_eq!(names, ["Osanna", "Nobody"], "what not every member sees stays");

    let secret = NodePatch { visibility: Some(Visibility::Gm), ..NodePatch::default() };
    one.commit(vec![Change::UpdateNode(NodeRef::Uid(shared), Expect::Any, secret)]).await;
    until("what was hidden is forgotten", || async { two.arrivals().await.len() == 1 }).await;
    assert!(one.arrivals().await.is_empty(), "what was given away does not come back as foreign");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_leaves_to_the_federation_what_is_its_own() {
    let (one, two) = pair().await;
    one.make("Osanna", "A vampire noble.", Visibility::Members).await;
    federation::share(&one.app, &one.viewer, ShareRule::Everything).await.unwrap();
    until("it arrives", || async { two.arrivals().await.len() == 1 }).await;
    two.make("Tavern", "Where it began.", Visibility::Members).await;
    let keeper = Keeper {
        app: Arc::clone(&two.app),
        viewer: two.viewer,
        tool: "test",
        request_id: "1".into(),
        reading_only: true,
    };
    let mut names = Vec::new();
    let count = export(&keeper, |page, _| {
        names.extend(page.iter().map(|one| one.node.name.clone()));
        Ok(())
    });
    assert_eq!((count.await.unwrap(), names), (1, vec!["Tavern".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_of_either_side_lose_nothing() {
    let (mut one, mut two) = pair().await;
    let rule = ShareRule::Kind("character".into());
    federation::share(&one.app, &one.viewer, rule).await.unwrap();
    let mut made = Vec::new();
    for number in 0..40 {
        made.push(one.make(&format!("Thing {number}"), "Text.", Visibility::Members).await);
        if number % 13 == 0 {
            one = one.kill().await;
        }
        if number % 17 == 0 {
            two = two.kill().await;
        }
    }
    until("all arrived", || async { two.arrivals().await.len() == 40 }).await;
    one.commit(vec![Change::DeleteNode(NodeRef::Uid(made[0]), Expect::Any)]).await;
    two = two.kill().await;
    until("one is gone", || async { two.arrivals().await.len() == 39 }).await;
    one.commit(vec![Change::RestoreNode(NodeRef::Uid(made[0]))]).await;
    until("it is back", || async { two.arrivals().await.len() == 40 }).await;
    let rid = one.node.rid().await;
    federation::break_with(&two.app, &two.viewer, &rid).await.unwrap();
    until("nothing of it is left", || async { two.arrivals().await.is_empty() }).await;
}

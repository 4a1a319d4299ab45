//! A world with a KOI-net node, and an in-process network between such nodes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_app::federation::{
    self, Answer, Approve, Carrier, Config, DOCUMENT_TYPE, ENTITY_TYPE, Endpoint, Federation,
    GivenBy, KeyFile, NodeKind, Opening, Quotas, Settings, ShareRule, Unanswered, Wants,
};
use lore_core::names::Word;
use lore_core::{Effects, Node, Uid, Viewer, Visibility};
use lore_sqlite::SqliteStore;
use lore_store::{Batch, Change, Expect, NewNode, NewText, NodePatch, NodeQuery, NodeRef, Origin};
use tokio::runtime::{Handle, Runtime};

/// A network of function calls. Each node answers in its own runtime and dies with it.
#[derive(Default)]
pub(crate) struct Wires(Mutex<HashMap<String, (Arc<Federation>, Handle)>>);

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
        let answer = answer.map_err(|_| Unanswered)?;
        Ok(Answer { status: answer.status, body: answer.body.into_bytes() })
    }
}

/// A key kept in memory.
#[derive(Default)]
pub(crate) struct Pocket(Mutex<Option<String>>);

impl KeyFile for Pocket {
    fn read(&self) -> std::io::Result<Option<String>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn write(&self, pem: &str) -> std::io::Result<()> {
        *self.0.lock().unwrap() = Some(pem.to_owned());
        Ok(())
    }

    fn replace(&self, pem: &str) -> std::io::Result<()> {
        self.write(pem)
    }
}

pub(crate) struct Place {
    pub(crate) app: Arc<App>,
    pub(crate) viewer: Viewer,
    pub(crate) node: Arc<Federation>,
    pub(crate) life: Life,
    pub(crate) name: &'static str,
    pub(crate) key: Pocket,
    pub(crate) wires: Arc<Wires>,
    pub(crate) directory: tempfile::TempDir,
}

impl Place {
    pub(crate) async fn new(name: &'static str, wires: &Arc<Wires>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self::open(name, Pocket::default(), Arc::clone(wires), directory).await
    }

    pub(crate) async fn open(
        name: &'static str,
        key: Pocket,
        wires: Arc<Wires>,
        directory: tempfile::TempDir,
    ) -> Self {
        let (app, viewer) = open_world(&directory).await;
        let (node, life) = start(&app, viewer, name, &key, &wires).await;
        Self { app, viewer, node, life, name, key, wires, directory }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/koi-net", self.name)
    }

    /// Stops everything at once, loses what is in memory, and starts again from the disk.
    pub(crate) async fn kill(self) -> Self {
        self.wires.0.lock().unwrap().remove(&self.url());
        let Self { app, node, life, name, key, wires, directory, .. } = self;
        drop(life);
        drop((app, node));
        Self::open(name, key, wires, directory).await
    }

    pub(crate) async fn commit(&self, changes: Vec<Change>) {
        let mut batch = Batch::new(Origin::new("test", "1"), self.app.effects.now());
        batch.changes = changes;
        // As every tool does, so that whatever follows the world is notified.
        let batch = batch.touch("lorewell://worlds");
        self.app.store.commit(&self.viewer, batch).await.unwrap();
    }

    pub(crate) async fn make(&self, name: &str, body: &str, visibility: Visibility) -> Uid {
        let (node, text) = (self.app.effects.uid(), self.app.effects.uid());
        let new = NewNode { visibility, ..NewNode::new(node, word("character"), name) };
        self.commit(vec![
            Change::CreateNode(new),
            Change::CreateText(NewText::new(text, NodeRef::Uid(node), word("entry"), body)),
        ])
        .await;
        node
    }

    pub(crate) async fn arrivals(&self) -> Vec<Node> {
        let kinds = vec![word(federation::FEDERATED)];
        let query = NodeQuery { kinds, ..NodeQuery::default() };
        self.app.store.find_nodes(&self.viewer, query).await.unwrap().items
    }

    pub(crate) async fn share(&self, rule: ShareRule) {
        federation::share(&self.app, &self.viewer, rule, Opening::Leave).await.unwrap();
    }

    pub(crate) async fn unshare(&self, rule: ShareRule) {
        federation::unshare(&self.app, &self.viewer, rule).await.unwrap();
    }

    pub(crate) async fn change(&self, node: Uid, patch: NodePatch) {
        self.commit(vec![Change::UpdateNode(NodeRef::Uid(node), Expect::Any, patch)]).await;
    }

    pub(crate) async fn connect(&self, other: &Place) {
        let rid = other.node.rid().await;
        federation::connect(&self.app, &self.viewer, &rid, Some(&other.url())).await.unwrap();
    }
}

/// The runtime of a node. Nothing runs any more once it is dropped.
pub(crate) struct Life(Option<Runtime>);

impl Drop for Life {
    fn drop(&mut self) {
        tokio::task::block_in_place(|| drop(self.0.take()));
    }
}

pub(crate) async fn open_world(directory: &tempfile::TempDir) -> (Arc<App>, Viewer) {
    let effects = Effects::system();
    let file = directory.path().join("store.sqlite");
    let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
    let app = Arc::new(App::new(Arc::new(store), effects));
    let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
    (app, viewer)
}

pub(crate) async fn start(
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

pub(crate) async fn pair() -> (Place, Place) {
    let wires = Arc::new(Wires::default());
    let (one, two) = (Place::new("one", &wires).await, Place::new("two", &wires).await);
    two.connect(&one).await;
    (one, two)
}

/// Waits until a condition is true.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, condition: impl Fn() -> F) {
    // Two minutes, for machines that are busy with other things.
    for _ in 0..2_400 {
        if condition().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never came true that {what}");
}

pub(crate) fn seen_by(who: Visibility) -> NodePatch {
    NodePatch { visibility: Some(who), ..NodePatch::default() }
}

pub(crate) fn word(text: &str) -> Word {
    Word::new("kind", text).unwrap()
}

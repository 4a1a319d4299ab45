//! The running KOI-net node. One lock guards its state in memory, so that this and the stored state
//! never differ.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lore_core::{Error, Result, Viewer, WorldId};
use lore_koinet::node::{
    Answer, Call, Endpoint, Fault, Node, Reply, Settings, Status, Unanswered, Write,
};
use lore_koinet::{KeyPair, NodeRid, Rid};
use lore_store::Change;
use serde_json::Value;
use tokio::sync::{Mutex, Notify};

use super::coverage::{Coverage, Findings};
use super::keeper::Keeper;
use super::{Carrier, orders, status};
use crate::App;

/// How often the main loop runs when nothing wakes it.
const TICK: Duration = Duration::from_millis(250);
/// How often to look for open orders.
const ORDERS_EVERY: Duration = Duration::from_secs(1);
/// How often to survey what is shared. Changes in the store trigger it earlier.
const SCAN_EVERY: Duration = Duration::from_secs(5);
/// Surveys may take at most one part in this many of the time.
const SCAN_SHARE: u32 = 10;

/// The identity and settings of a node.
pub struct Config {
    /// Its key.
    pub key: KeyPair,
    /// The name of the node, which is part of its RID.
    pub name: String,
    /// The protocol settings.
    pub settings: Settings,
}

/// A running KOI-net node of a world.
pub struct Federation {
    app: Arc<App>,
    viewer: Viewer,
    config: Config,
    carrier: Arc<dyn Carrier>,
    inner: Mutex<Inner>,
    wake: Notify,
}

struct Inner {
    node: Node,
    keeper: Keeper,
    /// What is shared; `None` until the first survey.
    coverage: Option<Coverage>,
    /// Whether a write failed, so that the state in memory may be ahead of the store.
    ahead: bool,
}

/// The reply to another node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body as JSON.
    pub body: String,
    /// After what time the caller may try again, where that helps.
    pub retry_after: Option<Duration>,
}

impl Response {
    fn ok(body: String) -> Self {
        Self { status: 200, body, retry_after: None }
    }
}

impl From<Fault> for Response {
    fn from(fault: Fault) -> Self {
        Self { status: fault.status(), body: fault.body(), retry_after: fault.retry_after() }
    }
}

impl Federation {
    /// Restores the node from what is stored in the viewer's world.
    pub async fn open(
        app: Arc<App>,
        viewer: Viewer,
        config: Config,
        carrier: Arc<dyn Carrier>,
    ) -> Result<Arc<Self>> {
        let (mut keeper, records) = Keeper::open(Arc::clone(&app), viewer).await?;
        let (node, writes) = restore(&app, &config, records)?;
        keeper.keep(writes, Vec::new()).await?;
        let inner = Mutex::new(Inner { node, keeper, coverage: None, ahead: false });
        Ok(Arc::new(Self { app, viewer, config, carrier, inner, wake: Notify::new() }))
    }

    /// Handles a message of another node. Everything it caused is durable before this returns, and
    /// the reply reflects the current state of the world.
    pub async fn receive(&self, endpoint: Endpoint, body: &[u8]) -> Result<Response> {
        let now = self.app.effects.now();
        let mut inner = self.ready().await?;
        let admitted = match inner.node.admit(endpoint, body, now) {
            Ok(admitted) => admitted,
            Err(fault) => return Ok(fault.into()),
        };
        if endpoint.hands_out() {
            self.follow_world(&mut inner).await?;
        }
        let received = inner.node.take(&admitted, now);
        self.keep(&mut inner, received.writes, Vec::new()).await?;
        let reply = match received.reply {
            Reply::Taken => Response::ok("null".to_owned()),
            Reply::Refused(fault) => fault.into(),
            Reply::Message(to, message) => {
                self.look_at(&mut inner, message.needs()).await?;
                let found = inner.keeper.contents(message.needs()).await?;
                Response::ok(inner.node.seal(&to, &message, &found).map_err(unwritable)?)
            }
        };
        drop(inner);
        self.wake.notify_one();
        Ok(reply)
    }

    /// Handles the unsigned handshake of another node.
    pub async fn handshake(&self, body: &[u8]) -> Result<Response> {
        let mut inner = self.ready().await?;
        match inner.node.handshake(body, self.app.effects.now()) {
            Ok((writes, reply)) => {
                self.keep(&mut inner, writes, Vec::new()).await?;
                Ok(Response::ok(reply))
            }
            Err(fault) => Ok(fault.into()),
        }
    }

    /// Returns the world the node belongs to.
    pub fn world(&self) -> WorldId {
        self.viewer.world
    }

    /// Returns the RID of the node.
    pub async fn rid(&self) -> NodeRid {
        self.inner.lock().await.node.rid().clone()
    }

    /// Returns the status of the node.
    pub async fn status(&self) -> Status {
        self.inner.lock().await.node.status()
    }

    /// Returns the health report for a caller of a world. Only callers of the node's own world get
    /// its details.
    pub async fn health(&self, world: WorldId) -> Value {
        let now = self.app.effects.now();
        match world == self.viewer.world {
            true => status::health(&self.status().await, now),
            false => status::disabled(
                "this world has no KOI-net node; the server's is that of another world",
                now,
            ),
        }
    }

    /// Calls peers, carries out orders and follows changes of the world, until it is dropped.
    pub async fn run(self: Arc<Self>) {
        let mut news = self.app.store.watch();
        let (mut next_orders, mut next_scan) = (Instant::now(), Instant::now());
        let mut rested = Instant::now();
        loop {
            if next_orders <= Instant::now() {
                report(self.carry_out_orders().await, "orders");
                next_orders = Instant::now() + ORDERS_EVERY;
            }
            if next_scan <= Instant::now() {
                let began = Instant::now();
                report(self.scan().await, "what is shared");
                rested = Instant::now() + began.elapsed() * SCAN_SHARE;
                next_scan = rested.max(Instant::now() + SCAN_EVERY);
            }
            self.make_calls().await;
            tokio::select! {
                () = self.wake.notified() => {}
                Ok(()) = news.changed() => {
                    next_scan = next_scan.min(rested.max(Instant::now() + TICK));
                }
                () = tokio::time::sleep(TICK) => {}
            }
        }
    }

    async fn carry_out_orders(&self) -> Result<()> {
        let mut inner = self.ready().await?;
        let root = inner.keeper.root;
        let Some(open) = orders::open_orders(&self.app, &self.viewer, root).await? else {
            return Ok(());
        };
        let writes = open.carry_out(&mut inner.node, self.app.effects.now());
        let done = open.done(&self.viewer, root)?;
        self.keep(&mut inner, writes, vec![done]).await
    }

    /// Surveys the world for changes of what is shared.
    async fn scan(&self) -> Result<()> {
        let (root, mark) = {
            let inner = self.ready().await?;
            (inner.keeper.root, inner.coverage.as_ref().map(Coverage::mark))
        };
        // The survey runs without the lock, so that other calls are served meanwhile.
        let surveyed = Coverage::survey(&self.app, &self.viewer, root, mark).await?;
        let mut inner = self.ready().await?;
        self.take_survey(&mut inner, surveyed).await?;
        // Apply what changed during the survey.
        self.follow_world(&mut inner).await
    }

    async fn take_survey(&self, inner: &mut Inner, surveyed: (Coverage, Findings)) -> Result<()> {
        let (coverage, findings) = surveyed;
        inner.coverage = Some(coverage);
        let findings = findings.and_nothing_else(&inner.node);
        self.publish(inner, findings).await
    }

    /// Brings what is shared in line with the changes since the last look at the world.
    async fn follow_world(&self, inner: &mut Inner) -> Result<()> {
        let root = inner.keeper.root;
        let findings = match &mut inner.coverage {
            Some(coverage) => coverage.follow(&self.app, &self.viewer, root).await?,
            None => None,
        };
        match findings {
            Some(findings) => self.publish(inner, findings).await,
            None => {
                let surveyed = Coverage::survey(&self.app, &self.viewer, root, None).await?;
                self.take_survey(inner, surveyed).await
            }
        }
    }

    /// Brings these items up to date just before they are sent. The world must have been followed
    /// already.
    async fn look_at(&self, inner: &mut Inner, rids: &[Rid]) -> Result<()> {
        let findings = match &mut inner.coverage {
            Some(coverage) => coverage.look_at(&self.app, &self.viewer, rids).await?,
            None => return Ok(()),
        };
        self.publish(inner, findings).await
    }

    async fn publish(&self, inner: &mut Inner, findings: Findings) -> Result<()> {
        let writes = findings.publish(&mut inner.node, self.app.effects.now());
        self.keep(inner, writes, Vec::new()).await
    }

    async fn make_calls(self: &Arc<Self>) {
        let now = self.app.effects.now();
        let calls = match self.ready().await {
            Ok(mut inner) => inner.node.due(now),
            Err(_) => return,
        };
        for call in calls {
            tokio::spawn(Arc::clone(self).make_call(call));
        }
    }

    async fn make_call(self: Arc<Self>, call: Call) {
        let outcome = self.carry(&call).await;
        let mut inner = self.inner.lock().await;
        let writes = inner.node.answered(&call, outcome, self.app.effects.now());
        report(self.keep(&mut inner, writes, Vec::new()).await, "what a call brought");
        drop(inner);
        self.wake.notify_one();
    }

    async fn carry(&self, call: &Call) -> std::result::Result<Answer, Unanswered> {
        let body = {
            let mut inner = self.ready().await.map_err(|_| Unanswered)?;
            let needs = call.message.needs();
            if !needs.is_empty() {
                self.follow_world(&mut inner).await.map_err(|_| Unanswered)?;
                self.look_at(&mut inner, needs).await.map_err(|_| Unanswered)?;
            }
            let found = inner.keeper.contents(needs).await.map_err(|_| Unanswered)?;
            inner.node.seal(&call.peer, &call.message, &found).map_err(|_| Unanswered)?
        };
        let endpoint = call.endpoint.path();
        let answer = self.carrier.post(&call.url, call.given_by, endpoint, body).await;
        let status = answer.as_ref().map_or(0, |answer| answer.status);
        tracing::debug!(endpoint, status, "called");
        answer
    }

    /// Locks the node's state. If a write failed before, the state is restored from the store
    /// first.
    async fn ready(&self) -> Result<tokio::sync::MutexGuard<'_, Inner>> {
        let mut inner = self.inner.lock().await;
        if inner.ahead {
            let records = inner.keeper.load().await?;
            let (node, writes) = restore(&self.app, &self.config, records)?;
            inner.keeper.keep(writes, Vec::new()).await?;
            inner.node = node;
            inner.coverage = None;
            inner.ahead = false;
        }
        Ok(inner)
    }

    async fn keep(
        &self,
        inner: &mut Inner,
        writes: Vec<Write>,
        further: Vec<Change>,
    ) -> Result<()> {
        if writes.is_empty() && further.is_empty() {
            return Ok(());
        }
        let kept = inner.keeper.keep(writes, further).await;
        inner.ahead |= kept.is_err();
        kept
    }
}

fn restore(
    app: &App,
    config: &Config,
    records: Vec<lore_koinet::node::Record>,
) -> Result<(Node, Vec<Write>)> {
    let entropy = Arc::clone(&app.effects.entropy);
    let now = app.effects.now();
    let (key, settings) = (config.key.clone(), config.settings.clone());
    Node::restore(key, &config.name, settings, records, entropy, now).map_err(|error| {
        Error::invalid("federation", error.to_string(), "correct it in lorewell.toml")
    })
}

fn unwritable(_: lore_koinet::Malformed) -> Error {
    tracing::error!("a message could not be written");
    Error::Bug { what: "a message of the federation".into() }
}

fn report(outcome: Result<()>, part: &'static str) {
    if let Err(error) = outcome {
        let code = error.code().meaning().name;
        tracing::warn!(code, part, "the federation could not keep a part of its work");
    }
}

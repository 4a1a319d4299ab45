//! A panic costs one answer: its caller is told, and the next request is served.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use lore_app::App;
use lore_app::access::Doorkeeper;
use lore_core::effects::Clock;
use lore_core::{Effects, Timestamp};
use lore_http::{AllowList, HttpOptions, Limits};
use lore_mcp::ServerParts;
use lore_sqlite::SqliteStore;
use lore_tools::{Registry, Selection};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Long enough for the slowest machine; an answer that never comes fails the test.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_anywhere_in_a_request_is_answered() {
    let house = House::open().await;
    for request in requests() {
        let fine = house.ask(&request).await;
        assert!(is_answer(&fine), "{request:?}: {fine}");
        let mut panics = 0;
        loop {
            house.fuse.light(panics + 1);
            let answer = house.ask(&request).await;
            if !house.fuse.put_out() {
                break;
            }
            panics += 1;
            assert!(tells_of_it(&answer) || is_answer(&answer), "{request:?}: {answer}");
            let failed = &answer["result"]["structuredContent"];
            if failed["code"] == "INTERNAL" {
                // Whoever reports it can say which request it was.
                assert!(failed["message"].to_string().contains(" (request "), "{failed}");
            }
            let next = house.ask(&request).await;
            assert!(is_answer(&next), "after panic {panics} of {request:?}: {next}");
        }
        assert!(panics > 0, "{request:?} never looks at the clock");
    }
}

/// One request of each way in that runs a handler.
fn requests() -> Vec<Request> {
    let tool = |name: &str, arguments: Value| {
        mcp("tools/call", json!({ "name": name, "arguments": arguments }))
    };
    vec![
        tool("kn_experience", json!({ "action": "save", "content": "the bell rang twice" })),
        tool("kn_intel", json!({ "action": "recall", "topic": "bell" })),
        tool("campaign_create", json!({ "name": "Ashfall", "gm_mode": "HUMAN" })),
        mcp("resources/read", json!({ "uri": "kn://memories" })),
        mcp("prompts/get", json!({ "name": "kn_bootup" })),
        Request {
            method: "POST",
            path: "/compat/koi/entity/resolve",
            body: json!({ "label": "Ilse" }),
        },
        Request {
            method: "POST",
            path: "/compat/koi/register-entity",
            body: json!({ "name": "Ilse Marrow", "type": "Person" }),
        },
    ]
}

fn mcp(method: &str, params: Value) -> Request {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    Request { method: "POST", path: "/mcp", body }
}

#[derive(Debug)]
struct Request {
    method: &'static str,
    path: &'static str,
    body: Value,
}

fn is_answer(answer: &Value) -> bool {
    answer.get("error").is_none() && answer["result"]["isError"] != json!(true)
}

/// Whether an answer is the documented one for a mistake of ours.
fn tells_of_it(answer: &Value) -> bool {
    answer.to_string().contains("INTERNAL")
}

/// A server on a real store whose clock can blow up.
struct House {
    fuse: Arc<Fuse>,
    address: SocketAddr,
    _directory: tempfile::TempDir,
}

impl House {
    async fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let fuse = Arc::new(Fuse(AtomicI64::new(0)));
        let effects = Effects { clock: Arc::<Fuse>::clone(&fuse), ..Effects::system() };
        let file = directory.path().join("store.sqlite");
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let app = Arc::new(App::new(Arc::new(store), effects));
        let doorkeeper = Arc::new(Doorkeeper::new(Arc::clone(&app)));
        let parts = Arc::new(ServerParts::new(app, doorkeeper, Arc::new(Registry::standard())));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let options = HttpOptions {
            allow: AllowList::new(Vec::new(), Vec::new()).unwrap(),
            selection: Selection::new().with_toolsets(["all"]).unwrap(),
            world: None,
            lenient: true,
            limits: Limits::default(),
            clock: lore_http::Clock::of(tokio::runtime::Handle::current()),
            kanka_per_minute: None,
        };
        tokio::spawn(lore_http::serve(listener, parts, options, CancellationToken::new()));
        Self { fuse, address, _directory: directory }
    }

    async fn ask(&self, request: &Request) -> Value {
        let said = tokio::time::timeout(PATIENCE, self.said(request)).await;
        let said = said.unwrap_or_else(|_| panic!("{request:?} was never answered"));
        let (_, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{said:?}"));
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{said:?}"))
    }

    async fn said(&self, Request { method, path, body }: &Request) -> String {
        let body = body.to_string();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).await.unwrap();
        said
    }
}

/// A clock that panics at a look that can be chosen.
struct Fuse(AtomicI64);

impl Fuse {
    /// Blows up at the `look`-th look from now on.
    fn light(&self, look: i64) {
        self.0.store(look, Ordering::SeqCst);
    }

    /// Whether it blew up; it will not any more.
    fn put_out(&self) -> bool {
        self.0.swap(0, Ordering::SeqCst) == 0
    }
}

impl Clock for Fuse {
    fn now(&self) -> Timestamp {
        let counted = |left: i64| (left > 0).then(|| left - 1);
        let before = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, counted);
        assert!(before != Ok(1), "the clock blows up, as it was told to");
        Timestamp::now()
    }
}

//! Scans while they are running, and interrupted scans.

use std::fs;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use lore_app::App;
use lore_app::access::Presence;
use lore_core::{Effects, Error};
use lore_tools::koi::{self, Ask};
use lore_tools::{Call, CallError, Progress, ProgressSink, Selection};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::world::{World, kitchen};

/// Records the progress that was reported.
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

/// Pauses a scan after a number of progress reports.
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
            // Fails when the sender is dropped: then the scan is no longer paused.
            let _ = self.opened.lock().unwrap().recv();
        }
    }
}

/// A scan that is paused half-way.
struct HalfWay {
    open: mpsc::Sender<()>,
    cancel: CancellationToken,
    scan: tokio::task::JoinHandle<Result<Value, CallError>>,
}

impl World {
    /// Writes many files, each with a function of this name.
    fn write_many(&self, function: &str) {
        for number in 0..MANY {
            self.write(&format!("f{number}.py"), &format!("def {function}():\n    pass\n"));
        }
    }

    /// The number of files according to the status, the list and the graph.
    async fn counted(&self) -> [u64; 3] {
        let status = self.status().await["file_count"].as_u64().unwrap();
        let files = self.ask(Ask::get(["github", "files"]).with("limit", Some("1000"))).await;
        let rows = self.rows("MATCH (f:File) RETURN f.name").await;
        [status, files["count"].as_u64().unwrap(), rows.len() as u64]
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
}

/// More files than one commit stores.
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
    assert_eq!(world.status().await["status"], "interrupted");
    let (mut counted, mut attempts) = (world.counted().await, 0);
    // Commits that were under way when the scan was cancelled still arrive.
    while (counted[0] == 0 || counted.iter().any(|count| *count != counted[0])) && attempts < 100 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        (counted, attempts) = (world.counted().await, attempts + 1);
    }
    let [status, listed, asked] = counted;
    assert!(listed > 0 && listed == status && listed == asked, "{counted:?}");
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
    // The program is told to stop while the scan is running.
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

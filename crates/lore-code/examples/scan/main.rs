//! Measures how fast a source tree is scanned, and answers queries about it.
//!
//! Run with `cargo xtask bench code --sources FOLDER`. Further arguments are run as Cypher queries.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and fails by panicking"
)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use lore_code::{EdgeKind, FileFacts, ScanJob, ScanReport, SourceLimits, link, scan_folder};
use lore_cypher::{Options, Parameters, answer};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().unwrap());
    let (first, seconds) = scan(&root, BTreeMap::new());
    let parsed = first.files.values().filter(|file| file.language.is_some());
    let bytes: u64 = parsed.clone().map(|file| file.bytes).sum();
    println!(
        "first scan: {} files ({} with code), {:.1} MB in {seconds:.2} s: {:.0} files/s, {:.1} MB/s, {} left out",
        first.files.len(),
        parsed.count(),
        bytes as f64 / 1e6,
        first.files.len() as f64 / seconds,
        bytes as f64 / 1e6 / seconds,
        first.report.skipped.len(),
    );
    let (second, seconds) = scan(&root, first.files);
    println!("second scan: {} unchanged in {seconds:.2} s", second.report.unchanged);
    let start = Instant::now();
    let graph = link([("repository", &second.files)]);
    let linked = start.elapsed().as_secs_f64();
    let calls: usize = second.files.values().map(|file| file.calls.len()).sum();
    let resolved = graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Calls).count();
    let snapshot = graph.snapshot().unwrap();
    println!(
        "graph: {} nodes, {} edges ({calls} calls, {resolved} pairs resolved), linked in {linked:.2} s, \
         laid out in {:.2} s, {:.0} MB",
        graph.nodes.len(),
        graph.edges.len(),
        start.elapsed().as_secs_f64() - linked,
        snapshot.bytes() as f64 / 1e6,
    );
    for query in arguments {
        let table = answer(&snapshot, &query, &Parameters::new(), &Options::default());
        println!("{query}");
        match table {
            Ok(table) => table.rows.iter().for_each(|row| println!("   {row:?}")),
            Err(error) => println!("   {error}"),
        }
    }
}

struct Scan {
    files: BTreeMap<String, FileFacts>,
    report: ScanReport,
}

/// Scans, and returns the result and the time in seconds.
fn scan(root: &Path, before: BTreeMap<String, FileFacts>) -> (Scan, f64) {
    let start = Instant::now();
    let known = before.iter().map(|(path, facts)| (path.clone(), facts.content_hash.clone()));
    let (known, cancel) = (known.collect(), AtomicBool::new(false));
    let limits = SourceLimits::default();
    let job = ScanJob { root, known: &known, limits, cancel: &cancel, progress: &|_, _| {} };
    let files = Mutex::new(before);
    let report = scan_folder(&job, &|source| {
        files.lock().unwrap().insert(source.facts.path.clone(), source.facts);
        ControlFlow::Continue(())
    });
    let scan = Scan { files: files.into_inner().unwrap(), report: report.unwrap() };
    (scan, start.elapsed().as_secs_f64())
}

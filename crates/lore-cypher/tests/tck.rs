//! The openCypher Technology Compatibility Kit (TCK), if its scenarios are available.
//!
//! They are not part of the repository. Set `LOREWELL_TCK` to the kit's `scenarios.jsonl`, or put
//! it into `../shared/tck`. Scenarios that pass are listed in `tck-passing.txt`; the test fails if
//! one of them no longer passes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod kit;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn scenarios_that_passed_still_pass() {
    let file = std::env::var_os("LOREWELL_TCK").map_or_else(beside, PathBuf::from);
    if !file.exists() {
        eprintln!("SKIPPED: there are no scenarios at {}", file.display());
        return;
    }
    let known: BTreeSet<_> = include_str!("tck-passing.txt").lines().collect();
    let graphs = file.parent().unwrap().join("graphs");
    let (mut run, mut broken) = (0, Vec::new());
    for scenario in kit::load(&file).iter().filter(|found| known.contains(found.id.as_str())) {
        run += 1;
        if let Err(error) = scenario.run(&graphs) {
            broken.push(format!("{}: {error}", scenario.id));
        }
    }
    eprintln!("{run} scenarios of {} that passed before", known.len());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(run > 0, "{} holds no scenario that is listed as passing", file.display());
}

fn beside() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("../shared/tck/scenarios.jsonl")
}

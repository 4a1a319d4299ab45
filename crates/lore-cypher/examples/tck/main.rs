//! Prints how many scenarios of the openCypher kit pass, by folder.
//!
//! `cargo xtask tck --scenarios FILE [--failing] [--write]`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a report of a test kit"
)]

#[path = "../../tests/kit/mod.rs"]
mod kit;

use std::collections::BTreeMap;
use std::path::PathBuf;

use kit::Kind;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let file = arguments.iter().position(|argument| argument == "--scenarios");
    let file = file.and_then(|at| arguments.get(at + 1)).expect("say --scenarios FILE");
    let file = PathBuf::from(file);
    let graphs = file.parent().unwrap().join("graphs");
    let mut folders: BTreeMap<(Kind, String), (usize, usize)> = BTreeMap::new();
    let mut passing = Vec::new();
    for scenario in kit::load(&file) {
        let result = scenario.run(&graphs);
        let file = scenario.id.split_once(".feature").map_or("", |(file, _)| file);
        let folder = file.rsplit_once('/').map_or(file, |(folder, _)| folder).to_owned();
        let counts = folders.entry((scenario.kind(), folder)).or_default();
        counts.1 += 1;
        match result {
            Ok(()) => {
                counts.0 += 1;
                passing.push(scenario.id);
            }
            Err(error) if has("--failing") => println!("✗ {}\n   {error}", scenario.id),
            Err(_) => {}
        }
    }
    report(&folders);
    if has("--write") {
        passing.sort();
        let list = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tck-passing.txt");
        std::fs::write(list, passing.join("\n") + "\n").expect("the list can be written");
    }
}

fn report(folders: &BTreeMap<(Kind, String), (usize, usize)>) {
    for ((kind, folder), (passed, all)) in folders {
        println!("{kind:<9?} {folder:<38} {passed:>5} / {all}");
    }
    for (kind, temporal) in [
        (Kind::Positive, false),
        (Kind::MustFail, false),
        (Kind::Positive, true),
        (Kind::MustFail, true),
    ] {
        let chosen = folders.iter().filter(|((known, folder), _)| {
            *known == kind && folder.contains("temporal") == temporal
        });
        let (passed, all) =
            chosen.fold((0, 0), |sum, (_, counts)| (sum.0 + counts.0, sum.1 + counts.1));
        let share = 100.0 * passed as f64 / f64::max(all as f64, 1.0);
        let about = if temporal { "temporal" } else { "not temporal" };
        println!("{kind:?}, {about}: {passed} / {all} ({share:.2} %)");
    }
}

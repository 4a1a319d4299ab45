//! One flipped byte anywhere: an error, a finding or nothing, never a panic.
//!
//! A flip inside a stored text is not noticed: SQLite keeps no checksums of
//! content. Everything that holds the file together is.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Export, effects, export, hub, open, owner, trio, try_open};
use lore_core::Principal;
use lore_store::{Directory, Maintenance, Store, StoreError};

const PLACES: u64 = 200;

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// What became of a flipped byte.
#[derive(Debug, Default)]
struct Tally {
    refused: usize,
    failed: usize,
    found: usize,
    /// Not noticed, and something reads differently.
    unnoticed: usize,
    harmless: usize,
}

#[tokio::test]
async fn a_flipped_byte_never_causes_a_panic() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("good.sqlite");
    let expected = fill(&path).await;
    let good = fs::read(&path).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        hook(info);
    }));
    let random = effects(4);
    let mut tally = Tally::default();
    for number in 0..PLACES {
        let mut bytes = good.clone();
        // A third of the flips hit the header and the first page, where it hurts most.
        let range = if number % 3 == 0 { 4_096 } else { bytes.len() };
        let place = usize::try_from(random.entropy.next_u64()).unwrap() % range;
        bytes[place] ^= 1 << (random.entropy.next_u64() % 8);
        let bad = home.path().join(format!("bad-{number}.sqlite"));
        fs::write(&bad, bytes).unwrap();
        look(&bad, &expected, &mut tally).await;
        assert_eq!(PANICS.load(Ordering::SeqCst), 0, "byte {place} of flip {number}");
    }
    std::io::stderr().write_all(format!("{tally:?}\n").as_bytes()).unwrap();
    assert!(tally.refused + tally.failed + tally.found > 0, "{tally:?}");
}

/// Opens, checks, reads and writes; each may fail, none may panic.
async fn look(path: &Path, expected: &Export, tally: &mut Tally) {
    let store = match try_open(path) {
        Ok(store) => store,
        Err(error) => {
            assert!(explained(&error), "{error:?}");
            tally.refused += 1;
            return;
        }
    };
    let health = store.check().await;
    let (mut failed, mut same) = (false, false);
    if let Ok(Some(world)) = store.default_world(Principal::LOCAL).await
        && let Ok(Some(viewer)) = store.enter(Principal::LOCAL, world).await
    {
        let read = export(&store, &viewer).await.map(|found| same = found == *expected);
        let effects = effects(0xF11);
        let batch = trio(effects.uid(), effects.uid(), effects.uid());
        let written = store.commit(&viewer, batch).await.map(drop);
        failed |= [read, written].iter().any(|answer| {
            matches!(
                answer,
                Err(StoreError::Corrupt(_) | StoreError::Disk(_) | StoreError::Failed(_))
            )
        });
    } else {
        failed = true;
    }
    match health {
        Err(error) => {
            assert!(explained(&error), "{error:?}");
            tally.failed += 1;
        }
        Ok(health) if health.findings.iter().any(|f| !f.problem.contains("other people")) => {
            tally.found += 1;
        }
        Ok(_) if failed => tally.failed += 1,
        Ok(_) if same => tally.harmless += 1,
        Ok(_) => tally.unnoticed += 1,
    }
}

/// The caller learns what kind of trouble it is.
fn explained(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Corrupt(_)
            | StoreError::Foreign(_)
            | StoreError::NewerSchema { .. }
            | StoreError::Disk(_)
            | StoreError::Failed(_)
    )
}

async fn fill(path: &Path) -> Export {
    let store = open(path);
    let viewer = owner(&store).await;
    let effects = effects(2);
    let center = effects.uid();
    store.commit(&viewer, hub(center)).await.unwrap();
    for _ in 0..50 {
        store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await.unwrap();
    }
    export(&store, &viewer).await.unwrap()
}

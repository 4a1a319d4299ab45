//! How many strangers a node puts up with, how much they may say, and how often.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Site, settings, start};
use lore_core::Timestamp;
use lore_koinet::NodeKind;
use lore_koinet::node::{Endpoint, Quotas};

fn narrow(quotas: impl Fn(Quotas) -> Quotas) -> Site {
    let mut settings = settings(NodeKind::Full, "birch");
    settings.quotas = quotas(settings.quotas);
    Site::new("birch", 2, settings)
}

/// What a node says when it introduces itself.
fn introduction(stranger: &mut Site, to: &Site) -> String {
    stranger.connect(to, start());
    let call = stranger.node.due(start()).remove(0);
    stranger.seal(&call)
}

#[test]
fn strangers_have_bounded_room_and_the_owners_word_makes_more() {
    let mut birch = narrow(|quotas| Quotas { strangers: 3, ..quotas });
    let mut late = Site::full("late", 50);
    for seed in 10..13 {
        let body = introduction(&mut Site::full("crowd", seed), &birch);
        assert_eq!(birch.serve(Endpoint::Broadcast, body.as_bytes(), start()).status, 200);
    }
    let before = birch.disk.clone();
    let body = introduction(&mut late, &birch);
    let refused = birch.node.admit(Endpoint::Broadcast, body.as_bytes(), start()).unwrap_err();
    assert_eq!((refused.status(), refused.to_string().as_str()), (429, "too_many_nodes"));
    assert!(refused.retry_after().is_some());
    assert_eq!(birch.disk, before);
    let writes = birch.node.connect(&late.rid(), None, start());
    birch.keep(writes);
    assert_eq!(birch.serve(Endpoint::Broadcast, body.as_bytes(), start()).status, 200);
    assert!(birch.node.status().peers.iter().any(|peer| peer.rid == late.rid()));
}

#[test]
fn what_strangers_say_of_themselves_is_bounded_together() {
    let mut birch = narrow(|quotas| Quotas { stranger_bytes: 1_000, ..quotas });
    let taken = (10..30).filter(|seed| {
        let body = introduction(&mut Site::full("crowd", *seed), &birch);
        birch.serve(Endpoint::Broadcast, body.as_bytes(), start()).status == 200
    });
    assert!((1..10).contains(&taken.count()));
}

#[test]
fn silent_strangers_make_room() {
    let mut birch = narrow(|quotas| Quotas { strangers: 1, ..quotas });
    let mut say = |seed, now: Timestamp| {
        let body = introduction(&mut Site::full("crowd", seed), &birch);
        birch.serve(Endpoint::Broadcast, body.as_bytes(), now).status
    };
    let later = |days| start() + jiff::Span::new().hours(24 * days);
    assert_eq!(say(10, start()), 200);
    assert_eq!(say(11, later(6)), 429);
    assert_eq!(say(11, later(8)), 200);
}

#[test]
fn newcomers_share_one_pace() {
    let mut birch = narrow(|quotas| Quotas { per_second: 1, ..quotas });
    let statuses = (10..20).map(|seed| {
        let body = introduction(&mut Site::full("crowd", seed), &birch);
        birch.serve(Endpoint::Broadcast, body.as_bytes(), start()).status
    });
    assert_eq!(statuses.filter(|status| *status == 429).count(), 6);
}

#[test]
fn nobody_connects_to_itself() {
    let mut ash = Site::full("ash", 1);
    let writes = ash.node.connect(&ash.rid(), Some("http://ash/koi-net"), start());
    assert!(writes.is_empty() && ash.node.due(start()).is_empty());
    assert!(ash.node.status().peers.is_empty());
}

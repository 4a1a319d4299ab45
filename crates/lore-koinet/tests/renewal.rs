//! Nodes that forget each other, by accident or by their owners' word, and find back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fate, Site, pair, settings, settle, start, talk};
use lore_core::Timestamp;
use lore_koinet::node::{Approve, Call, Endpoint, Record};
use lore_koinet::{EdgeStatus, NodeKind};

const BOTH: (Option<EdgeStatus>, Option<EdgeStatus>) =
    (Some(EdgeStatus::Approved), Some(EdgeStatus::Approved));

/// Two nodes whose owners connected them; nobody else may read.
fn connected(kind: NodeKind) -> (Vec<Site>, Timestamp) {
    let closed = |name: &str, kind| lore_koinet::node::Settings {
        approve: Approve::Connected,
        ..settings(kind, name)
    };
    let ash = Site::new("ash", 1, closed("ash", NodeKind::Full));
    let mut sites = vec![ash, Site::new("birch", 2, closed("birch", kind))];
    let (ash, birch) = pair(&mut sites);
    ash.connect(birch, start());
    birch.connect(ash, start());
    let now = settle(&mut sites, start());
    assert_eq!(links(&sites), [BOTH, BOTH]);
    (sites, now)
}

/// Of each node: its subscription at the other, and the other's here.
fn links(sites: &[Site]) -> Vec<(Option<EdgeStatus>, Option<EdgeStatus>)> {
    let peers = sites.iter().map(|site| site.node.status().peers[0].clone());
    peers.map(|peer| (peer.ours, peer.theirs)).collect()
}

fn assert_both_tell_each_other(sites: &mut [Site], now: Timestamp) {
    sites[0].share("of-ash", "one", now);
    sites[1].share("of-birch", "two", now);
    settle(sites, now);
    assert_eq!(links(sites), [BOTH, BOTH]);
    assert_eq!(sites[1].foreign(), sites[0].shared());
    assert_eq!(sites[0].foreign(), sites[1].shared());
    let failures = sites.iter().map(|site| site.node.status().peers[0].failures);
    assert!(failures.sum::<u32>() == 0);
}

#[test]
fn a_subscription_that_the_provider_lost_is_proposed_anew() {
    let (mut sites, now) = connected(NodeKind::Full);
    sites[1].lose(|record| matches!(record, Record::Edge(_)), now);
    let now = settle(&mut sites, now);
    sites[1].share("later", "news", now);
    settle(&mut sites, now);
    assert_eq!(sites[0].foreign(), sites[1].shared());
    assert_eq!(links(&sites)[0].0, Some(EdgeStatus::Approved));
}

#[test]
fn it_is_proposed_anew_too_when_the_one_who_polls_has_it() {
    let (mut sites, now) = connected(NodeKind::Partial);
    sites[0].lose(|record| matches!(record, Record::Edge(_)), now);
    let now = settle(&mut sites, now);
    sites[0].share("later", "news", now);
    settle(&mut sites, now);
    assert_eq!(sites[1].foreign(), sites[0].shared());
}

#[test]
fn who_lost_everything_but_its_key_is_no_provider_until_it_agrees_again() {
    let (mut sites, now) = connected(NodeKind::Full);
    sites[0].share("of-ash", "one", now);
    let now = settle(&mut sites, now);
    sites[1].lose(|_| true, now);
    sites[1].contents.clear();
    let now = settle(&mut sites, now);
    assert_eq!(links(&sites)[0].0, Some(EdgeStatus::Proposed), "nobody agreed to it anew");
    let (ash, birch) = pair(&mut sites);
    birch.connect(ash, now);
    let now = settle(&mut sites, now);
    assert_eq!(sites[1].foreign(), sites[0].shared(), "it is told again what there was");
    assert_both_tell_each_other(&mut sites, now);
}

#[test]
fn connecting_again_finds_out_at_once() {
    let (mut sites, now) = connected(NodeKind::Full);
    sites[1].lose(|record| matches!(record, Record::Edge(_)), now);
    let (ash, birch) = pair(&mut sites);
    ash.connect(birch, now);
    talk(&mut sites, now, 8, |_| Fate::Arrives);
    assert_eq!(links(&sites)[0].0, Some(EdgeStatus::Approved));
    assert_eq!(links(&sites)[1].1, Some(EdgeStatus::Approved));
}

#[test]
fn who_breaks_with_a_node_says_so_and_finds_back_to_it() {
    for kind in [NodeKind::Full, NodeKind::Partial] {
        let (mut sites, now) = connected(kind);
        sites[0].share("early", "one", now);
        let now = settle(&mut sites, now);
        let (ash, birch) = pair(&mut sites);
        ash.break_with(birch);
        ash.restart(now);
        let now = talk(&mut sites, now, 60, |_| Fate::Arrives);
        assert_eq!(links(&sites), [(None, None), (None, None)], "{kind:?}");
        let (ash, birch) = pair(&mut sites);
        ash.connect(birch, now);
        // Who was refused for a while waits before it calls again.
        let now = settle(&mut sites, now);
        assert_both_tell_each_other(&mut sites, now);
    }
}

#[test]
fn a_farewell_that_is_lost_leaves_nobody_cut_off() {
    let (mut sites, now) = connected(NodeKind::Full);
    let (ash, birch) = pair(&mut sites);
    ash.break_with(birch);
    let by_ash = |call: &Call| call.url.contains("birch");
    let now = talk(&mut sites, now, 4, |call| match by_ash(call) {
        true => Fate::RequestLost,
        false => Fate::Arrives,
    });
    let (ash, birch) = pair(&mut sites);
    ash.connect(birch, now);
    let now = settle(&mut sites, now);
    assert_both_tell_each_other(&mut sites, now);
}

#[test]
fn whom_the_owner_broke_with_is_called_no_more() {
    let (mut sites, now) = connected(NodeKind::Full);
    let (ash, birch) = pair(&mut sites);
    ash.break_with(birch);
    let mut calls = Vec::new();
    let now = talk(&mut sites, now, 400, |call| {
        calls.extend(call.url.contains("birch").then_some(call.endpoint));
        Fate::Arrives
    });
    assert_eq!(calls, [Endpoint::Broadcast], "one farewell");
    sites[1].share("later", "news", now);
    settle(&mut sites, now);
    assert!(sites[0].foreign().is_empty());
}

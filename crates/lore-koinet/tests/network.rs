//! Nodes among themselves: what is shared arrives, is changed and is forgotten,
//! whatever gets lost on the way and whoever is killed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fate, Site, TYPE, pair, rid, settings, settle, start, talk};
use lore_core::Entropy;
use lore_core::effects::FixedEntropy;
use lore_koinet::node::{Approve, Call, Endpoint, Quotas};
use lore_koinet::{EdgeStatus, FetchRids, NodeKind, PollEvents, seal};

fn connected() -> (Vec<Site>, lore_core::Timestamp) {
    let mut sites = vec![Site::full("ash", 1), Site::full("birch", 2)];
    let (ash, birch) = pair(&mut sites);
    ash.connect(birch, start());
    birch.connect(ash, start());
    let now = settle(&mut sites, start());
    (sites, now)
}

#[test]
fn edges_are_approved_both_ways_and_things_come_change_and_go() {
    let (mut sites, now) = connected();
    for site in &sites {
        let peer = &site.node.status().peers[0];
        assert_eq!(
            (peer.ours, peer.theirs),
            (Some(EdgeStatus::Approved), Some(EdgeStatus::Approved))
        );
    }
    sites[0].share("a", "first", now);
    sites[0].share("b", "second", now);
    let now = settle(&mut sites, now);
    assert_eq!(sites[1].foreign(), sites[0].shared());
    assert_eq!(sites[1].foreign().len(), 2);
    sites[0].share("a", "changed", now);
    sites[0].unshare("b");
    let now = settle(&mut sites, now);
    assert_eq!(sites[1].foreign().len(), 1);
    assert_eq!(sites[1].foreign(), sites[0].shared());
    sites[0].share("b", "second", now);
    settle(&mut sites, now);
    assert_eq!(sites[1].foreign(), sites[0].shared(), "what was forgotten can come back");
    assert_eq!(sites[0].node.status().queue, 0);
}

#[test]
fn what_was_shared_before_the_connection_is_caught_up_with() {
    let mut sites = vec![Site::full("ash", 1), Site::full("birch", 2)];
    for number in 0..700 {
        sites[0].share(&number.to_string(), "early", start());
    }
    let (ash, birch) = pair(&mut sites);
    birch.connect(ash, start());
    settle(&mut sites, start());
    assert_eq!(sites[1].foreign().len(), 700);
}

#[test]
fn a_restart_on_either_side_loses_nothing() {
    let (mut sites, now) = connected();
    sites[0].share("a", "one", now);
    sites[0].restart(now);
    let now = settle(&mut sites, now);
    assert_eq!(sites[1].foreign().len(), 1, "the queue survives");
    sites[1].restart(now);
    sites[0].share("a", "two", now);
    sites[0].share("b", "three", now);
    let now = settle(&mut sites, now);
    assert_eq!(sites[1].foreign(), sites[0].shared());
    sites[0].unshare("a");
    sites[0].restart(now);
    sites[1].restart(now);
    settle(&mut sites, now);
    assert_eq!(sites[1].foreign(), sites[0].shared());
}

/// Many runs: half of the calls fail in one way or the other, nodes are killed at random,
/// things are shared, changed and withdrawn meanwhile. In the end both sides agree.
#[test]
fn both_sides_agree_in_the_end() {
    for seed in 0..12 {
        let chance = FixedEntropy::new(1_000 + seed);
        let (mut sites, mut now) = connected();
        for _ in 0..30 {
            let at = usize::try_from(chance.next_u64() % 2).unwrap();
            let name = format!("{at}-{}", chance.next_u64() % 40);
            match chance.next_u64() % 4 {
                0 => sites[at].unshare(&name),
                _ => sites[at].share(&name, &chance.next_u64().to_string(), now),
            }
            now = talk(&mut sites, now, 3, |_| match chance.next_u64() % 4 {
                0 => Fate::RequestLost,
                1 => Fate::ReplyLost,
                _ => Fate::Arrives,
            });
            if chance.next_u64().is_multiple_of(5) {
                sites[usize::try_from(chance.next_u64() % 2).unwrap()].restart(now);
            }
        }
        for _ in 0..4 {
            now = settle(&mut sites, now);
        }
        assert_eq!(sites[1].foreign(), sites[0].shared(), "seed {seed}");
        assert_eq!(sites[0].foreign(), sites[1].shared(), "seed {seed}");
    }
}

#[test]
fn a_node_that_polls_gets_everything_though_replies_are_lost() {
    let mut sites =
        vec![Site::full("ash", 1), Site::new("moss", 3, settings(NodeKind::Partial, "moss"))];
    let (ash, moss) = pair(&mut sites);
    moss.connect(ash, start());
    let mut now = settle(&mut sites, start());
    let peer = &sites[0].node.status().peers[0];
    assert_eq!((peer.kind, peer.theirs), (Some(NodeKind::Partial), Some(EdgeStatus::Approved)));
    let mut polls = 0;
    for number in 0..20 {
        sites[0].share(&number.to_string(), "news", now);
        now = talk(&mut sites, now, 40, |call| {
            polls += usize::from(call.endpoint == Endpoint::Poll);
            let lost = call.endpoint == Endpoint::Poll && polls % 2 == 0;
            if lost { Fate::ReplyLost } else { Fate::Arrives }
        });
        if number % 7 == 0 {
            sites[0].restart(now);
        }
    }
    sites[1].share("mine", "from the one who polls", now);
    for _ in 0..3 {
        now = settle(&mut sites, now);
    }
    assert!(polls > 20);
    assert_eq!(sites[1].foreign(), sites[0].shared());
    assert_eq!(sites[1].foreign().len(), 20);
}

/// However few events a poll asks for, a lost reply loses none of them.
#[test]
fn what_a_limited_poll_leaves_out_is_not_lost() {
    for limit in [1, 2, 3, 7] {
        let moss = Site::new("moss", 3, settings(NodeKind::Partial, "moss"));
        let mut sites = vec![Site::full("ash", 1), moss];
        let (ash, moss) = pair(&mut sites);
        moss.connect(ash, start());
        let now = settle(&mut sites, start());
        for number in 0..9 {
            sites[0].share(&number.to_string(), "news", now);
        }
        let (ash, moss) = pair(&mut sites);
        let mut times = std::collections::BTreeMap::<String, usize>::new();
        for poll in 0..40 {
            let (from, to) = (moss.rid(), ash.rid());
            let chance = FixedEntropy::new(1_000 + poll);
            let body = seal(&moss.key(), &from, &to, &PollEvents::new(limit), &chance).unwrap();
            let answer = ash.serve(Endpoint::Poll, body.as_bytes(), now);
            let reply: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
            let events = reply["payload"]["events"].as_array().unwrap();
            let things = events.iter().filter_map(|event| event["rid"].as_str());
            things.for_each(|rid| *times.entry(rid.to_owned()).or_default() += 1);
        }
        times.retain(|rid, _| rid.starts_with(TYPE));
        assert_eq!(times.len(), 9, "limit {limit}: {times:?}");
        assert!(times.values().all(|times| *times >= 2), "limit {limit}: {times:?}");
    }
}

#[test]
fn strangers_wait_for_the_owners_word() {
    let closed = |name: &str| lore_koinet::node::Settings {
        approve: Approve::Connected,
        ..settings(NodeKind::Full, name)
    };
    let mut sites = vec![Site::new("ash", 1, closed("ash")), Site::full("birch", 2)];
    sites[0].share("a", "not for everybody", start());
    let (ash, birch) = pair(&mut sites);
    birch.connect(ash, start());
    let now = settle(&mut sites, start());
    assert_eq!(sites[0].node.status().peers[0].theirs, Some(EdgeStatus::Proposed));
    assert!(sites[1].foreign().is_empty());
    let (ash, birch) = pair(&mut sites);
    ash.connect(birch, now);
    let now = settle(&mut sites, now);
    assert_eq!(sites[1].foreign().len(), 1, "{:?}", sites[1].node.status());
    let (ash, birch) = pair(&mut sites);
    let writes = birch.node.break_with(&ash.rid());
    birch.keep(writes);
    sites[0].share("b", "too late", now);
    settle(&mut sites, now);
    assert!(sites[1].foreign().is_empty(), "who breaks with a node keeps nothing of it");
}

/// A node that nobody can call gives what it has to one that subscribes: what it had before,
/// what changes, what goes.
#[test]
fn a_full_node_subscribes_to_one_that_only_calls() {
    let moss = Site::new("moss", 3, settings(NodeKind::Partial, "moss"));
    let mut sites = vec![Site::full("ash", 1), moss];
    for number in 0..300 {
        sites[1].share(&number.to_string(), "early", start());
    }
    let (ash, moss) = pair(&mut sites);
    moss.connect(ash, start());
    ash.connect(moss, start());
    let mut now = settle(&mut sites, start());
    assert_eq!(sites[0].node.status().peers[0].ours, Some(EdgeStatus::Approved));
    assert_eq!(sites[0].foreign(), sites[1].shared());
    sites[1].share("late", "one", now);
    sites[1].share("7", "changed", now);
    sites[1].unshare("8");
    sites[1].restart(now);
    now = settle(&mut sites, now);
    assert_eq!(sites[0].foreign().len(), 300);
    assert_eq!(sites[0].foreign(), sites[1].shared());
    sites[0].restart(now);
    sites[1].share("later", "two", now);
    settle(&mut sites, now);
    assert_eq!(sites[0].foreign(), sites[1].shared());
}

#[test]
fn one_node_cannot_fill_another() {
    let mut narrow = settings(NodeKind::Full, "birch");
    narrow.quotas = Quotas { objects: 5, object_bytes: 100, ..narrow.quotas };
    let mut sites = vec![Site::full("ash", 1), Site::new("birch", 2, narrow)];
    sites[0].share("large", &"x".repeat(200), start());
    let (ash, birch) = pair(&mut sites);
    birch.connect(ash, start());
    let now = settle(&mut sites, start());
    for number in 0..10 {
        sites[0].share(&number.to_string(), "small", now);
    }
    settle(&mut sites, now);
    assert_eq!(sites[1].foreign().len(), 5);
    assert!(!sites[1].foreign().contains_key(rid("large").as_str()));
    let refused = sites[1].node.status().refused;
    assert!(refused.iter().any(|(why, _)| *why == "over_quota"), "{refused:?}");
}

#[test]
fn all_nodes_together_cannot_fill_another() {
    let mut narrow = settings(NodeKind::Full, "birch");
    narrow.quotas = Quotas { all_objects: 4, ..narrow.quotas };
    let mut sites = vec![Site::new("birch", 2, narrow), Site::full("ash", 1), Site::full("fir", 3)];
    for at in [1, 2] {
        for number in 0..3 {
            sites[at].share(&format!("{at}-{number}"), "small", start());
        }
    }
    let (birch, others) = sites.split_first_mut().unwrap();
    others.iter().for_each(|other| birch.connect(other, start()));
    settle(&mut sites, start());
    assert_eq!(sites[0].foreign().len(), 4);
    let refused = sites[0].node.status().refused;
    assert!(refused.iter().any(|(why, _)| *why == "over_quota"), "{refused:?}");
}

#[test]
fn whom_the_owner_broke_with_owns_nothing_here() {
    let mut sites = vec![Site::full("birch", 2), Site::full("ash", 1), Site::full("fir", 3)];
    sites[1].share("gate", "a squatter's", start());
    let (birch, others) = sites.split_first_mut().unwrap();
    birch.connect(&others[0], start());
    let now = settle(&mut sites, start());
    sites[2].share("gate", "the owner's", now);
    let (birch, others) = sites.split_first_mut().unwrap();
    birch.connect(&others[1], now);
    let now = settle(&mut sites, now);
    assert!(sites[0].foreign()[rid("gate").as_str()].contains("squatter"));
    let ash = sites[1].rid();
    let writes = sites[0].node.break_with(&ash);
    sites[0].keep(writes);
    assert!(sites[0].foreign().is_empty());
    sites[0].restart(now);
    settle(&mut sites, now);
    assert!(sites[0].foreign()[rid("gate").as_str()].contains("owner"), "{:?}", sites[0].foreign());
}

#[test]
fn a_node_that_moves_is_followed_also_when_its_address_was_typed() {
    let mut sites = vec![Site::full("ash", 1), Site::full("birch", 2)];
    let (ash, birch) = pair(&mut sites);
    ash.connect(birch, start());
    birch.connect(ash, start());
    let now = settle(&mut sites, start());
    sites[1].move_to("http://birch:8082/koi-net", now);
    let now = settle(&mut sites, now);
    sites[0].share("later", "one", now);
    settle(&mut sites, now);
    assert_eq!(sites[1].foreign(), sites[0].shared());
    assert_eq!(sites[0].node.status().peers[0].failures, 0);
}

#[test]
fn who_repeats_itself_is_not_refused() {
    let mut sites =
        vec![Site::full("ash", 1), Site::new("leaf", 2, settings(NodeKind::Partial, "leaf"))];
    for number in 0..20 {
        sites[0].share(&number.to_string(), "small", start());
    }
    let (ash, leaf) = pair(&mut sites);
    leaf.connect(ash, start());
    settle(&mut sites, start());
    assert_eq!(sites[1].foreign().len(), 20);
    let refused = sites[1].node.status().refused;
    assert!(refused.iter().all(|(_, times)| *times == 0), "{refused:?}");
}

/// Reference nodes ask as soon as they hear of a node, before it knows them, and never again.
#[test]
fn who_asked_too_early_is_told_what_there_was() {
    let mut sites = vec![Site::full("ash", 1), Site::full("birch", 2)];
    sites[0].share("gate", "one", start());
    let (ash, birch) = pair(&mut sites);
    let chance = FixedEntropy::new(9);
    let question = seal(&birch.key(), &birch.rid(), &ash.rid(), &FetchRids::default(), &chance);
    let refused = ash.serve(Endpoint::Rids, question.unwrap().as_bytes(), start());
    assert_eq!(refused.status, 400, "it is not known yet");
    birch.connect(ash, start());
    // What it would ask now is lost; only what it is told arrives.
    let asks = |call: &Call| call.endpoint == Endpoint::Rids;
    talk(&mut sites, start(), 100, |call| match asks(call) {
        true => Fate::RequestLost,
        false => Fate::Arrives,
    });
    assert_eq!(sites[1].foreign(), sites[0].shared());
}

//! Messages that a node must not believe, and events that must change nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Site, TYPE, pair, rid, settle, start, thing};
use data_encoding::BASE64;
use lore_core::Timestamp;
use lore_core::effects::FixedEntropy;
use lore_koinet::node::Endpoint;
use lore_koinet::{
    Bundle, Contents, Event, EventType, EventsPayload, FetchBundles, FetchRids, KeyPair, Manifest,
    NodeRid, PollEvents, Rid, WireTime, seal,
};
use p256::ecdsa::Signature;
use serde_json::{Value, json};

fn connected() -> (Vec<Site>, Timestamp) {
    let mut sites = vec![Site::full("ash", 1), Site::full("birch", 2)];
    let (ash, birch) = pair(&mut sites);
    birch.connect(ash, start());
    ash.connect(birch, start());
    let now = settle(&mut sites, start());
    (sites, now)
}

fn sealed(from: &Site, to: &Site, payload: &impl serde::Serialize) -> String {
    seal(&from.key(), &from.rid(), &to.rid(), payload, &FixedEntropy::new(99)).unwrap()
}

fn error_of(site: &mut Site, endpoint: Endpoint, body: &str) -> (u16, Value) {
    let answer = site.serve(endpoint, body.as_bytes(), start());
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    (answer.status, body["error"].clone())
}

fn bundle(name: &str, text: &str, at: &str) -> Bundle {
    let contents = thing(text);
    let timestamp = WireTime::parse(at).unwrap();
    let sha256_hash = contents.hash();
    Bundle {
        manifest: Manifest { rid: rid(name), timestamp, sha256_hash, context: None },
        contents,
    }
}

fn told(from: &Site, to: &Site, events: Vec<Event>) -> String {
    sealed(from, to, &EventsPayload::new(events))
}

#[test]
fn faults_are_told_in_the_order_of_the_reference() {
    let (mut sites, _) = connected();
    let stranger = Site::full("stranger", 7);
    let (ash, birch) = pair(&mut sites);
    let ask = FetchRids::default();
    assert_eq!(
        error_of(birch, Endpoint::Rids, &sealed(&stranger, birch, &ask)),
        (400, json!("unknown_node"))
    );
    // What is of no form is that, whoever sent it.
    let misshapen = sealed(&stranger, birch, &json!({"type": "poll_events", "limit": "a"}));
    assert_eq!(error_of(birch, Endpoint::Poll, &misshapen).0, 422);
    // A stranger that introduces itself with somebody else's key.
    let event = Event {
        rid: stranger.rid().rid().clone(),
        ..Event::about(
            Bundle {
                contents: Contents::parse(
                    &json!({"node_type": "FULL", "public_key": ash.key().public().as_str()})
                        .to_string(),
                )
                .unwrap(),
                ..bundle("x", "x", "2026-11-15T00:00:00Z")
            },
            EventType::New,
        )
    };
    assert_eq!(
        error_of(birch, Endpoint::Broadcast, &told(&stranger, birch, vec![event])),
        (400, json!("invalid_key"))
    );
    let forged = seal(
        &KeyPair::generate(&FixedEntropy::new(5)),
        &ash.rid(),
        &birch.rid(),
        &ask,
        &FixedEntropy::new(6),
    );
    assert_eq!(
        error_of(birch, Endpoint::Rids, &forged.unwrap()),
        (400, json!("invalid_signature"))
    );
    assert_eq!(
        error_of(birch, Endpoint::Rids, &sealed(ash, &stranger, &ask)),
        (400, json!("invalid_target"))
    );
    for malformed in ["", "{}", "[]", "{\"payload\":{}}", "\u{0}"] {
        assert_eq!(birch.serve(Endpoint::Rids, malformed.as_bytes(), start()).status, 422);
    }
    let wrong_kind = sealed(ash, birch, &PollEvents::new(0));
    assert_eq!(birch.serve(Endpoint::Rids, wrong_kind.as_bytes(), start()).status, 422);
    assert_eq!(
        birch.serve(Endpoint::Rids, sealed(ash, birch, &ask).as_bytes(), start()).status,
        200
    );
}

/// A change at any place of a real message: refused, and nothing is kept.
#[test]
fn a_changed_byte_changes_nothing() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let text = told(
        ash,
        birch,
        vec![Event::about(bundle("a", "true", "2026-11-16T00:00:00Z"), EventType::New)],
    );
    let before = birch.disk.clone();
    let mut faults = std::collections::BTreeMap::<String, usize>::new();
    for place in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[place] ^= 1;
        let answer = birch.serve(Endpoint::Broadcast, &bytes, now);
        assert_ne!(answer.status, 200, "byte {place} of {text}");
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        let fault = body["error"].as_str().unwrap_or("malformed").to_owned();
        *faults.entry(fault).or_default() += 1;
    }
    assert_eq!(birch.disk, before);
    for fault in ["malformed", "unknown_node", "invalid_signature"] {
        assert!(faults.contains_key(fault), "{faults:?}");
    }
    assert_eq!(birch.serve(Endpoint::Broadcast, text.as_bytes(), now).status, 200);
    assert_eq!(birch.foreign().len(), 1);
}

/// Signed by a known node, and yet wrong. The first one ends a reference node.
#[test]
#[allow(clippy::too_many_lines, reason = "one table of cases")]
fn malformed_events_are_passed_over() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let edge = Rid::of_edge(&birch.rid(), &ash.rid());
    let other_edge = Rid::of_edge(&ash.rid(), &NodeRid::new("third", "00").unwrap());
    let at = WireTime::from(now).to_string();
    let event = |rid: &Rid, contents: Value, hash: Option<&str>, at: &str| {
        let contents = Contents::parse(&contents.to_string()).unwrap();
        let hash = hash.map_or_else(|| contents.hash(), str::to_owned);
        json!({
            "rid": rid, "event_type": "NEW",
            "manifest": {"rid": rid, "timestamp": at, "sha256_hash": hash},
            "contents": serde_json::from_str::<Value>(contents.as_str()).unwrap(),
        })
    };
    let (good, zeros) = (json!({"name": "x"}), "0".repeat(64));
    let third = json!({"source": ash.rid(), "target": "orn:koi-net.node:third+00",
        "edge_type": "POLL", "status": "APPROVED", "rid_types": [TYPE]});
    let mut mismatched = event(&rid("a"), good.clone(), None, &at);
    mismatched["rid"] = json!(rid("b"));
    let mut own = birch.node.shared().cloned().collect::<Vec<_>>();
    own.push(birch.rid().rid().clone());
    let cases = [
        ("an edge without ends", event(&edge, json!({"status": "PROPOSED"}), None, &at)),
        (
            "an edge of unknown kind",
            event(
                &edge,
                json!({"source": birch.rid(), "target": ash.rid(),
            "edge_type": "PIGEON", "status": "PROPOSED", "rid_types": []}),
                None,
                &at,
            ),
        ),
        ("an edge under a wrong name", event(&rid("edge"), third.clone(), Some(&zeros), &at)),
        ("an edge between others", event(&other_edge, third, None, &at)),
        ("a node without a key", event(ash.rid().rid(), json!({"node_type": "FULL"}), None, &at)),
        (
            "a node with another's key",
            event(
                &Rid::parse("orn:koi-net.node:fake+11").unwrap(),
                json!({"node_type": "FULL", "public_key": ash.key().public().as_str()}),
                None,
                &at,
            ),
        ),
        ("contents that are not the manifest's", event(&rid("a"), good.clone(), Some(&zeros), &at)),
        (
            "a moment in the far future",
            event(&rid("a"), good.clone(), None, "2099-01-01T00:00:00Z"),
        ),
        ("a manifest of another thing", mismatched),
        (
            "a type nobody asked for",
            event(&Rid::parse("orn:other:x").unwrap(), good.clone(), None, &at),
        ),
        (
            "us, as somebody else",
            event(own.last().unwrap(), json!({"node_type": "PARTIAL"}), None, &at),
        ),
        ("too large a thing", event(&rid("a"), json!({"name": "x".repeat(300_000)}), None, &at)),
    ];
    let before = birch.disk.clone();
    for (what, event) in cases {
        let payload = json!({"type": "events_payload", "events": [event]});
        let body = sealed(ash, birch, &payload);
        assert_eq!(birch.serve(Endpoint::Broadcast, body.as_bytes(), now).status, 200, "{what}");
        assert_eq!(birch.disk, before, "{what}");
    }
    // Beside a wrong event, the right ones of the same message count.
    let payload = json!({"type": "events_payload", "events": [
        event(&edge, json!({}), None, &at), event(&rid("a"), good, None, &at)]});
    let body = sealed(ash, birch, &payload);
    assert_eq!(birch.serve(Endpoint::Broadcast, body.as_bytes(), now).status, 200);
    assert_eq!(birch.foreign().len(), 1);
}

#[test]
fn events_of_the_wrong_shape_refuse_the_whole_message() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let shapes = [
        json!({"type": "events_payload"}),
        json!({"type": "events_payload", "events": {}}),
        json!({"type": "events_payload", "events": [{"rid": "orn:x", "event_type": "NEW"}]}),
        json!({"type": "events_payload", "events": [{"rid": "orn:x:y", "event_type": "BORN"}]}),
        json!({"type": "events_payload", "events": [{"event_type": "NEW"}]}),
        json!({"type": "events_payload", "events": [{"rid": "orn:x:y", "event_type": "NEW", "contents": []}]}),
        json!({"type": "events_payload", "events": [{"rid": "orn:x:y", "event_type": "NEW",
            "manifest": {"rid": "orn:x:y", "timestamp": "noon", "sha256_hash": ""}}]}),
        json!({"type": "events_payload", "events": [{"rid": "orn:x:y", "event_type": "NEW",
            "manifest": {"rid": "orn:x:y", "timestamp": 1_767_323_045, "sha256_hash": ""}}]}),
        json!({"type": "events_payload", "events": [{"rid": "orn:x:y", "event_type": "NEW",
            "manifest": {"rid": "orn:x:y", "timestamp": "2026-01-02T03:04:05", "sha256_hash": ""}}]}),
        json!({"type": "events_payload", "events": [{"rid": "orn:x:y", "event_type": "NEW",
            "manifest": ["orn:x:y", "2026-01-02T03:04:05Z", ""]}]}),
        json!({"type": "events_payload", "events": [["orn:x:y", "FORGET"]]}),
        json!(["events_payload", [{"rid": "orn:x:y", "event_type": "FORGET"}]]),
        json!({"type": "events_payload", "events": vec![json!({"rid": "orn:x:y", "event_type": "FORGET"}); 20_001]}),
    ];
    for shape in shapes {
        let body = sealed(ash, birch, &shape);
        let answer = birch.serve(Endpoint::Broadcast, body.as_bytes(), now);
        assert_eq!(answer.status, 422, "{}", &shape.to_string()[..90.min(shape.to_string().len())]);
    }
}

#[test]
fn only_the_owner_changes_a_thing() {
    let (mut sites, now) = connected();
    sites.push(Site::full("crow", 3));
    sites[0].share("a", "of ash", now);
    let at = sites.len() - 1;
    let crow = sites.remove(at);
    sites[1].connect(&crow, now);
    sites.push(crow);
    let now = settle(&mut sites, now);
    let theft = Event::about(bundle("a", "of crow", "2026-11-16T00:30:00Z"), EventType::Update);
    let (late, forget) = (now, Event::forget(rid("a")));
    for event in [theft, forget] {
        let body = told(&sites[2], &sites[1], vec![event]);
        sites[1].serve(Endpoint::Broadcast, body.as_bytes(), late);
        assert_eq!(sites[1].foreign(), sites[0].shared());
    }
    // And what is ours is ours.
    sites[1].share("b", "of birch", now);
    let body = told(&sites[0], &sites[1], vec![Event::forget(rid("b"))]);
    sites[1].serve(Endpoint::Broadcast, body.as_bytes(), late);
    assert_eq!(sites[1].shared().len(), 1);
}

#[test]
fn old_messages_played_again_change_nothing() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let one = told(
        ash,
        birch,
        vec![Event::about(bundle("a", "one", "2026-11-15T01:00:00Z"), EventType::New)],
    );
    let two = told(
        ash,
        birch,
        vec![Event::about(bundle("a", "two", "2026-11-15T02:00:00Z"), EventType::Update)],
    );
    let gone = told(ash, birch, vec![Event::forget(rid("a"))]);
    let three = told(
        ash,
        birch,
        vec![Event::about(bundle("a", "three", "2026-11-15T03:00:00Z"), EventType::New)],
    );
    let mut say = |message: &String| {
        birch.serve(Endpoint::Broadcast, message.as_bytes(), now);
        birch.foreign().into_values().next().unwrap_or_default()
    };
    assert!(say(&one).contains("one"));
    assert!(say(&two).contains("two"));
    assert!(say(&one).contains("two"), "an older state does not come back");
    assert_eq!(say(&gone), "");
    assert_eq!(say(&two), "", "what is gone does not come back");
    assert!(say(&three).contains("three"));
    assert!(say(&gone).contains("three"), "an old farewell does not count twice");
    birch.restart(now);
    birch.serve(Endpoint::Broadcast, gone.as_bytes(), now);
    assert_eq!(birch.foreign().len(), 1, "not even after a restart");
}

/// Anybody can turn a signature into another one that holds: `s` into `n - s`.
fn with_the_other_signature(body: &str) -> String {
    let mut envelope: Value = serde_json::from_str(body).unwrap();
    let known = BASE64.decode(envelope["signature"].as_str().unwrap().as_bytes()).unwrap();
    let known = Signature::from_slice(&known).unwrap();
    let other = Signature::from_scalars(*known.r(), -*known.s()).unwrap();
    envelope["signature"] = json!(BASE64.encode(&other.to_bytes()));
    envelope.to_string()
}

#[test]
fn a_farewell_under_another_signature_is_still_the_old_one() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let thing = |at| Event::about(bundle("a", "one", at), EventType::New);
    let first = told(ash, birch, vec![thing("2026-11-15T01:00:00Z")]);
    let gone = told(ash, birch, vec![Event::forget(rid("a"))]);
    let again = told(ash, birch, vec![thing("2026-11-15T02:00:00Z")]);
    for message in [&first, &gone, &again] {
        assert_eq!(birch.serve(Endpoint::Broadcast, message.as_bytes(), now).status, 200);
    }
    let replay = with_the_other_signature(&gone);
    assert_ne!(replay, gone);
    assert_eq!(birch.serve(Endpoint::Broadcast, replay.as_bytes(), now).status, 200);
    assert_eq!(birch.foreign().len(), 1);
}

#[test]
fn a_farewell_to_what_was_not_there_counts_once() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let gone = told(ash, birch, vec![Event::forget(rid("a"))]);
    let thing = Event::about(bundle("a", "one", "2026-11-15T01:00:00Z"), EventType::New);
    let thing = told(ash, birch, vec![thing]);
    for message in [&gone, &thing, &gone] {
        birch.serve(Endpoint::Broadcast, message.as_bytes(), now);
    }
    assert_eq!(birch.foreign().len(), 1);
    birch.restart(now);
    birch.serve(Endpoint::Broadcast, gone.as_bytes(), now);
    assert_eq!(birch.foreign().len(), 1, "not even after a restart");
}

#[test]
fn a_node_that_left_and_came_back_does_not_leave_again_by_its_old_word() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let farewell = told(ash, birch, vec![Event::forget(ash.rid().rid().clone())]);
    let subscribed = |site: &Site| site.node.status().peers[0].theirs.is_some();
    assert!(subscribed(birch));
    birch.serve(Endpoint::Broadcast, farewell.as_bytes(), now);
    assert!(!subscribed(birch));
    let writes = ash.node.break_with(&birch.rid());
    ash.keep(writes);
    ash.connect(birch, now);
    let now = settle(&mut sites, now);
    assert!(subscribed(&sites[1]));
    sites[1].serve(Endpoint::Broadcast, farewell.as_bytes(), now);
    assert!(subscribed(&sites[1]));
}

#[test]
fn an_address_that_is_none_introduces_nobody() {
    let (mut sites, now) = connected();
    let stranger = Site::full("stranger", 7);
    let (_, birch) = pair(&mut sites);
    let long = format!("http://{}", "x".repeat(3_000));
    for address in ["file:///etc/passwd", "http://", "http://h/\u{1b}[31m", "http://h/\nrow", &long]
    {
        let profile = json!({"base_url": address, "node_type": "FULL",
            "public_key": stranger.key().public().as_str()});
        let contents = Contents::parse(&profile.to_string()).unwrap();
        let sha256_hash = contents.hash();
        let mut about = bundle("x", "x", "2026-11-15T00:00:00Z");
        about.manifest.rid = stranger.rid().rid().clone();
        about.manifest.sha256_hash = sha256_hash;
        let event = Event::about(Bundle { contents, ..about }, EventType::New);
        let body = told(&stranger, birch, vec![event]);
        assert_eq!(
            error_of(birch, Endpoint::Broadcast, &body),
            (400, json!("unknown_node")),
            "{address}"
        );
    }
    assert_eq!(birch.node.status().peers.len(), 1, "at {now}");
}

#[test]
fn an_old_introduction_does_not_end_subscriptions() {
    let mut sites = vec![Site::full("ash", 1), Site::full("birch", 2)];
    let (ash, birch) = pair(&mut sites);
    ash.connect(birch, start());
    let introduction = ash.node.due(start()).remove(0);
    let body = ash.seal(&introduction);
    let answer = birch.serve(Endpoint::Broadcast, body.as_bytes(), start());
    let writes = ash.node.answered(&introduction, Ok(answer), start());
    ash.keep(writes);
    let now = settle(&mut sites, start());
    let subscribed = |site: &Site| site.node.status().peers[0].theirs.is_some();
    assert!(subscribed(&sites[1]));
    assert_eq!(sites[1].serve(Endpoint::Broadcast, body.as_bytes(), now).status, 200);
    assert!(subscribed(&sites[1]));
}

#[test]
fn what_is_not_shared_cannot_be_asked_for() {
    let (mut sites, now) = connected();
    sites[1].share("open", "x", now);
    sites[1].share("withdrawn", "y", now);
    sites[1].unshare("withdrawn");
    let (ash, birch) = pair(&mut sites);
    let asked = FetchBundles::new(vec![rid("open"), rid("withdrawn"), rid("never")]);
    let answer = birch.serve(Endpoint::Bundles, sealed(ash, birch, &asked).as_bytes(), now);
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(body["payload"]["bundles"].as_array().unwrap().len(), 1);
    assert_eq!(body["payload"]["not_found"].as_array().unwrap().len(), 2);
}

/// An envelope as a list of its parts is none.
#[test]
fn an_envelope_is_an_object() {
    let (mut sites, now) = connected();
    let (ash, birch) = pair(&mut sites);
    let body = sealed(ash, birch, &FetchRids::default());
    let envelope: Value = serde_json::from_str(&body).unwrap();
    let parts = ["payload", "source_node", "target_node", "signature"].map(|part| &envelope[part]);
    let listed = serde_json::to_string(&parts).unwrap();
    assert_eq!(birch.serve(Endpoint::Rids, listed.as_bytes(), now).status, 422);
    assert_eq!(birch.serve(Endpoint::Rids, body.as_bytes(), now).status, 200);
}

fn asked(from: &Site, to: &Site, payload: &impl serde::Serialize, seed: u64) -> String {
    seal(&from.key(), &from.rid(), &to.rid(), payload, &FixedEntropy::new(seed)).unwrap()
}

#[test]
fn a_question_that_was_overheard_is_not_answered_again() {
    let (mut sites, now) = connected();
    sites[1].share("a", "for ash", now);
    let (ash, birch) = pair(&mut sites);
    let question = FetchBundles::new(vec![rid("a")]);
    let overheard = asked(ash, birch, &question, 1);
    let status =
        |site: &mut Site, body: &str| site.serve(Endpoint::Bundles, body.as_bytes(), now).status;
    assert_eq!(status(birch, &overheard), 200);
    assert_eq!(status(birch, &overheard), 200, "ash may be one who always signs alike");
    assert_eq!(status(birch, &asked(ash, birch, &question, 2)), 200);
    for replay in [&overheard, &with_the_other_signature(&overheard)] {
        let refused = birch.serve(Endpoint::Bundles, replay.as_bytes(), now);
        let body: Value = serde_json::from_slice(&refused.body).unwrap();
        assert_eq!((refused.status, &body["error"]), (400, &json!("replayed")));
    }
    assert_eq!(status(birch, &asked(ash, birch, &question, 3)), 200, "ash itself goes on");
}

//! Nodes, edges and paths between nodes.

use lore_core::Role;
use lore_tools::Selection;
use serde_json::{Value, json};

use crate::mind::{Mind, id};

#[tokio::test]
async fn a_node_is_added_found_removed_and_restored() {
    let mind = Mind::fresh().await;
    let node = mind
        .call(
            "kn_graph",
            json!({
                "action": " ADD ", "name": "  Ferry  ", "type": "Sea Craft", "tags": ["Isles", "boat"],
                "description": "Sails at dawn between the isles.",
            }),
        )
        .await;
    assert_eq!((&node["name"], &node["type"]), (&json!("Ferry"), &json!("Sea Craft")));
    assert_eq!(
        (&node["namespace"], &node["visibility"]),
        (&json!("knowledge"), &json!("workspace"))
    );
    assert_eq!(node["source_type"], "manual");
    let id = id(&node["id"]);
    let query = json!({
        "action": "query", "text": "sailing at dawn?", "tags": ["isles", "BOAT"],
        "node_type": "sea craft", "namespace": "knowledge", "detail": "full",
    });
    let found = mind.call("kn_graph", query.clone()).await;
    assert_eq!((&found["count"], &found["nodes"][0]["id"]), (&json!(1), &json!(id)));
    assert_eq!(found["nodes"][0]["description"], "Sails at dawn between the isles.");
    let other = json!({ "action": "query", "text": "dawn", "tags": ["isles", "desert"] });
    assert_eq!(mind.call("kn_graph", other).await["count"], 0);
    let removed = mind.call("kn_graph", json!({ "action": "remove", "node_id": "ferry" })).await;
    assert_eq!((&removed["removed"], &removed["id"]), (&json!("node"), &json!(id)));
    assert_eq!(mind.call("kn_graph", query.clone()).await["count"], 0);
    for restored in ["node", "nothing"] {
        let back = mind.call("kn_graph", json!({ "action": "restore", "node_id": id })).await;
        assert_eq!((&back["restored"], &back["id"]), (&json!(restored), &json!(id)));
    }
    assert_eq!(mind.call("kn_graph", query).await["count"], 1);
}

#[tokio::test]
async fn what_others_put_away_is_like_what_never_was() {
    let mind = Mind::fresh().await;
    let player = mind.person("Pia", Role::Player).await;
    let shared = json!({
        "action": "add", "name": "Gone Open", "type": "concept", "visibility": "shared",
    });
    let open = id(&mind.call("kn_graph", shared).await["id"]);
    mind.call("kn_graph", json!({ "action": "remove", "node_id": open })).await;
    let all = Selection::new();
    let as_owner =
        async |tool, arguments| mind.try_as(mind.viewer, &all, tool, arguments).await.unwrap();
    let camp = json!({ "name": "Gone Camp", "gm_mode": "HUMAN" });
    let camp = as_owner("campaign_create", camp).await;
    as_owner("campaign_update", json!({ "campaign_id": camp["id"], "archived": true })).await;
    let mut answers = Vec::new();
    for asked in [open.as_str(), "Gone Open", "Gone Camp", "#1", "#2", "Never Was", "#4711"] {
        let restore = json!({ "action": "restore", "node_id": asked });
        let answer = mind.try_as(player, &all, "kn_graph", restore).await;
        answers.push(format!("{answer:?}").replace(asked, ""));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:#?}");
    mind.call("kn_graph", json!({ "action": "restore", "node_id": "Gone Open" })).await;
}

#[tokio::test]
async fn edges_are_joined_once_and_come_back() {
    let mind = Mind::fresh().await;
    let (a, b) = (mind.add("Alder", "").await, mind.add("Birch", "").await);
    let edge = json!({
        "action": "connect", "source_id": a, "target_id": b, "edge_type": "Depends On", "weight": 0.7,
    });
    let first = mind.call("kn_graph", edge.clone()).await;
    assert_eq!((&first["type"], &first["weight"]), (&json!("Depends On"), &json!(0.7)));
    assert_eq!(mind.call("kn_graph", edge.clone()).await, first, "joining again changes nothing");
    let which = |action: &str| json!({ "action": action, "source_id": a, "target_id": b, "edge_type": "depends on" });
    let edges =
        async || mind.call("kn_graph", json!({ "action": "status" })).await["edges"].clone();
    assert_eq!(edges().await, 1);
    mind.call("kn_graph", which("remove")).await;
    assert_eq!(edges().await, 0);
    assert_eq!(mind.error("kn_graph", which("remove")).await, "Edge not found");
    assert_eq!(mind.call("kn_graph", which("restore")).await["restored"], "edge");
    assert_eq!(mind.call("kn_graph", which("restore")).await["restored"], "nothing");
    assert_eq!(edges().await, 1);
}

#[tokio::test]
async fn context_returns_nodes_and_the_edges_between_them() {
    let mind = Mind::fresh().await;
    let (rope, tar) =
        (mind.add("Rope", "Hemp rope, tarred").await, mind.add("Tar", "Keeps rope dry").await);
    mind.add("Bread", "Feeds the crew").await;
    let edge = json!({ "action": "connect", "source_id": tar, "target_id": rope, "edge_type": "protects" });
    mind.call("kn_graph", edge).await;
    let save = json!({
        "action": "save", "content": "Old rope snaps", "type": "gotcha", "context": "In a storm",
    });
    mind.call("kn_experience", save).await;
    let ask = json!({ "action": "context", "keywords": "rope", "detail": "full" });
    let found = mind.call("kn_intel", ask).await;
    assert_eq!((&found["count"], found["nodes"].as_array().unwrap().len()), (&json!(3), 2));
    assert_eq!(found["experiences"][0]["context"], "In a storm");
    let types: Vec<_> =
        found["edges"].as_array().unwrap().iter().map(|e| e["type"].clone()).collect();
    assert!(types.contains(&json!("protects")), "{found}");
}

#[tokio::test]
async fn related_honours_depth_type_and_limit_and_tells_the_path() {
    let mind = Mind::fresh().await;
    let mut ids = Vec::new();
    for name in ["Anvil", "Bellows", "Coal", "Dray"] {
        ids.push(mind.add(name, "").await);
    }
    for (from, to, kind, weight) in [(0, 1, "uses", 0.5), (2, 1, "feeds", 1.0), (2, 3, "uses", 1.0)]
    {
        let edge = json!({
            "action": "connect", "source_id": ids[from], "target_id": ids[to], "edge_type": kind,
            "weight": weight,
        });
        mind.call("kn_graph", edge).await;
    }
    let walk = async |more: Value| {
        let mut arguments = json!({ "action": "related", "node_id": ids[0] });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        mind.call("kn_intel", arguments).await
    };
    assert_eq!(walk(json!({})).await["count"], 1);
    let far = walk(json!({ "depth": 3 })).await;
    assert_eq!(far["count"], 3);
    let path = far["results"][2]["path"].as_array().unwrap();
    let steps: Vec<_> = path
        .iter()
        .map(|hop| (hop["type"].as_str().unwrap(), hop["direction"].as_str().unwrap()))
        .collect();
    assert_eq!(steps, [("uses", "out"), ("feeds", "in"), ("uses", "out")]);
    assert_eq!(path[2]["id"], json!(ids[3]));
    assert_eq!(walk(json!({ "depth": 3, "edge_type": "uses" })).await["count"], 1);
    let few = walk(json!({ "depth": 3, "limit": 2 })).await;
    assert_eq!((&few["count"], &few["more"]), (&json!(2), &json!(true)));
    let cheap = walk(json!({ "depth": 3, "max_tokens": 100 })).await;
    assert_eq!((&cheap["count"], &cheap["left_out"]), (&json!(1), &json!(2)), "{cheap}");
    assert_eq!(walk(json!({ "depth": 3, "max_tokens": 1 })).await["count"], 1);
    let nowhere = mind.call("kn_intel", json!({ "action": "related", "node_id": "nope" })).await;
    assert_eq!((&nowhere["count"], &nowhere["error"]), (&json!(0), &json!("Node not found: nope")));
}

#[tokio::test]
async fn the_edges_of_a_context_are_within_its_budget() {
    let mind = Mind::fresh().await;
    let mut ids = Vec::new();
    for number in 0..8 {
        let name = format!("Harbour isle {number}");
        let add = json!({ "action": "add", "name": name, "type": "place" });
        ids.push(mind.call("kn_graph", add).await["id"].clone());
    }
    for (at, source) in ids.iter().enumerate() {
        for target in ids.iter().skip(at + 1) {
            let connect = json!({
                "action": "connect", "source_id": source, "target_id": target,
                "edge_type": "ferry_to",
            });
            mind.call("kn_graph", connect).await;
        }
    }
    let ask = |tokens: Option<u32>| json!({ "action": "context", "keywords": "harbour isle", "limit": 50, "max_tokens": tokens });
    let whole = mind.call("kn_intel", ask(None)).await;
    assert!(whole["edges"].as_array().unwrap().len() >= 28 && whole["edges_left_out"].is_null());
    let tight = mind.call("kn_intel", ask(Some(600))).await;
    assert!(tight.to_string().len() / 4 <= 600, "{tight}");
    assert!(tight["edges_left_out"].as_u64().unwrap() > 0);
    assert!(!tight["edges"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn related_tells_every_edge_between_two() {
    let mind = Mind::fresh().await;
    let (zed, yod) = (mind.add("Zed", "").await, mind.add("Yod", "").await);
    for (from, kind, to) in [(&zed, "owns", &yod), (&zed, "fears", &yod), (&yod, "loves", &zed)] {
        let edge = json!({
            "action": "connect", "source_id": from, "target_id": to, "edge_type": kind,
        });
        mind.call("kn_graph", edge).await;
    }
    let near = mind.call("kn_intel", json!({ "action": "related", "node_id": "Zed" })).await;
    assert_eq!(near["count"], 1, "{near}");
    let hop = &near["results"][0]["path"][0];
    let mut told: Vec<_> = hop["also"].as_array().unwrap().iter().chain([hop]).collect();
    told.sort_by_key(|edge| edge["type"].to_string());
    let told: Vec<_> = told.iter().map(|edge| json!([edge["type"], edge["direction"]])).collect();
    let wanted = [["fears", "out"], ["loves", "in"], ["owns", "out"]];
    assert_eq!(json!(told), json!(wanted));
}

#[tokio::test]
async fn an_edge_is_shared_when_that_is_asked_for_and_only_then() {
    let mind = Mind::fresh().await;
    for name in ["Tower", "Lake"] {
        let new = json!({
            "action": "add", "name": name, "type": "place", "visibility": "shared",
        });
        mind.call("kn_graph", new).await;
    }
    let player = mind.person("Pia", Role::Player).await;
    let near = async || {
        let ask = json!({ "action": "related", "node_id": "Tower" });
        let seen = mind.try_as(player, &Selection::new(), "kn_intel", ask).await.unwrap();
        seen["results"][0]["path"][0]["type"].clone()
    };
    let edge = json!({
        "action": "connect", "source_id": "Tower", "target_id": "Lake", "edge_type": "guards",
    });
    assert_eq!(mind.call("kn_graph", edge.clone()).await["visibility"], "workspace");
    assert_eq!(near().await, json!(null), "a game master's edge stays theirs");
    let mut shared = edge.clone();
    shared["visibility"] = json!("shared");
    assert_eq!(mind.call("kn_graph", shared).await["visibility"], "shared");
    assert_eq!(near().await, "guards");
    let again = mind.call("kn_graph", edge.clone()).await;
    assert_eq!(again["visibility"], "shared", "nothing was said of it");
    let mut back = edge;
    back["visibility"] = json!("workspace");
    mind.call("kn_graph", back).await;
    assert_eq!(near().await, json!(null));
}

#[tokio::test]
async fn a_query_with_an_id_is_about_that_node_alone() {
    let mind = Mind::fresh().await;
    let node = mind.add("Logbook", "All that happened on board.").await;
    mind.add("Capstan", "Lifts the anchor.").await;
    let query = json!({ "action": "query", "node_id": node, "detail": "full" });
    let found = mind.call("kn_graph", query).await;
    assert_eq!((&found["count"], &found["nodes"][0]["id"]), (&json!(1), &json!(node)));
    assert_eq!(found["nodes"][0]["description"], "All that happened on board.");
    let none = mind.call("kn_graph", json!({ "action": "query", "node_id": "nothing" })).await;
    assert_eq!(none["error"], "Node not found: nothing");
}

#[tokio::test]
async fn an_argument_of_another_action_is_refused() {
    let mind = Mind::fresh().await;
    mind.add("Capstan", "Lifts the anchor.").await;
    for (tool, given, error) in [
        ("kn_graph", json!({ "action": "query", "name": "zzz" }), "name is not for query"),
        ("kn_intel", json!({ "action": "recall", "keywords": "z" }), "keywords is not for recall"),
        ("kn_intel", json!({ "action": "recall", "problem": "z" }), "problem is not for recall"),
        ("kn_experience", json!({ "action": "prune", "text": "z" }), "text is not for prune"),
        ("kn_project", json!({ "action": "list", "name": "z" }), "name is not for list"),
        ("kn_idea", json!({ "action": "list", "title": "z" }), "title is not for list"),
    ] {
        let answer = mind.call(tool, given).await;
        assert_eq!(answer["error"], error);
        assert!(answer["hint"].as_str().unwrap().starts_with("leave it out, or use "));
    }
    let unused = json!({
        "action": "recall", "topic": "anchor", "keywords": null, "problem": " ", "tags": [],
        "detail": "full", "depth": 1, "limit": 5,
    });
    assert_eq!(mind.call("kn_intel", unused).await["count"], 1);
}

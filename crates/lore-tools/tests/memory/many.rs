//! Many calls at once, and large amounts of data.

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::join_all;
use lore_app::memory::access::write_counts;
use lore_store::NodeQuery;
use lore_tools::{Call, Selection};
use serde_json::{Value, json};

use crate::mind::Mind;

async fn promoted(mind: &Mind) -> usize {
    let query = json!({ "action": "query", "node_type": "promoted_experience" });
    mind.call("kn_graph", query).await["nodes"].as_array().unwrap().len()
}

#[tokio::test]
async fn those_who_ask_at_once_are_all_counted() {
    let mind = Mind::fresh().await;
    mind.learn("Herons fish at dawn", "low").await;
    join_all((0..12).map(|_| mind.recall("herons"))).await;
    assert_eq!(promoted(&mind).await, 1);
}

#[tokio::test]
async fn a_count_is_neither_lost_nor_doubled_when_it_is_written() {
    let mind = Mind::fresh().await;
    mind.learn("Herons fish at dawn", "low").await;
    for asked in 1..=4 {
        mind.recall("herons").await;
        if asked % 2 == 1 {
            write_counts(&mind.app).await;
        }
    }
    assert_eq!(promoted(&mind).await, 0);
    mind.recall("herons").await;
    assert_eq!(promoted(&mind).await, 1);
}

#[tokio::test]
async fn of_those_who_remove_at_once_one_does_and_the_others_are_told() {
    let mind = Mind::fresh().await;
    let node = mind.add("Windlass", "old").await;
    let remove = json!({ "action": "remove", "node_id": node });
    let answers = join_all((0..8).map(|_| mind.call("kn_graph", remove.clone()))).await;
    let (done, told): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.get("removed").is_some());
    assert_eq!(done.len(), 1);
    let expected = json!(format!("Node not found: {node}"));
    assert!(told.iter().all(|answer| answer["error"] == expected), "{told:?}");
}

#[tokio::test]
async fn context_has_every_edge_between_its_nodes_and_no_more_than_it_may() {
    let mind = Mind::fresh().await;
    let guild = mind.add("Harbour guild", "zymurgists all").await;
    let names: Vec<String> = (0..12).map(|n| format!("Member {n}")).collect();
    for name in &names {
        mind.add(name, "a zymurgist").await;
        for kind in ["has_member", "trusts", "pays"] {
            let edge = json!({
                "action": "connect", "source_id": guild, "target_id": name, "edge_type": kind,
            });
            mind.call("kn_graph", edge).await;
        }
    }
    mind.learn("Zymurgists sleep late", "low").await;
    let ask = json!({ "action": "context", "keywords": "harbour guild zymurgist", "limit": 6 });
    let found = mind.call("kn_intel", ask).await;
    assert_eq!(found["count"], 6, "{found}");
    let nodes: HashSet<&str> = found["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["id"].as_str().unwrap())
        .collect();
    assert!(nodes.contains(guild.as_str()), "{found}");
    let trusts = found["edges"].as_array().unwrap().iter().filter(|edge| edge["type"] == "trusts");
    assert_eq!(trusts.count(), nodes.len() - 1, "{found}");
}

#[tokio::test]
async fn leafing_says_whether_there_is_more() {
    let mind = Mind::fresh().await;
    join_all((0..25).map(|n| {
        let mind = &mind;
        async move { mind.add(&format!("Egg {n}"), "a dragon egg").await }
    }))
    .await;
    let mut seen = HashSet::new();
    for offset in [0, 10, 20] {
        let query =
            json!({ "action": "query", "text": "dragon egg", "limit": 10, "offset": offset });
        let page = mind.call("kn_graph", query).await;
        assert_eq!(page["more"], offset < 20, "{page}");
        let nodes = page["nodes"].as_array().unwrap().clone();
        seen.extend(nodes.iter().map(|node| node["id"].to_string()));
    }
    assert_eq!(seen.len(), 25);
}

#[tokio::test]
async fn turns_stand_in_the_order_they_came_whoever_is_done_first() {
    let mind = Mind::fresh().await;
    let turns = ["Who is there?", "Only the wind", "Then let it in"];
    let calls: Vec<_> =
        turns.iter().map(|turn| (turn, Call::new(Arc::clone(&mind.app), mind.viewer))).collect();
    for (turn, call) in calls.into_iter().rev() {
        let new = json!({
            "action": "save", "type": "pattern", "content": turn, "session": "night",
        });
        let Value::Object(new) = new else { unreachable!() };
        mind.registry.call(&Selection::new(), "kn_experience", call, new).await.unwrap();
    }
    let store = &mind.app.store;
    let nodes = store.find_nodes(&mind.viewer, NodeQuery::default()).await.unwrap().items;
    let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
    let mut texts = store.texts_of_nodes(&mind.viewer, &ids).await.unwrap();
    texts.sort_by_key(|text| (text.position, text.id));
    let said: Vec<_> = texts.iter().map(|text| text.body.as_str()).collect();
    assert_eq!(said, turns);
}

/// Returns all pages of a list, one after the other.
async fn leafed(mind: &Mind, tool: &str, ask: &Value, list: &str, limit: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    loop {
        let mut ask = ask.clone();
        (ask["limit"], ask["offset"]) = (json!(limit), json!(rows.len()));
        let page = mind.call(tool, ask).await;
        let page = page[list].as_array().unwrap();
        rows.extend(page.iter().map(|row| row["id"].clone()));
        if page.len() < limit {
            return rows;
        }
    }
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_whole_each_once() {
    const MANY: usize = 260;
    const WORDS: [&str; 7] = ["river", "stone", "lamp", "cloud", "violin", "falcon", "ginger"];
    let mind = Mind::fresh().await;
    let mut lessons: Vec<Value> = Vec::new();
    for n in 0..MANY {
        let word = |step: usize| WORDS[(n * step + n / 7) % WORDS.len()];
        let about = format!("harvest notes on {} and {} part {n}", word(1), word(3));
        mind.add(&format!("Node {n}"), &about).await;
        let mut lesson = json!({
            "action": "save", "type": if n % 3 == 0 { "pattern" } else { "workaround" },
            "content": format!("orchard lesson {} {} {n}", word(2), word(5)),
        });
        if n % 20 == 19 {
            lesson["supersedes"] = lessons[n / 2].clone();
        }
        lessons.push(mind.call("kn_experience", lesson).await["id"].clone());
        mind.wait_days(1);
    }
    let nodes = json!({ "action": "query", "text": "harvest notes" });
    let experiences = json!({ "action": "search", "text": "orchard lesson" });
    let browsed = json!({ "action": "search" });
    for (tool, ask, list) in [
        ("kn_graph", nodes, "nodes"),
        ("kn_experience", experiences, "experiences"),
        ("kn_experience", browsed, "experiences"),
    ] {
        let whole = leafed(&mind, tool, &ask, list, 50).await;
        assert_eq!(whole.len(), MANY, "{ask}");
        assert_eq!(whole.iter().collect::<HashSet<_>>().len(), MANY, "{ask}");
        for limit in [7, 30] {
            let pages: HashSet<_> =
                leafed(&mind, tool, &ask, list, limit).await.into_iter().collect();
            assert_eq!(pages.len(), MANY, "{ask} by {limit}");
        }
    }
}

#[tokio::test]
async fn what_is_kept_for_good_at_once_is_joined_to_each_other() {
    let mind = Mind::fresh().await;
    mind.learn("The Redis cluster drops idle sessions after a minute", "low").await;
    mind.learn("The Redis cluster drops idle sessions when memory is short", "low").await;
    for _ in 0..5 {
        mind.recall("Redis cluster drops idle sessions").await;
    }
    let query = json!({ "action": "query", "node_type": "promoted_experience" });
    let kept = mind.call("kn_graph", query).await;
    assert_eq!(kept["count"], 2, "{kept}");
    let near = json!({ "action": "related", "node_id": kept["nodes"][0]["id"] });
    let near = mind.call("kn_intel", near).await;
    assert_eq!(near["results"][0]["node"]["id"], kept["nodes"][1]["id"], "{near}");
}

//! Projects and ideas.

use serde_json::{Value, json};

use crate::mind::Mind;

#[tokio::test]
async fn projects_go_their_way_and_one_is_active() {
    let mind = Mind::fresh().await;
    let create = |name: &str| json!({ "action": "create", "name": name, "goals": ["sail"] });
    let first = mind.call("kn_project", create("Ferry")).await;
    assert_eq!((&first["phase"], &first["active"]), (&json!("planning"), &json!(false)));
    let second = mind.call("kn_project", create("Bridge")).await;
    for chosen in [&first, &second, &second] {
        let list = json!({ "action": "list", "set_active": chosen["id"] });
        let list = mind.call("kn_project", list).await;
        assert_eq!((&list["projects"][0]["id"], &list["count"]), (&chosen["id"], &json!(2)));
        let active = json!({ "action": "list", "active_only": true });
        assert_eq!(mind.call("kn_project", active).await["count"], 1);
    }
    let update = |phase: &str| json!({ "action": "update", "project_id": first["id"], "name": "Ferry", "phase": phase });
    assert_eq!(
        mind.error("kn_project", update("done")).await,
        "Invalid phase transition: planning → done"
    );
    assert_eq!(mind.error("kn_project", update("lost")).await, "Invalid phase: lost");
    for phase in ["active", "paused", "active", "active", "done"] {
        assert_eq!(mind.call("kn_project", update(phase)).await["phase"], phase);
    }
    assert_eq!(
        mind.error("kn_project", update("active")).await,
        "Invalid phase transition: done → active"
    );
}

#[tokio::test]
async fn steps_are_logged_recalled_and_shown() {
    let mind = Mind::fresh().await;
    for prompt in ["kn_bootup", "kn_review"] {
        assert!(mind.prompt(prompt).await.contains("yet"), "an empty world says so");
    }
    let project = mind.call("kn_project", json!({ "action": "create", "name": "Ferry" })).await;
    let log = |text: &str, kind: &str| {
        json!({
            "action": "log", "project_id": project["id"], "action_text": text, "type": kind,
            "result": "splinters", "next_step": "Buy oak",
        })
    };
    let entry = mind.call("kn_project", log("Caulked the hull", "progress")).await;
    assert_eq!(
        (&entry["type"], &entry["action"]),
        (&json!("progress"), &json!("Caulked the hull"))
    );
    mind.call("kn_project", log("Raised the mast", "failure")).await;
    let wrong = mind.error("kn_project", log("x", "victory")).await;
    assert_eq!(wrong, "Invalid type: victory. Must be one of: failure, progress");
    let rows = mind.recall("caulking hulls").await;
    assert_eq!(rows[0]["id"], project["id"], "{rows:?}");
    assert!(rows[0]["description"].as_str().unwrap().contains("Caulked the hull"));
    mind.call("kn_project", json!({ "action": "list", "set_active": "Ferry" })).await;
    mind.learn("Oak is best for masts", "high").await;
    let bootup = mind.prompt("kn_bootup").await;
    for part in ["Active Project: Ferry", "[OK] Caulked", "[FAIL] Raised", "[solution] Oak"] {
        assert!(bootup.contains(part), "{part} in {bootup}");
    }
    let review = mind.prompt("kn_review").await;
    for part in ["Completed (1)", "Issues (1)", "Suggested next step: Buy oak", "solution: 1"] {
        assert!(review.contains(part), "{part} in {review}");
    }
    let projects = mind.resource("kn://projects").await;
    assert_eq!(projects["projects"][0]["recent_progress"][0]["action"], "Raised the mast");
    let status = mind.resource("kn://status").await;
    assert_eq!(status["active_project"]["name"], "Ferry");
    assert_eq!(status["graph"]["projects"], 1);
    let memories = mind.resource("kn://memories").await;
    assert_eq!(memories["experiences"][0]["content"], "Oak is best for masts");
}

#[tokio::test]
async fn all_steps_of_a_project_can_be_read_page_by_page() {
    let mind = Mind::fresh().await;
    let create = |name: &str| json!({ "action": "create", "name": name });
    let project = mind.call("kn_project", create("Ferry")).await;
    mind.call("kn_project", create("Bridge")).await;
    for number in 0..23 {
        let log = json!({
            "action": "log", "project_id": project["id"], "action_text": format!("Step {number}"),
            "result": (number == 20).then_some("splinters"),
        });
        mind.call("kn_project", log).await;
        mind.wait_days(1);
    }
    let mut read = Vec::new();
    for (offset, more) in [(0, true), (10, true), (20, false), (30, false)] {
        let page =
            json!({ "action": "list", "project_id": "Ferry", "limit": 10, "offset": offset });
        let page = mind.call("kn_project", page).await;
        assert_eq!((&page["count"], &page["projects"][0]["id"]), (&json!(1), &project["id"]));
        assert_eq!(page["more"] == true, more, "{page}");
        read.extend(page["entries"].as_array().unwrap().clone());
    }
    let steps: Vec<_> = read.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    let expected: Vec<_> = (0..23).rev().map(|number| format!("Step {number}")).collect();
    assert_eq!(steps, expected);
    assert_eq!((&read[2]["result"], &read[2]["type"]), (&json!("splinters"), &json!("progress")));
    assert!(read[0]["at"].as_str().unwrap() > read[1]["at"].as_str().unwrap());
    let all = mind.call("kn_project", json!({ "action": "list" })).await;
    assert_eq!((&all["count"], &all["entries"]), (&json!(2), &Value::Null));
    let wrong = json!({ "action": "list", "project_id": "Tunnel" });
    assert_eq!(mind.error("kn_project", wrong).await, "Project not found: Tunnel");
}

#[tokio::test]
async fn ideas_move_step_by_step_and_are_linked_once() {
    let mind = Mind::fresh().await;
    let node = mind.add("Harbour", "").await;
    let new = json!({ "action": "create", "title": "A crane", "score": 3, "link_to": node });
    let idea = mind.call("kn_idea", new).await;
    assert_eq!((&idea["status"], &idea["linked_to"]), (&json!("draft"), &json!(node)));
    assert_eq!(idea["category"], Value::Null);
    let update = |more: Value| {
        let mut arguments =
            json!({ "action": "update", "idea_id": idea["id"], "title": "A crane" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    assert_eq!(
        mind.error("kn_idea", update(json!({ "status": "approved" }))).await,
        "Invalid status transition from 'draft' to 'approved'. Allowed transitions: ['evaluating']"
    );
    let stuck = mind.call("kn_idea", update(json!({ "status": "archived" }))).await;
    assert_eq!(stuck["hint"], "update it step by step: evaluating, then archived");
    let again =
        mind.call("kn_idea", update(json!({ "status": "evaluating", "link_to": node }))).await;
    assert_eq!((&again["status"], &again["score"]), (&json!("evaluating"), &json!(3.0)));
    let lost = mind.call("kn_idea", update(json!({ "link_to": "nowhere" }))).await;
    assert_eq!(
        (&lost["linked_to"], &lost["link_error"]),
        (&Value::Null, &json!("Node not found: nowhere"))
    );
    mind.call("kn_idea", json!({ "title": "Unscored" })).await;
    mind.call("kn_idea", json!({ "action": "create", "title": "Best", "score": 9 })).await;
    let list = mind.call("kn_ideas", json!({})).await;
    let titles: Vec<_> =
        list["ideas"].as_array().unwrap().iter().map(|i| i["title"].clone()).collect();
    assert_eq!(titles, ["Best", "A crane", "Unscored"]);
    let only = json!({ "action": "list", "status": "evaluating" });
    assert_eq!(mind.call("kn_idea", only).await["count"], 1);
    let near = json!({ "action": "related", "node_id": idea["id"] });
    assert_eq!(mind.call("kn_intel", near).await["count"], 1);
}

//! Tests of the code graph, through the registry and the KOI API on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod allowed;
mod asking;
mod going_on;
#[path = "../shared/place.rs"]
mod place;
mod repositories;
mod world;

use std::fs;
use std::path::Path;

use lore_tools::koi::Ask;
use serde_json::{Value, json};

use world::{PYTHON, World, kitchen};

#[tokio::test]
async fn a_repository_is_scanned_asked_and_searched() {
    let world = kitchen().await;
    let done = world.scan().await;
    assert_eq!((&done["repo"], &done["files_processed"]), (&json!("me/repo"), &json!(3)));
    assert_eq!((&done["total_files"], &done["code_entities"]), (&json!(3), &json!(4)));
    assert!(done["code_edges"].as_u64().unwrap() > 5, "{done}");
    let callers = "MATCH (a)-[c:CALLS]->(b:Function {name: 'heat'}) \
                   RETURN a.name AS caller, a.receiver_type, c.line_number AS line";
    let wanted = json!([{ "caller": "boil", "a.receiver_type": "Kettle", "line": 8 }]);
    assert_eq!(json!(world.rows(callers).await), wanted);
    let found = world.call("knowledge_search", json!({ "query": "water sings warm" })).await;
    assert_eq!(found["results"][0]["rid"], "github:me/repo:helpers.py", "{found}");
    assert_eq!(found["results"][0]["source"], "github-sensor");
    assert_eq!(found["results"][0]["metadata"]["untrusted"], true);
    let chunk = &found["chunk_results"][0];
    assert_eq!(chunk["chunk_rid"], "github:me/repo:helpers.py#entity:heat", "{chunk}");
    let narrowed = json!({ "query": "porcelain", "source": "github" });
    let found = world.call("knowledge_search", narrowed).await;
    assert_eq!(found["results"][0]["title"], "README.md");
    let recalled = world.call("kn_intel", json!({ "action": "recall", "topic": "porcelain" }));
    assert!(recalled.await.to_string().contains("README.md"));
    let entities = world.call("koi_search", json!({ "query": "me/repo" })).await;
    assert_eq!(entities["results"][0]["type"], "Project", "{entities}");
}

/// Search and memory find the same files. A symbol's name does not make it an entity that names are
/// resolved to.
#[tokio::test]
async fn files_are_found_by_what_they_define_through_other_doors() {
    let world = kitchen().await;
    world.scan().await;
    let known = world.call("kn_graph", json!({ "action": "query", "text": "Kettle" })).await;
    assert_eq!((&known["count"], &known["nodes"][0]["name"]), (&json!(1), &json!("tea.py")));
    for (words, title) in [("Kettle", "tea.py"), ("water until it sings", "helpers.py")] {
        let search = json!({ "query": words, "source": "github" });
        let found = world.call("knowledge_search", search).await;
        assert_eq!(found["results"][0]["title"], title, "{found}");
    }
    let named = world.call("resolve_entity", json!({ "label": "boil" })).await;
    assert_eq!((&named["candidates"], &named["is_new"]), (&json!([]), &json!(true)));
}

#[tokio::test]
async fn editing_one_file_changes_only_its_symbols() {
    let world = kitchen().await;
    world.scan().await;
    let all = "MATCH (n) WHERE n.file_path <> 'helpers.py' RETURN n.entity_id ORDER BY n.entity_id";
    let others = world.rows(all).await;
    assert!(others.len() >= 5);
    world.write("helpers.py", "def cool(litres):\n    return 4\n");
    let done = world.call("github_scan", json!({ "action": "scan", "repo_name": "me/repo" })).await;
    assert_eq!(done["results"][0]["files_processed"], 1, "{done}");
    assert_eq!(world.rows(all).await, others);
    let names = "MATCH (f:Function {file_path: 'helpers.py'}) RETURN f.name AS name";
    assert_eq!(world.rows(names).await, [json!({ "name": "cool" })]);
    let found = world.call("knowledge_search", json!({ "query": "sings" })).await;
    assert!(!found.to_string().contains("until it sings"), "{found}");
    fs::remove_file(world.directory.path().join("repo/tea.py")).unwrap();
    let done = world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(done["results"][0]["files_removed"], 1);
    assert!(world.rows("MATCH (c:Class) RETURN c.name").await.is_empty());
    // A file that comes back is restored from the bin.
    world.write("tea.py", PYTHON);
    world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(world.rows("MATCH (c:Class) RETURN c.name").await.len(), 1);
    let found = world.call("knowledge_search", json!({ "query": "boils water for tea" })).await;
    assert_eq!(found["results"][0]["rid"], "github:me/repo:tea.py");
}

#[tokio::test]
async fn the_status_has_the_form_of_the_contract() {
    let world = kitchen().await;
    let none = world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(none["status"], "no_repos");
    world.scan().await;
    let status = world.call("github_scan", json!({})).await;
    for field in "running scan_interval_seconds last_scan total_scans active_repos total_files \
                  total_code_entities total_documents total_chunks total_embeddings"
        .split_whitespace()
    {
        assert!(!status[field].is_null(), "{field}: {status}");
    }
    let repo = &status["repos"][0];
    assert_eq!((&repo["repo_name"], &repo["status"]), (&json!("me/repo"), &json!("active")));
    assert_eq!((&repo["file_count"], &repo["code_entity_count"]), (&json!(3), &json!(4)));
    let files = world.ask(Ask::get(["github", "files"]).with("limit", Some(2))).await;
    assert_eq!(files["count"], 2);
    assert_eq!(files["files"][0]["file_path"], "README.md");
    let unknown = json!({ "action": "scan", "repo_name": "no/such" });
    let refused = world.try_call(world.owner, "github_scan", unknown).await.unwrap_err();
    assert!(refused.to_string().contains("no/such"), "{refused}");
}

#[tokio::test]
async fn a_store_that_is_opened_again_has_its_graph() {
    let world = kitchen().await;
    world.scan().await;
    let count = "MATCH (n)-[r]->() RETURN count(r) AS n";
    let before = world.rows(count).await;
    let World { app, directory, .. } = world;
    drop(app);
    let world = World::at(directory).await;
    assert_eq!(world.rows(count).await, before);
    let done = world.call("github_scan", json!({ "action": "scan" })).await;
    assert_eq!(done["results"][0]["files_processed"], 0);
}

#[tokio::test]
async fn a_folder_under_git_tells_its_commit() {
    let world = kitchen().await;
    let origin = Path::new(&world.folder("repo")).to_owned();
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let done = std::process::Command::new("git")
            .current_dir(&origin)
            .args(identity)
            .args(words)
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "one"]);
    let done = world.scan().await;
    assert_eq!(done["head_sha"], git(&["rev-parse", "HEAD"]));
    let status = world.call("github_scan", json!({})).await;
    assert_eq!(status["repos"][0]["last_commit_sha"], done["head_sha"]);
}

#[tokio::test]
async fn nodes_and_edges_tell_which_scan_read_them() {
    let world = kitchen().await;
    world.scan().await;
    let nodes = "MATCH (n) WHERE n.name <> 'me/repo' \
                 RETURN n.file_path AS path, n.extraction_run_id AS run, count(*) AS n ORDER BY path";
    let before = world.rows(nodes).await;
    let first = before[0]["run"].clone();
    assert!(first.is_string() && before.iter().all(|row| row["run"] == first), "{before:?}");
    let edges = "MATCH (a)-[r]->() RETURN DISTINCT a.file_path AS path, \
                 r.extraction_run_id AS run, r.edge_id AS edge ORDER BY edge";
    let joined = world.rows(edges).await;
    let count = "MATCH ()-[r]->() RETURN count(r) AS n, count(r.edge_id) AS ids";
    let count = &world.rows(count).await[0];
    assert_eq!((&count["n"], &count["ids"]), (&json!(joined.len()), &json!(joined.len())));
    world.write("tea.py", &PYTHON.replace("litres)", "cups)"));
    world.call("github_scan", json!({ "action": "scan" })).await;
    let after = world.rows(nodes).await;
    for row in &after {
        let is_new = row["path"] == "tea.py";
        assert_eq!(row["run"] != first, is_new, "{row}");
        assert!(!is_new || row["run"].as_str() > first.as_str(), "later scans have greater ids");
    }
    let now = world.rows(edges).await;
    let of = |rows: &[Value], path: &str| -> Vec<Value> {
        rows.iter().filter(|row| row["path"] == path).cloned().collect()
    };
    assert_eq!(of(&now, "helpers.py"), of(&joined, "helpers.py"));
    assert!(of(&now, "tea.py").iter().all(|row| row["run"] != first));
    let folder = "MATCH (m:Module {name: 'me/repo'}) RETURN m.extraction_run_id AS run";
    assert_ne!(world.rows(folder).await[0]["run"], first);
    let id = of(&now, "helpers.py")[0]["edge"].clone();
    let one = format!("MATCH ()-[r {{edge_id: {id}}}]->() RETURN properties(r) AS known");
    let known = world.rows(&one).await;
    assert_eq!((known.len(), &known[0]["known"]["edge_id"]), (1, &id), "{known:?}");
    let help = world.call("code_query", json!({ "cypher": "" })).await["help"].to_string();
    assert!(help.contains("edge_id") && help.contains("extraction_run_id"), "{help}");
}

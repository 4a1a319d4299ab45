//! Repositories: their names, failing ones, and removed ones.

use std::fs;

use lore_core::Error;
use lore_tools::koi::{Ask, Failure};
use serde_json::{Value, json};

use crate::world::kitchen;

#[tokio::test]
async fn a_folder_has_one_name() {
    let world = kitchen().await;
    world.scan().await;
    let folder = world.folder("repo");
    let add = |body: Value| world.try_ask(world.owner, Ask::post(["github", "repos"], body));
    let again = add(json!({ "repo_url": folder })).await.unwrap();
    assert_eq!(again["repo_name"], "me/repo", "{again}");
    let dotted = format!("{folder}/../repo/.");
    let twice = add(json!({ "repo_url": dotted, "repo_name": "other" })).await;
    let Err(Failure::Failed(Error::Invalid { problem, .. })) = twice else { panic!("{twice:?}") };
    assert!(problem.contains("me/repo"), "{problem}");
    assert_eq!(world.call("github_scan", json!({})).await["active_repos"], 1);
    let unknown =
        world.try_call(world.owner, "github_scan", json!({ "action": "no such thing" })).await;
    assert!(format!("{unknown:?}").contains("action"), "{unknown:?}");
}

#[tokio::test]
async fn what_is_forgotten_is_gone_and_can_be_added_again() {
    let world = kitchen().await;
    world.scan().await;
    let gone = world.post("github/repos/remove", json!({ "repo_name": "me/repo" })).await;
    assert_eq!(gone["status"], "removed");
    assert!(world.rows("MATCH (n) RETURN n.name").await.is_empty());
    assert_eq!(world.call("github_scan", json!({})).await["active_repos"], 0);
    let again = world.post("github/repos/remove", json!({ "repo_name": "me/repo" })).await;
    assert_eq!(again["status"], "not_found");
    assert_eq!(world.scan().await["files_processed"], 3);
    assert_eq!(world.rows("MATCH (c:Class) RETURN c.name").await.len(), 1);
}

#[tokio::test]
async fn a_repository_that_is_forgotten_while_scans_wait_stays_forgotten() {
    let world = kitchen().await;
    world.scan().await;
    let scan = || async {
        let input = json!({ "action": "scan", "repo_name": "me/repo" });
        world.try_call(world.owner, "github_scan", input).await
    };
    let gone = world.post("github/repos/remove", json!({ "repo_name": "me/repo" }));
    let (_, gone, _, _) = tokio::join!(scan(), gone, scan(), scan());
    assert_eq!(gone["status"], "removed");
    assert!(world.rows("MATCH (n) RETURN n.name").await.is_empty());
    let files = world.ask(Ask::get(["github", "files"]).with("repo_name", Some("me/repo"))).await;
    assert_eq!(files["count"], 0);
}

#[tokio::test]
async fn a_bad_repository_does_not_keep_others_from_being_scanned() {
    let world = kitchen().await;
    fs::create_dir_all(world.directory.path().join("gone")).unwrap();
    world.post("github/repos", json!({ "repo_url": world.folder("gone") })).await;
    fs::remove_dir(world.directory.path().join("gone")).unwrap();
    let added = json!({ "repo_url": world.folder("repo"), "repo_name": "me/repo" });
    world.post("github/repos", added).await;
    let done = world.post("github/scan", json!({})).await;
    assert_eq!(done["results"][0]["repo"], "gone");
    assert!(done["results"][0]["error"].as_str().unwrap().contains("is not a folder"), "{done}");
    assert_eq!(done["results"][1]["total_files"], 3);
    let status = world.call("github_scan", json!({})).await;
    assert_eq!(status["repos"][0]["status"], "error");
}

#[tokio::test]
async fn a_first_scan_that_fails_leaves_its_name_to_others() {
    let world = kitchen().await;
    let gone = world.directory.path().join("gone");
    fs::create_dir_all(&gone).unwrap();
    let named = |folder: String| json!({ "repo_url": folder, "repo_name": "me/repo" });
    world.post("github/repos", named(gone.display().to_string())).await;
    fs::remove_dir(&gone).unwrap();
    world.scan_again().await;
    assert_eq!(world.status().await["status"], "error");
    let done = world.scan().await;
    assert_eq!(done["total_files"], 3, "{done}");
    fs::create_dir_all(&gone).unwrap();
    let taken = named(gone.display().to_string());
    let refused = world.try_ask(world.owner, Ask::post(["github", "repos"], taken)).await;
    assert!(refused.is_err(), "{refused:?}");
}

#[tokio::test]
async fn what_is_no_repository_is_refused_by_the_name_of_its_field() {
    let world = kitchen().await;
    let folder = world.folder("repo");
    let page = "https://git.example.org/owner/name";
    let bare = world.directory.path().join("up.git");
    for part in ["objects", "refs"] {
        fs::create_dir_all(bare.join(part)).unwrap();
    }
    fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let bare = bare.display().to_string();
    for (source, branch, named) in [
        ("ssh://git@[-oProxyCommand=x]/x", None, "repo_url"),
        ("git@:x/y", None, "repo_url"),
        (page, Some("a b"), "branch"),
        (&folder, Some("main"), "branch"),
        (&bare, None, "repo_url"),
    ] {
        let body = json!({ "repo_url": source, "repo_name": "a/b", "branch": branch });
        let refused = world.try_ask(world.owner, Ask::post(["github", "repos"], body)).await;
        let Err(Failure::Failed(Error::Invalid { field, hint, .. })) = refused else {
            panic!("{source}: {refused:?}");
        };
        assert_eq!(field, named, "{source}");
        assert!(!hint.is_empty());
    }
    let empty = json!({ "repo_url": folder, "branch": "" });
    assert_eq!(world.post("github/repos", empty).await["status"], "added");
}

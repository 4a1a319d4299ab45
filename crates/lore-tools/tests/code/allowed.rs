//! Who may add, scan and see code.

use std::fs;

use lore_app::access::{Identity, Presence, enter};
use lore_app::worlds;
use lore_core::{Error, Principal, Role};
use lore_tools::CallError;
use lore_tools::koi::{self, Ask, Failure};
use serde_json::json;

use crate::world::{World, kitchen};

#[tokio::test]
async fn players_neither_add_nor_scan_nor_see_code() {
    let world = kitchen().await;
    world.scan().await;
    let player = world.member("Alice", Role::Player).await;
    assert!(world.rows_of(player, "MATCH (n) RETURN n.name").await.is_empty());
    let found = world.try_call(player, "knowledge_search", json!({ "query": "sings" })).await;
    assert_eq!(found.unwrap()["count"], 0);
    let add = json!({ "repo_url": world.folder("open") });
    for (path, body) in [("github/repos", add), ("github/scan", json!({}))] {
        let refused = world.try_ask(player, Ask::post(path.split('/'), body)).await;
        assert!(matches!(refused, Err(Failure::Failed(Error::Forbidden { .. }))), "{refused:?}");
    }
    let scan = world.try_call(player, "github_scan", json!({ "action": "scan" })).await;
    assert!(matches!(scan, Err(CallError::Failed(Error::Forbidden { .. }))));
    let status = world.try_call(player, "github_scan", json!({})).await.unwrap();
    assert_eq!(status["active_repos"], 0);
}

#[tokio::test]
async fn others_than_the_person_at_the_machine_add_only_what_is_allowed() {
    let world = kitchen().await;
    let gm = world.member("Bob", Role::Gm).await;
    fs::create_dir_all(world.directory.path().join("open/inner")).unwrap();
    let outside = world.folder("repo");
    let around = format!("{}/../repo", world.folder("open"));
    let missing = world.folder("no such folder");
    for source in [outside.as_str(), &around, &missing, "/etc", "git@github.com:a/b"] {
        let ask = Ask::post(["github", "repos"], json!({ "repo_url": source }));
        let refused = world.try_ask(gm, ask).await;
        assert!(
            matches!(refused, Err(Failure::Failed(Error::Forbidden { .. }))),
            "{source}: {refused:?}"
        );
    }
    let ask = Ask::post(["github", "repos"], json!({ "repo_url": world.folder("open/inner") }));
    assert_eq!(world.try_ask(gm, ask).await.unwrap()["repo_name"], "inner");
    for source in ["", "--upload-pack=x", "ext::sh -c x", "relative/path", "http://example.org/a"] {
        let ask = Ask::post(["github", "repos"], json!({ "repo_url": source }));
        let refused = world.try_ask(world.owner, ask).await;
        let invalid = matches!(refused, Err(Failure::Failed(Error::Invalid { .. })));
        assert!(invalid, "{source}: {refused:?}");
    }
}

#[tokio::test]
async fn a_token_in_the_owners_name_is_not_the_person_at_the_machine() {
    let world = kitchen().await;
    let bearer = world.bearer("owner", Role::Owner).await;
    assert_eq!(bearer.principal, Principal::LOCAL, "the token is the owner's own");
    assert_eq!(
        (bearer.presence(), Identity::LOCAL.presence()),
        (Presence::Anywhere, Presence::Here)
    );
    let mut call = world.call_by(enter(&world.app, bearer, None).await.unwrap());
    call.presence = bearer.presence();
    for source in [world.folder("repo"), world.folder("missing"), "git@github.com:a/b".into()] {
        let ask = Ask::post(["github", "repos"], json!({ "repo_url": source }));
        let refused = koi::answer(&call, ask).await;
        let forbidden = matches!(refused, Err(Failure::Failed(Error::Forbidden { .. })));
        assert!(forbidden, "{source}: {refused:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_is_read_only_as_long_as_it_is_the_one_that_was_allowed() {
    let world = kitchen().await;
    let gm = world.member("Bob", Role::Gm).await;
    let inner = world.directory.path().join("open/inner");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("a.py"), "def a(): pass").unwrap();
    let ask = Ask::post(["github", "repos"], json!({ "repo_url": world.folder("open/inner") }));
    world.try_ask(gm, ask).await.unwrap();
    let scan = json!({ "action": "scan" });
    let done = world.try_call(gm, "github_scan", scan.clone()).await.unwrap();
    assert_eq!(done["results"][0]["total_files"], 1, "{done}");
    // The folder is no longer in the configuration.
    let World { directory, app, .. } = world;
    drop(app);
    let world = World::with_paths(directory, Vec::new()).await;
    let done = world.call("github_scan", scan.clone()).await;
    let error = done["results"][0]["error"].as_str().unwrap();
    assert!(error.contains("no longer"), "{error}");
    // The folder is in the configuration again, but leads elsewhere.
    let World { directory, app, .. } = world;
    drop(app);
    let world = World::at(directory).await;
    fs::rename(&inner, world.directory.path().join("open/moved")).unwrap();
    std::os::unix::fs::symlink(world.folder("repo"), &inner).unwrap();
    let done = world.call("github_scan", scan).await;
    let error = done["results"][0]["error"].as_str().unwrap();
    assert!(error.contains("link"), "{error}");
    assert_eq!(world.rows("MATCH (f:File) RETURN f.name").await.len(), 1);
}

#[tokio::test]
async fn another_world_has_none_of_it() {
    let world = kitchen().await;
    world.scan().await;
    let other = worlds::create(&world.app, Principal::LOCAL, "Elsewhere", "test").await.unwrap();
    let there = world.app.store.enter(Principal::LOCAL, other.id).await.unwrap().unwrap();
    assert!(world.rows_of(there, "MATCH (n) RETURN n.name").await.is_empty());
    let found = world.try_call(there, "knowledge_search", json!({ "query": "sings" })).await;
    assert_eq!(found.unwrap()["count"], 0);
}

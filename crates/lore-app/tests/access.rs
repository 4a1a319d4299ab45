//! Entering worlds: which role a caller gets in another world.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use lore_app::access::{Doorkeeper, Identity, create_token, enter, in_another};
use lore_app::{App, worlds};
use lore_core::{Effects, Principal, Role, Viewer, Visibility};
use lore_sqlite::SqliteStore;

struct Stage {
    app: Arc<App>,
    here: Viewer,
    there: Viewer,
    _directory: tempfile::TempDir,
}

impl Stage {
    async fn set() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let effects = Effects::system();
        let file = directory.path().join("store.sqlite");
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let app = Arc::new(App::new(Arc::new(store), effects));
        let here = enter(&app, Identity::LOCAL, None).await.unwrap();
        let other = worlds::create(&app, Principal::LOCAL, "Other", "test").await.unwrap();
        let there = app.store.enter(Principal::LOCAL, other.id).await.unwrap().unwrap();
        Self { app, here, there, _directory: directory }
    }

    async fn with_token(&self, owner: &Viewer, name: &str, role: Role) -> Viewer {
        let token = create_token(&self.app, owner, name, role).await.unwrap();
        let doorkeeper = Doorkeeper::new(Arc::clone(&self.app));
        let identity = doorkeeper.identify(&token.secret).await.unwrap().unwrap();
        enter(&self.app, identity, None).await.unwrap()
    }
}

#[tokio::test]
async fn in_another_world_nobody_is_more_than_here_nor_than_they_are_there() {
    let stage = Stage::set().await;
    for here in Role::ALL {
        for there in Role::ALL {
            let name = format!("{here} and {there}");
            stage.with_token(&stage.there, &name, there).await;
            let caller = stage.with_token(&stage.here, &name, here).await;
            let entered = in_another(&stage.app, &caller, stage.there.world).await.unwrap();
            let entered = entered.unwrap();
            assert_eq!((entered.role, entered.world), (here.min(there), stage.there.world));
            let own = Visibility::Private(caller.principal).admits(&entered);
            assert_eq!(own, here > Role::Reader, "{name}: a reader's token shows nobody's own");
        }
    }
}

#[tokio::test]
async fn who_has_no_token_of_another_world_is_nobody_there() {
    let stage = Stage::set().await;
    let caller = stage.with_token(&stage.here, "Sam", Role::Owner).await;
    let entered = in_another(&stage.app, &caller, stage.there.world).await.unwrap();
    assert_eq!(entered, None);
    let owner = in_another(&stage.app, &stage.here, stage.there.world).await.unwrap();
    assert_eq!(owner, Some(stage.there), "the person at the machine owns both");
}

/// Whatever else its holder may enter with other tokens.
#[tokio::test]
async fn a_token_tells_of_its_own_world_alone() {
    let stage = Stage::set().await;
    stage.with_token(&stage.there, "Sam", Role::Owner).await;
    let token = create_token(&stage.app, &stage.here, "Sam", Role::Owner).await.unwrap();
    let doorkeeper = Doorkeeper::new(Arc::clone(&stage.app));
    let identity = doorkeeper.identify(&token.secret).await.unwrap().unwrap();
    let refused = async |world| {
        let error = enter(&stage.app, identity, Some(world)).await.unwrap_err();
        format!("{error} {}", error.hint())
    };
    assert_eq!(refused("Other").await.replace("Other", "Absent"), refused("Absent").await);
    assert!(!refused("Absent").await.contains("Other"));
}

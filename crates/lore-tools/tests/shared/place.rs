//! What the test worlds of all suites start with: a store in a folder of its own, and people with
//! tokens.

use std::path::Path;
use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Doorkeeper, Identity, create_token};
use lore_core::{Effects, Role, Viewer};
use lore_sqlite::SqliteStore;

/// Creates an application with a store in a folder.
pub(crate) fn app_in(folder: &Path, effects: Effects) -> App {
    let file = folder.join("store.sqlite");
    let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
    App::new(Arc::new(store), effects)
}

/// Issues a new token for the world of `owner` and returns the identity of its bearer.
pub(crate) async fn bearer(app: &Arc<App>, owner: &Viewer, name: &str, role: Role) -> Identity {
    let issued = create_token(app, owner, name, role).await.unwrap();
    let keeper = Doorkeeper::new(Arc::clone(app));
    keeper.identify(&issued.secret).await.unwrap().unwrap()
}

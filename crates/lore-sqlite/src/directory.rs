//! Worlds, and which roles principals have in them.
//!
//! A principal has a role in a world because they created it or because they hold an unrevoked
//! token. If there are several roles, the highest counts: revoking a token takes its right away,
//! and a token with a lower role takes nothing away from an owner.

use async_trait::async_trait;
use lore_core::names::name_key;
use lore_core::{
    Principal, PrincipalId, Role, Timestamp, TokenId, Uid, Viewer, Visibility, World, WorldId,
};
use lore_store::{
    Directory, NewToken, Origin, StoreResult, StoredToken, TokenInfo, Touch, WORLDS_URI,
};
use rusqlite::{Connection, params};
use serde_json::json;

use crate::audit::{self, Author};
use crate::fault::{Answer, invalid, missing};
use crate::rows::{self, Fields};
use crate::slate::Slate;
use crate::store::SqliteStore;
use crate::{changes, tokens};

/// Selects the ids of the worlds in which a principal has a role.
const OPEN_TO: &str = "SELECT world FROM membership WHERE principal = ?1
    UNION SELECT world FROM token WHERE principal = ?1 AND revoked_at IS NULL";

#[async_trait]
impl Directory for SqliteStore {
    async fn worlds(&self, principal: PrincipalId) -> StoreResult<Vec<World>> {
        self.read(move |db| worlds(db, principal)).await
    }

    async fn create_world(
        &self,
        principal: PrincipalId,
        uid: Uid,
        name: String,
        origin: Origin,
        at: Timestamp,
    ) -> StoreResult<World> {
        self.write(move |slate| {
            let world = create_world(slate, principal, uid, &name, &origin, at)?;
            announce(slate, principal, &world)?;
            Ok(world)
        })
        .await
    }

    async fn rename_world(
        &self,
        viewer: &Viewer,
        name: String,
        origin: Origin,
        at: Timestamp,
    ) -> StoreResult<World> {
        tokens::only_owner(viewer, "rename the world")?;
        let viewer = *viewer;
        self.write(move |slate| rename_world(slate, &viewer, &name, &origin, at)).await
    }

    async fn principal(&self, id: PrincipalId) -> StoreResult<Option<Principal>> {
        self.glance(move |db| {
            let mut statement = db.prepare_cached("SELECT name FROM principal WHERE id = ?1")?;
            rows::first(statement.query([id.0])?, |row| {
                Ok(Principal { id, name: Fields::of(row).take()? })
            })
        })
        .await
    }

    async fn default_world(&self, principal: PrincipalId) -> StoreResult<Option<WorldId>> {
        self.glance(move |db| default_world(db, principal)).await
    }

    async fn set_default_world(&self, principal: PrincipalId, world: WorldId) -> StoreResult<()> {
        self.write(move |db| set_default_world(db, principal, world)).await
    }

    async fn enter(&self, principal: PrincipalId, world: WorldId) -> StoreResult<Option<Viewer>> {
        self.glance(move |db| {
            let role = role_in(db, principal, world)?;
            Ok(role.map(|role| Viewer { principal, world, role }))
        })
        .await
    }

    async fn everybody(&self) -> StoreResult<Vec<Viewer>> {
        self.read(everybody).await
    }

    async fn create_token(&self, viewer: &Viewer, token: NewToken) -> StoreResult<TokenInfo> {
        tokens::only_owner(viewer, "make tokens")?;
        let viewer = *viewer;
        self.write(move |db| tokens::create(db, &viewer, &token)).await
    }

    async fn tokens(&self, viewer: &Viewer) -> StoreResult<Vec<TokenInfo>> {
        tokens::only_owner(viewer, "list tokens")?;
        let world = viewer.world;
        self.read(move |db| tokens::of_world(db, world)).await
    }

    async fn revoke_token(&self, viewer: &Viewer, id: TokenId, at: Timestamp) -> StoreResult<()> {
        tokens::only_owner(viewer, "revoke tokens")?;
        let viewer = *viewer;
        self.write(move |db| tokens::revoke(db, &viewer, id, at)).await
    }

    async fn token(&self, public_id: &str) -> StoreResult<Option<StoredToken>> {
        let public_id = public_id.to_owned();
        self.glance(move |db| tokens::by_public_id(db, &public_id)).await
    }

    async fn has_tokens(&self) -> StoreResult<bool> {
        self.glance(tokens::any).await
    }
}

/// Creates a world and its owner's membership.
pub(crate) fn create_world(
    db: &Connection,
    owner: PrincipalId,
    uid: Uid,
    name: &str,
    origin: &Origin,
    at: Timestamp,
) -> Answer<World> {
    if name.trim().is_empty() {
        return Err(invalid("a world's name is empty"));
    }
    if !db.prepare_cached("SELECT 1 FROM principal WHERE id = ?1")?.exists([owner.0])? {
        return Err(missing(format!("principal {owner}")));
    }
    let at_micros = rows::micros(at);
    db.prepare_cached(
        "INSERT INTO world (uid, name, name_key, created_at) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![uid.as_bytes(), name, name_key(name), at_micros])?;
    let id = db.last_insert_rowid();
    db.prepare_cached("INSERT INTO membership (principal, world, role) VALUES (?1, ?2, ?3)")?
        .execute(params![owner.0, id, Role::Owner.as_str()])?;
    let author = Author { world: id, principal: owner.0, at: at_micros };
    let note = json!({ "op": "create_world", "id": id, "uid": uid.to_string(), "version": 1 });
    audit::write(db, author, origin, vec![note])?;
    Ok(World { id: WorldId(id), uid, name: name.to_owned(), created_at: at })
}

/// Renames a world, and logs the change in every world whose members list it.
fn rename_world(
    slate: &Slate<'_>,
    viewer: &Viewer,
    name: &str,
    origin: &Origin,
    at: Timestamp,
) -> Answer<World> {
    if name.trim().is_empty() {
        return Err(invalid("a world's name is empty"));
    }
    let known = worlds(slate, viewer.principal)?;
    let old = known.iter().find(|world| world.id == viewer.world);
    let old = old.cloned().ok_or_else(|| missing(format!("world {}", viewer.world)))?;
    slate
        .prepare_cached("UPDATE world SET name = ?2, name_key = ?3 WHERE id = ?1")?
        .execute(params![viewer.world.0, name, name_key(name)])?;
    let at_micros = rows::micros(at);
    let author = Author { world: viewer.world.0, principal: viewer.principal.0, at: at_micros };
    let replaced = json!({ "name": old.name });
    let note = json!({ "op": "rename_world", "id": old.id.0, (audit::REPLACED): replaced });
    audit::write(slate, author, origin, vec![note])?;
    for world in known {
        // All members of the renamed world list it. In other worlds only the owner certainly does.
        let visibility = match world.id == old.id {
            true => Visibility::Members,
            false => Visibility::Private(viewer.principal),
        };
        let list = Touch { uri: WORLDS_URI.to_owned(), visibility };
        changes::append(slate, world.id.0, at_micros, std::slice::from_ref(&list))?;
    }
    Ok(World { name: name.to_owned(), ..old })
}

/// Logs that the list of worlds has changed. Each world has its own change log, so every other
/// world of the owner gets an entry. The new world needs none, since nobody can be subscribed in it
/// yet, and nobody else's list has changed.
fn announce(slate: &Slate<'_>, owner: PrincipalId, new: &World) -> Answer<()> {
    let list = Touch { uri: WORLDS_URI.to_owned(), visibility: Visibility::Private(owner) };
    for world in worlds(slate, owner)?.into_iter().filter(|world| world.id != new.id) {
        let at = rows::micros(new.created_at);
        changes::append(slate, world.id.0, at, std::slice::from_ref(&list))?;
    }
    Ok(())
}

/// Sets the world a principal works in when they name none.
pub(crate) fn set_default_world(
    db: &Connection,
    principal: PrincipalId,
    world: WorldId,
) -> Answer<()> {
    role_in(db, principal, world)?.ok_or_else(|| missing(format!("world {world}")))?;
    db.prepare_cached("UPDATE principal SET default_world = ?2 WHERE id = ?1")?
        .execute(params![principal.0, world.0])?;
    Ok(())
}

fn worlds(db: &Connection, principal: PrincipalId) -> Answer<Vec<World>> {
    let sql = format!(
        "SELECT id, uid, name, created_at FROM world WHERE id IN ({OPEN_TO}) ORDER BY name_key"
    );
    let mut statement = db.prepare_cached(&sql)?;
    rows::all(statement.query([principal.0])?, |row| {
        let mut fields = Fields::of(row);
        Ok(World {
            id: WorldId(fields.take()?),
            uid: fields.uid()?,
            name: fields.take()?,
            created_at: fields.moment()?,
        })
    })
}

/// The default world of a principal, unless they no longer have a role in it.
fn default_world(db: &Connection, principal: PrincipalId) -> Answer<Option<WorldId>> {
    let sql = format!(
        "SELECT default_world FROM principal WHERE id = ?1 AND default_world IN ({OPEN_TO})"
    );
    let mut statement = db.prepare_cached(&sql)?;
    rows::first(statement.query([principal.0])?, |row| Ok(WorldId(Fields::of(row).take()?)))
}

fn everybody(db: &Connection) -> Answer<Vec<Viewer>> {
    let sql = "SELECT world, principal, role FROM membership
               UNION SELECT world, principal, role FROM token WHERE revoked_at IS NULL
               ORDER BY 1, 2, 3";
    let mut statement = db.prepare_cached(sql)?;
    rows::all(statement.query([])?, |row| {
        let mut fields = Fields::of(row);
        let (world, principal) = (WorldId(fields.take()?), PrincipalId(fields.take()?));
        Ok(Viewer { principal, world, role: fields.role()? })
    })
}

fn role_in(db: &Connection, principal: PrincipalId, world: WorldId) -> Answer<Option<Role>> {
    let sql = "SELECT role FROM membership WHERE principal = ?1 AND world = ?2
               UNION SELECT role FROM token
                 WHERE principal = ?1 AND world = ?2 AND revoked_at IS NULL";
    let mut statement = db.prepare_cached(sql)?;
    let roles = rows::all(statement.query([principal.0, world.0])?, |row| Fields::of(row).role())?;
    Ok(roles.into_iter().max())
}

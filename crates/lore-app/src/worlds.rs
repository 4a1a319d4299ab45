//! Worlds: listing, creating, renaming and choosing them.

use lore_core::{Error, PrincipalId, Result, Uid, Viewer, World, WorldId, names};
use lore_store::Origin;

use crate::App;

/// Returns the worlds in which a principal has a role.
pub async fn list(app: &App, principal: PrincipalId) -> Result<Vec<World>> {
    Ok(app.store.worlds(principal).await?)
}

/// Creates a world owned by `principal`.
pub async fn create(app: &App, principal: PrincipalId, name: &str, by: &str) -> Result<World> {
    let name = names::checked_name("name", name)?;
    let uid = app.effects.uid();
    let origin = Origin::new(by, uid.to_string());
    Ok(app.store.create_world(principal, uid, name, origin, app.effects.now()).await?)
}

/// Renames the world that `viewer` is in.
pub async fn rename(app: &App, viewer: &Viewer, name: &str, by: &str) -> Result<World> {
    let name = names::checked_name("name", name)?;
    let origin = Origin::new(by, app.effects.uid().to_string());
    Ok(app.store.rename_world(viewer, name, origin, app.effects.now()).await?)
}

/// Makes `name` the default world of `principal`, entered when a request names none.
pub async fn choose(app: &App, principal: PrincipalId, name: &str) -> Result<World> {
    let world = resolve(app, principal, name).await?;
    app.store.set_default_world(principal, world.id).await?;
    Ok(world)
}

/// Returns the default world of `principal`; fails if none is chosen.
pub async fn default_world(app: &App, principal: PrincipalId) -> Result<WorldId> {
    let chosen = app.store.default_world(principal).await?;
    chosen.ok_or_else(|| Error::Precondition {
        message: "no world is chosen".into(),
        hint: "choose one with `lorewell world use NAME` or make one with `lorewell world create`"
            .into(),
    })
}

/// Finds a world of `principal` by name or uid.
pub async fn resolve(app: &App, principal: PrincipalId, name: &str) -> Result<World> {
    among(list(app, principal).await?, name)
}

/// Finds one of these worlds by name or uid. The error lists the names of all of them.
pub fn among(worlds: Vec<World>, name: &str) -> Result<World> {
    let wanted = [name, &names::plainly_spaced(name)].map(names::name_key);
    let uid = name.trim().parse::<Uid>().ok();
    let known: Vec<_> = worlds.iter().map(|world| world.name.clone()).collect();
    worlds
        .into_iter()
        .find(|world| wanted.contains(&names::name_key(&world.name)) || Some(world.uid) == uid)
        .ok_or_else(|| {
            Error::not_found(
                format!("the world {name:?}"),
                format!("the worlds you can enter are: {}", known.join(", ")),
            )
        })
}

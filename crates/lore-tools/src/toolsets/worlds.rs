//! Resources about the worlds that a caller can enter. They are always on.

use futures::FutureExt;
use lore_app::access::Presence;
use lore_app::worlds;
use lore_core::{Result, Role, World};
use serde_json::{Value, json};

use crate::call::Call;
use crate::resource::{Captures, News, Resource, UriPattern};

pub(super) fn resources() -> Vec<Resource> {
    vec![
        Resource {
            uri: UriPattern("lorewell://worlds"),
            name: "worlds",
            title: "Worlds",
            description: "The worlds you can enter, and which one you are in. Read it to find out \
                          where your data is stored.",
            toolset: None,
            role: Role::Reader,
            read: |call, _| read_all(call).boxed(),
            complete: None,
            news: News::Named,
        },
        Resource {
            uri: UriPattern("lorewell://world/{world}"),
            name: "world",
            title: "World",
            description: "One world by name or id: its id, name and age.",
            toolset: None,
            role: Role::Reader,
            read: |call, captures| read_one(call, captures).boxed(),
            complete: Some(|call, _, typed| complete(call, typed).boxed()),
            news: News::Named,
        },
    ]
}

async fn read_all(call: Call) -> Result<Value> {
    let worlds = open_to(&call).await?;
    let rows: Vec<_> = worlds.iter().map(|world| describe(&call, world)).collect();
    Ok(json!({ "worlds": rows }))
}

async fn read_one(call: Call, captures: Captures) -> Result<Value> {
    let name = captures.get("world").map_or("", String::as_str);
    let world = worlds::among(open_to(&call).await?, name)?;
    Ok(json!({ "world": describe(&call, &world) }))
}

async fn complete(call: Call, typed: String) -> Result<Vec<String>> {
    let typed = typed.to_lowercase();
    let worlds = open_to(&call).await?;
    let names = worlds.into_iter().map(|world| world.name);
    Ok(names.filter(|name| name.to_lowercase().starts_with(&typed)).collect())
}

/// Returns the worlds that a caller can enter. A caller with a token can enter only the token's
/// world, whatever other tokens of the same principal may allow.
async fn open_to(call: &Call) -> Result<Vec<World>> {
    let mut worlds = worlds::list(&call.app, call.viewer.principal).await?;
    if call.presence == Presence::Anywhere {
        worlds.retain(|world| world.id == call.viewer.world);
    }
    Ok(worlds)
}

fn describe(call: &Call, world: &World) -> Value {
    json!({
        "id": world.uid.to_string(),
        "name": world.name,
        "created_at": world.created_at.to_string(),
        "current": world.id == call.viewer.world,
    })
}

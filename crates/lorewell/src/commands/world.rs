//! `lorewell world`: lists, creates, renames and selects worlds.

use lore_app::access::{self, Identity};
use lore_app::worlds;
use lore_core::{Principal, names};

use crate::cli::World;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// Runs a `world` command as the local user.
pub(crate) async fn run(settings: &Settings, command: World) -> anyhow::Result<()> {
    let app = setup::open_without_services(settings).await?;
    let owner = Principal::LOCAL;
    match command {
        World::List => {
            // The world that calls are made in: named by option, of a configured campaign, or
            // chosen.
            let entered = access::enter(&app, Identity::LOCAL, settings.world.as_deref()).await;
            let current = entered.ok().map(|viewer| viewer.world);
            for world in worlds::list(&app, owner).await.map_err(advised)? {
                let mark = if Some(world.id) == current { "*" } else { " " };
                output::line(format!("{mark} {}  {}", world.name, world.uid));
            }
        }
        World::Create { name, choose } => {
            let world = worlds::create(&app, owner, &name, "world create").await;
            let world = world.map_err(advised)?;
            if choose {
                worlds::choose(&app, owner, &world.name).await.map_err(advised)?;
            }
            output::line(format!("made the world {}", world.name));
            if choose {
                tell_chosen(settings, &world.name);
            }
        }
        World::Use { name } => {
            let world = worlds::choose(&app, owner, &name).await.map_err(advised)?;
            output::line(format!("working in {}", world.name));
            tell_chosen(settings, &world.name);
        }
        World::Rename { name, new_name } => {
            let entered = access::enter(&app, Identity::LOCAL, Some(&name)).await;
            let viewer = entered.map_err(advised)?;
            let world = worlds::rename(&app, &viewer, &new_name, "world rename").await;
            output::line(format!("renamed {name} to {}", world.map_err(advised)?.name));
        }
    }
    Ok(())
}

/// What choosing a world means for programs that are running.
pub(super) const FOLLOWED: &str = "A running server uses it for new conversations, unless it was \
                                   started with --world; open ones stay where they are.";

/// Tells on stderr what the choice does not affect.
fn tell_chosen(settings: &Settings, name: &str) {
    match &settings.world {
        Some(named) if names::name_key(named) != names::name_key(name) => output::aside(format!(
            "{named:?} is named by --world, LOREWELL_WORLD, lorewell.toml or the settings of Kanka, \
             and goes before the chosen world"
        )),
        _ => output::aside(FOLLOWED),
    }
}

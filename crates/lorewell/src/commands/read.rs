//! `lorewell read`: the resources that clients read by URI, on the command line.

use lore_app::access::Presence;
use lore_core::Role;
use lore_tools::{Call, Registry};

use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// Prints a resource as the local user sees it, or lists those that are on.
pub(crate) async fn run(settings: &Settings, uri: Option<&str>) -> anyhow::Result<()> {
    let Some(uri) = uri else {
        list(settings);
        return Ok(());
    };
    let app = setup::open_with_what_works(settings).await?;
    let viewer = setup::local_viewer(&app, settings).await?;
    let parts = setup::server_parts(app);
    let mut call = Call::new(parts.app.clone(), viewer);
    call.presence = Presence::Here;
    let found = parts.registry.resource(&settings.selection, viewer.role, uri);
    let Some((resource, captures)) = found else {
        anyhow::bail!("there is no resource {uri:?}\n  try: `lorewell read` lists them");
    };
    output::json(&resource.document(call, captures).await.map_err(advised)?);
    Ok(())
}

fn list(settings: &Settings) {
    let registry = Registry::standard();
    let mut rows = vec![["uri", "about"].map(str::to_owned).to_vec()];
    let on = registry.resources(&settings.selection, Role::Owner);
    rows.extend(on.map(|resource| vec![resource.uri.0.to_owned(), resource.title.to_owned()]));
    output::table(&rows);
}

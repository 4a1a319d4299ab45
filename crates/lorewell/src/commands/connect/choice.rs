//! Whether the tools and the world that the options choose exist: with others, the server that the
//! client is told to start would end at once, and clients rarely show why.

use anyhow::bail;
use lore_app::worlds;
use lore_core::{Principal, names};

use crate::cli::Options;
use crate::config::{Settings, check_selection};
use crate::output::advised;
use crate::setup;

/// Fails if a server with these options would find their choice missing. Makes no store.
pub(super) async fn check(options: &Options) -> anyhow::Result<()> {
    check_selection(options)?;
    let Some(name) = &options.world else { return Ok(()) };
    let settings = Settings::without_faulty_services(options.clone())?;
    let mirror = settings.kanka.as_ref().map(|kanka| &kanka.mirror.world);
    if mirror.is_some_and(|mirror| names::name_key(mirror) == names::name_key(name)) {
        // The server itself makes the world of a campaign.
        return Ok(());
    }
    if !settings.store_file().exists() {
        let data = settings.data.display();
        bail!(
            "there is no world {name:?}: there is no store in {data} yet\n  try: `lorewell world \
             create` first, or leave out --world"
        );
    }
    let app = setup::open_without_services(&settings).await?;
    worlds::resolve(&app, Principal::LOCAL, name).await.map_err(advised)?;
    Ok(())
}

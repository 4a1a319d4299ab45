//! `lorewell index`: imports the notes folder in its present state.

use crate::config::Settings;
use crate::{output, setup};

/// Imports all notes. Running it again writes only what changed.
pub(crate) async fn run(settings: &Settings) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    let notes =
        lore_app::knowledge::index_vault(&app, settings.world.as_deref(), &output::progress);
    let notes = notes.await;
    output::end_progress();
    output::line(format!("{} notes are indexed", notes.map_err(output::advised)?));
    let warnings = lore_app::knowledge::vault_warnings(&app, settings.world.as_deref()).await;
    for warning in warnings.map_err(output::advised)? {
        output::line(warning);
    }
    Ok(())
}

//! `lorewell sync`: bring the mirror of a service up to date.

use std::sync::Arc;

use anyhow::bail;
use lore_app::pages::live::{Pace, Report, Side};

use crate::cli::Sync;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// Brings the mirror of the configured campaign up to date, and says what came of it.
pub(crate) async fn run(settings: &Settings, command: &Sync) -> anyhow::Result<()> {
    let Sync::Kanka { theirs } = command;
    let app = setup::open_app(settings).await?;
    let Some(campaign) = app.kanka.get().map(Arc::clone) else {
        bail!("no campaign is configured\n  try: set KANKA_TOKEN and KANKA_CAMPAIGN_ID");
    };
    let side = if *theirs { Side::Theirs } else { Side::Neither };
    let tell = |done: usize, total: Option<usize>| output::progress(done, total.unwrap_or(done));
    let done = campaign.sync(&app, Pace::Leisure, side, &tell).await;
    output::end_progress();
    tell_of(&done.map_err(advised)?);
    Ok(())
}

fn tell_of(report: &Report) {
    output::line(format!("{} read, {} deleted", report.read, report.deleted));
    for number in &report.changed_here {
        output::line(format!("entity {number} was changed here, and not on Kanka; it stays so"));
    }
    for (number, why) in &report.conflicts {
        output::line(format!("entity {number}, {why}; neither was overwritten"));
    }
    if !report.conflicts.is_empty() {
        output::line("update_entities writes your version to Kanka; --theirs takes theirs");
    }
}

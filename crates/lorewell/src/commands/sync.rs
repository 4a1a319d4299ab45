//! `lorewell sync`: brings the local mirror of a service up to date.

use std::sync::Arc;

use anyhow::bail;
use lore_app::App;
use lore_app::atlas::{Anvil, Atlas, Step, Synced};
use lore_app::pages::live::{Pace, Report, Side};

use crate::cli::Sync;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup, turn};

/// Brings the configured service up to date and reports the result.
pub(crate) async fn run(settings: &Settings, command: &Sync) -> anyhow::Result<()> {
    match command {
        Sync::Kanka { theirs } => kanka(settings, *theirs).await,
        Sync::WorldAnvil { world_id } => world_anvil(settings, world_id.as_deref()).await,
    }
}

async fn kanka(settings: &Settings, theirs: bool) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    let Some(campaign) = app.kanka.get().map(Arc::clone) else {
        bail!("no campaign is configured\n  try: set KANKA_TOKEN and KANKA_CAMPAIGN_ID");
    };
    let side = if theirs { Side::Theirs } else { Side::Neither };
    let tell = |done: usize, total: Option<usize>| {
        output::progress_of("entities", done, total.unwrap_or(done));
    };
    let done = campaign.sync(&app, Pace::Leisure, side, &tell).await;
    output::end_progress();
    tell_of(&done.map_err(advised)?);
    Ok(())
}

async fn world_anvil(settings: &Settings, world_id: Option<&str>) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    let Some(source) = app.anvil.clone() else {
        bail!(
            "World Anvil is not configured\n  try: set WORLD_ANVIL_APP_KEY and WORLD_ANVIL_TOKEN"
        );
    };
    copy(app, settings, "sync world-anvil", world_id, source.as_ref()).await
}

/// Copies a World Anvil world into the current world and reports the result.
pub(crate) async fn copy(
    app: Arc<App>,
    settings: &Settings,
    tool: &'static str,
    world_id: Option<&str>,
    source: &dyn Anvil,
) -> anyhow::Result<()> {
    if settings.selection.is_read_only() {
        bail!("this would write, and read-only is on\n  try: leave --read-only out");
    }
    let _turn = turn::take(settings).await?;
    let viewer = setup::local_viewer(&app, settings).await?;
    let request_id = app.effects.uid().to_string();
    let here = Atlas::new(Arc::clone(&app), viewer, tool, request_id);
    let told = |step: Step| match step {
        Step::Copied { what, done, total } => output::progress_of(what, done, total),
        Step::Waits(pause) => output::aside(format!(
            "World Anvil wants to be left alone for {} s; waiting",
            pause.as_secs()
        )),
    };
    let copied = here.copy_from(source, world_id, &told).await;
    output::end_progress();
    let copied = copied.map_err(advised)?;
    tell_copied(&copied);
    if copied.missing.count > 0 {
        bail!(
            "the copy is not complete: World Anvil did not tell everything\n  \
             try: run it again later; what was copied is not asked for again"
        );
    }
    Ok(())
}

fn tell_copied(done: &Synced) {
    output::line(format!(
        "{} new, {} changed, {} unchanged, {} deleted, {} left out",
        done.made,
        done.changed,
        done.unchanged + done.older.count,
        done.deleted,
        done.left_out.count
    ));
    for (what, named) in [
        ("taken out of the bin", &done.restored),
        ("older in the archive, so kept as it is", &done.older),
        ("could not be listed", &done.unlisted),
        ("not told by World Anvil, so as it was here", &done.missing),
        ("left out", &done.left_out),
    ] {
        for one in &named.some {
            output::line(format!("{what}: {one}"));
        }
        let more = named.count - named.some.len();
        if more > 0 {
            output::line(format!("{what}: {more} more"));
        }
        if named.again > 0 {
            output::line(format!("{what}, as last time: {}", named.again));
        }
    }
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

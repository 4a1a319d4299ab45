//! `lorewell federation`: who the KOI-net node knows and what it shares.

use std::sync::Arc;

use anyhow::bail;
use lore_app::App;
use lore_app::federation::{
    self, EdgeStatus, NodeKind, NodeRid, PeerStatus, ShareRule, Standing, Status,
};
use lore_core::Viewer;

use crate::cli::Federation;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// Runs a `federation` command as the person at the machine.
pub(crate) async fn run(settings: &Settings, command: Federation) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    let viewer = setup::local_viewer(&app, settings).await?;
    match command {
        Federation::Status => {
            let status = status(&app, viewer, settings).await?;
            output::json(&federation::health(&status, app.effects.now()));
        }
        Federation::Peers => peers(&status(&app, viewer, settings).await?),
        Federation::Connect { url, rid } => connect(&app, &viewer, settings, &url, rid).await?,
        Federation::Share { what: None, .. } => {
            for rule in federation::rules(&app, &viewer).await.map_err(advised)? {
                output::line(shown(&rule));
            }
        }
        Federation::Share { what: Some(what), stop } => share(&app, &viewer, &what, stop).await?,
        Federation::Forget { peer } => {
            let known = status(&app, viewer, settings).await?;
            let rid = named(&known, &peer)?;
            federation::break_with(&app, &viewer, &rid).await.map_err(advised)?;
            output::line(format!("breaking with {rid}"));
        }
    }
    Ok(())
}

async fn status(app: &Arc<App>, viewer: Viewer, settings: &Settings) -> anyhow::Result<Status> {
    let config = crate::federation::config(app, settings, None)?;
    federation::stored_status(app, viewer, &config).await.map_err(advised)
}

async fn connect(
    app: &App,
    viewer: &Viewer,
    settings: &Settings,
    url: &str,
    rid: Option<String>,
) -> anyhow::Result<()> {
    let rid = match rid {
        Some(rid) => NodeRid::parse(&rid)?,
        None => crate::federation::carrier(app, settings)?.node_at(url).await.map_err(advised)?,
    };
    federation::connect(app, viewer, &rid, url).await.map_err(advised)?;
    output::line(format!("connecting to {rid}"));
    Ok(())
}

async fn share(app: &App, viewer: &Viewer, what: &str, stop: bool) -> anyhow::Result<()> {
    let rule = match what.split_once(':') {
        Some(("kind", kind)) => ShareRule::Kind(kind.to_owned()),
        Some(("tag", tag)) => ShareRule::Tag(tag.to_owned()),
        _ if what == "everything" => ShareRule::Everything,
        _ => ShareRule::Node(what.to_owned()),
    };
    if stop {
        let rule = federation::unshare(app, viewer, rule).await.map_err(advised)?;
        output::line(format!("no longer sharing {}", shown(&rule)));
    } else {
        let rule = federation::share(app, viewer, rule).await.map_err(advised)?;
        output::line(format!("sharing {}", shown(&rule)));
    }
    Ok(())
}

fn shown(rule: &ShareRule) -> String {
    match rule {
        ShareRule::Node(uid) => uid.clone(),
        ShareRule::Kind(kind) => format!("kind:{kind}"),
        ShareRule::Tag(tag) => format!("tag:{tag}"),
        ShareRule::Everything => "everything".to_owned(),
    }
}

fn named(status: &Status, peer: &str) -> anyhow::Result<NodeRid> {
    let matches = |known: &&PeerStatus| known.rid.as_str() == peer || known.rid.name() == peer;
    let mut found = status.peers.iter().filter(matches);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one.rid.clone()),
        (None, _) => bail!("no node is called {peer:?}; `lorewell federation peers` lists them"),
        (Some(_), Some(_)) => bail!("several nodes are called {peer:?}: give the RID"),
    }
}

fn peers(status: &Status) {
    let titles = ["node", "type", "known", "ours", "theirs", "things", "queued", "address"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    for peer in &status.peers {
        rows.push(vec![
            peer.rid.to_string(),
            peer.kind.map_or("?", kind).to_owned(),
            standing(&peer.standing).to_owned(),
            peer.ours.map_or("-", edge).to_owned(),
            peer.theirs.map_or("-", edge).to_owned(),
            peer.things.to_string(),
            peer.queue.to_string(),
            peer.url.clone().unwrap_or_default(),
        ]);
    }
    output::table(&rows);
}

fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Full => "full",
        NodeKind::Partial => "partial",
    }
}

fn standing(standing: &Standing) -> &'static str {
    match standing {
        Standing::Connected => "connected",
        Standing::Met => "met",
        Standing::Heard(_) => "heard of",
        Standing::Forgotten => "forgotten",
    }
}

fn edge(status: EdgeStatus) -> &'static str {
    match status {
        EdgeStatus::Proposed => "proposed",
        EdgeStatus::Approved => "approved",
    }
}

//! `lorewell federation`: manages the peers of the KOI-net node and what it shares.

use std::sync::Arc;

use anyhow::bail;
use lore_app::App;
use lore_app::federation::{
    self, EdgeStatus, NodeKind, NodeRid, Opening, PeerStatus, RuleReport, ShareRule, Standing,
    Status,
};
use lore_core::Viewer;
use serde_json::{Value, json};

use crate::cli::Federation;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// Runs a `federation` command as the local user.
pub(crate) async fn run(settings: &Settings, command: Federation) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    let viewer = setup::local_viewer(&app, settings).await?;
    match command {
        Federation::Status => {
            let status = kept_status(&app, viewer, settings).await?;
            output::json(&report(&app, settings, status.as_ref()));
        }
        Federation::Peers => peers(&known(&app, viewer, settings).await?),
        Federation::Connect { node, rid } => {
            connect(&app, &viewer, settings, &node, rid.as_deref()).await?;
            remind(settings);
        }
        Federation::Share { what: None, .. } => list_rules(&app, &viewer).await?,
        Federation::Share { what: Some(what), stop: true, .. } => {
            stop_sharing(&app, &viewer, &what).await?;
        }
        Federation::Share { what: Some(what), open, .. } => {
            let opening = if open { Opening::Open } else { Opening::Leave };
            share(&app, &viewer, &what, opening).await?;
            remind(settings);
        }
        Federation::Forget { peer } => {
            let known = known(&app, viewer, settings).await?;
            let rid = named(&known, &peer)?;
            federation::break_with(&app, &viewer, &rid).await.map_err(advised)?;
            output::line(format!("breaking with {rid}"));
            remind(settings);
        }
    }
    Ok(())
}

/// Reminds the user that orders are carried out only while a node runs.
fn remind(settings: &Settings) {
    if !settings.federation.enabled {
        output::line("  taken up while `lorewell serve --federation` runs");
    }
}

/// The status that the node stored last; `None` if no node ever ran.
async fn kept_status(
    app: &Arc<App>,
    viewer: Viewer,
    settings: &Settings,
) -> anyhow::Result<Option<Status>> {
    if !crate::federation::has_key(settings) {
        return Ok(None);
    }
    let config = crate::federation::config(app, settings, None)?;
    federation::stored_status(app, viewer, &config).await.map_err(advised)
}

async fn known(app: &Arc<App>, viewer: Viewer, settings: &Settings) -> anyhow::Result<Status> {
    match kept_status(app, viewer, settings).await? {
        Some(status) => Ok(status),
        None => bail!("{NEVER_RAN}"),
    }
}

const NEVER_RAN: &str =
    "no KOI-net node ever ran in this world; start one with `lorewell serve --federation`";

/// The stored status as a report. Only a running node can say whether it is running.
fn report(app: &App, settings: &Settings, status: Option<&Status>) -> Value {
    let now = app.effects.now();
    let Some(status) = status else { return federation::disabled(NEVER_RAN, now) };
    let mut report = federation::health(status, now);
    let address = status.profile.base_url.as_deref();
    let running = match address {
        Some(address) => {
            format!("as the node last kept it; while it runs, {address}/health has more")
        }
        None => "as the node last kept it".to_owned(),
    };
    let off = "; off in lorewell.toml, on while `lorewell serve --federation` runs";
    let message = running + if settings.federation.enabled { "" } else { off };
    if let Some(fields) = report.as_object_mut() {
        fields.insert("status".into(), json!("kept"));
        fields.insert("message".into(), json!(message));
    }
    report
}

async fn connect(
    app: &Arc<App>,
    viewer: &Viewer,
    settings: &Settings,
    node: &str,
    rid: Option<&str>,
) -> anyhow::Result<()> {
    let own = kept_status(app, *viewer, settings).await?;
    let (rid, url) = match (NodeRid::parse(node), rid) {
        (Ok(node), None) => (node, None),
        (Ok(_), Some(_)) => bail!("give either an address with --rid, or the RID alone"),
        (Err(_), _) if !federation::is_address(node) => {
            bail!("{node:?} is neither an address such as https://node.example/koi-net nor a RID")
        }
        (Err(_), Some(rid)) => (NodeRid::parse(rid)?, Some(node)),
        (Err(_), None) => {
            let carrier = crate::federation::carrier(app, settings)?;
            let introduction = own.as_ref().map(federation::introduction);
            let asked = carrier.node_at(node, introduction.as_ref()).await;
            (asked.map_err(advised)?, Some(node))
        }
    };
    if own.is_some_and(|own| own.rid == rid) {
        bail!("{rid} is this node itself: give the address of another one");
    }
    federation::connect(app, viewer, &rid, url).await.map_err(advised)?;
    output::line(match url {
        Some(_) => format!("connecting to {rid}"),
        None => format!("connected with {rid}, as soon as it calls"),
    });
    Ok(())
}

fn rule(what: &str) -> ShareRule {
    match what.split_once(':') {
        Some(("kind", kind)) => ShareRule::Kind(kind.to_owned()),
        Some(("tag", tag)) => ShareRule::Tag(tag.to_owned()),
        _ if what == "everything" => ShareRule::Everything,
        _ => ShareRule::Node(what.to_owned()),
    }
}

async fn share(app: &App, viewer: &Viewer, what: &str, opening: Opening) -> anyhow::Result<()> {
    let shared = federation::share(app, viewer, rule(what), opening).await.map_err(advised)?;
    let verb = if shared.was_there { "already sharing" } else { "sharing" };
    output::line(format!("{verb} {}", extent(&shared.report)));
    if is_of_nothing(&shared.report) {
        output::line("  nothing here is like that; what will be is shared");
    }
    if shared.opened > 0 {
        output::line(format!("  every member of the world sees {} more now", shared.opened));
    }
    if shared.report.closed_documents > 0 {
        let count = shared.report.closed_documents;
        output::line(format!("  {count} stay with the game master's side; --open opens them"));
    }
    Ok(())
}

/// Whether a rule names a kind or tag that nothing has, which may be a typing error.
fn is_of_nothing(report: &RuleReport) -> bool {
    let of_many = matches!(report.rule, ShareRule::Kind(_) | ShareRule::Tag(_));
    of_many && report.shared == 0 && report.hidden == 0
}

async fn stop_sharing(app: &App, viewer: &Viewer, what: &str) -> anyhow::Result<()> {
    let stopped = federation::unshare(app, viewer, rule(what)).await.map_err(advised)?;
    output::line(format!("no longer sharing {}", shown(&stopped.report)));
    for rule in &stopped.still {
        output::line(format!("  still shared by the rule {}", rule_text(rule)));
    }
    Ok(())
}

async fn list_rules(app: &App, viewer: &Viewer) -> anyhow::Result<()> {
    let rules = federation::rules(app, viewer).await.map_err(advised)?;
    if rules.is_empty() {
        output::line("nothing is shared");
    }
    for report in &rules {
        output::line(extent(report));
    }
    Ok(())
}

/// Describes a rule and how much it shares.
fn extent(report: &RuleReport) -> String {
    let name = shown(report);
    match (&report.rule, report.shared, report.hidden) {
        (ShareRule::Node(_), 1, _) => name,
        (ShareRule::Node(_), _, 1) => format!("{name}: hidden by now, and not shared"),
        (ShareRule::Node(_), ..) => format!("{name}: gone by now"),
        (_, shared, 0) => format!("{name}: {shared} now"),
        (_, shared, hidden) => {
            format!("{name}: {shared} now; {hidden} not every member sees stay here")
        }
    }
}

fn shown(report: &RuleReport) -> String {
    match &report.thing {
        Some((name, kind)) => format!("{} ({kind} {name:?})", rule_text(&report.rule)),
        None => rule_text(&report.rule),
    }
}

fn rule_text(rule: &ShareRule) -> String {
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

//! Campaigns: creating, changing, archiving, restoring and listing them. Archiving moves something
//! to the bin.

use lore_core::{Error, Node, Properties, Result, Role, Uid, Visibility, names};
use lore_store::{
    Batch, Bin, Change, Direction, Expect, NewNode, NewState, NodeKey, NodePatch, NodeQuery,
    NodeRef,
};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::history::Edits;
use super::ids::Thing;
use super::rights::Rights;
use super::table::{self, Table};
use super::{CAMPAIGN, CHARACTER, MANY, PARTICIPANT, former, history, played, rights, word};
use crate::all_nodes::all_nodes;
use crate::damage::spared;
use crate::preview::preview;
use crate::property_text;

/// Text kind of a campaign's theme.
pub(crate) const THEME: &str = "theme";
/// The maximum length of a theme prompt, in characters.
const THEME_MAX: usize = 20_000;

/// Who leads the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GmMode {
    /// A person.
    Human,
    /// An agent.
    Ai,
    /// Both together.
    Hybrid,
}

impl GmMode {
    /// Its stored and displayed name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "HUMAN",
            Self::Ai => "AI",
            Self::Hybrid => "HYBRID",
        }
    }

    pub(crate) fn read(text: Option<&Value>) -> Self {
        match text.and_then(Value::as_str) {
            Some("AI") => Self::Ai,
            Some("HYBRID") => Self::Hybrid,
            _ => Self::Human,
        }
    }
}

/// The input for creating a campaign.
#[derive(Debug, Clone)]
pub struct NewCampaign {
    /// The name.
    pub name: String,
    /// Who leads it.
    pub gm_mode: GmMode,
    /// What the campaign is about. Stored verbatim.
    pub theme_prompt: String,
}

/// Changes to a campaign; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CampaignPatch {
    /// The new name.
    pub name: Option<String>,
    /// The new mode.
    pub gm_mode: Option<GmMode>,
    /// The new theme.
    pub theme_prompt: Option<String>,
    /// Whether to archive or restore it.
    pub archived: Option<bool>,
}

/// A campaign as its members see it.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// Its node.
    pub node: Node,
    /// Who leads it.
    pub gm_mode: GmMode,
    /// What it is about.
    pub theme_prompt: String,
    /// The state of its table.
    pub table: Table,
    /// The number of participants.
    pub participant_count: usize,
    /// The number of characters the viewer sees.
    pub character_count: usize,
}

/// Creates a campaign.
pub async fn create(call: &PlayCall, new: &NewCampaign) -> Result<Plan<Campaign>> {
    let name = names::checked_name("name", &new.name)?;
    check_theme(&new.theme_prompt)?;
    let uid = call.app.effects.uid();
    let mut node = NewNode::new(uid, word(CAMPAIGN)?, name);
    node.properties = properties(new.gm_mode, &new.theme_prompt);
    let table = Table::default();
    let state = NewState {
        node: NodeRef::Uid(uid),
        name: table::name()?,
        expect: Expect::Version(0),
        value: table.to_value()?,
        visibility: Visibility::Members,
    };
    let mut batch = call
        .batch()
        .change(Change::CreateNode(node.clone()))
        .change(Change::PutState(state))
        .touch("campaigns://list")
        .touch(uri(uid));
    batch.changes.extend(property_text::create(&call.app, uid, THEME, &new.theme_prompt)?);
    let campaign = Campaign {
        node: preview(&call.viewer, &node, batch.at),
        gm_mode: new.gm_mode,
        theme_prompt: new.theme_prompt.clone(),
        table,
        participant_count: 0,
        character_count: 0,
    };
    Ok(Plan::new(batch, campaign))
}

/// Changes a campaign, and archives it if requested.
pub async fn update(call: &PlayCall, uid: Uid, patch: &CampaignPatch) -> Result<Plan<Campaign>> {
    let node = find_live(call, Thing::Campaign, uid).await?;
    let rights = rights::in_campaign(call, &node).await?;
    rights.require_gm()?;
    let mut campaign = read(call, node.clone()).await?;
    let mut edits = Edits::of("CAMPAIGN_UPDATED", Thing::Campaign, &node);
    if let Some(name) = &patch.name {
        campaign.node.name = names::checked_name("name", name)?;
        edits.note("name", node.name.as_str(), campaign.node.name.as_str());
    }
    if let Some(theme) = &patch.theme_prompt {
        check_theme(theme)?;
        edits.note("theme_prompt", campaign.theme_prompt.as_str(), theme.as_str());
        campaign.theme_prompt.clone_from(theme);
    }
    if let Some(mode) = patch.gm_mode {
        edits.note("gm_mode", campaign.gm_mode.as_str(), mode.as_str());
        campaign.gm_mode = mode;
    }
    let mut batch = call.batch().touch("campaigns://list").touch(uri(uid));
    if !edits.is_empty() {
        let mut kept = node.properties.clone();
        kept.extend(properties(campaign.gm_mode, &campaign.theme_prompt));
        let name = Some(campaign.node.name.clone());
        let fields = NodePatch { name, properties: Some(kept), ..NodePatch::default() };
        let expect = Expect::Version(node.version);
        batch = batch.change(Change::UpdateNode(NodeRef::Uid(uid), expect, fields));
        let (app, theme) = (&call.app, &campaign.theme_prompt);
        let told = property_text::update(app, &call.viewer, &node, THEME, theme).await?;
        batch.changes.extend(told);
        campaign.node.updated.at = batch.at;
    }
    batch = history::record(call, &rights, &node, batch, edits).await?;
    if patch.archived == Some(true) {
        batch = put_away(call, &node, batch).await?;
    }
    Ok(Plan::new(batch, campaign))
}

/// Adds the change that archives a campaign. Fails while a session is running.
async fn put_away(call: &PlayCall, campaign: &Node, batch: Batch) -> Result<Batch> {
    let (table, version) = table::load(call, campaign).await?;
    table.require_no_session("end it with session_end first, then archive the campaign")?;
    let gone = Change::DeleteNode(NodeRef::Id(campaign.id), Expect::Any);
    Ok(batch.require(table::unchanged(campaign, version)?).change(gone).touch(ARCHIVE))
}

/// Returns one campaign.
pub async fn get(call: &PlayCall, uid: Uid) -> Result<Campaign> {
    let node = call.find(Thing::Campaign, uid).await?;
    read(call, node).await
}

/// Lists the campaigns the viewer sees, oldest first. Damaged ones are left out.
pub async fn list(call: &PlayCall) -> Result<Vec<Campaign>> {
    let mut campaigns = Vec::new();
    for node in every(call, Thing::Campaign, Bin::Live).await? {
        campaigns.extend(spared(read(call, node).await)?);
    }
    Ok(campaigns)
}

/// Lists all archived campaigns, oldest first. What belongs to one cannot be seen until it is
/// restored. Only for the GM.
pub async fn list_archived(call: &PlayCall) -> Result<Vec<Campaign>> {
    call.viewer.require(Role::Gm)?;
    let nodes = every(call, Thing::Campaign, Bin::Deleted).await?;
    Ok(nodes.into_iter().map(|node| shape(node, Table::default())).collect())
}

/// Lists the archived members of a campaign that are of one kind, oldest first. Only for the GM.
pub(crate) async fn archived_members(
    call: &PlayCall,
    home: &Node,
    thing: Thing,
) -> Result<Vec<Node>> {
    call.viewer.require(Role::Gm)?;
    let mut nodes = every(call, thing, Bin::Deleted).await?;
    nodes.retain(|node| of(node) == Some(home.uid));
    if thing == Thing::Character {
        let pages = every(call, thing, Bin::Live).await?;
        let pages = pages.iter().filter(|node| of(node) != Some(home.uid));
        nodes.extend(pages.filter_map(|node| played::former(node, home.uid)));
        nodes.sort_by_key(|node| node.id);
    }
    Ok(nodes)
}

/// Returns all nodes of one kind, oldest first.
pub(super) async fn every(call: &PlayCall, thing: Thing, bin: Bin) -> Result<Vec<Node>> {
    let query = NodeQuery { kinds: vec![word(thing.name())?], bin, ..NodeQuery::default() };
    Ok(all_nodes(&call.app, &call.viewer, query).await?)
}

/// Updates the modification date of a campaign because something that belongs to it changed, for
/// those who see that change.
pub(crate) fn stir(home: &Node, seen: Visibility) -> Change {
    let patch = NodePatch { seen: Some(seen), ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Id(home.id), Expect::Any, patch)
}

/// Returns the members of a campaign that are of one kind, oldest first.
pub(crate) async fn members(call: &PlayCall, campaign: &Node, kind: &str) -> Result<Vec<Node>> {
    let joined = [rights::membership()?];
    let store = &call.app.store;
    let edges =
        store.neighbours(&call.viewer, &[campaign.id], Direction::In, &joined, MANY).await?;
    let ids: Vec<_> = edges.into_iter().map(|edge| edge.source).collect();
    let mut nodes = store.nodes(&call.viewer, &ids).await?;
    // A page may have been played here until the campaign was archived, and elsewhere since then.
    nodes.retain(|node| node.kind.as_str() == kind && of(node) == Some(campaign.uid));
    nodes.sort_by_key(|node| node.id);
    Ok(nodes)
}

/// Returns the campaign of a participant, character or session. It is stored as a property besides
/// the edge, so that reading it needs no query.
pub(crate) fn of(node: &Node) -> Option<Uid> {
    played::campaign(node)
}

/// Returns the campaign node of a participant, character or session.
pub(crate) async fn home_of(call: &PlayCall, node: &Node, thing: Thing) -> Result<Node> {
    let uid = of(node).ok_or_else(|| thing.unknown(&thing.show(node.uid)))?;
    call.find(Thing::Campaign, uid).await
}

/// The URI of a campaign's resource.
pub(crate) fn uri(uid: Uid) -> String {
    format!("campaign://{}", Thing::Campaign.show(uid))
}

/// The resource with the list of archived campaigns.
const ARCHIVE: &str = "campaigns://archived";

/// The URI of the list of a campaign's archived members.
pub(crate) fn archive_uri(campaign: Uid) -> String {
    format!("{}/archived", uri(campaign))
}

/// Finds a live node. The error for an archived one says that it is archived.
pub(crate) async fn find_live(call: &PlayCall, thing: Thing, uid: Uid) -> Result<Node> {
    match call.find(thing, uid).await {
        Ok(node) => Ok(node),
        Err(missing) => match archived_node(call, thing, uid).await? {
            Some(_) => Err(is_archived(thing, uid)),
            None => Err(missing),
        },
    }
}

/// Restores something from the archive. This is a commit of its own, so that what follows can read
/// it with everything that belongs to it. Does nothing if it is not archived.
pub async fn bring_back(call: &PlayCall, thing: Thing, uid: Uid) -> Result<()> {
    if thing == Thing::Character
        && let Some(page) = former::page(call, uid).await?
    {
        return bring_role_back(call, &page).await;
    }
    let Some(node) = find_archived(call, thing, uid).await? else { return Ok(()) };
    call.viewer.require(Role::Gm)?;
    let mut batch = call.batch().change(Change::RestoreNode(NodeRef::Uid(uid)));
    batch = match of(&node) {
        Some(home) => {
            let home = find_live(call, Thing::Campaign, home).await?;
            let rights = rights::in_campaign(call, &home).await?;
            back_into(call, thing, &node, (&home, &rights), batch).await?
        }
        None => batch.touch("campaigns://list").touch(uri(uid)).touch(ARCHIVE),
    };
    call.app.commit(&call.viewer, batch).await?;
    Ok(())
}

/// Brings back the role of a page that ended last.
async fn bring_role_back(call: &PlayCall, page: &Node) -> Result<()> {
    call.viewer.require(Role::Gm)?;
    let Some(home) = played::last_role(page) else { return Ok(()) };
    let home = find_live(call, Thing::Campaign, home).await?;
    let rights = rights::in_campaign(call, &home).await?;
    let Some(resumed) = former::resume(call, page, home.uid).await? else { return Ok(()) };
    let mut batch = call.batch();
    batch.changes.extend(resumed.changes);
    let there = (&home, &rights);
    let batch = back_into(call, Thing::Character, &resumed.node, there, batch).await?;
    call.app.commit(&call.viewer, batch).await?;
    Ok(())
}

/// Adds what restoring a member changes in its campaign.
pub(super) async fn back_into(
    call: &PlayCall,
    thing: Thing,
    node: &Node,
    (home, rights): (&Node, &Rights),
    batch: Batch,
) -> Result<Batch> {
    let kind = match thing {
        Thing::Participant => "PARTICIPANT_UPDATED",
        _ => "CHARACTER_UPDATED",
    };
    let mut edits = Edits::of(kind, thing, node);
    edits.note("archived", true, false);
    // Other doors archive without an event, so this event states the time of archiving.
    edits.keep(json!({ "archived_at": node.deleted_at.map(|at| at.to_string()) }));
    let shown = played::shown(node);
    edits.visibility = shown;
    let members = format!("{}/{}s", uri(home.uid), thing.name());
    let mut batch = batch
        .touch_for(shown, "campaigns://list")
        .touch_for(shown, uri(home.uid))
        .touch_for(shown, members)
        .touch(archive_uri(home.uid));
    if shown == Visibility::Members {
        batch = batch.change(stir(home, Visibility::Members));
    }
    history::record(call, rights, home, batch, edits).await
}

/// Returns an archived campaign, for the GM.
pub async fn archived(call: &PlayCall, uid: Uid) -> Result<Option<Campaign>> {
    let found = archived_node(call, Thing::Campaign, uid).await?;
    Ok(found.map(|node| shape(node, Table::default())))
}

/// Returns an archived node, for the GM. For anybody else it does not exist.
pub(crate) async fn archived_node(call: &PlayCall, thing: Thing, uid: Uid) -> Result<Option<Node>> {
    match call.viewer.role {
        Role::Gm | Role::Owner => find_archived(call, thing, uid).await,
        Role::Player | Role::Reader => Ok(None),
    }
}

async fn find_archived(call: &PlayCall, thing: Thing, uid: Uid) -> Result<Option<Node>> {
    if thing == Thing::Character
        && let Some(page) = former::page(call, uid).await?
    {
        return Ok(played::last_role(&page).and_then(|home| played::former(&page, home)));
    }
    let found = call.app.store.node_in_bin(&call.viewer, NodeKey::Uid(uid)).await?;
    // A page in the bin that was never played is not part of the table's archive.
    let is_archived = |node: &Node| {
        node.kind.as_str() == thing.name() && (thing == Thing::Campaign || of(node).is_some())
    };
    Ok(found.filter(is_archived))
}

/// The error for changing something archived without restoring it first.
fn is_archived(thing: Thing, uid: Uid) -> Error {
    Error::Precondition {
        message: format!("{} {} is archived", thing.name(), thing.show(uid)),
        hint: "restore it first with archived: false".into(),
    }
}

async fn read(call: &PlayCall, node: Node) -> Result<Campaign> {
    let participants = members(call, &node, PARTICIPANT).await?.len();
    let characters = members(call, &node, CHARACTER).await?;
    let (table, _, changed) = table::load_dated(call, &node).await?;
    // These are only the characters the viewer sees, so hidden ones affect the date only for the
    // game master's side.
    let newest = characters.iter().map(|node| node.updated.at).max();
    let mut campaign = shape(node, table);
    let updated = &mut campaign.node.updated.at;
    *updated = (*updated).max(changed).max(newest.unwrap_or(*updated));
    Ok(Campaign { participant_count: participants, character_count: characters.len(), ..campaign })
}

/// Creates the campaign of a node, with counts of zero.
pub(crate) fn shape(node: Node, table: Table) -> Campaign {
    let theme = node.properties.get("theme_prompt").and_then(Value::as_str).unwrap_or_default();
    Campaign {
        gm_mode: GmMode::read(node.properties.get("gm_mode")),
        theme_prompt: theme.to_owned(),
        node,
        table,
        participant_count: 0,
        character_count: 0,
    }
}

fn properties(gm_mode: GmMode, theme: &str) -> Properties {
    let mut properties = Properties::new();
    properties.insert("gm_mode".into(), json!(gm_mode.as_str()));
    properties.insert("theme_prompt".into(), json!(theme));
    properties
}

fn check_theme(theme: &str) -> Result<()> {
    if theme.chars().count() > THEME_MAX {
        return Err(Error::TooLarge {
            what: "theme_prompt".into(),
            limit: format!("{THEME_MAX} characters"),
        });
    }
    Ok(())
}

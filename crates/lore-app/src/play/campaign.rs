//! Campaigns: making, changing, archiving and listing them.

use lore_core::{Error, Node, NodeId, Properties, Result, Role, Uid, Visibility, names};
use lore_store::{
    Batch, Bin, Change, Direction, Expect, NewNode, NewState, NewText, NodePatch, NodeQuery,
    NodeRef, TextPatch, TextRef,
};
use serde_json::{Value, json};

use super::desk::{Desk, Plan};
use super::history::Edits;
use super::ids::Thing;
use super::table::{self, Table};
use super::{CAMPAIGN, CHARACTER, MANY, PARTICIPANT, casting, history, rights, word};
use crate::damage::spared;

/// Text kind of what a campaign is about.
const THEME: &str = "theme";
/// Longest theme prompt, in characters.
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
    /// Its stored and shown name.
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

/// A campaign to make.
#[derive(Debug, Clone)]
pub struct NewCampaign {
    /// Its name.
    pub name: String,
    /// Who leads it.
    pub gm_mode: GmMode,
    /// What it is about; kept to the letter.
    pub theme_prompt: String,
}

/// Changes to a campaign; `None` leaves a field alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CampaignPatch {
    /// New name.
    pub name: Option<String>,
    /// New lead.
    pub gm_mode: Option<GmMode>,
    /// New theme.
    pub theme_prompt: Option<String>,
    /// Into the archive, or out of it.
    pub archived: Option<bool>,
}

/// A campaign as its members see it.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// The node.
    pub node: Node,
    /// Who leads it.
    pub gm_mode: GmMode,
    /// What it is about.
    pub theme_prompt: String,
    /// The state of its table.
    pub table: Table,
    /// How many take part.
    pub participant_count: usize,
    /// How many characters the viewer sees.
    pub character_count: usize,
}

/// Makes a campaign.
pub async fn create(desk: &Desk, new: &NewCampaign) -> Result<Plan<Campaign>> {
    let name = names::checked_name("name", &new.name)?;
    check_theme(&new.theme_prompt)?;
    let uid = desk.app.effects.uid();
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
    let mut batch = desk
        .batch()
        .change(Change::CreateNode(node.clone()))
        .change(Change::PutState(state))
        .touch("campaigns://list")
        .touch(uri(uid));
    batch.changes.extend(new_theme(desk, uid, &new.theme_prompt)?);
    let campaign = Campaign {
        node: preview(desk, node),
        gm_mode: new.gm_mode,
        theme_prompt: new.theme_prompt.clone(),
        table,
        participant_count: 0,
        character_count: 0,
    };
    Ok(Plan::new(batch, campaign))
}

/// Changes a campaign, or moves it into the archive and back.
pub async fn update(desk: &Desk, uid: Uid, patch: &CampaignPatch) -> Result<Plan<Campaign>> {
    let node = find_live(desk, Thing::Campaign, uid).await?;
    let rights = rights::in_campaign(desk, &node).await?;
    rights.require_gm()?;
    let mut campaign = read(desk, node.clone()).await?;
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
    let mut batch = desk.batch().touch("campaigns://list").touch(uri(uid));
    if !edits.is_empty() {
        let mut kept = node.properties.clone();
        kept.extend(properties(campaign.gm_mode, &campaign.theme_prompt));
        let name = Some(campaign.node.name.clone());
        let fields = NodePatch { name, properties: Some(kept), ..NodePatch::default() };
        let expect = Expect::Version(node.version);
        batch = batch.change(Change::UpdateNode(NodeRef::Uid(uid), expect, fields));
        batch.changes.extend(retold_theme(desk, &node, &campaign.theme_prompt).await?);
        campaign.node.updated.at = batch.at;
    }
    batch = history::record(desk, &rights, &node, batch, edits).await?;
    if patch.archived == Some(true) {
        batch = put_away(desk, &node, batch).await?;
    }
    Ok(Plan::new(batch, campaign))
}

/// Adds the way into the archive, where nothing is played.
async fn put_away(desk: &Desk, campaign: &Node, batch: Batch) -> Result<Batch> {
    let (table, version) = table::load(desk, campaign).await?;
    table.require_no_session("end it with session_end first, then archive the campaign")?;
    let gone = Change::DeleteNode(NodeRef::Id(campaign.id), Expect::Any);
    Ok(batch.require(table::unchanged(campaign, version)?).change(gone).touch(ARCHIVE))
}

/// One campaign.
pub async fn get(desk: &Desk, uid: Uid) -> Result<Campaign> {
    let node = desk.find(Thing::Campaign, uid).await?;
    read(desk, node).await
}

/// Every campaign the viewer sees, oldest first, without those that are damaged.
pub async fn list(desk: &Desk) -> Result<Vec<Campaign>> {
    let mut campaigns = Vec::new();
    for node in every(desk, Thing::Campaign, Bin::Live).await? {
        campaigns.extend(spared(read(desk, node).await)?);
    }
    Ok(campaigns)
}

/// Every archived campaign, oldest first. What belongs to one is out of sight until it is
/// restored. For the GM.
pub async fn list_archived(desk: &Desk) -> Result<Vec<Campaign>> {
    desk.viewer.require(Role::Gm)?;
    let nodes = every(desk, Thing::Campaign, Bin::Deleted).await?;
    Ok(nodes.into_iter().map(|node| shape(node, Table::default())).collect())
}

/// The archived members of a campaign that are of one kind, oldest first. For the GM.
pub(crate) async fn archived_members(desk: &Desk, home: &Node, thing: Thing) -> Result<Vec<Node>> {
    desk.viewer.require(Role::Gm)?;
    let mut nodes = every(desk, thing, Bin::Deleted).await?;
    nodes.retain(|node| of(node) == Some(home.uid));
    Ok(nodes)
}

/// Everything of one kind, page by page, oldest first.
async fn every(desk: &Desk, thing: Thing, bin: Bin) -> Result<Vec<Node>> {
    let kinds = vec![word(kind_of(thing))?];
    let mut query = NodeQuery { kinds, bin, ..NodeQuery::default() };
    let mut nodes = Vec::new();
    loop {
        let page = desk.app.store.find_nodes(&desk.viewer, query.clone()).await?;
        nodes.extend(page.items);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(nodes),
        }
    }
}

/// Moves the campaign's date: something that belongs to it has changed, and these can see it.
pub(crate) fn stir(home: &Node, seen: Visibility) -> Change {
    let patch = NodePatch { seen: Some(seen), ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Id(home.id), Expect::Any, patch)
}

/// The members of a campaign that are of one kind, oldest first.
pub(crate) async fn members(desk: &Desk, campaign: &Node, kind: &str) -> Result<Vec<Node>> {
    let joined = [rights::membership()?];
    let store = &desk.app.store;
    let edges =
        store.neighbours(&desk.viewer, &[campaign.id], Direction::In, &joined, MANY).await?;
    let ids: Vec<_> = edges.into_iter().map(|edge| edge.source).collect();
    let mut nodes = store.nodes(&desk.viewer, &ids).await?;
    nodes.retain(|node| node.kind.as_str() == kind);
    nodes.sort_by_key(|node| node.id);
    Ok(nodes)
}

/// The campaign a participant, character or session belongs to. The edge says the
/// same to the rest of the world; this is the way that costs no query.
pub(crate) fn of(node: &Node) -> Option<Uid> {
    casting::campaign(node)
}

/// The campaign node of a participant, character or session.
pub(crate) async fn home_of(desk: &Desk, node: &Node, thing: Thing) -> Result<Node> {
    let uid = of(node).ok_or_else(|| thing.unknown(&thing.show(node.uid)))?;
    desk.find(Thing::Campaign, uid).await
}

/// The resource of a campaign.
pub(crate) fn uri(uid: Uid) -> String {
    format!("campaign://{}", Thing::Campaign.show(uid))
}

/// The resource that lists archived campaigns.
const ARCHIVE: &str = "campaigns://archived";

/// The resource that lists what of a campaign is archived.
pub(crate) fn archive_uri(campaign: Uid) -> String {
    format!("{}/archived", uri(campaign))
}

/// A live node; an archived one is named as such.
pub(crate) async fn find_live(desk: &Desk, thing: Thing, uid: Uid) -> Result<Node> {
    match desk.find(thing, uid).await {
        Ok(node) => Ok(node),
        Err(missing) => match archived_node(desk, thing, uid).await? {
            Some(_) => Err(is_archived(thing, uid)),
            None => Err(missing),
        },
    }
}

/// Takes something out of the archive. A commit of its own, so that what follows sees it
/// with everything that belongs to it; taking out what is not archived changes nothing.
pub async fn bring_back(desk: &Desk, thing: Thing, uid: Uid) -> Result<()> {
    let Some(node) = find_archived(desk, thing, uid).await? else { return Ok(()) };
    desk.viewer.require(Role::Gm)?;
    let mut batch = desk.batch().change(Change::RestoreNode(NodeRef::Uid(uid)));
    batch = match of(&node) {
        Some(home) => back_into(desk, thing, &node, home, batch).await?,
        None => batch.touch("campaigns://list").touch(uri(uid)).touch(ARCHIVE),
    };
    desk.app.commit(&desk.viewer, batch).await?;
    Ok(())
}

/// Adds what the return of a member means for its campaign.
async fn back_into(
    desk: &Desk,
    thing: Thing,
    node: &Node,
    home: Uid,
    batch: Batch,
) -> Result<Batch> {
    let home = find_live(desk, Thing::Campaign, home).await?;
    let rights = rights::in_campaign(desk, &home).await?;
    let kind = match thing {
        Thing::Participant => "PARTICIPANT_UPDATED",
        _ => "CHARACTER_UPDATED",
    };
    let mut edits = Edits::of(kind, thing, node);
    edits.note("archived", true, false);
    // Other doors archive without an event, so this one says since when.
    edits.keep(json!({ "archived_at": node.deleted_at.map(|at| at.to_string()) }));
    let shown = casting::shown(node);
    edits.visibility = shown;
    let members = format!("{}/{}s", uri(home.uid), thing.name());
    let mut batch = batch
        .touch_for(shown, "campaigns://list")
        .touch_for(shown, uri(home.uid))
        .touch_for(shown, members)
        .touch(archive_uri(home.uid));
    if shown == Visibility::Members {
        batch = batch.change(stir(&home, Visibility::Members));
    }
    history::record(desk, &rights, &home, batch, edits).await
}

/// A campaign that is in the archive, for the GM.
pub async fn archived(desk: &Desk, uid: Uid) -> Result<Option<Campaign>> {
    let found = archived_node(desk, Thing::Campaign, uid).await?;
    Ok(found.map(|node| shape(node, Table::default())))
}

/// Something that is in the archive, which only the GM knows.
pub(crate) async fn archived_node(desk: &Desk, thing: Thing, uid: Uid) -> Result<Option<Node>> {
    match desk.viewer.role {
        Role::Gm | Role::Owner => find_archived(desk, thing, uid).await,
        Role::Player | Role::Reader => Ok(None),
    }
}

async fn find_archived(desk: &Desk, thing: Thing, uid: Uid) -> Result<Option<Node>> {
    let archived = every(desk, thing, Bin::Deleted).await?;
    // A page in the bin that nobody played is no business of the table.
    let is_played = |node: &Node| thing == Thing::Campaign || of(node).is_some();
    Ok(archived.into_iter().find(|node| node.uid == uid && is_played(node)))
}

/// The error for changing something archived without taking it out first.
fn is_archived(thing: Thing, uid: Uid) -> Error {
    Error::Precondition {
        message: format!("{} {} is archived", thing.name(), thing.show(uid)),
        hint: "restore it first with archived: false".into(),
    }
}

/// The node as it will be after its creation is committed, for the answer.
pub(crate) fn preview(desk: &Desk, new: NewNode) -> Node {
    let stamp = lore_core::Stamp { at: desk.app.effects.now(), by: desk.viewer.principal };
    Node {
        id: NodeId(0),
        uid: new.uid,
        world: desk.viewer.world,
        number: 0,
        kind_number: 0,
        kind: new.kind,
        namespace: new.namespace,
        name: new.name,
        derived_name: new.derived_name,
        subtype: new.subtype,
        aliases: new.aliases,
        tags: new.tags,
        visibility: new.visibility,
        properties: new.properties,
        version: 1,
        created: stamp,
        updated: stamp,
        deleted_at: None,
    }
}

fn kind_of(thing: Thing) -> &'static str {
    match thing {
        Thing::Campaign => CAMPAIGN,
        Thing::Participant => PARTICIPANT,
        Thing::Character => CHARACTER,
        Thing::Session => super::SESSION,
    }
}

async fn read(desk: &Desk, node: Node) -> Result<Campaign> {
    let participants = members(desk, &node, PARTICIPANT).await?.len();
    let characters = members(desk, &node, CHARACTER).await?;
    let (table, _, changed) = table::load_dated(desk, &node).await?;
    // What the players do not know of moves the date for the GM only.
    let newest = characters.iter().map(|node| node.updated.at).max();
    let mut campaign = shape(node, table);
    let updated = &mut campaign.node.updated.at;
    *updated = (*updated).max(changed).max(newest.unwrap_or(*updated));
    Ok(Campaign { participant_count: participants, character_count: characters.len(), ..campaign })
}

/// A campaign without what belongs to it.
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

/// The theme as a text of the campaign, so that every search finds its words.
pub(crate) fn new_theme(desk: &Desk, campaign: Uid, theme: &str) -> Result<Option<Change>> {
    if theme.trim().is_empty() {
        return Ok(None);
    }
    let (uid, node) = (desk.app.effects.uid(), NodeRef::Uid(campaign));
    Ok(Some(Change::CreateText(NewText::new(uid, node, word(THEME)?, theme))))
}

/// Brings that text in line with the theme. Campaigns from before there was one get theirs.
async fn retold_theme(desk: &Desk, campaign: &Node, theme: &str) -> Result<Option<Change>> {
    let texts = desk.app.store.texts_of(&desk.viewer, campaign.id, Bin::Live).await?;
    let Some(old) = texts.into_iter().find(|text| text.kind.as_str() == THEME) else {
        return new_theme(desk, campaign.uid, theme);
    };
    let (at, expect) = (TextRef::Id(old.id), Expect::Version(old.version));
    Ok(match theme {
        same if same == old.body => None,
        none if none.trim().is_empty() => Some(Change::DeleteText(at, expect)),
        new => {
            let patch = TextPatch { body: Some(new.to_owned()), ..TextPatch::default() };
            Some(Change::UpdateText(at, expect, patch))
        }
    })
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

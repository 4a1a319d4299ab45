//! Campaigns: making, changing, archiving and listing them.

use lore_core::{Error, Node, NodeId, Properties, Result, Role, Uid, names};
use lore_store::{
    Bin, Change, Direction, Expect, NewNode, NewState, NodePatch, NodeQuery, NodeRef,
};
use serde_json::{Value, json};

use super::desk::{Desk, Plan};
use super::ids::Thing;
use super::table::{self, Table};
use super::{CAMPAIGN, CHARACTER, MANY, PARTICIPANT, rights, word};

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
#[derive(Debug, Clone, Default)]
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
        visibility: lore_core::Visibility::Members,
    };
    let batch = desk
        .batch()
        .change(Change::CreateNode(node.clone()))
        .change(Change::PutState(state))
        .touch("campaigns://list")
        .touch(uri(uid));
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
    rights::in_campaign(desk, &node).await?.require_gm()?;
    let mut campaign = read(desk, node).await?;
    let mut batch = desk.batch().touch("campaigns://list").touch(uri(uid));
    if let Some(name) = &patch.name {
        campaign.node.name = names::checked_name("name", name)?;
    }
    if let Some(theme) = &patch.theme_prompt {
        check_theme(theme)?;
        campaign.theme_prompt.clone_from(theme);
    }
    campaign.gm_mode = patch.gm_mode.unwrap_or(campaign.gm_mode);
    let mut kept = campaign.node.properties.clone();
    kept.extend(properties(campaign.gm_mode, &campaign.theme_prompt));
    let fields = NodePatch {
        name: Some(campaign.node.name.clone()),
        properties: Some(kept),
        ..NodePatch::default()
    };
    let expect = Expect::Version(campaign.node.version);
    batch = batch.change(Change::UpdateNode(NodeRef::Uid(uid), expect, fields));
    if patch.archived == Some(true) {
        batch = batch.change(Change::DeleteNode(NodeRef::Uid(uid), Expect::Any));
    }
    campaign.node.updated.at = batch.at;
    Ok(Plan::new(batch, campaign))
}

/// One campaign.
pub async fn get(desk: &Desk, uid: Uid) -> Result<Campaign> {
    let node = desk.find(Thing::Campaign, uid).await?;
    read(desk, node).await
}

/// Every campaign the viewer sees, oldest first.
pub async fn list(desk: &Desk) -> Result<Vec<Campaign>> {
    let query = NodeQuery { kinds: vec![word(CAMPAIGN)?], ..NodeQuery::default() };
    let page = desk.app.store.find_nodes(&desk.viewer, query).await?;
    let mut campaigns = Vec::with_capacity(page.items.len());
    for node in page.items {
        campaigns.push(read(desk, node).await?);
    }
    Ok(campaigns)
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
    node.properties.get(CAMPAIGN)?.as_str()?.parse().ok()
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

/// A live node; an archived one is named as such.
pub(crate) async fn find_live(desk: &Desk, thing: Thing, uid: Uid) -> Result<Node> {
    match desk.find(thing, uid).await {
        Ok(node) => Ok(node),
        Err(missing) => match find_archived(desk, thing, uid).await? {
            Some(_) => Err(archived(thing, uid)),
            None => Err(missing),
        },
    }
}

/// Takes something out of the archive. A commit of its own, so that what follows sees it
/// with everything that belongs to it; taking out what is not archived changes nothing.
pub async fn bring_back(desk: &Desk, thing: Thing, uid: Uid) -> Result<()> {
    let Some(node) = find_archived(desk, thing, uid).await? else { return Ok(()) };
    desk.viewer.require(Role::Gm)?;
    let mut batch = desk.batch().touch("campaigns://list");
    batch = match of(&node) {
        Some(home) => batch.touch(uri(home)).touch(format!("{}/{}s", uri(home), thing.name())),
        None => batch.touch(uri(uid)),
    };
    desk.app
        .store
        .commit(&desk.viewer, batch.change(Change::RestoreNode(NodeRef::Uid(uid))))
        .await?;
    Ok(())
}

async fn find_archived(desk: &Desk, thing: Thing, uid: Uid) -> Result<Option<Node>> {
    let kinds = vec![word(kind_of(thing))?];
    let query = NodeQuery { kinds, bin: Bin::Deleted, ..NodeQuery::default() };
    let page = desk.app.store.find_nodes(&desk.viewer, query).await?;
    Ok(page.items.into_iter().find(|node| node.uid == uid))
}

/// The error for changing something archived without taking it out first.
fn archived(thing: Thing, uid: Uid) -> Error {
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
    let characters = members(desk, &node, CHARACTER).await?.len();
    let (table, _) = table::load(desk, &node).await?;
    let theme = node.properties.get("theme_prompt").and_then(Value::as_str).unwrap_or_default();
    Ok(Campaign {
        gm_mode: GmMode::read(node.properties.get("gm_mode")),
        theme_prompt: theme.to_owned(),
        node,
        table,
        participant_count: participants,
        character_count: characters,
    })
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

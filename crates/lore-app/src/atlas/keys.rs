//! Resolves ids that clients send to nodes, and says which node kinds a kind of object is made of.
//!
//! Three ranges of numbers exist for kinds with numeric ids: those of a service, those counted here
//! from [`OWN_NUMBERS`], and those from [`GAVE_WAY`] of older local things that lost their number
//! to a copy.

use lore_anvil::{IdForm, Kind};
use lore_core::names::Word;
use lore_core::{Error, Node, Result, Uid, Viewer};
use lore_store::{Change, Counters, NodeKey};

use super::copy::record::Seen;
use super::ids::uid_of;
use super::read::head;
use super::source::Atlas;
use super::templates;
use crate::id_forms::{self, read_uid};
use crate::play::{CAMPAIGN, CHARACTER, word};
use crate::{App, doors, knowledge};

/// Numbers of things made here start above this. A service's numbers are far below.
pub(super) const OWN_NUMBERS: i64 = 1 << 40;
/// Numbers above this belong to things made here whose number was taken by a copy.
pub(super) const GAVE_WAY: i64 = 1 << 41;
/// The own field with the new number of such a thing.
pub(super) const MOVED: &str = "movedNumber";

/// Node kind of a note in a notebook. Plain notes are pages.
const NOTEBOOK_NOTE: &str = "notebook_note";
/// Node kind of a historical event; journals are shown as histories as well.
const HISTORY: &str = "history";
/// Node kind of a secret that belongs to no article.
pub(super) const SECRET: &str = "secret";
/// Node kind of a user's profile.
pub(super) const USER: &str = "world_anvil_user";
/// Node kind of what is known of a world besides its name.
pub(super) const WORLD: &str = "world";

/// The node kinds that are shown as a kind of object. New objects get the first one.
pub(super) fn node_kinds(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Article => templates::NODE_KINDS.to_vec(),
        Kind::History => vec![HISTORY, templates::JOURNAL],
        Kind::Campaign => vec![CAMPAIGN],
        Kind::Npc => vec![CHARACTER],
        Kind::Note => vec![NOTEBOOK_NOTE],
        Kind::Folder => vec![Kind::Folder.row().path, Kind::BlockFolder.row().path],
        Kind::User => Vec::new(),
        other => vec![other.row().path],
    }
}

/// Like [`node_kinds`], as words for the store.
pub(super) fn node_words(kind: Kind) -> Result<Vec<Word>> {
    node_kinds(kind).into_iter().map(word).collect()
}

/// The node kinds that a search for articles skips: those shown as another kind of object, and
/// internal ones. Nodes of other doors (toolsets) are read-only articles.
pub(super) fn never_articles() -> impl Iterator<Item = &'static str> {
    // Notes are found by search, because no list contains notes outside notebooks.
    let tables = [Kind::Article, Kind::Campaign, Kind::Npc, Kind::Note];
    let others = Kind::ALL.iter().copied().filter(move |kind| !tables.contains(kind));
    let others = others.flat_map(node_kinds).filter(|kind| !templates::NODE_KINDS.contains(kind));
    doors::INNER.into_iter().chain(others)
}

/// The node kind of a new object. For articles it depends on the template.
pub(super) fn node_word(kind: Kind, template: Option<&str>) -> Result<Word> {
    match (kind, node_kinds(kind).into_iter().next()) {
        (Kind::Article, _) => word(templates::node_kind(template.unwrap_or("article"))),
        (_, Some(first)) => word(first),
        (_, None) => Err(Error::Bug { what: format!("a new {} without a kind", kind.row().one) }),
    }
}

/// The id of a node as this kind of object shows it.
pub(super) fn shown_id(kind: Kind, node: &Node) -> serde_json::Value {
    match kind.row().id {
        IdForm::Number => number_of(node).into(),
        IdForm::Uuid => node.uid.to_string().into(),
    }
}

/// The number of a node. A copy has the number it has at its source.
pub(super) fn number_of(node: &Node) -> i64 {
    let there = Seen::of_node(node).and_then(|seen| seen.id.parse().ok());
    let given_way = || head::own(node, MOVED).and_then(serde_json::Value::as_i64);
    there.or_else(given_way).unwrap_or(node.kind_number)
}

/// The number in the store's own counter that belongs to a shown number.
pub(super) fn counted_number(number: i64) -> i64 {
    if number > GAVE_WAY { number - GAVE_WAY } else { number }
}

impl Atlas {
    /// Finds the node with an id, and returns it with the atlas of the world it was found in.
    pub(super) async fn locate(&self, kind: Kind, id: &str) -> Result<(Self, Node)> {
        self.locate_where(kind, id, is_of_kind).await
    }

    /// The nodes of this world that have these ids.
    pub(super) async fn those_called(&self, kind: Kind, ids: &[&String]) -> Result<Vec<Node>> {
        if kind.row().id == IdForm::Number {
            let mut found = Vec::new();
            for number in ids.iter().filter_map(|id| id.parse().ok()) {
                found.extend(self.numbered(kind, number).await?);
            }
            return Ok(found);
        }
        let uids: Vec<Uid> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        let mut nodes = self.app().store.nodes_by_uid(self.viewer(), &uids).await?;
        nodes.retain(|node| is_shown_as(kind, node));
        Ok(nodes)
    }

    /// Like [`Self::locate`], for reading: also finds nodes of other doors, as articles, and for an
    /// entity that was merged into another that one.
    pub(super) async fn locate_shown(&self, kind: Kind, id: &str) -> Result<(Self, Node)> {
        let found = self.locate_where(kind, id, is_shown_as).await;
        if let Err(Error::NotFound { .. }) = &found
            && may_be_page_number(kind, id)
            && let Some(into) = id_forms::merged_into(self.app(), self.viewer(), id).await?
            && is_shown_as(kind, &into)
        {
            return Ok((self.clone(), into));
        }
        found
    }

    /// Like [`Self::locate`], for changing: nodes of other doors are refused with the tool to use
    /// instead.
    pub(super) async fn locate_own(&self, kind: Kind, id: &str) -> Result<(Self, Node)> {
        let (place, node) = self.locate_where(kind, id, is_shown_as).await?;
        match is_of_kind(kind, &node) {
            true => Ok((place, node)),
            false => Err(doors::kept_elsewhere(&node)),
        }
    }

    async fn locate_where(
        &self,
        kind: Kind,
        id: &str,
        fits: fn(Kind, &Node) -> bool,
    ) -> Result<(Self, Node)> {
        let written = id.trim();
        let key = match written.starts_with(knowledge::ORN) || written.starts_with('[') {
            true => {
                let found = id_forms::find(self.app(), self.viewer(), id).await?;
                let Some(found) = found else { return Err(self.absent(kind, id).await?) };
                NodeKey::Uid(found.uid)
            }
            false => key(kind, id)?,
        };
        if let NodeKey::KindNumber(_, number) = key {
            return self.locate_number(kind, number).await;
        }
        // A page number means a different page in every world.
        let places = match &key {
            NodeKey::Uid(_) => self.everywhere().await?,
            _ => vec![self.clone()],
        };
        for place in places {
            let found = place.app().store.node(place.viewer(), key.clone()).await?;
            if let Some(node) = found.filter(|node| fits(kind, node)) {
                return Ok((place, node));
            }
        }
        Err(self.absent(kind, id).await?)
    }

    async fn absent(&self, kind: Kind, id: &str) -> Result<Error> {
        Ok(self.merged_away(kind, id).await?.unwrap_or_else(|| unknown(kind, id)))
    }

    /// The error for an id of an entity that was merged into another; `None` for other ids.
    pub(super) async fn merged_away(&self, kind: Kind, id: &str) -> Result<Option<Error>> {
        match may_be_page_number(kind, id) {
            true => id_forms::merged_away(self.app(), self.viewer(), id).await,
            false => Ok(None),
        }
    }

    /// Finds the thing with a number in any world. Older versions counted per world, so several
    /// things may have the same number; then the number is refused.
    async fn locate_number(&self, kind: Kind, number: i64) -> Result<(Self, Node)> {
        let mut found = Vec::new();
        for place in self.everywhere().await? {
            let node = place.numbered(kind, number).await?;
            found.extend(node.map(|node| (place, node)));
        }
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                found.push(last);
                Err(several(kind, number, found.iter().map(|(_, node)| node)))
            }
            (None, _) => Err(unknown(kind, &number.to_string())),
        }
    }

    /// The thing with a number in this world.
    pub(super) async fn numbered(&self, kind: Kind, number: i64) -> Result<Option<Node>> {
        numbered(self.app(), self.viewer(), kind, number).await
    }

    /// Reserves the service's range of numbers for copies: things made here later get numbers above
    /// `past`.
    pub(super) async fn leave_numbers(&self, past: i64) -> Result<()> {
        let numbered = Kind::ALL.iter().filter(|kind| kind.row().id == IdForm::Number);
        let kinds = numbered.map(|kind| word(kind.row().path)).collect::<Result<Vec<_>>>()?;
        let skip = Change::SkipNumbers { counters: Counters::OfKinds(kinds), past };
        let batch = self.scribe.batch().change(skip);
        self.app().store.commit(self.viewer(), batch).await?;
        Ok(())
    }
}

/// Whether the number in an id, if it has one, is that of a page: numbers alone can be of a kind of
/// object.
fn may_be_page_number(kind: Kind, id: &str) -> bool {
    kind.row().id == IdForm::Uuid || id.trim().starts_with('[')
}

/// The thing with a number in the viewer's world: a copy with that number, or else a local one.
pub(super) async fn numbered(
    app: &App,
    viewer: &Viewer,
    kind: Kind,
    number: i64,
) -> Result<Option<Node>> {
    let copy = NodeKey::Uid(uid_of(kind, &number.to_string()));
    if let Some(copy) = app.store.node(viewer, copy).await? {
        return Ok(Some(copy));
    }
    let counted = NodeKey::KindNumber(word(kind.row().path)?, counted_number(number));
    let found = app.store.node(viewer, counted).await?;
    Ok(found.filter(|node| number_of(node) == number))
}

/// Whether a node is shown as this kind of object.
pub(super) fn is_of_kind(kind: Kind, node: &Node) -> bool {
    node_kinds(kind).contains(&node.kind.as_str())
}

/// Whether a node can be read as this kind of object.
fn is_shown_as(kind: Kind, node: &Node) -> bool {
    let shown = || never_articles().all(|never| never != node.kind.as_str());
    is_of_kind(kind, node) || (kind == Kind::Article && shown())
}

fn key(kind: Kind, id: &str) -> Result<NodeKey> {
    let id = id.trim();
    if id.is_empty() {
        let row = kind.row();
        return Err(Error::invalid(
            row.id_argument,
            "is empty",
            format!("give the id of a {}", row.one),
        ));
    }
    if let Ok(uid) = id.parse::<Uid>() {
        return Ok(NodeKey::Uid(uid));
    }
    if let Ok(number) = id.parse::<i64>() {
        return Ok(match kind.row().id {
            IdForm::Number => NodeKey::KindNumber(word(kind.row().path)?, number),
            IdForm::Uuid => NodeKey::Number(number),
        });
    }
    read_uid(id).map(NodeKey::Uid).ok_or_else(|| unknown(kind, id))
}

/// The error for a number that things in several worlds have.
fn several<'a>(kind: Kind, number: i64, nodes: impl Iterator<Item = &'a Node>) -> Error {
    let named: Vec<String> = nodes.map(|node| format!("{} ({})", node.name, node.uid)).collect();
    let problem = format!("{number} is the number of several: {}", named.join(", "));
    Error::invalid(kind.row().id_argument, problem, "give the UUID of the one that is meant")
}

/// The error for an id that does not exist or is not visible to the caller.
pub(super) fn unknown(kind: Kind, id: &str) -> Error {
    let row = kind.row();
    let hint = match row.list_tool {
        Some(tool) => format!("{tool} lists the ids there are"),
        None => "check the id".to_owned(),
    };
    Error::not_found(format!("{} {}", row.one, id.chars().take(100).collect::<String>()), hint)
}

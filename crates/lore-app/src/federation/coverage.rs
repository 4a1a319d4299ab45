//! What the owner's share rules currently cover.
//!
//! The node reads the world as a stranger without any rights, so only what every member may see is
//! considered. The whole world is surveyed from time to time. Before anything is sent, changes
//! since then are examined, so that something hidden a moment ago is not sent.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_core::names::name_key;
use lore_core::{Node, NodeId, Result, Text, Timestamp, Uid, Viewer};
use lore_koinet::node::{Node as KoiNode, Write};
use lore_koinet::{Contents, Rid, portable};
use lore_markup::mention::{self, Target};
use lore_store::NodeQuery;
use serde_json::json;

use super::is_of_federation;
use super::keeper::{matching, word};
use super::shares::{self, Rules, ShareRule};
use crate::App;
use crate::access::for_everybody;

/// The RID type of shared entities and pages.
pub const ENTITY_TYPE: &str = "orn:lorewell.entity";
/// The RID type of shared documents.
pub const DOCUMENT_TYPE: &str = "orn:lorewell.document";

/// Kinds that are shared as documents.
const DOCUMENTS: [&str; 6] =
    ["journal", "note", "outside_document", "source_file", "vault_note", "web_page"];
/// For how many nodes texts are read at once.
const AT_ONCE: usize = 500;
/// How many changed nodes are read at once.
const STEP: usize = 1_000;

/// What the rules covered when the world was last examined.
pub(super) struct Coverage {
    rules: Rules,
    /// Up to which change the world was followed.
    mark: i64,
    rids: HashMap<NodeId, Rid>,
}

/// The result of examining nodes: what to publish and what to withdraw.
#[derive(Default)]
pub(super) struct Findings {
    covered: Vec<(Rid, Contents)>,
    gone: Vec<Rid>,
}

impl Findings {
    /// Brings what is published in line with the findings.
    pub(super) fn publish(self, node: &mut KoiNode, now: Timestamp) -> Vec<Write> {
        let mut writes: Vec<_> = self.gone.iter().filter_map(|rid| node.withdraw(rid)).collect();
        for (rid, contents) in self.covered {
            writes.extend(node.publish(rid, contents, now));
        }
        writes
    }

    /// Also withdraws everything that is published and was not found.
    pub(super) fn and_nothing_else(mut self, node: &KoiNode) -> Self {
        let covered: HashSet<_> = self.covered.iter().map(|(rid, _)| rid).collect();
        self.gone = node.shared().filter(|rid| !covered.contains(rid)).cloned().collect();
        self
    }
}

impl Coverage {
    /// Surveys the whole world. The caller has to follow changes made meanwhile afterwards.
    pub(super) async fn survey(
        app: &App,
        viewer: &Viewer,
        root: NodeId,
        before: Option<i64>,
    ) -> Result<(Self, Findings)> {
        let stranger = for_everybody(viewer);
        let (_, mark) = changed_since(app, &stranger, before.unwrap_or_default()).await?;
        let rules = shares::read_rules(app, viewer, root).await?;
        let mut nodes = Vec::new();
        for rule in &rules.rules {
            nodes.extend(covered_by(app, &stranger, rule).await?);
        }
        let mut seen = HashSet::new();
        nodes.retain(|node| seen.insert(node.id));
        let mut coverage = Self { rules, mark, rids: HashMap::new() };
        let findings = coverage.judge(app, &stranger, nodes, &[]).await?;
        Ok((coverage, findings))
    }

    /// Returns up to which change the world was followed.
    pub(super) fn mark(&self) -> i64 {
        self.mark
    }

    /// Examines what changed since the last time. `None` if the rules changed, so that a new survey
    /// is needed.
    pub(super) async fn follow(
        &mut self,
        app: &App,
        viewer: &Viewer,
        root: NodeId,
    ) -> Result<Option<Findings>> {
        if shares::read_rules(app, viewer, root).await?.version != self.rules.version {
            return Ok(None);
        }
        let stranger = for_everybody(viewer);
        let (changed, mark) = changed_since(app, &stranger, self.mark).await?;
        let mut all = Findings::default();
        for part in changed.chunks(STEP) {
            let nodes = app.store.nodes(&stranger, part).await?;
            let found = self.judge(app, &stranger, nodes, part).await?;
            all.covered.extend(found.covered);
            all.gone.extend(found.gone);
        }
        self.mark = mark;
        Ok(Some(all))
    }

    /// Examines the items with these RIDs in their current state, including texts.
    pub(super) async fn look_at(
        &mut self,
        app: &App,
        viewer: &Viewer,
        rids: &[Rid],
    ) -> Result<Findings> {
        let of_world = |rid: &&Rid| [ENTITY_TYPE, DOCUMENT_TYPE].contains(&rid.kind());
        let asked: Vec<&Rid> = rids.iter().filter(of_world).collect();
        let uids: Vec<Uid> = asked.iter().filter_map(|rid| rid.reference().parse().ok()).collect();
        if asked.is_empty() {
            return Ok(Findings::default());
        }
        let stranger = for_everybody(viewer);
        let nodes = app.store.nodes_by_uid(&stranger, &uids).await?;
        let mut found = self.judge(app, &stranger, nodes, &[]).await?;
        let there: HashSet<&Rid> = found.covered.iter().map(|(rid, _)| rid).collect();
        found.gone = asked.into_iter().filter(|rid| !there.contains(rid)).cloned().collect();
        Ok(found)
    }

    /// Applies the rules to `nodes`, which a stranger sees. Those of `asked` that are no longer
    /// covered count as gone.
    async fn judge(
        &mut self,
        app: &App,
        stranger: &Viewer,
        mut nodes: Vec<Node>,
        asked: &[NodeId],
    ) -> Result<Findings> {
        let rules = &self.rules.rules;
        nodes.retain(|node| is_shareable(node) && rules.iter().any(|rule| rule.covers(node)));
        let mut covered = Vec::with_capacity(nodes.len());
        let mut stays = HashSet::new();
        for part in nodes.chunks(AT_ONCE) {
            let ids: Vec<_> = part.iter().map(|node| node.id).collect();
            let mut texts = app.store.texts_of_nodes(stranger, &ids).await?;
            spell_out_mentions(app, stranger, &mut texts).await?;
            for node in part {
                let Some((rid, contents)) = rendered(node, &texts) else { continue };
                stays.insert(node.id);
                self.rids.insert(node.id, rid.clone());
                covered.push((rid, contents));
            }
        }
        let gone = asked.iter().filter(|id| !stays.contains(*id));
        let gone = gone.filter_map(|id| self.rids.remove(id)).collect();
        Ok(Findings { covered, gone })
    }
}

/// Returns the nodes whose names, tags, visibility or deletion state changed, and the new position.
async fn changed_since(app: &App, viewer: &Viewer, mark: i64) -> Result<(Vec<NodeId>, i64)> {
    let (mut changed, mut mark) = (Vec::new(), mark);
    loop {
        let renamed = app.store.renamed(viewer, mark, STEP).await?;
        let is_last = renamed.nodes.len() < STEP;
        changed.extend(renamed.nodes);
        mark = renamed.mark;
        if is_last {
            return Ok((changed, mark));
        }
    }
}

/// Returns the nodes a rule covers among those a viewer sees.
pub(super) async fn covered_by(app: &App, viewer: &Viewer, rule: &ShareRule) -> Result<Vec<Node>> {
    let query = match rule {
        ShareRule::Node(uid) => {
            let Ok(uid) = uid.parse() else { return Ok(Vec::new()) };
            return Ok(app.store.nodes_by_uid(viewer, &[uid]).await?);
        }
        ShareRule::Kind(kind) => NodeQuery { kinds: vec![word(kind)?], ..NodeQuery::default() },
        ShareRule::Tag(tag) => NodeQuery { tags: vec![tag.clone()], ..NodeQuery::default() },
        ShareRule::Everything => NodeQuery::default(),
    };
    matching(app, viewer, query).await
}

impl ShareRule {
    /// Whether the rule covers a node.
    pub(super) fn covers(&self, node: &Node) -> bool {
        match self {
            Self::Node(uid) => uid.parse().is_ok_and(|uid: Uid| uid == node.uid),
            Self::Kind(kind) => node.kind.as_str() == kind,
            Self::Tag(tag) => node.tags.iter().any(|own| name_key(own) == *tag),
            Self::Everything => true,
        }
    }
}

/// Whether a node may be shared at all: not what came from others, and not internal records.
pub(super) fn is_shareable(node: &Node) -> bool {
    !is_of_federation(&node.kind)
}

/// Replaces mentions by names, because their numbers mean something else in another world. A
/// mention of something a stranger does not see shows only its label.
async fn spell_out_mentions(app: &App, stranger: &Viewer, texts: &mut [Text]) -> Result<()> {
    let numbers: BTreeSet<i64> = texts.iter().flat_map(|text| mentioned(&text.body)).collect();
    let mut names = HashMap::new();
    for part in numbers.into_iter().collect::<Vec<_>>().chunks(STEP) {
        let nodes = app.store.nodes_by_number(stranger, part).await?;
        names.extend(nodes.into_iter().map(|node| (node.number, node.name)));
    }
    for text in texts {
        text.body = mention::replaced(&text.body, |mention| {
            let name = match mention.target {
                Target::Entity(number) => names.get(&number).map(String::as_str),
                Target::Other | Target::New => None,
            };
            Some(mention.label().or(name).map(lore_markup::literal).unwrap_or_default())
        });
    }
    Ok(())
}

fn mentioned(markdown: &str) -> Vec<i64> {
    let all = mention::find(markdown).into_iter();
    all.filter_map(|mention| match mention.target {
        Target::Entity(number) => Some(number),
        Target::Other | Target::New => None,
    })
    .collect()
}

/// Prefix of the aliases that hold the path of a note.
const NOTE_PATH: &str = "vault:";

fn rendered(node: &Node, texts: &[Text]) -> Option<(Rid, Contents)> {
    let kind = node.kind.as_str();
    let rid_type = if DOCUMENTS.contains(&kind) { DOCUMENT_TYPE } else { ENTITY_TYPE };
    let rid = Rid::parse(&format!("{rid_type}:{}", node.uid)).ok()?;
    let texts = texts
        .iter()
        .filter(|text| text.node == node.id)
        .map(|text| json!({ "kind": text.kind.as_str(), "title": text.title, "body": text.body }));
    let mut contents = json!({
        "name": node.name,
        "kind": kind,
        "type": node.subtype,
        // The path of a note is private to its owner.
        "aliases": node.aliases.iter().filter(|alias| !alias.starts_with(NOTE_PATH)).collect::<Vec<_>>(),
        "tags": node.tags,
        "texts": texts.collect::<Vec<_>>(),
    });
    portable(&mut contents);
    Some((rid, Contents::parse(&contents.to_string())?))
}

//! What the owner shares: rules, and what they cover now.
//!
//! Nothing is shared without a rule. Whatever a rule says, only what every member may
//! see is looked at: the node reads the world as a stranger without any rights.

use std::collections::HashSet;

use lore_core::names::name_key;
use lore_core::{
    Error, Node, NodeId, PrincipalId, Result, Role, Text, Timestamp, Uid, Viewer, Visibility,
};
use lore_koinet::node::{Node as KoiNode, Write};
use lore_koinet::{Contents, Rid, portable};
use lore_store::{Batch, Change, Expect, NewState, NodeKey, NodeQuery, NodeRef, Origin};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::keeper::{find_root, make_root, matching, word};
use super::{FEDERATED, RECORD, ROOT};
use crate::App;

/// The RID type of entities and pages we share.
pub const ENTITY_TYPE: &str = "orn:lorewell.entity";
/// The RID type of documents we share.
pub const DOCUMENT_TYPE: &str = "orn:lorewell.document";

/// Kinds that are shared as documents.
const DOCUMENTS: [&str; 6] =
    ["journal", "note", "outside_document", "source_file", "vault_note", "web_page"];
/// Nodes whose texts are read at once.
const AT_ONCE: usize = 500;

/// What is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShareRule {
    /// One thing.
    Node(String),
    /// All things of a kind.
    Kind(String),
    /// All things with a tag.
    Tag(String),
    /// Everything that all members see.
    Everything,
}

/// The rules of the viewer's world.
pub async fn rules(app: &App, viewer: &Viewer) -> Result<Vec<ShareRule>> {
    match find_root(app, viewer).await? {
        Some(root) => Ok(read_rules(app, viewer, root).await?.0),
        None => Ok(Vec::new()),
    }
}

/// Adds a rule. A thing is named by its id, its number or its exact name.
pub async fn share(app: &App, viewer: &Viewer, rule: ShareRule) -> Result<ShareRule> {
    viewer.require(Role::Owner)?;
    let rule = settle_rule(app, viewer, rule).await?;
    change_rules(app, viewer, |rules| {
        if !rules.contains(&rule) {
            rules.push(rule.clone());
        }
    })
    .await?;
    Ok(rule)
}

/// Takes a rule back; what no other rule covers is forgotten everywhere.
pub async fn unshare(app: &App, viewer: &Viewer, rule: ShareRule) -> Result<ShareRule> {
    viewer.require(Role::Owner)?;
    let rule = settle_rule(app, viewer, rule).await?;
    change_rules(app, viewer, |rules| rules.retain(|known| *known != rule)).await?;
    Ok(rule)
}

/// Puts a rule into the form in which rules are compared.
async fn settle_rule(app: &App, viewer: &Viewer, rule: ShareRule) -> Result<ShareRule> {
    match rule {
        ShareRule::Node(what) => {
            let node = find_thing(app, viewer, &what).await?;
            if node.visibility != Visibility::Members {
                return Err(Error::Precondition {
                    message: format!("{} is private and is never shared", node.name),
                    hint: "let all members see it first".into(),
                });
            }
            Ok(ShareRule::Node(node.uid.to_string()))
        }
        ShareRule::Kind(kind) => Ok(ShareRule::Kind(word(&kind.to_lowercase())?.to_string())),
        ShareRule::Tag(tag) => Ok(ShareRule::Tag(name_key(&tag))),
        ShareRule::Everything => Ok(ShareRule::Everything),
    }
}

async fn find_thing(app: &App, viewer: &Viewer, what: &str) -> Result<Node> {
    let key = match (what.parse::<Uid>(), what.parse::<i64>()) {
        (Ok(uid), _) => Some(NodeKey::Uid(uid)),
        (_, Ok(number)) => Some(NodeKey::Number(number)),
        _ => None,
    };
    if let Some(key) = key
        && let Some(node) = app.store.node(viewer, key).await?
    {
        return Ok(node);
    }
    let name = Some(lore_store::NameMatch::Exact(what.to_owned()));
    let found = matching(app, viewer, NodeQuery { name, ..NodeQuery::default() }).await?;
    let mut found = found.into_iter().filter(is_shareable);
    match (found.next(), found.next()) {
        (Some(node), None) => Ok(node),
        (None, _) => Err(Error::not_found(format!("{what:?}"), "give its exact name or its id")),
        (Some(_), Some(_)) => Err(Error::invalid(
            "what",
            format!("{what:?} names several things"),
            "give the id of the one you mean",
        )),
    }
}

async fn read_rules(app: &App, viewer: &Viewer, root: NodeId) -> Result<(Vec<ShareRule>, i64)> {
    let states = app.store.states(viewer, &[root], &word("shares")?).await?;
    let Some(state) = states.into_iter().next() else { return Ok((Vec::new(), 0)) };
    let rules = state.value.get("rules").cloned().unwrap_or_default();
    let broken = |_| Error::Corrupt { what: "the rules of the federation".into() };
    Ok((serde_json::from_value(rules).map_err(broken)?, state.version))
}

async fn change_rules(
    app: &App,
    viewer: &Viewer,
    change: impl FnOnce(&mut Vec<ShareRule>),
) -> Result<()> {
    let root = match find_root(app, viewer).await? {
        Some(root) => root,
        None => make_root(app, viewer).await?,
    };
    let (mut rules, version) = read_rules(app, viewer, root).await?;
    change(&mut rules);
    let origin = Origin::new("federation share", app.effects.uid().to_string());
    let batch = Batch::new(origin, app.effects.now()).change(Change::PutState(NewState {
        node: NodeRef::Id(root),
        name: word("shares")?,
        expect: Expect::Version(version),
        value: json!({ "rules": rules }),
        visibility: Visibility::Private(viewer.principal),
    }));
    app.store.commit(viewer, batch).await?;
    Ok(())
}

/// What the rules cover now, ready to be published.
pub(super) async fn covered(
    app: &App,
    viewer: &Viewer,
    root: NodeId,
) -> Result<Vec<(Rid, Contents)>> {
    let (rules, _) = read_rules(app, viewer, root).await?;
    let stranger = Viewer { principal: PrincipalId(0), world: viewer.world, role: Role::Reader };
    let mut nodes = Vec::new();
    for rule in rules {
        nodes.extend(covered_by(app, &stranger, rule).await?);
    }
    let mut seen = HashSet::new();
    nodes.retain(|node| is_shareable(node) && seen.insert(node.id));
    let mut things = Vec::with_capacity(nodes.len());
    for part in nodes.chunks(AT_ONCE) {
        let ids: Vec<_> = part.iter().map(|node| node.id).collect();
        let texts = app.store.texts_of_nodes(&stranger, &ids).await?;
        things.extend(part.iter().filter_map(|node| rendered(node, &texts)));
    }
    Ok(things)
}

async fn covered_by(app: &App, stranger: &Viewer, rule: ShareRule) -> Result<Vec<Node>> {
    let query = match rule {
        ShareRule::Node(uid) => {
            let Ok(uid) = uid.parse() else { return Ok(Vec::new()) };
            return Ok(app.store.nodes_by_uid(stranger, &[uid]).await?);
        }
        ShareRule::Kind(kind) => NodeQuery { kinds: vec![word(&kind)?], ..NodeQuery::default() },
        ShareRule::Tag(tag) => NodeQuery { tags: vec![tag], ..NodeQuery::default() },
        ShareRule::Everything => NodeQuery::default(),
    };
    matching(app, stranger, query).await
}

/// What others gave us is theirs to give, and what the federation notes is nobody's.
fn is_shareable(node: &Node) -> bool {
    ![ROOT, RECORD, FEDERATED].contains(&node.kind.as_str())
}

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
        "aliases": node.aliases,
        "tags": node.tags,
        "texts": texts.collect::<Vec<_>>(),
    });
    portable(&mut contents);
    Some((rid, Contents::parse(&contents.to_string())?))
}

/// Brings what is published in line with what is covered.
pub(super) fn publish_all(
    node: &mut KoiNode,
    things: Vec<(Rid, Contents)>,
    now: Timestamp,
) -> Vec<Write> {
    let covered: HashSet<_> = things.iter().map(|(rid, _)| rid.clone()).collect();
    let gone: Vec<_> = node.shared().filter(|rid| !covered.contains(*rid)).cloned().collect();
    let mut writes: Vec<_> = gone.iter().filter_map(|rid| node.withdraw(rid)).collect();
    for (rid, contents) in things {
        writes.extend(node.publish(rid, contents, now));
    }
    writes
}

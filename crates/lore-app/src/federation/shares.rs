//! Share rules: what the owner shares with other nodes, and what each rule amounts to.
//!
//! Nothing is shared without a rule. Whatever a rule says, only what every member may see leaves
//! the world. Documents gathered for the game master's side have to be opened to all members first,
//! at the owner's request.

use lore_core::names::name_key;
use lore_core::{Error, Node, NodeId, Result, Role, Text, Uid, Viewer, Visibility};
use lore_store::{
    Batch, Change, Expect, NewState, NodeKey, NodePatch, NodeQuery, NodeRef, Origin, TextPatch,
    TextRef,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::coverage::{covered_by, is_shareable};
use super::keeper::{find_root, make_root, matching, word};
use crate::access::for_everybody;
use crate::{App, knowledge};

/// Kinds of documents gathered for the game master's side, which no other door (toolset) can open.
const GATHERED: [&str; 3] = ["outside_document", "vault_note", "web_page"];
/// How many documents are opened in one commit.
const AT_ONCE: usize = 100;

/// A rule that says what is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShareRule {
    /// One node. Given as a name, number, id or RID; stored as its uid.
    Node(String),
    /// All nodes of a kind.
    Kind(String),
    /// All nodes with a tag.
    Tag(String),
    /// Everything that all members see.
    Everything,
}

/// What to do with documents that only the game master's side sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// They stay as they are.
    Leave,
    /// Let every member see them.
    Open,
}

/// A rule and what it amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleReport {
    /// The rule.
    pub rule: ShareRule,
    /// Name and kind of the node, if the rule is about a single one that still exists.
    pub thing: Option<(String, String)>,
    /// How many nodes it shares.
    pub shared: usize,
    /// How many further nodes it names that not every member sees.
    pub hidden: usize,
    /// How many of these are documents that can be opened.
    pub closed_documents: usize,
}

/// The result of adding a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The rule and what it amounts to.
    pub report: RuleReport,
    /// Whether the rule existed before.
    pub was_there: bool,
    /// How many documents became visible to every member.
    pub opened: usize,
}

/// The result of removing a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// The rule and what it amounted to.
    pub report: RuleReport,
    /// Other rules that still share the node, if the rule was about a single one.
    pub still: Vec<ShareRule>,
}

/// Returns the rules of the viewer's world.
pub async fn rules(app: &App, viewer: &Viewer) -> Result<Vec<RuleReport>> {
    let mut reports = Vec::new();
    for rule in known_rules(app, viewer).await? {
        reports.push(report(app, viewer, rule).await?);
    }
    Ok(reports)
}

/// Adds a rule. A single node is named by its id, its number, its exact name or, if it is a
/// document, its RID.
pub async fn share(
    app: &App,
    viewer: &Viewer,
    rule: ShareRule,
    opening: Opening,
) -> Result<Shared> {
    viewer.require(Role::Owner)?;
    let rule = match rule {
        ShareRule::Node(what) => {
            let node = find_thing(app, viewer, &what).await?;
            check_sharable(&node, opening)?;
            ShareRule::Node(node.uid.to_string())
        }
        ShareRule::Kind(kind) => ShareRule::Kind(word(&kind.to_lowercase())?.to_string()),
        ShareRule::Tag(tag) => ShareRule::Tag(name_key(&tag)),
        ShareRule::Everything => ShareRule::Everything,
    };
    let opened = match opening {
        Opening::Leave => 0,
        Opening::Open => open_documents(app, viewer, &rule).await?,
    };
    let was_there = known_rules(app, viewer).await?.contains(&rule);
    change_rules(app, viewer, |rules| {
        if !rules.contains(&rule) {
            rules.push(rule.clone());
        }
    })
    .await?;
    Ok(Shared { report: report(app, viewer, rule).await?, was_there, opened })
}

/// Removes a rule. Other nodes then forget whatever no other rule covers. A node that is hidden or
/// deleted by now has to be named by its id.
pub async fn unshare(app: &App, viewer: &Viewer, rule: ShareRule) -> Result<Stopped> {
    viewer.require(Role::Owner)?;
    let known = known_rules(app, viewer).await?;
    let rule = match rule {
        ShareRule::Node(what) => rule_about(app, viewer, &known, &what).await?,
        ShareRule::Kind(kind) => Some(ShareRule::Kind(kind.to_lowercase())),
        ShareRule::Tag(tag) => Some(ShareRule::Tag(name_key(&tag))),
        ShareRule::Everything => Some(ShareRule::Everything),
    };
    let rule = rule.filter(|rule| known.contains(rule)).ok_or_else(|| {
        let hint = "`lorewell federation share` lists the rules";
        Error::not_found("a rule that shares this", hint)
    })?;
    let report = report(app, viewer, rule.clone()).await?;
    let still = still_covering(app, viewer, &known, &rule).await?;
    change_rules(app, viewer, |rules| rules.retain(|known| *known != rule)).await?;
    Ok(Stopped { report, still })
}

/// Fails for a node that is never shared, or not in its current state.
fn check_sharable(node: &Node, opening: Opening) -> Result<()> {
    let gathered = is_closed_document(node);
    let (problem, hint) = match node.visibility {
        _ if !is_shareable(node) => ("is not this world's to share", "share something of yours"),
        Visibility::Members => return Ok(()),
        Visibility::Gm if gathered && opening == Opening::Open => return Ok(()),
        Visibility::Gm if gathered => (
            "is seen by the game master's side only",
            "add --open: every member of the world sees it then, and those who subscribe",
        ),
        Visibility::Gm => (
            "is hidden and is not shared",
            "make it visible to all members first: update_entities with is_private false",
        ),
        Visibility::Private(_) => ("is private and is never shared", "share another one"),
    };
    Err(Error::Precondition { message: format!("{} {problem}", node.name), hint: hint.into() })
}

fn is_closed_document(node: &Node) -> bool {
    GATHERED.contains(&node.kind.as_str()) && node.visibility == Visibility::Gm
}

/// Makes the documents that a rule covers visible to every member. Returns how many there were.
async fn open_documents(app: &App, viewer: &Viewer, rule: &ShareRule) -> Result<usize> {
    if *rule == ShareRule::Everything {
        let hint =
            "name a document, kind:vault_note, kind:web_page, kind:outside_document or a tag";
        return Err(Error::invalid("what", "everything is too much to open", hint));
    }
    let mut nodes = covered_by(app, viewer, rule).await?;
    nodes.retain(is_closed_document);
    for part in nodes.chunks(AT_ONCE) {
        let ids: Vec<_> = part.iter().map(|node| node.id).collect();
        let texts = app.store.texts_of_nodes(viewer, &ids).await?;
        let origin = Origin::new("federation share", app.effects.uid().to_string());
        let mut batch = Batch::new(origin, app.effects.now());
        batch.changes.extend(part.iter().map(opened_node));
        let closed = texts.iter().filter(|text| text.visibility == Visibility::Gm);
        batch.changes.extend(closed.map(opened_text));
        app.store.commit(viewer, batch).await?;
    }
    Ok(nodes.len())
}

fn opened_node(node: &Node) -> Change {
    let patch = NodePatch { visibility: Some(Visibility::Members), ..NodePatch::default() };
    Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch)
}

fn opened_text(text: &Text) -> Change {
    let patch = TextPatch { visibility: Some(Visibility::Members), ..TextPatch::default() };
    Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch)
}

async fn report(app: &App, viewer: &Viewer, rule: ShareRule) -> Result<RuleReport> {
    let mut all = covered_by(app, viewer, &rule).await?;
    all.retain(is_shareable);
    let seen = covered_by(app, &for_everybody(viewer), &rule).await?;
    let shared = seen.iter().filter(|node| is_shareable(node)).count();
    let thing = all.first().filter(|_| matches!(rule, ShareRule::Node(_)));
    Ok(RuleReport {
        thing: thing.map(|node| (node.name.clone(), node.kind.to_string())),
        rule,
        shared,
        hidden: all.len().saturating_sub(shared),
        closed_documents: all.iter().filter(|node| is_closed_document(node)).count(),
    })
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
    if let Some(document) = knowledge::document(app, viewer, what).await? {
        return Ok(document);
    }
    let name = Some(lore_store::NameMatch::Exact(what.to_owned()));
    let found = matching(app, viewer, NodeQuery { name, ..NodeQuery::default() }).await?;
    let mut found = found.into_iter().filter(is_shareable);
    match (found.next(), found.next()) {
        (Some(node), None) => Ok(node),
        (None, _) => {
            let hint = "give its exact name, its id, or the RID of a document";
            Err(Error::not_found(format!("{what:?}"), hint))
        }
        (Some(one), Some(other)) => Err(Error::invalid(
            "what",
            format!("{what:?} names several things, such as {} and {}", told(&one), told(&other)),
            "give the id of the one you mean",
        )),
    }
}

fn told(node: &Node) -> String {
    format!("the {} {}", node.kind, node.uid)
}

/// Returns the rule about a single node with this name or id.
async fn rule_about(
    app: &App,
    viewer: &Viewer,
    known: &[ShareRule],
    what: &str,
) -> Result<Option<ShareRule>> {
    let uids: Vec<Uid> = known.iter().filter_map(uid_of).collect();
    if let Ok(uid) = what.parse::<Uid>() {
        return Ok(Some(ShareRule::Node(uid.to_string())));
    }
    let is_named = |node: &&Node| {
        let mut names = std::iter::once(&node.name).chain(&node.aliases);
        names.any(|name| name_key(name) == name_key(what))
            || node.number.to_string() == what
            || knowledge::of_document(node) == what
    };
    let nodes = app.store.nodes_by_uid(viewer, &uids).await?;
    Ok(nodes.iter().find(is_named).map(|node| ShareRule::Node(node.uid.to_string())))
}

fn uid_of(rule: &ShareRule) -> Option<Uid> {
    match rule {
        ShareRule::Node(uid) => uid.parse().ok(),
        _ => None,
    }
}

/// Returns the other rules that cover the node of a rule.
async fn still_covering(
    app: &App,
    viewer: &Viewer,
    known: &[ShareRule],
    ended: &ShareRule,
) -> Result<Vec<ShareRule>> {
    let Some(uid) = uid_of(ended) else { return Ok(Vec::new()) };
    let nodes = app.store.nodes_by_uid(&for_everybody(viewer), &[uid]).await?;
    let Some(node) = nodes.first() else { return Ok(Vec::new()) };
    let others = known.iter().filter(|rule| *rule != ended && rule.covers(node));
    Ok(others.cloned().collect())
}

/// The rules, and the version of the state that holds them.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    pub(super) rules: Vec<ShareRule>,
    pub(super) version: i64,
}

async fn known_rules(app: &App, viewer: &Viewer) -> Result<Vec<ShareRule>> {
    match find_root(app, viewer).await? {
        Some(root) => Ok(read_rules(app, viewer, root).await?.rules),
        None => Ok(Vec::new()),
    }
}

pub(super) async fn read_rules(app: &App, viewer: &Viewer, root: NodeId) -> Result<Rules> {
    let states = app.store.states(viewer, &[root], &word("shares")?).await?;
    let Some(state) = states.into_iter().next() else { return Ok(Rules::default()) };
    let rules = state.value.get("rules").cloned().unwrap_or_default();
    let broken = |_| Error::Corrupt { what: "the rules of the federation".into() };
    Ok(Rules { rules: serde_json::from_value(rules).map_err(broken)?, version: state.version })
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
    let Rules { mut rules, version } = read_rules(app, viewer, root).await?;
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

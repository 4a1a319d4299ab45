//! Applying a batch: preconditions, changes, audit log and change log, all or nothing.
//!
//! Runs inside the writer's savepoint, so an error leaves nothing behind. A viewer cannot change
//! what they cannot see; it is reported as not found.

mod access;
mod edge;
mod heard;
mod labels;
mod node;
mod note;
mod record;
mod shown;
mod text;

use std::collections::HashSet;

use lore_core::names::name_key;
use lore_core::{Role, Uid, Viewer, Visibility};
use lore_store::veil::Says;
use lore_store::{
    Applied, Batch, Change, Committed, Expect, Eyes, NodeRef, Reach, Require, StoreError,
};
use serde_json::Value;

use self::heard::Heard;
use self::node::Said;
use self::shown::News;
use crate::audit::{self, Author};
use crate::fault::{Answer, Fault, invalid, missing};
use crate::rows::{self, Fields};
use crate::sight::{self, Named, Presence, Sight};
use crate::slate::Slate;
use crate::{changes, veil};

/// Applies a batch.
pub(crate) fn commit(db: &Slate<'_>, viewer: &Viewer, batch: &Batch) -> Answer<Committed> {
    permit(viewer, batch)?;
    let at = rows::micros(batch.at);
    let author = Author { world: viewer.world.0, principal: viewer.principal.0, at };
    let mut hand = Hand {
        db,
        viewer,
        eyes: batch.eyes,
        reach: batch.reach,
        author,
        made: HashSet::new(),
        checked: Vec::new(),
        news: News::default(),
        said: Vec::new(),
        notes: Vec::new(),
        heard: Heard::default(),
    };
    if let Some(once) = &batch.once {
        hand.keep_answer(once)?;
    }
    batch.require.iter().try_for_each(|require| hand.check(require))?;
    let applied = batch.changes.iter().map(|change| hand.apply(change));
    let mut applied = applied.collect::<Answer<Vec<_>>>()?;
    hand.settle_said(&mut applied)?;
    hand.settle_news()?;
    // Changes that leave every value as it was make no audit entry and no change log entry; neither
    // does counting accesses.
    let changed = !hand.notes.is_empty() || batch.changes.is_empty();
    let touches = if changed { hand.heard.touches(batch) } else { Vec::new() };
    if !hand.notes.is_empty() || !touches.is_empty() {
        audit::write(db, author, &batch.origin, hand.notes)?;
    }
    let sequence = changes::append(db, author.world, at, &touches)?;
    Ok(Committed { sequence, applied })
}

fn permit(viewer: &Viewer, batch: &Batch) -> Answer<()> {
    if viewer.role < Role::Player {
        let action = "change anything".into();
        return Err(StoreError::Forbidden { role: viewer.role, action }.into());
    }
    if batch.changes.is_empty() && batch.touches.is_empty() && batch.echoes.is_empty() {
        return Err(invalid("the batch is empty"));
    }
    Ok(())
}

/// The state of one batch while it is applied.
struct Hand<'a> {
    db: &'a Slate<'a>,
    viewer: &'a Viewer,
    /// Whether the viewer's rights are the author's own, or lent to the author for this batch.
    eyes: Eyes,
    reach: Reach,
    author: Author,
    /// Nodes and texts created by this batch so far. Later changes of the batch may use them, even
    /// if they are private to somebody else.
    made: HashSet<Uid>,
    /// Live nodes that a precondition has read, valid until a change may have altered them.
    checked: Vec<(NodeRef, Target)>,
    /// Which changes of each node are visible to those who see the node.
    news: News,
    /// Node patches that changed no value; whether they count is decided at the end.
    said: Vec<Said>,
    /// Entries for the audit log.
    notes: Vec<Value>,
    /// The audiences that see at least one change.
    heard: Heard,
}

/// The columns of a node that every change needs.
#[derive(Clone, Copy)]
struct Target {
    id: i64,
    uid: Uid,
    number: i64,
    kind_number: i64,
    version: i64,
    visibility: Visibility,
    deleted: bool,
}

impl Hand<'_> {
    fn check(&mut self, require: &Require) -> Answer<()> {
        match require {
            Require::NameFree { kind, name } => self.check_name_free(kind.as_str(), name),
            Require::NodeAt { node, version } => {
                let found = self.node(*node, Presence::Live).map_err(gone)?;
                self.checked.push((*node, found));
                expect(Expect::Version(*version), found.version, || format!("node {}", found.id))
            }
            Require::StateAt { node, name, version } => {
                let node = self.node(*node, Presence::Live).map_err(gone)?;
                let found = self.state_version(&node, name.as_str()).map_err(gone)?;
                expect(Expect::Version(*version), found, || format!("{name} of node {}", node.id))
            }
        }
    }

    fn check_name_free(&self, kind: &str, name: &str) -> Answer<()> {
        let sql = format!(
            "SELECT 1 FROM node n WHERE n.kind = :kind AND n.name_key = :key AND {}",
            sight::node("n", Presence::Live)
        );
        let sight = self.author_sight();
        let key = name_key(name);
        let mut statement = self.db.prepare_cached(&sql)?;
        let parameters = sight.with(&[(":kind", &kind), (":key", &key)]);
        if statement.exists(parameters.as_slice())? {
            return Err(StoreError::Conflict(format!("the name {:?}", name.trim())).into());
        }
        Ok(())
    }

    /// What the author sees, even if the batch is committed with lent rights.
    fn author_sight(&self) -> Sight {
        match self.eyes {
            Eyes::Own => Sight::of(self.viewer),
            Eyes::Lent => Sight::of(&Viewer { role: Role::Player, ..*self.viewer }),
        }
    }

    /// Of the page numbers that `old` mentions, those that the author sees; `None` if they see all.
    /// The author was shown plain words in place of the others and may send those words back.
    fn seen_by_author<T: Says + Clone>(&self, old: &T) -> Answer<Option<HashSet<i64>>> {
        let sight = self.author_sight();
        if sight.is_gm() {
            return Ok(None);
        }
        veil::seen_of(self.db, sight, &mut [old.clone()])
    }

    /// Whether the author sees the game master's side.
    fn knows_all(&self) -> bool {
        self.eyes == Eyes::Own && self.viewer.sees_gm_side()
    }

    fn apply(&mut self, change: &Change) -> Answer<Applied> {
        if !matches!(change, Change::PutState(_) | Change::AppendEvents(_)) {
            self.checked.clear();
        }
        match change {
            Change::CreateNode(new) => self.create_node(new),
            Change::UpdateNode(node, version, patch) => self.update_node(*node, *version, patch),
            Change::DeleteNode(node, version) => self.delete_node(*node, *version),
            Change::RestoreNode(node) => self.restore_node(*node),
            Change::CreateText(new) => self.create_text(new),
            Change::UpdateText(text, version, patch) => self.update_text(*text, *version, patch),
            Change::MoveText(text, version, node) => self.move_text(*text, *version, *node),
            Change::DeleteText(text, version) => self.delete_text(*text, *version),
            Change::RestoreText(text) => self.restore_text(*text),
            Change::PutEdge(new) => self.put_edge(new),
            Change::UpdateEdge(edge, version, patch) => self.update_edge(edge, *version, patch),
            Change::DeleteEdge(edge, version) => self.delete_edge(edge, *version),
            Change::RestoreEdge(edge) => self.restore_edge(edge),
            Change::PutState(new) => self.put_state(new),
            Change::AppendEvents(new) => self.append_events(new),
            Change::CountAccess(nodes) => self.count_access(nodes),
            Change::SkipNumbers { counters, past } => self.skip_numbers(counters, *past),
        }
    }

    /// A live node that the viewer sees or that this batch created, if possible from the
    /// precondition checks.
    fn live(&self, node: NodeRef) -> Answer<Target> {
        match self.checked.iter().find(|(checked, _)| *checked == node) {
            Some((_, target)) => Ok(*target),
            None => self.node(node, Presence::Live),
        }
    }

    /// A node that the viewer sees or that this batch created.
    fn node(&self, node: NodeRef, presence: Presence) -> Answer<Target> {
        let uid = |uid: Uid| uid.as_bytes().to_vec();
        let (column, key, name) = match node {
            NodeRef::Id(id) => ("id", rusqlite::types::Value::from(id.0), id.to_string()),
            NodeRef::Uid(given) => ("uid", uid(given).into(), given.to_string()),
        };
        let sql = format!(
            "SELECT n.id, n.uid, n.number, n.kind_number, n.version, n.visibility, n.private_to,
               n.deleted_at IS NOT NULL
             FROM node n WHERE n.{column} = :key AND {}",
            sight::node("n", presence)
        );
        let made = matches!(node, NodeRef::Uid(uid) if self.made.contains(&uid));
        self.look(&sql, made, &[(":key", &key)], target)?
            .ok_or_else(|| missing(format!("node {name}")))
    }

    /// The first row of a statement that uses a condition from [`sight`].
    fn look<T>(
        &self,
        sql: &str,
        made: bool,
        parameters: &[Named<'_>],
        read: impl Fn(&rusqlite::Row<'_>) -> Answer<T>,
    ) -> Answer<Option<T>> {
        let sight = match made || self.reach == Reach::Everybodys {
            true => Sight::of_its_maker(self.viewer),
            false => Sight::of(self.viewer),
        };
        let mut statement = self.db.prepare_cached(sql)?;
        rows::first(statement.query(sight.with(parameters).as_slice())?, read)
    }

    /// The visibility of the node with this id, for items that belong to it.
    fn visibility_of(&self, node: i64) -> Answer<Visibility> {
        let sql = "SELECT visibility, private_to FROM node WHERE id = ?1";
        let mut statement = self.db.prepare_cached(sql)?;
        rows::first(statement.query([node])?, |row| Fields::of(row).visibility())?
            .ok_or_else(|| missing(format!("node {node}")))
    }
}

/// Turns "not found" into a conflict: the caller names a version, so the item existed when they
/// read it.
fn gone(fault: Fault) -> Fault {
    match fault {
        Fault::Refused(StoreError::NotFound(what)) => StoreError::Conflict(what).into(),
        other => other,
    }
}

fn target(row: &rusqlite::Row<'_>) -> Answer<Target> {
    let mut fields = Fields::of(row);
    Ok(Target {
        id: fields.take()?,
        uid: fields.uid()?,
        number: fields.take()?,
        kind_number: fields.take()?,
        version: fields.take()?,
        visibility: fields.visibility()?,
        deleted: fields.take()?,
    })
}

fn expect(expected: Expect, found: i64, what: impl Fn() -> String) -> Answer<()> {
    match expected {
        Expect::Version(version) if version != found => Err(StoreError::Conflict(what()).into()),
        Expect::Version(_) | Expect::Any => Ok(()),
    }
}

fn json(properties: &lore_core::Properties) -> Answer<String> {
    serde_json::to_string(properties).map_err(|error| invalid(format!("properties: {error}")))
}

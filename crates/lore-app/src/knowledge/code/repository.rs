//! Scanned repositories: where they are, and what the last scan found.
//!
//! Scanning makes this machine read files and addresses, so only the game master's side may do it.
//! Folders of this machine may be added only by the person at it, which a token never proves; other
//! callers may add folders that the configuration lists.

use std::path::PathBuf;

use lore_core::{Error, Node, Properties, Result, Role, State, Uid, Viewer};
use lore_store::{
    Change, Expect, NewNode, NewState, NodeKey, NodePatch, NodeQuery, NodeRef, StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::mark::{Mark, Standing};
use super::origin::{Origin, checked, name_of, origin};
use super::{GITHUB, keep};
use crate::App;
use crate::access::Presence;
use crate::knowledge::documents;
use crate::knowledge::entities::uri;
use crate::knowledge::librarian::Librarian;
use crate::play::word;

/// Node kind of a repository; as an entity it is a project.
const KIND: &str = "repository";
/// Name of the state that holds its record.
const RECORD: &str = "repository";

/// A repository to add.
#[derive(Debug, Clone, Default)]
pub struct NewRepository {
    /// Its address, or a folder on this machine.
    pub source: String,
    /// Its name; derived from the source if absent.
    pub name: Option<String>,
    /// The branch to read; the default branch if absent.
    pub branch: Option<String>,
}

/// A scanned repository.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its node.
    pub node: Node,
    /// Its stored record.
    pub kept: Kept,
}

/// The stored record of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its name when it was added; its node may be renamed.
    pub name: String,
    /// Where it is.
    pub origin: Origin,
    /// When it was last scanned.
    pub last_scan: Option<String>,
    /// The commit it was at then.
    pub head: Option<String>,
    /// What the last scan found.
    pub counts: Counts,
    /// How many scans were completed.
    pub scans: u64,
    /// Why the last scan failed, if it did.
    pub error: Option<String>,
    /// The scan that is running or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan: Option<Mark>,
    /// How many scans have failed in a row.
    #[serde(default)]
    pub failures: u32,
    /// Whether it was added by somebody other than the person at the machine. A folder is then read
    /// only as long as the configuration lists it.
    #[serde(default)]
    pub guarded: bool,
}

impl Kept {
    /// Whether its first scan failed and nothing was ever read. Its name can then be reused.
    fn came_to_nothing(&self) -> bool {
        self.scans == 0 && self.scan.is_none() && self.error.is_some()
    }
}

/// The number of things a scan found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Files.
    pub files: usize,
    /// Functions, classes, interfaces and modules.
    pub entities: usize,
    /// Edges between them.
    pub edges: usize,
    /// Searchable texts.
    pub chunks: usize,
}

/// Adds a repository. Returns it and whether it is new.
pub async fn register(librarian: &Librarian, new: &NewRepository) -> Result<(Repository, bool)> {
    librarian.viewer.require(Role::Gm)?;
    let origin = origin(librarian, new)?;
    let same = repositories(librarian).await?.into_iter().find(|known| known.kept.origin == origin);
    let name = match (&new.name, same) {
        (Some(given), Some(known)) if checked(given)? != known.kept.name => {
            return Err(Error::invalid(
                "repo_name",
                format!("would be a second name: this is {:?} already", known.kept.name),
                "use that name, or remove it first",
            ));
        }
        (_, Some(known)) => return Ok((known, false)),
        (Some(given), None) => checked(given)?,
        (None, None) => checked(&name_of(&origin))?,
    };
    let taken = find(librarian, &name).await?;
    if let Some(known) = taken.filter(|known| !known.kept.came_to_nothing()) {
        return Err(Error::invalid(
            "repo_name",
            format!("{:?} is another repository already", known.kept.name),
            "give another repo_name, or remove that one first",
        ));
    }
    create(librarian, &name, origin).await?;
    let made = find(librarian, &name).await?;
    made.map(|made| (made, true)).ok_or_else(|| Error::Unavailable { what: "the store".into() })
}

/// Removes a repository and everything read from it. Returns whether it existed.
pub async fn remove(librarian: &Librarian, name: &str) -> Result<bool> {
    librarian.viewer.require(Role::Gm)?;
    let Some(known) = find(librarian, name).await? else { return Ok(false) };
    let _turn = librarian.app.code.turn.lock().await;
    let files: Vec<_> = keep::known(librarian, name).await?.into_values().collect();
    keep::forget(librarian, files.iter().map(|file| file.node)).await?;
    let gone = Change::DeleteNode(NodeRef::Id(known.node.id), Expect::Any);
    librarian.app.store.commit(&librarian.viewer, librarian.batch().change(gone)).await?;
    if let Some(copy) = copy_of(librarian, &known.node) {
        let dropped = tokio::task::spawn_blocking(move || lore_code::drop_copy(&copy)).await;
        if let Ok(Err(_)) = dropped {
            tracing::warn!(node = %known.node.id, "the copy of a repository was not removed");
        }
    }
    Ok(true)
}

/// Returns the repositories, sorted by name.
pub async fn repositories(librarian: &Librarian) -> Result<Vec<Repository>> {
    let mut found = seen_by(&librarian.app, &librarian.viewer).await?;
    for known in &mut found {
        // The stored counts do not include what a cancelled scan left behind.
        if known.standing(&librarian.app) == Standing::Interrupted {
            let edges = known.kept.counts.edges;
            known.kept.counts = keep::counts(librarian, &known.kept.name, edges).await?;
        }
    }
    Ok(found)
}

/// Returns the repositories a viewer sees, with their stored counts.
pub(super) async fn seen_by(app: &App, viewer: &Viewer) -> Result<Vec<Repository>> {
    let mut nodes = Vec::new();
    let mut after = None;
    loop {
        let query = NodeQuery {
            kinds: vec![word(KIND)?],
            namespace: Some(GITHUB.into()),
            after,
            ..NodeQuery::default()
        };
        let page = app.store.find_nodes(viewer, query).await?;
        nodes.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let mut found = with_records(app, viewer, nodes).await?;
    found.sort_by(|a, b| a.kept.name.cmp(&b.kept.name));
    Ok(found)
}

/// Returns the repository with this name.
pub(super) async fn find(librarian: &Librarian, name: &str) -> Result<Option<Repository>> {
    let Some(uid) = uid_of(librarian, name) else { return Ok(None) };
    let node = librarian.app.store.node(&librarian.viewer, NodeKey::Uid(uid)).await?;
    let nodes = node.into_iter().collect();
    Ok(with_records(&librarian.app, &librarian.viewer, nodes).await?.pop())
}

/// Stores the record of a repository.
pub(super) async fn note(librarian: &Librarian, known: &Repository, kept: &Kept) -> Result<()> {
    note_with(librarian, known, kept, Vec::new()).await
}

/// Stores the record of a repository together with the last changes of a scan.
pub(super) async fn note_with(
    librarian: &Librarian,
    known: &Repository,
    kept: &Kept,
    changes: Vec<Change>,
) -> Result<()> {
    let mut batch = librarian.batch();
    batch.changes = changes;
    batch.changes.push(record(librarian, NodeRef::Id(known.node.id), kept)?);
    librarian.app.store.commit(&librarian.viewer, batch).await?;
    Ok(())
}

/// Returns the path of the clone of a remote repository.
pub(super) fn copy_of(librarian: &Librarian, node: &Node) -> Option<PathBuf> {
    let folder = librarian.app.code.settings.copies.as_ref()?;
    Some(folder.join(node.uid.to_string()))
}

async fn with_records(app: &App, viewer: &Viewer, nodes: Vec<Node>) -> Result<Vec<Repository>> {
    let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
    let states = app.store.states(viewer, &ids, &word(RECORD)?).await?;
    let read = |node: Node| {
        let state: &State = states.iter().find(|state| state.node == node.id)?;
        let kept = serde_json::from_value(state.value.clone()).ok()?;
        Some(Repository { node, kept })
    };
    Ok(nodes.into_iter().filter_map(read).collect())
}

async fn create(librarian: &Librarian, name: &str, origin: Origin) -> Result<()> {
    let uid = uid_of(librarian, name)
        .ok_or_else(|| Error::Bug { what: "the id of a repository".into() })?;
    let mut properties = Properties::new();
    if let Origin::Remote { address, .. } = &origin {
        properties.insert(documents::URL.into(), json!(address));
    }
    let node = NewNode {
        namespace: GITHUB.into(),
        visibility: librarian.visibility(),
        properties: properties.clone(),
        ..NewNode::new(uid, word(KIND)?, name)
    };
    let kept = Kept {
        name: name.to_owned(),
        origin,
        last_scan: None,
        head: None,
        counts: Counts::default(),
        scans: 0,
        error: None,
        scan: None,
        failures: 0,
        guarded: librarian.presence != Presence::Here,
    };
    let kept = record(librarian, NodeRef::Uid(uid), &kept)?;
    let store = &librarian.app.store;
    let made = librarian.batch().change(Change::CreateNode(node)).change(kept.clone());
    match store.commit(&librarian.viewer, made).await {
        // It is in the bin after it was removed, or its first scan failed.
        Err(StoreError::Exists(_)) => {
            let is_there = store.node(&librarian.viewer, NodeKey::Uid(uid)).await?.is_some();
            let restore = (!is_there).then_some(Change::RestoreNode(NodeRef::Uid(uid)));
            let mut back = librarian.batch();
            let patch = NodePatch { properties: Some(properties), ..NodePatch::default() };
            let moved = Change::UpdateNode(NodeRef::Uid(uid), Expect::Any, patch);
            back.changes.extend(restore.into_iter().chain([moved, kept]));
            store.commit(&librarian.viewer, back).await?;
        }
        other => drop(other?),
    }
    Ok(())
}

fn record(librarian: &Librarian, node: NodeRef, kept: &Kept) -> Result<Change> {
    Ok(Change::PutState(NewState {
        node,
        name: word(RECORD)?,
        expect: Expect::Any,
        value: json!(kept),
        visibility: librarian.visibility(),
    }))
}

fn uid_of(librarian: &Librarian, name: &str) -> Option<Uid> {
    uri::derived_uid(&librarian.viewer, &format!("{KIND} {name}"))
}

//! The code graph in memory, built from the files a viewer sees.
//!
//! Each kind of viewer has a graph of exactly what they see. A graph is immutable: when files
//! change, a new one is built next to it and replaces it. A query waits for a graph that includes
//! all completed scans, whichever program made them. Only while a scan is running is a query
//! answered from the existing graph.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use lore_code::{CodeGraph, FileFacts, link};
use lore_core::{Error, Node, NodeId, Result, State, Viewer};
use lore_cypher::Graph;
use lore_store::NodeQuery;
use parking_lot::Mutex;

use super::facts::KeptFacts;
use super::mark::Standing;
use super::{GITHUB, keep, repository};
use crate::App;
use crate::play::word;

/// Most graphs kept at once; a viewer whose graph was dropped gets a new one.
const KEPT_MAX: usize = 32;
/// How many changed nodes are examined at once.
const STEP: usize = 1_000;
/// How long a query waits for a graph to be rebuilt, in addition to its own time limit.
const PATIENCE: Duration = Duration::from_secs(30);

/// The graphs of all viewers.
#[derive(Default)]
pub(super) struct Graphs {
    kept: Mutex<HashMap<Viewer, Arc<Place>>>,
}

/// The graph of one viewer.
#[derive(Default)]
struct Place {
    current: Mutex<Option<Arc<Snapshot>>>,
    seen: Mutex<Seen>,
    /// Held while a new graph is built.
    making: tokio::sync::Mutex<()>,
}

/// What is known about changes since a graph was built.
#[derive(Default, Clone, Copy)]
struct Seen {
    /// Up to which change the changes were examined.
    mark: i64,
    /// Whether one of them affected files.
    changed: bool,
}

/// An immutable code graph.
pub(super) struct Snapshot {
    pub(super) graph: Graph,
    files: HashSet<NodeId>,
    edges: BTreeMap<String, usize>,
    /// Repositories that were being scanned when it was built.
    left_out: HashSet<String>,
    mark: i64,
}

impl Snapshot {
    /// Returns the number of edges of a repository.
    pub(super) fn edges_of(&self, repo: &str) -> usize {
        self.edges.get(repo).copied().unwrap_or_default()
    }
}

/// What happened to files since a graph was built.
#[derive(PartialEq, Eq)]
enum News {
    None,
    /// Some are new or changed.
    Changed,
    /// Some were deleted or are no longer visible to the viewer.
    Lost,
}

/// Returns the graph for a query of this viewer, including all completed scans.
pub(super) async fn current(app: &Arc<App>, viewer: &Viewer) -> Result<Arc<Snapshot>> {
    let place = app.code.graphs.place(viewer);
    let Some(at_hand) = place.at_hand() else { return renewed(app, viewer).await };
    let news = news(app, viewer, &place, &at_hand).await?;
    match news {
        News::None if at_hand.left_out.is_empty() => Ok(at_hand),
        News::Lost => renewed(app, viewer).await,
        News::None | News::Changed => {
            let scanned = being_scanned(app, viewer).await?;
            let is_new = news == News::Changed && scanned.is_empty();
            if !is_new && at_hand.left_out.is_subset(&scanned) {
                return Ok(at_hand);
            }
            awaited(app, viewer).await
        }
    }
}

/// Builds a new graph and waits for it. If that takes too long, the query fails, because the state
/// before a scan would be a wrong answer after it.
async fn awaited(app: &Arc<App>, viewer: &Viewer) -> Result<Arc<Snapshot>> {
    let most = app.code.settings.query.time.saturating_add(PATIENCE);
    // A separate task, so that building continues even if the caller gives up.
    let (app, viewer) = (Arc::clone(app), *viewer);
    let making = tokio::spawn(async move { renewed(&app, &viewer).await });
    match tokio::time::timeout(most, making).await {
        Ok(Ok(made)) => made,
        Ok(Err(_)) => Err(Error::Bug { what: "the graph of code".into() }),
        Err(_) => Err(Error::Unavailable {
            what: "the graph of code, which is still being made anew after a scan,".into(),
        }),
    }
}

/// Returns a graph that includes every change until now.
pub(super) async fn renewed(app: &Arc<App>, viewer: &Viewer) -> Result<Arc<Snapshot>> {
    let place = app.code.graphs.place(viewer);
    let _making = place.making.lock().await;
    // Another caller may have built it while this one waited for the lock.
    if let Some(at_hand) = place.at_hand()
        && news(app, viewer, &place, &at_hand).await? == News::None
        && at_hand.left_out.is_subset(&being_scanned(app, viewer).await?)
    {
        return Ok(at_hand);
    }
    let made = Arc::new(make(app, viewer).await?);
    *place.seen.lock() = Seen { mark: made.mark, changed: false };
    *place.current.lock() = Some(Arc::clone(&made));
    Ok(made)
}

impl Graphs {
    fn place(&self, viewer: &Viewer) -> Arc<Place> {
        let mut kept = self.kept.lock();
        if kept.len() >= KEPT_MAX && !kept.contains_key(viewer) {
            kept.clear();
        }
        Arc::clone(kept.entry(*viewer).or_default())
    }
}

impl Place {
    fn at_hand(&self) -> Option<Arc<Snapshot>> {
        self.current.lock().clone()
    }
}

async fn news(app: &App, viewer: &Viewer, place: &Place, graph: &Snapshot) -> Result<News> {
    let Seen { mark, mut changed } = *place.seen.lock();
    let mut mark = graph.mark.max(mark);
    loop {
        let renamed = app.store.renamed(viewer, mark, STEP).await?;
        let nodes = app.store.nodes(viewer, &renamed.nodes).await?;
        let seen: HashSet<NodeId> = nodes.iter().map(|node| node.id).collect();
        if renamed.nodes.iter().any(|id| graph.files.contains(id) && !seen.contains(id)) {
            return Ok(News::Lost);
        }
        changed |= nodes.iter().any(|node| node.kind.as_str() == keep::KIND);
        mark = renamed.mark;
        if renamed.nodes.len() < STEP {
            break;
        }
    }
    // Remember the position, so that these changes are not examined again.
    let mut known = place.seen.lock();
    if known.mark < mark {
        *known = Seen { mark, changed };
    }
    Ok(if changed { News::Changed } else { News::None })
}

/// Returns the repositories that are being scanned.
async fn being_scanned(app: &App, viewer: &Viewer) -> Result<HashSet<String>> {
    let known = repository::seen_by(app, viewer).await?.into_iter();
    let scanned = known.filter(|known| known.standing(app) == Standing::Scanning);
    Ok(scanned.map(|known| known.kept.name).collect())
}

async fn make(app: &App, viewer: &Viewer) -> Result<Snapshot> {
    let mark = end(app, viewer).await?;
    let mut kept = Vec::new();
    let mut after = None;
    loop {
        let query = NodeQuery {
            kinds: vec![word(keep::KIND)?],
            namespace: Some(GITHUB.into()),
            after,
            ..NodeQuery::default()
        };
        let page = app.store.find_nodes(viewer, query).await?;
        let ids: Vec<NodeId> = page.items.iter().map(|node| node.id).collect();
        let states = app.store.states(viewer, &ids, &word(keep::FACTS)?).await?;
        kept.push((page.items, states));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    // Determined last: a scan that started meanwhile may have changed some of what was read.
    let left_out = being_scanned(app, viewer).await?;
    // Linking is CPU-bound and must not block the async runtime.
    let made = tokio::task::spawn_blocking(move || lay_out(kept, left_out, mark)).await;
    made.map_err(|_| Error::Bug { what: "the graph of code".into() })?
}

/// Returns the position after the last change.
async fn end(app: &App, viewer: &Viewer) -> Result<i64> {
    let mut mark = 0;
    loop {
        let renamed = app.store.renamed(viewer, mark, STEP).await?;
        mark = renamed.mark;
        if renamed.nodes.len() < STEP {
            return Ok(mark);
        }
    }
}

fn lay_out(
    kept: Vec<(Vec<Node>, Vec<State>)>,
    left_out: HashSet<String>,
    mark: i64,
) -> Result<Snapshot> {
    let mut repositories: BTreeMap<String, BTreeMap<String, FileFacts>> = BTreeMap::new();
    let mut files = HashSet::new();
    for (nodes, states) in kept {
        let mut states: HashMap<NodeId, State> =
            states.into_iter().map(|state| (state.node, state)).collect();
        for node in nodes {
            let Some((repo, path)) = keep::place(&node) else { continue };
            if left_out.contains(repo) {
                continue;
            }
            files.insert(node.id);
            let Some(state) = states.remove(&node.id) else { continue };
            // Facts in an unknown form are extracted again by the next scan.
            let Ok(facts) = serde_json::from_value::<KeptFacts>(state.value) else { continue };
            let (hash, run) = (keep::hash(&node).to_owned(), keep::run(&node).map(str::to_owned));
            let facts = facts.facts(path.to_owned(), hash, run);
            repositories.entry(repo.to_owned()).or_default().insert(path.to_owned(), facts);
        }
    }
    let linked = link(repositories.iter().map(|(repo, files)| (repo.as_str(), files)));
    let edges = edges(&linked);
    drop(repositories);
    let graph = linked.snapshot().map_err(|_| Error::TooLarge {
        what: "the graph of code".into(),
        limit: "four thousand million parts".into(),
    })?;
    Ok(Snapshot { graph, files, edges, left_out, mark })
}

fn edges(linked: &CodeGraph) -> BTreeMap<String, usize> {
    let mut edges: BTreeMap<String, usize> = BTreeMap::new();
    for edge in &linked.edges {
        let Some(from) = linked.nodes.get(edge.from) else { continue };
        match edges.get_mut(&from.repo) {
            Some(count) => *count += 1,
            None => drop(edges.insert(from.repo.clone(), 1)),
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use lore_core::Effects;
    use lore_sqlite::SqliteStore;

    use super::*;
    use crate::access::{Identity, enter};

    #[tokio::test]
    async fn a_question_after_a_scan_waits_for_its_graph() {
        let directory = tempfile::tempdir().unwrap();
        let (file, effects) = (directory.path().join("store.sqlite"), Effects::system());
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let app = Arc::new(App::new(Arc::new(store), effects));
        let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
        let before = current(&app, &viewer).await.unwrap();
        let place = app.code.graphs.place(&viewer);
        place.seen.lock().changed = true;
        let slow = place.making.lock().await;
        let asked = current(&app, &viewer);
        tokio::pin!(asked);
        assert!(tokio::time::timeout(Duration::from_millis(700), &mut asked).await.is_err());
        drop(slow);
        assert!(!Arc::ptr_eq(&asked.await.unwrap(), &before));
    }
}

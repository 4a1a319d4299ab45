//! Code: repositories that are scanned, their files as documents, and the graph of what they define
//! and call.
//!
//! A repository is a node, and so is each of its files. The facts of a file are stored as a state
//! of its node, and its symbols as texts that the search finds. Nothing else is stored. The graph
//! for Cypher queries is built in memory from the facts the viewer sees, on a separate thread, and
//! replaces the previous graph as a whole.
//!
//! The content of a repository is untrusted data from outside.

mod facts;
mod graph;
mod keep;
mod mark;
mod origin;
mod query;
mod repository;
mod scan;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore};

pub(super) use keep::CODE;
pub use lore_code::{GitLimits, SCHEMA, SourceLimits};
pub use lore_cypher::{
    Graph as CodeGraph, Limits as QueryLimits, List, Map, NodeId as GraphNode, Parameters, Path,
    RelId as GraphEdge, Table, Value as CodeValue,
};
pub use mark::{Mark, Standing};
pub use origin::Origin;
pub use query::{Asked as CodeAnswer, query};
pub use repository::{Counts, Kept, NewRepository, Repository, register, remove, repositories};
pub use scan::{Done, Progress, Scanned, SourceFile, files, scan, scan_all};
pub use watch::keep_scanned;

/// The source of code, which is also the namespace of everything read from repositories.
const GITHUB: &str = "github";
/// How many queries run at once; more would only compete for the cores.
const QUESTIONS_AT_ONCE: usize = 4;

/// Settings for scanning and querying code.
#[derive(Debug, Clone)]
pub struct CodeSettings {
    /// Where clones of remote repositories are kept; without it, remote repositories are refused.
    pub copies: Option<PathBuf>,
    /// Folders on this machine that callers other than the person at it may have scanned.
    pub paths: Vec<PathBuf>,
    /// Time from one scan to the next; `None` for no automatic scans.
    pub interval: Option<Duration>,
    /// Limits for reading a repository.
    pub sources: SourceLimits,
    /// Limits for fetching one.
    pub git: GitLimits,
    /// Limits for a query.
    pub query: QueryLimits,
}

impl Default for CodeSettings {
    fn default() -> Self {
        Self {
            copies: None,
            paths: Vec::new(),
            interval: Some(Duration::from_secs(21_600)),
            sources: SourceLimits::default(),
            git: GitLimits::default(),
            query: QueryLimits::interactive(),
        }
    }
}

/// State shared by scans and queries.
pub struct Code {
    /// The settings.
    pub settings: CodeSettings,
    graphs: graph::Graphs,
    /// Lets one scan run at a time, because each uses all cores.
    turn: Mutex<()>,
    scans: mark::Scans,
    questions: Semaphore,
}

impl Default for Code {
    fn default() -> Self {
        Self::new(CodeSettings::default())
    }
}

impl Code {
    /// Creates the state with these settings.
    pub fn new(settings: CodeSettings) -> Self {
        Self {
            settings,
            graphs: graph::Graphs::default(),
            turn: Mutex::default(),
            scans: mark::Scans::default(),
            questions: Semaphore::new(QUESTIONS_AT_ONCE),
        }
    }

    /// Cancels the running scans because the program is about to end, and waits until that is
    /// recorded for other programs. What was stored stays; no other scan starts.
    pub async fn stop(&self) {
        self.scans.stop().await;
    }

    /// Whether a scan is running.
    pub fn is_scanning(&self) -> bool {
        self.scans.is_any()
    }
}

/// Sets its flag when dropped, to cancel the work it was handed to.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Stop {
    fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

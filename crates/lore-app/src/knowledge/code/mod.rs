//! Code: repositories that are scanned, their files as documents, and the graph of what
//! they define and call.
//!
//! A repository is a node, and each of its files is one: its facts are a document of
//! state, its symbols are texts that the one search finds. Only these are kept. The graph
//! that Cypher asks is laid out in memory from the facts the viewer sees, beside everything
//! else, and replaces the one before it at once.
//!
//! What a repository says is data from outside, whatever it says.

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

/// The source of code, and the namespace of everything that comes from there.
const GITHUB: &str = "github";
/// How many questions are answered at once; more would only take turns on the cores.
const QUESTIONS_AT_ONCE: usize = 4;

/// How code is scanned and asked.
#[derive(Debug, Clone)]
pub struct CodeSettings {
    /// Where copies of repositories from elsewhere are kept; without, there are none.
    pub copies: Option<PathBuf>,
    /// Folders on this machine that others than the person at it may have scanned.
    pub paths: Vec<PathBuf>,
    /// How long after a scan the next one is due; never when none.
    pub interval: Option<Duration>,
    /// How much of a repository is read.
    pub sources: SourceLimits,
    /// What fetching one may cost.
    pub git: GitLimits,
    /// What a question may cost.
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

/// What scans and questions share.
pub struct Code {
    /// How it is done.
    pub settings: CodeSettings,
    graphs: graph::Graphs,
    /// Scans take turns: each uses all cores.
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
    /// Code that is scanned and asked this way.
    pub fn new(settings: CodeSettings) -> Self {
        Self {
            settings,
            graphs: graph::Graphs::default(),
            turn: Mutex::default(),
            scans: mark::Scans::default(),
            questions: Semaphore::new(QUESTIONS_AT_ONCE),
        }
    }

    /// Breaks off the scans that are going on, for a program that is about to end, and waits
    /// until others can see that. What they kept is kept; no other scan begins.
    pub async fn stop(&self) {
        self.scans.stop().await;
    }

    /// Whether a scan is going on.
    pub fn is_scanning(&self) -> bool {
        self.scans.is_any()
    }
}

/// Stops what was started, when whoever started it is gone.
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

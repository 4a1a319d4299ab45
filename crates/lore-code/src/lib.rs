//! Source code as a graph.
//!
//! [`scan_folder`] reads a source tree, parses what changed since last time and
//! returns [`FileFacts`]: what each file defines, imports and calls. [`link`] makes
//! one graph of the facts of all files, resolving calls by scope and imports before
//! bare names; [`CodeGraph::snapshot`] lays it out for Cypher.
//!
//! Parsing and linking are pure. Only `folder` reads files and only `git` starts a
//! program; both take every name as data, never as an option or a shell word.

mod extract;
mod facts;
mod folder;
mod git;
mod language;
mod link;
mod scan;
mod snapshot;

pub use extract::extract;
pub use facts::{Base, BaseKind, Call, FileFacts, Import, Label, Symbol};
pub use folder::{FolderError, SourceLimits};
pub use git::{Checkout, GitError, GitLimits, head, sync};
pub use language::Language;
pub use link::{CodeEdge, CodeGraph, CodeNode, EdgeKind, link};
pub use scan::{Scan, ScanReport, content_hash, scan_folder};
pub use snapshot::{INDEXED, SCHEMA};

//! Source code as a graph.
//!
//! [`scan_folder`] reads a source tree, parses the files that changed since the last scan and hands
//! out [`FileFacts`]: what each file defines, imports and calls. [`link`] builds one graph from the
//! facts of all files and resolves calls by scope and imports before bare names.
//! [`CodeGraph::snapshot`] lays the graph out for Cypher queries. [`chunks`] cuts a file into
//! pieces for search.
//!
//! Parsing and linking are pure. Only `folder` reads files and only `git` starts a program. Both
//! treat names as data, never as options or shell words.

mod chunk;
mod extract;
mod facts;
mod folder;
mod git;
mod ignore_rules;
mod language;
mod link;
mod scan;
mod snapshot;

pub use chunk::{CodeChunk, chunks};
pub use extract::{Budget, EXTRACTION, Unread, extract, extract_within};
pub use facts::{
    Base, BaseKind, Body, Call, Export, Field, FileFacts, Import, ImportedName, Label, Symbol,
    Through,
};
pub use folder::{FolderError, SourceLimits, resolve};
pub use git::{Checkout, GitError, GitLimits, Remote, check, drop_copy, head, sync};
pub use language::Language;
pub use link::{CodeEdge, CodeGraph, CodeNode, EdgeKind, link};
pub use scan::{ScanJob, ScanReport, Source, content_hash, scan_folder};
pub use snapshot::{INDEXED, SCHEMA};

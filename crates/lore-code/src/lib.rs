//! Source code as a graph.
//!
//! [`scan_folder`] reads a source tree, parses what changed since last time and
//! hands out [`FileFacts`]: what each file defines, imports and calls. [`link`] makes
//! one graph of the facts of all files, resolving calls by scope and imports before
//! bare names; [`CodeGraph::snapshot`] lays it out for Cypher. [`chunks`] cuts a file
//! for search.
//!
//! Parsing and linking are pure. Only `folder` reads files and only `git` starts a
//! program; both take every name as data, never as an option or a shell word.

mod chunk;
mod extract;
mod facts;
mod folder;
mod git;
mod language;
mod link;
mod rules;
mod scan;
mod snapshot;

pub use chunk::{CodeChunk, chunks};
pub use extract::{Budget, EXTRACTION, Unread, extract, extract_within};
pub use facts::{
    Base, BaseKind, Body, Brought, Call, Export, Field, FileFacts, Import, Label, Symbol, Through,
};
pub use folder::{FolderError, SourceLimits, resolve};
pub use git::{Checkout, GitError, GitLimits, Remote, check, drop_copy, head, sync};
pub use language::Language;
pub use link::{CodeEdge, CodeGraph, CodeNode, EdgeKind, link};
pub use scan::{ScanJob, ScanReport, Source, content_hash, scan_folder};
pub use snapshot::{INDEXED, SCHEMA};

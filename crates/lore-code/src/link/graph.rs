//! The code graph: its nodes and edges.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::facts::Label;
use crate::language::Language;

/// A code graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeGraph {
    /// The nodes; edges refer to them by index.
    pub nodes: Vec<CodeNode>,
    /// The edges.
    pub edges: Vec<CodeEdge>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeNode {
    /// The id, which stays the same as long as repository, path, name and signature do.
    pub entity_id: String,
    /// The kind of node.
    pub label: Label,
    /// Its name.
    pub name: String,
    /// The repository.
    pub repo: String,
    /// The path of the file; for modules that are folders, of the folder.
    pub file_path: String,
    /// The language.
    pub language: Option<Language>,
    /// The first and the last line.
    pub lines: Option<(u32, u32)>,
    /// The text before the body.
    pub signature: Option<String>,
    /// The parameters, as written.
    pub params: Option<String>,
    /// The return type, as written.
    pub return_type: Option<String>,
    /// The doc comment or docstring.
    pub docstring: Option<String>,
    /// The class a method belongs to.
    pub receiver_type: Option<String>,
    /// The name of the containing folder; for an import, the imported module.
    pub module_name: Option<String>,
    /// The scan that read the file; for a folder, the last scan that read a file in it.
    pub run: Option<String>,
}

/// An edge.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeEdge {
    /// The kind of edge.
    pub kind: EdgeKind,
    /// The index of the start node.
    pub from: usize,
    /// The index of the end node.
    pub to: usize,
    /// The line where it is stated, if known.
    pub line: Option<u32>,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
}

/// The kinds of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// A function, or a file at its top level, calls a function.
    Calls,
    /// A file contains a symbol.
    Contains,
    /// A file belongs to a module.
    BelongsTo,
    /// A file imports another file, or a module as written.
    Imports,
    /// A class or interface has a method.
    HasMethod,
    /// A class or interface extends another.
    Extends,
    /// A class implements an interface.
    Implements,
}

impl EdgeKind {
    /// Returns its name in the graph.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calls => "CALLS",
            Self::Contains => "CONTAINS",
            Self::BelongsTo => "BELONGS_TO",
            Self::Imports => "IMPORTS",
            Self::HasMethod => "HAS_METHOD",
            Self::Extends => "EXTENDS",
            Self::Implements => "IMPLEMENTS",
        }
    }
}

/// Returns the id of a node, derived from what tells it apart.
pub(super) fn identity(parts: &[&str]) -> String {
    hashed(&parts.join(":"))
}

/// Returns the id derived from a text.
pub(crate) fn hashed(text: &str) -> String {
    let hash = HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    hash.get(..16).unwrap_or_default().to_owned()
}

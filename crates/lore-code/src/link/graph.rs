//! A graph of code: what there is, and what it says of each other.

use crate::facts::Label;
use crate::language::Language;

/// A graph of code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeGraph {
    /// Nodes; edges name them by their place.
    pub nodes: Vec<CodeNode>,
    /// Edges.
    pub edges: Vec<CodeEdge>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeNode {
    /// Stable as long as repository, path, name and signature are.
    pub entity_id: String,
    /// What it is.
    pub label: Label,
    /// Its name.
    pub name: String,
    /// The repository.
    pub repo: String,
    /// The file; a folder for modules that are folders.
    pub file_path: String,
    /// The language.
    pub language: Option<Language>,
    /// First and last line.
    pub lines: Option<(u32, u32)>,
    /// The text up to the body.
    pub signature: Option<String>,
    /// Parameters as written.
    pub params: Option<String>,
    /// Return type as written.
    pub return_type: Option<String>,
    /// Comment or docstring.
    pub docstring: Option<String>,
    /// The class a method belongs to.
    pub receiver_type: Option<String>,
    /// The module.
    pub module_name: Option<String>,
    /// The scan that read its file; of a folder, the last one that read a file in it.
    pub run: Option<String>,
}

/// An edge.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeEdge {
    /// What it says.
    pub kind: EdgeKind,
    /// The place of its start.
    pub from: usize,
    /// The place of its end.
    pub to: usize,
    /// Where it is written.
    pub line: Option<u32>,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
}

/// The kinds of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// A function calls a function.
    Calls,
    /// A file contains a symbol.
    Contains,
    /// A file belongs to a module.
    BelongsTo,
    /// A file imports something.
    Imports,
    /// A class has a method.
    HasMethod,
    /// A class extends another.
    Extends,
    /// A class implements an interface.
    Implements,
}

impl EdgeKind {
    /// Its name in the graph.
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

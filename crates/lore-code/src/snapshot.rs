//! Lays the graph out for Cypher.

use lore_cypher::{Graph, GraphBuilder, NodeId, RelId, TooLarge, Value};

use crate::link::{CodeEdge, CodeGraph, CodeNode, EdgeKind, hashed};

/// The properties that are indexed.
pub const INDEXED: [&str; 4] = ["name", "file_path", "entity_id", "module_name"];

/// Properties from which those of edges are derived.
const ID: &str = "entity_id";
const RUN: &str = "extraction_run_id";

/// The description of the schema for those who write queries.
pub const SCHEMA: &str = "\
Nodes: Function, Class, Interface, Module, File, Import.
Properties: entity_id, name, entity_type, file_path, repo, language, line_start, line_end, \
signature, params, return_type, docstring, receiver_type (a method's class), module_name, \
module_path, extraction_method, extraction_run_id (the scan that read it).
Relationships: (File|Function)-[:CALLS]->(Function), \
(File)-[:CONTAINS]->(Function|Class|Interface|Module), (File)-[:BELONGS_TO]->(Module), \
(File)-[:IMPORTS]->(Import|File), (Class|Interface)-[:HAS_METHOD]->(Function), \
(Class)-[:EXTENDS]->(Class), (Interface)-[:EXTENDS]->(Interface), \
(Class)-[:IMPLEMENTS]->(Interface); all with edge_id (the same as \
long as type and ends are), confidence, extraction_run_id, and line_number where it is known.
Examples:
MATCH (a)-[:CALLS]->(b:Function {name: 'main'}) RETURN a.name, a.file_path
MATCH (f:Function) WHERE NOT ()-[:CALLS]->(f) RETURN f.name, f.file_path LIMIT 20
MATCH (c)-[:CALLS*1..3]->(f:Function {name: 'parse'}) RETURN DISTINCT c.name";

impl CodeGraph {
    /// Builds the immutable graph that Cypher queries run on.
    pub fn snapshot(&self) -> Result<Graph, TooLarge> {
        let mut builder = GraphBuilder::new(&INDEXED);
        builder.derived("edge_id", edge_id);
        builder.derived(RUN, run);
        let nodes: Vec<_> = self
            .nodes
            .iter()
            .map(|node| builder.node(&[node.label.name()], properties(node)))
            .collect();
        for CodeEdge { kind, from, to, line, confidence } in &self.edges {
            let (Some(from), Some(to)) = (nodes.get(*from), nodes.get(*to)) else { continue };
            let line = line.map_or(Value::Null, |line| Value::Int(line.into()));
            let known = [("line_number", line), ("confidence", Value::Float(*confidence))];
            builder.relationship(*from, kind.name(), *to, known);
        }
        builder.build()
    }
}

/// Returns the id of an edge, derived from its type and its ends.
fn edge_id(graph: &Graph, edge: RelId) -> Option<Value> {
    let ends = graph.relationship(edge)?;
    let id = |node: NodeId| match graph.node_value(node, ID)? {
        Value::String(id) => Some(id),
        _ => None,
    };
    let (from, kind, to) = (id(ends.start)?, graph.type_name(edge)?, id(ends.end)?);
    Some(Value::text(hashed(&format!("{from}-{kind}->{to}"))))
}

/// Returns the scan that an edge comes from. Facts come from the file of the start node, except for
/// `HAS_METHOD`: a method can be in another file than its class, and its own file states the owner.
fn run(graph: &Graph, edge: RelId) -> Option<Value> {
    let ends = graph.relationship(edge)?;
    let is_of_method = **graph.type_name(edge)? == *EdgeKind::HasMethod.name();
    let node = if is_of_method { ends.end } else { ends.start };
    graph.node_value(node, RUN).cloned()
}

fn properties(node: &CodeNode) -> impl Iterator<Item = (&'static str, Value)> + '_ {
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::text);
    let (start, end) = node.lines.map_or((Value::Null, Value::Null), |(start, end)| {
        (Value::Int(start.into()), Value::Int(end.into()))
    });
    let module_path = node.file_path.rsplit_once('/').map_or("", |(folder, _)| folder);
    [
        (ID, Value::text(node.entity_id.as_str())),
        ("name", Value::text(node.name.as_str())),
        ("entity_type", Value::text(node.label.name())),
        ("file_path", Value::text(node.file_path.as_str())),
        ("repo", Value::text(node.repo.as_str())),
        ("language", node.language.map_or(Value::Null, |language| Value::text(language.name()))),
        ("line_start", start),
        ("line_end", end),
        ("signature", text(&node.signature)),
        ("params", text(&node.params)),
        ("return_type", text(&node.return_type)),
        ("docstring", text(&node.docstring)),
        ("receiver_type", text(&node.receiver_type)),
        ("module_name", text(&node.module_name)),
        ("module_path", Value::text(module_path)),
        ("extraction_method", Value::text("tree_sitter")),
        (RUN, text(&node.run)),
    ]
    .into_iter()
}

//! The rows of Cypher results on the wire: as JSON values by column name, or as numbered columns of
//! text like other KOI APIs.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use lore_app::knowledge::code::{
    CodeAnswer, CodeGraph, CodeValue, GraphEdge, GraphNode, Parameters, Path,
};
use lore_core::{Error, Result};
use serde_json::{Map, Value, json};

/// The maximum size of an answer in bytes; a model could not read more.
const ANSWER_MAX: usize = 1_000_000;
/// The maximum nesting depth of parameters.
const DEPTH_MAX: usize = 32;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Fields are named like the columns; values are JSON.
    Named,
    /// Fields are named `c1` to `cN`; values are text that includes their type.
    Numbered,
}

/// Writes the rows of an answer. Fails if they are too large.
pub(super) fn rows(answer: &CodeAnswer, form: Form) -> Result<Vec<Value>> {
    let graph = answer.graph();
    let mut bytes = 0;
    let mut rows = Vec::with_capacity(answer.table.rows.len());
    for row in &answer.table.rows {
        let mut shown = Map::new();
        for (place, (column, value)) in answer.table.columns.iter().zip(row).enumerate() {
            let (name, value) = match form {
                Form::Named => (column.to_string(), typed(graph, value)),
                Form::Numbered => (format!("c{}", place + 1), numbered(graph, value)),
            };
            shown.insert(name, value);
        }
        let shown = Value::Object(shown);
        bytes += shown.to_string().len();
        if bytes > ANSWER_MAX {
            return Err(Error::invalid(
                "cypher",
                format!("has an answer of more than {ANSWER_MAX} bytes"),
                "return single properties such as f.name instead of whole nodes, or add LIMIT",
            ));
        }
        rows.push(shown);
    }
    Ok(rows)
}

/// Converts JSON to values for the query's `$parameters`.
pub(super) fn parameters(given: Map<String, Value>) -> Result<Parameters> {
    given
        .into_iter()
        .map(|(name, value)| {
            let value = parameter(&value, 0).ok_or_else(|| {
                let hint = "use texts, numbers, booleans, lists and maps of them";
                Error::invalid(format!("params.{name}"), "cannot be used", hint)
            })?;
            Ok((name, value))
        })
        .collect()
}

fn parameter(value: &Value, depth: usize) -> Option<CodeValue> {
    if depth > DEPTH_MAX {
        return None;
    }
    Some(match value {
        Value::Null => CodeValue::Null,
        Value::Bool(truth) => CodeValue::Bool(*truth),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => CodeValue::Int(whole),
            None => CodeValue::Float(number.as_f64()?),
        },
        Value::String(text) => CodeValue::text(text.as_str()),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(|one| parameter(one, depth + 1)).collect();
            CodeValue::list(items?)
        }
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(name, one)| Some((Arc::from(name.as_str()), parameter(one, depth + 1)?)));
            CodeValue::map(entries.collect::<Option<BTreeMap<_, _>>>()?)
        }
    })
}

fn typed(graph: &CodeGraph, value: &CodeValue) -> Value {
    match value {
        CodeValue::Null => Value::Null,
        CodeValue::Bool(truth) => json!(truth),
        CodeValue::Int(number) => json!(number),
        CodeValue::Float(number) if number.is_finite() => json!(number),
        // JSON has no such numbers; these are the names that Cypher's toString gives them.
        CodeValue::Float(number) if number.is_nan() => json!("NaN"),
        CodeValue::Float(number) => json!(if *number > 0.0 { "Infinity" } else { "-Infinity" }),
        CodeValue::String(text) => json!(&**text),
        CodeValue::List(list) => list.items().iter().map(|item| typed(graph, item)).collect(),
        CodeValue::Map(map) => {
            let entries = map.entries().iter();
            Value::Object(entries.map(|(key, v)| (key.to_string(), typed(graph, v))).collect())
        }
        CodeValue::Node(node) => {
            let labels: Vec<&str> = graph.labels(*node).map(|label| &**label).collect();
            json!({ "labels": labels, "properties": properties(graph, graph.node_properties(*node)) })
        }
        CodeValue::Relationship(edge) => typed_edge(graph, *edge),
        CodeValue::Path(path) => json!({
            "nodes": path.nodes.iter().map(|n| typed(graph, &CodeValue::Node(*n))).collect::<Vec<_>>(),
            "relationships": path.relationships.iter().map(|e| typed_edge(graph, *e)).collect::<Vec<_>>(),
        }),
        CodeValue::Temporal(moment) => json!(moment.to_string()),
    }
}

fn typed_edge(graph: &CodeGraph, edge: GraphEdge) -> Value {
    let ends = graph.relationship(edge);
    json!({
        "type": graph.type_name(edge).map(|name| &**name),
        "from": ends.and_then(|ends| entity_id(graph, ends.start)),
        "to": ends.and_then(|ends| entity_id(graph, ends.end)),
        "properties": properties(graph, graph.relationship_properties(edge)),
    })
}

fn entity_id(graph: &CodeGraph, node: GraphNode) -> Option<Value> {
    graph.node_value(node, "entity_id").map(|id| typed(graph, id))
}

fn properties<'g>(
    graph: &CodeGraph,
    known: impl Iterator<Item = (&'g Arc<str>, impl Borrow<CodeValue>)>,
) -> Map<String, Value> {
    known.map(|(key, value)| (key.to_string(), typed(graph, value.borrow()))).collect()
}

/// Writes a value as other KOI APIs do: null, or text that includes its type.
fn numbered(graph: &CodeGraph, value: &CodeValue) -> Value {
    match value {
        CodeValue::Null => Value::Null,
        other => json!(told(graph, other)),
    }
}

fn told(graph: &CodeGraph, value: &CodeValue) -> String {
    match value {
        CodeValue::List(list) => {
            let items: Vec<_> = list.items().iter().map(|item| told(graph, item)).collect();
            format!("[{}]", items.join(", "))
        }
        CodeValue::Map(map) => {
            let entries = map.entries().iter();
            let entries: Vec<_> =
                entries.map(|(key, v)| format!("{}: {}", json!(&**key), told(graph, v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        CodeValue::Node(node) => vertex(graph, *node),
        CodeValue::Relationship(edge) => arrow(graph, *edge),
        CodeValue::Path(path) => way(graph, path),
        plain => typed(graph, plain).to_string(),
    }
}

fn vertex(graph: &CodeGraph, node: GraphNode) -> String {
    let label = graph.labels(node).next().map(|label| &**label);
    let known = properties(graph, graph.node_properties(node));
    format!("{}::vertex", json!({ "id": node.0, "label": label, "properties": known }))
}

fn arrow(graph: &CodeGraph, edge: GraphEdge) -> String {
    let ends = graph.relationship(edge);
    let written = json!({
        "id": edge.0,
        "label": graph.type_name(edge).map(|name| &**name),
        "end_id": ends.map(|ends| ends.end.0),
        "start_id": ends.map(|ends| ends.start.0),
        "properties": properties(graph, graph.relationship_properties(edge)),
    });
    format!("{written}::edge")
}

fn way(graph: &CodeGraph, path: &Path) -> String {
    let mut steps = Vec::new();
    for (place, node) in path.nodes.iter().enumerate() {
        steps.push(vertex(graph, *node));
        steps.extend(path.relationships.get(place).map(|edge| arrow(graph, *edge)));
    }
    format!("[{}]::path", steps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_what_they_look_like() {
        let given = json!({ "a": [1, 2.5, "x", null, true], "b": { "c": -3 } });
        let Value::Object(given) = given else { return };
        let found = parameters(given).unwrap();
        let empty = CodeGraph::default();
        let shown = |name: &str| typed(&empty, found.get(name).unwrap());
        assert_eq!(shown("a"), json!([1, 2.5, "x", null, true]));
        assert_eq!(shown("b"), json!({ "c": -3 }));
        let mut deep = json!(1);
        for _ in 0..DEPTH_MAX + 1 {
            deep = json!([deep]);
        }
        let refused = parameters([("deep".to_owned(), deep)].into_iter().collect());
        assert!(refused.unwrap_err().to_string().starts_with("params.deep"));
    }

    #[test]
    fn the_numbered_form_says_what_values_are() {
        let empty = CodeGraph::default();
        let text = CodeValue::text("ma\"in");
        assert_eq!(numbered(&empty, &text), json!("\"ma\\\"in\""));
        assert_eq!(numbered(&empty, &CodeValue::Int(3)), json!("3"));
        assert_eq!(numbered(&empty, &CodeValue::Null), Value::Null);
        let list = CodeValue::list(vec![text, CodeValue::Null]);
        assert_eq!(numbered(&empty, &list), json!("[\"ma\\\"in\", null]"));
    }
}

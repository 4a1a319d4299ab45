//! Interprets the writing queries with which scenarios build their graphs.
//!
//! Only what set-ups of the kit use: CREATE, and DELETE of relationships. Reading clauses and
//! expressions are answered by the engine itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use lore_cypher::{Graph, GraphBuilder, Limits, NodeId, Options, Parameters, RelId, Value, answer};
use open_cypher::ast::{
    Clause, ClauseKind, DeleteClause, Expr, ExprKind, LabelExpression, LabelExpressionKind,
    PathFactorKind, PatternPart, QueryKind, RelationshipDirection, StatementKind,
};

type Row = BTreeMap<Arc<str>, Value>;
type Properties = BTreeMap<Arc<str>, Value>;

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Draft {
    nodes: Vec<(Vec<String>, Properties)>,
    relationships: Vec<(u32, String, u32, Properties)>,
}

/// Evaluates an expression that needs no graph.
pub(crate) fn evaluate(text: &str) -> Result<Value, String> {
    let rows = ask(&Draft::default().graph(), &format!("RETURN {text} AS value"), vec![])?;
    rows.into_iter().next().and_then(|row| row.get("value").cloned()).ok_or("no value".to_owned())
}

impl Draft {
    /// Builds the current graph.
    pub(crate) fn graph(&self) -> Graph {
        let mut builder = GraphBuilder::new(&["name"]);
        for (labels, properties) in &self.nodes {
            let labels: Vec<_> = labels.iter().map(String::as_str).collect();
            builder.node(&labels, pairs(properties));
        }
        for (start, kind, end, properties) in &self.relationships {
            builder.relationship(NodeId(*start), kind, NodeId(*end), pairs(properties));
        }
        builder.build().expect("scenarios are small")
    }

    /// Executes a writing query.
    pub(crate) fn execute(&mut self, text: &str) -> Result<(), String> {
        let parsed = open_cypher::parse(text).map_err(|errors| errors.render(text))?;
        for statement in &parsed.program.statements {
            let StatementKind::Query(statement) = &statement.kind else { continue };
            let QueryKind::Regular(query) = &statement.query.kind else { continue };
            let mut rows = vec![Row::new()];
            let mut reading = Vec::new();
            for clause in &query.head.kind.clauses {
                if !matches!(clause.kind, ClauseKind::Create(_) | ClauseKind::Delete(_)) {
                    reading.push(clause);
                    continue;
                }
                if !reading.is_empty() {
                    rows = self.read(text, &std::mem::take(&mut reading), rows)?;
                }
                self.write(text, clause, &mut rows)?;
            }
        }
        Ok(())
    }

    fn read(&self, text: &str, clauses: &[&Clause], rows: Vec<Row>) -> Result<Vec<Row>, String> {
        let (first, last) = (clauses.first().unwrap(), clauses.last().unwrap());
        let read = &text[first.span.start..last.span.end];
        let names: Vec<_> = rows.first().map_or(Vec::new(), |row| row.keys().cloned().collect());
        let with: Vec<_> = names.iter().map(|name| format!("row.{name} AS {name}")).collect();
        let query = match with.is_empty() {
            true => format!("{read} RETURN *"),
            false => format!("UNWIND $rows AS row WITH {} {read} RETURN *", with.join(", ")),
        };
        ask(&self.graph(), &query, rows)
    }

    fn write(&mut self, text: &str, clause: &Clause, rows: &mut [Row]) -> Result<(), String> {
        match &clause.kind {
            ClauseKind::Create(create) => {
                for row in rows {
                    for part in &create.pattern.parts {
                        self.create(text, part, row)?;
                    }
                }
                Ok(())
            }
            ClauseKind::Delete(delete) => {
                self.delete(delete, rows);
                Ok(())
            }
            _ => Err("this clause does not write".to_owned()),
        }
    }

    fn delete(&mut self, delete: &DeleteClause, rows: &[Row]) {
        let mut gone: Vec<RelId> = Vec::new();
        for expression in &delete.expressions {
            let ExprKind::Variable(name) = &expression.kind else { continue };
            for row in rows {
                if let Some(Value::Relationship(id)) = row.get(name.kind.text.as_str()) {
                    gone.push(*id);
                }
            }
        }
        let mut number = 0;
        self.relationships.retain(|_| {
            number += 1;
            !gone.contains(&RelId(number - 1))
        });
    }

    fn create(&mut self, text: &str, part: &PatternPart, row: &mut Row) -> Result<(), String> {
        let mut last: Option<u32> = None;
        let mut pending = None;
        for factor in &part.kind.path.kind.factors {
            match &factor.kind {
                PathFactorKind::Node(node) => {
                    let name = node.variable.as_ref().map(|name| name.kind.text.as_str());
                    let known = name.and_then(|name| row.get(name));
                    let id = match known {
                        Some(Value::Node(id)) => id.0,
                        _ => {
                            let properties =
                                self.properties(text, node.properties.as_deref(), row)?;
                            self.nodes.push((names(node.labels.as_ref()), properties));
                            self.nodes.len() as u32 - 1
                        }
                    };
                    if let Some(name) = name {
                        row.insert(name.into(), Value::Node(NodeId(id)));
                    }
                    if let (Some(from), Some((kind, properties, direction, name))) =
                        (last, pending.take())
                    {
                        let (start, end) = match direction {
                            RelationshipDirection::Left => (id, from),
                            _ => (from, id),
                        };
                        self.relationships.push((start, kind, end, properties));
                        if let Some(name) = name {
                            let created = RelId(self.relationships.len() as u32 - 1);
                            row.insert(name, Value::Relationship(created));
                        }
                    }
                    last = Some(id);
                }
                PathFactorKind::Relationship(found) => {
                    let kind = names(found.labels.as_ref()).pop().unwrap_or_default();
                    let properties = self.properties(text, found.properties.as_deref(), row)?;
                    let name: Option<Arc<str>> =
                        found.variable.as_ref().map(|name| name.kind.text.as_str().into());
                    pending = Some((kind, properties, found.direction.kind, name));
                }
                _ => return Err("unexpected pattern".to_owned()),
            }
        }
        Ok(())
    }

    fn properties(
        &self,
        text: &str,
        written: Option<&Expr>,
        row: &Row,
    ) -> Result<Properties, String> {
        let Some(written) = written else { return Ok(Properties::new()) };
        let map = &text[written.span.start..written.span.end];
        let with: Vec<_> = row.keys().map(|name| format!("row.{name} AS {name}")).collect();
        let with = if with.is_empty() { "1 AS one".to_owned() } else { with.join(", ") };
        let query = format!("UNWIND $rows AS row WITH {with} RETURN {map} AS map");
        let rows = ask(&self.graph_when_needed(row), &query, vec![row.clone()])?;
        match rows.first().and_then(|row| row.get("map")) {
            Some(Value::Map(map)) => Ok(map.entries().clone()),
            _ => Err("properties are no map".to_owned()),
        }
    }

    /// Builds the graph only if the row refers to it: doing so for each of thousands of rows would
    /// be slow.
    fn graph_when_needed(&self, row: &Row) -> Graph {
        match row.values().any(|value| matches!(value, Value::Node(_))) {
            true => self.graph(),
            false => Self::default().graph(),
        }
    }
}

fn ask(graph: &Graph, query: &str, rows: Vec<Row>) -> Result<Vec<Row>, String> {
    let rows = rows.into_iter().map(Value::map).collect();
    let parameters = Parameters::from([("rows".to_owned(), Value::list(rows))]);
    let limits = Limits { rows: 1_000_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let table = answer(graph, query, &parameters, &options)
        .map_err(|error| format!("set-up {query}: {error}"))?;
    let named = |row: Vec<Value>| table.columns.iter().cloned().zip(row).collect();
    Ok(table.rows.into_iter().map(named).collect())
}

fn pairs(properties: &Properties) -> impl Iterator<Item = (&str, Value)> {
    properties.iter().map(|(name, value)| (&**name, value.clone()))
}

fn names(labels: Option<&LabelExpression>) -> Vec<String> {
    match labels.map(|labels| &labels.kind) {
        Some(LabelExpressionKind::Name(name)) => vec![name.kind.text.clone()],
        Some(LabelExpressionKind::And(parts)) => {
            parts.iter().flat_map(|part| names(Some(part))).collect()
        }
        _ => Vec::new(),
    }
}

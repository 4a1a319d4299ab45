//! Runs scenarios of the openCypher Technology Compatibility Kit.
//!
//! The set-up of a scenario needs CREATE, which the engine does not have, so [`setup`] interprets
//! it. Results are compared completely: nodes, relationships and paths by their content.

mod expected;
mod setup;

use std::collections::BTreeMap;
use std::path::Path;

use lore_cypher::{Graph, Limits, Options, Parameters, answer};
use serde_json::Value as Json;

use expected::{Elements, canonical, rendered};

/// One scenario.
pub(crate) struct Scenario {
    /// File, name and number; unique in the kit.
    pub(crate) id: String,
    steps: Vec<Step>,
}

/// A step: its sentence, its text and its table.
struct Step {
    sentence: String,
    text: String,
    table: Vec<Vec<String>>,
}

/// The expected kind of result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// Rows.
    Positive,
    /// An error.
    MustFail,
}

/// Reads all scenarios of a file with one JSON object per line.
pub(crate) fn load(path: &Path) -> Vec<Scenario> {
    let text = std::fs::read_to_string(path).expect("the scenarios can be read");
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    text.lines()
        .map(|line| {
            let json: Json = serde_json::from_str(line).expect("a scenario is JSON");
            let file = json["file"].as_str().unwrap_or_default();
            let name = format!("{file} {}", json["name"].as_str().unwrap_or_default());
            let number = numbers.entry(name.clone()).or_default();
            *number += 1;
            let steps = json["steps"].as_array().into_iter().flatten().map(step).collect();
            Scenario { id: format!("{name} #{number}"), steps }
        })
        .collect()
}

impl Scenario {
    /// The kind of result it expects.
    pub(crate) fn kind(&self) -> Kind {
        match self.steps.iter().any(|step| step.sentence.contains("should be raised")) {
            true => Kind::MustFail,
            false => Kind::Positive,
        }
    }

    /// Runs it; the error describes the difference.
    pub(crate) fn run(&self, graphs: &Path) -> Result<(), String> {
        let (graph, parameters) = self.prepare(graphs)?;
        let query = self.step("executing query").ok_or("there is no query")?;
        let limits = Limits { rows: 1_000_000, ..Limits::default() };
        let options = Options { limits, seed: 7, ..Options::default() };
        let answered = answer(&graph, &query.text, &parameters, &options);
        if self.kind() == Kind::MustFail {
            return match answered {
                Ok(table) => Err(format!("it should fail, but gave {} rows", table.rows.len())),
                Err(_) => Ok(()),
            };
        }
        let table = answered.map_err(|error| error.to_string())?;
        if self.step("the result should be empty").is_some() {
            return if table.rows.is_empty() { Ok(()) } else { Err("there are rows".to_owned()) };
        }
        let wanted = self.step("the result should be").ok_or("there is no result")?;
        compare(&graph, wanted, &table)
    }

    fn prepare(&self, graphs: &Path) -> Result<(Graph, Parameters), String> {
        let mut draft = setup::Draft::default();
        let mut parameters = Parameters::new();
        for step in &self.steps {
            if step.sentence.contains("having executed") {
                draft.execute(&step.text)?;
            } else if let Some(name) = named_graph(&step.sentence) {
                let file = graphs.join(name).join(format!("{name}.cypher"));
                let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
                draft.execute(&text)?;
            } else if step.sentence.contains("parameters are") {
                for row in &step.table {
                    let (name, text) = (row.first(), row.get(1));
                    let value = setup::evaluate(text.map_or("null", String::as_str))?;
                    parameters.insert(name.cloned().unwrap_or_default(), value);
                }
            }
        }
        Ok((draft.graph(), parameters))
    }

    fn step(&self, words: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.sentence.contains(words))
    }
}

fn step(json: &Json) -> Step {
    let cells = |row: &Json| -> Vec<String> {
        let cells = row.as_array().into_iter().flatten();
        cells.map(|cell| cell.as_str().unwrap_or_default().to_owned()).collect()
    };
    Step {
        sentence: json["t"].as_str().unwrap_or_default().to_owned(),
        text: json["doc"].as_str().unwrap_or_default().to_owned(),
        table: json["tab"].as_array().into_iter().flatten().map(cells).collect(),
    }
}

fn named_graph(sentence: &str) -> Option<&str> {
    let rest = sentence.split_once(" the ")?.1;
    rest.strip_suffix(" graph").filter(|name| name.starts_with("binary-tree"))
}

fn compare(graph: &Graph, wanted: &Step, table: &lore_cypher::Table) -> Result<(), String> {
    let elements = match wanted.sentence.contains("ignoring element order") {
        true => Elements::Unordered,
        false => Elements::Ordered,
    };
    let (header, rows) = wanted.table.split_first().ok_or("the result has no header")?;
    let mut order = Vec::new();
    for name in header {
        let at = table.columns.iter().position(|column| **column == **name);
        order.push(at.ok_or_else(|| format!("no column {name:?} in {:?}", table.columns))?);
    }
    if table.columns.len() != header.len() {
        return Err(format!("columns are {:?}", table.columns));
    }
    let mut expected = Vec::new();
    for row in rows {
        let cells: Result<Vec<_>, _> = row.iter().map(|cell| canonical(cell, elements)).collect();
        expected.push(cells?.join(" | "));
    }
    let mut actual: Vec<_> = table
        .rows
        .iter()
        .map(|row| {
            let cells = order.iter().filter_map(|at| row.get(*at));
            let cells: Vec<_> = cells.map(|cell| rendered(graph, cell, elements)).collect();
            cells.join(" | ")
        })
        .collect();
    if !wanted.sentence.contains("in order") {
        expected.sort();
        actual.sort();
    }
    match expected == actual {
        true => Ok(()),
        false => Err(format!("expected {expected:#?}\n   got {actual:#?}")),
    }
}

//! Import of Kairn's databases, given as rows of their tables.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_core::{Properties, Provenance, Timestamp};
use lore_rules::memory::decay::{Confidence, ExperienceType};
use serde_json::{Map, Value, json};

use super::super::cleaning::{capitalised, name_from};
use super::super::experience::Fading;
use super::super::kinds::{
    CONTENT, CONTEXT, DESCRIPTION, EXPERIENCE, IDEA, KNOWLEDGE, PROJECT, PROMOTED_TO,
    SUPERSEDED_BY, SUPERSEDES, Sharing, VALID_TO, fading,
};
use super::super::project::{Entry, Outcome};
use super::identity::SOURCE;
use super::{Kept, Load, Passage, Record, Tie};

/// A row of a table: values by column name.
pub type Row = Map<String, Value>;

/// The tables that are imported.
pub const TABLES: [&str; 6] = ["nodes", "edges", "experiences", "projects", "progress", "ideas"];

/// The number of characters of an experience's content used in its name.
const NAME_LETTERS: usize = 60;

/// Converts the tables of a workspace to a load. Kairn's ids do not depend on where the database
/// lies.
pub fn read(tables: &BTreeMap<String, Vec<Row>>) -> Load {
    let mut load = Load { label: "kairn".into(), ..Load::default() };
    let rows = |table: &str| tables.get(table).map(Vec::as_slice).unwrap_or_default();
    let live = |row: &&Row| text(row, "deleted_at").is_none();
    let nodes: Vec<_> = rows("nodes").iter().filter(live).collect();
    let ideas: HashSet<_> = rows("ideas").iter().filter_map(|idea| text(idea, "id")).collect();
    // An idea that has edges also has a node with the same id, which is skipped.
    let own = nodes.iter().filter(|row| !text(row, "id").is_some_and(|id| ideas.contains(id)));
    load.take(own.map(|row| node(row)));
    let mut experiences: Vec<_> = rows("experiences").iter().map(experience).collect();
    // Ids are unique only within a table.
    let taken: HashSet<String> = load.records.iter().map(|node| node.key.clone()).collect();
    for experience in experiences.iter_mut().flatten().filter(|one| taken.contains(&one.key)) {
        experience.key = format!("{EXPERIENCE} {}", experience.key);
    }
    join_halves(&mut load.records, rows("experiences").iter().zip(&mut experiences));
    load.take(experiences.into_iter());
    let mut steps = steps(rows("progress"));
    load.take(rows("projects").iter().map(|row| project(row, &mut steps)));
    load.take(rows("ideas").iter().map(idea));
    let halves = load.records.iter().filter_map(|one| Some((one.key.clone(), one.keeps.clone()?)));
    let halves: HashMap<String, String> = halves.collect();
    for row in rows("edges") {
        match edge(row) {
            Some(tie) => load.tie(tie, &halves),
            None => load.unreadable += 1,
        }
    }
    load
}

impl Load {
    fn take(&mut self, records: impl Iterator<Item = Option<Record>>) {
        for record in records {
            match record {
                Some(record) => self.records.push(record),
                None => self.unreadable += 1,
            }
        }
    }

    /// Adds a tie. A supersession edge points to one half of a fact in Kairn; here both halves are
    /// superseded. `halves` are the keys of experiences by those of their lasting nodes.
    fn tie(&mut self, tie: Tie, halves: &HashMap<String, String>) {
        let replaced = (tie.type_name == SUPERSEDES).then_some(&tie.to);
        let half = replaced.and_then(|key| halves.get(key)).cloned();
        self.ties.extend(half.map(|to| Tie { to, ..tie.clone() }));
        self.ties.push(tie);
    }
}

fn node(row: &Row) -> Option<Record> {
    let description = text(row, "description").map(|body| passage(DESCRIPTION, body));
    Some(Record {
        type_name: text(row, "type")?.to_owned(),
        namespace: text(row, "namespace").unwrap_or(KNOWLEDGE).to_owned(),
        passages: description.into_iter().collect(),
        ..record(row, text(row, "name")?)?
    })
}

/// Matches experiences with their lasting nodes. Kairn stores the reference only for promoted
/// experiences; for learned ones, both have the same text.
fn join_halves<'a>(
    nodes: &mut [Record],
    experiences: impl Iterator<Item = (&'a Row, &'a mut Option<Record>)>,
) {
    let places = |of: fn(&Record) -> Option<&str>, nodes: &[Record]| -> HashMap<String, usize> {
        let keyed = nodes.iter().enumerate();
        keyed.filter_map(|(place, node)| Some((of(node)?.to_owned(), place))).collect()
    };
    let by_key = places(|node| Some(&node.key), nodes);
    let by_words = places(|node| Some(&node.passages.first()?.body), nodes);
    for (row, experience) in experiences {
        let Some(experience) = experience else { continue };
        let promoted = text(row, PROMOTED_TO).and_then(|key| by_key.get(key));
        let said = text(row, "content").and_then(|content| by_words.get(content));
        let Some(node) = promoted.or(said).and_then(|place| nodes.get_mut(*place)) else {
            continue;
        };
        node.keeps = Some(experience.key.clone());
        match promoted {
            Some(_) => experience.kept_by = Some(Kept::Promoted(node.key.clone())),
            None => give_all(experience, node),
        }
    }
}

/// Ties a learned experience to its lasting node and gives the node the context and tags, because
/// only the node is searchable.
fn give_all(experience: &mut Record, node: &mut Record) {
    experience.kept_by = Some(Kept::Learned(node.key.clone()));
    node.passages.extend(experience.passages.iter().skip(1).cloned());
    let tags = std::mem::take(&mut experience.tags);
    node.tags
        .extend(tags.iter().filter(|tag| !node.tags.contains(tag)).cloned().collect::<Vec<_>>());
    experience.properties.insert("tags".into(), json!(tags));
}

fn experience(row: &Row) -> Option<Record> {
    let content = text(row, "content")?;
    let sort_of = text(row, "type").unwrap_or(ExperienceType::Solution.as_str());
    let experience_type = ExperienceType::named(sort_of);
    // Newer versions of Kairn have more types. Their names are kept as tags.
    let foreign = experience_type.is_none().then(|| sort_of.to_owned());
    let experience_type = experience_type.unwrap_or_else(|| stand_in(sort_of));
    let confidence = text(row, "confidence").and_then(Confidence::named);
    let sort = Fading::new(experience_type, confidence.unwrap_or(Confidence::High))
        .with_rate(row.get("decay_rate").and_then(Value::as_f64));
    let mut properties = further(row);
    sort.note_in(&mut properties);
    if let Some(until) = text(row, VALID_TO) {
        let until = moment(row, VALID_TO).map_or_else(|| until.to_owned(), |at| at.to_string());
        properties.insert(VALID_TO.into(), json!(until));
    }
    let context = text(row, "context").map(|body| passage(CONTEXT, body));
    let name = name_from(&format!("{}: ", capitalised(sort_of)), content, NAME_LETTERS);
    let record = record(row, &name)?;
    Some(Record {
        tags: record.tags.iter().cloned().chain(foreign).collect(),
        derived_name: true,
        type_name: EXPERIENCE.into(),
        namespace: fading(sort.experience_type, sort.confidence),
        passages: std::iter::once(passage(CONTENT, content)).chain(context).collect(),
        accesses: row.get("access_count").and_then(Value::as_u64).unwrap_or_default(),
        properties,
        ..record
    })
}

/// The lesson type that is used for an unknown one. Preferences last long.
fn stand_in(sort_of: &str) -> ExperienceType {
    if sort_of.eq_ignore_ascii_case("preference") {
        ExperienceType::Pattern
    } else {
        ExperienceType::Solution
    }
}

/// Parses the steps of all projects, by project and oldest first.
fn steps(progress: &[Row]) -> HashMap<&str, Vec<Entry>> {
    let mut steps: HashMap<&str, Vec<Entry>> = HashMap::new();
    for row in progress {
        if let Some((project, step)) = text(row, "project_id").zip(step(row)) {
            steps.entry(project).or_default().push(step);
        }
    }
    steps.values_mut().for_each(|steps| steps.sort_by_key(|step| step.at));
    steps
}

fn project(row: &Row, steps: &mut HashMap<&str, Vec<Entry>>) -> Option<Record> {
    let id = text(row, "id")?;
    let mut properties = Properties::new();
    properties.insert("phase".into(), json!(text(row, "phase").unwrap_or("planning")));
    let active = row.get("active").is_some_and(|flag| *flag == json!(1) || *flag == json!(true));
    properties.insert("active".into(), json!(active));
    for list in ["goals", "stakeholders", "success_metrics"] {
        properties.insert(list.into(), json!(texts(row, list)));
    }
    let steps = steps.remove(id).unwrap_or_default();
    let passages = steps.iter().map(|step| Passage {
        provenance: Provenance {
            session: Some(id.to_owned()),
            occurred_at: Some(step.at),
            ..Provenance::default()
        },
        ..passage(step.outcome.as_str(), &step.prose())
    });
    Some(Record {
        type_name: PROJECT.into(),
        namespace: PROJECT.into(),
        passages: passages.collect(),
        properties,
        steps,
        ..record(row, text(row, "name")?)?
    })
}

fn step(row: &Row) -> Option<Entry> {
    let own = |key: &str| text(row, key).map(str::to_owned);
    Some(Entry {
        id: format!("log_{}", text(row, "id")?),
        at: moment(row, "created_at")?,
        action: own("action")?,
        outcome: if text(row, "type") == Some("failure") {
            Outcome::Failure
        } else {
            Outcome::Progress
        },
        result: own("result"),
        next_step: own("next_step"),
    })
}

fn idea(row: &Row) -> Option<Record> {
    let mut properties = further(row);
    properties.insert("status".into(), json!(text(row, "status").unwrap_or("draft")));
    properties.insert("category".into(), json!(text(row, "category")));
    properties.insert("score".into(), row.get("score").cloned().unwrap_or_default());
    Some(Record {
        type_name: IDEA.into(),
        namespace: IDEA.into(),
        properties,
        ..record(row, text(row, "title")?)?
    })
}

fn edge(row: &Row) -> Option<Tie> {
    let end = |column: &str| text(row, column).map(str::to_owned);
    let weight = row.get("weight").and_then(Value::as_f64).unwrap_or(1.0);
    let tie = Tie::new(end("source_id")?, end("target_id")?, end("type")?);
    let mut tie = Tie { weight, properties: further(row), ..tie };
    if let Some(at) = moment(row, "created_at").filter(|_| tie.type_name == SUPERSEDES) {
        tie.properties.insert(VALID_TO.into(), json!(at.to_string()));
    }
    Some(tie)
}

/// Reads the columns that all tables have in common.
fn record(row: &Row, name: &str) -> Option<Record> {
    Some(Record {
        key: text(row, "id")?.to_owned(),
        made: moment(row, "created_at"),
        name: name.to_owned(),
        tags: texts(row, "tags"),
        properties: further(row),
        sharing: text(row, "visibility").and_then(Sharing::named).unwrap_or_default(),
        ..Record::default()
    })
}

/// Parses the `properties` column, which holds JSON. Properties that have a meaning of their own
/// here are renamed with the prefix `kairn_`.
fn further(row: &Row) -> Properties {
    let fields = text(row, "properties").and_then(|json| serde_json::from_str(json).ok());
    let fields: Properties = fields.unwrap_or_default();
    let own = fields.into_iter().filter(|(name, _)| name != NEEDS_PROMOTION);
    let renamed = |name: String| if is_ours(&name) { format!("kairn_{name}") } else { name };
    own.map(|(name, value)| (renamed(name), value)).collect()
}

/// Kairn's internal mark for experiences that were read often.
const NEEDS_PROMOTION: &str = "needs_promotion";

fn is_ours(name: &str) -> bool {
    const OURS: [&str; 10] = [
        "type",
        "node",
        "experience",
        "tags",
        "phase",
        "status",
        "active",
        PROMOTED_TO,
        SUPERSEDED_BY,
        VALID_TO,
    ];
    OURS.contains(&name) || name == SOURCE || name.starts_with("source_") && name != ORIGIN
}

/// Kairn's property for the experience from which a node was made.
const ORIGIN: &str = "source_experience_id";

fn passage(kind: &str, body: &str) -> Passage {
    Passage::new(kind, body)
}

fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// Parses a column that holds a list as JSON.
fn texts(row: &Row, column: &str) -> Vec<String> {
    text(row, column).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

fn moment(row: &Row, column: &str) -> Option<Timestamp> {
    let written = text(row, column)?;
    // A time without a zone is in UTC.
    written.parse().or_else(|_| format!("{written}Z").parse()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: Value) -> Row {
        let Value::Object(row) = value else { unreachable!() };
        row
    }

    #[test]
    fn a_learned_fact_keeps_its_two_halves_together() {
        let at = "2026-01-02T03:04:05.678+00:00";
        let tables = BTreeMap::from([
            (
                "nodes".to_owned(),
                vec![
                    row(json!({"id": "n1", "type": "learned_gotcha", "name": "Gotcha: x",
                        "description": "x", "tags": "[\"a\"]", "created_at": at})),
                    row(json!({"id": "n2", "type": "t", "name": "gone", "deleted_at": at})),
                ],
            ),
            (
                "experiences".to_owned(),
                vec![row(json!({"id": "e1", "type": "gotcha", "content": "x",
                    "confidence": "low", "created_at": at}))],
            ),
        ]);
        let load = read(&tables);
        assert_eq!(load.records.len(), 2);
        assert_eq!(load.records[0].tags, ["a"]);
        assert_eq!(load.records[1].kept_by, Some(Kept::Learned("n1".into())));
        assert_eq!(load.records[0].keeps.as_deref(), Some("e1"));
        assert_eq!(load.records[1].namespace, "experience.gotcha.low");
        assert!(load.records[1].made.is_some());
    }

    #[test]
    fn what_was_superseded_is_dated_in_both_its_halves() {
        let node = |id: &str, says: &str| {
            row(json!({"id": id, "type": "t", "name": id, "description": says}))
        };
        let edge = json!({"source_id": "n2", "target_id": "n1", "type": "supersedes",
            "created_at": "2025-01-10T00:00:00"});
        let tables = BTreeMap::from([
            ("nodes".to_owned(), vec![node("n1", "Redis"), node("n2", "Postgres")]),
            (
                "experiences".to_owned(),
                vec![row(json!({"id": "e1", "type": "decision", "content": "Redis"}))],
            ),
            ("edges".to_owned(), vec![row(edge)]),
        ]);
        let load = read(&tables);
        let mut ends: Vec<_> = load.ties.iter().map(|tie| (&*tie.from, &*tie.to)).collect();
        ends.sort_unstable();
        assert_eq!(ends, [("n2", "e1"), ("n2", "n1")]);
        assert!(load.ties.iter().all(|tie| tie.properties[VALID_TO] == "2025-01-10T00:00:00Z"));
    }

    #[test]
    fn a_node_and_an_experience_of_one_id_are_two_and_fade_as_kairn_says() {
        let tables = BTreeMap::from([
            ("nodes".to_owned(), vec![row(json!({"id": "x1", "type": "t", "name": "Node"}))]),
            (
                "experiences".to_owned(),
                vec![row(json!({"id": "x1", "type": "gotcha", "content": "Heron",
                    "decay_rate": 0.0035}))],
            ),
        ]);
        let load = read(&tables);
        let keys: Vec<_> = load.records.iter().map(|record| record.key.as_str()).collect();
        assert_eq!(keys, ["x1", "experience x1"]);
        assert_eq!(load.records[1].properties["decay_rate"], 0.0035);
    }

    #[test]
    fn what_else_is_known_of_nodes_and_edges_comes_along() {
        let tables = BTreeMap::from([
            (
                "nodes".to_owned(),
                vec![row(json!({"id": "n1", "type": "t", "name": "Mast",
                    "properties": "{\"height\": 12, \"type\": \"oak\", \"source\": \"log\"}"}))],
            ),
            (
                "experiences".to_owned(),
                vec![row(json!({"id": "e1", "type": "gotcha", "content": "Mind the boom",
                    "properties": "{\"needs_promotion\": 1, \"deck\": \"aft\"}",
                    "valid_to": "2025-03-01T00:00:00+00:00"}))],
            ),
            (
                "edges".to_owned(),
                vec![row(json!({"source_id": "n1", "target_id": "n1", "type": "supports",
                    "properties": "{\"reason\": \"it holds\"}"}))],
            ),
        ]);
        let load = read(&tables);
        let node = json!({"height": 12, "kairn_type": "oak", "kairn_source": "log"});
        assert_eq!(Value::Object(load.records[0].properties.clone()), node);
        let experience = &load.records[1].properties;
        assert_eq!((&experience["deck"], experience.get("needs_promotion")), (&json!("aft"), None));
        assert_eq!(experience[VALID_TO], "2025-03-01T00:00:00Z");
        assert_eq!(load.ties[0].properties["reason"], "it holds");
    }

    #[test]
    fn a_preference_stays_one() {
        let row = row(json!({"id": "e2", "type": "preference", "content": "tabs, never blanks",
            "confidence": "high", "tags": "[\"style\"]"}));
        let record = experience(&row).unwrap();
        assert_eq!(record.name, "Preference: tabs, never blanks");
        assert_eq!(record.tags, ["style", "preference"]);
        assert_eq!(record.namespace, "experience.pattern.high");
    }
}

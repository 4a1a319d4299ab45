//! Import of the JSON lines of the reference memory server for MCP: entities with observations, and
//! relations. Lorewell's own export has the same format with additional fields.

use std::collections::HashMap;

use lore_core::Provenance;
use serde_json::{Map, Value};

use super::super::kinds::{DESCRIPTION, KNOWLEDGE, Sharing, Type};
use super::super::project::Entry;
use super::identity::{own_id, without_source};
use super::state::{State, text_print};
use super::{Load, Passage, Record, Tie};

/// The label of a source in this format.
pub(super) const LABEL: &str = "jsonl";

/// Parses the lines. Lines of other kinds are counted as unreadable. Several lines about the same
/// entity are merged.
pub fn read(text: &str) -> Load {
    let mut load = Load { label: LABEL.into(), ..Load::default() };
    let mut places: HashMap<String, usize> = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let entry = serde_json::from_str::<Value>(line).ok();
        let kind = entry.as_ref().and_then(|entry| entry.get("type")?.as_str());
        let read = match (&entry, kind) {
            (Some(entry), Some("entity")) => {
                entity(entry).map(|record| load.add(&mut places, record))
            }
            (Some(entry), Some("relation")) => relation(entry).map(|tie| load.ties.push(tie)),
            _ => None,
        };
        load.unreadable += usize::from(read.is_none());
    }
    load
}

impl Load {
    fn add(&mut self, places: &mut HashMap<String, usize>, record: Record) {
        let known = places.get(&record.key).and_then(|at| self.records.get_mut(*at));
        let Some(known) = known else {
            places.insert(record.key.clone(), self.records.len());
            self.records.push(record);
            return;
        };
        for passage in record.passages {
            if !known.passages.iter().any(|old| old.body == passage.body) {
                known.passages.push(passage);
            }
        }
        known.tags.extend(record.tags);
    }
}

pub(super) fn entity(entry: &Value) -> Option<Record> {
    let name = text(entry, "name")?;
    let list = |key: &str| -> Vec<String> {
        let entries = array(entry, key).iter().filter_map(Value::as_str);
        entries.map(str::to_owned).collect()
    };
    let mut properties = object(entry, "properties");
    without_source(&mut properties);
    let state = entry.get("exported").and_then(State::read);
    let observations = list("observations");
    let details = detailed(&observations, array(entry, "details"), state.as_ref());
    let passages = observations.into_iter().zip(details);
    let passages = passages.map(|(body, details)| passage(body, details));
    Some(Record {
        key: text(entry, "id").unwrap_or_else(|| name.clone()),
        origin: text(entry, "origin").filter(|id| own_id(id).is_some()),
        made: text(entry, "created_at").and_then(|at| at.parse().ok()),
        changed: text(entry, "updated_at").and_then(|at| at.parse().ok()),
        type_name: text(entry, "entityType").unwrap_or_else(|| "entity".into()),
        namespace: text(entry, "namespace").unwrap_or_else(|| KNOWLEDGE.into()),
        subtype: text(entry, "subtype"),
        aliases: list("aliases"),
        tags: list("tags"),
        derived_name: entry.get("derived_name") == Some(&Value::Bool(true)),
        sharing: sharing(entry).unwrap_or_default(),
        properties,
        passages: passages.collect(),
        steps: array(entry, "log").iter().filter_map(Entry::read).collect(),
        state,
        name,
        ..Record::default()
    })
}

/// Returns the details of each observation. If a state is known, observations may have been added
/// or removed by hand since the export: those with a known text get its details, and the rest get
/// the remaining details in order.
fn detailed<'a>(
    observations: &[String],
    details: &'a [Value],
    state: Option<&State>,
) -> Vec<Option<&'a Value>> {
    let Some(state) = state else {
        return (0..observations.len()).map(|at| details.get(at)).collect();
    };
    let mut free: Vec<&Value> = details.iter().collect();
    let mut says = |words: &str| {
        let is_it = |details: &&Value| {
            let id = details.get("id").and_then(Value::as_str);
            state.texts.iter().any(|(known, print)| Some(&**known) == id && print == words)
        };
        let at = free.iter().position(is_it)?;
        Some(free.remove(at))
    };
    let mut found: Vec<_> = observations.iter().map(|body| says(&text_print(body))).collect();
    let mut rest = free.into_iter();
    for missing in found.iter_mut().filter(|details| details.is_none()) {
        *missing = rest.next();
    }
    found
}

/// Converts an observation, with its details if Lorewell exported it.
fn passage(body: String, details: Option<&Value>) -> Passage {
    let Some(details) = details.filter(|details| details.is_object()) else {
        return Passage::new(DESCRIPTION, body);
    };
    let kind = text(details, "kind").and_then(|kind| Type::of(&kind).ok());
    let kind = kind.map_or_else(|| DESCRIPTION.to_owned(), |kind| kind.kind.as_str().to_owned());
    Passage {
        id: text(details, "id"),
        title: text(details, "title").unwrap_or_default(),
        provenance: Provenance {
            source: text(details, "source"),
            session: text(details, "session"),
            author: text(details, "author"),
            occurred_at: text(details, "occurred_at").and_then(|at| at.parse().ok()),
        },
        position: details.get("position").and_then(Value::as_i64),
        searchable: details.get("searchable") != Some(&Value::Bool(false)),
        sharing: sharing(details).unwrap_or(Sharing::Shared),
        ..Passage::new(&kind, body)
    }
}

pub(super) fn relation(entry: &Value) -> Option<Tie> {
    let end = |id: &str, name: &str| text(entry, id).or_else(|| text(entry, name));
    let tie = Tie::new(end("from_id", "from")?, end("to_id", "to")?, text(entry, "relationType")?);
    Some(Tie {
        weight: entry.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        sharing: sharing(entry).unwrap_or_default(),
        properties: object(entry, "properties"),
        ..tie
    })
}

fn sharing(entry: &Value) -> Option<Sharing> {
    text(entry, "visibility").and_then(|name| Sharing::named(&name))
}

fn object(entry: &Value, key: &str) -> Map<String, Value> {
    entry.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn array<'a>(entry: &'a Value, key: &str) -> &'a [Value] {
    entry.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text(entry: &Value, key: &str) -> Option<String> {
    let text = entry.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_relations_and_rubbish_are_told_apart() {
        let load = read(
            r#"
            {"type":"entity","name":"Ada","entityType":"person","observations":["counts","writes"]}
            {"type":"relation","from":"Ada","to":"Engine","relationType":"programs"}
            {"type":"entity"}
            not json"#,
        );
        assert_eq!((load.records.len(), load.ties.len(), load.unreadable), (1, 1, 2));
        assert_eq!(load.records[0].passages.len(), 2);
    }

    #[test]
    fn what_several_lines_say_of_one_entity_is_kept_together() {
        let load = read(
            r#"{"type":"entity","name":"Late","entityType":"p","observations":["one"]}
            {"type":"entity","name":"Late","entityType":"p","observations":["one","two"]}"#,
        );
        let bodies: Vec<_> = load.records[0].passages.iter().map(|p| p.body.as_str()).collect();
        assert_eq!((load.records.len(), bodies), (1, vec!["one", "two"]));
    }
}

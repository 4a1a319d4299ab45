//! The JSON lines of the reference memory server: entities with observations, and relations.
//! Lorewell's own export is the same with more fields.

use lore_core::{Provenance, Result};
use serde_json::Value;

use super::super::kinds::{DESCRIPTION, KNOWLEDGE};
use super::{Load, Passage, Record, Tie};

/// Reads the lines. What is no line of this kind is counted and passed over.
pub fn read(label: &str, text: &str) -> Result<Load> {
    let mut load = Load { label: label.to_owned(), ..Load::default() };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let entry = serde_json::from_str::<Value>(line).ok();
        let kind = entry.as_ref().and_then(|entry| entry.get("type")?.as_str());
        let read = match (&entry, kind) {
            (Some(entry), Some("entity")) => entity(entry).map(|record| load.records.push(record)),
            (Some(entry), Some("relation")) => relation(entry).map(|tie| load.ties.push(tie)),
            _ => None,
        };
        load.unreadable += usize::from(read.is_none());
    }
    Ok(load)
}

fn entity(entry: &Value) -> Option<Record> {
    let name = text(entry, "name")?;
    let list = |key: &str| -> Vec<String> {
        let entries = entry.get(key).and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let passage =
        |body: String| Passage { kind: DESCRIPTION, body, provenance: Provenance::default() };
    Some(Record {
        key: text(entry, "id").unwrap_or_else(|| name.clone()),
        made: text(entry, "created_at").and_then(|at| at.parse().ok()),
        type_name: text(entry, "entityType").unwrap_or_else(|| "entity".into()),
        namespace: text(entry, "namespace").unwrap_or_else(|| KNOWLEDGE.into()),
        tags: list("tags"),
        derived_name: entry.get("derived_name") == Some(&Value::Bool(true)),
        properties: entry.get("properties").and_then(Value::as_object).cloned().unwrap_or_default(),
        passages: list("observations").into_iter().map(passage).collect(),
        name,
        ..Record::default()
    })
}

fn relation(entry: &Value) -> Option<Tie> {
    let end = |id: &str, name: &str| text(entry, id).or_else(|| text(entry, name));
    Some(Tie {
        from: end("from_id", "from")?,
        to: end("to_id", "to")?,
        type_name: text(entry, "relationType")?,
        weight: entry.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
    })
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
        let lines = r#"
            {"type":"entity","name":"Ada","entityType":"person","observations":["counts","writes"]}
            {"type":"relation","from":"Ada","to":"Engine","relationType":"programs"}
            {"type":"entity"}
            not json"#;
        let load = read("memory", lines).unwrap();
        assert_eq!((load.records.len(), load.ties.len(), load.unreadable), (1, 1, 2));
        assert_eq!(load.records[0].passages.len(), 2);
    }
}

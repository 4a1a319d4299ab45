//! Parses the front matter of notes that Lorewell exported, even if an editor has rewritten it.

use serde_json::{Map, Value, json};

use super::super::notes;
use crate::knowledge::yaml;

/// Parses the fields of the front matter. If it is not valid YAML, it is parsed line by line.
pub(super) fn fields(front: &str) -> Map<String, Value> {
    let mut fields = match yaml::read(front) {
        Ok(yaml::Value::Block(keys)) => {
            keys.into_iter().map(|(name, value)| (name, plain_value(value))).collect()
        }
        _ => lines(front),
    };
    for name in ["tags", "aliases"] {
        if let Some(list) = fields.get_mut(name) {
            *list = json!(texts(list));
        }
    }
    fields
}

/// Returns the entries of a list. A list written as a string is split at commas.
fn texts(list: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        Value::Object(block) => {
            let (name, value) = block.iter().next()?;
            Some(format!("{name}: {}", value.as_str().unwrap_or_default()))
        }
        other => Some(other.to_string()),
    };
    match list {
        Value::Array(entries) => entries.iter().filter_map(text).collect(),
        Value::String(written) => notes::list(written),
        _ => Vec::new(),
    }
}

/// Converts a YAML value. A plain scalar may be a number, a boolean or null.
fn plain_value(value: yaml::Value) -> Value {
    match value {
        yaml::Value::Plain(text) if text.is_empty() => Value::Null,
        yaml::Value::Plain(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        yaml::Value::Quoted(text) => Value::String(text),
        yaml::Value::List(list) => list.into_iter().map(plain_value).collect(),
        yaml::Value::Block(keys) => {
            keys.into_iter().map(|(name, value)| (name, plain_value(value))).collect()
        }
    }
}

/// Parses front matter line by line, with lists in either form.
fn lines(front: &str) -> Map<String, Value> {
    let mut fields: Map<String, Value> = Map::new();
    let mut last = String::new();
    for line in front.lines() {
        let inside = line.starts_with(' ');
        if let Some(entry) = line.trim_start().strip_prefix("- ") {
            let list = fields.entry(last.clone()).or_insert_with(|| json!([]));
            match list {
                Value::Array(list) => list.push(value(entry)),
                other => *other = json!([value(entry)]),
            }
        } else if let Some((name, said)) = named(line.trim_start()) {
            let block = fields.get_mut(&last).filter(|_| inside);
            match block {
                Some(Value::Object(block)) => drop(block.insert(name, said)),
                Some(block) => *block = json!({ name: said }),
                None => {
                    last.clone_from(&name);
                    fields.insert(name, said);
                }
            }
        }
    }
    fields
}

fn named(line: &str) -> Option<(String, Value)> {
    let mut quoted = serde_json::Deserializer::from_str(line).into_iter::<String>();
    if line.starts_with('"')
        && let Some(Ok(name)) = quoted.next()
    {
        let rest = line.get(quoted.byte_offset()..)?.strip_prefix(':')?;
        return Some((name, value(rest)));
    }
    let (name, rest) = line.split_once(':')?;
    Some((name.to_owned(), value(rest)))
}

fn value(text: &str) -> Value {
    let text = text.trim();
    if text.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(text).unwrap_or_else(|_| json!(text.trim_matches('\'')))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::plain;
    use super::*;

    #[test]
    fn the_front_matter_keeps_every_value_and_takes_lists_in_either_form() {
        let odd = json!({ "a: b": "true", "n": 3, "list": ["x, y", "#z"], "say": "\"hi\": no" });
        let mut front = "id: node_x\ntags:\n  - one\n  - two: three\nproperties:\n".to_owned();
        for (name, value) in odd.as_object().unwrap() {
            let _ = writeln!(front, "  {}: {}", plain(&json!(name)), plain(value));
        }
        let fields = fields(&front);
        assert_eq!(fields["tags"], json!(["one", "two: three"]));
        assert_eq!(fields["properties"], odd, "{front}");
    }

    #[test]
    fn fields_are_the_same_however_an_editor_writes_them() {
        let ours = "title: Keel\ntags: [\"a b\",\"c\"]\nproperties:\n  goals: [\"afloat\"]\n  n: 3";
        let theirs =
            "title: \"Keel\"\ntags:\n  - a b\n  - c\nproperties:\n  goals:\n    - afloat\n  n: 3";
        let broken = "title: Keel\ntags: a b, c\nproperties:\n  goals: [\"afloat\"]\n  n: 3\nx: [";
        for front in [theirs, broken] {
            let mut read = fields(front);
            read.shift_remove("x");
            assert_eq!(read, fields(ours), "{front}");
        }
    }
}

//! Merges an entry into JSON, with or without comments.

use anyhow::{Context, Result, bail, ensure};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::edit::{Fields, Syntax, Wanted, reconcile};

/// Returns `text` with the wanted entry, or `None` if the entry is already there.
pub(super) fn merged(syntax: Syntax, text: &str, wanted: &Wanted<'_>) -> Result<Option<String>> {
    let fresh = text.trim().is_empty();
    let root = parse(syntax, if fresh { "" } else { text })?;
    let before = root.to_serde_value().unwrap_or_else(|| Value::Object(Map::new()));
    let top = root.object_value_or_create().context("it is JSON, but not an object")?;
    if let (true, Some(schema)) = (fresh, wanted.schema) {
        top.append("$schema", schema.into());
    }
    if !put(&servers(top, wanted.keys)?, wanted)? {
        return Ok(None);
    }
    let merged = root.to_string();
    ensure!(
        fresh || only_entry_differs(before, document(syntax, &merged), wanted),
        "it is built in a way that cannot be changed safely: paste the printed configuration by hand"
    );
    Ok(Some(merged))
}

/// The value of a file; null if it cannot be parsed.
pub(super) fn document(syntax: Syntax, text: &str) -> Value {
    let root = parse(syntax, text.trim_start_matches('\u{feff}')).ok();
    root.and_then(|root| root.to_serde_value()).unwrap_or_default()
}

fn parse(syntax: Syntax, text: &str) -> Result<CstRootNode> {
    let loose = syntax == Syntax::Json5;
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_loose_object_property_names: loose,
        allow_single_quoted_strings: loose,
        allow_hexadecimal_numbers: loose,
        allow_unary_plus_numbers: loose,
        allow_bare_decimal_point_numbers: loose,
        allow_non_finite_numbers: loose,
        allow_extended_string_escapes: loose,
    };
    CstRootNode::parse(text, &options).context("it is not valid JSON: mend it first")
}

/// The object that contains the servers, created if missing.
fn servers(top: CstObject, keys: &[&str]) -> Result<CstObject> {
    keys.iter().try_fold(top, |object, key| {
        object.object_value_or_create(key).with_context(|| format!("its {key:?} is not an object"))
    })
}

fn put(servers: &CstObject, wanted: &Wanted<'_>) -> Result<bool> {
    let Some(property) = servers.get(wanted.name) else {
        servers.append(wanted.name, input(&Value::Object(wanted.entry.clone())));
        return Ok(true);
    };
    match property.object_value() {
        Some(mut entry) => Ok(reconcile(&mut entry, &wanted.entry)),
        None => bail!("its entry {:?} is not an object", wanted.name),
    }
}

/// Whether the edit changed the entry and nothing else. It can fail, for example, for a file with a
/// duplicate key, where the editor and a parser see different values.
fn only_entry_differs(mut before: Value, mut after: Value, wanted: &Wanted<'_>) -> bool {
    let there = taken(&mut after, wanted);
    let written = there
        .as_ref()
        .and_then(Value::as_object)
        .is_some_and(|entry| wanted.entry.iter().all(|(key, value)| entry.get(key) == Some(value)));
    taken(&mut before, wanted);
    written && before == after
}

/// Removes the entry from a document and returns it. Missing parent objects are created, so that
/// two documents compare equal.
fn taken(document: &mut Value, wanted: &Wanted<'_>) -> Option<Value> {
    let servers = wanted.keys.iter().try_fold(document, |value, key| {
        let object = value.as_object_mut()?;
        Some(object.entry(*key).or_insert_with(|| Value::Object(Map::new())))
    })?;
    servers.as_object_mut()?.shift_remove(wanted.name)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(on) => CstInputValue::Bool(*on),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}

impl Fields for CstObject {
    fn names(&self) -> Vec<String> {
        self.properties().iter().filter_map(|property| property.decoded_name()).collect()
    }

    fn value(&self, key: &str) -> Option<Value> {
        self.get(key)?.to_serde_value()
    }

    fn set(&mut self, key: &str, value: &Value) {
        match self.get(key) {
            Some(property) => property.set_value(input(value)),
            None => drop(self.append(key, input(value))),
        }
    }

    fn remove(&mut self, key: &str) {
        if let Some(property) = self.get(key) {
            property.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::commands::connect::entry::Entry;

    fn wanted(entry: &Value) -> Wanted<'static> {
        let entry: Entry = entry.as_object().unwrap().clone();
        Wanted { name: "lorewell", keys: &["mcpServers"], entry, schema: None }
    }

    fn start() -> Wanted<'static> {
        wanted(&json!({ "command": "/bin/lorewell", "args": ["--world", "Ash"] }))
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(merged(Syntax::Json, text, &start()).unwrap().as_deref(), Some(expected));
        assert_eq!(merged(Syntax::Json, expected, &start()).unwrap(), None, "the second time");
    }

    #[test]
    fn a_new_file_is_written_readably() {
        let expected = r#"{
  "mcpServers": {
    "lorewell": {
      "command": "/bin/lorewell",
      "args": ["--world", "Ash"]
    }
  }
}
"#;
        check("", expected);
        check(" \n", expected);
    }

    #[test]
    fn comments_order_and_indentation_stay() {
        check(
            r#"// mine
{
    "zeta": 1, /* why */
    "mcpServers": {
        // the other one
        "other": {"command": "x"}, // here
    },
    "alpha": [1,2],
}
"#,
            r#"// mine
{
    "zeta": 1, /* why */
    "mcpServers": {
        // the other one
        "other": {"command": "x"}, // here
        "lorewell": {
            "command": "/bin/lorewell",
            "args": ["--world", "Ash"],
        },
    },
    "alpha": [1,2],
}
"#,
        );
    }

    #[test]
    fn dense_files_and_tabs_stay_readable() {
        check(
            "{\n\t\"mcpServers\": {}\n}",
            "{\n\t\"mcpServers\": {\n\t\t\"lorewell\": {\n\t\t\t\"command\": \"/bin/lorewell\",\n\
             \t\t\t\"args\": [\"--world\", \"Ash\"]\n\t\t}\n\t}\n}",
        );
        for text in [
            r#"{"mcpServers":{"other":{"command":"x"}},"z":[1]}"#,
            "{}",
            "{ // mine\n}",
            "{\n  \"a\": 1 // last\n  // end\n}\n// after\n",
            "{\"mcpServers\": { /* none */ }}",
        ] {
            let new = merged(Syntax::Json, text, &start()).unwrap().unwrap();
            let comments = |text: &str| text.matches("//").count() + text.matches("/*").count();
            assert_eq!(comments(&new), comments(text), "{new}");
            assert_eq!(merged(Syntax::Json, &new, &start()).unwrap(), None, "{new}");
        }
    }

    #[test]
    fn line_ends_stay() {
        let merged = merged(Syntax::Json, "{\r\n  \"a\": 1\r\n}\r\n", &start()).unwrap().unwrap();
        assert_eq!(merged.matches('\n').count(), merged.matches("\r\n").count());
        assert!(merged.contains("\"a\": 1,\r\n"));
    }

    #[test]
    fn an_entry_keeps_what_the_user_added() {
        check(
            r#"{ "mcpServers": { "lorewell": {
  "args": [], // none yet
  "command": "/old/lorewell", // moved
  "env": { "LOREWELL_LOG": "debug" }
} } }"#,
            r#"{ "mcpServers": { "lorewell": {
  "args": ["--world", "Ash"], // none yet
  "command": "/bin/lorewell", // moved
  "env": { "LOREWELL_LOG": "debug" }
} } }"#,
        );
    }

    #[test]
    fn an_entry_of_the_other_kind_is_replaced() {
        let text =
            r#"{"mcpServers":{"lorewell":{"type":"http","url":"http://x","headers":{"A":"b"}}}}"#;
        let merged = merged(Syntax::Json, text, &start()).unwrap().unwrap();
        let entry = &document(Syntax::Json, &merged)["mcpServers"]["lorewell"];
        assert_eq!(entry, &Value::Object(start().entry));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "{",
            "{} {}",
            "[]",
            "null",
            "{ mcpServers: {} }",
            r#"{ "a": 1 "b": 2 }"#,
            r#"{ "mcpServers": [] }"#,
            r#"{ "mcpServers": null }"#,
            r#"{ "mcpServers": { "lorewell": "x" } }"#,
            r#"{ "mcpServers": {}, "mcpServers": { "other": {} } }"#,
        ] {
            assert!(merged(Syntax::Json, text, &start()).is_err(), "{text}");
        }
    }

    #[test]
    fn json5_is_kept_as_it_is() {
        let text =
            "{\n  // mine\n  mcpServers: {\n    'other': { command: 'x', n: +.5 },\n  },\n}\n";
        let merged = merged(Syntax::Json5, text, &start()).unwrap().unwrap();
        assert!(merged.starts_with(
            "{\n  // mine\n  mcpServers: {\n    'other': { command: 'x', n: +.5 },\n"
        ));
        assert_eq!(
            document(Syntax::Json5, &merged)["mcpServers"]["lorewell"],
            Value::Object(start().entry)
        );
    }
}

//! Merges an entry into TOML.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::edit::{Fields, Wanted, reconcile};

/// Returns `text` with the wanted entry, or `None` if the entry is already there.
pub(super) fn merged(text: &str, wanted: &Wanted<'_>) -> Result<Option<String>> {
    let mut document: DocumentMut = text.parse().context("it is not valid TOML: mend it first")?;
    let (servers, inline) = servers(document.as_item_mut(), wanted.keys)?;
    if !put(servers, inline, wanted)? {
        return Ok(None);
    }
    Ok(Some(with_line_ends_of(text, document.to_string())))
}

/// The table that contains the servers, created if missing, and whether it is an inline table.
fn servers<'a>(top: &'a mut Item, keys: &[&str]) -> Result<(&'a mut dyn TableLike, bool)> {
    let mut item = top;
    for key in keys {
        let table = item.as_table_like_mut().context("it is TOML, but not a table")?;
        item = table.entry(key).or_insert_with(|| Item::Table(headless()));
        ensure!(item.is_table_like(), "its {key:?} is not a table");
    }
    let inline = item.is_inline_table();
    Ok((item.as_table_like_mut().context("it is TOML, but not a table")?, inline))
}

/// A table without a header of its own, which shows only through its subtables.
fn headless() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

fn put(servers: &mut dyn TableLike, inline: bool, wanted: &Wanted<'_>) -> Result<bool> {
    let new = servers.get(wanted.name).is_none();
    let item = servers.entry(wanted.name).or_insert_with(|| empty(inline));
    let entry = item.as_table_like_mut();
    let mut entry = entry.with_context(|| format!("its entry {:?} is not a table", wanted.name))?;
    Ok(reconcile(&mut entry, &wanted.entry) || new)
}

/// An empty entry. Tables with a header are not allowed inside an inline table.
fn empty(inline: bool) -> Item {
    if inline { Item::Value(InlineTable::new().into()) } else { Item::Table(Table::new()) }
}

/// Converts line endings to those of the old text.
fn with_line_ends_of(text: &str, new: String) -> String {
    let windows = text.contains("\r\n");
    if windows { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new }
}

impl Fields for &mut dyn TableLike {
    fn names(&self) -> Vec<String> {
        self.iter().map(|(key, _)| key.to_owned()).collect()
    }

    fn value(&self, key: &str) -> Option<Value> {
        self.get(key).map(json)
    }

    fn set(&mut self, key: &str, value: &Value) {
        let Some(mut value) = toml(value) else { return };
        match self.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                // Keep the comment that follows the value on its line.
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            None => drop(self.insert(key, Item::Value(value))),
        }
    }

    fn remove(&mut self, key: &str) {
        TableLike::remove(*self, key);
    }
}

/// Converts a field to JSON. Types that entries do not use become null, which equals no wanted
/// value.
fn json(item: &Item) -> Value {
    if let Some(text) = item.as_str() {
        return text.into();
    }
    if let Some(on) = item.as_bool() {
        return on.into();
    }
    let texts = |array: &Array| array.iter().map(|value| value.as_str().map(Value::from)).collect();
    item.as_array().and_then(texts).map_or(Value::Null, Value::Array)
}

fn toml(value: &Value) -> Option<toml_edit::Value> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Bool(on) => Some((*on).into()),
        Value::Array(items) => {
            Some(items.iter().filter_map(Value::as_str).collect::<Array>().into())
        }
        Value::Null | Value::Number(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(entry: &Value) -> Wanted<'static> {
        let entry = entry.as_object().unwrap().clone();
        Wanted { name: "lorewell", keys: &["mcp_servers"], entry, schema: None }
    }

    fn start() -> Wanted<'static> {
        wanted(&json!({ "command": "/bin/lorewell", "args": ["--world", "Ash"] }))
    }

    const ENTRY: &str =
        "[mcp_servers.lorewell]\ncommand = \"/bin/lorewell\"\nargs = [\"--world\", \"Ash\"]\n";

    fn check(text: &str, expected: &str) {
        assert_eq!(merged(text, &start()).unwrap().as_deref(), Some(expected));
        assert_eq!(merged(expected, &start()).unwrap(), None, "the second time");
    }

    #[test]
    fn a_new_file_holds_the_entry() {
        check("", ENTRY);
    }

    #[test]
    fn comments_order_and_other_tables_stay() {
        let text = "# mine\nmodel = 'x' # why\n\n[mcp_servers.other]\ncommand = \"y\"\n";
        check(text, &format!("{text}\n{ENTRY}"));
        let text = "[tools]\nsearch = true\n";
        check(text, &format!("{text}\n{ENTRY}"));
    }

    #[test]
    fn an_entry_keeps_what_the_user_added() {
        check(
            "[mcp_servers.lorewell] # ours\ncommand = \"/old\" # moved\nenabled = false\nargs = []\n\n\
             [mcp_servers.lorewell.env]\nA = \"b\"\n",
            "[mcp_servers.lorewell] # ours\ncommand = \"/bin/lorewell\" # moved\nenabled = false\n\
             args = [\"--world\", \"Ash\"]\n\n[mcp_servers.lorewell.env]\nA = \"b\"\n",
        );
    }

    #[test]
    fn an_entry_of_the_other_kind_is_replaced() {
        let text = format!("{ENTRY}\n[mcp_servers.lorewell.env]\nA = \"b\"\n\n[other]\n");
        let merged = merged(&text, &wanted(&json!({ "url": "http://x/mcp" }))).unwrap().unwrap();
        assert_eq!(merged, "[mcp_servers.lorewell]\nurl = \"http://x/mcp\"\n\n[other]\n");
    }

    #[test]
    fn tables_on_one_line_stay_on_one_line() {
        let text = "mcp_servers = { other = { command = \"y\" } }\n";
        let merged = merged(text, &start()).unwrap().unwrap();
        let table: toml::Table = merged.parse().unwrap();
        assert_eq!(table["mcp_servers"]["other"]["command"].as_str(), Some("y"));
        assert_eq!(table["mcp_servers"]["lorewell"]["command"].as_str(), Some("/bin/lorewell"));
        assert_eq!(merged.lines().count(), 1);
    }

    #[test]
    fn every_way_to_write_tables_is_kept() {
        for text in [
            "mcp_servers.other.command = \"y\"\n",
            "[mcp_servers]\nother.command = \"y\" # why\n",
            "[mcp_servers]\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[z]\n# last\n",
            "[mcp_servers.\"other\"]\ncommand = 'y'\n[[list]]\na = 1\n[[list]]\na = 2",
        ] {
            let new = merged(text, &start()).unwrap().unwrap();
            let mut table: toml::Table = new.parse().unwrap();
            let servers = table["mcp_servers"].as_table_mut().unwrap();
            assert!(servers.remove("lorewell").is_some(), "{new}");
            assert_eq!(table, text.parse::<toml::Table>().unwrap(), "{new}");
            assert_eq!(new.matches('#').count(), text.matches('#').count());
            assert_eq!(merged(&new, &start()).unwrap(), None, "{new}");
        }
    }

    #[test]
    fn line_ends_stay() {
        let merged = merged("a = 1\r\n", &start()).unwrap().unwrap();
        assert_eq!(merged.matches('\n').count(), merged.matches("\r\n").count());
        assert!(merged.parse::<toml::Table>().is_ok());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in ["[", "a = ", "mcp_servers = 1", "[mcp_servers]\nlorewell = \"x\""] {
            assert!(merged(text, &start()).is_err(), "{text}");
        }
    }
}

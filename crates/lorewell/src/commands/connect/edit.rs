//! Merges an entry into a client's file, independent of the file's syntax.

use anyhow::Result;
use serde_json::Value;

use super::entry::Entry;
use super::{json_file, toml_file};

/// The syntax of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// JSON; comments and trailing commas are preserved.
    Json,
    /// JSON that also allows unquoted keys and single quotes.
    Json5,
    Toml,
}

/// An entry to be put into a file.
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    pub(super) keys: &'static [&'static str],
    pub(super) entry: Entry,
    /// The `$schema` of a newly created file.
    pub(super) schema: Option<&'static str>,
}

/// An entry in a parsed file.
pub(super) trait Fields {
    fn names(&self) -> Vec<String>;
    fn value(&self, key: &str) -> Option<Value>;
    fn set(&mut self, key: &str, value: &Value);
    fn remove(&mut self, key: &str);
}

/// Returns `text` with the wanted entry, or `None` if the entry is already there.
pub(super) fn merged(syntax: Syntax, text: &str, wanted: &Wanted<'_>) -> Result<Option<String>> {
    // Editors on Windows write a byte order mark, which the parsers reject.
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let merged = match syntax {
        Syntax::Json | Syntax::Json5 => json_file::merged(syntax, body, wanted)?,
        Syntax::Toml => toml_file::merged(body, wanted)?,
    };
    Ok(merged.map(|merged| format!("{mark}{merged}")))
}

/// Updates an existing entry; returns false if it is already as wanted.
///
/// Fields that the user added, such as headers or a timeout, stay. They are removed only when the
/// entry changes between starting a server and connecting to one, because some clients reject an
/// entry of one kind with settings of the other.
pub(super) fn reconcile(fields: &mut impl Fields, wanted: &Entry) -> bool {
    let stale = stale(fields, wanted);
    for key in &stale {
        fields.remove(key);
    }
    let differing: Vec<_> =
        wanted.iter().filter(|(key, value)| fields.value(key).as_ref() != Some(value)).collect();
    for (key, value) in &differing {
        fields.set(key, value);
    }
    !(stale.is_empty() && differing.is_empty())
}

/// The fields that say how a server is reached, in any client.
const OURS: [&str; 5] = ["type", "transport", "command", "args", "url"];

fn stale(fields: &impl Fields, wanted: &Entry) -> Vec<String> {
    let same_kind = fields.value("url").is_some() == wanted.contains_key("url");
    let mut names = fields.names();
    names.retain(|name| !wanted.contains_key(name));
    names.retain(|name| !same_kind || OURS.contains(&name.as_str()));
    names
}

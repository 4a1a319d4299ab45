//! What somebody else's thing looks like here: a name to find it by and a text to read.

use std::borrow::Cow;

use lore_core::names::NAME_MAX;
use lore_koinet::node::ForeignRecord;
use serde_json::Value;

/// Fields that name a thing, best first.
const NAMES: [&str; 4] = ["name", "title", "label", "subject"];
/// Fields that say what it is, best first.
const KINDS: [&str; 3] = ["kind", "@type", "type"];
/// Fields that tell of it, in the order of reading.
const TEXTS: [&str; 8] =
    ["description", "summary", "content", "text", "body", "markdown", "abstract", "texts"];
/// Longest text that is made of contents, in characters.
const TEXT_MAX: usize = 100_000;

/// A thing of another node, for readers.
pub(super) struct Arrival {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// What its node says that it is.
    pub(super) kind: Option<String>,
    pub(super) body: String,
}

/// Makes contents of any shape readable.
pub(super) fn describe(record: &ForeignRecord, contents: &Value) -> Arrival {
    let field = |name: &&str| contents.get(*name).and_then(Value::as_str).map(line);
    let named = NAMES.iter().filter_map(field).find(|name| !name.is_empty());
    let reference = line(record.manifest.rid.reference());
    let mut body = String::new();
    for name in TEXTS {
        if let Some(value) = contents.get(name) {
            write_value(&mut body, "", value);
        }
    }
    for (name, value) in contents.as_object().into_iter().flatten() {
        if !TEXTS.contains(&name.as_str()) && !NAMES.contains(&name.as_str()) {
            write_value(&mut body, name, value);
        }
    }
    let name = named.unwrap_or(reference);
    // Without a text there would be nothing to find.
    if body.is_empty() {
        body.clone_from(&name);
    }
    let aliases = contents.get("aliases").and_then(Value::as_array);
    let aliases = aliases.into_iter().flatten().filter_map(Value::as_str).map(line);
    Arrival {
        name,
        kind: KINDS.iter().filter_map(field).find(|kind| !kind.is_empty()),
        aliases: aliases.filter(|alias| !alias.is_empty()).take(20).collect(),
        body: body.chars().take(TEXT_MAX).collect(),
    }
}

/// One line that can serve as a name.
fn line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.trim().chars().take(NAME_MAX).collect::<String>().trim().to_owned()
}

/// Writes a value as a paragraph or as `name: value` lines. Contents are at most as deep
/// as the parser lets them be.
fn write_value(to: &mut String, name: &str, value: &Value) {
    if to.len() > TEXT_MAX * 4 {
        return;
    }
    match value {
        Value::Null => {}
        Value::String(text) if name.is_empty() => push_paragraph(to, &harmless(text)),
        Value::String(text) => push_paragraph(to, &harmless(&format!("{name}: {text}"))),
        Value::Bool(_) | Value::Number(_) => push_paragraph(to, &format!("{name}: {value}")),
        Value::Array(items) => items.iter().for_each(|item| write_value(to, name, item)),
        Value::Object(fields) => {
            for (inner, value) in fields {
                let is_text = TEXTS.contains(&inner.as_str());
                write_value(to, if is_text { "" } else { inner }, value);
            }
        }
    }
}

/// A text without what could act in it, where it has markup at all.
fn harmless(text: &str) -> Cow<'_, str> {
    let mut after = text.split('<').skip(1).map(|tag| tag.chars().next());
    let tags = after.any(|next| next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)));
    match tags {
        true => Cow::Owned(lore_markup::to_markdown(&lore_markup::to_html(text))),
        false => Cow::Borrowed(text),
    }
}

fn push_paragraph(to: &mut String, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    if !to.is_empty() {
        to.push_str("\n\n");
    }
    to.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_koinet::node::Presence;
    use lore_koinet::{Manifest, NodeRid, Rid, WireTime};
    use serde_json::json;

    fn arrival(contents: &Value) -> Arrival {
        let record = ForeignRecord {
            manifest: Manifest {
                rid: Rid::parse("orn:koi-net.practice:tidal-restoration").unwrap(),
                timestamp: WireTime::parse("2026-01-01T00:00:00Z").unwrap(),
                sha256_hash: String::new(),
                context: None,
            },
            from: NodeRid::new("coast", "00").unwrap(),
            presence: Presence::Live,
            bytes: 0,
            forgets: Vec::new(),
        };
        describe(&record, contents)
    }

    #[test]
    fn contents_of_any_shape_can_be_read() {
        let told = arrival(&json!({
            "name": "Eelgrass\u{7} planting", "region": "Salish Sea", "year": 2024,
            "description": "Shoots are tied to frames.", "texts": [{"title": "How", "body": "By hand."}],
            "aliases": ["zostera", 3, ""],
        }));
        assert_eq!(told.name, "Eelgrass  planting");
        assert_eq!(told.aliases, ["zostera"]);
        assert!(told.body.starts_with("Shoots are tied to frames."), "{}", told.body);
        for part in ["title: How", "By hand.", "region: Salish Sea", "year: 2024"] {
            assert!(told.body.contains(part), "{part} in {}", told.body);
        }
        let active =
            json!({"text": "Eel <script>alert(1)</script><b onclick='x()'>grass</b>, a < b"});
        let told = arrival(&active);
        assert!(told.body.contains("Eel") && told.body.contains("grass"), "{}", told.body);
        assert!(!told.body.contains("alert") && !told.body.contains("onclick"), "{}", told.body);
        let bare = arrival(&json!({}));
        assert_eq!(
            (bare.name.as_str(), bare.body.as_str()),
            ("tidal-restoration", "tidal-restoration")
        );
        assert_eq!(
            arrival(&json!({"kind": "character", "type": "NPC"})).kind.as_deref(),
            Some("character")
        );
        assert!(arrival(&json!({"name": "x".repeat(1_000)})).name.len() <= NAME_MAX);
    }
}

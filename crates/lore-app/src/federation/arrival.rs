//! Turns an item of another node into a name to find it by and a text to read.

use std::borrow::Cow;

use lore_core::names::{self, NAME_MAX};
use lore_koinet::node::ForeignRecord;
use lore_markup::mention;
use serde_json::{Map, Value};

/// Fields that may hold the name, in order of preference.
const NAMES: [&str; 4] = ["name", "title", "label", "subject"];
/// Fields that may hold the kind, in order of preference.
const KINDS: [&str; 3] = ["kind", "@type", "type"];
/// Fields that hold text, in reading order.
const TEXTS: [&str; 8] =
    ["description", "summary", "content", "text", "body", "markdown", "abstract", "texts"];
/// The field that holds aliases.
const ALIASES: &str = "aliases";
/// Longest text made from the contents, in characters.
const TEXT_MAX: usize = 100_000;

/// An item of another node in readable form.
pub(super) struct Arrival {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// The kind its node gives it.
    pub(super) kind: Option<String>,
    pub(super) body: String,
}

/// Makes contents of any shape readable.
pub(super) fn describe(record: &ForeignRecord, contents: &Value) -> Arrival {
    let field = |name: &str| contents.get(name).and_then(Value::as_str).map(line);
    let said = |name: &str| field(name).filter(|text| !text.is_empty());
    let named = NAMES.iter().find_map(|name| said(name));
    let kind = KINDS.iter().find_map(|name| Some((*name, said(name)?)));
    let told_apart = kind.as_ref().map(|(field, _)| *field);
    let reference = line(record.manifest.rid.reference());
    let mut body = String::new();
    for name in TEXTS {
        if let Some(value) = contents.get(name) {
            write_value(&mut body, "", value);
        }
    }
    for (name, value) in contents.as_object().into_iter().flatten() {
        let name = name.as_str();
        let elsewhere = name == ALIASES || Some(name) == told_apart;
        if !elsewhere && !TEXTS.contains(&name) && !NAMES.contains(&name) {
            write_value(&mut body, name, value);
        }
    }
    let name = named.unwrap_or(reference);
    // Without a text, the search would not find it.
    if body.is_empty() {
        body.clone_from(&name);
    }
    let aliases = contents.get(ALIASES).and_then(Value::as_array);
    let aliases = aliases.into_iter().flatten().filter_map(Value::as_str).map(line);
    Arrival {
        name,
        kind: kind.map(|(_, kind)| kind),
        aliases: aliases.filter(|alias| !alias.is_empty()).take(20).collect(),
        body: body.chars().take(TEXT_MAX).collect(),
    }
}

/// Turns text into a single line that can serve as a name.
fn line(text: &str) -> String {
    let plain = worded(&harmless(&names::cleaned(text))).replace('\n', " ");
    // Names are not Markdown, so an escaping backslash would be visible in them.
    let plain = mention::replaced(&plain.replace("\\[", "["), |mention| {
        Some(mention.text.replace(['[', '{'], "(").replace([']', '}'], ")"))
    });
    plain.trim().chars().take(NAME_MAX).collect::<String>().trim().to_owned()
}

/// Cleans a text so that it shows what its author's readers saw and has no effect here. Invisible
/// characters are removed first, because they may hide markup. Mentions are replaced, because their
/// numbers belong to another world.
fn cleaned(text: &str) -> String {
    worded(&harmless(&names::without_unseen(text)))
}

/// Replaces mentions by their labels, or escapes them if they have none.
fn worded(text: &str) -> String {
    let labels = mention::replaced(text, |mention| mention.label().map(str::to_owned));
    // A label together with the text around it may form another mention.
    mention::replaced(&labels, |mention| Some(format!("\\{}", mention.text)))
}

/// Writes a value as a paragraph or as `name: value` lines. The JSON parser limits the depth.
fn write_value(to: &mut String, name: &str, value: &Value) {
    if to.len() > TEXT_MAX * 4 {
        return;
    }
    match value {
        Value::String(text) if text.trim().is_empty() => {}
        Value::String(text) if name.is_empty() => push_paragraph(to, &cleaned(text)),
        Value::String(text) => push_paragraph(to, &cleaned(&format!("{name}: {text}"))),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => {
            push_paragraph(to, &cleaned(&format!("{name}: {value}")));
        }
        Value::Array(items) => items.iter().for_each(|item| write_value(to, name, item)),
        Value::Object(fields) => write_fields(to, fields),
    }
}

fn write_fields(to: &mut String, fields: &Map<String, Value>) {
    // One text in the form that Lorewell sends: a title and a body.
    if let (Some(body), true) = (fields.get("body"), fields.keys().all(|name| is_of_part(name))) {
        let title = fields.get("title").and_then(Value::as_str).map(line).unwrap_or_default();
        if !title.is_empty() {
            push_paragraph(to, &format!("## {title}"));
        }
        return write_value(to, "", body);
    }
    for (inner, value) in fields {
        let is_text = TEXTS.contains(&inner.as_str());
        write_value(to, if is_text { "" } else { inner }, value);
    }
}

fn is_of_part(name: &str) -> bool {
    ["kind", "title", "body"].contains(&name)
}

/// Removes active markup from a text, if it has any markup at all.
fn harmless(text: &str) -> Cow<'_, str> {
    let mut after = text.split('<').skip(1).map(|tag| tag.chars().next());
    let tags = after.any(|next| next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)));
    if tags || text.contains("![") { lore_reader::harmless(text) } else { Cow::Borrowed(text) }
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
        for part in ["## How\n\nBy hand.", "region: Salish Sea", "year: 2024"] {
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

    #[test]
    fn nothing_hides_in_what_is_shown_and_nothing_acts() {
        let smuggled = "\u{202e}\u{200b}\u{2066}\u{e0041}\u{e0042}";
        let active =
            format!("Tit{smuggled}le <img src=x onerror=alert(1)><scr{smuggled}ipt>x()</script>");
        let told = arrival(&json!({
            "name": active, "text": format!("crumpet {active} ![spy](https://spy.example/x.png)"),
            "kind": active, "aliases": [active], active.clone(): active, "list": [{"deep": active}],
        }));
        let kind = told.kind.unwrap();
        for shown in [&told.name, &told.body, &told.aliases[0], &kind] {
            assert!(shown.contains("Title"), "{shown}");
            for sign in smuggled.chars() {
                assert!(!shown.contains(sign), "{sign:?} in {shown}");
            }
            for word in ["<img", "onerror", "<script", "x()", "![spy"] {
                assert!(!shown.contains(word), "{word} in {shown}");
            }
        }
    }

    #[test]
    fn mentions_of_another_world_mean_nobody_here() {
        let told = arrival(&json!({
            "name": "[entity:1] and [character:2|Bob]",
            "text": "See [entity:1|the boss], [ent\u{200b}ity:5], {attribute:3}, [ent[entity:1|ity:8]] and \\\\[post:7].",
            "texts": [{"kind": "entry", "title": "[entity:4|On] him", "body": "<b>[entity:6]</b>"}],
        }));
        assert_eq!(told.name, "(entity:1) and Bob");
        assert_eq!(mention::find(&told.body), [], "{}", told.body);
        for part in ["the boss", r"\[entity:5]", "## On him", r"\[entity:6]"] {
            assert!(told.body.contains(part), "{part} in {}", told.body);
        }
    }

    #[test]
    fn what_another_lorewell_shares_is_its_text() {
        let told = arrival(&json!({
            "name": "Osanna", "kind": "character", "type": null, "aliases": ["The Night Lady"],
            "tags": [], "texts": [{"kind": "entry", "title": "", "body": "A vampire noble."}],
        }));
        assert_eq!(told.body, "A vampire noble.");
        assert_eq!(told.aliases, ["The Night Lady"]);
    }
}

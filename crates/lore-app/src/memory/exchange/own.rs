//! A node as a Markdown note, and the note as a node again.
//!
//! A note is for people to read; what makes the way back lossless stands in its front matter
//! and in comments. A line of a text that looks like such a comment is escaped.

use std::fmt::Write;

use lore_core::{Node, Text};
use serde_json::{Map, Value, json};

use super::super::ids::shown;
use super::super::kinds::{Sharing, namespace_of, property, type_of};
use super::super::pen::name_from;
use super::export::{Exported, details, relation};
use super::identity::{SOURCE_ID, own_id, without_source};

/// What a comment of ours begins and ends with.
const BEGIN: &str = "<!-- lorewell ";
const END: &str = " -->";
/// What the field of the front matter is called that tells our notes from others.
const MARK: &str = "lorewell";
/// How much of a step is shown in a list, in characters.
const STEP_LETTERS: usize = 120;

/// A node as a Markdown note: the name of its file, and its text.
pub fn markdown(exported: &Exported) -> (String, String) {
    let node = &exported.node;
    let mut page = front(exported);
    let _ = writeln!(page, "# {}", node.name);
    for text in &exported.texts {
        let details = details(text);
        let _ = write!(page, "\n{}\n", comment("text ", &details));
        if let Some(said) = said(&details) {
            let _ = write!(page, "{said}\n\n");
        }
        let _ = writeln!(page, "{}", escaped(text));
    }
    if !exported.steps.is_empty() {
        let _ = write!(page, "\n{BEGIN}log{END}\n## Log\n\n");
    }
    for step in &exported.steps {
        let action = name_from("", &step.action, STEP_LETTERS);
        let written = comment("", &step.write());
        let _ = writeln!(page, "- {} {}: {action} {written}", step.at, step.outcome.as_str());
    }
    if !exported.edges.is_empty() {
        let _ = write!(page, "\n{BEGIN}links{END}\n## Links\n\n");
    }
    for (edge, end) in &exported.edges {
        let name = end.name.replace(['[', ']', '|'], " ");
        let relation = relation(node, edge, end);
        let kind = relation.get("relationType").and_then(Value::as_str).unwrap_or_default();
        let written = comment("", &relation);
        let _ = writeln!(page, "- {kind}: [[{}|{name}]] {written}", file_stem(end));
    }
    (format!("{}.md", file_stem(node)), page)
}

/// The id that a note of ours begins with.
pub fn note_id(page: &str) -> Option<&str> {
    page.strip_prefix("---\nid: ")?.lines().next()
}

fn front(exported: &Exported) -> String {
    let node = &exported.node;
    let mut properties = node.properties.clone();
    without_source(&mut properties);
    let fields = [
        ("id", json!(shown(node))),
        ("origin", json!(property(node, SOURCE_ID))),
        (MARK, json!(1)),
        ("title", json!(node.name)),
        ("type", json!(type_of(node))),
        ("subtype", json!(node.subtype)),
        ("namespace", json!(namespace_of(node))),
        ("visibility", json!(Sharing::of(node.visibility).as_str())),
        ("created", json!(node.created.at.to_string())),
        ("updated", json!(exported.changed().to_string())),
        ("derived_name", json!(node.derived_name)),
        ("tags", json!(node.tags)),
        ("aliases", json!(node.aliases)),
    ];
    let mut page = "---\n".to_owned();
    let told =
        |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && *value != json!([]);
    for (name, value) in fields.iter().filter(|(_, value)| told(value)) {
        let _ = writeln!(page, "{name}: {}", plain(value));
    }
    if !properties.is_empty() {
        page.push_str("properties:\n");
    }
    for (name, value) in &properties {
        let _ = writeln!(page, "  {}: {}", plain(&json!(name)), plain(value));
    }
    page.push_str("---\n");
    page
}

/// A value as YAML: a text without quotes where it cannot be taken for anything else.
fn plain(value: &Value) -> String {
    let bare = |text: &&str| {
        text.starts_with(char::is_alphanumeric)
            && text.chars().all(|c| c.is_alphanumeric() || " -_.,:/()'".contains(c))
            && !text.contains(": ")
            && !text.ends_with([' ', ':'])
            && serde_json::from_str::<Value>(text).is_err()
    };
    value.as_str().filter(bare).map_or_else(|| value.to_string(), str::to_owned)
}

/// A comment that holds a value, with nothing in it that begins or ends one.
fn comment(what: &str, value: &Value) -> String {
    let value = value.to_string().replace('<', "\\u003c").replace('>', "\\u003e");
    format!("{BEGIN}{what}{value}{END}")
}

/// Who said a text and when, for people.
fn said(details: &Value) -> Option<String> {
    let said = ["author", "occurred_at"].iter().filter_map(|key| details.get(key)?.as_str());
    let said: Vec<_> = said.collect();
    (!said.is_empty()).then(|| format!("*{}*", said.join(", ")))
}

fn escaped(text: &Text) -> String {
    let line = |line: &str| if is_like_ours(line) { format!("\\{line}") } else { line.to_owned() };
    text.body.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn unescaped(line: &str) -> &str {
    line.strip_prefix('\\').filter(|rest| is_like_ours(rest)).unwrap_or(line)
}

fn is_like_ours(line: &str) -> bool {
    line.trim_start_matches('\\').starts_with(BEGIN)
}

/// The node's name as far as every file system takes it, and its id, which makes it the only one.
fn file_stem(node: &Node) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { ' ' };
    let words: String = node.name.chars().map(plain).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.chars().take(60).collect();
    format!("{} {}", name.trim(), shown(node)).trim_start().to_owned()
}

/// What a note of ours says, in the form of the JSON lines.
pub(super) struct OwnNote {
    /// The node.
    pub(super) entity: Value,
    /// What joins it to others.
    pub(super) relations: Vec<Value>,
    /// What somebody added to the list of links by hand: how it is joined, and to what.
    pub(super) added: Vec<(String, String)>,
}

/// Reads a note of ours; none when it is another's.
pub(super) fn read(page: &str) -> Option<OwnNote> {
    let (front, body) = page.strip_prefix("---\n")?.split_once("\n---\n")?;
    let mut entity = fields(front);
    let id = entity.get("id")?.as_str().filter(|id| own_id(id).is_some())?.to_owned();
    entity.shift_remove(MARK)?;
    let names = [
        ("type", "entityType"),
        ("title", "name"),
        ("created", "created_at"),
        ("updated", "updated_at"),
    ];
    for (ours, theirs) in names {
        let value = entity.shift_remove(ours).unwrap_or_default();
        entity.insert(theirs.into(), value);
    }
    let mut note = OwnNote { entity: Value::Null, relations: Vec::new(), added: Vec::new() };
    let (mut observations, mut details, mut log) = (Vec::new(), Vec::new(), Vec::new());
    for section in sections(body) {
        match &section.what {
            What::Text(said) => {
                observations.push(json!(section.text(said)));
                details.push(said.clone());
            }
            What::Log => log.extend(section.lines.iter().filter_map(|line| noted(line))),
            What::Links => section.lines.iter().for_each(|line| note.take_link(line, &id)),
        }
    }
    entity.insert("observations".into(), observations.into());
    entity.insert("details".into(), details.into());
    entity.insert("log".into(), log.into());
    note.entity = entity.into();
    Some(note)
}

impl OwnNote {
    fn take_link(&mut self, line: &str, id: &str) {
        if let Some(Value::Object(mut relation)) = noted(line) {
            relation.insert("from_id".into(), json!(id));
            self.relations.push(relation.into());
            return;
        }
        let link = line.trim_start_matches(['-', ' ']).split_once(": [[");
        if let Some((kind, rest)) = link
            && let Some(to) = rest.split(['|', ']']).next()
        {
            self.added.push((kind.trim().to_owned(), to.trim().to_owned()));
        }
    }
}

/// The fields of the front matter, with lists in either form.
fn fields(front: &str) -> Map<String, Value> {
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

enum What {
    Text(Value),
    Log,
    Links,
}

struct Section<'a> {
    what: What,
    lines: Vec<&'a str>,
}

impl Section<'_> {
    fn text(&self, details: &Value) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| unescaped(line)).collect();
        let text = lines.join("\n");
        let text = text.trim();
        let body = said(details).and_then(|said| text.strip_prefix(&said));
        body.unwrap_or(text).trim().to_owned()
    }
}

/// What stands below the name, part by part. What somebody wrote above the first part is a
/// text, too.
fn sections(body: &str) -> Vec<Section<'_>> {
    let mut lines = body.lines().peekable();
    while lines.peek().is_some_and(|line| line.trim().is_empty()) {
        lines.next();
    }
    lines.next_if(|line| line.starts_with("# "));
    let mut sections = vec![Section { what: What::Text(Value::Null), lines: Vec::new() }];
    for line in lines {
        if let Some(what) = opened(line) {
            sections.push(Section { what, lines: Vec::new() });
        } else if let Some(last) = sections.last_mut() {
            last.lines.push(line);
        }
    }
    let is_said = |section: &Section<'_>| match &section.what {
        What::Text(Value::Null) => section.lines.iter().any(|line| !line.trim().is_empty()),
        _ => true,
    };
    sections.retain(is_said);
    sections
}

/// What a comment that stands alone opens.
fn opened(line: &str) -> Option<What> {
    let inside = line.strip_prefix(BEGIN)?.trim_end().strip_suffix(END)?;
    match inside {
        "log" => Some(What::Log),
        "links" => Some(What::Links),
        _ => Some(What::Text(serde_json::from_str(inside.strip_prefix("text ")?).ok()?)),
    }
}

/// What the comment at the end of a line notes.
fn noted(line: &str) -> Option<Value> {
    let (_, inside) = line.rsplit_once(BEGIN)?;
    serde_json::from_str(inside.trim_end().strip_suffix(END)?).ok()
}

#[cfg(test)]
mod tests {
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
    fn a_text_that_looks_like_a_mark_of_ours_stays_a_text() {
        let line = "<!-- lorewell links -->";
        assert!(opened(line).is_some());
        let escaped = format!("\\{line}");
        assert!(opened(&escaped).is_none());
        assert_eq!(unescaped(&escaped), line);
        assert_eq!(unescaped("\\plain"), "\\plain");
        let note = json!({ "action": "a --> b <!-- lorewell links -->" });
        assert_eq!(noted(&format!("- did {}", comment("", &note))), Some(note));
    }
}

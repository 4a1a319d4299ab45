//! Converts nodes to Markdown notes and back.
//!
//! A note is meant for reading. What the way back needs is in its front matter and in comments. A
//! line of a text that looks like such a comment is escaped.

mod fields;

use std::borrow::Cow;
use std::fmt::Write;

use lore_core::{Node, Text};
use serde_json::{Map, Value, json};

use super::super::cleaning::name_from;
use super::super::ids::shown;
use super::super::kinds::{Sharing, namespace_of, property, type_of};
use super::base::Taken;
use super::export::{Exported, details, relation};
use super::identity::{SOURCE_ID, own_id, without_source};
use super::state::{State, link_print};
use super::{LINKS_TO, Tie, reference};
use fields::fields;

/// The beginning and end of the comments.
const BEGIN: &str = "<!-- lorewell ";
const END: &str = " -->";
/// The field of the front matter that marks a note exported by Lorewell.
const MARK: &str = "lorewell";
/// The beginning of the comment with the state at export.
const EXPORTED: &str = "exported ";
/// A detail of a text that contains a heading like [`LINKS`] itself, so that the heading is not
/// taken for the list of links.
const HEADED: &str = "headed";
/// A detail of a text with the whitespace before and after it, which editors change. The parts of a
/// long text end with the whitespace that belongs between them.
const BLANKS: &str = "blanks";
/// A detail of a text whose lines end as on Windows, which notes do not preserve.
const WINDOWS: &str = "windows";
/// The headings of the lists below the texts.
const LINKS: &str = "## Links";
const LOG: &str = "## Log";
/// The number of characters of a step shown in the log.
const STEP_LETTERS: usize = 120;

/// Returns the file name and the text of a node's Markdown note.
pub fn markdown(exported: &Exported) -> (String, String) {
    let node = &exported.node;
    let mut page = front(exported);
    let _ = writeln!(page, "# {}", node.name);
    for text in &exported.texts {
        let details = noted_details(text);
        let _ = write!(page, "\n{}\n", comment("text ", &details));
        if let Some(said) = said(&details) {
            let _ = write!(page, "{said}\n\n");
        }
        let _ = writeln!(page, "{}", escaped(text));
    }
    if !exported.steps.is_empty() {
        let _ = write!(page, "\n{BEGIN}log{END}\n{LOG}\n\n");
    }
    for step in &exported.steps {
        let action = name_from("", &step.action, STEP_LETTERS);
        let written = comment("", &step.write());
        let _ = writeln!(page, "- {} {}: {action} {written}", step.at, step.outcome.as_str());
    }
    if !exported.edges.is_empty() {
        let _ = write!(page, "\n{BEGIN}links{END}\n{LINKS}\n\n");
    }
    for (edge, end) in &exported.edges {
        let name = end.name.replace(['[', ']', '|'], " ");
        let relation = relation(node, edge, end);
        let kind = relation.get("relationType").and_then(Value::as_str).unwrap_or_default();
        let written = comment("", &relation);
        let _ = writeln!(page, "- {kind}: [[{}|{name}]] {written}", file_stem(end));
    }
    // In a comment, because editors rewrite front matter but leave comments alone.
    let _ = write!(page, "\n{}\n", comment(EXPORTED, &State::of(exported).write()));
    (format!("{}.md", file_stem(node)), page)
}

/// Everything about a text besides its body, and what a note does not preserve of that.
fn noted_details(text: &Text) -> Value {
    let mut noted = details(text);
    let Some(fields) = noted.as_object_mut() else { return noted };
    if text.body.lines().any(|line| line.trim() == LINKS) {
        fields.insert(HEADED.into(), Value::Bool(true));
    }
    if is_of_windows(text.body.trim()) {
        fields.insert(WINDOWS.into(), Value::Bool(true));
    }
    let blanks = blanks(&text.body);
    if blanks != ("", "") {
        fields.insert(BLANKS.into(), json!(blanks));
    }
    noted
}

/// Returns the id in the first line of a note's front matter.
pub fn note_id(page: &str) -> Option<&str> {
    page.strip_prefix("---\nid: ")?.lines().next()
}

/// Whether a file may be overwritten by a new export. It may if it is not a note of Lorewell's, if
/// nobody edited it since it was written, or if the edits were taken over.
pub fn may_be_replaced(page: &str, by: Option<&Exported>) -> bool {
    let page = page.replace("\r\n", "\n");
    let Some(note) = read(&page) else { return true };
    let Some(record) = reference::entity(&note.entity) else { return true };
    let Some(written) = &record.state else { return true };
    let ties: Vec<Tie> = note.relations.iter().filter_map(reference::relation).collect();
    let mut now = State::said(&record, ties.iter());
    now.links.extend(note.added.iter().map(|(kind, to)| added_print(kind, to, by)));
    let is_here = |exported: &Exported| {
        let taken = Taken::of(&exported.node, written);
        let is_taken = taken.is_some_and(|taken| taken.state.says_the_same(&now));
        is_taken || State::of(exported).says_the_same(&now)
    };
    written.says_the_same(&now) || by.is_some_and(is_here)
}

/// The fingerprint of a link that was added by hand, with the id of the node it leads to if there
/// is such an edge here.
fn added_print(kind: &str, to: &str, by: Option<&Exported>) -> String {
    let mut ends = by.iter().flat_map(|exported| &exported.edges).map(|(_, end)| end);
    let end = ends.find(|end| end.name == to || file_stem(end) == to);
    link_print(kind, &end.map_or_else(|| to.to_owned(), shown))
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

/// Serialises a value as YAML. A string is written without quotes if it cannot be mistaken for
/// anything else.
fn plain(value: &Value) -> String {
    let bare = |text: &&str| {
        text.starts_with(char::is_alphanumeric)
            && text.chars().all(|c| c.is_alphanumeric() || " -_.,:/()'".contains(c))
            && !text.contains(": ")
            && !text.ends_with([' ', ':'])
            && !text.eq_ignore_ascii_case("null")
            && serde_json::from_str::<Value>(text).is_err()
    };
    value.as_str().filter(bare).map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns a comment with a value, escaped so that it contains no comment marks.
fn comment(what: &str, value: &Value) -> String {
    let value = value.to_string().replace('<', "\\u003c").replace('>', "\\u003e");
    format!("{BEGIN}{what}{value}{END}")
}

/// The visible line with author and time of a text.
fn said(details: &Value) -> Option<String> {
    let said = ["author", "occurred_at"].iter().filter_map(|key| details.get(key)?.as_str());
    let said: Vec<_> = said.collect();
    (!said.is_empty()).then(|| format!("*{}*", said.join(", ")))
}

/// Whether all lines of a text end as on Windows.
fn is_of_windows(body: &str) -> bool {
    let lines = body.matches('\n').count();
    lines > 0 && body.matches("\r\n").count() == lines
}

/// The whitespace before and after a text.
fn blanks(body: &str) -> (&str, &str) {
    let (start, end) = (body.trim_start(), body.trim_end());
    let before = body.get(..body.len() - start.len()).unwrap_or_default();
    let after = body.get(end.len()..).unwrap_or_default();
    if start.is_empty() { (before, "") } else { (before, after) }
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

/// The file name of a node, without extension: its name, limited to characters every file system
/// accepts, and its id, which makes it unique.
fn file_stem(node: &Node) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { ' ' };
    let words: String = node.name.chars().map(plain).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.chars().take(60).collect();
    format!("{} {}", name.trim(), shown(node)).trim_start().to_owned()
}

/// A parsed note, in the form of the JSON lines.
pub(super) struct OwnNote {
    /// The node, as an entity.
    pub(super) entity: Value,
    /// The edges that start at it, as relations.
    pub(super) relations: Vec<Value>,
    /// Links added by hand, as type and target.
    pub(super) added: Vec<(String, String)>,
}

/// Parses a note that Lorewell exported; `None` for any other.
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
        let value = match entity.shift_remove(ours).unwrap_or_default() {
            // A title that looks like a number.
            Value::Number(number) => json!(number.to_string()),
            value => value,
        };
        entity.insert(theirs.into(), value);
    }
    let (heading, sections, state) = sections(body);
    rename(&mut entity, heading, &state);
    entity.insert("exported".into(), state);
    let mut note = OwnNote { entity: Value::Null, relations: Vec::new(), added: Vec::new() };
    let (mut observations, mut details, mut log) = (Vec::new(), Vec::new(), Vec::new());
    for section in sections {
        let mut left = Section { what: What::Text(Value::Null), lines: Vec::new() };
        match &section.what {
            What::Text(said) => {
                observations.push(json!(section.text(said)));
                details.push(said.clone());
            }
            What::Log => {
                let (steps, others) = section.parted(|line| noted(line).is_some());
                log.extend(steps.into_iter().filter_map(noted));
                left.lines = others;
            }
            What::Links => {
                let (links, others) = section.parted(is_link);
                links.into_iter().for_each(|line| note.take_link(line, &id));
                left.lines = others;
            }
        }
        // What was written below a list by hand becomes a text.
        if left.is_said() {
            observations.push(json!(left.text(&Value::Null)));
            details.push(Value::Null);
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
        let Some((kind, rest)) = line.trim_start_matches(['-', '*', '+', ' ']).split_once("[[")
        else {
            return;
        };
        let kind = kind.trim().trim_end_matches(':').trim_end();
        let kind = if kind.is_empty() { LINKS_TO } else { kind };
        let to = rest.split(['|', '#', ']']).next().unwrap_or_default();
        self.added.push((kind.to_owned(), to.trim().to_owned()));
    }
}

/// Renames the entity if only the heading of the note was changed, not the title in the front
/// matter.
fn rename(entity: &mut Map<String, Value>, heading: Option<&str>, state: &Value) {
    let written = State::read(state).map(|state| json!(state.name));
    let is_as_written = written.is_some() && entity.get("name") == written.as_ref();
    if let Some(heading) = heading.filter(|heading| is_as_written && !heading.is_empty()) {
        entity.insert("name".into(), json!(heading));
    }
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
        let body = body.unwrap_or(text).trim();
        let body = match details.get(WINDOWS) {
            Some(Value::Bool(true)) => Cow::Owned(body.replace('\n', "\r\n")),
            _ => Cow::Borrowed(body),
        };
        let blank = |at: usize| {
            let blank = details.get(BLANKS)?.get(at)?.as_str()?;
            blank.chars().all(char::is_whitespace).then_some(blank)
        };
        format!("{}{body}{}", blank(0).unwrap_or_default(), blank(1).unwrap_or_default())
    }

    /// Splits its lines, without the headings of lists, into those that satisfy `of` and the rest.
    fn parted(&self, of: impl Fn(&str) -> bool) -> (Vec<&str>, Vec<&str>) {
        let lines = self.lines.iter().copied();
        lines.filter(|line| ![LINKS, LOG].contains(&line.trim())).partition(|line| of(line))
    }

    fn is_said(&self) -> bool {
        self.lines.iter().any(|line| !line.trim().is_empty())
    }
}

/// Whether a line is a list entry with a link.
fn is_link(line: &str) -> bool {
    line.trim_start().starts_with(['-', '*', '+']) && line.contains("[[")
}

/// Splits the body of a note into its heading, its sections and the state at export. What was
/// written above the first section becomes a text.
fn sections(body: &str) -> (Option<&str>, Vec<Section<'_>>, Value) {
    let state = body.lines().find_map(state).unwrap_or_default();
    let lines = body.lines().filter(|line| self::state(line).is_none());
    let mut lines = lines.skip_while(|line| line.trim().is_empty()).peekable();
    let heading = lines.next_if(|line| line.starts_with("# "));
    let heading = heading.and_then(|line| line.strip_prefix("# ")).map(str::trim);
    let lines: Vec<&str> = lines.collect();
    let mut sections = vec![Section { what: What::Text(Value::Null), lines: Vec::new() }];
    for (at, line) in lines.iter().enumerate() {
        let by_hand = || opens_links(&lines, at, &sections).then_some(What::Links);
        if let Some(what) = opened(line).or_else(by_hand) {
            sections.push(Section { what, lines: Vec::new() });
        } else if let Some(last) = sections.last_mut() {
            last.lines.push(line);
        }
    }
    sections
        .retain(|section| !matches!(section.what, What::Text(Value::Null)) || section.is_said());
    (heading, sections, state)
}

/// Parses the comment with the state at export.
fn state(line: &str) -> Option<Value> {
    let inside = line.strip_prefix(BEGIN)?.trim_end().strip_suffix(END)?;
    serde_json::from_str(inside.strip_prefix(EXPORTED)?).ok()
}

/// Whether a list of links written by hand starts at this line. Not inside a text that contained
/// such a heading when it was exported.
fn opens_links(lines: &[&str], at: usize, before: &[Section<'_>]) -> bool {
    let is_heading = lines.get(at).is_some_and(|line| line.trim() == LINKS);
    let had_one = match before.last().map(|section| &section.what) {
        Some(What::Text(details)) => details.get(HEADED) == Some(&Value::Bool(true)),
        _ => return false,
    };
    let mut list = lines.iter().skip(at + 1).take_while(|line| opened(line).is_none());
    let list: Vec<_> = list.by_ref().filter(|line| !line.trim().is_empty()).collect();
    is_heading && !had_one && !list.is_empty() && list.iter().all(|line| is_link(line))
}

/// Parses a comment on its own line, which starts a section.
fn opened(line: &str) -> Option<What> {
    let inside = line.strip_prefix(BEGIN)?.trim_end().strip_suffix(END)?;
    match inside {
        "log" => Some(What::Log),
        "links" => Some(What::Links),
        _ => Some(What::Text(serde_json::from_str(inside.strip_prefix("text ")?).ok()?)),
    }
}

/// Parses the comment at the end of a list entry.
fn noted(line: &str) -> Option<Value> {
    let (_, inside) = line.rsplit_once(BEGIN)?;
    serde_json::from_str(inside.trim_end().strip_suffix(END)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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

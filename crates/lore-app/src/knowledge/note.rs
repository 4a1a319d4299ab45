//! What a note says of itself: the properties at its top, as far as notes use them.
//!
//! Reads `key: value`, `key: [a, b]` and lists of `- item` lines, with quotes and wiki
//! links taken off, and blocks of such as `block.key`. Deeper nesting is left alone: it
//! belongs to somebody else.

use std::collections::BTreeMap;

use super::fields::{self, Way};
use super::ontology::EntityType;
use super::relations::NewRelation;

/// Longest value that is looked at, in characters.
const VALUE_MAX: usize = 500;
/// Most values of a property.
const VALUES_MAX: usize = 500;

/// A note, taken apart.
pub(super) struct Note<'a> {
    fields: Fields,
    /// The text below the properties.
    pub(super) body: &'a str,
}

/// The properties of a note.
#[derive(Default)]
struct Fields {
    values: BTreeMap<String, Vec<String>>,
    /// The paths of the notes that values link to, by property and place.
    paths: BTreeMap<(String, usize), String>,
}

/// A value of a property: what it says, and the path of the note it links to.
struct Value {
    text: String,
    path: Option<String>,
}

impl Fields {
    fn put(&mut self, name: &str, values: impl IntoIterator<Item = Value>) {
        let known = self.values.entry(name.to_owned()).or_default();
        for value in values {
            if known.len() >= VALUES_MAX {
                return;
            }
            let place = (name.to_owned(), known.len());
            self.paths.extend(value.path.map(|path| (place, path)));
            known.push(value.text);
        }
    }
}

impl<'a> Note<'a> {
    /// Takes a note apart.
    pub(super) fn read(text: &'a str) -> Self {
        let (properties, body) = lore_vault::split_frontmatter(text);
        let mut fields = Fields::default();
        // The last property of all, and the last that holds others.
        let (mut last, mut key) = (String::new(), String::new());
        for line in properties.lines().filter(|line| !matches!(line.trim(), "---" | "...")) {
            if let Some(item) = line.trim_start().strip_prefix("- ") {
                fields.put(&last, plain(item));
                continue;
            }
            let Some((name, value)) = named(line).or_else(|| line.split_once(':')) else {
                continue;
            };
            if !is_top(line) {
                last = format!("{key}.{}", keyed(name));
                fields.put(&last, values(value));
                continue;
            }
            key = keyed(name);
            last.clone_from(&key);
            let Some(inner) = block(value) else {
                fields.put(&key, values(value));
                continue;
            };
            for (name, value) in inner.split(',').filter_map(|one| one.split_once(':')) {
                fields.put(&format!("{key}.{}", keyed(name)), values(value));
            }
        }
        Self { fields, body }
    }

    /// What there is to read in the note: how it describes itself, its tags, and its text.
    pub(super) fn prose(&self) -> String {
        let description = self.first("description").filter(|text| !self.body.contains(text));
        let tag = |tag: &String| format!("#{}", tag.trim_start_matches('#'));
        let tags = self.all("tags").iter().map(tag).collect::<Vec<_>>().join(" ");
        let parts = [description.unwrap_or_default(), &tags, self.body];
        let told: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
        told.join("\n\n")
    }

    /// The first value of a property.
    pub(super) fn first(&self, key: &str) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// Every value of a property.
    pub(super) fn all(&self, key: &str) -> &[String] {
        self.fields.values.get(&key.to_lowercase()).map_or(&[], Vec::as_slice)
    }

    /// The word for what the note is about, when it is about something.
    pub(super) fn type_name(&self) -> Option<&str> {
        self.first("@type")
    }

    /// The relations its properties tell of an entity of this type.
    pub(super) fn relations(
        &self,
        subject: &str,
        entity_type: EntityType,
        confidence: f64,
    ) -> Vec<NewRelation> {
        let mut found = Vec::new();
        for (field, names) in &self.fields.values {
            let Some((predicate, way)) = fields::meaning(field, entity_type) else { continue };
            for (place, name) in names.iter().enumerate() {
                let name = self.fields.paths.get(&(field.clone(), place)).unwrap_or(name);
                let ends = (subject.to_owned(), name.clone());
                let (subject, object) = match way {
                    Way::Forward => ends,
                    Way::Backward => (ends.1, ends.0),
                };
                let predicate = predicate.to_owned();
                found.push(NewRelation { subject, predicate, object, confidence });
            }
        }
        found
    }
}

/// Where the wiki links of a text lead, without headings, captions and endings.
pub(super) fn links(text: &str) -> impl Iterator<Item = &str> {
    let inner = text.split("[[").skip(1).filter_map(|rest| rest.split_once("]]"));
    inner.map(|(link, _)| target(link)).filter(|target| !target.is_empty())
}

fn target(link: &str) -> &str {
    let target = link.split(['|', '#', '\n']).next().unwrap_or(link).trim();
    target.strip_suffix(".md").unwrap_or(target)
}

/// The last part of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a line is not nested in another.
fn is_top(line: &str) -> bool {
    !line.starts_with([' ', '\t'])
}

/// A line whose key is quoted, so that it may hold a colon: `"@type": schema:Person`.
fn named(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('"')?;
    let (name, rest) = rest.split_once('"')?;
    Some((name, rest.trim_start().strip_prefix(':')?))
}

fn keyed(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).to_lowercase()
}

/// The inside of a block that stands on one line: `{a: 1, b: 2}`.
fn block(value: &str) -> Option<&str> {
    value.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))
}

fn values(text: &str) -> Vec<Value> {
    let text = text.trim();
    let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    match list.filter(|_| !text.starts_with("[[")) {
        Some(list) => list.split(',').filter_map(plain).collect(),
        None => plain(text).into_iter().collect(),
    }
}

/// A value without quotes, and a wiki link as the name it leads to.
fn plain(text: &str) -> Option<Value> {
    let clean = |text: &str| -> String {
        lore_core::names::cleaned(text).chars().take(VALUE_MAX).collect()
    };
    let text = text.trim().trim_matches(['"', '\'']).trim();
    let link = text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]"));
    let path = link.map(|link| clean(target(link)));
    let text = path.as_deref().map_or_else(|| clean(text), |path| last(path).to_owned());
    Some(Value { text, path }).filter(|value| !value.text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "---\n\"@type\": \"schema:Person\"\nname: Bill Baue\naliases: [Bill, \
        'W. Baue']\naffiliation:\n  - \"[[Organizations/r3.0|R3]]\"\n  - \"[[Reporting \
        Exchange]]\"\nknows: \"[[People/Ada]]\"\nnested:\n  deep: value\n---\n# Bill\n\nHe is.\n";

    #[test]
    fn properties_are_read_as_people_write_them() {
        let note = Note::read(NOTE);
        assert_eq!(note.type_name(), Some("schema:Person"));
        assert_eq!(note.first("Name"), Some("Bill Baue"));
        assert_eq!(note.all("aliases"), ["Bill", "W. Baue"]);
        assert_eq!(note.all("affiliation"), ["r3.0", "Reporting Exchange"]);
        assert_eq!((note.first("deep"), note.first("nested.deep")), (None, Some("value")));
        assert!(note.body.starts_with("# Bill"));
    }

    #[test]
    fn fields_become_relations() {
        let relations = Note::read(NOTE).relations("orn:bill", EntityType::Person, 1.0);
        let shown: Vec<_> =
            relations.iter().map(|one| (one.predicate.as_str(), one.object.as_str())).collect();
        let wanted = [
            ("affiliated_with", "Organizations/r3.0"),
            ("affiliated_with", "Reporting Exchange"),
            ("knows", "People/Ada"),
        ];
        assert_eq!(shown, wanted);
        let org = Note::read("---\n\"@type\": schema:Organization\nfounder: \"[[Ada]]\"\n---\n");
        let founded = org.relations("orn:org", EntityType::Organization, 1.0);
        assert_eq!((founded[0].subject.as_str(), founded[0].object.as_str()), ("Ada", "orn:org"));
    }

    #[test]
    fn links_to_notes_of_one_name_lead_where_they_lead() {
        let two = "---\nknows: \"[[D/Duo]]\"\naffiliation: [\"[[E/Duo]]\"]\n---\n";
        let relations = Note::read(two).relations("orn:me", EntityType::Person, 1.0);
        let objects: Vec<_> = relations.iter().map(|one| one.object.as_str()).collect();
        assert_eq!(objects, ["E/Duo", "D/Duo"]);
    }

    #[test]
    fn a_note_is_read_with_how_it_describes_itself() {
        let note = "---\ndescription: A zorbling\ntags: [fish, \"#salt\"]\n---\nBoats.\n";
        assert_eq!(Note::read(note).prose(), "A zorbling\n\n#fish #salt\n\nBoats.\n");
        assert_eq!(
            Note::read("---\ndescription: One.\n---\n# A\n\nOne.\n").prose(),
            "# A\n\nOne.\n"
        );
    }

    #[test]
    fn a_note_without_properties_is_all_body() {
        let note = Note::read("Just text: with a colon");
        assert_eq!((note.body, note.type_name()), ("Just text: with a colon", None));
    }
}

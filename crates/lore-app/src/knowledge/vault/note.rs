//! Parsing a note into the properties at its top (frontmatter) and its text.

use super::fields::{self, Way};
use super::links::target;
use super::properties::{Broken, Properties};
use crate::knowledge::entities::EntityType;
use crate::knowledge::relations::NewRelation;

/// A parsed note.
pub(in crate::knowledge) struct Note<'a> {
    fields: Properties,
    /// The text below the frontmatter.
    pub(super) body: &'a str,
}

impl<'a> Note<'a> {
    /// Parses a note.
    pub(in crate::knowledge) fn read(text: &'a str) -> Self {
        let (properties, body) = lore_vault::split_frontmatter(text);
        Self { fields: Properties::read(properties), body }
    }

    /// Returns the searchable content: the description, the tags and the text.
    pub(super) fn prose(&self) -> String {
        let description = self.first("description").filter(|text| !self.body.contains(text));
        let tag = |tag: &String| format!("#{}", tag.trim_start_matches('#'));
        let tags = self.all("tags").iter().map(tag).collect::<Vec<_>>().join(" ");
        let parts = [description.unwrap_or_default(), &tags, self.body];
        let told: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
        told.join("\n\n")
    }

    /// Returns the first value of a property. Case is ignored.
    pub(in crate::knowledge) fn first(&self, key: &str) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// Returns all values of a property. Case is ignored.
    pub(in crate::knowledge) fn all(&self, key: &str) -> &[String] {
        self.fields.all(&key.to_lowercase())
    }

    /// Returns what is wrong with the properties.
    pub(super) fn broken(&self) -> &[Broken] {
        self.fields.broken()
    }

    /// Returns the word for the type of the note's entity; `None` if it is about none.
    pub(super) fn type_name(&self) -> Option<&str> {
        self.first("@type")
    }

    /// Whether the note itself tells what it is about: it names it, or has sentences of its own.
    /// Notes made from one template have the same text and are told apart by their file names.
    pub(super) fn is_distinct(&self) -> bool {
        let told = ["name", "uri"].iter().filter_map(|key| self.first(key));
        told.into_iter().any(|told| !told.trim().is_empty()) || self.body.lines().any(is_sentence)
    }

    /// Returns the relations that its properties state about an entity of this type.
    pub(super) fn relations(
        &self,
        subject: &str,
        entity_type: EntityType,
        confidence: f64,
    ) -> Vec<NewRelation> {
        let mut found = Vec::new();
        for (field, name) in self.fields.linked() {
            let Some((predicate, way)) = fields::meaning(field, entity_type) else { continue };
            let ends = (subject.to_owned(), name.to_owned());
            let (subject, object) = match way {
                Way::Forward => ends,
                Way::Backward => (ends.1, ends.0),
            };
            let predicate = predicate.to_owned();
            found.push(NewRelation { subject, predicate, object, confidence });
        }
        found
    }
}

/// Whether a line says something, unlike the headings, labels, questions and blanks of a template.
fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    let is_blank = ["#", "%%", "<!--", "<%", "```", "|"].iter().any(|mark| line.starts_with(mark));
    let said = line.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let words = said.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    !is_blank
        && !line.contains("{{")
        && !line.ends_with([':', '?'])
        && (words >= SENTENCE_MIN || words > 0 && line.ends_with(['.', '!', '。', '！']))
}

/// Fewest words of a sentence without a full stop.
const SENTENCE_MIN: usize = 3;

/// Returns the name in a text that may be written as a wiki link.
pub(in crate::knowledge) fn named(text: &str) -> &str {
    let text = text.trim();
    let link = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    link.map_or(text, |link| last(target(link)))
}

/// Returns the last segment of a path.
pub(in crate::knowledge) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
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
    fn a_template_is_told_from_what_was_written_into_it() {
        let blank = "---\n\"@type\": Person\nname:\n---\n# {{title}}\n\n## Notes\n- Born:\n- [ ] \n\
            > What does she want?\n%% fill in all of this %%\n";
        assert!(!Note::read(blank).is_distinct());
        for (from, to) in [
            ("name:", "name: Ada"),
            ("- Born:", "- Born: in the bay"),
            ("- [ ] ", "She sails."),
            ("- [ ] ", "她是诗人。"),
        ] {
            assert!(Note::read(&blank.replacen(from, to, 1)).is_distinct(), "{to}");
        }
    }

    #[test]
    fn a_wiki_link_is_a_name() {
        for link in ["[[People/Jana Ek]]", "[[Jana Ek|J]]", " [[a/b/Jana Ek.md#Life]] ", "Jana Ek"]
        {
            assert_eq!(named(link), "Jana Ek");
        }
        assert_eq!(named("AC/DC"), "AC/DC");
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

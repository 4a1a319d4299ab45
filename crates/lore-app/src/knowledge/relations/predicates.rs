//! The predicates: which relations there are, and between which types of entities.

use crate::knowledge::entities::EntityType;

use EntityType as T;

/// One kind of relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Predicate {
    /// Its name.
    pub name: &'static str,
    /// Types the subject may have; any when empty.
    pub subjects: &'static [EntityType],
    /// Types the object may have; any when empty.
    pub objects: &'static [EntityType],
    /// The field of the subject's note that lists the objects.
    pub field: &'static str,
    /// How it is stored.
    pub kept: Kept,
}

/// How a relation is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// As one edge from subject to object.
    Once,
    /// As two edges, because it always holds in both directions.
    BothWays,
    /// As another predicate from object to subject.
    As(&'static str),
}

const MAKERS: &[EntityType] = &[T::Organization, T::Project];
const REASONS: &[EntityType] = &[T::Evidence, T::Claim];
const SCALES: &[EntityType] = &[T::Concept, T::Bioregion];
const WORKS: &[EntityType] = &[T::Project, T::Concept, T::Practice];
const SPEAKING: &[EntityType] = &[T::Evidence, T::Claim, T::Question, T::Protocol, T::Playbook];
const SPOKEN_OF: &[EntityType] =
    &[T::Practice, T::Pattern, T::CaseStudy, T::Concept, T::Project, T::Bioregion];

/// Every predicate, sorted by name.
pub const ALL: [Predicate; 27] = [
    row("about", SPEAKING, SPOKEN_OF, "about"),
    row("affiliated_with", &[T::Person], &[T::Organization], "affiliation"),
    row("aggregates_into", &[T::Practice], &[T::Pattern], "patterns"),
    row("attended", &[T::Person], &[T::Meeting], "attendees"),
    row("broader", SCALES, SCALES, "broader"),
    row("builds_on", WORKS, WORKS, "buildsOn"),
    both_ways(row("collaborates_with", &[T::Person], &[T::Person], "collaborators")),
    row("documents", &[T::CaseStudy], &[T::Practice, T::Pattern], "documents"),
    row("forked_from", WORKS, WORKS, "forkedFrom"),
    row("founded", &[T::Person], MAKERS, "founder"),
    row("generates", &[T::Playbook, T::Question], &[T::Evidence, T::Question], "generates"),
    Predicate { kept: Kept::As("founded"), ..row("has_founder", MAKERS, &[T::Person], "founders") },
    row("has_project", &[T::Organization], &[T::Project], "projects"),
    row("implemented_by", &[T::Protocol], &[T::Playbook], "implementedBy"),
    row("informs", REASONS, &[T::Question, T::Protocol], "informs"),
    row("inspired_by", WORKS, WORKS, "inspiredBy"),
    row("involves_organization", &[T::Project], &[T::Organization], "parentOrg"),
    row("involves_person", &[T::Project, T::Meeting], &[T::Person], "people"),
    both_ways(row("knows", &[T::Person], &[T::Person], "knows")),
    row("located_in", &[], &[T::Location], "location"),
    row("narrower", SCALES, SCALES, "narrower"),
    row("opposes", REASONS, &[T::Claim], "opposes"),
    row("practiced_in", &[T::Practice], &[T::Bioregion, T::Location], "bioregion"),
    row("related_to", &[], &[], "relatedTo"),
    row("suggests", &[T::Pattern], &[T::Practice], "suggests"),
    row("supports", REASONS, &[T::Claim], "supports"),
    row("synthesizes", &[T::Claim], &[T::Evidence], "synthesizes"),
];

const fn row(
    name: &'static str,
    subjects: &'static [EntityType],
    objects: &'static [EntityType],
    field: &'static str,
) -> Predicate {
    Predicate { name, subjects, objects, field, kept: Kept::Once }
}

const fn both_ways(predicate: Predicate) -> Predicate {
    Predicate { kept: Kept::BothWays, ..predicate }
}

impl Predicate {
    /// Reads a predicate in any common spelling: "Affiliated with", `affiliated-with`.
    pub fn read(text: &str) -> Option<&'static Self> {
        let name = spelled(text);
        ALL.iter().find(|known| known.name == name)
    }

    /// Whether a relation may start at something of this type.
    pub(in crate::knowledge) fn may_start(&self, subject: EntityType) -> bool {
        self.subjects.is_empty() || self.subjects.contains(&subject)
    }

    /// Whether a relation may lead to something of this type.
    pub(in crate::knowledge) fn may_end(&self, object: EntityType) -> bool {
        self.objects.is_empty() || self.objects.contains(&object)
    }

    /// Returns why the predicate does not fit these types; `None` if it does.
    pub fn objection(&self, subject: EntityType, object: EntityType) -> Option<String> {
        let names = |allowed: &[EntityType]| {
            allowed.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(" or ")
        };
        if !self.may_start(subject) {
            let (wanted, given) = (a(&names(self.subjects)), a(subject.as_str()));
            return Some(format!("{} starts at {wanted}, not {given}", self.name));
        }
        (!self.may_end(object)).then(|| {
            let (wanted, given) = (a(&names(self.objects)), a(object.as_str()));
            format!("{} leads to {wanted}, not {given}", self.name)
        })
    }
}

/// Returns the name of a type with its article: a Person, an Organization.
pub(in crate::knowledge) fn a(name: &str) -> String {
    let vowel = name.starts_with(['A', 'E', 'I', 'O', 'U']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}

/// Normalises the spelling of a predicate.
pub(super) fn spelled(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    lower.split([' ', '-', '_']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_are_sorted_and_read_in_any_spelling() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
        for text in ["affiliated_with", "Affiliated With", " affiliated-with "] {
            assert_eq!(Predicate::read(text).map(|known| known.name), Some("affiliated_with"));
        }
        assert_eq!(Predicate::read("eats"), None);
    }

    #[test]
    fn types_that_make_no_sense_are_told() {
        let founded = Predicate::read("founded").unwrap();
        assert_eq!(founded.objection(T::Person, T::Project), None);
        let told = founded.objection(T::Location, T::Project).unwrap();
        assert_eq!(told, "founded starts at a Person, not a Location");
        let told = founded.objection(T::Person, T::Location).unwrap();
        assert_eq!(told, "founded leads to an Organization or Project, not a Location");
        assert_eq!(Predicate::read("related_to").unwrap().objection(T::Person, T::Claim), None);
    }

    #[test]
    fn what_is_kept_as_another_names_one_that_exists() {
        for known in ALL {
            if let Kept::As(other) = known.kept {
                assert!(Predicate::read(other).is_some());
            }
        }
    }
}

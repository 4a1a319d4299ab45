//! Which relations the frontmatter fields of a note stand for.
//!
//! The same relation is written in many ways and from either end: an organisation has founders, a
//! person founded it. The type of the note's entity decides from which end a field is read.

use crate::knowledge::entities::EntityType;
use crate::knowledge::relations::predicates::Predicate;

/// Which end of a relation the note's entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The note's entity is the subject.
    Forward,
    /// It is the object.
    Backward,
}

/// Returns the predicate a field stands for, and which end the note's entity is. If a field can
/// stand for several predicates, the first one that fits the type is taken.
pub(super) fn meaning(field: &str, entity_type: EntityType) -> Option<(&'static str, Way)> {
    let plain: String = field.chars().filter(|c| c.is_alphanumeric()).collect();
    let plain = plain.to_lowercase();
    let rows = || FIELDS.iter().filter(|(_, fields)| fields.contains(&plain.as_str()));
    let fitting = rows().find_map(|(name, _)| Some((*name, way(name, entity_type)?)));
    let backward = || {
        let row = BACKWARD.iter().find(|(_, fields)| fields.contains(&plain.as_str()));
        row.map(|(name, _)| (*name, Way::Backward))
    };
    // A field that fits no type is read forward, so that it is refused with a reason.
    let any = || rows().next().map(|(name, _)| (*name, Way::Forward));
    fitting.or_else(backward).or_else(any)
}

/// Returns which end of a predicate an entity of this type can be.
fn way(name: &str, entity_type: EntityType) -> Option<Way> {
    let predicate = Predicate::read(name)?;
    let fits = |types: &[EntityType]| types.is_empty() || types.contains(&entity_type);
    if fits(predicate.subjects) {
        Some(Way::Forward)
    } else {
        fits(predicate.objects).then_some(Way::Backward)
    }
}

/// Fields that can be read from both ends, in lower case without punctuation.
const FIELDS: [(&str, &[&str]); 26] = [
    ("about", &["about"]),
    (
        "affiliated_with",
        &[
            "affiliation",
            "affiliations",
            "affiliatedwith",
            "memberof",
            "worksfor",
            "worksat",
            "employer",
            "organization",
            "organizations",
            "organisation",
            "members",
            "member",
            "employees",
            "staff",
            "team",
            "people",
            "persons",
        ],
    ),
    ("aggregates_into", &["patterns", "pattern", "aggregatesinto", "practices"]),
    ("attended", &["attendees", "attended", "attendee"]),
    ("broader", &["broader"]),
    ("builds_on", &["buildson"]),
    ("collaborates_with", &["collaborators", "collaborator", "collaborateswith"]),
    ("documents", &["documents", "documentedby", "casestudies", "practices"]),
    ("forked_from", &["forkedfrom"]),
    (
        "founded",
        &[
            "founder",
            "founders",
            "founded",
            "foundedby",
            "hasfounder",
            "cofounder",
            "cofounders",
            "creator",
            "creators",
            "createdby",
        ],
    ),
    ("generates", &["generates"]),
    ("has_project", &["projects", "project", "hasproject"]),
    ("implemented_by", &["implementedby", "implements"]),
    ("informs", &["informs"]),
    ("inspired_by", &["inspiredby"]),
    (
        "involves_organization",
        &[
            "parentorg",
            "parentorganization",
            "organization",
            "organizations",
            "organisation",
            "involvesorganization",
            "partners",
        ],
    ),
    (
        "involves_person",
        &[
            "people",
            "persons",
            "involvesperson",
            "lead",
            "leads",
            "team",
            "members",
            "member",
            "participants",
            "contributors",
            "projects",
            "project",
        ],
    ),
    ("knows", &["knows"]),
    (
        "located_in",
        &["location", "locations", "locatedin", "headquarters", "hq", "basedin", "place"],
    ),
    ("narrower", &["narrower"]),
    ("opposes", &["opposes"]),
    ("practiced_in", &["bioregion", "bioregions", "practicedin", "practices"]),
    ("related_to", &["relatedto", "related", "seealso"]),
    ("suggests", &["suggests", "suggestedby"]),
    ("supports", &["supports"]),
    ("synthesizes", &["synthesizes", "synthesizedby"]),
];

/// Fields that name the subject, where both ends may have the same type.
const BACKWARD: [(&str, &[&str]); 6] = [
    ("builds_on", &["builtonby"]),
    ("forked_from", &["forks"]),
    ("generates", &["generatedby"]),
    ("informs", &["informedby"]),
    ("opposes", &["opposedby"]),
    ("supports", &["supportedby"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    use EntityType as T;

    #[test]
    fn a_field_means_what_goes_with_the_type() {
        for (field, entity_type, predicate, way) in [
            ("founders", T::Organization, "founded", Way::Backward),
            ("hasFounder", T::Organization, "founded", Way::Backward),
            ("founder", T::Person, "founded", Way::Forward),
            ("headquarters", T::Organization, "located_in", Way::Forward),
            ("memberOf", T::Person, "affiliated_with", Way::Forward),
            ("works_for", T::Person, "affiliated_with", Way::Forward),
            ("members", T::Organization, "affiliated_with", Way::Backward),
            ("members", T::Project, "involves_person", Way::Forward),
            ("lead", T::Project, "involves_person", Way::Forward),
            ("creator", T::Project, "founded", Way::Backward),
            ("projects", T::Person, "involves_person", Way::Backward),
            ("projects", T::Organization, "has_project", Way::Forward),
            ("organization", T::Project, "involves_organization", Way::Forward),
            ("documentedBy", T::Practice, "documents", Way::Backward),
            ("implements", T::Playbook, "implemented_by", Way::Backward),
            ("practices", T::Pattern, "aggregates_into", Way::Backward),
            ("attendees", T::Meeting, "attended", Way::Backward),
            ("supportedBy", T::Claim, "supports", Way::Backward),
        ] {
            assert_eq!(meaning(field, entity_type), Some((predicate, way)), "{field}");
        }
        assert_eq!(meaning("aliases", T::Person), None);
    }

    #[test]
    fn every_field_stands_for_a_predicate() {
        for (name, fields) in FIELDS.iter().chain(&BACKWARD) {
            assert!(Predicate::read(name).is_some(), "{name}");
            assert!(!fields.is_empty());
        }
    }

    #[test]
    fn the_field_of_every_predicate_is_understood() {
        for predicate in crate::knowledge::predicates::ALL {
            let subject = predicate.subjects.first().copied().unwrap_or(T::Concept);
            assert!(meaning(predicate.field, subject).is_some(), "{}", predicate.field);
        }
    }
}

//! The types of entities, and how they map to the node kinds of the other doors (toolsets).

use lore_core::{Kind, Node, Result};
use serde_json::Value;

use super::uri;
use crate::pages::PageKind;
use crate::play::campaign;

/// The type of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityType {
    /// A human or other individual.
    Person,
    /// A group of people with a name.
    Organization,
    /// Something people set out to do.
    Project,
    /// A place.
    Location,
    /// An idea, an object, a term.
    Concept,
    /// An occasion on which people came together.
    Meeting,
    /// A way of doing something.
    Practice,
    /// What several practices have in common.
    Pattern,
    /// An account of a practice in use.
    CaseStudy,
    /// A region defined by its natural features.
    Bioregion,
    /// An agreed way to proceed.
    Protocol,
    /// A protocol prepared for use.
    Playbook,
    /// Something somebody wants to know.
    Question,
    /// Something somebody asserts.
    Claim,
    /// Something that supports or contradicts a claim.
    Evidence,
}

use EntityType as T;

impl EntityType {
    /// Every type, in listing order.
    pub const ALL: [Self; 15] = [
        T::Person,
        T::Organization,
        T::Project,
        T::Location,
        T::Concept,
        T::Meeting,
        T::Practice,
        T::Pattern,
        T::CaseStudy,
        T::Bioregion,
        T::Protocol,
        T::Playbook,
        T::Question,
        T::Claim,
        T::Evidence,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            T::Person => "Person",
            T::Organization => "Organization",
            T::Project => "Project",
            T::Location => "Location",
            T::Concept => "Concept",
            T::Meeting => "Meeting",
            T::Practice => "Practice",
            T::Pattern => "Pattern",
            T::CaseStudy => "CaseStudy",
            T::Bioregion => "Bioregion",
            T::Protocol => "Protocol",
            T::Playbook => "Playbook",
            T::Question => "Question",
            T::Claim => "Claim",
            T::Evidence => "Evidence",
        }
    }

    /// The vault folder for notes about entities of this type.
    pub const fn folder(self) -> &'static str {
        match self {
            T::Person => "People",
            T::Organization => "Organizations",
            T::Project => "Projects",
            T::Location => "Locations",
            T::Concept => "Concepts",
            T::Meeting => "Meetings",
            T::Practice => "Practices",
            T::Pattern => "Patterns",
            T::CaseStudy => "CaseStudies",
            T::Bioregion => "Bioregions",
            T::Protocol => "Protocols",
            T::Playbook => "Playbooks",
            T::Question => "Questions",
            T::Claim => "Claims",
            T::Evidence => "Evidence",
        }
    }

    /// The kind of nodes created for this type. If another toolset has a kind for the same thing,
    /// that kind is used: a person is a `character` there. Projects are an exception, because
    /// memory projects have phases and goals that nothing here could fill.
    pub const fn kind(self) -> &'static str {
        match self {
            T::Person => "character",
            T::Organization => "organization",
            T::Project => "initiative",
            T::Location => "location",
            T::Concept => "concept",
            T::Meeting => "meeting",
            T::Practice => "practice",
            T::Pattern => "pattern",
            T::CaseStudy => "case_study",
            T::Bioregion => "bioregion",
            T::Protocol => "protocol",
            T::Playbook => "playbook",
            T::Question => "question",
            T::Claim => "claim",
            T::Evidence => "evidence",
        }
    }

    /// Reads a type in any case, with or without a prefix such as `schema:`, in singular
    /// or plural, or by a word that other vocabularies use for it.
    pub fn read(text: &str) -> Option<Self> {
        Self::named(text).or_else(|| by_synonym(&word_of(text)))
    }

    /// Like [`Self::read`], but accepts only the type's own name or folder.
    pub(in crate::knowledge) fn named(text: &str) -> Option<Self> {
        let word = word_of(text);
        Self::ALL.into_iter().find(|known| {
            [known.as_str(), known.folder()].iter().any(|name| name.eq_ignore_ascii_case(&word))
        })
    }

    /// Returns the type of a node; `None` if it is a document and not an entity.
    pub fn of(node: &Node) -> Option<Self> {
        let chosen = node.properties.get(TYPE).and_then(Value::as_str).and_then(Self::read);
        chosen.or_else(|| of_kind(node.kind.as_str()).filter(|_| !node.derived_name))
    }
}

/// Whether a node can have a type. The type of a page or of a played character is fixed by its
/// kind, which every other toolset shows. Nodes created by this toolset can have any type.
pub(in crate::knowledge) fn can_be(node: &Node, entity_type: EntityType) -> bool {
    let is_own = uri::came_in_here(node) && campaign::of(node).is_none();
    let is_page = PageKind::of(&node.kind).is_some() && !is_own;
    !is_page || of_kind(node.kind.as_str()) == Some(entity_type)
}

/// Returns the kind a node gets with a new type. Only nodes created by this toolset change their
/// kind, so that every other toolset shows them as what they are.
pub(in crate::knowledge) fn kind_as(node: &Node, entity_type: EntityType) -> Result<Option<Kind>> {
    match uri::came_in_here(node) {
        true => Ok(Some(Kind::new("kind", entity_type.kind())?)),
        false => Ok(None),
    }
}

/// Normalises the word for a type: without prefix, in lower case, letters and digits only.
pub(in crate::knowledge) fn word_of(text: &str) -> String {
    let word = text.rsplit(':').next().unwrap_or_default().to_lowercase();
    word.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The property that holds a type that differs from the one the node's kind implies.
pub(in crate::knowledge) const TYPE: &str = "koi_type";

/// Kinds of nodes that are documents about entities and not entities themselves.
pub(in crate::knowledge) const DOCUMENT_KINDS: [&str; 12] = [
    "experience",
    // What other KOI-net nodes tell is not taken for entities of this world.
    "federated",
    "idea",
    "journal",
    "note",
    "outside_document",
    "promoted_experience",
    "source_file",
    "tag",
    "vault_note",
    "web_page",
    "web_preview",
];
/// Kinds of documents that were written here, as opposed to read elsewhere.
const WRITTEN_HERE: [&str; 4] = ["experience", "idea", "journal", "note"];
/// Prefix of the kinds of learned facts, which are documents too.
const LEARNED: &str = "learned_";

/// Whether a node is a document written here.
pub(in crate::knowledge) fn is_written_here(node: &Node) -> bool {
    let kind = node.kind.as_str();
    EntityType::of(node).is_none() && (WRITTEN_HERE.contains(&kind) || kind.starts_with(LEARNED))
}

fn of_kind(kind: &str) -> Option<EntityType> {
    if DOCUMENT_KINDS.contains(&kind) || kind.starts_with(LEARNED) {
        return None;
    }
    Some(EntityType::read(kind).unwrap_or(T::Concept))
}

/// Maps words of other vocabularies, including kinds of other toolsets, to types.
fn by_synonym(word: &str) -> Option<EntityType> {
    Some(match word {
        "character" | "participant" | "npc" | "pc" | "human" | "user" | "author" | "contact" => {
            T::Person
        }
        "organisation" | "org" | "company" | "group" | "team" | "faction" | "institution"
        | "family" | "guild" => T::Organization,
        "initiative" | "quest" | "campaign" | "undertaking" | "repository" => T::Project,
        "place" | "city" | "country" | "region" | "building" | "settlement" => T::Location,
        "session" | "event" | "conference" => T::Meeting,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("person", T::Person),
            ("schema:Place", T::Location),
            ("schema:Organization", T::Organization),
            ("bkc:CaseStudy", T::CaseStudy),
            ("bkc:Evidence", T::Evidence),
            ("case_study", T::CaseStudy),
            ("People", T::Person),
            ("ORGANISATION", T::Organization),
        ] {
            assert_eq!(EntityType::read(text), Some(wanted), "{text}");
        }
        assert_eq!(EntityType::read("sandwich"), None);
    }

    #[test]
    fn every_type_comes_back_from_its_own_kind() {
        for known in EntityType::ALL {
            assert_eq!(of_kind(known.kind()), Some(known));
        }
    }

    #[test]
    fn kinds_of_other_doors_have_a_type_and_documents_have_none() {
        assert_eq!(of_kind("quest"), Some(T::Project));
        assert_eq!(of_kind("session"), Some(T::Meeting));
        assert_eq!(of_kind("race"), Some(T::Concept));
        assert_eq!(of_kind("journal"), None);
        assert_eq!(of_kind("learned_decision"), None);
    }
}

//! The types entities have, and how they go with the kinds of nodes of every other door.

use lore_core::{Kind, Node, Result};
use serde_json::Value;

use super::uri;
use crate::pages::PageKind;
use crate::play::campaign;

/// The type of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityType {
    /// Somebody.
    Person,
    /// A group of people with a name.
    Organization,
    /// Something people set out to do.
    Project,
    /// A place.
    Location,
    /// An idea, a thing, a word for something.
    Concept,
    /// Where people came together once.
    Meeting,
    /// A way of doing something.
    Practice,
    /// What several practices have in common.
    Pattern,
    /// The story of a practice at work.
    CaseStudy,
    /// A region with its own nature.
    Bioregion,
    /// An agreed way to proceed.
    Protocol,
    /// A protocol made ready for use.
    Playbook,
    /// What somebody wants to know.
    Question,
    /// What somebody says is so.
    Claim,
    /// What speaks for or against a claim.
    Evidence,
}

use EntityType as T;

impl EntityType {
    /// Every type, in the order of listings.
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

    /// The folder of its notes in a vault.
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

    /// The kind of the nodes that are made for it. Where another door has a kind for the
    /// same, it is that one: a person is a character there. A project is not: projects of
    /// memory have phases and goals, which nothing here could fill.
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

    /// The same by its own name alone.
    pub(super) fn named(text: &str) -> Option<Self> {
        let word = word_of(text);
        Self::ALL.into_iter().find(|known| {
            [known.as_str(), known.folder()].iter().any(|name| name.eq_ignore_ascii_case(&word))
        })
    }

    /// The type of a node, if it is something rather than a document about something.
    pub fn of(node: &Node) -> Option<Self> {
        let chosen = node.properties.get(TYPE).and_then(Value::as_str).and_then(Self::read);
        chosen.or_else(|| of_kind(node.kind.as_str()).filter(|_| !node.derived_name))
    }
}

/// Whether a node can be of a type. A page is what its kind says, which every other door shows and
/// nothing changes, and so is who is played; what came in through this door is what is said of it
/// here.
pub(super) fn can_be(node: &Node, entity_type: EntityType) -> bool {
    let is_own = uri::came_in_here(node) && campaign::of(node).is_none();
    let is_page = PageKind::of(&node.kind).is_some() && !is_own;
    !is_page || of_kind(node.kind.as_str()) == Some(entity_type)
}

/// The kind that a node gets when it is made of another type: what came in through this door has the
/// kind of its type, so that every door shows it as what it is.
pub(super) fn kind_as(node: &Node, entity_type: EntityType) -> Result<Option<Kind>> {
    match uri::came_in_here(node) {
        true => Ok(Some(Kind::new("kind", entity_type.kind())?)),
        false => Ok(None),
    }
}

/// How the word for a type is compared: without its prefix, case and signs.
pub(super) fn word_of(text: &str) -> String {
    let word = text.rsplit(':').next().unwrap_or_default().to_lowercase();
    word.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The property that holds a type which the node's kind does not say.
pub(super) const TYPE: &str = "koi_type";

/// Kinds of nodes that tell of things and are none themselves.
pub(super) const DOCUMENT_KINDS: [&str; 12] = [
    "experience",
    // What other nodes say is not taken for things of this world.
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
/// Those of them that somebody wrote here, rather than that they were read elsewhere.
const WRITTEN_HERE: [&str; 4] = ["experience", "idea", "journal", "note"];
/// Start of the kinds of what was learned: statements, too.
const LEARNED: &str = "learned_";

/// Whether a node is a document that somebody wrote here.
pub(super) fn is_written_here(node: &Node) -> bool {
    let kind = node.kind.as_str();
    EntityType::of(node).is_none() && (WRITTEN_HERE.contains(&kind) || kind.starts_with(LEARNED))
}

fn of_kind(kind: &str) -> Option<EntityType> {
    if DOCUMENT_KINDS.contains(&kind) || kind.starts_with(LEARNED) {
        return None;
    }
    Some(EntityType::read(kind).unwrap_or(T::Concept))
}

/// Words of other vocabularies, the kinds of other doors among them.
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

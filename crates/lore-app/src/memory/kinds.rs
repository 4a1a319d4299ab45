//! The kinds, namespaces and properties that memory uses, and how free types and namespaces of the
//! contract are stored as kinds.

use lore_core::names::plainly_spaced;
use lore_core::{Edge, Kind, Node, Properties, Result, Uid, Viewer, Visibility};
use lore_rules::memory::decay::{Confidence, ExperienceType};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) use crate::word::word;

/// Node kind of an experience.
pub(crate) const EXPERIENCE: &str = "experience";
/// Node kind of a project.
pub(crate) const PROJECT: &str = "project";
/// Node kind of an idea.
pub(crate) const IDEA: &str = "idea";
/// Node kind of the lasting node made of an experience that was recalled often.
pub(crate) const PROMOTED: &str = "promoted_experience";
/// Property of an experience: the uid of the node it was promoted to.
pub(crate) const PROMOTED_TO: &str = "promoted_to_node_id";
/// Property of an experience learned with high confidence: the uid of its lasting node.
pub(crate) const LASTING_NODE: &str = "node";
/// Property of a lasting node: the uid of its experience.
pub(crate) const ITS_EXPERIENCE: &str = "experience";
/// Property in which older versions stored what superseded a node. Now an edge does.
pub const SUPERSEDED_BY: &str = "superseded_by";
/// Property for the time until when something held: of a supersession edge, and of a node whose
/// import source states it.
pub const VALID_TO: &str = "valid_to";
/// Property with what was last taken over from an export of the node that was edited by hand.
pub const SOURCE_TAKEN: &str = "source_taken";
/// Prefix of the node kinds of lessons learned with high confidence.
const LEARNED: &str = "learned_";

/// Text kind of a node's description.
pub(crate) const DESCRIPTION: &str = "description";
/// Text kind of an experience's content.
pub(crate) const CONTENT: &str = "content";
/// Text kind of a message in a conversation.
pub(crate) const MESSAGE: &str = "message";
/// Text kind of the situation in which an experience was made.
pub(crate) const CONTEXT: &str = "context";

/// Text kind of the copy of what an idea or project says in its properties.
pub(crate) const SAID: &str = "said";

/// Edge from a node to what it superseded.
pub(crate) const SUPERSEDES: &str = "supersedes";
/// Edge that is created automatically between nodes about the same subject.
pub(crate) const AUTO_RELATED: &str = "auto_related";
/// Edge from an idea to what it is about.
pub(crate) const IDEA_RELATES_TO: &str = "idea_relates_to";

/// The default namespace of added nodes.
pub const KNOWLEDGE: &str = "knowledge";
/// The name the contract uses for the empty namespace. Nodes of other doors, such as pages and
/// characters, are in it.
pub const WORLD: &str = "world";

/// The kinds with tools of their own, which lists of plain nodes leave out.
pub(crate) const OWN: [&str; 3] = [EXPERIENCE, PROJECT, IDEA];

/// The node kind of a lesson learned with high confidence.
pub(crate) fn learned(experience_type: ExperienceType) -> Result<Kind> {
    word(&format!("{LEARNED}{}", experience_type.as_str()))
}

/// A free type as a kind, with its original spelling where the kind differs from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Type {
    /// The kind.
    pub(crate) kind: Kind,
    /// The type as it was written, if it differs from the kind.
    pub(crate) spelling: Option<String>,
}

/// The readable part of a kind whose type contains no letter from a to z.
const UNSPELLABLE: &str = "node";
/// The maximum length of a kind, and of its readable part if a hash follows it.
const KIND_LETTERS: usize = 64;
const READABLE_LETTERS: usize = 48;

impl Type {
    /// Derives the kind of any type: `Design Pattern` becomes `design_pattern`. A type that cannot
    /// be spelt as a kind gets a hash suffix, so that no two types share a kind.
    pub(crate) fn of(text: &str) -> Result<Self> {
        let text = text.trim();
        let lower = text.to_lowercase();
        let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '-' | '_');
        let whole: String =
            lower.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
        let spelt = whole.starts_with(|c: char| c.is_ascii_lowercase())
            && whole.len() <= KIND_LETTERS
            && whole.chars().all(plain);
        let kind = if spelt { whole } else { marked(&whole, plain) };
        let spelling = (kind != text).then(|| text.to_owned());
        Ok(Self { kind: word(&kind)?, spelling })
    }

    /// Returns the type as a subtype, if it cannot be read from the kind.
    pub(crate) fn subtype(&self) -> Option<String> {
        let readable = |text: &String| text.to_lowercase().replace(char::is_whitespace, "_");
        self.spelling.clone().filter(|spelling| readable(spelling) != self.kind.as_str())
    }

    /// Returns properties that hold only the spelling.
    pub(crate) fn spelt(&self) -> Properties {
        let mut properties = Properties::new();
        self.note_in(&mut properties);
        properties
    }

    /// Adds the spelling to the properties.
    pub(crate) fn note_in(&self, properties: &mut Properties) {
        if let Some(spelling) = &self.spelling {
            properties.insert("type".into(), json!(spelling));
        }
    }
}

/// Returns the readable part of a type and a hash of the whole.
fn marked(type_name: &str, plain: impl Fn(char) -> bool) -> String {
    let letters = type_name.chars().map(|c| if plain(c) { c } else { '_' });
    let readable: String =
        letters.skip_while(|c| !c.is_ascii_lowercase()).take(READABLE_LETTERS).collect();
    let readable = Some(readable.trim_end_matches('_')).filter(|text| !text.is_empty());
    let mark = Sha256::digest(type_name);
    let mark = data_encoding::HEXLOWER.encode(mark.get(..4).unwrap_or_default());
    format!("{}.{mark}", readable.unwrap_or(UNSPELLABLE))
}

/// Returns the type of a node as the contract shows it.
pub fn type_of(node: &Node) -> &str {
    let spelling = node.properties.get("type").and_then(Value::as_str);
    spelling.filter(|_| !OWN.contains(&node.kind.as_str())).unwrap_or(node.kind.as_str())
}

/// Returns the type of an edge as it was written.
pub fn edge_type(edge: &Edge) -> &str {
    edge.properties.get("type").and_then(Value::as_str).unwrap_or(edge.kind.as_str())
}

/// Converts a namespace of the contract to the stored one.
pub(crate) fn namespace_in(given: &str) -> String {
    let given = plainly_spaced(given.trim());
    if given == WORLD { String::new() } else { given }
}

/// Returns the namespace of a node as the contract shows it.
pub fn namespace_of(node: &Node) -> &str {
    if node.namespace.is_empty() { WORLD } else { &node.namespace }
}

/// The namespace of experiences with this lesson and confidence. Those fade at the same rate, so
/// the ones below a threshold, and the most relevant ones, can be found by age without reading all
/// of them.
pub(crate) fn fading(experience_type: ExperienceType, confidence: Confidence) -> String {
    format!("{EXPERIENCE}.{}.{}", experience_type.as_str(), confidence.as_str())
}

/// Who may see what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// The game master's side; if a player stores it, only that player.
    #[default]
    Workspace,
    /// Only the person who stores it.
    Private,
    /// Every member of the world, including players.
    Shared,
}

impl Sharing {
    /// Returns the visibility of something that `viewer` stores.
    pub(crate) fn visibility(self, viewer: &Viewer) -> Visibility {
        match self {
            Self::Shared => Visibility::Members,
            Self::Workspace if viewer.sees_gm_side() => Visibility::Gm,
            Self::Workspace | Self::Private => Visibility::Private(viewer.principal),
        }
    }

    /// Returns the sharing that a visibility corresponds to.
    pub fn of(visibility: Visibility) -> Self {
        match visibility {
            Visibility::Members => Self::Shared,
            Visibility::Gm => Self::Workspace,
            Visibility::Private(_) => Self::Private,
        }
    }

    /// Parses the name of a sharing.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::Workspace, Self::Private, Self::Shared];
        all.into_iter().find(|one| one.as_str() == name)
    }

    /// Its name in the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Private => "private",
            Self::Shared => "shared",
        }
    }
}

/// Returns a property of a node, if it is a string.
pub(crate) fn property<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.properties.get(key).and_then(Value::as_str)
}

/// Returns the uid of the other half of a fact: of a lasting node its experience, of an experience
/// its lasting node.
pub(crate) fn half_of(node: &Node) -> Option<Uid> {
    let experience = || property(node, ITS_EXPERIENCE)?.parse().ok();
    kept_by(node).or_else(experience)
}

/// Returns the uid that identifies a fact: that of the lasting node for both halves, and the own
/// uid for everything else.
pub(crate) fn fact(node: &Node) -> Uid {
    let is_half = node.kind.as_str() == EXPERIENCE;
    kept_by(node).filter(|_| is_half).unwrap_or(node.uid)
}

/// Returns the lasting node of an experience, if it has one.
pub(crate) fn kept_by(experience: &Node) -> Option<Uid> {
    [LASTING_NODE, PROMOTED_TO].iter().find_map(|key| property(experience, key))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_type_becomes_a_kind_and_keeps_its_spelling() {
        let of = |text| {
            let found = Type::of(text).unwrap();
            (found.kind.as_str().to_owned(), found.spelling)
        };
        assert_eq!(of("concept"), ("concept".into(), None));
        assert_eq!(
            of(" Design Pattern "),
            ("design_pattern".into(), Some("Design Pattern".into()))
        );
        let (kind, spelling) = of("3D-Model!");
        assert!(kind.starts_with("d-model.") && spelling.as_deref() == Some("3D-Model!"), "{kind}");
        assert!(of("概念").0.starts_with("node."));
        assert!(of(&"x".repeat(100)).0.len() <= KIND_LETTERS);
    }

    #[test]
    fn no_two_types_are_one_in_any_script() {
        let types =
            ["живёт в", "ненавидит", "依赖", "地点", "C", "C++", "C#", "!!!", "naïve", "nave"];
        let kinds: HashSet<String> =
            types.iter().map(|text| Type::of(text).unwrap().kind.to_string()).collect();
        assert_eq!(kinds.len(), types.len(), "{kinds:?}");
        assert_eq!(Type::of("Живёт в").unwrap().kind, Type::of("живёт в ").unwrap().kind);
        assert_eq!(Type::of("Design Pattern").unwrap().subtype(), None);
        assert_eq!(Type::of("место").unwrap().subtype().as_deref(), Some("место"));
    }
}

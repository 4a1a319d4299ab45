//! Words for things: how a free type or namespace of the contract is kept in the world.

use lore_core::names::{Word, plainly_spaced};
use lore_core::{Edge, Error, Kind, Node, Properties, Result, Uid, Viewer, Visibility};
use lore_rules::memory::decay::{Confidence, Lesson};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Node kind of an experience.
pub(crate) const EXPERIENCE: &str = "experience";
/// Node kind of a project.
pub(crate) const PROJECT: &str = "project";
/// Node kind of an idea.
pub(crate) const IDEA: &str = "idea";
/// Node kind of what was an experience and is asked for so often that it stays.
pub(crate) const PROMOTED: &str = "promoted_experience";
/// Where an experience names the node that was made of it for good.
pub(crate) const PROMOTED_TO: &str = "promoted_to_node_id";
/// Where earlier stores had what took the place of something; an edge says it now.
pub const SUPERSEDED_BY: &str = "superseded_by";
/// Until when something held: at the edge from what took its place, and at what came from a
/// source that says so.
pub const VALID_TO: &str = "valid_to";
/// Where it keeps what was taken over from an export that somebody changed by hand.
pub const SOURCE_TAKEN: &str = "source_taken";
/// Start of the node kinds of what was learned with high confidence.
const LEARNED: &str = "learned_";

/// Text kind of what a node is.
pub(crate) const DESCRIPTION: &str = "description";
/// Text kind of what an experience says.
pub(crate) const CONTENT: &str = "content";
/// Text kind of what was said in a conversation.
pub(crate) const MESSAGE: &str = "message";
/// Text kind of the circumstances.
pub(crate) const CONTEXT: &str = "context";

/// Edge from what is true now to what was true before.
pub(crate) const SUPERSEDES: &str = "supersedes";
/// Edge that search made between things that speak of the same.
pub(crate) const AUTO_RELATED: &str = "auto_related";
/// Edge from an idea to what it is about.
pub(crate) const IDEA_RELATES_TO: &str = "idea_relates_to";

/// The namespace of what is added without one.
pub const KNOWLEDGE: &str = "knowledge";
/// What the contract calls the namespace of things that have none, such as pages and
/// characters that came in through other doors.
pub const WORLD: &str = "world";

/// The kinds that have tools of their own, so that listings of plain nodes leave them out.
pub(crate) const OWN: [&str; 3] = [EXPERIENCE, PROJECT, IDEA];

/// A kind we spell ourselves. A failure here is a slip of ours that the first test meets.
pub(crate) fn word(text: &str) -> Result<Word> {
    Word::new("kind", text).map_err(|_| Error::Bug { what: format!("the word {text:?}") })
}

/// The node kind of a lesson learned with high confidence.
pub(crate) fn learned(lesson: Lesson) -> Result<Kind> {
    word(&format!("{LEARNED}{}", lesson.as_str()))
}

/// A free type as a kind, with its own spelling where that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Type {
    /// The kind.
    pub(crate) kind: Kind,
    /// The type as it was written, when the kind does not say it.
    pub(crate) spelling: Option<String>,
}

/// Start of the kinds of things whose type has no letter a kind could be spelt with.
const UNSPELLABLE: &str = "node";
/// Most letters of a kind, and of the part of it that can be read where a mark follows.
const KIND_LETTERS: usize = 64;
const READABLE_LETTERS: usize = 48;

impl Type {
    /// Any type: `Design Pattern` is the kind `design_pattern`. What cannot be spelt as a kind
    /// has a mark of its own, so that no two types are one.
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

    /// What refines the kind: the type itself, where the kind cannot be read as it.
    pub(crate) fn subtype(&self) -> Option<String> {
        let readable = |text: &String| text.to_lowercase().replace(char::is_whitespace, "_");
        self.spelling.clone().filter(|spelling| readable(spelling) != self.kind.as_str())
    }

    /// Nothing but the spelling, as properties.
    pub(crate) fn spelt(&self) -> Properties {
        let mut properties = Properties::new();
        self.note_in(&mut properties);
        properties
    }

    /// Keeps the spelling among the properties.
    pub(crate) fn note_in(&self, properties: &mut Properties) {
        if let Some(spelling) = &self.spelling {
            properties.insert("type".into(), json!(spelling));
        }
    }
}

/// What can be read of a type, and a mark of the whole.
fn marked(type_name: &str, plain: impl Fn(char) -> bool) -> String {
    let letters = type_name.chars().map(|c| if plain(c) { c } else { '_' });
    let readable: String =
        letters.skip_while(|c| !c.is_ascii_lowercase()).take(READABLE_LETTERS).collect();
    let readable = Some(readable.trim_end_matches('_')).filter(|text| !text.is_empty());
    let mark = Sha256::digest(type_name);
    let mark = data_encoding::HEXLOWER.encode(mark.get(..4).unwrap_or_default());
    format!("{}.{mark}", readable.unwrap_or(UNSPELLABLE))
}

/// The type of a node as the contract shows it.
pub fn type_of(node: &Node) -> &str {
    let spelling = node.properties.get("type").and_then(Value::as_str);
    spelling.filter(|_| !OWN.contains(&node.kind.as_str())).unwrap_or(node.kind.as_str())
}

/// How an edge's type was written.
pub fn edge_type(edge: &Edge) -> &str {
    edge.properties.get("type").and_then(Value::as_str).unwrap_or(edge.kind.as_str())
}

/// How a namespace of the contract is kept.
pub(crate) fn namespace_in(given: &str) -> String {
    let given = plainly_spaced(given.trim());
    if given == WORLD { String::new() } else { given }
}

/// How the contract calls a namespace.
pub fn namespace_of(node: &Node) -> &str {
    if node.namespace.is_empty() { WORLD } else { &node.namespace }
}

/// Experiences that fade alike are kept in one namespace, so that those below a threshold,
/// and those that have most left, are found without looking at all of them.
pub(crate) fn fading(lesson: Lesson, confidence: Confidence) -> String {
    format!("{EXPERIENCE}.{}.{}", lesson.as_str(), confidence.as_str())
}

/// Who shall see what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// Those who run the world; for a player, only the player.
    #[default]
    Workspace,
    /// Only who keeps it.
    Private,
    /// Every member of the world, players too.
    Shared,
}

impl Sharing {
    /// Who that is, when `viewer` keeps something.
    pub(crate) fn visibility(self, viewer: &Viewer) -> Visibility {
        match self {
            Self::Shared => Visibility::Members,
            Self::Workspace if viewer.sees_gm_side() => Visibility::Gm,
            Self::Workspace | Self::Private => Visibility::Private(viewer.principal),
        }
    }

    /// How a visibility is called.
    pub fn of(visibility: Visibility) -> Self {
        match visibility {
            Visibility::Members => Self::Shared,
            Visibility::Gm => Self::Workspace,
            Visibility::Private(_) => Self::Private,
        }
    }

    /// The one with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::Workspace, Self::Private, Self::Shared];
        all.into_iter().find(|one| one.as_str() == name)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Private => "private",
            Self::Shared => "shared",
        }
    }
}

/// A text among the properties of a node.
pub(crate) fn property<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.properties.get(key).and_then(Value::as_str)
}

/// The other half of what was learned or is kept for good: of a node the experience, of an
/// experience the node.
pub(crate) fn half_of(node: &Node) -> Option<Uid> {
    let experience = || property(node, "experience")?.parse().ok();
    kept_by(node).or_else(experience)
}

/// What both halves of what is kept for good are one by: the node that keeps it. Everything else
/// is one by itself.
pub(crate) fn fact(node: &Node) -> Uid {
    let is_half = node.kind.as_str() == EXPERIENCE;
    kept_by(node).filter(|_| is_half).unwrap_or(node.uid)
}

/// The node that keeps what an experience says for good.
pub(crate) fn kept_by(experience: &Node) -> Option<Uid> {
    ["node", PROMOTED_TO].iter().find_map(|key| property(experience, key))?.parse().ok()
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

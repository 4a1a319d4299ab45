//! The input of the index: documents and what is known about them.

mod analysis;
mod print;

use std::sync::Arc;

use lore_core::names::name_key;
use lore_core::{Kind, NodeId, TextId, TextKind, Timestamp, Visibility};
use lore_text::analysis::fold;

pub use analysis::{Analysis, Document, Head};
pub(crate) use print::Print;

/// Identifies a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocKey {
    /// The node it belongs to.
    pub node: NodeId,
    /// Which of the node's texts; `None` means the head of the node: its name, aliases, tags and
    /// subtype.
    pub text: Option<TextId>,
}

impl DocKey {
    /// The key of a node's head.
    pub fn head(node: NodeId) -> Self {
        Self { node, text: None }
    }

    /// The key of a text.
    pub fn text(node: NodeId, text: TextId) -> Self {
        Self { node, text: Some(text) }
    }
}

/// One document of the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its key.
    pub key: DocKey,
    /// The words it is found by.
    pub analysis: Arc<Analysis>,
    /// Its vector from an external embedding model, if there is one.
    pub vector: Option<Vector>,
    /// What is known about it besides its words.
    pub meta: Meta,
}

impl Entry {
    /// The approximate size of its heap data, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let meta = &self.meta;
        let words = [&meta.session, &meta.author, &meta.source, &meta.subtype_key];
        let words = words.into_iter().flatten().map(String::len).sum::<usize>();
        let tags: usize = meta.tag_keys.iter().map(|tag| tag.len() + size_of::<String>()).sum();
        let vector = self.vector.as_ref().map_or(0, |vector| vector.values.len() * 4);
        self.analysis.bytes() + words + tags + vector + meta.namespace.len()
    }
}

/// A vector from an external embedding model, of any length.
///
/// Vectors of different models are never compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// The model's name.
    pub model: Arc<str>,
    /// The vector; it need not be normalised.
    pub values: Arc<[f32]>,
}

/// What is known about a document besides its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// The kind of its node.
    pub kind: Kind,
    /// What part of the node the text is; `None` for heads.
    pub text_kind: Option<TextKind>,
    /// The namespace of its node; empty if there is none.
    pub namespace: String,
    /// The normalised subtype of the node. Only heads have it; texts look it up there.
    pub subtype_key: Option<String>,
    /// The keys of its node's tags; see [`tag_key`].
    pub tag_keys: Vec<String>,
    /// Who may see the node.
    pub node_visibility: Visibility,
    /// Who may see the text; for heads the same as for the node.
    pub text_visibility: Visibility,
    /// The conversation, log or document it is a part of.
    pub session: Option<String>,
    /// Its position in the session; ties are ordered by text id.
    pub position: i64,
    /// Who said it.
    pub author: Option<String>,
    /// When the events it describes happened.
    pub occurred_at: Option<Timestamp>,
    /// When it was stored.
    pub created_at: Timestamp,
    /// Where it came from.
    pub source: Option<String>,
}

/// The form in which tags are compared: normalised, without case and accents.
pub fn tag_key(tag: &str) -> String {
    let mut key = String::new();
    fold(&name_key(tag), &mut key);
    key
}

impl Meta {
    /// When it happened or, if unknown, when it was stored.
    pub(crate) fn moment(&self) -> Timestamp {
        self.occurred_at.unwrap_or(self.created_at)
    }

    /// Creates the metadata of a document visible to all members, with defaults for everything
    /// else.
    pub fn new(kind: Kind, created_at: Timestamp) -> Self {
        Self {
            kind,
            text_kind: None,
            namespace: String::new(),
            subtype_key: None,
            tag_keys: Vec::new(),
            node_visibility: Visibility::Members,
            text_visibility: Visibility::Members,
            session: None,
            position: 0,
            author: None,
            occurred_at: None,
            created_at,
            source: None,
        }
    }
}

//! The state of a node at its export, with which later changes can be detected, here or in the
//! export.
//!
//! It is part of the exported data. Long values are replaced by fingerprints, because only equality
//! matters.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use lore_core::{Node, Properties, Text};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::super::ids::shown;
use super::super::kinds::edge_type;
use super::export::Exported;
use super::identity::without_source;
use super::{Record, Tie};

/// Everything about a node that can be edited by hand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) tags: Vec<String>,
    /// Fingerprints of the values, by property.
    pub(super) properties: BTreeMap<String, String>,
    /// The uids of the texts and fingerprints of their bodies, in order.
    pub(super) texts: Vec<(String, String)>,
    /// Fingerprints of the edges that start at the node.
    pub(super) links: BTreeSet<String>,
}

impl State {
    /// The state of a node here.
    pub(super) fn of(exported: &Exported) -> Self {
        let Exported { node, texts, edges, .. } = exported;
        let links = edges.iter().map(|(edge, end)| link_print(edge_type(edge), &shown(end)));
        Self { links: links.collect(), ..Self::of_node(node, texts) }
    }

    /// The state of a node here, without its links.
    pub(super) fn of_node(node: &Node, texts: &[Text]) -> Self {
        let text = |text: &Text| (text.uid.to_string(), text_print(&text.body));
        Self {
            name: node.name.clone(),
            aliases: node.aliases.clone(),
            tags: node.tags.clone(),
            properties: property_prints(&node.properties),
            texts: texts.iter().filter(|text| !text.body.trim().is_empty()).map(text).collect(),
            links: BTreeSet::new(),
        }
    }

    /// The state that a record describes, with its ties. Texts without a uid get an empty one.
    pub(super) fn said<'a>(record: &Record, ties: impl Iterator<Item = &'a Tie>) -> Self {
        let said = record.passages.iter().filter(|passage| !passage.body.trim().is_empty());
        let text = |passage: &super::Passage| {
            (passage.id.clone().unwrap_or_default(), text_print(&passage.body))
        };
        Self {
            name: record.name.clone(),
            aliases: record.aliases.clone(),
            tags: record.tags.clone(),
            properties: property_prints(&record.properties),
            texts: said.map(text).collect(),
            links: ties.map(Tie::print).collect(),
        }
    }

    /// Whether both states have the same content, regardless of the uids of texts.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let words = |state: &Self| -> Vec<String> {
            state.texts.iter().map(|(_, print)| print.clone()).collect()
        };
        words(self) == words(other)
            && Self { texts: Vec::new(), ..self.clone() }
                == Self { texts: Vec::new(), ..other.clone() }
    }

    /// Whether a record differs from this state, in anything but its links.
    pub(super) fn was_edited(&self, record: &Record) -> bool {
        let now = Self::said(record, std::iter::empty());
        let written = Self { links: BTreeSet::new(), ..self.clone() };
        !written.says_the_same(&now)
    }

    /// Serialises the state. Names and tags are hex-encoded, so that a search-and-replace in the
    /// file does not change them.
    pub(super) fn write(&self) -> Value {
        let hidden = |list: &[String]| list.iter().map(|word| hidden(word)).collect::<Vec<_>>();
        json!({
            "name": self::hidden(&self.name), "aliases": hidden(&self.aliases),
            "tags": hidden(&self.tags), "properties": self.properties, "texts": self.texts,
            "links": self.links,
        })
    }

    pub(super) fn read(written: &Value) -> Option<Self> {
        let part = |name: &str| written.get(name).cloned();
        let list = |name: &str| -> Option<Vec<String>> {
            let hidden: Vec<String> = serde_json::from_value(part(name)?).ok()?;
            hidden.iter().map(|word| shown_again(word)).collect()
        };
        Some(Self {
            name: shown_again(part("name")?.as_str()?)?,
            aliases: list("aliases")?,
            tags: list("tags")?,
            properties: serde_json::from_value(part("properties")?).ok()?,
            texts: serde_json::from_value(part("texts")?).ok()?,
            links: serde_json::from_value(part("links")?).ok()?,
        })
    }

    /// A fingerprint of the whole state, which identifies an export of a node.
    pub(super) fn print(&self) -> String {
        print(&self.write())
    }
}

impl Tie {
    /// A fingerprint that identifies the tie among those that start at the same record.
    pub(super) fn print(&self) -> String {
        link_print(&self.type_name, &self.to)
    }
}

/// A fingerprint of an edge of a type to the node with this id.
pub(super) fn link_print(type_name: &str, to: &str) -> String {
    print(&json!([type_name, to]))
}

/// A fingerprint of a text, regardless of line endings and surrounding whitespace, which files do
/// not preserve.
pub(super) fn text_print(body: &str) -> String {
    print(&json!(body.replace("\r\n", "\n").trim()))
}

/// A fingerprint of a value: 6 bytes of its SHA-256 in hexadecimal.
pub(super) fn print(value: &Value) -> String {
    let hash = Sha256::digest(value.to_string().as_bytes());
    HEXLOWER.encode(hash.get(..6).unwrap_or_default())
}

/// Encodes a word in hexadecimal.
fn hidden(word: &str) -> String {
    HEXLOWER.encode(word.as_bytes())
}

fn shown_again(hidden: &str) -> Option<String> {
    String::from_utf8(HEXLOWER_PERMISSIVE.decode(hidden.as_bytes()).ok()?).ok()
}

fn property_prints(properties: &Properties) -> BTreeMap<String, String> {
    let mut own: Map<String, Value> = properties.clone();
    without_source(&mut own);
    own.iter().map(|(name, value)| (name.clone(), print(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_travels_whole_and_shows_no_words() {
        let state = State {
            name: "Keep – größer".into(),
            aliases: vec!["The Rock".into()],
            tags: vec!["stone".into(), String::new()],
            properties: BTreeMap::from([("phase".into(), print(&json!("active")))]),
            texts: vec![("id".into(), text_print(" a\r\nb "))],
            links: BTreeSet::from([link_print("guards", "node_x")]),
        };
        let written = state.write();
        assert_eq!(State::read(&written), Some(state));
        assert!(!written.to_string().contains("Keep") && !written.to_string().contains("stone"));
        assert_eq!(text_print("a\nb"), text_print(" a\r\nb "));
    }
}

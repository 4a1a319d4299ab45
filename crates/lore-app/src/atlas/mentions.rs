//! Mentions in both spellings.
//!
//! The world keeps `[entity:7|the Mill]`; World Anvil's users write
//! `@[the Mill](location:UUID)`. What is read here is written their way, and what they
//! write is kept the world's way, so that every door follows it. A mention of something
//! that is gone is written as `@[the Mill](entity:7)`, which leads nowhere and comes back as
//! what it was; those who do not see everything read its label alone, because it may be of
//! something hidden.

use std::collections::HashMap;

use lore_core::{Node, Result, Text, Uid, Visibility};
use lore_markup::{anvil, literal, mention};
use lore_store::NodeKey;

use super::sight::UNTOLD;
use super::source::Atlas;
use super::{article, keys};
use lore_anvil::Kind;

/// What a mention is of when that cannot be told.
pub(super) const NOWHERE: &str = "entity";

/// Writes the mentions in texts as World Anvil does. Nothing else in them names what is hidden.
pub(super) async fn shown(atlas: &Atlas, texts: &mut [Text]) -> Result<()> {
    let mut known: HashMap<i64, Option<Node>> = HashMap::new();
    for text in texts.iter() {
        for found in mention::find(&text.body) {
            let mention::Target::Entity(number) = found.target else { continue };
            if let std::collections::hash_map::Entry::Vacant(place) = known.entry(number) {
                // Not alone: what is damaged keeps nothing from being read that mentions it.
                let store = &atlas.app().store;
                let found = store.nodes_by_number(atlas.viewer(), &[number]).await?;
                place.insert(found.into_iter().next());
            }
        }
    }
    for text in texts.iter_mut().filter(|_| !known.is_empty()) {
        text.body = mention::replaced(&text.body, |found| {
            let mention::Target::Entity(number) = found.target else { return None };
            Some(match known.get(&number)? {
                Some(node) => {
                    let label = found.label().unwrap_or_else(|| open_name(node));
                    anvil::mention(label, &type_of(node), &node.uid.to_string())
                }
                None if atlas.viewer().sees_gm_side() => {
                    anvil::mention(found.label().unwrap_or_default(), NOWHERE, &number.to_string())
                }
                None => found.label().map_or_else(|| UNTOLD.to_owned(), literal),
            })
        });
    }
    atlas.without_hidden(texts).await
}

/// Writes the mentions in a text as the world keeps them.
pub(super) async fn kept(atlas: &Atlas, text: &str) -> Result<String> {
    let mut known: HashMap<String, i64> = HashMap::new();
    for found in anvil::mentions(text) {
        if let (NOWHERE, Ok(number)) = (found.kind, found.id.parse()) {
            known.insert(found.id.to_owned(), number);
            continue;
        }
        let Ok(uid) = found.id.parse::<Uid>() else { continue };
        let node = atlas.app().store.node(atlas.viewer(), NodeKey::Uid(uid)).await?;
        known.extend(node.map(|node| (found.id.to_owned(), node.number)));
    }
    Ok(anvil::replaced(text, |found| {
        let number = known.get(found.id)?;
        // A bar would end the label, and so would a bracket.
        let label: String = found.label.chars().filter(|c| !matches!(c, '[' | ']')).collect();
        Some(match label.as_str() {
            label if label.contains('|') => return None,
            "" => format!("[entity:{number}]"),
            label => format!("[entity:{number}|{label}]"),
        })
    }))
}

/// What stands for a label where nobody wrote one. A label is taken for words of the author by
/// whoever reads it next, so the name of what not everybody sees is none.
fn open_name(node: &Node) -> &str {
    if node.visibility == Visibility::Members { &node.name } else { "" }
}

/// The word before the colon: what the target is.
fn type_of(node: &Node) -> String {
    if keys::is_of_kind(Kind::Article, node) {
        return article::template_of(node).to_lowercase();
    }
    let kinds = Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Npc);
    let kind = kinds.into_iter().find(|kind| keys::is_of_kind(*kind, node));
    kind.map_or("article", |kind| kind.row().path).to_owned()
}

//! Mentions in both spellings.
//!
//! The world keeps `[entity:7|the Mill]`; World Anvil's users write
//! `@[the Mill](location:UUID)`. What is read here is written their way, and what they
//! write is kept the world's way, so that every door follows it; they may also name a page by its
//! number. A mention of something that is not there is read as it was written; those who do not
//! see everything read its label alone, because it may be of something hidden.

use std::collections::HashMap;

use lore_anvil::Kind;
use lore_core::{Node, Result, Text, Visibility};
use lore_markup::anvil::AnvilMention;
use lore_markup::{anvil, literal, mention};
use lore_store::NodeKey;

use super::named::{Name, mentioned};
use super::sight::UNTOLD;
use super::source::{Atlas, Numbers};
use super::taken::uid_of;
use super::{article, keys};

/// What a mention is of that says nothing but a number of this world.
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
            match known.get(&number)? {
                Some(node) => Some(written(found.label(), node)),
                None if atlas.viewer().sees_gm_side() => None,
                None => Some(found.label().map_or_else(|| UNTOLD.to_owned(), literal)),
            }
        });
    }
    atlas.without_hidden(texts).await
}

/// Writes the mentions in a text as the world keeps them.
pub(super) async fn kept(atlas: &Atlas, text: &str) -> Result<String> {
    let mut known: HashMap<(&str, &str), i64> = HashMap::new();
    for found in anvil::mentions(text) {
        let number = meant(atlas, &found).await?;
        known.extend(number.map(|number| ((found.kind, found.id), number)));
    }
    Ok(anvil::replaced(text, |found| {
        let number = known.get(&(found.kind, found.id))?;
        // A bar would end the label, and so would a bracket.
        let label: String = found.label.chars().filter(|c| !matches!(c, '[' | ']')).collect();
        Some(match label.as_str() {
            label if label.contains('|') => return None,
            "" => format!("[entity:{number}]"),
            label => format!("[entity:{number}|{label}]"),
        })
    }))
}

/// The number of the page, or whatever else, that a mention means; none where it leads nowhere.
async fn meant(atlas: &Atlas, found: &AnvilMention<'_>) -> Result<Option<i64>> {
    if let (NOWHERE, Ok(number)) = (found.kind, found.id.parse()) {
        return Ok(Some(number));
    }
    let store = &atlas.app().store;
    let node = match (mentioned(found), atlas.numbers) {
        (Some(Name::Uid(uid)), _) => store.node(atlas.viewer(), NodeKey::Uid(uid)).await?,
        (Some(Name::Counted(kind, number)), Numbers::Ours) => atlas.numbered(kind, number).await?,
        (Some(Name::Counted(kind, number)), Numbers::Theirs) => {
            let copy = NodeKey::Uid(uid_of(kind, &number.to_string()));
            store.node(atlas.viewer(), copy).await?
        }
        (Some(Name::Number(number)), Numbers::Ours) => {
            store.node(atlas.viewer(), NodeKey::Number(number)).await?
        }
        (Some(Name::Number(_)), Numbers::Theirs) | (None, _) => None,
    };
    Ok(node.map(|node| node.number))
}

/// A mention of a node as World Anvil writes it.
fn written(label: Option<&str>, node: &Node) -> String {
    let kinds = Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Npc);
    let kind = kinds.into_iter().find(|kind| keys::is_of_kind(*kind, node));
    // Whatever came in by another door is read as an article.
    let kind = kind.unwrap_or(Kind::Article);
    let word = match kind {
        Kind::Article if keys::is_of_kind(kind, node) => article::template_of(node).to_lowercase(),
        other => other.row().path.to_owned(),
    };
    let id = keys::shown_id(kind, node);
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    anvil::mention(label.unwrap_or_else(|| open_name(node)), &word, &id)
}

/// What stands for a label where nobody wrote one. A label is taken for words of the author by
/// whoever reads it next, so the name of what not everybody sees is none.
fn open_name(node: &Node) -> &str {
    if node.visibility == Visibility::Members { &node.name } else { "" }
}

//! Mentions in both spellings.
//!
//! The world keeps `[entity:7|the Mill]`; World Anvil's users write
//! `@[the Mill](location:UUID)`. What is read here is written their way, and what they
//! write is kept the world's way, so that every door follows it; they may also name a page by its
//! number. A mention of something that is not there is read as it was written; those who do not
//! see everything read its label alone, because it may be of something hidden.

use std::collections::{BTreeSet, HashMap};

use lore_anvil::Kind;
use lore_core::{Node, Result, Text, Viewer, Visibility};
use lore_markup::anvil::AnvilMention;
use lore_markup::{anvil, literal, mention};
use lore_store::NodeKey;
use lore_store::veil::Says;

use super::named::{Name, mentioned};
use super::sight::UNTOLD;
use super::source::{Atlas, Numbers};
use super::taken::uid_of;
use super::{article, keys};
use crate::App;

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
    let mut text = text.to_owned();
    let reader = Reader { app: atlas.app(), viewer: atlas.viewer(), numbers: atlas.numbers };
    reader.keep(&mut text).await?;
    Ok(text)
}

/// The same for everything that comes in by another door, where numbers are those of this world.
pub(crate) async fn keep(app: &App, viewer: &Viewer, said: &mut (impl Says + Send)) -> Result<()> {
    Reader { app, viewer, numbers: Numbers::Ours }.keep(said).await
}

/// What mentions mean to who writes them.
struct Reader<'a> {
    app: &'a App,
    viewer: &'a Viewer,
    numbers: Numbers,
}

impl Reader<'_> {
    async fn keep(&self, said: &mut (impl Says + Send)) -> Result<()> {
        let mut written: BTreeSet<(String, String)> = BTreeSet::new();
        said.each_said(&mut |text| {
            let found = anvil::mentions(text);
            written.extend(found.iter().map(|one| (one.kind.to_owned(), one.id.to_owned())));
            None
        });
        let mut known: HashMap<(String, String), i64> = HashMap::new();
        for (kind, id) in written {
            let found = AnvilMention { label: "", kind: &kind, id: &id };
            let number = self.meant(&found).await?;
            known.extend(number.map(|number| ((kind, id), number)));
        }
        if !known.is_empty() {
            said.each_said(&mut |text| in_form_of_the_world(text, &known));
        }
        Ok(())
    }

    /// The number of the page, or whatever else, that a mention means; none where it leads nowhere.
    async fn meant(&self, found: &AnvilMention<'_>) -> Result<Option<i64>> {
        if let (NOWHERE, Ok(number)) = (found.kind, found.id.parse()) {
            return Ok(Some(number));
        }
        let node = |key| self.app.store.node(self.viewer, key);
        let node = match (mentioned(found), self.numbers) {
            (Some(Name::Uid(uid)), _) => node(NodeKey::Uid(uid)).await?,
            (Some(Name::Counted(kind, number)), Numbers::Ours) => {
                keys::numbered(self.app, self.viewer, kind, number).await?
            }
            (Some(Name::Counted(kind, number)), Numbers::Theirs) => {
                node(NodeKey::Uid(uid_of(kind, &number.to_string()))).await?
            }
            (Some(Name::Number(number)), Numbers::Ours) => node(NodeKey::Number(number)).await?,
            (Some(Name::Number(_)), Numbers::Theirs) | (None, _) => None,
        };
        Ok(node.map(|node| node.number))
    }
}

/// A text with the mentions that are known, by what and which they are of, as the world keeps them;
/// nothing when there are none.
fn in_form_of_the_world(text: &str, known: &HashMap<(String, String), i64>) -> Option<String> {
    let kept = anvil::replaced(text, |found| {
        let number = known.get(&(found.kind.to_owned(), found.id.to_owned()))?;
        // A bracket would end the label, and a bar begin another part.
        let label = found.label.replace(['[', ']'], "").replace('|', "/");
        Some(match label.as_str() {
            "" => format!("[entity:{number}]"),
            label => format!("[entity:{number}|{label}]"),
        })
    });
    (kept != text).then_some(kept)
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

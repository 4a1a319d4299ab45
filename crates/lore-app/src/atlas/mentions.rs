//! Converts mentions between the world's form and World Anvil's.
//!
//! The world stores `[entity:7|the Mill]`; World Anvil's users write `@[the Mill](location:UUID)`.
//! Texts are shown in World Anvil's form and stored in the world's, so that every door (toolset)
//! can follow them. Users may also mention a page by its number.
//!
//! A mention that leads nowhere is shown as it was written. Viewers who do not see everything get
//! only its label, because it may be of something hidden.

use std::collections::{BTreeSet, HashMap};

use lore_anvil::Kind;
use lore_core::{Node, Result, Text, Viewer, Visibility};
use lore_markup::anvil::AnvilMention;
use lore_markup::{anvil, literal, mention};
use lore_store::NodeKey;
use lore_store::veil::Says;

use super::ids::uid_of;
use super::sight::UNTOLD;
use super::sight::references::{Name, mentioned};
use super::source::{Atlas, Numbers};
use super::{keys, templates};
use crate::App;

/// The kind of a mention that gives only a number of this world.
pub(super) const NOWHERE: &str = "entity";

/// Converts the mentions in texts to World Anvil's form, and removes everything else that refers to
/// hidden things.
pub(super) async fn shown(atlas: &Atlas, texts: &mut [Text]) -> Result<()> {
    let mut known: HashMap<i64, Option<Node>> = HashMap::new();
    for text in texts.iter() {
        for found in mention::find(&text.body) {
            let mention::Target::Entity(number) = found.target else { continue };
            if let std::collections::hash_map::Entry::Vacant(place) = known.entry(number) {
                // Read as a list: a list leaves out damaged nodes, while a single read would fail.
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

/// Converts the mentions in a text to the world's form.
pub(super) async fn kept(atlas: &Atlas, text: &str) -> Result<String> {
    let mut text = text.to_owned();
    let reader = Reader { app: atlas.app(), viewer: atlas.viewer(), numbers: atlas.numbers };
    reader.keep(&mut text).await?;
    Ok(text)
}

/// Like [`kept`], for texts from other doors, in which numbers are always numbers of this world.
pub(crate) async fn keep(app: &App, viewer: &Viewer, said: &mut (impl Says + Send)) -> Result<()> {
    Reader { app, viewer, numbers: Numbers::Ours }.keep(said).await
}

/// Resolves mentions for the person who writes them.
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

    /// The number in the world of what a mention means; `None` if it leads nowhere.
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

/// A text with the known mentions in the world's form; `None` if nothing changed. `known` maps kind
/// and id to the number.
fn in_form_of_the_world(text: &str, known: &HashMap<(String, String), i64>) -> Option<String> {
    let kept = anvil::replaced(text, |found| {
        let number = known.get(&(found.kind.to_owned(), found.id.to_owned()))?;
        // A bracket would end the label, and a bar would start another part.
        let label = found.label.replace(['[', ']'], "").replace('|', "/");
        Some(match label.as_str() {
            "" => format!("[entity:{number}]"),
            label => format!("[entity:{number}|{label}]"),
        })
    });
    (kept != text).then_some(kept)
}

/// A mention of a node in World Anvil's form.
fn written(label: Option<&str>, node: &Node) -> String {
    let kinds = Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Npc);
    let kind = kinds.into_iter().find(|kind| keys::is_of_kind(*kind, node));
    // Nodes of other doors are shown as articles.
    let kind = kind.unwrap_or(Kind::Article);
    let word = match kind {
        Kind::Article if keys::is_of_kind(kind, node) => {
            templates::template_of(node).to_lowercase()
        }
        other => other.row().path.to_owned(),
    };
    let id = keys::shown_id(kind, node);
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    anvil::mention(label.unwrap_or_else(|| open_name(node)), &word, &id)
}

/// The label for a mention without one. Readers take a label for the author's words, so the name of
/// a node that not everybody sees is not used.
fn open_name(node: &Node) -> &str {
    if node.visibility == Visibility::Members { &node.name } else { "" }
}

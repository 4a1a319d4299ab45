//! Assembles World Anvil objects from nodes. Related data is read for all nodes at once.

use std::collections::{HashMap, HashSet};

use lore_anvil::{Field, Form, Kind, Object};
use lore_core::{Edge, Error, Node, NodeId, PrincipalId, Result, Text, Visibility};
use lore_store::Direction;
use serde_json::{Value, json};

use super::{folders, head, secrets};
use crate::atlas::copy::put;
use crate::atlas::sight::Sight;
use crate::atlas::source::Atlas;
use crate::atlas::write::held;
use crate::atlas::{keys, mentions, templates, users};
use crate::pages::{ENTRY, POST};
use crate::play::ids::Thing;
use crate::play::sheet::{self, Played};
use crate::play::{MANY, word};
use crate::{damage, doors};

/// Text kind of an additional text of an object. Its title is the name of the field.
pub(in crate::atlas) const SECTION: &str = "section";
/// The length of an excerpt, in characters.
const EXCERPT_MAX: usize = 200;
/// Internal entries among a node's own fields, which are never shown.
pub(in crate::atlas) const OURS: [&str; 5] =
    [head::COPY, put::PENDING, put::REFUSED, held::OPEN_INSIDE, keys::MOVED];
/// The field of a map with the URL of its picture.
pub(in crate::atlas) const IMAGE_URL: &str = "imageUrl";
/// The maximum length of an `ancestry` list.
const ANCESTORS_MAX: usize = 32;

impl Atlas {
    /// Returns the objects of some nodes, in their order, at a granularity. If there are several,
    /// damaged ones are left out.
    pub(super) async fn assemble(
        &self,
        kind: Kind,
        mut nodes: Vec<Node>,
        granularity: i8,
    ) -> Result<Vec<Object>> {
        let around = match Around::read(self, kind, &nodes, granularity).await {
            Err(Error::Corrupt { .. }) if nodes.len() > 1 => {
                damage::leave_out(self.app().store.as_ref(), self.viewer(), &mut nodes).await?;
                Around::read(self, kind, &nodes, granularity).await
            }
            read => read,
        }?;
        let mut objects = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let mut object = head::reference(kind, node);
            for field in kind.row().fields_at(granularity) {
                let value = self.value(kind, node, field, &around).await?;
                object.insert(field.name.into(), value);
            }
            add_unknown(&mut object, kind, node, granularity, &around);
            objects.push(object);
        }
        Ok(objects)
    }

    async fn value(
        &self,
        kind: Kind,
        node: &Node,
        field: &Field,
        around: &Around,
    ) -> Result<Value> {
        Ok(match field.form {
            Form::Text => json!(around.entry(node)),
            Form::Section | Form::HiddenSection => json!(around.section(node, field.name)),
            Form::Value => own_value(kind, node, field.name, around),
            Form::One(other, edge) => around
                .targets(node, edge, other)
                .into_iter()
                .next()
                .map_or(Value::Null, Value::Object),
            Form::Several(other, edge) => json!(around.targets(node, edge, other)),
            Form::Many(other, edge) => json!(around.sources(node, edge, other)),
            Form::Created => head::moment(node.created.at),
            Form::Derived => match kind {
                Kind::Campaign | Kind::Npc => {
                    self.of_the_table(kind, node, field.name, around).await?
                }
                _ => self.derived(node, field.name, around).await?,
            },
        })
    }

    /// Computes the value of a derived field.
    async fn derived(&self, node: &Node, name: &str, around: &Around) -> Result<Value> {
        Ok(match name {
            "excerpt" => match head::own(node, name) {
                Some(own) => around.shown(own),
                None => json!(around.entry(node).map(excerpt_of)),
            },
            "wordcount" => {
                json!(around.entry(node).map_or(0, words_in))
            }
            "templateType" => json!(templates::template_of(node)),
            "subtype" => json!(node.subtype),
            "sections" => Value::Object(around.posts(node)),
            "secrets" => json!(around.secrets(node)),
            "ancestry" => json!(self.ancestry(node).await?),
            "sheet" => around.sheet(node),
            "author" => around.author(node.created.by),
            "world" => Value::Object(around.world.clone()),
            "label" => {
                let label = head::own(node, "labelTitle").and_then(Value::as_str);
                json!(label.filter(|label| !label.is_empty()).unwrap_or(&node.name))
            }
            "genre" => {
                let genres = head::own(node, "genres").and_then(lore_anvil::first_title);
                genres.unwrap_or_default()
            }
            "articleCount" => {
                json!(self.joined(Kind::Article, node.id, "in_category").await?.len())
            }
            "notes" => json!(self.notes_in(node).await?),
            "markerCount" => json!(self.joined(Kind::Marker, node.id, "on_map").await?.len()),
            _ => Value::Null,
        })
    }

    /// The notes in all sections of a notebook.
    async fn notes_in(&self, notebook: &Node) -> Result<Vec<Object>> {
        let mut notes = Vec::new();
        for section in self.joined(Kind::NoteSection, notebook.id, "in_notebook").await? {
            let inside = self.joined(Kind::Note, section.id, "in_section").await?;
            notes.extend(inside.iter().map(|note| head::reference(Kind::Note, note)));
        }
        Ok(notes)
    }

    /// The parent articles of an article, nearest first.
    async fn ancestry(&self, node: &Node) -> Result<Vec<Object>> {
        let mut line: Vec<Object> = Vec::new();
        let mut seen = HashSet::from([node.id]);
        let mut at = node.id;
        let store = &self.app().store;
        while line.len() < ANCESTORS_MAX {
            let kinds = [word("parent")?];
            let up = store.neighbours(self.viewer(), &[at], Direction::Out, &kinds, 1).await?;
            let Some(next) = up.first().map(|edge| edge.target).filter(|id| seen.insert(*id))
            else {
                break;
            };
            let found = store.nodes(self.viewer(), &[next]).await?;
            line.extend(found.iter().map(|node| head::reference(Kind::Article, node)));
            at = next;
        }
        Ok(line)
    }
}

/// Adds stored fields that the table does not declare, at the fullest granularity only.
fn add_unknown(object: &mut Object, kind: Kind, node: &Node, granularity: i8, around: &Around) {
    let row = kind.row();
    if row.granularities.last().is_none_or(|fullest| granularity < (*fullest).min(2)) {
        return;
    }
    // Internal bookkeeping of the copy stays hidden.
    let is_ours = |name: &str| OURS.contains(&name);
    for (name, value) in head::own_fields(&node.properties).into_iter().flatten() {
        if !object.contains_key(name) && !is_ours(name) {
            object.insert(name.clone(), around.shown(value));
        }
    }
}

/// The value of a plain field. Some are derived from what other doors write.
fn own_value(kind: Kind, node: &Node, name: &str, around: &Around) -> Value {
    // The `imageUrl` of a copied map belongs to its picture, which may be hidden. Only viewers who
    // see everything get the stored URL.
    let is_of_another = name == IMAGE_URL && head::own(node, head::COPY).is_some();
    if let Some(own) = head::own(node, name)
        && (!is_of_another || around.sight.is_none())
    {
        return around.shown(own);
    }
    match (kind, name) {
        (Kind::History, "year" | "month" | "day") => date_part(node, name),
        (Kind::Folder, folders::HOLDS) => folders::held_in(node),
        (Kind::Map, IMAGE_URL) => {
            let pictures = around.targets(node, "shows", Kind::Image);
            pictures.first().and_then(|picture| picture.get("url")).cloned().unwrap_or_default()
        }
        _ => Value::Null,
    }
}

/// Year, month or day of a journal's date.
fn date_part(node: &Node, name: &str) -> Value {
    let date = node.properties.get("date").and_then(Value::as_str);
    let Some(date) = date.and_then(|text| text.parse::<jiff::civil::Date>().ok()) else {
        return Value::Null;
    };
    match name {
        "year" => json!(date.year().to_string()),
        "month" => json!(date.month()),
        _ => json!(date.day()),
    }
}

/// The beginning of a Markdown text, as plain text.
pub(in crate::atlas) fn excerpt_of(markdown: &str) -> String {
    // Bounds the work: at most ten times the excerpt's length is parsed, even if much of it is
    // markup.
    let start = markdown.char_indices().nth(10 * EXCERPT_MAX).map_or(markdown.len(), |(at, _)| at);
    beginning(&lore_markup::to_text(markdown.get(..start).unwrap_or_default()))
}

/// The number of words in a Markdown text as a reader sees it. Punctuation alone is not a word.
pub(in crate::atlas) fn words_in(markdown: &str) -> usize {
    let text = lore_markup::to_text(markdown);
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// The beginning of a text on one line, with `…` if it was cut.
pub(super) fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// Everything that is needed to assemble some nodes.
pub(super) struct Around {
    texts: HashMap<NodeId, Vec<Text>>,
    out: Vec<Edge>,
    into: Vec<Edge>,
    others: HashMap<NodeId, Node>,
    authors: HashMap<PrincipalId, String>,
    played: HashMap<NodeId, Played>,
    /// What the viewer sees of the things that fields refer to; `None` if they see everything.
    sight: Option<Sight>,
    pub(super) world: Object,
}

impl Around {
    async fn read(atlas: &Atlas, kind: Kind, nodes: &[Node], granularity: i8) -> Result<Self> {
        let fields = || kind.row().fields_at(granularity);
        let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
        let mut outward: Vec<&'static str> = Vec::new();
        let mut inward: Vec<&'static str> = Vec::new();
        for field in fields() {
            match field.form {
                Form::One(_, edge) | Form::Several(_, edge) => outward.push(edge),
                Form::Many(_, edge) => inward.push(edge),
                _ => {}
            }
        }
        if kind == Kind::Map {
            // Lists show the picture of a map as well.
            outward.push("shows");
        }
        let out = edges(atlas, &ids, Direction::Out, &outward).await?;
        let into = edges(atlas, &ids, Direction::In, &inward).await?;
        let ends = out.iter().map(|edge| edge.target).chain(into.iter().map(|edge| edge.source));
        let ends: Vec<NodeId> = ends.collect();
        let others = atlas.app().store.nodes(atlas.viewer(), &ends).await?;
        let told = |name: &str| fields().any(|field| field.name == name);
        let played = match told("sheet") {
            true => {
                let nodes: Vec<&Node> = nodes.iter().collect();
                sheet::played(atlas.app(), atlas.viewer(), &nodes).await?
            }
            false => HashMap::new(),
        };
        let texts = if fields().any(reads_text) {
            texts(atlas, kind, nodes).await?
        } else {
            HashMap::new()
        };
        let own = nodes.iter().filter_map(|node| node.properties.get(head::OWN));
        let own: Vec<&Value> = own.collect();
        Ok(Self {
            texts,
            played,
            sight: atlas.sight_of(&own).await?,
            out,
            into,
            others: others.into_iter().map(|node| (node.id, node)).collect(),
            authors: if told("author") { authors(atlas, nodes).await? } else { HashMap::new() },
            world: if told("world") { atlas.world_reference().await? } else { Object::new() },
        })
    }

    /// A value without references to things the viewer does not see.
    fn shown(&self, value: &Value) -> Value {
        match &self.sight {
            Some(sight) => sight.seen(value.clone()),
            None => value.clone(),
        }
    }

    /// The main text of a node.
    pub(super) fn entry(&self, node: &Node) -> Option<&str> {
        self.text_of(node, |text| text.kind.as_str() == ENTRY)
    }

    fn section(&self, node: &Node, name: &str) -> Option<&str> {
        self.text_of(node, |text| text.kind.as_str() == SECTION && text.title == name)
    }

    /// The body of the first text that satisfies `fits`.
    pub(super) fn text_of(&self, node: &Node, fits: impl Fn(&Text) -> bool) -> Option<&str> {
        let found = self.texts.get(&node.id)?.iter().find(|text| fits(text))?;
        Some(found.body.as_str())
    }

    /// The posts on a page that everybody may read, by title.
    fn posts(&self, node: &Node) -> Object {
        let texts = self.texts.get(&node.id).map(Vec::as_slice).unwrap_or_default();
        let named = named_posts(texts).into_iter();
        named.map(|(name, text)| (name, json!(text.body))).collect()
    }

    /// References to the texts on a page that only the game master's side may read.
    fn secrets(&self, node: &Node) -> Vec<Object> {
        let texts = self.texts.get(&node.id).into_iter().flatten();
        texts
            .filter(|text| secrets::is_secret(text))
            .map(|text| secrets::reference(text, node))
            .collect()
    }

    fn targets(&self, node: &Node, edge: &str, kind: Kind) -> Vec<Object> {
        let ends = self.out.iter().filter(|e| e.source == node.id && e.kind.as_str() == edge);
        self.references(ends.map(|e| e.target), kind)
    }

    fn sources(&self, node: &Node, edge: &str, kind: Kind) -> Vec<Object> {
        let ends = self.into.iter().filter(|e| e.target == node.id && e.kind.as_str() == edge);
        self.references(ends.map(|e| e.source), kind)
    }

    fn references(&self, ids: impl Iterator<Item = NodeId>, kind: Kind) -> Vec<Object> {
        let mut nodes: Vec<&Node> = ids.filter_map(|id| self.others.get(&id)).collect();
        nodes.retain(|node| keys::is_of_kind(kind, node));
        nodes.sort_by_key(|node| node.id);
        nodes.into_iter().map(|node| head::reference(kind, node)).collect()
    }

    /// The sheet of a played character, if the viewer may see it.
    fn sheet(&self, node: &Node) -> Value {
        let Some(played) = self.played.get(&node.id) else { return Value::Null };
        let mut shown = json!({
            "character_id": Thing::Character.show(played.character),
            "campaign_id": Thing::Campaign.show(played.campaign),
            "kind": played.kind.as_str(),
        });
        if let (Some(shown), Value::Object(sheet)) =
            (shown.as_object_mut(), played.sheet.to_value())
        {
            shown.extend(sheet);
        }
        shown
    }

    fn author(&self, who: PrincipalId) -> Value {
        let Some(name) = self.authors.get(&who) else { return Value::Null };
        Value::Object(head::bare(Kind::User, &json!(users::user_id(who)), name))
    }
}

/// The posts on a page that everybody may read, each with a unique name: posts with equal titles
/// are numbered.
pub(in crate::atlas) fn named_posts(texts: &[Text]) -> Vec<(String, &Text)> {
    let declared = |text: &Text| Kind::Article.row().field(&text.title).is_some();
    let open = texts.iter().filter(|text| text.visibility == Visibility::Members);
    let posts = open.filter(|text| match text.kind.as_str() {
        POST => true,
        SECTION => !declared(text),
        _ => false,
    });
    let mut named: Vec<(String, &Text)> = Vec::new();
    for text in posts {
        let is_free = |name: &String| named.iter().all(|(known, _)| known != name);
        let numbered = (2..).map(|number| format!("{} ({number})", text.title));
        let mut names = std::iter::once(text.title.clone()).chain(numbered);
        named.extend(names.find(is_free).map(|name| (name, text)));
    }
    named
}

/// Whether a field needs the texts of its node.
fn reads_text(field: &Field) -> bool {
    const DERIVED: [&str; 5] = ["excerpt", "wordcount", "sections", "secrets", "notes"];
    field.is_markup() || (field.form == Form::Derived && DERIVED.contains(&field.name))
}

async fn edges(
    atlas: &Atlas,
    ids: &[NodeId],
    direction: Direction,
    kinds: &[&'static str],
) -> Result<Vec<Edge>> {
    if kinds.is_empty() || ids.is_empty() {
        return Ok(Vec::new());
    }
    let kinds = kinds.iter().copied().map(word).collect::<Result<Vec<_>>>()?;
    Ok(atlas.app().store.neighbours(atlas.viewer(), ids, direction, &kinds, MANY).await?)
}

async fn texts(atlas: &Atlas, kind: Kind, nodes: &[Node]) -> Result<HashMap<NodeId, Vec<Text>>> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let mut texts = atlas.app().store.texts_of_nodes(atlas.viewer(), &ids).await?;
    mentions::shown(atlas, &mut texts).await?;
    let mut by_node: HashMap<NodeId, Vec<Text>> = HashMap::new();
    for text in texts {
        by_node.entry(text.node).or_default().push(text);
    }
    for node in nodes.iter().filter(|node| !keys::is_of_kind(kind, node)) {
        // Nodes of other doors have text kinds of their own; their texts are joined into one.
        if let Some(texts) = by_node.get_mut(&node.id) {
            *texts = doors::told(std::mem::take(texts)).into_iter().collect();
        }
    }
    Ok(by_node)
}

async fn authors(atlas: &Atlas, nodes: &[Node]) -> Result<HashMap<PrincipalId, String>> {
    let mut authors = HashMap::new();
    for who in nodes.iter().map(|node| node.created.by).collect::<HashSet<_>>() {
        let found = atlas.app().store.principal(who).await?;
        authors.extend(found.map(|person| (who, person.name)));
    }
    Ok(authors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_as_readers_see_them() {
        for (text, count) in [
            ("- a\n- b\n- c", 3),
            ("| a | b |\n| --- | --- |\n| c | d e |", 5),
            ("# Head\n\nbody", 2),
            ("1. One\n2. **Two** *three*", 3),
            ("> said\n\n---\n\nStone — and moss, 2 * 3.", 6),
            ("By @[the old mill](location:0190a1b2-0000-7000-8000-000000000001).", 4),
            ("", 0),
        ] {
            assert_eq!(words_in(text), count, "{text}");
        }
    }

    #[test]
    fn a_beginning_is_one_line_and_short() {
        assert_eq!(beginning("Stone\n\nand  moss."), "Stone and moss.");
        let long = beginning(&"word ".repeat(100));
        assert!(long.ends_with("word…") && long.chars().count() <= EXCERPT_MAX + 1, "{long}");
    }
}

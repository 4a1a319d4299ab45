//! A local search for a service without one. It uses the shared search engine over the titles and
//! tags of all listed articles and the texts of those read or written. A text that has changed at
//! the service since is dropped. Articles with a local copy are searched in the copy instead.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use lore_anvil::{Form, Kind, OPEN_FIELDS, Object, as_everybody_sees, is_long, is_public};
use lore_app::atlas::{ArticleQuery, Audience, FoundArticle, FoundArticles, excerpt, relevance};
use lore_core::names::Word;
use lore_core::{NodeId, Principal, Role, TextId, Timestamp, Viewer, Visibility, WorldId};
use lore_markup::{from_bbcode, to_text};
use lore_search::{Analysis, DocKey, Document, Entry, Filter, Head, Index, Meta, Query, Unit};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::convert::text_of;
use super::places::Place;

/// Most articles whose texts are remembered.
const KNOWN_MAX: usize = 20_000;
/// Most texts per article.
const TEXTS_MAX: i64 = 1_000;
/// The index of the articles seen so far.
#[derive(Default)]
pub(super) struct Known(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    index: Index,
    articles: HashMap<String, Article>,
    /// Counts updates, so that results from before and after one can be told apart.
    age: u64,
    nodes: i64,
}

/// An article as the index knows it.
#[derive(Clone, PartialEq)]
struct Article {
    node: NodeId,
    title: String,
    tags: Vec<String>,
    /// When the article was last changed, according to the service.
    date: String,
    visibility: Visibility,
    content: Option<Part>,
    /// All other texts; `None` if they were not read.
    sections: Option<Vec<Part>>,
}

/// A text of an article.
#[derive(Clone, PartialEq)]
struct Part {
    name: String,
    visibility: Visibility,
    /// In Markdown.
    body: String,
}

impl Known {
    /// Adds what an object says about an article.
    pub(super) fn learn(&self, object: &Object) {
        self.0.lock().learn(object);
    }

    /// Whether the index has an article.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.0.lock().articles.contains_key(id)
    }

    /// Whether an article has changed since it was indexed.
    pub(super) fn is_behind(&self, object: &Object) -> bool {
        let shelf = self.0.lock();
        let known = shelf.articles.get(&text_of(object, "id"));
        known.is_some_and(|known| !known.date.is_empty() && known.date < date_of(object))
    }

    pub(super) fn forget(&self, id: &str) {
        self.0.lock().forget(id);
    }

    /// The number of updates so far.
    pub(super) fn age(&self) -> u64 {
        self.0.lock().age
    }

    /// Whether the local copy of an article is up to date, as far as is known.
    pub(super) fn is_good(
        &self,
        object: &Object,
        copies: &HashMap<String, Option<String>>,
    ) -> bool {
        let id = text_of(object, "id");
        let Some(copied) = copies.get(&id) else { return false };
        let shelf = self.0.lock();
        let known = shelf.articles.get(&id).map_or("", |known| known.date.as_str());
        let is_behind = |copied: &String| *copied < date_of(object) || copied.as_str() < known;
        !copied.as_ref().is_some_and(is_behind)
    }

    /// Ranks the articles of some worlds for a query, best first, as an object that can be cached.
    pub(super) fn rank(&self, words: &str, query: &ArticleQuery, places: &[Arc<Place>]) -> Object {
        let shelf = self.0.lock();
        let audience = query.audience;
        let mut ids: HashMap<NodeId, String> = HashMap::new();
        let (mut read, mut all) = (0_usize, 0_usize);
        let rows = places.iter().flat_map(|place| &place.articles);
        let is_open = |row: &Object| is_public(&as_everybody_sees(row.clone()));
        for row in rows.filter(|row| audience == Audience::GmSide || is_open(row)) {
            let id = text_of(row, "id");
            all += 1;
            if query.copied.contains(&id) {
                read += 1;
                continue;
            }
            let Some(article) = shelf.articles.get(&id) else { continue };
            read += usize::from(article.content.is_some());
            ids.insert(article.node, id);
        }
        let filter = Filter { nodes: ids.keys().copied().collect(), ..Filter::default() };
        let asked = Query { filter, unit: Unit::Node, ..Query::new(words, usize::MAX) };
        // An empty filter would match every article.
        let ranked = match ids.is_empty() {
            true => lore_search::Ranked::default(),
            false => shelf.index.search(&searcher(audience), &asked),
        };
        let hits = ranked.hits.iter().filter_map(|hit| {
            let id = ids.get(&hit.key.node)?;
            let text = shelf.articles.get(id)?.answering(hit.key.text, audience);
            let excerpt = excerpt(text, words);
            Some(json!({ "id": id, "excerpt": excerpt, "relevance": relevance(hit.score) }))
        });
        let searched = if all == 0 { 1.0 } else { share(read, all) };
        Object::from_iter([
            ("hits".to_owned(), hits.collect()),
            ("total".to_owned(), json!(ranked.total)),
            ("searched".to_owned(), json!(searched)),
        ])
    }
}

impl Shelf {
    fn learn(&mut self, object: &Object) {
        let (id, date) = (text_of(object, "id"), date_of(object));
        let known = self.articles.get(&id);
        if known.is_none() && self.articles.len() >= KNOWN_MAX {
            return;
        }
        // Ignore a version older than the one known.
        if known.is_some_and(|known| !date.is_empty() && date < known.date) {
            return;
        }
        let node = known.map(|known| known.node);
        let kept = known.filter(|known| date.is_empty() || known.date == date);
        let article = Article {
            node: node.unwrap_or(NodeId(self.nodes + 1)),
            title: text_of(object, "title"),
            tags: tags_of(&as_everybody_sees(object.clone())),
            date: if date.is_empty() {
                kept.map_or(date, |known| known.date.clone())
            } else {
                date
            },
            visibility: visibility(&as_everybody_sees(object.clone())),
            content: content_of(object).or_else(|| kept?.content.clone()),
            sections: sections_of(object).or_else(|| kept?.sections.clone()),
        };
        if known == Some(&article) {
            return;
        }
        self.forget(&id);
        self.nodes = self.nodes.max(article.node.0);
        article.entries().into_iter().for_each(|entry| self.index.put(entry));
        self.articles.insert(id, article);
        self.age += 1;
    }

    fn forget(&mut self, id: &str) {
        if let Some(article) = self.articles.remove(id) {
            article.keys().into_iter().for_each(|key| self.index.remove(key));
            self.age += 1;
        }
    }
}

impl Article {
    fn texts(&self) -> impl Iterator<Item = (TextId, &Part)> {
        let sections = self.sections.iter().flatten();
        let first = self.node.0 * TEXTS_MAX;
        (first..first + TEXTS_MAX).map(TextId).zip(self.content.iter().chain(sections))
    }

    /// Returns the text to excerpt: the one that matched, or the main text if the name matched.
    /// Empty if the audience may not read it.
    fn answering(&self, text: Option<TextId>, audience: Audience) -> &str {
        let best = self.texts().find(|(id, _)| Some(*id) == text).map(|(_, part)| part);
        let is_shown =
            |part: &&Part| audience == Audience::GmSide || part.visibility == Visibility::Members;
        best.or(self.content.as_ref()).filter(is_shown).map_or("", |part| part.body.as_str())
    }

    fn keys(&self) -> Vec<DocKey> {
        let texts = self.texts().map(|(id, _)| DocKey::text(self.node, id));
        std::iter::once(DocKey::head(self.node)).chain(texts).collect()
    }

    fn entries(&self) -> Vec<Entry> {
        // The kind is not used in this index, but every entry needs one.
        let Ok(kind) = Word::new("kind", "article") else { return Vec::new() };
        let seen = Meta {
            node_visibility: self.visibility,
            text_visibility: self.visibility,
            ..Meta::new(kind.clone(), Timestamp::UNIX_EPOCH)
        };
        let head = Head { name: Some(&self.title), tags: &self.tags, ..Head::default() };
        let head = Entry {
            key: DocKey::head(self.node),
            analysis: Analysis::of_head(&head).into(),
            vector: None,
            meta: seen.clone(),
        };
        let texts = self.texts().map(|(id, part)| {
            // Index plain text: ids in mentions are not words.
            let body = &to_text(&part.body);
            let document = Document { title: &part.name, body, ..Document::default() };
            let text_kind = Some(kind.clone());
            let text_visibility = part.visibility;
            Entry {
                key: DocKey::text(self.node, id),
                analysis: Analysis::of_text(&document).into(),
                vector: None,
                meta: Meta { text_kind, text_visibility, ..seen.clone() },
            }
        });
        std::iter::once(head).chain(texts).collect()
    }
}

/// Returns one page of the result of [`Known::rank`].
pub(super) fn page(ranked: &Object, query: &ArticleQuery, places: &[Arc<Place>]) -> FoundArticles {
    let rows = places.iter().flat_map(|place| place.articles.iter().map(move |row| (place, row)));
    let rows: HashMap<String, (&Arc<Place>, &Object)> =
        rows.map(|(place, row)| (text_of(row, "id"), (place, row))).collect();
    let hits = ranked.get("hits").and_then(Value::as_array).into_iter().flatten();
    let found = hits.filter_map(|hit| {
        let (place, article) = rows.get(hit.get("id")?.as_str()?)?;
        Some(FoundArticle {
            article: (*article).clone(),
            excerpt: hit.get("excerpt")?.as_str()?.to_owned(),
            relevance: hit.get("relevance")?.as_f64()?,
            world: place.world.clone(),
        })
    });
    let number = |name: &str| ranked.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    let total = ranked.get("total").and_then(Value::as_u64).unwrap_or(0);
    FoundArticles {
        articles: found.skip(query.offset).take(query.limit.max(1)).collect(),
        total: usize::try_from(total).unwrap_or(usize::MAX),
        searched: number("searched"),
    }
}

/// Returns a hash that identifies a set of ids.
pub(super) fn print(ids: &BTreeSet<String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    ids.hash(&mut hasher);
    hasher.finish()
}

/// Returns a viewer with the rights of an audience.
fn searcher(audience: Audience) -> Viewer {
    let role = match audience {
        Audience::GmSide => Role::Owner,
        Audience::Everybody => Role::Reader,
    };
    Viewer { principal: Principal::LOCAL, world: WorldId(0), role }
}

fn visibility(object: &Object) -> Visibility {
    if is_public(object) { Visibility::Members } else { Visibility::Gm }
}

fn date_of(object: &Object) -> String {
    let date = object.get("updateDate").and_then(|date| date.get("date"));
    date.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn content_of(object: &Object) -> Option<Part> {
    object.get("content")?;
    let body = text_of(object, "content");
    Some(Part { name: String::new(), visibility: seen_by(object, "content"), body })
}

/// Returns who may read a text. If the object has a public version of the text, this one is for the
/// game master's side only.
fn seen_by(object: &Object, name: &str) -> Visibility {
    let open = object.get(OPEN_FIELDS);
    let among = |fields: Option<&Value>| fields.is_some_and(|fields| fields.get(name).is_some());
    match among(open) || among(open.and_then(|open| open.get("sections"))) {
        true => Visibility::Gm,
        false => Visibility::Members,
    }
}

/// Returns the texts other than the main one; `None` if the object does not include them.
fn sections_of(object: &Object) -> Option<Vec<Part>> {
    let form = |name: &str| Kind::Article.row().field(name).map(|field| field.form);
    let is_section = |name: &str| matches!(form(name), Some(Form::Section | Form::HiddenSection));
    if !object.keys().any(|name| name == "sections" || is_section(name)) {
        return None;
    }
    let named = object.get("sections").and_then(Value::as_object);
    let among = |name: &String| named.is_some_and(|named| named.contains_key(name));
    // The texts of a template are undeclared fields. Skip texts that are repeated under `sections`
    // or in rendered form.
    let own = object.iter().filter(|(name, _)| !among(name) && !name.ends_with("Parsed"));
    let own = own.filter_map(|(name, value)| match (form(name), value.as_str()?) {
        (Some(Form::Section | Form::HiddenSection), text) => Some((name, text.to_owned())),
        (None, text) if is_long(text) => Some((name, from_bbcode(text))),
        _ => None,
    });
    let named = named.into_iter().flatten();
    let named = named.filter_map(|(name, text)| Some((name, text.as_str()?.to_owned())));
    let parts = own.chain(named).filter(|(_, body)| !body.trim().is_empty());
    let parts = parts.map(|(name, body)| {
        let visibility = match form(name) {
            Some(Form::HiddenSection) => Visibility::Gm,
            _ => seen_by(object, name),
        };
        Part { name: name.clone(), visibility, body }
    });
    Some(parts.collect())
}

fn tags_of(object: &Object) -> Vec<String> {
    match object.get("tags") {
        Some(Value::String(tags)) => tags
            .split(',')
            .map(str::trim)
            .filter(|tag| !tag.is_empty())
            .map(str::to_owned)
            .collect(),
        Some(Value::Array(tags)) => {
            tags.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns `part / whole`, rounded to three digits.
fn share(part: usize, whole: usize) -> f64 {
    relevance(part as f32 / whole as f32)
}

//! The service has no search, so what is known of its articles is searched here: by the
//! one search, over titles and tags of all and the texts of those that were read or copied.

use std::collections::HashMap;

use lore_anvil::{Object, PAGE_MAX};
use lore_app::atlas::{ArticleQuery, FoundArticle, FoundArticles};
use lore_core::names::Word;
use lore_core::{Error, NodeId, Principal, Result, Role, TextId, Timestamp, Viewer, WorldId};
use lore_search::{Analysis, DocKey, Document, Entry, Filter, Head, Index, Meta, Query, Unit};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::text_of;

/// Most articles whose text is remembered.
const KNOWN_MAX: usize = 20_000;
/// Most articles that answer.
const ANSWERS_MAX: usize = 1_000;
/// How much of a text is shown around what answers, in characters.
const EXCERPT: usize = 200;
/// Whoever searches: who may see which article is decided by others.
const SEARCHER: Viewer =
    Viewer { principal: Principal::LOCAL, world: WorldId(0), role: Role::Owner };

/// What is known of articles.
#[derive(Default)]
pub(super) struct Known(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    index: Index,
    articles: HashMap<String, Article>,
    /// Counts what was learnt, so that an answer from before can be told from one after.
    age: u64,
}

/// An article as the index knows it.
struct Article {
    node: NodeId,
    title: String,
    tags: Vec<String>,
    text: Option<String>,
}

impl Known {
    /// Takes in what an object tells of an article.
    pub(super) fn learn(&self, object: &Object) {
        self.0.lock().learn(object);
    }

    /// Whether anything is known of an article.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.0.lock().articles.contains_key(id)
    }

    pub(super) fn forget(&self, id: &str) {
        let mut shelf = self.0.lock();
        if let Some(article) = shelf.articles.remove(id) {
            shelf.index.remove(DocKey::head(article.node));
            shelf.index.remove(text_key(article.node));
            shelf.age += 1;
        }
    }

    /// How much was learnt so far.
    pub(super) fn age(&self) -> u64 {
        self.0.lock().age
    }

    /// Those of some articles whose text is not known.
    pub(super) fn unread(&self, articles: &[Object]) -> Vec<String> {
        let shelf = self.0.lock();
        let has_text = |id: &String| shelf.articles.get(id).is_some_and(|one| one.text.is_some());
        articles.iter().map(|row| text_of(row, "id")).filter(|id| !has_text(id)).collect()
    }

    /// Which of some articles answer, best first, as an object that can be kept.
    pub(super) fn rank(&self, words: &str, articles: &[Object]) -> Object {
        let shelf = self.0.lock();
        let mut ids: HashMap<NodeId, String> = HashMap::new();
        let mut read = 0_usize;
        for row in articles {
            let id = text_of(row, "id");
            let Some(article) = shelf.articles.get(&id) else { continue };
            read += usize::from(article.text.is_some());
            ids.insert(article.node, id);
        }
        let filter = Filter { nodes: ids.keys().copied().collect(), ..Filter::default() };
        let asked = Query { filter, unit: Unit::Node, ..Query::new(words, ANSWERS_MAX) };
        // Without any article the filter would let everything pass.
        let ranked = match ids.is_empty() {
            true => lore_search::Ranked::default(),
            false => shelf.index.search(&SEARCHER, &asked),
        };
        let hits: Value = ranked
            .hits
            .iter()
            .filter_map(|hit| {
                let id = ids.get(&hit.key.node)?;
                let text = shelf.articles.get(id)?.text.as_deref().unwrap_or_default();
                let excerpt = lore_search::snippet(text, words, EXCERPT).text;
                Some(
                    json!({ "id": id, "excerpt": excerpt, "relevance": rounded(hit.score.into()) }),
                )
            })
            .collect();
        let searched = if articles.is_empty() { 1.0 } else { share(read, articles.len()) };
        Object::from_iter([
            ("hits".to_owned(), hits),
            ("total".to_owned(), json!(ranked.total)),
            ("searched".to_owned(), json!(searched)),
        ])
    }
}

impl Shelf {
    fn learn(&mut self, object: &Object) {
        // Nothing asks for the kind here, but every document has one.
        let Ok(kind) = Word::new("kind", "article") else { return };
        let id = text_of(object, "id");
        let known = self.articles.remove(&id);
        if known.is_none() && self.articles.len() >= KNOWN_MAX {
            return;
        }
        let age = i64::try_from(self.age).unwrap_or(i64::MAX);
        let node = known.as_ref().map_or(NodeId(age + 1), |known| known.node);
        let text = object.get("content").map(|_| text_of(object, "content"));
        let (old_head, old_text) = match known {
            Some(known) => (Some((known.title, known.tags)), known.text),
            None => (None, None),
        };
        let article = Article {
            node,
            title: text_of(object, "title"),
            tags: tags_of(object),
            text: text.or_else(|| old_text.clone()),
        };
        if old_head.as_ref() != Some(&(article.title.clone(), article.tags.clone())) {
            self.index.put(head(kind.clone(), &article));
            self.age += 1;
        }
        if article.text != old_text {
            self.index.put(body(kind, &article));
            self.age += 1;
        }
        self.articles.insert(id, article);
    }
}

/// A page of what [`Known::rank`] found among `articles`.
pub(super) fn page(
    ranked: &Object,
    query: &ArticleQuery,
    articles: &[Object],
    world: &Object,
) -> FoundArticles {
    let rows: HashMap<String, &Object> =
        articles.iter().map(|row| (text_of(row, "id"), row)).collect();
    let hits = ranked.get("hits").and_then(Value::as_array).into_iter().flatten();
    let found = hits.filter_map(|hit| {
        let article = rows.get(hit.get("id")?.as_str()?)?;
        Some(FoundArticle {
            article: (*article).clone(),
            excerpt: hit.get("excerpt")?.as_str()?.to_owned(),
            relevance: hit.get("relevance")?.as_f64()?,
            world: world.clone(),
        })
    });
    let number = |name: &str| ranked.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    let total = ranked.get("total").and_then(Value::as_u64).unwrap_or(0);
    FoundArticles {
        articles: found.skip(query.offset).take(query.limit.clamp(1, PAGE_MAX)).collect(),
        total: usize::try_from(total).unwrap_or(usize::MAX),
        searched: number("searched"),
    }
}

/// The words of a question, or why they are none.
pub(super) fn words(query: &ArticleQuery) -> Result<&str> {
    let words = query.words.trim();
    if words.is_empty() {
        return Err(Error::invalid("query", "is empty", "give the words to look for"));
    }
    Ok(words)
}

fn head(kind: Word, article: &Article) -> Entry {
    let head = Head { name: Some(&article.title), tags: &article.tags, ..Head::default() };
    let meta = Meta::new(kind, Timestamp::UNIX_EPOCH);
    let analysis = Analysis::of_head(&head).into();
    Entry { key: DocKey::head(article.node), analysis, vector: None, meta }
}

fn body(kind: Word, article: &Article) -> Entry {
    let body = article.text.as_deref().unwrap_or_default();
    let document = Document { body, ..Document::default() };
    let text_kind = Some(kind.clone());
    let meta = Meta { text_kind, ..Meta::new(kind, Timestamp::UNIX_EPOCH) };
    let analysis = Analysis::of_text(&document).into();
    Entry { key: text_key(article.node), analysis, vector: None, meta }
}

fn text_key(node: NodeId) -> DocKey {
    DocKey::text(node, TextId(node.0))
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

fn share(part: usize, whole: usize) -> f64 {
    rounded(part as f64 / whole as f64)
}

/// A share of 1 with three digits.
fn rounded(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

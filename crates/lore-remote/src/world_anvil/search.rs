//! The service has no search, so what was read is searched here.

use std::collections::{HashMap, HashSet};

use lore_anvil::{Object, PAGE_MAX};
use lore_app::atlas::{ArticleQuery, FoundArticle, FoundArticles};
use lore_core::{Error, Result};
use parking_lot::Mutex;

use super::text_of;

/// Most articles whose text is remembered.
const KNOWN_MAX: usize = 20_000;
/// How much of a text is shown around what answers, in characters.
const EXCERPT: usize = 200;

/// What is known of articles: their texts, as far as they were read.
#[derive(Default)]
pub(super) struct Known(Mutex<HashMap<String, Article>>);

#[derive(Default, Clone)]
struct Article {
    title: String,
    tags: String,
    text: Option<String>,
}

impl Known {
    /// Takes in what an object tells of an article.
    pub(super) fn learn(&self, object: &Object) {
        let mut known = self.0.lock();
        let id = text_of(object, "id");
        if known.len() >= KNOWN_MAX && !known.contains_key(&id) {
            return;
        }
        let article = known.entry(id).or_default();
        article.title = text_of(object, "title");
        article.tags = text_of(object, "tags");
        if object.contains_key("content") {
            article.text = Some(text_of(object, "content"));
        }
    }

    pub(super) fn forget(&self, id: &str) {
        self.0.lock().remove(id);
    }
}

/// The best of `articles`, as far as they are known.
pub(super) fn answer(
    known: &Known,
    query: &ArticleQuery,
    articles: &[Object],
    world: &Object,
) -> Result<FoundArticles> {
    let words = words(&query.words);
    if words.is_empty() {
        return Err(Error::invalid("query", "is empty", "give the words to look for"));
    }
    let known = known.0.lock();
    let mut read = 0_usize;
    let mut found: Vec<FoundArticle> = Vec::new();
    for object in articles {
        let Some(article) = known.get(&text_of(object, "id")) else { continue };
        read += usize::from(article.text.is_some());
        let relevance = relevance(&words, article);
        if relevance > 0.0 {
            let excerpt = excerpt(&words, article.text.as_deref().unwrap_or_default());
            let (article, world) = (object.clone(), world.clone());
            found.push(FoundArticle { article, excerpt, relevance, world });
        }
    }
    drop(known);
    found.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    let total = found.len();
    let searched = if articles.is_empty() { 1.0 } else { share(read, articles.len()) };
    let limit = query.limit.clamp(1, PAGE_MAX);
    let articles = found.into_iter().skip(query.offset).take(limit).collect();
    Ok(FoundArticles { articles, total, searched })
}

/// The share of the words that are there: most in a title, less in tags, less in the text.
fn relevance(words: &[String], article: &Article) -> f64 {
    let title = self::words(&article.title);
    let tags = self::words(&article.tags);
    let text: HashSet<String> =
        self::words(article.text.as_deref().unwrap_or_default()).into_iter().collect();
    let sum: f64 = words
        .iter()
        .map(|word| {
            if title.contains(word) {
                1.0
            } else if tags.contains(word) {
                0.8
            } else if text.contains(word) {
                0.6
            } else {
                0.0
            }
        })
        .sum();
    (sum / words.len() as f64 * 1_000.0).round() / 1_000.0
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

fn share(part: usize, whole: usize) -> f64 {
    (part as f64 / whole as f64 * 1_000.0).round() / 1_000.0
}

/// The text from a little before the first word that answers.
fn excerpt(words: &[String], text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>();
    let hit = |part: &&str| self::words(part).iter().any(|word| words.contains(word));
    let at = line.iter().position(hit).unwrap_or(0).saturating_sub(8);
    let rest = line.get(at..).unwrap_or_default().join(" ");
    rest.chars().take(EXCERPT).collect()
}

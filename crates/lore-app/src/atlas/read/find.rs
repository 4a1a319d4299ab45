//! Full-text search for articles, with a relevance from 0 to 1. Nodes of other doors (toolsets) are
//! found as articles, too.

use std::collections::BTreeSet;

use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_core::{Error, Result, Viewer};
use lore_search::{Filter, Hit, Query, Unit};

use super::assemble::beginning;
use super::head;
use crate::atlas::source::{Atlas, Listed};
use crate::atlas::{keys, mentions};
use crate::play::word;

/// The length of an excerpt around the best match, in characters.
const EXCERPT: usize = 240;
/// The maximum length of a query, in characters.
const QUERY_MAX: usize = 1_000;

/// A search for articles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArticleQuery {
    /// The words to look for.
    pub words: String,
    /// The world to search. `None` means the current one, or all worlds of a service.
    pub world: Option<String>,
    /// For whom a service is searched. The local store filters by viewer and ignores it.
    pub audience: Audience,
    /// Ids of articles of a service that are searched in their local copies. The service is not
    /// asked for them.
    pub copied: BTreeSet<String>,
    /// The number of hits to skip.
    pub offset: usize,
    /// The maximum number of hits.
    pub limit: usize,
}

/// For whom a service is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The game master's side: everything is searched.
    GmSide,
    /// Everybody: hidden content must not influence the answer.
    Everybody,
}

impl Audience {
    /// The audience that a viewer belongs to.
    pub fn of(viewer: &Viewer) -> Self {
        if viewer.sees_gm_side() { Self::GmSide } else { Self::Everybody }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundArticles {
    /// The articles, best first.
    pub articles: Vec<FoundArticle>,
    /// The number of hits on all pages together.
    pub total: usize,
    /// The fraction of the world's articles that was searched, from 0 to 1.
    pub searched: f64,
}

/// An article that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundArticle {
    /// The reference to it.
    pub article: Object,
    /// The best matching part as plain text, with names in place of mentions.
    pub excerpt: String,
    /// The relevance, from 0 to 1.
    pub relevance: f64,
    /// The reference to its world.
    pub world: Object,
}

impl ArticleQuery {
    /// Returns the trimmed words; fails if they are empty or too long.
    pub fn checked_words(&self) -> Result<&str> {
        let words = self.words.trim();
        if words.is_empty() {
            return Err(Error::invalid("query", "is empty", "give the words to look for"));
        }
        lore_core::names::checked_length("query", words, QUERY_MAX)?;
        Ok(words)
    }

    /// The requested page of all hits.
    pub(in crate::atlas) fn page<T>(&self, answers: Vec<T>) -> impl Iterator<Item = T> {
        answers.into_iter().skip(self.offset).take(self.limit.clamp(1, PAGE_MAX))
    }
}

impl Atlas {
    /// Searches articles in one world, best first.
    pub(in crate::atlas) async fn search_articles(
        &self,
        query: &ArticleQuery,
    ) -> Result<FoundArticles> {
        let words = query.checked_words()?;
        let place = self.in_world(query.world.as_deref()).await?;
        let hits = place.answering(words).await?;
        let total = hits.len();
        let articles = place.rows(query.page(hits).collect(), words).await?;
        Ok(FoundArticles { articles, total, searched: 1.0 })
    }

    /// Turns hits into rows of the answer.
    async fn rows(&self, hits: Vec<Hit>, words: &str) -> Result<Vec<FoundArticle>> {
        let world = self.world_reference().await?;
        let mut articles = Vec::new();
        for (node, hit) in self.app().nodes_of(self.viewer(), hits).await? {
            let article = head::reference(Kind::Article, &node);
            let listed = Listed { article, world: world.clone() };
            articles.push(self.told(&hit, listed, words).await?);
        }
        Ok(articles)
    }

    /// Searches every world that the caller can enter, unless one is named. For the audience
    /// `Everybody`, hidden content does not influence the answer.
    pub async fn search_everywhere(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        let words = query.checked_words()?;
        let places = match query.world.as_deref() {
            Some(world) => vec![self.in_world(Some(world)).await?],
            None => self.everywhere().await?,
        };
        let mut answers: Vec<(Self, Hit)> = Vec::new();
        for place in places {
            let place = match query.audience {
                Audience::GmSide => place,
                Audience::Everybody => place.for_everybody(),
            };
            let hits = place.answering(words).await?.into_iter();
            let hits = hits.map(|hit| (place.clone(), hit)).collect();
            answers = in_order(answers, hits, |(_, hit)| relevance(hit.score));
        }
        let mut found = FoundArticles { articles: Vec::new(), total: answers.len(), searched: 1.0 };
        for (place, hit) in query.page(answers) {
            found.articles.extend(place.rows(vec![hit], words).await?);
        }
        Ok(found)
    }

    /// All hits that can be shown as articles, best first.
    pub(in crate::atlas) async fn answering(&self, words: &str) -> Result<Vec<Hit>> {
        let except_kinds = keys::never_articles().map(word).collect::<Result<_>>()?;
        let filter = Filter { except_kinds, ..Filter::default() };
        let asked = Query { filter, unit: Unit::Node, ..Query::new(words, usize::MAX) };
        self.app().whole(self.viewer(), &asked).await
    }

    /// Turns a hit into an answer with the best matching part of the text.
    pub(in crate::atlas) async fn told(
        &self,
        hit: &Hit,
        listed: Listed,
        words: &str,
    ) -> Result<FoundArticle> {
        let mut text = match hit.key.text {
            Some(id) => self.app().store.text(self.viewer(), id).await?,
            None => None,
        };
        mentions::shown(self, text.as_mut_slice()).await?;
        let body = text.as_ref().map_or("", |text| text.body.as_str());
        let (excerpt, relevance) = (excerpt(body, words), relevance(hit.score));
        Ok(FoundArticle { article: listed.article, excerpt, relevance, world: listed.world })
    }
}

/// Merges two lists of hits by relevance. Each list keeps its own order, which is not by relevance
/// alone.
pub(in crate::atlas) fn in_order<T>(
    first: Vec<T>,
    second: Vec<T>,
    relevance: impl Fn(&T) -> f64,
) -> Vec<T> {
    let mut first = first.into_iter().peekable();
    let mut second = second.into_iter().peekable();
    let next = || match (first.peek(), second.peek()) {
        (Some(one), Some(other)) if relevance(other) > relevance(one) => second.next(),
        (Some(_), _) => first.next(),
        (None, _) => second.next(),
    };
    std::iter::from_fn(next).collect()
}

/// The best matching part of a text as plain text, or else its beginning.
pub fn excerpt(markdown: &str, words: &str) -> String {
    let plain = lore_markup::to_text(markdown);
    match lore_search::snippet(&plain, words, EXCERPT).text {
        snippet if !snippet.is_empty() => snippet,
        _ => beginning(&plain),
    }
}

/// A search score as a number from 0 to 1, rounded to three digits.
pub fn relevance(score: f32) -> f64 {
    (f64::from(score).clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

//! Finding articles by what they say: the one search, with a relevance from 0 to 1. What came in
//! by other doors is found as an article, too.

use std::collections::BTreeSet;

use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_core::{Error, Result, Viewer};
use lore_search::{Filter, Hit, Query, Unit};

use super::assemble::beginning;
use super::source::{Atlas, Listed};
use super::{head, keys, mentions};
use crate::play::word;

/// How much of a text is shown around what answers, in characters.
const EXCERPT: usize = 240;
/// Longest question, in characters.
const QUERY_MAX: usize = 1_000;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArticleQuery {
    /// Any words.
    pub words: String,
    /// In which world; when absent, in the present one, or in all of a service.
    pub world: Option<String>,
    /// Who shall be answered. The own world knows its viewers itself.
    pub audience: Audience,
    /// The articles of a service that are looked for in their copies, by their ids: the service
    /// itself is not asked for them.
    pub copied: BTreeSet<String>,
    /// Leave out this many first.
    pub offset: usize,
    /// At most this many.
    pub limit: usize,
}

/// Who a service is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The game master's side: everything is searched.
    GmSide,
    /// Everybody: nothing that is hidden has a part in the answer.
    Everybody,
}

impl Audience {
    /// Whom a viewer is to be counted among.
    pub fn of(viewer: &Viewer) -> Self {
        if viewer.sees_gm_side() { Self::GmSide } else { Self::Everybody }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundArticles {
    /// The articles, best first.
    pub articles: Vec<FoundArticle>,
    /// How many answer: so many rows all pages have together.
    pub total: usize,
    /// The share of the world's articles that was searched, from 0 to 1.
    pub searched: f64,
}

/// An article that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundArticle {
    /// The reference to it.
    pub article: Object,
    /// The part that answers best, in plain words: names stand in the place of mentions.
    pub excerpt: String,
    /// How well, from 0 to 1.
    pub relevance: f64,
    /// The reference to its world.
    pub world: Object,
}

impl ArticleQuery {
    /// What is looked for, if it can be.
    pub fn checked_words(&self) -> Result<&str> {
        let words = self.words.trim();
        if words.is_empty() {
            return Err(Error::invalid("query", "is empty", "give the words to look for"));
        }
        lore_core::names::checked_length("query", words, QUERY_MAX)?;
        Ok(words)
    }

    /// The part of all answers that is wanted.
    pub(super) fn page<T>(&self, answers: Vec<T>) -> impl Iterator<Item = T> {
        answers.into_iter().skip(self.offset).take(self.limit.clamp(1, PAGE_MAX))
    }
}

impl Atlas {
    /// Articles that answer a question, best first.
    pub(super) async fn search_articles(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        let words = query.checked_words()?;
        let place = self.in_world(query.world.as_deref()).await?;
        let hits = place.answering(words).await?;
        let total = hits.len();
        let articles = place.rows(query.page(hits).collect(), words).await?;
        Ok(FoundArticles { articles, total, searched: 1.0 })
    }

    /// Answers as they are told.
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

    /// The same in every world that the caller can enter, where none is named. Nothing that is
    /// hidden from everybody has a part in an answer for everybody.
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

    /// Everything that answers a question as an article, best first.
    pub(super) async fn answering(&self, words: &str) -> Result<Vec<Hit>> {
        let except_kinds = keys::never_articles().map(word).collect::<Result<_>>()?;
        let filter = Filter { except_kinds, ..Filter::default() };
        let asked = Query { filter, unit: Unit::Node, ..Query::new(words, usize::MAX) };
        self.app().whole(self.viewer(), &asked).await
    }

    /// An answer as it is told, with the part that answers best.
    pub(super) async fn told(
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

/// Two lists of answers as one, the better first. Each keeps its own order, which is not by
/// relevance alone.
pub(super) fn in_order<T>(first: Vec<T>, second: Vec<T>, relevance: impl Fn(&T) -> f64) -> Vec<T> {
    let mut first = first.into_iter().peekable();
    let mut second = second.into_iter().peekable();
    let next = || match (first.peek(), second.peek()) {
        (Some(one), Some(other)) if relevance(other) > relevance(one) => second.next(),
        (Some(_), _) => first.next(),
        (None, _) => second.next(),
    };
    std::iter::from_fn(next).collect()
}

/// The part of a text that answers best, else how it begins, in plain words.
pub fn excerpt(markdown: &str, words: &str) -> String {
    let plain = lore_markup::to_text(markdown);
    match lore_search::snippet(&plain, words, EXCERPT).text {
        snippet if !snippet.is_empty() => snippet,
        _ => beginning(&plain),
    }
}

/// A score of the search as a share of 1, with three digits.
pub fn relevance(score: f32) -> f64 {
    (f64::from(score).clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

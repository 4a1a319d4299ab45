//! Searching a service, which has no search of its own.
//!
//! What was copied here and has not changed there since is found by the one search over the own
//! world, as if the service were not there. The rest is found by what is known of it. Whether
//! somebody may see an article is what the service says.

use std::collections::HashMap;

use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_core::{NodeId, Result};
use lore_search::Hit;

use super::find::{ArticleQuery, Audience, FoundArticle, FoundArticles, relevance};
use super::screened::{PAGES_MAX, Screened};
use super::sight::is_open;
use super::source::Listed;
use super::taken::id_of;

/// An article that answers.
enum Answer {
    /// By its copy, which is told in full when it is shown.
    Copied(Box<(Hit, Listed)>),
    /// By what is known of it.
    Known(Box<FoundArticle>),
}

/// Answers, best first, and how many there are in all.
struct Answers {
    best: Vec<Answer>,
    total: usize,
}

impl Screened {
    /// Articles that answer a question, best first.
    pub(super) async fn search_both(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        let words = query.checked_words()?;
        let copies = self.good_copies(query.world.as_deref()).await?;
        let audience = Audience::of(&self.viewer);
        let ids = copies.values().filter_map(|listed| id_of(&listed.article));
        let query = ArticleQuery { copied: ids.collect(), audience, ..query.clone() };
        let copied = self.among_copies(words, copies).await?;
        let (known, searched) = self.among_known(&query).await?;
        let total = copied.total + known.total;
        let mut articles = Vec::new();
        for answer in query.page(merged(copied.best, known.best)) {
            articles.push(match answer {
                Answer::Known(found) => *found,
                Answer::Copied(copied) => self.here.told(&copied.0, copied.1, words).await?,
            });
        }
        if audience == Audience::Everybody {
            self.without_hidden(&mut articles, query.world.as_deref()).await?;
        }
        Ok(FoundArticles { articles, total, searched })
    }

    /// The articles whose copies say what they say now, by the nodes that are these.
    async fn good_copies(&self, world: Option<&str>) -> Result<HashMap<NodeId, Listed>> {
        let copies = self.here.copied_articles().await?;
        if copies.is_empty() {
            return Ok(HashMap::new());
        }
        let dates = copies.iter().map(|(_, seen)| (seen.id.clone(), seen.date.clone())).collect();
        let good = self.inner.unchanged(world, &dates).await?.into_iter();
        let mut good: HashMap<String, Listed> =
            good.filter_map(|listed| Some((id_of(&listed.article)?, listed))).collect();
        let copies = copies.into_iter();
        Ok(copies.filter_map(|(node, seen)| Some((node, good.remove(&seen.id)?))).collect())
    }

    /// Answers among copies. What else is in the own world is not the service's.
    async fn among_copies(
        &self,
        words: &str,
        mut copies: HashMap<NodeId, Listed>,
    ) -> Result<Answers> {
        copies.retain(|_, listed| self.shows(&listed.article));
        if copies.is_empty() {
            return Ok(Answers { best: Vec::new(), total: 0 });
        }
        let copied = self.here.answering(words).await?.into_iter().filter_map(|hit| {
            let listed = copies.remove(&hit.key.node)?;
            Some(Answer::Copied(Box::new((hit, listed))))
        });
        let best: Vec<Answer> = copied.collect();
        Ok(Answers { total: best.len(), best })
    }

    /// Answers among what is known of the rest, as many as are wanted, and the share of all
    /// articles that was searched. What the viewer may not see is not counted.
    async fn among_known(&self, query: &ArticleQuery) -> Result<(Answers, f64)> {
        let mut answers = Answers { best: Vec::new(), total: 0 };
        let wanted = query.offset.saturating_add(query.limit);
        let sees_all = self.viewer.sees_gm_side();
        let mut searched = 1.0;
        for page in 0..PAGES_MAX {
            let (offset, limit) = (page * PAGE_MAX, PAGE_MAX);
            let found = self.inner.search(&ArticleQuery { offset, limit, ..query.clone() }).await?;
            searched = found.searched;
            let is_last = found.articles.len() < PAGE_MAX;
            let shown = found.articles.into_iter().filter(|found| self.shows(&found.article));
            answers.best.extend(shown.map(|found| Answer::Known(Box::new(found))));
            answers.total = if sees_all { found.total } else { answers.best.len() };
            if is_last || sees_all && answers.best.len() >= wanted {
                break;
            }
        }
        Ok((answers, searched))
    }

    fn shows(&self, article: &Object) -> bool {
        self.viewer.sees_gm_side() || is_open(Kind::Article, article)
    }
}

impl Answer {
    fn relevance(&self) -> f64 {
        match self {
            Self::Copied(copied) => relevance(copied.0.score),
            Self::Known(found) => found.relevance,
        }
    }
}

/// Both together. Each keeps its own order, which is not by relevance alone.
fn merged(copied: Vec<Answer>, known: Vec<Answer>) -> Vec<Answer> {
    let mut copied = copied.into_iter().peekable();
    let mut known = known.into_iter().peekable();
    let next = || match (copied.peek(), known.peek()) {
        (Some(here), Some(there)) if there.relevance() > here.relevance() => known.next(),
        (Some(_), _) => copied.next(),
        (None, _) => known.next(),
    };
    std::iter::from_fn(next).collect()
}

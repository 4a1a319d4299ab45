//! Searches a service that has no search of its own.
//!
//! Articles that were copied here and have not changed on the service since are found by searching
//! the local copies. The others are found by what the connector knows of them. The service decides
//! who may see an article.

use std::collections::HashMap;

use lore_anvil::{Kind, Object, PAGE_MAX, as_everybody_sees};
use lore_core::{NodeId, Result};
use lore_search::Hit;

use super::Screened;
use crate::atlas::ids::id_of;
use crate::atlas::read::find::{
    ArticleQuery, Audience, FoundArticle, FoundArticles, in_order, relevance,
};
use crate::atlas::sight::is_open;
use crate::atlas::source::Listed;

/// An article that matches.
enum Answer {
    /// Found by its local copy. The details are read only if it is shown.
    Copied(Box<(Hit, Listed)>),
    /// Found by what the connector knows of it.
    Known(Box<FoundArticle>),
}

/// Hits, best first, and their total number.
struct Answers {
    best: Vec<Answer>,
    total: usize,
}

impl Screened {
    /// Searches articles in copies and on the service, best first.
    pub(super) async fn search_both(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        let words = query.checked_words()?;
        let audience = Audience::of(&self.viewer);
        let asked = ArticleQuery { audience, ..query.clone() };
        if let Some(found) = self.inner.searched(&asked).await? {
            return Ok(found);
        }
        let copies = self.good_copies(query.world.as_deref()).await?;
        let ids = copies.values().filter_map(|listed| id_of(&listed.article));
        let query = ArticleQuery { copied: ids.collect(), audience, ..query.clone() };
        let copied = self.among_copies(words, copies).await?;
        let (known, searched) = self.among_known(&query).await?;
        let total = copied.total + known.total;
        let mut articles = Vec::new();
        for answer in query.page(in_order(copied.best, known.best, Answer::relevance)) {
            articles.push(match answer {
                Answer::Known(found) => *found,
                Answer::Copied(copied) => self.here.told(&copied.0, copied.1, words).await?,
            });
        }
        if audience == Audience::Everybody {
            self.without_hidden(&mut articles, query.world.as_deref()).await?;
            for found in &mut articles {
                found.article = as_everybody_sees(std::mem::take(&mut found.article));
            }
        }
        for found in &mut articles {
            found.article = self.settled(Kind::Article, std::mem::take(&mut found.article));
        }
        Ok(FoundArticles { articles, total, searched })
    }

    /// The articles whose copies are up to date, by the nodes of the copies.
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

    /// Searches the copies. Other nodes of the local world are ignored: they do not belong to the
    /// service.
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

    /// Searches the remaining articles. Returns as many hits as are needed, and the fraction of all
    /// articles that was searched. Articles that the viewer may not see are not counted.
    async fn among_known(&self, query: &ArticleQuery) -> Result<(Answers, f64)> {
        let sees_all = self.viewer.sees_gm_side();
        // For viewers who do not see everything, all hits are needed: where the hidden ones rank is
        // unknown.
        let wanted = query.offset.saturating_add(query.limit.min(PAGE_MAX));
        let limit = if sees_all { wanted } else { usize::MAX };
        let found = self.inner.search(&ArticleQuery { offset: 0, limit, ..query.clone() }).await?;
        let shown = found.articles.into_iter().filter(|found| self.shows(&found.article));
        let best: Vec<Answer> = shown.map(|found| Answer::Known(Box::new(found))).collect();
        let total = if sees_all { found.total } else { best.len() };
        Ok((Answers { best, total }, found.searched))
    }

    fn shows(&self, article: &Object) -> bool {
        self.viewer.sees_gm_side() || is_open(Kind::Article, &as_everybody_sees(article.clone()))
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

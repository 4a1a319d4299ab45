//! Search at the service itself. World Anvil has no search endpoint, but another Lorewell server
//! behind the same API has one, at the path that the tool contract expects.

use std::sync::atomic::Ordering;

use lore_anvil::{Cache as Class, Kind, Object, PAGE_MAX};
use lore_app::atlas::{ArticleQuery, Audience, FoundArticle, FoundArticles};
use lore_core::{Error, Result};
use serde_json::{Value, json};

use super::WorldAnvil;
use super::shape::Wanted;
use super::wire::{Asking, Verb};

/// The path of the article search.
const SEARCH: &str = "article/search";
/// The `audience` value of an answer that contains nothing hidden.
const EVERYBODY: &str = "everybody";

impl WorldAnvil {
    /// Returns what the service finds, or `None` if it has no search.
    pub(super) async fn ask_search(&self, query: &ArticleQuery) -> Result<Option<FoundArticles>> {
        if self.has_no_search.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let world = match query.world.as_deref().filter(|world| !world.trim().is_empty()) {
            Some(world) => Some(self.world_called(world).await?),
            None => None,
        };
        if let Some(id) = &world {
            // An unknown world must be an error even if the service has no search.
            self.known_world(id).await?;
        }
        let body = body(query, world)?;
        let asking = Asking::new(Verb::Post, SEARCH).body(body);
        match self.ask_kept(Class::Search, asking, Wanted::Several(Kind::Article)).await {
            Ok(answer) => Ok(found(&answer).filter(|_| is_for(query.audience, &answer))),
            Err(error @ (Error::Throttled { .. } | Error::Unavailable { .. })) => Err(error),
            Err(_) => {
                self.has_no_search.store(true, Ordering::Relaxed);
                Ok(None)
            }
        }
    }
}

fn body(query: &ArticleQuery, world: Option<String>) -> Result<Value> {
    let limit = query.limit.clamp(1, PAGE_MAX);
    let mut body = json!({
        "query": query.checked_words()?, "limit": limit.to_string(),
        "offset": query.offset.to_string(),
    });
    let world = world.map(|id| ("world", json!({ "id": id })));
    let audience = (query.audience == Audience::Everybody).then(|| ("audience", json!(EVERYBODY)));
    if let Value::Object(fields) = &mut body {
        let more = world.into_iter().chain(audience);
        fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(body)
}

/// Whether an answer is restricted to what its audience may see. An answer that does not say so may
/// contain hidden articles.
fn is_for(audience: Audience, answer: &Object) -> bool {
    let said = answer.get("meta").and_then(|meta| meta.get("audience")).and_then(Value::as_str);
    audience == Audience::GmSide || said == Some(EVERYBODY)
}

fn found(answer: &Object) -> Option<FoundArticles> {
    let rows = answer.get("entities")?.as_array()?;
    let total = answer.get("meta")?.get("total")?.as_u64()?;
    Some(FoundArticles {
        articles: rows.iter().map(row).collect::<Option<_>>()?,
        total: usize::try_from(total).ok()?,
        searched: 1.0,
    })
}

fn row(row: &Value) -> Option<FoundArticle> {
    Some(FoundArticle {
        article: row.as_object()?.clone(),
        excerpt: row.get("excerpt")?.as_str()?.to_owned(),
        relevance: row.get("relevance")?.as_f64()?,
        world: row.get("world")?.as_object()?.clone(),
    })
}

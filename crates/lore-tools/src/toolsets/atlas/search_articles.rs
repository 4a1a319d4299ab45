//! `search_articles`: full-text and semantic search for articles.

use std::collections::BTreeSet;

use lore_anvil::{Kind, PAGE_MAX, Shape, shown};
use lore_app::atlas::{ArticleQuery, Audience, FoundArticle};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::source;
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct SearchArticles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Words or a question.
    query: String,
    world_id: Option<String>,
    #[serde(default = "most")]
    #[schemars(range(min = 1, max = 50))]
    limit: usize,
    #[serde(default)]
    offset: usize,
}

fn most() -> usize {
    PAGE_MAX
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// Always true; failures are errors.
    success: bool,
    /// Articles, best match first.
    entities: Vec<Found>,
    /// The page of results.
    meta: Meta,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// Id of the article.
    id: String,
    /// Title of the article.
    title: String,
    /// The part of the text that matches best.
    excerpt: String,
    /// URL of the article.
    url: String,
    /// How well it matches, 0 to 1.
    relevance: f64,
    /// Its world: id, title and url.
    world: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
struct Meta {
    /// Total number of matches.
    total: usize,
    /// Number of results skipped.
    offset: usize,
    /// Maximum number of results.
    limit: usize,
    /// Share of the world's articles that was searched, 0 to 1.
    searched: f64,
}

impl ToolSpec for SearchArticles {
    const NAME: &'static str = "search_articles";
    const TOOLSET: Toolset = Toolset::Atlas;
    const TITLE: &'static str = "Search articles";
    const DESCRIPTION: &'static str = "Find articles by words in titles, texts and tags, and by \
        meaning. Use list_articles to go through all of them, get_article to read one. Returns \
        entities with an excerpt and a relevance from 0 to 1, best first.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "query": "who guards the keep" })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let limit = input.limit.clamp(1, PAGE_MAX);
        let query = ArticleQuery {
            words: input.query,
            world: input.world_id,
            audience: Audience::of(&call.viewer),
            copied: BTreeSet::new(),
            offset: input.offset,
            limit,
        };
        let found = source(&call, Self::NAME).search(&query).await?;
        let meta =
            Meta { total: found.total, offset: query.offset, limit, searched: found.searched };
        let entities = found.articles.into_iter().map(Found::from).collect();
        Ok(Output { success: true, entities, meta })
    }
}

impl From<FoundArticle> for Found {
    fn from(found: FoundArticle) -> Self {
        let text = |name: &str| match found.article.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let world = match shown(Kind::World, &found.world, 0, Shape::Compact) {
            Value::Object(world) => world,
            _ => Map::new(),
        };
        let wanted = ["id", "title", "url"];
        Self {
            id: text("id"),
            title: text("title"),
            url: text("url"),
            excerpt: found.excerpt,
            relevance: found.relevance,
            world: world.into_iter().filter(|(name, _)| wanted.contains(&name.as_str())).collect(),
        }
    }
}

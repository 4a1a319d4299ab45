//! The client for World Anvil (`WORLD_ANVIL_APP_KEY` and `WORLD_ANVIL_TOKEN`).
//!
//! It uses the routes in the table of `lore_anvil`: GET for one object, POST for lists, PUT, PATCH
//! and DELETE for writes. Answers are cached for as long as their class permits, secrets never, and
//! concurrent identical requests are sent once. Requests are paced. An answer counts as success
//! only if its body says so: an HTML page or `success: false` with status 200 is a failure.

mod archive;
mod asked;
mod cache;
mod convert;
mod fault;
mod lists;
mod lost;
mod places;
mod search;
mod shape;
mod wire;
mod worlds;
mod write;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;
use lore_anvil::{Cache as Class, Kind, Object, Sensitivity};
use lore_app::atlas::{Anvil, ArticleQuery, FoundArticles, ListQuery, Listed, Rows};
use lore_core::{Effects, Error, Result};
use lore_net::{Network, Secret};
use serde_json::{Value, json};

pub use archive::Archive;
use cache::Cache;
use convert::{canonical, inward, text_of};
use places::Places;
use search::Known;
use shape::Wanted;
use wire::Watched;
pub use wire::{Answered, Asking, Verb, Wire};

/// The address of World Anvil's API.
pub const URL: &str = "https://www.worldanvil.com/api/external/boromir";

/// The address of the API and the credentials for it.
#[derive(Debug, Clone)]
pub struct Config {
    /// The base address of the API.
    pub url: String,
    /// The key of the application.
    pub app_key: Secret,
    /// The token of the user.
    pub token: Secret,
}

/// A client for World Anvil's API.
pub struct WorldAnvil {
    wire: Arc<Watched>,
    cache: Cache,
    known: Known,
    places: Places,
    /// Whether the service answered that it has no search of its own.
    has_no_search: AtomicBool,
}

impl WorldAnvil {
    /// Prepares the client; sends nothing yet.
    pub fn new(network: &Network, effects: &Effects, config: &Config) -> Result<Self> {
        Ok(Self::over(Arc::new(wire::Http::new(network, config)?), effects.clone()))
    }

    /// A client over any transport.
    pub fn over(wire: Arc<dyn Wire>, effects: Effects) -> Self {
        Self {
            wire: Arc::new(Watched::new(wire)),
            cache: Cache::new(effects),
            known: Known::default(),
            places: Places::default(),
            has_no_search: AtomicBool::new(false),
        }
    }

    /// Sends a request and interprets the answer.
    async fn ask(&self, asking: &Asking) -> Result<Object> {
        fault::understood(asking, self.wire.send(asking).await?)
    }

    /// Sends a request through the cache and checks that the answer has the wanted shape.
    async fn ask_kept(&self, class: Class, asking: Asking, wanted: Wanted) -> Result<Object> {
        if class == Class::Never {
            return wanted.checked(&asking, self.ask(&asking).await?);
        }
        let wire = Arc::clone(&self.wire);
        let key = asking.key();
        let work = async move {
            let answer = fault::understood(&asking, wire.send(&asking).await?)?;
            wanted.checked(&asking, answer)
        };
        self.cache.get(class, key, work).await
    }

    /// Reads one object as the service has it, trying both paths of its kind.
    async fn one(&self, kind: Kind, id: &str, granularity: i8) -> Result<Object> {
        let row = kind.row();
        let asking = |path| {
            let granularity = granularity.to_string();
            Asking::get(path).with("id", id).with("granularity", &granularity)
        };
        let wanted = Wanted::One(kind);
        let found = self.ask_kept(row.cache, asking(row.path), wanted).await;
        let found = match (found, row.other_path) {
            (Err(Error::NotFound { .. } | Error::Precondition { .. }), Some(other)) => {
                self.ask_kept(row.cache, asking(other), wanted).await
            }
            (found, _) => found,
        };
        Ok(inward(kind, found.map_err(|error| named(kind, id, error))?))
    }

    /// Reads a category and adds the number of its articles, which the service does not send.
    async fn category(&self, id: &str, granularity: i8) -> Result<Object> {
        let mut category = self.one(Kind::Category, id, granularity).await?;
        let world =
            category.get("world").and_then(Value::as_object).map(|world| text_of(world, "id"));
        if world.is_some() && category.get(lists::COUNT).is_none_or(Value::is_null) {
            let category_id = Some(id.to_owned());
            let inside = ListQuery { world, category: category_id, ..ListQuery::of(Kind::Article) };
            let total = self.list_rows(&inside).await?.total;
            category.insert(lists::COUNT.into(), json!(total));
        }
        Ok(category)
    }

    /// Reads a notebook and adds the notes of its sections; the service sends only the sections.
    async fn notebook(&self, id: &str, granularity: i8) -> Result<Object> {
        let mut notebook = self.one(Kind::Notebook, id, granularity).await?;
        let sections = notebook.get("notesections").and_then(Value::as_array);
        let Some(sections) = sections.filter(|_| !notebook.contains_key(NOTES)) else {
            return Ok(notebook);
        };
        let sections = sections.iter().filter_map(Value::as_object);
        let sections: Vec<String> = sections.map(|section| text_of(section, "id")).collect();
        let mut notes = Vec::new();
        for section in sections {
            let parent = Some((Kind::NoteSection, section));
            let inside = ListQuery { parent, ..ListQuery::of(Kind::Note) };
            match self.every_row(&inside).await {
                Ok(rows) => notes.extend(rows.into_iter().map(Value::Object)),
                // The section exists although its notes cannot be listed.
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        notebook.insert(NOTES.into(), Value::Array(notes));
        Ok(notebook)
    }

    /// Returns the user the token belongs to.
    async fn me(&self, granularity: i8) -> Result<Object> {
        let identity = Asking::get("identity");
        let mut me = self.ask_kept(Class::User, identity, Wanted::One(Kind::User)).await?;
        let id = text_of(&me, "id");
        if granularity >= 0 {
            match self.one(Kind::User, &id, granularity).await {
                Ok(more) => me.extend(more),
                // Some accounts may not read their own profile; the identity is known anyway.
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => {}
                Err(other) => return Err(other),
            }
            // The user is cached for longer than the list of worlds, so worlds are counted
            // separately.
            let worlds = self.list_rows(&ListQuery::of(Kind::World)).await?;
            me.insert("worldCount".into(), json!(worlds.total));
        }
        Ok(inward(Kind::User, me))
    }

    /// Completes the result of a list request: an error says what does not exist, and articles are
    /// added to the search index.
    async fn taken_in(&self, query: &ListQuery, found: Result<Rows>) -> Result<Rows> {
        let found = match found {
            Err(error @ Error::NotFound { .. }) => return Err(self.whose_list(query, error).await),
            found => found?,
        };
        // Some services return an empty list for an unknown category.
        if found.total == 0 {
            self.check_category(query).await?;
        }
        if query.kind == Kind::Article {
            self.learn_rows(&found.rows);
        }
        Ok(found)
    }

    /// Adds articles from list rows to the search index. Cached articles that the list says have
    /// changed are dropped, so that they are read again when needed.
    fn learn_rows(&self, rows: &[Object]) {
        let behind = rows.iter().filter(|row| self.known.is_behind(row));
        let behind: Vec<String> =
            behind.map(|row| format!("{ARTICLE}id={}&", text_of(row, "id"))).collect();
        if !behind.is_empty() {
            self.cache.forget(|key| behind.iter().any(|start| key.starts_with(start.as_str())));
        }
        rows.iter().for_each(|row| self.known.learn(row));
    }

    /// Reads one article and updates the search index; an article that is gone is removed from it.
    async fn article(&self, id: &str, granularity: i8) -> Result<Object> {
        let found = match self.one(Kind::Article, id, granularity).await {
            Err(error @ Error::NotFound { .. }) => {
                if self.known.knows(id) {
                    self.known.forget(id);
                    self.cache.forget(|key| key.starts_with(ARTICLES));
                }
                return Err(error);
            }
            found => found?,
        };
        // An article that no list has shown yet is newer than the cached lists.
        if !self.known.knows(&text_of(&found, "id")) {
            self.cache.forget(|key| key.starts_with(ARTICLES));
        }
        let mut told = found.clone();
        if granularity < FULL {
            // At this granularity some sections of the template are missing.
            told.shift_remove("sections");
        }
        self.known.learn(&told);
        Ok(found)
    }
}

#[async_trait]
impl Anvil for WorldAnvil {
    async fn read(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object> {
        let id = match (kind, id) {
            (Kind::World, Some(world)) => Some(self.world_called(world).await?),
            (_, id) => id.map(canonical),
        };
        match (kind, id.as_deref()) {
            (Kind::User, None) => self.me(granularity).await,
            (Kind::World, None) => {
                let id = self.present_world().await?;
                self.one(kind, &id, granularity).await
            }
            (Kind::Category, Some(id)) => self.category(id, granularity).await,
            (Kind::Notebook, Some(id)) => self.notebook(id, granularity).await,
            (Kind::Article, Some(id)) => self.article(id, granularity).await,
            (_, Some(id)) => self.one(kind, id, granularity).await,
            (_, None) => {
                let name = kind.row().id_argument;
                Err(Error::invalid(name, "is required", "give it"))
            }
        }
    }

    async fn list(&self, query: &ListQuery) -> Result<Rows> {
        let query = &self.in_its_world(query).await?;
        self.check_world(query).await?;
        let found = self.list_rows(query).await;
        self.taken_in(query, found).await
    }

    async fn list_whole(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let query = &self.in_its_world(query).await?;
        self.check_world(query).await?;
        let found = self.every_row(query).await.map(|rows| Rows { total: rows.len(), rows });
        Ok(self.taken_in(query, found).await?.rows)
    }

    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        let words = query.checked_words()?;
        let places = self.places(query.world.as_deref()).await?;
        let worlds: Vec<String> = places.iter().map(|place| text_of(&place.world, "id")).collect();
        let (worlds, age) = (worlds.join(" "), self.known.age());
        let copied = search::print(&query.copied);
        let key = format!("{worlds} {age} {:?} {copied:x} {words}", query.audience);
        let ranked = self.cache.kept(Class::Search, &key).unwrap_or_else(|| {
            let ranked = self.known.rank(words, query, &places);
            self.cache.keep(Class::Search, key, ranked.clone());
            ranked
        });
        Ok(search::page(&ranked, query, &places))
    }

    async fn searched(&self, query: &ArticleQuery) -> Result<Option<FoundArticles>> {
        self.ask_search(query).await
    }

    async fn unchanged(
        &self,
        world: Option<&str>,
        copies: &HashMap<String, Option<String>>,
    ) -> Result<Vec<Listed>> {
        let places = self.places(world).await?;
        let listed = places.iter().flat_map(|place| {
            let good = place.articles.iter().filter(|row| self.known.is_good(row, copies));
            good.map(|row| Listed { article: row.clone(), world: place.world.clone() })
        });
        Ok(listed.collect())
    }

    fn refuses_keys(&self) -> bool {
        self.wire.refuses_keys()
    }

    async fn create(&self, kind: Kind, fields: &Object) -> Result<Object> {
        self.make(kind, fields).await
    }

    async fn update(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object> {
        self.change(kind, &canonical(id), fields).await
    }

    async fn delete(&self, kind: Kind, id: &str) -> Result<()> {
        self.remove(kind, &canonical(id)).await
    }
}

/// The granularity that includes all texts of an article.
const FULL: i8 = 2;
/// The field of a notebook with its notes.
const NOTES: &str = "notes";
/// How cache keys of article lists begin.
const ARTICLES: &str = "world/articles?";
/// How cache keys of single articles begin.
const ARTICLE: &str = "article?";

/// Turns a "not found" into one that names the requested object.
fn named(kind: Kind, id: &str, error: Error) -> Error {
    let row = kind.row();
    let what = format!("{} {}", row.one, id.chars().take(100).collect::<String>());
    match (error, row.list_tool) {
        (Error::NotFound { .. }, Some(list)) => {
            Error::not_found(what, format!("{list} lists the ids there are"))
        }
        (Error::NotFound { .. }, None) if kind == Kind::User => {
            Error::not_found(what, "leave it out: only you are known here")
        }
        (Error::NotFound { .. }, None) => Error::not_found(what, "check the id"),
        (other, _) => other,
    }
}

/// Returns the cache class for lists of a kind.
fn list_class(kind: Kind) -> Class {
    match kind.row().sensitivity {
        Sensitivity::Secret => Class::Never,
        Sensitivity::Open => Class::List,
    }
}

#[cfg(test)]
mod tests;

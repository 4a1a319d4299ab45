//! A fake service or archive with the objects that a test puts into it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use lore_anvil::{Form, Kind, Object};
use lore_app::atlas::{
    Anvil, ArticleQuery, Atlas, Extent, FoundArticle, FoundArticles, ListQuery, Listed, Rows,
    Synced,
};
use lore_core::{Error, Result};
use serde_json::{Value, json};

use crate::world::{World, object};

pub(crate) struct There {
    extent: Extent,
    rows: RowsTell,
    things: Mutex<BTreeMap<Kind, Vec<Object>>>,
    /// A kind that may not be listed.
    pub(crate) forbidden: Mutex<Option<Kind>>,
    /// A kind whose list is not found.
    pub(crate) missing: Mutex<Option<Kind>>,
    /// Ids of objects that are listed but cannot be read.
    pub(crate) silent: Mutex<Vec<String>>,
    /// A kind that is listed without ids.
    pub(crate) nameless: Mutex<Option<Kind>>,
}

/// How much the rows of a list contain.
enum RowsTell {
    /// As little as the rows of the real service.
    Heads,
    Everything,
}

impl There {
    /// Creates an empty service.
    pub(crate) fn new(extent: Extent) -> Self {
        Self {
            extent,
            rows: RowsTell::Heads,
            things: Mutex::default(),
            forbidden: Mutex::default(),
            missing: Mutex::default(),
            silent: Mutex::default(),
            nameless: Mutex::default(),
        }
    }

    /// Creates a service with these objects, whose lists contain everything.
    pub(crate) fn holding(extent: Extent, things: Vec<(Kind, Value)>) -> Self {
        let there = Self { rows: RowsTell::Everything, ..Self::new(extent) };
        things.into_iter().for_each(|(kind, thing)| there.put(kind, thing));
        there
    }

    /// Adds an object, replacing one with the same id.
    pub(crate) fn put(&self, kind: Kind, thing: Value) {
        let thing = object(thing);
        self.remove(kind, &id_of(&thing));
        self.things.lock().unwrap().entry(kind).or_default().push(thing);
    }

    pub(crate) fn remove(&self, kind: Kind, id: &str) {
        let mut things = self.things.lock().unwrap();
        things.entry(kind).or_default().retain(|thing| id_of(thing) != id);
    }

    pub(crate) async fn copied(&self, world: &World) -> Synced {
        self.try_copy(world).await.unwrap()
    }

    pub(crate) async fn try_copy(&self, world: &World) -> Result<Synced> {
        let here = Atlas::new(world.app.clone(), world.owner, "test", "test".into());
        here.copy_from(self, None, &|_| {}).await
    }

    fn of(&self, kind: Kind) -> Vec<Object> {
        self.things.lock().unwrap().get(&kind).cloned().unwrap_or_default()
    }

    fn row(&self, thing: Object, is_nameless: bool) -> Object {
        let id = if is_nameless { "none" } else { "id" };
        let told = [id, "title", "state", "updateDate"];
        match self.rows {
            RowsTell::Everything => thing,
            RowsTell::Heads => {
                thing.into_iter().filter(|(name, _)| told.contains(&name.as_str())).collect()
            }
        }
    }
}

#[async_trait::async_trait]
impl Anvil for There {
    fn extent(&self) -> Extent {
        self.extent
    }

    async fn read(&self, kind: Kind, id: Option<&str>, _: i8) -> Result<Object> {
        let mut all = self.of(kind).into_iter();
        if kind == Kind::World {
            return Ok(all.next().unwrap_or_else(the_world));
        }
        if self.silent.lock().unwrap().iter().any(|silent| Some(silent.as_str()) == id) {
            return Err(Error::Unavailable { what: "the service".into() });
        }
        let found = all.find(|thing| Some(id_of(thing).as_str()) == id);
        found.ok_or_else(|| Error::not_found("it", "look elsewhere"))
    }

    async fn list(&self, query: &ListQuery) -> Result<Rows> {
        if *self.forbidden.lock().unwrap() == Some(query.kind) {
            let action = "this account may not see it (403)".into();
            return Err(Error::Forbidden { action, hint: "ask".into() });
        }
        if *self.missing.lock().unwrap() == Some(query.kind) {
            return Err(Error::not_found("the list", "look elsewhere"));
        }
        let below = |thing: &Object| {
            query.parent.as_ref().is_none_or(|parent| is_below(query.kind, thing, parent))
        };
        let is_nameless = *self.nameless.lock().unwrap() == Some(query.kind);
        let all = self.of(query.kind).into_iter().filter(below);
        let rows: Vec<Object> = all.map(|thing| self.row(thing, is_nameless)).collect();
        Ok(Rows { total: rows.len(), rows })
    }

    async fn unchanged(
        &self,
        _: Option<&str>,
        copies: &HashMap<String, Option<String>>,
    ) -> Result<Vec<Listed>> {
        let articles = self.of(Kind::Article).into_iter();
        let copied = articles.filter(|article| copies.contains_key(&id_of(article)));
        Ok(copied.map(|article| Listed { article, world: the_world() }).collect())
    }

    /// Finds articles whose text contains the words, except those that were copied.
    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        let text = |article: &Object| article["content"].as_str().unwrap().to_owned();
        let mut articles = self.of(Kind::Article);
        articles.retain(|article| !query.copied.contains(&id_of(article)));
        articles.retain(|article| text(article).contains(&query.words));
        let found = articles.into_iter().map(|article| FoundArticle {
            excerpt: text(&article),
            article,
            relevance: 1.0,
            world: the_world(),
        });
        let articles: Vec<FoundArticle> = found.collect();
        Ok(FoundArticles { total: articles.len(), articles, searched: 1.0 })
    }

    async fn create(&self, _: Kind, _: &Object) -> Result<Object> {
        panic!("nobody writes here")
    }

    async fn update(&self, _: Kind, _: &str, _: &Object) -> Result<Object> {
        panic!("nobody writes here")
    }

    async fn delete(&self, _: Kind, _: &str) -> Result<()> {
        panic!("nobody writes here")
    }
}

pub(crate) fn uid(number: u32) -> String {
    format!("0190a1b2-0000-7000-8000-{number:012}")
}

fn the_world() -> Object {
    object(json!({ "id": "w", "title": "There" }))
}

fn id_of(thing: &Object) -> String {
    thing["id"].as_str().map_or_else(|| thing["id"].to_string(), str::to_owned)
}

fn is_below(kind: Kind, thing: &Object, (parent, id): &(Kind, String)) -> bool {
    let is_it = |form: Form| matches!(form, Form::One(to, _) if to == *parent);
    let field = kind.row().fields.iter().find(|field| is_it(field.form));
    let above = field.and_then(|field| thing.get(field.name));
    above.and_then(Value::as_object).is_some_and(|above| id_of(above) == *id)
}

//! World Anvil itself: `WORLD_ANVIL_APP_KEY` and `WORLD_ANVIL_TOKEN`.
//!
//! Speaks the API of `lore_anvil`'s table: GET one, POST lists, PUT, PATCH, DELETE. What
//! was read is kept as long as its class says, secrets never; the same question asked by
//! many at once is one request. The service is asked at a gentle pace. What it answers is
//! taken for an answer only when it says so itself: a page of HTML or `success: false`
//! with status 200 is a failure.

mod archive;
mod cache;
mod fault;
mod lists;
mod search;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use lore_anvil::{Cache as Class, Field, Form, Kind, Look, Object, Sensitivity, is_reference};
use lore_app::atlas::{Anvil, ArticleQuery, FoundArticles, ListQuery, Rows};
use lore_core::{Effects, Error, Result};
use lore_markup::{from_bbcode, to_bbcode};
use lore_net::{Network, Secret};
use serde_json::{Value, json};

pub use archive::Archive;
use cache::Cache;
use search::Known;
pub use wire::{Answered, Asking, Verb, Wire};

/// The address of the service.
pub const URL: &str = "https://www.worldanvil.com/api/external/boromir";

/// What the service wants to see.
#[derive(Debug, Clone)]
pub struct Config {
    /// The base address of the API.
    pub url: String,
    /// The key of the application.
    pub app_key: Secret,
    /// The token of the user.
    pub token: Secret,
}

/// World Anvil behind its API.
pub struct WorldAnvil {
    wire: Arc<dyn Wire>,
    cache: Cache,
    known: Known,
}

impl WorldAnvil {
    /// Prepares the service; nothing is sent yet.
    pub fn new(network: &Network, effects: &Effects, config: &Config) -> Result<Self> {
        Ok(Self::over(Arc::new(wire::Http::new(network, config)?), effects.clone()))
    }

    /// The service behind any wire.
    pub fn over(wire: Arc<dyn Wire>, effects: Effects) -> Self {
        Self { wire, cache: Cache::new(effects), known: Known::default() }
    }

    /// Asks, and takes apart what comes back.
    async fn ask(&self, asking: Asking) -> Result<Object> {
        fault::understood(&asking, self.wire.send(&asking).await?)
    }

    /// Asks for what may be kept.
    async fn ask_kept(&self, class: Class, asking: Asking) -> Result<Object> {
        if class == Class::Never {
            return self.ask(asking).await;
        }
        let wire = Arc::clone(&self.wire);
        let key = asking.key();
        let work = async move { fault::understood(&asking, wire.send(&asking).await?) };
        self.cache.get(class, key, work).await
    }

    /// One object as it is told, at either spelling of its path.
    async fn one(&self, kind: Kind, id: &str, granularity: i8) -> Result<Object> {
        let row = kind.row();
        let asking = |path| {
            let granularity = granularity.to_string();
            Asking::get(path).with("id", id).with("granularity", &granularity)
        };
        let found = self.ask_kept(row.cache, asking(row.path)).await;
        let found = match (found, row.other_path) {
            (Err(Error::NotFound { .. }), Some(other)) => {
                self.ask_kept(row.cache, asking(other)).await
            }
            (found, _) => found,
        };
        Ok(inward(kind, found.map_err(|error| named(kind, id, error))?))
    }

    /// A category, with how many articles are in it: the service does not say.
    async fn category(&self, id: &str, granularity: i8) -> Result<Object> {
        let mut category = self.one(Kind::Category, id, granularity).await?;
        let world =
            category.get("world").and_then(Value::as_object).map(|world| text_of(world, "id"));
        if world.is_some() && category.get("articleCount").is_none_or(Value::is_null) {
            let category_id = Some(id.to_owned());
            let inside = ListQuery { world, category: category_id, ..ListQuery::of(Kind::Article) };
            let total = self.list_rows(&inside).await?.total;
            category.insert("articleCount".into(), json!(total));
        }
        Ok(category)
    }

    /// Who the token belongs to.
    async fn me(&self, granularity: i8) -> Result<Object> {
        let mut me = self.ask_kept(Class::User, Asking::get("identity")).await?;
        let id = text_of(&me, "id");
        if granularity >= 0 {
            match self.one(Kind::User, &id, granularity).await {
                Ok(more) => me.extend(more),
                // Some accounts cannot read themselves; their name is known anyway.
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => {}
                Err(other) => return Err(other),
            }
            if !me.contains_key("worldCount") {
                let worlds = self.list_rows(&ListQuery::of(Kind::World)).await?;
                me.insert("worldCount".into(), json!(worlds.total));
            }
        }
        Ok(inward(Kind::User, me))
    }

    /// The world that is meant when none is named: the first of the user's.
    async fn present_world(&self) -> Result<String> {
        let worlds = self.list_rows(&ListQuery::of(Kind::World)).await?;
        let first = worlds.rows.first().map(|world| text_of(world, "id"));
        first.ok_or_else(|| Error::not_found("a world", "make one at World Anvil first"))
    }
}

#[async_trait]
impl Anvil for WorldAnvil {
    async fn read(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object> {
        let found = match (kind, id) {
            (Kind::User, None) => self.me(granularity).await?,
            (Kind::World, None) => {
                let id = self.present_world().await?;
                self.one(kind, &id, granularity).await?
            }
            (Kind::Category, Some(id)) => self.category(id, granularity).await?,
            (_, Some(id)) => self.one(kind, id, granularity).await?,
            (_, None) => {
                let name = kind.row().id_argument;
                return Err(Error::invalid(name, "is required", "give it"));
            }
        };
        if kind == Kind::Article {
            // What no list has told yet is newer than the lists that are kept.
            if !self.known.knows(&text_of(&found, "id")) {
                self.cache.forget(|key| key.starts_with(ARTICLES));
            }
            self.known.learn(&found);
        }
        Ok(found)
    }

    async fn list(&self, query: &ListQuery) -> Result<Rows> {
        let found = self.list_rows(query).await?;
        if query.kind == Kind::Article {
            found.rows.iter().for_each(|row| self.known.learn(row));
        }
        Ok(found)
    }

    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        let world = match &query.world {
            Some(world) => world.clone(),
            None => self.present_world().await?,
        };
        let world = self.one(Kind::World, &world, -1).await?;
        let listed =
            ListQuery { world: Some(text_of(&world, "id")), ..ListQuery::of(Kind::Article) };
        let words = search::words(query)?;
        let articles = self.every_row(&listed).await?;
        articles.iter().for_each(|row| self.known.learn(row));
        let key = format!("{} {} {words}", text_of(&world, "id"), self.known.age());
        let ranked = self.cache.kept(Class::Search, &key).unwrap_or_else(|| {
            let ranked = self.known.rank(words, &articles);
            self.cache.keep(Class::Search, key, ranked.clone());
            ranked
        });
        Ok(search::page(&ranked, query, &articles, &world))
    }

    async fn unread(&self, world: Option<&str>) -> Result<Vec<String>> {
        let world = match world {
            Some(world) => world.to_owned(),
            None => self.present_world().await?,
        };
        let listed = ListQuery { world: Some(world), ..ListQuery::of(Kind::Article) };
        Ok(self.known.unread(&self.every_row(&listed).await?))
    }

    fn learn(&self, article: &Object) {
        self.known.learn(article);
    }

    async fn create(&self, kind: Kind, fields: &Object) -> Result<Object> {
        let mut fields = outward(kind, fields)?;
        fields.retain(|_, value| !value.is_null());
        self.complete(kind, &mut fields).await?;
        let body = Value::Object(fields.clone());
        let made = self.write(Asking::new(Verb::Put, kind.row().path).body(body)).await?;
        let id = text_of(&made, "id");
        if id.is_empty() {
            return Err(unread(kind, "it", "World Anvil did not say which it is"));
        }
        self.read_back(kind, &id, &fields).await
    }

    async fn update(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object> {
        let mut fields = fields.clone();
        if fields.get("sections").is_some_and(Value::is_null) {
            fields.insert("sections".into(), Value::Object(self.no_sections(kind, id).await?));
        }
        let fields = outward(kind, &fields)?;
        let body = Value::Object(fields.clone());
        let asking = Asking::new(Verb::Patch, kind.row().path).with("id", id).body(body);
        self.write(asking).await.map_err(|error| named(kind, id, error))?;
        self.read_back(kind, id, &fields).await
    }

    async fn delete(&self, kind: Kind, id: &str) -> Result<()> {
        let asking = Asking::new(Verb::Delete, kind.row().path).with("id", id);
        self.write(asking).await.map_err(|error| named(kind, id, error))?;
        if kind == Kind::Article {
            self.known.forget(id);
        }
        Ok(())
    }
}

impl WorldAnvil {
    /// Fields of a new thing with those that the service wants besides.
    async fn complete(&self, kind: Kind, fields: &mut Object) -> Result<()> {
        let lacks = |name: &str| fields.get(name).is_none_or(is_blank);
        match kind {
            Kind::Article if lacks("templateType") => {
                fields.insert("templateType".into(), json!("article"));
            }
            Kind::History if lacks("year") => {
                let problem = "is required by World Anvil";
                return Err(Error::invalid("year", problem, "give the year it happened in"));
            }
            _ => {}
        }
        if !matches!(kind, Kind::World | Kind::Layer | Kind::MarkerGroup)
            && fields.get("world").is_none_or(is_blank)
        {
            let world = self.world_for(kind, fields).await?;
            fields.insert("world".into(), json!({ "id": world }));
        }
        // Some kinds are born public there; here nothing is unless it was asked for.
        fields.entry("state").or_insert(json!("private"));
        Ok(())
    }

    /// The world that something new belongs to when none is named: that of what it refers
    /// to, else the only one there is.
    async fn world_for(&self, kind: Kind, fields: &Object) -> Result<String> {
        let worlds = self.list_rows(&ListQuery::of(Kind::World)).await?;
        if let ([only], 1) = (worlds.rows.as_slice(), worlds.total) {
            return Ok(text_of(only, "id"));
        }
        for (name, value) in fields {
            let Some(Form::One(other, _)) = kind.row().field(name).map(|field| field.form) else {
                continue;
            };
            let Value::Object(reference) = value else { continue };
            let id = text_of(reference, "id");
            let found = self.one(other, &id, other.row().granularity(2)).await?;
            if let Some(Value::Object(world)) = found.get("world") {
                return Ok(text_of(world, "id"));
            }
        }
        let problem = format!("is required: this account has {} worlds", worlds.total);
        Err(Error::invalid("world_id", problem, "list_user_worlds lists them"))
    }

    /// Sends a write. Things tell of each other (counts, titles, what is in them), so all that
    /// was read may have changed with it, also when nobody knows whether it arrived.
    async fn write(&self, asking: Asking) -> Result<Object> {
        let answer = self.ask(asking).await;
        self.cache.forget(|key| !STEADY.iter().any(|path| key.starts_with(path)));
        answer
    }

    /// The sections that a thing has, each as nothing.
    async fn no_sections(&self, kind: Kind, id: &str) -> Result<Object> {
        let now = self.one(kind, id, kind.row().granularity(2)).await?;
        let is_section =
            |name: &str| kind.row().field(name).is_some_and(|field| field.look == Look::Section);
        let own = now.iter().filter(|(name, text)| is_section(name) && !is_blank(text));
        let further = now.get("sections").and_then(Value::as_object).into_iter().flatten();
        Ok(own.chain(further).map(|(name, _)| (name.clone(), Value::Null)).collect())
    }

    /// The service ignores what it does not understand and calls that success, so what was
    /// written is read again and compared.
    async fn read_back(&self, kind: Kind, id: &str, wanted: &Object) -> Result<Object> {
        let now = self.one(kind, id, kind.row().granularity(2)).await;
        let now = now.map_err(|error| unread(kind, id, &error.to_string()))?;
        let told = plain(kind, &now);
        let lost: Vec<&str> = wanted
            .iter()
            .filter(|(name, value)| is_lost(value, told.get(*name)))
            .map(|(name, _)| name.as_str())
            .collect();
        if lost.is_empty() {
            return Ok(now);
        }
        Err(Error::Precondition {
            message: format!("World Anvil kept {id}, but not what was sent as {}", lost.join(", ")),
            hint: "read it to see what is there now; that field cannot be set this way".into(),
        })
    }
}

/// A write arrived, and what became of it is not known: whoever asked must not repeat it.
fn unread(kind: Kind, id: &str, why: &str) -> Error {
    Error::Precondition {
        message: format!(
            "the {} was written to World Anvil, but reading {id} back failed: {why}",
            kind.row().one
        ),
        hint: "do not repeat it; read it later to see how it is kept".into(),
    }
}

/// Where what no write changes is read: who the user is, and what all worlds share.
const STEADY: [&str; 6] =
    ["identity?", "user?", "rpgsystem?", "rpgsystems?", "markertype?", "markertypes?"];
/// Where articles are listed.
const ARTICLES: &str = "world/articles?";

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Whether a plain text or number that was written is not there afterwards. What the
/// service writes in a form of its own cannot be compared.
fn is_lost(wanted: &Value, found: Option<&Value>) -> bool {
    match (wanted, found) {
        (Value::String(wanted), Some(Value::String(found))) => wanted.trim() != found.trim(),
        (Value::String(wanted), None | Some(Value::Null)) => !wanted.trim().is_empty(),
        (Value::Object(wanted), Some(Value::Object(found))) => {
            wanted.contains_key("id") && is_reference(found) && wanted.get("id") != found.get("id")
        }
        _ => false,
    }
}

/// An object as this program reads it: texts as Markdown.
fn inward(kind: Kind, object: Object) -> Object {
    let converted = object.into_iter().map(|(name, value)| {
        let field = kind.row().field(&name);
        let value = match value {
            Value::String(text) if field.is_some_and(Field::is_markup) => from_bbcode(&text).into(),
            Value::Object(sections) if name == "sections" => sections
                .into_iter()
                .map(|(name, text)| match text {
                    Value::String(text) => (name, from_bbcode(&text).into()),
                    other => (name, other),
                })
                .collect(),
            // Numbers are told as texts, too.
            other => field.and_then(|field| field.typed_value(&other).ok()).unwrap_or(other),
        };
        (name, value)
    });
    let mut object: Object = converted.filter(|(name, _)| name != "success").collect();
    derive(kind, &mut object);
    object
}

/// Adds what the contract tells of a thing and the service tells in another way.
fn derive(kind: Kind, object: &mut Object) {
    let told = |name: &str| object.get(name).filter(|value| !is_blank(value));
    let derived: Vec<(&str, Value)> = match kind {
        Kind::Map => {
            let address = told("image").and_then(|image| image.get("url")).cloned();
            let markers = told("markers").and_then(Value::as_array).map(|all| json!(all.len()));
            let address = address.map(|address| ("imageUrl", address));
            address.into_iter().chain(markers.map(|count| ("markerCount", count))).collect()
        }
        Kind::Marker => {
            let label = told("labelTitle").or_else(|| told("title")).cloned();
            label.into_iter().map(|label| ("label", label)).collect()
        }
        Kind::World => {
            let genre = told("genres").and_then(lore_anvil::first_title);
            genre.into_iter().map(|genre| ("genre", genre)).collect()
        }
        _ => Vec::new(),
    };
    for (name, value) in derived {
        let place = object.entry(name).or_insert(Value::Null);
        if is_blank(place) {
            *place = value;
        }
    }
}

/// Fields as the service takes them: texts as BBCode, references by id, tags with commas,
/// sections among the rest. Fails when a section would be taken for something else.
fn outward(kind: Kind, fields: &Object) -> Result<Object> {
    if let Some(Value::Object(sections)) = fields.get("sections") {
        for name in sections.keys() {
            lore_anvil::check_section(kind, name).map_err(|problem| {
                let hint = "give it its own argument, or use another name";
                Error::invalid("sections", problem, hint)
            })?;
        }
    }
    Ok(plain(kind, fields))
}

/// What sections and other fields both name is what the other fields say.
fn plain(kind: Kind, fields: &Object) -> Object {
    let sections = fields.get("sections").and_then(Value::as_object).into_iter().flatten();
    // Without its text a section is empty there.
    let texts = sections.map(|(name, text)| {
        (name.clone(), text.as_str().map(to_bbcode).unwrap_or_default().into())
    });
    let mut out: Object = texts.collect();
    // Where sections are known as such, those that are no fields are told as such, too.
    let further: Object = out
        .iter()
        .filter(|(name, _)| kind.row().field(name).is_none())
        .map(|(name, text)| (name.clone(), text.clone()))
        .collect();
    if !further.is_empty() {
        out.insert("sections".into(), Value::Object(further));
    }
    for (name, value) in fields.iter().filter(|(name, _)| *name != "sections") {
        let form = kind.row().field(name).map(|field| field.form);
        let value = match value {
            Value::String(text)
                if matches!(form, Some(Form::Text | Form::Section | Form::HiddenSection)) =>
            {
                to_bbcode(text).into()
            }
            Value::String(_) | Value::Number(_)
                if matches!(form, Some(Form::One(..))) || name == "world" =>
            {
                json!({ "id": value })
            }
            Value::Array(items) if matches!(form, Some(Form::Several(..))) => items
                .iter()
                .map(|id| if id.is_object() { id.clone() } else { json!({ "id": id }) })
                .collect(),
            Value::Array(items) if name == "tags" => {
                let tags: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                tags.join(",").into()
            }
            other => other.clone(),
        };
        out.insert(name.clone(), value);
    }
    out
}

fn text_of(object: &Object, name: &str) -> String {
    match object.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// An absence, told of the thing that was asked for.
fn named(kind: Kind, id: &str, error: Error) -> Error {
    let row = kind.row();
    match (error, row.list_tool) {
        (Error::NotFound { .. }, Some(list)) => {
            let what = format!("{} {}", row.one, id.chars().take(100).collect::<String>());
            Error::not_found(what, format!("{list} lists the ids there are"))
        }
        (other, _) => other,
    }
}

/// How long lists of a kind may be kept.
fn list_class(kind: Kind) -> Class {
    match kind.row().sensitivity {
        Sensitivity::Secret => Class::Never,
        Sensitivity::Open => Class::List,
    }
}

#[cfg(test)]
mod tests;

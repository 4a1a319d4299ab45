//! A service whose keys see everything, shown to those who may not.
//!
//! The store filters what it keeps by viewer. A live service knows only the account of its
//! keys, so what it answers is screened here, for everybody below the game master's side:
//! no secret, nothing that is not public, no notes of the author. What the service does not
//! have at all comes from the own world.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use lore_anvil::{Form, Kind, Object, PAGE_MAX, Sensitivity, TEMPLATES, UNCATEGORISED};
use lore_core::{Error, Result, Role, Viewer};
use lore_markup::{anvil, literal};
use serde_json::{Value, json};

use super::find::{ArticleQuery, Audience, FoundArticles};
use super::keys;
use super::sight::{self, is_bare, is_hidden, is_open, without};
use super::source::{Anvil, Atlas, Detail, ListQuery, Rows};
use super::taken::{id_of, references};

/// Most pages that are looked through for what may be shown.
const PAGES_MAX: usize = 20_000;
/// Where a map tells the address of its picture.
const IMAGE_URL: &str = "imageUrl";
/// The granularity at which a map tells its picture.
const FULL: i8 = 2;

/// A service in front of a viewer.
pub struct Screened {
    inner: Arc<dyn Anvil>,
    viewer: Viewer,
    here: Atlas,
}

impl Screened {
    /// `inner`, as far as the caller of `here` may see it. What was copied from it to
    /// `here` helps to search it.
    pub fn new(inner: Arc<dyn Anvil>, here: Atlas) -> Self {
        Self { inner, viewer: *here.viewer(), here }
    }

    /// Fails when something that holds a thing is not for everybody: what is in it is hidden
    /// with it.
    async fn check_holders(&self, kind: Kind, id: Option<&str>) -> Result<()> {
        let Some(id) = id.filter(|_| is_part(kind)) else { return Ok(()) };
        let whole = self.inner.read(kind, Some(id), kind.row().granularity(2)).await?;
        for (field, holder, _) in kind.row().holders() {
            let holding = whole.get(field).map(references).unwrap_or_default();
            for id in holding {
                Box::pin(self.open_one(holder, Some(&id), holder.row().granularity(0))).await?;
            }
        }
        Ok(())
    }

    /// The same for a row of a list. What was listed below something is held by that, and most
    /// things by nothing else.
    async fn is_held_openly(&self, query: &ListQuery, row: &Object) -> Result<bool> {
        let mut holders = query.kind.row().holders();
        match (holders.next(), holders.next()) {
            (None, _) => Ok(true),
            (Some(_), None) if query.parent.is_some() => Ok(true),
            (Some((field, ..)), None) if row.get(field).is_some_and(Value::is_object) => {
                Ok(row.get(field).and_then(Value::as_object).is_some_and(|told| !is_hidden(told)))
            }
            _ => self.is_in_the_open(query.kind, row).await,
        }
    }

    /// One thing, if everybody may see it.
    async fn open_one(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object> {
        let unknown = || keys::unknown(kind, id.unwrap_or_default());
        if kind.row().sensitivity == Sensitivity::Secret {
            return Err(unknown());
        }
        let object = self.inner.read(kind, id, granularity).await?;
        if !is_open(kind, &object) {
            return Err(unknown());
        }
        self.check_holders(kind, id).await.map_err(|_| unknown())?;
        Ok(object)
    }

    /// Everything of a list that everybody may see.
    async fn open_rows(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let mut open = Vec::new();
        if query.kind.row().sensitivity == Sensitivity::Secret {
            return Ok(open);
        }
        for page in 0..PAGES_MAX {
            let part = ListQuery { offset: page * PAGE_MAX, limit: PAGE_MAX, ..query.clone() };
            let found = self.inner.list(&part).await?;
            let last = part.offset + found.rows.len() >= found.total || found.rows.is_empty();
            for row in found.rows {
                if is_open(query.kind, &row) && self.is_held_openly(query, &row).await? {
                    open.push(row);
                }
            }
            if last {
                break;
            }
        }
        Ok(open)
    }

    /// Open articles that are in no open category: to who does not see a category, what is in
    /// it is in none.
    async fn loose_rows(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let of = |kind: Kind, category: Option<String>| ListQuery {
            kind,
            category,
            detail: Detail::Heads,
            ..query.clone()
        };
        let mut loose = self.open_rows(&of(Kind::Article, None)).await?;
        for category in self.open_rows(&of(Kind::Category, None)).await? {
            let inside = self.open_rows(&of(Kind::Article, id_of(&category))).await?;
            let inside: HashSet<String> = inside.iter().filter_map(id_of).collect();
            loose.retain(|row| id_of(row).is_none_or(|id| !inside.contains(&id)));
        }
        Ok(loose)
    }

    /// What is shown of an open thing. Counts are those of what everybody may see.
    async fn shown(&self, kind: Kind, object: Object, world: Option<&str>) -> Result<Object> {
        let counts = self.counts_of(kind, &object, world).await?;
        let shows_picture = self.shows_picture(kind, &object).await?;
        let world = world_of(&object).or_else(|| world.map(str::to_owned));
        let mut shown = self.without_parts(kind, opened(kind, object)).await?;
        if !shows_picture {
            shown.insert(IMAGE_URL.to_owned(), Value::Null);
        }
        self.without_mentions(&mut shown, world).await?;
        for (name, inside) in counts {
            shown.insert(name.to_owned(), json!(self.open_rows(&inside).await?.len()));
        }
        Ok(shown)
    }

    /// Whether the address of a picture may be told: that of a map is told in lists, too, where
    /// nothing is said of the picture itself.
    async fn shows_picture(&self, kind: Kind, object: &Object) -> Result<bool> {
        if kind != Kind::Map || is_silent(object, IMAGE_URL) {
            return Ok(true);
        }
        let is_open = |map: &Object| {
            let picture = map.get("image").and_then(Value::as_object);
            picture.is_some_and(|picture| sight::is_open(Kind::Image, picture))
        };
        match id_of(object).filter(|_| is_silent(object, "image")) {
            Some(id) => Ok(is_open(&self.inner.read(kind, Some(&id), FULL).await?)),
            None => Ok(is_open(object)),
        }
    }

    /// Writes mentions of what is hidden as what readers see of them.
    async fn without_mentions(&self, object: &mut Object, world: Option<String>) -> Result<()> {
        let mut found = Vec::new();
        each_text(object, &mut |text| found.extend(mentioned(text)));
        let mut open: HashSet<String> = HashSet::new();
        for (kind, id) in &found {
            let Some(kind) = kind.filter(|kind| *kind != Kind::Article) else { continue };
            match self.open_one(kind, Some(id), -1).await {
                Ok(_) => open.extend([id.clone()]),
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        if found.iter().any(|(kind, _)| *kind == Some(Kind::Article)) {
            let all = ListQuery { world, detail: Detail::Heads, ..ListQuery::of(Kind::Article) };
            open.extend(self.open_rows(&all).await?.iter().filter_map(id_of));
        }
        each_text(object, &mut |text| {
            let hides = |id: &str| !open.contains(id);
            *text = anvil::replaced(text, |found| hides(found.id).then(|| literal(found.label)));
        });
        Ok(())
    }

    /// The counts that a thing tells, each with what is counted.
    async fn counts_of(
        &self,
        kind: Kind,
        object: &Object,
        world: Option<&str>,
    ) -> Result<Vec<(&'static str, ListQuery)>> {
        let told = counts(kind).iter().filter(|(name, _)| !is_silent(object, name));
        let told: Vec<_> = told.collect();
        let (Some(id), false) = (id_of(object), told.is_empty()) else { return Ok(Vec::new()) };
        let world = match (kind, world) {
            (Kind::Category, None) => {
                let whole = self.inner.read(kind, Some(&id), kind.row().granularity(2)).await?;
                whole.get("world").and_then(|world| references(world).into_iter().next())
            }
            (Kind::World, _) => Some(id.clone()),
            (_, world) => world.map(str::to_owned),
        };
        let query = |inside: Kind| ListQuery {
            world: world.clone(),
            category: (kind == Kind::Category).then(|| id.clone()),
            parent: (kind == Kind::Map).then(|| (kind, id.clone())),
            detail: Detail::Heads,
            ..ListQuery::of(inside)
        };
        Ok(told.into_iter().map(|(name, inside)| (*name, query(*inside))).collect())
    }

    /// Whether nothing that holds the target of a reference is hidden.
    async fn is_in_the_open(&self, kind: Kind, reference: &Object) -> Result<bool> {
        let id = id_of(reference);
        match self.check_holders(kind, id.as_deref()).await {
            Ok(()) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// An object without references to parts of something hidden. What it is a part of itself
    /// was looked at before.
    async fn without_parts(&self, kind: Kind, mut object: Object) -> Result<Object> {
        let is_above = |other: Kind| kind.row().holders().any(|(_, holder, _)| holder == other);
        for field in kind.row().fields {
            let Form::One(other, _) = field.form else { continue };
            let told = object.get(field.name).and_then(Value::as_object);
            let Some(told) = told.filter(|_| is_part(other) && !is_above(other)) else { continue };
            if !self.is_in_the_open(other, told).await? {
                object.insert(field.name.to_owned(), Value::Null);
            }
        }
        Ok(object)
    }

    /// What was copied here need not be read there to be found.
    async fn inform(&self, world: Option<&str>) -> Result<()> {
        let unread: HashSet<String> = self.inner.unread(world).await?.into_iter().collect();
        if !unread.is_empty() {
            self.here.copies_of(&unread).await?.iter().for_each(|copy| self.inner.learn(copy));
        }
        Ok(())
    }
}

#[async_trait]
impl Anvil for Screened {
    async fn read(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object> {
        if is_kept_here(kind) {
            match self.here.read(kind, id, granularity).await {
                Err(Error::NotFound { .. }) => {}
                found => return found,
            }
        }
        if self.viewer.sees_gm_side() {
            return self.inner.read(kind, id, granularity).await;
        }
        let object = self.open_one(kind, id, granularity).await?;
        self.shown(kind, object, None).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Rows> {
        if is_kept_here(query.kind) {
            match self.here.list(query).await {
                Err(Error::NotFound { .. }) => {}
                found => return found,
            }
        }
        if self.viewer.sees_gm_side() {
            return self.inner.list(query).await;
        }
        // What is in something hidden is hidden with it.
        if let Some((parent, id)) = &query.parent {
            self.open_one(*parent, Some(id), parent.row().granularity(0)).await?;
        }
        let open = match query.category.as_deref() {
            Some(UNCATEGORISED) => self.loose_rows(query).await?,
            Some(category) => {
                self.open_one(Kind::Category, Some(category), -1).await?;
                self.open_rows(query).await?
            }
            None => self.open_rows(query).await?,
        };
        let total = open.len();
        let mut rows = Vec::new();
        for row in open.into_iter().skip(query.offset).take(query.limit.min(PAGE_MAX)) {
            rows.push(self.shown(query.kind, row, query.world.as_deref()).await?);
        }
        Ok(Rows { rows, total })
    }

    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        self.inform(query.world.as_deref()).await?;
        if self.viewer.sees_gm_side() {
            return self.inner.search(query).await;
        }
        let mut open = Vec::new();
        let mut searched = 1.0;
        for page in 0..PAGES_MAX {
            let part = ArticleQuery {
                audience: Audience::Everybody,
                offset: page * PAGE_MAX,
                limit: PAGE_MAX,
                ..query.clone()
            };
            let found = self.inner.search(&part).await?;
            searched = found.searched;
            let last = found.articles.len() < PAGE_MAX;
            let shown = found.articles.into_iter();
            open.extend(shown.filter(|found| is_open(Kind::Article, &found.article)));
            if last {
                break;
            }
        }
        let total = open.len();
        let cut = open.into_iter().skip(query.offset).take(query.limit.clamp(1, PAGE_MAX));
        Ok(FoundArticles { articles: cut.collect(), total, searched })
    }

    async fn create(&self, kind: Kind, fields: &Object) -> Result<Object> {
        self.viewer.require(Role::Gm)?;
        self.inner.create(kind, fields).await
    }

    async fn update(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object> {
        self.viewer.require(Role::Gm)?;
        self.inner.update(kind, id, fields).await
    }

    async fn delete(&self, kind: Kind, id: &str) -> Result<()> {
        self.viewer.require(Role::Gm)?;
        self.inner.delete(kind, id).await
    }
}

/// Whether a kind is looked for here first: who plays what is kept at the table, and World
/// Anvil knows nothing of it. Another server of this kind does.
fn is_kept_here(kind: Kind) -> bool {
    matches!(kind, Kind::Campaign | Kind::Npc)
}

/// Whether things of a kind are parts of something.
fn is_part(kind: Kind) -> bool {
    kind.row().holders().next().is_some()
}

/// What things of a kind count, and where they tell it.
fn counts(kind: Kind) -> &'static [(&'static str, Kind)] {
    match kind {
        Kind::World => &[
            ("countArticles", Kind::Article),
            ("countMaps", Kind::Map),
            ("countTimelines", Kind::Timeline),
            ("countCategories", Kind::Category),
        ],
        Kind::Category => &[("articleCount", Kind::Article)],
        Kind::Map => &[("markerCount", Kind::Marker)],
        _ => &[],
    }
}

fn is_silent(object: &Object, name: &str) -> bool {
    object.get(name).is_none_or(Value::is_null)
}

/// An object without what is the author's own, and without what tells of hidden things.
fn opened(kind: Kind, object: Object) -> Object {
    let hidden = |name: &str| {
        // The service tells some texts once more, rendered.
        let name = name.strip_suffix("Parsed").unwrap_or(name);
        let field = kind.row().field(name);
        let counts_all =
            kind == Kind::World && name.starts_with("count") && name != "countFollowers";
        let is_count = counts_all || counts(kind).iter().any(|(count, _)| *count == name);
        is_count
            || ["secrets", "sheet"].contains(&name)
            || field.is_some_and(|field| field.form == Form::HiddenSection)
    };
    let open = object.into_iter().filter_map(|(name, value)| match hidden(&name) {
        false => {
            let is_declared = kind.row().field(&name).is_some();
            // What joins things of the table is looked at by itself.
            let is_out = |fields: &Object| is_hidden(fields) || (!is_declared && is_bare(fields));
            Some((name, without(value, &|part| part.as_object().is_some_and(is_out))))
        }
        // Who may not see it sees that there is nothing.
        true if kind.row().field(&name).is_none() => None,
        true if value.is_array() => Some((name, json!([]))),
        true => Some((name, Value::Null)),
    });
    open.collect()
}

/// Every text of an object, at any depth: what nobody declared may mention others, too.
fn each_text(object: &mut Object, act: &mut dyn FnMut(&mut String)) {
    object.values_mut().for_each(|value| each_text_in(value, act));
}

fn each_text_in(value: &mut Value, act: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => act(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text_in(item, act)),
        Value::Object(fields) => each_text(fields, act),
        _ => {}
    }
}

/// What a text mentions: of which kind, as far as that is known, and which.
fn mentioned(text: &str) -> Vec<(Option<Kind>, String)> {
    let is_template = |word: &str| TEMPLATES.iter().any(|known| known.eq_ignore_ascii_case(word));
    let kind_of = |word: &str| {
        let kind = if is_template(word) { Some(Kind::Article) } else { Kind::at(word) };
        kind.filter(|kind| kind.row().sensitivity == Sensitivity::Open)
    };
    anvil::mentions(text).iter().map(|found| (kind_of(found.kind), found.id.to_owned())).collect()
}

fn world_of(object: &Object) -> Option<String> {
    references(object.get("world")?).into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Object {
        let Value::Object(object) = value else { unreachable!() };
        object
    }

    #[test]
    fn only_what_is_public_is_open() {
        for (value, open) in [
            (json!({ "state": "public" }), true),
            (json!({ "state": "private" }), false),
            (json!({ "state": "public", "isDraft": true }), false),
            (json!({}), false),
        ] {
            assert_eq!(is_open(Kind::Article, &object(value)), open);
        }
        assert!(is_open(Kind::World, &object(json!({ "state": "private" }))));
        for (value, open) in [(json!({}), true), (json!({ "state": "private" }), false)] {
            assert_eq!(is_open(Kind::RpgSystem, &object(value)), open);
        }
    }

    #[test]
    fn what_is_the_authors_own_is_left_out() {
        let article = object(json!({
            "id": "a", "title": "Open", "state": "public", "authornotes": "X", "scrapbook": "X",
            "authornotesParsed": "<p>X</p>", "articleNext": { "id": "n", "title": "X" },
            "author": { "id": "u", "title": "Shown author", "entityClass": "User" },
            "secrets": [{ "id": "s", "title": "X" }], "sheet": { "state": { "note": "X" } },
            "category": { "id": "c", "title": "X", "state": "private" },
            "articleChildren": [
                { "id": "d", "title": "X", "state": "private" },
                { "id": "e", "title": "Shown", "state": "public" },
            ],
        }));
        let shown = Value::Object(opened(Kind::Article, article)).to_string();
        assert!(!shown.contains('X'), "{shown}");
        assert!(shown.contains("Shown author") && shown.contains("\"Shown\""), "{shown}");
    }
}

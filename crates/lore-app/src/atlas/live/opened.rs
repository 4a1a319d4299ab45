//! Reduces open objects of a service to what viewers below the game master's side may see: without
//! the author's private fields, and without anything that refers to or counts hidden things.

use lore_anvil::{Field, Form, Kind, Object, UNCATEGORISED, tells_everybody};
use lore_core::Result;
use serde_json::{Value, json};

use super::{Screened, is_part};
use crate::atlas::ids::{id_of, references};
use crate::atlas::read::assemble::{IMAGE_URL, words_in};
use crate::atlas::sight::{Sight, Strangers, is_open};
use crate::atlas::source::{Detail, ListQuery};

/// The granularity at which a map includes its picture.
const FULL: i8 = 2;
/// A second field with the category of an object. It is blanked, because the category may be
/// hidden.
const FOLDER: &str = "folderId";

impl Screened {
    /// Returns open objects as everybody may see them. Counts include only what everybody may see.
    pub(super) async fn shown(
        &self,
        kind: Kind,
        things: Vec<Object>,
        world: Option<&str>,
    ) -> Result<Vec<Object>> {
        if things.iter().all(tells_everybody) {
            return Ok(things);
        }
        let mut shown = Vec::with_capacity(things.len());
        let mut counted = Vec::with_capacity(things.len());
        for mut thing in things {
            self.lend_text(kind, &mut thing).await?;
            counted.push(self.counts_of(kind, &thing, world).await?);
            let shows_picture = self.shows_picture(kind, &thing).await?;
            let mut open = self.without_parts(kind, opened(kind, thing)).await?;
            if !shows_picture {
                open.insert(IMAGE_URL.to_owned(), Value::Null);
            }
            shown.push(open);
        }
        let sight = self.sight_of(kind, &shown, world).await?;
        for (thing, counts) in shown.iter_mut().zip(counted) {
            *thing = told(kind, std::mem::take(thing), &sight);
            count_words(thing);
            for (name, inside) in counts {
                thing.insert(name.to_owned(), json!(self.open_rows(&inside).await?.len()));
            }
        }
        Ok(shown)
    }

    /// Fetches the text of an article that has a word count but no text, so that the visible words
    /// can be counted.
    async fn lend_text(&self, kind: Kind, thing: &mut Object) -> Result<()> {
        let is_lacking = thing.contains_key(WORDS) && !thing.contains_key("content");
        let Some(id) = id_of(thing).filter(|_| kind == Kind::Article && is_lacking) else {
            return Ok(());
        };
        let whole = self.inner.read(kind, Some(&id), 1).await?;
        thing.insert(LENT.into(), json!(true));
        thing.insert("content".into(), whole.get("content").cloned().unwrap_or_default());
        Ok(())
    }

    /// Whether the URL of a map's picture may be shown. Lists contain the URL too, but nothing
    /// about the visibility of the picture, so the map may have to be read.
    async fn shows_picture(&self, kind: Kind, object: &Object) -> Result<bool> {
        if kind != Kind::Map || is_silent(object, IMAGE_URL) {
            return Ok(true);
        }
        let shows = |map: &Object| {
            let picture = map.get("image").and_then(Value::as_object);
            picture.is_some_and(|picture| is_open(Kind::Image, picture))
        };
        match id_of(object).filter(|_| is_silent(object, "image")) {
            Some(id) => Ok(shows(&self.inner.read(kind, Some(&id), FULL).await?)),
            None => Ok(shows(object)),
        }
    }

    /// The counts that an object contains, each with a query for what is counted.
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
                world_of(&whole)
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

    /// Removes references to parts of hidden things. The wholes of the object itself were checked
    /// before.
    async fn without_parts(&self, kind: Kind, mut object: Object) -> Result<Object> {
        let is_above = |other: Kind| kind.row().holders().any(|(_, holder, _)| holder == other);
        // Things that can only be parts of this object are as open as it is.
        let is_elsewhere = |other: Kind| other.row().holders().any(|(_, above, _)| above != kind);
        for field in kind.row().fields {
            let Some(told) = object.get_mut(field.name) else { continue };
            if let (Some(other), Value::Array(told)) = (several_of(kind, field), &mut *told) {
                if is_elsewhere(other) {
                    *told = self.in_the_open(other, std::mem::take(told)).await?;
                }
                continue;
            }
            match (field.form, told) {
                (Form::One(other, _), told) if is_part(other) && !is_above(other) => {
                    let Value::Object(reference) = &*told else { continue };
                    if !self.is_in_the_open(other, reference).await? {
                        *told = Value::Null;
                    }
                }
                _ => {}
            }
        }
        Ok(object)
    }

    /// Keeps the references that do not lead to a part of something hidden.
    async fn in_the_open(&self, kind: Kind, references: Vec<Value>) -> Result<Vec<Value>> {
        let mut open = Vec::with_capacity(references.len());
        for reference in references {
            let is_open = match &reference {
                Value::Object(fields) => self.is_in_the_open(kind, fields).await?,
                _ => true,
            };
            if is_open {
                open.push(reference);
            }
        }
        Ok(open)
    }
}

/// The kind of object that a field refers to, if it is a reference field.
pub(in crate::atlas) fn joined_to(kind: Kind, name: &str) -> Option<Kind> {
    let field = kind.row().field(name)?;
    match field.form {
        Form::One(other, _) => Some(other),
        _ => several_of(kind, field),
    }
}

/// The kind of object that a list field refers to.
fn several_of(kind: Kind, field: &Field) -> Option<Kind> {
    match field.form {
        Form::Several(other, _) | Form::Many(other, _) => Some(other),
        // Notes are joined to the sections of the notebook, so the table has no edge for this
        // field.
        Form::Derived if kind == Kind::Notebook && field.name == "notes" => Some(Kind::Note),
        _ => None,
    }
}

/// The world that an object says it is in.
pub(in crate::atlas) fn world_of(object: &Object) -> Option<String> {
    references(object.get("world")?).into_iter().next()
}

/// The count fields of a kind, each with the kind that it counts.
pub(in crate::atlas) fn counts(kind: Kind) -> &'static [(&'static str, Kind)] {
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

/// An object without the author's private fields, and without references that are not declared
/// open.
fn opened(kind: Kind, object: Object) -> Object {
    let open = object.into_iter().filter_map(|(name, value)| match is_authors_own(kind, &name) {
        false if name == FOLDER => Some((name, UNCATEGORISED.into())),
        false => Some((name, said(value))),
        // To those who may not see it, a private field looks empty.
        true if kind.row().field(&name).is_none() => None,
        true if value.is_array() => Some((name, json!([]))),
        true => Some((name, Value::Null)),
    });
    open.collect()
}

fn is_authors_own(kind: Kind, name: &str) -> bool {
    // The service sends some texts a second time, rendered as HTML, under a name with this suffix.
    let name = name.strip_suffix("Parsed").unwrap_or(name);
    let field = kind.row().field(name);
    let counts_all = kind == Kind::World && name.starts_with("count") && name != "countFollowers";
    let is_count = counts_all || counts(kind).iter().any(|(count, _)| *count == name);
    is_count
        || ["secrets", "sheet"].contains(&name)
        || field.is_some_and(|field| field.form == Form::HiddenSection)
}

/// Removes references that declare themselves hidden. References that declare nothing stay, because
/// the service can still be asked about them.
fn said(value: Value) -> Value {
    Sight::new(Default::default(), Strangers::Wait).seen(value)
}

/// An object without any reference to things that the sight hides.
fn told(kind: Kind, object: Object, sight: &Sight) -> Object {
    let is_markup = |name: &str| kind.row().field(name).is_some_and(Field::is_markup);
    let told = object.into_iter().map(|(name, value)| match value {
        value if name == "id" => (name, value),
        Value::String(text) if is_markup(&name) => (name, sight.words(&text).into()),
        Value::Object(sections) if name == "sections" => {
            let texts = sections.into_iter().map(|(title, text)| match text {
                Value::String(text) => (title, sight.words(&text).into()),
                other => (title, sight.seen(other)),
            });
            (name, Value::Object(texts.collect()))
        }
        value => (name, sight.seen(value)),
    });
    told.collect()
}

/// Counts the words that are shown, because the service counted all of them. Removes a text that
/// was only fetched for counting.
fn count_words(thing: &mut Object) {
    if !thing.contains_key(WORDS) {
        return;
    }
    let text = thing.get("content").and_then(Value::as_str).unwrap_or_default();
    thing.insert(WORDS.into(), json!(words_in(text)));
    if thing.shift_remove(LENT).is_some() {
        thing.shift_remove("content");
    }
}

/// The field of an article with its number of words.
const WORDS: &str = "wordcount";
/// Marks an article whose text was only fetched for counting.
const LENT: &str = "lentText";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::object;

    #[test]
    fn only_what_is_public_is_open() {
        for (value, open) in [
            (json!({ "state": "public" }), true),
            (json!({ "state": "private" }), false),
            (json!({ "state": "public", "isDraft": true }), false),
            (json!({ "state": "public", "isDraft": 1 }), false),
            (json!({ "state": "public", "isDraft": "1" }), false),
            (json!({ "state": "public", "isDraft": "true" }), false),
            (json!({ "state": "public", "isDraft": [] }), false),
            (json!({ "state": "public", "isDraft": 0 }), true),
            (json!({ "state": "public", "isDraft": "" }), true),
            (json!({ "state": "public", "isDraft": null }), true),
            (json!({ "state": "public", "subscribergroups": [] }), true),
            (json!({ "state": "public", "subscribergroups": [{ "id": "g" }] }), false),
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
            "category": { "id": "c", "title": "X", "state": "private" }, "folderId": "X",
            "articleChildren": [
                { "id": "d", "title": "X", "state": "private" },
                { "id": "e", "title": "Shown", "state": "public" },
            ],
            "data": json!({ "id": "d", "title": "X" }).to_string(),
        }));
        let shown = Value::Object(opened(Kind::Article, article)).to_string();
        assert!(!shown.contains('X'), "{shown}");
        assert!(shown.contains("Shown author") && shown.contains("\"Shown\""), "{shown}");
    }
}

//! Reads the archive that World Anvil's "Export your world" produces.
//!
//! It contains folders (`articles`, `secrets`, `images`, …) with one JSON file per object, in the
//! format of the API at full granularity. That format is not documented. The kind of an object is
//! taken from the object itself, else from its folder; objects without a recognisable kind are
//! counted.

use std::collections::BTreeMap;

use async_trait::async_trait;
use lore_anvil::{Form, Kind, Object, PAGE_MAX, TEMPLATES};
use lore_app::atlas::{Anvil, ArticleQuery, Extent, FoundArticles, ListQuery, Rows};
use lore_core::{Error, Result};
use serde_json::{Value, json};

use super::convert::{inward, text_of};

/// The id used for a world that the archive does not name.
const NAMELESS: &str = "world-anvil-archive";

/// A world read from an archive. It is read-only.
pub struct Archive {
    world: Object,
    things: BTreeMap<Kind, Vec<Object>>,
    unknown: usize,
    damaged: Vec<String>,
}

impl Archive {
    /// Reads the files of an archive, given as pairs of path and content.
    pub fn of(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Self> {
        let mut things: BTreeMap<Kind, Vec<Object>> = BTreeMap::new();
        let (mut unknown, mut damaged) = (0, Vec::new());
        for (path, bytes) in files {
            if !path.to_lowercase().ends_with(".json") {
                continue;
            }
            // Some programs write a byte-order mark.
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            let objects = match serde_json::from_slice(text) {
                Ok(file) => objects(file),
                Err(error) => {
                    damaged.push(format!("{path}: {error}"));
                    continue;
                }
            };
            unknown += usize::from(objects.is_empty());
            for object in objects {
                match kind_of(&path, &object).filter(|_| !text_of(&object, "id").is_empty()) {
                    Some(kind) => things.entry(kind).or_default().push(plain(kind, object)),
                    None => unknown += 1,
                }
            }
        }
        add_inner(&mut things);
        if things.is_empty() {
            return Err(Error::invalid(
                "the archive",
                "holds nothing of World Anvil",
                "give the .zip of World Anvil's export, or the folder it was unpacked to",
            ));
        }
        Ok(Self { world: world_of(&things), things, unknown, damaged })
    }

    /// The number of JSON files and objects of unknown kind.
    pub fn unknown(&self) -> usize {
        self.unknown
    }

    /// The JSON files that could not be parsed, each with the reason.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.things.values().map(Vec::len).sum()
    }

    /// Whether the archive contains no objects.
    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }
}

#[async_trait]
impl Anvil for Archive {
    fn extent(&self) -> Extent {
        Extent::Heap
    }

    async fn read(&self, kind: Kind, id: Option<&str>, _granularity: i8) -> Result<Object> {
        if kind == Kind::World && id.is_none_or(|id| id == text_of(&self.world, "id")) {
            return Ok(self.world.clone());
        }
        let id = id.unwrap_or_default();
        let mut known = self.things.get(&kind).into_iter().flatten();
        let found = known.find(|object| text_of(object, "id") == id).cloned();
        let what = || format!("{} {id}", kind.row().one);
        found.ok_or_else(|| Error::not_found(what(), "the archive does not hold it"))
    }

    async fn list(&self, query: &ListQuery) -> Result<Rows> {
        let all = self.things.get(&query.kind).map(Vec::as_slice).unwrap_or_default();
        let part = all.iter().skip(query.offset).take(query.limit.clamp(1, PAGE_MAX));
        Ok(Rows { rows: part.cloned().collect(), total: all.len() })
    }

    async fn search(&self, _query: &ArticleQuery) -> Result<FoundArticles> {
        Err(only_read())
    }

    async fn create(&self, _kind: Kind, _fields: &Object) -> Result<Object> {
        Err(only_read())
    }

    async fn update(&self, _kind: Kind, _id: &str, _fields: &Object) -> Result<Object> {
        Err(only_read())
    }

    async fn delete(&self, _kind: Kind, _id: &str) -> Result<()> {
        Err(only_read())
    }
}

fn only_read() -> Error {
    Error::Precondition {
        message: "an archive can only be read".into(),
        hint: "import it first".into(),
    }
}

/// Returns the objects in a file: a single one, an array, or a list in the API's envelope.
fn objects(file: Value) -> Vec<Object> {
    match file {
        Value::Array(items) => items.into_iter().flat_map(objects).collect(),
        Value::Object(mut object) if !object.contains_key("id") => {
            let inside = ["entities", "data"].into_iter().find_map(|name| object.remove(name));
            inside.map_or_else(|| vec![object], objects)
        }
        Value::Object(object) => vec![object],
        _ => Vec::new(),
    }
}

/// Returns the kind of an object: by its own fields, else by its folder.
fn kind_of(path: &str, object: &Object) -> Option<Kind> {
    let class = letters(&text_of(object, "entityClass"));
    let is_template = TEMPLATES.iter().any(|template| letters(template) == class);
    if is_template || object.contains_key("templateType") {
        return Some(Kind::Article);
    }
    let said = Kind::ALL.iter().copied().find(|kind| letters(kind.row().class) == class);
    said.or_else(|| {
        let mut folders = path.rsplit(['/', '\\']).skip(1).chain(file_stem(path)).map(letters);
        folders.find_map(|folder| Kind::ALL.iter().copied().find(|kind| is_called(*kind, &folder)))
    })
}

fn is_called(kind: Kind, word: &str) -> bool {
    let row = kind.row();
    let lists = row.lists.iter().filter_map(|list| list.path.rsplit('/').next());
    let names = [row.path, row.one, row.many].into_iter().chain(lists);
    names.map(letters).any(|name| name == word)
}

/// Returns the file name without extension, such as `world` for `world.json`.
fn file_stem(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).next()?.rsplit_once('.').map(|(stem, _)| stem)
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Converts an object to the format of the API, with texts as Markdown. Older archives wrap each
/// section in an object of its own.
fn plain(kind: Kind, mut object: Object) -> Object {
    if let Some(Value::Object(sections)) = object.get_mut("sections") {
        let whole = std::mem::take(sections).into_iter();
        *sections = whole
            .filter_map(|(name, section)| match section {
                Value::Object(mut parts) => Some((name, parts.remove("content")?)),
                text @ Value::String(_) => Some((name, text)),
                _ => None,
            })
            .collect();
    }
    inward(kind, object)
}

/// Adds objects that are fully embedded in another object and have no file of their own.
fn add_inner(things: &mut BTreeMap<Kind, Vec<Object>>) {
    let outer: Vec<(Kind, Object)> = things
        .iter()
        .flat_map(|(kind, all)| all.iter().map(|thing| (*kind, thing.clone())))
        .collect();
    for (kind, thing) in outer {
        for (name, value) in &thing {
            let Some(inner) = told_inside(kind, name) else { continue };
            for one in value.as_array().into_iter().flatten().filter_map(Value::as_object) {
                let (known, id) = (things.entry(inner).or_default(), text_of(one, "id"));
                let is_known = || known.iter().any(|thing| text_of(thing, "id") == id);
                if !id.is_empty() && is_whole(inner, one) && !is_known() {
                    known.push(plain(inner, below(kind, &thing, inner, one)));
                }
            }
        }
    }
    things.retain(|_, all| !all.is_empty());
}

/// The kind of the objects that a field may embed.
fn told_inside(kind: Kind, name: &str) -> Option<Kind> {
    match (kind.row().field(name)?.form, name) {
        (Form::Many(inner, _), _) => Some(inner),
        (Form::Derived, "secrets") => Some(Kind::Secret),
        _ => None,
    }
}

/// Whether an embedded object has more content than a reference.
fn is_whole(kind: Kind, thing: &Object) -> bool {
    let is_own = |name: &str| {
        let form = kind.row().field(name).map(|field| field.form);
        form.is_some_and(|form| !matches!(form, Form::Derived | Form::Created))
    };
    thing.iter().any(|(name, value)| is_own(name) && !value.is_null())
}

/// Returns an embedded object with a reference to the object that embeds it.
fn below(outer: Kind, whole: &Object, inner: Kind, thing: &Object) -> Object {
    let mut thing = thing.clone();
    let mut fields = inner.row().fields.iter();
    let above = fields
        .find(|field| matches!(field.form, Form::One(to, _) | Form::Several(to, _) if to == outer));
    if let Some(above) = above {
        let reference = json!({ "id": whole.get("id"), "title": whole.get("title") });
        let value = match above.form {
            Form::Several(..) => json!([reference]),
            _ => reference,
        };
        thing.entry(above.name).or_insert(value);
    }
    thing
}

/// Returns the world of an archive: from its own file, else from the world that objects refer to.
fn world_of(things: &BTreeMap<Kind, Vec<Object>>) -> Object {
    if let Some(world) = things.get(&Kind::World).and_then(|worlds| worlds.first()) {
        return world.clone();
    }
    let mut all = things.values().flatten();
    let named = all.find_map(|object| match object.get("world") {
        Some(Value::Object(world)) if world.contains_key("id") => Some(world.clone()),
        _ => None,
    });
    named.unwrap_or_else(|| Object::from_iter([("id".to_owned(), json!(NAMELESS))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, body: Value) -> (String, Vec<u8>) {
        (format!("World-Vale-2025-10-06/World-Vale-x1/{path}"), body.to_string().into_bytes())
    }

    #[tokio::test]
    async fn files_are_what_they_say_or_what_their_folder_says() {
        let archive = Archive::of([
            file(
                "articles/Person-Vane-a1.json",
                json!({
                    "id": "a1", "title": "Vane", "entityClass": "Person", "content": "[b]Bold[/b]",
                    "world": { "id": "w", "title": "The Vale" },
                    "sections": { "scrapbook": { "content": "[i]x[/i]" }, "empty": {} },
                }),
            ),
            file("secrets/s1.json", json!({ "id": "s1", "title": "Truth", "content": "x" })),
            file("block-folders/1.json", json!({ "id": 1, "title": "Beasts" })),
            file("anything/m.json", json!({ "id": "m", "title": "Map", "entityClass": "Map" })),
            file(
                "histories.json",
                json!([{ "id": "h1", "title": "A" }, { "id": "h2", "title": "B" }]),
            ),
            file("images/picture.png", json!({ "id": "none" })),
            file("odd/thing.json", json!({ "id": "x", "entityClass": "Teapot" })),
            file("articles/nameless.json", json!({ "id": null, "templateType": "item" })),
            ("broken/articles/b.json".into(), b"{".to_vec()),
            ("marked/canvases/c.json".into(), b"\xef\xbb\xbf{\"id\": \"c\"}".to_vec()),
        ])
        .unwrap();
        assert_eq!((archive.len(), archive.unknown()), (7, 2));
        assert_eq!(archive.damaged().len(), 1);
        assert!(archive.damaged()[0].starts_with("broken/articles/b.json: "));
        assert_eq!(archive.world["title"], "The Vale");
        let person = archive.read(Kind::Article, Some("a1"), 2).await.unwrap();
        assert_eq!(person["content"], "**Bold**");
        assert_eq!(person["sections"], json!({ "scrapbook": "*x*" }));
        for (kind, count) in [
            (Kind::Secret, 1),
            (Kind::BlockFolder, 1),
            (Kind::Map, 1),
            (Kind::History, 2),
            (Kind::Image, 0),
            (Kind::Canvas, 1),
        ] {
            assert_eq!(archive.list(&ListQuery::of(kind)).await.unwrap().total, count, "{kind:?}");
        }
        assert!(archive.read(Kind::BlockFolder, Some("1"), 2).await.is_ok(), "a number");
    }

    #[tokio::test]
    async fn what_is_told_as_a_whole_inside_something_else_is_there() {
        let archive = Archive::of([
            file(
                "maps/m.json",
                json!({ "id": "m", "title": "M", "markers": [
                    { "id": "k", "title": "K", "geoX": 1, "description": "[b]x[/b]" },
                    { "id": "r", "title": "A reference", "state": "public" },
                ] }),
            ),
            file(
                "timelines/t.json",
                json!({ "id": "t", "title": "T", "eras": [{ "id": "e", "startingYear": "1" }] }),
            ),
            file(
                "articles/a.json",
                json!({ "id": "a", "title": "A", "templateType": "item", "secrets": [
                    { "id": "s", "title": "S", "content": "inside" },
                    { "id": "own", "title": "S", "content": "inside" },
                ] }),
            ),
            file("secrets/own.json", json!({ "id": "own", "content": "its own file" })),
        ])
        .unwrap();
        for (kind, field, above) in [
            (Kind::Marker, "map", "m"),
            (Kind::Era, "timeline", "t"),
            (Kind::Secret, "article", "a"),
        ] {
            let rows = archive.list(&ListQuery::of(kind)).await.unwrap().rows;
            let inner: Vec<&Object> = rows.iter().filter(|row| row.contains_key(field)).collect();
            assert_eq!((inner.len(), &inner[0][field]["id"]), (1, &json!(above)), "{kind:?}");
        }
        let marker = archive.read(Kind::Marker, Some("k"), 2).await.unwrap();
        assert_eq!(marker["description"], "**x**");
        let own = archive.read(Kind::Secret, Some("own"), 2).await.unwrap();
        assert_eq!(own["content"], "its own file");
    }

    #[test]
    fn an_archive_of_nothing_is_refused() {
        assert!(Archive::of([file("notes.txt", json!("x"))]).is_err());
    }
}

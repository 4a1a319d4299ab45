//! The routes of single kinds, such as `/characters`.

use axum::http::Method;
use lore_app::pages::{self, Detail, NewPage, Page, PageKind, PagePatch, PageQuery, moment};
use lore_core::Properties;
use lore_markup::to_markdown;
use serde_json::{Map, Value, json};

use super::answer::{self, PER_PAGE, Refused, Reply};
use super::filters::{Filters, Tagged};
use super::shape::{self, IMAGES, Related, Showing, Tags};
use super::{Asked, extra, number};

/// The longest name or type that Kanka accepts, in characters.
const NAME_MAX: usize = 191;

pub(super) async fn route(
    asked: &Asked,
    method: &Method,
    kind: PageKind,
    path: &[&str],
) -> Result<Reply, Refused> {
    match (method.as_str(), path) {
        ("GET", []) => list(asked, kind).await,
        ("POST", []) => create(asked, kind).await,
        ("GET", [id]) => {
            asked.permit("get_entities")?;
            let page = found(asked, kind, number(id)?).await?;
            Ok(Reply::Found(json!({ "data": shown(asked, page).await? })))
        }
        ("PUT" | "PATCH", [id]) => update(asked, kind, number(id)?).await,
        ("DELETE", [id]) => {
            asked.permit("delete_entities")?;
            let page = found(asked, kind, number(id)?).await?;
            pages::delete(&asked.scribe, page.node.number).await?;
            Ok(Reply::Gone)
        }
        (_, [] | [_]) => Err(Refused::new(405, "The method is not supported for this route.")),
        _ => Err(Refused::nowhere()),
    }
}

async fn list(asked: &Asked, kind: PageKind) -> Result<Reply, Refused> {
    asked.permit("find_entities")?;
    let tags = Tags::read(&asked.scribe).await?;
    let (mut pages, total) = filtered(asked, vec![kind], &tags, Tagged::All).await?;
    let showing = Showing::of(asked, &mut pages).await?;
    let rows = pages.iter().map(|page| only_wanted(asked, shape::typed(page, &showing))).collect();
    let path = format!("{}/{}", showing.campaign, shape::plural(kind));
    Ok(page_of(asked, rows, total, path, "").into_reply())
}

/// Wraps rows in the frame of a result page.
pub(super) fn page_of<'a>(
    asked: &Asked,
    rows: Vec<Value>,
    total: usize,
    path: String,
    extra: &'a str,
) -> answer::Page<'a> {
    let sync = format!("{:.6}", asked.scribe.app.effects.now());
    answer::Page { rows, total, number: asked.params.page(), path, extra, sync }
}

/// Returns the pages that pass the request's filters, cut to the requested page, and the total
/// count.
pub(super) async fn filtered(
    asked: &Asked,
    kinds: Vec<PageKind>,
    tags: &Tags,
    tagged: Tagged,
) -> Result<(Vec<Page>, usize), Refused> {
    let params = &asked.params;
    let offset = (params.page() - 1) * PER_PAGE;
    let filters = Filters::of(params, tags, tagged)?;
    if let Some(parent) = filters.parent()
        && pages::is_hidden(&asked.scribe, parent).await?
    {
        return Ok((Vec::new(), 0));
    }
    let by_store = filters.are_the_stores();
    let query = PageQuery {
        kinds,
        name: filters.name.clone(),
        tags: filters.tags.clone(),
        since: params.get("lastSync").map(|text| moment("lastSync", text)).transpose()?,
        offset: if by_store { offset } else { 0 },
        limit: by_store.then_some(PER_PAGE),
        detail: filters.detail(detail(asked)),
        ..PageQuery::default()
    };
    let found = pages::find(&asked.scribe, &query).await?;
    let mut pages: Vec<Page> = found.pages.into_iter().map(|row| row.page).collect();
    if by_store {
        return Ok((pages, found.total));
    }
    let ids: Vec<_> = pages.iter().map(|page| page.node.id).collect();
    let needed = if filters.need_attributes() { ids.as_slice() } else { &[] };
    let attributes = pages::attributes(&asked.scribe, needed).await?;
    pages.retain(|page| {
        let own = attributes.get(&page.node.id).map_or(&[][..], Vec::as_slice);
        filters.pass(page, own)
    });
    let total = pages.len();
    Ok((pages.into_iter().skip(offset).take(PER_PAGE).collect(), total))
}

async fn create(asked: &Asked, kind: PageKind) -> Result<Reply, Refused> {
    asked.permit("create_entities")?;
    let new = draft(asked, kind, &asked.fields).await?;
    let made = pages::create(&asked.scribe, &new).await?;
    pages::join_made(&asked.scribe, &[(made.number, "")]).await;
    let page = found(asked, kind, made.kind_number).await?;
    Ok(Reply::Made(json!({ "data": shown(asked, page).await? })))
}

/// Reads the fields of a page to be created.
pub(super) async fn draft(
    asked: &Asked,
    kind: PageKind,
    fields: &Map<String, Value>,
) -> Result<NewPage, Refused> {
    let name = text(fields, "name")?.filter(|name| !name.trim().is_empty());
    Ok(NewPage {
        kind,
        name: name.ok_or_else(|| Refused::field("name", "The name field is required."))?,
        subtype: text(fields, "type")?,
        entry: text(fields, "entry")?.map(|html| to_markdown(&html)),
        tags: tag_names(asked, fields).await?.unwrap_or_default(),
        private: Some(flag(fields, "is_private")?.unwrap_or(false)),
        parent: parent(fields)?.flatten(),
        fields: own_fields(fields, kind)?,
    })
}

async fn update(asked: &Asked, kind: PageKind, id: i64) -> Result<Reply, Refused> {
    asked.permit("update_entities")?;
    let page = found(asked, kind, id).await?;
    let patch = PagePatch { tags: tag_names(asked, &asked.fields).await?, ..patch(asked, kind)? };
    pages::update(&asked.scribe, page.node.number, &patch).await?;
    let page = found(asked, kind, id).await?;
    Ok(Reply::Found(json!({ "data": shown(asked, page).await? })))
}

/// Reads the changes of a body, except for tags.
pub(super) fn patch(asked: &Asked, kind: PageKind) -> Result<PagePatch, Refused> {
    let fields = &asked.fields;
    let cleared = |name: &str| fields.get(name).is_some_and(Value::is_null);
    let or_cleared =
        |name: &str, text: Option<String>| text.or_else(|| cleared(name).then(String::new));
    Ok(PagePatch {
        name: text(fields, "name")?,
        subtype: or_cleared("type", text(fields, "type")?),
        entry: or_cleared("entry", text(fields, "entry")?.map(|html| to_markdown(&html))),
        tags: None,
        private: flag(fields, "is_private")?,
        parent: parent(fields)?,
        fields: own_fields(fields, kind)?,
    })
}

/// Reads a page of a kind, with its posts if the request asks for them.
async fn found(asked: &Asked, kind: PageKind, id: i64) -> Result<Page, Refused> {
    Ok(pages::get_of_kind(&asked.scribe, kind, id, detail(asked)).await?)
}

async fn shown(asked: &Asked, page: Page) -> Result<Value, Refused> {
    let mut pages = [page];
    let showing = Showing::of(asked, &mut pages).await?;
    let [page] = &pages;
    Ok(only_wanted(asked, shape::typed(page, &showing)))
}

/// Keeps only the fields that the request names in `fields`; keeps all if it names none.
fn only_wanted(asked: &Asked, mut object: Value) -> Value {
    if let (Some(wanted), Value::Object(fields)) = (asked.params.get("fields"), &mut object) {
        let wanted: Vec<&str> = wanted.split(',').map(str::trim).collect();
        fields.retain(|name, _| wanted.contains(&name.as_str()));
    }
    object
}

/// How much of each page the request wants.
pub(super) fn detail(asked: &Asked) -> Detail {
    if related(asked) == Related::Shown { Detail::Posts } else { Detail::Entry }
}

pub(super) fn related(asked: &Asked) -> Related {
    if asked.params.is_on("related") { Related::Shown } else { Related::Left }
}

/// The URL of the campaign.
pub(super) fn campaign(asked: &Asked) -> String {
    format!("{}/campaigns/{}", asked.base, asked.viewer().world.0)
}

/// A text field of the body; null counts as absent.
pub(super) fn text(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, Refused> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if name == "entry" || text.chars().count() <= NAME_MAX => {
            Ok(Some(text.clone()))
        }
        Some(Value::String(_)) => {
            let problem = format!("The {name} may not be greater than {NAME_MAX} characters.");
            Err(Refused::field(name, &problem))
        }
        Some(_) => Err(Refused::field(name, &format!("The {name} must be a string."))),
    }
}

/// The parent in the body: `None` if absent, `Some(None)` for null, which removes the parent.
fn parent(fields: &Map<String, Value>) -> Result<Option<Option<i64>>, Refused> {
    match fields.get("parent_id") {
        Some(Value::Null) => Ok(Some(None)),
        _ => Ok(integer(fields, "parent_id")?.map(Some)),
    }
}

/// An integer field of the body; null counts as absent.
pub(super) fn integer(fields: &Map<String, Value>, name: &str) -> Result<Option<i64>, Refused> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(given) => match given.as_i64() {
            Some(number) => Ok(Some(number)),
            None => Err(Refused::field(name, &format!("The {name} must be an integer."))),
        },
    }
}

/// A boolean field of the body, also as 0 or 1; null counts as absent.
pub(super) fn flag(fields: &Map<String, Value>, name: &str) -> Result<Option<bool>, Refused> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(on)) => Ok(Some(*on)),
        Some(Value::Number(number)) if number.as_i64() == Some(0) => Ok(Some(false)),
        Some(Value::Number(number)) if number.as_i64() == Some(1) => Ok(Some(true)),
        Some(_) => Err(Refused::field(name, &format!("The {name} field must be true or false."))),
    }
}

/// The names of the tags in a body. A number must be the id of a tag; any other text is a name, and
/// an unknown name creates a tag.
async fn tag_names(
    asked: &Asked,
    fields: &Map<String, Value>,
) -> Result<Option<Vec<String>>, Refused> {
    let Some(Value::Array(given)) = fields.get("tags") else { return Ok(None) };
    let tags = Tags::read(&asked.scribe).await?;
    let mut names = Vec::with_capacity(given.len());
    for tag in given {
        let number = match tag {
            Value::String(text) => text.parse().ok(),
            other => other.as_i64(),
        };
        let name = match (number, tag) {
            (Some(number), _) => tags.name(number).map(str::to_owned),
            (None, Value::String(text)) => {
                Some(text.strip_prefix("new:").unwrap_or(text).to_owned())
            }
            (None, _) => None,
        };
        let unknown = || Refused::field("tags", "The selected tags is invalid.");
        names.push(name.ok_or_else(unknown)?);
    }
    Ok(Some(names))
}

fn own_fields(given: &Map<String, Value>, kind: PageKind) -> Result<Properties, Refused> {
    let mut fields = Properties::new();
    for name in IMAGES {
        // The URLs of single kinds use the prefix `entity_`, the generic one does not.
        let value = given.get(&format!("entity_{name}")).or_else(|| given.get(name));
        let value = value.filter(|value| value.is_string() || value.is_null());
        fields.extend(value.map(|value| (name.to_owned(), value.clone())));
    }
    for name in kind.fields() {
        let Some(value) = given.get(*name) else { continue };
        let value = match text(given, name)? {
            Some(date) if *name == "date" => {
                let day = pages::any_day(&date).map(|day| day.to_string());
                json!(day.ok_or_else(|| Refused::field("date", "The date is not a valid date."))?)
            }
            Some(text) => json!(text),
            None => value.clone(),
        };
        fields.insert((*name).to_owned(), value);
    }
    fields.extend(extra::given(kind, given)?);
    Ok(fields)
}

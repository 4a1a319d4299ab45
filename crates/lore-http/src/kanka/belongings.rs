//! The parts of an entity other than its posts: attributes, relations, tags and images.

use axum::http::Method;
use lore_app::pages::{
    self, AttributeEdit, AttributePatch, Detail, Page, PagePatch, RelationPatch, Ways,
};
use serde_json::{Value, json};

use super::answer::{PER_PAGE, Refused, Reply};
use super::shape::{self, IMAGES, Tags};
use super::typed::{self, flag, integer, text};
use super::{Asked, number, posts};

/// The attribute types that Kanka knows.
const FORMS: std::ops::RangeInclusive<i64> = 1..=7;

/// The routes of an entity's attributes, which are custom fields.
pub(super) async fn attributes(
    asked: &Asked,
    method: &Method,
    entity: i64,
    path: &[&str],
) -> Result<Reply, Refused> {
    let edit = match (method.as_str(), path) {
        ("GET", []) => {
            let rows = attribute_rows(asked, entity).await?;
            return Ok(listed(asked, rows, format!("entities/{entity}/attributes")));
        }
        ("GET", [id]) => return one(attribute_rows(asked, entity).await?, number(id)?),
        ("POST", []) => {
            let patch = attribute_patch(asked)?;
            patch.name.as_ref().ok_or_else(|| required("name"))?;
            AttributeEdit::Make(patch)
        }
        ("PUT" | "PATCH", [id]) => AttributeEdit::Change(number(id)?, attribute_patch(asked)?),
        ("DELETE", [id]) => AttributeEdit::Remove(number(id)?),
        _ => return Err(elsewhere(path)),
    };
    asked.permit("update_entities")?;
    let id = pages::edit_attributes(&asked.scribe, entity, &edit).await?;
    answered(&edit, || attribute_rows(asked, entity), id).await
}

/// The routes of an entity's relations to other entities.
pub(super) async fn relations(
    asked: &Asked,
    method: &Method,
    entity: i64,
    path: &[&str],
) -> Result<Reply, Refused> {
    let scribe = &asked.scribe;
    match (method.as_str(), path) {
        ("GET", []) => {
            let rows = relation_rows(asked, entity).await?;
            Ok(listed(asked, rows, format!("entities/{entity}/relations")))
        }
        ("GET", [id]) => one(relation_rows(asked, entity).await?, number(id)?),
        ("POST", []) => {
            asked.permit("update_entities")?;
            let target =
                integer(&asked.fields, "target_id")?.ok_or_else(|| required("target_id"))?;
            let patch = relation_patch(asked)?;
            patch.says.as_ref().ok_or_else(|| required("relation"))?;
            let ways = match flag(&asked.fields, "two_way")? {
                Some(true) => Ways::Both,
                _ => Ways::One,
            };
            let id = pages::relate(scribe, entity, target, ways, &patch).await?;
            Ok(made(one(relation_rows(asked, entity).await?, id)?))
        }
        ("PUT" | "PATCH", [id]) => {
            asked.permit("update_entities")?;
            let patch = relation_patch(asked)?;
            let id = pages::change_relation(scribe, entity, number(id)?, &patch).await?;
            one(relation_rows(asked, entity).await?, id)
        }
        ("DELETE", [id]) => {
            asked.permit("update_entities")?;
            pages::part(scribe, entity, number(id)?).await?;
            Ok(Reply::Gone)
        }
        _ => Err(elsewhere(path)),
    }
}

/// The routes of an entity's tags. A row uses the id of its tag, since an entity has each tag at
/// most once.
pub(super) async fn tags(
    asked: &Asked,
    method: &Method,
    entity: i64,
    path: &[&str],
) -> Result<Reply, Refused> {
    let page = page(asked, entity).await?;
    let known = Tags::read(&asked.scribe).await?;
    let rows = |page: &Page| -> Vec<Value> {
        known.numbers(page).into_iter().map(|id| json!({ "id": id, "tag_id": id })).collect()
    };
    let has = |id: i64| known.name(id).filter(|_| known.numbers(&page).contains(&id));
    let unknown =
        |id: i64| Refused::new(404, format!("No query results for model [EntityTag] {id}"));
    let added = || -> Result<(i64, String), Refused> {
        let id = integer(&asked.fields, "tag_id")?.ok_or_else(|| required("tag_id"))?;
        let name = known.name(id);
        let wrong = || Refused::field("tag_id", "The selected tag id is invalid.");
        Ok((id, name.ok_or_else(wrong)?.to_owned()))
    };
    let (gone, fresh) = match (method.as_str(), path) {
        ("GET", []) => {
            return Ok(listed(asked, rows(&page), format!("entities/{entity}/entity_tags")));
        }
        ("GET", [id]) => return one(rows(&page), number(id)?),
        ("POST", []) => (None, Some(added()?)),
        ("PUT" | "PATCH", [id]) => (Some(number(id)?), Some(added()?)),
        ("DELETE", [id]) => (Some(number(id)?), None),
        _ => return Err(elsewhere(path)),
    };
    asked.permit("update_entities")?;
    let gone = gone.map(|id| has(id).ok_or_else(|| unknown(id))).transpose()?;
    let kept = page.node.tags.iter().filter(|tag| Some(tag.as_str()) != gone).cloned();
    let wanted = kept.chain(fresh.iter().map(|(_, name)| name.clone())).collect();
    let patch = PagePatch { tags: Some(wanted), ..PagePatch::default() };
    pages::update(&asked.scribe, entity, &patch).await?;
    match (fresh, method) {
        (Some((id, _)), &Method::POST) => {
            Ok(Reply::Made(json!({ "data": { "id": id, "tag_id": id } })))
        }
        (Some((id, _)), _) => Ok(Reply::Found(json!({ "data": { "id": id, "tag_id": id } }))),
        (None, _) => Ok(Reply::Gone),
    }
}

/// The images of an entity. Only their ids are stored, so the URLs are null.
pub(super) async fn image(asked: &Asked, entity: i64) -> Result<Reply, Refused> {
    let page = page(asked, entity).await?;
    let [image, header] = IMAGES.map(|name| {
        let uuid = page.node.properties.get(name).filter(|uuid| uuid.is_string());
        uuid.map(|uuid| json!({ "uuid": uuid, "full": null, "thumbnail": null }))
    });
    Ok(Reply::Found(json!({ "data": { "image": image, "header": header } })))
}

/// Reads an entity without its texts, which its attributes, relations and tags do not need.
async fn page(asked: &Asked, entity: i64) -> Result<Page, Refused> {
    asked.permit("get_entities")?;
    Ok(pages::get(&asked.scribe, entity, Detail::Head).await?)
}

async fn attribute_rows(asked: &Asked, entity: i64) -> Result<Vec<Value>, Refused> {
    let page = page(asked, entity).await?;
    let found = pages::attributes(&asked.scribe, &[page.node.id]).await?;
    Ok(found.values().flatten().map(|row| shape::attribute(row, &page)).collect())
}

async fn relation_rows(asked: &Asked, entity: i64) -> Result<Vec<Value>, Refused> {
    let page = page(asked, entity).await?;
    let found = pages::relations(&asked.scribe, &[page.node.id]).await?;
    Ok(found.iter().map(shape::relation).collect())
}

fn attribute_patch(asked: &Asked) -> Result<AttributePatch, Refused> {
    let fields = &asked.fields;
    let value = match fields.get("value") {
        None => None,
        Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
        Some(_) => return Err(Refused::field("value", "The value must be a string.")),
    };
    let form = integer(fields, "type_id")?;
    if form.is_some_and(|form| !FORMS.contains(&form)) {
        return Err(Refused::field("type_id", "The selected type id is invalid."));
    }
    let pinned = flag(fields, "is_pinned")?;
    Ok(AttributePatch {
        name: text(fields, "name")?,
        value,
        form,
        pinned: pinned.or(flag(fields, "is_star")?),
        private: flag(fields, "is_private")?,
    })
}

fn relation_patch(asked: &Asked) -> Result<RelationPatch, Refused> {
    let fields = &asked.fields;
    Ok(RelationPatch {
        says: text(fields, "relation")?,
        attitude: integer(fields, "attitude")?,
        colour: text(fields, "colour")?,
        pinned: flag(fields, "is_pinned")?,
        private: posts::hidden(asked)?,
    })
}

/// The answer to a change of an attribute.
async fn answered<F: Future<Output = Result<Vec<Value>, Refused>>>(
    edit: &AttributeEdit,
    rows: impl Fn() -> F,
    id: i64,
) -> Result<Reply, Refused> {
    match edit {
        AttributeEdit::Make(_) => Ok(made(one(rows().await?, id)?)),
        AttributeEdit::Change(..) => one(rows().await?, id),
        AttributeEdit::Remove(_) => Ok(Reply::Gone),
    }
}

fn made(reply: Reply) -> Reply {
    match reply {
        Reply::Found(body) => Reply::Made(body),
        other => other,
    }
}

fn one(rows: Vec<Value>, id: i64) -> Result<Reply, Refused> {
    let found = rows.into_iter().find(|row| row.get("id").and_then(Value::as_i64) == Some(id));
    match found {
        Some(row) => Ok(Reply::Found(json!({ "data": row }))),
        None => Err(Refused::new(404, format!("No query results for model {id}"))),
    }
}

fn listed(asked: &Asked, rows: Vec<Value>, path: String) -> Reply {
    let first = (asked.params.page() - 1) * PER_PAGE;
    let total = rows.len();
    let shown = rows.into_iter().skip(first).take(PER_PAGE).collect();
    let path = format!("{}/{path}", typed::campaign(asked));
    typed::page_of(asked, shown, total, path, "").into_reply()
}

fn required(field: &str) -> Refused {
    Refused::field(field, &format!("The {field} field is required."))
}

fn elsewhere(path: &[&str]) -> Refused {
    match path {
        [] | [_] => Refused::new(405, "The method is not supported for this route."),
        _ => Refused::nowhere(),
    }
}

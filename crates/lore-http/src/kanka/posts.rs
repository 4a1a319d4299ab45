//! The routes of an entity's posts.

use axum::http::Method;
use lore_app::pages::{self, Detail, NewPost, Page, PostPatch};
use lore_markup::to_markdown;
use serde_json::{Value, json};

use super::answer::{PER_PAGE, Refused, Reply};
use super::typed::{self, text};
use super::{Asked, number, shape};

pub(super) async fn route(
    asked: &Asked,
    method: &Method,
    page: i64,
    path: &[&str],
) -> Result<Reply, Refused> {
    match (method.as_str(), path) {
        ("GET", []) => list(asked, page).await,
        ("POST", []) => create(asked, page).await,
        ("GET", [id]) => {
            asked.permit("get_entities")?;
            Ok(Reply::Found(one(&read(asked, page).await?, number(id)?)?))
        }
        ("PUT" | "PATCH", [id]) => update(asked, page, number(id)?).await,
        ("DELETE", [id]) => {
            asked.permit("delete_posts")?;
            pages::delete_post(&asked.scribe, page, number(id)?).await?;
            Ok(Reply::Gone)
        }
        (_, [] | [_]) => Err(Refused::new(405, "The method is not supported for this route.")),
        _ => Err(Refused::nowhere()),
    }
}

async fn list(asked: &Asked, page: i64) -> Result<Reply, Refused> {
    asked.permit("get_entities")?;
    let found = read(asked, page).await?;
    let first = (asked.params.page() - 1) * PER_PAGE;
    let rows = found.posts.iter().skip(first).take(PER_PAGE);
    let rows = rows.map(|post| shape::post(post, page)).collect();
    let path = format!("{}/entities/{page}/posts", typed::campaign(asked));
    Ok(typed::page_of(asked, rows, found.posts.len(), path, "").into_reply())
}

async fn create(asked: &Asked, page: i64) -> Result<Reply, Refused> {
    asked.permit("create_posts")?;
    let fields = &asked.fields;
    let name = text(fields, "name")?.filter(|name| !name.trim().is_empty());
    let new = NewPost {
        page,
        name: name.ok_or_else(|| Refused::field("name", "The name field is required."))?,
        entry: text(fields, "entry")?.map(|html| to_markdown(&html)).unwrap_or_default(),
        private: hidden(asked)?.unwrap_or(false),
    };
    let id = pages::create_post(&asked.scribe, &new).await?;
    Ok(Reply::Made(one(&read(asked, page).await?, id)?))
}

async fn update(asked: &Asked, page: i64, id: i64) -> Result<Reply, Refused> {
    asked.permit("update_posts")?;
    let patch = PostPatch {
        name: text(&asked.fields, "name")?,
        entry: text(&asked.fields, "entry")?.map(|html| to_markdown(&html)),
        private: hidden(asked)?,
    };
    pages::update_post(&asked.scribe, page, id, &patch).await?;
    Ok(Reply::Found(one(&read(asked, page).await?, id)?))
}

async fn read(asked: &Asked, page: i64) -> Result<Page, Refused> {
    Ok(pages::get(&asked.scribe, page, Detail::Posts).await?)
}

fn one(page: &Page, id: i64) -> Result<Value, Refused> {
    let found = page.posts.iter().find(|post| pages::post_number(post) == id);
    let found = found
        .ok_or_else(|| Refused::new(404, format!("No query results for model [Post] {id}")))?;
    Ok(json!({ "data": shape::post(found, page.node.number) }))
}

/// Whether the body's `visibility_id` hides the post or relation: 1 (all) and 5 (members) do not, 2
/// to 4 do.
pub(super) fn hidden(asked: &Asked) -> Result<Option<bool>, Refused> {
    match asked.fields.get("visibility_id") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_i64() {
            Some(1 | 5) => Ok(Some(false)),
            Some(2..=4) => Ok(Some(true)),
            _ => Err(Refused::field("visibility_id", "The selected visibility id is invalid.")),
        },
    }
}

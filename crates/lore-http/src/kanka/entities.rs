//! All entities together, whatever their kind.

use lore_app::pages::{self, Detail, NameFilter, Page, PageKind, PageQuery};
use serde_json::{Value, json};

use super::Asked;
use super::answer::{Refused, Reply};
use super::shape::{self, Related, Tags};
use super::typed;

/// Most hits of a search by name.
const HITS_MAX: usize = 10;

pub(super) async fn list(asked: &Asked) -> Result<Reply, Refused> {
    asked.permit("find_entities")?;
    let tags = Tags::read(&asked.scribe).await?;
    let types = asked.params.get("types");
    let kinds: Vec<PageKind> = types
        .into_iter()
        .flat_map(|codes| codes.split(','))
        .filter_map(shape::kind_of_code)
        .collect();
    let campaign = typed::campaign(asked);
    let (pages, total) = typed::filtered(asked, kinds, &tags).await?;
    let rows = pages.iter().map(|page| Value::Object(shape::entity(page, &tags, &campaign)));
    let extra = types.map(|types| format!("&types={types}")).unwrap_or_default();
    let path = format!("{campaign}/entities");
    Ok(typed::page_of(asked, rows.collect(), total, path, &extra).into_reply())
}

pub(super) async fn get(asked: &Asked, id: i64) -> Result<Reply, Refused> {
    asked.permit("get_entities")?;
    let related = typed::related(asked);
    let posts = if related == Related::Shown { Detail::Posts } else { Detail::Entry };
    let page = pages::get(&asked.scribe, id, posts).await?;
    Ok(Reply::Found(json!({ "data": with_child(asked, &page, related).await? })))
}

pub(super) async fn patch(asked: &Asked, id: i64) -> Result<Reply, Refused> {
    asked.permit("update_entities")?;
    let page = pages::get(&asked.scribe, id, Detail::Entry).await?;
    // Tags are changed at the typed address only.
    let patch = typed::patch(asked, page.kind)?;
    pages::update(&asked.scribe, id, &patch).await?;
    let page = pages::get(&asked.scribe, id, Detail::Entry).await?;
    Ok(Reply::Found(json!({ "data": with_child(asked, &page, Related::Left).await? })))
}

pub(super) async fn mentions(asked: &Asked, id: i64) -> Result<Reply, Refused> {
    asked.permit("get_entities")?;
    let found = pages::mentions_of(&asked.scribe, id).await?;
    let rows = found.iter().map(|found| {
        json!({
            "entity_id": found.page,
            "post_id": found.post,
            "campaign_id": Value::Null,
            "target_id": id,
        })
    });
    Ok(Reply::Found(json!({ "data": rows.collect::<Vec<_>>() })))
}

pub(super) async fn search(asked: &Asked, term: &str) -> Result<Reply, Refused> {
    asked.permit("find_entities")?;
    let query = PageQuery {
        name: Some(NameFilter::Contains(term.to_owned())),
        limit: Some(HITS_MAX),
        ..PageQuery::default()
    };
    let found = pages::find(&asked.scribe, &query).await?;
    let tags = Tags::read(&asked.scribe).await?;
    let campaign = typed::campaign(asked);
    let hits = found.pages.iter().map(|hit| shape::search_row(&hit.page, &tags, &campaign));
    Ok(Reply::Found(json!({ "data": hits.collect::<Vec<_>>() })))
}

async fn with_child(asked: &Asked, page: &Page, related: Related) -> Result<Value, Refused> {
    let tags = Tags::read(&asked.scribe).await?;
    let campaign = typed::campaign(asked);
    let mut object = shape::entity(page, &tags, &campaign);
    object.insert("child".into(), shape::typed(page, &tags, related, &campaign));
    Ok(Value::Object(object))
}

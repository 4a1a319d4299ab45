//! The routes of entities of all kinds together.

use lore_app::pages::{self, Detail, NameFilter, Page, PageKind, PageQuery};
use serde_json::{Value, json};

use super::Asked;
use super::answer::{Refused, Reply};
use super::filters::Tagged;
use super::shape::{self, Showing, Tags};
use super::typed;

/// The most hits that a search returns.
const HITS_MAX: usize = 10;
/// The most entities that one bulk request creates.
const BULK_MAX: usize = 20;

pub(super) async fn list(asked: &Asked) -> Result<Reply, Refused> {
    asked.permit("find_entities")?;
    let tags = Tags::read(&asked.scribe).await?;
    let types = asked.params.get("types");
    let named = types.into_iter().flat_map(|codes| codes.split(','));
    let numbered = asked.params.all("type_id").filter_map(|id| shape::kind_of_id(id.parse().ok()?));
    let kinds: Vec<PageKind> = named.filter_map(shape::kind_of_code).chain(numbered).collect();
    let (mut pages, total) = typed::filtered(asked, kinds, &tags, Tagged::Any).await?;
    let showing = Showing::of(asked, &mut pages).await?;
    let rows = pages.iter().map(|page| Value::Object(shape::entity(page, &showing)));
    let extra = types.map(|types| format!("&types={types}")).unwrap_or_default();
    let path = format!("{}/entities", showing.campaign);
    Ok(typed::page_of(asked, rows.collect(), total, path, &extra).into_reply())
}

/// The entities that changed last.
pub(super) async fn recent(asked: &Asked) -> Result<Reply, Refused> {
    asked.permit("find_entities")?;
    let amount = asked.params.get("amount").and_then(|text| text.parse().ok());
    let amount = amount.unwrap_or(HITS_MAX).clamp(1, HITS_MAX);
    let query = PageQuery { detail: Detail::Head, ..PageQuery::default() };
    let found = pages::find(&asked.scribe, &query).await?;
    let mut pages: Vec<Page> = found.pages.into_iter().map(|row| row.page).collect();
    pages.sort_by_key(|page| std::cmp::Reverse((page.node.updated.at, page.node.id)));
    pages.truncate(amount);
    let showing = Showing::of(asked, &mut pages).await?;
    let rows = pages.iter().map(|page| Value::Object(shape::entity(page, &showing)));
    Ok(Reply::Found(json!({ "data": rows.collect::<Vec<_>>() })))
}

/// Creates several entities of a kind. All are validated first, so that an invalid one prevents the
/// whole request; errors while writing can still leave some created.
pub(super) async fn bulk(asked: &Asked, kind: PageKind) -> Result<Reply, Refused> {
    asked.permit("create_entities")?;
    let Some(Value::Array(given)) = asked.fields.get("entities") else {
        return Err(Refused::field("entities", "The entities field is required."));
    };
    if given.len() > BULK_MAX {
        let problem = format!("The entities may not have more than {BULK_MAX} items.");
        return Err(Refused::field("entities", &problem));
    }
    let mut drafts = Vec::with_capacity(given.len());
    for fields in given {
        let Value::Object(fields) = fields else {
            return Err(Refused::field("entities", "The entities must be objects."));
        };
        drafts.push(typed::draft(asked, kind, fields).await?);
    }
    let mut made = Vec::with_capacity(drafts.len());
    let mut written = Vec::with_capacity(drafts.len());
    for draft in &drafts {
        let number = pages::create(&asked.scribe, draft).await?.number;
        made.push(pages::get(&asked.scribe, number, Detail::Entry).await?);
        written.push((number, draft.entry.as_deref().unwrap_or_default()));
    }
    pages::join_made(&asked.scribe, &written).await;
    let showing = Showing::of(asked, &mut made).await?;
    let rows = made.iter().map(|page| Value::Object(shape::entity(page, &showing)));
    Ok(Reply::Made(json!({ "data": rows.collect::<Vec<_>>() })))
}

pub(super) async fn get(asked: &Asked, id: i64) -> Result<Reply, Refused> {
    asked.permit("get_entities")?;
    let page = pages::get(&asked.scribe, id, typed::detail(asked)).await?;
    Ok(Reply::Found(json!({ "data": with_child(asked, page).await? })))
}

pub(super) async fn patch(asked: &Asked, id: i64) -> Result<Reply, Refused> {
    asked.permit("update_entities")?;
    let page = pages::get(&asked.scribe, id, Detail::Entry).await?;
    // Tags can only be changed at the URL of the kind.
    let patch = typed::patch(asked, page.kind)?;
    pages::update(&asked.scribe, id, &patch).await?;
    let page = pages::get(&asked.scribe, id, typed::detail(asked)).await?;
    Ok(Reply::Found(json!({ "data": with_child(asked, page).await? })))
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
    hits(asked, &query).await
}

/// Full-text search over all entities.
pub(super) async fn full_text(asked: &Asked) -> Result<Reply, Refused> {
    asked.permit("find_entities")?;
    let term = asked.params.get("term");
    let term = term.ok_or_else(|| Refused::field("term", "The term field is required."))?;
    let words = Some(term.to_owned());
    hits(asked, &PageQuery { words, limit: Some(HITS_MAX), ..PageQuery::default() }).await
}

async fn hits(asked: &Asked, query: &PageQuery) -> Result<Reply, Refused> {
    let found = pages::find(&asked.scribe, query).await?;
    let mut pages: Vec<Page> = found.pages.into_iter().map(|row| row.page).collect();
    let showing = Showing::of(asked, &mut pages).await?;
    let rows: Value = pages.iter().map(|page| shape::search_row(page, &showing)).collect();
    Ok(Reply::Found(json!({ "data": rows })))
}

async fn with_child(asked: &Asked, page: Page) -> Result<Value, Refused> {
    let mut pages = [page];
    let showing = Showing::of(asked, &mut pages).await?;
    let [page] = &pages;
    let mut object = shape::entity(page, &showing);
    object.insert("child".into(), shape::typed(page, &showing));
    Ok(Value::Object(object))
}

//! `/entity…`, `/entities`, `/relationships` and `/entity-search`.

use lore_app::knowledge::{
    self, Asked, Entity, EntityType, Merged, Surroundings, Whose, find_entities,
    find_mere_documents, mentioned_in, relations, resolve,
};
use lore_core::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answers::{
    EntitySearchAnswer, MentionedInAnswer, RelationshipsAnswer, ResolveAnswer, without_zone,
};
use super::{Answered, Request, Verb, row_count, shown, wrong_verb};

/// The number of documents returned for an entity when no limit is given.
const DOCUMENTS: usize = 500;
/// The number of relations returned for an entity when no limit is given.
const RELATIONS: usize = 500;
/// The maximum number of entities per page of a list.
const LISTED_MAX: usize = 1_000;
/// The maximum number of URIs in one request.
const URIS_MAX: usize = 200;

pub(super) async fn route(request: &Request<'_>, path: &str) -> Answered {
    let verb = request.ask.verb;
    match (verb, path) {
        (Verb::Post, "entity/resolve") => resolved(request, request.body()?).await,
        (Verb::Get, "entity/resolve") => resolved(request, request.query()?).await,
        (Verb::Get, "entity-search") => found(request).await,
        (Verb::Get, "entities") => listed(request).await,
        (Verb::Post, "entities/mentioned-in") => mentioned_all(request).await,
        (Verb::Post, "entity/merge") => merge(request).await,
        (Verb::Post, "entity/unmerge") => unmerge(request).await,
        (Verb::Post, "entity/retype") => retype(request).await,
        (Verb::Post, "entity/alias") => alias(request).await,
        (Verb::Get, _) => of_one(request, path).await,
        (Verb::Post, _) => wrong_verb(),
    }
}

/// Handles paths that contain a URI, which may itself contain slashes.
async fn of_one(request: &Request<'_>, path: &str) -> Answered {
    if let Some(uri) = path.strip_prefix("relationships/") {
        return related(request, uri).await;
    }
    let Some(rest) = path.strip_prefix("entity/") else { return wrong_verb() };
    if let Some(uri) = rest.strip_suffix("/mentioned-in") {
        let limit = row_count(request.query::<Page>()?.limit, DOCUMENTS)?;
        let found = mentioned_in(&request.librarian, uri, limit).await?;
        return shown(MentionedInAnswer::of(uri.to_owned(), found));
    }
    if let Some(uri) = rest.strip_suffix("/history") {
        return history(request, uri).await;
    }
    let found = one(request, rest).await?;
    let documents = mentioned_in(&request.librarian, rest, DOCUMENTS).await?;
    let documents = MentionedInAnswer::of(rest.to_owned(), documents);
    let documents = json!(documents).get("documents").cloned().unwrap_or_default();
    shown(json!({ "entity": entity(found), "documents": documents }))
}

#[derive(Deserialize)]
struct Page {
    limit: Option<i64>,
}

#[derive(Deserialize)]
struct ResolveIn {
    label: String,
    type_hint: Option<String>,
    limit: Option<i64>,
    #[serde(default)]
    context: Option<ContextIn>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ContextIn {
    associated_people: Vec<String>,
    project: Option<String>,
    organizations: Vec<String>,
    associated_orgs: Vec<String>,
    topics: Vec<String>,
    source_text: Option<String>,
}

async fn resolved(request: &Request<'_>, given: ResolveIn) -> Answered {
    let context = given.context.unwrap_or_default();
    let beside = [context.associated_people, context.organizations, context.associated_orgs];
    let asked = Asked {
        label: given.label,
        type_hint: given.type_hint,
        limit: row_count(given.limit, 5)?,
        surroundings: Surroundings {
            beside: beside.into_iter().flatten().chain(context.project).collect(),
            topics: context.topics,
            text: context.source_text.unwrap_or_default(),
        },
    };
    let found = resolve(&request.librarian, &asked).await?;
    let mut answer = ResolveAnswer::of(asked.label.trim(), found);
    answer.vault = request.vault().await;
    shown(answer)
}

#[derive(Deserialize)]
struct RelationsIn {
    predicate: Option<String>,
    limit: Option<i64>,
}

async fn related(request: &Request<'_>, uri: &str) -> Answered {
    let given: RelationsIn = request.query()?;
    let limit = row_count(given.limit, RELATIONS)?;
    let found = relations(&request.librarian, uri, given.predicate.as_deref()).await?;
    shown(RelationshipsAnswer::of(uri.to_owned(), found, limit))
}

#[derive(Deserialize)]
struct FindIn {
    query: String,
    type_filter: Option<String>,
    limit: Option<i64>,
}

async fn found(request: &Request<'_>) -> Answered {
    let given: FindIn = request.query()?;
    let filter = given.type_filter.filter(|name| !name.trim().is_empty());
    let wanted = wanted_type(request, "type_filter", filter.as_deref()).await?;
    let limit = row_count(given.limit, 10)?;
    let (librarian, whose) = (&request.librarian, Whose::Everybodys);
    let found = find_entities(librarian, &given.query, wanted, whose, limit).await?;
    // A request for a type of entity is not interested in documents.
    let documents = match wanted {
        Some(_) => None,
        None => Some(find_mere_documents(librarian, &given.query, limit).await?),
    };
    let mut answer = EntitySearchAnswer::of(given.query, filter, found, documents);
    answer.vault = request.vault().await;
    shown(answer)
}

#[derive(Deserialize)]
struct ListIn {
    #[serde(alias = "type")]
    entity_type: Option<String>,
    limit: Option<i64>,
    #[serde(default)]
    offset: usize,
}

async fn listed(request: &Request<'_>) -> Answered {
    let given: ListIn = request.query()?;
    let wanted = wanted_type(request, "type", given.entity_type.as_deref()).await?;
    let limit = row_count(given.limit, 100)?.min(LISTED_MAX);
    let end = given.offset.saturating_add(limit);
    let found = knowledge::list(&request.librarian, wanted, end.saturating_add(1)).await?;
    let truncated = found.len() > end;
    let page = found.into_iter().skip(given.offset).take(limit);
    let entities: Vec<Value> = page.map(entity).collect();
    shown(json!({ "count": entities.len(), "truncated": truncated, "entities": entities }))
}

#[derive(Deserialize)]
struct ManyIn {
    uris: Vec<String>,
    limit_per_entity: Option<i64>,
}

async fn mentioned_all(request: &Request<'_>) -> Answered {
    let given: ManyIn = request.body()?;
    if given.uris.len() > URIS_MAX {
        let limit = format!("{URIS_MAX} URIs");
        return Err(Error::TooLarge { what: "uris".into(), limit }.into());
    }
    let limit = row_count(given.limit_per_entity, DOCUMENTS)?;
    let mut results = Map::new();
    for uri in given.uris {
        let found = mentioned_in(&request.librarian, &uri, limit).await?;
        results.insert(uri.clone(), shown(MentionedInAnswer::of(uri, found))?);
    }
    shown(json!({ "total_entities": results.len(), "results": results }))
}

#[derive(Deserialize)]
struct MergeIn {
    #[serde(alias = "source_uri")]
    from_uri: String,
    #[serde(alias = "target_uri")]
    into_uri: String,
    #[serde(default)]
    reason: String,
}

async fn merge(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: MergeIn = request.own_words()?;
    let from = uri_of(request, "from_uri", &given.from_uri).await?;
    let into = uri_of(request, "into_uri", &given.into_uri).await?;
    let merged = knowledge::merge(&request.librarian, &from, &into, &given.reason);
    let Merged { entity: stays, out_of_sight } = merged.await?;
    let mut answer = json!({ "success": true, "entity": entity(stays) });
    if let (Some(name), Some(fields)) = (out_of_sight, answer.as_object_mut()) {
        let notice = format!(
            "players saw {name:?} and do not see what it is part of now: it is gone for them, \
             with its texts and relations, until /entity/unmerge"
        );
        fields.insert("notice".into(), notice.into());
    }
    shown(answer)
}

#[derive(Deserialize)]
struct UnmergeIn {
    uri: String,
    #[serde(default)]
    reason: String,
}

async fn unmerge(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: UnmergeIn = request.own_words()?;
    let restored = knowledge::unmerge(&request.librarian, &given.uri, &given.reason).await?;
    shown(json!({ "success": true, "entity": entity(restored) }))
}

#[derive(Deserialize)]
struct RetypeIn {
    uri: String,
    #[serde(rename = "type", alias = "entity_type")]
    entity_type: String,
    #[serde(default)]
    reason: String,
}

async fn retype(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: RetypeIn = request.own_words()?;
    let uri = uri_of(request, "uri", &given.uri).await?;
    let entity_type = read_type(request, "type", &given.entity_type).await?;
    let changed = knowledge::retype(&request.librarian, &uri, entity_type, &given.reason).await?;
    shown(json!({ "success": true, "entity": entity(changed) }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AliasIn {
    uri: String,
    alias: String,
    #[serde(default)]
    action: AliasAction,
    #[serde(default)]
    reason: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AliasAction {
    #[default]
    Add,
    Remove,
}

async fn alias(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let AliasIn { uri, alias, action, reason } = request.own_words()?;
    let uri = uri_of(request, "uri", &uri).await?;
    let librarian = &request.librarian;
    let changed = match action {
        AliasAction::Add => knowledge::add_alias(librarian, &uri, &alias, &reason).await?,
        AliasAction::Remove => knowledge::remove_alias(librarian, &uri, &alias, &reason).await?,
    };
    shown(json!({ "success": true, "entity": entity(changed) }))
}

async fn history(request: &Request<'_>, uri: &str) -> Answered {
    let entries = knowledge::history(&request.librarian, uri).await?;
    let count = entries.len();
    let entries: Vec<Value> = entries
        .into_iter()
        .enumerate()
        .map(|(place, entry)| {
            json!({
                // Counted per viewer: gaps would reveal hidden entries.
                "sequence": count - place,
                "at": without_zone(entry.at),
                "action": entry.kind,
                "reason": entry.reason,
                "details": entry.details,
            })
        })
        .collect();
    shown(json!({ "entity_uri": uri, "count": count, "history": entries }))
}

/// Returns the URI that a text stands for: the text itself if it is one, or that of the only entity
/// with exactly this name.
async fn uri_of(request: &Request<'_>, field: &str, text: &str) -> Result<String> {
    let named = knowledge::exactly_named(&request.librarian, text).await?;
    match named.as_slice() {
        [] => Ok(text.to_owned()),
        [one] => Ok(one.uri.clone()),
        several => {
            let uris: Vec<_> = several.iter().map(|entity| entity.uri.as_str()).collect();
            let hint = format!("give one of these URIs: {}", uris.join(", "));
            Err(Error::invalid(field, format!("is the name of {} entities", uris.len()), hint))
        }
    }
}

async fn one(request: &Request<'_>, uri: &str) -> Result<Entity> {
    let found = knowledge::by_id(&request.librarian, uri).await?;
    found
        .ok_or_else(|| Error::not_found(format!("the entity {uri}"), "look for it with koi_search"))
}

pub(super) fn entity(found: Entity) -> Value {
    json!({
        "uri": found.uri,
        "name": found.node.name,
        "type": found.entity_type.as_str(),
        "aliases": found.node.aliases,
        "created_at": without_zone(found.node.created.at),
        "updated_at": without_zone(found.node.updated.at),
    })
}

/// Parses an entity type given by name.
pub(super) async fn read_type(
    request: &Request<'_>,
    field: &str,
    text: &str,
) -> Result<EntityType> {
    request.librarian.entity_type(text).await?.ok_or_else(|| {
        let known = EntityType::ALL.map(EntityType::as_str).join(", ");
        Error::invalid(field, format!("{text:?} is unknown"), format!("use one of {known}"))
    })
}

async fn wanted_type(
    request: &Request<'_>,
    field: &str,
    text: Option<&str>,
) -> Result<Option<EntityType>> {
    match text {
        Some(text) => read_type(request, field, text).await.map(Some),
        None => Ok(None),
    }
}

//! `/health`, `/entity-types`, `/stats` and the like, registration of entities, and every other
//! path.

use std::collections::BTreeMap;

use lore_app::knowledge::{self, EntityType, Registered, Registration, Said, predicates};
use serde::Deserialize;
use serde_json::{Value, json};

use super::entities::{entity, read_type};
use super::{Answered, Failure, Request, Verb, shown, web};

/// The maximum number of entities to count.
const COUNTED_MAX: usize = 1_000_000;
/// The number of newest entities to show.
const RECENT: usize = 10;

pub(super) async fn route(request: &Request<'_>, path: &str) -> Answered {
    match (request.ask.verb, path) {
        (Verb::Get, "" | "health") => health(request).await,
        (Verb::Get, "entity-types") => types(request).await,
        (Verb::Get, "stats") => stats(request).await,
        (Verb::Get, "relationship-stats") => relationship_stats(request).await,
        (Verb::Get, "vault-entities") => vault_entities(request).await,
        (Verb::Get, "predicates") => shown(predicates()),
        (Verb::Post, "register-entity") => register(request).await,
        (Verb::Post, "sync-relationships") => sync(request).await,
        (Verb::Post, "ingest") => web::document(request).await,
        (Verb::Post, "health" | "entity-types" | "stats" | "predicates")
        | (Verb::Post, "relationship-stats" | "vault-entities")
        | (Verb::Get, "register-entity" | "sync-relationships" | "ingest") => {
            Err(Failure::WrongVerb)
        }
        _ => Err(Failure::NoSuchPath),
    }
}

async fn health(request: &Request<'_>) -> Answered {
    let app = &request.librarian.app;
    let model = app.embedder.as_ref().map_or("built-in table", |embedder| embedder.model());
    shown(json!({
        "status": "healthy",
        "mode": "lorewell",
        "database": "connected",
        "openai_available": app.embedder.is_some(),
        "embedding_model": model,
        "semantic_matching": true,
        "llm_enrichment": app.model.is_some(),
        "entity_types": EntityType::ALL.map(EntityType::as_str),
        "schema_version": env!("CARGO_PKG_VERSION"),
        "github_sensor": true,
        "web_sensor": app.web.is_some(),
        "resolution_tiers": {
            "exact": true, "alias": true, "contextual": true, "fuzzy": true, "semantic": true,
        },
    }))
}

/// Lists the entity types with the thresholds of name resolution.
async fn types(request: &Request<'_>) -> Answered {
    let profiles = knowledge::profiles(&request.librarian).await?.into_iter();
    let folders = knowledge::folders(&request.librarian).await?;
    let types: Vec<Value> = profiles
        .zip(folders)
        .map(|((known, profile), folder)| {
            json!({
                "type_key": known.as_str(),
                "label": known.as_str(),
                "folder": folder,
                "phonetic_matching": profile.phonetic,
                "min_context_people": profile.least_company,
                "similarity_threshold": profile.link_at,
                "semantic_threshold": profile.meaning_at,
                "require_token_overlap": profile.least_likeness > 0.0,
            })
        })
        .collect();
    shown(json!({ "version": "1.0.0", "types": types }))
}

fn predicates() -> Value {
    let names =
        |types: &[EntityType]| -> Vec<&str> { types.iter().map(|known| known.as_str()).collect() };
    let rows: Vec<Value> = predicates::ALL
        .iter()
        .map(|known| {
            json!({
                "predicate": known.name,
                "subject_types": names(known.subjects),
                "object_types": names(known.objects),
                "vault_field": known.field,
            })
        })
        .collect();
    json!({ "count": rows.len(), "predicates": rows })
}

async fn stats(request: &Request<'_>) -> Answered {
    let entities = knowledge::list(&request.librarian, None, COUNTED_MAX).await?;
    let mut by_type: BTreeMap<&str, usize> = BTreeMap::new();
    for entity in &entities {
        *by_type.entry(entity.entity_type.as_str()).or_default() += 1;
    }
    let total = entities.len();
    let recent: Vec<Value> = entities.into_iter().rev().take(RECENT).map(entity).collect();
    shown(json!({
        "total_entities": total,
        "by_type": by_type,
        "recent_entities": recent,
        "mode": "lorewell",
    }))
}

async fn relationship_stats(request: &Request<'_>) -> Answered {
    let by_predicate = knowledge::tally(&request.librarian).await?;
    let total: usize = by_predicate.values().sum();
    shown(json!({ "total_relationships": total, "by_predicate": by_predicate }))
}

/// Lists the entities that have a note.
async fn vault_entities(request: &Request<'_>) -> Answered {
    let notes = knowledge::notes_of_entities(&request.librarian).await?;
    let rows: Vec<Value> = notes
        .into_iter()
        .map(|note| {
            json!({
                "uri": note.entity.uri,
                "name": note.entity.node.name,
                "type": note.entity.entity_type.as_str(),
                "vault_path": note.path,
                "vault_rid": note.rid,
            })
        })
        .collect();
    shown(json!({ "count": rows.len(), "entities": rows }))
}

/// Most warnings about notes that are listed.
const LISTED_MAX: usize = 100;

/// Reads changed notes again and creates relations that were waiting for an entity.
async fn sync(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let notes = knowledge::sync_vault(&request.librarian).await?;
    let mut answer = json!({ "success": true, "notes": notes });
    let warnings = knowledge::note_warnings(&request.librarian).await?;
    if !warnings.is_empty()
        && let Some(answer) = answer.as_object_mut()
    {
        answer.insert(
            "warnings".into(),
            json!(warnings.into_iter().take(LISTED_MAX).collect::<Vec<_>>()),
        );
    }
    shown(answer)
}

#[derive(Deserialize)]
struct RegisterIn {
    #[serde(alias = "entity_name", alias = "label")]
    name: String,
    #[serde(alias = "entity_type")]
    r#type: String,
    #[serde(default)]
    aliases: Vec<String>,
    description: Option<String>,
    uri: Option<String>,
    vault_rid: Option<String>,
}

async fn register(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: RegisterIn = request.own_words()?;
    let registration = Registration {
        introduced_by: None,
        name: given.name,
        entity_type: read_type(request, "type", &given.r#type).await?,
        aliases: given.aliases,
        description: given.description,
        found_at: None,
        uri: given.uri,
    };
    let registered = knowledge::register(&request.librarian, &registration).await?;
    let mut answer = json!({
        "success": true,
        "canonical_uri": registered.entity.uri,
        "is_new": registered.is_new,
        "vault_rid": given.vault_rid,
        "merged_with": registered.merged_with,
    });
    if let Some(fields) = answer.as_object_mut() {
        fields.extend(further(&registered, registration.entity_type));
    }
    shown(answer)
}

/// Further fields about a registration, where there is something to say.
fn further(registered: &Registered, asked: EntityType) -> impl Iterator<Item = (String, Value)> {
    let known = registered.entity.entity_type;
    let kept = (known != asked).then(|| {
        let reason = "the entity has this type already; change it with /entity/retype";
        ("type_kept", json!({ "type": known.as_str(), "reason": reason }))
    });
    let reason = match registered.is_full() {
        true => "the entity has too many aliases already; remove one with /entity/alias",
        false => {
            "the entity is open to players, and what is registered is not; \
             give a name to everybody with /entity/alias"
        }
    };
    let told = json!({ "aliases": registered.kept_back, "reason": reason });
    let left_out = (!registered.kept_back.is_empty()).then_some(("aliases_left_out", told));
    let said = registered.said.map(|said| {
        let told = match said {
            Said::First => "kept: it had none",
            Said::Further => "kept beside what was said of it before",
            Said::Known => "known: the same was said of it before",
            Said::TooMuch => "left out: too much is said of it already",
        };
        ("description", json!(told))
    });
    kept.into_iter().chain(left_out).chain(said).map(|(name, told)| (name.to_owned(), told))
}

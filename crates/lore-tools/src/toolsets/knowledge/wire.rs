//! Functions that several knowledge tools share.

use lore_app::knowledge;
use lore_core::{Error, Result};
use serde_json::{Value, json};

use crate::call::Call;
use crate::koi::{self, Ask, ResolveAnswer, Shaped};

/// The prefix of every entity URI.
const PREFIX: &str = "orn:";
/// The minimum confidence for taking a name for the entity it resolves to.
const SURE_ENOUGH: f64 = 0.5;
/// How candidates are found that have the name itself.
const BY_NAME: [&str; 2] = ["exact", "alias"];
/// The hint when no entity is found.
const WHERE_TO_LOOK: &str = "look for it with koi_search, or ask resolve_entity for candidates";

/// The text form that the contract prescribes: JSON indented by two spaces.
pub(super) fn pretty(answer: &Value) -> String {
    serde_json::to_string_pretty(answer).unwrap_or_else(|_| answer.to_string())
}

/// Returns the URI that a text stands for: the text itself if it is a URI, or that of the entity it
/// is an id or name of. URIs for another KOI API are passed on unchecked.
pub(super) async fn uri_of(call: &Call, tool: &'static str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::invalid("entity_uri", "is empty", "give a URI, another id or a name"));
    }
    let librarian = koi::librarian(call, tool);
    // Ids of this world mean nothing to another server. Numbers are tried as ids last, because they
    // may be names.
    let is_here = call.app.elsewhere.is_none();
    if text.starts_with(PREFIX) {
        return match is_here && knowledge::by_uri(&librarian, text).await?.is_none() {
            true => Err(Error::not_found(format!("the entity {text}"), WHERE_TO_LOOK)),
            false => Ok(text.to_owned()),
        };
    }
    if is_here && let Some(entity) = knowledge::by_uri(&librarian, text).await? {
        return Ok(entity.uri);
    }
    let ask = Ask::post(["entity", "resolve"], json!({ "label": text }));
    let answer: Shaped<ResolveAnswer> = koi::ask(call, tool, ask).await.map_err(of_the_uri)?;
    let best = answer.value().pointer("/candidates/0");
    let sure = best.and_then(|best| best.get("confidence")?.as_f64()) >= Some(SURE_ENOUGH);
    let uri = best.and_then(|best| best.get("uri")?.as_str()).filter(|_| sure);
    if uri.is_none()
        && is_here
        && let Some(entity) = knowledge::by_id(&librarian, text).await?
    {
        return Ok(entity.uri);
    }
    uri.map(str::to_owned).ok_or_else(|| unresolved(text, answer.value()))
}

/// The error for a name that leads to no entity. If several have the name, it lists them.
fn unresolved(text: &str, answer: &Value) -> Error {
    let message = format!("Could not resolve \"{text}\" to a known entity");
    let candidates = answer["candidates"].as_array().map_or(&[][..], Vec::as_slice);
    let is_named = |one: &&Value| one["tier"].as_str().is_some_and(|tier| BY_NAME.contains(&tier));
    let namesakes: Vec<&str> =
        candidates.iter().filter(is_named).filter_map(|one| one["uri"].as_str()).collect();
    match namesakes.len() {
        0 | 1 => Error::Precondition { message, hint: WHERE_TO_LOOK.into() },
        several => Error::Precondition {
            message: format!("{message}: {several} entities have this name"),
            hint: format!("give one of these URIs: {}", namesakes.join(", ")),
        },
    }
}

/// Renames the field in an error: the name was given as `entity_uri` but resolved as `label`.
fn of_the_uri(error: Error) -> Error {
    match error {
        Error::Invalid { field, problem, hint } if field == "label" => {
            Error::Invalid { field: "entity_uri".into(), problem, hint }
        }
        other => other,
    }
}

//! Interprets the answers of the service. Status 200 alone does not mean success.

use std::time::Duration;

use lore_anvil::{Kind, Object};
use lore_core::{Error, Result};
use serde_json::Value;

use super::wire::{Answered, Asking, Verb};

/// Longest excerpt of the service's own words that is passed on, in characters.
const DETAIL_MAX: usize = 300;
/// How long to wait when the service does not say.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the object in an answer, or the error it stands for.
pub(super) fn understood(asking: &Asking, answered: Answered) -> Result<Object> {
    let body = serde_json::from_slice::<Value>(&answered.body).ok();
    let object = body.and_then(|body| match body {
        Value::Object(object) => Some(object),
        _ => None,
    });
    match answered.status {
        200..=299 => success(asking.verb, object),
        401 => Err(Error::Forbidden {
            action: "World Anvil does not know these keys (401)".into(),
            hint: "check WORLD_ANVIL_APP_KEY and WORLD_ANVIL_TOKEN; if WORLD_ANVIL_URL is set, it \
                   has to be the whole address of the API, up to …/api/external/boromir"
                .into(),
        }),
        // The bot protection's challenge page is temporary. It does not say whether the object
        // exists or whether this account may see it.
        403 if object.is_none() && asking.verb.only_asks() => Err(Error::Unavailable {
            what: "World Anvil (its guard asked for a browser: 403 with a page)".into(),
        }),
        403 if object.is_none() => Err(Error::Forbidden {
            action: "World Anvil's guard asked for a browser (403 with a page)".into(),
            hint: "wait a while; a proxy in between can cause this, too".into(),
        }),
        403 => Err(Error::Forbidden {
            action: "World Anvil does not let this account see it (403)".into(),
            hint: "ask the owner of the world, or check the account's tier".into(),
        }),
        // If a list cannot be requested this way, the caller tries other routes.
        404 | 405 if answered.status == 404 || asking.verb == Verb::Post => Err(missing(asking)),
        422 => {
            let why = detail(object.as_ref());
            let (field, were) =
                named_field(asking, &why).map_or(("arguments", "were"), |field| (field, "was"));
            let problem = format!("{were} refused by World Anvil (422): {why}");
            Err(Error::invalid(field, problem, "correct it; nothing was changed"))
        }
        429 => {
            let retry_after = answered.retry_after.unwrap_or(PATIENCE);
            Err(Error::Throttled { to: "World Anvil", retry_after })
        }
        408 | 425 | 500.. => {
            let why = format!("status {}: {}", answered.status, detail(object.as_ref()));
            Err(no_answer(asking.verb, &why))
        }
        refused @ 400..=499 => Err(Error::Precondition {
            message: format!(
                "World Anvil refused the request ({refused}): {}",
                detail(object.as_ref())
            ),
            hint: "change the request; the same one would be refused again".into(),
        }),
        other => Err(no_answer(asking.verb, &format!("status {other}"))),
    }
}

/// The error for a list or an object that does not exist at the service.
fn missing(asking: &Asking) -> Error {
    let what = format!("{} at World Anvil", asking.path);
    match Kind::listed_at(asking.path) {
        Some((kind, _)) => unlisted(kind, &what),
        None => Error::not_found(what, "check the id, or list what there is"),
    }
}

/// The error for a list that was not found at any known route, with what to do instead.
pub(super) fn unlisted(kind: Kind, what: &str) -> Error {
    let row = kind.row();
    if row.is_surely_listed() {
        let hint = "World Anvil lists these for everybody: try again later, and check \
                    WORLD_ANVIL_URL if you set it";
        return Error::not_found(what, hint);
    }
    let by_id = row.get_tool.map(|tool| format!("{tool} reads one whose id you know, and "));
    let by_id = by_id.unwrap_or_default();
    let hint = format!(
        "World Anvil does not list {} for programs: {by_id}`lorewell import world-anvil` brings in \
         those of an exported world",
        row.many
    );
    Error::not_found(what, hint)
}

/// What a write may have changed at the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: the service refused it.
    Nothing,
    /// Nothing, because its target does not exist.
    Gone,
    /// Possibly anything.
    Any,
}

/// Returns what a write may have changed, judging by its answer.
pub(super) fn effect(answered: &Answered) -> Effect {
    match answered.status {
        404 => Effect::Gone,
        408 | 425 => Effect::Any,
        400..=499 => Effect::Nothing,
        200..=299 => {
            let body = serde_json::from_slice::<Value>(&answered.body).ok();
            let success = body.and_then(|body| body.get("success").cloned());
            if success == Some(Value::Bool(false)) { Effect::Nothing } else { Effect::Any }
        }
        _ => Effect::Any,
    }
}

/// The error for a request whose outcome is unknown. Reads may be repeated; after a write the
/// caller must look first.
pub(super) fn no_answer(verb: Verb, why: &str) -> Error {
    match verb.only_asks() {
        true => Error::Unavailable { what: format!("World Anvil ({why})") },
        false => Error::Precondition {
            message: format!("World Anvil did not say whether it was written ({why})"),
            hint: "do not repeat it; read or list it first to see whether it was".into(),
        },
    }
}

/// Returns the field of the request that the service's error message names.
fn named_field<'a>(asking: &'a Asking, words: &str) -> Option<&'a str> {
    let fields = asking.body.as_ref()?.as_object()?;
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let said: Vec<&str> = words.split(|c| !is_letter(c)).collect();
    let named =
        fields.keys().filter(|name| said.iter().any(|word| word.eq_ignore_ascii_case(name)));
    let is_first =
        |name: &&String| said.first().is_some_and(|word| word.eq_ignore_ascii_case(name));
    let first = named.clone().find(is_first);
    first.or_else(|| named.max_by_key(|name| name.len())).map(String::as_str)
}

/// Checks the body of an answer with a success status. If it cannot be read, the error for writes
/// says not to write again.
fn success(verb: Verb, object: Option<Object>) -> Result<Object> {
    let strange = |what: &str| no_answer(verb, what);
    let object = object.ok_or_else(|| strange("it answered with a page instead of JSON"))?;
    match object.get("success") {
        Some(Value::Bool(true)) => Ok(object),
        Some(_) => Err(Error::Precondition {
            message: format!("World Anvil refused it: {}", detail(Some(&object))),
            hint: "correct the request as it says".into(),
        }),
        None => Err(strange("its answer does not say whether it worked")),
    }
}

/// Returns the service's own words: `error` as text or with a summary, or `reason`.
fn detail(object: Option<&Object>) -> String {
    let error = object.and_then(|object| object.get("error").or_else(|| object.get("reason")));
    let text = match error {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(error)) => {
            error.get("summary").and_then(Value::as_str).unwrap_or("it gave no reason").to_owned()
        }
        _ => "it gave no reason".to_owned(),
    };
    text.chars().take(DETAIL_MAX).filter(|c| !c.is_control()).collect()
}

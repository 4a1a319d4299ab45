//! Turns Kanka's error answers, which come in several formats, into our errors.

use lore_core::Error;
use lore_net::{Answer, NetError, Secret};
use serde_json::Value;

use super::carrier::Effect;

/// Longest excerpt of the service's own words that is passed on, in characters.
const WORDS_MAX: usize = 300;

/// The error for a request that got no answer.
pub(super) fn unanswered(error: &NetError, effect: Effect) -> Error {
    let after = match error {
        NetError::Unreachable { .. } => {
            "; nothing was changed, and reading goes on from the mirror"
        }
        _ => return doubtful(&error.to_string(), effect),
    };
    Error::Unavailable { what: format!("Kanka ({error}{after})") }
}

/// The error for a successful answer with unexpected JSON.
pub(super) fn unknown_form(effect: Effect) -> Error {
    doubtful("it answered in an unknown form", effect)
}

/// The error for a request whose effect is unknown. For requests that are not idempotent it tells
/// the caller not to send them again before the next sync shows whether they took effect.
fn doubtful(why: &str, effect: Effect) -> Error {
    const LATER: &str = "whether it was done there shows after the next sync";
    match effect {
        Effect::None => {
            let after = "nothing was changed, and reading goes on from the mirror";
            Error::Unavailable { what: format!("Kanka ({why}; {after})") }
        }
        Effect::Repeatable => Error::Unavailable { what: format!("Kanka ({why}; {LATER})") },
        Effect::Once => Error::Precondition {
            message: format!(
                "Kanka is not available right now ({why}; {LATER}, so do not repeat it blindly)"
            ),
            hint: "run `lorewell sync kanka`, or wait for the next look, then look for it with \
                   find_entities"
                .into(),
        },
    }
}

/// The error for an answer with an error status.
pub(super) fn refusal(answer: &Answer, effect: Effect, token: &Secret) -> Error {
    let body = token.hidden_in(&String::from_utf8_lossy(answer.bytes()));
    let body: Option<Value> = serde_json::from_str(&body).ok();
    let words = body.as_ref().map_or_else(|| described(answer), words);
    match answer.status() {
        401 => Error::Forbidden {
            action: format!("Kanka does not accept the token: {words}"),
            hint: "make a new personal access token on Kanka and set KANKA_TOKEN to it".into(),
        },
        403 => Error::Forbidden {
            action: format!("Kanka does not allow it: {words}"),
            hint: "the token's user needs that right in the campaign".into(),
        },
        404 if is_gone(body.as_ref()) => Error::not_found(
            format!("what was asked for on Kanka ({words})"),
            "check the entity's number",
        ),
        404 => Error::Precondition {
            message: format!("Kanka knows neither this address nor this campaign: {words}"),
            hint: "check KANKA_API_BASE and KANKA_CAMPAIGN_ID; nothing was changed".into(),
        },
        422 => invalid(body.as_ref(), &words),
        status @ 500.. => doubtful(&format!("status {status}: {words}"), effect),
        status => Error::Precondition {
            message: format!("Kanka refused it with status {status}: {words}"),
            hint: "correct the request as it says".into(),
        },
    }
}

/// The error for a successful answer that is not JSON.
pub(super) fn unreadable(answer: &Answer, effect: Effect) -> Error {
    doubtful(&described(answer), effect)
}

/// Whether a 404 means that an entity is gone. An unknown route has a different body, and a missing
/// campaign says nothing about its entities.
fn is_gone(body: Option<&Value>) -> bool {
    let Some(body) = body else { return false };
    let sentence = words(body);
    let of_a_model = body.get("code").is_some() || sentence.starts_with("No query results");
    of_a_model && !sentence.contains("Campaign]")
}

/// The error for a field that Kanka rejects. Kanka lists such fields in `fields`; older versions in
/// `errors`.
fn invalid(body: Option<&Value>, words: &str) -> Error {
    let named = body.and_then(|body| body.get("fields").or_else(|| body.get("errors")));
    let first = named.and_then(Value::as_object).and_then(|fields| fields.iter().next());
    let (field, problem) = match first {
        Some((field, problems)) => (field.as_str(), self::words(problems)),
        None => ("the request", words.to_owned()),
    };
    let hint = "correct it and call again; nothing was changed";
    Error::invalid(cut(field), format!("is not accepted by Kanka: {problem}"), hint)
}

/// Returns the message in a body: an object with `error` or `message`, or a bare list.
fn words(body: &Value) -> String {
    match body {
        Value::String(text) => cut(text),
        Value::Array(rows) => rows.first().map_or_else(|| "no reason given".into(), words),
        Value::Object(fields) => {
            let found = fields.get("error").or_else(|| fields.get("message"));
            found.map_or_else(|| "no reason given".into(), words)
        }
        other => cut(&other.to_string()),
    }
}

fn described(answer: &Answer) -> String {
    match answer.media_type().as_deref() {
        Some("text/html") => "it answered with a web page instead of data".into(),
        Some("application/json") => "its answer broke off".into(),
        _ => "its answer cannot be read".into(),
    }
}

/// Shortens a foreign message and puts it on one line.
fn cut(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(WORDS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_of_a_complaint_is_understood() {
        for body in [
            json!({ "code": 403, "error": "No way" }),
            json!({ "message": "No way" }),
            json!(["No way"]),
            json!("No way"),
            json!({ "error": ["No way"] }),
        ] {
            assert_eq!(words(&body), "No way", "{body}");
        }
        assert_eq!(words(&json!({})), "no reason given");
        assert_eq!(words(&json!([])), "no reason given");
    }

    #[test]
    fn a_field_is_named_in_both_generations() {
        for body in [
            json!({ "code": 422, "error": "Bad", "fields": { "name": ["Too long"] } }),
            json!({ "message": "Bad", "errors": { "name": ["Too long"] } }),
        ] {
            let error = invalid(Some(&body), "Bad").to_string();
            assert_eq!(error, "name is not accepted by Kanka: Too long");
        }
    }

    #[test]
    fn only_an_entity_that_is_not_there_is_gone() {
        for gone in [
            json!({ "code": 404, "error": "No query results for model [App\\Models\\Entity] 7" }),
            json!({ "message": "No query results for model [App\\Models\\Entity] 7" }),
        ] {
            assert!(is_gone(Some(&gone)), "{gone}");
        }
        for lost in [
            json!({ "error": "Page not found" }),
            json!({ "code": 404, "error": "No query results for model [App\\Models\\Campaign] 1" }),
            json!([]),
        ] {
            assert!(!is_gone(Some(&lost)), "{lost}");
        }
        assert!(!is_gone(None));
    }

    #[test]
    fn what_may_have_been_made_is_not_to_be_made_again() {
        let hint = |effect| unknown_form(effect).hint();
        assert!(hint(Effect::Repeatable).contains("retry"));
        let once = unknown_form(Effect::Once);
        assert!(!once.hint().contains("retry") && once.to_string().contains("do not repeat"));
    }

    #[test]
    fn a_long_complaint_is_cut_and_has_no_control_characters() {
        let words = words(&json!({ "error": format!("a\n\u{1b}[31m{}", "b".repeat(5_000)) }));
        assert_eq!(words.chars().count(), WORDS_MAX);
        assert!(!words.contains(['\n', '\u{1b}']));
    }
}

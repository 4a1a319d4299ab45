//! What Kanka complains about, in every form it does so.

use lore_core::Error;
use lore_net::{Answer, NetError};
use serde_json::Value;

use super::carrier::Effect;

/// Longest part of a complaint that is passed on, in characters.
const WORDS_MAX: usize = 300;

/// There was no answer.
pub(super) fn unanswered(error: &NetError, effect: Effect) -> Error {
    let after = match error {
        NetError::Unreachable { .. } => {
            "; nothing was changed, and reading goes on from the mirror"
        }
        _ => doubt(effect),
    };
    Error::Unavailable { what: format!("Kanka ({error}{after})") }
}

/// The answer is good and says nothing that is understood.
pub(super) fn unknown_form(effect: Effect) -> Error {
    Error::Unavailable { what: format!("Kanka (it answered in an unknown form{})", doubt(effect)) }
}

/// What is to be thought of a request whose answer nobody could read.
fn doubt(effect: Effect) -> &'static str {
    match effect {
        Effect::None => "; nothing was changed, and reading goes on from the mirror",
        Effect::Repeatable => "; whether it was done there shows after the next sync",
        Effect::Once => {
            "; whether it was done there shows after the next sync, so do not repeat it blindly"
        }
    }
}

/// The answer is a refusal.
pub(super) fn refusal(answer: &Answer) -> Error {
    let body: Option<Value> = answer.json().ok();
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
        404 => Error::not_found(
            format!("what was asked for on Kanka ({words})"),
            "check the campaign's number and the entity's",
        ),
        422 => invalid(body.as_ref(), &words),
        status @ 500.. => Error::Unavailable { what: format!("Kanka (status {status}: {words})") },
        status => Error::Precondition {
            message: format!("Kanka refused it with status {status}: {words}"),
            hint: "correct the request as it says".into(),
        },
    }
}

/// The answer is good, but no JSON.
pub(super) fn unreadable(answer: &Answer, effect: Effect) -> Error {
    Error::Unavailable { what: format!("Kanka ({}{})", described(answer), doubt(effect)) }
}

/// A field that Kanka does not take. It names fields in `fields`, and formerly in `errors`.
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

/// The sentence in a body: an object with `error` or `message`, or a bare list.
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

/// Words of others, bounded and on one line.
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
    fn a_long_complaint_is_cut_and_has_no_control_characters() {
        let words = words(&json!({ "error": format!("a\n\u{1b}[31m{}", "b".repeat(5_000)) }));
        assert_eq!(words.chars().count(), WORDS_MAX);
        assert!(!words.contains(['\n', '\u{1b}']));
    }
}

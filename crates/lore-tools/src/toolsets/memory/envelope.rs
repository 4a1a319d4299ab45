//! The envelope of every answer: an object with the contract's version and either the answer or an
//! error.

use std::sync::Arc;

use lore_app::memory::kinds::Sharing;
use lore_app::memory::{MemoryCall, Refusal, Reply};
use lore_core::error::Code;
use lore_core::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{Details, Sharings, Spelled, Words};
use crate::call::Call;
use crate::choice::choice;
pub(super) use crate::nullable::Nullable;

choice! {
    /// The version of the contract.
    pub(super) enum Version { V1 = "1.0" }
}

/// A successful answer or a failure.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Envelope<T> {
    /// The call succeeded.
    Done(Done<T>),
    /// The call failed.
    Failed(Failure),
}

/// A successful answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Done<T> {
    /// Version of the contract.
    #[serde(rename = "_v")]
    version: Version,
    #[serde(flatten)]
    answer: T,
}

/// The reason for a failure.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Failure {
    /// Version of the contract.
    #[serde(rename = "_v")]
    version: Version,
    /// What is wrong.
    error: String,
    /// What to try next.
    hint: String,
}

/// Wraps the result of a use case. Errors that the caller can correct become a [`Failure`] in the
/// contract's form. Other errors fail like in every tool.
pub(super) fn envelope<T>(reply: Reply<T>) -> Result<Envelope<T>> {
    match reply {
        Ok(answer) => Ok(Envelope::Done(Done { version: Version::V1, answer })),
        Err(Refusal::Failed(error)) if !is_the_callers(&error) => Err(error),
        Err(refusal) => Ok(Envelope::Failed(Failure {
            version: Version::V1,
            error: refusal.to_string(),
            hint: refusal.hint(),
        })),
    }
}

fn is_the_callers(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::Invalid | Code::NotFound | Code::Precondition | Code::TooLarge | Code::Conflict
    )
}

/// The error for an action that the tool does not have.
pub(super) fn unknown_action<W: Words>(action: &Spelled<W>) -> Refusal {
    let known = W::WORDS.join(", ");
    Refusal::refused(format!("Unknown action: {}", action.given()), format!("use one of {known}"))
}

/// Returns what the use cases of a call work with.
pub(super) fn memory_call(call: &Call, tool: &'static str) -> MemoryCall {
    MemoryCall {
        app: Arc::clone(&call.app),
        viewer: call.viewer,
        tool,
        request_id: call.request_id().to_owned(),
        arrived: call.arrived,
        reading_only: call.reading_only,
    }
}

/// Checks a whole number against bounds; the default if none is given.
pub(super) fn whole(
    field: &str,
    given: Option<i64>,
    default: usize,
    bounds: [i64; 2],
) -> Result<usize> {
    let [least, most] = bounds;
    let Some(given) = given else { return Ok(default) };
    let good = (least..=most).contains(&given).then(|| usize::try_from(given).ok()).flatten();
    good.ok_or_else(|| out_of_bounds(field, given, &format!("{least} to {most}")))
}

/// Checks a limit: 1 to 50, by default 10.
pub(super) fn limit(given: Option<i64>) -> Result<usize> {
    whole("limit", given, 10, [1, 50])
}

/// Checks an offset, by default 0.
pub(super) fn offset(given: Option<i64>) -> Result<usize> {
    whole("offset", given, 0, [0, 1_000_000])
}

/// Checks a share from 0 to 1; the default if none is given.
pub(super) fn share(field: &str, given: Option<f64>, default: f64) -> Result<f64> {
    let given = given.unwrap_or(default);
    if (0.0..=1.0).contains(&given) {
        Ok(given)
    } else {
        Err(out_of_bounds(field, given, "0.0 to 1.0"))
    }
}

fn out_of_bounds(field: &str, given: impl std::fmt::Display, bounds: &str) -> Error {
    Error::invalid(field, format!("is {given}"), format!("use a number from {bounds}"))
}

/// Whether `detail` asks for everything; by default, it asks for a summary.
pub(super) fn is_full(detail: Option<&Spelled<Details>>) -> Reply<bool> {
    match detail.map(Spelled::word) {
        None | Some("" | "summary") => Ok(false),
        Some("full") => Ok(true),
        Some(other) => {
            let message = format!("Invalid detail: {other}. Must be one of: full, summary");
            Err(Refusal::refused(message, "leave it out for a summary"))
        }
    }
}

/// Parses who may see what is stored.
pub(super) fn sharing(given: Option<&Spelled<Sharings>>) -> Reply<Sharing> {
    match given.map(Spelled::word) {
        None | Some("" | "workspace") => Ok(Sharing::Workspace),
        Some("private") => Ok(Sharing::Private),
        Some("shared") => Ok(Sharing::Shared),
        Some(other) => {
            let message =
                format!("Invalid visibility: {other}. Must be one of: private, shared, workspace");
            Err(Refusal::refused(message, "leave it out unless players shall see it"))
        }
    }
}

/// Serialises a part of an answer, to count its tokens.
pub(super) fn written(part: &impl Serialize) -> String {
    // Serialisation errors are reported when the answer is written; here such a part counts as
    // empty.
    serde_json::to_string(part).unwrap_or_default()
}

pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Rounds a number for readers.
pub(super) fn rounded(number: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    // Adding zero turns a negative zero into a plain one.
    (number * factor).round() / factor + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_less_than_zero_by_being_rounded() {
        assert_eq!(rounded(-0.000_01, 4).to_string(), "0");
        assert_eq!(rounded(-0.123_46, 4).to_string(), "-0.1235");
    }
}

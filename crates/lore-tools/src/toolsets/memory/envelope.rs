//! The form of every answer: an object with a version, or with a version and an error.

use std::sync::Arc;

use lore_app::memory::kinds::Sharing;
use lore_app::memory::{Keeper, Refusal, Reply};
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

/// An answer, or why there is none.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Envelope<T> {
    /// It was done.
    Done(Done<T>),
    /// It was not.
    Failed(Failure),
}

/// An answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Done<T> {
    /// Version of the contract.
    #[serde(rename = "_v")]
    version: Version,
    #[serde(flatten)]
    answer: T,
}

/// Why there is no answer.
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

/// Wraps what a use case said. What the caller can mend is told in the contract's form;
/// what is not about memory fails as it does in every tool.
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

/// The refusal of an action that the tool does not have.
pub(super) fn unknown_action<W: Words>(action: &Spelled<W>) -> Refusal {
    let known = W::WORDS.join(", ");
    Refusal::refused(format!("Unknown action: {}", action.given()), format!("use one of {known}"))
}

/// Where the use cases of one call work.
pub(super) fn keeper(call: &Call, tool: &'static str) -> Keeper {
    Keeper {
        app: Arc::clone(&call.app),
        viewer: call.viewer,
        tool,
        request_id: call.request_id().to_owned(),
        arrived: call.arrived,
        reading_only: call.reading_only,
    }
}

/// A whole number within bounds, or its default.
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

/// How many rows are wanted: 1 to 50, 10 when nothing is said.
pub(super) fn limit(given: Option<i64>) -> Result<usize> {
    whole("limit", given, 10, [1, 50])
}

/// How many rows to leave out.
pub(super) fn offset(given: Option<i64>) -> Result<usize> {
    whole("offset", given, 0, [0, 1_000_000])
}

/// A share from 0 to 1, or its default.
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

/// Whether everything is shown.
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

/// Who shall see what is kept.
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

/// How something is written in an answer, for those who count what it costs.
pub(super) fn written(part: &impl Serialize) -> String {
    // What cannot be written is found out when it is; here it only takes no room.
    serde_json::to_string(part).unwrap_or_default()
}

pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Rounds to some decimals, for numbers that people read.
pub(super) fn rounded(number: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    (number * factor).round() / factor
}

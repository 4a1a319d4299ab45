//! What the tools of the KOI contract have in common.

use lore_core::{Error, Result};
use serde_json::{Value, json};

use crate::call::Call;
use crate::koi::{self, Ask, ResolveAnswer, Shaped};

/// Start of every URI.
const PREFIX: &str = "orn:";
/// From here on a name is taken for what it resolves to.
const SURE_ENOUGH: f64 = 0.5;

/// The text form of the contract.
pub(super) fn pretty(answer: &Value) -> String {
    serde_json::to_string_pretty(answer).unwrap_or_else(|_| answer.to_string())
}

/// The URI a text stands for: itself, or that of the entity it names well enough.
pub(super) async fn uri_of(call: &Call, tool: &'static str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.starts_with(PREFIX) {
        return Ok(text.to_owned());
    }
    let ask = Ask::post(["entity", "resolve"], json!({ "label": text }));
    let answer: Shaped<ResolveAnswer> = koi::ask(call, tool, ask).await?;
    let best = answer.value().pointer("/candidates/0");
    let sure = best.and_then(|best| best.get("confidence")?.as_f64()) >= Some(SURE_ENOUGH);
    let uri = best.and_then(|best| best.get("uri")?.as_str()).filter(|_| sure);
    uri.map(str::to_owned).ok_or_else(|| Error::Precondition {
        message: format!("Could not resolve \"{text}\" to a known entity"),
        hint: "look for it with koi_search, or ask resolve_entity for candidates".into(),
    })
}

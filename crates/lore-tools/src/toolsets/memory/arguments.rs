//! Which arguments belong to which action. An argument of another action is refused: ignoring it
//! would answer another question than was asked.

use lore_app::memory::{Refusal, Reply};
use serde::Serialize;
use serde_json::Value;

use super::words::{Spelled, Words};

/// Arguments with the actions that take them. Arguments that every action may be given are left
/// out: the action, and those that only tune an answer and have a default.
pub(super) type Takes = [(&'static str, &'static [&'static str])];

/// Fails if the input has an argument that its action does not take. Null, `false`, blank
/// texts and empty lists count as not given.
pub(super) fn check<W: Words>(
    takes: &Takes,
    action: &Spelled<W>,
    input: &impl Serialize,
) -> Reply<()> {
    let action = action.word();
    if !W::WORDS.contains(&action) {
        return Ok(());
    }
    let given = serde_json::to_value(input).unwrap_or_default();
    let is_given = |field: &str| given.get(field).is_some_and(|value| !is_blank(value));
    let astray = takes.iter().find(|(field, of)| !of.contains(&action) && is_given(field));
    let Some((field, of)) = astray else { return Ok(()) };
    let taken = takes.iter().filter(|(_, of)| of.contains(&action)).map(|(field, _)| *field);
    let taken: Vec<&str> = taken.collect();
    let taken = if taken.is_empty() { "none of these".to_owned() } else { taken.join(", ") };
    let message = format!("{field} is not for {action}");
    let hint = format!("leave it out, or use {}; {action} takes {taken}", of.join(" or "));
    Err(Refusal::refused(message, hint))
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

//! Events as text.

use std::collections::HashMap;

use lore_core::{Event, Node, Result, Uid};
use lore_store::Bin;
use serde_json::Value;

use super::call::PlayCall;
use super::ids::Thing;
use super::{CHARACTER, PARTICIPANT, campaign};

/// The names of the participants and characters of a campaign.
pub(crate) struct Names(HashMap<Uid, String>);

impl Names {
    /// Loads the names that the viewer may know.
    pub(crate) async fn load(call: &PlayCall, home: &Node) -> Result<Self> {
        let mut names = HashMap::new();
        for kind in [CHARACTER, PARTICIPANT] {
            let members = campaign::members(call, home, kind).await?;
            names.extend(members.into_iter().map(|node| (node.uid, node.name)));
        }
        Ok(Self(names))
    }

    /// Loads the names of those at the table of an archived campaign, whose edges are hidden with it.
    pub(crate) async fn of_archived(call: &PlayCall, campaign: Uid) -> Result<Self> {
        let mut names = HashMap::new();
        for thing in [Thing::Character, Thing::Participant] {
            let nodes = campaign::every(call, thing, Bin::Live).await?.into_iter();
            let members = nodes.filter(|node| campaign::of(node) == Some(campaign));
            names.extend(members.map(|node| (node.uid, node.name)));
        }
        Ok(Self(names))
    }

    fn of(&self, uid: Uid) -> Option<&str> {
        self.0.get(&uid).map(String::as_str)
    }

    /// Returns the name for an id as it is written in events.
    fn of_id(&self, id: &Value) -> Option<&str> {
        let id = id.as_str()?;
        let read = |thing: Thing| thing.read("id", id).ok();
        self.of(read(Thing::Character).or_else(|| read(Thing::Participant))?)
    }
}

/// Returns the text of an event, given the payload as far as its reader may know it. `None` if
/// another event of the same call says the same.
pub(crate) fn in_words(event: &Event, payload: &Value, names: &Names) -> Option<String> {
    Some(match event.kind.as_str() {
        "ACTION_ROLL_REQUESTED" | "OUTCOME_APPLY_REQUESTED" => return None,
        "ACTION_ROLL_RESOLVED" => roll(payload),
        "NOTE_ADDED" => text(payload, "text").to_owned(),
        "REQUEST_REJECTED" => text(payload, "message").to_owned(),
        "SESSION_STARTED" => "the session started".to_owned(),
        "SESSION_ENDED" => "the session ended".to_owned(),
        "OUTCOME_APPLIED" => match changes(payload, names) {
            said if said.is_empty() => "the roll changed nothing".to_owned(),
            said => said,
        },
        "CHARACTER_STATE_PATCHED" | "CHARACTER_PROFILE_PATCHED" => changes(payload, names),
        kind => match text(payload, "summary") {
            "" => kind.to_lowercase().replace('_', " "),
            summary => summary.to_owned(),
        },
    })
}

/// Returns what a search in events looks at: the text `said` and the names of the characters that
/// the event is about.
pub(crate) fn searched(said: &str, event: &Event, payload: &Value, names: &Names) -> String {
    let targets = payload.get("targets").and_then(Value::as_array).into_iter().flatten();
    let about = event.character.and_then(|uid| names.of(uid)).into_iter();
    let named = targets.filter_map(|id| names.of_id(id)).chain(about);
    std::iter::once(said).chain(named).collect::<Vec<_>>().join("\n")
}

fn roll(payload: &Value) -> String {
    let number = |key: &str| payload.get(key).and_then(Value::as_i64);
    let against = number("difficulty").map(|wanted| format!(" against {wanted}"));
    let is = |key: &str| payload.get(key) == Some(&Value::Bool(true));
    // Reactions have no Hope or Fear.
    let came = match (is("reaction"), is("success")) {
        (true, true) => "success".to_owned(),
        (true, false) => "failure".to_owned(),
        (false, _) => text(payload, "outcome").to_lowercase().replace('_', " "),
    };
    format!(
        "{} rolls {} for {}{}: {came}",
        text(payload, "character"),
        text(payload, "trait"),
        number("total").unwrap_or_default(),
        against.unwrap_or_default(),
    )
}

/// Formats the changes in a payload, each as `Wren: hope 2 → 3`.
fn changes(payload: &Value, names: &Names) -> String {
    let changes = payload.get("applied_changes").and_then(Value::as_array).into_iter().flatten();
    let said = changes.map(|change| {
        let id = change.get("character_id").or_else(|| change.get("participant_id"));
        let who = id.and_then(|id| names.of_id(id)).map(|name| format!("{name}: "));
        let field = text(change, "field").replace(['_', '.'], " ");
        let plain = |key: &str| match change.get(key) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
            _ => None,
        };
        let became = match (plain("before"), plain("after")) {
            (Some(before), Some(after)) => format!("{before} → {after}"),
            _ => "changed".to_owned(),
        };
        format!("{}{field} {became}", who.unwrap_or_default())
    });
    said.collect::<Vec<_>>().join("; ")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use lore_core::{NodeId, Timestamp, Visibility};
    use serde_json::json;

    use super::*;
    use crate::play::wanted::Wanted;

    fn event(kind: &str, character: Option<Uid>) -> Event {
        Event {
            node: NodeId(1),
            sequence: 1,
            at: Timestamp::UNIX_EPOCH,
            kind: kind.into(),
            request_id: "r".into(),
            invocation_id: "i".into(),
            participant: None,
            character,
            payload: "{}".into(),
            secret: None,
            visibility: Visibility::Members,
            settles: None,
            previous: [0; 32],
            hash: [0; 32],
        }
    }

    fn finds(query: &str, kind: &str, payload: &Value) -> bool {
        let wren = lore_core::Effects::fixed(Timestamp::UNIX_EPOCH, 1).uid();
        let names = Names(HashMap::from([(wren, "Wren of Ashfall".into())]));
        let event = event(kind, Some(wren));
        let said = in_words(&event, payload, &names).unwrap();
        let searched = searched(&said, &event, payload, &names);
        let wanted = Wanted::of(query);
        wanted.is_whole(wanted.closeness(&searched))
    }

    #[test]
    fn words_are_found_in_any_form_and_keys_are_not() {
        let note = json!({ "text": "Der Drache überflog die Brücken; axes were LOST." });
        for query in ["axe", "AXES", "uberflog", "Brücken", "axe brucken", "ashfall", "were"] {
            assert!(finds(query, "NOTE_ADDED", &note), "{query}");
        }
        for query in ["text", "payload", "axe dragon", "the"] {
            assert!(!finds(query, "NOTE_ADDED", &note), "{query}");
        }
    }

    #[test]
    fn a_roll_says_how_it_came_out() {
        let payload = json!({
            "character": "Wren", "trait": "agility", "total": 15, "difficulty": 12, "seed_used": 7,
            "outcome": "SUCCESS_WITH_HOPE", "reaction": false, "rng_algo": "chacha20",
        });
        assert!(finds("agility success", "ACTION_ROLL_RESOLVED", &payload));
        for key in ["reaction", "seed_used", "chacha20", "null", "false"] {
            assert!(!finds(key, "ACTION_ROLL_RESOLVED", &payload), "{key}");
        }
    }
}

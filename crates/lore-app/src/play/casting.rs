//! That somebody is played: where, whose they are, and since when.
//!
//! It is told by a node that may have been a page for long. That an NPC is one is for the game
//! master's side to know until they reveal it, however open the page is: until then it stands in
//! the part of the properties that the store shows to nobody else, and the edges that tell of it
//! are hidden as well.

use lore_core::{BEHIND_SCREEN, Node, Properties, Timestamp, Uid, Visibility};
use serde_json::{Value, json};

use super::CAMPAIGN;
use super::character::Kind;

/// The property that says whose a character is.
const KIND: &str = "character_kind";
/// The property that says since when a page is played which was there before.
const SINCE: &str = "played_since";
/// The property of a page that everybody knew before it was played.
const OPEN: &str = "open_before_play";

const ALL: [&str; 4] = [KIND, CAMPAIGN, SINCE, OPEN];

/// Writes down that somebody is played, where, and whose they are.
pub(super) fn begin(properties: &mut Properties, campaign: Uid, kind: Kind) {
    properties.insert(KIND.into(), json!(kind.as_str()));
    properties.insert(CAMPAIGN.into(), json!(campaign.to_string()));
    show(properties, kind.secrecy());
}

/// The same for somebody who has a page.
pub(super) fn begin_on_page(page: &mut Node, campaign: Uid, kind: Kind, now: Timestamp) {
    page.properties.insert(SINCE.into(), json!(now.to_string()));
    if page.visibility == Visibility::Members {
        page.properties.insert(OPEN.into(), json!(true));
    }
    begin(&mut page.properties, campaign, kind);
}

/// Says who may know of it.
pub(super) fn show(properties: &mut Properties, to: Visibility) {
    let mut told = take(properties, |name| ALL.contains(&name));
    let mut hidden = match properties.shift_remove(BEHIND_SCREEN) {
        Some(Value::Object(hidden)) => hidden,
        _ => Properties::new(),
    };
    told.extend(take(&mut hidden, |name| ALL.contains(&name)));
    match to {
        Visibility::Members => properties.extend(told),
        Visibility::Gm | Visibility::Private(_) => hidden.extend(told),
    }
    if !hidden.is_empty() {
        properties.insert(BEHIND_SCREEN.into(), Value::Object(hidden));
    }
}

/// The properties of a copy that is played in another campaign. Nobody knew it before.
pub(super) fn moved(old: &Node, campaign: Uid) -> Properties {
    let (mut properties, shown) = (old.properties.clone(), shown(old));
    show(&mut properties, Visibility::Members);
    properties.shift_remove(OPEN);
    properties.insert(CAMPAIGN.into(), json!(campaign.to_string()));
    show(&mut properties, shown);
    properties
}

/// Who knows that somebody is played. Nobody does who does not see them.
pub(super) fn shown(node: &Node) -> Visibility {
    match node.properties.contains_key(CAMPAIGN) {
        true => node.visibility,
        false => Visibility::Gm,
    }
}

/// Where somebody is played, if the viewer who read the node may know.
pub(super) fn campaign(node: &Node) -> Option<Uid> {
    told(node, CAMPAIGN)?.as_str()?.parse().ok()
}

/// Whose they are.
pub(super) fn kind(node: &Node) -> Option<&str> {
    told(node, KIND)?.as_str()
}

/// Since when they are played.
pub(super) fn since(node: &Node) -> Timestamp {
    let tied = told(node, SINCE).and_then(Value::as_str);
    let tied = tied.and_then(|text| text.parse().ok());
    // A copy has this from whom it was copied.
    tied.unwrap_or(node.created.at).max(node.created.at)
}

/// Whether everybody knew them before, so that the page stays open when they are hidden.
pub(super) fn was_open(node: &Node) -> bool {
    told(node, OPEN) == Some(&json!(true))
}

fn told<'n>(node: &'n Node, name: &str) -> Option<&'n Value> {
    let hidden = || node.properties.get(BEHIND_SCREEN)?.get(name);
    node.properties.get(name).or_else(hidden)
}

fn take(properties: &mut Properties, wanted: impl Fn(&str) -> bool) -> Properties {
    let (taken, kept) = std::mem::take(properties).into_iter().partition(|(name, _)| wanted(name));
    *properties = kept;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_and_hidden_again_is_as_it_was() {
        let campaign = lore_core::Effects::fixed(Timestamp::UNIX_EPOCH, 1).uid();
        let mut properties = Properties::new();
        properties.insert("title".into(), json!("Duke"));
        properties.insert(BEHIND_SCREEN.into(), json!({ "other": 1 }));
        begin(&mut properties, campaign, Kind::Npc);
        let hidden = properties.clone();
        assert_eq!(hidden.keys().collect::<Vec<_>>(), ["title", BEHIND_SCREEN]);
        show(&mut properties, Visibility::Members);
        assert_eq!(properties.get(KIND), Some(&json!("NPC")));
        assert_eq!(properties.get(BEHIND_SCREEN), Some(&json!({ "other": 1 })));
        show(&mut properties, Visibility::Gm);
        assert_eq!(properties, hidden);
    }
}

//! The properties that say that a node is played: where, as which kind of character, and since
//! when.
//!
//! The node may have been a page before. That an NPC is played is known only to the game master's
//! side until it is revealed, however visible the page is. Until then these properties are in the
//! part that the store shows to nobody else ([`BEHIND_SCREEN`]), and the edges of membership and
//! control are hidden as well.

use lore_core::{BEHIND_SCREEN, Node, Properties, Timestamp, Uid, Visibility};
use serde_json::{Value, json};

use super::CAMPAIGN;
use super::character::Kind;

/// Property with the kind of character.
const KIND: &str = "character_kind";
/// Property with the time at which an existing page became a character.
const SINCE: &str = "played_since";
/// Property that says that players could see the page before it was played.
const OPEN: &str = "open_before_play";

const ALL: [&str; 4] = [KIND, CAMPAIGN, SINCE, OPEN];

/// Adds the properties of a character in a campaign.
pub(super) fn begin(properties: &mut Properties, campaign: Uid, kind: Kind) {
    properties.insert(KIND.into(), json!(kind.as_str()));
    properties.insert(CAMPAIGN.into(), json!(campaign.to_string()));
    show(properties, kind.secrecy());
}

/// Does the same for a node that has been a page before.
pub(super) fn begin_on_page(page: &mut Node, campaign: Uid, kind: Kind, now: Timestamp) {
    page.properties.insert(SINCE.into(), json!(now.to_string()));
    if page.visibility == Visibility::Members {
        page.properties.insert(OPEN.into(), json!(true));
    }
    begin(&mut page.properties, campaign, kind);
}

/// Moves the properties to where this visibility requires them.
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

/// Returns the properties of a copy that is played in another campaign. Nobody has seen it before.
pub(super) fn moved(old: &Node, campaign: Uid) -> Properties {
    let (mut properties, shown) = (old.properties.clone(), shown(old));
    show(&mut properties, Visibility::Members);
    properties.shift_remove(OPEN);
    properties.insert(CAMPAIGN.into(), json!(campaign.to_string()));
    show(&mut properties, shown);
    properties
}

/// Returns who knows that a character is played. This is never more visible than the node.
pub(super) fn shown(node: &Node) -> Visibility {
    match node.properties.contains_key(CAMPAIGN) {
        true => node.visibility,
        false => Visibility::Gm,
    }
}

/// Returns the campaign of a character, if the viewer who read the node may know it.
pub(super) fn campaign(node: &Node) -> Option<Uid> {
    told(node, CAMPAIGN)?.as_str()?.parse().ok()
}

/// Returns the kind of a character.
pub(super) fn kind(node: &Node) -> Option<&str> {
    told(node, KIND)?.as_str()
}

/// Returns since when a character is played.
pub(super) fn since(node: &Node) -> Timestamp {
    let tied = told(node, SINCE).and_then(Value::as_str);
    let tied = tied.and_then(|text| text.parse().ok());
    // A copy inherits the property from its original, and may be younger than that.
    tied.unwrap_or(node.created.at).max(node.created.at)
}

/// Whether players could see the page before, so that it stays visible when the character is
/// hidden.
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

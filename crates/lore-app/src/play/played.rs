//! The properties that say that a node is played: where, as which kind of character, and since
//! when; and where it was played before.
//!
//! The node may have been a page before. That an NPC is played is known only to the game master's
//! side until it is revealed, however visible the page is. Until then these properties are in the
//! part that the store shows to nobody else ([`BEHIND_SCREEN`]), and the edges of membership and
//! control are hidden as well.

use lore_core::{BEHIND_SCREEN, Node, Properties, Timestamp, Uid, Visibility};
use serde_json::{Value, json};

use super::character::Kind;
use super::{CAMPAIGN, CHARACTER};

/// Property with the kind of character.
const KIND: &str = "character_kind";
/// Property with the time at which an existing page became a character.
const SINCE: &str = "played_since";
/// Property that says that players could see the page before it was played.
const OPEN: &str = "open_before_play";

const ALL: [&str; 4] = [KIND, CAMPAIGN, SINCE, OPEN];

/// Property with the roles of a page that ended, by campaign. It is always behind the screen.
const FORMER: &str = "former_roles";
/// In a former role, who knew of it.
const SHOWN: &str = "shown";
/// In a former role, when it ended.
const ENDED: &str = "ended_at";
/// Property of a character that a fork made: the character it was copied from.
const COPY_OF: &str = "copy_of";

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

/// Ends the role of a page, which remains as a page.
pub(super) fn end(page: &mut Node, at: Timestamp) {
    let (Some(campaign), shown) = (campaign(page), shown(page)) else { return };
    let properties = &mut page.properties;
    show(properties, Visibility::Members);
    let mut role = take(properties, |name| ALL.contains(&name));
    role.insert(SHOWN.into(), json!(shown == Visibility::Members));
    role.insert(ENDED.into(), json!(at.to_string()));
    let hidden = properties.entry(BEHIND_SCREEN).or_insert_with(|| json!({}));
    if let Some(hidden) = hidden.as_object_mut()
        && let Some(roles) = hidden.entry(FORMER).or_insert_with(|| json!({})).as_object_mut()
    {
        roles.insert(campaign.to_string(), Value::Object(role));
    }
}

/// Returns a page as it was when its role in a campaign ended, if it had one. The time when it ended
/// is in `deleted_at`.
pub(super) fn former(page: &Node, campaign: Uid) -> Option<Node> {
    let Value::Object(mut role) = former_roles(page)?.get(&campaign.to_string())?.clone() else {
        return None;
    };
    let mut page = page.clone();
    page.deleted_at = ended(&role);
    let shown = match role.shift_remove(SHOWN) {
        // A page that was hidden since then hides the role too.
        Some(Value::Bool(true)) => page.visibility,
        _ => Visibility::Gm,
    };
    role.shift_remove(ENDED);
    let hidden = page.properties.get_mut(BEHIND_SCREEN)?.as_object_mut()?;
    let roles = hidden.get_mut(FORMER)?.as_object_mut()?;
    roles.shift_remove(&campaign.to_string());
    if roles.is_empty() {
        hidden.shift_remove(FORMER);
    }
    if hidden.is_empty() {
        page.properties.shift_remove(BEHIND_SCREEN);
    }
    page.properties.extend(role);
    show(&mut page.properties, shown);
    Some(page)
}

/// Returns the campaign of the role that ended last, of a page that is not played now.
pub(super) fn last_role(page: &Node) -> Option<Uid> {
    if campaign(page).is_some() {
        return None;
    }
    let ended = |role: &Value| role.as_object().and_then(ended);
    let (last, _) = former_roles(page)?.iter().max_by_key(|(_, role)| ended(role))?;
    last.parse().ok()
}

fn former_roles(page: &Node) -> Option<&Properties> {
    page.properties.get(BEHIND_SCREEN)?.get(FORMER)?.as_object()
}

fn ended(role: &Properties) -> Option<Timestamp> {
    role.get(ENDED)?.as_str()?.parse().ok()
}

/// Returns the properties of a copy that is played in another campaign. It has no page of its own:
/// the page is that of the original.
pub(super) fn moved(old: &Node, campaign: Uid) -> Properties {
    let (mut properties, shown) = (old.properties.clone(), shown(old));
    show(&mut properties, Visibility::Members);
    properties.shift_remove(OPEN);
    properties.shift_remove(SINCE);
    if let Some(hidden) = properties.get_mut(BEHIND_SCREEN).and_then(Value::as_object_mut) {
        hidden.shift_remove(FORMER);
    }
    if old.kind.as_str() == CHARACTER {
        let original = original(old).unwrap_or(old.uid);
        properties.insert(COPY_OF.into(), json!(original.to_string()));
    }
    properties.insert(CAMPAIGN.into(), json!(campaign.to_string()));
    show(&mut properties, shown);
    properties
}

/// Returns the character that a fork copied this one from.
pub(super) fn original(node: &Node) -> Option<Uid> {
    node.properties.get(COPY_OF)?.as_str()?.parse().ok()
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
    // Older copies inherited the property from their original, and may be younger than that.
    tied.unwrap_or(node.created.at).max(node.created.at)
}

/// Whether a character was a page before it was played.
pub(super) fn is_on_page(node: &Node) -> bool {
    let tied = told(node, SINCE).and_then(Value::as_str).and_then(|text| text.parse().ok());
    tied.is_some_and(|tied: Timestamp| tied >= node.created.at)
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

    #[test]
    fn a_role_that_ended_comes_back_as_it_was() {
        let effects = lore_core::Effects::fixed(Timestamp::UNIX_EPOCH, 1);
        let (here, there) = (effects.uid(), effects.uid());
        let mut page = page(&effects);
        page.properties.insert("title".into(), json!("Duke"));
        begin_on_page(&mut page, here, Kind::Npc, Timestamp::UNIX_EPOCH);
        let played = page.clone();
        end(&mut page, Timestamp::UNIX_EPOCH);
        assert_eq!((campaign(&page), last_role(&page)), (None, Some(here)));
        assert_eq!(former(&page, there), None);
        let back = former(&page, here).unwrap();
        assert_eq!(back.properties, played.properties);
        assert_eq!(back.deleted_at, Some(Timestamp::UNIX_EPOCH));
    }

    fn page(effects: &lore_core::Effects) -> Node {
        let stamp = lore_core::Stamp { at: Timestamp::UNIX_EPOCH, by: lore_core::PrincipalId(1) };
        Node {
            id: lore_core::NodeId(1),
            uid: effects.uid(),
            world: lore_core::WorldId(1),
            number: 1,
            kind_number: 1,
            kind: crate::play::word(CHARACTER).unwrap(),
            namespace: String::new(),
            name: "Ilva".into(),
            derived_name: false,
            subtype: None,
            aliases: Vec::new(),
            tags: Vec::new(),
            visibility: Visibility::Members,
            properties: Properties::new(),
            version: 1,
            created: stamp,
            updated: stamp,
            deleted_at: None,
        }
    }
}

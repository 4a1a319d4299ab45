//! Playing somebody who has a page already: page and character are one node, so whatever is
//! known of them is known of who is played, and the sheet shows on the page.

use lore_core::names::name_key;
use lore_core::{Error, Node, Result, Timestamp, Visibility};
use lore_store::{Change, Expect, NodeKey, NodePatch, NodeRef};
use serde_json::{Value, json};

use super::character::{Kind, NewCharacter, into_play};
use super::desk::Desk;
use super::ids::Thing;
use super::{CHARACTER, campaign};
use crate::access::may_change;

/// The property that says since when a page is played which was there before.
const SINCE: &str = "played_since";

/// The node of a page as the character it becomes, and how.
pub(super) async fn embody(
    desk: &Desk,
    home: &Node,
    new: &NewCharacter,
    number: i64,
) -> Result<(Node, Change)> {
    let mut node = page(desk, number).await?;
    check(desk, &node, new)?;
    let now = desk.app.effects.now();
    into_play(&mut node.properties, home, new.kind);
    node.properties.insert(SINCE.into(), json!(now.to_string()));
    let patch = NodePatch { properties: Some(node.properties.clone()), ..NodePatch::default() };
    let expect = Expect::Version(node.version);
    node.updated.at = now;
    let change = Change::UpdateNode(NodeRef::Id(node.id), expect, patch);
    Ok((node, change))
}

/// Since when somebody is played.
pub(super) fn since(node: &Node) -> Timestamp {
    let tied = node.properties.get(SINCE).and_then(Value::as_str);
    let tied = tied.and_then(|text| text.parse().ok());
    // A copy has this from whom it was copied.
    tied.unwrap_or(node.created.at).max(node.created.at)
}

async fn page(desk: &Desk, number: i64) -> Result<Node> {
    let found = desk.app.store.node(&desk.viewer, NodeKey::Number(number)).await?;
    found.filter(|node| node.kind.as_str() == CHARACTER).ok_or_else(|| {
        let hint = "find_entities with entity_type character lists those there are";
        Error::not_found(format!("the character entity {number} (page_id)"), hint)
    })
}

/// Fails when a page cannot be the character that is wanted. The name is asked for beside the
/// number, so that a wrong number does not put a stranger into play.
fn check(desk: &Desk, node: &Node, new: &NewCharacter) -> Result<()> {
    may_change(&desk.viewer, node.created.by, &node.name)?;
    if let Some(home) = campaign::of(node) {
        let (character, home) = (Thing::Character.show(node.uid), Thing::Campaign.show(home));
        return Err(Error::Precondition {
            message: format!("{} is played already, as {character} in {home}", node.name),
            hint: "use that character, or leave page_id out for a new one".into(),
        });
    }
    let names = std::iter::once(&node.name).chain(&node.aliases);
    if !names.map(|name| name_key(name)).any(|known| known == name_key(&new.name)) {
        let problem = format!("is the page of {}, not of {:?}", node.name, new.name);
        return Err(Error::invalid("page_id", problem, "give the name that is on the page"));
    }
    if new.kind == Kind::Pc && node.visibility != Visibility::Members {
        return Err(Error::Precondition {
            message: format!("the page of {} is hidden, and everybody sees a PC", node.name),
            hint: "show it first: update_entities with is_private false".into(),
        });
    }
    Ok(())
}

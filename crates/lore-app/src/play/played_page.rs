//! Playing a character that already has a page. Page and character are the same node, so everything
//! known about the page applies to the character, and the page shows the sheet.

use lore_core::names::name_key;
use lore_core::{Error, Node, Result, Visibility};
use lore_store::{Change, Expect, NodeKey, NodePatch, NodeRef};

use super::call::PlayCall;
use super::character::{Kind, NewCharacter};
use super::ids::Thing;
use super::{CHARACTER, campaign, played};
use crate::access::may_change;

/// Returns the node of the page as the character it becomes, and the change that makes it one.
pub(super) async fn embody(
    call: &PlayCall,
    home: &Node,
    new: &NewCharacter,
    number: i64,
) -> Result<(Node, Change)> {
    let mut node = page(call, number).await?;
    check(call, &node, new)?;
    let now = call.app.effects.now();
    played::begin_on_page(&mut node, home.uid, new.kind, now);
    let properties = Some(node.properties.clone());
    let patch = NodePatch { properties, seen: Some(new.kind.secrecy()), ..NodePatch::default() };
    let expect = Expect::Version(node.version);
    node.updated.at = now;
    let change = Change::UpdateNode(NodeRef::Id(node.id), expect, patch);
    Ok((node, change))
}

async fn page(call: &PlayCall, number: i64) -> Result<Node> {
    let found = call.app.store.node(&call.viewer, NodeKey::Number(number)).await?;
    found.filter(|node| node.kind.as_str() == CHARACTER).ok_or_else(|| {
        let hint = "find_entities with entity_type character lists those there are";
        Error::not_found(format!("the character entity {number} (page_id)"), hint)
    })
}

/// Fails if a page cannot become the wanted character. The name must match as well as the number,
/// so that a wrong number does not put the wrong page into play.
fn check(call: &PlayCall, node: &Node, new: &NewCharacter) -> Result<()> {
    may_change(&call.viewer, node.created.by, &node.name)?;
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

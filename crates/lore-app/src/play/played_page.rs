//! Playing a character that already has a page. Page and character are the same node, so everything
//! known about the page applies to the character, and the page shows the sheet.

use lore_core::names::name_key;
use lore_core::{Error, Node, Result, Role, Visibility};
use lore_store::{Batch, Change, Expect, NewState, NodeKey, NodePatch, NodeRef};

use super::call::PlayCall;
use super::character::{Kind, NewCharacter};
use super::character_details::CharacterDetails;
use super::former::{self, Resumed};
use super::ids::Thing;
use super::sheet::{self, Sheet};
use super::{CHARACTER, campaign, played};
use crate::access::may_change;
use crate::id_forms;

/// A page as the character it becomes.
pub(super) enum Embodied {
    /// It is new in this campaign: its node, and the batch that makes it a character with a
    /// starting sheet.
    New(Node, Batch),
    /// It was played in this campaign before.
    Again(Resumed),
}

/// Plans playing a page.
pub(super) async fn embody(
    call: &PlayCall,
    home: &Node,
    new: &NewCharacter,
    number: i64,
) -> Result<Embodied> {
    let mut node = page(call, number).await?;
    check(call, &node, new)?;
    let mut batch = leave_archived(call, &node, call.batch()).await?;
    if batch.changes.is_empty()
        && let Some(resumed) = former::resume(call, &node, home.uid).await?
    {
        return Ok(Embodied::Again(same(resumed, new)?));
    }
    let now = batch.at;
    if !batch.changes.is_empty() {
        played::end(&mut node, now);
    }
    played::begin_on_page(&mut node, home.uid, new.kind, now);
    let properties = Some(node.properties.clone());
    let patch = NodePatch { properties, seen: Some(new.kind.secrecy()), ..NodePatch::default() };
    let expect = match batch.changes.is_empty() {
        true => Expect::Version(node.version),
        false => Expect::Any,
    };
    node.updated.at = now;
    batch = batch.change(Change::UpdateNode(NodeRef::Id(node.id), expect, patch)).change(
        Change::PutState(NewState {
            node: NodeRef::Id(node.id),
            name: sheet::name()?,
            // The sheet of a former role may still be there.
            expect: Expect::Any,
            value: Sheet::starting(new.kind.into())?.to_value(),
            visibility: new.kind.secrecy(),
        }),
    );
    Ok(Embodied::New(node, batch))
}

/// Ends the role that a page has in an archived campaign. Fails if the page is played in a campaign
/// that is not archived.
async fn leave_archived(call: &PlayCall, node: &Node, batch: Batch) -> Result<Batch> {
    let Some(home) = campaign::of(node) else { return Ok(batch) };
    let key = NodeKey::Uid(home);
    let is_live = call.app.store.node(&call.all_seeing(), key).await?.is_some();
    if is_live || call.viewer.role < Role::Gm {
        let (character, home) = (Thing::Character.show(node.uid), Thing::Campaign.show(home));
        return Err(Error::Precondition {
            message: format!("{} is played already, as {character} in {home}", node.name),
            hint:
                "use that character, or leave page_id out for a new one; a GM ends the role with \
                   character_update and archived: true, and the page stays"
                    .into(),
        });
    }
    let old = CharacterDetails::load(call, node.clone(), home).await?;
    old.end(None, Expect::Version(node.version), batch)
}

/// Fails if what is asked for is not the role that comes back.
fn same(resumed: Resumed, new: &NewCharacter) -> Result<Resumed> {
    let kind = Kind::of(&resumed.node);
    if kind != new.kind {
        let problem = format!("is not {}, as which it was played here before", kind.as_str());
        return Err(Error::invalid("kind", problem, format!("send {}", kind.as_str())));
    }
    if !new.notes.trim().is_empty() {
        let hint = "leave notes out, and change them with character_update";
        return Err(Error::invalid("notes", "exist: it was played here before", hint));
    }
    Ok(resumed)
}

async fn page(call: &PlayCall, number: i64) -> Result<Node> {
    let found = call.app.store.node(&call.viewer, NodeKey::Number(number)).await?;
    if let Some(node) = found.filter(|node| node.kind.as_str() == CHARACTER) {
        return Ok(node);
    }
    let merged = id_forms::merged_away(&call.app, &call.viewer, &number.to_string()).await?;
    Err(merged.unwrap_or_else(|| {
        let hint = "find_entities with entity_type character lists those there are";
        Error::not_found(format!("the character entity {number} (page_id)"), hint)
    }))
}

/// Fails if a page cannot become the wanted character. The name must match as well as the number,
/// so that a wrong number does not put the wrong page into play.
fn check(call: &PlayCall, node: &Node, new: &NewCharacter) -> Result<()> {
    may_change(&call.viewer, node.created.by, &node.name)?;
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

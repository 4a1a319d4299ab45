//! Changing the aliases, the primary name and the type of an entity. A change made under the URI of
//! a merged entity is logged as that entity's, so that it goes with it when the merge is undone.

use futures::FutureExt;
use lore_core::names::{self, is_same_name};
use lore_core::{Error, Node, Result};
use lore_store::{Change, Expect, NodePatch, NodeRef};
use serde_json::{Value, json};

use super::history::{self, Entry};
use super::ontology::{self, EntityType};
use super::register::{ALIASES_MAX, fresh_names};
use super::{Entity, uri, vouching};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::shares::Shares;
use crate::knowledge::relations::waiting;
use crate::knowledge::vault::linking::{self, Turned};

/// Gives an entity an alias, permanently.
pub async fn add_alias(
    librarian: &Librarian,
    uri: &str,
    alias: &str,
    reason: &str,
) -> Result<Entity> {
    named_too(librarian, uri, alias, reason, Holds::ForGood).await
}

/// Gives an entity an alias from its note, for as long as the note has it.
pub(in crate::knowledge) async fn say_alias(
    librarian: &Librarian,
    uri: &str,
    alias: &str,
    reason: &str,
) -> Result<Entity> {
    named_too(librarian, uri, alias, reason, Holds::WhileSaid).await
}

/// How long a name is given for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    ForGood,
    WhileSaid,
}

async fn named_too(
    librarian: &Librarian,
    uri: &str,
    alias: &str,
    reason: &str,
    holds: Holds,
) -> Result<Entity> {
    let alias = uri::checked_name("alias", alias)?;
    let plan = |entity: &Entity, shares: &Shares| {
        let meant = shares.meant(uri);
        let is_known = has(entity, shares, uri, &alias);
        let is_shown = fresh_names(&entity.node, [&alias].into_iter()).is_empty();
        let is_held = holds == Holds::WhileSaid || is_given(entity, shares, uri, &alias);
        if is_known && is_shown && is_held {
            return Ok(None);
        }
        if !is_shown && entity.node.aliases.len() >= ALIASES_MAX {
            // A note has more to say than its names, so it is read all the same.
            return if_full(holds);
        }
        let all = entity.node.aliases.iter().cloned().chain((!is_shown).then(|| alias.clone()));
        let held = || vouching::given(entity.node.properties.clone(), std::slice::from_ref(&alias));
        let patch = NodePatch {
            aliases: Some(all.collect()),
            properties: (!is_held && meant.is_none()).then(held),
            ..NodePatch::default()
        };
        let details = match holds {
            Holds::ForGood => json!({ "alias": alias, (history::GIVEN): true }),
            Holds::WhileSaid => json!({ "alias": alias }),
        };
        let details = with_entity(details, meant.map(|(_, of)| of));
        let turned = Turned::Come(vec![alias.clone()]);
        Ok(Some(Amendment { patch, kind: history::ALIAS_ADDED, details, turned }))
    };
    let entity = amend(librarian, uri, reason, &plan).await?;
    waiting::settle(librarian, &entity).await;
    Ok(entity)
}

fn if_full(holds: Holds) -> Result<Option<Amendment>> {
    match holds {
        Holds::WhileSaid => Ok(None),
        Holds::ForGood => Err(Error::Precondition {
            message: format!("it has {ALIASES_MAX} aliases already"),
            hint: "remove one that is not needed first".into(),
        }),
    }
}

/// Removes an alias from an entity. The primary name cannot be removed.
pub async fn remove_alias(
    librarian: &Librarian,
    uri: &str,
    alias: &str,
    reason: &str,
) -> Result<Entity> {
    unnamed(librarian, uri, alias, reason, IfShared::Goes).await
}

/// Removes an alias that an entity's note no longer has. A name that somebody else gave stays. If
/// other entities merged with this one have the name too, it stays for them.
pub(in crate::knowledge) async fn give_up_alias(
    librarian: &Librarian,
    uri: &str,
    alias: &str,
    reason: &str,
) -> Result<Entity> {
    unnamed(librarian, uri, alias, reason, IfShared::Stays).await
}

/// What happens to an alias that other entities merged with this one have too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfShared {
    Goes,
    Stays,
}

async fn unnamed(
    librarian: &Librarian,
    uri: &str,
    alias: &str,
    reason: &str,
    if_shared: IfShared,
) -> Result<Entity> {
    let alias = names::checked_name("alias", alias)?;
    let plan = |entity: &Entity, shares: &Shares| {
        let mut aliases = entity.node.aliases.clone();
        aliases.retain(|known| !is_same_name(known, &alias));
        let is_shown = aliases.len() < entity.node.aliases.len();
        if !is_shown && !shares.is_alias(&entity.node, uri, &alias) {
            return Err(Error::Precondition {
                message: format!("{alias:?} is not an alias of {:?}", entity.node.name),
                hint: "its first name stays; see its aliases at /entity/{uri}".into(),
            });
        }
        if if_shared == IfShared::Stays && !has(entity, shares, uri, &alias) {
            return Ok(None);
        }
        let owner = shares.owner(uri, &alias);
        let own = owner.unwrap_or(&entity.uri);
        if if_shared == IfShared::Stays && is_given(entity, shares, own, &alias) {
            return Ok(None);
        }
        if if_shared == IfShared::Stays && shares.owners(&alias) > 1 {
            aliases.clone_from(&entity.node.aliases);
        }
        let taken = || vouching::taken(entity.node.properties.clone(), &alias);
        let properties = owner.is_none().then(taken);
        let patch = NodePatch { aliases: Some(aliases), properties, ..NodePatch::default() };
        let details = with_entity(json!({ "alias": alias }), owner);
        let turned = Turned::Gone(vec![alias.clone()]);
        Ok(Some(Amendment { patch, kind: history::ALIAS_REMOVED, details, turned }))
    };
    amend(librarian, uri, reason, &plan).await
}

/// Whether the entity a URI refers to has a name itself, regardless of entities merged with it.
fn has(entity: &Entity, shares: &Shares, uri: &str, alias: &str) -> bool {
    match shares.meant(uri) {
        Some((share, _)) => share.has(alias),
        None => shares.has(alias, &entity.node.name),
    }
}

/// Whether a name is the primary name of the entity a URI refers to, or was given to it by somebody
/// other than a note.
fn is_given(entity: &Entity, shares: &Shares, uri: &str, alias: &str) -> bool {
    match shares.meant(uri) {
        Some((share, _)) => {
            let given = share.names_given();
            is_same_name(&share.given.name, alias)
                || given.iter().any(|name| is_same_name(name, alias))
        }
        None => is_same_name(&entity.node.name, alias) || vouching::is_given(&entity.node, alias),
    }
}

/// Changes the primary name of an entity. The former name becomes an alias; the URI stays.
pub(in crate::knowledge) async fn rename(
    librarian: &Librarian,
    uri: &str,
    name: &str,
    reason: &str,
) -> Result<Entity> {
    let name = uri::checked_name("name", name)?;
    let plan = |entity: &Entity, _: &Shares| {
        if entity.node.name == name {
            return Ok(None);
        }
        let mut aliases = entity.node.aliases.clone();
        aliases.retain(|alias| !is_same_name(alias, &name));
        aliases.push(entity.node.name.clone());
        let patch =
            NodePatch { name: Some(name.clone()), aliases: Some(aliases), ..NodePatch::default() };
        let details = json!({ "from": entity.node.name, "to": name });
        let turned = Turned::Come(vec![name.clone()]);
        Ok(Some(Amendment { patch, kind: history::RENAMED, details, turned }))
    };
    let entity = amend(librarian, uri, reason, &plan).await?;
    waiting::settle(librarian, &entity).await;
    Ok(entity)
}

/// Changes the type of an entity, unless it is a page. The URI stays, so that references to it keep
/// working.
pub async fn retype(
    librarian: &Librarian,
    uri: &str,
    entity_type: EntityType,
    reason: &str,
) -> Result<Entity> {
    let plan = |entity: &Entity, shares: &Shares| {
        let of = shares.meant(uri).map(|(_, of)| of);
        let before = shares.type_of(of, entity.entity_type);
        if before == entity_type && entity.entity_type == entity_type {
            return Ok(None);
        }
        let merged = shares.meant(uri).and_then(|(share, _)| share.node.as_ref());
        for node in merged.into_iter().chain([&entity.node]) {
            check_kind(node, entity_type)?;
        }
        let mut properties = entity.node.properties.clone();
        properties.insert(uri::URI.into(), json!(entity.uri));
        properties.insert(ontology::TYPE.into(), json!(entity_type.as_str()));
        let patch = NodePatch {
            kind: ontology::kind_as(&entity.node, entity_type)?,
            properties: Some(properties),
            // Writing the names, even unchanged, makes catalogues read the node again.
            aliases: Some(entity.node.aliases.clone()),
            ..NodePatch::default()
        };
        let details = json!({ "from": before.as_str(), "to": entity_type.as_str() });
        let details = with_entity(details, of);
        let names = entity.node.aliases.iter().chain([&entity.node.name]);
        let turned = Turned::Gone(names.cloned().collect());
        Ok(Some(Amendment { patch, kind: history::RETYPED, details, turned }))
    };
    amend(librarian, uri, reason, &plan).await
}

/// Fails for a page, which the other doors (toolsets) would continue to show by its kind.
fn check_kind(node: &Node, entity_type: EntityType) -> Result<()> {
    if ontology::can_be(node, entity_type) {
        return Ok(());
    }
    let kind = node.kind.as_str();
    Err(Error::Precondition {
        message: format!("{:?} is a page ({kind}), and the type of a page stays", node.name),
        hint: "make a page of the other type with create_entities, put there what this one says, \
               and delete this one with delete_entities"
            .into(),
    })
}

/// A change to an entity and its log entry.
struct Amendment {
    patch: NodePatch,
    kind: &'static str,
    details: Value,
    turned: Turned,
}

/// Applies the change that `plan` returns, if any.
async fn amend(
    librarian: &Librarian,
    uri: &str,
    reason: &str,
    plan: &(dyn Fn(&Entity, &Shares) -> Result<Option<Amendment>> + Sync),
) -> Result<Entity> {
    // A computed URI contains the type, which the change may alter.
    let own = librarian.entity(uri).await?.uri;
    let plan = || {
        let own = own.as_str();
        async move {
            let entity = librarian.entity(own).await?;
            let shares = Shares::of(librarian, &entity).await?;
            let batch = librarian.batch();
            let Some(amendment) = plan(&entity, &shares)? else { return Ok((batch, None)) };
            let Amendment { patch, kind, details, turned } = amendment;
            librarian.may_change(&entity.node)?;
            let (id, expect) = (NodeRef::Id(entity.node.id), Expect::Version(entity.node.version));
            let entry = history::append(
                librarian,
                &entity.node,
                Entry::of_one(kind, reason, details),
                None,
            );
            let batch = batch.change(Change::UpdateNode(id, expect, patch)).change(entry);
            Ok((batch, Some(turned)))
        }
        .boxed()
    };
    let turned = librarian.carry_out(plan).await?;
    let entity = librarian.entity(&own).await?;
    if let Some(turned) = turned {
        linking::turned(librarian, &entity, &turned).await;
    }
    Ok(entity)
}

/// Adds the URI of the merged entity that an entry is about to its details.
fn with_entity(mut details: Value, of: Option<&String>) -> Value {
    if let (Some(details), Some(of)) = (details.as_object_mut(), of) {
        details.insert(history::OF.into(), json!(of));
    }
    details
}
